#include "gough/flexible/flexible_inverse.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gough/dynamics/drives.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/spatial/rotation.hpp"

namespace gough {
namespace {

using Eigen::Index;

/// First and second derivatives of columns at times that need not be evenly spaced: parabolas through three neighbours.
struct Derivatives {
  MatX<double> first, second;
};
Derivatives derivatives(const std::vector<double>& t, const MatX<double>& x) {
  const Index n = x.rows();
  Derivatives d{MatX<double>::Zero(n, x.cols()), MatX<double>::Zero(n, x.cols())};
  if (n < 3) return d;
  for (Index i = 0; i < n; ++i) {
    const Index k = std::clamp<Index>(i, 1, n - 2);
    const auto time = [&](Index j) { return t[static_cast<std::size_t>(j)]; };
    const double a = time(k) - time(k - 1), b = time(k + 1) - time(k), s = time(i) - time(k);
    const auto slope_a = (x.row(k) - x.row(k - 1)) / a, slope_b = (x.row(k + 1) - x.row(k)) / b;
    const Eigen::RowVectorXd bend = 2 * (slope_b - slope_a) / (a + b);
    d.second.row(i) = bend;
    d.first.row(i) = (slope_a * b + slope_b * a) / (a + b) + bend * s;
  }
  return d;
}

std::vector<double> times_of(std::span<const KnownState> states) {
  std::vector<double> t;
  for (const KnownState& s : states) t.push_back(s.motion.t);
  return t;
}

/// (D3): the equations of K U + J^T lambda = P, J U = 0 with the actuators' rows of J replaced by the platform's task.
class ServoSolver {
 public:
  ServoSolver(const Mechanism<double>& m, const FlexEquations& e) : e_(e) {
    const FlexibleModel& f = e.model();
    std::vector<int> task_of_row(f.row.size(), -1);
    for (std::size_t i = 0; i < 6; ++i)
      if (m.platform.coordinates[i]) task_.push_back(static_cast<int>(i));
    for (std::size_t k = 0; k < task_.size(); ++k) task_of_row[at(f.actuator_row[k])] = static_cast<int>(k);
    const FlexNode& n = f.node[at(f.platform.node)];
    std::vector<std::pair<int, int>> entries;
    for (int j = 0; j < e.all(); ++j)
      for (int p = e.pattern().start[at(j)]; p < e.pattern().start[at(j) + 1]; ++p)
        if (!replaced(e.pattern().row[at(p)], task_of_row)) entries.emplace_back(e.pattern().row[at(p)], j);
    for (std::size_t k = 0; k < task_.size(); ++k)
      for (int c = 0; c < f.per_node(); ++c) entries.emplace_back(f.size + f.actuator_row[k], n.first + c);
    pattern_ = sparse_pattern(e.all(), entries);
    for (int j = 0; j < e.all(); ++j)
      for (int p = e.pattern().start[at(j)]; p < e.pattern().start[at(j) + 1]; ++p) {
        const int i = e.pattern().row[at(p)];
        if (!replaced(i, task_of_row)) copied_.emplace_back(p, pattern_.place(i, j));
      }
    solver_.emplace(pattern_);
  }

  /// Writes U and lambda; false: singular.
  bool solve(const RigidState& s, VecX<double>& U, VecX<double>& lambda) {
    const FlexibleModel& f = e_.model();
    e_.combine(0, 0, 1, from_);
    values_.assign(pattern_.row.size(), 0);
    for (const auto& [from, to] : copied_) values_[at(to)] = from_[at(from)];
    const FlexNode& n = f.node[at(f.platform.node)];
    for (std::size_t k = 0; k < task_.size(); ++k) {
      VecX<double> unit = VecX<double>::Zero(f.size);
      for (int c = 0; c < f.per_node(); ++c) {
        unit[n.first + c] = 1;
        values_[at(pattern_.place(f.size + f.actuator_row[k], n.first + c))] =
            displacement_of(f, s, f.platform, unit)[task_[k]];
        unit[n.first + c] = 0;
      }
    }
    if (!solver_->factor(values_)) return false;
    VecX<double> b = VecX<double>::Zero(e_.all());
    b.head(f.size) = e_.P;
    VecX<double> x = b;
    solver_->solve(x);
    VecX<double> r = b;
    pattern_.add_product(values_, -1, x, r);
    solver_->solve(r);
    x += r;
    U = x.head(f.size);
    lambda = x.tail(f.rows());
    return x.allFinite();
  }

 private:
  bool replaced(int row, const std::vector<int>& task_of_row) const {
    return row >= e_.model().size && task_of_row[at(row - e_.model().size)] >= 0;
  }

