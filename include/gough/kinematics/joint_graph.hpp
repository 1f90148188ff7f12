#pragma once
/// A mechanism as bodies and joints, however its file writes it and wherever its loops are cut.       docs/theory/mobility.md
///
/// A joint of the graph has a basis S of the motions that it allows, orthonormal about its own centre: a ball, three hinges that meet in
/// massless rings, and a ball that is cut are the same joint. What the loops demand of its rates theta is
///   C theta = 0,     C = (Q^T x 1_6) diag(S)                                                                (J1)
/// with an orthonormal basis Q of the graph's cycles and all S about one point, lengths divided by L. No tree, no choice of cuts and no
/// order of joints enters the singular values of C. Joints that are only elastic stand.
#include <string>
#include <vector>

#include "gough/kinematics/stages.hpp"

namespace gough {

/// Columns of S are twists (angular; linear) in base axes: turns about `centre`, slides along a direction, in lengths of L per second.
struct GraphJoint {
  int a = 0, b = 0;  ///< the bodies that it joins
  MatX<double> S;    ///< 6 x f
  Vec3<double> centre = Vec3<double>::Zero();
  JointCentre centre_at;        ///< the body of the tree on which its centre stands still
  bool turns = false;           ///< it has a centre; a slide has none
  std::vector<int> coordinate;  ///< per column: the tree's velocity coordinate, or -1
  bool in_loop = false;

  int other(int body) const { return a == body ? b : a; }
  bool touches(int body) const { return a == body || b == body; }
  bool turns_only() const { return turns && S.bottomRows(3).isZero(0); }
};

/// Joints in line, with bodies between that nothing else holds.
struct GraphChain {
  int a = 0, b = 0;
  std::vector<int> joints;  ///< from a to b
  std::vector<int> bodies;  ///< between them
};

struct JointGraph {
  static constexpr int base = 0;
  std::vector<std::string> body;  ///< names; the base is the first
  std::vector<GraphJoint> joint;
  int platform = -1;  ///< none: -1
  int ground = base;  ///< the body next to the base on which the loops stand, as a rule the base itself
  int held = -1;      ///< the body next to the platform that loops hold, as a rule the platform itself; none: -1
  int idle =
      0;  ///< how many motions move nothing else: pins of multiple joints, rods between balls, what the mechanism leaves free
  double length = 1;  ///< L of (M1)
  Vec3<double> centre = Vec3<double>::Zero();

  /// Of the joints on loops that turn; without loops, of all that turn.
  std::vector<JointCentre> centres() const;
  std::vector<int> all_joints() const;
  std::vector<int> loop_joints() const;
  std::vector<int> joints_at(int body, const std::vector<int>& among) const;
};

/// The mean of joints' centres, and L, their root mean square distance from it.                             (M1)
struct Extent {
  Vec3<double> centre;
  double length;
};
Extent extent_of(const Mechanism<double>& m, const Workspace<double>& w, const std::vector<JointCentre>& centres);

/// Reads X0, at a closed position.
JointGraph joint_graph(const Mechanism<double>& m, const Workspace<double>& w);

/// S of a joint about `point`: (angular; linear / scale).
MatX<double> about(const JointGraph& g, int joint, const Vec3<double>& point, double scale);
/// C of some joints about `point`, by lengths of L. The bodies of `merged` count as one.                    (J1)
MatX<double> loop_matrix(const JointGraph& g, const std::vector<int>& joints, const Vec3<double>& point,
                         const std::vector<int>& merged = {});

/// The same for a mechanism without a platform: shortest cycles instead of an orthonormal basis, each about the mean of its own joints'
/// centres and by its own root mean square distance, so that a chain of many loops is not measured by its length.
MatX<double> cycle_matrix(const JointGraph& g);

/// The legs: what loops are left of where the ground and the held body are taken away, by groups of joints that hang together. Only those
/// that join both.
std::vector<std::vector<int>> legs_of(const JointGraph& g);
/// The chains between ground, held body, and bodies with three or more joints on loops.
std::vector<GraphChain> chains_of(const JointGraph& g);

}  // namespace gough
