#pragma once
/// A platform on six struts (universal joint at the base, prismatic drive, ball), without joint angles.
///                                                                                          docs/theory/codegen.md
/// Strut j from A_j to B_j: d = B - A = (x, y, z) with the first cardan axis along y, n = d / l, r^2 = x^2 + z^2. A force F
/// at B that does the power of the strut's inertia, gravity and friction is known up to a multiple of d, which only shifts the
/// drive's force by a known amount. Kinetic energy 1/2 (p3 + 2 p5 l) |n'|^2 + 1/2 (p1 - d3 r^2 / l^2) alpha'^2 beside the
/// slider's mass, which is counted at B, as the platform's:
///   F = mu a - la v + phi (-z, 0, x) + (0, q_beta / r - k alpha'^2, 0) - (p4 + p5) g / l                    (U1)
///   e = p3 / l^2,  mu = e + 2 p5 / l,  la = (l'/l) (mu + e),  k = d3 y / l^2,  phi = Q_alpha / r^2
/// It is slid along d until its z component vanishes. With w_j = u_j z_j the platform's balance is
///   sum w (x/z, y/z, 1; A x (x/z, y/z, 1)) = sum (F, q x F) + platform                                      (U2)
/// and tau = l (u - F.d / l^2 + f_v l'/l) - p5 |n'|^2 + dry.                                                (U3)
#include <array>
#include <optional>

#include "gough/dynamics/loads.hpp"
#include "gough/scalar/expr.hpp"

namespace gough {

template <Scalar S>
struct Strut {
  Vec3<S> A, B;        ///< in the base; in the platform's frame
  S cos{}, sin{};      ///< the first cardan axis is (-sin, cos, 0) in the base
  S p1{}, p2{}, p3{};  ///< second moments, see (U1)
  S p4{}, p5{};        ///< first moments along n: of the stator about A, of the slider about B
  S dry_alpha{}, dry_beta{}, dry{};
  S viscous_alpha{}, viscous_beta{}, viscous{};
};

template <Scalar S>
struct StrutRobot {
  std::array<Strut<S>, 6> strut;
  S mass{};          ///< of the platform and the sliders
  Vec3<S> first;     ///< the same, in the platform's frame, about its origin
  Mat3<S> products;  ///< sum of m r r^T of the same
  Vec3<S> gravity;
};

/// What the geometry allows, and the order of elimination.
struct StrutPlan {
  bool flat_base = false;      ///< all A_j in one plane z = const: three rows of (U2) are constant
  bool flat_platform = false;  ///< all B_j in one plane z = const of the platform
  bool lifted = false;         ///< that plane does not hold the platform's origin: `axis[2]` has its height
  bool trapezoids = false;     ///< opposite sides of the base's hexagon are parallel in a fixed ratio
  std::array<int, 6> order = {0, 1, 2, 3, 4, 5};  ///< of the struts, so that the first two share a short side
  std::array<int, 5> rows = {0, 1, 2, 3, 4}, columns = {0, 1, 2, 3, 4};  ///< pivots of the 3 x 3 or 5 x 5 system
};

struct RecognisedStruts {
  StrutRobot<double> robot;
  StrutPlan plan;
};
/// The robot as struts; none where it is not such a robot.
std::optional<RecognisedStruts> recognise_struts(const Mechanism<double>& m);

/// The motion of the platform's frame. `axis`: columns of its rotation, the third times the
/// height of the plane of the B_j where the plan says `lifted`.
template <Scalar S>
struct StrutMotion {
  Vec3<S> p, v, w, a, dw;
  std::array<Vec3<S>, 3> axis;
};
/// [w']x + [w]x [w]x: accelerations of a body's points per arm.
template <Scalar S>
Mat3<S> spin_matrix(const Vec3<S>& w, const Vec3<S>& dw) {
  const S xx = w.x() * w.x(), yy = w.y() * w.y(), zz = w.z() * w.z();
  const S xy = w.x() * w.y(), xz = w.x() * w.z(), yz = w.y() * w.z();
  Mat3<S> H;
  H << -(yy + zz), xy - dw.z(), xz + dw.y(), xy + dw.z(), -(xx + zz), yz - dw.x(), xz - dw.y(), yz + dw.x(), -(xx + yy);
  return H;
}

/// Inertia and weight of the platform and the sliders' masses, about the platform's origin. HR: accelerations per arm, of
/// `axis`; lift: what axis[2] is multiplied by.
template <Scalar S>
Force<S> platform_wrench(const StrutRobot<S>& r, const StrutMotion<S>& x, const std::array<Vec3<S>, 3>& HR,
                         const S& lift) {
  const S J1 = r.products(0, 0);
  const Vec3<S> ag = x.a - r.gravity;
  const auto scaled = [&](int k, const S& s) -> S { return k == 2 ? S(s / lift) : s; };
  Force<S> out{x.dw * (J1 + J1), ag * r.mass};  // sum of R_k x H R_k = 2 w'
  for (int k = 2; k >= 0; --k) {
    const auto K = static_cast<std::size_t>(k);
    out.force += HR[K] * scaled(k, r.first[k]);
    Vec3<S> push = ag * scaled(k, r.first[k]);
    for (int i = 2; i >= 0; --i) {
      const S product = i == k ? S(r.products(i, k) - J1) : S(r.products(i, k));
      push += HR[static_cast<std::size_t>(i)] * scaled(k, scaled(i, product));
    }
    out.moment += cross(x.axis[K], push);
  }
  return out;
}

/// Along the strut's own axes, and back.
template <Scalar S>
Vec3<S> to_strut(const Strut<S>& s, const Vec3<S>& u) {
  return {s.cos * u.x() + s.sin * u.y(), s.cos * u.y() - s.sin * u.x(), u.z()};
}
template <Scalar S>
Vec3<S> from_strut(const Strut<S>& s, const Vec3<S>& u) {
  return {s.cos * u.x() - s.sin * u.y(), s.sin * u.x() + s.cos * u.y(), u.z()};
}

}  // namespace gough
