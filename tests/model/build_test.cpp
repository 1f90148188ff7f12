#include "gough/model/build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <set>

#include "decompositions.hpp"
#include "gough/kinematics/assemble.hpp"
#include "robots.hpp"

namespace gough::build_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::vector<std::string> cuts(const Structure& m) {
  std::vector<std::string> names;
  for (const CutJoint& c : m.cut) names.push_back(c.name);
  return names;
}

/// The author's frame of a body, in the base, where the mechanism's home stands.
Transform<double> body_pose(const Mechanism<double>& m, const std::string& body) {
  Workspace<double> w(m);
  tree_positions(m, w);
  const int j = m.find_body(body);
  return (j == base ? Transform<double>() : w.X0[at(j)]) * m.author_frame(body);
}

double distance(const Transform<double>& a, const Transform<double>& b) {
  return (a.R - b.R).norm() + (a.p - b.p).norm();
}

std::string refusal(const std::string& text) {
  try {
    built_from(text);
  } catch (const Error& e) { return e.what(); }
  return "";
}

// ------------------------------------------------------------------------------------------------ every robot

class EveryRobotBuilt : public testing::TestWithParam<std::string> {
 protected:
  Mechanism<double> m = load_robot(robot_path(GetParam()));
};
INSTANTIATE_TEST_SUITE_P(Build, EveryRobotBuilt, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(EveryRobotBuilt, ParentsComeBeforeTheirChildren) {
  for (int j = 0; j < m.tree_size(); ++j) EXPECT_TRUE(m.parent[at(j)] >= base && m.parent[at(j)] < j);
}

TEST_P(EveryRobotBuilt, CoordinatesAreNumberedThroughTheTreeThenTheCuts) {
  int q = 0, v = 0;
  for (const TreeJoint& j : m.joint) {
    EXPECT_EQ(std::pair(j.q, j.v), std::pair(q, v));
    q += position_size(j.type);
    v += velocity_size(j.type);
  }
  EXPECT_EQ(std::pair(m.nq, m.nv), std::pair(q, v));
  for (const CutJoint& c : m.cut) {
    EXPECT_EQ(c.first_coordinate, v);
    v += static_cast<int>(coordinate_kinds(c.kind).size());
  }
  EXPECT_EQ(m.coordinate.size(), at(v));
  EXPECT_EQ(m.home.size(), m.nq);
}

TEST_P(EveryRobotBuilt, LegsAreContiguousAndTogetherHoldEverythingButTheFloatingPlatform) {
  std::vector<int> owner(m.parent.size(), -1);
  for (std::size_t l = 0; l < m.leg.size(); ++l) {
    const Leg& leg = m.leg[l];
    EXPECT_EQ(leg.first_v, m.joint[at(leg.first_body)].v);
    int coordinates = 0;
    for (int j = leg.first_body; j < leg.first_body + leg.bodies; ++j) {
      EXPECT_EQ(std::exchange(owner[at(j)], static_cast<int>(l)), -1) << "a body in two legs";
      coordinates += velocity_size(m.joint[at(j)].type);
    }
    EXPECT_EQ(leg.coordinates, coordinates);
  }
  for (int j = 0; j < m.tree_size(); ++j) {
    const bool alone = m.platform.floats && j == m.platform.body;
    EXPECT_EQ(owner[at(j)] < 0, alone) << m.body_name[at(j)];
    if (m.parent[at(j)] == base) continue;
    EXPECT_EQ(owner[at(j)], owner[at(m.parent[at(j)])]) << "a leg is a branch";
  }
}

TEST_P(EveryRobotBuilt, TheMatrixOfTheLoopsIsZeroOffThePathsOfTheCuts) {
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  for (const CutJoint& cut : m.cut) {
    std::set<int> path;
    for (const CutJoint::Step& s : cut.path) path.insert(s.body);
    for (int j = 0; j < m.tree_size(); ++j) {  // on the path: exactly the ancestors of one end but not of both
      const auto carries = [&](int end) {
        while (end > j) end = m.parent[at(end)];
        return end == j;
      };
      EXPECT_EQ(path.contains(j), carries(cut.a) != carries(cut.b)) << cut.name << " " << m.body_name[at(j)];
    }
  }
}

TEST_P(EveryRobotBuilt, LoopsFollowEulersFormula) {
  const RobotDescription robot = merge_massless(read_robot(robot_path(GetParam())));
  EXPECT_EQ(m.loops, static_cast<int>(robot.joints.size()) - static_cast<int>(robot.bodies.size()));
  EXPECT_EQ(static_cast<int>(m.cut.size()), m.loops + (m.platform.floats ? 1 : 0))
      << "a floating platform adds a joint";
}

TEST_P(EveryRobotBuilt, ActuatedJointsAreInTheTreeInTheOrderOfTheFile) {
  std::vector<std::string> expected, actual;
  for (const JointDescription& j : read_robot(robot_path(GetParam())).joints)
    if (!j.coordinates.empty() && j.coordinates[0].actuated) expected.push_back(j.name);
  for (const int a : m.actuator) actual.push_back(m.coordinate[at(a)].name);
  EXPECT_EQ(actual, expected);
  EXPECT_FALSE(actual.empty());
  for (const int a : m.actuator) EXPECT_LT(a, m.nv);
}

TEST_P(EveryRobotBuilt, MassIsKept) {
  double described = 0, built = 0;
  for (const BodyDescription& b : read_robot(robot_path(GetParam())).bodies) described += b.total().mass;
  for (const auto& I : m.inertia) built += I.mass;
  EXPECT_NEAR(built, described, 1e-13);
}

// ------------------------------------------------------------------------------------------------ choice of the tree

TEST(Build, AFloatingPlatformIsCutFromEveryLeg) {
  const auto m = load_robot(robot_path("hexapod"));
  EXPECT_TRUE(m.platform.floats);
  EXPECT_THAT(cuts(m), ElementsAre("leg1.ball", "leg2.ball", "leg3.ball", "leg4.ball", "leg5.ball", "leg6.ball"));
  EXPECT_EQ(m.nv, 6 + 6 * 3);
  ASSERT_EQ(m.leg.size(), 6u);
  for (const Leg& leg : m.leg) EXPECT_EQ(std::pair(leg.bodies, leg.coordinates), std::pair(3, 3)) << leg.name;
  for (int l = 0; l < 6; ++l) EXPECT_THAT(m.leg[at(l)].cuts, ElementsAre(l));
}

TEST(Build, APlatformOnADrivenJointDoesNotFloat) {
  EXPECT_TRUE(load_robot(robot_path("five_bar")).platform.floats);
  const auto m = load_robot(robot_path("redundant_five_bar"));
  EXPECT_FALSE(m.platform.floats);
  EXPECT_THAT(cuts(m), ElementsAre("tip"));
}

/// A spatial four-bar whose joints are changed by the tests.
const std::string ring = R"(
robot: ring
bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}
joints:
  one: {type: revolute, parent: base, child: a}
  two: {type: spherical, parent: a, child: b}
  three: {type: universal, parent: b, child: c}
  four: {type: revolute, parent: base, child: c}
)";

