#include "gough/io/robot_file.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "robots.hpp"

namespace gough::robot_file_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

const CoordinateDescription& coordinate(const RobotDescription& robot, const std::string& joint, std::size_t k = 0) {
  return robot.joint(joint)->coordinates.at(k);
}

// ------------------------------------------------------------------------------------------------ bodies

RobotDescription body_robot(const std::string& body) {
  return robot_from("robot: r\nbodies: {a: " + body + "}\njoints: {j: {type: revolute, parent: base, child: a}}\n");
}

TEST(RobotFile, NameGravityAndLockIdleHaveTheirDefaults) {
  const RobotDescription robot = body_robot("{mass: 1}");
  EXPECT_EQ(robot.name, "r");
  EXPECT_EQ(robot.gravity, Vector3d(0, 0, -9.81));
  EXPECT_TRUE(robot.lock_idle);
  EXPECT_FALSE(robot.platform);
}

TEST(RobotFile, MassCentreAndInertiaOfABodyAreRead) {
  const RobotDescription robot = body_robot("{mass: 500 g, com: [1 mm, 2 cm, 0.3], inertia: [2e-3, 3e-3, 20 kg cm^2]}");
  const BodyDescription& a = *robot.body("a");
  EXPECT_DOUBLE_EQ(a.mass, 0.5);
  EXPECT_TRUE(a.com.isApprox(Vector3d(0.001, 0.02, 0.3), 1e-15));
  EXPECT_TRUE(a.inertia.isApprox(Matrix3d(Vector3d(2e-3, 3e-3, 2e-3).asDiagonal()), 1e-15));
}

TEST(RobotFile, ProductsOfInertiaAreTensorElements) {
  const auto robot = body_robot("{mass: 1, inertia: {ixx: 3, iyy: 4, izz: 5, ixy: 0.1, ixz: -0.2, iyz: 0.3}}");
  Matrix3d J;
  J << 3, 0.1, -0.2, 0.1, 4, 0.3, -0.2, 0.3, 5;
  EXPECT_EQ(robot.body("a")->inertia, J);
}

TEST(RobotFile, ARodHasItsCentreHalfwayAndNoInertiaAlongItself) {
  const auto robot = body_robot("{mass: 3 kg, rod: [0.2, 0, 0]}");
  EXPECT_TRUE(robot.body("a")->com.isApprox(Vector3d(0.1, 0, 0), 1e-15));
  const double across = 3 * 0.2 * 0.2 / 12;  // m l^2 / 12
  EXPECT_TRUE(robot.body("a")->inertia.isApprox(Matrix3d(Vector3d(0, across, across).asDiagonal()), 1e-15));
}

TEST(RobotFile, ASlantedRodWeighsLikeManyPoints) {
  const auto robot = body_robot("{mass: 2, rod: [0.1, -0.2, 0.3]}");
  const Vector3d end(0.1, -0.2, 0.3);
  const int n = 1000;
  Inertia<double> sum;
  for (int i = 0; i < n; ++i)
    sum = sum + inertia_about_origin<double>(2.0 / n, end * ((i + 0.5) / n), Matrix3d::Zero());
  const Inertia<double> total = robot.body("a")->total();
  EXPECT_LT((total.first - sum.first).norm(), 1e-14);
  EXPECT_LT((total.second - sum.second).norm(), 1e-7);  // midpoint rule: m l^2 / 12 n^2 = 2.3e-8
}

TEST(RobotFile, PointMassesAddUpWithTheBody) {
  const auto robot =
      body_robot("{mass: 1, com: [0.1, 0, 0], points: [{mass: 2, xyz: [0, 0.5, 0]}, {mass: 3, xyz: [0, 0, 1]}]}");
  const Inertia<double> total = robot.body("a")->total();
  EXPECT_DOUBLE_EQ(total.mass, 6);
  EXPECT_TRUE(total.first.isApprox(Vector3d(0.1, 1.0, 3.0), 1e-15));
  // by hand: 1*0.1^2 about y and z, 2*0.5^2 about x and z, 3*1^2 about x and y
  EXPECT_TRUE(total.second.isApprox(Matrix3d(Vector3d(0.5 + 3, 0.01 + 3, 0.01 + 0.5).asDiagonal()), 1e-15));
}

