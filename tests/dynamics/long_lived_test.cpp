/// A Dynamics that follows a motion chooses coordinates anew where it must: its numbers are those of one that was made where it stands.
#include <gtest/gtest.h>

#include "gough/dynamics/derivatives.hpp"
#include "kinematics/states.hpp"

namespace gough::long_lived_test {
namespace {

class TurnedOnce : public testing::TestWithParam<std::tuple<std::string, Formulation>> {
 protected:
  const Mechanism<double>& m = shipped(std::get<0>(GetParam()));
  DynamicsOptions options;
  TurnedOnce() { options.by = std::get<1>(GetParam()); }

  /// A hundredth of a radian on, by Newton's method from the tangent.
  void turn(Workspace<double>& w, const Selection& s) const {
    ExplicitForm<double> form(m, s);
    explicit_form(w, s, form);
    const VecX<double> step = form.G * VecX<double>::Constant(form.G.cols(), 0.01);
    displace(m, step, w.q);
    for (int i = 0; i < 6; ++i) refine_position(m, w, s, form);
    tree_positions(m, w);
    closure(m, w);
    const VecX<double> rate = VecX<double>::Constant(form.G.cols(), 0.7);
    explicit_motion(m, w, s, form, rate, rate);
  }
};
INSTANTIATE_TEST_SUITE_P(Dynamics, TurnedOnce,
                         testing::Combine(testing::Values("n_four_bar_40", "bricard", "andrews"),
                                          testing::Values(Formulation::legs, Formulation::virtual_power)),
                         [](const auto& of) {
                           return std::get<0>(of.param) + "_" + std::string(name(std::get<1>(of.param)));
                         });

TEST_P(TurnedOnce, IsAsOneMadeThere) {
  constexpr int steps = 630, looked_at = 7;
  constexpr double drift =
      1e-8;  // forty loops at their worst pose lose six digits; the choice of home lost twelve (2e-4)
  Workspace<double> w = placed(m, m.home);
  Dynamics<double> d(m, w, options);
  Selection s = select_any(m, w, m.rank);
  for (int k = 0; k < steps; ++k) {
    if (k % 20 == 0) s = select_any(m, w, m.rank);
    turn(w, s);
    ASSERT_LT(w.phi.cwiseAbs().maxCoeff(), 1e-12) << k;
    const VecX<double> a = w.a;
    ASSERT_TRUE(inverse_dynamics(m, w, d).ok()) << k;
    const VecX<double> tau = w.tau;
    ASSERT_TRUE(forward_dynamics(m, w, d).ok()) << k;
    const VecX<double> found = w.a;
    w.a = a;
    if (k % looked_at != 0) continue;
    Workspace<double> there = placed(m, w.q);
    there.v = w.v;
    there.a = a;
    Dynamics<double> fresh(m, there);
    ASSERT_TRUE(inverse_dynamics(m, there, fresh).ok());
    EXPECT_LT((there.tau - tau).norm(), drift * tau.norm()) << k;
    there.tau = tau;
    ASSERT_TRUE(forward_dynamics(m, there, fresh).ok());
    EXPECT_LT((there.a - found).norm(), drift * found.norm()) << k;
  }
}

}  // namespace
}  // namespace gough::long_lived_test
