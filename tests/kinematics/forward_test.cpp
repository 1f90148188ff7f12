/// Forward kinematics: there and back for every robot, every assembly mode against brute force, and never a jump.
#include "gough/kinematics/forward.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <numbers>
#include <sstream>

#include "decompositions.hpp"
#include "gough/kinematics/continuation.hpp"
#include "kinematics/planar_robots.hpp"
#include "kinematics/states.hpp"

namespace gough::forward_test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;
using Vec2 = Eigen::Vector2d;

std::string text_of(const std::string& robot) {
  std::ifstream file(robot_path(robot));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Answer solve(const Mechanism<double>& m, const VecX<double>& actuators, VecX<double>& q) {
  Workspace<double> w(m);
  const Answer answer = forward_kinematics(m, actuators, w);
  q = w.q;
  return answer;
}

// ------------------------------------------------------------------------------------------------ there and back

class EveryPlatform : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Forward, EveryPlatform, testing::ValuesIn(robots_with_platform()),
                         [](const auto& of) { return of.param; });

TEST_P(EveryPlatform, ForwardOfInverseIsThePose) {
  for (unsigned seed = 11; seed <= 16; ++seed) {
    const Transform<double> X = platform_pose(m, placed(m, safely_reached(m, seed)));
    Workspace<double> w(m);
    ASSERT_TRUE(inverse_kinematics(m, X, w).ok());
    VecX<double> q;
    const Answer answer = solve(m, actuators_of(m, w.q), q);
    ASSERT_TRUE(answer.ok()) << answer.explain();
    EXPECT_LT(apart(platform_pose(m, placed(m, q)), X), 1e-10);
    EXPECT_LT(open_by(m, q), 1e-12);
    EXPECT_LT((actuators_of(m, q) - actuators_of(m, w.q)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST_P(EveryPlatform, HomesActuatorsGiveHome) {
  VecX<double> q;
  const Answer answer = solve(m, actuators_of(m, m.home), q);
  ASSERT_TRUE(answer.ok()) << answer.explain();
  EXPECT_LT(apart(m, q, m.home), 1e-9);
}

class EveryMechanism : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Forward, EveryMechanism, testing::ValuesIn(robots_without_platform()),
                         [](const auto& of) { return of.param; });

/// The range of the actuator is found by short steps of Newton's method with the actuator held: as far as it closes
/// with the type-2 index above a tenth of home's.
TEST_P(EveryMechanism, ClosesOverItsActuatorsRangeAndComesBack) {
  ASSERT_FALSE(m.actuator.empty());
  const double least = 0.1 * singularity_indices(m, placed(m, m.home)).type2.value_or(1.0);
  const VecX<double> a0 = actuators_of(m, m.home);
  for (const double sign : {1.0, -1.0}) {
    Workspace<double> walker = placed(m, m.home);
    std::vector<VecX<double>> way = {m.home};
    Hold hold;
    hold.coordinates.assign(at(m.nv), false);
    for (const int v : m.actuator) hold.coordinates[at(v)] = true;
    for (int i = 1; i <= 63; ++i) {  // once round in steps of 0.1
      for (const int v : m.actuator) walker.q[position_of(m, v)] += sign * 0.1;
      if (!close_loops(m, walker, hold).closed) break;
      if (singularity_indices(m, walker).type2.value_or(1.0) < least) break;
      way.push_back(walker.q);
    }
    for (std::size_t i = 1; i < way.size(); i += std::max<std::size_t>(1, way.size() / (m.nv > 50 ? 2 : 6))) {
      VecX<double> q;
      const Answer answer = solve(m, actuators_of(m, way[i]), q);
      ASSERT_TRUE(answer.ok()) << answer.explain() << " at " << actuators_of(m, way[i]).transpose();
      EXPECT_LT(open_by(m, q), 1e-12);
      EXPECT_LT(apart(m, q, way[i]), 1e-8) << "the branch that continues home";
      Workspace<double> back(m);
      back.q = q;
      const Answer home = forward_kinematics(m, a0, back);
      ASSERT_TRUE(home.ok()) << home.explain() << " from " << actuators_of(m, way[i]).transpose();
      EXPECT_LT(apart(m, back.q, m.home), 1e-8);
    }
  }
}

TEST(Forward, BricardTurnsAsFarAsItsRingDoes) {
  // The ring follows its null vector; wherever the drive has gone on the way (one way round, monotonically), forward
  // kinematics must get there too.
  const Mechanism<double>& m = shipped("bricard");
  const int drive = position_of(m, m.actuator[0]);
  VecX<double> sense = VecX<double>::Zero(m.nv);
  sense[m.actuator[0]] = 1;
  VecX<double> at_q = m.home;
  double tried = m.home[drive];
  for (int i = 0; i < 200; ++i) {
    Workspace<double> w = placed(m, at_q);
    VecX<double> way = svd_of(w.K).V.col(m.nv - 1);
    if (way.dot(sense) < 0) way = -way;
    if (way[m.actuator[0]] < 0.02) break;  // the drive's dead centre
    w.q = moved(m, at_q, way * 0.05);
    ASSERT_TRUE(close_loops(m, w).closed);
    sense = way;
    at_q = w.q;
    if (at_q[drive] < tried + 0.25) continue;
    tried = at_q[drive];
    VecX<double> q;
    const Answer answer = solve(m, actuators_of(m, at_q), q);
    ASSERT_TRUE(answer.ok()) << answer.explain() << " at " << tried;
    EXPECT_LT(apart(m, q, at_q), 1e-6) << tried;
  }
  EXPECT_GT(tried - m.home[drive], 1.0) << "the ring moves far";
}

// ------------------------------------------------------------------------------------------------ five-bar

/// Where two circles meet.
std::vector<Vec2> circles(const Vec2& a, double r, const Vec2& b, double s) {
  const Vec2 d = b - a;
  const double n = d.norm(), along = (n * n + r * r - s * s) / (2 * n), h2 = r * r - along * along;
  if (h2 < 0) return {};
  const Vec2 u = d / n, across(-u.y(), u.x());
  return {a + u * along + across * std::sqrt(h2), a + u * along - across * std::sqrt(h2)};
}

Vec2 at_angle(double angle) { return {std::cos(angle), std::sin(angle)}; }

TEST(FiveBar, HasTheTwoModesOfTwoCircles) {
  const Mechanism<double>& m = shipped("five_bar");
  for (const auto& [l, r] : {std::pair{2.3, 0.8}, {1.9, 1.4}, {2.8, 0.2}, {0.5, 2.5}}) {
    const auto tips = circles(Vec2(-0.1, 0) + 0.25 * at_angle(l), 0.35, Vec2(0.1, 0) + 0.25 * at_angle(r), 0.35);
    ASSERT_EQ(tips.size(), 2U);
    const AllPostures all = all_forward_kinematics(m, Vec2(l, r));
    EXPECT_TRUE(all.complete);
    EXPECT_THAT(all.method, HasSubstr("complete"));
    ASSERT_EQ(all.postures.size(), 2U);
    for (const Vec2& tip : tips) {
      double nearest = 1;
      for (const Posture& p : all.postures)
        nearest = std::min(nearest, (platform_pose(m, placed(m, p.q)).p - Vec3<double>(tip.x(), tip.y(), 0)).norm());
      EXPECT_LT(nearest, 1e-10);
    }
    for (const Posture& p : all.postures) EXPECT_LT(open_by(m, p.q), 1e-12);
  }
}

TEST(FiveBar, HomesModeIsTheTipAboveTheElbows) {
  const Mechanism<double>& m = shipped("five_bar");
  VecX<double> q;
  ASSERT_TRUE(solve(m, Vec2(2.0, 1.0), q).ok());
  const Vec2 a = Vec2(-0.1, 0) + 0.25 * at_angle(2.0), b = Vec2(0.1, 0) + 0.25 * at_angle(1.0);
  Vec2 best(0, -1);
  for (const Vec2& tip : circles(a, 0.35, b, 0.35))
    if (tip.y() > best.y()) best = tip;
  EXPECT_LT((platform_pose(m, placed(m, q)).p.head<2>() - best).norm(), 1e-12);
}

TEST(FiveBar, NoPostureWhereTheElbowsAreTooFarApart) {
  // distal links of 0.30 m: elbows farther apart than 0.60 m cannot be joined
  const Mechanism<double> m = prepared_from(with(text_of("five_bar"), "0.35, 0, 0]", "0.30, 0, 0]")).mechanism;
  const Vec2 wide(3.1, 0.05);
  const AllPostures all = all_forward_kinematics(m, wide);
  EXPECT_TRUE(all.complete);
  EXPECT_TRUE(all.postures.empty());
  VecX<double> q;
  const Answer answer = solve(m, wide, q);
  EXPECT_TRUE(answer.status == Status::unreachable || answer.status == Status::singular) << answer.explain();
  EXPECT_FALSE(answer.reason.empty());
  EXPECT_TRUE(q.allFinite());
  EXPECT_LT(open_by(m, q), 1e-12) << "left at the last closed position";
}

TEST(FiveBar, AWayThatCannotBeWalkedIsNotJumpedOver) {
  // Motors turn outwards and on: the ends can be joined, the way between cannot (elbows farther apart than 0.60 m).
  const Mechanism<double> m = prepared_from(with(text_of("five_bar"), "0.35, 0, 0]", "0.30, 0, 0]")).mechanism;
  const VecX<double> a0 = actuators_of(m, m.home);
  const auto gap = [&](const Vec2& to) {  // the share of the way that cannot be assembled
    int open = 0;
    for (int i = 0; i <= 1000; ++i) {
      const Vec2 a = a0 + (to - a0) * (i / 1000.0);
      const double d = (Vec2(-0.1, 0) + 0.25 * at_angle(a[0]) - Vec2(0.1, 0) - 0.25 * at_angle(a[1])).norm();
      if (d > 0.6) ++open;
    }
    return open / 1001.0;
  };
  int tried = 0;
  for (double left = 2.4; left < 6; left += 0.6)
    for (double right = 0.6; right > -3; right -= 0.6) {
      const Vec2 to(left, right);
      const double d = (Vec2(-0.1, 0) + 0.25 * at_angle(left) - Vec2(0.1, 0) - 0.25 * at_angle(right)).norm();
      if (d > 0.59 || gap(to) < 0.01) continue;
      ++tried;
      VecX<double> q;
      const Answer answer = solve(m, to, q);
      EXPECT_FALSE(answer.ok()) << left << ", " << right << ": " << 100 * gap(to)
                                << " % of the way cannot be assembled";
    }
  EXPECT_GT(tried, 5);
}

TEST(FiveBar, AGapOfATenthOfTheWayIsNotJumpedOver) {
  // The way grazes the motor angles where the elbows are too far apart: it meets a singularity, then cannot be
  // assembled.
  const Mechanism<double> m = prepared_from(with(text_of("five_bar"), "0.35, 0, 0]", "0.30, 0, 0]")).mechanism;
  const Vec2 a0 = actuators_of(m, m.home), to(4.09979, 1.42919);
  int open = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec2 a = a0 + (to - a0) * (i / 1000.0);
    if ((Vec2(-0.2, 0) + 0.25 * at_angle(a[0]) - 0.25 * at_angle(a[1])).norm() > 0.6) ++open;
  }
  ASSERT_GT(open, 100);
  VecX<double> q;
  const Answer answer = solve(m, to, q);
  EXPECT_TRUE(!answer.ok() || answer.reason.find("not of the actuators") != std::string::npos) << answer.explain();
}

// ------------------------------------------------------------------------------------------------ four-bar

/// The four-bar with its rocker driven: between its dead centres the rocker is held by crank and coupler.
Mechanism<double> rocker_driven() {
  const std::string text =
      with(with(text_of("four_bar"), "child: crank, role: actuated, home: 60 deg", "child: crank, guess: 60 deg"),
           "child: rocker, origin: {xyz: [0.25, 0, 0]}, guess: 83 deg",
           "child: rocker, origin: {xyz: [0.25, 0, 0]}, role: actuated, home: 83 deg");
  return prepared_from(text).mechanism;
}

TEST(FourBar, ARockerStopsAtItsDeadCentre) {
  // Crank and coupler in line: |end of rocker| = 0.25 + 0.10; from the triangle 0.25, 0.20, 0.35 the rocker's angle.
  const Mechanism<double> m = rocker_driven();
  const double outer = pi - std::acos((0.25 * 0.25 + 0.2 * 0.2 - 0.35 * 0.35) / (2 * 0.25 * 0.2));
  const double inner = pi - std::acos((0.25 * 0.25 + 0.2 * 0.2 - 0.15 * 0.15) / (2 * 0.25 * 0.2));
  const double low = std::min(inner, outer), high = std::max(inner, outer);
  const auto forward = [&](double angle) {
    VecX<double> q;
    const Answer answer = solve(m, VecX<double>::Constant(1, angle), q);
    EXPECT_LT(open_by(m, q), 1e-12);
    EXPECT_TRUE(q.allFinite());
    return answer.status;
  };
  EXPECT_EQ(forward(low + 0.01), Status::ok);
  EXPECT_EQ(forward(high - 0.01), Status::ok);
  for (const double beyond : {low - 0.01, low - 0.5, high + 0.01, high + 0.5, high + 2.0}) {
    const Status s = forward(beyond);
    EXPECT_TRUE(s == Status::singular || s == Status::unreachable) << beyond << " " << name(s);
  }
}

TEST(FourBar, TheDrivenCrankTurnsRoundOnOneBranch) {
  // Grashof: shortest + longest = 0.35 < 0.45. The joint of coupler and rocker stays above the line from crank to
  // rocker.
  const Mechanism<double>& m = shipped("four_bar");
  const int crank = position_of(m, m.actuator[0]);
  for (double turn = -6; turn < 6.2; turn += 0.7) {
    VecX<double> q;
    ASSERT_TRUE(solve(m, VecX<double>::Constant(1, m.home[crank] + turn), q).ok()) << turn;
    const Vec2 A = 0.1 * at_angle(q[crank]), D(0.25, 0);
    Vec2 best(0, 0);
    double side = -1;
    for (const Vec2& C : circles(A, 0.25, D, 0.2)) {
      const double s = (D - A).x() * (C - A).y() - (D - A).y() * (C - A).x();
      if (s > side) side = s, best = C;
    }
    const int rocker = m.find_body("rocker");
    const Vec3<double> end = placed(m, q).X0[at(rocker)] * m.body_frame[at(rocker)] * Vec3<double>(0.2, 0, 0);
    EXPECT_LT((end.head<2>() - best).norm(), 1e-10) << turn;
  }
}

// ------------------------------------------------------------------------------------------------ 3-RRR and 3-PRR

/// All poses (x, y, phi) of a platform whose points b_i keep their distances l from E_i, by brute force: for each phi
/// of a dense grid, p is where the first two circles meet; the third circle's residual changes sign at an answer.
std::vector<Vec3<double>> three_circles(const std::array<Vec2, 3>& E, const std::array<Vec2, 3>& b, double l) {
  struct Try {
    bool exists = false;
    double f = 0;
    Vec2 p;
  };
  const auto at_phi = [&](double phi, std::size_t branch) {
    std::array<Vec2, 3> c;
    for (std::size_t i = 0; i < 3; ++i) c[i] = E[i] - Eigen::Rotation2Dd(phi) * b[i];
    const auto meet = circles(c[0], l, c[1], l);
    Try t;
    if (meet.empty()) return t;
    t.exists = true;
    t.p = meet[branch];
    t.f = (t.p - c[2]).norm() - l;
    return t;
  };
  std::vector<Vec3<double>> found;
  constexpr int steps = 40000;
  for (const std::size_t branch : {0U, 1U})
    for (int i = 0; i < steps; ++i) {
      double low = 2 * pi * i / steps - pi, high = 2 * pi * (i + 1) / steps - pi;
      const Try a = at_phi(low, branch), b2 = at_phi(high, branch);
      if (!a.exists || !b2.exists || a.f * b2.f > 0) continue;
      for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        const Try c = at_phi(middle, branch);
        if (!c.exists) break;
        (c.f * a.f > 0 ? low : high) = middle;
      }
      const Try t = at_phi(low, branch);
      const Vec3<double> pose(t.p.x(), t.p.y(), low);  // an answer on a grid point is seen from both sides
      const bool known =
          std::any_of(found.begin(), found.end(), [&](const auto& other) { return (other - pose).norm() < 1e-7; });
      if (std::abs(t.f) < 1e-9 && !known) found.push_back(pose);
    }
  return found;
}

std::vector<Vec3<double>> rrr3_by_scan(const VecX<double>& motors) {
  const std::array<Vec2, 3> A = {Vec2(-0.2, 0), Vec2(0.15, 0.1), Vec2(0.2, 0)};
  const double rho = 0.042 / std::sqrt(3.0);
  std::array<Vec2, 3> E, b;
  for (std::size_t i = 0; i < 3; ++i) {
    E[i] = A[i] + 0.2 * at_angle(motors[static_cast<Eigen::Index>(i)]);
    b[i] = rho * at_angle(std::array{210.0, 330.0, 90.0}[i] * pi / 180);
  }
  return three_circles(E, b, 0.2);
}

void expect_same_poses(const Mechanism<double>& m, const AllPostures& all, const std::vector<Vec3<double>>& expected,
                       const std::string& what) {
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.postures.size(), expected.size()) << what;
  std::vector<Vec3<double>> got;
  for (const Posture& p : all.postures) {
    const Vec6<double> x = pose_vector(platform_pose(m, placed(m, p.q)));
    got.emplace_back(x[0], x[1], x[5]);
    EXPECT_LT(open_by(m, p.q), 1e-12) << what;
    EXPECT_LT(std::abs(x[2]) + std::abs(x[3]) + std::abs(x[4]), 1e-9) << what << ": in the plane";
  }
  for (const Vec3<double>& e : expected) {
    double nearest = 1;
    for (const Vec3<double>& g : got)
      nearest = std::min(nearest, std::hypot(g[0] - e[0], g[1] - e[1], std::remainder(g[2] - e[2], 2 * pi)));
    EXPECT_LT(nearest, 1e-7) << what << ": " << e.transpose();
  }
}

