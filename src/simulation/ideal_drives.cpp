#include "gough/simulation/ideal_drives.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <memory>

#include "gough/dynamics/dalembert.hpp"
#include "gough/dynamics/drives.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/forward.hpp"

namespace gough {
namespace {

using Eigen::Index;
constexpr double worn = 0.1;  ///< share of the pivot where coordinates were chosen

/// (S6) at one state after the other.
class IdealDrives {
 public:
  IdealDrives(const Mechanism<double>& m, DriveMotion motion, double rate)
      : m_(m), motion_(std::move(motion)), rate_(rate), plan_(m) {}

  void drive(double t, Workspace<double>& w) {
    closure(m_, w);
    closure_bias(m_, w);
    if (form_) explicit_form(w, y_, *form_);
    if (!form_ || (y_.rank() > 0 && form_->smallest_pivot < worn * first_pivot_)) choose(w);
    loads(m_, plan_, true, w);
    w.a = form_->g;
    tree_accelerations(m_, w);
    tree_forces(m_, true, w.A, w.a.data(), w);
    mass_matrix(m_, w, d_->composite, d_->M);
    d_->MG.noalias() = d_->M * form_->G;
    d_->M_c.noalias() = form_->G.transpose() * d_->MG;
    F_.noalias() = -(form_->G.transpose() * w.t);
    solve(motion_.at(t), w);
  }

 private:
  void choose(Workspace<double>& w) {
    y_ = select_driven(m_, w, m_.rank);
    const auto n = static_cast<Index>(m_.actuator.size());
    const bool first = std::equal(
        m_.actuator.begin(), m_.actuator.end(), y_.independent.begin(),
        y_.independent.begin() + std::min<std::ptrdiff_t>(n, static_cast<std::ptrdiff_t>(y_.independent.size())));
    if (!first || static_cast<Index>(y_.independent.size()) < n)
      throw Error(fmt::format(
          "{}: read {} drives that depend on each other here, expected drives that move on their own", m_.name, n));
    form_.emplace(m_, y_);
    d_.emplace(m_, y_);
    F_ = VecX<double>::Zero(static_cast<Index>(y_.independent.size()));
    explicit_form(w, y_, *form_);
    first_pivot_ = y_.rank() > 0 ? form_->smallest_pivot : 1.0;
  }

  void solve(const ActuatorMotion& wanted, Workspace<double>& w) {
    const auto n = static_cast<Index>(m_.actuator.size()), rest = F_.size() - n;
    u_ = wanted.a;
    for (Index i = 0; i < n; ++i) {
      const int c = m_.actuator[static_cast<std::size_t>(i)];
      u_[i] += 2 * rate_ * (wanted.v[i] - w.v[c]) + rate_ * rate_ * (wanted.q[i] - w.q[position_index(m_, c)]);
    }
    const MatX<double>& M = d_->M_c;
    w.tau.noalias() = M.topLeftCorner(n, n) * u_ - F_.head(n);
    if (rest == 0) return;
    r_.noalias() = F_.tail(rest) - M.bottomLeftCorner(rest, n) * u_;
    solver_.compute(M.bottomRightCorner(rest, rest));
    solver_.solveInPlace(r_);
    w.tau.noalias() += M.topRightCorner(n, rest) * r_;
  }

