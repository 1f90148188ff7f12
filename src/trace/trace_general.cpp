#include "trace_general.hpp"

#include <fmt/format.h>

#include "gough/codegen/optimise.hpp"
#include "gough/dynamics/regroup.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/sampling.hpp"
#include "gough/kinematics/task_motion.hpp"

namespace gough {
namespace {

/// The worst pivot of the loops and of the efforts over the positions.
double worst_pivot(const Mechanism<double>& m, const std::vector<VecX<double>>& positions, Dynamics<double>& d) {
  double least = std::numeric_limits<double>::infinity();
  Workspace<double> w(m);
  for (const VecX<double>& q : positions) {
    w.q = q;
    inverse_kernel(m, w, d);
    double here = d.smallest_pivot(d.inverse_is_leg_wise());
    if (d.efforts.kind == Efforts<double>::Kind::square) here = std::min(here, d.efforts.smallest_pivot);
    least = std::min(least, std::isfinite(here) ? here : 0.0);
  }
  return least;
}

std::vector<std::string> matrix_entries(const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& r : rows)
    for (const std::string& c : columns) names.push_back(r + ", " + c);
  return names;
}

VecX<Expr> row_by_row(const MatX<Expr>& A) {
  VecX<Expr> x(A.size());
  for (Eigen::Index r = 0; r < A.rows(); ++r)
    for (Eigen::Index c = 0; c < A.cols(); ++c) x[r * A.cols() + c] = A(r, c);
  return x;
}

std::vector<std::string> actuator_names(const Structure& m) {
  std::vector<std::string> names;
  for (const int a : m.actuator) names.push_back(m.coordinate[static_cast<std::size_t>(a)].name);
  return names;
}

}  // namespace

Dynamics<double> choice_for_workspace(const Mechanism<double>& m, DynamicsOptions options, bool here) {
  options.closed = true;
  const std::vector<VecX<double>> positions = positions_around_home(m, here ? 0 : 30);
  Workspace<double> w(m);
  Dynamics<double> best(m, w, options);
  best.external = false;
  if (m.actuator.empty()) return best;
  double most = worst_pivot(m, positions, best);
  for (std::size_t i = 1; i < positions.size() && i <= 5; ++i) {
    Workspace<double> there(m);
    there.q = positions[i];
    Dynamics<double> d(m, there, options);
    d.external = false;
    if (const double pivot = worst_pivot(m, positions, d); pivot > 1.5 * most) most = pivot, best = std::move(d);
  }
  return best;
}

Program shortest(const Mechanism<double>& m, const std::function<Program(Formulation)>& make, bool here) {
  const auto cost = [&](const Program& p) { return count(here ? p : optimised(p)).call.total(); };
  constexpr int small = 6;  // bodies: larger ones take long, and leg by leg is then shorter anyhow
  Program best = make(Formulation::legs);
  if (m.bodies() > small) return best;
  // noc is not among them: it needs bodies with a centre of mass, and regrouped inertias have none
  for (const Formulation f : {Formulation::dalembert, Formulation::scdd, Formulation::multipliers}) {
    Program other = make(f);
    if (cost(other) < cost(best)) best = std::move(other);
  }
  return best;
}

TracedRobot::TracedRobot(Tracer& tracer, const Mechanism<double>& robot, const GenerateWish& wanted, Formulation by)
    : TracedRobot(tracer, robot, wanted) {
  DynamicsOptions options;
  options.by = by;
  Workspace<double> home(m);
  const Dynamics<double> chosen(m, home, options);
  const bool projects = chosen.options.by == Formulation::dalembert || chosen.by_legs();
  if (wants("inverse") || (wants("forward") && projects)) regroup_inertias(s, m);  // others invert the open tree's mass
  if ((wants("inverse") || wants("regressor") || wants("jacobian")) && m.actuator.empty())
    throw Error(wish.what + " of " + m.name + ": it has no actuators");
  if ((wants("kinematics") || wants("jacobian")) && !m.platform.exists())
    throw Error(wish.what + " of " + m.name + ": it has no platform");
}

void TracedRobot::placed() {
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    w.X0[j] = m.parent[j] == base ? w.X[j] : w.X0[static_cast<std::size_t>(m.parent[j])] * w.X[j];
  w.stage = Stage::position;
  closure(s, w);
}

void TracedRobot::placed_as(const TracedRobot& other) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const auto k = static_cast<std::size_t>(other.m.find_body(m.body_name[j]));
    const Transform<Expr> author = other.w.X0[k] * other.s.body_frame[k];
    w.X0[j] = author * s.body_frame[j].inverse();
    if (m.parent[j] == base) {
      w.X[j] = w.X0[j];
      continue;
    }
    const Transform<Expr>& parent = w.X0[static_cast<std::size_t>(m.parent[j])];
    w.X[j].R = parent.R.transpose() * w.X0[j].R;
    w.X[j].p = m.joint[j].type == Elementary::prismatic ? Vec3<Expr>(parent.R.transpose() * (w.X0[j].p - parent.p))
                                                        : s.placement[j].p;
  }
  w.stage = Stage::position;
  closure(s, w);
}

Selection TracedRobot::sparse(const Selection& y) {
  if (y.rank() == 0) return y;
  Elimination<Expr> e{MatX<Expr>(m.equations, y.rank()), {}, {}};
  for (int c = 0; c < y.rank(); ++c) e.A.col(c) = w.K.col(y.dependent[static_cast<std::size_t>(c)]);
  trace.choose_pivots("the loops", e);
  Selection ordered = y;
  ordered.rows = e.rows;
  for (std::size_t i = 0; i < e.columns.size(); ++i)
    ordered.dependent[i] = y.dependent[static_cast<std::size_t>(e.columns[i])];
  return ordered;
}