TEST(Rrr3, AllModesAreThoseOfADenseScan) {
  const Mechanism<double>& m = shipped("rrr3");
  const VecX<double> home = actuators_of(m, m.home);
  for (unsigned seed = 0; seed <= 12; ++seed) {
    const VecX<double> motors = seed == 0 ? home : VecX<double>(home + random_vector(3, seed) * (seed < 6 ? 0.4 : 1.5));
    expect_same_poses(m, all_forward_kinematics(m, motors), rrr3_by_scan(motors), fmt::format("seed {}", seed));
  }
}

TEST(Rrr3, SixModesAreFoundWhereThereAreSix) {
  // found by counting modes at 6000 random motor angles with the elbows near one another
  for (const Vec3<double>& motors :
       {Vec3<double>(-0.371751, -2.26662, 3.61098), Vec3<double>(-0.0141218, -2.76317, 2.9431)}) {
    const auto expected = rrr3_by_scan(motors);
    EXPECT_EQ(expected.size(), 6U);
    expect_same_poses(shipped("rrr3"), all_forward_kinematics(shipped("rrr3"), motors), expected, "six");
  }
}

TEST(Rrr3, HomeIsAmongItsModes) {
  const Mechanism<double>& m = shipped("rrr3");
  double nearest = 1;
  for (const Posture& p : all_forward_kinematics(m, actuators_of(m, m.home)).postures)
    nearest = std::min(nearest, apart(m, p.q, m.home));
  EXPECT_LT(nearest, 1e-9);
}

