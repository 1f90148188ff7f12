#pragma once
/// Simulations to test: runs with all their rows kept, and robots that swing on springs.
#include <algorithm>
#include <cmath>

#include "kinematics/states.hpp"

namespace gough {

/// What a test looks at in a row.
struct Moment {
  double t;
  VecX<double> q, v, a, tau;
  double kinetic, potential, residual;

  double energy() const { return kinetic + potential; }
  bool finite() const { return q.allFinite() && v.allFinite() && a.allFinite() && tau.allFinite(); }
};

struct Motions {
  SimulationAnswer answer;
  std::vector<Moment> rows;

  const Moment& end() const { return rows.back(); }
  double largest_kinetic() const {
    double x = 0;
    for (const Moment& r : rows) x = std::max(x, r.kinetic);
    return x;
  }
  /// The largest change of energy.
  double drift() const {
    double x = 0;
    for (const Moment& r : rows) x = std::max(x, std::abs(r.energy() - rows.front().energy()));
    return x;
  }
};

inline Motions simulated(const Mechanism<double>& m, Workspace<double> w, const std::vector<double>& times,
                         const SimulationOptions& options = {}, const Controller& controller = {}) {
  Motions all;
  all.answer = simulate(m, w, times, options, controller, [&](const SimulationRow& row) {
    Workspace<double> copy = row.w;
    const EnergyBalance e = energy_balance(m, copy);
    all.rows.push_back({row.t, row.w.q, row.w.v, row.w.a, row.w.tau, e.kinetic, e.potential,
                        row.w.phi.size() > 0 ? row.w.phi.cwiseAbs().maxCoeff() : 0.0});
    return true;
  });
  return all;
}

inline SimulationOptions with_method(Method method, Loops loops = Loops::independent, double step = 1e-3) {
  SimulationOptions o;
  o.integrator.method = method;
  o.integrator.tolerance = usual_tolerance(method);
  o.integrator.fixed_step = step;
  o.loops = loops;
  return o;
}

/// The robot with a spring in every actuated joint, relaxed at home, of `stiffness` times the robot's mass.
inline Mechanism<double> on_springs(Mechanism<double> m, double stiffness) {
  double mass = 0;
  for (const Inertia<double>& I : m.inertia) mass += I.mass;
  for (const int c : m.actuator) {
    m.stiffness[at(c)] = stiffness * mass;
    m.rest[at(c)] = m.home[position_of(m, c)];
  }
  return m;
}

/// Mass 2 kg on a slide along x.
inline const std::string block = R"(
robot: block
gravity: [0, 0, 0]
bodies: {block: {mass: 2 kg}}
joints: {slide: {type: prismatic, parent: base, child: block, axis: [1, 0, 0], role: actuated, home: 0}}
)";

/// The same with other keys of its joint.
inline Mechanism<double> block_with(const std::string& keys) {
  return prepared_from(with(block, "home: 0}", "home: 0, " + keys + "}")).mechanism;
}

}  // namespace gough
