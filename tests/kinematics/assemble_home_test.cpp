/// Home positions: on the branch of the guesses, from other starts where the file's does not close, at any scale.
#include "gough/kinematics/assemble_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "robots.hpp"

namespace gough::assemble_home_test {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

/// A carriage on a rail, a rod of 0.5 m, a block that stands 0.3 m above the rail: the carriage is 0.4 m to the left or to the right.
std::string slide_and_rod(const std::string& guess) {
  return fmt::format(R"(
robot: slide_and_rod
bodies:
  carriage: {{mass: 1 kg}}
  rod: {{mass: 1 kg, rod: [0.5, 0, 0]}}
  block: {{mass: 1 kg}}
joints:
  rail: {{type: prismatic, parent: base, child: carriage, axis: [1, 0, 0], role: actuated{}}}
  foot: {{type: revolute, parent: carriage, child: rod}}
  column: {{type: prismatic, parent: base, child: block, axis: [0, 1, 0], home: 0.3 m}}
  head: {{type: revolute, parent: rod, child: block, origin: {{xyz: [0.5, 0, 0]}}}}
)",
                     guess);
}

double position(const Mechanism<double>& m, const std::string& name) {
  Workspace<double> w(m);
  tree_positions(m, w);
  for (const auto& [coordinate, value] : named_positions(m, w))
    if (coordinate == name) return value;
  ADD_FAILURE() << "no coordinate " << name;
  return 0;
}

TEST(HomeOnABranch, TheGuessDecidesBetweenTwo) {
  for (const double side : {-1.0, 1.0}) {
    const Prepared p = prepared_from(slide_and_rod(fmt::format(", guess: {} m", 0.5 * side)));
    ASSERT_TRUE(p.home.assembly.closed);
    EXPECT_TRUE(p.home.as_given);
    EXPECT_EQ(p.home.departed, "");
    EXPECT_NEAR(position(p.mechanism, "rail"), 0.4 * side, 1e-12) << "3, 4 and 5: a right triangle";
  }
}

TEST(HomeOnABranch, AGuessThatCannotBeKeptIsNamed) {
  const Prepared p = prepared_from(slide_and_rod(", guess: 1.5 m"));
  ASSERT_TRUE(p.home.assembly.closed);
  EXPECT_EQ(p.home.departed, "rail");
  EXPECT_NEAR(p.home.reached, 0.4, 1e-12) << "the nearer one of the two";
  EXPECT_EQ(p.home.guess, 1.5);
  const MobilityReport r = check_mobility(p.mechanism, p.home);
  EXPECT_THAT(r.findings, Contains(Field(&Finding::what, HasSubstr("'rail' is at 0.4 m, guessed at 1.5 m"))));
}

TEST(HomeOnABranch, EveryShippedRobotIsOnTheBranchOfItsGuesses) {
  for (const std::string& name : shipped_robots()) {
    const Prepared p = prepare(read_robot(robot_path(name)));
    EXPECT_EQ(p.home.departed, "") << name << ": guessed " << p.home.guess << ", reached " << p.home.reached;
    EXPECT_EQ(p.home.starts, 1) << name;
  }
}

TEST(OtherStarts, WhatCannotCloseSaysSoWhereverItStarts) {
  const Prepared p = prepared_from(with(slide_and_rod(""), "home: 0.3 m", "home: 0.7 m"));
  EXPECT_FALSE(p.home.as_given);
  EXPECT_TRUE(p.home.assembly.closed) << "the block came down";
  EXPECT_EQ(p.home.moved_most, "column");
  EXPECT_GE(p.home.largest_move, 0.2 - 1e-9) << "from 0.7 m to 0.5 m at most";
}

// ------------------------------------------------------------------------------------------------ scale

