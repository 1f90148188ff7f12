/// Dynamics against formulas that others wrote down: weights shared by symmetry, and the hexapod worked out by hand.
#include <gtest/gtest.h>

#include "../../bench/handwritten_hexapod.hpp"
#include "dynamics/evaluations.hpp"

namespace gough::closed_forms_test {
namespace {

class ClosedForms : public testing::TestWithParam<Formulation> {
 protected:
  DynamicsOptions options = by(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Dynamics, ClosedForms, testing::ValuesIn(all_formulations),
                         [](const auto& of) { return std::string(name(of.param)); });

/// (1 + 3 0.5) 9.81 / 3 on each of three equal slides.
TEST_P(ClosedForms, Psp3CarriesItsWeight) {
  const Mechanism<double>& m = shipped("psp3");
  Workspace<double> w(m);
  ASSERT_TRUE(inverse_dynamics(m, w, options).ok());
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(w.tau[i], 8.175, 1e-12);
}

/// g sin / l for a point mass on a rod of one metre; at home it lies level.
TEST_P(ClosedForms, PendulumFalls) {
  const Mechanism<double>& m = shipped("pendulum");
  Workspace<double> w(m);
  ASSERT_TRUE(forward_dynamics(m, w, options).ok());
  EXPECT_NEAR(std::abs(w.a[0]), 9.81, 1e-12);
}

/// The library's state of the platform for random closed states, and the drives in the file's order, leg1 to leg6.
TEST_P(ClosedForms, HexapodByHand) {
  const Mechanism<double>& m = shipped("hexapod");
  const HandwrittenHexapod hand;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const ClosedState s = closed_state(m, seed);
    newton_euler::Load load = random_load(m, seed);
    load.external.clear();  // the hand-written one knows of none
    load.tau *= 20;
    Workspace<double> w = set_up(m, s, load);
    tree_positions(m, w);
    tree_velocities(m, w);
    tree_accelerations(m, w);
    const Transform<double> X = platform_pose(m, w);
    const PlatformRates<double> x = platform_rates(m, w);
    ASSERT_TRUE(inverse_dynamics(m, w, options).ok());
    const auto tau = hand.inverse(X.R, X.p, x.v, x.w, x.a, x.dw);
    EXPECT_LT(error_of(w.tau, tau), 1e-10) << seed;

    w.tau = load.tau;
    ASSERT_TRUE(forward_dynamics(m, w, options).ok());
    tree_accelerations(m, w);
    const PlatformRates<double> found = platform_rates(m, w);
    const auto expected = hand.forward(X.R, X.p, x.v, x.w, load.tau);
    EXPECT_LT((found.a - expected.a).norm() + (found.dw - expected.dw).norm(),
              1e-10 * (expected.a.norm() + expected.dw.norm()))
        << seed;
    for (int i = 0; i < 6; ++i) {
      const std::string leg = "leg" + std::to_string(i + 1);
      EXPECT_NEAR(w.a[m.find_coordinate(leg + ".drive")], expected.length[i], 1e-10 * w.a.norm()) << leg;
      EXPECT_NEAR(w.a[m.find_coordinate(leg + ".alpha")], expected.alpha[i], 1e-10 * w.a.norm()) << leg;
      EXPECT_NEAR(w.a[m.find_coordinate(leg + ".beta")], expected.beta[i], 1e-10 * w.a.norm()) << leg;
    }
  }
}

}  // namespace
}  // namespace gough::closed_forms_test