TEST(RobotFile, SymmetricNamesTheEntriesThatMayBeNonZero) {
  const auto robot = body_robot("{mass: 1, com: [0, 0, 0.1], inertia: [1, 1, 1], symmetric: [Ixx, Iyy, Izz, sz]}");
  ASSERT_TRUE(robot.body("a")->symmetric);
  const InertiaEntries expected = {true, false, false, true, false, true, false, false, true};
  EXPECT_EQ(*robot.body("a")->symmetric, expected);
}

// ------------------------------------------------------------------------------------------------ joints

RobotDescription joint_robot(const std::string& joint, const std::string& rest = "") {
  return robot_from("robot: r\nbodies: {a: {mass: 1}}\njoints: {j: {parent: base, child: a, " + joint + "}}\n" + rest);
}

TEST(RobotFile, EveryJointKindIsKnownByItsName) {
  for (const std::string_view kind : joint_kind_names) {
    const auto robot = joint_robot("type: " + std::string(kind) + (kind == "distance" ? ", length: 1" : ""));
    EXPECT_EQ(name(robot.joint("j")->kind), kind);
    EXPECT_EQ(robot.joint("j")->coordinates.size(), coordinate_kinds(robot.joint("j")->kind).size());
  }
}

TEST(RobotFile, OriginAndAxisGiveTheJointFrame) {
  const auto robot = joint_robot("type: revolute, origin: {xyz: [1, 2, 3], rpy: [0, 0, 90 deg]}, axis: [0, 2, 0]");
  const Transform<double>& A = robot.joint("j")->origin;
  EXPECT_EQ(A.p, Vector3d(1, 2, 3));
  EXPECT_TRUE((A.R.col(2) - Vector3d(-1, 0, 0)).norm() < 1e-15) << "y of a frame turned by 90 deg about z is -x";
  EXPECT_NEAR(A.R.determinant(), 1, 1e-15);
}

TEST(RobotFile, TheAxisIsTheSameInParentAndChildAtZero) {
  const auto robot = joint_robot("type: revolute, axis: [1, 2, 3], child_origin: {xyz: [0.1, 0, 0]}");
  const JointDescription& j = *robot.joint("j");
  EXPECT_LT((j.origin.R - j.child_origin.R).norm(), 1e-15);
  EXPECT_LT((j.origin.R.col(2) - Vector3d(1, 2, 3).normalized()).norm(), 1e-15);
  EXPECT_EQ(j.child_origin.p, Vector3d(0.1, 0, 0));
}

