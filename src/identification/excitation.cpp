#include "gough/identification/excitation.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "excitation_limits.hpp"
#include "gough/error.hpp"
#include "gough/identification/equations.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using namespace excitation;

class Search {
 public:
  Search(const Mechanism<double>& m, const ExcitationOptions& options)
      : m_(m),
        options_(options),
        c_(coordinates_of(m)),
        limits_(m, options.limits, c_),
        base_(base_parameters(m, options.parameters)) {
    if (options.harmonics < 2) throw Error(fmt::format("--harmonics: read {}, expected at least 2", options.harmonics));
    const VecX<double> theta = base_.combinations() * base_.space.value;
    size_ = theta.cwiseAbs();
    const double inertial = base_.rank() > 0 ? size_.head(base_.rank()).maxCoeff() : 1;
    for (Eigen::Index i = 0; i < size_.size(); ++i)  // none is looked for with endless care
      size_[i] = std::max(size_[i], i < base_.rank() ? 0.02 * inertial : 1e-3);
    samples_ =
        std::max(12 * options.harmonics, static_cast<int>(3 * size_.size() / std::max<Eigen::Index>(1, c_.size())));
  }

  Eigen::Index variables() const { return 2 * c_.size() * (options_.harmonics - 1); }

  /// Amplitudes from variables of size one; the last harmonic makes it start at rest.
  void amplitudes(const double* x, MatX<double>& sine, MatX<double>& cosine) const {
    const int N = options_.harmonics;
    sine.setZero(c_.size(), N), cosine.setZero(c_.size(), N);
    for (Eigen::Index i = 0; i < c_.size(); ++i) {
      const double size = std::min(c_.up[i], -c_.down[i]) / (N - 1);
      for (int k = 1; k < N; ++k) {
        const double a = size * *x++ / std::sqrt(k), b = size * *x++ / std::sqrt(k);
        sine(i, k - 1) = a, sine(i, N - 1) -= k * a / N;
        cosine(i, k - 1) = b, cosine(i, N - 1) -= static_cast<double>(k * k) * b / (N * N);
      }
    }
  }

  struct Value {
    double objective = 0, condition = 0, use = 0;
  };
  Value evaluate(const double* x, int samples) {
    MatX<double> sine, cosine;
    amplitudes(x, sine, cosine);
    MatX<double> W(0, size_.size());
    Eigen::Index rows = 0;
    const Eigen::Index seen =
        limits_.follow(series(c_, sine, cosine, options_.period), samples, [&](const AlongRow& row) {
          const MatX<double> H = columns_of(regressor_row(m_, base_.space, row.d).H, base_.columns());
          if (rows + H.rows() > W.rows()) W.conservativeResize(samples * H.rows(), Eigen::NoChange);
          W.middleRows(rows, H.rows()) = H;
          rows += H.rows();
        });
    Value v;
    v.use = limits_.largest();
    const double missing = 1 - static_cast<double>(seen) / samples;
    const double over = std::max(0.0, v.use / headroom - 1);
    if (rows < W.cols()) {
      v.condition = 1e9;
      v.objective = 30 + 10 * missing;
      return v;
    }
    const MatX<double> R = triangular_factor(W.topRows(rows));
    MatX<double> unit = R;
    for (Eigen::Index c = 0; c < R.cols(); ++c) unit.col(c) /= std::max(R.col(c).norm(), 1e-12);
    const VecX<double> s = singular_values(unit).s, sized = singular_values(R * size_.asDiagonal()).s;
    v.condition = s[0] / std::max(s[s.size() - 1], 1e-12);
    v.objective = std::log10(v.condition) - std::log10(std::max(sized[sized.size() - 1], 1e-12)) +
                  10 * std::min(over, 3.0) + 10 * missing;
    return v;
  }

  /// Of all limits the largest share.
  double use_of(const double* x, int samples) {
    MatX<double> sine, cosine;
    amplitudes(x, sine, cosine);
    limits_.follow(series(c_, sine, cosine, options_.period), samples);
    return limits_.largest();
  }

