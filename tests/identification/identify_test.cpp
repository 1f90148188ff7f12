/// Parameters from data that the true robot made: within their own deviations, over several seeds, and good for another motion.
#include "gough/identification/identify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "decompositions.hpp"
#include "gough/dynamics/along.hpp"
#include "gough/error.hpp"
#include "gough/identification/excitation.hpp"
#include "gough/identification/sensors.hpp"
#include "kinematics/states.hpp"

namespace gough::identify_test {
namespace {

constexpr double period = 10;

/// What sensors show of a motion of `truth`, every `step` seconds.
Measurement measured(const Mechanism<double>& truth, const Trajectory& motion, double step, const SensorOptions& o) {
  std::vector<KnownState> states;
  for (double t = 0; t < motion.duration - 0.5 * step; t += step)
    states.push_back({sample(motion, t), {}, {}, {}, {}, {}});
  const auto n = static_cast<Eigen::Index>(truth.actuator.size()), rows = static_cast<Eigen::Index>(states.size());
  Measurement d;
  d.name = "data";
  d.q.resize(rows, n), d.tau.resize(rows, n);
  Sensors sensors(truth, o);
  const AlongAnswer answer = inverse_along(truth, states, {}, [&](const AlongRow& row) {
    const std::vector<double> x = sensors.row(row.t, row.w);
    const auto r = static_cast<Eigen::Index>(row.index);
    d.t.push_back(x[0]);
    for (Eigen::Index c = 0; c < n; ++c) {
      d.q(r, c) = x[static_cast<std::size_t>(1 + c)];
      d.tau(r, c) = x[static_cast<std::size_t>(1 + n + c)];
    }
    return true;
  });
  EXPECT_TRUE(answer.ok()) << answer.reason;
  return d;
}

/// A robot whose parameters are off by up to a fifth.
Mechanism<double> wrong(const Mechanism<double>& m, const ParameterOptions& o) {
  const ParameterSpace space = parameter_space(m, o);
  const VecX<double> off = random_vector(space.size(), 5) * 0.2;
  return with_parameters(m, space, space.value + off.cwiseProduct(space.value));
}

struct Case {
  const Mechanism<double>& truth;
  ParameterOptions parameters;
  Trajectory motion;
  VecX<double> theta;  ///< the truth
};

const Case& palida() {
  static const Case c = [] {
    const Mechanism<double>& m = shipped("palida");
    ExcitationOptions o;
    o.parameters = {true, true};
    o.evaluations = 60;
    o.limits.acceleration = 20;
    const BaseParameters b = base_parameters(m, o.parameters);
    return Case{m, o.parameters, excite(m, o).trajectory(m), b.combinations() * b.space.value};
  }();
  return c;
}

/// (estimate - truth)^T C^-1 (estimate - truth) in the estimated parameters.
double distance(const Identification& r, const VecX<double>& truth) {
  const VecX<double> d = r.value - truth, s = r.sigma.cwiseInverse();
  const MatX<double> correlation = s.asDiagonal() * r.covariance * s.asDiagonal();
  const VecX<double> scaled = s.asDiagonal() * d;
  return scaled.dot(shortest_solution(correlation, scaled).col(0));
}

/// Chi-square of 24 freedoms exceeds 62 once in 30 000, stays below 4.7 as rarely; the sum over five seeds is 120 with a
/// deviation of 15.5.
TEST(Identify, FindsTheTruthWithinItsDeviations) {
  const Case& c = palida();
  const Mechanism<double> start = wrong(c.truth, c.parameters);
  double sum = 0;
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U}) {
    IdentifyOptions o;
    o.parameters = c.parameters;
    o.rates.period = period;
    o.keep_all = true;
    const Identification r = identify(start, measured(c.truth, c.motion, 4e-3, {1e-6, 1.0, seed}), std::nullopt, o);
    ASSERT_EQ(r.size(), 24);
    const double chi2 = distance(r, c.theta);
    EXPECT_LT(chi2, 62) << seed;
    EXPECT_GT(chi2, 4.7) << seed;
    sum += chi2;
    for (const double noise : r.noise) EXPECT_NEAR(noise, 1.0, 0.1);
    EXPECT_LT(r.fit.relative(), 0.5 * r.fit.relative_before());
  }
  EXPECT_LT(sum, 120 + 4 * 15.5);
  EXPECT_GT(sum, 120 - 4 * 15.5);
}

/// Rates through the filter have a bias, which data without noise show: what noise adds is within its deviations.
TEST(Identify, KnowsTheBiasOfTheFilter) {
  const Case& c = palida();
  IdentifyOptions o;
  o.parameters = c.parameters;
  o.rates.cutoff = 10;
  o.keep_all = true;
  const Identification clean = identify(c.truth, measured(c.truth, c.motion, 2e-3, {}), std::nullopt, o);
  for (const unsigned seed : {6U, 7U, 8U}) {
    const Identification r = identify(c.truth, measured(c.truth, c.motion, 2e-3, {1e-6, 1.0, seed}), std::nullopt, o);
    EXPECT_LT(distance(r, clean.value), 62) << seed;  // around what the filter makes of the truth
    const double bias = (clean.value - c.theta).cwiseQuotient(r.sigma).cwiseAbs().maxCoeff();
    EXPECT_LT(bias, 2) << seed;
  }
}

