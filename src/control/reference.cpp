#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gough/control/control.hpp"
#include "gough/dynamics/drives.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"

namespace gough {
namespace {

/// A trajectory in equal steps of time, faster or slower.
std::vector<KnownState> states_of(const Trajectory& trajectory, double period, double speed) {
  if (!(period > 0)) throw Error(fmt::format("sampling: read {:g} s, expected more than 0", period));
  if (!(speed > 0)) throw Error(fmt::format("speed: read {:g}, expected more than 0", speed));
  const double samples = std::ceil(trajectory.duration / (speed * period));
  if (!(samples <= static_cast<double>(most_samples)))
    throw Error(fmt::format("sampling: read {:g} s, which makes {:g} samples, expected at most {}", period, samples,
                            most_samples));
  std::vector<KnownState> states;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(samples); ++k) {
    const double t = static_cast<double>(k) * period;
    MotionState s = sample(trajectory, trajectory.start + speed * t);
    s.t = t;
    if (s.of_platform()) {
      auto& x = std::get<PlatformMotion>(s.motion);
      x.v *= speed, x.w *= speed, x.a *= speed * speed, x.dw *= speed * speed;
    } else {
      auto& x = std::get<ActuatorMotion>(s.motion);
      x.v *= speed, x.a *= speed * speed;
    }
    states.push_back({s, {}, {}, {}, {}, {}});
  }
  return states;
}

/// Rates of positions that were found one by one: quasi-static yielding has no rates of its own.
void differentiate(Reference& r) {
  const std::size_t n = r.rows.size();
  if (n < 3) return;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = std::clamp<std::size_t>(k, 1, n - 2);
    const VecX<double>&a = r.rows[i - 1].q, &b = r.rows[i].q, &c = r.rows[i + 1].q;
    const double off = static_cast<double>(k) - static_cast<double>(i);
    r.rows[k].a = (c - 2 * b + a) / (r.period * r.period);
    r.rows[k].v = (c - a) / (2 * r.period) + off * r.period * r.rows[k].a;
  }
}

Reference::Row row_of(const Mechanism<double>& m, const MotionState& state, const Workspace<double>& w) {
  Reference::Row r{state, drive_positions(m, w.q), drive_rates(m, w.v), drive_rates(m, w.a), w.tau};
  if (!m.platform.exists()) return r;
  const auto body = static_cast<std::size_t>(m.platform.body);
  const Motion<double>& V = w.V[body];
  r.p = platform_pose(m, w).p;
  r.pv = w.X0[body].R * (V.linear + cross<double>(V.angular, m.platform_frame.p));
  return r;
}

}  // namespace

const Reference::Row& Reference::at(double t) const {
  const double first = rows.front().state.t;
  const auto k = static_cast<long>(std::lround((t - first) / period));
  return rows[static_cast<std::size_t>(std::clamp<long>(k, 0, static_cast<long>(rows.size()) - 1))];
}

Desired desired_at(const Reference& r, double t) {
  const double first = r.rows.front().state.t, place = std::max(0.0, (t - first) / r.period);
  const std::size_t k = std::min(static_cast<std::size_t>(place), r.rows.size() - 1);
  const Reference::Row &a = r.rows[k], &b = r.rows[std::min(k + 1, r.rows.size() - 1)];
  const double h = r.period, s = std::min(1.0, place - static_cast<double>(k));
  const double f = s * s * (3 - 2 * s), fa = s * (1 - s) * (1 - s) * h, fb = s * s * (s - 1) * h;
  const double g = 6 * s * (1 - s) / h, ga = (1 - s) * (1 - 3 * s), gb = s * (3 * s - 2);
  Desired d;
  d.q = a.q + f * (b.q - a.q) + fa * a.v + fb * b.v;
  d.v = g * (b.q - a.q) + ga * a.v + gb * b.v;
  d.p = a.p + f * (b.p - a.p) + fa * a.pv + fb * b.pv;
  return d;
}

Standing standing_at(const Mechanism<double>& m, const VecX<double>& actuators) {
  const Mechanism<double> smooth = without_friction(m);
  const VecX<double> rest = VecX<double>::Zero(actuators.size());
  MotionState state;
  state.motion = ActuatorMotion{actuators, rest, rest};
  AlongOptions along;
  along.elastic = ElasticMotion::quasistatic;
  Standing s;
  const std::vector<KnownState> states = {{state, {}, {}, {}, {}, {}}};
  const AlongAnswer answer = inverse_along(smooth, states, along, [&](const AlongRow& row) {
    s = {row.w.q, row.w.tau};
    return true;
  });
  if (!answer.ok()) throw Error(answer.explain(m.name + ": the start"));
  return s;
}

Reference reference_of(const Mechanism<double>& model, const Trajectory& trajectory, double period,
                       const ReferenceOptions& options) {
  const std::vector<KnownState> states = states_of(trajectory, period, options.speed);
  Reference r;
  r.period = period;
  r.has_platform = model.platform.exists();
  AlongOptions along;
  along.elastic = options.elastic;
  const AlongAnswer answer = inverse_along(model, states, along, [&](const AlongRow& row) {
    if (!row.beyond.empty())
      throw Error(fmt::format("{}: the desired motion at t = {:g} s: {}", model.name, row.t, row.beyond));
    r.rows.push_back(row_of(model, states[row.index].motion, row.w));
    return true;
  });
  if (!answer.ok()) throw Error(answer.explain(model.name));
  if (options.elastic == ElasticMotion::quasistatic && !model.elastic.empty()) differentiate(r);
  r.resting = standing_at(model, r.rows.front().q).tau;
  return r;
}

}  // namespace gough
