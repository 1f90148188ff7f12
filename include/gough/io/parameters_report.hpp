#pragma once
/// Base parameters as text and JSON.                                                           docs/identification.md
#include <string>

#include "gough/identification/base_parameters.hpp"

namespace gough {

std::string parameters_text(const Mechanism<double>& m, const BaseParameters& b);
std::string parameters_json(const BaseParameters& b);

}  // namespace gough
