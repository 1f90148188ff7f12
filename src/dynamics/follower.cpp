#include "follower.hpp"

#include <fmt/format.h>

#include "choose_again.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/continuation.hpp"
#include "gough/kinematics/forward.hpp"
#include "gough/kinematics/inverse.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double rates_agree = 1e-6;  ///< of redundant actuators, relative

Step step_of(const Answer& a) {
  if (a.ok()) return {};
  std::string reason = a.reason;
  return {a.status, reason + fmt::format(" (residual {:.3g}, {} iterations)", a.residual, a.iterations)};
}

double largest(const VecX<double>& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace

Follower::Follower(const Mechanism<double>& m, Workspace<double>& w) : m_(m), w_(w) {
  for (const int e : m.elastic) {
    if (position_index(m, e) < 0)
      throw Error(fmt::format("{}: read '{}' as elastic, expected joints with one coordinate", m.name,
                              m.coordinate[at(e)].name));
    if (!m.coordinate[at(e)].actuated) soft_.push_back(e);
  }
}

void Follower::check(const KnownState& state) const {
  const bool platform = state.motion.of_platform();
  if (platform && !m_.platform.exists())
    throw Error(fmt::format("{}: read a motion of the platform, expected a robot that has one", m_.name));
  const int freedoms = m_.nv - m_.rank;
  const auto masters =
      static_cast<int>(platform ? at(m_.platform.task_size()) + m_.standing().size() : m_.driven().size());
  if (platform ? masters == freedoms : masters >= freedoms) return;
  throw Error(fmt::format(
      "{}: read the motion of {} coordinates ({}), expected {}: as many as the robot's freedoms", m_.name, masters,
      platform ? "the platform's task and elastic joints" : "actuators and elastic joints", freedoms));
}

Step Follower::place(const KnownState& state, const VecX<double>& elastic) {
  tree_positions(m_, w_);
  closure(m_, w_);
  if (const Step s = move_elastic(state, elastic); !s.ok()) return s;
  if (state.motion.of_platform()) {
    InverseOptions o;
    o.check_limits = false;
    return step_of(inverse_kinematics(m_, state.motion.platform().pose, w_, o));
  }
  return step_of(forward_kinematics(m_, state.motion.actuators().q, w_, false));
}

VecX<double> Follower::elastic_now() const {
  VecX<double> x(static_cast<Eigen::Index>(soft_.size()));
  for (std::size_t i = 0; i < soft_.size(); ++i) x[static_cast<Eigen::Index>(i)] = w_.q[position_index(m_, soft_[i])];
  return x;
}

VecX<double> Follower::elastic_at_rest() const {
  VecX<double> x(static_cast<Eigen::Index>(soft_.size()));
  for (std::size_t i = 0; i < soft_.size(); ++i) x[static_cast<Eigen::Index>(i)] = m_.rest[at(soft_[i])];
  return x;
}

VecX<double> Follower::elastic_given(const KnownState& state) const {
  VecX<double> x(static_cast<Eigen::Index>(soft_.size()));
  Eigen::Index k = 0;
  for (std::size_t i = 0; i < m_.elastic.size(); ++i)
    if (!m_.coordinate[at(m_.elastic[i])].actuated) x[k++] = state.elastic_q[static_cast<Eigen::Index>(i)];
  return x;
}

Step Follower::rates(const KnownState& state, bool with_elastic, bool accelerations) {
  const Master wanted = state.motion.of_platform() ? Master::platform : Master::drives;
  try {
    if (!form_ || form_->master != wanted) choose(wanted);
    solve(state, with_elastic, accelerations);
    if (poor()) {
      choose(wanted);
      solve(state, with_elastic, accelerations);
    }
  } catch (const Error& e) {  // the count was checked: what is left is a singular position
    return {Status::singular, e.what()};
  }
  if (!w_.v.allFinite() || !w_.a.allFinite())
    return {Status::singular, "the given coordinates do not determine the rates here"};
  return wanted == Master::drives ? drives_agree(state.motion.actuators(), accelerations) : Step{};
}

void Follower::choose(Master master) {
  form_.emplace(make_master_form(m_, w_, master));
  first_pivot_ = first_loops_ = 0;
}

/// Coordinates chosen for another position may be poor here.
bool Follower::poor() {
  if (first_pivot_ == 0) {
    first_pivot_ = form_->smallest_pivot;
    first_loops_ = form_->form.smallest_pivot;
    return false;
  }
  return form_->smallest_pivot < choose_again * first_pivot_ ||
         form_->form.smallest_pivot < choose_again * first_loops_ || !w_.a.allFinite() ||
         open_rate(w_.K, form_->s.rank() < w_.K.rows(), w_.v, largest(w_.K.reshaped()), rates_) >
             rates_close + still_open * largest(w_.phi);
}

void Follower::solve(const KnownState& state, bool with_elastic, bool accelerations) {
  for (std::size_t i = 0; i < m_.elastic.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    w_.v[m_.elastic[i]] = with_elastic && state.elastic_v.size() > k ? state.elastic_v[k] : 0;
    w_.a[m_.elastic[i]] = with_elastic && accelerations && state.elastic_a.size() > k ? state.elastic_a[k] : 0;
  }
  if (state.motion.of_platform()) {
    const PlatformMotion& p = state.motion.platform();
    PlatformRates<double> x{p.v, p.w, p.a, p.dw};
    if (!accelerations) x.a = x.dw = Vec3<double>::Zero();
    motion_from_platform(m_, w_, *form_, x);
    return;
  }
  const ActuatorMotion& a = state.motion.actuators();
  for (std::size_t i = 0; i < m_.actuator.size(); ++i) {
    w_.v[m_.actuator[i]] = a.v[static_cast<Eigen::Index>(i)];
    w_.a[m_.actuator[i]] = accelerations ? a.a[static_cast<Eigen::Index>(i)] : 0;
  }
  motion_from_drives(m_, w_, *form_);
}

/// Redundant actuators: those that did not lead must have been given as the loops move them.
Step Follower::drives_agree(const ActuatorMotion& given, bool accelerations) const {
  const auto differs = [](double x, double y) { return std::abs(x - y) > rates_agree * (1 + std::abs(y)); };
  for (std::size_t i = 0; i < m_.actuator.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const int c = m_.actuator[i];
    const bool v = differs(given.v[k], w_.v[c]), a = accelerations && differs(given.a[k], w_.a[c]);
    if (v || a)
      return {Status::unreachable,
              fmt::format("the actuators disagree: the {} of '{}' is given as {:.9g}, the others make it {:.9g}",
                          v ? "velocity" : "acceleration", m_.coordinate[at(c)].name, v ? given.v[k] : given.a[k],
                          v ? w_.v[c] : w_.a[c])};
  }
  return {};
}

/// The elastic joints to other positions, what else is given standing still.
Step Follower::move_elastic(const KnownState& state, const VecX<double>& to) {
  const VecX<double> from = elastic_now();
  if (soft_.empty() || (to - from).cwiseAbs().maxCoeff() == 0) return {};
  Hold hold;
  if (state.motion.of_platform()) {
    VecX<double> unused = w_.q;
    const Transform<double> here = platform_pose(m_, w_);
    hold = pose_path(m_, here, here, m_.platform.coordinates)(0, unused);
  } else {
    hold.coordinates.assign(at(m_.nv), false);
    for (const int c : select_driven(m_, w_, m_.rank).independent) hold.coordinates[at(c)] = true;
  }
  return step_of(walk(m_, w_, [&](double s, VecX<double>& q) {
    for (std::size_t i = 0; i < soft_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      q[position_index(m_, soft_[i])] = s < 1 ? from[k] + (to[k] - from[k]) * s : to[k];
    }
    return hold;
  }));
}

double Follower::grip() const {
  const MasterForm<double>& f = *form_;
  const double length = characteristic_length(m_, w_);
  const auto rate_unit = [&](int c) { return m_.coordinate[at(c)].is_length ? length : 1.0; };
  double least = 1;
  for (int i = 0; i < f.s.rank(); ++i)
    least = std::min(least, std::abs(f.form.K_d(i, i)) * rate_unit(f.s.dependent[at(i)]) /
                                (m_.row_is_length(f.s.rows[at(i)]) ? length : 1.0));
  const auto n = static_cast<Eigen::Index>(f.s.independent.size());
  const auto master_unit = [&](int row) {
    const int tasks = static_cast<int>(f.task.size());
    return row < tasks ? (f.task[at(row)] < 3 ? length : 1.0) : rate_unit(f.elastic[at(row - tasks)]);
  };
  for (std::size_t i = 0; i < f.rows.size() && f.EG.size() > 0; ++i)
    least = std::min(least, std::abs(f.EG(f.rows[i], f.columns[i])) * rate_unit(f.s.independent[at(f.columns[i])]) /
                                master_unit(f.rows[i]));
  const std::vector<int> drives = m_.driven();
  if (f.master != Master::platform || static_cast<Eigen::Index>(drives.size()) != n) return least;
  MatX<double> A = rows_of(f.form.G, drives);
  for (Eigen::Index r = 0; r < n; ++r) A.row(r) /= rate_unit(drives[at(r)]);
  for (Eigen::Index c = 0; c < n; ++c) A.col(c) *= rate_unit(f.s.independent[at(c)]);
  const Pivots p = find_pivots(A, std::vector<int>(at(n), 0), static_cast<int>(n));
  return static_cast<Eigen::Index>(p.rows.size()) < n ? 0.0 : std::min(least, p.smallest);
}

}  // namespace gough