TEST(Rrr3, APoseJoinedToHomeBySafePosesIsFoundWhereTheStraightWayOfTheMotorsIsNone) {
  const Mechanism<double>& m = shipped("rrr3");
  const Vec6<double> home = pose_vector(home_pose(m)), to = (Vec6<double>() << 0.155, 0.164, 0, 0, 0, 0.444).finished();
  const double least = 0.1 * *singularity_indices(m, placed(m, m.home)).type2;
  Workspace<double> w = placed(m, m.home);
  for (int i = 1; i <= 200; ++i) {
    ASSERT_TRUE(inverse_kinematics(m, pose_from_vector(home + (to - home) * i / 200), w).ok());
    ASSERT_GT(*singularity_indices(m, w).type2, least);
  }
  VecX<double> q;
  const Answer answer = solve(m, actuators_of(m, w.q), q);
  ASSERT_TRUE(answer.ok()) << answer.explain();
  EXPECT_LT(apart(platform_pose(m, placed(m, q)), pose_from_vector(to)), 1e-10);
}

TEST(Prr3, AllModesAreThoseOfADenseScan) {
  const Mechanism<double> m = prepared_from(prr3).mechanism;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const VecX<double> slides = actuators_of(m, m.home) + random_vector(3, seed) * 0.08;
    std::array<Vec2, 3> E, b;
    for (std::size_t i = 0; i < 3; ++i) {
      const double a = static_cast<double>(i) * 2 * pi / 3;
      b[i] = 0.1 * at_angle(a);
      E[i] = 0.3 * at_angle(a) + slides[static_cast<Eigen::Index>(i)] * Vec2(-std::sin(a), std::cos(a));
    }
    expect_same_poses(m, all_forward_kinematics(m, slides), three_circles(E, b, 0.25), fmt::format("seed {}", seed));
  }
}