TEST(Build, SphericalJointsAreCutFirst) { EXPECT_THAT(cuts(built_from(ring)), ElementsAre("two")); }

TEST(Build, WithoutASphericalJointOneFarFromTheBaseIsCut) {
  EXPECT_THAT(cuts(built_from(with(ring, "spherical", "revolute"))), ElementsAre("three"));
}

TEST(Build, TheFileMayChooseTheCut) {
  EXPECT_THAT(cuts(built_from(with(ring, "parent: base, child: a", "parent: base, child: a, cut: true"))),
              ElementsAre("one"));
  EXPECT_THAT(cuts(built_from(with(ring, "type: spherical", "cut: false, type: spherical"))), ElementsAre("three"));
}

TEST(Build, DrivenJointsAreNeverCut) {
  for (const std::string role : {"role: actuated", "role: elastic, stiffness: 1", "role: locked"}) {
    const auto m =
        built_from(with(with(ring, "spherical", "revolute"), "child: c}\n  four", "child: c, " + role + "}\n  four"));
    EXPECT_THAT(cuts(m), ElementsAre("two")) << role;
  }
}

TEST(Build, ALoopThatMayNotBeCutIsRefused) {
  std::string text = with(with(ring, "spherical", "revolute"), "universal", "revolute");
  text = with(text, "type: revolute", "role: actuated, type: revolute");
  const std::string why = refusal(text);
  EXPECT_THAT(why, testing::MatchesRegex("test\\.yaml:[5-8]: .*"));
  EXPECT_THAT(why, HasSubstr("every joint is actuated"));
}

