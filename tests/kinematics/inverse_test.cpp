/// Inverse kinematics: closed forms against Newton's method on the loops, working modes, what is said about poses that
/// cannot be reached, and the 3-PSP from both of its pose descriptions.
#include "gough/kinematics/inverse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <regex>

#include "kinematics/planar_robots.hpp"
#include "kinematics/states.hpp"

namespace gough::inverse_test {
namespace {

using std::numbers::pi;
using testing::AllOf;
using testing::HasSubstr;

Answer solve(const Mechanism<double>& m, const Transform<double>& X, VecX<double>& q, const InverseOptions& o = {}) {
  Workspace<double> w(m);
  const Answer answer = inverse_kinematics(m, X, w, o);
  q = w.q;
  return answer;
}

class EveryRobotInverse : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Inverse, EveryRobotInverse, testing::ValuesIn(robots_with_platform()),
                         [](const auto& of) { return of.param; });

TEST_P(EveryRobotInverse, AgreesWithNewtonsMethodOnTheLoops) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const VecX<double> by_newton = safely_reached(m, seed);
    const Transform<double> X = platform_pose(m, placed(m, by_newton));
    VecX<double> q;
    const Answer answer = solve(m, X, q);
    ASSERT_TRUE(answer.ok()) << answer.explain();
    EXPECT_LT(open_by(m, q), 1e-12);
    EXPECT_LT(answer.residual, 1e-12);
    EXPECT_LT(apart(platform_pose(m, placed(m, q)), X), 1e-10);
    EXPECT_LT(apart(m, q, by_newton), 1e-9) << "every body, so the working mode too";
  }
}

TEST_P(EveryRobotInverse, OnlyTheTaskCoordinatesAreRead) {
  const VecX<double> q0 = safely_reached(m, 4);
  const Vec6<double> x = pose_vector(platform_pose(m, placed(m, q0)));
  Vec6<double> only_task = Vec6<double>::Zero();
  for (int i = 0; i < 6; ++i)
    if (m.platform.coordinates[at(i)]) only_task[i] = x[i];
  VecX<double> q;
  const Answer answer = solve(m, pose_from_vector(only_task), q);
  ASSERT_TRUE(answer.ok()) << answer.explain();
  EXPECT_LT(apart(platform_pose(m, placed(m, q)), pose_from_vector(x)), 1e-9);
  EXPECT_TRUE(answer.reason.empty()) << answer.reason;
}

TEST_P(EveryRobotInverse, HomeIsItsOwnAnswer) {
  VecX<double> q;
  const Answer answer = solve(m, home_pose(m), q);
  ASSERT_TRUE(answer.ok()) << answer.explain();
  EXPECT_LT(apart(m, q, m.home), 1e-9);
}

TEST_P(EveryRobotInverse, AllWorkingModesReachThePoseAndDiffer) {
  const Transform<double> X = platform_pose(m, placed(m, safely_reached(m, 5, 0.1)));
  InverseOptions o;
  o.check_limits = false;
  const auto all = all_inverse_kinematics(m, X, o);
  ASSERT_FALSE(all.empty());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_LT(open_by(m, all[i].q), 1e-11) << all[i].mode;
    const Vec6<double> got = pose_vector(platform_pose(m, placed(m, all[i].q))), wanted = pose_vector(X);
    for (int c = 0; c < 6; ++c)
      if (m.platform.coordinates[at(c)]) { EXPECT_NEAR(got[c], wanted[c], 1e-10) << all[i].mode; }
    if (all.size() > 16 && i > 8) continue;  // 2^6 modes of a hexa: comparing some is enough
    for (std::size_t k = 0; k < i; ++k) EXPECT_GT(apart(m, all[i].q, all[k].q), 1e-3) << all[i].mode << all[k].mode;
  }
}

