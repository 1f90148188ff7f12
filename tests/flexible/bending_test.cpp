/// Robots whose beams bend while they move: kinematics against derivatives, formulations against each other, energy, and elements.
#include "gough/flexible/bending.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "decompositions.hpp"
#include "flexible/one_beam.hpp"
#include "gough/dynamics/compare.hpp"
#include "gough/dynamics/energy.hpp"
#include "gough/flexible/flex_modes.hpp"
#include "gough/kinematics/motion.hpp"
#include "gough/simulation/simulate.hpp"
#include "gough/spatial/rank.hpp"
#include "kinematics/states.hpp"

namespace gough::bending_test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

Mechanism<double> bent(const RobotDescription& robot, int modes) {
  ModesOptions o;
  o.modes = modes;
  Prepared p = prepare(with_modes(robot, o).robot);
  EXPECT_TRUE(p.home.assembly.closed);
  return std::move(p.mechanism);
}
Mechanism<double> bent(const std::string& name, int modes) { return bent(read_robot(robot_path(name)), modes); }

/// A position near home with modes that are far from zero for what beams do.
Workspace<double> bent_position(const Mechanism<double>& m, unsigned seed) {
  Workspace<double> w(m);
  w.q = m.home;
  VecX<double> dv = random_vector(m.nv, seed) * 0.02;
  Hold hold;
  hold.coordinates.assign(at(m.nv), false);
  for (const TreeJoint& j : m.joint)
    if (j.type == Elementary::modal) {
      dv.segment(j.v, j.modes) *= 0.2;
      std::fill_n(hold.coordinates.begin() + j.v, j.modes, true);
    }
  w.q = moved(m, m.home, dv);
  if (!close_loops(m, w, hold).closed) {  // loops that bend out of a plane need modes to close
    w.q = moved(m, m.home, dv);
    EXPECT_TRUE(close_loops(m, w).closed);
  }
  tree_positions(m, w);
  closure(m, w);
  return w;
}

class BentRobots : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Bending, BentRobots,
                         testing::Values("rrr3_flexible", "five_bar_flexible", "hexapod_flexible", "delta_flexible"),
                         [](const auto& i) { return i.param; });

TEST_P(BentRobots, MoveAsTheirPosesChange) {
  const Mechanism<double> m = bent(GetParam(), 5);
  Workspace<double> w = bent_position(m, 3);
  w.v = closed_rates(m, w, random_vector(m.nv, 4));
  w.a = random_vector(m.nv, 5);
  tree_velocities(m, w);
  tree_accelerations(m, w);
  const MovingRobot moving(m, w.q, w.v, w.a);
  for (int j = 0; j < m.tree_size(); ++j) {
    const FrameMotion<double> f = frame_motion(w, j, Transform<double>(), w.A);
    const auto& X = moving.w.X0[at(j)];
    const auto [omega, alpha] = turning(X.R);
    EXPECT_LT((f.v - firsts(X.p)).norm(), 1e-12) << m.body_name[at(j)];
    EXPECT_LT((f.a - seconds(X.p)).norm(), 1e-11) << m.body_name[at(j)];
    EXPECT_LT((f.w - omega).norm(), 1e-12) << m.body_name[at(j)];
    EXPECT_LT((f.dw - alpha).norm(), 1e-10) << m.body_name[at(j)];
  }
  EXPECT_LT((values(moving.w.phi) - w.phi).norm(), 1e-14);
  EXPECT_LT((firsts(moving.w.phi) - w.K * w.v).norm(), 1e-12);
}

void expect_agreement(const Mechanism<double>& m) {
  std::vector<ComparedState> states;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Workspace<double> w = bent_position(m, seed);
    states.push_back({w.q, closed_rates(m, w, random_vector(m.nv, 10 + seed)), {}, {}});
    w.v = states.back().v;
    tree_velocities(m, w);
    w.tau = random_vector(w.tau.size(), 20 + seed) * 10;
    ASSERT_TRUE(forward_dynamics(m, w, DynamicsOptions{}).ok());
    states.back().a = w.a;
  }
  const Comparison c = compare_formulations(m, states);
  for (const Compared& f : c.formulations) {
    EXPECT_TRUE(f.agrees()) << name(f.by) << " " << f.inverse.value_or(-1) << " " << f.forward.value_or(-1);
    if (f.by != Formulation::scdd_iterative) {
      EXPECT_TRUE(f.forward.has_value()) << name(f.by) << ": " << f.failure << f.not_applicable;
      EXPECT_TRUE(f.inverse.has_value()) << name(f.by) << ": " << f.failure << f.not_applicable;
    }
  }
}

TEST_P(BentRobots, AllFormulationsAgree) { expect_agreement(bent(GetParam(), 4)); }

