#pragma once
/// Closing the loops: positions that satisfy every cut joint to 1e-12 (lengths in the robot's unit), near where the workspace stands.
///
/// Levenberg-Marquardt on phi(q) = 0 with damping |phi|^2: it converges quadratically even where equations are
/// redundant (a planar robot written in 3-D, Bricard's ring), and its steps are the shortest ones, so the result is the
/// closed configuration next to the start. `double` only: other scalars refine the result by Newton steps of their own.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gough/kinematics/stages.hpp"

namespace gough {

inline constexpr double closure_tolerance = 1e-12;  ///< of angles, and of lengths in Structure::length_unit

/// What must not move while the loops close.
struct Hold {
  std::vector<bool> coordinates;                       ///< per velocity coordinate; empty: none
  std::array<std::optional<double>, 6> platform_pose;  ///< x y z rx ry rz of the platform's frame, where given
};

struct Assembly {
  bool closed = false;
  double residual = 0;
  int iterations = 0;
  double detour =
      0;  ///< how far the answer is from the first step's end, in lengths of that step: large on a sharp bend
  bool inside_out = false;  ///< the equations vanish, but a joint's frames differ by half a turn
  int worst_row = -1;       ///< the equation farthest from zero; -1: one of the held pose's
  double gap = 0, gap_allowed =
                      0;  ///< [m] how far the geometry is from one whose loops fit, where that is why they do not close
  std::string gap_joint;  ///< whose frame misses most

  /// In words: what is left open, and where.
  std::string explain(const Structure& m) const;
};

/// Moves w.q until the loops close. Leaves the workspace at stage closure.
Assembly close_loops(const Mechanism<double>& m, Workspace<double>& w, const Hold& hold = {});

/// q moved by the step dv in velocity coordinates: sums for one-axis joints, rotations for the others.
VecX<double> moved(const Structure& m, const VecX<double>& q, const VecX<double>& dv);

/// The pose of the platform's frame in the base.
Transform<double> platform_pose(const Mechanism<double>& m, const Workspace<double>& w);

/// Puts the platform's body where `body` says: writes q of its free joint.
void place_platform(const Mechanism<double>& m, const Transform<double>& body, VecX<double>& q);

/// The equations of a held pose, one for each held coordinate, as rows like those of a cut joint: B is the platform.
std::vector<RowValue<double>> held_pose_rows(const Mechanism<double>& m, const Workspace<double>& w, const Hold& hold);

/// Their Jacobian, as many rows x nv.
MatX<double> held_pose_jacobian(const Mechanism<double>& m, const Workspace<double>& w, const Hold& hold);

/// 6 x nv: the twist of the platform's frame (angular; velocity of its origin), base axes, per velocity coordinate.
MatX<double> platform_jacobian(const Mechanism<double>& m, const Workspace<double>& w);

}  // namespace gough
