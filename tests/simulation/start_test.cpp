/// Where motions start: rates that the loops allow, and static equilibria.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "gough/spatial/rank.hpp"
#include "simulation/runs.hpp"

namespace gough::start_test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// ------------------------------------------------------------------------------------------------ rates

TEST(SetRates, FollowTheLoops) {
  for (const std::string robot : {"four_bar", "hexapod", "bricard", "delta"}) {
    const Mechanism<double>& m = shipped(robot);
    Workspace<double> w(m);
    std::vector<std::pair<int, double>> given;
    for (std::size_t i = 0; i < m.actuator.size(); ++i)
      given.emplace_back(m.actuator[i], 0.3 - 0.1 * static_cast<double>(i));
    const Answer a = set_rates(m, given, w);
    ASSERT_TRUE(a.ok()) << a.reason;
    EXPECT_LT((w.K * w.v).norm(), 1e-12) << robot;
    for (const auto& [c, rate] : given) EXPECT_NEAR(w.v[c], rate, 1e-12) << robot;
  }
}

/// A block and a pendulum side by side: what is not asked for stays at rest.
TEST(SetRates, LeaveFreeMotionsAtRest) {
  const Mechanism<double>& m = shipped("five_bar");
  Workspace<double> w(m);
  ASSERT_TRUE(set_rates(m, {{m.actuator[0], 1}}, w).ok());
  Workspace<double> other(m);
  for (const double rate : {-0.5, 0.1, 2.0}) {
    ASSERT_TRUE(set_rates(m, {{m.actuator[0], 1}, {m.actuator[1], rate}}, other).ok());
    EXPECT_LE(w.v.norm(), other.v.norm() + 1e-12) << "the shortest of all";
  }
  ASSERT_TRUE(set_rates(m, {}, w).ok());
  EXPECT_EQ(w.v.norm(), 0);
}

TEST(SetRates, SayWhatTheLoopsDoNotAllow) {
  const Mechanism<double>& m = shipped("four_bar");
  Workspace<double> w(m);
  const Answer a = set_rates(m, {{m.find_coordinate("crank"), 1}, {m.find_coordinate("rocker"), 7}}, w);
  EXPECT_EQ(a.status, Status::unreachable);
  EXPECT_THAT(a.reason, HasSubstr("the loops do not allow these rates together"));
}

// ------------------------------------------------------------------------------------------------ equilibria

/// A pendulum hangs, from wherever it starts; not on the ridge above either.
TEST(Equilibrium, OfAPendulumIsBelow) {
  const Mechanism<double>& m = shipped("pendulum");
  for (const double start : {0.3, 2.0, pi / 2 + 1e-3, pi}) {
    Workspace<double> w(m);
    w.q[0] = start;
    const Answer a = find_equilibrium(m, w);
    ASSERT_TRUE(a.ok()) << a.reason;
    EXPECT_NEAR(std::cos(w.q[0]), 0, 1e-9) << start;
    EXPECT_NEAR(std::sin(w.q[0]), -1, 1e-9) << start;
  }
}

/// 9.81 N m sin from the torque: 4.905 N m hold it at 30 degrees below level.
TEST(Equilibrium, BalancesConstantDrives) {
  const Mechanism<double>& m = shipped("pendulum");
  Workspace<double> w(m);
  w.q[0] = -pi / 2;
  w.tau[0] = 4.905;
  ASSERT_TRUE(find_equilibrium(m, w).ok());
  EXPECT_NEAR(w.q[0], -pi / 3, 1e-9) << "cos q = 1/2";
}

TEST(Equilibrium, OfABlockOnASpring) {
  Mechanism<double> m = block_with("stiffness: 50 N/m, rest: 0.1");
  m.gravity = {-9.81, 0, 0};
  Workspace<double> w(m);
  ASSERT_TRUE(find_equilibrium(m, w).ok());
  EXPECT_NEAR(w.q[0], 0.1 - 2 * 9.81 / 50, 1e-10);
}

/// 5 N from outside on 50 N/m; and a hexapod on springs that a force pushes aside.
TEST(Equilibrium, BalancesWrenchesFromOutside) {
  const Mechanism<double> m = block_with("stiffness: 50 N/m");
  Workspace<double> w(m);
  w.external[0] = {{0, 0, 0}, {5, 0, 0}};
  const Answer a = find_equilibrium(m, w);
  ASSERT_TRUE(a.ok()) << a.reason;
  EXPECT_NEAR(w.q[0], 0.1, 1e-9);
  const Mechanism<double> hexapod = on_springs(shipped("hexapod"), 50);
  Workspace<double> pushed(hexapod);
  tree_positions(hexapod, pushed);
  apply_platform_wrench(hexapod, {{0, 0, 0}, {30, 0, -20}}, pushed);
  ASSERT_TRUE(find_equilibrium(hexapod, pushed).ok());
  pushed.v.setZero();
  ASSERT_TRUE(forward_dynamics(hexapod, pushed).ok());
  EXPECT_LT(pushed.a.norm(), 1e-6);
  EXPECT_GT(platform_pose(hexapod, pushed).p[0], 1e-3) << "aside";
}

class RestingRobot : public testing::TestWithParam<std::string> {};

/// Loops closed, no acceleration, and no closed position nearby with less energy.
TEST_P(RestingRobot, HasTheLeastEnergyNearby) {
  const Mechanism<double> m = on_springs(shipped(GetParam()), 50);
  Workspace<double> w(m);
  const Answer a = find_equilibrium(m, w);
  ASSERT_TRUE(a.ok()) << a.reason;
  w.v.setZero();
  ASSERT_TRUE(forward_dynamics(m, w).ok());
  EXPECT_LT(w.a.norm(), 1e-7);
  EXPECT_LT(w.phi.norm(), 1e-10);
  const double least = energy_balance(m, w).potential;
  const MatX<double> N = null_space(w.K);
  for (unsigned seed = 0; seed < 10; ++seed) {
    Workspace<double> near(m);
    near.q = moved(m, w.q, 0.01 * N * random_vector(N.cols(), seed));
    ASSERT_TRUE(close_loops(m, near).closed);
    EXPECT_GT(energy_balance(m, near).potential, least) << seed;
  }
}

/// It stays where it is.
TEST_P(RestingRobot, StaysInSimulation) {
  const Mechanism<double> m = on_springs(shipped(GetParam()), 50);
  Workspace<double> w(m);
  ASSERT_TRUE(find_equilibrium(m, w).ok());
  const Motions r = simulated(m, w, {0, 0.5, 1});
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  EXPECT_LT(apart(m, r.end().q, w.q), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(OnSprings, RestingRobot, testing::Values("four_bar", "five_bar", "hexapod", "psp3", "bricard"),
                         [](const auto& i) { return i.param; });

/// A block that falls for ever.
TEST(Equilibrium, ThatDoesNotExistIsSaid) {
  Mechanism<double> m = block_with("");
  m.gravity = {-9.81, 0, 0};
  Workspace<double> w(m);
  const Answer a = find_equilibrium(m, w);
  EXPECT_EQ(a.status, Status::not_converged);
  EXPECT_THAT(a.reason, Not(IsEmpty()));
  EXPECT_TRUE(w.q.allFinite());
}

}  // namespace
}  // namespace gough::start_test
