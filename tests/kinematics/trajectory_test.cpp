/// Trajectories: derivatives against differences, laws of time and circles against
/// their closed forms, splines and polynomials against the functions that they must reproduce.
#include "gough/kinematics/trajectory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <random>

#include "allocations.hpp"
#include "gough/gough.hpp"

namespace gough::trajectory_test {
namespace {

using std::numbers::pi;
using V3 = Vec3<double>;

V3 random_vector(std::mt19937& g, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  return {uniform(g), uniform(g), uniform(g)};
}

/// The vector of a skew matrix.
V3 vee(const Mat3<double>& W) { return V3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1)) / 2; }

// ------------------------------------------------------------------------------------------------ laws of time

std::vector<TimeLaw> laws() {
  return {{Profile::quintic, 0.8, 0},
          {Profile::trapezoid, 0.8, 0.2},
          {Profile::trapezoid, 0.8, 0.4},
          {Profile::bang_bang, 0.8, 0},
          {Profile::constant, 0.8, 0}};
}

TEST(TimeLaw, RunsFromZeroToOneAndBackwardsTheSame) {
  for (const TimeLaw& law : laws())
    for (const double t : {0.0, 0.05, 0.17, 0.33, 0.39}) {
      const Progress p = progress(law, t), mirrored = progress(law, law.duration - t);
      EXPECT_NEAR(p.s + mirrored.s, 1, 1e-15);
      EXPECT_NEAR(p.ds, mirrored.ds, 1e-14);
      EXPECT_NEAR(p.dds, -mirrored.dds, 1e-13);
    }
}

TEST(TimeLaw, StartsAtRestUnlessItsSpeedIsConstant) {
  for (const TimeLaw& law : laws()) {
    EXPECT_EQ(progress(law, 0).s, 0);
    EXPECT_EQ(progress(law, 0).ds, law.profile == Profile::constant ? 1 / law.duration : 0);
    EXPECT_EQ(progress(law, law.duration).ds, law.profile == Profile::constant ? 1 / law.duration : 0);
  }
  EXPECT_EQ(progress({Profile::quintic, 0.8, 0}, 0).dds, 0);
  EXPECT_EQ(progress({Profile::quintic, 0.8, 0}, 0.8).dds, 0);
}

TEST(TimeLaw, DerivativesAreThoseOfDifferences) {
  constexpr double h = 1e-6;  // differences are exact to h^2 s''' / 6 = 1e-10 and eps / h = 1e-10
  for (const TimeLaw& law : laws())
    for (const double t : {0.05, 0.13, 0.31, 0.45, 0.71}) {
      const Progress p = progress(law, t), before = progress(law, t - h), after = progress(law, t + h);
      EXPECT_NEAR(p.ds, (after.s - before.s) / (2 * h), 1e-9);
      EXPECT_NEAR(p.dds, (after.ds - before.ds) / (2 * h), 1e-8);
    }
}

