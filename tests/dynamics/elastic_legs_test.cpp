/// Legs with elastic joints of their own under a floating platform: leg by leg, against Newton's and Euler's equations.
#include <gtest/gtest.h>

#include "allocations.hpp"
#include "dynamics/evaluations.hpp"
#include "scalar/no_compare.hpp"

namespace gough::elastic_legs_test {
namespace {

class ElasticLegRobot : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double> plain = prepare(with_elastic_chains(read_robot(robot_path(GetParam())), 3)).mechanism;
  const Mechanism<double> loaded = with_everything(plain, 1);
};
INSTANTIATE_TEST_SUITE_P(Dynamics, ElasticLegRobot,
                         testing::Values("triglide", "hexa", "hexapod", "delta", "rrr3", "psp3"),
                         [](const auto& of) { return of.param; });

constexpr double tolerance = 1e-9;  // springs of some 1e5 N beside forces of some N

TEST_P(ElasticLegRobot, GetsTheForcesThatNewtonAsksFor) {
  for (const Mechanism<double>* m : {&plain, &loaded})
    for (unsigned seed = 1; seed <= 2; ++seed) {
      const ClosedState s = closed_state(*m, seed);
      const newton_euler::Load load = random_load(*m, seed);
      Mechanism<double> driven = *m;
      driven.actuator = m->driven();
      const newton_euler::Inverse expected = newton_euler::inverse(driven, s.q, s.v, s.a, load.external);
      Workspace<double> w = set_up(*m, s, load);
      Dynamics d(*m, w, by(Formulation::legs));
      EXPECT_TRUE(d.inverse_by_elastic_legs());
      ASSERT_TRUE(inverse_dynamics(*m, w, d).ok());
      VecX<double> all(expected.tau.size());
      all << w.tau, d.elastic_residual();
      EXPECT_LT(error_of(all, expected.tau), tolerance);
    }
}

TEST_P(ElasticLegRobot, GetsTheSameLoopForcesAsByMultipliers) {
  for (const Mechanism<double>* m : {&plain, &loaded}) {
    const ClosedState s = closed_state(*m, 1);
    if (m->rank < m->equations) continue;  // redundant equations share at will
    Workspace<double> w = set_up(*m, s, random_load(*m, 1)), other = w;
    ASSERT_TRUE(inverse_dynamics(*m, w, by(Formulation::legs)).ok());
    ASSERT_TRUE(inverse_dynamics(*m, other, by(Formulation::multipliers)).ok());
    EXPECT_LT(error_of(w.lambda, other.lambda), tolerance);
  }
}

TEST_P(ElasticLegRobot, GetsNewtonsAccelerations) {
  for (const Mechanism<double>* m : {&plain, &loaded}) {
    const ClosedState s = closed_state(*m, 1);
    const newton_euler::Load load = random_load(*m, 1);
    const newton_euler::Forward expected = newton_euler::forward(*m, s.q, s.v, load);
    for (const Formulation f : {Formulation::legs, Formulation::scdd}) {
      Workspace<double> w = set_up(*m, s, load);
      ASSERT_TRUE(forward_dynamics(*m, w, by(f)).ok());
      EXPECT_LT(error_of(w.a, expected.a), tolerance) << name(f);
    }
  }
}

TEST_P(ElasticLegRobot, NeedsNoMemoryOnTheWay) {
  if (!allocations_are_counted) GTEST_SKIP() << "a sanitizer has its own malloc";
  Workspace<double> w = set_up(loaded, closed_state(loaded, 1), random_load(loaded, 1));
  Dynamics d(loaded, w, by(Formulation::legs));
  const auto evaluate = [&] { return forward_dynamics(loaded, w, d).ok() && inverse_dynamics(loaded, w, d).ok(); };
  ASSERT_TRUE(evaluate());
  const long before = allocations();
  EXPECT_TRUE(evaluate());
  EXPECT_EQ(allocations(), before);
}

TEST_P(ElasticLegRobot, IsComputedInOtherScalarsToo) {
  const Mechanism<NoCompare> same = loaded.cast<NoCompare>();
  Workspace<double> w = set_up(loaded, closed_state(loaded, 1), newton_euler::Load{random_load(loaded, 1).tau, {}});
  Dynamics d(loaded, w, by(Formulation::legs));
  Workspace<NoCompare> u(same);
  u.q = w.q.cast<NoCompare>();
  u.v = w.v.cast<NoCompare>();
  u.a = w.a.cast<NoCompare>();
  Dynamics<NoCompare> e(same, d);
  ASSERT_TRUE(inverse_dynamics(loaded, w, d).ok());
  inverse_kernel(same, u, e);
  const VecX<double> tau = u.tau.unaryExpr([](const NoCompare& x) { return x.value; });
  EXPECT_LT(error_of(tau, w.tau), 1e-10);  // other order of sums in vectorised products
}

}  // namespace
}  // namespace gough::elastic_legs_test