TEST(Inverse, TheNumberOfModesIsTwoForEveryLegWithARoot) {
  InverseOptions o;
  o.check_limits = false;
  const auto count = [&](const Mechanism<double>& m) { return all_inverse_kinematics(m, home_pose(m), o).size(); };
  EXPECT_EQ(count(shipped("hexapod")), 1U);
  EXPECT_EQ(count(shipped("hexa")), 64U);
  EXPECT_EQ(count(shipped("delta")), 8U);
  EXPECT_EQ(count(shipped("triglide")), 8U);
  EXPECT_EQ(count(shipped("rrr3")), 8U);
  EXPECT_EQ(count(shipped("five_bar")), 4U);
  EXPECT_EQ(count(prepared_from(prr3).mechanism), 8U);
}

TEST(Inverse, AModeTurnsTheLegsThatItNamesAndNoOthers) {
  const Mechanism<double>& m = shipped("hexa");
  const Transform<double> X = pose(0.02, 0.01, -0.46, 0.05, -0.04, 0.1);
  VecX<double> plus, mixed;
  ASSERT_TRUE(solve(m, X, plus).ok());
  InverseOptions o;
  o.mode = "+-++-+";
  ASSERT_TRUE(solve(m, X, mixed, o).ok());
  const VecX<double> a = actuators_of(m, plus), b = actuators_of(m, mixed);
  for (int i = 0; i < 6; ++i) {
    if (i == 1 || i == 4) {
      EXPECT_GT(std::abs(a[i] - b[i]), 0.1);
    } else {
      EXPECT_NEAR(a[i], b[i], 1e-12);
    }
  }
  EXPECT_LT(open_by(m, mixed), 1e-12);
}

TEST(Inverse, FiveBarModesAreTheFourPairsOfElbows) {
  const Mechanism<double>& m = shipped("five_bar");
  const Eigen::Vector2d P(0.05, 0.38);
  std::vector<Eigen::Vector2d> expected;  // motors by the law of cosines
  const auto motor = [&](double x0, double sign) {
    const Eigen::Vector2d d = P - Eigen::Vector2d(x0, 0);
    return std::atan2(d.y(), d.x()) +
           sign * std::acos((d.squaredNorm() + 0.25 * 0.25 - 0.35 * 0.35) / (2 * 0.25 * d.norm()));
  };
  for (const double l : {1.0, -1.0})
    for (const double r : {1.0, -1.0}) expected.emplace_back(motor(-0.1, l), motor(0.1, r));
  const auto all = all_inverse_kinematics(m, pose(P.x(), P.y(), 0));
  ASSERT_EQ(all.size(), 4U);
  for (const Eigen::Vector2d& e : expected) {
    double nearest = 1;
    for (const Posture& p : all) {
      const VecX<double> a = actuators_of(m, p.q);
      nearest = std::min(nearest, std::hypot(std::remainder(a[0] - e[0], 2 * pi), std::remainder(a[1] - e[1], 2 * pi)));
    }
    EXPECT_LT(nearest, 1e-12) << e.transpose();
  }
  VecX<double> q;
  ASSERT_TRUE(solve(m, pose(P.x(), P.y(), 0), q).ok());
  EXPECT_NEAR(actuators_of(m, q)[0], motor(-0.1, 1), 1e-12) << "elbows outwards";
  EXPECT_NEAR(actuators_of(m, q)[1], motor(0.1, -1), 1e-12);
}

TEST(Inverse, APrrCarriageIsWhereItsRodReaches) {
  const Mechanism<double> m = prepared_from(prr3).mechanism;
  const Transform<double> X = pose(0.02, -0.03, 0, 0, 0, 0.2);
  VecX<double> q;
  ASSERT_TRUE(solve(m, X, q).ok());
  for (int i = 0; i < 3; ++i) {
    const double a = i * 2 * pi / 3;
    const Vec3<double> B = rotation_z(a).transpose() * (X * Vec3<double>(0.1 * std::cos(a), 0.1 * std::sin(a), 0));
    const double dx = 0.3 - B.x();  // in the leg's axes the carriage slides along y
    EXPECT_NEAR(actuators_of(m, q)[i], B.y() - std::sqrt(0.25 * 0.25 - dx * dx), 1e-12);
  }
}

