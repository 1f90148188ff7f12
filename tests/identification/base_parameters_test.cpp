/// Base parameters: published ones by name, two ways that agree, and a model that stays the same.
#include "gough/identification/base_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gough/error.hpp"
#include "kinematics/states.hpp"

namespace gough {
namespace {

std::vector<std::string> names(const BaseParameters& b) {
  std::vector<std::string> all;
  for (const BaseParameter& p : b.base) all.push_back(p.name);
  return all;
}

/// Paper 003, Table I.
TEST(BaseParameters, OfPalidaAreTableOne) {
  const Mechanism<double>& m = shipped("palida");
  const BaseParameters b = base_parameters(m, {true, true});
  EXPECT_EQ(b.rank(), 10);
  EXPECT_THAT(names(b), testing::IsSupersetOf({"Izz_ring + Iyy_stator + Izz_slider",
                                               "Ixx_stator - Iyy_stator + Ixx_slider - Izz_slider",
                                               "Izz_stator + Iyy_slider", "sy_stator", "sz_slider", "sz_platform",
                                               "m_platform + 6 m_slider"}));
  // m_3 times the sums of squares of r_B: six joints on a circle of 0.12 m
  const double half = 6 * 0.12 * 0.12 / 2;
  for (const auto& [entry, sum] : {std::pair("Ixx", half), std::pair("Iyy", half), std::pair("Izz", 2 * half)})
    for (const BaseParameter& p : b.base)
      if (b.space.name[static_cast<std::size_t>(p.terms[0].parameter)] == std::string("platform.") + entry) {
        ASSERT_EQ(p.terms.size(), 2U) << entry;
        EXPECT_EQ(b.space.name[static_cast<std::size_t>(p.terms[1].parameter)], "slider.m");
        EXPECT_NEAR(p.terms[1].coefficient, sum, 1e-9) << entry;
      }
  EXPECT_GT(b.gap, 1e6);
  EXPECT_EQ(b.space.name.size() - static_cast<std::size_t>(b.space.inertial), 14U);
}

/// The base parameters alone give the forces of all.
TEST(BaseParameters, GiveTheSameForces) {
  for (const std::string robot : {"palida", "hexapod", "delta", "five_bar", "psp3", "rrr3", "hexa", "triglide"}) {
    const Mechanism<double>& m = shipped(robot);
    const BaseParameters b = base_parameters(m);
    const MatX<double> H = stacked_regressor(m, b.space, 25);
    VecX<double> reduced = VecX<double>::Zero(b.space.value.size());
    for (const BaseParameter& p : b.base)
      for (const BaseParameter::Term& t : p.terms)
        reduced[p.terms[0].parameter] += t.coefficient * b.space.value[t.parameter];
    reduced.tail(reduced.size() - b.space.inertial) = b.space.value.tail(reduced.size() - b.space.inertial);
    const VecX<double> all = H * b.space.value;
    EXPECT_LT((H * reduced - all).norm(), 1e-10 * all.norm()) << robot;
    EXPECT_LT(b.rank(), b.space.inertial) << robot;
  }
}

TEST(BaseParameters, RulesAgreeWithNumbers) {
  for (const std::string robot : {"palida", "hexapod", "hexapod_arbitrary", "psp3"})
    for (const bool identical : {false, true}) {
      const BaseParameters b = base_parameters(shipped(robot), {identical, false});
      EXPECT_LT(b.rules_error, 1e-12) << robot;
      EXPECT_EQ(b.rules_rank, b.rank()) << robot << (identical ? " identical" : "");
    }
}

TEST(BaseParameters, AreRefusedWhereLegsDiffer) {
  EXPECT_THROW(base_parameters(shipped("pendulum"), {true, false}), Error);
}

}  // namespace
}  // namespace gough
