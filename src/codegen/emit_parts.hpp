#pragma once
/// What the parts of generated code agree on.
#include "gough/codegen/program.hpp"

namespace gough {

/// A field of NAME_parameters.
struct ParameterField {
  std::string name;
  std::size_t node;  ///< of the tape: its symbol
};
/// Those that the code reads, in the tape's order.
std::vector<ParameterField> parameter_fields(const Program& p);

/// The nodes of a stage that are statements of their own, in an order for one state at a time, whose operations wait for each
/// other: chains of them run side by side.
std::vector<std::size_t> many_chains(const Program& p, const std::vector<When>& when, When stage,
                                     const std::vector<bool>& inlined);

/// The same program for many states at a time, where values that fit into no register cost most: its tape in an order, and its
/// sums' terms in one, that lets few values live at a time. What set-up computes stays as it is.
Program for_few_registers(const Program& p);

}  // namespace gough
