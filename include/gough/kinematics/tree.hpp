#pragma once
/// Poses of the tree's bodies.                                                                docs/theory/closure.md
///   X_j  = P_j E_j(q_j)          E_j: turn about z, slide along z, all turns, ...                          (C1)
///   0X_j = 0X_parent(j) X_j                                                                                (C2)
#include "gough/kinematics/modal.hpp"
#include "gough/kinematics/stages.hpp"

namespace gough {

/// P E(q): the moving frame of a joint in its parent's body, q at the joint's first coordinate.
template <Scalar S>
Transform<S> joint_pose(const Transform<S>& placement, Elementary type, const S* q) {
  switch (type) {
    case Elementary::fixed: return placement;
    case Elementary::revolute: return {placement.R * rotation_z(q[0]), placement.p};
    case Elementary::prismatic: return {placement.R, placement.p + placement.R.col(2) * q[0]};
    case Elementary::spherical: return {placement.R * rotation_from_quaternion(q[0], q[1], q[2], q[3]), placement.p};
    case Elementary::free:
      return placement * Transform<S>{rotation_from_quaternion(q[3], q[4], q[5], q[6]), Vec3<S>(q[0], q[1], q[2])};
    case Elementary::modal: break;  // needs more than q: tree_positions
  }
  return placement;
}

/// Reads q. Writes X, X0. No allocation, no branch on S.
template <Scalar S>
void tree_positions(const Mechanism<S>& m, Workspace<S>& w) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const int i = m.parent[j];
    const TreeJoint& joint = m.joint[j];
    const S* q = w.q.data() + joint.q;
    if (joint.type == Elementary::modal)
      w.X[j] = m.placement[j] * modal_pose(m.modal_of(j), q, w.modal[static_cast<std::size_t>(joint.modal)]);
    else w.X[j] = joint_pose(m.placement[j], joint.type, q);
    w.X0[j] = i == base ? w.X[j] : w.X0[static_cast<std::size_t>(i)] * w.X[j];
  }
  w.stage = Stage::position;
}

/// The motion of body j, about the base's origin and in base axes, for a unit rate of the c-th coordinate of its joint.
template <Scalar S>
Motion<S> joint_column(const Mechanism<S>& m, const Workspace<S>& w, int j, int c) {
  const auto k = static_cast<std::size_t>(j);
  const Transform<S>& X = w.X0[k];
  const auto turn = [&](int axis) -> Motion<S> {
    const Vec3<S> e = X.R.col(axis);
    return {e, cross<S>(X.p, e)};
  };
  switch (m.joint[k].type) {
    case Elementary::fixed: break;
    case Elementary::revolute: return turn(2);
    case Elementary::prismatic: return {Vec3<S>::Zero(), X.R.col(2)};
    case Elementary::spherical: return turn(c);
    case Elementary::free: {
      if (c >= 3) return turn(c - 3);
      const int i = m.parent[k];
      const Mat3<S> R = i == base ? m.placement[k].R : Mat3<S>(w.X0[static_cast<std::size_t>(i)].R * m.placement[k].R);
      return {Vec3<S>::Zero(), R.col(c)};
    }
    case Elementary::modal:
      return X * w.modal[static_cast<std::size_t>(m.joint[k].modal)].axes[static_cast<std::size_t>(c)];
  }
  return {};
}

}  // namespace gough
