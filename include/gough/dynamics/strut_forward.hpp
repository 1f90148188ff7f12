#pragma once
/// Forward dynamics of a platform on six struts: struts.hpp, a and w' of the platform unknown.  docs/theory/codegen.md
///   F = L a_B + F_0,   L = mu (1 - d d^T / l^2) + J / r^4 e e^T,   e = (-z, 0, x)                           (U4)
///   M (a; w') = sum (G, b x G) - platform,   G = d (tau / l + F_0.d / l^2 ..) - F_0,   b = B from the platform's origin   (U5)
#include "gough/dynamics/struts.hpp"
#include "gough/spatial/linalg.hpp"

namespace gough {

template <Scalar S>
class StrutForward {
  using V = Vec3<S>;

 public:
  S smallest_pivot{1.0};

  /// `motion` with a = w' = 0 and plain axes.
  StrutForward(const StrutRobot<S>& robot, const PlatformState<S>& motion, const std::array<S, 6>& drives)
      : r(robot), x(motion), tau(drives) {}

  /// (a; w').
  Vec6<S> accelerations() {
    platform();
    if (r.all) strut(*r.all, across(six_lanes(tau)));
    else
      for (std::size_t j = 0; j < 6; ++j) strut(r.strut[j], tau[j]);
    const Part<S> part("solve");
    Eigen::Matrix<S, 6, 6> A = mass;
    Eigen::Matrix<S, 6, 1> b;
    b << F, M;
    smallest_pivot = ldlt_factor(A);
    ldlt_solve(A, b);
    return b;
  }

 private:
  static std::array<S, most_lanes> lanes_of(const std::array<S, 6>& x) {
    return {x[0], x[1], x[2], x[3], x[4], x[5], x[5], x[5]};
  }
  /// Over the struts that are computed at once.
  S sum(const S& y) const { return r.all ? total(y, 6) : y; }
  void add(V& to, const V& y) const {
    for (int i = 0; i < 3; ++i) to[i] += sum(y[i]);
  }

  /// Its bias, and its mass matrix: m; w' x s; (trace - J1) 1 - sum of (J - J1)_kl R_k R_l^T.
  void platform() {
    const Part<S> part("platform");
    const auto& R = x.axis;
    const Mat3<S> H = spin_matrix(x.w, x.dw);
    for (std::size_t k = 0; k < 3; ++k) HR[k] = H * R[k], W[k] = cross(x.w, R[k]);
    const Force<S> bias = platform_wrench(r, x, HR, S(1.0));
    F = -bias.force, M = -bias.moment;
    mass.setZero();
    const V s = R[0] * r.first.x() + R[1] * r.first.y() + R[2] * r.first.z();
    mass.template topLeftCorner<3, 3>().diagonal().setConstant(r.mass);
    mass.template bottomLeftCorner<3, 3>() = cross_matrix(s);
    const S J1 = r.products(0, 0), rest = r.products(1, 1) + r.products(2, 2);
    std::array<V, 3> u;
    for (int l = 0; l < 3; ++l) {
      V& sum = u[static_cast<std::size_t>(l)] = V::Zero();
      for (int k = 0; k < 3; ++k)
        sum += R[static_cast<std::size_t>(k)] * (k == l ? S(r.products(k, k) - J1) : S(r.products(k, l)));
    }
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k <= i; ++k) {
        S t = i == k ? rest : S(0.0);
        for (std::size_t l = 0; l < 3; ++l) t = t - u[l][i] * R[l][k];
        mass(3 + i, 3 + k) = t;
      }
  }

  V reached(const V& from, const std::array<V, 3>& along, const V& B) const {
    return ((from + along[0] * B.x()) + along[1] * B.y()) + along[2] * B.z();
  }

