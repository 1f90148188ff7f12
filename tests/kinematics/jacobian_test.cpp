/// Jacobians: each of the several ways to them against derivatives of positions, against one another, and against lines
/// drawn by hand; their time derivatives against derivatives of the loops and central differences.
#include "gough/kinematics/jacobian_kernels.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "decompositions.hpp"
#include "kinematics/states.hpp"

namespace gough::jacobian_test {
namespace {

using std::numbers::pi;

/// A robot away from singularities, with its drives independent.
struct Driven {
  const Mechanism<double>& m;
  VecX<double> q;
  Workspace<double> w;
  Selection s;
  ExplicitForm<double> e;
  double slack;  ///< how rounding grows on the way

  Driven(const Mechanism<double>& robot, const VecX<double>& position)
      : m(robot), q(position), w(placed(m, q)), s(select_driven(m, w, m.rank)), e(m, s) {
    explicit_form(w, s, e);
    slack = 1 + e.G.cwiseAbs().maxCoeff();
  }
  bool usable() const { return s.complete && s.smallest_pivot > 1e-3; }
  Eigen::Index drives() const { return e.G.cols(); }
};

VecX<double> test_position(const Mechanism<double>& m, unsigned seed) {
  return m.platform.exists() ? safely_reached(m, seed) : random_closed(m, seed);
}

/// W from the null space of K: columns that are the identity on the independent coordinates.
MatX<double> W_by_null_space(const Workspace<double>& w, const Selection& s) {
  const auto d = static_cast<Eigen::Index>(s.independent.size());
  if (w.K.rows() == 0) return MatX<double>::Identity(w.K.cols(), d);
  const MatX<double> N = svd_of(w.K).V.rightCols(d);
  MatX<double> N_y(d, d);
  for (Eigen::Index i = 0; i < d; ++i) N_y.row(i) = N.row(s.independent[static_cast<std::size_t>(i)]);
  return N * inverse_of(N_y);
}

class EveryRobotJacobian : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
class EveryPlatformJacobian : public EveryRobotJacobian {};
class EveryFloatingJacobian : public EveryRobotJacobian {};
class EveryLoopJacobian : public EveryRobotJacobian {};
class EverySmallLoopJacobian : public EveryRobotJacobian {};

const auto name_of_robot = [](const auto& of) { return of.param; };
INSTANTIATE_TEST_SUITE_P(Jacobian, EveryRobotJacobian, testing::ValuesIn(shipped_robots()), name_of_robot);
INSTANTIATE_TEST_SUITE_P(Jacobian, EveryPlatformJacobian, testing::ValuesIn(robots_with_platform()), name_of_robot);
/// Of separate legs: a Par4's meet before its platform.
INSTANTIATE_TEST_SUITE_P(Jacobian, EveryFloatingJacobian,
                         testing::ValuesIn(except(robots_with_platform(),
                                                  {"elastic_five_bar", "redundant_five_bar", "palletizer", "par4"})),
                         name_of_robot);
INSTANTIATE_TEST_SUITE_P(Jacobian, EveryLoopJacobian, testing::ValuesIn(except(shipped_robots(), {"pendulum"})),
                         name_of_robot);
INSTANTIATE_TEST_SUITE_P(Jacobian, EverySmallLoopJacobian,  // differences of the forty four-bars would take seconds
                         testing::ValuesIn(except(shipped_robots(), {"pendulum", "n_four_bar_40"})), name_of_robot);

// ------------------------------------------------------------------------------------------------ W and G

TEST_P(EveryRobotJacobian, WKeepsTheLoopsClosedInDualNumbersAndMovesOneDriveAtATime) {
  for (unsigned seed = 21; seed <= 23; ++seed) {
    const Driven r(m, test_position(m, seed));
    if (!r.usable()) continue;
    EXPECT_LT((r.e.G - W_by_null_space(r.w, r.s)).cwiseAbs().maxCoeff(), 1e-10 * r.slack);
    for (Eigen::Index c = 0; c < r.drives(); ++c) {
      for (Eigen::Index i = 0; i < r.drives(); ++i)
        EXPECT_EQ(r.e.G(r.s.independent[static_cast<std::size_t>(i)], c), i == c ? 1 : 0);
      if (m.equations == 0) continue;
      const MovingRobot moving(m, r.q, r.e.G.col(c), VecX<double>::Zero(m.nv));
      EXPECT_LT(firsts(moving.w.phi).cwiseAbs().maxCoeff(), 1e-12 * r.slack);
    }
  }
}

TEST_P(EveryRobotJacobian, WIsTheSlopeOfForwardKinematics) {
  const Driven r(m, test_position(m, 24));
  ASSERT_TRUE(r.usable());
  const double h = 1e-5;
  Hold hold;
  hold.coordinates.assign(at(m.nv), false);
  for (const int v : r.s.independent) hold.coordinates[at(v)] = true;
  for (Eigen::Index c = 0; c < r.drives(); ++c) {
    VecX<double> slope = VecX<double>::Zero(6 * m.tree_size());
    for (const double sign : {1.0, -1.0}) {
      Workspace<double> w = placed(m, r.q);
      w.q[position_of(m, r.s.independent[static_cast<std::size_t>(c)])] += sign * h;
      ASSERT_TRUE(close_loops(m, w, hold).closed);
      for (int b = 0; b < m.tree_size(); ++b) {
        const Transform<double>&X = w.X0[at(b)], &X0 = r.w.X0[at(b)];
        slope.segment<3>(6 * b) += X0.R * vector_from_rotation(X0.R.transpose() * X.R) * sign / (2 * h);
        slope.segment<3>(6 * b + 3) += X.p * sign / (2 * h);
      }
    }
    const MovingRobot moving(m, r.q, r.e.G.col(c), VecX<double>::Zero(m.nv));
    for (int b = 0; b < m.tree_size(); ++b) {  // h^2 times third derivatives, and 1e-12 / h from closing
      const double tolerance = 1e-6 * std::pow(r.slack, 3);
      EXPECT_LT((slope.segment<3>(6 * b) - turning(moving.w.X0[at(b)].R).first).norm(), tolerance)
          << m.body_name[at(b)];
      EXPECT_LT((slope.segment<3>(6 * b + 3) - firsts(moving.w.X0[at(b)].p)).norm(), tolerance) << m.body_name[at(b)];
    }
  }
}

TEST_P(EveryPlatformJacobian, ThePlatformsTwistIsTheDerivativeOfItsPose) {
  const VecX<double> q = test_position(m, 25), v = random_vector(m.nv, 1);
  const Workspace<double> w = placed(m, q);
  MatX<double> J(6, m.nv);
  platform_jacobian(m, w, J);
  EXPECT_LT((J - platform_jacobian(m, w)).cwiseAbs().maxCoeff(), 1e-14);
  const MovingRobot moving(m, q, v, VecX<double>::Zero(m.nv));
  const Transform<DD> X = moving.w.X0[at(m.platform.body)] * moving.m.platform_frame;
  const Vec6<double> twist = J * v;
  EXPECT_LT((twist.head<3>() - turning(X.R).first).norm(), 1e-12);
  EXPECT_LT((twist.tail<3>() - firsts(X.p)).norm(), 1e-12);
}

TEST_P(EveryFloatingJacobian, TheLegsStaticsGiveTheSameJacobianAsTheDirectWay) {
  for (unsigned seed = 26; seed <= 28; ++seed) {
    const Driven r(m, test_position(m, seed));
    ASSERT_TRUE(r.s.complete);
    const MatX<double> direct = platform_jacobian(m, r.w) * r.e.G, by_statics = jacobian_by_statics(m, r.w, r.e.G);
    EXPECT_LT((direct - by_statics).cwiseAbs().maxCoeff(), 1e-10 * r.slack * r.slack);
  }
}

TEST_P(EveryFloatingJacobian, ALegPassesOnWrenchesThatLeaveItsPassiveJointsAlone) {
  const Driven r(m, test_position(m, 29));
  for (int i = 0; i < static_cast<int>(m.leg.size()); ++i) {
    const LegStatics leg = leg_statics(m, r.w, i);
    for (int c = 0; c < m.leg[at(i)].coordinates; ++c) {
      const Coordinate& coordinate = m.coordinate[at(m.leg[at(i)].first_v + c)];
      if (coordinate.actuated || coordinate.elastic) continue;
      EXPECT_LT(leg.torque.row(c).cwiseAbs().maxCoeff(), 1e-10) << coordinate.name;
    }
    // virtual work: with the loops closed, what a wrench does on the platform is what its drives do
    for (Eigen::Index d = 0; d < r.drives(); ++d) {
      const VecX<double> rates = r.e.G.col(d), twist = platform_jacobian(m, r.w) * rates;
      const VecX<double> on_drives =
          leg.torque.transpose() * rates.segment(m.leg[at(i)].first_v, m.leg[at(i)].coordinates);
      EXPECT_LT((leg.wrench.transpose() * twist - on_drives).cwiseAbs().maxCoeff(), 1e-10 * r.slack)
          << m.leg[at(i)].name;
    }
  }
}

TEST_P(EveryRobotJacobian, TwistsOfCentresOfMassAreDerivativesOfTheirPlaces) {
  const Driven r(m, test_position(m, 30));
  const VecX<double> v = r.e.G * random_vector(r.drives(), 2);
  const VecX<double> twists = body_twists(m, r.w) * v;
  const MovingRobot moving(m, r.q, v, VecX<double>::Zero(m.nv));
  for (int b = 0; b < m.tree_size(); ++b) {
    const Inertia<double>& I = m.inertia[at(b)];
    if (I.mass <= 0) continue;
    const Vec3<DD> com = moving.w.X0[at(b)] * Vec3<DD>((I.first / I.mass).cast<DD>());
    const double tolerance = 1e-11 * r.slack * (1 + v.norm());
    EXPECT_LT((twists.segment<3>(6 * b) - turning(moving.w.X0[at(b)].R).first).norm(), tolerance) << m.body_name[at(b)];
    EXPECT_LT((twists.segment<3>(6 * b + 3) - firsts(com)).norm(), tolerance) << m.body_name[at(b)];
  }
}

// ------------------------------------------------------------------------------------------------ paper 002

class SixLegs : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Jacobian, SixLegs,
                         testing::Values("hexapod", "six_r", "flight_simulator", "palida", "hexa", "taghirad",
                                         "mathworks_stewart", "hexapod_offplane", "hexapod_arbitrary"),
                         [](const auto& of) { return of.param; });

TEST_P(SixLegs, TIsTheDirectJacobian) {
  for (unsigned seed = 31; seed <= 33; ++seed) {
    const Driven r(m, test_position(m, seed));
    const LegTransmission t = jacobian_by_legs(m, r.w);
    ASSERT_EQ(t.T.cols(), 6);
    EXPECT_LT((t.T - platform_jacobian(m, r.w) * r.e.G).cwiseAbs().maxCoeff(), 1e-10 * r.slack * r.slack);
    for (int i = 0; i < 6; ++i)  // Z is diagonal: y_J . t_P = zeta_J theta'_J
      EXPECT_LT((t.Y.row(i) * t.T - t.zeta[i] * Vec6<double>::Unit(i).transpose()).norm(), 1e-10 * r.slack);
  }
}

TEST_P(SixLegs, RatesOfALegsJointsFollowFromItsOwnJacobian) {
  const Driven r(m, test_position(m, 34));
  const LegTransmission t = jacobian_by_legs(m, r.w);
  for (int i = 0; i < 6; ++i) {
    const Leg& leg = m.leg[at(i)];
    const MatX<double> J = chain_jacobian(m, r.w, i);
    ASSERT_EQ(J.rows(), 6);
    ASSERT_EQ(J.cols(), 6) << "six joints from base to platform";
    const MatX<double> L = shortest_solution(J, t.T);
    EXPECT_LT((L.topRows(leg.coordinates) - r.e.G.middleRows(leg.first_v, leg.coordinates)).cwiseAbs().maxCoeff(),
              1e-9 * r.slack * r.slack)
        << leg.name;
  }
}

/// A and B of the hexapod, six_r and flight_simulator, by their definitions.
Vec3<double> on_circle(double radius, double degrees) {
  return {radius * std::cos(degrees * pi / 180), radius * std::sin(degrees * pi / 180), 0};
}
Vec3<double> hexapod_A(int i) { return on_circle(0.5, std::array{-15, 15, 105, 135, 225, 255}[at(i)]); }
Vec3<double> hexapod_B(int i) { return on_circle(0.12, std::array{-45, 45, 75, 165, 195, 285}[at(i)]); }

TEST(Jacobian, TheActuationWrenchIsAForceAlongTheLineOfTheLegsEnds) {
  for (const std::string name : {"hexapod", "flight_simulator", "six_r"}) {
    const Mechanism<double>& m = shipped(name);
    const VecX<double> q = safely_reached(m, 35);
    const Workspace<double> w = placed(m, q);
    const Transform<double> X = platform_pose(m, w);
    const LegTransmission t = jacobian_by_legs(m, w);
    for (int i = 0; i < 6; ++i) {
      const Vec3<double> arm = X.R * hexapod_B(i), u = (X.p + arm - hexapod_A(i)).normalized();
      Vec6<double> line;
      line << arm.cross(u), u;
      const double scale = t.Y.row(i).tail<3>().dot(u);
      EXPECT_LT((t.Y.row(i).transpose() - line * scale).norm(), 1e-10 * std::abs(scale)) << name << i;
      if (name != "six_r") {
        EXPECT_NEAR(t.zeta[i] / scale, 1, 1e-10) << name << ": zeta = u . e4";
        continue;
      }
      // the knee: the force's moment about its axis
      const int shin = m.parent[at(m.leg[at(i)].first_body)] == base ? m.find_body(m.leg[at(i)].name + ".shin") : -2;
      ASSERT_GE(shin, 0);
      const Vec3<double> e = w.X0[at(shin)].R.col(2), knee = w.X0[at(shin)].p;
      EXPECT_NEAR(t.zeta[i] / scale, e.dot((X.p + arm - knee).cross(u)), 1e-10) << name;
    }
  }
}

TEST(Jacobian, AHexapodsInverseJacobianIsItsLines) {
  const Mechanism<double>& m = shipped("hexapod");
  const Driven r(m, safely_reached(m, 36));
  const Transform<double> X = platform_pose(m, r.w);
  MatX<double> lines(6, 6);
  for (int i = 0; i < 6; ++i) {
    const Vec3<double> arm = X.R * hexapod_B(i), u = (X.p + arm - hexapod_A(i)).normalized();
    lines.row(i) << arm.cross(u).transpose(), u.transpose();
  }
  EXPECT_LT((lines * platform_jacobian(m, r.w) * r.e.G - MatX<double>::Identity(6, 6)).norm(), 1e-11);
}

TEST(Jacobian, OtherRobotsAreNotOfThatKindAndSaySo) {
  for (const std::string name : {"delta", "psp3", "rrr3", "five_bar"})
    EXPECT_EQ(jacobian_by_legs(shipped(name), placed(shipped(name), shipped(name).home)).T.size(), 0) << name;
}

TEST(Jacobian, AFiveBarsTipMovesAsItsDistalLinksSay) {
  // each distal link keeps its length: (P - E_i) . (v - w_i z x (E_i - A_i)) = 0
  const Mechanism<double>& m = shipped("five_bar");
  const Driven r(m, safely_reached(m, 37));
  const Eigen::Vector2d P = platform_pose(m, r.w).p.head<2>();
  Eigen::Matrix2d A, B = Eigen::Matrix2d::Zero();
  for (int i = 0; i < 2; ++i) {
    const double t = actuators_of(m, r.q)[i];
    const Eigen::Vector2d arm = 0.25 * Eigen::Vector2d(std::cos(t), std::sin(t)),
                          E = Eigen::Vector2d(i == 0 ? -0.1 : 0.1, 0) + arm;
    A.row(i) = (P - E).transpose();
    B(i, i) = (P - E).dot(Eigen::Vector2d(-arm.y(), arm.x()));
  }
  EXPECT_LT(((platform_jacobian(m, r.w) * r.e.G).block<2, 2>(3, 0) - A.inverse() * B).norm(), 1e-11);
}

// ------------------------------------------------------------------------------------------------ time derivatives

TEST_P(EveryLoopJacobian, RatesOfWAndGFollowFromTheDerivativesOfTheLoops) {
  // K W = 0 along the motion, so K W' = -K' W and K W'' = -K'' W - 2 K' W', with the independent rows of W constant
  const Driven r(m, test_position(m, 41));
  ASSERT_TRUE(r.usable());
  Workspace<double> w = placed(m, r.q);
  ExplicitForm<double> e(m, r.s);
  explicit_motion(m, w, r.s, e, random_vector(r.drives(), 3), random_vector(r.drives(), 4));
  const JacobianRates rates = jacobian_rates(m, r.s, r.q, w.v, w.a);
  MovingRobot moving(m, r.q, w.v, w.a);
  const MatX<double> K1 = firsts(moving.w.K), K2 = seconds(moving.w.K), W = W_by_null_space(w, r.s);
  MatX<double> K_d(m.equations, static_cast<Eigen::Index>(r.s.dependent.size()));
  for (std::size_t c = 0; c < r.s.dependent.size(); ++c)
    K_d.col(static_cast<Eigen::Index>(c)) = w.K.col(r.s.dependent[c]);
  const auto solved = [&](const MatX<double>& right) {
    const MatX<double> x = shortest_solution(K_d, right);
    MatX<double> all = MatX<double>::Zero(m.nv, right.cols());
    for (std::size_t c = 0; c < r.s.dependent.size(); ++c)
      all.row(r.s.dependent[c]) = x.row(static_cast<Eigen::Index>(c));
    return all;
  };
  const MatX<double> Wd = solved(-K1 * W), Wdd = solved(-K2 * W - 2 * K1 * Wd);
  const double size = r.slack * r.slack * (1 + Wdd.cwiseAbs().maxCoeff());
  EXPECT_LT((rates.W - W).cwiseAbs().maxCoeff(), 1e-10 * size);
  EXPECT_LT((rates.Wd - Wd).cwiseAbs().maxCoeff(), 1e-10 * size);
  EXPECT_LT((rates.Wdd - Wdd).cwiseAbs().maxCoeff(), 1e-10 * size);
  if (!m.platform.exists()) return;
  MatX<DD> J(6, m.nv);
  platform_jacobian(moving.m, moving.w, J);
  const MatX<double> J0 = values(J), J1 = firsts(J), J2 = seconds(J);
  EXPECT_LT((rates.G - J0 * W).cwiseAbs().maxCoeff(), 1e-10 * size);
  EXPECT_LT((rates.Gd - J1 * W - J0 * Wd).cwiseAbs().maxCoeff(), 1e-10 * size);
  EXPECT_LT((rates.Gdd - J2 * W - 2 * J1 * Wd - J0 * Wdd).cwiseAbs().maxCoeff(), 1e-10 * size);
}

TEST_P(EverySmallLoopJacobian, RatesOfWAreSlopesAlongTheMotion) {
  const Driven r(m, test_position(m, 42));
  ASSERT_TRUE(r.usable());
  Workspace<double> w = placed(m, r.q);
  ExplicitForm<double> e(m, r.s);
  const VecX<double> yd = random_vector(r.drives(), 5) * 0.3, ydd = random_vector(r.drives(), 6) * 0.3;
  explicit_motion(m, w, r.s, e, yd, ydd);
  const JacobianRates rates = jacobian_rates(m, r.s, r.q, w.v, w.a);
  const double h = 1e-3;
  Hold hold;
  hold.coordinates.assign(at(m.nv), false);
  for (const int v : r.s.independent) hold.coordinates[at(v)] = true;
  const auto W_at = [&](double t) {
    Workspace<double> there = placed(m, r.q);
    for (Eigen::Index i = 0; i < r.drives(); ++i)
      there.q[position_of(m, r.s.independent[static_cast<std::size_t>(i)])] += yd[i] * t + ydd[i] * t * t / 2;
    EXPECT_TRUE(close_loops(m, there, hold).closed);
    return W_by_null_space(there, r.s);
  };
  const MatX<double> ahead = W_at(h), behind = W_at(-h), far_ahead = W_at(2 * h), far_behind = W_at(-2 * h),
                     here = W_at(0);
  const MatX<double> slope = (8 * (ahead - behind) - (far_ahead - far_behind)) / (12 * h);
  const MatX<double> bend = (16 * (ahead + behind) - (far_ahead + far_behind) - 30 * here) / (12 * h * h);
  const double size = std::pow(r.slack, 4);  // fourth-order differences: h^4 times high derivatives; 1e-12 / h^2
  EXPECT_LT((rates.Wd - slope).cwiseAbs().maxCoeff(), 1e-7 * size);
  EXPECT_LT((rates.Wdd - bend).cwiseAbs().maxCoeff(), 1e-5 * size);
}

TEST(TimeSeries, HasTheGivenDerivatives) {
  for (const std::string name : {"hexapod", "flight_simulator", "psp3"}) {
    const Mechanism<double>& m = shipped(name);
    const VecX<double> q = random_closed(m, 1), v = random_vector(m.nv, 2), a = random_vector(m.nv, 3);
    const VecX<DD> series = time_series<DD>(m, q, v, a, DD::variable(D::variable(0.0))), expected = curve(m, q, v, a);
    EXPECT_LT((values(series) - values(expected)).norm(), 1e-15);
    EXPECT_LT((firsts(series) - firsts(expected)).norm(), 1e-14);
    EXPECT_LT((seconds(series) - seconds(expected)).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace gough::jacobian_test
