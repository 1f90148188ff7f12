#pragma once
/// The platform as one rigid body in base axes, with few operations.                        docs/theory/codegen.md
#include <array>

#include "gough/scalar/expr.hpp"
#include "gough/spatial/spatial.hpp"

namespace gough {

template <Scalar S>
struct PlatformBody {
  S mass{};
  Vec3<S> first;     ///< in the platform's frame, about its origin
  Mat3<S> products;  ///< sum of m r r^T, the same
  Vec3<S> gravity;
};

/// The motion of its frame, in base axes. `axis`: columns of its rotation, the third perhaps times a length (`lift`).
template <Scalar S>
struct PlatformState {
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

/// Inertia and weight, about the frame's origin. HR: accelerations per arm, of `axis`; lift: what axis[2] is multiplied by.
///   f = m a' + H s,   moment = 2 J_11 w' + sum_k R_k x (s_k a' + sum_i (J - J_11 1)_ki H R_i),   a' = a - g     (B1)
template <Scalar S>
Force<S> platform_wrench(const PlatformBody<S>& r, const PlatformState<S>& x, const std::array<Vec3<S>, 3>& HR,
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

}  // namespace gough
