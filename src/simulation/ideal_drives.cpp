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
    if (const WrenchOverTime& wrench = motion_.wrench(); !wrench.t.empty()) apply_platform_wrench(m_, wrench.at(t), w);
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

DriveMotion::DriveMotion(RigidMotion motion)
    : motion_(std::move(motion)),
      start_(std::get<RigidMotion>(motion_).start()),
      end_(std::get<RigidMotion>(motion_).end()),
      knots_(std::get<RigidMotion>(motion_).knots()) {}

DriveMotion::DriveMotion(std::span<const KnownState> states) : motion_(trajectory_through(states)) {
  const auto& trajectory = std::get<Trajectory>(motion_);
  if (trajectory.moves == Moves::platform)
    throw Error("drives: read a motion of the platform, expected one of the actuators");
  start_ = trajectory.start;
  end_ = trajectory.end();
  knots_ = gough::knots(trajectory);
}

ActuatorMotion DriveMotion::at(double t) const {
  if (const auto* rigid = std::get_if<RigidMotion>(&motion_)) return rigid->drives(t);
  return actuator_motion(std::get<Trajectory>(motion_), t);
}

bool DriveMotion::ends_at_rest() const {
  constexpr double slow = 1e-9;  // [m/s or rad/s]
  const VecX<double> v = at(end_).v;
  return v.size() == 0 || v.cwiseAbs().maxCoeff() <= slow;
}

const WrenchOverTime& DriveMotion::wrench() const {
  static const WrenchOverTime none;
  const auto* rigid = std::get_if<RigidMotion>(&motion_);
  return rigid != nullptr ? rigid->wrench() : none;
}

Controller ideal_drives(const Mechanism<double>& m, DriveMotion motion, double rate) {
  std::vector<double> knots = motion.knots();
  auto drives = std::make_shared<IdealDrives>(m, std::move(motion), rate);
  return {[drives](double t, Workspace<double>& w) { drives->drive(t, w); }, std::move(knots)};
}

Answer start_of_drives(const Mechanism<double>& m, const DriveMotion& motion, Workspace<double>& w,
                       const ElasticStart& elastic) {
  const ActuatorMotion first = motion.at(motion.start());
  if (first.q.size() != static_cast<Index>(m.actuator.size()))
    throw Error(fmt::format("{}: read a motion of {} drives, expected {}", m.name, first.q.size(), m.actuator.size()));
  w.q = m.home;
  Answer answer;
  for (const VecX<double>* x : {&elastic.q, &elastic.v})
    if (x->size() != 0 && x->size() != static_cast<Index>(m.elastic.size()))
      throw Error(fmt::format("{}: read {} numbers for the start, expected one for each of {} elastic coordinates",
                              m.name, x->size(), m.elastic.size()));
  if (elastic.settled) {
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
    if (answer.ok() && elastic.q.size() > 0) {
      std::vector<std::pair<int, double>> there;
      for (std::size_t i = 0; i < m.elastic.size(); ++i)
        if (!m.coordinate[static_cast<std::size_t>(m.elastic[i])].actuated)
          there.emplace_back(m.elastic[i], elastic.q[static_cast<Index>(i)]);
      answer = set_positions(m, there, hold_of(m, m.actuator), w);
    }
  }
  if (!answer.ok()) return answer;
  std::vector<std::pair<int, double>> rates;
  for (std::size_t i = 0; i < m.actuator.size(); ++i) rates.emplace_back(m.actuator[i], first.v[static_cast<Index>(i)]);
  for (std::size_t i = 0; i < m.elastic.size(); ++i)
    if (!m.coordinate[static_cast<std::size_t>(m.elastic[i])].actuated)
      rates.emplace_back(m.elastic[i], elastic.v.size() > 0 ? elastic.v[static_cast<Index>(i)] : 0.0);
  return set_rates(m, rates, w);
}

}  // namespace gough