/// A planar robot whose links bend out of its plane: rigid, six of its fifteen equations are redundant; bent, none is.
TEST(Bending, OverconstrainedRobotsBendOutOfTheirPlane) {
  RobotDescription robot = read_robot(robot_path("rrr3_flexible"));
  robot.gravity = {0, 0, -9.81};
  const Mechanism<double> m = bent(robot, 6);
  EXPECT_EQ(m.rank, 15);
  EXPECT_EQ(shipped("rrr3_flexible").rank, 9);
  expect_agreement(m);
}

TEST(Bending, EnergyIsKept) {
  RobotDescription robot = read_robot(robot_path("rrr3_flexible"));
  robot.gravity = {0, -9.81, 0};
  const Mechanism<double> m = bent(robot, 4);
  Workspace<double> w(m);
  const EnergyBalance first = energy_balance(m, w);
  SimulationOptions o;
  o.integrator.tolerance = 1e-10;
  double largest = 0, apart = 0, residual = 0;
  const SimulationAnswer a = simulate(m, w, even_times(0, 0.2, 1e-3), o, {}, [&](const SimulationRow& row) {
    Workspace<double> x = row.w;
    const EnergyBalance e = energy_balance(m, x);
    largest = std::max(largest, e.kinetic);
    apart = std::max(apart, std::abs(e.kinetic + e.potential - first.kinetic - first.potential));
    residual = std::max(residual, row.w.phi.cwiseAbs().maxCoeff());
    return true;
  });
  ASSERT_TRUE(a.ok()) << a.reason;
  EXPECT_GT(largest, 0.01);
  EXPECT_LT(apart, 1e-7 * largest);
  EXPECT_LT(residual, 1e-10);
}

/// Drives held: eigenvalues of (stiffness, mass) on the modes alone, and those of the elements.
TEST_P(BentRobots, VibrateAsTheirElementsDo) {
  const Mechanism<double> rigid = shipped(GetParam());
  Mechanism<double> m = bent(GetParam(), 12);
  m.gravity.setZero();
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  const Selection s = select_driven(m, w, m.rank);
  ExplicitForm<double> form(m, s);
  w.k.setZero();
  explicit_form(w, s, form);
  MatX<double> M(m.nv, m.nv);
  std::vector<Inertia<double>> composite(m.parent.size());
  mass_matrix(m, w, composite, M);
  const MatX<double> My = form.G.transpose() * M * form.G;
  const VecX<double> stiffness = Eigen::Map<const VecX<double>>(m.stiffness.data(), m.nv);
  const MatX<double> Ky = form.G.transpose() * stiffness.asDiagonal() * form.G;
  std::vector<int> modes;
  for (std::size_t i = 0; i < s.independent.size(); ++i)
    if (m.coordinate[at(s.independent[i])].elastic) modes.push_back(static_cast<int>(i));
  const VecX<double> found =
      eigenvalues_of(rows_of(columns_of(Ky, modes), modes), rows_of(columns_of(My, modes), modes));
  FlexOptions o;
  o.frequencies = 6;
  KnownState home;
  const VecX<double> drives = actuators_of(rigid, rigid.home), none = VecX<double>::Zero(drives.size());
  home.motion.motion = ActuatorMotion{drives, none, none};
  Mechanism<double> light = rigid;
  light.gravity.setZero();
  flex_along(light, std::vector<KnownState>{home}, o, [&](const FlexResult& r) {
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(std::sqrt(found[i]) / (2 * pi), r.frequency[i], 2e-3 * r.frequency[i]) << i;
    return true;
  });
}

// ------------------------------------------------------------------------------------------------ taking bodies apart

const std::string arm = R"(
robot: arm
gravity: [0, 0, -9.81]
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7800 kg/m^3}}
bodies:
  arm: {beam: {to: [0.5, 0, 0], material: steel, section: {square: 8 mm}, elements: 6}}
  tip: {mass: 0.5 kg, com: [0, 0, -0.1]}
joints:
  root: {type: revolute, parent: base, child: arm, axis: [0, 0, 1], role: elastic, stiffness: 1e5 N m/rad}
  wrist: {type: fixed, parent: arm, child: tip, origin: {xyz: [0.5, 0, 0]}}
)";

VecX<double> lowest(const Mechanism<double>& m, int count) {
  Workspace<double> w(m);
  const Answer settled = find_equilibrium(m, w);
  EXPECT_TRUE(settled.ok()) << settled.explain();
  const auto n = m.nv;
  MatX<double> slope(n, n);
  const VecX<double> at_rest = w.q;
  const auto accelerations = [&](const VecX<double>& dq) {
    Workspace<double> x(m);
    x.q = moved(m, at_rest, dq);
    tree_positions(m, x);
    closure(m, x);
    EXPECT_TRUE(forward_dynamics(m, x, DynamicsOptions{}).ok());
    return x.a;
  };
  const double h = 1e-6;
  for (int c = 0; c < n; ++c)
    slope.col(c) =
        (accelerations(VecX<double>::Unit(n, c) * h) - accelerations(VecX<double>::Unit(n, c) * -h)) / (2 * h);
  VecX<double> f = (-slope.eigenvalues().real()).cwiseMax(0).cwiseSqrt() / (2 * pi);
  std::sort(f.begin(), f.end());
  return f.head(count);
}

