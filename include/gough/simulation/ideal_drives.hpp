#pragma once
/// Drives that follow a motion exactly, whatever forces it takes: the rest of the robot answers.   docs/theory/simulation.md
///   y = (drives, rest):   M_rr r'' = F_r - M_rd u,   tau = M_dd u + M_dr r'' - F_d                            (S6)
///   u = a_d + 2 k (v_d - v) + k^2 (q_d - q)
/// F are the forces on y without the drives' own. The feedback takes back what integration loses; k is far above what it needs.
#include <span>
#include <variant>

#include "gough/dynamics/rigid_motion.hpp"
#include "gough/simulation/simulate.hpp"

namespace gough {

/// Positions, rates and accelerations of all actuators over time. Before and after, they stand.
class DriveMotion {
 public:
  /// What the robot's motion makes of them, solved at every time.
  explicit DriveMotion(RigidMotion motion);
  /// Polynomials of the fifth degree between states of actuators in increasing times, at least one. Throws Error for others.
  explicit DriveMotion(std::span<const KnownState> states);

  ActuatorMotion at(double t) const;
  const WrenchOverTime& wrench() const;  ///< on the platform
  bool ends_at_rest() const;
  double start() const { return start_; }
  double end() const { return end_; }
  const std::vector<double>& knots() const { return knots_; }

 private:
  std::variant<RigidMotion, Trajectory> motion_;
  double start_ = 0, end_ = 0;
  std::vector<double> knots_;
};

/// A controller for simulate; the motion's wrench acts on the platform. Throws Error where the actuators cannot move independently of each
/// other.
Controller ideal_drives(const Mechanism<double>& m, DriveMotion motion, double rate = 200);

/// Elastic coordinates at a start, in the order of m.elastic: positions (empty: relaxed) and rates (empty: zero); `settled`: where they
/// balance the loads instead.
struct ElasticStart {
  bool settled = false;
  VecX<double> q = {}, v = {};
};

/// Where such a simulation starts: drives as the motion has them, elastic coordinates as said. Writes q, v.
Answer start_of_drives(const Mechanism<double>& m, const DriveMotion& motion, Workspace<double>& w,
                       const ElasticStart& elastic = {});

}  // namespace gough
