/// What must not depend on the method: energy, closed loops, the motion itself. Coordinates that turn singular on the way,
/// singular positions, and robots that fall to pieces of no number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/runs.hpp"

namespace gough::methods_test {
namespace {

// ------------------------------------------------------------------------------------------------ conservation

/// Stiffness per mass: motions of centimetres to decimetres.
struct Swing {
  std::string robot;
  double stiffness;
};
void PrintTo(const Swing& s, std::ostream* out) { *out << s.robot; }

class SwingingRobot : public testing::TestWithParam<Swing> {
 protected:
  Mechanism<double> m = on_springs(shipped(GetParam().robot), GetParam().stiffness);
};

TEST_P(SwingingRobot, KeepsItsEnergyByDefault) {
  const Motions r = simulated(m, Workspace<double>(m), even_times(0, 10, 0.1));
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  EXPECT_GT(r.largest_kinetic(), 1e-4) << "it moves";
  EXPECT_LT(r.drift(), 1e-8 * r.largest_kinetic());
  EXPECT_LT(r.answer.largest_residual, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(OnSprings, SwingingRobot,
                         testing::Values(Swing{"hexapod", 20}, Swing{"five_bar", 20}, Swing{"psp3", 200},
                                         Swing{"bricard", 200}, Swing{"four_bar", 20}),
                         [](const auto& i) { return i.param.robot; });

class ProjectedRobot : public testing::TestWithParam<std::string> {};

TEST_P(ProjectedRobot, StaysClosedForTenSecondsOfMilliseconds) {
  const Mechanism<double> m = on_springs(shipped(GetParam()), 20);
  const Motions r =
      simulated(m, Workspace<double>(m), even_times(0, 10, 0.05), with_method(Method::rk4, Loops::projected));
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  EXPECT_EQ(r.answer.steps, 10000);
  EXPECT_LT(r.answer.largest_residual, 1e-10);
  EXPECT_LT(r.drift(), 1e-3 * r.largest_kinetic());
}

INSTANTIATE_TEST_SUITE_P(Loops, ProjectedRobot, testing::Values("five_bar", "bricard", "hexapod"),
                         [](const auto& i) { return i.param; });

/// Left alone, an open loop is a second integral of errors; Baumgarte pulls it back, projection closes it.
TEST(KeepingLoopsClosed, IsWorthIt) {
  const Mechanism<double> m = on_springs(shipped("five_bar"), 20);
  const auto residual = [&](Loops loops) {
    SimulationOptions o = with_method(Method::rk4, loops, 5e-3);
    o.dynamics.alpha = o.dynamics.beta = 50;
    return simulated(m, Workspace<double>(m), even_times(0, 20, 0.1), o).end().residual;
  };
  const double drift = residual(Loops::drift), pulled = residual(Loops::baumgarte);
  EXPECT_GT(drift, 1e-8);
  EXPECT_LT(pulled, 0.1 * drift);
  EXPECT_LT(residual(Loops::projected), 1e-12);
  EXPECT_LT(residual(Loops::independent), 1e-12);
}

// ------------------------------------------------------------------------------------------------ agreement

/// A hexapod on springs, pushed: the same after 0.3 s by every method, arrangement of loops and formulation.
class PushedHexapod : public testing::Test {
 protected:
  const Mechanism<double> m = on_springs(shipped("hexapod"), 20);
  Workspace<double> w{m};
  Moment expected;

  PushedHexapod() {
    set_rates(m, {{m.actuator[0], 0.3}, {m.actuator[3], -0.2}}, w);
    expected = end({});
  }
  Moment end(const SimulationOptions& o) const {
    const Motions r = simulated(m, w, {0, 0.1, 0.3}, o);
    EXPECT_TRUE(r.answer.ok()) << r.answer.reason;
    return r.end();
  }
  double apart_by(const SimulationOptions& o) const {
    const Moment x = end(o);
    return std::max((x.q - expected.q).norm(), (x.v - expected.v).norm());
  }
};

TEST_F(PushedHexapod, MovesTheSameByEveryMethod) {
  EXPECT_GT((expected.q - w.q).norm(), 0.05) << "it moves";
  EXPECT_LT(apart_by(with_method(Method::stiff)), 1e-7);
  EXPECT_LT(apart_by(with_method(Method::dae)), 1e-5);
  EXPECT_LT(apart_by(with_method(Method::rk4)), 1e-7);
  EXPECT_LT(apart_by(with_method(Method::semi_implicit, Loops::independent, 2e-4)), 1e-2);
}

TEST_F(PushedHexapod, MovesTheSameHoweverLoopsAreClosed) {
  EXPECT_LT(apart_by(with_method(Method::adaptive, Loops::projected)), 1e-9);
  EXPECT_LT(apart_by(with_method(Method::adaptive, Loops::drift)), 1e-9);
  EXPECT_LT(apart_by(with_method(Method::stiff, Loops::projected)), 1e-7);
  SimulationOptions o = with_method(Method::adaptive, Loops::baumgarte);
  o.dynamics.alpha = o.dynamics.beta = 20;
  EXPECT_LT(apart_by(o), 1e-9);
}

TEST_F(PushedHexapod, MovesTheSameByEveryFormulation) {
  for (const Formulation by : all_formulations) {
    SimulationOptions o;
    o.dynamics.by = by;
    EXPECT_LT(apart_by(o), 1e-9) << name(by);
  }
}

// ------------------------------------------------------------------------------------------------ coordinates

/// Shortest and longest link are together longer than the other two: no joint turns all the way, and every one of them
/// stands still somewhere, where it cannot serve as the independent coordinate.
const std::string rocking = R"(
robot: rocking
gravity: [0, 0, 0]
bodies:
  crank: {mass: 0.15 kg, rod: [0.15, 0, 0]}
  coupler: {mass: 0.12 kg, rod: [0.12, 0, 0]}
  rocker: {mass: 0.14 kg, rod: [0.14, 0, 0]}
joints:
  crank: {type: revolute, parent: base, child: crank, role: actuated, home: 60 deg}
  knee: {type: revolute, parent: crank, child: coupler, origin: {xyz: [0.15, 0, 0]}, guess: -40 deg}
  rocker: {type: revolute, parent: base, child: rocker, origin: {xyz: [0.20, 0, 0]}, guess: 90 deg}
  close: {type: revolute, parent: coupler, child: rocker, origin: {xyz: [0.12, 0, 0]}, child_origin: {xyz: [0.14, 0, 0]}}
)";

TEST(IndependentCoordinates, AreChosenAnewWhereTheyStandStill) {
  const Mechanism<double> m = prepared_from(rocking).mechanism;
  Workspace<double> w(m);
  ASSERT_TRUE(set_rates(m, {{m.find_coordinate("crank"), 5}}, w).ok());
  const auto times = even_times(0, 4, 0.0103);
  const Motions r = simulated(m, w, times);
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  EXPECT_GT(r.answer.choices, 10);
  EXPECT_LT(r.drift(), 1e-8 * r.largest_kinetic());
  double forward = 0, back = 0;
  for (const Moment& x : r.rows) {
    forward = std::max(forward, x.v[0]);
    back = std::min(back, x.v[0]);
  }
  EXPECT_GT(forward, 1) << "the crank turns one way";
  EXPECT_LT(back, -1) << "and the other";
  for (const Method method : {Method::stiff, Method::dae}) {  // rows lie within steps at whose end coordinates change
    const Motions other = simulated(m, w, times, with_method(method));
    ASSERT_TRUE(other.answer.ok()) << other.answer.reason;
    for (std::size_t i = 0; i < times.size(); ++i)
      EXPECT_LT((other.rows[i].q - r.rows[i].q).norm(), method == Method::dae ? 1e-3 : 1e-5)
          << name(method) << " t = " << times[i];
  }
}

// ------------------------------------------------------------------------------------------------ singular positions

/// A02's first two bars: their loops lose rank whenever they lie level.
TEST(SingularPositions, ArePassedAndTold) {
  const std::string two = R"(
robot: two
gravity: [0, -9.81, 0]
bodies: {first: {mass: 1, rod: [0, 1, 0]}, second: {mass: 1, rod: [0, 1, 0]}, bar: {mass: 1, rod: [-1, 0, 0]}}
joints:
  first: {type: revolute, parent: base, child: first, axis: [0, 0, -1]}
  second: {type: revolute, parent: base, child: second, origin: {xyz: [1, 0, 0]}, axis: [0, 0, -1]}
  top: {type: revolute, parent: second, child: bar, origin: {xyz: [0, 1, 0]}}
  close: {type: revolute, parent: bar, child: first, origin: {xyz: [-1, 0, 0]}, child_origin: {xyz: [0, 1, 0]}}
)";
  const Mechanism<double> m = prepared_from(two).mechanism;
  Workspace<double> w(m);
  ASSERT_TRUE(set_rates(m, {{m.find_coordinate("first"), 1}}, w).ok());
  const Motions r = simulated(m, w, even_times(0, 4, 0.05));
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  EXPECT_LT(r.answer.least_pivot, 0.1) << "it came near";
  EXPECT_LT(r.answer.shortest_step, 1e-3) << "and slowed down";
  EXPECT_LT(r.drift(), 1e-6 * r.largest_kinetic());
  for (const Moment& x : r.rows) EXPECT_NEAR(x.q[0], x.q[1], 1e-5) << "it stays a parallelogram; t = " << x.t;
}

/// Every shipped robot without drives or springs, for 0.3 s: an end with a reason, and numbers in every row.
class FallingRobot : public testing::TestWithParam<std::string> {};

TEST_P(FallingRobot, HasNumbersInEveryRow) {
  const Mechanism<double>& m = shipped(GetParam());
  const Motions r = simulated(m, Workspace<double>(m), even_times(0, 0.3, 0.01));
  EXPECT_EQ(r.answer.ok(), r.answer.reason.empty());
  EXPECT_EQ(r.answer.ok(), r.rows.size() == 31U);
  ASSERT_FALSE(r.rows.empty());
  for (const Moment& x : r.rows) ASSERT_TRUE(x.finite()) << "t = " << x.t;
}

INSTANTIATE_TEST_SUITE_P(Shipped, FallingRobot,
                         testing::ValuesIn(except(shipped_robots(), {"elastic_five_bar", "n_four_bar_40"})),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace gough::methods_test
