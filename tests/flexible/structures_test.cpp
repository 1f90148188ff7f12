/// Structures, starts and places: beams that nothing drives, against formulas; and the same through the coupled model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "flexible/one_beam.hpp"
#include "gough/io/flex_report.hpp"
#include "gough/simulation/coupled.hpp"

namespace gough::structures_test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

constexpr double rho = 7850, side = 0.01, E = 2.1e11;
const double EI = E * std::pow(side, 4) / 12, rhoA = rho * side * side;

RobotDescription pinned() { return read_robot(std::string(GOUGH_SOURCE_DIR) + "/examples/pinned_beam.yaml"); }

/// A cantilever: a body with a beam that is fixed to the base.
RobotDescription cantilever(double width, const std::string& keys) {
  return parse_robot(
      fmt::format(
          "robot: cantilever\ngravity: [0, 0, 0]\nmaterials: {{stuff: {{E: 2.1e11, nu: 0.3, rho: 7850}}}}\n"
          "bodies:\n  beam: {{beam: {{to: [1, 0, 0], material: stuff, section: {{square: {}}}, elements: 16{}}}}}\n"
          "joints: {{root: {{type: revolute, parent: base, child: beam, role: locked, home: 0}}}}\n",
          width, keys),
      "cantilever");
}

/// States of what stands.
std::vector<KnownState> standing(double time, double h) {
  std::vector<KnownState> states(static_cast<std::size_t>(std::lround(time / h)) + 1);
  for (std::size_t i = 0; i < states.size(); ++i) {
    states[i].motion.t = static_cast<double>(i) * h;
    states[i].motion.motion = ActuatorMotion{VecX<double>(0), VecX<double>(0), VecX<double>(0)};
  }
  return states;
}

struct Told {
  std::vector<double> t;
  std::vector<std::vector<Vec6<double>>> point;  ///< row by row
  VecX<double> frequency;
  FlexAnswer answer;
};
Told told(const Mechanism<double>& m, const std::vector<KnownState>& states, const FlexOptions& o) {
  Told all;
  all.answer = flex_along(m, states, o, [&](const FlexResult& r) {
    all.t.push_back(r.t);
    all.point.push_back(r.points);
    if (all.frequency.size() == 0) all.frequency = r.frequency;
    return true;
  });
  EXPECT_TRUE(all.answer.ok()) << all.answer.along.reason;
  return all;
}

TEST(Structures, APinnedBeamSagsAndSwingsAsFormulasSay) {
  const Mechanism<double> m = prepare(pinned()).mechanism;
  FlexOptions o;
  o.vibrates = false;
  o.points = parse_points("middle=beam@0.5,0,0; beam.2; quarter=beam@0.25,0.01,0", m);
  const Told r = told(m, standing(0, 1), o);
  ASSERT_EQ(r.point.size(), 1U);
  const double GA = 5.0 / 6 * E / 2.6 * side * side;
  EXPECT_NEAR(r.point[0][0][1], -5 * rhoA * 9.81 / (384 * EI) - rhoA * 9.81 / (8 * GA), 1e-10);
  EXPECT_NEAR(r.frequency[0], pi / 2 * std::sqrt(EI / rhoA), 2e-4 * 23.45);
  EXPECT_NEAR(r.point[0][1][1], r.point[0][2][1], 1e-12) << "node 2 of 8 elements is at a quarter";
  EXPECT_NEAR(r.point[0][1][1], -rhoA * 9.81 * 0.25 * (1 - 2 * 0.0625 + 0.015625) / (24 * EI), 1e-3 * 4e-4);
  EXPECT_NEAR(r.point[0][2][0] - r.point[0][1][0], -0.01 * r.point[0][2][5], 1e-12) << "an arm turns with its section";
  EXPECT_NEAR(r.point[0][0][5], 0, 1e-12) << "level in the middle";
}

