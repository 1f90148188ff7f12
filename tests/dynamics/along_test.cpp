/// Dynamics along motions: sizing by hand, external wrenches by virtual work, forward against inverse, elastic joints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "kinematics/states.hpp"

namespace gough::along_test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<KnownState> states_of(const Trajectory& trajectory, double step) {
  return known_motion(trajectory, "test", step).states;
}

KnownState at_pose(const Transform<double>& pose, double t = 0) {
  KnownState s;
  s.motion.t = t;
  s.motion.motion = PlatformMotion{pose};
  return s;
}

KnownState moving(const Mechanism<double>& m, unsigned seed) {
  KnownState s = at_pose(platform_pose(m, placed(m, safely_reached(m, seed, 0.1))));
  PlatformMotion motion = s.motion.platform();
  motion.v = random_vector(3, seed + 1) * 0.3;
  motion.w = random_vector(3, seed + 2);
  motion.a = random_vector(3, seed + 3) * 5;
  motion.dw = random_vector(3, seed + 4) * 10;
  s.motion.motion = motion;
  return s;
}

// ------------------------------------------------------------------------------------------------ sizing

/// 1 kg on 1 m, lifted at constant speed from level to upright in 1 s: tau = g cos(pi t / 2).
struct Pendulum {
  Mechanism<double> m = load_robot(robot_path("pendulum"));
  std::vector<KnownState> states =
      states_of(trajectory_of(Moves::actuators, line_piece(VecX<double>::Zero(1), VecX<double>::Constant(1, pi / 2),
                                                           TimeLaw{Profile::constant, 1, 0})),
                1e-3);
};

TEST(Sizing, OfAPendulumIsThatByHand) {
  const Pendulum p;
  Sizing sizing(p.m);
  const AlongAnswer answer = inverse_along(p.m, p.states, {}, [&](const AlongRow& row) {
    sizing.add(row);
    return true;
  });
  ASSERT_TRUE(answer.ok()) << answer.reason;
  EXPECT_EQ(answer.rows, 1001U);
  ASSERT_THAT(sizing.loads(), SizeIs(1));
  const ActuatorLoad a = sizing.loads()[0];
  EXPECT_NEAR(a.force.value, 9.81, 1e-12);
  EXPECT_EQ(a.force.t, 0);
  EXPECT_NEAR(a.rms_force, 9.81 / std::sqrt(2), 9.81 * 1e-6);  // trapezoid: (pi/2 h)^2 / 12
  EXPECT_NEAR(a.speed.value, pi / 2, 1e-12);
  EXPECT_NEAR(a.power.value, 9.81 * pi / 2, 1e-11);
  EXPECT_NEAR(a.energy.value(), 9.81, 9.81 * 1e-6) << "m g times 1 m";
  EXPECT_NEAR(a.braking.value(), 0, 1e-15);
  EXPECT_NEAR(a.highest - a.lowest, pi / 2, 1e-12);
  EXPECT_FALSE(a.ratio);
  EXPECT_THAT(a.beyond(), IsEmpty());
}

TEST(Sizing, NamesTheLimitThatIsExceeded) {
  Pendulum p;
  p.m.coordinate[0].force = 5;
  p.m.coordinate[0].velocity = 1;
  p.m.coordinate[0].position.upper = 1;
  Sizing sizing(p.m);
  inverse_along(p.m, p.states, {}, [&](const AlongRow& row) {
    sizing.add(row);
    return true;
  });
  EXPECT_THAT(sizing.loads()[0].beyond(),
              testing::ElementsAre("'swing': force 9.81 N m at t = 0 is beyond its limit 5 N m",
                                   "'swing': speed 1.5708 rad/s at t = 0 is beyond its limit 1 rad/s",
                                   "'swing': position 1.5708 rad at t = 1 is above its limit 1 rad"));
  EXPECT_THAT(sizing.beyond(), HasSubstr("'swing'"));
}

