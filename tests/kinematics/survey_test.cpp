/// Transmission of forces against geometry by hand, and what a survey says about a list of poses.
#include "gough/kinematics/survey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "decompositions.hpp"
#include "gough/io/check_report.hpp"
#include "kinematics/states.hpp"

namespace gough::survey_test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;
using Vec2 = Eigen::Vector2d;

double sine_between(const Vec2& a, const Vec2& b) {
  return std::abs(a.x() * b.y() - a.y() * b.x()) / (a.norm() * b.norm());
}

/// The five-bar's right leg, elbows outwards, at a tip: the force runs along its distal link.
struct RightLeg {
  double input, output;
  explicit RightLeg(const Vec2& tip) {
    const auto elbow = [&](double x0, double sign) -> Vec2 {
      const Vec2 d = tip - Vec2(x0, 0);
      const double t =
          std::atan2(d.y(), d.x()) + sign * std::acos((d.squaredNorm() + 0.0625 - 0.1225) / (2 * 0.25 * d.norm()));
      return Vec2(x0, 0) + 0.25 * Vec2(std::cos(t), std::sin(t));
    };
    const Vec2 left = elbow(-0.1, 1), right = elbow(0.1, -1);
    input = sine_between(tip - right, tip - Vec2(0.1, 0));  // its drive alone turns the tip about the motor
    output = sine_between(tip - right, tip - left);         // with the left drive still, the tip turns about its elbow
  }
};

const LegTransmissionIndex* with_name(const std::vector<LegTransmissionIndex>& all, const std::string& part) {
  for (const LegTransmissionIndex& t : all)
    if (t.leg.find(part) != std::string::npos) return &t;
  return nullptr;
}

TEST(Transmission, OfAFiveBarsLegIsTheSineOfItsAngles) {
  const Mechanism<double>& m = shipped("five_bar");
  for (const Vec2& tip : {Vec2(0, 0.4), Vec2(0.1, 0.35), Vec2(-0.12, 0.3), Vec2(0.05, 0.5)}) {
    Workspace<double> w(m);
    ASSERT_TRUE(inverse_kinematics(m, pose(tip.x(), tip.y(), 0), w).ok());
    const auto all = transmission_indices(m, w);
    const LegTransmissionIndex* right = with_name(all, "right");
    ASSERT_NE(right, nullptr);
    EXPECT_NEAR(right->input, RightLeg(tip).input, 1e-10);
    EXPECT_NEAR(right->output, RightLeg(tip).output, 1e-10);
    EXPECT_DOUBLE_EQ(right->index(), std::min(right->input, right->output));
  }
}

TEST(Transmission, OfAHexapodsLegIsOneOverTheSpeedOfItsEnd) {
  // The drive moves the leg's end along the leg: input 1. With the other drives still the end moves with unit speed
  // along the leg and |v| in all: output 1 / |v|.
  const Mechanism<double>& m = shipped("hexapod");
  Workspace<double> w(m);
  const Transform<double> X = pose(0.05, -0.04, -0.68, 0.1, 0.2, -0.15);
  ASSERT_TRUE(inverse_kinematics(m, X, w).ok());
  const double A[] = {-15, 15, 105, 135, 225, 255}, B[] = {-45, 45, 75, 165, 195, 285};
  MatX<double> lines(6, 6);
  std::array<Vec3<double>, 6> arm;
  for (int i = 0; i < 6; ++i) {
    const double a = A[i] * pi / 180, b = B[i] * pi / 180;
    arm[at(i)] = X.R * Vec3<double>(0.12 * std::cos(b), 0.12 * std::sin(b), 0);
    const Vec3<double> u = (X.p + arm[at(i)] - Vec3<double>(0.5 * std::cos(a), 0.5 * std::sin(a), 0)).normalized();
    lines.row(i) << arm[at(i)].cross(u).transpose(), u.transpose();
  }
  const MatX<double> twists = inverse_of(lines);
  const auto all = transmission_indices(m, w);
  ASSERT_EQ(all.size(), 6U);
  for (int i = 0; i < 6; ++i) {
    const Vec3<double> v = twists.col(i).tail<3>() + Vec3<double>(twists.col(i).head<3>()).cross(arm[at(i)]);
    EXPECT_NEAR(all[at(i)].input, 1, 1e-10);
    EXPECT_NEAR(all[at(i)].output, 1 / v.norm(), 1e-9);
    EXPECT_EQ(all[at(i)].leg, m.leg[at(i)].name);
  }
}

TEST(Transmission, LiesBetweenZeroAndOneForEveryRobot) {
  for (const std::string& name : robots_with_platform()) {
    const Mechanism<double>& m = shipped(name);
    for (const LegTransmissionIndex& t : transmission_indices(m, placed(m, safely_reached(m, 3)))) {
      EXPECT_GE(t.index(), 0) << name;
      EXPECT_LE(t.index(), 1) << name;
      EXPECT_TRUE(std::isfinite(t.input) && std::isfinite(t.output)) << name;
    }
  }
}

