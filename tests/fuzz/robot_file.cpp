#include "gough/gough.hpp"
#include "oracle.hpp"
#include "targets.hpp"

namespace gough::fuzz {
namespace {

constexpr std::size_t most_bodies = 40;
constexpr double most_simulation_seconds = 1.5;

/// `names_differ`: no name of the file reads like a number that is none.
void expect_good_report(const MobilityReport& r, bool names_differ) {
  expect_finite(r.closure_residual, "closure_residual");
  expect_finite(r.characteristic_length, "characteristic_length");
  for (const auto& index : {r.singularity.type1, r.singularity.type2, r.singularity.constraint, r.singularity.held})
    if (index) expect_finite(*index, "a singularity index");
  expect_good_json(check_json(r), "check --json");
  if (names_differ) expect_no_nan(check_text(r), "check");
}

void try_kinematics(const Mechanism<double>& m) {
  Workspace<double> w(m);
  tree_positions(m, w);
  if (m.platform.exists()) {
    Transform<double> pose = platform_pose(m, w);
    pose.p.x() += 1e-3;
    const Answer answer = inverse_kinematics(m, pose, w);
    if (answer.ok()) expect_finite(w.q, "positions of inverse kinematics");
  }
  VecX<double> drives(static_cast<Eigen::Index>(m.actuator.size()));
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    if (const int at = position_index(m, m.actuator[i]); at >= 0) drives[static_cast<Eigen::Index>(i)] = m.home[at];
    else return;
  if (const Answer answer = forward_kinematics(m, drives, w); answer.ok())
    expect_finite(w.q, "positions of forward kinematics");
}

void try_dynamics(const Mechanism<double>& m, Formulation by) {
  Workspace<double> w(m);
  DynamicsOptions options;
  options.by = by;
  if (inverse_dynamics(m, w, options).ok()) expect_finite(w.tau, "forces");
  w.tau.setZero();
  if (forward_dynamics(m, w, options).ok()) expect_finite(w.a, "accelerations");
}

void try_simulation(const Mechanism<double>& m) {
  Workspace<double> w(m);
  const Deadline time(most_simulation_seconds);
  SimulationOptions options;
  options.integrator.tolerance = 1e-6;
  options.go_on = [&] { return time.go_on(); };
  simulate(m, w, even_times(0, 2e-3, 1e-3), options, {}, [&](const SimulationRow& row) {
    expect_finite(row.w.q, "simulated positions");
    expect_finite(row.w.a, "simulated accelerations");
    return time.go_on();
  });
}

void try_parameters(const Mechanism<double>& m) {
  if (m.parent.size() > 8 || m.platform.exists()) return;  // poses that may be out of reach take long
  const BaseParameters b = base_parameters(m);
  expect_good_json(parameters_json(b), "parameters --json");
  expect(!parameters_text(m, b).empty(), "parameters say nothing");
}

void try_robot(const RobotDescription& robot, bool names_differ) {
  const Prepared ready = prepare(robot);
  expect_good_report(check_mobility(ready.mechanism, ready.home), names_differ);
  if (!ready.home.assembly.closed) return;
  expect_finite(ready.mechanism.home, "home");
  unless_refused([&] { try_kinematics(ready.mechanism); });
  for (const Formulation by : {Formulation::legs, Formulation::multipliers})
    unless_refused([&] { try_dynamics(ready.mechanism, by); });
  unless_refused([&] { try_simulation(ready.mechanism); });
  unless_refused([&] { try_parameters(ready.mechanism); });
}

}  // namespace

void try_robot_file(const std::string& text) {
  unless_refused([&] {
    const RobotDescription robot = parse_robot(text, "fuzz.yaml");
    if (robot.bodies.size() > most_bodies) return;
    const bool names_differ = text.find("nan") == std::string::npos && text.find("inf") == std::string::npos;
    unless_refused([&] { try_robot(robot, names_differ); });
    const bool bends =
        std::any_of(robot.bodies.begin(), robot.bodies.end(), [](const auto& b) { return !b.beam.empty(); });
    if (!bends || robot.bodies.size() > 12) return;
    ModesOptions modes;
    modes.modes = 1;
    try_simulation(bent_mechanism(robot, modes).mechanism);
  });
}

}  // namespace gough::fuzz
