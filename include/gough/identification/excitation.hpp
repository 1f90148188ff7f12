#pragma once
/// Motions that show a robot's parameters.                                              docs/theory/identification.md
///   c(t) = c_0 + sum_k a_k sin(k w t) + b_k (cos(k w t) - 1),   sum k a_k = 0,   sum k^2 b_k = 0                   (I10)
///   min  log cond(W) - log s_min(W diag(size of theta))   within all limits, by NLopt's Subplex                  (I11)
/// Periodic; from home at rest, without a jump in acceleration. Beside it two simpler schemes that find friction and
/// inertias one after the other (paper 003, section IV-B): runs at constant speeds, and short runs of high acceleration.
#include <functional>

#include "gough/identification/base_parameters.hpp"
#include "gough/kinematics/trajectory.hpp"

namespace gough {

/// Limits beside those of the robot file, of all actuators; infinite: none.
struct ExcitationLimits {
  double velocity = std::numeric_limits<double>::infinity();      ///< [m/s or rad/s]
  double acceleration = std::numeric_limits<double>::infinity();  ///< [m/s^2 or rad/s^2]
  double force = std::numeric_limits<double>::infinity();         ///< [N or N m]
};

/// What an optimisation tells on its way; returns whether to go on.
using OnExcitation = std::function<bool(std::size_t evaluation, double condition)>;

struct ExcitationOptions {
  ParameterOptions parameters;
  ExcitationLimits limits;
  double period = 10;  ///< [s]
  int harmonics = 5;
  std::size_t evaluations = 2000;  ///< of the optimisation
  unsigned seed = 1;
  OnExcitation after;
};

/// How near a motion comes to a limit: 1 is there.
struct LimitUse {
  std::string what;  ///< "force of 'leg1.drive'"
  double share = 0, t = 0;
};

struct Excitation {
  Moves moves = Moves::platform;
  std::vector<std::string> coordinate;  ///< that move
  std::vector<int> index;               ///< of the platform's six, or of the actuators
  VecX<double> offset;
  MatX<double> sine, cosine;  ///< coordinates x harmonics
  double period = 0;
  double first_condition = 0, condition = 0;
  std::size_t evaluations = 0;
  bool stopped = false;
  std::vector<LimitUse> limits;  ///< the nearest first

  Trajectory trajectory(const Mechanism<double>& m) const;
};

/// Throws Error where not even a small motion about home keeps all limits.
Excitation excite(const Mechanism<double>& m, const ExcitationOptions& options);

/// Lines to and fro along each coordinate, ends inside the limits.
struct LineRuns {
  struct Run {
    int coordinate;   ///< into `name`
    double from, to;  ///< offsets from home along it [m or rad]
    double speed;     ///< [m/s or rad/s]
    double acceleration;
  };
  std::vector<std::string> name;
  std::vector<bool> is_length;
  std::vector<int> index;
  Moves moves = Moves::platform;
  std::vector<Run> runs;
  bool stopped = false;  ///< by `after`: runs so far
};
/// Called after every run looked for; returns whether to go on.
using OnRun = std::function<bool()>;
inline constexpr int speed_levels = 5, places_along = 3;  ///< runs of either kind along each coordinate

/// How many runs are looked for, `each` along a coordinate.
std::size_t line_runs_at_most(const Mechanism<double>& m, int each);
/// Runs at constant speeds: friction.
LineRuns constant_speed_runs(const Mechanism<double>& m, const ExcitationLimits& limits, const OnRun& after = {});
/// Short runs of the highest acceleration: inertias.
LineRuns acceleration_runs(const Mechanism<double>& m, const ExcitationLimits& limits, const OnRun& after = {});

}  // namespace gough