/// The same robot, so many times as long and as heavy.
RobotDescription scaled(RobotDescription robot, double length, double mass) {
  const double force = mass * length;  // in the same time
  const auto grow = [&](Range& r) { r.lower *= length, r.upper *= length; };
  robot.gravity *= length;
  for (BodyDescription& b : robot.bodies) {
    b.mass *= mass, b.com *= length, b.inertia *= mass * length * length;
    for (auto& [m, place] : b.points) m *= mass, place *= length;
  }
  for (JointDescription& j : robot.joints) {
    j.origin.p *= length, j.child_origin.p *= length, j.length *= length;
    for (std::size_t k = 0; k < j.coordinates.size(); ++k) {
      CoordinateDescription& c = j.coordinates[k];
      const bool is_length = coordinate_kinds(j.kind)[k].is_length;
      c.stiffness *= is_length ? mass : force * length, c.damping *= is_length ? mass : force * length;
      c.rotor_inertia *= mass * length * length;
      if (is_length) c.ratio /= length, c.rest *= length, c.velocity *= length, c.acceleration *= length;
      if (is_length && c.home) *c.home *= length;
      if (is_length && c.guess) *c.guess *= length;
      if (is_length) grow(c.position);
      c.force *= is_length ? force : force * length;
      c.friction.clear();
    }
  }
  if (robot.platform) {
    robot.platform->frame.p *= length, robot.platform->tool.p *= length;
    for (std::size_t i = 0; i < 3; ++i) {
      if (robot.platform->home[i]) *robot.platform->home[i] *= length;
      grow(robot.platform->limits[i]);
    }
  }
  return robot;
}

class AtAnyScale : public testing::TestWithParam<std::tuple<const char*, double, double>> {};

TEST_P(AtAnyScale, TheCheckSaysTheSame) {
  const auto& [name, length, mass] = GetParam();
  const RobotDescription robot = read_robot(robot_path(name));
  const Prepared one = prepare(robot), other = prepare(scaled(robot, length, mass));
  ASSERT_TRUE(other.home.assembly.closed) << other.home.assembly.explain(other.mechanism);
  EXPECT_LE(other.home.assembly.residual, 1e-12 * length);
  const MobilityReport a = check_mobility(one.mechanism, one.home), b = check_mobility(other.mechanism, other.home);
  EXPECT_EQ(b.mobility, a.mobility);
  EXPECT_EQ(b.rank, a.rank);
  EXPECT_EQ(b.actuation, a.actuation);
  EXPECT_EQ(b.idle.size(), a.idle.size());
  EXPECT_NEAR(b.characteristic_length, length * a.characteristic_length, 1e-9 * length * a.characteristic_length);
  ASSERT_EQ(b.singularity.type2.has_value(), a.singularity.type2.has_value());
  if (a.singularity.type2) {
    EXPECT_NEAR(*b.singularity.type2, *a.singularity.type2, 1e-6 * (1 + *a.singularity.type2));
  }
}

TEST_P(AtAnyScale, ForcesGrowWithMassAndLength) {
  const auto& [name, length, mass] = GetParam();
  const RobotDescription robot = scaled(read_robot(robot_path(name)), 1, 1);
  const Mechanism<double> one = prepare(robot).mechanism, other = prepare(scaled(robot, length, mass)).mechanism;
  const auto holding = [](const Mechanism<double>& m) {
    const auto n = static_cast<Eigen::Index>(m.actuator.size());
    VecX<double> q(n), tau;
    for (Eigen::Index i = 0; i < n; ++i) q[i] = m.home[position_index(m, m.actuator[static_cast<std::size_t>(i)])];
    KnownState standing;
    standing.motion.motion = ActuatorMotion{q, VecX<double>::Zero(n), VecX<double>::Zero(n)};
    const AlongAnswer answer = inverse_along(m, std::vector{standing}, AlongOptions{}, [&](const AlongRow& row) {
      tau = row.w.tau;
      return true;
    });
    EXPECT_TRUE(answer.ok()) << answer.reason;
    return tau;
  };
  const VecX<double> a = holding(one), b = holding(other);
  ASSERT_EQ(a.size(), b.size());
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    const bool is_length =
        one.coordinate[static_cast<std::size_t>(one.actuator[static_cast<std::size_t>(i)])].is_length;
    const double unit = mass * length * (is_length ? 1 : length);
    EXPECT_NEAR(b[i] / unit, a[i], 1e-7 * a.cwiseAbs().maxCoeff() + 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, AtAnyScale,
                         testing::Combine(testing::Values("four_bar", "five_bar", "delta", "hexapod", "rrr3"),
                                          testing::Values(1e-9, 1e-4, 1e4, 1e9), testing::Values(1e-9, 1.0, 1e9)));

}  // namespace
}  // namespace gough::assemble_home_test
