/// Legs as lanes against the general kernels, on every instruction set this machine has.
#include "gough/dynamics/leg_lanes.hpp"

#include <gtest/gtest.h>

#include "allocations.hpp"
#include "dynamics/loaded_robots.hpp"
#include "kinematics/states.hpp"

namespace gough::leg_lanes_test {
namespace {

const std::vector<std::string> with_lanes = {"hexapod",          "palida",   "hexapod_offplane",  "hexapod_arbitrary",
                                             "hexapod_flexible", "taghirad", "mathworks_stewart", "hexa",
                                             "hexaglide"};

class LegsAsLanes : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());

  /// A moving workspace with a wrench on the platform.
  Workspace<double> moving(unsigned seed) const {
    const ClosedState s = closed_state(m, seed);
    Workspace<double> w(m);
    w.q = s.q;
    w.v = s.v;
    w.a = s.a;
    w.external[at(m.platform.body)] = {random_vector(3, seed), random_vector(3, seed + 1) * 10};
    return w;
  }
};
INSTANTIATE_TEST_SUITE_P(Dynamics, LegsAsLanes, testing::ValuesIn(with_lanes), [](const auto& of) { return of.param; });

double apart(const VecX<double>& a, const VecX<double>& b) { return (a - b).norm() / std::max(1.0, b.norm()); }

constexpr double agreement = 1e-11;  // condition numbers of a few hundred times rounding

TEST_P(LegsAsLanes, AgreeWithTheGeneralKernelOnEveryInstructionSet) {
  int sets = 0;
  for (const char* instructions : {"plain", "avx2", "avx512"}) {
    const LaneKernels* kernels = lane_kernels(instructions);
    if (kernels == nullptr) continue;
    ++sets;
    for (unsigned seed = 1; seed <= 5; ++seed) {
      Workspace<double> w = moving(seed), general = w;
      Dynamics<double> d(m, w), g(m, general, {.lanes = false});
      ASSERT_TRUE(d.lanes.usable());
      ASSERT_FALSE(g.lanes.usable());
      d.lanes.kernels = kernels;
      ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
      ASSERT_TRUE(inverse_dynamics(m, general, g).ok());
      EXPECT_LT(apart(w.tau, general.tau), agreement) << instructions;
      EXPECT_LT(apart(w.lambda, general.lambda), agreement) << instructions;
      w.tau = general.tau = random_vector(6, seed + 50) * 20;
      ASSERT_TRUE(forward_dynamics(m, w, d).ok());
      ASSERT_TRUE(forward_dynamics(m, general, g).ok());
      EXPECT_LT(apart(w.a, general.a), agreement) << instructions;
      EXPECT_LT(apart(w.lambda, general.lambda), agreement) << instructions;
    }
  }
  EXPECT_GE(sets, 1);
}

TEST_P(LegsAsLanes, ThePlatformsMotionGivesTheSameForcesAsTheJoints) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Workspace<double> w = moving(seed);
    tree_positions(m, w);
    tree_velocities(m, w);
    tree_accelerations(m, w);
    const Transform<double> pose = platform_pose(m, w);
    const PlatformRates<double> rates = platform_rates(m, w);
    Dynamics<double> d(m, w), g(m, w, {.lanes = false});
    ASSERT_TRUE(inverse_dynamics(m, w, g).ok());
    const VecX<double> tau = w.tau, lambda = w.lambda;
    w.tau.setZero();
    w.lambda.setZero();
    ASSERT_TRUE(inverse_dynamics(m, pose, rates, w, d).ok());
    EXPECT_LT(apart(w.tau, tau), agreement);
    EXPECT_LT(apart(w.lambda, lambda), agreement);
    w.tau.setZero();
    ASSERT_TRUE(inverse_dynamics(m, pose, rates, w, g).ok());  // by inverse kinematics
    EXPECT_LT(apart(w.tau, tau), 1e-9);                        // positions are closed to 1e-12
  }
}

TEST_P(LegsAsLanes, NothingIsAllocated) {
  if (!allocations_are_counted) GTEST_SKIP() << "the sanitizer has its own malloc";
  Workspace<double> w = moving(1);
  tree_positions(m, w);
  const Transform<double> pose = platform_pose(m, w);
  Dynamics<double> d(m, w);
  const long before = allocations();
  inverse_dynamics(m, w, d);
  inverse_dynamics(m, pose, {}, w, d);
  forward_dynamics(m, w, d);
  EXPECT_EQ(allocations() - before, 0);
}

TEST_P(LegsAsLanes, AWrenchOnALegGoesTheGeneralWay) {
  Workspace<double> w = moving(2), general = w;
  for (Workspace<double>* x : {&w, &general}) x->external[at(m.leg[0].first_body + 1)].force = Vec3<double>(1, 2, 3);
  Dynamics<double> d(m, w), g(m, general, {.lanes = false});
  ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
  ASSERT_TRUE(inverse_dynamics(m, general, g).ok());
  EXPECT_LT(apart(w.tau, general.tau), agreement);
}

TEST(LegLanes, FrictionInTheJointsIsFeltWithEveryRule) {
  const Mechanism<double>& m = shipped("palida");
  for (const CoulombRule rule : {CoulombRule{}, CoulombRule{0.01, 0}, CoulombRule{0, 0.05}}) {
    const ClosedState s = closed_state(m, 3);
    Workspace<double> w(m);
    w.q = s.q;
    w.v = s.v;
    w.a = s.a;
    w.coulomb = rule;
    Workspace<double> general = w;
    inverse_dynamics(m, w);
    inverse_dynamics(m, general, {.by = Formulation::virtual_power});
    EXPECT_LT(apart(w.tau, general.tau), agreement);
  }
}

TEST(LegLanes, LoadsThatLanesDoNotKnowTakeTheGeneralWay) {
  const Mechanism<double> m = with_everything(shipped("hexapod"), 1);
  Workspace<double> w(m);
  EXPECT_FALSE(Dynamics<double>(m, w).lanes.usable());
}

TEST(LegLanes, OtherRobotsHaveNone) {
  for (const char* robot : {"delta", "psp3", "rrr3", "five_bar", "six_r", "andrews"}) {
    const Mechanism<double>& m = shipped(robot);
    EXPECT_FALSE(make_lanes(m, LoadPlan(m)).usable()) << robot;
  }
}

TEST(LegLanes, ASingularPoseIsAStatusNotANumber) {
  // struts in the plane of the platform: no force across it
  const Mechanism<double>& m = shipped("hexapod");
  Workspace<double> w(m);
  Dynamics<double> d(m, w);
  Transform<double> flat;
  const DynamicsAnswer a = inverse_dynamics(m, flat, {}, w, d);
  EXPECT_FALSE(a.ok());
}

}  // namespace
}  // namespace gough::leg_lanes_test
