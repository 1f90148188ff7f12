#pragma once
/// A robot whose beams bend in modes while it moves: rigid motion and deformation unknown together.   docs/theory/flexible.md
///
///   const Prepared robot = prepare(with_modes(description, {4}).robot);   // then simulate, inverse dynamics, ..
/// A body with a beam becomes two frames, the body itself at the beam's near end and `NAME.end` at its far end, with a modal joint
/// `NAME.modes` between whose coordinates are elastic ones. The near end is the one through which the tree reaches the body.
#include <string>
#include <vector>

#include "gough/flexible/elastodynamics.hpp"

namespace gough {

inline constexpr int most_modes = 200;

struct ModesOptions {
  int modes = 4;  ///< per beam; fewer where its elements have fewer
  FlexSpace space = FlexSpace::automatic;
  std::optional<RayleighDamping> damping;  ///< none: the materials'
  double modal_damping = 0;                ///< ratio, of every mode; in addition
  bool refine = false;                     ///< more elements, where there are fewer than the modes ask for
  std::vector<FlexPoint> points = {};  ///< whose displacement will be asked for, on bodies of the rigid robot's tree
};

/// Where one of ModesOptions::points is on the bent robot.
struct BentPlace {
  std::string body;                         ///< that carries it: a rigid body, or the frame at the near end of the beam
  std::string joint;                        ///< the modal joint of the beam; empty: the body is rigid
  std::size_t index = 0;                    ///< into ModalBody::watched
  Vec3<double> arm = Vec3<double>::Zero();  ///< from there, or from a rigid body's origin; author's axes
};

struct BentRobot {
  RobotDescription robot;
  bool planar = false;
  std::vector<BentPlace> places = {};  ///< of ModesOptions::points
};

/// Throws Error where the robot has no beams, or something sits between the ends of one.
BentRobot with_modes(const RobotDescription& robot, const ModesOptions& options);

/// Origin and axes of what is at a place. Reads q, X0.
Transform<double> pose_of_place(const Mechanism<double>& bent, const Workspace<double>& w, const BentPlace& place);

/// Turns, compression and shortening of the beams as they are bent now, where they are the largest so far. Reads q, v, a, lambda as
/// dynamics left them.
void see_range(const Mechanism<double>& bent, const Workspace<double>& w, const Dynamics<double>& d, double t,
               FlexRange& range);

}  // namespace gough
