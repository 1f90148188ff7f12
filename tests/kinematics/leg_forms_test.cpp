/// Legs recognised from their structure: which kind each shipped leg is, that names and order do not matter, that what
/// is not of a known form is not taken for one, and single legs against geometry by hand.
#include "gough/kinematics/leg_forms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <sstream>

#include "kinematics/planar_robots.hpp"
#include "kinematics/states.hpp"

namespace gough::leg_forms_test {
namespace {

using std::numbers::pi;
using testing::Each;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::string text_of(const std::string& robot) {
  std::ifstream file(robot_path(robot));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> kinds(const Mechanism<double>& m) {
  std::vector<std::string> all;
  for (const LegForm& form : m.leg_form) all.emplace_back(name(form.kind));
  return all;
}
std::vector<std::string> kinds_of(const std::string& text) { return kinds(prepared_from(text).mechanism); }
std::vector<std::string> all(int n, const std::string& kind) { return std::vector<std::string>(at(n), kind); }

TEST(LegForms, ShippedLegsAreWhatTheyAreByHand) {
  for (const std::string robot : {"hexapod", "palida", "hexapod_offplane", "hexapod_arbitrary", "hexapod_flexible",
                                  "taghirad", "mathworks_stewart"})
    EXPECT_EQ(kinds(shipped(robot)), all(6, "UPS")) << robot;
  EXPECT_EQ(kinds(shipped("hexa")), all(6, "RUS"));
  EXPECT_EQ(kinds(shipped("delta")), all(3, "RUS"));
  EXPECT_EQ(kinds(shipped("delta_flexible")), all(3, "RUS"));
  EXPECT_EQ(kinds(shipped("triglide")), all(3, "PUS"));
  EXPECT_EQ(kinds(shipped("hexaglide")), all(6, "PUS"));
  EXPECT_EQ(kinds(shipped("rrr3")), all(3, "RRR"));
  EXPECT_EQ(kinds(shipped("psp3")), all(3, "PSP"));
  EXPECT_THAT(kinds(shipped("five_bar")), UnorderedElementsAre("RR", "RRR"));
  EXPECT_THAT(kinds(prepared_from(prr3).mechanism), ElementsAre("PRR", "PRR", "PRR"));
}

TEST(LegForms, ParallelogramLegsHaveTwoRodsOnOneRoot) {
  for (const std::string robot : {"delta", "triglide"})
    for (const LegForm& form : shipped(robot).leg_form) {
      ASSERT_EQ(form.rods.size(), 2U) << robot;
      for (const Rod& rod : form.rods) EXPECT_NEAR(rod.length, robot == "delta" ? 0.8 : 0.5, 1e-12);
    }
  for (const LegForm& form : shipped("hexa").leg_form) {
    ASSERT_EQ(form.rods.size(), 1U);
    EXPECT_NEAR(form.rods[0].length, 0.5, 1e-12);
  }
}

TEST(LegForms, OfTeachingRobotsAreLeftToNewton) {
  for (const std::string robot : {"rps3", "upu3", "agile_eye", "orthoglide"})
    EXPECT_THAT(kinds(shipped(robot)), Each("general")) << robot;
}

TEST(LegForms, RoundLegsWithABallAtTheBaseAreLeftToNewton) {
  EXPECT_THAT(kinds(shipped("six_r")), Each("general"));
  EXPECT_THAT(kinds(shipped("elastic_five_bar")), testing::Contains("general"));
}

TEST(LegForms, RenamedJointsAndBodiesKeepTheirKind) {
  EXPECT_EQ(kinds_of(with(with(with(text_of("hexapod"), "alpha:", "prr:"), "ball:", "RUS:"), "ring", "rrr")),
            all(6, "UPS"));
  EXPECT_EQ(kinds_of(with(with(text_of("hexa"), "motor", "prismatic_drive"), "elbow", "psp")), all(6, "RUS"));
  EXPECT_EQ(kinds_of(with(with(text_of("rrr3"), "motor", "drive"), "distal", "ups")), all(3, "RRR"));
  EXPECT_EQ(kinds_of(with(with(text_of("psp3"), "socket", "pin"), "arm:", "zz:")), all(3, "PSP"));
  EXPECT_EQ(kinds_of(with(with(text_of("delta"), "left_", "z_"), "right_", "a_")), all(3, "RUS"));
}

TEST(LegForms, TheOrderInTheFileMakesNoDifference) {
  // the same joints, tip first; the same joint seen from its other body
  const std::string reordered =
      with(with(text_of("rrr3"), "    motor: {type: revolute, parent: base, child: proximal, role: actuated}\n", ""),
           "    vertex: {type: revolute, parent: distal, child: platform, origin: {xyz: [0.2, 0, 0]}}\n",
           "    vertex: {type: revolute, parent: platform, child: distal, child_origin: {xyz: [0.2, 0, 0]}}\n"
           "    motor: {type: revolute, parent: base, child: proximal, role: actuated}\n");
  const Prepared turned = prepared_from(reordered);
  ASSERT_TRUE(turned.home.assembly.closed);
  EXPECT_EQ(kinds(turned.mechanism), all(3, "RRR"));
  EXPECT_LT(
      (actuators_of(turned.mechanism, turned.mechanism.home) - actuators_of(shipped("rrr3"), shipped("rrr3").home))
          .norm(),
      1e-9);
}

TEST(LegForms, AUniversalJointIsTwoCrossingRevolutes) {
  const std::string taghirad = text_of("taghirad");
  const std::string by_hand =
      with(with(taghirad, "    cylinder: {mass", "    ring: {}\n    cylinder: {mass"),
           "    cardan: {type: universal, parent: base, child: cylinder, axis: [0, 1, 0], axis2: [1, 0, 0]}",
           "    one: {type: revolute, parent: base, child: ring, axis: [0, 1, 0]}\n"
           "    two: {type: revolute, parent: ring, child: cylinder, axis: [1, 0, 0]}");
  EXPECT_EQ(kinds_of(taghirad), all(6, "UPS"));
  EXPECT_EQ(kinds_of(by_hand), all(6, "UPS"));
}

TEST(LegForms, AxesThatMissEachOtherAreNoUniversalJoint) {
  const std::string off = with(text_of("hexapod"), "child: stator, axis: [1, 0, 0]",
                               "child: stator, origin: {xyz: [0, 0, 0.02]}, axis: [1, 0, 0]");
  const Prepared p = prepared_from(off);
  ASSERT_TRUE(p.home.assembly.closed);
  EXPECT_THAT(kinds(p.mechanism), Each("general"));
}

TEST(LegForms, AnElasticJointInALegIsNotSkipped) {
  for (const std::string& kind : kinds(shipped("elastic_five_bar"))) EXPECT_NE(kind, "RRR");
}

// ------------------------------------------------------------------------------------------------ one leg

TEST(LegForms, AUpsLegIsAsLongAsItsEndsAreApart) {
  const Mechanism<double>& m = shipped("hexapod");
  const double base_angle[] = {-15, 15, 105, 135, 225, 255}, top_angle[] = {-45, 45, 75, 165, 195, 285};
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const VecX<double> r = random_vector(6, seed) * 0.1;
    const Transform<double> X = pose(r[0], r[1], -0.65 + r[2], r[3], r[4], r[5]);
    for (int leg = 0; leg < 6; ++leg) {
      const double a = base_angle[leg] * pi / 180, b = top_angle[leg] * pi / 180;
      const Vec3<double> A(0.5 * std::cos(a), 0.5 * std::sin(a), 0), B(0.12 * std::cos(b), 0.12 * std::sin(b), 0);
      VecX<double> q = m.home;
      EXPECT_TRUE(solve_leg(m, leg, X, 1, q).reached);
      EXPECT_NEAR(q[position_of(m, m.actuator[at(leg)])], (X * B - A).norm(), 1e-14);
    }
  }
}

TEST(LegForms, ADeltaArmIsWhereTwoCirclesMeet) {
  // In the arm's plane the pair of rods is one of length sqrt(l^2 - y^2): the elbow is where that circle about the
  // platform's point meets the arm's. Elbows outwards: the answer with the larger radius from the centre.
  const Mechanism<double>& m = shipped("delta");
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const VecX<double> r = random_vector(3, seed) * 0.15;
    const Transform<double> X = pose(r[0], r[1], -0.7 + r[2]);
    for (int leg = 0; leg < 3; ++leg) {
      const Mat3<double> R = rotation_z(leg * 2 * pi / 3);
      const Vec3<double> b =
          R.transpose() * X.p + Vec3<double>(0.05 - 0.20, 0, 0);  // from the motor, in the leg's axes
      const double l2 = 0.64 - b.y() * b.y(), d2 = b.x() * b.x() + b.z() * b.z(), d = std::sqrt(d2);
      const double along = (d2 + 0.09 - l2) / (2 * d), off = std::sqrt(0.09 - along * along);
      const Eigen::Vector2d u = Eigen::Vector2d(b.x(), b.z()) / d, n(-u.y(), u.x());
      Eigen::Vector2d best = u * along + n * off;
      if (const Eigen::Vector2d other = u * along - n * off; other.x() > best.x()) best = other;
      VecX<double> q = m.home;
      EXPECT_TRUE(solve_leg(m, leg, X, 1, q).reached);
      EXPECT_NEAR(q[position_of(m, m.actuator[at(leg)])], std::atan2(-best.y(), best.x()), 1e-12);
    }
  }
}

TEST(LegForms, ATriglideCarriageIsAboveItsRodsEndByPythagoras) {
  const Mechanism<double>& m = shipped("triglide");
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const VecX<double> r = random_vector(3, seed) * 0.1;
    const Transform<double> X = pose(r[0], r[1], -0.45 + r[2]);
    for (int leg = 0; leg < 3; ++leg) {
      const Vec3<double> b = rotation_z(leg * 2 * pi / 3).transpose() * X.p + Vec3<double>(0.05 - 0.25, 0, 0);
      const double up = std::sqrt(0.25 - b.x() * b.x() - b.y() * b.y());
      for (const double sign : {1.0, -1.0}) {
        VecX<double> q = m.home;
        EXPECT_TRUE(solve_leg(m, leg, X, sign, q).reached);
        EXPECT_NEAR(q[position_of(m, m.actuator[at(leg)])], X.p.z() + sign * up, 1e-14);
      }
    }
  }
}

