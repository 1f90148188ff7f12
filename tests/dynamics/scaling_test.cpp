/// What the formulations cost as a robot grows, in operations instead of seconds: exact, and the same on every machine.
/// The kernels have no branches on values, so that a count is a polynomial in the number that grows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "robots.hpp"
#include "scalar/counting.hpp"

namespace gough::scaling_test {
namespace {

using Counts = std::vector<long>;

/// Operations of one evaluation at home.
long operations(const Mechanism<double>& m, Formulation by, bool forward) {
  Workspace<double> w(m);
  DynamicsOptions options;
  options.by = by;
  const Dynamics<double> d(m, w, options);
  const Mechanism<Counting> counted = m.cast<Counting>();
  Workspace<Counting> u(counted);
  Dynamics<Counting> e(counted, d);
  Counting::operations = 0;
  if (forward) forward_kernel(counted, u, e);
  else inverse_kernel(counted, u, e);
  return Counting::operations;
}

/// Differences of the order `k`; those of a polynomial of degree k at even steps are all equal, the next ones zero.
Counts differences(Counts x, int k) {
  for (; k > 0; --k) {
    for (std::size_t i = 0; i + 1 < x.size(); ++i) x[i] = x[i + 1] - x[i];
    x.pop_back();
  }
  return x;
}

/// Evenly spaced: 4, 8, .. 24 elastic freedoms per chain.
constexpr int step = 4;
std::vector<Mechanism<double>> with_more_elastic(const std::string& robot) {
  std::vector<Mechanism<double>> all;
  for (int n = step; n <= 6 * step; n += step)
    all.push_back(prepare(with_elastic_chains(read_robot(robot_path(robot)), n)).mechanism);
  return all;
}

/// One to six times the legs, with one elastic freedom each.
std::vector<Mechanism<double>> with_more_legs(const std::string& robot) {
  const RobotDescription one = read_robot(robot_path(robot));
  const Mechanism<double> m = load_robot(robot_path(robot));
  Workspace<double> w(m);
  tree_positions(m, w);
  const Transform<double> home = w.X0[static_cast<std::size_t>(m.platform.body)] * m.platform_frame;
  std::vector<Mechanism<double>> all;
  for (int times = 1; times <= 6; ++times)
    all.push_back(prepare(with_elastic_chains(with_repeated_legs(one, times, home), 1)).mechanism);
  return all;
}

Counts counts(const std::vector<Mechanism<double>>& all, Formulation by, bool forward) {
  Counts x;
  for (const Mechanism<double>& m : all) x.push_back(operations(m, by, forward));
  return x;
}

class ElasticCost : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Dynamics, ElasticCost, testing::Values("five_bar", "triglide", "hexa", "hexapod"),
                         [](const auto& of) { return of.param; });

TEST_P(ElasticCost, OfLegsIsLinear) {
  const auto robots = with_more_elastic(GetParam());
  const Counts forward = counts(robots, Formulation::legs, true);
  EXPECT_GT(differences(forward, 1).front(), 0);
  EXPECT_THAT(differences(forward, 2), testing::Each(0)) << testing::PrintToString(forward);
  if (!robots.front().platform.floats) return;  // the five-bar's inverse dynamics take the way of dalembert
  EXPECT_THAT(differences(counts(robots, Formulation::legs, false), 2), testing::Each(0));
}

/// L D L^T of n x n takes n^3 / 3 + O(n^2) multiplications and subtractions, and every chain has one: third differences
/// are 2 step^3 per chain. That is (S6), n_a (1 + n_pk + n_ek)^3, with its factor.
TEST_P(ElasticCost, OfScddIsTheCubeOfEachChain) {
  const auto robots = with_more_elastic(GetParam());
  const auto chains = static_cast<long>(robots.front().leg.size());
  EXPECT_THAT(differences(counts(robots, Formulation::scdd, true), 3), testing::Each(2 * step * step * step * chains));
}

/// One mass matrix for all: at least its own factorisation, the cube of n_a n_ek as in (S7).
TEST_P(ElasticCost, OfTheOthersIsTheCubeOfAll) {
  const auto robots = with_more_elastic(GetParam());
  const auto chains = static_cast<long>(robots.front().leg.size());
  const long factorisation = 2 * step * step * step * chains * chains * chains;
  for (const Formulation by :
       {Formulation::multipliers, Formulation::dalembert, Formulation::noc, Formulation::virtual_power}) {
    const Counts third = differences(counts(robots, by, true), 3);
    EXPECT_GE(third.back(), factorisation) << name(by);
    EXPECT_THAT(differences(third, 1), testing::Each(0)) << name(by);
  }
}

class LegCost : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Dynamics, LegCost, testing::Values("triglide", "hexa", "hexapod"),
                         [](const auto& of) { return of.param; });

TEST_P(LegCost, OfScddAndLegsIsLinear) {
  const auto robots = with_more_legs(GetParam());
  for (const Formulation by : {Formulation::scdd, Formulation::legs}) {
    const Counts forward = counts(robots, by, true);
    EXPECT_GT(differences(forward, 1).front(), 0) << name(by);
    EXPECT_THAT(differences(forward, 2), testing::Each(0)) << name(by) << testing::PrintToString(forward);
  }
}

