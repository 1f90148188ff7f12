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
#include <algorithm>
#include <array>
#include <optional>

#include "gough/dynamics/loads.hpp"
#include "gough/dynamics/platform_body.hpp"
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

/// The platform with the sliders' masses, and its struts.
template <Scalar S>
struct StrutRobot : PlatformBody<S> {
  std::array<Strut<S>, 6> strut;
  std::optional<Strut<S>> all;  ///< the six as lanes: then they are computed at once
};

/// The last fills the lanes that are left.
template <class T>
std::array<T, most_lanes> six_lanes(const std::array<T, 6>& x) {
  return {x[0], x[1], x[2], x[3], x[4], x[5], x[5], x[5]};
}

/// The six as lanes of one.
template <Scalar S>
Strut<S> struts_as_lanes(const std::array<Strut<S>, 6>& strut) {
  Strut<S> t;
  const auto gathered = [&](auto&& of) {
    std::array<S, 6> x;
    for (std::size_t j = 0; j < 6; ++j) x[j] = of(strut[j]);
    return across(six_lanes(x));
  };
  for (int i = 0; i < 3; ++i) {
    t.A[i] = gathered([&](const Strut<S>& s) { return s.A[i]; });
    t.B[i] = gathered([&](const Strut<S>& s) { return s.B[i]; });
  }
  for (S Strut<S>::*const member :
       {&Strut<S>::cos, &Strut<S>::sin, &Strut<S>::p1, &Strut<S>::p2, &Strut<S>::p3, &Strut<S>::p4, &Strut<S>::p5,
        &Strut<S>::dry_alpha, &Strut<S>::dry_beta, &Strut<S>::dry, &Strut<S>::viscous_alpha, &Strut<S>::viscous_beta,
        &Strut<S>::viscous})
    t.*member = gathered([&](const Strut<S>& s) { return s.*member; });
  return t;
}

/// What the geometry allows, and the order of elimination.
struct StrutPlan {
  bool flat_base = false;      ///< all A_j in one plane z = const: three rows of (U2) are constant
  bool flat_platform = false;  ///< all B_j in one plane z = const of the platform
  bool lifted = false;         ///< that plane does not hold the platform's origin: `axis[2]` has its height
  bool trapezoids = false;     ///< opposite sides of the base's hexagon are parallel in a fixed ratio
  bool few_values = false;     ///< a product more per strut, but half the numbers kept until the end
  std::array<int, 6> order = {0, 1, 2, 3, 4, 5};  ///< of the struts, so that the first two share a short side
  std::array<int, 5> rows = {0, 1, 2, 3, 4}, columns = {0, 1, 2, 3, 4};  ///< pivots of the 3 x 3 or 5 x 5 system
};

struct RecognisedStruts {
  StrutRobot<double> robot;
  StrutPlan plan;
};
/// The robot as struts; none where it is not such a robot.
std::optional<RecognisedStruts> recognise_struts(const Mechanism<double>& m);

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
