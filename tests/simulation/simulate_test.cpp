/// Simulation against closed forms; orders of the fixed steps; controllers, callbacks, times, and how runs end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "simulation/runs.hpp"

namespace gough::simulate_test {
namespace {

using std::numbers::pi;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::array<Method, 5> all_methods = {Method::adaptive, Method::stiff, Method::dae, Method::rk4,
                                               Method::semi_implicit};
/// What a method with 1 ms steps is good for, on motions of about 1 m and 10 rad/s within 1 s.
double expected_error(Method m) {
  return m == Method::adaptive ? 1e-10 : m == Method::rk4 ? 1e-8 : m == Method::semi_implicit ? 2e-2 : 1e-6;
}

// ------------------------------------------------------------------------------------------------ closed forms

/// Released level: a quarter of the period is K(sin 45 deg) sqrt(L/g), the lowest speed there sqrt(2 g L).
TEST(ClosedForm, PendulumKeepsThePeriodOfTheEllipticIntegral) {
  const Mechanism<double>& m = shipped("pendulum");
  const double quarter = std::comp_ellint_1(std::sqrt(0.5)) / std::sqrt(9.81);
  for (const Method method : {Method::adaptive, Method::stiff, Method::dae, Method::rk4}) {
    const Motions r = simulated(m, Workspace<double>(m), {0, quarter, 2 * quarter, 4 * quarter}, with_method(method));
    ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
    const double near = method == Method::adaptive ? 1e-10 : 1e-6;
    EXPECT_NEAR(r.rows[1].q[0], 1.5 * pi, near) << name(method);
    EXPECT_NEAR(r.rows[1].v[0], std::sqrt(2 * 9.81), near);
    EXPECT_NEAR(r.rows[2].q[0], 2 * pi, near);
    EXPECT_NEAR(r.rows[3].q[0], pi, near) << "back after a period";
    EXPECT_NEAR(r.rows[3].v[0], 0, 10 * near);
  }
}

/// 2 kg on 50 N/m swing with 5 rad/s.
TEST(ClosedForm, BlockOnASpringIsHarmonic) {
  Mechanism<double> m = block_with("stiffness: 50 N/m, rest: 0.1");
  for (const Method method : all_methods) {
    const Motions r = simulated(m, Workspace<double>(m), even_times(0, 1, 0.1), with_method(method));
    ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
    for (const Moment& x : r.rows) {
      EXPECT_NEAR(x.q[0], 0.1 - 0.1 * std::cos(5 * x.t), 0.1 * expected_error(method)) << name(method);
      EXPECT_NEAR(x.v[0], 0.5 * std::sin(5 * x.t), 0.5 * expected_error(method));
    }
  }
}

/// With 4 N s/m the motion decays like e^-t and swings with sqrt(24) rad/s.
TEST(ClosedForm, DamperMakesTheSwingDecay) {
  Mechanism<double> m = block_with("stiffness: 50 N/m, damping: 3 N s/m, friction: {viscous: 1 N s/m}");
  Workspace<double> w(m);
  w.q[0] = 0.2;
  const double omega = std::sqrt(24.0);
  for (const Method method : all_methods) {
    const Motions r = simulated(m, w, even_times(0, 2, 0.1), with_method(method));
    for (const Moment& x : r.rows)
      EXPECT_NEAR(x.q[0], 0.2 * std::exp(-x.t) * (std::cos(omega * x.t) + std::sin(omega * x.t) / omega),
                  0.2 * expected_error(method))
          << name(method) << " t = " << x.t;
  }
}

const std::string top = R"(
robot: top
bodies: {top: {mass: 3 kg, inertia: [0.3, 0.3, 0.5]}}
joints: {fly: {type: free, parent: base, child: top}}
lock_idle: false
)";

/// A symmetric top in free fall: its centre on a parabola, its spin turning about its axis of symmetry in body axes, the
/// axis on a cone about the moment of momentum. It turns 30 times: charts are chosen anew again and again.
TEST(ClosedForm, FallingTopPrecesses) {
  const Mechanism<double> m = prepared_from(top).mechanism;
  Workspace<double> w(m);
  const Vec3<double> start{4, 0, 9}, speed{1, 2, 3};
  w.v << speed, start;
  const double turns = (0.5 - 0.3) / 0.3 * 9;  // of w about the body's z [rad/s]
  const Vec3<double> L{0.3 * 4, 0, 0.5 * 9}, precession = L / 0.3;
  for (const Loops loops : {Loops::independent, Loops::projected}) {
    const Motions r = simulated(m, w, even_times(0, 10, 0.5), with_method(Method::adaptive, loops));
    ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
    EXPECT_GT(r.answer.choices, loops == Loops::independent ? 30 : 0) << "a chart ends after 1.5 rad";
    for (const Moment& x : r.rows) {
      const Vec3<double> centre = speed * x.t + Vec3<double>{0, 0, -9.81 / 2 * x.t * x.t};
      EXPECT_LT((x.q.head<3>() - centre).norm(), 1e-8);
      const Vec3<double> spin{4 * std::cos(turns * x.t), 4 * std::sin(turns * x.t), 9};
      EXPECT_LT((x.v.tail<3>() - spin).norm(), 1e-8) << "t = " << x.t;
      const Vec3<double> axis = placed(m, x.q).X0[0].R.col(2);
      const Vec3<double> cone = rotation_from_vector<double>(precession * x.t).col(2);
      EXPECT_LT((axis - cone).norm(), 1e-8) << "t = " << x.t;
    }
  }
}

/// An open loop closes like phi'' + 2 alpha phi' + beta^2 phi = 0: with 20 1/s for both, (1 + 20 t) e^-20t.
TEST(ClosedForm, BaumgarteClosesALoopAsItsParametersSay) {
  const Mechanism<double>& m = shipped("four_bar");
  Workspace<double> w(m);
  w.q[m.find_coordinate("knee")] += 0.01;
  SimulationOptions o = with_method(Method::adaptive, Loops::baumgarte);
  o.dynamics.by = Formulation::multipliers;
  o.dynamics.alpha = o.dynamics.beta = 20;
  const Motions r = simulated(m, w, even_times(0, 0.5, 0.05), o);
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  const double open = r.rows.front().residual;
  EXPECT_GT(open, 1e-3);
  for (const Moment& x : r.rows)
    EXPECT_NEAR(x.residual / open, (1 + 20 * x.t) * std::exp(-20 * x.t), 1e-8) << "t = " << x.t;
  o.dynamics.alpha = 0;
  const double half_turn = pi / 20;
  EXPECT_NEAR(simulated(m, w, {0, half_turn}, o).end().residual / open, 1, 1e-8) << "undamped: -1 after half a turn";
}

// ------------------------------------------------------------------------------------------------ orders

/// Errors at 0.2 s of a four-bar that is let go, with steps h and h/2.
double error_ratio(Method method, Loops loops, double h) {
  const Mechanism<double>& m = shipped("four_bar");
  const VecX<double> exact = simulated(m, Workspace<double>(m), {0, 0.2}).end().q;
  const auto error = [&](double step) {
    return (simulated(m, Workspace<double>(m), {0, 0.2}, with_method(method, loops, step)).end().q - exact).norm();
  };
  EXPECT_GT(error(h / 2), 1e-11) << "far above rounding";
  return error(h) / error(h / 2);
}

TEST(FixedSteps, RungeKuttaIsOfOrderFour) {
  for (const Loops loops : {Loops::independent, Loops::projected, Loops::drift})
    EXPECT_NEAR(error_ratio(Method::rk4, loops, 0.0025), 16, 3) << name(loops);
}

TEST(FixedSteps, SemiImplicitEulerIsOfOrderOne) {
  for (const Loops loops : {Loops::independent, Loops::projected})
    EXPECT_NEAR(error_ratio(Method::semi_implicit, loops, 1e-3), 2, 0.2) << name(loops);
}

TEST(FixedSteps, AreEvenBetweenRows) {
  const Mechanism<double> m = block_with("stiffness: 50 N/m");
  const Motions r = simulated(m, Workspace<double>(m), {0, 0.1, 0.25}, with_method(Method::rk4));
  EXPECT_EQ(r.answer.steps, 250);
  EXPECT_EQ(simulated(m, Workspace<double>(m), {0, 0.0104}, with_method(Method::rk4)).answer.steps, 11)
      << "never longer than told";
}

// ------------------------------------------------------------------------------------------------ controllers

/// A force sin(40 t), sampled every 20 ms: 2 v' is constant between samples, so v is a sum.
TEST(Controllers, SampledForcesAreHeld) {
  const Mechanism<double> m = block_with("");
  const double hold = 0.02;
  const auto sample = [&](int k) { return std::sin(40 * hold * k); };
  for (const Method method : all_methods) {
    SimulationOptions o = with_method(method, Loops::independent, 1e-3);
    o.hold = hold;
    std::vector<double> times = {0};
    for (int i = 0; i < 50; ++i) times.push_back(0.005 + 0.01 * i);
    const Motions r = simulated(m, Workspace<double>(m), times, o,
                                [](double t, Workspace<double>& w) { w.tau[0] = std::sin(40 * t); });
    ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
    for (const Moment& x : r.rows) {
      const int k = static_cast<int>(std::floor(x.t / hold + 1e-9));
      double v = sample(k) / 2 * (x.t - k * hold);
      for (int i = 0; i < k; ++i) v += sample(i) / 2 * hold;
      EXPECT_NEAR(x.tau[0], sample(k), 1e-12) << name(method) << " t = " << x.t;
      EXPECT_NEAR(x.v[0], v, method == Method::dae ? 1e-6 : 1e-8) << name(method) << " t = " << x.t;
    }
  }
}

/// Forces that hold the platform at a pose, and a spring and damper towards it in each leg.
TEST(Controllers, BringTheHexapodToAPose) {
  const Mechanism<double>& m = shipped("hexapod");
  Vec6<double> pose;
  pose << 0.05, -0.03, -0.70, 0.1, 0, 0.2;
  Workspace<double> there(m);
  ASSERT_TRUE(inverse_kinematics(m, pose_from_vector(pose), there).ok());
  inverse_dynamics(m, there);
  const VecX<double> lengths = actuators_of(m, there.q), hold = there.tau;
  Workspace<double> w(m);
  const SimulationAnswer answer = simulate(
      m, w, even_times(0, 3, 0.5), {},
      [&](double, Workspace<double>& now) {
        for (Eigen::Index i = 0; i < 6; ++i) {
          const int c = m.actuator[at(static_cast<int>(i))];
          now.tau[i] = hold[i] + 20000 * (lengths[i] - now.q[position_of(m, c)]) - 1000 * now.v[c];
        }
      },
      [](const SimulationRow&) { return true; });
  ASSERT_TRUE(answer.ok()) << answer.reason;
  EXPECT_LT(apart(platform_pose(m, w), pose_from_vector(pose)), 1e-6);
}

// ------------------------------------------------------------------------------------------------ how runs end

TEST(Runs, EndWhereTheCallbackSaysSo) {
  const Mechanism<double>& m = shipped("pendulum");
  Workspace<double> w(m);
  int rows = 0;
  const SimulationAnswer a =
      simulate(m, w, even_times(0, 1, 0.01), {}, {}, [&](const SimulationRow&) { return ++rows < 10; });
  EXPECT_TRUE(a.ok());
  EXPECT_TRUE(a.stopped);
  EXPECT_EQ(a.rows, 10U);
  EXPECT_NEAR(a.t, 0.09, 1e-12);
}

TEST(Runs, RefuseTimesThatDoNotIncrease) {
  const Mechanism<double>& m = shipped("pendulum");
  EXPECT_THROW(simulated(m, Workspace<double>(m), {0, 0.1, 0.1}), Error);
  EXPECT_THROW(simulated(m, Workspace<double>(m), {0, std::nan("")}), Error);
  EXPECT_THROW(even_times(0, 1, 0), Error);
  EXPECT_THROW(even_times(0, -1, 0.1), Error);
  EXPECT_THROW(even_times(0, 1, 1e-9), Error);
  EXPECT_EQ(simulated(m, Workspace<double>(m), {}).rows.size(), 0U);
  EXPECT_THAT(even_times(1, 2, 0.3), testing::ElementsAre(1, 1.3, 1.6, testing::DoubleEq(1.9), 2));
}

/// Whatever a controller does, rows are numbers.
TEST(Runs, EndWithAStatusWhereForcesAreNotNumbers) {
  const Mechanism<double>& m = shipped("hexapod");
  for (const Method method : all_methods) {
    const Motions r = simulated(m, Workspace<double>(m), even_times(0, 0.2, 0.01), with_method(method),
                                [](double t, Workspace<double>& w) { w.tau.setConstant(t < 0.1 ? 0 : NAN); });
    EXPECT_FALSE(r.answer.ok()) << name(method);
    EXPECT_THAT(r.answer.reason, testing::Not(testing::IsEmpty()));
    EXPECT_GE(r.rows.size(), 9U) << name(method);
    EXPECT_LE(r.rows.size(), 11U) << name(method);
    EXPECT_LE(r.answer.t, 0.11);
    for (const Moment& x : r.rows) EXPECT_TRUE(x.finite());
  }
}

TEST(Runs, AreGivenUpAfterTooManySteps) {
  const Mechanism<double>& m = shipped("pendulum");
  SimulationOptions o = with_method(Method::rk4);
  o.most_steps = 100;
  const Motions r = simulated(m, Workspace<double>(m), even_times(0, 1, 0.01), o);
  EXPECT_EQ(r.answer.status, Status::not_converged);
  EXPECT_THAT(r.answer.reason, HasSubstr("given up after 100 steps"));
  EXPECT_EQ(r.rows.size(), 11U);
}

}  // namespace
}  // namespace gough::simulate_test
