/// Random mechanisms against Newton's and Euler's equations of the bodies that their descriptions name. Whatever stands between a
/// description and its dynamics is judged here: merging of fixed and massless bodies, trees, cuts, ranks, idle motions, the choice of
/// coordinates, fast paths and formulations.
///
/// GOUGH_RANDOM_SEEDS=1000 GOUGH_RANDOM_FIRST=61 in the environment: how many seeds, and the first of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "decompositions.hpp"
#include "dynamics/description_witness.hpp"
#include "dynamics/random_mechanisms.hpp"
#include "gough/dynamics/compare.hpp"
#include "gough/dynamics/energy.hpp"
#include "gough/dynamics/reactions.hpp"
#include "gough/model/build.hpp"
#include "gough/trace/prepare.hpp"
#include "kinematics/states.hpp"

namespace gough::random_mechanisms_test {
namespace {

using Eigen::Index;
using witness::Bodies;
using witness::Equations;
using witness::Model;

// ------------------------------------------------------------------------------------------------ tolerances

/// The library closes its cut joints to 1e-12; over twenty bodies of half a metre that may grow a hundred times. What velocities and
/// accelerations leave open is compared with their own size.
constexpr double closed_to = 1e-9;
/// Rounding per unit of condition number, as in gough/dynamics/fast_paths.hpp, but never more than 1e-6: rounding itself is 1e-16 times the
/// condition times the few hundred terms of a sum, in the library as in the witness, and states beyond a condition of 1e8 are left out.
constexpr double worst_condition = 1e8;
double allowed_at(double condition) { return std::min(1e-9 * condition, 1e-6); }
/// Of singular values: where the witness calls a matrix regular, and where singular. Between, either answer may be right.
constexpr double surely_regular = 1e-3, surely_singular = 1e-12;
/// Of eigenvalues of a mass matrix: where everything has inertia. The library takes 1e-12 as none, the witness 1e-11.
constexpr double surely_inert = 1e-7;

constexpr double unset = std::numeric_limits<double>::quiet_NaN();

// ------------------------------------------------------------------------------------------------ the library's bodies as the author's

/// Poses and velocities of the author's bodies as the library moves them; massless ones that became part of a joint as in `before`.
Bodies bodies_of(const Mechanism<double>& m, const Workspace<double>& w, const Model& model, const Bodies& before) {
  Bodies all = before;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int j = m.find_body(model.body[i]);
    if (j < base) continue;
    const Transform<double> F = m.author_frame(model.body[i]);
    all[i] = {F, Vec3<double>::Zero(), Vec3<double>::Zero()};
    if (j == base) continue;
    const Transform<double>& X = w.X0[at(j)];
    const Motion<double>& V = w.V[at(j)];
    all[i] = {X * F, X.R * V.angular, X.R * (V.linear + V.angular.cross(F.p))};
  }
  return all;
}

/// (w'; a of the origin) of the author's bodies. Workspace::A is the twist's derivative in fixed space: docs/theory/motion.md.
VecX<double> accelerations_of(const Mechanism<double>& m, const Workspace<double>& w, const Model& model) {
  VecX<double> x = VecX<double>::Zero(6 * model.bodies());
  for (int i = 0; i < model.bodies(); ++i) {
    const int j = m.find_body(model.body[at(i)]);
    if (j < 0) continue;
    const Vec3<double> p = m.author_frame(model.body[at(i)]).p;
    const Motion<double>&V = w.V[at(j)], &A = w.A[at(j)];
    const Vec3<double> v = V.linear + V.angular.cross(p), a = A.linear + A.angular.cross(p) + V.angular.cross(v);
    x.segment<6>(6 * i) << w.X0[at(j)].R * A.angular, w.X0[at(j)].R * a;
  }
  return x;
}

// ------------------------------------------------------------------------------------------------ idle motions

/// A direction given in a body's axes, in the base's; and back.
Vec3<double> in_base(const Mechanism<double>& m, const Workspace<double>& w, const std::string& body,
                     const Vec3<double>& x) {
  const int j = m.find_body(body);
  return j < 0 ? Vec3<double>(m.author_frame(body).R * x) : Vec3<double>(w.X0[at(j)].R * (m.author_frame(body).R * x));
}
Vec3<double> in_body(const Mechanism<double>& m, const Workspace<double>& w, const std::string& body,
                     const Vec3<double>& x) {
  Vec3<double> own;
  for (int k = 0; k < 3; ++k) own[k] = x.dot(in_base(m, w, body, Vec3<double>::Unit(k)));
  return own;
}

/// Locks in the model what lock_idle_motions locks in the description. False: a coordinate is no longer one of the author's.
bool lock_alike(const RobotDescription& robot, Model& model) {
  if (!robot.lock_idle) return true;
  const RobotDescription loose = merge_bodies(robot);
  Mechanism<double> m = build(loose);
  if (!assemble_home(m).assembly.closed) return true;
  std::vector<IdleMotion> idle = find_idle_motions(loose, m);
  const RobotDescription tight = lock_idle_motions(loose, m, idle);
  const Workspace<double> w = placed(m, m.home);
  const auto name_of = [&](int body) {
    return body == witness::ground ? std::string(base_name) : model.body[at(body)];
  };
  for (std::size_t i = 0; i < tight.joints.size(); ++i) {
    const JointDescription &before = loose.joints[i], &after = tight.joints[i];
    if (before.kind != after.kind) {  // a ball became a universal joint
      const int j = model.find_joint(after.name);
      const Vec3<double> a = in_base(m, w, after.parent, after.origin.R.col(2)),
                         b = in_base(m, w, after.child, after.child_origin.R.col(0));
      const witness::Joint& own = model.joint[at(j)];
      model.spin_lock.push_back({j, in_body(m, w, name_of(own.parent), a), in_body(m, w, name_of(own.child), b)});
    }
    for (std::size_t k = 0; k < after.coordinates.size(); ++k) {
      if (!after.coordinates[k].locked || before.coordinates[k].locked) continue;
      const int c = model.find_coordinate(coordinate_name(after, k));
      if (c < 0 || before.kind != after.kind) return false;
      model.coordinate[at(c)].locked = true;
      model.coordinate[at(c)].locked_at = after.coordinates[k].home.value_or(0.0);
    }
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ states

/// Everything about a robot that does not change from state to state.
struct Robot {
  RandomMechanism random;
  Prepared prepared;
  Model loose, model;       ///< as described; with idle motions locked as the library locks them
  bool locks_alike;         ///< that was possible
  std::vector<bool> known;  ///< bodies that the library moves: not those that it has merged into joints
  int rods = 0;             ///< massless ones between balls, merged into distances: their spin is gone

  explicit Robot(unsigned seed)
      : random(random_mechanism_at_home(seed)),
        prepared(prepare(random.robot)),
        loose(random.robot),
        model(random.robot),
        locks_alike(lock_alike(random.robot, model)) {
    for (const std::string& name : model.body) known.push_back(m().find_body(name) >= base);
    for (const std::string& text : m().merged)
      rods += text.find("became the distance joint") != std::string::npos ? 1 : 0;
  }
  const Mechanism<double>& m() const { return prepared.mechanism; }

  Bodies drawn() const {
    Bodies all;
    for (const std::string& name : model.body)
      all.push_back({random.pose.at(name), Vec3<double>::Zero(), Vec3<double>::Zero()});
    return all;
  }
  /// None where the pose of a merged body is not found.
  std::optional<Bodies> bodies(const Workspace<double>& w, const Bodies& before) const {
    Bodies all = bodies_of(m(), w, model, before);
    if (!complete(model, all, known)) return std::nullopt;
    return all;
  }
  /// Of all bodies, for accelerations `a` of the tree's coordinates. Positions and rates stand in `w`.
  VecX<double> accelerations(Workspace<double> w, const VecX<double>& a, const Equations& e) const {
    w.a = a;
    tree_velocities(m(), w);
    tree_accelerations(m(), w);
    VecX<double> x = accelerations_of(m(), w, model);
    complete_accelerations(e, known, x);
    return x;
  }
};

/// Accelerations, and the forces that Newton asks for.
struct AskedMotion {
  VecX<double> a, x;  ///< of the tree's coordinates; of all bodies
  witness::Inverse needed;
};

/// A closed position with closed rates, loads, and what the witness says about them.
struct State {
  VecX<double> q, v, tau;
  Equations e;
  witness::Load load;  ///< tau, and wrenches on some bodies
  witness::Forward expected;
  Condition condition;
  std::vector<AskedMotion> motion;  ///< any; then that which tau makes

  bool well_conditioned() const { return condition.forward < worst_condition; }
  bool everything_has_inertia(const Robot& r) const {
    return expected.loose == r.rods && expected.least_inertia > surely_inert;
  }
};

/// Positions, rates, drives and wrenches of a state.
Workspace<double> loaded(const Robot& r, const State& s) {
  Workspace<double> w = placed(r.m(), s.q);
  w.v = s.v;
  w.tau = s.tau;
  for (const witness::External& f : s.load.external)
    if (const int j = r.m().find_body(r.model.body[at(f.body)]); j >= 0)
      w.external[at(j)] += Force<double>{f.moment, f.force};
  return w;
}

void add_motion(const Robot& r, const VecX<double>& a, State& s) {
  const VecX<double> x = r.accelerations(loaded(r, s), a, s.e);
  s.motion.push_back({a, x, witness::inverse(s.e, x, s.load.external)});
}

/// What the drives make of it, by the formulation that solves for everything at once; other tests compare it with Newton.
void add_own_motion(const Robot& r, State& s) {
  Workspace<double> w = loaded(r, s);
  DynamicsOptions o;
  o.by = Formulation::multipliers;
  if (s.everything_has_inertia(r) && s.well_conditioned() && forward_dynamics(r.m(), w, o).ok()) add_motion(r, w.a, s);
}

/// The slowest of the rates on which dry friction depends, of those that can be other than zero at all.
double slowest_dry_rate(const Equations& e, const MatX<double>& N) {
  double slowest = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < e.rate.size(); ++c)
    for (const auto& [function, coefficient] : e.m.coordinate[at(c)].friction)
      if (function == "coulomb" && (e.S.row(c) * N).norm() > 1e-8) slowest = std::min(slowest, std::abs(e.rate[c]));
  return slowest;
}

/// Random forces of the drives, and wrenches on three bodies, one of them welded to another if there is one.
witness::Load random_load(const Robot& r, const VecX<double>& tau, unsigned seed) {
  const Mechanism<double>& m = r.m();
  witness::Load load{VecX<double>::Zero(static_cast<Index>(r.model.coordinate.size())), {}};
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    load.drive[r.model.find_coordinate(m.coordinate[at(m.actuator[i])].name)] += tau[static_cast<Index>(i)];
  std::vector<int> bodies;
  if (!m.welded.empty()) bodies.push_back(r.model.find_body(m.welded[seed % m.welded.size()].name));
  for (unsigned i = 0; i < 2 * static_cast<unsigned>(r.model.bodies()) && bodies.size() < 3; ++i) {
    const auto b = static_cast<int>((7 * seed + i) % static_cast<unsigned>(r.model.bodies()));
    if (r.known[at(b)] && r.model.mass[at(b)] > 0) bodies.push_back(b);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const VecX<double> f = 5 * random_vector(6, seed + 50 + static_cast<unsigned>(i));
    load.external.push_back({bodies[i], f.head<3>(), f.tail<3>()});
  }
  return load;
}

/// None where the loops are singular, or a rate with dry friction would be as good as zero.
std::optional<State> state_at(const Robot& r, const VecX<double>& q, const Bodies& before, unsigned seed) {
  const Mechanism<double>& m = r.m();
  Workspace<double> w = placed(m, q);
  const MatX<double> basis = null_space_of(w.K);
  if (basis.cols() != m.nv - m.rank) return std::nullopt;
  const auto closed = [&](unsigned i) -> VecX<double> {
    return basis * (basis.transpose() * random_vector(m.nv, seed + i));
  };
  std::optional<Equations> best;
  VecX<double> v;
  double slowest = 1e-6;
  MatX<double> N;
  for (unsigned i = 1; i <= 30 && slowest < 0.01; ++i) {
    w.v = closed(1000 * i);
    if (w.v.norm() > 1e-9) w.v /= w.v.cwiseAbs().maxCoeff();
    tree_velocities(m, w);
    std::optional<Bodies> bodies = r.bodies(w, before);
    if (!bodies) return std::nullopt;
    Equations e(r.model, *std::move(bodies));
    if (N.size() == 0) N = e.allowed();
    if (const double dry = slowest_dry_rate(e, N); dry > slowest) slowest = dry, v = w.v, best.emplace(std::move(e));
  }
  if (!best) return std::nullopt;
  w.v = v;
  tree_velocities(m, w);
  closure_bias(m, w);
  const VecX<double> a = 5 * closed(7) + VecX<double>(shortest_solution(w.K, w.k)),
                     tau = 10 * random_vector(static_cast<Index>(m.actuator.size()), seed);
  const witness::Load load = random_load(r, tau, seed);
  const witness::Forward expected = witness::forward(*best, load);
  State s{q, v, tau, *std::move(best), load, expected, condition_estimate(m, q), {}};
  add_motion(r, a, s);
  add_own_motion(r, s);
  return s;
}

/// A seed, prepared and looked at once: tests share it.
struct Case {
  Robot robot;
  bool closed;
  std::optional<Equations> home, away;  ///< at rest, where the robot was assembled and some way from there
  std::vector<State> states;            ///< at these positions

  explicit Case(unsigned seed) : robot(seed), closed(robot.prepared.home.assembly.closed) {
    if (!closed) return;
    const Mechanism<double>& m = robot.m();
    look(m.home, robot.drawn(), home);
    const VecX<double> q = random_closed(m, seed, 3, 0.1);
    if (home) look(q, home->body, away);
    if (!robot.locks_alike || m.nv == m.rank) return;
    if (home) add(state_at(robot, m.home, home->body, seed));
    if (away) add(state_at(robot, q, away->body, seed + 1));
  }
  void look(const VecX<double>& q, const Bodies& before, std::optional<Equations>& found) const {
    Workspace<double> w = placed(robot.m(), q);
    tree_velocities(robot.m(), w);
    if (std::optional<Bodies> bodies = robot.bodies(w, before)) found.emplace(robot.model, *std::move(bodies));
  }
  void add(std::optional<State> s) {
    if (s) states.push_back(*std::move(s));
  }
};

const Case& case_of(unsigned seed) {
  static std::map<unsigned, std::unique_ptr<Case>> all;
  std::unique_ptr<Case>& one = all[seed];
  if (!one) one = std::make_unique<Case>(seed);
  return *one;
}

// ------------------------------------------------------------------------------------------------ seeds

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}
unsigned count_of_seeds() { return from_environment("GOUGH_RANDOM_SEEDS", 60); }

/// Balls that the tree reaches from their child, with forces that belong to the child's axes, are refused in words.
bool is_refused(const RobotDescription& robot) {
  try {
    (void)build(merge_bodies(robot));
    return false;
  } catch (const Error& e) {
    if (std::string(e.what()).find("expected parent and child the other way round") == std::string::npos) throw;
    return true;
  }
}
std::vector<unsigned> seeds() {
  std::vector<unsigned> all;
  const unsigned first = from_environment("GOUGH_RANDOM_FIRST", 1);
  for (unsigned i = 0; i < count_of_seeds(); ++i)
    if (!is_refused(random_mechanism(first + i))) all.push_back(first + i);
  return all;
}

std::string described(unsigned seed, const RobotDescription& robot) {
  std::string text = "seed " + std::to_string(seed) + ":";
  for (const std::string& f : features(robot)) text += " " + f + ";";
  return text;
}

/// Seeds of which nothing can be compared, with the reason; empty: it can.
std::string useless(const Mechanism<double>& m, bool closed) {
  if (!closed) return "home does not assemble";
  if (m.nv == m.rank) return "it cannot move";
  const Condition c = condition_estimate(m, m.home);
  return c.forward < worst_condition ? "" : "ill-conditioned at home, or something moves without inertia";
}

TEST(RandomMechanisms, CanMostlyBeCompared) {
  std::map<std::string, int> why;
  int left_out = 0, all = 0;
  for (const unsigned seed : seeds()) {
    SCOPED_TRACE(described(seed, random_mechanism(seed)));
    const Prepared p = assemble_robot(random_mechanism(seed));
    const std::string reason = useless(p.mechanism, p.home.assembly.closed);
    left_out += reason.empty() ? 0 : 1;
    ++why[reason];
    ++all;
  }
  std::string counts;
  for (const auto& [reason, n] : why) counts += std::to_string(n) + " " + (reason.empty() ? "compared" : reason) + "\n";
  EXPECT_LE(2 * left_out, all) << counts;
  EXPECT_GT(10 * all, 8 * static_cast<int>(count_of_seeds())) << "too many are refused";
}

/// Every kind of joint and every feature that the generator knows is met: another draw would silently test less.
TEST(RandomMechanisms, HaveEverything) {
  std::map<std::string, int> met;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const RobotDescription robot = random_mechanism(seed);
    for (const std::string& f : features(robot)) ++met[f.substr(f.find_first_of(' ') + 1)];
    ++met[robot.platform ? "platform" : "no platform"];
    for (const BodyDescription& b : robot.bodies) ++met[b.mass > 0 ? "mass" : "no mass"];
  }
  for (const std::string_view kind : joint_kind_names) EXPECT_GT(met[std::string(kind)], 5) << kind;
  for (const char* what :
       {"actuated", "elastic", "locked", "damped", "rotors", "sprung", "friction", "cut: true", "cut: false",
        "point springs", "platform", "no platform", "no mass", "motions locked", "motions free"})
    EXPECT_GT(met[what], 5) << what;
}

