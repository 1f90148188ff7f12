/// Six formulations, one motion: each against Newton's and Euler's equations of the bodies by themselves, and against each
/// other.
#include <gtest/gtest.h>

#include "decompositions.hpp"
#include "dynamics/evaluations.hpp"

namespace gough::formulations_test {
namespace {

using newton_euler::Forward;
using newton_euler::Inverse;
using newton_euler::Load;

/// A robot in a random closed state under random drives and wrenches.
struct Case {
  Mechanism<double> m;
  ClosedState s;
  Load load;

  Case(Mechanism<double> robot, unsigned seed)
      : m(std::move(robot)), s(closed_state(m, seed)), load(random_load(m, seed)) {}
};

/// Rounding, times what forces of 1e5 N in stiff springs or in forty loops lose where they cancel.
constexpr double tolerance = 1e-10;

/// Visits the robot as shipped and with every force, in several states each.
template <class Visit>
void for_each_case(const Mechanism<double>& m, const Visit& visit) {
  const unsigned seeds = m.nv > 50 ? 1 : 3;  // the witness needs the cube of the number of bodies
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("as shipped, seed " + std::to_string(seed));
    visit(Case(m, seed));
  }
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("with every force, seed " + std::to_string(seed));
    visit(Case(with_everything(m, seed), seed));
  }
}

class EveryFormulation : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Dynamics, EveryFormulation, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(EveryFormulation, IsApplicable) {
  for_each_case(m, [](const Case& c) {
    for (const Formulation f : all_formulations) EXPECT_EQ(not_applicable(c.m, placed(c.m, c.s.q), f), "") << name(f);
  });
}

TEST_P(EveryFormulation, GivesNewtonsAccelerations) {
  for_each_case(m, [](const Case& c) {
    const Forward expected = newton_euler::forward(c.m, c.s.q, c.s.v, c.load);
    for (const Formulation f : all_formulations) {
      Workspace<double> w = set_up(c.m, c.s, c.load);
      const DynamicsAnswer a = forward_dynamics(c.m, w, by(f));
      EXPECT_TRUE(a.ok()) << name(f) << ": " << a.reason;
      EXPECT_LT(error_of(w.a, expected.a), tolerance) << name(f);
    }
  });
}

/// An elastic joint needs a force beside its spring for a motion that is not its own. Driven, it has a place among the
/// witness's drives.
TEST_P(EveryFormulation, GivesTheForcesThatNewtonAsksFor) {
  for_each_case(m, [](const Case& c) {
    Mechanism<double> driven = c.m;
    driven.actuator = c.m.driven();
    const Inverse expected = newton_euler::inverse(driven, c.s.q, c.s.v, c.s.a, c.load.external);
    if (expected.residual > 1e-9) return;  // fewer drives than freedoms: no answer is right
    for (const Formulation f : all_formulations) {
      Workspace<double> w = set_up(c.m, c.s, c.load);
      Dynamics d(c.m, w, by(f));
      const DynamicsAnswer a = inverse_dynamics(c.m, w, d);
      EXPECT_TRUE(a.ok()) << name(f) << ": " << a.reason;
      VecX<double> all(expected.tau.size());
      all << w.tau, d.elastic_residual();
      EXPECT_LT(error_of(all, expected.tau), tolerance) << name(f);
    }
  });
}

TEST_P(EveryFormulation, FindsTheForcesThatMadeTheMotion) {
  for_each_case(m, [](const Case& c) {
    for (const Formulation f : all_formulations) {
      Workspace<double> w = set_up(c.m, c.s, c.load);
      Dynamics d(c.m, w, by(f));
      ASSERT_TRUE(forward_dynamics(c.m, w, d).ok()) << name(f);
      const VecX<double> a = w.a;
      const DynamicsAnswer answer = inverse_dynamics(c.m, w, d);
      EXPECT_TRUE(answer.ok()) << name(f) << ": " << answer.reason;
      if (c.m.name == "redundant_five_bar") {  // others make the same motion
        ASSERT_TRUE(forward_dynamics(c.m, w, d).ok());
        EXPECT_LT(error_of(w.a, a), tolerance) << name(f);
      } else {
        EXPECT_LT(error_of(w.tau, c.load.tau), tolerance) << name(f);
      }
    }
  });
}

