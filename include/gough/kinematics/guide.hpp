#pragma once
/// Guiding a mechanism by hand: some joints are put somewhere, all others follow on the branch where they are.
#include <vector>

#include "gough/kinematics/answer.hpp"

namespace gough {

/// The velocity coordinates a hand would take: the actuators, of redundant ones an independent set; where they leave
/// freedoms, passive joints too, a ball or a free joint with all its coordinates or not at all. Elastic joints only where
/// nothing is actuated.
std::vector<int> guiding_coordinates(const Mechanism<double>& m);

/// Moves w.q to where these coordinates are `values` (as named_positions has them), along the straight way from where they
/// are. All actuators and no others: forward_kinematics. Limits are not looked at. Leaves the workspace at stage
/// closure; on failure where the way ended.
Answer guide(const Mechanism<double>& m, const std::vector<int>& coordinates, const VecX<double>& values,
             Workspace<double>& w);

}  // namespace gough
