#pragma once
/// Forward kinematics: from the actuators' positions to everything else.                        docs/theory/forward.md
///
/// One answer: closed form for a star on three slides, otherwise continued from the workspace's position, so that the
/// assembly mode is home's and never changes unseen.
/// All answers: planar platforms by a complete method. With the actuators given, each leg leaves its end on a circle;
///   |p + R(phi) b_i - E_i|^2 = l_i^2                                                                        (F1)
/// Differences are linear in p; what is left is a trigonometric polynomial of degree 3 in phi, whose six roots are the
/// eigenvalues of a companion matrix in z = exp(i phi).                                                      (F2)
/// Other robots: a fixed set of starts; completeness is not claimed.
#include <string>
#include <vector>

#include "gough/kinematics/inverse.hpp"

namespace gough {

/// `actuators` in the mechanism's order. Redundant actuators must agree. Elastic joints keep their position.
Answer forward_kinematics(const Mechanism<double>& m, const VecX<double>& actuators, Workspace<double>& w,
                          bool check_limits = true);

struct AllPostures {
  std::vector<Posture> postures;
  bool complete = false;
  std::string method;
};
AllPostures all_forward_kinematics(const Mechanism<double>& m, const VecX<double>& actuators);

}  // namespace gough