TEST(Build, ACutOutsideOfALoopIsRefusedWithItsLine) {
  const std::string why =
      refusal("robot: r\nbodies: {a: {mass: 1}}\njoints:\n  j: {type: revolute, parent: base, child: a, cut: true}\n");
  EXPECT_THAT(why, HasSubstr("test.yaml:4: joint 'j': read `cut: true`"));
}

TEST(Build, ASerialRobotHasNoCuts) {
  const auto m = built_from(
      "robot: r\nbodies: {a: {mass: 1}, b: {mass: 1}}\njoints:\n  i: {type: universal, parent: base, child: a}\n"
      "  j: {type: prismatic, parent: a, child: b}\n");
  EXPECT_EQ(std::tuple(m.nv, m.equations, m.loops, m.tree_size(), m.bodies()), std::tuple(3, 0, 0, 3, 2));
}

TEST(Build, CutJointsHaveFreeCoordinatesWithTheirParameters) {
  const auto m = built_from(with(ring, "type: spherical", "type: spherical, damping: 3, friction: {coulomb: 2}"));
  const int c = m.find_coordinate("two.ry");
  ASSERT_GE(c, m.nv) << "after the tree's";
  EXPECT_EQ(m.damping[at(c)], 3);
  ASSERT_EQ(m.coordinate[at(c)].friction.size(), 1u);
  EXPECT_EQ(m.coefficient[at(m.coordinate[at(c)].friction[0].coefficient)], 2);
}

// ------------------------------------------------------------------------------------------------ joints in the tree

std::string pair_of(const std::string& root, const std::string& joint) {
  return "robot: r\nbodies: {a: {mass: 1}, b: {mass: 1}}\njoints:\n  root: {type: fixed, parent: base, child: " + root +
         ", origin: {xyz: [1, 2, 3], rpy: [0.1, 0.2, 0.3]}}\n  j: {parent: a, child: b, origin: {xyz: [0.1, 0.2, 0.3], "
         "rpy: [0.3, 0.1, 0.2]}, child_origin: {xyz: [0.3, 0, 0.1], rpy: [0, 0.4, 0]}, " +
         joint + "}\n";
}

class EveryJoint : public testing::TestWithParam<std::string_view> {
 protected:
  std::string joint() const {
    const auto kind = static_cast<JointKind>(std::find(joint_kind_names.begin(), joint_kind_names.end(), GetParam()) -
                                             joint_kind_names.begin());
    std::string text = "type: " + std::string(GetParam()) + (kind == JointKind::distance ? ", length: 0.5" : "");
    return text + (coordinate_kinds(kind).empty() ? "" : ", guess: 0.3");
  }
};
INSTANTIATE_TEST_SUITE_P(Build, EveryJoint, testing::ValuesIn(joint_kind_names),
                         [](const auto& of) { return std::string(of.param); });

TEST_P(EveryJoint, MeansTheSameWhicheverSideTheTreeGrowsFrom) {
  const auto outwards = built_from(pair_of("a", joint())), inwards = built_from(pair_of("b", joint()));
  const Transform<double> there = body_pose(outwards, "a").inverse() * body_pose(outwards, "b");
  const Transform<double> back = body_pose(inwards, "a").inverse() * body_pose(inwards, "b");
  EXPECT_LT(distance(there, back), 1e-14);
}

TEST(Build, ATreeJointStandsAtItsHome) {
  const auto m = built_from(pair_of("a", "type: revolute, home: 0.7"));
  const Transform<double> origin{rotation_from_rpy({0.3, 0.1, 0.2}), {0.1, 0.2, 0.3}};
  const Transform<double> child{rotation_from_rpy({0, 0.4, 0}), {0.3, 0, 0.1}};
  const Transform<double> turn{Eigen::AngleAxisd(0.7, Vec3<double>::UnitZ()).toRotationMatrix(), Vec3<double>::Zero()};
  EXPECT_LT(distance(body_pose(m, "a").inverse() * body_pose(m, "b"), origin * turn * child.inverse()), 1e-15);
}

TEST(Build, ALockedJointIsAFixedOneWhereItStands) {
  for (const std::string type : {"revolute", "prismatic"}) {
    const auto locked = built_from(pair_of("a", "role: locked, home: 0.7, type: " + type));
    const auto free = built_from(pair_of("a", "home: 0.7, type: " + type));
    EXPECT_EQ(std::pair(locked.nv, free.nv), std::pair(0, 1));
    EXPECT_LT(distance(body_pose(locked, "b"), body_pose(free, "b")), 1e-15) << type;
  }
}

