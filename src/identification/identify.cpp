#include "gough/identification/identify.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "gough/error.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double hubers = 1.345;
constexpr int most_robust_rounds = 15, weight_rounds = 3;
constexpr double worst_condition = 3e4;
constexpr double least_motion = 8;  // over noise

double rms(const VecX<double>& x) {
  return x.norm() / std::sqrt(static_cast<double>(std::max<Eigen::Index>(1, x.size())));
}

/// Every per_time-th entry from i on.
VecX<double> force(const Equations& e, const VecX<double>& rows, int i) {
  VecX<double> x(rows.size() / e.per_time);
  for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = rows[k * e.per_time + i];
  return x;
}

/// Standing still is not a motion: positions must move well beyond their noise, which second differences show.
void check_motion(const Mechanism<double>& m, const Measurement& data) {
  if (!m.elastic.empty())
    throw Error(m.name + ": read a robot with elastic joints, whose motion is not measured, expected a rigid one");
  if (data.rows() < 3) return;
  for (Eigen::Index c = 0; c < data.q.cols(); ++c) {
    const auto x = data.q.col(c);
    const auto n = x.size();
    const double reach = x.maxCoeff() - x.minCoeff();
    const double noise = rms(x.head(n - 2) - 2 * x.segment(1, n - 2) + x.tail(n - 2)) / std::sqrt(6);
    if (reach > least_motion * noise && reach > 1e-9) continue;
    const Coordinate& joint = m.coordinate[at(m.actuator[at(c)])];
    throw Error(
        fmt::format("{}: read 'q.{}' that moves by {:.2g} {} in all, with noise of {:.2g}, expected a motion that "
                    "excites the robot (gough excite makes one)",
                    data.name, joint.name, reach, joint.is_length ? "m" : "rad", noise));
  }
}

/// Where nothing pulls there is nothing to find: every estimate would be zero, surely.
void check_forces(const Measurement& data) {
  if (data.tau.size() == 0 || data.tau.cwiseAbs().maxCoeff() > 0) return;
  throw Error(data.name + ": read forces that are 0 in every row, expected measured ones");
}

/// The estimate and all that it needs on the way.
class Estimator {
 public:
  Estimator(const Equations& e, Identification& r, const IdentifyOptions& options) : e_(e), r_(r), options_(options) {
    r_.estimated.assign(at(r_.size()), true);
    r_.insignificant.assign(at(r_.size()), false);
    const auto inertial = static_cast<std::size_t>(r_.base.rank());
    for (std::size_t i = 0; i < r_.estimated.size(); ++i)
      if (options.what == Identified::inertia && i >= inertial) r_.estimated[i] = false;
    residual_ = e_.y - e_.W * r_.file;
    robust_ = VecX<double>::Ones(residual_.size());
    r_.noise = VecX<double>::Ones(e_.per_time);
  }

  void run() {
    check_length();
    if (options_.what == Identified::friction) drop_hidden_inertias();
    else check_excitation();
    for (int k = 0; k < weight_rounds; ++k) weighted_solution();
    if (options_.robust) robust_rounds();
    if (options_.keep_all) return;
    drop_insignificant();
    if (options_.robust) robust_rounds();
  }

  /// W^T S^-1 W of all parameters.
  MatX<double> information() const {
    const MatX<double> scaled = weights().asDiagonal() * e_.W;
    return scaled.transpose() * scaled;
  }

 private:
  std::vector<int> active() const {
    std::vector<int> all;
    for (Eigen::Index i = 0; i < r_.size(); ++i)
      if (r_.estimated[at(i)]) all.push_back(static_cast<int>(i));
    return all;
  }

  void check_length() const {
    const auto wanted = 3 * static_cast<Eigen::Index>(active().size());
    if (e_.y.size() < wanted)
      throw Error(fmt::format("{}: read {} forces that count, expected at least {} for {} parameters", r_.data_name,
                              e_.y.size(), wanted, active().size()));
  }

