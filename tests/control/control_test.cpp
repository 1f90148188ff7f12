/// Control in discrete time: laws that are exact where they should be, errors that shrink as models get better.
#include "gough/control/control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gough/io/motion_file.hpp"
#include "kinematics/states.hpp"

namespace gough {
namespace {

constexpr double period = 5e-4;

/// Once round an inclined circle of 0.10 m about home, from rest to rest in a second.
Trajectory circle(const Mechanism<double>& m) {
  return parse_motion(
      "motion: c\nsequence:\n  - line: {to: {x: 0.10}, duration: 0.3 s}\n"
      "  - circle: {centre: [0, 0, -0.65], radius: 0.10, duration: 0.8 s}\n",
      "circle", m);
}

struct Tracked {
  double rms = 0, largest = 0;  ///< of the actuators' errors [m]
  bool ok = false;
};

Tracked track(const Mechanism<double>& plant, const Reference& path, const ControlLaw& law, const SamplingOptions& sampling) {
  Workspace<double> w(plant);
  EXPECT_TRUE(forward_kinematics(plant, path.rows.front().q, w).ok());
  SimulationOptions o;
  o.hold = path.period;
  std::vector<double> times;
  for (std::size_t k = 0; k < path.rows.size(); k += 4) times.push_back(path.rows[k].state.t);
  Tracked t;
  double sum = 0;
  std::size_t n = 0;
  const SimulationAnswer answer =
      simulate(plant, w, times, o, sampled(plant, path, law, sampling), [&](const SimulationRow& row) {
        const Reference::Row& desired = path.at(row.t);
        for (std::size_t a = 0; a < plant.actuator.size(); ++a) {
          const double e =
              desired.q[static_cast<Eigen::Index>(a)] - row.w.q[position_index(plant, plant.actuator[a])];
          sum += e * e;
          ++n;
          t.largest = std::max(t.largest, std::abs(e));
        }
        return true;
      });
  t.ok = answer.ok();
  EXPECT_TRUE(t.ok) << answer.reason;
  t.rms = std::sqrt(sum / static_cast<double>(n));
  return t;
}

/// What a drive feels: the diagonal of the mass matrix, which accelerations of one drive show.
TEST(Gains, AreThoseOfTheMassAtHome) {
  const Mechanism<double>& m = shipped("palida");
  const JointGains g = gains_for(m, {10, 50});
  for (Eigen::Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(g.mass[i], g.mass[0], 1e-9 * g.mass[0]) << "six equal legs in a symmetric home";
    EXPECT_NEAR(g.velocity[i] / g.mass[i], 2 * std::numbers::pi * 50, 1e-9);
  }
  EXPECT_GT(g.mass[0], 2.2) << "more than the slider alone";
}

/// With the true model, no delay and no quantisation the feedforward alone holds the path, up to the hold of half a sample.
TEST(Control, FollowsWithTheTrueModel) {
  const Mechanism<double> m = without_friction(shipped("palida"));
  const JointGains g = gains_for(m, {10, 50});
  const Reference path = reference_of(m, circle(m), period);
  SamplingOptions ideal;
  ideal.delay = 0;
  EXPECT_LT(track(m, path, computed_force(g), ideal).largest, 2e-5);
  EXPECT_LT(track(m, path, computed_torque(m, {10, 50}), ideal).largest, 2e-5);
  EXPECT_GT(track(m, path, joint_control(g), ideal).largest, 1e-4);
}

/// Paper 003, figure 6, with a plant whose base parameters are 5 % and whose friction is 10 % off.
TEST(Control, GetsBetterStepByStep) {
  const Mechanism<double>& model = shipped("palida");
  const Mechanism<double> plant = different(model, {true, true}, 0.05, 0.10, 1);
  const JointGains g = gains_for(model, {10, 50});
  SamplingOptions sampling;
  sampling.encoder = 1e-6;
  sampling.velocity_filter = 300;
  const Reference full = reference_of(model, circle(model), period),
                  rigid = reference_of(without_friction(model), circle(model), period);
  const double single = track(plant, full, joint_control(g), sampling).rms;
  const double with_rigid = track(plant, rigid, computed_force(g), sampling).rms;
  const double with_friction = track(plant, full, computed_force(g), sampling).rms;
  EXPECT_LT(with_rigid, 0.8 * single);
  EXPECT_LT(with_friction, 0.6 * with_rigid);
}

TEST(Control, LearnsParameters) {
  const Mechanism<double> model = without_friction(shipped("palida"));
  const Mechanism<double> plant = different(model, {true, true}, 0.1, 0, 2);
  JointGains g = gains_for(model, {10, 50});
  const Reference path = reference_of(model, circle(model), period);
  const Tracked learning = track(plant, path, adaptive(model, g, {{true, true}, 1}), {});
  g.integral.setZero();
  const Tracked fixed = track(plant, path, computed_force(g), {});
  EXPECT_LT(learning.rms, fixed.rms);
}

TEST(Sampling, DelaysLimitsAndQuantises) {
  const Mechanism<double>& m = shipped("palida");
  const Reference path = reference_of(m, circle(m), period);
  std::vector<double> seen;
  int calls = 0;
  const ControlLaw law = [&](const ControlSample& s) -> VecX<double> {
    for (const double x : s.q) EXPECT_NEAR(std::remainder(x, 1e-3), 0, 1e-12);
    return VecX<double>::Constant(6, 100.0 * ++calls);
  };
  SamplingOptions o;
  o.encoder = 1e-3;
  o.delay = 2;
  o.force = 350;
  o.force_rate = 0.5 * 100 / period;
  const Controller c = sampled(m, path, law, o);
  Workspace<double> w(m);
  for (int k = 0; k < 8; ++k) {
    c(k * period, w);
    seen.push_back(w.tau[0]);
  }
  // the first wish fills the delay; then half of each step of 100 N, and never more than 350 N
  EXPECT_DOUBLE_EQ(seen[0], 100);
  EXPECT_DOUBLE_EQ(seen[1], 100);
  EXPECT_DOUBLE_EQ(seen[2], 100);
  EXPECT_DOUBLE_EQ(seen[3], 150);
  EXPECT_DOUBLE_EQ(seen[7], 350);
}

TEST(Plants, DifferByTheSharesAsked) {
  const Mechanism<double>& m = shipped("palida");
  const BaseParameters b = base_parameters(m, {true, true});
  const Mechanism<double> other = different(m, {true, true}, 0.05, 0.1, 3);
  const VecX<double> theta = b.combinations() * b.space.value,
                     off = b.combinations() * parameter_space(other, {true, true}).value;
  for (Eigen::Index i = 0; i < theta.size(); ++i)
    EXPECT_NEAR(std::abs(off[i] / theta[i] - 1), i < b.rank() ? 0.05 : 0.1, 1e-9);
}

}  // namespace
}  // namespace gough
