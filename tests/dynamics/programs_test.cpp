/// Programs of every robot's dynamics against the general kernels: states near home, wrenches, friction rules, engines; which calls they
/// serve, and which they leave to the kernels.
#include "gough/trace/programs.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <thread>

#include "allocations.hpp"
#include "dynamics/loaded_robots.hpp"
#include "gough/dynamics/compare.hpp"
#include "kinematics/states.hpp"

namespace gough::programs_test {
namespace {

/// Chooses an engine while it lives.
struct Chosen {
  explicit Chosen(Engine e) : before(chosen_engine()) { choose_engine(e); }
  ~Chosen() { choose_engine(before); }
  Chosen(const Chosen&) = delete;
  Chosen& operator=(const Chosen&) = delete;
  Engine before;
};

constexpr int until_used = 1024, until_rewritten = 8192;  // calls, as documented

Workspace<double> moving(const Mechanism<double>& m, unsigned seed) {
  const ClosedState s = closed_state(m, seed);
  Workspace<double> w = placed(m, s.q);
  w.v = s.v, w.a = s.a;
  w.tau = 20 * random_vector(w.tau.size(), seed);
  return w;
}

void load(const Mechanism<double>& m, unsigned seed, ProgramWish::Wrenches on, Workspace<double>& w) {
  for (std::size_t j = 0; j < w.external.size(); ++j) {
    if (on == ProgramWish::Wrenches::none) continue;
    if (on == ProgramWish::Wrenches::platform && static_cast<int>(j) != m.platform.body) continue;
    const VecX<double> f = 5 * random_vector(6, seed + static_cast<unsigned>(j));
    w.external[j] = {f.head<3>(), f.tail<3>()};
  }
}

double apart(const VecX<double>& x, const VecX<double>& y) { return (x - y).norm() / std::max(y.norm(), 1e-300); }

/// Rounding, per unit of condition.
constexpr double rounding = 1e-12;

class ProgramsOfEveryRobot : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Programs, ProgramsOfEveryRobot, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

/// By program and by kernels, at a state; how far apart. Empty: there is no program, which is said.
std::optional<double> difference(const Mechanism<double>& m, Workspace<double> w, bool inverse,
                                 const DynamicsOptions& options = {}) {
  DynamicsOptions o = options;
  Workspace<double> other = w;
  Dynamics<double> by_program(m, w, o);
  o.programs = o.lanes = false;
  Dynamics<double> by_kernels(m, other, o);
  by_program.programs.warm_up(m, w, by_program, inverse);
  const MadeProgram made = by_program.programs.now(inverse);
  if (made.routine == nullptr) {
    EXPECT_FALSE(made.why.empty());
    return std::nullopt;
  }
  const bool served = by_program.programs.run(m, w, by_program, inverse);
  EXPECT_TRUE(served) << "a guard failed";
  const DynamicsAnswer answer =
      inverse ? inverse_dynamics(m, other, by_kernels) : forward_dynamics(m, other, by_kernels);
  EXPECT_TRUE(answer.ok()) << answer.reason;
  const Condition c = condition_estimate(m, w.q);
  const double cond = inverse ? c.inverse : c.forward;
  double worst = apart(inverse ? w.tau : w.a, inverse ? other.tau : other.a) / cond;
  if (m.equations > 0)
    worst = std::max(worst, apart(w.K.transpose() * w.lambda, w.K.transpose() * other.lambda) / cond);
  if (inverse && by_program.efforts.size() > w.tau.size())
    worst = std::max(worst, apart(by_program.elastic_residual(), by_kernels.elastic_residual()) / cond);
  return worst;
}

TEST_P(ProgramsOfEveryRobot, ComputesWhatTheKernelsDo) {
  for (const bool inverse : {true, false})
    for (unsigned seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(inverse ? "inverse" : "forward");
      const auto d = difference(m, moving(m, seed), inverse);
      if (d) { EXPECT_LT(*d, rounding); }
    }
}

TEST_P(ProgramsOfEveryRobot, HasPrograms) {
  const FastPath path = describe_programs(m);
  EXPECT_TRUE(path.used) << path.why;
}

/// With springs, dampers, dry and other friction, rotors; wrenches on no body, the platform, any; friction as a sign, smooth, given.
TEST_P(ProgramsOfEveryRobot, KnowsEveryLoad) {
  const Mechanism<double> loaded = with_everything(m, 3);
  for (const auto on : {ProgramWish::Wrenches::none, ProgramWish::Wrenches::platform, ProgramWish::Wrenches::any}) {
    if (on == ProgramWish::Wrenches::platform && !m.platform.exists()) continue;
    Workspace<double> w = moving(loaded, 5);
    load(loaded, 11, on, w);
    if (on == ProgramWish::Wrenches::platform) w.coulomb.smooth = 0.01;
    if (on == ProgramWish::Wrenches::any) w.coulomb.given = true, w.slip = random_vector(w.slip.size(), 9);
    for (const bool inverse : {true, false}) {
      SCOPED_TRACE(inverse ? "inverse" : "forward");
      const auto d = difference(loaded, w, inverse);
      if (d) { EXPECT_LT(*d, rounding) << static_cast<int>(on); }
    }
  }
}

TEST_P(ProgramsOfEveryRobot, InterpreterAndMachineCodeGiveTheSameBits) {
  if (engine::instructions() == engine::Instructions::none) GTEST_SKIP() << "no machine code here";
  for (const bool inverse : {true, false}) {
    Workspace<double> w = moving(m, 3), v = w;
    Dynamics<double> d(m, w);
    d.programs.warm_up(m, w, d, inverse);
    if (d.programs.now(inverse).routine == nullptr) continue;
    ASSERT_TRUE(d.programs.now(inverse).routine->is_code());
    ASSERT_TRUE(d.programs.run(m, w, d, inverse));
    {
      const Chosen interpreter(Engine::interpreter);
      ASSERT_TRUE(d.programs.run(m, v, d, inverse));
    }
    const VecX<double>&x = inverse ? w.tau : w.a, &y = inverse ? v.tau : v.a;
    for (Eigen::Index i = 0; i < x.size(); ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(x[i]), std::bit_cast<std::uint64_t>(y[i])) << i;
    EXPECT_EQ(w.lambda, v.lambda);
  }
}

class ProgramsOfSomeRobots : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Programs, ProgramsOfSomeRobots,
                         testing::Values("five_bar", "rrr3", "delta", "hexapod", "andrews", "elastic_five_bar"),
                         [](const auto& of) { return of.param; });

TEST_P(ProgramsOfSomeRobots, EveryFormulationHasPrograms) {
  for (const Formulation by : all_formulations) {
    DynamicsOptions o;
    o.by = by;
    const Workspace<double> w = moving(m, 4);
    if (!not_applicable(m, w, by).empty()) continue;
    SCOPED_TRACE(name(by));
    for (const bool inverse : {true, false}) {
      const auto d = difference(m, w, inverse, o);
      ASSERT_TRUE(d.has_value());
      EXPECT_LT(*d, rounding);
    }
  }
}

/// From the platform's motion: the same forces as from the joints', whose positions are not looked for.
class ProgramsFromThePlatform : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Programs, ProgramsFromThePlatform,
                         testing::Values("five_bar", "rrr3", "delta", "palida", "hexapod", "triglide", "hexa"),
                         [](const auto& of) { return of.param; });

