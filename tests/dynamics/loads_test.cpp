/// Friction functions and springs of balls, on bodies so simple that the force is written down.
#include <gtest/gtest.h>

#include "decompositions.hpp"
#include "dynamics/evaluations.hpp"

namespace gough::loads_test {
namespace {

Mechanism<double> cart(const std::string& friction) {
  return built_from(R"(
robot: cart
gravity: [0, 0, 0]
bodies: {cart: {mass: 2}}
joints: {slide: {type: prismatic, parent: base, child: cart, role: actuated, friction: )" +
                    friction + "}}");
}

/// m a + alpha phi(v) for a cart of 2 kg that accelerates with 3 m/s^2, less the 6 N.
double friction_at(const Mechanism<double>& m, double rate, Formulation f, const CoulombRule& rule = {}) {
  Workspace<double> w(m);
  w.v << rate;
  w.a << 3;
  w.coulomb = rule;
  EXPECT_TRUE(inverse_dynamics(m, w, by(f)).ok());
  return w.tau[0] - 6;
}

TEST(Friction, FollowsItsFunction) {
  for (const Formulation f : all_formulations)
    for (const double v : {-0.81, -0.04, 0.0, 0.04, 0.81}) {
      const double sign = v > 0 ? 1 : v < 0 ? -1 : 0, speed = std::abs(v);
      EXPECT_NEAR(friction_at(cart("{viscous: 0.7}"), v, f), 0.7 * v, 1e-14) << name(f) << v;
      EXPECT_NEAR(friction_at(cart("{coulomb: 0.7}"), v, f), 0.7 * sign, 1e-14) << name(f) << v;
      EXPECT_NEAR(friction_at(cart("{functions: {quadratic: 0.7}}"), v, f), 0.7 * sign * v * v, 1e-14) << name(f) << v;
      EXPECT_NEAR(friction_at(cart("{functions: {cubic: 0.7}}"), v, f), 0.7 * v * v * v, 1e-14) << name(f) << v;
      EXPECT_NEAR(friction_at(cart("{functions: {square_root: 0.7}}"), v, f), 0.7 * sign * std::sqrt(speed), 1e-14)
          << name(f) << v;
    }
}

TEST(Friction, AddsItsTerms) {
  EXPECT_NEAR(friction_at(cart("{viscous: 0.7, coulomb: 0.2}"), -0.5, Formulation::legs), -0.55, 1e-14);
}

TEST(Friction, IsDryOutsideTheDeadBandOnly) {
  const CoulombRule band{0.1, 0};
  for (const Formulation f : all_formulations)
    for (const double v : {-0.2, -0.05, 0.0, 0.05, 0.2}) {
      const double expected = v > 0.1 ? 0.7 : v < -0.1 ? -0.7 : 0.0;
      EXPECT_NEAR(friction_at(cart("{coulomb: 0.7}"), v, f, band), expected, 1e-14) << name(f) << v;
    }
}

TEST(Friction, IsSmoothWhereAsked) {
  const CoulombRule smooth{0, 0.1};
  for (const Formulation f : all_formulations)
    for (const double v : {-0.2, 0.0, 0.075}) {
      const double expected = 0.7 * v / std::sqrt(v * v + 0.01);
      EXPECT_NEAR(friction_at(cart("{coulomb: 0.7}"), v, f, smooth), expected, 1e-14) << name(f) << v;
    }
}

/// A stone on a ball joint of the tree, with a spring on the rotation vector's components.
Mechanism<double> stone(const Vec3<double>& stiffness) {
  Mechanism<double> m = built_from(R"(
robot: stone
gravity: [0, 0, -9.81]
bodies: {stone: {mass: 2, com: [0.1, 0.2, 0.3], inertia: [0.1, 0.2, 0.25]}}
joints: {ball: {type: spherical, parent: base, child: stone, origin: {xyz: [0.1, 0.2, 0.3], rpy: [0.4, 0.5, 0.6]}}}
)");
  for (int i = 0; i < 3; ++i) m.stiffness[at(i)] = stiffness[i];
  return m;
}

/// Its energy is that of gravity and 1/2 sum c_i r_i^2, with r the rotation vector.
double energy_of(const Mechanism<double>& m, const VecX<double>& q) {
  const Workspace<double> w = placed(m, q);
  const Vec3<double> r = newton_euler::rotation_vector_of(m.placement[0].R.transpose() * w.X0[0].R);
  double V = -m.gravity.dot(m.inertia[0].mass * w.X0[0].p + w.X0[0].R * m.inertia[0].first);
  for (int i = 0; i < 3; ++i) V += m.stiffness[at(i)] * r[i] * r[i] / 2;
  return V;
}

/// From rest, M a = -dV/dq; M by the kinetic energy.
VecX<double> falls(const Mechanism<double>& m, const VecX<double>& q) {
  const double h = 1e-3;
  VecX<double> slope(3);
  MatX<double> M(3, 3);
  const auto twice_kinetic = [&](const VecX<double>& v) { return 2 * newton_euler::energies(m, q, v).kinetic; };
  for (int i = 0; i < 3; ++i) {
    const VecX<double> e = VecX<double>::Unit(3, i);
    const auto difference = [&](double t) {
      return (energy_of(m, moved(m, q, e * t)) - energy_of(m, moved(m, q, e * -t))) / (2 * t);
    };
    slope[i] = 1.5 * difference(h) - 0.6 * difference(2 * h) + 0.1 * difference(3 * h);
    for (int k = 0; k < 3; ++k) {
      const VecX<double> other = VecX<double>::Unit(3, k);
      M(i, k) = (twice_kinetic(e + other) - twice_kinetic(e) - twice_kinetic(other)) / 2;
    }
  }
  return shortest_solution(M, -slope);
}

TEST(BallSpring, PullsDownItsEnergy) {
  for (const Vec3<double>& stiffness :
       {Vec3<double>(0, 0, 0), Vec3<double>(5, 5, 5), Vec3<double>(3, 0, 0), Vec3<double>(0, 4, 2)}) {
    const Mechanism<double> m = stone(stiffness);
    for (const double angle : {1e-3, 0.5, 2.0})
      for (const Formulation f : all_formulations) {
        Workspace<double> w(m);
        w.q = moved(m, m.home, angle * Vec3<double>(0.3, -0.5, 0.8));
        ASSERT_TRUE(forward_dynamics(m, w, by(f)).ok());
        EXPECT_LT(error_of(w.a, falls(m, w.q)), 1e-9) << name(f) << ", stiffness " << stiffness.transpose();
      }
  }
}

/// A workspace that has been used gives what a fresh one gives.
TEST(BallSpring, DoesNotRememberWhereItWas) {
  const Mechanism<double> m = stone({3, 0, 0});
  for (const Formulation f : all_formulations) {
    Workspace<double> w(m);
    Dynamics d(m, w, by(f));
    w.q = moved(m, m.home, Vec3<double>(0.3, -0.5, 0.8));
    ASSERT_TRUE(forward_dynamics(m, w, d).ok());
    const VecX<double> first = w.a;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(forward_dynamics(m, w, d).ok());
    EXPECT_EQ(w.a, first) << name(f);
  }
}

}  // namespace
}  // namespace gough::loads_test