  void strut(const Strut<S>& s, const S& drive) {
    const Part<S> part("struts");
    const V none = V::Zero(), b = reached(none, x.axis, s.B);
    const V d = to_strut<S>(s, b + (x.p - s.A)),
            v = to_strut<S>(s, r.all ? V(x.v + cross(x.w, b)) : reached(x.v, W, s.B)),
            a = to_strut<S>(s, reached(none, HR, s.B));
    const S X = d.x(), Y = d.y(), Z = d.z();
    const S r2 = X * X + Z * Z, l2 = r2 + Y * Y, il2 = S(1.0) / l2, ir2 = S(1.0) / r2, l = sqrt(l2), il = l * il2;
    const S sg = X * v.x() + Z * v.z(), lam = sg + Y * v.y(), sv = lam * il2, g = v.y() - Y * sv;
    const S rate = (X * v.z() - Z * v.x()) * ir2, twice = rate + rate, rate2 = rate * rate;
    const S d3 = s.p3 - s.p2, k = d3 * il2 * Y, turn = ((s.p1 - d3) + k * Y) * ir2;
    const S Q = turn * (X * a.z() - Z * a.x()) + twice * (k * g - turn * sg) + s.dry_alpha * sign(rate) +
                s.viscous_alpha * rate;
    const S phi = Q * ir2, e = s.p3 * il2, mu = e + (s.p5 + s.p5) * il, la = sv * (mu + e);
    V f(mu * a.x() - la * v.x() - Z * phi, mu * a.y() - la * v.y() - k * rate2, mu * a.z() - la * v.z() + X * phi);
    f += to_strut<S>(s, r.gravity) * (-(s.p4 + s.p5)) * il;
    f.y() = f.y() + s.dry_beta * sign(g) * sqrt(ir2) + s.viscous_beta * g * ir2;
    const S push = drive + s.p5 * (r2 * il2 * rate2 + g * g * ir2) - s.dry * sign(lam);
    const S along = il * push + dot(d, f) * il2 - s.viscous * sv;
    const V G = from_strut<S>(s, d * along - f);
    add(F, G), add(M, cross(b, G));
    add_mass(s, b, d, mu, mu * il2, turn * ir2);
  }

  /// (U4) about the platform's origin: rows of the force, then of the moment.
  void add_mass(const Strut<S>& s, const V& b, const V& d, const S& mu, const S& c, const S& t) {
    const Part<S> part("mass");
    const S X = d.x(), Y = d.y(), Z = d.z(), cx = c * X, cy = c * Y, cz = c * Z, tx = t * X, tz = t * Z;
    Mat3<S> L;
    L(0, 0) = mu - cx * X + tz * Z, L(1, 1) = mu - cy * Y, L(2, 2) = mu - cz * Z + tx * X;
    L(0, 1) = L(1, 0) = -(cx * Y), L(0, 2) = L(2, 0) = -(cx * Z + tz * X), L(1, 2) = L(2, 1) = -(cy * Z);
    for (int i = 0; i < 3; ++i) L.col(i) = from_strut<S>(s, L.col(i));
    for (int i = 0; i < 3; ++i) L.row(i) = from_strut<S>(s, L.row(i).transpose()).transpose();
    std::array<V, 3> bL;  // b x columns of L
    for (int i = 0; i < 3; ++i) bL[static_cast<std::size_t>(i)] = cross<S>(b, L.col(i));
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k <= i; ++k) mass(i, k) += sum(L(i, k));
      for (int k = 0; k < 3; ++k) mass(3 + i, k) += sum(bL[static_cast<std::size_t>(k)][i]);
      const V row(bL[0][i], bL[1][i], bL[2][i]);
      const V moment = cross<S>(b, row);  // of b x L (w' x b), symmetric
      for (int k = 0; k <= i; ++k) mass(3 + i, 3 + k) += sum(moment[k]);
    }
  }

  const StrutRobot<S>& r;
  const PlatformState<S>& x;
  const std::array<S, 6>& tau;
  std::array<V, 3> W, HR;
  V F, M;
  Eigen::Matrix<S, 6, 6> mass;  ///< lower triangle, a then w'
};

}  // namespace gough
