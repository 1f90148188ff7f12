#pragma once
/// Flexible inverse dynamics: joint motions and driving forces with which the platform of a robot with beams follows a path.
///                                                                                        docs/theory/flexible.md
///   driving_force           forces of the elastic robot whose drives move as the rigid one's                  (D1)
///   modified_driving_force  drives of a path that is off by what the last one missed:                         (D2)
///                           command = desired - (response to the last command - its own path)
///   driving_constraint      the platform's rows in place of the drives': K U + J^T lambda = P, E U = 0        (D3)
/// The elastic response is quasi-static: vibrations of the last command must not enter the next one, and the tip of an
/// elastic robot is not minimum-phase.
#include "gough/flexible/elastodynamics.hpp"

namespace gough {

enum class FlexInverse { driving_force, modified_driving_force, driving_constraint };
inline constexpr std::array<std::string_view, 3> flex_inverse_names = {"driving_force", "modified_driving_force",
                                                                       "driving_constraint"};
inline std::string_view name(FlexInverse f) { return flex_inverse_names[static_cast<std::size_t>(f)]; }

struct FlexInverseOptions {
  FlexInverse by = FlexInverse::driving_constraint;
  FlexOptions flex;       ///< space, geometric stiffness, damping and loads; `every` and `start` are not looked at
  int most_rounds = 20;   ///< of modified_driving_force
  double settled = 1e-9;  ///< [m or rad] largest change of the platform's error between rounds
  std::function<bool()> after_state;  ///< returns whether to go on
};

/// Rows are states.
struct FlexCommand {
  Status status = Status::ok;
  std::string reason;
  bool stopped = false;
  std::vector<KnownState> states;  ///< of the actuators: what they are to do
  MatX<double> correction;         ///< of their positions against the rigid robot's
  MatX<double> tau;                ///< driving forces, quasi-static
  std::vector<double> left;        ///< largest error of the platform that is foreseen, after each round [m and rad]

  bool ok() const { return status == Status::ok && !stopped; }
};

/// States must be of a motion of the platform, evenly spaced in time. Throws Error where the robot is not suited: as many
/// actuators as task coordinates.
FlexCommand flexible_inverse(const Mechanism<double>& m, std::span<const KnownState> states,
                             const FlexInverseOptions& options);

/// Drives q, v, a, rows are states, with a correction of q and its derivatives by differences.
std::vector<KnownState> corrected_drives(std::span<const KnownState> states, const MatX<double>& q,
                                         const MatX<double>& v, const MatX<double>& a, const MatX<double>& correction);

/// Poses of the rigid robot's platform along states; what is no coordinate of the task is as the loops have it. Throws Error where the
/// robot cannot follow.
std::vector<Transform<double>> poses_along(const Mechanism<double>& m, std::span<const KnownState> states);

/// How far the platform of the elastic robot is from a desired path when its drives do what `command` says; by flex_along.
struct FollowedPath {
  FlexAnswer answer;
  double rms = 0, largest = 0;            ///< of its origin [m]
  double turn_rms = 0, turn_largest = 0;  ///< [rad]
};
FollowedPath follow_path(const Mechanism<double>& m, std::span<const KnownState> desired,
                         std::span<const KnownState> command, const FlexOptions& options,
                         const std::function<bool()>& go_on = {});

}  // namespace gough
