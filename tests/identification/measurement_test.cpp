/// Rates from positions: of motions whose rates are known.
#include "gough/identification/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gough/error.hpp"

namespace gough::measurement_test {
namespace {

constexpr double w = 2 * std::numbers::pi * 0.5;

/// Two actuators in two harmonics of 0.5 Hz, at 1 kHz.
Measurement known(int rows, double encoder = 0) {
  Measurement d;
  d.name = "known";
  d.q.resize(rows, 2), d.tau.setZero(rows, 2);
  for (int r = 0; r < rows; ++r) {
    const double t = 1e-3 * r;
    d.t.push_back(t);
    d.q(r, 0) = 0.3 + 0.1 * std::sin(w * t) + 0.02 * std::cos(2 * w * t);
    d.q(r, 1) = 0.2 * std::cos(w * t);
    if (encoder > 0)
      for (int c = 0; c < 2; ++c) d.q(r, c) = encoder * std::round(d.q(r, c) / encoder);
  }
  return d;
}
double first_rate(double t) { return 0.1 * w * std::cos(w * t) - 0.04 * w * std::sin(2 * w * t); }
double first_acceleration(double t) { return -0.1 * w * w * std::sin(w * t) - 0.08 * w * w * std::cos(2 * w * t); }

TEST(Rates, ComeFromHarmonicsExactly) {
  const PreparedData p = with_rates(known(4000), {0, 2.0, 0});
  for (const Eigen::Index r : {0, 17, 1999, 3999}) {
    const double t = 1e-3 * static_cast<double>(r);
    EXPECT_NEAR(p.data.v(r, 0), first_rate(t), 1e-9);
    EXPECT_NEAR(p.data.a(r, 0), first_acceleration(t), 1e-7);
  }
  EXPECT_FALSE(p.filter.has_value());
}

/// A zero-phase filter has no delay: its gain is 1 / (1 + (f / f_c)^8), and 1 - 1e-6 at a sixth of its corner.
TEST(Rates, ComeThroughAFilterWithoutDelay) {
  const PreparedData p = with_rates(known(4000, 1e-6), {6, 0, 0});
  ASSERT_TRUE(p.filter.has_value());
  ASSERT_GT(p.last, p.first + 1000);
  double v = 0, a = 0;
  for (Eigen::Index r = p.first; r < p.last; ++r) {
    const double t = 1e-3 * static_cast<double>(r);
    v = std::max(v, std::abs(p.data.v(r, 0) - first_rate(t)));
    a = std::max(a, std::abs(p.data.a(r, 0) - first_acceleration(t)));
  }
  EXPECT_LT(v, 1e-5);
  EXPECT_LT(a, 1e-3);
}

TEST(ZeroPhase, HasTheGainOfItsFormula) {
  const double rate = 1000, corner = 20;
  const ZeroPhase filter(corner, rate);
  for (const double f : {5.0, 20.0, 40.0}) {
    MatX<double> x(4000, 1);
    for (Eigen::Index r = 0; r < x.rows(); ++r)
      x(r, 0) = std::sin(2 * std::numbers::pi * f * static_cast<double>(r) / rate);
    const MatX<double> y = filter(x);
    const auto middle = [](const MatX<double>& z) { return z.block(1000, 0, 2000, 1); };
    const double gain = middle(y).cwiseProduct(middle(x)).sum() / middle(x).squaredNorm();
    // bilinear transformation: frequencies are those of tan(pi f / rate)
    const double ratio = std::tan(std::numbers::pi * f / rate) / std::tan(std::numbers::pi * corner / rate);
    EXPECT_NEAR(gain, 1 / (1 + std::pow(ratio, 8)), 1e-3) << f;
  }
}

TEST(Rates, AreRefusedWhereDataDoNotSuit) {
  const auto message = [](const Measurement& d, const RateOptions& o) {
    try {
      with_rates(d, o);
    } catch (const Error& e) { return std::string(e.what()); }
    return std::string();
  };
  EXPECT_THAT(message(known(5), {}), testing::HasSubstr("read 5 rows, expected at least 20"));
  EXPECT_THAT(message(known(100), {6, 0, 0}), testing::HasSubstr("the filter of"));
  EXPECT_THAT(message(known(1000), {0, 4, 0}), testing::HasSubstr("--period: read 4 s, expected at most"));
  Measurement back = known(100);
  std::swap(back.t[50], back.t[51]);
  back.line.resize(100);
  for (int i = 0; i < 100; ++i) back.line[static_cast<std::size_t>(i)] = i + 2;
  EXPECT_THAT(message(back, {}), testing::HasSubstr("known:53: read t = 0.05 after 0.051"));
  Measurement uneven = known(1000);
  for (std::size_t i = 500; i < 1000; ++i) uneven.t[i] += 5e-4;
  EXPECT_THAT(message(uneven, {}), testing::HasSubstr("expected equal steps"));
}

}  // namespace
}  // namespace gough::measurement_test
