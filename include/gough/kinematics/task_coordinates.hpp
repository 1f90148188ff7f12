#pragma once
/// Whether the coordinates of the task (`platform.coordinates`) tell how the platform moves.                docs/theory/mobility.md
#include <string>

#include "gough/kinematics/stages.hpp"

namespace gough {

struct TaskCoordinates {
  int freedoms = 0;     ///< of the platform, where the workspace stands
  int told = 0;         ///< how many of them the coordinates tell
  int count = 0;        ///< of the coordinates
  PoseMask standing{};  ///< those that no motion of the robot changes there
  PoseMask others{};    ///< the first in x y z rx ry rz that tell all freedoms

  bool fit() const { return told == freedoms && count == told; }
  /// What is wrong with them, in words; empty where they fit.
  std::string explain() const;
  /// "[z, rx, ry]"
  std::string suggestion() const;
};

/// At the workspace's position (stage closure), of the coordinates in `mask`.
TaskCoordinates task_coordinates(const Mechanism<double>& m, const Workspace<double>& w, const PoseMask& mask);

}  // namespace gough
