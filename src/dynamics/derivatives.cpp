#include "gough/dynamics/derivatives.hpp"

namespace gough {
namespace {

using D = Dual<double>;

/// One evaluation in dual numbers; what is seeded is set in between.
class DualEvaluation {
 public:
  DualEvaluation(const Mechanism<D>& m, const Workspace<double>& at, const Dynamics<double>& d)
      : m_(m), w_(m), d_(m, d), form_(m, d.y), y_(d.y.independent) {
    w_.q = at.q.cast<D>();
    w_.coulomb = at.coulomb;
    w_.slip = at.slip.cast<Dual<double>>();
    const auto n = static_cast<Eigen::Index>(y_.size());
    yd_ = ydd_ = VecX<D>::Zero(n);
    step_ = VecX<D>::Zero(m.nv);
    for (Eigen::Index i = 0; i < n; ++i) {
      yd_[i] = D(at.v[y_[static_cast<std::size_t>(i)]]);
      ydd_[i] = D(at.a[y_[static_cast<std::size_t>(i)]]);
    }
    for (Eigen::Index i = 0; i < w_.tau.size(); ++i) w_.tau[i] = D(at.tau[i]);
    for (std::size_t j = 0; j < w_.external.size(); ++j)
      w_.external[j] = {at.external[j].moment.cast<D>(), at.external[j].force.cast<D>()};
  }

  void seed_position(std::size_t i) { step_[y_[i]].d[0] = 1; }
  void seed_velocity(std::size_t i) { yd_[static_cast<Eigen::Index>(i)].d[0] = 1; }
  void seed_acceleration(std::size_t i) { ydd_[static_cast<Eigen::Index>(i)].d[0] = 1; }
  void seed_force(std::size_t i) { w_.tau[static_cast<Eigen::Index>(i)].d[0] = 1; }

  VecX<double> inverse() {
    state();
    inverse_kernel(m_, w_, d_);
    return w_.tau.unaryExpr([](const D& x) { return x.d[0]; });
  }
  VecX<double> forward() {
    state();
    forward_kernel(m_, w_, d_);
    VecX<double> out(static_cast<Eigen::Index>(y_.size()));
    for (std::size_t i = 0; i < y_.size(); ++i) out[static_cast<Eigen::Index>(i)] = w_.a[y_[i]].d[0];
    return out;
  }

 private:
  void state() {
    displace(m_, step_, w_.q);
    refine_position(m_, w_, d_.y, form_);
    explicit_motion(m_, w_, d_.y, form_, yd_, ydd_);
  }

  const Mechanism<D>& m_;
  Workspace<D> w_;
  Dynamics<D> d_;
  ExplicitForm<D> form_;
  std::vector<int> y_;
  VecX<D> step_, yd_, ydd_;
};

template <class Seed, class Result>
MatX<double> columns(std::size_t n, const Mechanism<D>& m, const Workspace<double>& w, const Dynamics<double>& d,
                     Seed&& seed, Result&& result) {
  MatX<double> J;
  for (std::size_t i = 0; i < n; ++i) {
    DualEvaluation e(m, w, d);
    seed(e, i);
    const VecX<double> column = result(e);
    if (i == 0) J.resize(column.size(), static_cast<Eigen::Index>(n));
    J.col(static_cast<Eigen::Index>(i)) = column;
  }
  return J;
}

}  // namespace

StateDerivatives inverse_derivatives(const Mechanism<double>& m, const Workspace<double>& w,
                                     const Dynamics<double>& d) {
  const Mechanism<D> dual = m.cast<D>();
  const std::size_t n = d.y.independent.size();
  const auto result = [](DualEvaluation& e) { return e.inverse(); };
  return {columns(
              n, dual, w, d, [](DualEvaluation& e, std::size_t i) { e.seed_position(i); }, result),
          columns(
              n, dual, w, d, [](DualEvaluation& e, std::size_t i) { e.seed_velocity(i); }, result),
          columns(
              n, dual, w, d, [](DualEvaluation& e, std::size_t i) { e.seed_acceleration(i); }, result)};
}

StateDerivatives forward_derivatives(const Mechanism<double>& m, const Workspace<double>& w,
                                     const Dynamics<double>& d) {
  const Mechanism<D> dual = m.cast<D>();
  const std::size_t n = d.y.independent.size();
  const auto result = [](DualEvaluation& e) { return e.forward(); };
  return {columns(
              n, dual, w, d, [](DualEvaluation& e, std::size_t i) { e.seed_position(i); }, result),
          columns(
              n, dual, w, d, [](DualEvaluation& e, std::size_t i) { e.seed_velocity(i); }, result),
          columns(
              m.actuator.size(), dual, w, d, [](DualEvaluation& e, std::size_t i) { e.seed_force(i); }, result)};
}

VecX<double> inverse_derivative(const Mechanism<D>& seeded, const Workspace<double>& w, const Dynamics<double>& d) {
  return DualEvaluation(seeded, w, d).inverse();
}

VecX<double> forward_derivative(const Mechanism<D>& seeded, const Workspace<double>& w, const Dynamics<double>& d) {
  return DualEvaluation(seeded, w, d).forward();
}

}  // namespace gough