/// A mass on an arm below the tip swings with it, as a point of the beam and as a body of its own.
TEST(Bending, MassesOnArmsSwingLikeBodies) {
  const VecX<double> body = lowest(bent(robot_from(arm), 10), 3);
  std::string points = with(arm, "elements: 6}}", "elements: 6}, points: [{mass: 0.5 kg, xyz: [0.5, 0, -0.1]}]}");
  points = with(points, "  tip: {mass: 0.5 kg, com: [0, 0, -0.1]}\n", "");
  points = with(points, "  wrist: {type: fixed, parent: arm, child: tip, origin: {xyz: [0.5, 0, 0]}}\n", "");
  const VecX<double> point = lowest(bent(robot_from(points), 10), 3);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(point[i], body[i], 2e-4 * body[i]) << i;
}

/// The body frames of an arm held in its middle, at its far end, or taken apart by a joint on it: the same frequencies.
TEST(Bending, BeamsAreTakenApartWhereSomethingSits) {
  const VecX<double> whole = lowest(bent(robot_from(arm), 12), 3);
  const RobotDescription reversed =
      robot_from(with(with(with(arm, "{to: [0.5, 0, 0]", "{from: [0.5, 0, 0], to: [0, 0, 0]"),
                           "origin: {xyz: [0.5, 0, 0]}}", "origin: {xyz: [0.5, 0, 0]}}"),
                      "robot: arm", "robot: reversed"));
  const VecX<double> other = lowest(bent(reversed, 12), 3);
  const RobotDescription parted = robot_from(
      with(with(arm, "  tip:", "  ring: {mass: 1e-9 kg}\n  tip:"),
           "  wrist:", "  grip: {type: fixed, parent: arm, child: ring, origin: {xyz: [0.2, 0, 0]}}\n  wrist:"));
  const Mechanism<double> two = bent(parted, 12);
  EXPECT_EQ(two.modal.size(), 2U);
  EXPECT_NE(two.find_body("arm.part2"), -2);
  const VecX<double> pieces = lowest(two, 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(other[i], whole[i], 1e-4 * whole[i]) << i;
    EXPECT_NEAR(pieces[i], whole[i], 2e-3 * whole[i]) << i;
  }
  const Mechanism<double> near =
      bent(robot_from(with(arm, "origin: {xyz: [0.5, 0, 0]}}", "origin: {xyz: [0.4999, 0, 0]}}")), 6);
  EXPECT_EQ(near.modal.size(), 1U) << "a tenth of a millimetre is no beam of its own";
}

TEST(Bending, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const std::string& text, const std::string& why) {
    EXPECT_THAT(refusal([&] { bent(robot_from(text), 4); }), HasSubstr(why));
  };
  refused(with(arm, "beam: {to: [0.5, 0, 0], material: steel, section: {square: 8 mm}, elements: 6}", "mass: 1 kg"),
          "read no beam");
  refused(with(arm, "wrist: {type: fixed, parent: arm, child: tip, origin: {xyz: [0.5, 0, 0]}}",
               "wrist: {type: prismatic, parent: arm, child: tip, origin: {xyz: [0.2, 0, 0]}, axis: [1, 0, 0]}"),
          "a carriage that travels along a beam");
  EXPECT_THAT(refusal([&] { bent(robot_from(arm), 0); }), HasSubstr("read 0 modes, expected 1 to 200"));
}

/// A loop of beams without a platform: the tree of the rigid robot is kept, whichever way its links are reached.
TEST(Bending, LoopsWithoutPlatformKeepTheirTree) {
  const Mechanism<double> m = bent(robot_from(R"(
robot: four_bar
gravity: [0, -9.81, 0]
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7800 kg/m^3}}
bodies:
  crank: {beam: {to: [0.1, 0, 0], material: steel, section: {square: 6 mm}, elements: 4}}
  coupler: {beam: {to: [0.4, 0, 0], material: steel, section: {square: 6 mm}, elements: 4}}
  rocker: {mass: 0.3 kg, rod: [0.3, 0, 0]}
joints:
  motor: {type: revolute, parent: base, child: crank, role: actuated, guess: 60 deg}
  a: {type: revolute, parent: crank, child: coupler, origin: {xyz: [0.1, 0, 0]}, guess: -20 deg}
  b: {type: revolute, parent: coupler, child: rocker, origin: {xyz: [0.4, 0, 0]}, guess: -120 deg}
  ground: {type: revolute, parent: base, child: rocker, origin: {xyz: [0.4, 0, 0]}, child_origin: {xyz: [0.3, 0, 0]}}
)"),
                                   4);
  EXPECT_EQ(m.modal.size(), 2U);
  const Comparison c = compare_formulations(m, random_states(m, 3));
  EXPECT_TRUE(c.agrees());
}

}  // namespace
}  // namespace gough::bending_test
