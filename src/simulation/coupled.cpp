#include "gough/simulation/coupled.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gough/dynamics/drives.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"

namespace gough {
namespace {

using Eigen::Index;

Vec6<double> error_of(const Transform<double>& pose, const Transform<double>& wanted) {
  Vec6<double> e;
  e << pose.p - wanted.p, vector_from_rotation(pose.R * wanted.R.transpose());
  return e;
}

void check_states(const Mechanism<double>& m, std::span<const KnownState> states) {
  if (states.size() < 3)
    throw Error(fmt::format("{}: read {} states, expected a motion of three or more", m.name, states.size()));
  for (const KnownState& s : states)
    if (!s.motion.of_platform()) throw Error(m.name + ": read a motion of the actuators, expected one of the platform");
}

/// Drives row by row: what inverse dynamics says of them.
struct DriveRows {
  AlongAnswer answer;
  MatX<double> q, v, a, tau;
};
DriveRows drives_of(const Mechanism<double>& m, std::span<const KnownState> states, ElasticMotion elastic,
                    const std::function<bool()>& go_on) {
  const auto rows = static_cast<Index>(states.size()), n = static_cast<Index>(m.actuator.size());
  const MatX<double> none = MatX<double>::Zero(rows, n);
  DriveRows d{{}, none, none, none, none};
  AlongOptions o;
  o.elastic = elastic;
  d.answer = inverse_along(m, states, o, [&](const AlongRow& row) {
    const auto i = static_cast<Index>(row.index);
    const ActuatorMotion x = drives_in(m, row.w);
    d.q.row(i) = x.q.transpose();
    d.v.row(i) = x.v.transpose();
    d.a.row(i) = x.a.transpose();
    d.tau.row(i) = row.w.tau.transpose();
    return !go_on || go_on();
  });
  return d;
}

}  // namespace

DesiredPath::DesiredPath(const Mechanism<double>& rigid, const TimedMotion& timed, std::span<const KnownState> states)
    : drives(states.begin(), states.end()), motion(rigid, timed, states, [&](const AlongRow& row) {
        t.push_back(row.t);
        if (rigid.platform.exists()) pose.push_back(platform_pose(rigid, row.w));
        tau.push_back(row.w.tau);
        drives[row.index].motion.motion = drives_in(rigid, row.w);
        return true;
      }) {}

DesiredPath::DesiredPath(const Mechanism<double>& rigid, std::span<const KnownState> states)
    : DesiredPath(rigid, {trajectory_through(states)}, states) {}

CoupledPath coupled_path(const Mechanism<double>& bent, const DesiredPath& desired, DriveMotion drives,
                         const CoupledOptions& options, const OnCoupledRow& on_row) {
  CoupledPath path;
  if (const AlongAnswer& rigid = desired.motion.answer(); !rigid.ok()) {
    path.answer.status = rigid.status;
    path.answer.reason = "the rigid robot: " + rigid.reason;
    path.answer.t = rigid.t;
    return path;
  }
  std::vector<std::size_t> index;
  std::vector<double> times;
  for (std::size_t i = 0; i < desired.t.size(); ++i)
    if (i % options.every == 0 || i + 1 == desired.t.size()) index.push_back(i), times.push_back(desired.t[i]);
  if (times.size() < 2)
    throw Error(fmt::format("{}: read {} states, expected a motion of two or more", bent.name, desired.t.size()));
  SimulationOptions o;
  o.integrator.tolerance = options.tolerance;
  o.integrator.longest_step = options.longest_step;
  o.go_on = options.go_on;
  Workspace<double> w(bent);
  const ElasticStart elastic{options.start == FlexStart::quasistatic, options.elastic_q, options.elastic_v};
  if (const Answer start = start_of_drives(bent, drives, w, elastic); !start.ok()) {
    path.answer.status = start.status;
    path.answer.reason = "the start: " + start.reason;
    return path;
  }
  double squares = 0, turns = 0;
  std::size_t k = 0;
  path.answer = simulate(bent, w, times, o, ideal_drives(bent, std::move(drives)), [&](const SimulationRow& row) {
    const Vec6<double> e = bent.platform.exists() ? error_of(platform_pose(bent, row.w), desired.pose[index[k]])
                                                  : Vec6<double>(Vec6<double>::Zero());
    squares += e.head<3>().squaredNorm();
    turns += e.tail<3>().squaredNorm();
    path.largest = std::max(path.largest, e.head<3>().norm());
    path.turn_largest = std::max(path.turn_largest, e.tail<3>().norm());
    const CoupledRow out{index[k++], row, e};
    return !on_row || on_row(out);
  });
  const auto rows = static_cast<double>(std::max<std::size_t>(1, path.answer.rows));
  path.rms = std::sqrt(squares / rows);
  path.turn_rms = std::sqrt(turns / rows);
  return path;
}

FlexCommand coupled_constraint(const Mechanism<double>& rigid, const Mechanism<double>& bent,
                               std::span<const KnownState> states, const std::function<bool()>& go_on) {
  check_states(bent, states);
  FlexCommand out;
  const auto failed = [&](const AlongAnswer& a) {
    out.status = a.status;
    out.reason = a.reason;
    out.stopped = a.stopped;
    return !out.ok();
  };
  const DriveRows stiff = drives_of(rigid, states, ElasticMotion::locked, go_on);
  if (failed(stiff.answer)) return out;
  const DriveRows soft = drives_of(bent, states, ElasticMotion::quasistatic, go_on);
  if (failed(soft.answer)) return out;
  out.left = {0};
  out.tau = soft.tau;
  out.correction = soft.q - stiff.q;
  out.states = corrected_drives(states, stiff.q, stiff.v, stiff.a, out.correction);
  return out;
}

}  // namespace gough