TEST(Inverse, ModesThatCannotBeAreRefused) {
  VecX<double> q;
  InverseOptions o;
  for (const std::string mode : {"+", "++++++++", "++*+++", "+++++"}) {
    o.mode = mode;
    EXPECT_THROW(solve(shipped("hexa"), home_pose(shipped("hexa")), q, o), Error) << mode;
  }
  o.mode = "-+++++";
  EXPECT_THROW(solve(shipped("hexapod"), home_pose(shipped("hexapod")), q, o), Error) << "a UPS leg has one mode";
  EXPECT_THROW(solve(shipped("four_bar"), Transform<double>(), q), Error) << "no platform";
}

// ------------------------------------------------------------------------------------------------ failures

/// "misses its place on the platform by 0.123 m": the number.
double shortfall(const std::string& reason) {
  std::smatch found;
  return std::regex_search(reason, found, std::regex("by ([0-9.e+-]+) m")) ? std::stod(found[1]) : -1;
}

TEST(InverseFailure, ARodThatIsTooShortIsNamedWithWhatIsMissing) {
  const Mechanism<double>& m = shipped("triglide");
  VecX<double> q;
  const Answer answer = solve(m, pose(0.4, 0, -0.45), q);
  EXPECT_EQ(answer.status, Status::unreachable);
  // legs at 120 and 240 deg: across = |(0.4, 0) - 0.2 (cos, sin)|, rods 0.5
  const double across = std::hypot(0.4 - 0.2 * std::cos(2 * pi / 3), 0.2 * std::sin(2 * pi / 3));
  ASSERT_GT(across, 0.5);
  EXPECT_THAT(answer.reason, testing::AnyOf(HasSubstr("leg2"), HasSubstr("leg3")));
  EXPECT_NEAR(shortfall(answer.reason), across - 0.5, 1e-4);
}

TEST(InverseFailure, AnArmThatCannotReachIsNamedWithWhatIsMissing) {
  const Mechanism<double>& m = shipped("hexa");
  VecX<double> q;
  const Transform<double> X = pose(0, 0, -1.2);
  const Answer answer = solve(m, X, q);
  EXPECT_EQ(answer.status, Status::unreachable);
  double worst = 0;  // all legs are alike: the nearest point of the arm's circle, in the plane across the motor's axis
  const double A[] = {-15, 15}, B[] = {-45, 45};
  for (int i = 0; i < 2; ++i) {
    const double a = A[i] * pi / 180, b = B[i] * pi / 180;
    const double x = 0.1 * std::cos(b) - 0.25 * std::cos(a), y = 0.1 * std::sin(b) - 0.25 * std::sin(a), z = -1.2;
    worst = std::max(worst, std::hypot(std::hypot(x, z) - 0.22, y) - 0.5);
  }
  EXPECT_THAT(answer.reason, HasSubstr("leg"));
  EXPECT_NEAR(shortfall(answer.reason), worst, 1e-3 * worst);
}

TEST(InverseFailure, APlanarLegIsNamedWithWhatIsMissing) {
  VecX<double> q;
  const Answer answer = solve(shipped("rrr3"), pose(0, 0.6, 0), q);
  EXPECT_EQ(answer.status, Status::unreachable);
  const double rho = 0.042 / std::sqrt(3.0);  // joints at 210, 330, 90 deg about P
  const double miss1 = std::hypot(rho * std::cos(7 * pi / 6) + 0.2, 0.6 + rho * std::sin(7 * pi / 6)) - 0.4,
               miss3 = std::hypot(-0.2, 0.6 + rho) - 0.4;
  EXPECT_THAT(answer.reason, HasSubstr("leg3"));
  EXPECT_NEAR(shortfall(answer.reason), std::max(miss1, miss3), 1e-4);
}

TEST(InverseFailure, AFiveBarLegIsNamedWithWhatIsMissing) {
  VecX<double> q;
  const Answer answer = solve(shipped("five_bar"), pose(0.3, 0.55, 0), q);
  EXPECT_EQ(answer.status, Status::unreachable);
  EXPECT_NEAR(shortfall(answer.reason), std::hypot(0.4, 0.55) - 0.6, 1e-4) << answer.reason;
}