TEST(Identify, PredictsAnotherMotion) {
  const Case& c = palida();
  HarmonicPath other;
  other.offset = Vec6<double>(0, 0, -0.65, 0, 0, 0);
  other.terms = {{0, 0.05, 3, 0}, {1, 0.06, 2, 1}, {2, 0.04, 4, 0.5}, {4, 0.1, 2.5, 0}, {5, 0.1, 3.3, 2}};
  const Trajectory second = trajectory_of(Moves::platform, harmonic_piece(other, 6));
  IdentifyOptions o;
  o.parameters = c.parameters;
  o.rates.period = period;
  const Identification r = identify(wrong(c.truth, c.parameters), measured(c.truth, c.motion, 4e-3, {1e-6, 1.0, 1}),
                                    measured(c.truth, second, 2e-3, {}), o);
  ASSERT_TRUE(r.validation.has_value());
  EXPECT_LT(r.validation->relative(), 0.01);
  EXPECT_GT(r.validation->relative_before(), 0.05);
}

TEST(Identify, GivesOutliersLittleWeight) {
  const Case& c = palida();
  Measurement d = measured(c.truth, c.motion, 4e-3, {1e-6, 1.0, 9});
  for (Eigen::Index r = 0; r < d.rows(); r += 25) d.tau(r, 1) += 300;
  IdentifyOptions o;
  o.parameters = c.parameters;
  o.rates.period = period;
  o.keep_all = true;
  o.robust = true;
  const Identification r = identify(c.truth, d, std::nullopt, o);
  EXPECT_GE(r.outliers, static_cast<std::size_t>(d.rows() / 25 - 10));
  EXPECT_LT(distance(r, c.theta), 62);
  o.robust = false;
  const Identification plain = identify(c.truth, d, std::nullopt, o);
  EXPECT_GT(plain.noise[1], 20);
}

/// What drowns in the noise stays at the file's value, and the rest keeps its deviations.
TEST(Identify, LeavesInsignificantParametersAlone) {
  const Case& c = palida();
  IdentifyOptions o;
  o.parameters = c.parameters;
  o.rates.period = period;
  const Identification r = identify(c.truth, measured(c.truth, c.motion, 4e-3, {1e-6, 20.0, 2}), std::nullopt, o);
  EXPECT_GT(std::count(r.insignificant.begin(), r.insignificant.end(), true), 0);
  for (Eigen::Index i = 0; i < r.size(); ++i)
    if (r.insignificant[at(static_cast<int>(i))]) {
      EXPECT_EQ(r.value[i], r.file[i]) << r.name[at(static_cast<int>(i))];
      EXPECT_EQ(r.sigma[i], 0);
    } else {
      EXPECT_GE(std::abs(r.value[i]), 2.6 * r.sigma[i]) << r.name[at(static_cast<int>(i))];
    }
}

/// A file without friction does not hold back what data show, neither in the estimates nor in the robot that is written; nor
/// does one whose value is far from what they show, even where they show nothing.
TEST(Identify, IsNotHeldBackByTheFile) {
  const Case& c = palida();
  Mechanism<double> truth = c.truth, start = c.truth;
  std::fill(start.coefficient.begin(), start.coefficient.end(), 0.0);
  truth.coefficient[1] = 0;
  start.coefficient[1] = 12;
  IdentifyOptions o;
  o.parameters = c.parameters;
  o.rates.period = period;
  const Identification r = identify(start, measured(truth, c.motion, 0.004, {1e-6, 1, 7}), std::nullopt, o);
  const VecX<double> written = r.base.combinations() * r.full;
  for (std::size_t i = 0; i < truth.coefficient.size(); ++i) {
    const auto k = r.base.rank() + static_cast<Eigen::Index>(i);
    EXPECT_TRUE(r.estimated[static_cast<std::size_t>(k)] || truth.coefficient[i] == 0)
        << r.name[static_cast<std::size_t>(k)];
    EXPECT_NEAR(r.value[k], truth.coefficient[i], 5 * r.sigma[k] + 1e-9) << r.name[static_cast<std::size_t>(k)];
    EXPECT_NEAR(written[k], std::max(0.0, r.value[k]), 0.5 * r.sigma[k] + 1e-6) << r.name[static_cast<std::size_t>(k)];
  }
  EXPECT_TRUE(r.estimated[static_cast<std::size_t>(r.base.rank() + 1)]) << "12 N of the file are not what data show";
}

TEST(Identify, RefusesElasticJoints) {
  const Mechanism<double>& m = shipped("elastic_five_bar");
  Measurement d;
  d.name = "data";
  try {
    identify(m, d, std::nullopt, {});
    FAIL();
  } catch (const Error& e) { EXPECT_THAT(e.what(), testing::HasSubstr("elastic joints")); }
}

