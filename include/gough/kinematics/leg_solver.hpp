#pragma once
/// The formulas of leg_forms.hpp in any scalar. A revolute joint is found as its cosine and sine, not as an angle: a traced
/// kernel then needs no arc tangents, and a rotation costs ratios of lengths.                docs/theory/legs_ik.md
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "gough/kinematics/leg_forms.hpp"

namespace gough {

/// A cut joint seen from the leg: its point and frame there, and those on the platform's body.
template <Scalar S>
struct Tip {
  int body = base;  ///< of the leg; the base where the cut joint is none of a leg's
  Transform<S> on_leg, on_platform;
};
template <Scalar S>
Tip<S> tip_of(const Mechanism<S>& m, int c) {
  const auto k = static_cast<std::size_t>(c);
  const CutJoint& cut = m.cut[k];
  if (cut.a == m.platform.body && cut.b != base) return {cut.b, m.cut_b[k], m.cut_a[k]};
  if (cut.b == m.platform.body && cut.a != base) return {cut.a, m.cut_a[k], m.cut_b[k]};
  return {};
}

/// Rod's geometry as expressions of the mechanism's parameters.
template <Scalar S>
struct RodShape {
  Vec3<S> pivot;         ///< see Rod
  S length{};            ///< pivot to tip, without the extension
  S tip_x{}, tip_y{};    ///< direction of the rod across the last aiming axis
  S aim2_x{}, aim2_y{};  ///< direction of the second aiming axis about the first
};

namespace detail {
/// The direction of (x, y) and its length; where it is a coordinate axis at `azimuth`, without a root.
template <Scalar S>
void take_direction(const Vec3<S>& out, double azimuth, RodShape<S>& rod) {
  const double c = std::cos(azimuth), s = std::sin(azimuth);
  constexpr double rounding = 1e-14;
  if (std::abs(c) < rounding || std::abs(s) < rounding) {
    rod.tip_x = S(std::abs(c) < rounding ? 0.0 : std::copysign(1.0, c));
    rod.tip_y = S(std::abs(s) < rounding ? 0.0 : std::copysign(1.0, s));
    rod.length = rod.tip_x * out.x() + rod.tip_y * out.y();
    return;
  }
  rod.length = sqrt(out.x() * out.x() + out.y() * out.y());
  rod.tip_x = out.x() / rod.length, rod.tip_y = out.y() / rod.length;
}
}  // namespace detail

template <Scalar S>
RodShape<S> rod_shape(const Mechanism<S>& m, const Rod& rod) {
  RodShape<S> shape;
  const auto placement = [&](int body) -> const Transform<S>& { return m.placement[static_cast<std::size_t>(body)]; };
  const Vec3<S> tip = tip_of(m, rod.cut).on_leg.p;
  if (rod.aim2 < 0) {
    shape.pivot = placement(rod.aim1).p;
    detail::take_direction(tip, rod.tip_azimuth, shape);
    return shape;
  }
  const Transform<S>& X2 = placement(rod.aim2);
  const Vec3<S> z2 = X2.R.col(2);
  const S along = -(X2.p.x() * z2.x() + X2.p.y() * z2.y());  // from the second frame to where the axes cross
  shape.pivot = placement(rod.aim1) * Vec3<S>(S(0.0), S(0.0), X2.p.z() + z2.z() * along);
  shape.aim2_x = z2.x(), shape.aim2_y = z2.y();
  if (rod.extend < 0) {
    detail::take_direction(tip, rod.tip_azimuth, shape);
    return shape;
  }
  const Transform<S>& X3 = placement(rod.extend);
  const Vec3<S> out = X3 * tip;
  shape.tip_x = X3.R(0, 2), shape.tip_y = X3.R(1, 2);
  shape.length = shape.tip_x * out.x() + shape.tip_y * out.y();
  return shape;
}

/// Solves legs; `Positions` holds the joints:
///   pose(body)              of the joint's moving frame in its parent body
///   turn(body, cos, sin)    of a revolute
///   slide(body, distance)   of a prismatic
template <Scalar S, class Positions>
class LegSolver {
  using V = Vec3<S>;

