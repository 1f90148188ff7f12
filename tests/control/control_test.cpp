/// Control in discrete time: recursions by hand, laws that are exact where they should be, errors that shrink as models get
/// better.
#include "gough/control/control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <numbers>

#include "decompositions.hpp"
#include "gough/io/motion_file.hpp"
#include "kinematics/states.hpp"

namespace gough::control_test {
namespace {

using std::numbers::pi;
constexpr double period = 5e-4;

/// Half round a level circle of 0.10 m about home, and a line to get there.
Trajectory arc(const Mechanism<double>& m) {
  return parse_motion(
      "motion: c\nsequence:\n  - line: {to: {x: 0.10}, duration: 0.2 s}\n"
      "  - circle: {centre: [0, 0, -0.65], radius: 0.10, turns: 0.5, duration: 0.5 s}\n",
      "arc", m);
}

/// Errors of the actuators at every sample.
MatX<double> track(const Mechanism<double>& plant, const Reference& path, const ControlLaw& law,
                   const SamplingOptions& sampling, const VecX<double>& offset = {}) {
  Workspace<double> w(plant);
  w.q = standing_at(plant, offset.size() > 0 ? path.rows.front().q - offset : path.rows.front().q).q;
  SimulationOptions o;
  o.hold = path.period;
  o.dry = DryFriction::smooth;
  o.integrator.method = Method::rk4;
  o.integrator.fixed_step = path.period / 2;
  std::vector<double> times;
  for (const Reference::Row& row : path.rows) times.push_back(row.state.t);
  MatX<double> error(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(plant.actuator.size()));
  Eigen::Index k = 0;
  const SimulationAnswer answer =
      simulate(plant, w, times, o, sampled(plant, path, law, sampling), [&](const SimulationRow& row) {
        for (std::size_t a = 0; a < plant.actuator.size(); ++a) {
          const auto i = static_cast<Eigen::Index>(a);
          error(k, i) = path.at(row.t).q[i] - row.w.q[position_index(plant, plant.actuator[a])];
        }
        ++k;
        return true;
      });
  EXPECT_TRUE(answer.ok()) << answer.reason;
  return error.topRows(k);
}
double rms(const MatX<double>& x) { return x.norm() / std::sqrt(static_cast<double>(x.size())); }
double largest(const MatX<double>& x) { return x.cwiseAbs().maxCoeff(); }

SamplingOptions at_once() {
  SamplingOptions o;
  o.delay = 0;
  return o;
}

/// A mass on a rail under the cascade, by hand: forces held for a sample, acting `delay` samples late, rates from
/// differences through a low pass, gains from bandwidths.
std::vector<double> mass_by_hand(double mass, const Bandwidths& b, double acceleration, int delay, double corner,
                                 double offset, std::size_t samples) {
  const double wp = 2 * pi * b.position, wv = 2 * pi * b.velocity, T = period;
  double q = -offset, v = 0, integral = 0, last_q = q, seen = 0, last_d = 0, seen_d = 0;
  std::deque<double> queue;
  std::vector<double> error;
  for (std::size_t k = 0; k < samples; ++k) {
    const double t = static_cast<double>(k) * T, d = acceleration * t * t / 2;
    error.push_back(d - q);
    if (k > 0) {
      const double share = corner > 0 ? 1 - std::exp(-2 * pi * corner * T) : 1;
      seen += share * ((q - last_q) / T - seen);
      seen_d += share * ((d - last_d) / T - seen_d);
    }
    last_q = q, last_d = d;
    const double slip = seen_d + wp * (d - q) - seen, forward = mass * acceleration;
    integral += T * mass * wv * wp / 4 * slip;
    const double wanted = mass * wv * slip + integral + forward;
    if (k == 0) queue.assign(static_cast<std::size_t>(delay), 0);  // nothing holds a mass on a level rail
    queue.push_back(wanted);
    const double tau = queue.front();
    queue.pop_front();
    q += T * v + T * T / 2 * tau / mass;
    v += T * tau / mass;
  }
  return error;
}

const std::string rail =
    "robot: rail\nbodies: {cart: {mass: 2 kg}}\njoints: {drive: {type: prismatic, parent: base, child: cart, axis: [1, "
    "0, "
    "0], role: actuated}}\ngravity: [0, 0, 0]\n";

TEST(Sampling, IsTheRecursionByHandForAMass) {
  Mechanism<double> m = built_from(rail);
  m.home = VecX<double>::Zero(1);
  const Bandwidths b{8, 60};
  const double a = 1.5, corner = 400, offset = 1e-3;
  Reference path;
  path.period = period;
  path.resting = VecX<double>::Zero(1);
  for (int k = 0; k <= 400; ++k) {
    const double t = k * period;
    Reference::Row row;
    row.q = VecX<double>::Constant(1, a * t * t / 2), row.v = VecX<double>::Constant(1, a * t);
    row.a = VecX<double>::Constant(1, a), row.tau = VecX<double>::Constant(1, 2 * a);
    row.state.t = t;
    row.state.motion = ActuatorMotion{row.q, row.v, row.a};
    path.rows.push_back(row);
  }
  for (const int delay : {0, 1, 3}) {
    SamplingOptions o;
    o.delay = delay;
    o.velocity_filter = corner;
    const MatX<double> by_simulation =
        track(m, path, computed_force(gains_for(m, b)), o, VecX<double>::Constant(1, offset));
    const std::vector<double> by_hand = mass_by_hand(2, b, a, delay, corner, offset, path.rows.size());
    for (std::size_t k = 0; k < by_hand.size(); ++k)
      ASSERT_NEAR(by_simulation(static_cast<Eigen::Index>(k), 0), by_hand[k], 1e-12) << k << ", delay " << delay;
    EXPECT_LT(std::abs(by_hand.back()), offset) << "the loop is stable";
  }
}

/// With the true model a robot under computed torque errs like masses of one, each for itself.
TEST(ComputedTorque, MakesTheErrorsLinear) {
  const Mechanism<double> m = without_friction(shipped("palida"));
  const Reference path = reference_of(m, arc(m), period);
  const Bandwidths b{5, 40};
  const VecX<double> offset = 1e-4 * VecX<double>::LinSpaced(6, -1, 1);
  const MatX<double> error = track(m, path, computed_torque(m, b), at_once(), offset);
  const std::vector<double> one = mass_by_hand(1, b, 0, 0, 0, 1e-4, path.rows.size());
  for (std::size_t k = 0; k < one.size(); k += 20)
    for (Eigen::Index i = 0; i < 6; ++i)
      EXPECT_NEAR(error(static_cast<Eigen::Index>(k), i), offset[i] / 1e-4 * one[k], 6e-6) << k << " " << i;
}

/// The mass that a drive feels: the kinetic energy of one drive moving alone; the lightest direction has the bandwidth asked.
TEST(Gains, AreThoseOfTheMassAtHome) {
  const Mechanism<double>& m = shipped("palida");
  const JointGains g = gains_for(m, {10, 50});
  Workspace<double> w = placed(m, m.home);
  MasterForm<double> form = make_master_form(m, w, Master::drives);
  MatX<double> M(6, 6);
  for (Eigen::Index i = 0; i < 6; ++i)
    for (Eigen::Index k = 0; k < 6; ++k) {
      const auto energy = [&](double x, double y) {
        w.v.setZero(), w.a.setZero();
        w.v[m.actuator[at(static_cast<int>(i))]] += x, w.v[m.actuator[at(static_cast<int>(k))]] += y;
        motion_from_drives(m, w, form);
        return energy_balance(m, w).kinetic;
      };
      M(i, k) = i == k ? 2 * energy(1, 0) : energy(1, 1) - energy(1, 0) - energy(0, 1);
    }
  for (Eigen::Index i = 0; i < 6; ++i) EXPECT_NEAR(g.mass[i], M(i, i), 1e-9 * M(i, i));
  EXPECT_NEAR(eigenvalues_of(g.velocity.asDiagonal(), M).maxCoeff(), 2 * pi * 50, 1e-6 * 2 * pi * 50);
}

/// With the true model, at once and exactly, the feedforward holds the path, up to the hold of half a sample.
TEST(ComputedForce, FollowsWithTheTrueModel) {
  const Mechanism<double> m = without_friction(shipped("palida"));
  const JointGains g = gains_for(m, {});
  const Reference path = reference_of(m, arc(m), period);
  EXPECT_LT(largest(track(m, path, computed_force(g), at_once())), 3e-5);
  EXPECT_GT(largest(track(m, path, joint_control(g), at_once())), 3e-4);
  const Reference finer = reference_of(m, arc(m), period / 4);
  EXPECT_LT(rms(track(m, finer, computed_force(g), at_once())), 0.5 * rms(track(m, path, computed_force(g), at_once())))
      << "what is left is the sampling's";
}

/// Paper 003, figure 6, with a plant whose base parameters are 5 % and whose friction is 10 % off; and a payload that the
/// model knows, or not.
TEST(ComputedForce, GetsBetterStepByStep) {
  const Mechanism<double>& model = shipped("palida");
  const Mechanism<double> plant = different(model, {true, true}, 0.05, 0.10, 1);
  const JointGains g = gains_for(model, {});
  SamplingOptions sampling;
  sampling.encoder = 1e-6;
  sampling.velocity_filter = 500;
  const Reference full = reference_of(model, arc(model), period),
                  rigid = reference_of(without_friction(model), arc(model), period);
  const double single = rms(track(plant, full, joint_control(g), sampling));
  const double with_rigid = rms(track(plant, rigid, computed_force(g), sampling));
  const double with_friction = rms(track(plant, full, computed_force(g), sampling));
  EXPECT_LT(with_rigid, 0.8 * single);
  EXPECT_LT(with_friction, 0.7 * with_rigid);

  const Mechanism<double> loaded = with_payload(model, 3);
  const double unknown = rms(track(loaded, full, computed_force(g), sampling));
  const double known =
      rms(track(loaded, reference_of(with_payload(model, 3), arc(model), period), computed_force(g), sampling));
  EXPECT_LT(known, 0.5 * unknown);
}

/// Learning without an integral is better than the first guess without one, and the parameters end nearer to the truth.
TEST(Adaptive, LearnsParameters) {
  const Mechanism<double> model = without_friction(shipped("palida"));
  const Mechanism<double> plant = with_payload(model, 3);
  JointGains g = gains_for(model, {});
  const Reference path = reference_of(model, arc(model), period);
  const auto theta = std::make_shared<VecX<double>>();
  const double learning = rms(track(plant, path, adaptive(model, g, {{true, true}, 1}, theta), {}));
  g.integral.setZero();
  const double fixed = rms(track(plant, path, computed_force(g), {}));
  EXPECT_LT(learning, 0.5 * fixed);
  const BaseParameters b = base_parameters(model, {true, true});
  const VecX<double> before = b.combinations() * b.space.value,
                     truth = b.combinations() * parameter_space(plant, {true, true}).value;
  Eigen::Index heaviest = 0;
  (truth - before).cwiseAbs().maxCoeff(&heaviest);
  EXPECT_LT(std::abs((*theta)[heaviest] - truth[heaviest]), std::abs(before[heaviest] - truth[heaviest]));
}

TEST(Sampling, DelaysLimitsAndQuantises) {
  const Mechanism<double>& m = shipped("palida");
  const Reference path = reference_of(m, arc(m), period);
  std::vector<double> seen, clipped;
  int calls = 0;
  const ControlLaw law = [&](const ControlSample& s) -> VecX<double> {
    for (const double x : s.q) EXPECT_NEAR(std::remainder(x, 1e-3), 0, 1e-12);
    EXPECT_DOUBLE_EQ(s.ahead.state.t, (calls + 2) * period);
    clipped.push_back(s.clipped[0]);
    return VecX<double>::Constant(6, s.standing[0] + 100.0 * ++calls);
  };
  SamplingOptions o;
  o.encoder = 1e-3;
  o.delay = 2;
  o.force_rate = 0.5 * 100 / period;
  const double standing = standing_at(m, path.rows.front().q).tau[0];
  o.force = standing + 320;
  const Controller c = sampled(m, path, law, o);
  Workspace<double> w(m);
  for (int k = 0; k < 10; ++k) {
    c(k * period, w);
    const double now = w.tau[0];
    c((k + 0.5) * period, w);  // between samples it is not asked
    EXPECT_EQ(w.tau[0], now);
    seen.push_back(std::round(w.tau[0] - standing));
  }
  EXPECT_EQ(calls, 10);
  // it stood until the first force acts; then half of each step of 100 N, and never more than 320 N
  EXPECT_EQ(seen, (std::vector<double>{0, 0, 50, 100, 150, 200, 250, 300, 320, 320}));
  EXPECT_EQ(clipped, (std::vector<double>{0, 0, 0, 1, 1, 1, 1, 1, 1, 1}));
}

/// A drive at its limit: the integral grows no further, but may go back.
TEST(Laws, IntegralsWaitAtLimits) {
  Mechanism<double> m = built_from(rail);
  m.home = VecX<double>::Zero(1);
  const Reference::Row rest{MotionState{}, VecX<double>::Zero(1), VecX<double>::Zero(1), VecX<double>::Zero(1),
                            VecX<double>::Zero(1)};
  const ControlLaw law = joint_control(gains_for(m, {}));
  const auto force = [&](double error, double clipped) {
    const auto one = [](double x) { return VecX<double>::Constant(1, x); };
    return law({0, period, one(0), one(0), one(error), one(0), rest, one(0), one(0), one(clipped)})[0];
  };
  const double first = force(0.01, 0), second = force(0.01, 0);
  EXPECT_GT(second, first);
  EXPECT_EQ(force(0.01, 1), second);
  EXPECT_EQ(force(0.01, 1), second);
  EXPECT_NEAR(force(-0.01, 1), -first + 2 * (second - first), 1e-9) << "two steps up, one back";
  EXPECT_NEAR(force(0.01, -1), second, 1e-9);
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

/// Between samples as at samples: a parabola is met exactly.
TEST(References, GoOnBetweenSamples) {
  const Mechanism<double>& m = shipped("palida");
  const Reference coarse = reference_of(m, arc(m), 4e-3), fine = reference_of(m, arc(m), 1e-3);
  for (const std::size_t k : {5u, 90u, 301u, 466u}) {
    const Desired d = desired_at(coarse, fine.rows[k].state.t);
    EXPECT_LT((d.q - fine.rows[k].q).cwiseAbs().maxCoeff(), 2e-7);
    EXPECT_LT((fine.rows[k].p - fine.rows[k].state.platform().pose.p).norm(), 1e-10);
    EXPECT_LT((fine.rows[k].pv - fine.rows[k].state.platform().v).norm(), 1e-9);
    EXPECT_LT((d.p - fine.rows[k].p).norm(), 2e-7);
    EXPECT_LT((d.v - fine.rows[k].v).cwiseAbs().maxCoeff(), 2e-4);
  }
  EXPECT_EQ(desired_at(fine, 1e9).q, fine.rows.back().q);
}

/// Two masses on one spring: sqrt(k / m) with the motor held.
TEST(Elastic, FrequencyIsThatOfAMassOnASpring) {
  Mechanism<double> m = built_from(
      "robot: soft\nbodies: {cart: {mass: 2 kg}, load: {mass: 0.5 kg}}\njoints:\n  drive: {type: prismatic, parent: "
      "base, "
      "child: cart, role: actuated}\n  spring: {type: prismatic, parent: cart, child: load, role: elastic, stiffness: "
      "800 "
      "N/m}\n");
  m.home = VecX<double>::Zero(2);
  EXPECT_NEAR(elastic_frequency(m), std::sqrt(800 / 0.5) / (2 * pi), 1e-9);
  EXPECT_EQ(elastic_frequency(shipped("palida")), 0);
}

}  // namespace
}  // namespace gough::control_test