// ------------------------------------------------------------------------------------------------ 3-PSP

TEST(Psp3Forward, PIsTheFermatPointOfTheBalls) {
  const Mechanism<double>& m = shipped("psp3");
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const VecX<double> a = VecX<double>::Constant(3, 0.5) + random_vector(3, seed) * 0.06;
    VecX<double> q;
    const Answer answer = solve(m, a, q);
    ASSERT_TRUE(answer.ok()) << answer.explain();
    EXPECT_LT(open_by(m, q), 1e-12);
    std::array<Vec3<double>, 3> S;
    for (int i = 0; i < 3; ++i) S[at(i)] = {0.18 * std::cos(i * 2 * pi / 3), 0.18 * std::sin(i * 2 * pi / 3), a[i]};
    Vec3<double> P = (S[0] + S[1] + S[2]) / 3;  // Weiszfeld's iteration: reweighted means
    for (int k = 0; k < 20000; ++k) {
      Vec3<double> sum = Vec3<double>::Zero();
      double weight = 0;
      for (const Vec3<double>& s : S) {
        sum += s / (s - P).norm();
        weight += 1 / (s - P).norm();
      }
      const Vec3<double> next = sum / weight;
      const bool done = (next - P).norm() < 1e-16;
      P = next;
      if (done) break;
    }
    EXPECT_LT((platform_pose(m, placed(m, q)).p - P).norm(), 1e-10);
  }
}