double peak(const TimeLaw& law, double Progress::*what) {
  double most = 0;
  for (int i = 0; i <= 100'000; ++i) most = std::max(most, std::abs(progress(law, law.duration * i / 1e5).*what));
  return most;
}

TEST(TimeLaw, PeaksAreTheClosedForms) {
  const double T = 0.8;
  EXPECT_NEAR(peak({Profile::quintic, T, 0}, &Progress::ds), 15.0 / 8 / T, 1e-9);
  EXPECT_NEAR(peak({Profile::quintic, T, 0}, &Progress::dds), 10 / std::sqrt(3) / (T * T), 1e-7);
  EXPECT_NEAR(peak({Profile::bang_bang, T, 0}, &Progress::ds), 2 / T, 1e-12);
  EXPECT_NEAR(peak({Profile::bang_bang, T, 0}, &Progress::dds), 4 / (T * T), 1e-12);
  EXPECT_NEAR(peak({Profile::trapezoid, T, 0.2}, &Progress::ds), 1 / (T - 0.2), 1e-12);
  EXPECT_NEAR(peak({Profile::trapezoid, T, 0.2}, &Progress::dds), 1 / (T - 0.2) / 0.2, 1e-12);
}

TEST(TimeLaw, TheFastestTrapezoidTakesTheTextbooksTime) {
  const TimeLaw with_cruise = fastest(Profile::trapezoid, 0.5, 2);  // 1/v + v/a, ramps of v/a
  EXPECT_NEAR(with_cruise.duration, 1 / 0.5 + 0.5 / 2, 1e-15);
  EXPECT_NEAR(with_cruise.ramp, 0.25, 1e-15);
  const TimeLaw never_full_speed = fastest(Profile::trapezoid, 10, 4);  // 2 sqrt(1/a)
  EXPECT_NEAR(never_full_speed.duration, 1, 1e-15);
  EXPECT_NEAR(never_full_speed.ramp, 0.5, 1e-15);
}

TEST(TimeLaw, TheFastestOneReachesALimitAndExceedsNone) {
  constexpr double none = std::numeric_limits<double>::infinity();
  for (const Profile profile : {Profile::quintic, Profile::trapezoid, Profile::bang_bang})
    for (const auto& [speed, acceleration] : {std::pair{0.5, 2.0}, {10.0, 4.0}, {0.01, 100.0}, {none, 3.0}}) {
      const TimeLaw law = fastest(profile, speed, acceleration);
      const double v = peak(law, &Progress::ds) / speed, a = peak(law, &Progress::dds) / acceleration;
      EXPECT_NEAR(std::max(v, a), 1, 1e-6);
    }
  EXPECT_EQ(fastest(Profile::constant, 4, none).duration, 0.25);
}

// ------------------------------------------------------------------------------------------------ pieces

const Transform<double> pose_a{rotation_from_vector<double>({0.2, -0.4, 0.1}), {0.1, 0.2, -0.6}};
const Transform<double> pose_b{rotation_from_vector<double>({-0.5, 0.3, 1.1}), {-0.3, 0.25, -0.5}};

Trajectory line() { return trajectory_of(Moves::platform, line_piece(pose_a, pose_b, {Profile::quintic, 0.7, 0})); }

Trajectory circle(Profile profile) {
  CirclePath path;
  path.centre = {0.1, 0, -0.6};
  path.first = V3(0, 1, 1).normalized() * 0.05;
  path.second = V3(1, 0, 0) * 0.05;
  path.start = 0.3;
  path.turn = 4 * pi;
  path.law = {profile, 2, 0.5};
  return trajectory_of(Moves::platform, circle_piece(path, pose_a.R));
}

Trajectory harmonic() {
  HarmonicPath path;
  path.offset = (Vec6<double>() << 0.1, 0, -0.6, 0.1, 0.2, 0.3).finished();
  path.terms = {{0, 0.1, 3, 0.2}, {0, 0.02, 6, 0}, {3, 0.4, 2, 1}, {4, 0.3, 5, 0}, {5, 0.7, 1.5, -1}};
  return trajectory_of(Moves::platform, harmonic_piece(path, 3));
}

Trajectory splined() {
  std::mt19937 g(4);
  std::vector<double> t;
  Eigen::MatrixXd values(9, 6);
  for (Eigen::Index k = 0; k < 9; ++k) {
    t.push_back(0.2 * static_cast<double>(k) + 0.05 * (k % 3 == 1 ? 1 : 0));
    values.row(k) << random_vector(g, 0.2).transpose(), random_vector(g, 0.6).transpose();
  }
  return trajectory_of(Moves::platform, spline_piece(Moves::platform, t, values));
}

std::vector<PlatformMotion> random_states(int n) {
  std::mt19937 g(5);
  std::vector<PlatformMotion> states;
  for (int k = 0; k < n; ++k)
    states.push_back({{rotation_from_vector<double>(random_vector(g, 1.2)), random_vector(g, 1)},
                      random_vector(g, 1),
                      random_vector(g, 1),
                      random_vector(g, 1),
                      random_vector(g, 1)});
  return states;
}

Trajectory through_states() {
  return trajectory_of(Moves::platform, hermite_piece({0, 0.5, 0.8, 1.6}, random_states(4)));
}

Trajectory sequence() {
  Trajectory all = line();
  append(all, wait_piece(pose_b, 0.2));
  append(all, line_piece(pose_b, pose_a, {Profile::quintic, 0.4, 0}));
  return all;
}

struct Named {
  std::string name;
  Trajectory (*make)();
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

class EveryPath : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Trajectory, EveryPath,
                         testing::Values(Named{"Line", line}, Named{"Harmonic", harmonic}, Named{"Spline", splined},
                                         Named{"States", through_states}, Named{"Sequence", sequence},
                                         Named{"Circle", [] { return circle(Profile::quintic); }}),
                         [](const auto& of) { return of.param.name; });

TEST_P(EveryPath, VelocitiesAndAccelerationsAreThoseOfDifferences) {
  constexpr double h = 1e-5;  // h^2 times third derivatives of up to 1e3, and eps / h
  const Trajectory trajectory = GetParam().make();
  for (int i = 1; i < 60; ++i) {
    const double t = trajectory.duration * i / 60 + 1.23e-3;
    const PlatformMotion now = platform_motion(trajectory, t), before = platform_motion(trajectory, t - h),
                         after = platform_motion(trajectory, t + h);
    const Mat3<double> dR = (after.pose.R - before.pose.R) / (2 * h);
    EXPECT_LT((now.v - (after.pose.p - before.pose.p) / (2 * h)).norm(), 1e-6) << t;
    EXPECT_LT((now.a - (after.v - before.v) / (2 * h)).norm(), 1e-5) << t;
    EXPECT_LT((now.w - vee(dR * now.pose.R.transpose())).norm(), 1e-6) << t;
    EXPECT_LT((now.dw - (after.w - before.w) / (2 * h)).norm(), 1e-5) << t;
    EXPECT_LT((now.pose.R * now.pose.R.transpose() - Mat3<double>::Identity()).norm(), 1e-14) << t;
  }
}

TEST_P(EveryPath, RestsOutsideItsTime) {
  const Trajectory trajectory = GetParam().make();
  const PlatformMotion before = platform_motion(trajectory, -1), start = platform_motion(trajectory, 0);
  const PlatformMotion after = platform_motion(trajectory, 100), end = platform_motion(trajectory, trajectory.end());
  EXPECT_EQ(before.pose.p, start.pose.p);
  EXPECT_EQ(after.pose.p, end.pose.p);
  EXPECT_EQ(before.v.norm() + before.w.norm() + after.a.norm() + after.dw.norm(), 0);
}

TEST_P(EveryPath, SamplingDoesNotAllocate) {
  if (!allocations_are_counted) GTEST_SKIP() << "allocations are not counted here";
  const Trajectory trajectory = GetParam().make();
  const long before = allocations();
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += platform_motion(trajectory, trajectory.duration * i / 9).v.norm();
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_GE(sum, 0);
}

TEST(Trajectory, ALineIsStraightAndTurnsAboutOneAxis) {
  const Eigen::AngleAxisd whole(Mat3<double>(pose_a.R.transpose() * pose_b.R));
  for (const double t : {0.0, 0.1, 0.3, 0.55, 0.7}) {
    const PlatformMotion now = platform_motion(line(), t);
    const double s = progress({Profile::quintic, 0.7, 0}, t).s;
    const Eigen::AngleAxisd part(s * whole.angle(), whole.axis());
    EXPECT_LT((now.pose.p - pose_a.p - s * (pose_b.p - pose_a.p)).norm(), 1e-15);
    EXPECT_LT((now.pose.R - pose_a.R * part.toRotationMatrix()).norm(), 1e-14);
    EXPECT_LT(now.w.cross(pose_a.R * whole.axis()).norm(), 1e-14) << "the axis stands still";
  }
}

TEST(Trajectory, ACircleAtConstantSpeedHasCentripetalAccelerationOnly) {
  const double rate = 4 * pi / 2, radius = 0.05;  // two turns in 2 s
  for (const double t : {0.0, 0.2, 1.1, 1.9}) {
    const PlatformMotion now = platform_motion(circle(Profile::constant), t);
    const V3 outward = now.pose.p - V3(0.1, 0, -0.6);
    EXPECT_NEAR(outward.norm(), radius, 1e-15);
    EXPECT_NEAR(now.v.norm(), rate * radius, 1e-14);
    EXPECT_LT((now.a + rate * rate * outward).norm(), 1e-13);
    EXPECT_EQ(now.w.norm(), 0);
    EXPECT_EQ(now.pose.R, pose_a.R);
  }
}

TEST(Trajectory, ACircleFromRestToRestClosesAndRests) {
  for (const Profile profile : {Profile::quintic, Profile::trapezoid, Profile::bang_bang}) {
    const PlatformMotion start = platform_motion(circle(profile), 0), end = platform_motion(circle(profile), 2);
    EXPECT_LT((start.pose.p - end.pose.p).norm(), 1e-15);
    EXPECT_EQ(start.v.norm() + end.v.norm(), 0);
  }
}

TEST(Trajectory, ActuatorsMoveOnALineTogether) {
  const VecX<double> from = VecX<double>::LinSpaced(3, 0.1, 0.3), to = VecX<double>::LinSpaced(3, 0.6, 0.2);
  const Trajectory all = trajectory_of(Moves::actuators, line_piece(from, to, {Profile::bang_bang, 2, 0}));
  EXPECT_LT((actuator_motion(all, 0).q - from).norm(), 1e-16);
  EXPECT_LT((actuator_motion(all, 2).q - to).norm(), 1e-16);
  EXPECT_LT((actuator_motion(all, 1).v - (to - from)).norm(), 1e-15) << "2 L / T at the middle";
  EXPECT_LT((actuator_motion(all, 0.5).a - (to - from)).norm(), 1e-15) << "4 L / T^2";
}

// ------------------------------------------------------------------------------------------------ rows

TEST(Spline, IsExactOnCubicsOfUnevenTimes) {
  const auto cubic = [](double t) { return 1 - 2 * t + 3 * t * t - 0.5 * t * t * t; };
  const std::vector<double> t = {1, 1.3, 1.4, 2, 2.9, 3};
  Eigen::MatrixXd values(6, 1);
  for (std::size_t k = 0; k < 6; ++k) values(static_cast<Eigen::Index>(k), 0) = cubic(t[k]);
  for (const Eigen::Index rows : {4, 5, 6}) {
    const std::vector<double> some(t.begin(), t.begin() + rows);
    const Trajectory all = trajectory_of(Moves::actuators, spline_piece(Moves::actuators, some, values.topRows(rows)));
    for (double u = 0; u < all.duration; u += 0.07) {
      const ActuatorMotion now = actuator_motion(all, u);
      const double x = u + 1;
      EXPECT_NEAR(now.q[0], cubic(x), 1e-13);
      EXPECT_NEAR(now.v[0], -2 + 6 * x - 1.5 * x * x, 1e-12);
      EXPECT_NEAR(now.a[0], 6 - 3 * x, 1e-11);
    }
  }
}

TEST(Spline, OfThreeRowsIsAParabolaAndOfTwoALine) {
  Eigen::MatrixXd values(3, 1);
  values << 1, 0, 3;  // at 0, 1, 3: 1 - 11/6 t + 5/6 t^2 by divided differences
  const Trajectory parabola = trajectory_of(Moves::actuators, spline_piece(Moves::actuators, {0, 1, 3}, values));
  EXPECT_NEAR(actuator_motion(parabola, 2).q[0], 1 - 11.0 / 3 + 10.0 / 3, 1e-15);
  EXPECT_NEAR(actuator_motion(parabola, 0.5).a[0], 5.0 / 3, 1e-14);
  const Trajectory two = trajectory_of(Moves::actuators, spline_piece(Moves::actuators, {0, 1}, values.topRows(2)));
  EXPECT_NEAR(actuator_motion(two, 0.25).q[0], 0.75, 1e-16);
  EXPECT_EQ(actuator_motion(two, 0.25).v[0], -1);
}

TEST(Spline, PassesItsRowsWithContinuousAcceleration) {
  const Trajectory all = splined();
  const auto& knots = std::get<PolynomialPath>(all.pieces[0].path).knots;
  for (std::size_t k = 1; k + 1 < knots.size(); ++k) {
    const PlatformMotion before = platform_motion(all, knots[k] - 1e-12), after = platform_motion(all, knots[k]);
    EXPECT_LT((before.a - after.a).norm(), 1e-7);  // 1e-12 s times a third derivative below 1e4
    EXPECT_LT((before.dw - after.dw).norm(), 1e-7);
  }
}

TEST(Spline, ContinuesRotationVectorsBeyondHalfATurn) {
  std::vector<double> t;
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(21, 6);
  for (Eigen::Index k = 0; k < 21; ++k) {  // 8 rad about z at constant speed, written with angles within half a turn
    t.push_back(0.1 * static_cast<double>(k));
    values(k, 5) = std::remainder(0.4 * static_cast<double>(k), 2 * pi);
  }
  const Trajectory all = trajectory_of(Moves::platform, spline_piece(Moves::platform, t, values));
  for (double u = 0; u < 2; u += 0.013) EXPECT_LT((platform_motion(all, u).w - V3(0, 0, 4)).norm(), 1e-11) << u;
}

TEST(States, ArePassedExactly) {
  const auto states = random_states(4);
  const std::vector<double> t = {0, 0.5, 0.8, 1.6};
  for (std::size_t k = 0; k < 4; ++k) {
    const PlatformMotion now = platform_motion(through_states(), t[k]);
    EXPECT_LT((now.pose.p - states[k].pose.p).norm() + (now.pose.R - states[k].pose.R).norm(), 1e-13);
    EXPECT_LT((now.v - states[k].v).norm() + (now.w - states[k].w).norm(), 1e-12);
    EXPECT_LT((now.a - states[k].a).norm() + (now.dw - states[k].dw).norm(), 1e-11);
  }
}

TEST(States, OfAQuinticAreJoinedByIt) {
  const auto at = [](double t) {
    const auto one = [](double x) { return VecX<double>::Constant(1, x); };
    return ActuatorMotion{one(std::pow(t, 5) - t * t), one(5 * std::pow(t, 4) - 2 * t), one(20 * std::pow(t, 3) - 2)};
  };
  const Trajectory all =
      trajectory_of(Moves::actuators, hermite_piece({0, 0.7, 1}, std::vector{at(0), at(0.7), at(1)}));
  for (double t = 0; t < 1; t += 0.06) {
    EXPECT_NEAR(actuator_motion(all, t).q[0], at(t).q[0], 1e-14);
    EXPECT_NEAR(actuator_motion(all, t).a[0], at(t).a[0], 1e-12);
  }
}

// ------------------------------------------------------------------------------------------------ time

TEST(Trajectory, SampleTimesIncludeTheEndOnce) {
  const Trajectory all = line();  // 0.7 s
  EXPECT_EQ(sample_times(all, 0.1).size(), 8U) << "0.7 / 0.1 is not quite 7";
  EXPECT_THAT(sample_times(all, 0.3), testing::ElementsAre(0, 0.3, 0.6, 0.7));
  EXPECT_THAT(sample_times(all, 5), testing::ElementsAre(0, 0.7));
  for (const double step : {0.0, -1.0, 1e-9, std::nan("")}) EXPECT_THROW(sample_times(all, step), Error) << step;
}

TEST(Trajectory, ASequenceLastsAsLongAsItsPieces) {
  const Trajectory all = sequence();
  EXPECT_NEAR(all.duration, 1.3, 1e-15);
  EXPECT_LT((platform_motion(all, 0.8).pose.p - pose_b.p).norm(), 1e-15) << "waiting";
  EXPECT_EQ(platform_motion(all, 0.8).v.norm(), 0);
  EXPECT_LT((platform_motion(all, 1.3).pose.p - pose_a.p).norm(), 1e-15);
}

}  // namespace
}  // namespace gough::trajectory_test
