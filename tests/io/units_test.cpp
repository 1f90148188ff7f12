#include "gough/io/units.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace gough::units_test {
namespace {

using std::numbers::pi;

struct Case {
  std::string text;
  double value;
  std::optional<Dimension> dimension;
};

TEST(Units, NumbersAreReadInSiWithTheirDimension) {
  using namespace dimension;
  const std::vector<Case> cases = {
      {"0.5", 0.5, {}},
      {"-2e-3", -0.002, {}},
      {"+4", 4, {}},
      {".5", 0.5, {}},
      {"20 mm", 0.02, length},
      {"20mm", 0.02, length},
      {"1 in", 0.0254, length},
      {"15 deg", pi / 12, angle},
      {"0.5 rev", pi, angle},
      {"3 mrad", 0.003, angle},
      {"250 g", 0.25, mass},
      {"2 t", 2000, mass},
      {"5 ms", 0.005, time},
      {"1 min", 60, time},
      {"25 N s/m", 25, force_per_speed},
      {"25 N*s/m", 25, force_per_speed},
      {"2e-5 kg m^2", 2e-5, inertia},
      {"3 g cm^2", 3e-7, inertia},
      {"5.464e6 N/m", 5.464e6, force_per_length},
      {"2 N/mm", 2000, force_per_length},
      {"0.25 N m", 0.25, moment},
      {"0.25 Nm", 0.25, moment},
      {"4 N m/rad", 4, moment},
      {"4 N m s/rad", 4, moment_per_rate},
      {"70 GPa", 7e10, pressure},
      {"70000 N/mm^2", 7e10, pressure},
      {"2700 kg/m^3", 2700, density},
      {"60 rpm", 2 * pi, rate},
      {"2 Hz", 4 * pi, rate},
      {"180 deg/s", pi, rate},
      {"1.5 m/s", 1.5, speed},
      {"2 m/s^2", 2, acceleration},
      {"2 m/s/s", 2, acceleration},
      {"1 g0", 9.80665, acceleration},
  };
  for (const Case& c : cases) {
    std::string why;
    const auto q = parse_quantity(c.text, why);
    ASSERT_TRUE(q) << c.text << ": " << why;
    EXPECT_NEAR(q->value, c.value, 4e-16 * std::abs(c.value)) << c.text;  // a few roundings of the factors
    EXPECT_EQ(q->dimension, c.dimension) << c.text;
  }
}

TEST(Units, WhatIsNoFiniteNumberWithAUnitIsRefusedWithAReason) {
  for (const std::string text : {"",      "mm",   "deg 15", "1,5",    "1.5.2",  "1 furlong", "1 MM", "1 m^", "1 m^0",
                                 "1 m^9", "1 m/", "1 m*",   "1 m//s", "1 /s",   "1 m^-1",    "nan",  ".nan", ".inf",
                                 "-.inf", "inf",  "+nan",   "1e999",  "-1e999", "1e308 km",  "0x10", "1e",   "1 2",
                                 "1 m 2", "one",  "true",   "++5",    "-+5",    "1 \xc2\xb0"}) {
    std::string why;
    EXPECT_FALSE(parse_quantity(text, why)) << "'" << text << "'";
    EXPECT_NE(why.find("read"), std::string::npos) << "'" << text << "' gave: " << why;
    EXPECT_NE(why.find("expected"), std::string::npos) << "'" << text << "' gave: " << why;
  }
}

TEST(Units, ASecondSignIsRefused) {
  std::string why;
  EXPECT_FALSE(parse_quantity("+-5", why));
}

TEST(Units, ALongTextIsRefusedWithoutRepeatingIt) {
  std::string why;
  EXPECT_FALSE(parse_quantity(std::string(100'000, '9'), why));
  EXPECT_LT(why.size(), 200u);
}

TEST(Units, TheUnitOfADimensionReadsBackAsThatDimension) {
  using namespace dimension;
  for (const Dimension& d : {mass, length, time, inertia, speed, rate, force, moment, force_per_length, force_per_speed,
                             moment_per_rate, pressure, acceleration, density}) {
    std::string why;
    const auto q = parse_quantity("1 " + unit_of(d), why);
    ASSERT_TRUE(q) << unit_of(d) << ": " << why;
    EXPECT_EQ(q->dimension, d) << unit_of(d);
    EXPECT_EQ(q->value, 1.0) << unit_of(d) << " is not an SI unit";
  }
}

}  // namespace
}  // namespace gough::units_test