class RandomMechanismTest : public testing::TestWithParam<unsigned> {
 protected:
  const Case& c = case_of(GetParam());
  const Mechanism<double>& m = c.robot.m();
  testing::ScopedTrace trace{__FILE__, __LINE__, described(GetParam(), c.robot.random.robot)};
};
INSTANTIATE_TEST_SUITE_P(Dynamics, RandomMechanismTest, testing::ValuesIn(seeds()),
                         [](const auto& of) { return "seed_" + std::to_string(of.param); });

// ------------------------------------------------------------------------------------------------ kinematics

/// Its description is closed where it was drawn. Composite joints in place of massless bodies may be assembled in another way.
TEST_P(RandomMechanismTest, StandsWhereItWasDrawn) {
  const Equations drawn(c.robot.loose, c.robot.drawn());
  EXPECT_LT(drawn.worst(), closed_to) << "the generator's own mistake";
  if (!m.merged.empty()) GTEST_SKIP() << "massless bodies are merged";
  ASSERT_TRUE(c.closed) << c.robot.prepared.home.assembly.explain(m);
  ASSERT_TRUE(c.home);
  for (std::size_t i = 0; i < drawn.body.size(); ++i)
    EXPECT_LT(apart(c.home->body[i].X, drawn.body[i].X), closed_to) << c.robot.model.body[i];
}