/// t of the opened tree = B tau + K^T lambda; elastic joints whose motion is prescribed add their share to B tau.
double left_open(const Mechanism<double>& m, Workspace<double>& w, const Dynamics<double>& d, bool inverse) {
  tree_positions(m, w);
  closure(m, w);
  tree_velocities(m, w);
  closure_bias(m, w);
  loads(m, LoadPlan(m), true, w);
  tree_accelerations(m, w);
  tree_forces(m, true, w.A, w.a.data(), w);
  VecX<double> held = w.K.transpose() * w.lambda;
  for (std::size_t i = 0; i < m.actuator.size(); ++i) held[m.actuator[i]] += w.tau[static_cast<Eigen::Index>(i)];
  const std::vector<int> drives = m.driven();
  for (std::size_t i = m.actuator.size(); inverse && i < drives.size(); ++i)
    held[drives[i]] += d.efforts.e[static_cast<Eigen::Index>(i)];
  return (held - w.t).norm() / (1 + w.t.norm() + held.norm() + w.lambda.norm());
}

TEST_P(EveryFormulation, GivesLoopForcesThatCloseTheTree) {
  for_each_case(m, [](const Case& c) {
    for (const Formulation f : all_formulations) {
      Workspace<double> w = set_up(c.m, c.s, c.load);
      Dynamics d(c.m, w, by(f));
      ASSERT_TRUE(forward_dynamics(c.m, w, d).ok()) << name(f);
      EXPECT_LT(left_open(c.m, w, d, false), tolerance) << name(f) << ", forward";
      inverse_dynamics(c.m, w, d);
      EXPECT_LT(left_open(c.m, w, d, true), tolerance) << name(f) << ", inverse";
      w.a = c.s.a;
      if (!inverse_dynamics(c.m, w, d).ok()) continue;  // fewer drives than freedoms
      EXPECT_LT(left_open(c.m, w, d, true), tolerance) << name(f) << ", inverse of another motion";
    }
  });
}

TEST_P(EveryFormulation, GivesTheSameLoopForcesWhereTheyAreUnique) {
  for_each_case(m, [](const Case& c) {
    if (c.m.equations == 0 || c.m.rank < c.m.equations) return;  // redundant equations share at will
    std::optional<VecX<double>> expected;
    for (const Formulation f : all_formulations) {
      Workspace<double> w = set_up(c.m, c.s, c.load);
      ASSERT_TRUE(forward_dynamics(c.m, w, by(f)).ok()) << name(f);
      if (!expected) expected = w.lambda;
      EXPECT_LT(error_of(w.lambda, *expected), tolerance) << name(f);
    }
  });
}

// ------------------------------------------------------------------------------------------------ other coordinates

class FloatingPlatform : public EveryFormulation {};
INSTANTIATE_TEST_SUITE_P(Dynamics, FloatingPlatform, testing::ValuesIn(robots_with_floating_platform()),
                         [](const auto& of) { return of.param; });