  const FlexEquations& e_;
  std::vector<int> task_;
  SparsePattern pattern_;
  std::vector<std::pair<int, int>> copied_;  ///< places of the equations' values, and where they go
  std::optional<SparseSolver> solver_;
  std::vector<double> from_, values_;
};

/// How far an actuator's joint opens along its free coordinate: its row times U.
VecX<double> drive_displacements(const FlexEquations& e, const VecX<double>& U) {
  const FlexibleModel& f = e.model();
  VecX<double> rows = VecX<double>::Zero(e.all());
  e.pattern().add_product(e.J, 1, U, rows);
  VecX<double> d(static_cast<Index>(f.actuator_row.size()));
  for (std::size_t k = 0; k < f.actuator_row.size(); ++k) d[static_cast<Index>(k)] = rows[f.size + f.actuator_row[k]];
  return d;
}

void check(const Mechanism<double>& m, std::span<const KnownState> states) {
  if (!m.platform.exists() || m.platform.task_size() != static_cast<int>(m.actuator.size()))
    throw Error(fmt::format("{}: read {} actuators for {} coordinates of the platform, expected as many", m.name,
                            m.actuator.size(), m.platform.exists() ? m.platform.task_size() : 0));
  for (const KnownState& s : states)
    if (!s.motion.of_platform()) throw Error(m.name + ": read a motion of the actuators, expected one of the platform");
  if (states.size() < 3) throw Error(m.name + ": read fewer than three states, expected a motion");
}

/// The rigid robot along states, with the quasi-static answer of its beams.
struct Response {
  AlongAnswer answer;
  MatX<double> q, v, a, tau, correction;  ///< of the actuators
  MatX<double> error;                     ///< of the platform, 6
};

class Inverse {
 public:
  Inverse(const Mechanism<double>& m, std::span<const KnownState> states, const FlexInverseOptions& o)
      : m_(m), states_(states), o_(o), f_(flexible_model(m, o.flex.space)) {}

  FlexCommand go() {
    const bool constrained = o_.by == FlexInverse::driving_constraint;
    std::vector<KnownState> command(states_.begin(), states_.end());
    const Response rigid = respond(command, constrained);
    Response r = rigid;
    FlexCommand out;
    if (failed(r, out)) return out;
    out.left.push_back(constrained ? 0 : task_size(r.error));
    if (o_.by == FlexInverse::modified_driving_force && !iterate(command, r, out)) return out;
    out.tau = r.tau;
    out.correction = constrained ? r.correction : MatX<double>(r.q - rigid.q);
    out.states = corrected_drives(states_, rigid.q, rigid.v, rigid.a, out.correction);
    return out;
  }

 private:
  /// (D2) until the error of the platform settles.
  bool iterate(std::vector<KnownState>& command, Response& r, FlexCommand& out) {
    for (int round = 1; round <= o_.most_rounds; ++round) {
      const MatX<double> before = r.error;
      move_command(r.error, command);
      r = respond(command, false);
      if (failed(r, out)) return false;
      const double change = task_size(r.error - before);
      out.left.push_back(change);  // response - desired = this round's error less the one that was allowed for
      if (change < o_.settled) return true;
      if (round > 2 && change > out.left[out.left.size() - 2] && change > 1e3 * o_.settled) {
        out.status = Status::not_converged;
        out.reason = fmt::format(
            "what is left of the error grows from {:.3g} to {:.3g} in round {}: the path bends the robot more than it "
            "is moved by "
            "the correction; a slower path, or driving_constraint, does not iterate",
            out.left[out.left.size() - 2], change, round);
        return false;
      }
    }
    out.status = Status::not_converged;
    out.reason = fmt::format("{:.3g} m or rad are left after {} rounds", out.left.back(), o_.most_rounds);
    return false;
  }

  /// command = desired - error, in the task's coordinates. Its rates stay those of the desired path: with them the response
  /// to the correction's own accelerations would enter the next one, (omega/omega_1)^2 times as large.
  void move_command(const MatX<double>& error, std::vector<KnownState>& command) const {
    for (std::size_t i = 0; i < command.size(); ++i) {
      Vec6<double> e = error.row(static_cast<Index>(i)).transpose();
      for (int c = 0; c < 6; ++c)
        if (!m_.platform.coordinates[at(c)]) e[c] = 0;
      PlatformMotion p = states_[i].motion.platform();
      p.pose.p -= e.head<3>();
      p.pose.R = rotation_from_vector<double>(Vec3<double>(-e.tail<3>())) * p.pose.R;
      command[i].motion.motion = p;
    }
  }

  double task_size(const MatX<double>& e) const {
    double most = 0;
    for (int c = 0; c < 6; ++c)
      if (m_.platform.coordinates[at(c)]) most = std::max(most, e.col(c).cwiseAbs().maxCoeff());
    return most;
  }