TEST_P(RandomMechanismTest, KeepsEveryJointOfItsAuthorClosed) {
  if (!c.closed) GTEST_SKIP() << "home does not assemble";
  ASSERT_TRUE(c.home && c.away) << "the joints of a merged body cannot be closed";
  EXPECT_LT(c.home->worst(), closed_to);
  EXPECT_LT(c.away->worst(), closed_to);
  for (const State& s : c.states) {
    EXPECT_LT((s.e.C * s.e.moving).norm(), closed_to * (1 + s.e.moving.norm()));
    for (const AskedMotion& x : s.motion)
      EXPECT_LT((s.e.C * x.x + s.e.c0).norm(), closed_to * (1 + x.x.norm() + s.e.c0.norm()));
  }
}

/// Freedoms of all bodies less the rank of all constraints, smaller at a general position than at a singular one.
TEST_P(RandomMechanismTest, HasTheMobilityOfItsBodies) {
  if (!c.closed) GTEST_SKIP() << "home does not assemble";
  ASSERT_TRUE(c.home && c.away);
  const int locked = static_cast<int>(m.idle.size()) - m.idle_free;
  const auto of = [&](const Model& model) {
    return std::min(mobility(Equations(model, c.home->body)), mobility(Equations(model, c.away->body)));
  };
  EXPECT_EQ(m.nv - m.rank, of(c.robot.loose) - c.robot.rods - locked);
  if (c.robot.locks_alike) { EXPECT_EQ(m.nv - m.rank, of(c.robot.model) - c.robot.rods) << "with idle motions locked"; }
}