TEST(Psp3Forward, AllAnswersAreDifferentAndClosedAndHomeIsAmongThem) {
  const Mechanism<double>& m = shipped("psp3");
  VecX<double> a(3);
  a << 0.5, 0.53, 0.46;
  const AllPostures all = all_forward_kinematics(m, a);
  EXPECT_TRUE(all.complete);
  VecX<double> q;
  ASSERT_TRUE(solve(m, a, q).ok());
  double nearest = 1;
  for (std::size_t i = 0; i < all.postures.size(); ++i) {
    EXPECT_LT(open_by(m, all.postures[i].q), 1e-12);
    EXPECT_LT((actuators_of(m, all.postures[i].q) - a).norm(), 1e-12);
    nearest = std::min(nearest, apart(m, all.postures[i].q, q));
    for (std::size_t k = 0; k < i; ++k) EXPECT_GT(apart(m, all.postures[i].q, all.postures[k].q), 1e-3);
  }
  EXPECT_LT(nearest, 1e-9);
}

/// Every platform pose for given balls by brute force: the star's plane is the balls' plane (its arms hold three points
/// of it), seen from either side; theta is scanned, and the three lines through the balls must meet.
int psp3_count_by_scan(const VecX<double>& a) {
  std::array<Vec3<double>, 3> S;
  for (int i = 0; i < 3; ++i) S[at(i)] = {0.18 * std::cos(i * 2 * pi / 3), 0.18 * std::sin(i * 2 * pi / 3), a[i]};
  const Vec3<double> n = (S[1] - S[0]).cross(S[2] - S[0]).normalized(), x = (S[1] - S[0]).normalized(), y = n.cross(x);
  int count = 0;
  for (const double side : {1.0, -1.0}) {
    const auto residual = [&](double theta) {  // lines 1 and 2 meet in P; the distance of line 3 from it
      std::array<Vec2, 3> s, u;
      for (int i = 0; i < 3; ++i) {
        s[at(i)] = {(S[at(i)] - S[0]).dot(x), (S[at(i)] - S[0]).dot(y)};
        u[at(i)] = at_angle(theta + side * i * 2 * pi / 3);
      }
      Eigen::Matrix2d A;
      A << u[0], -u[1];
      const Vec2 P = s[0] + u[0] * (A.inverse() * (s[1] - s[0]))[0];
      const Vec2 d = P - s[2];
      return d.x() * u[2].y() - d.y() * u[2].x();
    };
    constexpr int steps = 3600;
    for (int i = 0; i < steps; ++i)
      if (residual(2 * pi * (i + 0.37) / steps) * residual(2 * pi * (i + 1.37) / steps) < 0) ++count;
  }
  return count;
}

