#pragma once
/// The modal joint: from a body's undeformed frame F to the frame E at its far end.           docs/theory/flexible.md
///   E = (exp(theta), x_end),   theta = Theta eta                                                            (M3)
///   S_c = (T(theta) Theta_c, R^T N_c),   N = Psi - sum_e e (B_e eta)^T                                      (M4)
///   S' eta' = (T' theta', -w x R^T N eta' - R^T sum_e e (eta'^T B_e eta')),   w = T theta'                   (M5)
/// T(theta) = sum (-theta~)^k/(k + 1)! takes rates of the rotation vector to the angular velocity in E. Functions of the angle
/// are series in its square: branch-free, exact to rounding up to two radians, and no beam bends that far.
#include "gough/model/workspace.hpp"

namespace gough {

/// sin t / t, (1 - cos t)/t^2, (t - sin t)/t^3 and derivatives of the last two by t^2, from s = t^2.
template <Scalar S>
struct TurnSeries {
  S sinc, b, a, db, da;

  explicit TurnSeries(const S& s) : sinc(0.0), b(0.0), a(0.0), db(0.0), da(0.0) {
    for (std::size_t k = terms; k-- > 0;) {
      db = db * s + b;
      da = da * s + a;
      sinc = sinc * s + S(coefficient[k][0]);
      b = b * s + S(coefficient[k][1]);
      a = a * s + S(coefficient[k][2]);
    }
  }

 private:
  static constexpr std::size_t terms = 10;
  static constexpr auto coefficient = [] {  // (-1)^k over (2k + 1)!, (2k + 2)!, (2k + 3)!
    std::array<std::array<double, 3>, terms> c{};
    double factorial = 1, sign = 1;
    for (std::size_t k = 0; k < terms; ++k, sign = -sign)
      for (std::size_t i = 0; i < 3; ++i) {
        double f = factorial;
        for (std::size_t n = 2 * k + 2; n <= 2 * k + 1 + i; ++n) f *= static_cast<double>(n);
        c[k][i] = sign / f;
        if (i == 2) factorial = f;  // (2k + 3)!
      }
    return c;
  }();
};

/// Sums of modes at points: eta's rates give the velocity N eta' of each. Writes x (3 points) and N (3 points x modes). (M3), (M4)
template <Scalar S>
void modal_points(const ModalPoints& p, const S* coordinates, VecX<S>& x, MatX<S>& N, VecX<S>& work) {
  const Eigen::Index n = p.shape.cols(), points = p.count();
  const Eigen::Map<const VecX<S>> eta(coordinates, n);
  N = p.shape.template cast<S>();
  x.setZero();
  for (Eigen::Index c = 0; c < n; ++c) x += N.col(c) * eta[c];
  for (Eigen::Index k = 0; k < points; ++k) x.template segment<3>(3 * k) += p.r.col(k).template cast<S>();
  for (const ModalPoints::Shortening& e : p.shortening) {
    work.setZero();
    for (Eigen::Index c = 0; c < n; ++c) work += e.B.col(c).template cast<S>() * eta[c];
    for (Eigen::Index k = 0; k < points; ++k) {
      const auto B_eta = work.segment(k * n, n);
      const S half = eta.dot(B_eta) * S(0.5);
      for (int i = 0; i < 3; ++i) {
        if (e.along[i] == 0) continue;
        const S along(e.along[i]);
        x[3 * k + i] = x[3 * k + i] - along * half;
        for (Eigen::Index c = 0; c < n; ++c) N(3 * k + i, c) = N(3 * k + i, c) - B_eta[c] * along;
      }
    }
  }
}

/// -sum_e e (eta'^T B_ke eta') of point k: what (M3) adds to N eta''.
template <Scalar S>
Vec3<S> modal_shortening_rate(const ModalPoints& p, Eigen::Index k, const S* rate) {
  const Eigen::Index n = p.shape.cols();
  Vec3<S> a = Vec3<S>::Zero();
  for (const ModalPoints::Shortening& e : p.shortening) {
    S pull(0.0);
    for (Eigen::Index c = 0; c < n; ++c) {
      S sum(0.0);
      for (Eigen::Index i = 0; i < n; ++i) sum = sum + S(e.B(k * n + i, c)) * rate[i];
      pull = pull + sum * rate[c];
    }
    a -= e.along.template cast<S>() * pull;
  }
  return a;
}

/// (M3), (M4): the pose of E in F. Writes the modal state's axes.
template <Scalar S>
Transform<S> modal_pose(const ModalBody& b, const S* q, ModalState<S>& state) {
  modal_points(b.end, q, state.end_x, state.end_N, state.work_end);
  const Eigen::Map<const VecX<S>> eta(q, b.modes());
  const Vec3<S> theta = b.end_turn.template cast<S>().lazyProduct(eta);
  const TurnSeries<S> f(dot(theta, theta));
  const Mat3<S> W = cross_matrix(theta), W2 = W * W;
  const Mat3<S> R = Mat3<S>::Identity() + W * f.sinc + W2 * f.b, T = Mat3<S>::Identity() - W * f.b + W2 * f.a;
  for (Eigen::Index c = 0; c < b.modes(); ++c) {
    const Vec3<S> turn = b.end_turn.col(c).template cast<S>(), move = state.end_N.col(c);
    state.axes[static_cast<std::size_t>(c)] = {T * turn, R.transpose() * move};
  }
  return {R, Vec3<S>(state.end_x)};
}

/// S rate.
template <Scalar S>
Motion<S> modal_motion(const ModalState<S>& state, const S* rate) {
  Motion<S> m;
  for (std::size_t c = 0; c < state.axes.size(); ++c) m += state.axes[c] * rate[c];
  return m;
}

/// (M5). `motion`: S eta'; R: that of E in F.
template <Scalar S>
Motion<S> modal_bias(const ModalBody& b, const Mat3<S>& R, const S* q, const S* rate, const Motion<S>& motion) {
  const Eigen::Map<const VecX<S>> eta(q, b.modes()), etad(rate, b.modes());
  const Vec3<S> theta = b.end_turn.template cast<S>().lazyProduct(eta),
                rates = b.end_turn.template cast<S>().lazyProduct(etad);
  const TurnSeries<S> f(dot(theta, theta));
  const S s = S(2.0) * dot(theta, rates);  // of the square of the angle
  const Vec3<S> c = cross(theta, rates);
  Motion<S> bias;
  bias.angular = c * (-(f.db * s)) + cross(theta, c) * (f.da * s) + cross(rates, c) * f.a;
  bias.linear = R.transpose() * modal_shortening_rate(b.end, 0, rate) - cross(motion.angular, motion.linear);
  return bias;
}

}  // namespace gough