TEST_P(RandomMechanismTest, NamesTheDrivesOfItsAuthor) {
  std::vector<std::string> found, wanted;
  for (const int a : m.actuator) found.push_back(m.coordinate[at(a)].name);
  for (const int a : c.robot.model.actuated()) wanted.push_back(c.robot.model.coordinate[at(a)].name);
  EXPECT_EQ(found, wanted);
}

// ------------------------------------------------------------------------------------------------ dynamics

struct Way {
  std::string name;
  DynamicsOptions options;
};

/// All formulations, the default with and without lanes, and on the platform's coordinates.
std::vector<Way> ways(const Mechanism<double>& m) {
  std::vector<Way> all = {{"default", {}}};
  for (const Formulation f : all_formulations) {
    DynamicsOptions o;
    o.by = f;
    all.push_back({std::string(name(f)), o});
  }
  DynamicsOptions o;
  o.lanes = false;
  all.push_back({"legs without lanes", o});
  o.independent = Independent::platform;
  if (m.platform.floats) all.push_back({"legs on the platform's coordinates", o});
  return all;
}

/// Visits all states by all ways that apply; each way keeps the coordinates that it chose for the first state.
template <class Visit>
void for_each_way(const Case& c, const Visit& visit) {
  const Mechanism<double>& m = c.robot.m();
  for (const Way& way : ways(m)) {
    SCOPED_TRACE(way.name);
    std::optional<Dynamics<double>> d;
    for (const State& s : c.states) {
      SCOPED_TRACE(&s == &c.states.front() ? "first state" : "second state");
      Workspace<double> w = loaded(c.robot, s);
      if (!not_applicable(m, w, way.options.by).empty()) continue;
      if (!d) d.emplace(m, w, way.options);
      visit(s, w, *d);
    }
  }
}

