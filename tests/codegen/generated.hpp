#pragma once
/// Programs evaluated beside the library.
#include "dynamics/evaluations.hpp"
#include "gough/io/generate.hpp"

namespace gough {

inline std::vector<double> joined(std::initializer_list<VecX<double>> parts) {
  std::vector<double> all;
  for (const VecX<double>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

inline VecX<double> vector_of(const std::vector<double>& x) {
  return Eigen::Map<const VecX<double>>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// Whether the guards let these inputs pass.
inline bool is_sound(const Program& p, const std::vector<double>& inputs) {
  Program guards = p;
  guards.outputs = {{"guards", "", std::vector<std::string>(p.guards.size()), {}}};
  for (const Guard& g : p.guards) guards.outputs[0].value.push_back(g.value);
  const std::vector<double> values = evaluate(guards, inputs);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > p.guards[i].bound)) return false;
  return true;
}

inline Workspace<double> unloaded(const Mechanism<double>& m, const ClosedState& s) {
  return set_up(m, s, {VecX<double>::Zero(static_cast<Eigen::Index>(m.actuator.size())), {}});
}

/// Random closed states, and home at rest with random accelerations.
inline std::vector<ClosedState> states_of(const Mechanism<double>& m) {
  std::vector<ClosedState> states;
  for (unsigned seed = 1; seed <= 5; ++seed) states.push_back(closed_state(m, seed));
  states.push_back({m.home, VecX<double>::Zero(m.nv), VecX<double>::Zero(m.nv)});
  return states;
}

}  // namespace gough
