/// Robots written in different ways are the same mechanism: ranks, lengths and indices are the same numbers.
#include "gough/kinematics/joint_graph.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "gough/kinematics/mobility.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/spatial/rank.hpp"
#include "kinematics/states.hpp"
#include "robots.hpp"

namespace gough::joint_graph_test {
namespace {

MobilityReport check(const std::string& text) {
  const Prepared ready = prepared_from(text);
  return check_mobility(ready.mechanism, ready.home);
}

/// Rounding in the assembled homes.
constexpr double rounding = 1e-9;

void expect_same(const std::optional<double>& one, const std::optional<double>& other) {
  EXPECT_EQ(one.has_value(), other.has_value());
  EXPECT_NEAR(one.value_or(-1), other.value_or(-1), rounding);
}

void expect_same_mechanism(const MobilityReport& one, const MobilityReport& other) {
  EXPECT_EQ(one.mobility, other.mobility);
  EXPECT_NEAR(one.characteristic_length, other.characteristic_length, rounding);
  expect_same(one.singularity.type1, other.singularity.type1);
  expect_same(one.singularity.type2, other.singularity.type2);
  expect_same(one.singularity.constraint, other.singularity.constraint);
}

std::string six_r_with_balls() {
  std::string text = robot_text("six_r");
  text = with(text, "    hip_cross: {}\n    hip_fork: {}\n", "");
  const std::size_t first = text.find("    hip1:"), last = text.find("    knee:");
  return text.replace(
      first, last - first,
      "    hip: {type: spherical, parent: base, child: thigh, origin: {rpy: [0, 180.359995230315 deg, 0]}}\n");
}

TEST(JointGraph, ThreeHingesInMasslessRingsAreABall) {
  expect_same_mechanism(check(six_r_with_balls()), check(robot_text("six_r")));
}

TEST(JointGraph, ThreeHingesInMasslessRingsAreABallInEveryPosture) {
  // not only at home, where their axes are normal to each other
  const Mechanism<double> rings = prepared_from(robot_text("six_r")).mechanism,
                          balls = prepared_from(six_r_with_balls()).mechanism;
  InverseOptions options;
  options.check_limits = false;
  const Transform<double> pose{rotation_from_vector<double>({0.2, -0.1, 0.3}), {0.06, 0.04, -0.57}};
  Workspace<double> a(rings), b(balls);
  ASSERT_TRUE(inverse_kinematics(rings, pose, a, options).ok());
  ASSERT_TRUE(inverse_kinematics(balls, pose, b, options).ok());
  tree_positions(rings, a), closure(rings, a), tree_positions(balls, b), closure(balls, b);
  const SingularityIndices x = singularity_indices(rings, a), y = singularity_indices(balls, b);
  expect_same(x.type1, y.type1);
  expect_same(x.type2, y.type2);
}

/// The description with the posture of a prepared robot as the start of its joints.
RobotDescription in_posture_of(RobotDescription robot, const Mechanism<double>& m) {
  Workspace<double> w = placed(m, m.home);
  tree_velocities(m, w);
  closure_bias(m, w);
  tree_accelerations(m, w);
  cut_coordinates(m, w);
  std::map<std::string, double> position;
  for (const TreeJoint& j : m.joint)
    if (j.type == Elementary::revolute || j.type == Elementary::prismatic)
      position[m.coordinate[at(j.v)].name] = w.q[j.q];
  for (int c = 0; c < m.cut_coordinates(); ++c) position[m.coordinate[at(m.nv + c)].name] = w.cq[c];
  for (JointDescription& j : robot.joints)
    for (std::size_t k = 0; k < j.coordinates.size(); ++k)
      if (const auto found = position.find(coordinate_name(j, k)); found != position.end())
        j.coordinates[k].guess = found->second;
  return robot;
}

TEST(JointGraph, APlatformMayFloatOrBeCarriedByALeg) {
  for (const std::string name : {"hexa", "delta", "rrr3"}) {
    SCOPED_TRACE(name);
    const RobotDescription floating = read_robot(robot_path(name));
    const Prepared a = prepare(floating);
    RobotDescription carried = in_posture_of(floating, a.mechanism);
    std::find_if(carried.joints.begin(), carried.joints.end(), [&](const JointDescription& j) {
      return j.child == carried.platform->body || j.parent == carried.platform->body;
    })->cut = false;
    const Prepared b = prepare(carried);
    ASSERT_TRUE(a.mechanism.platform.floats);
    ASSERT_FALSE(b.mechanism.platform.floats);
    ASSERT_LT((platform_pose(a.mechanism, placed(a.mechanism, a.mechanism.home)).p -
               platform_pose(b.mechanism, placed(b.mechanism, b.mechanism.home)).p)
                  .norm(),
              1e-9);
    expect_same_mechanism(check_mobility(a.mechanism, a.home), check_mobility(b.mechanism, b.home));
  }
}

TEST(JointGraph, LoopsMayBeCutAtAnyJoint) {
  for (const std::string name : {"four_bar", "redundant_five_bar", "fourbar2"}) {
    SCOPED_TRACE(name);
    const RobotDescription robot = read_robot(robot_path(name));
    const Prepared as_it_is = prepare(robot);
    const MobilityReport expected = check_mobility(as_it_is.mechanism, as_it_is.home);
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      if (robot.joints[j].coordinates.size() == 1 && robot.joints[j].coordinates[0].actuated) continue;
      RobotDescription other = robot;
      for (JointDescription& each : other.joints) each.cut.reset();
      other.joints[j].cut = true;
      const Prepared p = prepare(other);
      ASSERT_TRUE(p.home.assembly.closed);
      expect_same_mechanism(check_mobility(p.mechanism, p.home), expected);
    }
  }
}

TEST(JointGraph, APlateOfTwoLockedPartsIsAPlate) {
  std::string text = with(robot_text("delta"), "platform: {mass: 0.5 kg, inertia: [5e-4, 5e-4, 1e-3]}",
                          "platform: {mass: 0.3 kg, inertia: [5e-4, 5e-4, 1e-3]}\n  half: {mass: 0.2 kg}");
  text = with(text, "platform: [0, 0, -0.70, 0, 0, 0]", "platform: [0, 0, -0.70, 0, 0, 0]\n  joints: {hinge: 0}");
  text +=
      "\njoints:\n  hinge: {type: revolute, parent: platform, child: half, origin: {xyz: [0.01, 0.02, 0]}, role: "
      "locked}\n";
  expect_same_mechanism(check(text), check(robot_text("delta")));
}

TEST(JointGraph, RodsWithoutMassAreRods) {
  // they become distances, the others keep bodies that do not spin
  const std::string massless = with(robot_text("delta"), "{mass: 0.1 kg, rod: [0.8, 0, 0]}", "{}");
  const Prepared light = prepared_from(massless);
  EXPECT_EQ(std::count_if(light.mechanism.cut.begin(), light.mechanism.cut.end(),
                          [](const CutJoint& c) { return c.kind == JointKind::distance; }),
            6);
  expect_same_mechanism(check(massless), check(robot_text("delta")));
}

TEST(JointGraph, WhatHangsOnThePlatformChangesNothingOfItsLoops) {
  const MobilityReport expected = check(robot_text("delta"));
  const std::string payload =
      with(robot_text("delta"), "bodies:\n  platform:", "bodies:\n  payload: {mass: 1 kg}\n  platform:") +
      "\njoints:\n  swivel: {type: universal, parent: platform, child: payload, origin: {xyz: [0.1, 0, 0.3]}}\n";
  const MobilityReport found = check(payload);
  EXPECT_EQ(found.mobility, expected.mobility + 2);
  EXPECT_NEAR(found.characteristic_length, expected.characteristic_length, rounding);
  expect_same(found.singularity.type1, expected.singularity.type1);
  expect_same(found.singularity.constraint, expected.singularity.constraint);
}

TEST(JointGraph, AWristBehindThePlateChangesNothingOfItsLoops) {
  const MobilityReport expected = check(robot_text("delta"));
  std::string text =
      with(robot_text("delta"),
           "bodies:\n  platform:", "bodies:\n  flange: {mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3]}\n  platform:");
  text = with(text, "body: platform\n  coordinates: [x, y, z]", "body: flange\n  coordinates: [x, y, z, rz]");
  text = with(text, "platform: [0, 0, -0.70, 0, 0, 0]",
              "platform: [0, 0, -0.70, 0, 0, 0]\n  joints: {wrist: 0}\n  guess: {hold1l.ry: -116.94435818047575 deg}");
  text = with(text, "child: platform, origin: {xyz: [0.8, 0, 0]}, child_origin: {xyz: [0, -0.04, 0]}",
              "child: plate, origin: {xyz: [0.8, 0, 0]}, child_origin: {xyz: [0, -0.04, 0]}");
  // the legs hold `plate`; their places on it are written out, because only the platform has placements
  std::string joints = "\njoints:\n  wrist: {type: revolute, parent: plate, child: flange, role: actuated}\n";
  for (int leg = 0; leg < 3; ++leg)
    for (const double side : {-0.04, 0.04}) {
      const double azimuth = leg * 2.0943951023931953, x = 0.05 * std::cos(azimuth) - side * std::sin(azimuth),
                   y = 0.05 * std::sin(azimuth) + side * std::cos(azimuth);
      joints += fmt::format(
          "  hold{0}{1}: {{type: spherical, parent: leg{0}.{2}_rod, child: plate, origin: {{xyz: [0.8, 0, 0]}}, "
          "child_origin: {{xyz: [{3:.17g}, {4:.17g}, 0]}}}}\n",
          leg + 1, side < 0 ? "l" : "r", side < 0 ? "left" : "right", x, y);
    }
  const std::size_t wrists = text.find("    left_wrist:"), placements = text.find("  placements:");
  text.erase(wrists, placements - wrists);
  for (const std::string azimuth : {"0", "120", "240"})
    text = with(text, ", platform: {polar: [0.05, " + azimuth + " deg, 0]}", "");
  text = with(text, "  platform: {mass: 0.5 kg, inertia: [5e-4, 5e-4, 1e-3]}\n",
              "  plate: {mass: 0.5 kg, inertia: [5e-4, 5e-4, 1e-3]}\n") +
         joints;
  const MobilityReport found = check(text);
  EXPECT_EQ(found.mobility, 4);
  EXPECT_NEAR(found.characteristic_length, expected.characteristic_length, rounding);
  expect_same(found.singularity.type1, expected.singularity.type1);
  expect_same(found.singularity.constraint, expected.singularity.constraint);
}

TEST(JointGraph, APinOfManyBodiesMayBeWrittenWithAnyOfThemAsItsCarrier) {
  // Andrews' mechanism: K2, K3, K4 and K6 meet in one point; here K3 carries the pin instead of K2.
  std::string text = robot_text("andrews");
  text = with(text, "parent: K2, child: K4, origin: {xyz: [-0.028, 0, 0]}",
              "parent: K3, child: K4, origin: {xyz: [0, -0.035, 0]}");
  text = with(text, "parent: K2, child: K6, origin: {xyz: [-0.028, 0, 0]}",
              "parent: K3, child: K6, origin: {xyz: [0, -0.035, 0]}");
  expect_same_mechanism(check(text), check(robot_text("andrews")));
}

TEST(JointGraph, CyclesAreAsManyAsLoopsAndCloseForEveryMotion) {
  for (const std::string& name : shipped_robots()) {
    SCOPED_TRACE(name);
    const Mechanism<double>& m = shipped(name);
    if (m.equations == 0 || m.elastic.size() > 0) continue;
    const Workspace<double> w = placed(m, m.home);
    const JointGraph g = joint_graph(m, w);
    const MatX<double> Q = loop_matrix(g, g.all_joints(), g.centre), C = cycle_matrix(g);
    EXPECT_EQ(C.rows(), Q.rows()) << "as many cycles";
    const auto rank = [](const MatX<double>& A) { return numerical_rank(A); };
    MatX<double> both(Q.rows() + C.rows(), Q.cols());
    both << Q, C;
    EXPECT_EQ(rank(both), rank(Q)) << "the same motions";
    EXPECT_EQ(rank(C), rank(Q));
  }
}

TEST(JointGraph, FreedomsAreThoseOfTheTree) {
  for (const std::string& name : shipped_robots()) {
    const Mechanism<double>& m = shipped(name);
    if (!m.elastic.empty()) continue;
    const Workspace<double> w = placed(m, m.home);
    const JointGraph g = joint_graph(m, w);
    const MatX<double> C = loop_matrix(g, g.all_joints(), g.centre);
    EXPECT_EQ(C.cols() - numerical_rank(C) - g.idle, m.nv - numerical_rank(w.K) - m.idle_free) << name;
  }
}

}  // namespace
}  // namespace gough::joint_graph_test