/// Bodies without mass may have motions of their own.
double error_of(const Case& c, const VecX<double>& x, const VecX<double>& expected) {
  double sum = 0, size = 0;
  for (int i = 0; i < c.robot.model.bodies(); ++i) {
    if (c.robot.model.mass[at(i)] == 0) continue;
    sum += (x.segment<6>(6 * i) - expected.segment<6>(6 * i)).squaredNorm();
    size += expected.segment<6>(6 * i).squaredNorm();
  }
  return std::sqrt(sum) / (10 + std::sqrt(size));  // 10 m/s^2: weight, where nothing accelerates
}

/// Of all bodies, for the accelerations that were computed.
VecX<double> found_in(const Case& c, const State& s, const Workspace<double>& w) {
  return c.robot.accelerations(loaded(c.robot, s), w.a, s.e);
}

TEST_P(RandomMechanismTest, AcceleratesAsNewtonSays) {
  int compared = 0;
  for_each_way(c, [&](const State& s, Workspace<double>& w, Dynamics<double>& d) {
    w.a.setConstant(unset);
    w.lambda.setConstant(unset);
    const DynamicsAnswer answer = forward_dynamics(m, w, d);
    if (s.expected.loose > c.robot.rods) {
      EXPECT_FALSE(answer.ok()) << "something moves without inertia";
      return;
    }
    if (!s.everything_has_inertia(c.robot) || !s.well_conditioned()) return;
    ++compared;
    EXPECT_TRUE(answer.ok()) << answer.reason;
    EXPECT_LT(s.expected.residual, 1e-10) << "the witness has no answer";
    EXPECT_LT(error_of(c, found_in(c, s, w), s.expected.x), allowed_at(s.condition.forward));
    EXPECT_TRUE(w.lambda.allFinite());
  });
  if (compared == 0) GTEST_SKIP() << "no state can be compared";
}

