#include "singular_watch.hpp"

#include <fmt/format.h>

#include "gough/kinematics/singularity.hpp"

namespace gough {
namespace {

constexpr double falls_by = 8;  ///< how fast a pivot falls, at most, per unit that joints move
constexpr double grip_lost =
    1e-5;  ///< below, a position counts as singular: at one, loops close in any position within the root of rounding
constexpr int most_halvings = 40;

KnownState between(const KnownState& a, const KnownState& b) {
  KnownState s = b;
  s.motion.t = (a.motion.t + b.motion.t) / 2;
  const std::vector<double> t = {0, b.motion.t - a.motion.t};
  if (a.motion.of_platform())
    s.motion.motion = platform_motion(
        trajectory_of(Moves::platform,
                      hermite_piece(t, std::vector<PlatformMotion>{a.motion.platform(), b.motion.platform()})),
        t[1] / 2);
  else
    s.motion.motion = actuator_motion(
        trajectory_of(Moves::actuators,
                      hermite_piece(t, std::vector<ActuatorMotion>{a.motion.actuators(), b.motion.actuators()})),
        t[1] / 2);
  return s;
}

}  // namespace

SingularWatch::Point SingularWatch::point(const KnownState& state, const Workspace<double>& w,
                                          const Follower& follower) {
  return {state, w.q, w.v, w.a, follower.elastic_now(), follower.grip()};
}

/// delta of (X3).
double SingularWatch::travel(const Point& from, const Point& to) const {
  const double T = to.state.motion.t - from.state.motion.t, length = characteristic_length(m_, w_);
  double most = 0;
  for (int c = 0; c < m_.nv; ++c) {
    const double v = std::max(std::abs(from.v[c]), std::abs(to.v[c])),
                 a = std::max(std::abs(from.a[c]), std::abs(to.a[c]));
    most = std::max(most, (v * T + a * T * T / 2) / (m_.coordinate[at(c)].is_length ? length : 1.0));
  }
  return most;
}

/// Whether one state leads to the other, by what is given of both: rows of a table may be unrelated, or say nothing of rates.
bool SingularWatch::is_motion(const Point& from, const Point& to) {
  const MotionState &a = from.state.motion, &b = to.state.motion;
  const double T = b.t - a.t;
  if (!(T > 0) || a.of_platform() != b.of_platform()) return false;
  const auto leads = [](const VecX<double>& change, const VecX<double>& expected) {
    return (change - expected).squaredNorm() <= change.squaredNorm() / 4 + 1e-18;  // rounding of what stands
  };
  if (!a.of_platform()) return leads(b.actuators().q - a.actuators().q, T / 2 * (a.actuators().v + b.actuators().v));
  const PlatformMotion &x = a.platform(), &y = b.platform();
  const Vec3<double> turn = x.pose.R * vector_from_rotation(x.pose.R.transpose() * y.pose.R);
  return leads(y.pose.p - x.pose.p, T / 2 * (x.v + y.v)) && leads(turn, T / 2 * (x.w + y.w));
}

std::optional<SingularWatch::Point> SingularWatch::middle(const Point& from, const Point& to, Step& step) {
  const KnownState state = between(from.state, to.state);
  w_.q = from.q;
  step = follower_.place(state, (from.elastic + to.elastic) / 2);
  if (step.ok()) step = follower_.rates(state, false, true);
  return step.ok() ? std::optional(point(state, w_, follower_)) : std::nullopt;
}

Step SingularWatch::look_between(const Point& from, const Point& to, int depth, double& t) {
  const Point& poorer = from.grip < to.grip ? from : to;
  if (poorer.grip > falls_by * travel(from, to)) return {};
  t = poorer.state.motion.t;
  if (poorer.grip < grip_lost || depth == most_halvings)
    return {Status::singular, fmt::format("the motion meets a singular position here (pivot {:.1e}): the given "
                                          "coordinates do not determine it, or the "
                                          "actuators do not hold it",
                                          poorer.grip)};
  Step step;
  const std::optional<Point> here = middle(from, to, step);
  t = (from.state.motion.t + to.state.motion.t) / 2;
  if (!here) return {Status::singular, "between two states: " + step.reason};
  if (Step s = look_between(from, *here, depth + 1, t); !s.ok()) return s;
  return look_between(*here, to, depth + 1, t);
}

Step SingularWatch::passed(const KnownState& state, const Workspace<double>& w, const Follower& follower, double& t) {
  Point now = point(state, w, follower);
  Step step;
  w_.q = now.q;
  tree_positions(m_, w_);
  if (last_ && is_motion(*last_, now)) step = look_between(*last_, now, 0, t);
  last_ = std::move(now);
  return step;
}

}  // namespace gough
