#pragma once
/// Closed positions around home, for choices that must serve over the workspace: pivots, subspaces.
#include <vector>

#include "gough/kinematics/assemble.hpp"

namespace gough {

/// Home, then up to `wanted` others: poses of the platform within its limits (or a third of the robot's length and 20 deg
/// of home), or, without a platform, actuators around home's. The same every time. Out of reach or limits: left out.
std::vector<VecX<double>> positions_around_home(const Mechanism<double>& m, int wanted);

}  // namespace gough
