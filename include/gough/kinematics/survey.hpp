#pragma once
/// How well a robot stands along a motion: distances to singularities, transmission of forces, limits.
///                                                                                          docs/theory/mobility.md
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gough/kinematics/inverse.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/kinematics/trajectory.hpp"

namespace gough {

/// How well a leg passes its drive's force on, 1 best, 0 not at all: the smaller of                          (M12)
///   input   |f . v_a| / (|f| |v_a|)   v_a: velocity of the leg's end when only its drive moves (platform let go)
///   output  |f . v_o| / (|f| |v_o|)   v_o: velocity of that point of the platform when the other drives stand still
/// f is the force in the leg at its end on the platform. A leg that passes on a pure moment is measured on turns
/// instead.
struct LegTransmissionIndex {
  std::string leg;
  double input = 0, output = 0;
  double index() const { return input < output ? input : output; }
};
/// Per leg with one drive, at the workspace's position (stage closure). Empty where the robot has no floating platform.
std::vector<LegTransmissionIndex> transmission_indices(const Mechanism<double>& m, const Workspace<double>& w);

/// The smallest value met along the way.
struct Least {
  double value = std::numeric_limits<double>::infinity();
  std::size_t at = 0;  ///< which pose
  std::string leg;

  void take(double x, std::size_t where, const std::string& which) {
    if (x < value) *this = {x, where, which};
  }
  bool known() const { return value < std::numeric_limits<double>::infinity(); }
};

struct Survey {
  std::size_t poses = 0;
  Least type1, type2, constraint, transmission;
  std::vector<std::pair<std::size_t, Answer>>
      failures;                       ///< poses that cannot be reached or exceed limits, with reasons
  std::vector<Vec6<double>> reached;  ///< the platform's pose, where reached (NaN where not)
};

/// Walks through platform poses, each continued from the one before.
Survey survey_poses(const Mechanism<double>& m, const std::vector<Transform<double>>& poses);
/// The same through the states of a motion of the platform or of the drives. `go_on`, where given, is asked after each.
Survey survey_motion(const Mechanism<double>& m, const std::vector<MotionState>& states,
                     const std::function<bool()>& go_on = {});

}  // namespace gough
