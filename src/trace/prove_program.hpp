#pragma once
#include "gough/codegen/program.hpp"
#include "gough/model/mechanism.hpp"

namespace gough {

/// Evaluates a program beside the general kernels at random closed states near home: inverse and forward dynamics, kinematics. In words
/// how it differs; empty: by no more than rounding explains, or it computes something else.
std::string why_not_proven(const Program& p, const Mechanism<double>& m);

}  // namespace gough
