/// Friction functions that a program brings along.
#include "gough/dynamics/own_friction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gough/dynamics/batch.hpp"
#include "gough/dynamics/compare.hpp"
#include "gough/dynamics/derivatives.hpp"
#include "gough/identification/base_parameters.hpp"
#include "gough/io/generate.hpp"
#include "gough/io/robot_file.hpp"

namespace gough::own_friction_test {
namespace {

/// A five-bar with this friction in both drives and both elbows, cut or not.
Mechanism<double> five_bar(const std::string& friction) {
  RobotDescription robot = read_robot(std::string(GOUGH_SOURCE_DIR) + "/robots/five_bar.yaml");
  robot.coefficients["c"] = 0.3;
  for (JointDescription& j : robot.joints)
    for (CoordinateDescription& c : j.coordinates) c.friction = {{friction, "c"}};
  return prepare(robot).mechanism;
}

TEST(OwnFriction, IsTheLibrarysOwnWhereTheFunctionIs) {
  define_friction(
      "my_cubic", [](double v) { return v * v * v; }, [](double v) { return 3 * v * v; });
  const Mechanism<double> mine = five_bar("my_cubic"), theirs = five_bar("cubic");
  for (const Formulation by : all_formulations)
    for (const ComparedState& s : random_states(mine, 5)) {
      Workspace w(mine), x(theirs);
      w.q = x.q = s.q, w.v = x.v = s.v, w.a = x.a = s.a;
      ASSERT_TRUE(inverse_dynamics(mine, w, {.by = by}).ok());
      ASSERT_TRUE(inverse_dynamics(theirs, x, {.by = by}).ok());
      EXPECT_LT((w.tau - x.tau).norm(), 1e-12 * (1 + x.tau.norm())) << name(by);
      ASSERT_TRUE(forward_dynamics(mine, w, {.by = by}).ok());
      EXPECT_LT((w.a - s.a).norm(), 1e-9 * (1 + s.a.norm())) << name(by);
    }
}

TEST(OwnFriction, WorksInBatchesOfEitherLayout) {
  define_friction("my_cubic", [](double v) { return v * v * v; });
  const Mechanism<double> mine = five_bar("my_cubic"), theirs = five_bar("cubic");
  const auto states = random_states(mine, 11);
  const auto n = states.size(), nq = static_cast<std::size_t>(mine.nq), nv = static_cast<std::size_t>(mine.nv);
  std::vector<double> q, v, a, by_state(2 * n), by_entry(2 * n), q2(nq * n), v2(nv * n), a2(nv * n);
  for (std::size_t s = 0; s < n; ++s) {
    q.insert(q.end(), states[s].q.begin(), states[s].q.end());
    v.insert(v.end(), states[s].v.begin(), states[s].v.end());
    a.insert(a.end(), states[s].a.begin(), states[s].a.end());
    for (std::size_t i = 0; i < nq; ++i) q2[i * n + s] = states[s].q[static_cast<Eigen::Index>(i)];
    for (std::size_t i = 0; i < nv; ++i) {
      v2[i * n + s] = states[s].v[static_cast<Eigen::Index>(i)];
      a2[i * n + s] = states[s].a[static_cast<Eigen::Index>(i)];
    }
  }
  std::vector<Status> status(n);
  DynamicsBatch(mine).inverse(q, v, a, by_state, status, BatchLayout::by_state);
  DynamicsBatch(theirs).inverse(q2, v2, a2, by_entry, status);
  for (std::size_t s = 0; s < n; ++s)
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(by_state[2 * s + i], by_entry[i * n + s], 1e-11) << s;
  EXPECT_THROW(DynamicsBatch(mine).inverse(v, v, a, by_state, status, BatchLayout::by_state), Error);
}

TEST(OwnFriction, IsDifferentiatedBySlopeOrByDifferences) {
  const auto cube = [](double v) { return v * v * v; };
  define_friction("with_slope", cube, [](double v) { return 3 * v * v; });
  define_friction("without", cube);
  const OwnFriction& exact = *find_own_friction("with_slope");
  const OwnFriction& differences = *find_own_friction("without");
  for (const double v : {-3.0, -0.2, 0.0, 0.7, 40.0}) {
    EXPECT_EQ(exact.derivative(1, v), 3 * v * v);
    EXPECT_NEAR(differences.derivative(1, v), 3 * v * v, 1e-9 * (1 + v * v));
    EXPECT_NEAR(exact.derivative(2, v), 6 * v, 1e-8 * (1 + std::abs(v)));
    using Twice = Dual<Dual<double>>;
    const Twice y = own_friction(exact, Twice::variable(Dual<double>::variable(v)));
    EXPECT_EQ(y.value.value, cube(v));
    EXPECT_NEAR(y.d[0].d[0], 6 * v, 1e-8 * (1 + std::abs(v)));
  }
  for (const char* which : {"with_slope", "without"}) {
    const Mechanism<double> mine = five_bar(which), theirs = five_bar("cubic");
    const ComparedState s = random_states(mine, 2).back();
    const auto slopes = [&](const Mechanism<double>& m) {
      Workspace w(m);
      w.q = s.q, w.v = s.v, w.a = s.a;
      Dynamics d(m, w);
      EXPECT_TRUE(inverse_dynamics(m, w, d).ok());
      return inverse_derivatives(m, w, d).by_velocity;
    };
    EXPECT_LT((slopes(mine) - slopes(theirs)).norm(), 1e-8) << which;
  }
}

TEST(OwnFriction, CountsAsOneParameter) {
  define_friction("my_cubic", [](double v) { return v * v * v; });
  const BaseParameters mine = base_parameters(five_bar("my_cubic")), theirs = base_parameters(five_bar("cubic"));
  EXPECT_EQ(mine.space.friction(), 1);
  EXPECT_EQ(mine.rank(), theirs.rank());
  EXPECT_NEAR(mine.friction_condition, theirs.friction_condition, 1e-6 * theirs.friction_condition);
}

TEST(OwnFriction, IsRefusedWhereItCannotBe) {
  EXPECT_THROW(define_friction("viscous", [](double v) { return v; }), Error);
  EXPECT_THROW(define_friction("", [](double v) { return v; }), Error);
  EXPECT_THROW(define_friction("nothing", {}), Error);
  const Mechanism<double> unknown = five_bar("nobody_defined_this");
  Workspace w(unknown);
  try {
    (void)inverse_dynamics(unknown, w, DynamicsOptions{});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(),
                testing::HasSubstr("read the friction function 'nobody_defined_this', expected one of viscous"));
  }
  define_friction("my_cubic", [](double v) { return v * v * v; });
  try {
    (void)generate(five_bar("my_cubic"), {"inverse", "joints"});
    FAIL();
  } catch (const Error& e) { EXPECT_THAT(e.what(), testing::HasSubstr("expected one that can become code")); }
}

TEST(OwnFriction, NewDefinitionLeavesWhatWasMade) {
  define_friction("changing", [](double v) { return v; });
  const Mechanism<double> m = five_bar("changing");
  const ComparedState s = random_states(m, 2).back();
  Workspace w(m);
  w.q = s.q, w.v = s.v, w.a = s.a;
  Dynamics before(m, w);
  ASSERT_TRUE(inverse_dynamics(m, w, before).ok());
  const VecX<double> tau = w.tau;
  define_friction("changing", [](double v) { return 2 * v; });
  ASSERT_TRUE(inverse_dynamics(m, w, before).ok());
  EXPECT_EQ((w.tau - tau).norm(), 0);
  Dynamics after(m, w);
  ASSERT_TRUE(inverse_dynamics(m, w, after).ok());
  EXPECT_GT((w.tau - tau).norm(), 1e-3);
}

}  // namespace
}  // namespace gough::own_friction_test
