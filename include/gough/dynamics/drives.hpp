#pragma once
/// Positions and rates of the actuators, in their order.
#include "gough/dynamics/along.hpp"

namespace gough {

inline VecX<double> drive_positions(const Structure& m, const VecX<double>& q) {
  VecX<double> x(static_cast<Eigen::Index>(m.actuator.size()));
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    x[static_cast<Eigen::Index>(i)] = q[position_index(m, m.actuator[i])];
  return x;
}

inline VecX<double> drive_rates(const Structure& m, const VecX<double>& v) {
  VecX<double> x(static_cast<Eigen::Index>(m.actuator.size()));
  for (std::size_t i = 0; i < m.actuator.size(); ++i) x[static_cast<Eigen::Index>(i)] = v[m.actuator[i]];
  return x;
}

/// All of them where a workspace stands.
inline ActuatorMotion drives_in(const Structure& m, const Workspace<double>& w) {
  return {drive_positions(m, w.q), drive_rates(m, w.v), drive_rates(m, w.a)};
}

}  // namespace gough