TEST(InverseFailure, TooNearIsSaidAsWellAsTooFar) {
  VecX<double> q;  // the tip at the left motor: the links differ by 0.1 m
  const Answer answer = solve(shipped("five_bar"), pose(-0.1, 0.02, 0), q);
  EXPECT_EQ(answer.status, Status::unreachable);
  EXPECT_NEAR(shortfall(answer.reason), 0.35 - 0.25 - 0.02, 1e-4) << answer.reason;
}

TEST(InverseFailure, ALimitIsNamedWithHowFarItIsExceeded) {
  const Mechanism<double>& m = shipped("hexapod");
  VecX<double> q;
  const Answer answer = solve(m, pose(0, 0, -1.1), q);
  EXPECT_EQ(answer.status, Status::out_of_limits);
  const double a = 15 * pi / 180, b = 45 * pi / 180;
  const double length = std::hypot(0.5 * std::cos(a) - 0.12 * std::cos(b), 0.5 * std::sin(a) - 0.12 * std::sin(b), 1.1);
  EXPECT_THAT(answer.reason, AllOf(HasSubstr("leg1.drive"), HasSubstr(fmt::format("by {:.3g} m", length - 1.0))));
  EXPECT_LT(open_by(m, q), 1e-12) << "the posture is there to look at";
  InverseOptions o;
  o.check_limits = false;
  EXPECT_TRUE(solve(m, pose(0, 0, -1.1), q, o).ok());
}

TEST(InverseFailure, NothingIsEverNotANumber) {
  for (const std::string& name : robots_with_platform()) {
    const Mechanism<double>& m = shipped(name);
    for (const auto& X : {pose(50, -30, 20, 1, 2, 0.5), pose(0, 0, 0), pose(0, 0, 0, pi, 0, 0)}) {
      VecX<double> q;
      const Answer answer = solve(m, X, q);
      EXPECT_TRUE(q.allFinite()) << name << ": " << answer.explain();
      EXPECT_TRUE(std::isfinite(answer.residual)) << name;
      if (answer.ok()) {
        EXPECT_LT(open_by(m, q), 1e-11) << name;
      } else {
        EXPECT_FALSE(answer.reason.empty()) << name;
      }
    }
  }
}

TEST(InverseFailure, AGivenRestThatContradictsIsSaidAndTheAnswerStands) {
  VecX<double> q;
  const Answer delta = solve(shipped("delta"), pose(0.05, 0, -0.7, 0, 0, 0.3), q);
  EXPECT_TRUE(delta.ok());
  EXPECT_THAT(delta.reason, AllOf(HasSubstr("rz"), HasSubstr("0.3")));
  EXPECT_LT(apart(platform_pose(shipped("delta"), placed(shipped("delta"), q)), pose(0.05, 0, -0.7)), 1e-10);
  const Answer star = solve(shipped("psp3"), pose(0.02, 0, 0.5, 0.1, 0, 0), q);
  EXPECT_TRUE(star.ok());
  EXPECT_THAT(star.reason, HasSubstr("x = 0.02"));
  EXPECT_THAT(solve(shipped("delta"), pose(0.05, 0, -0.7), q).reason, testing::IsEmpty());
}

// ------------------------------------------------------------------------------------------------ 3-PSP

/// Where P must be for the star's orientation: each arm's vertical plane holds its slide, which gives three equations
/// linear in (x, y); two are solved, the third is returned as a check.
Eigen::Vector2d psp3_centre(const Mat3<double>& R, double* check = nullptr) {
  Eigen::Matrix<double, 3, 2> A;
  Vec3<double> b;
  for (int i = 0; i < 3; ++i) {
    const double a = i * 2 * pi / 3;
    const Vec3<double> u = R * Vec3<double>(std::cos(a), std::sin(a), 0);
    A.row(i) << u.y(), -u.x();  // u_x (s_y - y) - u_y (s_x - x) = 0
    b[i] = u.y() * 0.18 * std::cos(a) - u.x() * 0.18 * std::sin(a);
  }
  const Eigen::Vector2d P = A.topRows<2>().inverse() * b.head<2>();
  if (check != nullptr) *check = A.row(2).dot(P) - b[2];
  return P;
}

