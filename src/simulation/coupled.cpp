#include "gough/simulation/coupled.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gough/dynamics/drives.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/spatial/eigen_pairs.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using Eigen::Index;
constexpr double stable_step = 2;  ///< step times the highest frequency; Runge and Kutta's method is stable up to 2.8

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

double highest_frequency(const Mechanism<double>& m, Drives drives) {
  if (m.elastic.empty()) return 0;
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  w.k.setZero();
  const Selection s = select_driven(m, w, m.rank);
  ExplicitForm<double> form(m, s);
  explicit_form(w, s, form);
  const MatX<double> M = mass_matrix(m, w);
  std::vector<int> soft;
  for (std::size_t i = 0; i < s.independent.size(); ++i)
    if (const Coordinate& c = m.coordinate[static_cast<std::size_t>(s.independent[i])];
        drives == Drives::free || (c.elastic && !c.actuated))
      soft.push_back(static_cast<int>(i));
  if (soft.empty()) return 0;
  const MatX<double> G = columns_of(form.G, soft);
  const MatX<double> M_G = congruence(M, G);
  const auto largest = [&](const std::vector<double>& diagonal) {
    const Eigen::Map<const VecX<double>> d(diagonal.data(), m.nv);
    const EigenPairs modes = eigen_pairs(diagonal_congruence(d, G), M_G);
    return modes.found ? std::max(0.0, modes.s.maxCoeff()) : 0.0;
  };
  return std::max(std::sqrt(largest(m.stiffness)), largest(m.damping));
}

double bending_step(const Mechanism<double>& m, Drives drives) {
  if (m.modal.empty()) return 0;
  const double fastest = highest_frequency(m, drives);
  return fastest > 0 ? stable_step / fastest : 0;
}

DesiredPath::DesiredPath(const Mechanism<double>& rigid, std::span<const KnownState> states) {
  if (!rigid.platform.exists())
    throw Error(rigid.name + ": read a robot without a platform, expected one with an error to tell");
  drives = drives_along(rigid, states, [&](const AlongRow& row) {
    t.push_back(row.t);
    pose.push_back(platform_pose(rigid, row.w));
    tau.push_back(row.w.tau);
  });
}

CoupledPath coupled_path(const Mechanism<double>& bent, const DesiredPath& desired, DriveMotion drives,
                         const CoupledOptions& options, const OnCoupledRow& on_row) {
  std::vector<std::size_t> index;
  std::vector<double> times;
  for (std::size_t i = 0; i < desired.t.size(); ++i)
    if (i % options.every == 0 || i + 1 == desired.t.size()) index.push_back(i), times.push_back(desired.t[i]);
  if (times.size() < 2)
    throw Error(fmt::format("{}: read {} states, expected a motion of two or more", bent.name, desired.t.size()));
  CoupledPath path;
  SimulationOptions o;
  o.integrator.method = Method::rk4;
  path.step = bending_step(bent, Drives::held);
  path.step = path.step > 0 ? fitting_step(times[1] - times[0], path.step) : times[1] - times[0];
  o.integrator.fixed_step = path.step;
  Workspace<double> w(bent);
  if (const Answer start = start_of_drives(bent, drives, w, options.start == FlexStart::quasistatic); !start.ok()) {
    path.answer.status = start.status;
    path.answer.reason = "the start: " + start.reason;
    return path;
  }
  double squares = 0, turns = 0;
  std::size_t k = 0;
  path.answer = simulate(bent, w, times, o, ideal_drives(bent, std::move(drives)), [&](const SimulationRow& row) {
    const Vec6<double> e = error_of(platform_pose(bent, row.w), desired.pose[index[k]]);
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