TEST(RobotFile, TheSecondAxisOfAUniversalJointIsItsFramesX) {
  const auto robot = joint_robot("type: universal, axis: [0, 1, 0], axis2: [1, 0, 0]");
  const Matrix3d& R = robot.joint("j")->origin.R;
  EXPECT_LT((R.col(2) - Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_LT((R.col(0) - Vector3d::UnitX()).norm(), 1e-15);
  EXPECT_NEAR(R.determinant(), 1, 1e-15);
}

TEST(RobotFile, DhIsTheModifiedConvention) {
  // Craig: turn by alpha about x, shift by a along x, turn by theta about z, shift by d along z.
  const double a = 0.3, alpha = 0.4, d = -0.2, theta = 1.1;
  const auto robot = joint_robot("type: revolute, dh: {a: 0.3, alpha: 0.4, d: -0.2, theta: 1.1}");
  const double ca = std::cos(alpha), sa = std::sin(alpha), ct = std::cos(theta), st = std::sin(theta);
  Matrix3d R;
  R << ct, -st, 0, st * ca, ct * ca, -sa, st * sa, ct * sa, ca;
  EXPECT_LT((robot.joint("j")->origin.R - R).norm(), 1e-15);
  EXPECT_LT((robot.joint("j")->origin.p - Vector3d(a, -sa * d, ca * d)).norm(), 1e-15);
}

TEST(RobotFile, DhWithoutThetaIsAnOriginTurnedAboutX) {
  const auto dh = joint_robot("type: revolute, dh: {a: 300 mm, alpha: 90 deg, d: 0.2}");
  const auto origin = joint_robot("type: revolute, origin: {xyz: [0.3, -0.2, 0], rpy: [90 deg, 0, 0]}");
  EXPECT_LT((dh.joint("j")->origin.R - origin.joint("j")->origin.R).norm(), 1e-15);
  EXPECT_LT((dh.joint("j")->origin.p - origin.joint("j")->origin.p).norm(), 1e-15);
}

TEST(RobotFile, PolarIsAPlaceOnACircleThatTurnsWithTheAzimuth) {
  const auto robot = joint_robot("type: revolute, origin: {polar: [0.5, 120 deg, 0.1]}");
  const Transform<double>& A = robot.joint("j")->origin;
  EXPECT_LT((A.p - Vector3d(-0.25, 0.25 * std::sqrt(3.0), 0.1)).norm(), 1e-15);
  EXPECT_LT((A.R.col(0) - Vector3d(-0.5, std::sqrt(0.75), 0)).norm(), 1e-15) << "x points outwards";
  const auto straight = joint_robot("type: revolute, origin: {polar: [0.5, 120 deg, 0.1], rpy: [0, 0, 0]}");
  EXPECT_EQ(straight.joint("j")->origin.R, Matrix3d::Identity());
  EXPECT_EQ(straight.joint("j")->origin.p, A.p);
}

TEST(RobotFile, RolesMayBeCombined) {
  const auto has = [](const std::string& role, bool actuated, bool elastic, bool locked) {
    const auto robot = joint_robot("type: revolute, stiffness: 5, role: " + role);
    const auto& c = coordinate(robot, "j");
    EXPECT_EQ(std::tuple(c.actuated, c.elastic, c.locked), std::tuple(actuated, elastic, locked)) << role;
  };
  has("passive", false, false, false);
  has("actuated", true, false, false);
  has("elastic", false, true, false);
  has("[actuated, elastic]", true, true, false);
  has("locked", false, false, true);
}

TEST(RobotFile, SpringDamperAndRestTakeTheUnitsOfTheJoint) {
  const auto turn = joint_robot("type: revolute, stiffness: 4 N m/rad, damping: 0.1 N m s/rad, rest: 30 deg");
  EXPECT_DOUBLE_EQ(coordinate(turn, "j").stiffness, 4);
  EXPECT_DOUBLE_EQ(coordinate(turn, "j").damping, 0.1);
  EXPECT_DOUBLE_EQ(coordinate(turn, "j").rest, pi / 6);
  const auto slide = joint_robot("type: prismatic, stiffness: 4 N/mm, damping: 0.1 N s/m, rest: 30 mm");
  EXPECT_DOUBLE_EQ(coordinate(slide, "j").stiffness, 4000);
  EXPECT_DOUBLE_EQ(coordinate(slide, "j").damping, 0.1);
  EXPECT_DOUBLE_EQ(coordinate(slide, "j").rest, 0.03);
}

TEST(RobotFile, AGearTurnsTheMotorByItsRatioAndAScrewByOneTurnPerLead) {
  const auto gear = joint_robot("type: revolute, rotor: 2e-5 kg m^2, gear: 20");
  EXPECT_DOUBLE_EQ(coordinate(gear, "j").rotor_inertia, 2e-5);
  EXPECT_DOUBLE_EQ(coordinate(gear, "j").ratio, 20);
  EXPECT_TRUE(coordinate(gear, "j").has_drive);
  const auto screw = joint_robot("type: prismatic, screw: 10 mm");
  EXPECT_DOUBLE_EQ(coordinate(screw, "j").ratio, 2 * pi / 0.01);
  EXPECT_TRUE(coordinate(screw, "j").has_drive);
  EXPECT_FALSE(coordinate(joint_robot("type: revolute"), "j").has_drive);
}

TEST(RobotFile, LimitsAreAPairOrAMap) {
  const auto pair = joint_robot("type: prismatic, limits: [550 mm, 1 m]");
  EXPECT_DOUBLE_EQ(coordinate(pair, "j").position.lower, 0.55);
  EXPECT_DOUBLE_EQ(coordinate(pair, "j").position.upper, 1);
  EXPECT_TRUE(std::isinf(coordinate(pair, "j").velocity));
  const auto map = joint_robot(
      "type: revolute, limits: {position: [-60 deg, 60 deg], velocity: 30 rpm, acceleration: 5 rad/s^2, force: 3 Nm}");
  EXPECT_DOUBLE_EQ(coordinate(map, "j").position.lower, -pi / 3);
  EXPECT_DOUBLE_EQ(coordinate(map, "j").velocity, pi);
  EXPECT_DOUBLE_EQ(coordinate(map, "j").acceleration, 5);
  EXPECT_DOUBLE_EQ(coordinate(map, "j").force, 3);
}

TEST(RobotFile, WhatIsSaidOfAJointHoldsForAllItsCoordinatesUnlessOneSaysOtherwise) {
  const auto robot =
      joint_robot("type: cylindrical, damping: 2, coordinates: [{home: 90 deg}, {guess: 20 mm, damping: 3 N s/m}]");
  EXPECT_EQ(coordinate_name(*robot.joint("j"), 0), "j.rz");
  EXPECT_EQ(coordinate_name(*robot.joint("j"), 1), "j.z");
  EXPECT_DOUBLE_EQ(coordinate(robot, "j", 0).damping, 2);
  EXPECT_DOUBLE_EQ(coordinate(robot, "j", 0).home.value(), pi / 2);
  EXPECT_DOUBLE_EQ(coordinate(robot, "j", 1).damping, 3);
  EXPECT_DOUBLE_EQ(coordinate(robot, "j", 1).guess.value(), 0.02);
}

TEST(RobotFile, CutAndLengthReachTheJoint) {
  EXPECT_FALSE(joint_robot("type: revolute").joint("j")->cut);
  EXPECT_EQ(joint_robot("type: revolute, cut: false").joint("j")->cut, std::optional(false));
  EXPECT_EQ(joint_robot("type: revolute, cut: true").joint("j")->cut, std::optional(true));
  EXPECT_DOUBLE_EQ(joint_robot("type: distance, length: 40 cm").joint("j")->length, 0.4);
}

// ------------------------------------------------------------------------------------------------ friction

TEST(RobotFile, FrictionNumbersAreNamedAfterTheirCoordinate) {
  const auto robot =
      joint_robot("type: prismatic, friction: {viscous: 25 N s/m, coulomb: 12 N, functions: {stribeck: 3}}");
  const auto& terms = coordinate(robot, "j").friction;
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[0].function, "viscous");
  EXPECT_EQ(terms[2].function, "stribeck");
  EXPECT_DOUBLE_EQ(robot.coefficients.at(terms[0].coefficient), 25);
  EXPECT_DOUBLE_EQ(robot.coefficients.at(terms[1].coefficient), 12);
  EXPECT_DOUBLE_EQ(robot.coefficients.at(terms[2].coefficient), 3);
  EXPECT_EQ(robot.coefficients.size(), 3u);
}

const std::string friction_legs = R"(
robot: r
bodies: {top: {mass: 1}}
friction: {dry: 0.25 N m, oil: 7 N s/m}
legs:
  bodies: {arm: {mass: 1}, rod: {mass: 1}}
  joints:
    turn: {type: revolute, parent: base, child: arm, friction: {coulomb: dry}}
    slide: {type: prismatic, parent: arm, child: rod, role: actuated, friction: {viscous: oil, coulomb: 2 N}}
    ball: {type: spherical, parent: rod, child: platform, friction: {coulomb: dry}}
  placements:
    - {base: {xyz: [1, 0, 0]}, friction: {oil: 24 N s/m}}
    - {base: {xyz: [2, 0, 0]}}
platform: {body: top}
)";

