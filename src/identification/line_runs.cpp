/// Excitations along one coordinate after the other.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "excitation_limits.hpp"

namespace gough {
namespace {

using namespace excitation;

/// There and back along one coordinate, as a cosine.
Trajectory swing(const Coordinates& c, Eigen::Index i, double way, double period) {
  const MatX<double> none = MatX<double>::Zero(c.size(), 1);
  MatX<double> cosine = none;
  cosine(i, 0) = -way / 2;
  return series(c, none, cosine, period);
}

/// How far the robot gets along one coordinate, to either side, at rest.
Range free_way(const Mechanism<double>& m, const Coordinates& c, Eigen::Index i, const ExcitationLimits& more) {
  Limits limits(m, more, c);
  const auto far = [&](double end) {
    for (double x = end; std::abs(x) > 1e-3 * std::abs(end); x *= 0.8) {
      limits.follow(swing(c, i, x, 1e3), 20);
      if (limits.hold()) return x;
    }
    return 0.0;
  };
  return {far(c.down[i]), far(c.up[i])};
}

LineRuns runs_of(const Coordinates& c) { return {c.name, c.is_length, c.index, c.moves, {}}; }

/// The largest speed and acceleration of a swing over a way that keeps all limits: both grow with its frequency.
struct Fastest {
  double speed, acceleration;
};
Fastest fastest_along(const Mechanism<double>& m, const Coordinates& c, Eigen::Index i, const ExcitationLimits& more,
                      double way) {
  Limits limits(m, more, c);
  double period = 20;
  for (double shorter = period; shorter > 0.2; shorter *= 0.9) {
    limits.follow(swing(c, i, way, shorter), 40);
    if (!limits.hold()) break;
    period = shorter;
  }
  const double rate = 2 * std::numbers::pi / period;
  return {std::abs(way) / 2 * rate, std::abs(way) / 2 * rate * rate};
}

/// Slower until the drives keep their limits on the way; false: they never do.
bool slow_down(const Mechanism<double>& m, const Coordinates& c, const ExcitationLimits& more, LineRuns::Run& run) {
  Limits limits(m, more, c);
  VecX<double> from = c.all, to = c.all;
  from[c.index[at(run.coordinate)]] += run.from;
  to[c.index[at(run.coordinate)]] += run.to;
  const double way = std::abs(run.to - run.from);
  for (int k = 0; k < 60; ++k) {
    const TimeLaw law = fastest(Profile::trapezoid, run.speed / way, run.acceleration / way);
    const Piece piece = c.moves == Moves::platform
                            ? line_piece(pose_from_vector(Vec6<double>(from)), pose_from_vector(Vec6<double>(to)), law)
                            : line_piece(from, to, law);
    limits.follow(trajectory_of(c.moves, piece), 100);
    if (limits.hold()) return true;
    run.speed *= 0.95;
    run.acceleration *= 0.9;
  }
  return false;
}

/// Takes a run where the drives can follow it; false: that was enough.
bool take(const Mechanism<double>& m, const Coordinates& c, const ExcitationLimits& limits, LineRuns::Run run,
          const OnRun& after, LineRuns& all) {
  if (slow_down(m, c, limits, run)) all.runs.push_back(run);
  all.stopped = after && !after();
  return !all.stopped;
}

}  // namespace

std::size_t line_runs_at_most(const Mechanism<double>& m, int each) {
  return static_cast<std::size_t>(coordinates_of(m).size() * each);
}

LineRuns constant_speed_runs(const Mechanism<double>& m, const ExcitationLimits& limits, const OnRun& after) {
  const Coordinates c = coordinates_of(m);
  LineRuns all = runs_of(c);
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const Range way = free_way(m, c, i, limits);
    if (way.upper - way.lower <= 0) continue;
    const Fastest f = fastest_along(m, c, i, limits, way.upper > -way.lower ? way.upper : way.lower);
    for (int k = 1; k <= speed_levels; ++k) {
      const double speed = 0.6 * f.speed * k / speed_levels;
      if (!take(m, c, limits, {static_cast<int>(i), way.lower, way.upper, speed, f.acceleration}, after, all))
        return all;
    }
  }
  return all;
}

LineRuns acceleration_runs(const Mechanism<double>& m, const ExcitationLimits& limits, const OnRun& after) {
  const Coordinates c = coordinates_of(m);
  LineRuns all = runs_of(c);
  static constexpr std::array<double, places_along> shares = {-0.7, 0.0, 0.7};
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const Range way = free_way(m, c, i, limits);
    const double half = 0.15 * (way.upper - way.lower);
    if (half <= 0) continue;
    const Fastest f = fastest_along(m, c, i, limits, 2 * half);
    for (const double share : shares) {
      const double middle = share < 0 ? -share * way.lower : share * way.upper;
      const double from = std::clamp(middle - half, way.lower, way.upper - 2 * half);
      if (!take(m, c, limits, {static_cast<int>(i), from, from + 2 * half, f.speed, f.acceleration}, after, all))
        return all;
    }
  }
  return all;
}

}  // namespace gough
