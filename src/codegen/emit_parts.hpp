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

/// In what order statements are written. many_chains: one state at a time, whose operations wait for each other, so chains of
/// them run side by side. few_registers: many states at a time, where values that fit into no register cost most.
enum class Order : std::uint8_t { many_chains, few_registers };

/// The nodes of a stage that are statements of their own.
std::vector<std::size_t> statement_order(const Program& p, const std::vector<When>& when, When stage,
                                         const std::vector<bool>& inlined, Order order);

}  // namespace gough