TEST(Sizing, WithoutIncreasingTimesHasMeansAndNoEnergy) {
  Pendulum p;
  for (KnownState& s : p.states) s.motion.t = 0;
  Sizing sizing(p.m);
  inverse_along(p.m, p.states, {}, [&](const AlongRow& row) {
    sizing.add(row);
    return true;
  });
  EXPECT_FALSE(sizing.in_time());
  EXPECT_FALSE(sizing.loads()[0].energy);
  EXPECT_NEAR(sizing.loads()[0].rms_force, 9.81 / std::sqrt(2), 0.01);
}

// ------------------------------------------------------------------------------------------------ inverse

TEST(InverseAlong, HoldsThePspAtRestWithAThirdOfItsWeightEach) {
  const Mechanism<double>& m = shipped("psp3");
  KnownState s;
  s.motion.motion = ActuatorMotion{VecX<double>::Constant(3, 0.5), VecX<double>::Zero(3), VecX<double>::Zero(3)};
  const AlongAnswer answer = inverse_along(m, std::vector{s}, {}, [&](const AlongRow& row) {
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(row.w.tau[i], (0.5 + 1.0 / 3) * 9.81, 1e-12);
    return true;
  });
  EXPECT_TRUE(answer.ok()) << answer.reason;
}

/// At rest the change of the forces does, on any motion, the opposite of the wrench's power.
TEST(InverseAlong, BalancesAWrenchOnThePlatformByVirtualWork) {
  const Mechanism<double>& m = shipped("hexapod");
  std::vector<KnownState> states(2, at_pose(pose(0.03, -0.02, -0.62, 0.1, -0.05, 0.2)));
  states[1].wrench = {Vec3<double>(3, -5, 7), Vec3<double>(-20, 40, 60)};
  std::vector<VecX<double>> tau;
  VecX<double> q;
  AlongOptions options;
  options.each_from_home = true;
  inverse_along(m, states, options, [&](const AlongRow& row) {
    tau.push_back(row.w.tau);
    q = row.w.q;
    return true;
  });
  ASSERT_THAT(tau, SizeIs(2));
  for (unsigned seed = 0; seed < 5; ++seed) {
    Workspace<double> w = placed(m, q);
    MasterForm<double> form = make_master_form(m, w, Master::platform);
    const PlatformRates<double> x{random_vector(3, seed), random_vector(3, seed + 10)};
    motion_from_platform(m, w, form, x);
    double power = states[1].wrench.force.dot(x.v) + states[1].wrench.moment.dot(x.w);
    for (std::size_t i = 0; i < m.actuator.size(); ++i)
      power += (tau[1] - tau[0])[static_cast<Eigen::Index>(i)] * w.v[m.actuator[i]];
    EXPECT_NEAR(power, 0, 1e-10);
  }
}

TEST(InverseAlong, RowsFromHomeDoNotDependOnTheirOrder) {
  const Mechanism<double>& m = shipped("five_bar");
  std::vector<KnownState> states;
  for (unsigned seed = 0; seed < 6; ++seed) states.push_back(moving(m, seed));
  AlongOptions options;
  options.each_from_home = true;
  std::vector<VecX<double>> there, back;
  inverse_along(m, states, options, [&](const AlongRow& row) { return there.push_back(row.w.tau), true; });
  std::reverse(states.begin(), states.end());
  inverse_along(m, states, options, [&](const AlongRow& row) { return back.push_back(row.w.tau), true; });
  ASSERT_THAT(there, SizeIs(6));
  ASSERT_THAT(back, SizeIs(6));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_LT((there[i] - back[5 - i]).norm(), 1e-9 * there[i].norm());
}