  /// The parameter that data show least, where they show it too little.
  void check_excitation() {
    const std::vector<int> columns = active();
    MatX<double> scaled = columns_of(e_.W, columns);
    const double largest = scaled.colwise().norm().maxCoeff();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto c = static_cast<Eigen::Index>(i);
      const double norm = scaled.col(c).norm();
      if (!(norm > 1e-12 * largest)) refuse(columns[i], "no effect on the forces measured");
      scaled.col(c) /= norm;
    }
    const SingularValues d = singular_values(triangular_factor(scaled));
    const auto last = d.s.size() - 1;
    r_.condition = d.s[0] / d.s[last];
    if (r_.condition < worst_condition) return;
    Eigen::Index worst = 0;
    d.V.col(last).cwiseAbs().maxCoeff(&worst);
    refuse(columns[at(worst)], fmt::format("effects that those of others make up (condition {:.1e})", r_.condition));
  }
  [[noreturn]] void refuse(int parameter, const std::string& why) const {
    throw Error(
        fmt::format("{}: read data in which '{}' has {}, expected a motion that excites it (gough excite makes one)",
                    r_.data_name, r_.name[at(parameter)], why));
  }

  /// For friction alone: inertias that the data do not show stay at the file's values.
  void drop_hidden_inertias() {
    for (;;) {
      const std::vector<int> columns = active();
      MatX<double> scaled = columns_of(e_.W, columns);
      for (Eigen::Index c = 0; c < scaled.cols(); ++c) scaled.col(c) /= std::max(scaled.col(c).norm(), 1e-300);
      const SingularValues d = singular_values(triangular_factor(scaled));
      const auto last = d.s.size() - 1;
      r_.condition = d.s[0] / std::max(d.s[last], 1e-300);
      if (r_.condition < 100) return;
      Eigen::Index worst = -1;
      for (Eigen::Index i = 0; i < d.V.rows(); ++i)
        if (columns[at(i)] < r_.base.rank() && (worst < 0 || std::abs(d.V(i, last)) > std::abs(d.V(worst, last))))
          worst = i;
      if (worst < 0) return check_excitation();
      r_.estimated[at(columns[at(worst)])] = false;
    }
  }

  /// Of each row: how much it counts over its deviation.
  VecX<double> weights() const {
    VecX<double> w(residual_.size());
    for (Eigen::Index k = 0; k < w.size(); ++k) w[k] = std::sqrt(robust_[k]) / r_.noise[k % e_.per_time];
    return w;
  }

  VecX<double> left() const { return residual_ - e_.W * (r_.value - r_.file); }

  void weighted_solution() {
    const std::vector<int> columns = active();
    const VecX<double> w = weights();
    MatX<double> A = w.asDiagonal() * columns_of(e_.W, columns);
    const VecX<double> scale = A.colwise().norm().cwiseMax(1e-300).cwiseInverse();
    A = A * scale.asDiagonal();
    const QrSolution qr = qr_solution(A, w.asDiagonal() * residual_);
    const VecX<double> d = scale.asDiagonal() * qr.X;
    r_.value = r_.file;
    for (std::size_t i = 0; i < columns.size(); ++i) r_.value[columns[i]] += d[static_cast<Eigen::Index>(i)];
    update_noise(static_cast<double>(columns.size()));
    const MatX<double> inverse =
        scale.asDiagonal() *
        qr.R.triangularView<Eigen::Upper>().solve(MatX<double>::Identity(A.cols(), A.cols())).eval();
    const MatX<double> C = variance_ * inverse * inverse.transpose();
    r_.covariance = MatX<double>::Zero(r_.size(), r_.size());
    r_.sigma = VecX<double>::Zero(r_.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j)
        r_.covariance(columns[i], columns[j]) = C(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      r_.sigma[columns[i]] = std::sqrt(r_.covariance(columns[i], columns[i]));
    }
  }

  /// Deviations of the forces from what is left; what the weights then make of all of it is about one.
  void update_noise(double parameters) {
    const VecX<double> rest = left();
    const VecX<double> before = weights();
    const double share = parameters / static_cast<double>(e_.per_time);
    const double freedoms = std::max(1.0, static_cast<double>(rest.size()) - parameters);
    variance_ =
        robust_started_ ? robust_variance(rest, freedoms) : (before.asDiagonal() * rest).squaredNorm() / freedoms;
    for (int i = 0; i < e_.per_time; ++i) {
      const VecX<double> x = force(e_, rest, i);
      double size = 0;
      if (options_.robust && robust_started_) {  // median deviation: outliers do not count
        std::vector<double> sizes(x.size());
        for (Eigen::Index k = 0; k < x.size(); ++k) sizes[at(k)] = std::abs(x[k]);
        std::nth_element(sizes.begin(), sizes.begin() + x.size() / 2, sizes.end());
        size = 1.4826 * sizes[at(x.size() / 2)];
      } else {
        size = std::sqrt(x.squaredNorm() / std::max(1.0, static_cast<double>(x.size()) - share));
      }
      r_.noise[i] = std::max(size, 1e-12);
    }
  }

  /// Of Huber's estimate, for the weighted equations: mean psi^2 / (share inside)^2, times the mean weight.
  double robust_variance(const VecX<double>& rest, double freedoms) const {
    double squares = 0, inside = 0;
    for (Eigen::Index k = 0; k < rest.size(); ++k) {
      const double size = std::abs(rest[k]) / r_.noise[k % e_.per_time], psi = std::min(size, hubers);
      squares += psi * psi;
      inside += size <= hubers ? 1 : 0;
    }
    const double share = inside / static_cast<double>(rest.size());
    return squares / freedoms / (share * share) * robust_.mean();
  }

  void robust_rounds() {
    for (int k = 0; k < most_robust_rounds; ++k) {
      take_weights();
      weighted_solution();
    }
    r_.outliers = static_cast<std::size_t>((robust_.array() < 0.5).count());
  }

  /// (I7)
  void take_weights() {
    robust_started_ = true;
    const VecX<double> rest = left();
    for (Eigen::Index k = 0; k < rest.size(); ++k) {
      const double size = std::abs(rest[k]) / r_.noise[k % e_.per_time];
      robust_[k] = size <= hubers ? 1 : hubers / size;
    }
  }

  /// The least significant first, until all are.
  void drop_insignificant() {
    for (;;) {
      Eigen::Index worst = -1;
      double least = options_.significance;
      for (Eigen::Index i = 0; i < r_.size(); ++i) {
        if (!r_.estimated[at(i)] || !(r_.sigma[i] > 0)) continue;
        // both nothing and the file's value, which it returns to, must be as good
        const double t = std::max(std::abs(r_.value[i]), std::abs(r_.value[i] - r_.file[i])) / r_.sigma[i];
        if (t < least) least = t, worst = i;
      }
      if (worst < 0) return;
      r_.estimated[at(worst)] = false;
      r_.insignificant[at(worst)] = true;
      if (active().empty())
        throw Error(
            fmt::format("{}: read forces in which no parameter rises above the noise, expected a motion that excites "
                        "the robot (gough excite makes one)",
                        r_.data_name));
      weighted_solution();
    }
  }

  const Equations& e_;
  Identification& r_;
  const IdentifyOptions& options_;
  VecX<double> residual_;  ///< with the file's parameters
  VecX<double> robust_;
  double variance_ = 1;
  bool robust_started_ = false;
};