TEST(Psp3Forward, TheNumberOfAnswersIsThatOfAScan) {
  const Mechanism<double>& m = shipped("psp3");
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const VecX<double> a = VecX<double>::Constant(3, 0.5) + random_vector(3, seed) * 0.08;
    EXPECT_EQ(static_cast<int>(all_forward_kinematics(m, a).postures.size()), psp3_count_by_scan(a)) << a.transpose();
  }
}

TEST(Psp3Forward, AnswersWithArmsBackwardsAreOutOfTheirLimits) {
  const Mechanism<double>& m = shipped("psp3");  // the arms' slides are limited to 0 .. 1 m
  VecX<double> a(3);
  a << 0.5, 0.53, 0.46;
  for (const Posture& p : all_forward_kinematics(m, a).postures) {
    const Transform<double> X = platform_pose(m, placed(m, p.q));
    bool backwards = false;
    for (int i = 0; i < 3; ++i) {
      const double t = i * 2 * pi / 3;
      const Vec3<double> S(0.18 * std::cos(t), 0.18 * std::sin(t), a[i]);
      if ((X.R.transpose() * (S - X.p)).dot(Vec3<double>(std::cos(t), std::sin(t), 0)) < -1e-9) backwards = true;
    }
    EXPECT_EQ(p.answer.status, backwards ? Status::out_of_limits : Status::ok);
  }
}

