#pragma once
/// Drives that follow a motion exactly, whatever forces it takes: the rest of the robot answers.   docs/theory/simulation.md
///   y = (drives, rest):   M_rr r'' = F_r - M_rd u,   tau = M_dd u + M_dr r'' - F_d                            (S6)
///   u = a_d + 2 k (v_d - v) + k^2 (q_d - q)
/// F are the forces on y without the drives' own. The feedback takes back what integration loses; k is far above what it needs.
#include <span>

#include "gough/dynamics/along.hpp"
#include "gough/simulation/simulate.hpp"

namespace gough {

/// Positions, rates and accelerations of all actuators over time: polynomials of the fifth degree between samples.
class DriveMotion {
 public:
  /// States of actuators in increasing times, at least one. Throws Error for others.
  explicit DriveMotion(std::span<const KnownState> states);

  ActuatorMotion at(double t) const;
  double start() const { return t_.front(); }
  double end() const { return t_.back(); }

 private:
  std::vector<double> t_;
  std::vector<ActuatorMotion> motion_;
};

/// The drives of a robot along a motion of its platform or its actuators, elastic joints relaxed. Throws Error where it cannot follow.
std::vector<KnownState> drives_along(const Mechanism<double>& m, std::span<const KnownState> states,
                                     const std::function<void(const AlongRow&)>& on_row = {});

/// A controller for simulate. Throws Error where the actuators cannot move independently of each other.
Controller ideal_drives(const Mechanism<double>& m, DriveMotion motion, double rate = 200);

/// Where such a simulation starts: drives as the motion has them, elastic coordinates at rest, relaxed or (`settled`) where they balance
/// the loads of the first state. Writes q, v.
Answer start_of_drives(const Mechanism<double>& m, const DriveMotion& motion, Workspace<double>& w,
                       bool settled = false);

}  // namespace gough