Fit fit_of(const Equations& e, const Measurement& data, const VecX<double>& file, const VecX<double>& value) {
  const auto times = e.y.size() / e.per_time;
  if (times == 0)
    throw Error(data.name +
                ": read no row in which all joints with dry friction move surely, expected a faster motion");
  Fit f{VecX<double>(e.per_time),        VecX<double>(e.per_time),       VecX<double>(e.per_time), {},
        MatX<double>(times, e.per_time), MatX<double>(times, e.per_time)};
  const VecX<double> before = e.W * file, after = e.W * value;
  for (int i = 0; i < e.per_time; ++i) {
    f.force.col(i) = force(e, e.y, i);
    f.predicted.col(i) = force(e, after, i);
    f.measured[i] = rms(f.force.col(i));
    f.before[i] = rms(f.force.col(i) - force(e, before, i));
    f.after[i] = rms(f.force.col(i) - f.predicted.col(i));
  }
  for (const Eigen::Index r : e.row) f.t.push_back(data.t[at(r)]);
  return f;
}

/// What goes wrong here leaves the estimate as it is.
void validate(const Mechanism<double>& m, const Measurement& data, const VecX<double>& value,
              const IdentifyOptions& options, Identification& r) {
  try {
    check_forces(data);
    const PreparedData second = with_rates(data, {options.rates.cutoff, 0, 0});  // it need not be periodic
    const Equations e = equations(m, r.base, second, options.after_row);
    r.stopped = e.stopped;
    if (e.stopped) r.validation_problem = data.name + ": interrupted";
    else r.validation = fit_of(e, data, r.file, value);
  } catch (const Error& e) { r.validation_problem = e.what(); } catch (const Failure& e) {
    r.validation_problem = e.what();
  }
}

void check_wish(const Mechanism<double>& m, const Identification& r) {
  if (r.what == Identified::friction && r.base.space.size() == r.base.space.inertial)
    throw Error(m.name + ": read a robot without friction coefficients, expected some to identify");
  if (r.what == Identified::inertia && r.base.rank() == 0)
    throw Error(m.name + ": read a robot whose motions show no inertia, expected some to identify");
}

}  // namespace

Identification identify(const Mechanism<double>& m, const Measurement& data,
                        const std::optional<Measurement>& validation, const IdentifyOptions& options) {
  Identification r;
  r.data_name = data.name;
  r.what = options.what;
  r.base = base_parameters(m, options.parameters);
  check_wish(m, r);
  for (const BaseParameter& p : r.base.base) r.name.push_back(p.name);
  for (int i = r.base.space.inertial; i < r.base.space.size(); ++i) r.name.push_back(r.base.space.name[at(i)]);
  const MatX<double> K = r.base.combinations();
  r.file = K * r.base.space.value;
  for (double& x : r.file)
    if (std::abs(x) < 1e-18) x = 0;  // rounding
  r.value = r.file;
  r.sigma = VecX<double>::Zero(r.file.size());
  check_motion(m, data);
  check_forces(data);
  const PreparedData prepared = with_rates(data, options.rates);
  r.rates = prepared.how;
  const Equations e = equations(m, r.base, prepared, options.after_row);
  r.stopped = e.stopped;
  if (r.stopped) return r;
  r.left_out = e.left_out;
  Estimator estimator(e, r, options);
  estimator.run();
  const MatX<double> A = estimator.information();
  VecX<double> wanted = r.value;
  if (options.what == Identified::friction) wanted.head(r.base.rank()) = r.file.head(r.base.rank());
  r.full = existing_parameters(m, r.base, wanted, A);
  const VecX<double> existing = K * r.full;
  for (Eigen::Index i = 0; i < r.size(); ++i)
    if (r.sigma[i] > 0) r.moved = std::max(r.moved, std::abs(existing[i] - wanted[i]) / r.sigma[i]);
  if (options.consistent) r.value = existing;
  r.fit = fit_of(e, data, r.file, existing);  // of the robot that is written
  if (validation) validate(m, *validation, existing, options, r);
  return r;
}

}  // namespace gough