  Excitation run() {
    const std::size_t n = static_cast<std::size_t>(variables());
    std::mt19937 random(options_.seed);
    std::vector<double> x(n);
    for (double& v : x) v = 0.6 * (2.0 * static_cast<double>(random()) / 4294967295.0 - 1);
    shrink(x, samples_);
    Excitation e;
    e.first_condition = evaluate(x.data(), samples_).condition;
    best_ = x;
    optimise(x);
    x = best_;
    const int at_last = (stopped_ ? 3 : 10) * samples_;  // at all times, not only where it was looked at
    if (stopped_)                                        // soon, and with more room where it is not looked
      for (double& v : x) v *= 0.95;
    shrink(x, at_last);
    const Value last = evaluate(x.data(), at_last);
    amplitudes(x.data(), e.sine, e.cosine);
    e.moves = c_.moves, e.coordinate = c_.name, e.index = c_.index;
    e.offset = c_.home - e.cosine.rowwise().sum();
    e.period = options_.period;
    e.condition = last.condition;
    e.evaluations = count_;
    e.stopped = stopped_;
    e.limits = limits_.sorted();
    return e;
  }

 private:
  /// Smaller amplitudes until all limits hold.
  void shrink(std::vector<double>& x, int samples) {
    for (int k = 0; k < 60; ++k) {
      const double use = use_of(x.data(), samples);
      if (use <= 1) return;
      for (double& v : x) v *= use > 2 ? 0.7 : 0.97;
    }
    const auto all = limits_.sorted();
    throw Error(fmt::format("{}: read limits that no motion about home keeps: {} is at {:.3g} times its limit", m_.name,
                            all.empty() ? "reach" : all.front().what, all.empty() ? 0 : all.front().share));
  }

  static double objective(unsigned, const double* x, double*, void* self) {
    auto& s = *static_cast<Search*>(self);
    const Value v = s.evaluate(x, s.samples_);
    ++s.count_;
    if (v.objective < s.best_value_)
      s.best_value_ = v.objective, s.best_.assign(x, x + s.variables()), s.best_condition_ = v.condition;
    if (s.options_.after && !s.options_.after(s.count_, s.best_condition_)) {
      s.stopped_ = true;
      nlopt_force_stop(s.optimiser_.get());
    }
    return v.objective;
  }

  void optimise(std::vector<double> x) {
    const auto n = static_cast<unsigned>(x.size());
    optimiser_.reset(nlopt_create(NLOPT_LN_SBPLX, n));
    nlopt_set_min_objective(optimiser_.get(), objective, this);
    const std::vector<double> low(n, -2), high(n, 2), step(n, 0.15);
    nlopt_set_lower_bounds(optimiser_.get(), low.data());
    nlopt_set_upper_bounds(optimiser_.get(), high.data());
    nlopt_set_initial_step(optimiser_.get(), step.data());
    nlopt_set_maxeval(optimiser_.get(), static_cast<int>(options_.evaluations));
    nlopt_set_ftol_rel(optimiser_.get(), 1e-4);
    double value = 0;
    const nlopt_result result = nlopt_optimize(optimiser_.get(), x.data(), &value);
    if (result < 0 && result != NLOPT_FORCED_STOP && result != NLOPT_ROUNDOFF_LIMITED)
      throw Error(fmt::format("{}: the optimisation ended with '{}'", m_.name, nlopt_result_to_string(result)));
  }

  struct Destroy {
    void operator()(nlopt_opt o) const { nlopt_destroy(o); }
  };

  const Mechanism<double>& m_;
  const ExcitationOptions& options_;
  Coordinates c_;
  Limits limits_;
  BaseParameters base_;
  VecX<double> size_;
  int samples_ = 0;
  std::unique_ptr<std::remove_pointer_t<nlopt_opt>, Destroy> optimiser_;
  std::vector<double> best_;
  double best_value_ = std::numeric_limits<double>::infinity(), best_condition_ = 0;
  std::size_t count_ = 0;
  bool stopped_ = false;
};

}  // namespace

Trajectory Excitation::trajectory(const Mechanism<double>& m) const {
  return excitation::series(excitation::coordinates_of(m), sine, cosine, period);
}

Excitation excite(const Mechanism<double>& m, const ExcitationOptions& options) { return Search(m, options).run(); }

}  // namespace gough
