/// Dry friction against closed forms: blocks that stop, swing out and break loose; hexapods that stand on their friction;
/// joints that hold each other; the work that is lost; and no crawling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "simulation/runs.hpp"

namespace gough::dry_friction_test {
namespace {

using std::numbers::pi;

constexpr double rounding = 1e-13;  ///< what a joint that holds may move [m, m/s]

Workspace<double> moving(const Mechanism<double>& m, double q, double v) {
  Workspace<double> w(m);
  w.q[0] = q;
  w.v[0] = v;
  return w;
}

// ------------------------------------------------------------------------------------------------ one joint

/// 2 kg with 3 N: 1.5 m/s are gone after 1 s and 0.75 m, and the block stays exactly there.
TEST(DryBlock, StopsAfterAKnownWayAndStays) {
  const Mechanism<double> m = block_with("friction: {coulomb: 3 N}");
  for (const Method method : {Method::adaptive, Method::stiff}) {
    const Motions r = simulated(m, moving(m, 0, 1.5), even_times(0, 3, 0.25), with_method(method));
    ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
    EXPECT_EQ(r.answer.events, 1) << name(method);
    const double near = method == Method::adaptive ? 1e-10 : 1e-7;
    for (const Moment& x : r.rows) {
      const double t = std::min(x.t, 1.0);
      EXPECT_NEAR(x.q[0], 1.5 * t - 0.75 * t * t, near) << "t = " << x.t;
      if (x.t < 1.1) continue;
      EXPECT_NEAR(x.v[0], 0, rounding);
      EXPECT_NEAR(x.q[0], r.end().q[0], rounding) << "no creep at all";
    }
    EXPECT_LT(r.answer.evaluations, 3000) << "no crawl";
  }
}

/// A point on its own axis has no inertia: whether its friction holds cannot be told, and the run ends before its first row.
TEST(DryBlock, WithoutInertiaIsSingularAtTheStart) {
  const Mechanism<double> m = prepared_from(
                                  "robot: point\nbodies: {a: {mass: 1}}\njoints:\n"
                                  "  j: {type: revolute, parent: base, child: a, friction: {coulomb: 1 N m}}\n")
                                  .mechanism;
  for (const Loops loops : {Loops::independent, Loops::drift, Loops::projected, Loops::baumgarte}) {
    SimulationOptions options;
    options.loops = loops;
    const Motions r = simulated(m, Workspace<double>(m), {0, 1}, options);
    EXPECT_EQ(r.answer.status, Status::singular) << name(loops);
    EXPECT_THAT(r.answer.reason, testing::HasSubstr("'j' moves without inertia"));
    EXPECT_TRUE(r.rows.empty());
  }
}

/// With fixed steps the mode changes at the ends of steps: the place is right to a step, and then it stays.
TEST(DryBlock, StopsWithFixedStepsToo) {
  const Mechanism<double> m = block_with("friction: {coulomb: 3 N}");
  for (const Method method : {Method::rk4, Method::semi_implicit}) {
    const Motions r = simulated(m, moving(m, 0, 1.5), even_times(0, 2, 0.25), with_method(method));
    ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
    EXPECT_NEAR(r.end().q[0], 0.75, 2e-3) << name(method);
    EXPECT_NEAR(r.end().v[0], 0, rounding);
    EXPECT_NEAR(r.end().q[0], r.rows[6].q[0], rounding);
  }
}

/// A spring of 50 N/m and 3 N: each half swing of pi/5 s ends 2 F/c = 0.12 m nearer. From 0.5 m: -0.38, 0.26, -0.14, 0.02,
/// where the spring's 1 N cannot move it.
TEST(DryBlock, OnASpringLosesTheSameEachHalfSwing) {
  const Mechanism<double> m = block_with("stiffness: 50 N/m, friction: {coulomb: 3 N}");
  std::vector<double> times = {0};
  for (int i = 1; i <= 6; ++i) times.push_back(i * pi / 5);
  const std::vector<double> turns = {0.5, -0.38, 0.26, -0.14, 0.02, 0.02, 0.02};
  for (const Method method : {Method::adaptive, Method::stiff}) {
    const Motions r = simulated(m, moving(m, 0.5, 0), times, with_method(method));
    ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
    for (std::size_t i = 0; i < times.size(); ++i)
      EXPECT_NEAR(r.rows[i].q[0], turns[i], method == Method::adaptive ? 1e-9 : 1e-6) << name(method) << " " << i;
    EXPECT_NEAR(r.end().v[0], 0, rounding);
    EXPECT_LE(r.answer.events, 8) << "one per turn";
    EXPECT_LT(r.answer.evaluations, 20'000);
    EXPECT_NEAR(r.rows[0].energy() - r.end().energy(), 3 * (0.88 + 0.64 + 0.40 + 0.16), 1e-6) << "3 N along the way";
  }
}

/// The force grows with 2 N/s: 3 N are reached at 1.5 s, then 2 x'' = 2 (t - 1.5).
TEST(DryBlock, BreaksLooseAtItsLimit) {
  const Mechanism<double> m = block_with("friction: {coulomb: 3 N}");
  for (const double sign : {1.0, -1.0}) {
    const Motions r = simulated(m, Workspace<double>(m), even_times(0, 3, 0.1), {},
                                [&](double t, Workspace<double>& w) { w.tau[0] = sign * 2 * t; });
    ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
    for (const Moment& x : r.rows) {
      const double since = std::max(0.0, x.t - 1.5);
      EXPECT_NEAR(x.q[0], sign * since * since * since / 6, 1e-9) << "t = " << x.t;
      if (x.t < 1.45) { EXPECT_NEAR(x.v[0], 0, rounding); }
    }
    EXPECT_EQ(r.answer.events, 1);
  }
}

/// Sticks while the sine is below the limit, slides above, many times over.
TEST(DryBlock, StickSlipUnderAShakingForceDoesNotCrawl) {
  const Mechanism<double> m = block_with("friction: {coulomb: 3 N}");
  const Motions r = simulated(m, Workspace<double>(m), even_times(0, 10, 0.1), {},
                              [](double t, Workspace<double>& w) { w.tau[0] = 4 * std::sin(2 * pi * t); });
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  EXPECT_NEAR(static_cast<double>(r.answer.events), 40, 2) << "loose and at rest, twice a second each";
  EXPECT_LT(r.answer.evaluations, 200'000);
  for (const Moment& x : r.rows)
    if (std::abs(4 * std::sin(2 * pi * x.t)) < 1e-9) { EXPECT_NEAR(x.v[0], 0, rounding) << "t = " << x.t; }
}

/// A smoothed sign comes to the same motion as its speed goes to zero, and creeps where stick holds.
TEST(DryBlock, SmoothFrictionComesNear) {
  const Mechanism<double> m = block_with("stiffness: 50 N/m, friction: {coulomb: 3 N}");
  const Motions stick = simulated(m, moving(m, 0.5, 0), even_times(0, 3, 0.1));
  const auto apart_by = [&](double speed) {
    SimulationOptions o = with_method(Method::stiff);
    o.dry = DryFriction::smooth;
    o.smooth = speed;
    const Motions smooth = simulated(m, moving(m, 0.5, 0), even_times(0, 3, 0.1), o);
    EXPECT_TRUE(smooth.answer.ok()) << smooth.answer.reason;
    EXPECT_EQ(smooth.answer.events, 0);
    double most = 0;
    for (std::size_t i = 0; i < smooth.rows.size(); ++i)
      most = std::max(most, std::abs(smooth.rows[i].q[0] - stick.rows[i].q[0]));
    return most;
  };
  const double coarse = apart_by(1e-2), fine = apart_by(1e-4);
  EXPECT_LT(fine, 1e-3);
  EXPECT_LT(fine, 0.1 * coarse);
}

TEST(DryBlock, LoopsAsAlgebraicEquationsNeedSmoothFriction) {
  const Mechanism<double> m = block_with("friction: {coulomb: 3 N}");
  EXPECT_THROW(simulated(m, moving(m, 0, 1), {0, 1}, with_method(Method::dae)), Error);
  SimulationOptions o = with_method(Method::dae);
  o.dry = DryFriction::smooth;
  o.smooth = 1e-2;
  const Motions r = simulated(m, moving(m, 0, 1.5), {0, 0.5}, o);
  EXPECT_NEAR(r.end().q[0], 1.5 * 0.5 - 0.75 * 0.25, 1e-3);
}

// ------------------------------------------------------------------------------------------------ several joints

/// One freedom, dry friction in three of its joints and the cut one: their limits add up by the power they take, and how
/// they share a load that they can hold is not unique.
const std::string dry_parallelogram = R"(
robot: dry
gravity: [0, 0, 0]
bodies: {left: {mass: 1, rod: [0, 1, 0]}, right: {mass: 1, rod: [0, 1, 0]}, bar: {mass: 1, rod: [1, 0, 0]}}
joints:
  left: {type: revolute, parent: base, child: left, role: actuated, home: 20 deg, friction: {coulomb: 1 N m}}
  right: {type: revolute, parent: base, child: right, origin: {xyz: [1, 0, 0]}, guess: 20 deg, friction: {coulomb: 2 N m}}
  top: {type: revolute, parent: left, child: bar, origin: {xyz: [0, 1, 0]}, guess: -20 deg, friction: {coulomb: 3 N m}}
  close: {type: revolute, parent: bar, child: right, origin: {xyz: [1, 0, 0]}, child_origin: {xyz: [0, 1, 0]}, friction: {coulomb: 4 N m}}
)";

/// All four joints turn by the same angle: 10 N m hold. The ramp of 4 N m/s passes them at 2.5 s.
TEST(DryJoints, HoldTogetherUpToTheSumOfTheirLimits) {
  const Mechanism<double> m = prepared_from(dry_parallelogram).mechanism;
  const Motions r = simulated(m, Workspace<double>(m), even_times(0, 3, 0.1), {},
                              [](double t, Workspace<double>& w) { w.tau[0] = 4 * t; });
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  const double inertia = 1.0 / 3 + 1.0 / 3 + 1;  // two links about their feet, the bar on its circle
  for (const Moment& x : r.rows) {
    const double since = std::max(0.0, x.t - 2.5);
    EXPECT_NEAR(x.q[0] - r.rows[0].q[0], 4 * since * since * since / (6 * inertia), 1e-8) << "t = " << x.t;
    if (x.t < 2.45) { EXPECT_LT(x.v.norm(), 1e-12); }
  }
  EXPECT_LE(r.answer.events, 4);
}

/// Energy lost is 10 N m times the angle.
TEST(DryJoints, LoseWhatTheirFrictionTakes) {
  const Mechanism<double> m = prepared_from(dry_parallelogram).mechanism;
  Workspace<double> w(m);
  ASSERT_TRUE(set_rates(m, {{0, 3}}, w).ok());
  const Motions r = simulated(m, w, even_times(0, 2, 0.05));
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  const double inertia = 5.0 / 3, stop = 3 * inertia / 10;
  EXPECT_NEAR(r.end().q[0] - r.rows[0].q[0], 3 * stop / 2, 1e-8);
  EXPECT_LT(r.end().v.norm(), rounding);
  for (const Moment& x : r.rows)
    EXPECT_NEAR(r.rows[0].energy() - x.energy(), 10 * (x.q[0] - r.rows[0].q[0]), 1e-7) << "t = " << x.t;
}

/// Drives and cardans of palida can hold a push of 20 N on top of the forces that carry it. They stay exactly.
TEST(DryJoints, HoldAHexapodAgainstASmallPush) {
  const Mechanism<double>& m = shipped("palida");
  Workspace<double> w(m);
  inverse_dynamics(m, w);
  const VecX<double> carry = w.tau;
  const Motions r = simulated(m, w, even_times(0, 0.5, 0.1), {}, [&](double, Workspace<double>& now) {
    now.tau = carry;
    apply_platform_wrench(m, {{0, 0, 0}, {12, 0, -16}}, now);
  });
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  for (const Moment& x : r.rows) {
    EXPECT_LT(x.v.norm(), 1e-12);
    EXPECT_LT(x.a.norm(), 1e-8);
    EXPECT_LT(apart(m, x.q, w.q), 1e-12);
  }
  EXPECT_EQ(r.answer.events, 0);
}

/// Without drives it sinks; every joint slides, some stop and turn round; what is lost is dissipated.
TEST(DryJoints, LetAHexapodSink) {
  const Mechanism<double> m = on_springs(shipped("palida"), 20);
  const Motions r = simulated(m, Workspace<double>(m), even_times(0, 3, 0.01));
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  EXPECT_GT(r.largest_kinetic(), 0.1);
  for (std::size_t i = 1; i < r.rows.size(); ++i)
    EXPECT_LE(r.rows[i].energy(), r.rows[i - 1].energy() + 1e-9) << "friction takes";
  EXPECT_LT(r.end().v.norm(), 1e-12) << "and it comes to rest";
  EXPECT_LT(r.answer.events, 200);
  EXPECT_LT(r.answer.evaluations, 400'000) << "no crawl";
}

}  // namespace
}  // namespace gough::dry_friction_test
