/// Packs: every lane computes as a double would.
#include "gough/scalar/pack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "gough/spatial/spatial.hpp"

namespace gough::pack_test {
namespace {

using P = Pack<2>;  // what every machine of this kind has

const std::array<double, 2> a = {1.5, -0.25}, b = {-2.0, 3.0};

TEST(Pack, ArithmeticIsLaneByLane) {
  const P x = P::load(a.data()), y = P::load(b.data());
  for (int i = 0; i < 2; ++i) {
    const double u = a[static_cast<std::size_t>(i)], v = b[static_cast<std::size_t>(i)];
    EXPECT_EQ((x + y)[i], u + v);
    EXPECT_EQ((x - y)[i], u - v);
    EXPECT_EQ((x * y)[i], u * v);
    EXPECT_EQ((x / y)[i], u / v);
    EXPECT_EQ((-x)[i], -u);
    EXPECT_EQ((x + P(2.0))[i], u + 2);
    EXPECT_EQ(sqrt(x * x)[i], std::abs(u));
    EXPECT_DOUBLE_EQ(sin(x)[i], std::sin(u));
    EXPECT_DOUBLE_EQ(cos(x)[i], std::cos(u));
    EXPECT_DOUBLE_EQ(atan2(x, y)[i], std::atan2(u, v));
  }
}

TEST(Pack, AChoiceIsMadeInEveryLane) {
  const P x = P::load(a.data());
  const P chosen = if_positive(x, P(1.0), P(-1.0));
  EXPECT_EQ(chosen[0], 1);
  EXPECT_EQ(chosen[1], -1);
  const P none(0.0);
  EXPECT_EQ(sign(none)[0], 0);
}

TEST(Pack, WhatIsStoredIsWhatWasLoaded) {
  std::array<double, 2> out{};
  P::load(a.data()).store(out.data());
  EXPECT_EQ(out, a);
}

TEST(Pack, SpatialAlgebraRunsOnPacks) {
  const P angle = P::load(a.data());
  const Transform<P> X{rotation_z(angle), Vec3<P>(P(1.0), P(2.0), P(3.0))};
  const Motion<P> v{Vec3<P>(P(0.1), P(0.2), P(0.3)), Vec3<P>(P(1.0), P(0.0), P(-1.0))};
  const Motion<P> there = X * v;
  for (int i = 0; i < 2; ++i) {
    const Transform<double> x{rotation_z(a[static_cast<std::size_t>(i)]), Vec3<double>(1, 2, 3)};
    const Motion<double> w = x * Motion<double>{Vec3<double>(0.1, 0.2, 0.3), Vec3<double>(1, 0, -1)};
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(there.angular[k][i], w.angular[k], 1e-15);
      EXPECT_NEAR(there.linear[k][i], w.linear[k], 1e-15);
    }
  }
}

}  // namespace
}  // namespace gough::pack_test