TEST(RobotFile, ANamedCoefficientIsSharedByEveryJointThatNamesIt) {
  const auto robot = robot_from(friction_legs);
  for (const std::string joint : {"leg1.turn", "leg2.turn", "leg1.ball", "leg2.ball"})
    for (const auto& c : robot.joint(joint)->coordinates) EXPECT_EQ(c.friction.at(0).coefficient, "dry") << joint;
  EXPECT_DOUBLE_EQ(robot.coefficients.at("dry"), 0.25);
}

TEST(RobotFile, APlacementMayHaveItsOwnCoefficient) {
  const auto robot = robot_from(friction_legs);
  const auto value = [&](const std::string& joint, std::size_t term) {
    return robot.coefficients.at(coordinate(robot, joint).friction.at(term).coefficient);
  };
  EXPECT_DOUBLE_EQ(value("leg1.slide", 0), 24);
  EXPECT_DOUBLE_EQ(value("leg2.slide", 0), 7);
  EXPECT_DOUBLE_EQ(value("leg1.slide", 1), 2);
  EXPECT_EQ(robot.coefficients.size(), 5u) << "dry, oil, leg1's oil, and a plain number for each leg";
}

TEST(RobotFile, SharedCoefficientsStaySharedInTheMechanism) {
  const auto m = built_from(friction_legs);
  const auto index = [&](const std::string& c) {
    return m.coordinate[static_cast<std::size_t>(m.find_coordinate(c))].friction.at(0).coefficient;
  };
  EXPECT_EQ(index("leg1.turn"), index("leg2.ball.rx"));
  EXPECT_DOUBLE_EQ(m.coefficient[static_cast<std::size_t>(index("leg1.slide"))], 24);
  EXPECT_DOUBLE_EQ(m.coefficient[static_cast<std::size_t>(index("leg2.slide"))], 7);
}

