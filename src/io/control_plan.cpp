#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "control_parts.hpp"
#include "gough/error.hpp"
#include "gough/flexible/bending.hpp"
#include "study_tables.hpp"

namespace gough {
namespace {

using namespace io;
constexpr double full_turn = 2 * std::numbers::pi;

void expect_positive(const Where& where, const char* key, double x) {
  if (!(x > 0)) throw Error(where, fmt::format("{}: read {:g}, expected more than 0", key, x));
}
void expect_not_negative(const Where& where, const char* key, double x) {
  if (!(x >= 0)) throw Error(where, fmt::format("{}: read {:g}, expected 0 or more", key, x));
}
/// A whole number.
int counted(const Where& where, const char* key, double x, double most, const char* what) {
  if (!(x >= 0 && x <= most) || x != std::floor(x))
    throw Error(where, fmt::format("{}: read {:g}, expected {} from 0 to {:g}", key, x, what, most));
  return static_cast<int>(x);
}

/// The longest run: the slowest speed in the shortest samples.
void refuse_too_many_samples(const FileControl& c, double duration) {
  double speed = 1, period = c.sampling;
  for (const double x : c.sweep.speed) speed = std::min(speed, x);
  for (const double x : c.sweep.sampling) period = std::min(period, x);
  const double samples = std::max(duration / (speed * c.sampling), duration / period);
  if (!(samples <= static_cast<double>(most_samples)))
    throw Error(c.where,
                fmt::format("sampling: read what makes {:g} samples, expected at most {}", samples, most_samples));
}

SamplingOptions sampling_of(const FileControl& c) {
  expect_not_negative(c.where, "encoder", c.encoder);
  expect_not_negative(c.where, "velocity_filter", c.velocity_filter);
  expect_not_negative(c.where, "force", c.force);
  expect_not_negative(c.where, "force_rate", c.force_rate);
  SamplingOptions o;
  o.encoder = c.encoder;
  o.velocity_filter = c.velocity_filter / full_turn;
  o.delay = counted(c.where, "delay", c.delay, 100, "a number of samples");
  if (c.force > 0) o.force = c.force;
  if (c.force_rate > 0) o.force_rate = c.force_rate;
  return o;
}

std::vector<ControlRun> runs_of(const FileControl& c, const Trajectory& trajectory) {
  std::vector<ControlRun> all;
  for (const FileControlRun& r : c.runs) {
    check_plain_name("name", r.name, r.where);
    if (std::any_of(all.begin(), all.end(), [&](const ControlRun& x) { return x.name == r.name; }))
      throw Error(r.where, fmt::format("read the run '{}' twice, expected names of their own", r.name));
    const auto law = static_cast<LawKind>(r.law);
    if (r.generated && (law != LawKind::computed_force || trajectory.moves != Moves::platform))
      throw Error(r.where,
                  "generated: read true, expected it with law: computed_force and a motion of the platform only");
    const ElasticMotion elastic = r.elastic == 0 ? ElasticMotion::locked : ElasticMotion::quasistatic;
    expect_not_negative(r.where, "payload", r.payload);
    expect_positive(r.where, "rate", r.rate);
    all.push_back({r.name, law, r.friction, r.payload, elastic, r.rate, r.generated});
  }
  return all;
}

/// What this robot cannot do.
void refuse_unsuited(const FileControl& c, const Mechanism<double>& m) {
  const auto carries = [](double x) { return x > 0; };
  const bool payload = c.plant.payload > 0 || std::any_of(c.sweep.payload.begin(), c.sweep.payload.end(), carries) ||
                       std::any_of(c.runs.begin(), c.runs.end(), [](const FileControlRun& r) { return r.payload > 0; });
  if (payload && !m.platform.exists())
    throw Error(c.where, m.name + ": read a payload, expected a robot with a platform");
  try {
    gains_for(m, {});
    if (c.identical_legs || c.symmetric) parameter_space(m, {c.identical_legs, c.symmetric});
  } catch (const Error& e) { throw Error(c.where, e.what()); }
}

std::vector<std::size_t> swept(const FileSweep& sweep, const std::vector<ControlRun>& runs) {
  std::vector<std::size_t> all;
  for (const std::string& wanted : sweep.runs) {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const ControlRun& x) { return x.name == wanted; });
    if (found == runs.end())
      throw Error(sweep.where, fmt::format("runs: read '{}', expected the name of a run", wanted.substr(0, 80)));
    all.push_back(static_cast<std::size_t>(found - runs.begin()));
  }
  if (all.empty())
    for (std::size_t i = 0; i < runs.size(); ++i) all.push_back(i);
  return all;
}

}  // namespace

ControlPlan io::control_plan(const FileControl& c, const Trajectory& trajectory, const Mechanism<double>& m) {
  expect_positive(c.where, "sampling", c.sampling);
  expect_positive(c.where, "position_bandwidth", c.position_bandwidth);
  expect_positive(c.where, "velocity_bandwidth", c.velocity_bandwidth);
  expect_not_negative(c.where, "smooth", c.smooth);
  expect_not_negative(c.where, "plant_step", c.plant_step);
  expect_not_negative(c.plant.where, "payload", c.plant.payload);
  for (const double x : c.sweep.speed) expect_positive(c.sweep.where, "speed", x);
  for (const double x : c.sweep.sampling) expect_positive(c.sweep.where, "sampling", x);
  for (const double x : c.sweep.payload) expect_not_negative(c.sweep.where, "payload", x);
  refuse_too_many_samples(c, trajectory.duration);
  refuse_unsuited(c, m);
  ControlPlan plan;
  plan.trajectory = trajectory;
  plan.period = c.sampling;
  plan.sampling = sampling_of(c);
  plan.bandwidths = {c.position_bandwidth / full_turn, c.velocity_bandwidth / full_turn};
  plan.parameters = {c.identical_legs, c.symmetric};
  plan.base_share = c.plant.parameters, plan.friction_share = c.plant.friction, plan.payload = c.plant.payload;
  plan.seed = static_cast<unsigned>(counted(c.plant.where, "seed", c.plant.seed, 1e9, "a number"));
  plan.modes = static_cast<int>(counted(c.plant.where, "modes", c.plant.modes, most_modes, "a number of modes"));
  if (plan.modes > 0 && (plan.base_share != 0 || plan.friction_share != 0 || !c.sweep.parameters.empty()))
    throw Error(c.plant.where, "modes: read them with parameters or friction that differ, expected one of both");
  plan.smooth = c.smooth;
  plan.plant_step = c.plant_step;
  plan.runs = runs_of(c, trajectory);
  plan.speeds = c.sweep.speed, plan.shares = c.sweep.parameters;
  plan.payloads = c.sweep.payload, plan.periods = c.sweep.sampling;
  plan.swept = swept(c.sweep, plan.runs);
  return plan;
}

}  // namespace gough
