#pragma once
/// The platform's Jacobian and displaced positions for any scalar.                        docs/theory/jacobians.md
#include "gough/kinematics/explicit_form.hpp"
#include "gough/kinematics/jacobian.hpp"

namespace gough {

/// (J2) 6 x nv, base axes, at the origin of the platform's frame. Writes J (sized 6 x nv).
template <Scalar S>
void platform_jacobian(const Mechanism<S>& m, const Workspace<S>& w, MatX<S>& J) {
  J.setZero();
  const Vec3<S> p = w.X0[static_cast<std::size_t>(m.platform.body)] * m.platform_frame.p;
  for (int j = m.platform.body; j != base; j = m.parent[static_cast<std::size_t>(j)]) {
    const TreeJoint& joint = m.joint[static_cast<std::size_t>(j)];
    for (int c = 0; c < velocity_size(joint); ++c) {
      const Motion<S> column = joint_column(m, w, j, c);
      J.col(joint.v + c).template head<3>() = column.angular;
      J.col(joint.v + c).template tail<3>() = column.linear + cross<S>(column.angular, p);
    }
  }
}

/// q moved by dv in velocity coordinates, exact to second order in dv (dual numbers need no more).
template <Scalar S>
void displace(const Structure& m, const VecX<S>& dv, VecX<S>& q) {
  const auto turn = [&](int iq, int iv) {
    const S x = dv[iv] * S(0.5), y = dv[iv + 1] * S(0.5), z = dv[iv + 2] * S(0.5);
    const S c = S(1.0) - (x * x + y * y + z * z) * S(0.5);
    const S w0 = q[iq], x0 = q[iq + 1], y0 = q[iq + 2], z0 = q[iq + 3];
    q[iq] = w0 * c - x0 * x - y0 * y - z0 * z;
    q[iq + 1] = x0 * c + w0 * x + y0 * z - z0 * y;
    q[iq + 2] = y0 * c + w0 * y + z0 * x - x0 * z;
    q[iq + 3] = z0 * c + w0 * z + x0 * y - y0 * x;
  };
  for (const TreeJoint& j : m.joint) {
    const int slides = single_coordinates(j);
    for (int i = 0; i < slides; ++i) q[j.q + i] = q[j.q + i] + dv[j.v + i];
    if (has_turns(j)) turn(j.q + slides, j.v + slides);
  }
}

/// A position as a function of time, q + q' t + q'' t^2/2, in nested dual numbers: quaternions follow their
/// exponential.
template <Scalar S>
VecX<S> time_series(const Structure& m, const VecX<double>& q, const VecX<double>& v, const VecX<double>& a,
                    const S& t) {
  VecX<S> x = q.cast<S>();
  const S half = t * t * S(0.5);
  displace<S>(m, v.cast<S>() * t + a.cast<S>() * half, x);
  return x;
}

}  // namespace gough