TEST_P(ProgramsFromThePlatform, HasTheForcesOfTheJointsMotion) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Workspace<double> w = moving(m, seed), other = w;
    tree_velocities(m, w);
    tree_accelerations(m, w);
    const Transform<double> pose = platform_pose(m, w);
    const PlatformRates<double> rates = platform_rates(m, w);
    Dynamics<double> d(m, w), kernels(m, other, {.lanes = false, .programs = false});
    d.programs.warm_up(m, w, d, true, true);
    w.q.setConstant(std::nan(""));
    ASSERT_TRUE(d.programs.run(m, pose, rates, w, d)) << "no program, or a guard";
    ASSERT_TRUE(inverse_dynamics(m, other, kernels).ok());
    EXPECT_LT(apart(w.tau, other.tau), rounding * condition_estimate(m, other.q).inverse);
    Workspace<double> loaded = other;  // what it does not know it leaves alone
    loaded.external.back().force.x() = 1;
    EXPECT_FALSE(d.programs.run(m, pose, rates, loaded, d));
    loaded = other;
    loaded.coulomb.smooth = 0.1;
    EXPECT_FALSE(d.programs.run(m, pose, rates, loaded, d));
  }
}

TEST_P(ProgramsOfSomeRobots, PullsOpenLoopsTogether) {
  DynamicsOptions o;
  o.alpha = 3, o.beta = 5;
  Workspace<double> w = moving(m, 6);
  const VecX<double> off = 1e-4 * random_vector(m.nv, 2);
  displace(m, off, w.q);
  w = placed(m, w.q), w.v = 0.3 * random_vector(m.nv, 8), w.tau = random_vector(w.tau.size(), 1);
  const auto d = difference(m, w, false, o);
  if (m.rank < m.equations) GTEST_SKIP() << "redundant equations contradict each other where loops are open";
  ASSERT_TRUE(d.has_value());
  EXPECT_LT(*d, rounding);
}