/// Redundant actuators, whose measured positions contradict each other by their encoders' steps.
TEST(Identify, TakesRedundantActuators) {
  const Mechanism<double>& m = shipped("redundant_five_bar");
  HarmonicPath path;
  path.offset = Vec6<double>::Zero();
  path.offset.y() = 0.4;
  path.terms = {{0, 0.08, 2, 0.3}, {0, 0.03, 6, 0}, {1, 0.05, 4, 1}, {1, 0.02, 8, 2}};
  const Trajectory motion = trajectory_of(Moves::platform, harmonic_piece(path, std::numbers::pi));
  IdentifyOptions o;
  o.rates.period = std::numbers::pi;
  o.keep_all = true;
  double sum = 0;
  const int seeds = 8;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const Identification r = identify(m, measured(m, motion, 2e-3, {1e-7, 1e-3, seed}), std::nullopt, o);
    ASSERT_EQ(r.size(), 11);
    sum += distance(r, r.file);
    for (const double noise : r.noise) EXPECT_NEAR(noise, 1e-3, 1e-4) << "that of each actuator (I5b)";
  }
  EXPECT_LT(sum, seeds * 11 + 4 * std::sqrt(2.0 * 11 * seeds));
  EXPECT_GT(sum, seeds * 11 - 4 * std::sqrt(2.0 * 11 * seeds));
}

/// What becomes of the validation does not touch the estimate.
TEST(Identify, KeepsTheEstimateWhenValidationFails) {
  const Case& c = palida();
  const Measurement d = measured(c.truth, c.motion, 1e-2, {1e-6, 1.0, 1});
  IdentifyOptions o;
  o.parameters = c.parameters;
  o.rates.period = period;
  const VecX<double> alone = identify(c.truth, d, std::nullopt, o).full;
  Measurement bad = d;
  bad.name = "second";
  bad.q(7, 2) = 5;  // metres: no such leg
  const Identification broken = identify(c.truth, d, bad, o);
  EXPECT_EQ(broken.full, alone);
  EXPECT_FALSE(broken.validation || broken.stopped);
  EXPECT_THAT(broken.validation_problem, testing::HasSubstr("second"));
  Eigen::Index rows = 0;
  o.after_row = [&] { return ++rows < d.rows() + 10; };
  const Identification stopped = identify(c.truth, d, d, o);
  EXPECT_EQ(stopped.full, alone);
  EXPECT_TRUE(stopped.stopped && !stopped.validation);
  rows = d.rows();
  EXPECT_TRUE(identify(c.truth, d, d, o).stopped);
  EXPECT_EQ(identify(c.truth, d, d, o).full.size(), 0);
}

TEST(Identify, RefusesFrictionOfARobotWithout) {
  IdentifyOptions o;
  o.what = Identified::friction;
  try {
    identify(shipped("five_bar"), {}, std::nullopt, o);
    FAIL();
  } catch (const Error& e) { EXPECT_THAT(e.what(), testing::HasSubstr("without friction coefficients")); }
}

// ------------------------------------------------------------------------------------------------ bodies

TEST(Existence, OfTheFileIsKept) {
  const Case& c = palida();
  const BaseParameters b = base_parameters(c.truth, c.parameters);
  const MatX<double> A = MatX<double>::Identity(24, 24) * 1e6;
  const VecX<double> p = existing_parameters(c.truth, b, c.theta, A);
  EXPECT_LT((b.combinations() * p - c.theta).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT(least_existence(c.truth, b.space, p), 0);
}

/// A platform lighter than nothing: the nearest bodies that exist are at the border.
TEST(Existence, IsRestored) {
  const Case& c = palida();
  const BaseParameters b = base_parameters(c.truth, c.parameters);
  VecX<double> impossible = c.theta;
  for (int i = 0; i < b.rank(); ++i)
    if (b.base[at(i)].name == "sz_platform") impossible[i] = 10;  // of 17.7 kg and 0.13 kg m^2: outside itself
  const MatX<double> A = MatX<double>::Identity(24, 24) * 1e6;
  const VecX<double> p = existing_parameters(c.truth, b, impossible, A);
  EXPECT_GE(least_existence(c.truth, b.space, p), 0);
  EXPECT_GT((b.combinations() * p - impossible).norm(), 1);
  EXPECT_GE(p.tail(14).minCoeff(), 0);
}

/// A thin rod along x whose Ixx is declared to be nothing: no value of the others has room about it.
TEST(Existence, RefusesSymmetriesOfNoBody) {
  const Mechanism<double> m =
      prepared_from(with(robot_text("five_bar"), "rod: [0.25, 0, 0]}", "rod: [0.25, 0, 0], symmetric: [Iyy, Izz, sx]}"))
          .mechanism;
  const BaseParameters b = base_parameters(m, {false, true});
  const VecX<double> theta = b.combinations() * b.space.value;
  try {
    existing_parameters(m, b, theta, MatX<double>::Identity(theta.size(), theta.size()));
    FAIL();
  } catch (const Error& e) { EXPECT_THAT(e.what(), testing::HasSubstr("name all three of Ixx, Iyy and Izz")); }
}

}  // namespace
}  // namespace gough::identify_test