 public:
  /// `platform`: the pose of the platform's body in the base.
  LegSolver(const Mechanism<S>& m, const LegForm& form, const Transform<S>& platform, Positions& positions)
      : m_(m), form_(form), platform_(platform), at_(positions) {}

  /// All joints. `root_sign`: which of the root's answers.
  void solve(double root_sign) {
    if (form_.kind == LegKind::psp) return slide_to_line();
    if (form_.kind == LegKind::rr) return turn_elbow();
    if (form_.root >= 0) reach(root_sign);
    for (const Rod& rod : form_.rods) aim(rod, true);
  }

  /// Only the joints that aim, the others where they are.
  void aim_all() {
    for (const Rod& rod : form_.rods)
      if (rod.aim1 >= 0) aim(rod, false);
  }

  /// For an RR leg: the root, and the pose of its second link, the platform's body, with the frame's origin where it is
  /// wanted. `same_way`: the joint's axes on both links point the same way.
  Transform<S> link(const V& origin, double root_sign, bool same_way) {
    const Rod& rod = form_.rods[0];
    const Tip<S> tip = tip_of(m_, rod.cut);
    const Transform<S>& F = placement(form_.root);
    const V own = tip.on_platform.R.transpose() * (m_.platform_frame.p - tip.on_platform.p);
    V e = tip.on_leg.p, b = F.R.transpose() * (origin - F.p);
    e.z() = b.z() = S(0.0);
    const S l2 = own.x() * own.x() + own.y() * own.y();
    turn_to(e, b, S(sqrt(l2)), root_sign);
    const Transform<S> leg = pose(form_.root) * tip.on_leg;
    const V wanted = leg.R.transpose() * (origin - leg.p);
    const S way(same_way ? 1.0 : -1.0), o(0.0);
    S c = (wanted.x() * own.x() + wanted.y() * own.y() * way) / l2;
    S s = (wanted.y() * own.x() - wanted.x() * own.y() * way) / l2;
    if constexpr (std::is_same_v<S, double>) {  // out of reach: as near as it comes
      const double n = std::hypot(c, s);
      c /= n, s /= n;
    }
    Mat3<S> turned;
    turned << c, -(s * way), o, s, c * way, o, o, o, way;
    Transform<S> platform;
    platform.R = leg.R * turned * tip.on_platform.R.transpose();
    platform.p = leg.p - platform.R * tip.on_platform.p;
    return platform;
  }

  /// The root's pivot and the rods' end in the frame of the root's joint: what (I1) and (I2) bring together.
  void ends(V& e, V& b) const {
    const Rod& rod = form_.rods[0];
    const Transform<S>& F = placement(form_.root);
    e = rod_shape(m_, rod).pivot, b = F.R.transpose() * (end_of(rod) - F.p);
    if (rod.aim2 >= 0) return;  // a plane's rod: across the aiming axis
    const V n = placement(rod.aim1).R.col(2);
    e -= n * dot(n, e), b -= n * dot(n, b);
  }

  Transform<S> pose(int body) const {
    const int i = m_.parent[static_cast<std::size_t>(body)];
    return i == base ? at_.pose(body) : pose(i) * at_.pose(body);
  }
  V end_of(const Rod& rod) const { return platform_ * tip_of(m_, rod.cut).on_platform.p; }

  /// (I1)
  void turn_to(const V& e, const V& b, const S& l, double root_sign) {
    const S A = e.x() * b.x() + e.y() * b.y(), C = e.x() * b.y() - e.y() * b.x(), h2 = A * A + C * C;
    S c = (dot(e, e) + dot(b, b) - l * l) * S(0.5) - e.z() * b.z();
    if constexpr (std::is_same_v<S, double>) {
      if (h2 < 1e-36) return;  // every angle is as good
      c = std::clamp(c, -std::sqrt(h2), std::sqrt(h2));
    }
    const S k = sqrt(not_negative(h2 - c * c)) * S(root_sign);
    at_.turn(form_.root, (A * c - C * k) / h2, (C * c + A * k) / h2);
  }