  Response respond(const std::vector<KnownState>& command, bool constrained) {
    const auto rows = static_cast<Index>(command.size()), n = static_cast<Index>(m_.actuator.size());
    const MatX<double> none = MatX<double>::Zero(rows, n);
    Response r{{}, none, none, none, none, none, MatX<double>::Zero(rows, 6)};
    FlexOptions o = o_.flex;
    o.vibrates = false;
    o.frequencies = 0;
    o.every = 1;
    std::optional<ServoSolver> servo;
    VecX<double> U, lambda;
    bool singular = false;
    const FlexAnswer a = flex_along(m_, command, o, [&](const FlexResult& x) {
      const auto i = static_cast<Index>(x.index);
      const ActuatorMotion drives = drives_in(m_, x.w);
      r.q.row(i) = drives.q.transpose();
      r.v.row(i) = drives.v.transpose();
      r.a.row(i) = drives.a.transpose();
      r.tau.row(i) = x.tau.transpose();
      r.error.row(i) = x.error.transpose();
      if (constrained) {
        if (!servo) servo.emplace(m_, x.e);
        singular = !servo->solve(x.rigid, U, lambda);
        if (singular) return false;
        r.correction.row(i) = drive_displacements(x.e, U).transpose();
        for (Index k = 0; k < n; ++k)  // what friction and rotors add stays
          r.tau(i, k) += x.lambda[f_.actuator_row[static_cast<std::size_t>(k)]] -
                         lambda[f_.actuator_row[static_cast<std::size_t>(k)]];
      }
      return !o_.after_state || o_.after_state();
    });
    r.answer = a.along;
    if (singular) {
      r.answer.stopped = false;
      r.answer.status = Status::singular;
      r.answer.reason = "the drives do not move the platform here";
    }
    return r;
  }

  static bool failed(const Response& r, FlexCommand& out) {
    out.status = r.answer.status;
    out.reason = r.answer.reason;
    out.stopped = r.answer.stopped;
    return !out.ok();
  }

  const Mechanism<double>& m_;
  std::span<const KnownState> states_;
  const FlexInverseOptions& o_;
  FlexibleModel f_;
};

}  // namespace

std::vector<KnownState> corrected_drives(std::span<const KnownState> states, const MatX<double>& q,
                                         const MatX<double>& v, const MatX<double>& a, const MatX<double>& correction) {
  const Derivatives d = derivatives(times_of(states), correction);
  std::vector<KnownState> drives(states.begin(), states.end());
  for (std::size_t i = 0; i < drives.size(); ++i) {
    const auto k = static_cast<Index>(i);
    drives[i].motion.motion = ActuatorMotion{(q + correction).row(k).transpose(), (v + d.first).row(k).transpose(),
                                             (a + d.second).row(k).transpose()};
  }
  return drives;
}

FlexCommand flexible_inverse(const Mechanism<double>& m, std::span<const KnownState> states,
                             const FlexInverseOptions& options) {
  check(m, states);
  return Inverse(m, states, options).go();
}

std::vector<Transform<double>> poses_along(const Mechanism<double>& m, std::span<const KnownState> states) {
  std::vector<Transform<double>> poses;
  const AlongAnswer answer = inverse_along(m, states, {}, [&](const AlongRow& row) {
    poses.push_back(platform_pose(m, row.w));
    return true;
  });
  if (!answer.ok()) throw Error(answer.explain(m.name));
  return poses;
}

FollowedPath follow_path(const Mechanism<double>& m, std::span<const KnownState> desired,
                         std::span<const KnownState> command, const FlexOptions& options,
                         const std::function<bool()>& go_on) {
  FollowedPath path;
  double squares = 0, turns = 0;
  std::size_t count = 0;
  const std::vector<Transform<double>> poses = poses_along(m, desired);
  path.answer = flex_along(m, command, options, [&](const FlexResult& r) {
    const Transform<double> rigid = platform_pose(m, r.w), &wanted = poses[r.index];
    const Vec3<double> off = rigid.p + r.error.head<3>() - wanted.p;
    const Mat3<double> turned =
        rotation_from_vector<double>(Vec3<double>(r.error.tail<3>())) * rigid.R * wanted.R.transpose();
    const double turn = vector_from_rotation(turned).norm();
    squares += off.squaredNorm();
    turns += turn * turn;
    path.largest = std::max(path.largest, off.norm());
    path.turn_largest = std::max(path.turn_largest, turn);
    ++count;
    return !go_on || go_on();
  });
  path.rms = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, count)));
  path.turn_rms = std::sqrt(turns / static_cast<double>(std::max<std::size_t>(1, count)));
  return path;
}

}  // namespace gough
