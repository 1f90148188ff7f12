#pragma once
/// A robot whose beams bend in modes while it moves: rigid motion and deformation unknown together.   docs/theory/flexible.md
///
///   const Prepared robot = prepare(with_modes(description, {4}).robot);   // then simulate, inverse dynamics, ..
/// A body with a beam becomes two frames, the body itself at the beam's near end and `NAME.end` at its far end, with a modal joint
/// `NAME.modes` between whose coordinates are elastic ones. The near end is the one through which the tree reaches the body.
#include <string>
#include <vector>

#include "gough/flexible/flex_equations.hpp"

namespace gough {

inline constexpr int most_modes = 200;

struct ModesOptions {
  int modes = 4;  ///< per beam; fewer where its elements have fewer
  FlexSpace space = FlexSpace::automatic;
  std::optional<RayleighDamping> damping;  ///< none: the materials'
  double modal_damping = 0;                ///< ratio, of every mode; in addition
  bool refine = false;                     ///< more elements, where there are fewer than the modes ask for
};

struct BentRobot {
  RobotDescription robot;
  bool planar = false;
};

/// Throws Error where the robot has no beams, or something sits between the ends of one.
BentRobot with_modes(const RobotDescription& robot, const ModesOptions& options);

}  // namespace gough
