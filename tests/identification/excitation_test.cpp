/// Excitations keep every limit, start at rest, and are better than what they start from.
#include "gough/identification/excitation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gough/dynamics/along.hpp"
#include "gough/error.hpp"
#include "gough/io/excitation_report.hpp"
#include "gough/io/motion_file.hpp"
#include "kinematics/states.hpp"

namespace gough::excitation_test {
namespace {

/// The largest share of limits that drives use, at many times.
void expect_within(const Mechanism<double>& m, const Trajectory& motion, const ExcitationLimits& limits) {
  std::vector<KnownState> states;
  for (int i = 0; i <= 2000; ++i) states.push_back({sample(motion, motion.duration * i / 2000), {}, {}, {}, {}, {}});
  const AlongAnswer answer = inverse_along(m, states, {}, [&](const AlongRow& row) {
    EXPECT_EQ(row.beyond, "");
    for (std::size_t a = 0; a < m.actuator.size(); ++a) {
      EXPECT_LE(std::abs(row.w.v[m.actuator[a]]), limits.velocity);
      EXPECT_LE(std::abs(row.w.a[m.actuator[a]]), limits.acceleration);
      EXPECT_LE(std::abs(row.w.tau[static_cast<Eigen::Index>(a)]), limits.force);
    }
    return true;
  });
  EXPECT_TRUE(answer.ok()) << answer.reason;
}

class Excites : public testing::TestWithParam<std::string> {};

TEST_P(Excites, WithinAllLimits) {
  const Mechanism<double>& m = shipped(GetParam());
  ExcitationOptions o;
  o.parameters.identical_legs = GetParam() != "five_bar";
  o.evaluations = 80;
  o.period = 4;
  o.limits = {2, 15, 200};
  std::size_t calls = 0;
  o.after = [&](std::size_t n, double) { return calls = n, true; };
  const Excitation e = excite(m, o);
  EXPECT_EQ(e.evaluations, calls);
  EXPECT_LE(calls, 80U);
  EXPECT_LT(e.condition, e.first_condition);
  EXPECT_FALSE(e.limits.empty());
  EXPECT_LE(e.limits.front().share, 1);
  const Trajectory motion = e.trajectory(m);
  expect_within(m, motion, o.limits);
  // from home, at rest, without a jump
  const MotionState first = sample(motion, 0);
  if (first.of_platform()) {
    Workspace<double> w(m);
    tree_positions(m, w);
    EXPECT_LT((first.platform().pose.p - platform_pose(m, w).p).norm(), 1e-9);
    EXPECT_LT(first.platform().v.norm() + first.platform().w.norm(), 1e-9);
    EXPECT_LT(first.platform().a.norm() + first.platform().dw.norm(), 1e-8);
  }
  // the file is the same motion
  const Trajectory read = parse_motion(excitation_motion(m, e), "excitation", m);
  EXPECT_NEAR(read.duration, motion.duration, 1e-12);
  for (const double t : {0.3, 2.2}) {
    const MotionState a = sample(motion, t), b = sample(read, t);
    if (a.of_platform()) { EXPECT_LT((a.platform().pose.p - b.platform().pose.p).norm(), 1e-8); }
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, Excites, testing::Values("palida", "five_bar", "delta", "rrr3"),
                         [](const auto& i) { return i.param; });

TEST(Excitation, CanBeStopped) {
  ExcitationOptions o;
  o.evaluations = 1000;
  o.after = [](std::size_t n, double) { return n < 10; };
  const Excitation e = excite(shipped("five_bar"), o);
  EXPECT_TRUE(e.stopped);
  EXPECT_LE(e.evaluations, 12U);
  EXPECT_GT(e.sine.norm(), 0);
}

TEST(Excitation, SaysWhereNoMotionIsAllowed) {
  ExcitationOptions o;
  o.limits.force = 1e-3;  // less than the weight
  EXPECT_THROW(excite(shipped("palida"), o), Error);
}

TEST(LineRuns, KeepTheirSpeeds) {
  const Mechanism<double>& m = shipped("palida");
  const ExcitationLimits limits = {0.5, 10, 1000};
  for (const bool friction : {true, false}) {
    const LineRuns runs = friction ? constant_speed_runs(m, limits) : acceleration_runs(m, limits);
    EXPECT_EQ(runs.runs.size(), friction ? 30U : 18U);
    const Trajectory motion = parse_motion(line_runs_motion(m, runs, "runs"), "runs", m);
    expect_within(m, motion, limits);
  }
}

}  // namespace
}  // namespace gough::excitation_test
