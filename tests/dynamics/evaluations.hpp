#pragma once
/// What several tests of dynamics do: put a state and its loads into a workspace, ask a formulation, and measure errors
/// against the size of what is compared.
#include "dynamics/loaded_robots.hpp"

namespace gough {

/// q, v, a, drives and external wrenches in a workspace.
inline Workspace<double> set_up(const Mechanism<double>& m, const ClosedState& s, const newton_euler::Load& load) {
  Workspace<double> w(m);
  w.q = s.q;
  w.v = s.v;
  w.a = s.a;
  w.tau = load.tau;
  for (const newton_euler::External& e : load.external) w.external[at(e.body)] += e.wrench;
  return w;
}

/// The others' tree carries the platform: a joint there is driven or elastic.
inline std::vector<std::string> robots_with_floating_platform() {
  return except(robots_with_platform(), {"elastic_five_bar", "redundant_five_bar", "palletizer"});
}

inline DynamicsOptions by(Formulation f) {
  DynamicsOptions o;
  o.by = f;
  return o;
}

/// |x - expected| over |expected|, absolute where less than one is expected.
inline double error_of(const VecX<double>& x, const VecX<double>& expected) {
  return x.size() == 0 ? 0.0 : (x - expected).norm() / std::max(1.0, expected.norm());
}

}  // namespace gough