// ------------------------------------------------------------------------------------------------ legs

TEST(RobotFile, LegsArePlacedByTheirFrames) {
  const auto robot = robot_from(with(friction_legs, "{xyz: [2, 0, 0]}", "{polar: [0.5, 90 deg, 0]}, name: right"));
  ASSERT_EQ(robot.legs.size(), 2u);
  EXPECT_EQ(robot.legs[1].name, "right");
  EXPECT_EQ(robot.legs[1].bodies, (std::vector<std::string>{"right.arm", "right.rod"}));
  EXPECT_EQ(robot.joint("leg1.ball")->child, "top");
  EXPECT_EQ(robot.joint("leg1.turn")->origin.p, Vector3d(1, 0, 0));
  EXPECT_LT((robot.joint("right.turn")->origin.p - Vector3d(0, 0.5, 0)).norm(), 1e-15);
  EXPECT_LT((robot.joint("right.turn")->origin.R.col(0) - Vector3d::UnitY()).norm(), 1e-15);
}

TEST(RobotFile, APlacementGoesBeforeTheOriginOnBaseAndPlatform) {
  const auto robot = robot_from(R"(
robot: r
bodies: {platform: {mass: 1}}
legs:
  bodies: {rod: {mass: 1}}
  joints:
    foot: {type: revolute, parent: base, child: rod, origin: {xyz: [0.1, 0, 0]}, role: actuated}
    head: {type: spherical, parent: rod, child: platform, origin: {xyz: [0, 0, 1]}, child_origin: {xyz: [0, 0, 0.2]}}
  placements:
    - {base: {polar: [1, 90 deg, 0]}, platform: {xyz: [0.5, 0, 0], rpy: [90 deg, 0, 0]}}
platform: {body: platform}
)");
  EXPECT_LT((robot.joint("leg1.foot")->origin.p - Vector3d(0, 1.1, 0)).norm(), 1e-15) << "0.1 further out";
  EXPECT_EQ(robot.joint("leg1.head")->origin.p, Vector3d(0, 0, 1)) << "bodies of the leg are not placed";
  EXPECT_LT((robot.joint("leg1.head")->child_origin.p - Vector3d(0.5, -0.2, 0)).norm(), 1e-15)
      << "z of the platform's place is -y of the platform";
}

TEST(RobotFile, APlacementSetsHomeAndGuessOfItsJoints) {
  const auto robot = robot_from(with(friction_legs, "{base: {xyz: [2, 0, 0]}}",
                                     "{base: {xyz: [2, 0, 0]}, home: {slide: 30 cm}, guess: {turn: 10 deg}}"));
  EXPECT_FALSE(coordinate(robot, "leg1.slide").home);
  EXPECT_DOUBLE_EQ(coordinate(robot, "leg2.slide").home.value(), 0.3);
  EXPECT_DOUBLE_EQ(coordinate(robot, "leg2.turn").guess.value(), pi / 18);
}

TEST(RobotFile, ATemplateIsTheSameRobotAsItsLegsWrittenOut) {
  const auto one = built_from(R"(
robot: r
bodies: {top: {mass: 1}}
legs:
  bodies: {arm: {mass: 1, rod: [0.3, 0, 0]}}
  joints:
    foot: {type: revolute, parent: base, child: arm, role: actuated, guess: 0.2}
    head: {type: spherical, parent: arm, child: platform, origin: {xyz: [0.3, 0, 0]}}
  placements:
    - {base: {polar: [1, 30 deg, 0]}, platform: {polar: [0.2, 40 deg, 0]}}
    - {base: {polar: [1, 150 deg, 0]}, platform: {polar: [0.2, 160 deg, 0]}}
platform: {body: top}
)");
  const auto two = built_from(R"(
robot: r
bodies: {top: {mass: 1}, leg1.arm: {mass: 1, rod: [0.3, 0, 0]}, leg2.arm: {mass: 1, rod: [0.3, 0, 0]}}
joints:
  leg1.foot: {type: revolute, parent: base, child: leg1.arm, role: actuated, guess: 0.2, origin: {polar: [1, 30 deg, 0]}}
  leg1.head: {type: spherical, parent: leg1.arm, child: top, origin: {xyz: [0.3, 0, 0]}, child_origin: {polar: [0.2, 40 deg, 0]}}
  leg2.foot: {type: revolute, parent: base, child: leg2.arm, role: actuated, guess: 0.2, origin: {polar: [1, 150 deg, 0]}}
  leg2.head: {type: spherical, parent: leg2.arm, child: top, origin: {xyz: [0.3, 0, 0]}, child_origin: {polar: [0.2, 160 deg, 0]}}
platform: {body: top}
)");
  EXPECT_EQ(one.body_name, two.body_name);
  Workspace<double> a(one), b(two);
  tree_positions(one, a);
  tree_positions(two, b);
  closure(one, a);
  closure(two, b);
  EXPECT_LT((a.phi - b.phi).norm(), 1e-15);
  EXPECT_LT((a.K - b.K).norm(), 1e-15);
}

