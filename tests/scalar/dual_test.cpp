#include "gough/scalar/dual.hpp"

#include <gtest/gtest.h>

namespace gough::dual_test {
namespace {

using D = Dual<double>;
using DD = Dual<Dual<double>>;

/// A function that uses every operation of the scalar, and its derivatives by hand.
template <class S>
S every_operation(const S& x) {
  return sin(x) * cos(x) / (S(2.0) + x) - sqrt(x + S(3.0)) + atan2(x, S(1.0) + x * x);
}
double first_derivative(double x) {
  const double c2 = std::cos(2 * x), s2 = std::sin(2 * x), r = 1 + x * x;
  return c2 / (2 + x) - s2 / 2 / ((2 + x) * (2 + x)) - 0.5 / std::sqrt(x + 3) + (r - x * 2 * x) / (r * r + x * x);
}

TEST(Dual, CarriesTheFirstDerivativeExactly) {
  for (const double x : {-0.7, 0.0, 0.3, 1.9}) {
    const D y = every_operation(D::variable(x));
    EXPECT_DOUBLE_EQ(y.value, every_operation(x));
    EXPECT_NEAR(y.d[0], first_derivative(x), 1e-15);
  }
}

TEST(Dual, NestedDualsCarryTheSecondDerivative) {
  const double x = 0.3, h = 1e-5;
  DD two = DD::variable(D::variable(x));
  const double expected = (first_derivative(x + h) - first_derivative(x - h)) / (2 * h);
  EXPECT_NEAR(every_operation(two).d[0].d[0], expected, 1e-9);  // central difference: h^2 and rounding over h
}

TEST(Dual, SeveralDirectionsAreIndependent) {
  using D2 = Dual<double, 2>;
  const D2 x = D2::variable(2.0, 0), y = D2::variable(5.0, 1);
  const D2 f = x * y / (x + y);
  EXPECT_DOUBLE_EQ(f.d[0], 25.0 / 49.0);
  EXPECT_DOUBLE_EQ(f.d[1], 4.0 / 49.0);
}

TEST(Dual, SelectionPicksTheBranchesDerivative) {
  const D x = D::variable(-2.0);
  EXPECT_DOUBLE_EQ(magnitude(x).value, 2.0);
  EXPECT_DOUBLE_EQ(magnitude(x).d[0], -1.0);
  EXPECT_DOUBLE_EQ(sign(D(0.0)).value, 0.0);
}

template <class S>
concept Comparable = requires(S a, S b) {
  a < b;
};
static_assert(!Comparable<D>, "a kernel that compares scalars must not compile");

}  // namespace
}  // namespace gough::dual_test