TEST(Psp3, FromZAndTiltTheAnswerIsUniqueWithoutTorsion) {
  const Mechanism<double>& m = shipped("psp3");
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const VecX<double> r = random_vector(3, seed) * 0.4;
    const auto all = all_inverse_kinematics(m, pose(0, 0, 0.5 + 0.1 * r[0], r[1], r[2], 0));
    ASSERT_EQ(all.size(), 1U);
    VecX<double> q;
    ASSERT_TRUE(solve(m, pose(0, 0, 0.5 + 0.1 * r[0], r[1], r[2], 0), q).ok());
    EXPECT_LT(apart(m, q, all[0].q), 1e-9);
    const Transform<double> X = platform_pose(m, placed(m, q));
    const Vec6<double> x = pose_vector(X);
    EXPECT_NEAR(x[5], 0, 1e-11) << "zero torsion";
    EXPECT_NEAR(x[2], 0.5 + 0.1 * r[0], 1e-11);
    EXPECT_NEAR(x[3], r[1], 1e-11);
    EXPECT_NEAR(x[4], r[2], 1e-11);
    double check = 1;
    EXPECT_LT((psp3_centre(X.R, &check) - X.p.head<2>()).norm(), 1e-11);
    EXPECT_NEAR(check, 0, 1e-11);
    for (int i = 0; i < 3; ++i) {  // balls on the arms' lines, above their slides
      const double a = i * 2 * pi / 3;
      const Vec3<double> u = X.R * Vec3<double>(std::cos(a), std::sin(a), 0);
      const double b = (Vec3<double>(0.18 * std::cos(a), 0.18 * std::sin(a), 0) - X.p).head<2>().dot(u.head<2>()) /
                       u.head<2>().squaredNorm();
      EXPECT_NEAR(actuators_of(m, q)[i], X.p.z() + b * u.z(), 1e-11);
    }
  }
}

TEST(Psp3, PLeavesTheMiddleAtSecondOrderInTilt) {
  const Mechanism<double>& m = shipped("psp3");
  const auto offset = [&](double tilt) {
    VecX<double> q;
    EXPECT_TRUE(solve(m, pose(0, 0, 0.5, 0.6 * tilt, 0.8 * tilt, 0), q).ok());
    return platform_pose(m, placed(m, q)).p.head<2>().norm();
  };
  EXPECT_GT(offset(0.2), 1e-4);
  EXPECT_NEAR(offset(0.02) / offset(0.01), 4, 0.01);
  EXPECT_NEAR(offset(0.002) / offset(0.001), 4, 0.01);
}

