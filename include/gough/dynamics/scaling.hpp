#pragma once
/// What the formulations cost as a robot grows: more elastic freedoms in each chain, more legs (model/variants.hpp).
///                                                                                        docs/theory/dynamics.md
/// Beside the measured times stand the counts of paper 000, section 5.2, for the inversion of the mass matrix alone:
///   chain by chain (scdd)      n_a (1 + n_pk + n_ek)^3                                                      (S6)
///   as one (L-D'A, dalembert)  (n_a + n_a n_ek)^3                                                           (S7)
#include <array>
#include <functional>

#include "gough/dynamics/compare.hpp"

namespace gough {

/// Actuators, and passive and elastic coordinates of a chain (of the largest, where they differ).
struct ChainCounts {
  int n_a = 0, n_pk = 0, n_ek = 0;

  double scdd() const;       ///< (S6)
  double dalembert() const;  ///< (S7)
  /// What the first saves of the second, as a share; negative where it costs more.
  double reduction() const { return 1 - scdd() / dalembert(); }
};
ChainCounts chain_counts(const Structure& m);

/// A row of Table 1 of paper 000, as printed.
struct PrintedComplexity {
  std::string_view robot;
  ChainCounts counts;
  int scdd, dalembert, reduction;  ///< the last in percent

  /// The numbers that (S6) and (S7) give for the printed counts.
  bool follows() const { return counts.scdd() == scdd && counts.dalembert() == dalembert; }
};
inline constexpr std::array<PrintedComplexity, 3> printed_complexities = {{
    {"Five-Bar", {2, 1, 1}, 54, 64, 16},
    {"HEXA", {6, 2, 1}, 384, 1728, 78},
    {"Triglide", {3, 2, 1}, 162, 729, 78},
}};

/// One variant of the robot, measured.
struct ScalingStep {
  int legs = 0;  ///< chains between base and platform
  ChainCounts counts;
  int coordinates = 0, freedoms = 0;
  Comparison compared;
};

/// t ~ n^slope, by least squares of the logarithms over the upper half of the steps (at least three); none where a
/// time is missing.
std::optional<double> fitted_slope(const std::vector<double>& n, const std::vector<double>& t);

/// A row of variants along which one number grows.
struct Growth {
  std::vector<ScalingStep> steps;
  std::vector<double> numbers;  ///< what grows: elastic freedoms per chain, or legs

  /// Times of a formulation at each step [us]; NaN where there is none.
  std::vector<double> times(Formulation by, bool forward) const;
  std::optional<double> slope(Formulation by, bool forward) const { return fitted_slope(numbers, times(by, forward)); }
};

struct Scaling {
  std::string robot;
  Growth elastic;  ///< elastic freedoms per chain
  Growth legs;     ///< legs with `in_legs` elastic freedoms each; empty where there is no template to repeat
  int in_legs = 1;
  std::string no_legs;               ///< why that is so
  std::vector<std::string> skipped;  ///< variants that were left out, and why
  bool stopped = false;              ///< by the caller

  bool agrees() const;
};

/// Variants with more velocity coordinates are left out: formulations with one mass matrix would take seconds.
inline constexpr int most_scaled_coordinates = 500;

/// The robot with n elastic freedoms in each chain.
using ElasticVariant = std::function<RobotDescription(const RobotDescription& robot, int n)>;

struct ScalingOptions {
  std::vector<int> elastic = {1, 2, 4, 8, 16, 32};
  std::vector<int> times = {1, 2, 4, 8};  ///< how often the legs are placed
  int states = 3;                         ///< that formulations are compared on, home and others near it
  ElasticVariant variant;                 ///< none: with_elastic_chains (model/variants.hpp)
  int in_legs = 1;                        ///< elastic freedoms of each leg where legs grow
  /// Called after each of elastic.size() + times.size() variants; false ends the work there.
  std::function<bool()> after_step = [] { return true; };
};

/// Throws Error where there are no chains to split. Measures with the steady clock: run it on a quiet machine.
Scaling measure_scaling(const RobotDescription& robot, const ScalingOptions& options = {});

}  // namespace gough