TEST(Psp3Forward, LevelBallsHaveALevelStar) {
  const Mechanism<double>& m = shipped("psp3");
  VecX<double> q;
  ASSERT_TRUE(solve(m, VecX<double>::Constant(3, 0.57), q).ok());
  EXPECT_LT(apart(platform_pose(m, placed(m, q)), pose(0, 0, 0.57)), 1e-10);
}

// ------------------------------------------------------------------------------------------------ six freedoms

TEST(ManyStarts, AHexapodsAnswersIncludeHomeClaimNothingAndAreTheSameTwice) {
  const Mechanism<double>& m = shipped("hexapod");
  const VecX<double> a = actuators_of(m, m.home);
  const AllPostures one = all_forward_kinematics(m, a), two = all_forward_kinematics(m, a);
  EXPECT_FALSE(one.complete);
  EXPECT_THAT(one.method, HasSubstr("not claimed"));
  ASSERT_EQ(one.postures.size(), two.postures.size());
  double nearest = 1;
  for (std::size_t i = 0; i < one.postures.size(); ++i) {
    EXPECT_EQ(one.postures[i].q, two.postures[i].q);
    EXPECT_LT(open_by(m, one.postures[i].q), 1e-12);
    EXPECT_LT((actuators_of(m, one.postures[i].q) - a).norm(), 1e-12);
    nearest = std::min(nearest, apart(m, one.postures[i].q, m.home));
  }
  EXPECT_LT(nearest, 1e-9);
}

TEST(Forward, RedundantActuatorsMustAgree) {
  const Mechanism<double>& m = shipped("redundant_five_bar");
  VecX<double> a = actuators_of(m, m.home), q;
  EXPECT_TRUE(solve(m, a, q).ok());
  a[2] += 0.1;
  const Answer answer = solve(m, a, q);
  EXPECT_FALSE(answer.ok());
  EXPECT_THAT(answer.reason, HasSubstr("disagree"));
}

TEST(Forward, TheWrongNumberOfActuatorsIsAnError) {
  VecX<double> q;
  EXPECT_THROW(solve(shipped("hexapod"), VecX<double>::Zero(5), q), Error);
  EXPECT_THROW(all_forward_kinematics(shipped("hexapod"), VecX<double>::Zero(7)), Error);
}

TEST(Forward, ALimitIsReported) {
  const Mechanism<double>& m = shipped("hexapod");
  VecX<double> q;
  const Answer answer = solve(m, VecX<double>::Constant(6, 1.05), q);
  EXPECT_EQ(answer.status, Status::out_of_limits);
  EXPECT_THAT(answer.reason, testing::AllOf(HasSubstr("leg1.drive"), HasSubstr("0.05 m")));
  EXPECT_LT(open_by(m, q), 1e-12);
}

TEST(Forward, LegsThatAreTooShortToMeetAreUnreachable) {
  const Mechanism<double>& m = shipped("hexapod");
  VecX<double> q;  // the base's joints are 0.38 m or more from the platform's circle
  const Answer answer = solve(m, VecX<double>::Constant(6, 0.2), q);
  EXPECT_TRUE(answer.status == Status::unreachable || answer.status == Status::singular) << answer.explain();
  EXPECT_TRUE(q.allFinite());
}