TEST(Build, ALockedCoordinateTakesOneFreedom) {
  const auto cylinder =
      built_from(pair_of("a", "type: cylindrical, coordinates: [{role: locked, home: 0.4}, {home: 0.2}]"));
  EXPECT_EQ(cylinder.nv, 1);
  const auto loose = built_from(pair_of("a", "type: cylindrical, coordinates: [{home: 0.4}, {home: 0.2}]"));
  EXPECT_LT(distance(body_pose(cylinder, "b"), body_pose(loose, "b")), 1e-15);
}

TEST(Build, ALockedTurnOfABallIsNotSilentlyFree) {
  const std::string text = pair_of("a", "type: spherical, coordinates: [{role: locked}, {}, {}]");
  EXPECT_TRUE(!refusal(text).empty() || built_from(text).nv == 2) << "nv = " << built_from(text).nv;
}

TEST(Build, DrivesAndSpringsOfAJointReachItsCoordinate) {
  const auto m = built_from(pair_of("a",
                                    "type: prismatic, role: [actuated, elastic], stiffness: 5, damping: 6, rest: 7, "
                                    "rotor: 8, screw: 1 m, limits: [0, 9]"));
  EXPECT_THAT(m.actuator, ElementsAre(0));
  EXPECT_THAT(m.elastic, ElementsAre(0));
  EXPECT_EQ(std::tuple(m.stiffness[0], m.damping[0], m.rest[0], m.rotor_inertia[0]), std::tuple(5.0, 6.0, 7.0, 8.0));
  EXPECT_DOUBLE_EQ(m.ratio[0], 2 * M_PI);
  EXPECT_TRUE(m.coordinate[0].has_drive && m.coordinate[0].is_length && m.coordinate[0].actuated);
  EXPECT_EQ(m.coordinate[0].position.upper, 9);
}

TEST(Build, PointsOfSpringsAndInertiasAreKeptInSpace) {
  const auto m =
      built_from(with(pair_of("a", "type: revolute, home: 0.7"), "b: {mass: 1}", "b: {mass: 2, com: [0.1, 0.2, 0.3]}") +
                 "springs: {s: {between: [base, b], from: [1, 0, 0], to: [0.1, 0.2, 0.3]}}\n");
  Workspace<double> w(m);
  tree_positions(m, w);
  const Vec3<double> expected = body_pose(m, "b") * Vec3<double>(0.1, 0.2, 0.3);
  const std::size_t b = at(m.find_body("b"));
  EXPECT_LT((w.X0[b] * Vec3<double>(m.inertia[b].first / m.inertia[b].mass) - expected).norm(), 1e-14);
  EXPECT_LT((w.X0[at(m.spring[0].b)] * m.spring_point_b[0] - expected).norm(), 1e-14);
  EXPECT_EQ(m.spring[0].a, base);
}

// ------------------------------------------------------------------------------------------------ massless bodies

TEST(Massless, BallAndSlideBecomeAPointOnALine) {
  const RobotDescription merged = merge_massless(read_robot(robot_path("psp3")));
  EXPECT_EQ(merged.bodies.size(), 4u);
  EXPECT_EQ(merged.merged.size(), 3u);
  const auto m = build(merged);
  const auto direct = built_from(R"(
robot: psp3
bodies: {star: {mass: 1, inertia: [5.655e-3, 5.655e-3, 1.131e-2]}}
legs:
  bodies: {slider: {mass: 0.5}}
  joints:
    drive: {type: prismatic, parent: base, child: slider, role: actuated, guess: 0.5}
    arm: {type: point_on_line, parent: platform, child: slider, axis: [1, 0, 0]}
  placements:
    - {base: {polar: [0.18, 0 deg, 0]}, platform: {polar: [0, 0 deg, 0]}}
    - {base: {polar: [0.18, 120 deg, 0]}, platform: {polar: [0, 120 deg, 0]}}
    - {base: {polar: [0.18, 240 deg, 0]}, platform: {polar: [0, 240 deg, 0]}}
platform: {body: star}
)");
  ASSERT_EQ(m.body_name, direct.body_name);
  ASSERT_EQ(m.equations, 6);
  Workspace<double> a(m), b(direct);
  a.q = b.q = moved(m, m.home, VecX<double>::LinSpaced(m.nv, -0.3, 0.4));
  tree_positions(m, a);
  tree_positions(direct, b);
  closure(m, a);
  closure(direct, b);
  EXPECT_LT((a.phi - b.phi).norm(), 1e-15);
  EXPECT_LT((a.K - b.K).norm(), 1e-15);
  EXPECT_EQ(rank_of(a.K), 6);
}