/// Orientations with P at a given point by brute force: arm 1 at elevation e in its vertical plane, pointing to its
/// slide; arm 2 on the cone of 120 deg about it and in its own plane, pointing to its slide; then arm 3 = -(1) - (2)
/// must lie in its plane too. Sign changes over e are counted and refined by bisection.
std::vector<Mat3<double>> psp3_orientations(const Vec3<double>& P) {
  const auto horizontal = [&](int i) {
    const double a = i * 2 * pi / 3;
    return Vec3<double>(0.18 * std::cos(a) - P.x(), 0.18 * std::sin(a) - P.y(), 0).normalized();
  };
  const Vec3<double> h1 = horizontal(0), h2 = horizontal(1), h3 = horizontal(2), z = Vec3<double>::UnitZ();
  struct Try {
    bool exists = false;
    double f = 0;
    Vec3<double> u1, u2;
  };
  const auto at_elevation = [&](double e, double sign) {
    Try t;
    t.u1 = h1 * std::cos(e) + z * std::sin(e);
    const double A = t.u1.dot(h2), B = t.u1.z(), n = std::hypot(A, B);  // A cos + B sin = -1/2
    if (n < 0.5) return t;
    const double e2 = std::atan2(B, A) + sign * std::acos(-0.5 / n);
    if (std::cos(e2) < 0) return t;
    t.u2 = h2 * std::cos(e2) + z * std::sin(e2);
    const Vec3<double> u3 = -t.u1 - t.u2;
    t.exists = u3.dot(h3) > 0;
    t.f = u3.x() * h3.y() - u3.y() * h3.x();
    return t;
  };
  std::vector<Mat3<double>> found;
  constexpr int steps = 20001;  // odd: the level pose e = 0 is between two samples
  for (const double sign : {1.0, -1.0})
    for (int i = 0; i < steps; ++i) {
      double low = -pi / 2 + pi * i / steps, high = -pi / 2 + pi * (i + 1) / steps;
      Try a = at_elevation(low, sign), b = at_elevation(high, sign);
      if (!a.exists || !b.exists || a.f * b.f > 0) continue;
      for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        const Try c = at_elevation(middle, sign);
        (c.f * a.f > 0 ? low : high) = middle;
      }
      const Try t = at_elevation(low, sign);
      const Vec3<double> x = t.u1, y = (t.u2 + x / 2) / std::sqrt(0.75);
      Mat3<double> R;
      R << x, y, x.cross(y);
      found.push_back(R);
    }
  return found;
}

TEST(Psp3, FromXYZAllAnswersAreThereAndNoOthers) {
  const Mechanism<double>& m = shipped("psp3");
  InverseOptions o;
  o.coordinates = PoseMask{true, true, true, false, false, false};
  o.check_limits = false;
  for (const auto& [x, y] : {std::pair{0.01, 0.004}, {-0.012, 0.007}, {0.02, -0.015}, {-0.03, -0.01}, {0.0, 0.02}}) {
    const Vec3<double> P(x, y, 0.52);
    const auto expected = psp3_orientations(P);
    const auto all = all_inverse_kinematics(m, {Mat3<double>::Identity(), P}, o);
    EXPECT_EQ(all.size(), expected.size()) << x << ", " << y;
    for (const Posture& p : all) {
      EXPECT_LT(open_by(m, p.q), 1e-11);
      const Transform<double> X = platform_pose(m, placed(m, p.q));
      EXPECT_LT((X.p - P).norm(), 1e-11);
      double nearest = 1;
      for (const Mat3<double>& R : expected) nearest = std::min(nearest, (X.R - R).norm());
      EXPECT_LT(nearest, 1e-9) << x << ", " << y;
    }
    VecX<double> q;
    const Answer one = solve(m, {Mat3<double>::Identity(), P}, q, o);
    EXPECT_EQ(one.ok(), !expected.empty());
  }
}

TEST(Psp3, APointThatTheStarCannotReachIsUnreachable) {
  InverseOptions o;
  o.coordinates = PoseMask{true, true, true, false, false, false};
  VecX<double> q;
  const Answer answer = solve(shipped("psp3"), pose(0.3, 0, 0.5), q, o);  // outside the triangle of slides
  EXPECT_EQ(answer.status, Status::unreachable);
  EXPECT_FALSE(answer.reason.empty());
  EXPECT_TRUE(all_inverse_kinematics(shipped("psp3"), pose(0.3, 0, 0.5), o).empty());
}

TEST(Psp3, TheMiddleIsReachedLevel) {
  // Two answers meet there (P moves at second order), so the tilt is known to the square root of the rounding only.
  const Mechanism<double>& m = shipped("psp3");
  InverseOptions o;
  o.coordinates = PoseMask{true, true, true, false, false, false};
  VecX<double> q;
  ASSERT_TRUE(solve(m, pose(0, 0, 0.55), q, o).ok());
  EXPECT_LT(open_by(m, q), 1e-12);
  EXPECT_LT(apart(platform_pose(m, placed(m, q)), pose(0, 0, 0.55)), 1e-7);
}

}  // namespace
}  // namespace gough::inverse_test
