/// Fixed steps are at most as long as they are told to be, wherever rows are.
#include "gough/simulation/integrator.hpp"

#include <gtest/gtest.h>

namespace gough::integrator_test {
namespace {

TEST(FittingStep, DividesAWayEvenlyAndIsNeverLonger) {
  for (const double way : {1e-4, 9.9e-4, 1e-3, 1.001e-3, 1.4e-3, 1.5e-3, 2e-3, 2.9e-3, 7.77e-3}) {
    const double h = fitting_step(way, 1e-3);
    EXPECT_LE(h, 1e-3 * (1 + 1e-6)) << way;
    EXPECT_NEAR(way / h, std::round(way / h), 1e-9) << way;
    EXPECT_GT(h, 0.5e-3 * (way > 1e-3 ? 1 : 0)) << way;
  }
  EXPECT_EQ(fitting_step(1e-3 * (1 + 1e-12), 1e-3), 1e-3 * (1 + 1e-12));  // rounding is no second step
}

class FixedStep : public testing::TestWithParam<Method> {};

/// x'' = -w^2 x with w h = 2.5: Runge and Kutta's method is stable up to 2.8, so a step 1.4 times as long would grow without bound.
TEST_P(FixedStep, KeepTheirLengthBetweenAnyRows) {
  constexpr double step = 1e-3, w = 2500;
  IntegratorOptions o;
  o.method = GetParam();
  o.fixed_step = step;
  const bool damped = o.method == Method::rk4;
  const auto integrator = make_integrator(o,
                                          [](double, const VecX<double>& x, VecX<double>& rates) {
                                            rates[0] = x[1];
                                            rates[1] = -w * w * x[0];
                                            return true;
                                          },
                                          {});
  integrator->start(0, VecX<double>::Unit(2, 0), 1);
  for (int row = 1; row <= 200; ++row)
    while (integrator->t < row * 1.4e-3) {
      ASSERT_TRUE(integrator->step(row * 1.4e-3)) << integrator->failure;
      ASSERT_LE(integrator->last_step, step * (1 + 1e-6));
    }
  EXPECT_EQ(integrator->steps, 400);
  EXPECT_NEAR(integrator->t, 0.28, 1e-12);
  EXPECT_TRUE(!damped || std::abs(integrator->x[0]) < 1) << integrator->x[0];
}

INSTANTIATE_TEST_SUITE_P(, FixedStep, testing::Values(Method::rk4, Method::semi_implicit),
                         [](const auto& i) { return std::string(name(i.param)); });

}  // namespace
}  // namespace gough::integrator_test