/// Two cranks joined by a rod with balls at its ends.
const std::string rssr = R"(
robot: rssr
bodies: {crank: {mass: 1}, rod: {}, rocker: {mass: 1}}
joints:
  in: {type: revolute, parent: base, child: crank, role: actuated, guess: 20 deg}
  one: {type: spherical, parent: crank, child: rod, origin: {xyz: [0.2, 0, 0]}}
  two: {type: spherical, parent: rod, child: rocker, origin: {xyz: [0.3, 0.4, 0]}, child_origin: {xyz: [0, 0.4, 0]}}
  out: {type: revolute, parent: base, child: rocker, origin: {xyz: [0.5, 0.1, 0.1]}, axis: [1, 0, 0]}
)";

TEST(Massless, ARodBetweenTwoBallsBecomesADistance) {
  const auto m = build(merge_massless(robot_from(rssr)));
  ASSERT_EQ(m.cut.size(), 1u);
  EXPECT_EQ(m.cut[0].kind, JointKind::distance);
  EXPECT_NEAR(m.cut_length[0], 0.5, 1e-15) << "3-4-5";
  Workspace<double> w(m);
  w.q << 0.3, -0.4;
  tree_positions(m, w);
  closure(m, w);
  const Eigen::Vector3d a(0.2 * std::cos(0.3), 0.2 * std::sin(0.3), 0);
  const Eigen::Vector3d b = Eigen::Vector3d(0.5, 0.1, 0.1) + 0.4 * Eigen::Vector3d(0, std::cos(-0.4), std::sin(-0.4));
  EXPECT_NEAR(w.phi[0], ((b - a).squaredNorm() - 0.25) / (2 * 0.5), 1e-15);
}

TEST(Massless, MergingDoesNotMoveTheRobot) {
  // The same robot with a body too light to matter but too heavy to merge closes at the same place.
  const Prepared merged = prepared_from(rssr), heavy = prepared_from(with(rssr, "rod: {}", "rod: {mass: 1e-12}"));
  ASSERT_TRUE(merged.home.assembly.closed && heavy.home.assembly.closed);
  const auto hold_crank = [](const Prepared& p) {
    Workspace<double> w(p.mechanism);
    Hold hold{std::vector<bool>(at(p.mechanism.nv), false), {}};
    const int in = p.mechanism.find_coordinate("in"), out = p.mechanism.find_coordinate("out");
    for (const TreeJoint& j : p.mechanism.joint)
      if (j.v == in && velocity_size(j.type) == 1) w.q[j.q] = 0.5;
    hold.coordinates[at(in)] = true;
    EXPECT_TRUE(close_loops(p.mechanism, w, hold).closed);
    for (const TreeJoint& j : p.mechanism.joint)
      if (j.v == out && velocity_size(j.type) == 1) return w.q[j.q];
    return 99.0;
  };
  EXPECT_NEAR(hold_crank(merged), hold_crank(heavy), 1e-11);  // two closures of 1e-12
}

TEST(Massless, BodiesThatCarryADriveOrASpringAreKept) {
  const auto bodies = [](const std::string& text) { return merge_massless(robot_from(text)).bodies.size(); };
  EXPECT_EQ(bodies(rssr), 2u);
  EXPECT_EQ(bodies(with(rssr, "{type: spherical, parent: crank", "{cut: false, type: spherical, parent: crank")), 3u);
  EXPECT_EQ(bodies(with(rssr, "{type: spherical, parent: crank", "{damping: 1, type: spherical, parent: crank")), 3u);
  EXPECT_EQ(bodies(rssr + "springs: {s: {between: [base, rod]}}\n"), 3u);
  EXPECT_EQ(bodies(with(rssr, "rod: {}", "rod: {points: [{mass: 1, xyz: [0, 0, 0]}]}")), 3u);
}

}  // namespace
}  // namespace gough::build_test