TEST(Transmission, VanishesWhereALegIsStretched) {
  const Mechanism<double>& m = shipped("five_bar");  // the tip almost 0.6 m from the right motor
  const Vec2 direction = Vec2(-0.3, 1).normalized(), tip = Vec2(0.1, 0) + direction * 0.5999;
  if ((tip - Vec2(-0.1, 0)).norm() > 0.59) GTEST_FAIL() << "the left leg should reach there";
  Workspace<double> w(m);
  ASSERT_TRUE(inverse_kinematics(m, pose(tip.x(), tip.y(), 0), w).ok());
  const auto all = transmission_indices(m, w);
  ASSERT_NE(with_name(all, "right"), nullptr);
  EXPECT_LT(with_name(all, "right")->input, 0.05);
}

TEST(Survey, FindsTheSmallestIndexWhereAndInWhichLeg) {
  const Mechanism<double>& m = shipped("five_bar");
  std::vector<Transform<double>> poses;
  double least = 2;
  std::size_t where = 0;
  for (int i = 0; i <= 40; ++i) {
    const Vec2 tip(-0.15 + 0.01 * i, 0.4);
    poses.push_back(pose(tip.x(), tip.y(), 0));
    const RightLeg leg(tip);
    const double index = std::min(leg.input, leg.output);
    if (index < least) least = index, where = poses.size() - 1;
  }
  const Survey s = survey_poses(m, poses);
  EXPECT_EQ(s.poses, 41U);
  EXPECT_TRUE(s.failures.empty());
  ASSERT_TRUE(s.transmission.known());
  EXPECT_LE(s.transmission.value, least + 1e-10);
  if (s.transmission.leg.find("right") != std::string::npos) {
    EXPECT_NEAR(s.transmission.value, least, 1e-10);
    EXPECT_EQ(s.transmission.at, where);
  }
  double type2 = 2;
  std::size_t where2 = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    Workspace<double> w(m);
    ASSERT_TRUE(inverse_kinematics(m, poses[i], w).ok());
    if (const double x = *singularity_indices(m, w).type2; x < type2) type2 = x, where2 = i;
    EXPECT_LT((s.reached[i].head<2>() - pose_vector(poses[i]).head<2>()).norm(), 1e-10);
  }
  EXPECT_NEAR(s.type2.value, type2, 1e-9);
  EXPECT_EQ(s.type2.at, where2);
}

TEST(Survey, ALegNearTheEndOfItsReachIsNamedByTheTypeOneIndex) {
  const Mechanism<double>& m = shipped("rrr3");
  // towards +y leg 3 (motor (0.2, 0), joint at the top) is the first to be stretched to 0.4 m
  std::vector<Transform<double>> poses;
  for (int i = 0; i <= 20; ++i) poses.push_back(pose(-0.05, 0.25 + 0.0015 * i, 0));
  const Survey s = survey_poses(m, poses);
  ASSERT_TRUE(s.failures.empty()) << s.failures.front().second.explain();
  EXPECT_EQ(s.type1.leg, "leg3");
  EXPECT_EQ(s.type1.at, 20U);
}

TEST(Survey, PosesOutOfReachAndOutOfLimitsAreListedAndTheRestGoesOn) {
  const Mechanism<double>& m = shipped("hexapod");
  const std::vector<Transform<double>> poses = {pose(0, 0, -0.65), pose(0, 0, -1.2), pose(0, 0, -0.7)};
  const Survey s = survey_poses(m, poses);
  ASSERT_EQ(s.failures.size(), 1U);
  EXPECT_EQ(s.failures[0].first, 1U);
  EXPECT_EQ(s.failures[0].second.status, Status::out_of_limits);
  EXPECT_THAT(s.failures[0].second.reason, HasSubstr("leg1.drive"));
  ASSERT_EQ(s.reached.size(), 3U);
  EXPECT_NEAR(s.reached[2][2], -0.7, 1e-12);
  const Survey t = survey_poses(shipped("delta"), {pose(0, 0, -0.7), pose(0, 0, -3), pose(0, 0, -0.72)});
  ASSERT_EQ(t.failures.size(), 1U);
  EXPECT_EQ(t.failures[0].second.status, Status::unreachable);
  EXPECT_TRUE(std::isnan(t.reached[1][0]));
  EXPECT_NEAR(t.reached[2][2], -0.72, 1e-12);
}

TEST(Survey, AnswersDoNotDependOnFailuresBefore) {
  const Mechanism<double>& m = shipped("six_r");
  const Transform<double> X = pose(0.03, 0.02, -0.61, 0.05, 0, 0.1);
  const Survey alone = survey_poses(m, {X}), after = survey_poses(m, {pose(0, 0, -5), X});
  ASSERT_EQ(alone.failures.size(), 0U);
  ASSERT_EQ(after.failures.size(), 1U);
  EXPECT_NEAR(alone.type2.value, after.type2.value, 1e-9);
}

TEST(Survey, TheReportsSayWhereByTimeAndRow) {
  const Survey s = survey_poses(shipped("hexapod"), {pose(0, 0, -0.65), pose(0, 0, -1.2)});
  const std::vector<double> t = {0.5, 0.75};
  EXPECT_THAT(survey_text(s, t), testing::AllOf(HasSubstr("t = 0.75 (row 2)"), HasSubstr("leg1.drive")));
  EXPECT_THAT(survey_json(s, t), testing::AllOf(HasSubstr("\"poses\": 2"), HasSubstr("\"out_of_limits\"")));
}

}  // namespace
}  // namespace gough::survey_test