TEST_P(FloatingPlatform, IndependentInsteadOfTheDrivesChangesNothing) {
  ASSERT_TRUE(m.platform.floats);
  for_each_case(m, [](const Case& c) {
    for (const Formulation f : {Formulation::dalembert, Formulation::noc, Formulation::virtual_power}) {
      DynamicsOptions platform = by(f);
      platform.independent = Independent::platform;
      Workspace<double> w = set_up(c.m, c.s, c.load), other = w;
      Dynamics d(c.m, w, by(f)), e(c.m, other, platform);
      EXPECT_NE(d.y.independent, e.y.independent);
      ASSERT_TRUE(forward_dynamics(c.m, w, d).ok() && forward_dynamics(c.m, other, e).ok()) << name(f);
      EXPECT_LT(error_of(other.a, w.a), tolerance) << name(f);
      w.a = other.a = c.s.a;
      const bool ok = inverse_dynamics(c.m, w, d).ok();
      EXPECT_EQ(inverse_dynamics(c.m, other, e).ok(), ok) << name(f);
      EXPECT_LT(error_of(other.tau, w.tau), tolerance) << name(f);
    }
  });
}

// ------------------------------------------------------------------------------------------------ redundant drives

double cost(const VecX<double>& tau, const VecX<double>& weight) {
  return tau.cwiseProduct(tau).cwiseProduct(weight).sum();
}

/// Forces that drives may add without moving anything: the other two balance one at the elbow.
VecX<double> inner_force(const Mechanism<double>& m, const ClosedState& s) {
  const newton_euler::FreeBodies b(m, s.q, s.v);
  const MatX<double> N = null_space_of(b.C);
  MatX<double> T(N.cols(), 3);
  for (int i = 0; i < 3; ++i) T.col(i) = N.transpose() * b.S.row(m.actuator[at(i)]).transpose();
  const MatX<double> inner = null_space_of(T);
  EXPECT_EQ(inner.cols(), 1);
  return inner.col(0);
}

/// The cost has no slope along the inner force, and grows to both sides.
void expect_least(const VecX<double>& tau, const VecX<double>& weight, const VecX<double>& inner) {
  EXPECT_LT(std::abs(tau.cwiseProduct(weight).dot(inner)), 1e-10 * weight.maxCoeff() * tau.norm());
  for (const double step : {-1.0, -0.01, 0.01, 1.0}) EXPECT_GT(cost(tau + step * inner, weight), cost(tau, weight));
}

class RedundantDrives : public testing::TestWithParam<std::vector<double>> {};
INSTANTIATE_TEST_SUITE_P(Dynamics, RedundantDrives,
                         testing::Values(std::vector<double>{}, std::vector<double>{1, 2, 5},
                                         std::vector<double>{100, 0.01, 1}, std::vector<double>{1e10, 1e10, 1e10},
                                         std::vector<double>{1e-10, 2e-10, 1e-10}));

TEST_P(RedundantDrives, ShareWithTheLeastWeightedSquares) {
  const Mechanism<double>& m = shipped("redundant_five_bar");
  for_each_case(m, [](const Case& c) {
    const VecX<double> weight =
        GetParam().empty() ? VecX<double>::Ones(3) : VecX<double>(Eigen::Map<const VecX<double>>(GetParam().data(), 3));
    const VecX<double> shortest = newton_euler::inverse(c.m, c.s.q, c.s.v, c.s.a, c.load.external).tau;
    for (const Formulation f : all_formulations) {
      SCOPED_TRACE(name(f));
      DynamicsOptions o = by(f);
      o.weights = GetParam();
      Workspace<double> w = set_up(c.m, c.s, c.load);
      const DynamicsAnswer a = inverse_dynamics(c.m, w, o);
      ASSERT_TRUE(a.ok()) << a.reason;
      const VecX<double> inner = inner_force(c.m, c.s);
      EXPECT_LT(((w.tau - shortest) - inner * inner.dot(w.tau - shortest)).norm(), 1e-10 * shortest.norm());
      expect_least(w.tau, weight, inner);
    }
  });
}

TEST(RedundantDrivesOf, FiveBarWantOneWeightEach) {
  const Mechanism<double>& m = shipped("redundant_five_bar");
  Workspace<double> w(m);
  DynamicsOptions o;
  o.weights = {1, 2};
  EXPECT_THROW(Dynamics(m, w, o), Error);
}

}  // namespace
}  // namespace gough::formulations_test