/// Which calls a program serves is counted: the numbers are the same however fast the machine is.
TEST_P(ProgramsOfSomeRobots, ServesFromACountedCallOn) {
  const Chosen automatic(Engine::automatic);
  const Workspace<double> start = moving(m, 7);
  std::array<std::vector<double>, 2> runs;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    Workspace<double> w = start;
    Dynamics<double> d(m, w);
    for (int call = 1; call <= until_rewritten + 1; ++call) {
      ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
      runs[run].push_back(w.tau[0]);
      const bool has = d.programs.now(true).routine != nullptr;
      ASSERT_EQ(has, call >= until_used) << call;
    }
  }
  EXPECT_EQ(runs[0], runs[1]);
  Workspace<double> w = start;
  Dynamics<double> kernels(m, w, {.programs = false});
  ASSERT_TRUE(inverse_dynamics(m, w, kernels).ok());
  EXPECT_EQ(runs[0].front(), w.tau[0]);
  EXPECT_NEAR(runs[0].back(), w.tau[0], 1e-10 * w.tau.norm());
}

TEST_P(ProgramsOfSomeRobots, NothingIsAllocatedPerCall) {
  if (!allocations_are_counted) GTEST_SKIP() << "the sanitizer has its own malloc";
  Workspace<double> w = moving(m, 2);
  Dynamics<double> d(m, w);
  warm_up(m, w, d);
  const long before = allocations();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
    ASSERT_TRUE(forward_dynamics(m, w, d).ok());
  }
  EXPECT_EQ(allocations() - before, 0);
}

TEST_P(ProgramsOfSomeRobots, EnginesCanBeForced) {
  const Workspace<double> w = moving(m, 3);
  const auto way = [&](Engine e) {
    const Chosen chosen(e);
    Workspace<double> v = w;
    Dynamics<double> d(m, v);
    EXPECT_TRUE(inverse_dynamics(m, v, d).ok());
    const MadeProgram made = d.programs.now(true);
    return made.routine == nullptr ? "kernels" : made.routine->runs_as();
  };
  EXPECT_EQ(way(Engine::kernels), "kernels");
  EXPECT_EQ(way(Engine::interpreter), "interpreter");
  EXPECT_EQ(way(Engine::automatic), "kernels") << "at a first call";
  if (engine::instructions() != engine::Instructions::none) {
    EXPECT_TRUE(way(Engine::code).starts_with("machine code"));
  }
}

/// What a guard refuses the kernels answer, in their words.
TEST_P(ProgramsOfSomeRobots, WhatIsOutOfRangeIsTheKernels) {
  Workspace<double> w = moving(m, 2);
  Dynamics<double> d(m, w);
  warm_up(m, w, d);
  Workspace<double> bad = w;
  bad.q[0] = std::nan("");
  EXPECT_FALSE(d.programs.run(m, bad, d, true));
  EXPECT_TRUE(!inverse_dynamics(m, bad, d).ok() || d.lanes.usable());  // lanes take the platform's motion alone
  bad = w;
  bad.v[0] = std::nan("");
  EXPECT_FALSE(d.programs.run(m, bad, d, true));
  EXPECT_TRUE(!inverse_dynamics(m, bad, d).ok() || d.lanes.usable());
  for (const TreeJoint& joint : m.joint) {
    bad = w;
    if (joint.type == Elementary::revolute) bad.q[joint.q] += 2 * std::numbers::pi * 1e6;
    else if (has_turns(joint)) bad.q.segment<4>(joint.q + (joint.type == Elementary::free ? 3 : 0)) *= 1 + 1e-6;
    else continue;
    EXPECT_FALSE(d.programs.run(m, bad, d, true)) << m.coordinate[static_cast<std::size_t>(joint.v)].name;
  }
}

/// Loops that are open are not taken as closed.
TEST_P(ProgramsOfSomeRobots, OpenLoopsAreTheKernels) {
  Workspace<double> w = moving(m, 2);
  Dynamics<double> d(m, w);
  warm_up(m, w, d);
  const VecX<double> off = 1e-6 * random_vector(m.nv, 3);
  displace(m, off, w.q);
  if (open_by(m, w.q) < 1e-9) GTEST_SKIP() << "it has no loops";
  EXPECT_FALSE(d.programs.run(m, w, d, false));
  Workspace<double> v = w;
  Dynamics<double> kernels(m, v, {.programs = false});
  ASSERT_TRUE(forward_dynamics(m, w, d).ok());
  ASSERT_TRUE(forward_dynamics(m, v, kernels).ok());
  EXPECT_LT(apart(w.a, v.a), 1e-9);
}