/// The actuators' forces, then what joints that are only elastic lack, in the witness's order.
VecX<double> forces_found(const Case& c, const Workspace<double>& w, const Dynamics<double>& d) {
  const Mechanism<double>& m = c.robot.m();
  VecX<double> of_library(static_cast<Index>(m.driven().size()));
  of_library.head(w.tau.size()) = w.tau;
  of_library.tail(of_library.size() - w.tau.size()) = d.elastic_residual();
  const std::vector<int> wanted = c.robot.model.driven();
  VecX<double> ordered = VecX<double>::Constant(static_cast<Index>(wanted.size()), unset);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    for (std::size_t k = 0; k < m.driven().size(); ++k)
      if (m.coordinate[at(m.driven()[k])].name == c.robot.model.coordinate[at(wanted[i])].name)
        ordered[static_cast<Index>(i)] = of_library[static_cast<Index>(k)];
  return ordered;
}

/// One motion by one way. True: there was something to compare.
bool compare_forces(const Case& c, const State& s, const AskedMotion& motion, Workspace<double>& w,
                    Dynamics<double>& d) {
  const witness::Inverse& expected = motion.needed;
  w.a = motion.a;
  w.tau.setConstant(unset);
  w.lambda.setConstant(unset);
  const DynamicsAnswer answer = inverse_dynamics(c.robot.m(), w, d);
  const auto drives = static_cast<int>(expected.force.size());
  if (drives > 0 && expected.spread < surely_singular) {
    EXPECT_FALSE(answer.ok()) << "the drives cannot hold the robot";
    return true;
  }
  if (expected.spread < surely_regular || !(s.condition.inverse < worst_condition)) return false;
  if (expected.rank != std::min(drives, expected.freedoms)) return false;
  if (expected.residual > 1e-5) {
    EXPECT_EQ(answer.status, Status::under_actuated) << answer.reason;
    return true;
  }
  if (expected.residual > 1e-9) return false;  // neither surely feasible nor surely not
  const double allowed = allowed_at(s.condition.inverse), size = 1 + expected.size;
  const bool rounding = answer.status == Status::under_actuated && answer.residual < allowed * size;
  EXPECT_TRUE(answer.ok() || rounding) << answer.reason;
  EXPECT_LT((forces_found(c, w, d) - expected.force).norm(), allowed * (size + expected.force.norm()));
  EXPECT_TRUE(w.lambda.allFinite());
  return true;
}

