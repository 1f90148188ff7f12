#include <algorithm>

#include "gough/gough.hpp"
#include "oracle.hpp"
#include "targets.hpp"

namespace gough::fuzz {
namespace {

// Its folder has a table for `samples`.
const std::string motion_path = GOUGH_SOURCE_DIR "/tests/fuzz/inputs/fuzz.yaml";

/// Of a size that robots have: legs that reach far are nearly parallel, and looking for singular positions on the way takes long.
bool is_near(const MotionState& s) {
  constexpr double far = 10;  // [m or rad]
  return (s.of_platform() ? s.platform().pose.p.norm() : s.actuators().q.norm()) < far;
}

void try_forces_along(const Trajectory& t, const Mechanism<double>& m) {
  const Deadline time(2);
  const KnownMotion motion = known_motion(t, "fuzz.yaml", std::max(t.duration / 8, 1e-6));
  if (!std::all_of(motion.states.begin(), motion.states.end(), [](const KnownState& s) { return is_near(s.motion); }))
    return;
  InverseJob job;
  job.keep_table = true;
  job.after_row = [&](const AlongRow& row) {
    expect_finite(row.w.tau, "forces along the motion");
    return time.go_on();
  };
  const InverseReport report = report_inverse(m, motion, job);
  expect(!inverse_text(report).empty(), "inverse says nothing");
  if (report.answer.ok()) expect_good_json(inverse_json(report), "inverse --json");
}

void try_trajectory(const std::string& text, const Mechanism<double>& m) {
  const Trajectory t = parse_motion(text, motion_path, m);
  expect_finite(t.duration, "a duration");
  for (const double share : {-0.1, 0.0, 1e-9, 0.37, 0.5, 1.0, 1.1})
    expect_finite(sample(t, share * t.duration), "a sample");
  for (const double at : knots(t)) expect_finite(sample(t, at), "a sample at a knot");
  try_forces_along(t, m);
}

}  // namespace

void try_motion_file(const std::string& text) {
  static const Mechanism<double> five_bar = load_robot(GOUGH_SOURCE_DIR "/robots/five_bar.yaml");
  static const Mechanism<double> hexapod = load_robot(GOUGH_SOURCE_DIR "/robots/hexapod.yaml");
  unless_refused([&] { try_trajectory(text, five_bar); });
  unless_refused([&] { try_trajectory(text, hexapod); });
}

}  // namespace gough::fuzz
