/// Code from joint coordinates against the library, for every robot.
#include <gtest/gtest.h>

#include "codegen/generated.hpp"
#include "gough/dynamics/derivatives.hpp"

namespace gough::joints_test {
namespace {

std::vector<std::string> small_robots() {
  std::vector<std::string> names;
  for (const std::string& name : shipped_robots())
    if (shipped(name).bodies() <= 25) names.push_back(name);
  return names;
}

class FromJoints : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Codegen, FromJoints, testing::ValuesIn(small_robots()),
                         [](const auto& of) { return of.param; });

/// Sums in another order: 1e-12 of the vector, times what a condition number of a hundred or so makes of it.
constexpr double tolerance = 1e-10;

TEST_P(FromJoints, InverseDynamicsAgree) {
  if (m.actuator.empty()) GTEST_SKIP() << "no actuators";
  for (const bool fold : {false, true}) {
    const Program p = generate(m, {"inverse", "joints", fold});
    int compared = 0;
    for (const ClosedState& s : states_of(m)) {
      Workspace<double> w = unloaded(m, s);
      Dynamics d(m, w, by(Formulation::multipliers));
      if (!inverse_dynamics(m, w, d).ok()) continue;
      const std::vector<double> in = joined({s.q, s.v, s.a});
      if (!is_sound(p, in)) continue;
      ++compared;
      EXPECT_LT(error_of(vector_of(evaluate(p, in)), w.tau), tolerance);
    }
    EXPECT_GE(compared, 4);  // of six: guards refuse what is near a singularity, not more
  }
}

TEST_P(FromJoints, ForwardDynamicsAgree) {
  Workspace<double> home(m);
  if (!Dynamics(m, home).no_forward.empty()) GTEST_SKIP() << "no forward dynamics";
  const Program p = generate(m, {"forward", "joints"});
  int compared = 0;
  for (const ClosedState& s : states_of(m)) {
    const VecX<double> tau = random_load(m, 1).tau;
    Workspace<double> w = set_up(m, s, {tau, {}});
    Dynamics d(m, w, by(Formulation::multipliers));
    const std::vector<double> in = joined({s.q, s.v, tau});
    if (!forward_dynamics(m, w, d).ok() || !is_sound(p, in)) continue;
    ++compared;
    EXPECT_LT(error_of(vector_of(evaluate(p, in)), w.a), tolerance);
  }
  EXPECT_GE(compared, 4);
}

TEST_P(FromJoints, KinematicsAgree) {
  if (!m.platform.exists()) GTEST_SKIP() << "no platform";
  const Program p = generate(m, {"kinematics", "joints"});
  for (const ClosedState& s : states_of(m)) {
    Workspace<double> w = unloaded(m, s);
    tree_positions(m, w);
    tree_velocities(m, w);
    tree_accelerations(m, w);
    const Transform<double> X = w.X0[at(m.platform.body)] * m.platform_frame;
    const PlatformRates<double> rates = platform_rates(m, w);
    VecX<double> expected(24);
    expected << X.p, X.R.row(0).transpose(), X.R.row(1).transpose(), X.R.row(2).transpose(), rates.v, rates.w, rates.a,
        rates.dw;
    EXPECT_LT(error_of(vector_of(evaluate(p, joined({s.q, s.v, s.a}))), expected), 1e-13);
  }
}

/// Against dual numbers, which the library uses in double.
TEST(FromJointsToo, DerivativesAgree) {
  for (const std::string robot : {"five_bar", "psp3", "rrr3"}) {
    const Mechanism<double>& m = shipped(robot);
    const Program p = generate(m, {"derivatives", "joints"});
    for (const ClosedState& s : states_of(m)) {
      Workspace<double> w = unloaded(m, s);
      Dynamics d(m, w);
      const std::vector<double> in = joined({s.q, s.v, s.a});
      if (!is_sound(p, in)) continue;
      w.v = s.v, w.a = s.a;
      const StateDerivatives expected = inverse_derivatives(m, w, d);
      VecX<double> all(expected.by_position.size() + expected.by_velocity.size() + expected.by_last.size());
      all << expected.by_position.transpose().reshaped(), expected.by_velocity.transpose().reshaped(),
          expected.by_last.transpose().reshaped();
      EXPECT_LT(error_of(vector_of(evaluate(p, in)), all), 1e-9) << robot;
    }
  }
}

/// Loops that are a little open: Newton's steps close them, and the forces are those of the closed position.
TEST(FromJointsToo, NewtonStepsCloseLoops) {
  for (const std::string robot : {"five_bar", "psp3"}) {
    const Mechanism<double>& m = shipped(robot);
    GenerateWish wish{"inverse", "joints"};
    wish.newton = 3;
    const Program closing = generate(m, wish), plain = generate(m, {"inverse", "joints"});
    Workspace<double> home(m);
    tree_positions(m, home);
    closure(m, home);
    const Selection y = select_driven(m, home, m.rank);
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const ClosedState s = closed_state(m, seed);
      VecX<double> dv = VecX<double>::Zero(m.nv);
      for (const int c : y.dependent) dv[c] = 1e-3;
      VecX<double> open = s.q;
      displace(m, dv, open);
      const VecX<double> expected = vector_of(evaluate(plain, joined({s.q, s.v, s.a})));
      EXPECT_LT(error_of(vector_of(evaluate(closing, joined({open, s.v, s.a}))), expected), 1e-9) << robot;
      EXPECT_GT(error_of(vector_of(evaluate(plain, joined({open, s.v, s.a}))), expected), 1e-6) << robot;
    }
  }
}

/// Most states must be computed, not refused.
TEST_P(FromJoints, GuardsLetHomePass) {
  if (m.actuator.empty()) GTEST_SKIP() << "no actuators";
  const Program p = generate(m, {"inverse", "joints"});
  const VecX<double> rest = VecX<double>::Zero(m.nv);
  EXPECT_TRUE(is_sound(p, joined({m.home, rest, rest})));
}

}  // namespace
}  // namespace gough::joints_test