TEST_P(RandomMechanismTest, NeedsTheForcesThatNewtonAsksFor) {
  int compared = 0;
  for_each_way(c, [&](const State& s, Workspace<double>& w, Dynamics<double>& d) {
    if (s.expected.loose > c.robot.rods) return;  // the library counts such a motion among the freedoms
    for (const AskedMotion& motion : s.motion) {
      SCOPED_TRACE(&motion == &s.motion.front() ? "any motion" : "a motion that the drives make");
      compared += compare_forces(c, s, motion, w, d) ? 1 : 0;
    }
  });
  if (compared == 0) GTEST_SKIP() << "no state can be compared";
}

// ------------------------------------------------------------------------------------------------ energy and momentum

/// States in which everything accelerates as it must, after forward dynamics by the default.
template <class Visit>
void for_each_answer(const Case& c, const Visit& visit) {
  int compared = 0;
  for (const State& s : c.states) {
    if (!s.everything_has_inertia(c.robot) || !s.well_conditioned()) continue;
    ++compared;
    SCOPED_TRACE(&s == &c.states.front() ? "first state" : "second state");
    Workspace<double> w = loaded(c.robot, s);
    Dynamics<double> d(c.robot.m(), w);
    w.a.setConstant(unset);
    ASSERT_TRUE(forward_dynamics(c.robot.m(), w, d).ok());
    visit(s, w, d);
  }
  if (compared == 0) GTEST_SKIP() << "no state can be compared";
}

