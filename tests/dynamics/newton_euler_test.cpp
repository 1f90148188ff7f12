/// The witness on trial: closed forms, balances of energy and momentum, and rates that agree with the kinematics, before
/// anything is tested against it.
#include "dynamics/newton_euler.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "dynamics/loaded_robots.hpp"

namespace gough::newton_euler_test {
namespace {

using newton_euler::energies;
using newton_euler::External;
using newton_euler::Forward;
using newton_euler::forward;
using newton_euler::FreeBodies;
using newton_euler::Inverse;
using newton_euler::inverse;
using newton_euler::Load;

VecX<double> vector_of(std::initializer_list<double> x) {
  return Eigen::Map<const VecX<double>>(x.begin(), static_cast<Eigen::Index>(x.size()));
}

// ------------------------------------------------------------------------------------------------ closed forms

/// About the pivot I = 0.3 + 2 0.4^2 = 0.62; the pivot carries m (a_c - g).
TEST(NewtonEuler, PhysicalPendulum) {
  const Mechanism<double> m = built_from(R"(
robot: pendulum
gravity: [0, -9.81, 0]
bodies: {bob: {mass: 2, com: [0.4, 0, 0], inertia: [0.1, 0.2, 0.3]}}
joints:
  swing: {type: revolute, parent: base, child: bob, role: actuated, damping: 0.5}
)");
  const double angle = 0.7, rate = 1.5, tau = 3, I = 0.62;
  const Forward f = forward(m, vector_of({angle}), vector_of({rate}), {vector_of({tau}), {}});
  const double acceleration = (tau - 0.5 * rate - 2 * 9.81 * 0.4 * std::cos(angle)) / I;
  EXPECT_NEAR(f.a[0], acceleration, 1e-13);
  EXPECT_TRUE(f.unique);
  EXPECT_TRUE(f.reactions_unique());
  const Vec3<double> out(std::cos(angle), std::sin(angle), 0), along(-out.y(), out.x(), 0);
  const Vec3<double> pivot = 2 * (0.4 * (acceleration * along - rate * rate * out) + Vec3<double>(0, 9.81, 0));
  EXPECT_LT((f.reaction[0].force - pivot).norm(), 1e-12);
  EXPECT_LT(f.reaction[0].moment.norm(), 1e-12);
  EXPECT_NEAR(f.transmitted[0].moment.z(), tau - 0.5 * rate, 1e-12);
}

/// One mass on a slide with every force there is on a coordinate.
TEST(NewtonEuler, EveryForceOnASlide) {
  const Mechanism<double> m = built_from(R"(
robot: slide
gravity: [0, 0, -10]
bodies: {cart: {mass: 2}}
joints:
  slide: {type: prismatic, parent: base, child: cart, role: actuated, stiffness: 30, rest: 0.1, damping: 4, rotor: 1e-4, screw: 20 mm, friction: {coulomb: 1.5, viscous: 0.5}}
springs:
  across: {between: [base, cart], from: [0.3, 0, 0], to: [0, 0, 0], stiffness: 20, damping: 2, length: 0.2}
)");
  const double z = 0.4, rate = -0.5, tau = 7, push = 3;
  const double u = 2 * std::numbers::pi / 0.02, effective = 2 + 1e-4 * u * u;
  const double length = 0.5, pull = 20 * (length - 0.2) + 2 * rate * z / length;  // 3-4-5 triangle
  const double force = tau + push - 2 * 10 - 30 * (z - 0.1) - 4 * rate - 0.5 * rate + 1.5 - pull * z / length;
  const Load load{vector_of({tau}), {External{0, {{0.2, 0.1, 0.3}, {1, 2, push}}}}};
  const Forward f = forward(m, vector_of({z}), vector_of({rate}), load);
  EXPECT_NEAR(f.a[0], force / effective, 1e-12);
  const auto e = energies(m, vector_of({z}), vector_of({rate}));
  EXPECT_NEAR(e.kinetic, effective * rate * rate / 2, 1e-13);
  EXPECT_NEAR(e.potential, 2 * 10 * z + 15 * 0.3 * 0.3 + 10 * 0.3 * 0.3, 1e-13);
  EXPECT_NEAR(e.dissipated, 4.5 * 0.25 + 1.5 * 0.5 + 2 * std::pow(rate * z / length, 2), 1e-13);
}

/// Without moments a free body keeps its moment of momentum: I w' = -w x I w in its own axes.
TEST(NewtonEuler, FreeBodyFollowsEuler) {
  const Mechanism<double> m = built_from(R"(
robot: thrown
bodies: {stone: {mass: 2, inertia: [0.1, 0.2, 0.3]}}
joints: {fly: {type: free, parent: base, child: stone, origin: {rpy: [0.1, 0.2, 0.3]}}}
)");
  const VecX<double> q = moved(m, m.home, vector_of({1, 2, 3, 0.4, 0.5, 0.6}));
  const Forward f = forward(m, q, vector_of({1, 2, 3, 4, 5, 6}), {VecX<double>(0), {}});
  EXPECT_LT(
      (f.a.tail<3>() - vector_of({-(0.3 - 0.2) * 30 / 0.1, -(0.1 - 0.3) * 24 / 0.2, -(0.2 - 0.1) * 20 / 0.3})).norm(),
      1e-12);
  EXPECT_LT((f.body[0].origin - Vec3<double>(0, 0, -9.81)).norm(), 1e-12);
}

/// (1 + 3 0.5) 9.81 / 3 on each of three equal slides.
TEST(NewtonEuler, Psp3CarriesItsWeight) {
  const Mechanism<double>& m = shipped("psp3");
  const VecX<double> rest = VecX<double>::Zero(m.nv);
  const Inverse i = inverse(m, m.home, rest, rest);
  EXPECT_TRUE(i.unique);
  EXPECT_LT((i.tau - VecX<double>::Constant(3, 8.175)).norm(), 1e-11);
}

/// Height of the centres of mass times weight of the four-bar, by the triangle of coupler, rocker and diagonal.
double four_bar_potential(double crank) {
  const Eigen::Vector2d knee(0.1 * std::cos(crank), 0.1 * std::sin(crank)), pivot(0.25, 0);
  const double d = (pivot - knee).norm(), t = (0.25 * 0.25 - 0.2 * 0.2 + d * d) / (2 * d);
  const Eigen::Vector2d along = (pivot - knee) / d, up(-along.y(), along.x());
  const Eigen::Vector2d close = knee + t * along + std::sqrt(0.25 * 0.25 - t * t) * up;
  return 9.81 * (0.1 * knee.y() / 2 + 0.25 * (knee.y() + close.y()) / 2 + 0.2 * close.y() / 2);
}

TEST(NewtonEuler, FourBarAtRestByVirtualWork) {
  const Mechanism<double>& m = shipped("four_bar");
  const VecX<double> rest = VecX<double>::Zero(m.nv);
  const double h = 1e-3, at60 = std::numbers::pi / 3;
  const auto slope = [&](double step) {
    return (four_bar_potential(at60 + step) - four_bar_potential(at60 - step)) / (2 * step);
  };
  const Inverse i = inverse(m, m.home, rest, rest);
  EXPECT_NEAR(i.tau[0], (4 * slope(h) - slope(2 * h)) / 3, 1e-10);  // error h^4
  EXPECT_TRUE(i.unique);
}

TEST(NewtonEuler, ReactionsAreUniqueUnlessRedundant) {
  const auto at_rest = [](const std::string& name) {
    const Mechanism<double>& m = shipped(name);
    return forward(m, m.home, VecX<double>::Zero(m.nv), random_load(m, 1));
  };
  for (const std::string name : {"pendulum", "hexapod", "hexa", "psp3"})
    EXPECT_TRUE(at_rest(name).reactions_unique()) << name;
  for (const std::string name : {"four_bar", "five_bar", "rrr3", "bricard"})  // planar, or overconstrained
    EXPECT_FALSE(at_rest(name).reactions_unique()) << name;
}

TEST(NewtonEuler, DrivesAreUniqueUnlessRedundant) {
  for (const std::string& name : shipped_robots()) {
    const Mechanism<double>& m = shipped(name);
    const ClosedState s = closed_state(m, 1);
    EXPECT_EQ(inverse(m, s.q, s.v, s.a).unique, name != "redundant_five_bar") << name;
  }
}

/// Two drives cannot give any acceleration to four freedoms; to two they can.
TEST(NewtonEuler, TheResidualTellsWhatDrivesCannotDo) {
  const auto residual = [](const std::string& name) {
    const Mechanism<double>& m = shipped(name);
    const ClosedState s = closed_state(m, 1);
    return inverse(m, s.q, s.v, s.a).residual;
  };
  EXPECT_GT(residual("elastic_five_bar"), 0.1);
  EXPECT_LT(residual("five_bar"), 1e-12);
}

// ------------------------------------------------------------------------------------------------ every robot

/// The derivative at t = 0 of a function of q(t), v(t), to the sixth order.
template <class F>
auto rate_of(const Mechanism<double>& m, const ClosedState& s, const VecX<double>& a, const F& f) {
  const double h = 2e-3;
  const auto slope = [&](int k) {
    const double t = k * h;
    return ((f(moved(m, s.q, s.v * t), s.v + a * t) - f(moved(m, s.q, s.v * -t), s.v - a * t)) / (2 * t)).eval();
  };
  return (1.5 * slope(1) - 0.6 * slope(2) + 0.1 * slope(3)).eval();
}

VecX<double> energy(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v) {
  const auto e = energies(m, q, v);
  return vector_of({e.kinetic, e.potential});
}
VecX<double> momentum(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v) {
  const Force<double> p = energies(m, q, v).momentum;
  VecX<double> six(6);
  six << p.moment, p.force;
  return six;
}

/// Rates and accelerations of all coordinates are the library's, and constraints are kept.
void expect_the_same_motion(const Mechanism<double>& m, const ClosedState& s) {
  Workspace<double> w = placed(m, s.q);
  w.v = s.v;
  w.a = s.a;
  tree_velocities(m, w);
  tree_accelerations(m, w);
  cut_coordinates(m, w);
  const FreeBodies b(m, s.q, s.v);
  const VecX<double> x = b.accelerations(s.a), qdd = b.S * x + b.s0;
  const double size = 1 + s.v.squaredNorm() + s.a.norm() + x.norm();
  const Eigen::Index cuts = m.cut_coordinates();
  EXPECT_LT((b.rate.head(m.nv) - s.v).norm(), 1e-12 * size);
  EXPECT_LT((qdd.head(m.nv) - s.a).norm(), 1e-12 * size);
  EXPECT_LT((b.rate.tail(cuts) - w.cv).norm(), 1e-11 * size);
  EXPECT_LT((qdd.tail(cuts) - w.ca).norm(), 1e-10 * size);
  EXPECT_LT((b.position.tail(cuts) - w.cq).norm(), 1e-9);
  EXPECT_LT(b.forbidden.norm(), 1e-11 * size);
  EXPECT_LT((b.C * x + b.c0).norm(), 1e-10 * size);
}

/// Power of drives and external wrenches = d/dt energy + losses.
void expect_energy_balance(const Mechanism<double>& m, const ClosedState& s, const Load& load, const Forward& f) {
  const double in = newton_euler::actuator_power(m, s.v, load.tau) +
                    newton_euler::external_power(m, s.q, s.v, load.external),
               out = energies(m, s.q, s.v).dissipated;
  const VecX<double> stored = rate_of(m, s, f.a, [&](const auto& q, const auto& v) { return energy(m, q, v); });
  const double size = std::abs(in) + out + stored.cwiseAbs().sum() + energy(m, s.q, s.v).cwiseAbs().sum();
  EXPECT_LT(std::abs(in - out - stored.sum()) / size, 1e-9);  // stiff springs of 5e6 N/m: differences lose 1e-10
}

/// d/dt momentum = gravity + external wrenches + what the base does.
void expect_momentum_balance(const Mechanism<double>& m, const ClosedState& s, const Load& load, const Forward& f) {
  const FreeBodies b(m, s.q, s.v);
  Force<double> sum = f.base_wrench;
  double size = sum.moment.norm() + sum.force.norm();
  for (const External& e : load.external) sum += e.wrench;
  for (std::size_t j = 0; j < b.body.size(); ++j) {
    const Vec3<double> weight = m.inertia[j].mass * m.gravity;
    sum += {cross<double>(b.body[j].X.p, weight) + cross<double>(newton_euler::first_moment(b, j), m.gravity), weight};
  }
  const VecX<double> change = rate_of(m, s, f.a, [&](const auto& q, const auto& v) { return momentum(m, q, v); });
  size += change.norm() + momentum(m, s.q, s.v).norm() + sum.moment.norm() + sum.force.norm();
  EXPECT_LT((change.head<3>() - sum.moment).norm() / size, 1e-11);
  EXPECT_LT((change.tail<3>() - sum.force).norm() / size, 1e-11);
}

/// The drives that made the motion are found again, or others that make the same one.
void expect_inverse_of_forward(const Mechanism<double>& m, const ClosedState& s, const Load& load, const Forward& f) {
  const Inverse i = inverse(m, s.q, s.v, f.a, load.external);
  EXPECT_LT(i.residual, 1e-12);
  if (i.unique) {
    EXPECT_LT((i.tau - load.tau).norm() / (1 + load.tau.norm()), 1e-9);
  } else {
    EXPECT_LT(i.tau.norm(), load.tau.norm());
    const Forward again = forward(m, s.q, s.v, {i.tau, load.external});
    EXPECT_LT((again.a - f.a).norm() / (1 + f.a.norm()), 1e-11);
  }
}

void expect_balances(const Mechanism<double>& m, unsigned seed) {
  const ClosedState s = closed_state(m, seed);
  ASSERT_GT(slowest_dry_rate(m, s), 1e-4);
  const Load load = random_load(m, seed);
  const Forward f = forward(m, s.q, s.v, load);
  EXPECT_TRUE(f.unique);
  EXPECT_LT(f.residual, 1e-12);
  expect_the_same_motion(m, s);
  expect_the_same_motion(m, {s.q, s.v, f.a});
  expect_energy_balance(m, s, load, f);
  expect_momentum_balance(m, s, load, f);
  expect_inverse_of_forward(m, s, load, f);
}

class EveryRobotObeysNewton : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(NewtonEuler, EveryRobotObeysNewton, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(EveryRobotObeysNewton, AsShipped) {
  for (unsigned seed = 1; seed <= 2; ++seed) expect_balances(m, seed);
}

TEST_P(EveryRobotObeysNewton, WithEveryForce) {
  for (unsigned seed = 1; seed <= 2; ++seed) expect_balances(with_everything(m, seed), seed);
}

// ------------------------------------------------------------------------------------------------ every cut joint

/// A free body held by one cut joint of the kind to a body that turns and slides.
std::string one_cut(const std::string& joint) {
  return R"(
robot: one_cut
bodies:
  a: {mass: 1, com: [0.1, 0.2, 0.1], inertia: [0.1, 0.2, 0.25]}
  b: {mass: 2, com: [0.2, 0, 0.1], inertia: [0.2, 0.1, 0.15]}
  c: {mass: 3, com: [0, 0.1, 0.2], inertia: [0.3, 0.2, 0.4]}
joints:
  turn: {type: revolute, parent: base, child: a, role: actuated, origin: {xyz: [0.1, 0.2, 0.3], rpy: [0.4, 0.5, 0.6]}}
  slide: {type: prismatic, parent: a, child: b, role: actuated, origin: {xyz: [0.3, 0.1, 0.2], rpy: [0.3, 0.7, 0.1]}}
  free: {type: free, parent: base, child: c, origin: {xyz: [0.2, 0, 0.1], rpy: [0.1, 0.2, 0.3]}, cut: false}
  held: {type: )" +
         joint +
         R"(, parent: b, child: c, cut: true, origin: {xyz: [0.1, 0.3, 0.2], rpy: [0.2, 0.1, 0.5]}, child_origin: {xyz: [0.2, 0.1, -0.1], rpy: [0.3, 0.2, 0.4]}}
)";
}

class EveryCutKindObeysNewton : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(NewtonEuler, EveryCutKindObeysNewton,
                         testing::Values("fixed", "revolute", "prismatic", "universal", "cylindrical", "spherical",
                                         "planar", "point_on_line", "point_on_plane", "distance"),
                         [](const auto& of) { return of.param; });

TEST_P(EveryCutKindObeysNewton, WithEveryForce) {
  Mechanism<double> m = built_from(one_cut(GetParam() == "distance" ? "distance, length: 0.4" : GetParam()));
  Workspace<double> w(m);
  ASSERT_TRUE(close_loops(m, w).closed);
  m.home = w.q;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Mechanism<double> loaded = with_everything(m, seed);
    expect_balances(loaded, seed);
    const ClosedState s = closed_state(loaded, seed);
    EXPECT_TRUE(forward(loaded, s.q, s.v, random_load(loaded, seed)).reactions_unique());
  }
}

}  // namespace
}  // namespace gough::newton_euler_test
