#pragma once
/// What joints and legs carry, after inverse or forward dynamics.                          docs/theory/dynamics.md
///   f_j = sum over what joint j carries of (I (a - g) + v x* I v - w) -+ lambda_r (n; f)_r                 (C1)
/// Where equations are redundant, lambda is not unique: the shortest one is given, and every wrench that could be
/// another one is flagged. Actuator forces are unique all the same.
#include <string>
#include <vector>

#include "gough/dynamics/dynamics.hpp"

namespace gough {

struct JointReaction {
  std::string joint;
  Vec3<double> point;    ///< origin of the joint's frame, base
  Force<double> wrench;  ///< from the joint on its child (a cut joint: on body b), base axes, moment about `point`
  bool unique = true;
};

struct LegWrench {
  std::string leg;
  Force<double> wrench;  ///< of the leg on the platform, base axes, moment about the platform's origin
  bool unique = true;
};

struct Reactions {
  std::vector<JointReaction> tree;  ///< one per body of the tree: the whole wrench through its joint, drive included
  std::vector<JointReaction> cut;   ///< one per cut joint, friction and springs in it included
  std::vector<LegWrench> leg;       ///< constraint wrenches w_J of paper 002; empty without a floating platform
  Force<double> on_base;            ///< of the mechanism on the base, about the base's origin
};

/// Reads q, v, a, lambda as inverse_dynamics or forward_dynamics left them (with the same d); makes lambda the shortest.
/// Allocates.
Reactions reactions(const Mechanism<double>& m, Workspace<double>& w, const Dynamics<double>& d);

/// How a wrench on the platform (moment; force, base axes, at its origin) is shared by the legs: U S^+ w.
///   sum_i share_i = w                                                         (paper 000, 40)              (C2)
/// `unique` is false where S has more columns than rank: then the shares are the smallest ones.
struct WrenchShares {
  std::vector<Vec6<double>> leg;  ///< what each leg passes on to the platform
  bool unique = true;
  double residual = 0;  ///< |w - sum of shares|: not zero where the legs cannot hold w
};
WrenchShares distribute_wrench(const Mechanism<double>& m, const Workspace<double>& w, const Vec6<double>& wrench);

}  // namespace gough