/// Drives and wrenches give what the energies gain and what friction takes. The witness's own accelerations keep their energy to the
/// condition of its mass matrix, 1e7 at most.
TEST_P(RandomMechanismTest, KeepsItsEnergy) {
  for_each_answer(c, [&](const State& s, Workspace<double>& w, Dynamics<double>&) {
    const witness::Powers own = witness::powers(s.e, s.expected.x, s.load),
                          p = witness::powers(s.e, found_in(c, s, w), s.load);
    EXPECT_LT(std::abs(own.open()), 1e-8 * (1 + own.size())) << "the witness";
    EXPECT_LT(std::abs(p.open()), allowed_at(s.condition.forward) * (1 + p.size()));
    const EnergyBalance balance = energy_balance(m, w);
    const double kinetic = witness::kinetic_energy(s.e);
    EXPECT_NEAR(balance.kinetic, kinetic, closed_to * (1 + kinetic));
    EXPECT_NEAR(balance.losses, p.losses, closed_to * (1 + p.losses));
    EXPECT_NEAR(balance.actuators, p.drives, closed_to * (1 + std::abs(p.drives)));
    EXPECT_NEAR(balance.external, p.external, closed_to * (1 + std::abs(p.external)));
  });
}

/// Weight and wrenches that do not change the bodies' momentum reach the base, through whatever loops.
TEST_P(RandomMechanismTest, StandsOnItsBase) {
  std::vector<bool> carried;
  for (const std::string& body : c.robot.model.body) carried.push_back(m.find_body(body) != base);
  for_each_answer(c, [&](const State& s, Workspace<double>& w, Dynamics<double>& d) {
    const Force<double> found = reactions(m, w, d).on_base;
    const witness::External expected = witness::on_base(s.e, s.expected.x, s.load.external, carried);
    double size = 1;
    for (int i = 0; i < c.robot.model.bodies(); ++i)
      size += c.robot.model.mass[at(i)] * (10 + s.expected.x.segment<6>(6 * i).norm());
    EXPECT_LT((found.force - expected.force).norm(), allowed_at(s.condition.forward) * size);
    EXPECT_LT((found.moment - expected.moment).norm(), allowed_at(s.condition.forward) * size);
  });
}

}  // namespace
}  // namespace gough::random_mechanisms_test
