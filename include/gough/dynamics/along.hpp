#pragma once
/// Dynamics along a motion, state by state: positions from the loops, rates from the masters, then forces or
/// accelerations. Each state is handed to a callback as soon as it is done, so nothing finished is ever lost.
///
///   inverse_along(robot, states, {}, [&](const AlongRow& row) { use(row.t, row.w.tau); return true; });
#include <functional>
#include <span>

#include "gough/dynamics/dynamics.hpp"
#include "gough/dynamics/reactions.hpp"
#include "gough/kinematics/trajectory.hpp"

namespace gough {

/// Where the motion of elastic joints comes from: the states have it; they stay where their springs are relaxed; or they
/// yield, without rates of their own, until springs and loads balance.
enum class ElasticMotion { given, locked, quasistatic };
inline constexpr std::array<std::string_view, 3> elastic_motion_names = {"given", "locked", "quasistatic"};
inline std::string_view name(ElasticMotion e) { return elastic_motion_names[static_cast<std::size_t>(e)]; }

/// What is known of a robot at one time.
struct KnownState {
  MotionState motion;                            ///< for forward dynamics its accelerations are not read
  Force<double> wrench;                          ///< on the platform from outside, base axes, moment about its origin
  VecX<double> elastic_q, elastic_v, elastic_a;  ///< of m.elastic in order; empty: not given
  VecX<double> tau;                              ///< of the actuators, for forward dynamics
  bool between = false;                          ///< on the way to a row, not one itself: for what goes on in time
};

/// A force on a body from outside that does not change.
struct PointLoad {
  int body = base;
  Vec3<double> at = Vec3<double>::Zero();     ///< in the body's frame
  Vec3<double> force = Vec3<double>::Zero();  ///< base axes
};

struct AlongOptions {
  DynamicsOptions dynamics;
  std::vector<PointLoad> loads;  ///< beside the wrench on the platform
  ElasticMotion elastic = ElasticMotion::locked;
  bool each_from_home = false;  ///< positions are continued from home instead of from the state before
  bool reactions = false;
  bool watch = true;  ///< inverse dynamics: also for singular positions between the states, where they are a motion
};

/// One state, done. The references hold until the callback returns.
struct AlongRow {
  std::size_t index;  ///< of the state
  double t;
  const Workspace<double>& w;  ///< q, v, a, tau, A, external; cut joints' coordinates in cq, cv, ca
  const Dynamics<double>& d;   ///< of inverse dynamics: elastic_residual()
  std::string beyond;          ///< the first position outside its limits, in words; empty: none
  Reactions reactions;         ///< where asked for
};

struct AlongAnswer {
  Status status = Status::ok;
  std::string reason;
  std::string instead = {};  ///< of forward dynamics: why dalembert was taken where legs were asked for
  std::size_t rows = 0;      ///< states that were done
  double t = 0;              ///< of the state that could not be done
  int line = 0;              ///< of that state in its table; 0: none
  bool stopped = false;      ///< the callback did not want more

  bool ok() const { return status == Status::ok; }
  /// "FILE:5: unreachable: ..", or "FILE: t = 0.1: ..".
  std::string explain(const std::string& file) const;
};

/// Returns whether to go on.
using OnRow = std::function<bool(const AlongRow&)>;

/// Ends at the first state that cannot be reached or has no forces. Throws Error where the states do not suit the
/// mechanism (fewer coordinates than freedoms, elastic motion that is not there).
AlongAnswer inverse_along(const Mechanism<double>& m, std::span<const KnownState> states, const AlongOptions& options,
                          const OnRow& on_row);
/// Reads positions, velocities and tau; the row has accelerations. Elastic joints: as given where given, otherwise at
/// rest. `options.elastic` and `reactions` are not looked at.
AlongAnswer forward_along(const Mechanism<double>& m, std::span<const KnownState> states, const AlongOptions& options,
                          const OnRow& on_row);

/// A wrench on the platform (force and moment at its origin, base axes) as w.external wants it. Reads positions.
void apply_platform_wrench(const Mechanism<double>& m, const Force<double>& wrench, Workspace<double>& w);

/// Where a single coordinate of the tree stands in q; -1 where there is none.
int position_index(const Structure& m, int coordinate);

}  // namespace gough