/// A long way through singular positions: programs and kernels by turns, never a wrong number.
TEST(Programs, FollowARobotThroughItsSingularPositions) {
  const Chosen code(Engine::code);
  const Mechanism<double>& m = shipped("n_four_bar_40");
  Workspace<double> w = placed(m, m.home);
  Dynamics<double> d(m, w);
  int served = 0;
  constexpr int steps = 126;
  for (int k = 0; k < steps; ++k) {
    const Selection s = select_any(m, w, m.rank);
    ExplicitForm<double> form(m, s);
    explicit_form(w, s, form);
    const VecX<double> on = form.G * VecX<double>::Constant(form.G.cols(), 0.05);
    displace(m, on, w.q);
    for (int i = 0; i < 8; ++i) refine_position(m, w, s, form);
    tree_positions(m, w);
    closure(m, w);
    const VecX<double> rate = VecX<double>::Constant(form.G.cols(), 0.7);
    explicit_motion(m, w, s, form, rate, rate);
    ASSERT_TRUE(inverse_dynamics(m, w, d).ok()) << k;
    served += d.programs.run(m, w, d, true) ? 1 : 0;
    Workspace<double> there = w;
    Dynamics<double> fresh(m, there, {.programs = false});
    ASSERT_TRUE(inverse_dynamics(m, there, fresh).ok());
    EXPECT_LT(apart(w.tau, there.tau), 1e-8) << k;
  }
  EXPECT_GT(served, steps / 4);
}

TEST(Programs, RobotsWithoutASourceHaveNone) {
  const Mechanism<double> m = prepare_kernels(read_robot(robot_path("five_bar"))).mechanism;
  Workspace<double> w = moving(m, 1);
  Dynamics<double> d(m, w);
  const Chosen code(Engine::code);
  ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
  EXPECT_EQ(d.programs.now(true).routine, nullptr);
  EXPECT_FALSE(describe_programs(m).used);
}

TEST(Programs, FrictionOfAProgramStaysWithTheKernels) {
  define_friction("programs_test", [](double v) { return std::tanh(v); });
  RobotDescription robot = read_robot(robot_path("five_bar"));
  robot.coefficients["c"] = 0.3;
  for (JointDescription& j : robot.joints)
    for (CoordinateDescription& c : j.coordinates) c.friction = {{"programs_test", "c"}};
  const Mechanism<double> m = prepare(robot).mechanism;
  const Chosen code(Engine::code);
  Workspace<double> w = moving(m, 1), v = w;
  Dynamics<double> d(m, w), kernels(m, v, {.programs = false});
  ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
  ASSERT_TRUE(inverse_dynamics(m, v, kernels).ok());
  EXPECT_EQ(w.tau, v.tau);
}

/// The comparison sees a program of a robot that is a little different.
TEST(Programs, AWrongOneIsRefused) {
  for (const std::string name : {"five_bar", "hexapod", "six_r"}) {
    const Mechanism<double>& m = shipped(name);
    Mechanism<double> heavier = m;
    for (Inertia<double>& I : heavier.inertia) I.mass *= 1 + 1e-4;
    for (const bool inverse : {true, false}) {
      Workspace<double> w(m);
      const Dynamics<double> d(m, w);
      const ProgramWish wish{.inverse = inverse};
      EXPECT_EQ(why_not_program(m, d, wish, Routine(trace_dynamics(m, d, wish))), "");
      EXPECT_NE(why_not_program(m, d, wish, Routine(trace_dynamics(heavier, d, wish))), "") << name;
    }
  }
}

/// Several threads, one mechanism: programs are shared, what they write is not.
TEST(Programs, AreSharedByThreads) {
  const Mechanism<double>& m = shipped("delta");
  const Workspace<double> start = moving(m, 4);
  std::vector<VecX<double>> tau(4);
  std::vector<std::thread> threads;
  for (VecX<double>& mine : tau)
    threads.emplace_back([&mine, &m, &start] {
      Workspace<double> w = start;
      Dynamics<double> d(m, w);
      for (int i = 0; i < until_used + 100; ++i) inverse_dynamics(m, w, d);
      mine = w.tau;
    });
  for (std::thread& t : threads) t.join();
  for (const VecX<double>& x : tau) EXPECT_EQ(x, tau.front());
}

}  // namespace
}  // namespace gough::programs_test