/// Pulled in the middle and let go: the shape of a point load, then a vibration about it.
TEST(Structures, AreLetGoFromAGivenShape) {
  RobotDescription robot = pinned();
  robot.gravity.setZero();
  const Mechanism<double> m = prepare(robot).mechanism;
  FlexOptions o;
  o.start = FlexStart::given;
  o.rho = 1;
  o.given = {{m.find_body("beam"), 4, {std::nullopt, 1e-3}, {}}};
  o.points = parse_points("beam.4; beam.2", m);
  const Told r = told(m, standing(0.2, 1e-4), o);
  EXPECT_NEAR(r.point[0][0][1], 1e-3, 1e-12);
  EXPECT_NEAR(r.point[0][1][1], 1e-3 * 0.6875, 3e-4 * 1e-3) << "3 x/L - 4 (x/L)^3 at a quarter, but for shear";
  double middle = 0, largest = 0;
  for (std::size_t i = 0; i < r.t.size(); ++i) {
    const double w = pi * pi * std::sqrt(EI / rhoA), odd = std::pow(3.0, -4) * std::cos(9 * w * r.t[i]);
    middle = 96 / std::pow(pi, 4) * (std::cos(w * r.t[i]) + odd) * 1e-3;  // the first two of its modes that move there
    largest = std::max(largest, std::abs(r.point[i][0][1] - middle));
  }
  EXPECT_LT(largest, 0.02 * 1e-3);
  o.given = {{m.find_body("beam"), 4, {std::nullopt, 1e-3}, {}}, {m.find_body("beam"), 0, {std::nullopt, 1e-3}, {}}};
  EXPECT_THROW(flex_along(m, standing(0.01, 1e-3), o, [](const FlexResult&) { return true; }), Error)
      << "the pin holds node 0";
  o.given = {{m.find_body("beam"), 99, {std::nullopt, 1e-3}, {}}};
  EXPECT_THROW(flex_along(m, standing(0.01, 1e-3), o, [](const FlexResult&) { return true; }), Error);
}

/// A rate alone: the least motion that has it, and from there on momentum and energy go back and forth.
TEST(Structures, AreStruck) {
  RobotDescription robot = pinned();
  robot.gravity.setZero();
  const Mechanism<double> m = prepare(robot).mechanism;
  FlexOptions o;
  o.start = FlexStart::given;
  o.rho = 1;
  o.given = {{m.find_body("beam"), 4, {}, {std::nullopt, 0.1}}};
  std::vector<double> energy;
  const FlexAnswer a = flex_along(m, standing(0.05, 1e-5), o, [&](const FlexResult& r) {
    energy.push_back(r.strain_energy + r.kinetic_energy);
    return true;
  });
  ASSERT_TRUE(a.ok()) << a.along.reason;
  EXPECT_GT(energy.front(), 1e-4);
  EXPECT_NEAR(energy.back(), energy.front(), 1e-6 * energy.front());
}

/// The same beam in modes: statics, and the same vibration from the same place.
TEST(Structures, AgreeWithTheCoupledModel) {
  RobotDescription robot = pinned();
  const Mechanism<double> m = prepare(robot).mechanism;
  CoupledJob job;
  job.modes.modes = 6;
  job.modes.points =
      parse_points("middle=beam@0.5,0,0; quarter=beam@0.25,0,0; arm=beam@0.25,0.1,0; shoe=shoe@0,0,0", m);
  job.keep_table = true;
  const BentMechanism bent = bent_mechanism(robot, job.modes);
  KnownMotion rows{"standing", standing(0.1, 1e-3), true, true};
  const FlexReport coupled = report_coupled(m, bent, rows, job);
  ASSERT_TRUE(coupled.done()) << coupled.answer.along.reason;
  FlexJob linear;
  linear.options.points = job.modes.points;
  linear.options.rho = 1;
  linear.keep_table = true;
  const FlexReport other = report_flex(m, refined(rows, 2e-5), linear);
  ASSERT_TRUE(other.done()) << other.answer.along.reason;
  ASSERT_EQ(coupled.table->rows.size(), other.table->rows.size());
  for (const std::string name : {"middle.ey", "quarter.ey", "quarter.erz", "arm.ex", "arm.ey"}) {
    const auto a = static_cast<std::size_t>(coupled.table->find(name)),
               b = static_cast<std::size_t>(other.table->find(name));
    double largest = 0, apart = 0;
    for (std::size_t i = 0; i < other.table->rows.size(); ++i) {
      largest = std::max(largest, std::abs(other.table->rows[i][b]));
      apart = std::max(apart, std::abs(other.table->rows[i][b] - coupled.table->rows[i][a]));
    }
    EXPECT_GT(largest, 1e-5) << name;
    EXPECT_LT(apart, 0.01 * largest) << name;
  }
  const auto x = static_cast<std::size_t>(coupled.table->find("shoe.ex"));
  double inwards = 0;
  for (const auto& row : coupled.table->rows) inwards = std::min(inwards, row[x]);
  EXPECT_NEAR(inwards, -pi * pi / 4 * 1.146e-3 * 1.146e-3, 0.15 * 3.2e-6)
      << "shortening by bending: int y'^2/2 dx of a sine of twice the sag";
}