// ------------------------------------------------------------------------------------------------ the rest

TEST(RobotFile, PlatformFrameToolCoordinatesAndLimitsAreRead) {
  const auto robot = joint_robot("type: revolute", R"(
platform:
  body: a
  frame: {xyz: [0.35, 0, 0]}
  tool: {xyz: [0, 0, 50 mm]}
  coordinates: [z, rx, ry]
  limits: {z: [-10 mm, 20 mm], rx: [-30 deg, 30 deg]}
)");
  const PlatformDescription& p = robot.platform.value();
  EXPECT_EQ(p.body, "a");
  EXPECT_EQ(p.frame.p, Vector3d(0.35, 0, 0));
  EXPECT_EQ(p.tool.p, Vector3d(0, 0, 0.05));
  EXPECT_EQ(p.coordinates, (PoseMask{false, false, true, true, true, false}));
  EXPECT_DOUBLE_EQ(p.limits[2].upper, 0.02);
  EXPECT_DOUBLE_EQ(p.limits[3].lower, -pi / 6);
  EXPECT_TRUE(std::isinf(p.limits[0].upper));
}

TEST(RobotFile, HomeIsGivenForThePlatformAndForJoints) {
  const auto robot = joint_robot("type: cylindrical", R"(
platform: {body: a}
home:
  platform: {x: 10 mm, rz: 90 deg}
  joints: {j.rz: 20 deg}
  guess: {j.z: 5 cm}
)");
  EXPECT_DOUBLE_EQ(robot.platform->home[0].value(), 0.01);
  EXPECT_DOUBLE_EQ(robot.platform->home[5].value(), pi / 2);
  EXPECT_FALSE(robot.platform->home[1]);
  EXPECT_DOUBLE_EQ(coordinate(robot, "j", 0).home.value(), pi / 9);
  EXPECT_DOUBLE_EQ(coordinate(robot, "j", 1).guess.value(), 0.05);
}

TEST(RobotFile, SpringsJoinPointsOfTwoBodies) {
  const auto robot = joint_robot("type: revolute", R"(
gravity: [0, -9.81, 0]
lock_idle: false
springs:
  s: {between: [base, a], from: [0, 0, 1], to: [1 mm, 0, 0], stiffness: 3 N/mm, damping: 2 N s/m, length: 20 cm}
)");
  ASSERT_EQ(robot.springs.size(), 1u);
  const SpringDescription& s = robot.springs[0];
  EXPECT_EQ(std::tuple(s.name, s.body_a, s.body_b), std::tuple("s", "base", "a"));
  EXPECT_EQ(s.point_a, Vector3d(0, 0, 1));
  EXPECT_EQ(s.point_b, Vector3d(0.001, 0, 0));
  EXPECT_DOUBLE_EQ(s.stiffness, 3000);
  EXPECT_DOUBLE_EQ(s.damping, 2);
  EXPECT_DOUBLE_EQ(s.free_length, 0.2);
  EXPECT_EQ(robot.gravity, Vector3d(0, -9.81, 0));
  EXPECT_FALSE(robot.lock_idle);
}

TEST(RobotFile, JsonIsYamlToo) {
  const auto robot = robot_from(
      R"({"robot": "r", "bodies": {"a": {"mass": "1 kg"}}, "joints": {"j": {"type": "revolute", "parent": "base", "child": "a"}}})");
  EXPECT_EQ(robot.bodies.at(0).name, "a");
}

TEST(RobotFile, LoadRobotGivesAClosedHome) {
  for (const std::string& name : shipped_robots()) {
    const auto m = load_robot(robot_path(name));
    Workspace<double> w(m);
    tree_positions(m, w);
    closure(m, w);
    EXPECT_LT(w.phi.lpNorm<Eigen::Infinity>(), 1e-12) << name;
    EXPECT_EQ(m.name, name) << "the file's name is the robot's";
  }
}

}  // namespace
}  // namespace gough::robot_file_test