TEST(InverseAlong, EndsAtTheStateThatCannotBeReached) {
  const Mechanism<double>& m = shipped("hexapod");
  std::vector<KnownState> states = {at_pose(pose(0, 0, -0.65)), at_pose(pose(0, 0, -0.66), 0.1),
                                    at_pose(pose(0, 0, -0.66), 0.2)};
  std::get<PlatformMotion>(states[1].motion.motion).pose.p.x() = 1e3;
  const Mechanism<double>& bar = shipped("five_bar");
  std::size_t rows = 0;
  std::vector<KnownState> far = {at_pose(pose(0, 0.4, 0)), at_pose(pose(0, 0.9, 0), 0.1)};
  const AlongAnswer answer = inverse_along(bar, far, {}, [&](const AlongRow&) { return ++rows > 0; });
  EXPECT_EQ(answer.status, Status::unreachable);
  EXPECT_EQ(answer.rows, 1U);
  EXPECT_EQ(rows, 1U);
  EXPECT_THAT(answer.explain("way.yaml"), testing::StartsWith("way.yaml: t = 0.1: unreachable: leg "));
  const AlongAnswer long_legs = inverse_along(m, states, {}, [](const AlongRow& row) {
    EXPECT_EQ(row.index == 1, !row.beyond.empty()) << "limits are told, and the motion goes on";
    return true;
  });
  EXPECT_TRUE(long_legs.ok());
}

TEST(InverseAlong, StopsWhenTheCallbackSaysSo) {
  const Pendulum p;
  const AlongAnswer answer = inverse_along(p.m, p.states, {}, [](const AlongRow& row) { return row.index < 9; });
  EXPECT_TRUE(answer.ok());
  EXPECT_TRUE(answer.stopped);
  EXPECT_EQ(answer.rows, 10U);
}

TEST(InverseAlong, RefusesAMotionOfTooFewCoordinates) {
  const Mechanism<double>& m = shipped("four_bar");
  KnownState s = at_pose({});
  EXPECT_THROW(inverse_along(m, std::vector{s}, {}, [](const AlongRow&) { return true; }), Error);
  AlongOptions options;
  options.dynamics.weights = {1, 2};
  s.motion.motion = ActuatorMotion{VecX<double>::Ones(1), VecX<double>::Zero(1), VecX<double>::Zero(1)};
  EXPECT_THROW(inverse_along(m, std::vector{s}, options, [](const AlongRow&) { return true; }), Error);
}

TEST(InverseAlong, RedundantActuatorsMustAgreeInTheirRates) {
  const Mechanism<double>& m = shipped("redundant_five_bar");
  KnownState s;
  s.motion.motion = ActuatorMotion{actuators_of(m, m.home), VecX<double>::Constant(3, 0.1), VecX<double>::Zero(3)};
  const AlongAnswer answer = inverse_along(m, std::vector{s}, {}, [](const AlongRow&) { return true; });
  EXPECT_EQ(answer.status, Status::unreachable);
  EXPECT_THAT(answer.reason, HasSubstr("the actuators disagree: the velocity of"));
}

// ------------------------------------------------------------------------------------------------ forward

class ForwardAlong : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Robots, ForwardAlong,
                         testing::Values("hexapod", "five_bar", "redundant_five_bar", "rrr3", "delta", "psp3"),
                         [](const auto& of) { return of.param; });

TEST_P(ForwardAlong, OfTheInverseReturnsTheAccelerations) {
  const Mechanism<double>& m = shipped(GetParam());
  std::vector<KnownState> states;
  for (unsigned seed = 0; seed < 4; ++seed) states.push_back(moving(m, seed));
  states[1].wrench = {Vec3<double>(0.1, 0.2, -0.3), Vec3<double>(4, -5, 6)};
  AlongOptions options;
  options.each_from_home = true;
  std::vector<VecX<double>> a;
  ASSERT_TRUE(inverse_along(m, states, options, [&](const AlongRow& row) {
                states[row.index].tau = row.w.tau;
                a.push_back(row.w.a);
                return true;
              }).ok());
  for (const Formulation by : all_formulations) {
    options.dynamics.by = by;
    const AlongAnswer answer = forward_along(m, states, options, [&](const AlongRow& row) {
      EXPECT_LT((row.w.a - a[row.index]).norm(), 1e-9 * a[row.index].norm()) << name(by);
      return true;
    });
    EXPECT_TRUE(answer.ok()) << answer.reason;
    EXPECT_EQ(answer.rows, 4U);
  }
}

// ------------------------------------------------------------------------------------------------ elastic joints

struct ElasticBar {
  const Mechanism<double>& m = shipped("elastic_five_bar");
  KnownState state = moving(m, 3);

