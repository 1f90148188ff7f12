#pragma once
/// From a description to a mechanism that the kernels compute. With programs too: gough/trace/prepare.hpp.
#include "gough/kinematics/idle.hpp"

namespace gough {

/// assemble_robot, then prove_fast_paths (fast_paths.hpp).
Prepared prepare_kernels(const RobotDescription& robot);

}  // namespace gough
