#include "gough/dynamics/rigid_motion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "follower.hpp"
#include "gough/dynamics/drives.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"

namespace gough {

Force<double> WrenchOverTime::at(double time) const {
  if (t.empty()) return {};
  const auto k = static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), time) - t.begin());
  if (k == 0) return value.front();
  if (k == t.size()) return value.back();
  const double s = (time - t[k - 1]) / (t[k] - t[k - 1]);
  return value[k - 1] * (1 - s) + value[k] * s;
}

namespace {

template <class State>
Piece through(const std::vector<double>& t, std::span<const KnownState> states) {
  std::vector<State> all;
  all.reserve(states.size());
  for (const KnownState& s : states) all.push_back(std::get<State>(s.motion.motion));
  return hermite_piece(t, all);
}

/// What stands still has no law of time.
Piece standing(const MotionState& s) {
  HarmonicPath here;
  if (!s.of_platform()) {
    here.offset = s.actuators().q;
    return harmonic_piece(std::move(here), 0);
  }
  here.offset = VecX<double>::Zero(6);
  here.offset.head<3>() = s.platform().pose.p;
  Piece piece = harmonic_piece(std::move(here), 0);
  piece.rotation = s.platform().pose.R;
  return piece;
}

}  // namespace

Trajectory trajectory_through(std::span<const KnownState> states) {
  if (states.empty()) throw Error("read no states, expected some");
  const bool platform = states.front().motion.of_platform();
  std::vector<double> t;
  for (const KnownState& s : states) {
    if (s.motion.of_platform() != platform) throw Error("read states of platform and actuators, expected one of them");
    if (!t.empty() && !(s.motion.t > t.back()))
      throw Error(fmt::format("read t = {:g} s after {:g} s, expected times that increase", s.motion.t, t.back()));
    t.push_back(s.motion.t);
  }
  Trajectory all =
      trajectory_of(platform ? Moves::platform : Moves::actuators, t.size() == 1 ? standing(states.front().motion)
                                                                   : platform    ? through<PlatformMotion>(t, states)
                                                                                 : through<ActuatorMotion>(t, states));
  all.start = t.front();
  return all;
}

struct RigidMotion::Impl {
  Impl(const Mechanism<double>& mechanism, TimedMotion timed)
      : m(mechanism), motion(std::move(timed)), w(m), follower(m, w), d(m, w, {}) {
    knots = gough::knots(motion.trajectory);
    const std::vector<double> trajectory = knots;
    knots.clear();
    std::set_union(trajectory.begin(), trajectory.end(), motion.wrench.t.begin(), motion.wrench.t.end(),
                   std::back_inserter(knots));
  }

  const VecX<double>& near(double time) const {
    const auto after = std::lower_bound(t.begin(), t.end(), time);
    auto k = static_cast<std::size_t>(after - t.begin());
    if (k == t.size() || (k > 0 && time - t[k - 1] < t[k] - time)) --k;
    return q[k];
  }

  Step to(double time, bool forces) {
    const KnownState state{sample(motion.trajectory, time), motion.wrench.at(time), {}, {}, {}, {}};
    w.q = near(time);
    if (Step s = follower.place(state, follower.elastic_at_rest()); !s.ok()) return s;
    if (Step s = follower.rates(state, false, true); !s.ok()) return s;
    if (!forces) return {};
    apply_platform_wrench(m, state.wrench, w);
    const DynamicsAnswer a = inverse_dynamics(m, w, d);
    return {a.status, a.reason};
  }

  const Mechanism<double> m;
  TimedMotion motion;
  std::vector<double> knots;
  Workspace<double> w;
  Follower follower;
  Dynamics<double> d;
  AlongAnswer answer;
  std::vector<double> t;  ///< of samples, with their positions
  std::vector<VecX<double>> q;
};

RigidMotion::RigidMotion(const Mechanism<double>& m, TimedMotion motion, std::span<const KnownState> states,
                         const OnRow& on_row)
    : impl_(std::make_shared<Impl>(m, std::move(motion))) {
  impl_->answer = inverse_along(impl_->m, states, {}, [&](const AlongRow& row) {
    impl_->t.push_back(row.t);
    impl_->q.push_back(row.w.q);
    return !on_row || on_row(row);
  });
}

const AlongAnswer& RigidMotion::answer() const { return impl_->answer; }
double RigidMotion::start() const { return impl_->motion.trajectory.start; }
double RigidMotion::end() const { return impl_->motion.trajectory.end(); }
const std::vector<double>& RigidMotion::knots() const { return impl_->knots; }
const WrenchOverTime& RigidMotion::wrench() const { return impl_->motion.wrench; }

const Workspace<double>& RigidMotion::at(double t, bool forces) const {
  if (impl_->t.empty()) throw Failure(impl_->answer.explain(impl_->m.name));
  if (const Step s = impl_->to(t, forces); !s.ok())
    throw Failure(fmt::format("{}: t = {:g}: {}: {}", impl_->m.name, t, name(s.status), s.reason));
  return impl_->w;
}

Transform<double> RigidMotion::platform(double t) const {
  const Workspace<double>& w = at(t, false);
  return platform_pose(impl_->m, w);
}

ActuatorMotion RigidMotion::drives(double t) const {
  const Workspace<double>& w = at(t, false);
  return drives_in(impl_->m, w);
}

}  // namespace gough