 private:
  const Transform<S>& placement(int body) const { return m_.placement[static_cast<std::size_t>(body)]; }
  /// Rounding must not make a root of a number below zero; what traced code cannot reach stays not a number.
  static S not_negative(const S& x) {
    if constexpr (std::is_same_v<S, double>) return std::max(0.0, x);
    return x;
  }

  void reach(double root_sign) {
    V e, b;
    ends(e, b);
    const S l = rod_shape(m_, form_.rods[0]).length;
    if (m_.joint[static_cast<std::size_t>(form_.root)].type == Elementary::revolute) return turn_to(e, b, l, root_sign);
    const V d = b - e;  // (I2)
    at_.slide(form_.root, d.z() + sqrt(not_negative(l * l - d.x() * d.x() - d.y() * d.y())) * S(root_sign));
  }

  /// (I3). The second axis is turned across u; then u has the components r across it and u_z along the first axis.
  void aim(const Rod& rod, bool extend) {
    const RodShape<S> shape = rod_shape(m_, rod);
    const int before = m_.parent[static_cast<std::size_t>(rod.aim1)];
    const Transform<S>& P = placement(rod.aim1);
    const V from_pivot = before == base ? V(end_of(rod) - shape.pivot) : in_body(before, end_of(rod), shape.pivot);
    const V u = P.R.transpose() * from_pivot;
    if (rod.aim2 < 0) {
      at_.turn(rod.aim1, (u.x() * shape.tip_x + u.y() * shape.tip_y) / shape.length,
               (u.y() * shape.tip_x - u.x() * shape.tip_y) / shape.length);
      return;
    }
    const double flip = rod.flipped ? -1 : 1;
    const S r2 = u.x() * u.x() + u.y() * u.y(), r = sqrt(r2), side = r * S(flip);
    if (turns(r))
      at_.turn(rod.aim1, (u.y() * shape.aim2_x - u.x() * shape.aim2_y) / side,
               -((u.x() * shape.aim2_x + u.y() * shape.aim2_y) / side));
    const V left = placement(rod.aim2).R.transpose() * V(-(side * shape.aim2_y), side * shape.aim2_x, u.z());
    const S l = rod.extend >= 0 ? S(sqrt(r2 + u.z() * u.z())) : shape.length;
    at_.turn(rod.aim2, (left.x() * shape.tip_x + left.y() * shape.tip_y) / l,
             (left.y() * shape.tip_x - left.x() * shape.tip_y) / l);
    if (rod.extend >= 0 && extend) at_.slide(rod.extend, l - shape.length);
  }
  /// Along the first axis any angle serves: keep it.
  bool turns(const S& r) const {
    if constexpr (std::is_same_v<S, double>) return r > 1e-12 * m_.length_unit;
    return true;
  }
  /// A point of the base in body `before`, less one of its own.
  V in_body(int before, const V& x, const V& own) const {
    const Transform<S> X = pose(before);
    return X.R.transpose() * (x - X.p) - own;
  }

  /// An RR leg under a known pose: its end must lie where the platform's joint is.
  void turn_elbow() {
    const Transform<S>& F = placement(form_.root);
    const V e = tip_of(m_, form_.rods[0].cut).on_leg.p, b = F.R.transpose() * (end_of(form_.rods[0]) - F.p);
    const S e2 = e.x() * e.x() + e.y() * e.y();
    at_.turn(form_.root, (e.x() * b.x() + e.y() * b.y()) / e2, (e.x() * b.y() - e.y() * b.x()) / e2);
  }

  /// (I4)
  void slide_to_line() {
    const Tip<S> tip = tip_of(m_, form_.rods[0].cut);
    const Transform<S>& F = placement(form_.root);
    const V u = F.R.transpose() * (platform_.R * tip.on_platform.R.col(2));
    const V o = F.R.transpose() * (platform_ * tip.on_platform.p - F.p) - tip.on_leg.p;
    const S level = u.x() * u.x() + u.y() * u.y();
    if constexpr (std::is_same_v<S, double>)
      if (level < 1e-9) return;
    at_.slide(form_.root, o.z() - (o.x() * u.x() + o.y() * u.y()) / level * u.z());
  }

  const Mechanism<S>& m_;
  const LegForm& form_;
  const Transform<S>& platform_;
  Positions& at_;
};

}  // namespace gough
