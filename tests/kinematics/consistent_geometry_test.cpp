/// Overconstrained robots whose numbers were rounded: how far they are from one that fits, and work with that one.
#include "gough/kinematics/consistent_geometry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gough/spatial/rank.hpp"
#include "robots.hpp"

namespace gough::consistent_geometry_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

/// A parallelogram in a plane, written in 3-D: cranks of 0.3 m, 0.5 m apart; the far crank's axis is tilted and its coupler end misses.
std::string parallelogram(double tilt, double along, const std::string& more = "") {
  return fmt::format(R"(
robot: parallelogram
{}
bodies:
  near: {{mass: 1 kg, rod: [0.3, 0, 0]}}
  far: {{mass: 1 kg, rod: [0.3, 0, 0]}}
  coupler: {{mass: 2 kg, rod: [0.5, 0, 0]}}
joints:
  crank: {{type: revolute, parent: base, child: near, role: actuated, guess: 60 deg}}
  rocker: {{type: revolute, parent: base, child: far, origin: {{xyz: [0.5, 0, 0], rpy: [{}, 0, 0]}}, guess: 60 deg}}
  left: {{type: revolute, parent: near, child: coupler, origin: {{xyz: [0.3, 0, 0]}}, guess: -60 deg}}
  right: {{type: revolute, parent: far, child: coupler, origin: {{xyz: [0.3, 0, {}]}}, child_origin: {{xyz: [0.5, 0, 0]}}}}
)",
                     more, tilt, along);
}

/// How far the loops stay open when the crank is turned through a whole revolution in steps.
double worst_on_the_way(const Mechanism<double>& m) {
  Workspace<double> w(m);
  double worst = 0;
  VecX<double> a(1);
  for (int i = 1; i <= 24; ++i) {
    a[0] = m.home[position_index(m, m.actuator[0])] + 0.05 * i;
    const Answer answer = forward_kinematics(m, a, w);
    EXPECT_TRUE(answer.ok()) << answer.explain();
    if (!answer.ok()) return 1;
    worst = std::max(worst, m.open_by(w.phi));
  }
  return worst;
}

TEST(ConsistentGeometry, WhatFitsIsLeftAlone) {
  for (const std::string& name : shipped_robots()) {
    const Prepared p = prepare(read_robot(robot_path(name)));
    EXPECT_EQ(p.mechanism.closure_gap, 0) << name << ": " << p.mechanism.closure_gap_joint;
  }
}

TEST(ConsistentGeometry, ATiltedAxisIsFoundAndItsSizeIsSaid) {
  for (const double tilt : {1e-8, 1e-6, 1e-5}) {
    const Prepared refused = prepared_from(parallelogram(tilt, 0, "closure_tolerance: 1e-12 m"));
    EXPECT_FALSE(refused.home.assembly.closed) << "a rotation of " << tilt << " is above the default";
    EXPECT_THAT(refused.home.assembly.explain(refused.mechanism),
                AllOf(HasSubstr("fit each other only within"), HasSubstr("closure_tolerance")));
    const Prepared p = prepared_from(parallelogram(tilt, 0, "closure_tolerance: 5e-5 m"));
    ASSERT_TRUE(p.home.assembly.closed) << p.home.assembly.explain(p.mechanism);
    // one tilt over lengths of 0.3 to 0.5 m, shared by the frames of four joints
    EXPECT_LT(p.mechanism.closure_gap, tilt * 0.5);
    EXPECT_GT(p.mechanism.closure_gap, tilt * 0.5 / 16);
    EXPECT_NEAR(refused.home.assembly.gap, p.mechanism.closure_gap, 1e-3 * p.mechanism.closure_gap);
    EXPECT_EQ(p.mechanism.nv - p.mechanism.rank, 1);
    EXPECT_LT(worst_on_the_way(p.mechanism), closure_tolerance);
    const MobilityReport r = check_mobility(p.mechanism, p.home);
    EXPECT_EQ(r.mobility, 1);
    EXPECT_EQ(r.redundant.size(), 3U);
    EXPECT_THAT(r.findings, Contains(Field(&Finding::what, HasSubstr("the nearest geometry that fits is used"))));
  }
}

TEST(ConsistentGeometry, AnOffsetAlongTheAxesIsSharedByFourJoints) {
  // h along parallel axes: what must vanish is one sum of offsets. Both frames of all four joints add to it by shifts t, and each body with
  // joints d apart by turning both its frames by a, which adds d a and counts as two turns of L a. Least sum of squares:
  //   t = h / (8 + sum d^2 / 2 L^2),   L a = t d / 2 L, less than t here
  const double h = 1e-5;
  const Prepared p = prepared_from(parallelogram(0, h, "closure_tolerance: 1e-4 m"));
  ASSERT_TRUE(p.home.assembly.closed);
  Workspace<double> w(p.mechanism);
  tree_positions(p.mechanism, w);
  closure(p.mechanism, w);
  const double L = characteristic_length(p.mechanism, w), squares = 2 * (0.5 * 0.5 + 0.3 * 0.3);
  EXPECT_NEAR(p.mechanism.closure_gap, h / (8 + squares / (2 * L * L)), 1e-3 * h);
}

TEST(ConsistentGeometry, ForcesAreThoseOfTheGeometryThatWasMeant) {
  const auto holding = [](const std::string& text) {
    const Prepared p = prepared_from(text);
    VecX<double> q(1), none = VecX<double>::Zero(1);
    q[0] = 1.2;
    KnownState state;
    state.motion.motion = ActuatorMotion{q, none, none};
    double tau = 0;
    EXPECT_TRUE(inverse_along(p.mechanism, std::vector{state}, AlongOptions{}, [&](const AlongRow& row) {
                  tau = row.w.tau[0];
                  return true;
                }).ok());
    return tau;
  };
  const std::string lying = "gravity: [0, -9.81, 0]\n";
  const double meant = holding(parallelogram(0, 0, lying));
  // two cranks lifted at their middles, the coupler as a whole: cos(1.2) g (2 x 1 kg x 0.15 m + 2 kg x 0.3 m)
  EXPECT_NEAR(meant, 9.81 * std::cos(1.2) * 0.9, 1e-9);
  EXPECT_NEAR(holding(parallelogram(1e-6, 1e-6, lying + "closure_tolerance: 1e-5 m")), meant, 1e-4);
}

TEST(ConsistentGeometry, ZeroMeansTheGeometryIsMeantAsItIs) {
  const Prepared p = prepared_from(parallelogram(1e-3, 0, "closure_tolerance: 0 m"));
  EXPECT_EQ(p.mechanism.closure_gap, 0);
  EXPECT_EQ(p.home.assembly.gap, 0);
}

TEST(ConsistentGeometry, ALongChainOfLoopsThatAreAllOff) {
  // forty loops, every frame off its plane by up to half a micrometre
  RobotDescription robot = read_robot(robot_path("n_four_bar_40"));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> off(-0.5e-6, 0.5e-6);
  for (JointDescription& j : robot.joints) j.child_origin.p.z() += off(random);
  EXPECT_FALSE(prepare(robot).home.assembly.closed);
  robot.closure_tolerance = 1e-5;
  const Prepared p = prepare(robot);
  ASSERT_TRUE(p.home.assembly.closed) << p.home.assembly.explain(p.mechanism);
  EXPECT_GT(p.mechanism.closure_gap, 1e-9);
  EXPECT_LT(p.mechanism.closure_gap, 1e-6);
  EXPECT_EQ(p.mechanism.nv - p.mechanism.rank, 1);
}

}  // namespace
}  // namespace gough::consistent_geometry_test
