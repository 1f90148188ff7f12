#pragma once
/// From a description to a mechanism that is ready for everything.
#include "gough/kinematics/idle.hpp"

namespace gough {

/// assemble_robot, then prove_fast_paths (fast_paths.hpp).
Prepared prepare(const RobotDescription& robot);

}  // namespace gough
