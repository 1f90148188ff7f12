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

}  // namespace gough