  AlongRow* nothing = nullptr;
  /// What `see` looks at for the state with this elastic motion.
  template <class See>
  void inverse(ElasticMotion elastic, See&& see) const {
    AlongOptions options;
    options.elastic = elastic;
    const AlongAnswer answer = inverse_along(m, std::vector{state}, options, [&](const AlongRow& row) {
      see(row);
      return true;
    });
    EXPECT_TRUE(answer.ok()) << answer.reason;
  }
};

TEST(ElasticAlong, LockedJointsStayAndSayWhatIsMissing) {
  const ElasticBar bar;
  bar.inverse(ElasticMotion::locked, [&](const AlongRow& row) {
    for (const int e : bar.m.elastic) {
      EXPECT_EQ(row.w.q[position_index(bar.m, e)], bar.m.rest[at(e)]);
      EXPECT_NEAR(row.w.v[e], 0, 1e-12);
    }
    EXPECT_GT(row.d.elastic_residual().cwiseAbs().maxCoeff(), 0.1);
  });
}

/// Stiff springs: the deflection is the force that was missing over the stiffness, to a part in a thousand.
TEST(ElasticAlong, QuasistaticJointsYieldToTheMissingForce) {
  const ElasticBar bar;
  VecX<double> missing;
  bar.inverse(ElasticMotion::locked, [&](const AlongRow& row) { missing = row.d.elastic_residual(); });
  bar.inverse(ElasticMotion::quasistatic, [&](const AlongRow& row) {
    EXPECT_LT(row.d.elastic_residual().cwiseAbs().maxCoeff(), 1e-8);
    for (std::size_t i = 0; i < bar.m.elastic.size(); ++i) {
      const int e = bar.m.elastic[i];
      const double yields = row.w.q[position_index(bar.m, e)] - bar.m.rest[at(e)];
      EXPECT_NEAR(yields * bar.m.stiffness[at(e)], -missing[static_cast<Eigen::Index>(i)],
                  1e-3 * missing.cwiseAbs().maxCoeff());
    }
    EXPECT_LT(apart(platform_pose(bar.m, row.w), {platform_pose(bar.m, row.w).R, bar.state.motion.platform().pose.p}),
              1e-10)
        << "the platform is held";
  });
}

/// Drives that are elastic themselves follow the platform: their springs take a share of the forces of the rigid robot.
TEST(ElasticAlong, ElasticDrivesFollowThePlatform) {
  const Mechanism<double>& rigid = shipped("hexapod");
  const std::string file = std::string(GOUGH_SOURCE_DIR) + "/robots/hexapod.yaml";
  const double c = 2e4, rest = 0.7;
  const Mechanism<double> m = load_robot(file, {{{"test", 1}, "legs.joints.drive.role", {"actuated", "elastic"}, true},
                                                {{"test", 1}, "legs.joints.drive.stiffness", {"2e4 N/m"}, false},
                                                {{"test", 1}, "legs.joints.drive.rest", {"0.7"}, false}});
  const KnownState state = moving(rigid, 3);
  VecX<double> tau;
  inverse_along(rigid, std::vector{state}, {}, [&](const AlongRow& row) {
    tau = row.w.tau;
    return true;
  });
  for (const Formulation by : all_formulations) {
    AlongOptions options;
    options.dynamics.by = by;
    const AlongAnswer answer = inverse_along(m, std::vector{state}, options, [&](const AlongRow& row) {
      for (Eigen::Index i = 0; i < tau.size(); ++i) {
        const double stretch = row.w.q[position_index(m, m.actuator[at(static_cast<int>(i))])] - rest;
        EXPECT_NEAR(row.w.tau[i], tau[i] + c * stretch, 1e-8 * tau.norm()) << name(by);
      }
      return true;
    });
    EXPECT_TRUE(answer.ok()) << name(by) << ": " << answer.reason;
    EXPECT_EQ(answer.rows, 1u);
  }
}