  const Mechanism<double>& m_;
  DriveMotion motion_;
  double rate_;
  LoadPlan plan_;
  Selection y_;
  std::optional<ExplicitForm<double>> form_;
  std::optional<DAlembert<double>> d_;
  VecX<double> F_, u_, r_;
  Eigen::LDLT<MatX<double>> solver_;
  double first_pivot_ = 1;
};

}  // namespace

DriveMotion::DriveMotion(std::span<const KnownState> states) {
  for (const KnownState& s : states) {
    if (s.motion.of_platform()) throw Error("drives: read a motion of the platform, expected one of the actuators");
    if (!t_.empty() && !(s.motion.t > t_.back()))
      throw Error(fmt::format("drives: read t = {:g} s after {:g} s, expected times that grow", s.motion.t, t_.back()));
    t_.push_back(s.motion.t);
    motion_.push_back(s.motion.actuators());
  }
  if (t_.empty()) throw Error("drives: read no states, expected some");
}

ActuatorMotion DriveMotion::at(double t) const {
  if (t < t_.front() || t > t_.back()) {  // it stands
    const VecX<double>& q = (t < t_.front() ? motion_.front() : motion_.back()).q;
    return {q, VecX<double>::Zero(q.size()), VecX<double>::Zero(q.size())};
  }
  if (t == t_.back()) return motion_.back();
  const auto k = static_cast<std::size_t>(std::upper_bound(t_.begin(), t_.end(), t) - t_.begin());
  const double h = t_[k] - t_[k - 1], x = t - t_[k - 1], x2 = x * x, x3 = x2 * x;
  const ActuatorMotion &a = motion_[k - 1], &b = motion_[k];
  // q = a.q + a.v x + a.a x^2/2 + c3 x^3 + c4 x^4 + c5 x^5, with b's values at h
  const VecX<double> p = b.q - a.q - a.v * h - a.a * (h * h / 2), v = b.v - a.v - a.a * h, w = b.a - a.a;
  const VecX<double> c3 = (20 * p - 8 * h * v + h * h * w) / (2 * h * h * h),
                     c4 = (-30 * p + 14 * h * v - 2 * h * h * w) / (2 * h * h * h * h),
                     c5 = (12 * p - 6 * h * v + h * h * w) / (2 * h * h * h * h * h);
  return {a.q + a.v * x + a.a * (x2 / 2) + c3 * x3 + c4 * (x3 * x) + c5 * (x3 * x2),
          a.v + a.a * x + c3 * (3 * x2) + c4 * (4 * x3) + c5 * (5 * x2 * x2),
          a.a + c3 * (6 * x) + c4 * (12 * x2) + c5 * (20 * x3)};
}

std::vector<KnownState> drives_along(const Mechanism<double>& m, std::span<const KnownState> states,
                                     const std::function<void(const AlongRow&)>& on_row) {
  std::vector<KnownState> drives(states.begin(), states.end());
  const AlongAnswer answer = inverse_along(m, states, {}, [&](const AlongRow& row) {
    drives[row.index].motion.motion = drives_in(m, row.w);
    if (on_row) on_row(row);
    return true;
  });
  if (!answer.ok()) throw Error(answer.explain(m.name));
  return drives;
}

Controller ideal_drives(const Mechanism<double>& m, DriveMotion motion, double rate) {
  auto drives = std::make_shared<IdealDrives>(m, std::move(motion), rate);
  return [drives](double t, Workspace<double>& w) { drives->drive(t, w); };
}

Answer start_of_drives(const Mechanism<double>& m, const DriveMotion& motion, Workspace<double>& w, bool settled) {
  const ActuatorMotion first = motion.at(motion.start());
  if (first.q.size() != static_cast<Index>(m.actuator.size()))
    throw Error(fmt::format("{}: read a motion of {} drives, expected {}", m.name, first.q.size(), m.actuator.size()));
  w.q = m.home;
  Answer answer;
  if (settled) {
    std::vector<KnownState> start(1);
    start[0].motion.motion = first;
    AlongOptions o;
    o.elastic = ElasticMotion::quasistatic;
    const AlongAnswer there = inverse_along(m, start, o, [&](const AlongRow& row) {
      w.q = row.w.q;
      return true;
    });
    answer.status = there.status;
    answer.reason = there.reason;
  } else {
    answer = forward_kinematics(m, first.q, w, false);
  }
  if (!answer.ok()) return answer;
  std::vector<std::pair<int, double>> rates;
  for (std::size_t i = 0; i < m.actuator.size(); ++i) rates.emplace_back(m.actuator[i], first.v[static_cast<Index>(i)]);
  for (const int e : m.elastic)
    if (!m.coordinate[static_cast<std::size_t>(e)].actuated) rates.emplace_back(e, 0.0);
  return set_rates(m, rates, w);
}

}  // namespace gough
