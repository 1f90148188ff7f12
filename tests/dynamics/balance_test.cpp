/// Balances of energy and momentum along the motion that forward dynamics give.
#include <gtest/gtest.h>

#include "dynamics/evaluations.hpp"

namespace gough::balance_test {
namespace {

using newton_euler::Load;

EnergyBalance balance_at(const Mechanism<double>& m, const Workspace<double>& at, const VecX<double>& q,
                         const VecX<double>& v) {
  Workspace<double> w = at;
  w.q = q;
  w.v = v;
  return energy_balance(m, w);
}

using Vec8 = Eigen::Matrix<double, 8, 1>;
/// Kinetic and potential energy, moment of momentum, momentum.
Vec8 stored(const EnergyBalance& e) {
  Vec8 x;
  x << e.kinetic, e.potential, e.moment_of_momentum, e.momentum;
  return x;
}

/// Their rates along w.v, w.a, by differences of the sixth order.
Vec8 rates_of_stored(const Mechanism<double>& m, const Workspace<double>& w) {
  const double h = 2e-3;
  const auto slope = [&](int k) -> Vec8 {
    const double t = k * h;
    const Vec8 after = stored(balance_at(m, w, moved(m, w.q, w.v * t), w.v + w.a * t));
    const Vec8 before = stored(balance_at(m, w, moved(m, w.q, w.v * -t), w.v - w.a * t));
    return (after - before) / (2 * t);
  };
  return 1.5 * slope(1) - 0.6 * slope(2) + 0.1 * slope(3);
}

/// tau . q'_a = T' + V' + losses - external power                                                             (W3)
void expect_energy_balance(const EnergyBalance& now, const Vec8& rate) {
  const double in = now.actuators + now.external, out = now.losses;
  const double size = std::abs(now.actuators) + std::abs(now.external) + out + std::abs(rate[0]) + std::abs(rate[1]) +
                      now.kinetic + std::abs(now.potential);
  EXPECT_LT(std::abs(in - out - rate[0] - rate[1]) / size, 1e-9);  // springs of 5e6 N/m: differences lose 1e-10
}

/// d/dt momentum = gravity + external wrenches - what the mechanism does to the base.
void expect_momentum_balance(const Mechanism<double>& m, const Workspace<double>& w, const Load& load,
                             const Force<double>& on_base, const Vec8& now, const Vec8& rate) {
  Force<double> sum = on_base * -1.0;
  double size = on_base.moment.norm() + on_base.force.norm() + now.tail<6>().norm() + rate.tail<6>().norm();
  for (const newton_euler::External& e : load.external) sum += e.wrench;
  for (std::size_t j = 0; j < m.inertia.size(); ++j) {
    const Vec3<double> weight = m.inertia[j].mass * m.gravity;
    const Vec3<double> moment = w.X0[j].p.cross(weight) + (w.X0[j].R * m.inertia[j].first).cross(m.gravity);
    sum += Force<double>{moment, weight};
    size += moment.norm() + weight.norm();
  }
  EXPECT_LT((rate.segment<3>(2) - sum.moment).norm() / size, 1e-10);
  EXPECT_LT((rate.tail<3>() - sum.force).norm() / size, 1e-10);
}

void expect_balances(const Mechanism<double>& m, unsigned seed) {
  const ClosedState s = closed_state(m, seed);
  const Load load = random_load(m, seed);
  for (const Formulation f : all_formulations) {
    SCOPED_TRACE(name(f));
    Workspace<double> w = set_up(m, s, load);
    Dynamics d(m, w, by(f));
    ASSERT_TRUE(forward_dynamics(m, w, d).ok());
    const Reactions r = reactions(m, w, d);
    const EnergyBalance now = balance_at(m, w, w.q, w.v);
    const Vec8 rate = rates_of_stored(m, w);
    expect_energy_balance(now, rate);
    expect_momentum_balance(m, w, load, r.on_base, stored(now), rate);
  }
}

class Balance : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Dynamics, Balance, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(Balance, OfEnergyAndMomentumAsShipped) {
  for (unsigned seed = 1; seed <= 2; ++seed) expect_balances(m, seed);
}

TEST_P(Balance, OfEnergyAndMomentumWithEveryForce) {
  for (unsigned seed = 1; seed <= 2; ++seed) expect_balances(with_everything(m, seed), seed);
}

/// The library's energies are sums over bodies in their own frames, the witness's in the base's.
TEST_P(Balance, HasNewtonsEnergies) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const Mechanism<double> loaded = with_everything(m, seed);
    const ClosedState s = closed_state(loaded, seed);
    const Load load = random_load(loaded, seed);
    Workspace<double> w = set_up(loaded, s, load);
    const EnergyBalance e = energy_balance(loaded, w);
    const newton_euler::Energies expected = newton_euler::energies(loaded, s.q, s.v);
    const double size = expected.kinetic + std::abs(expected.potential) + expected.dissipated;
    EXPECT_NEAR(e.kinetic, expected.kinetic, 1e-12 * size);
    EXPECT_NEAR(e.potential, expected.potential, 1e-11 * size);
    EXPECT_NEAR(e.losses, expected.dissipated, 1e-11 * size);
    EXPECT_NEAR(e.external, newton_euler::external_power(loaded, s.q, s.v, load.external), 1e-10);
    EXPECT_NEAR(e.actuators, newton_euler::actuator_power(loaded, s.v, load.tau), 1e-10);
    EXPECT_LT((e.momentum - expected.momentum.force).norm(), 1e-12 * (1 + expected.momentum.force.norm()));
    EXPECT_LT((e.moment_of_momentum - expected.momentum.moment).norm(), 1e-12 * (1 + expected.momentum.moment.norm()));
  }
}

}  // namespace
}  // namespace gough::balance_test
