#pragma once
/// From a description to a mechanism that is ready for everything.
#include "gough/dynamics/prepare.hpp"
#include "gough/kinematics/mobility.hpp"

namespace gough {

/// prepare_kernels, and what makes programs of it (programs.hpp).
Prepared prepare(const RobotDescription& robot);

/// check_mobility, and how its dynamics are computed: among the fast paths, "programs".
MobilityReport check_robot(const Prepared& robot);

}  // namespace gough