/// The true elastic motion, from forward dynamics, leaves nothing missing.
TEST(ElasticAlong, GivenTheTrueMotionNothingIsMissing) {
  ElasticBar bar;
  bar.state.tau = VecX<double>{{0.4, -0.3}};
  bar.state.elastic_q = VecX<double>{{2e-6, -3e-6}};
  bar.state.elastic_v = VecX<double>{{0.01, 0.02}};
  PlatformMotion motion = bar.state.motion.platform();
  forward_along(bar.m, std::vector{bar.state}, {}, [&](const AlongRow& row) {
    const PlatformRates<double> rates = platform_rates(bar.m, row.w);
    motion.a = rates.a;
    motion.dw = rates.dw;
    bar.state.elastic_a = VecX<double>{{row.w.a[bar.m.elastic[0]], row.w.a[bar.m.elastic[1]]}};
    return true;
  });
  bar.state.motion.motion = motion;
  ASSERT_EQ(bar.state.elastic_a.size(), 2);
  bar.inverse(ElasticMotion::given, [&](const AlongRow& row) {
    EXPECT_LT((row.w.tau - bar.state.tau).norm(), 1e-7) << "springs of 5e6 N/m";
    EXPECT_LT(row.d.elastic_residual().norm(), 1e-6);
  });
}

TEST(ElasticAlong, GivenWithoutItIsRefused) {
  const ElasticBar bar;
  AlongOptions options;
  options.elastic = ElasticMotion::given;
  EXPECT_THROW(inverse_along(bar.m, std::vector{bar.state}, options, [](const AlongRow&) { return true; }), Error);
}

// ------------------------------------------------------------------------------------------------ comparison

TEST(Compare, RandomStatesAreClosedAndTheSameEveryTime) {
  const Mechanism<double>& m = shipped("hexapod");
  const auto once = random_states(m, 20), again = random_states(m, 20);
  ASSERT_EQ(once.size(), 20U);
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].a, again[i].a);
    Workspace<double> w = placed(m, once[i].q);
    w.v = once[i].v;
    tree_velocities(m, w);
    closure_bias(m, w);
    EXPECT_LT(w.phi.norm() + (w.K * w.v).norm() + (w.K * once[i].a - w.k).norm(), 1e-10);
  }
}

TEST(Compare, EveryFormulationAgreesAndIsTimed) {
  const Mechanism<double>& m = shipped("rrr3");
  const Comparison c = compare_formulations(m, random_states(m, 5));
  EXPECT_TRUE(c.agrees());
  ASSERT_THAT(c.formulations, SizeIs(6));
  for (const Compared& f : c.formulations) {
    EXPECT_THAT(f.not_applicable + f.failure, IsEmpty());
    EXPECT_LT(f.inverse.value(), 1e-10);
    EXPECT_LT(f.forward.value(), 1e-10);
    EXPECT_GT(f.inverse_us, 0);
    EXPECT_GT(f.forward_us, 0);
  }
}

TEST(Compare, SaysWhichFormulationDoesNotApply) {
  const std::string text = R"(
robot: light
gravity: [0, -9.81, 0]
bodies: {crank: {mass: 0.1, rod: [0.1, 0, 0]}, coupler: {}, rocker: {mass: 0.2, rod: [0.2, 0, 0]}}
joints:
  crank: {type: revolute, parent: base, child: crank, role: actuated, home: 60 deg}
  knee: {type: revolute, parent: crank, child: coupler, origin: {xyz: [0.1, 0, 0]}, guess: -33 deg}
  rocker: {type: revolute, parent: base, child: rocker, origin: {xyz: [0.25, 0, 0]}, guess: 83 deg}
  close: {type: revolute, parent: coupler, child: rocker, origin: {xyz: [0.25, 0, 0]}, child_origin: {xyz: [0.2, 0, 0]}}
)";
  const Mechanism<double> m = prepared_from(text).mechanism;
  const Comparison c = compare_formulations(m, random_states(m, 3));
  EXPECT_TRUE(c.agrees());
  int left_out = 0;
  for (const Compared& f : c.formulations) left_out += f.not_applicable.empty() ? 0 : 1;
  EXPECT_GT(left_out, 0);
  EXPECT_LT(left_out, 6);
}

}  // namespace
}  // namespace gough::along_test