/// All loops at once: at least one elimination with as many equations, 2/3 of the cube of their number, which every
/// repetition of the legs raises alike. From the second on there are more drives than freedoms.
TEST_P(LegCost, OfTheOthersIsTheCubeOfAll) {
  auto robots = with_more_legs(GetParam());
  robots.erase(robots.begin());
  const long more = robots[1].rank - robots[0].rank;
  for (const Formulation by :
       {Formulation::multipliers, Formulation::dalembert, Formulation::noc, Formulation::virtual_power}) {
    const Counts third = differences(counts(robots, by, true), 3);
    EXPECT_GE(third.back(), 4 * more * more * more) << name(by);
    EXPECT_THAT(differences(third, 1), testing::Each(0)) << name(by);
  }
}

// ------------------------------------------------------------------------------------------------ formulas and slopes

/// Errata 000.12: by hand 2 * 3^3 = 54, 4^3 = 64; 6 * 4^3 = 384, 12^3 = 1728; 3 * 4^3 = 192, 6^3 = 216.
TEST(Complexity, OfTable1FollowsButForTheTriglide) {
  const std::vector<std::pair<double, double>> by_hand = {{54, 64}, {384, 1728}, {192, 216}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(printed_complexities[i].counts.scdd(), by_hand[i].first);
    EXPECT_EQ(printed_complexities[i].counts.dalembert(), by_hand[i].second);
    EXPECT_EQ(printed_complexities[i].follows(), i < 2);
  }
  EXPECT_EQ(std::lround(100 * printed_complexities[0].counts.reduction()), printed_complexities[0].reduction);
  EXPECT_EQ(std::lround(100 * printed_complexities[1].counts.reduction()), printed_complexities[1].reduction);
}

TEST(Complexity, CountsTheChainsOfAMechanism) {
  for (const auto& [robot, n_a, n_pk] : {std::tuple("five_bar", 2, 1), std::tuple("hexa", 6, 2)}) {
    const ChainCounts c = chain_counts(prepare(with_elastic_chains(read_robot(robot_path(robot)), 3)).mechanism);
    EXPECT_EQ(c.n_a, n_a) << robot;
    EXPECT_EQ(c.n_pk, n_pk) << robot;
    EXPECT_EQ(c.n_ek, 3) << robot;
  }
}

TEST(Slope, IsThePowerOfTheUpperHalf) {
  const std::vector<double> n = {1, 2, 4, 8, 16, 32};
  std::vector<double> t(6, 7.0);
  for (std::size_t i = 3; i < 6; ++i) t[i] = 0.3 * std::pow(n[i], 2.5);
  EXPECT_NEAR(fitted_slope(n, t).value(), 2.5, 1e-12);
  EXPECT_EQ(fitted_slope({1, 2}, {1, 2}), std::nullopt) << "two times are no trend";
  t[4] = std::nan("");
  EXPECT_EQ(fitted_slope(n, t), std::nullopt);
}

// ------------------------------------------------------------------------------------------------ the measurement

TEST(Scaling, MeasuresEveryVariantAndFindsAgreement) {
  ScalingOptions few;
  few.elastic = {1, 3};
  few.times = {1, 2};
  few.states = 2;
  int steps = 0;
  few.after_step = [&] { return ++steps > 0; };
  const Scaling s = measure_scaling(read_robot(robot_path("triglide")), few);
  EXPECT_EQ(steps, 4);
  EXPECT_TRUE(s.agrees());
  EXPECT_EQ(s.elastic.numbers, (std::vector<double>{1, 3}));
  EXPECT_EQ(s.legs.numbers, (std::vector<double>{3, 6}));
  EXPECT_EQ(s.elastic.steps[1].freedoms, 3 + 3 * 3);
  EXPECT_EQ(s.legs.steps[1].legs, 6);
  for (const Growth* g : {&s.elastic, &s.legs})
    for (const Formulation by : all_formulations)
      for (const bool forward : {true, false})
        for (const double t : g->times(by, forward)) EXPECT_GT(t, 0) << name(by);
}

TEST(Scaling, EndsWhenAskedTo) {
  ScalingOptions options;
  options.states = 1;
  options.after_step = [] { return false; };
  const Scaling s = measure_scaling(read_robot(robot_path("five_bar")), options);
  EXPECT_TRUE(s.stopped);
  EXPECT_EQ(s.elastic.steps.size(), 1U);
}

TEST(Scaling, LeavesOutWhatWouldTakeTooLong) {
  ScalingOptions options;
  options.elastic = {1, 200};
  options.times = {};
  options.states = 1;
  const Scaling s = measure_scaling(read_robot(robot_path("hexa")), options);
  EXPECT_EQ(s.elastic.steps.size(), 1U);
  EXPECT_THAT(s.skipped, testing::ElementsAre(testing::StartsWith("200 elastic freedoms per chain left out: 1224")));
}

}  // namespace
}  // namespace gough::scaling_test