VecX<Expr> TracedRobot::force_input() {
  return trace.input("tau", "forces of the actuators", actuator_entries(m, "N", "N m"));
}

void TracedRobot::inverse(const DynamicsOptions& options) {
  Dynamics<double> choice = choice_for_workspace(m, options, wish.here);
  if (!choice.inverse_is_leg_wise()) choice.y = sparse(choice.y);
  Dynamics<Expr> d(s, choice);
  inverse_from_poses(s, w, d);
  trace.output("tau", "forces of the actuators", actuator_entries(m, "N", "N m"), w.tau);
  trace.guard("the loops are near a singularity of the chosen coordinates", d.smallest_pivot(d.inverse_is_leg_wise()));
  trace.guard("the actuators can hardly hold the platform",
              d.elastic_legs ? d.elastic_legs->actuated.smallest_pivot : d.efforts.smallest_pivot);
}

std::pair<Expr, double> forward_pivot(const Dynamics<Expr>& d) {
  if (d.forward_is_leg_wise()) return {d.smallest_pivot(true), 1e-3};
  switch (d.options.by) {
    case Formulation::multipliers: return {d.multipliers->smallest_pivot, 1e-3};
    case Formulation::scdd: return {d.scdd->smallest_pivot, 1e-6};
    case Formulation::legs: return {d.legs->tips.smallest_pivot, 1e-6};
    default: return {d.smallest_pivot(false), 1e-3};
  }
}

void TracedRobot::forward(const DynamicsOptions& options) {
  Dynamics<double> choice = choice_for_workspace(m, options, wish.here);
  if (!choice.no_forward.empty()) throw Error("forward dynamics of " + m.name + ": " + choice.no_forward);
  if (!choice.forward_is_leg_wise()) choice.y = sparse(choice.y);
  Dynamics<Expr> d(s, choice);
  forward_from_poses(s, w, d);
  const auto [pivot, share] = forward_pivot(d);
  trace.guard("the loops are near a singularity of the chosen coordinates", pivot, share);
}

void TracedRobot::regressor() {
  DynamicsOptions options;
  options.by = Formulation::virtual_power;
  Dynamics<double> choice = choice_for_workspace(m, options, wish.here);
  choice.y = sparse(choice.y);
  Dynamics<Expr> d(s, choice);
  if (d.efforts.kind != Efforts<Expr>::Kind::same)
    throw Error(fmt::format("regressor of {}: read {} actuators for {} freedoms, expected as many", m.name,
                            m.actuator.size(), d.y.independent.size()));
  inverse_from_poses(s, w, d);
  std::vector<std::string> columns;
  for (const std::string& body : m.body_name)
    for (const char* entry : {"Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "sx", "sy", "sz", "m"})
      columns.push_back(body + "." + entry);
  for (const std::string& name : m.coefficient_name) columns.push_back("friction." + name);
  trace.output(
      "H", fmt::format("tau = H p: {} actuators x {} parameters, row by row", m.actuator.size(), columns.size()),
      matrix_entries(actuator_names(m), columns),
      row_by_row(d.virtual_power->H.topRows(static_cast<Eigen::Index>(m.actuator.size()))));  // then elastic ones
  trace.guard("the loops are near a singularity of the chosen coordinates", d.smallest_pivot(false));
}

void TracedRobot::platform_motion() {
  const Transform<Expr> X = w.X0[static_cast<std::size_t>(m.platform.body)] * s.platform_frame;
  const PlatformRates<Expr> rates = platform_rates(s, w);
  trace.output("position", "of the platform's origin in the base", axis_entries("m"), X.p);
  trace.output("rotation", "of the platform, matrix row by row", {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"},
               row_by_row(X.R));
  trace.output("velocity", "of the platform's origin, base axes", axis_entries("m/s"), rates.v);
  trace.output("angular_velocity", "of the platform, base axes", axis_entries("rad/s"), rates.w);
  trace.output("acceleration", "of the platform's origin, base axes", axis_entries("m/s^2"), rates.a);
  trace.output("angular_acceleration", "of the platform, base axes", axis_entries("rad/s^2"), rates.dw);
}

void TracedRobot::jacobian() {
  Workspace<double> home(m);
  const MasterForm<double> drives = make_master_form(m, home, Master::drives);
  if (drives.elastic.size() != m.actuator.size())
    throw Error(fmt::format("jacobian of {}: read {} actuators for {} freedoms, expected as many", m.name,
                            m.actuator.size(), drives.elastic.size()));
  MasterForm<Expr> f(m, drives);
  f.s = sparse(f.s);
  explicit_form(w, f.s, f.form);
  MatX<Expr> J = MatX<Expr>::Zero(6, m.nv), ordered(6, static_cast<Eigen::Index>(m.actuator.size()));
  platform_jacobian(s, w, J);
  const MatX<Expr> G = J.lazyProduct(f.form.G);
  for (std::size_t a = 0; a < m.actuator.size(); ++a)
    for (std::size_t y = 0; y < f.s.independent.size(); ++y)
      if (f.s.independent[y] == m.actuator[a])
        ordered.col(static_cast<Eigen::Index>(a)) << G.col(static_cast<Eigen::Index>(y)).tail<3>(),
            G.col(static_cast<Eigen::Index>(y)).head<3>();
  trace.output("J",
               "twist of the platform (velocity of its origin, angular velocity) per rate of the actuators, row by row",
               matrix_entries({"vx", "vy", "vz", "wx", "wy", "wz"}, actuator_names(m)), row_by_row(ordered));
  trace.guard("the loops are near a singularity of the actuators", f.form.smallest_pivot);
}

}  // namespace gough
