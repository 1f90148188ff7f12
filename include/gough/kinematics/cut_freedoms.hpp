#pragma once
/// Directions in which a cut joint is free, as wrenches.                                       docs/theory/motion.md
///   c'_i = n_i . (w_B - w_A) + f_i . (v_B - v_A)                                                            (V5)
/// A force F_i along the free coordinate c_i is the wrench F_i (n_i; f_i) on B and its opposite on A: it does the power
/// F_i c'_i. The same (n_i; f_i) give the rates of the cut joints' coordinates as rows of a Jacobian.
#include "gough/kinematics/motion.hpp"

namespace gough {

/// One wrench per free coordinate of `kind`, about the base's origin; A and B are the joint's frames in the base.
template <Scalar S>
std::array<Force<S>, 6> free_wrenches(JointKind kind, const Transform<S>& A, const Transform<S>& B) {
  std::array<Force<S>, 6> w;
  const auto turn = [&](std::size_t i, const Vec3<S>& axis) { w[i] = {axis, Vec3<S>::Zero()}; };
  const auto slide = [&](std::size_t i, const Vec3<S>& axis) { w[i] = {cross<S>(B.p, axis), axis}; };
  const auto turns = [&](std::size_t i) {
    for (int k = 0; k < 3; ++k) turn(i + static_cast<std::size_t>(k), B.R.col(k));
  };
  switch (kind) {
    case JointKind::fixed: break;
    case JointKind::revolute: turn(0, A.R.col(2)); break;
    case JointKind::prismatic: slide(0, A.R.col(2)); break;
    case JointKind::universal: turn(0, A.R.col(2)), turn(1, B.R.col(0)); break;
    case JointKind::cylindrical: turn(0, A.R.col(2)), slide(1, A.R.col(2)); break;
    case JointKind::spherical: turns(0); break;
    case JointKind::planar: slide(0, A.R.col(0)), slide(1, A.R.col(1)), turn(2, A.R.col(2)); break;
    case JointKind::point_on_line: slide(0, A.R.col(2)), turns(1); break;
    case JointKind::point_on_plane: slide(0, A.R.col(0)), slide(1, A.R.col(1)), turns(2); break;
    case JointKind::distance: {  // see cut_coordinates: direction angles, then turns against the rod's frame
      const Vec3<S> r = A.R.transpose() * (B.p - A.p);
      const S n2 = r.y() * r.y() + r.z() * r.z(), n = sqrt(n2), l2 = n2 + r.x() * r.x(), o(0.0);
      slide(0, A.R * Vec3<S>(o, -(r.z() / n2), r.y() / n2));
      slide(1, A.R * Vec3<S>(n / l2, -(r.x() * r.y() / (n * l2)), -(r.x() * r.z() / (n * l2))));
      const Vec3<S> x = A.R.col(0), y1 = A.R * Vec3<S>(o, r.z() / n, -(r.y() / n));
      for (int k = 0; k < 3; ++k) {
        const Vec3<S> b = B.R.col(k);
        w[2 + static_cast<std::size_t>(k)] = Force<S>{b, Vec3<S>::Zero()} - w[0] * dot(b, x) - w[1] * dot(b, y1);
      }
      break;
    }
    case JointKind::free: slide(0, A.R.col(0)), slide(1, A.R.col(1)), slide(2, A.R.col(2)), turns(3); break;
    case JointKind::modal: break;
  }
  return w;
}

/// The moment, in child axes, of springs on the three turns of a spherical joint: with rotation vector r and forces
/// F = -c (r - r_0) along its components, M = J^-T F where r' = J^-1 w. Conservative for any stiffnesses.      (V6)
template <Scalar S>
Vec3<S> turn_springs(const Vec3<S>& r, const Vec3<S>& F) {
  const S n2 = dot(r, r), l(1.0);
  const S near_zero = S(1e-4) - n2;
  const S safe = if_positive(near_zero, l, n2), n = sqrt(safe);
  const S exact = (l - n * S(0.5) * (l + cos(n)) / sin(n)) / safe;
  const S c = if_positive(near_zero, l / S(12.0) + n2 / S(720.0) + n2 * n2 / S(30240.0), exact);
  // J^-1 = 1 + r~/2 + c r~^2, so J^-T F = F - r x F / 2 + c r x (r x F)
  const Vec3<S> rF = cross(r, F);
  return F - rF * S(0.5) + cross(r, rF) * c;
}

}  // namespace gough