TEST(LegForms, APlanarLegHasItsElbowWhereTwoCirclesMeet) {
  const Mechanism<double>& m = shipped("rrr3");
  const Eigen::Vector2d A[] = {{-0.2, 0}, {0.15, 0.1}, {0.2, 0}};
  const double azimuth[] = {210, 330, 90}, rho = 0.042 / std::sqrt(3.0);
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const VecX<double> r = random_vector(3, seed) * 0.04;
    const Transform<double> X = pose(r[0], 0.25 + r[1], 0, 0, 0, 3 * r[2]);
    for (int leg = 0; leg < 3; ++leg) {
      const double a = azimuth[leg] * pi / 180;
      const Eigen::Vector2d B = (X * Vec3<double>(rho * std::cos(a), rho * std::sin(a), 0)).head<2>();
      for (const double sign : {1.0, -1.0}) {
        VecX<double> q = m.home;
        ASSERT_TRUE(solve_leg(m, leg, X, sign, q).reached);
        const double t = q[position_of(m, m.actuator[at(leg)])];
        const Eigen::Vector2d E = A[leg] + 0.2 * Eigen::Vector2d(std::cos(t), std::sin(t));
        EXPECT_NEAR((E - B).norm(), 0.2, 1e-13);
        const double home = m.home[position_of(m, m.actuator[at(leg)])];
        if (sign > 0) { EXPECT_LT(std::abs(t - home), 1.0) << "home's side of the elbow"; }
      }
    }
  }
}