// ------------------------------------------------------------------------------------------------ the same otherwise

TEST(Forward, APlatformFrameAwayFromTheBodysIsCarriedAlong) {
  const std::string frame = "platform:\n  body: platform\n  frame: {xyz: [0.02, 0.03, 0.1], rpy: [0, 0, 0.5]}\n";
  const Transform<double> F{rotation_from_rpy({0, 0, 0.5}), {0.02, 0.03, 0.1}};
  const Mechanism<double>& plain = shipped("hexapod");
  std::string text = with(text_of("hexapod"), "platform:\n  body: platform\n", frame);
  text = text.substr(0, text.find("\nhome:")) + "\nhome:\n  platform: [0.02, 0.03, -0.55, 0, 0, 0.5]\n";
  const Mechanism<double> m = prepared_from(text).mechanism;
  const Transform<double> X = pose(0.03, -0.02, -0.66, 0.1, -0.05, 0.2);  // of the body
  Workspace<double> a(plain), b(m);
  ASSERT_TRUE(inverse_kinematics(plain, X, a).ok());
  const Answer answer = inverse_kinematics(m, X * F, b);
  ASSERT_TRUE(answer.ok()) << answer.explain();
  EXPECT_LT((actuators_of(plain, a.q) - actuators_of(m, b.q)).norm(), 1e-11);
  VecX<double> q;
  ASSERT_TRUE(solve(m, actuators_of(m, b.q), q).ok());
  EXPECT_LT(apart(platform_pose(m, placed(m, q)), X * F), 1e-10);
}

TEST(Rrr3, StandingUprightItHasTheSameModes) {
  // the plane x-z instead of x-y: (x, y) becomes (x, 0, y)
  std::string text = text_of("rrr3");
  for (const std::string at_base : {"-0.2, 0, 0", "0.2, 0, 0"})
    text = with(text, "base: {xyz: [" + at_base + "]}", "base: {xyz: [" + at_base + "], rpy: [90 deg, 0, 0]}");
  text = with(text, "base: {xyz: [0.15, 0.1, 0]}", "base: {xyz: [0.15, 0, 0.1], rpy: [90 deg, 0, 0]}");
  for (const int angle : {210, 330, 90}) {
    const double a = angle * pi / 180, r = 0.024248711305964284;
    text = with(text, fmt::format("{{polar: [24.248711305964284 mm, {} deg, 0], rpy: [0, 0, 0]}}", angle),
                fmt::format("{{xyz: [{}, 0, {}], rpy: [90 deg, 0, 0]}}", r * std::cos(a), r * std::sin(a)));
  }
  text = with(with(text, "coordinates: [x, y, rz]", "coordinates: [x, z, ry]"), "[0, 0.25, 0, 0, 0, 0]",
              "[0, 0, 0.25, 0, 0, 0]");
  const Prepared upright = prepared_from(text);
  ASSERT_TRUE(upright.home.assembly.closed);
  const VecX<double> home = actuators_of(shipped("rrr3"), shipped("rrr3").home);
  EXPECT_LT((actuators_of(upright.mechanism, upright.mechanism.home) - home).norm(), 1e-9);
  for (const VecX<double>& motors : {home, VecX<double>(Vec3<double>(-0.371751, -2.26662, 3.61098))}) {
    const auto expected = rrr3_by_scan(motors);
    const AllPostures all = all_forward_kinematics(upright.mechanism, motors);
    EXPECT_TRUE(all.complete);
    ASSERT_EQ(all.postures.size(), expected.size());
    for (const Vec3<double>& e : expected) {
      double nearest = 1;
      for (const Posture& p : all.postures) {
        const Transform<double> X = platform_pose(upright.mechanism, placed(upright.mechanism, p.q));
        nearest = std::min(nearest, apart(X, pose(e[0], 0, e[1], 0, -e[2], 0)));
      }
      EXPECT_LT(nearest, 1e-7);
    }
  }
}

TEST(FourBar, ManyStartsFindBothAssemblies) {
  const Mechanism<double>& m = shipped("four_bar");
  const AllPostures all = all_forward_kinematics(m, actuators_of(m, m.home));
  EXPECT_EQ(all.postures.size(), 2U);
  for (const Posture& p : all.postures) EXPECT_LT(open_by(m, p.q), 1e-12);
}

}  // namespace
}  // namespace gough::forward_test
