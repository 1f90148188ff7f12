#pragma once
/// From a description to a mechanism that is ready for everything.
#include "gough/dynamics/prepare.hpp"

namespace gough {

/// prepare_kernels, and what makes programs of it (programs.hpp).
Prepared prepare(const RobotDescription& robot);

}  // namespace gough