TEST(LegForms, TheCircleOfAPlanarLegIsAboutItsElbow) {
  const Mechanism<double>& m = shipped("rrr3");
  for (int leg = 0; leg < 3; ++leg) {
    const LegCircle circle = leg_circle(m, leg, m.home);
    const double t = m.home[position_of(m, m.actuator[at(leg)])];
    const Vec3<double> A = std::vector<Vec3<double>>{{-0.2, 0, 0}, {0.15, 0.1, 0}, {0.2, 0, 0}}[at(leg)];
    EXPECT_LT((circle.centre - A - Vec3<double>(0.2 * std::cos(t), 0.2 * std::sin(t), 0)).norm(), 1e-12);
    EXPECT_NEAR(circle.radius, 0.2, 1e-12);
    EXPECT_NEAR(circle.on_platform.norm(), 0.042 / std::sqrt(3.0), 1e-12);
  }
}

TEST(LegForms, AnglesAreContinuedFromThoseInQ) {
  const Mechanism<double>& m = shipped("hexa");
  VecX<double> q = m.home;
  const int motor = position_of(m, m.actuator[2]);
  q[motor] += 4 * pi;
  EXPECT_TRUE(solve_leg(m, 2, home_pose(m), 1, q).reached);
  EXPECT_NEAR(q[motor], m.home[motor] + 4 * pi, 1e-12);
}

}  // namespace
}  // namespace gough::leg_forms_test
