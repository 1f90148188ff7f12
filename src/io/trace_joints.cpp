/// From closed joint coordinates, for any mechanism: the library's own kernels, traced.
#include "gough/dynamics/kernels.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/task_motion.hpp"
#include "trace.hpp"

namespace gough {
namespace {

/// Positions and rates at home at rest, in the order of the inputs.
VecX<double> home_at_rest(const Mechanism<double>& m) { return m.home; }

void guard_loops(Trace& t, const Mechanism<double>& m, const Dynamics<Expr>& d, bool leg_wise) {
  t.guard("the loops are near a singularity of the chosen coordinates", d.smallest_pivot(leg_wise), home_at_rest(m));
}

void guard_efforts(Trace& t, const Mechanism<double>& m, const Efforts<Expr>& efforts) {
  t.guard("the actuators can hardly hold the platform", efforts.smallest_pivot, home_at_rest(m));
}

void inverse(Trace& t, const Mechanism<double>& m, const Mechanism<Expr>& s, Workspace<Expr>& w, Dynamics<Expr>& d) {
  w.a = t.input("a", "accelerations of the joints, closed", rate_entries(m, "/s^2"));
  inverse_kernel(s, w, d);
  t.output("tau", "forces of the actuators", actuator_entries(m, "N", "N m"), w.tau);
  guard_loops(t, m, d, d.inverse_is_leg_wise());
  guard_efforts(t, m, d.elastic_legs ? d.elastic_legs->actuated : d.efforts);
}

void forward(Trace& t, const Mechanism<double>& m, const Mechanism<Expr>& s, Workspace<Expr>& w, Dynamics<Expr>& d) {
  w.tau = t.input("tau", "forces of the actuators", actuator_entries(m, "N", "N m"));
  forward_kernel(s, w, d);
  t.output("a", "accelerations of the joints", rate_entries(m, "/s^2"), w.a);
  guard_loops(t, m, d, d.forward_is_leg_wise());
}

const std::vector<std::string> xyz = {"x", "y", "z"};

std::vector<std::string> entries(const std::string& unit) {
  std::vector<std::string> out;
  for (const std::string& c : xyz) out.push_back(c + " [" + unit + "]");
  return out;
}

void kinematics(Trace& t, const Mechanism<double>& m, const Mechanism<Expr>& s, Workspace<Expr>& w) {
  if (!m.platform.exists()) throw Error("kinematics of " + m.name + ": it has no platform");
  w.a = t.input("a", "accelerations of the joints, closed", rate_entries(m, "/s^2"));
  tree_positions(s, w);
  tree_velocities(s, w);
  tree_accelerations(s, w);
  const Transform<Expr> X = w.X0[static_cast<std::size_t>(m.platform.body)] * s.platform_frame;
  const PlatformRates<Expr> rates = platform_rates(s, w);
  VecX<Expr> R(9);
  std::vector<std::string> names;
  for (int i = 0; i < 9; ++i) {
    R[i] = X.R(i / 3, i % 3);
    names.push_back(xyz[static_cast<std::size_t>(i / 3)] + xyz[static_cast<std::size_t>(i % 3)]);
  }
  t.output("position", "of the platform's origin in the base", entries("m"), X.p);
  t.output("rotation", "of the platform, matrix row by row", names, R);
  t.output("velocity", "of the platform's origin, base axes", entries("m/s"), rates.v);
  t.output("angular_velocity", "of the platform, base axes", entries("rad/s"), rates.w);
  t.output("acceleration", "of the platform's origin, base axes", entries("m/s^2"), rates.a);
  t.output("angular_acceleration", "of the platform, base axes", entries("rad/s^2"), rates.dw);
}

}  // namespace

Program trace_from_joints(const Mechanism<double>& m, const GenerateWish& wish) {
  Trace t;
  Parameters parameters(wish.fold ? Parameters::Use::folded : Parameters::Use::symbols);
  const Mechanism<Expr> s = symbolic(m, parameters);
  Workspace<double> at(m);
  Dynamics<double> choice(m, at);
  choice.external = false;
  Workspace<Expr> w(s);
  w.q = t.input("q", "positions of the joints, closed", position_entries(m));
  w.v = t.input("v", "rates of the joints, closed", rate_entries(m, "/s"));
  if (wish.what == "kinematics") {
    kinematics(t, m, s, w);
    return std::move(t.program);
  }
  Dynamics<Expr> d(s, choice);
  if (wish.what == "inverse") {
    if (m.actuator.empty()) throw Error("inverse dynamics of " + m.name + ": it has no actuators");
    inverse(t, m, s, w, d);
  } else {
    if (!choice.no_forward.empty()) throw Error("forward dynamics of " + m.name + ": " + choice.no_forward);
    forward(t, m, s, w, d);
  }
  return std::move(t.program);
}

}  // namespace gough