/// Modes as they are given, and named.
TEST(Structures, TheCoupledModelStartsFromGivenModes) {
  RobotDescription robot = pinned();
  robot.gravity.setZero();
  const Mechanism<double> m = prepare(robot).mechanism;
  ModesOptions modes;
  modes.modes = 6;
  modes.points = parse_points("middle=beam@0.5,0,0", m);
  const BentMechanism bent = bent_mechanism(robot, modes);
  Workspace<double> w(bent.mechanism);
  ASSERT_TRUE(set_positions(bent.mechanism, {{bent.mechanism.elastic.front(), 1e-4}}, {}, w).ok());
  tree_positions(bent.mechanism, w);
  closure(bent.mechanism, w);
  EXPECT_LT(w.phi.cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_NEAR(w.q[position_index(bent.mechanism, bent.mechanism.elastic.front())], 1e-4, 1e-15);
  EXPECT_GT(std::abs(pose_of_place(bent.mechanism, w, bent.places[0]).p.y()), 1e-6);
}

// ------------------------------------------------------------------------------------------------ sections that turn

/// Euler and Bernoulli's beam has exact frequencies whatever its section; rotary inertia and shear lower those of stubby ones.
TEST(Structures, EulerAndBernoulliHaveTheirFrequencies) {
  FlexOptions o;
  o.vibrates = false;
  o.frequencies = 2;
  const auto first = [&](double width, const std::string& keys, FlexSpace space) {
    FlexOptions with = o;
    with.space = space;
    return told(prepare(cantilever(width, keys)).mechanism, standing(0, 1), with).frequency[0];
  };
  for (const double width : {0.01, 0.1, 0.25}) {
    const double exact = std::pow(1.8751040687, 2) / (2 * pi) * std::sqrt(E * width * width / (12 * rho));
    for (const FlexSpace space : {FlexSpace::planar, FlexSpace::spatial}) {
      EXPECT_NEAR(first(width, ", shear: false, rotary_inertia: false", space), exact, 2e-5 * exact) << width;
      if (width < 0.2) continue;
      EXPECT_LT(first(width, ", shear: false", space), 0.99 * exact) << "Rayleigh's";
      EXPECT_LT(first(width, "", space), first(width, ", shear: false", space)) << "Timoshenko's";
    }
  }
}

/// The rigid robot's inertia has the sections' as the beams have it.
TEST(Structures, RigidInertiaGoesWithTheSections) {
  BeamDescription b = published_link();
  b.A = 0.01, b.Iy = b.Iz = 1e-4 / 12;
  const Inertia<double> with = b.rigid();
  b.rotary_inertia = false;
  const Inertia<double> without = b.rigid();
  EXPECT_NEAR(with.second(2, 2) - without.second(2, 2), b.rho * b.Iz * b.length(), 1e-12);
  EXPECT_EQ(with.second(0, 0), without.second(0, 0));
}

// ------------------------------------------------------------------------------------------------ words

TEST(Structures, PlacesAreNamed) {
  const Mechanism<double> m = prepare(pinned()).mechanism;
  const auto refused = [&](const std::string& text) { return refusal([&] { (void)parse_points(text, m); }); };
  EXPECT_EQ(refused("a=beam@0.1,0,0; beam.3; shoe"), "accepted");
  EXPECT_THAT(refused("beam@0.1,0,0"), HasSubstr("expected a name before it"));
  EXPECT_THAT(refused("a=beem@0.1,0,0"), HasSubstr("did you mean 'beam'"));
  EXPECT_THAT(refused("a=beam@0.1,0"), HasSubstr("expected 3"));
  EXPECT_THAT(refused("beam.9"), HasSubstr("up to beam.8"));
  EXPECT_THAT(refused("a=beam.1; a=beam.2"), HasSubstr("second time"));
  EXPECT_THAT(refused("beam.1x"), HasSubstr("expected NAME=BODY@x,y,z or a node"));
}

}  // namespace
}  // namespace gough::structures_test
