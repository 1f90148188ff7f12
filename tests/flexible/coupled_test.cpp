/// Rigid motion and bending together: against beams along the rigid motion, another model of a beam that spins up, and the rigid robot.
#include "gough/simulation/coupled.hpp"
#include "gough/io/flex_report.hpp"
#include "gough/kinematics/assemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexible/spin_up.hpp"
#include "gough/flexible/bending.hpp"
#include "gough/spatial/rank.hpp"

namespace gough::coupled_test {
namespace {

using testing::HasSubstr;

Mechanism<double> bent_from(const RobotDescription& robot, int modes) {
  ModesOptions o;
  o.modes = modes;
  return prepare(with_modes(robot, o).robot).mechanism;
}

/// Two models of the same beams: one linear about the rigid motion, with tension from rigid forces; one with shortening.
struct Agreement {
  double difference = 0, size = 0;  ///< sums of squares [m^2]
  double share() const { return std::sqrt(difference / size); }
};
Agreement agreement(const std::string& robot, const std::string& motion, double time, int modes) {
  const Mechanism<double>& m = shipped(robot);
  const auto states = states_along(m, motion, time, 5e-4);
  std::vector<Vec3<double>> linear;
  FlexOptions o;
  o.frequencies = 0;
  o.rho = 1;
  EXPECT_TRUE(flex_along(m, states, o, [&](const FlexResult& r) {
                linear.emplace_back(r.error.head<3>());
                return true;
              }).ok());
  Agreement a;
  const DesiredPath wanted(m, states);
  const CoupledPath path = coupled_path(bent_from(read_robot(robot_path(robot)), modes), wanted,
                                        DriveMotion(wanted.drives), {}, [&](const CoupledRow& r) {
                                          a.difference += (r.error.head<3>() - linear[r.index]).squaredNorm();
                                          a.size += linear[r.index].squaredNorm();
                                          return true;
                                        });
  EXPECT_TRUE(path.answer.ok()) << path.answer.reason;
  EXPECT_LT(path.answer.largest_residual, 1e-10);
  return a;
}

TEST(Coupled, AgreesWithBeamsAlongTheRigidMotion) {
  EXPECT_LT(agreement("rrr3_flexible", "rrr3_circle", 0.25, 4).share(), 0.005);
}

/// A rod without damping behind a crank at 150 rad/s: its fast modes ring on and the crank feels them. Against fixed steps that are a fortieth of
/// what is stable.
TEST(Coupled, KeepsTheHighestModesWhateverTheRows) {
  const RobotDescription robot = parse_robot(R"(
robot: slider_crank
gravity: [0, 0, 0]
materials: {steel: {E: 2e11, nu: 0.3, rho: 7870}}
bodies:
  crank: {mass: 0.1 kg, rod: [0.15, 0, 0]}
  rod: {beam: {to: [0.30, 0, 0], material: steel, section: {round: 6 mm, shear_factor: 0.9}, elements: 8}}
  slider: {mass: 0.033 kg, inertia: [1e-6, 1e-6, 1e-6]}
joints:
  crank: {type: revolute, parent: base, child: crank, role: actuated, home: 0}
  pin: {type: revolute, parent: crank, child: rod, origin: {xyz: [0.15, 0, 0]}, guess: 0}
  guide: {type: prismatic, parent: base, child: slider, axis: [1, 0, 0], guess: 0.45}
  wrist: {type: revolute, parent: rod, child: slider, origin: {xyz: [0.30, 0, 0]}}
platform: {body: rod, frame: {xyz: [0.30, 0, 0]}, coordinates: [x]}
)",
                                             "slider_crank");
  const Mechanism<double> rigid = prepare(robot).mechanism, bent = bent_from(robot, 4);
  const auto turning = [](double t) { return std::array{150 * t, 150.0, 0.0}; };
  const auto states = states_of(0.04, 5e-4, turning);
  const DesiredPath wanted(rigid, states);
  const auto moments = [&](const CoupledOptions& o) {
    std::vector<double> tau;
    const CoupledPath p = coupled_path(bent, wanted, DriveMotion(states), o, [&](const CoupledRow& r) {
      tau.push_back(r.row.w.tau[0]);
      return true;
    });
    EXPECT_TRUE(p.answer.ok()) << p.answer.reason;
    return tau;
  };
  const std::vector<double> usual = moments({});
  CoupledOptions often;
  often.longest_step = 1e-6;
  often.tolerance = 1e-12;
  const std::vector<double> converged = moments(often);
  SimulationOptions fixed;
  fixed.integrator.method = Method::rk4;
  fixed.integrator.fixed_step = 1e-6;
  Workspace<double> w(bent);
  const DriveMotion drives(states);
  ASSERT_TRUE(start_of_drives(bent, drives, w).ok());
  std::vector<double> other;
  ASSERT_TRUE(simulate(bent, w, wanted.t, fixed, ideal_drives(bent, drives), [&](const SimulationRow& row) {
                other.push_back(row.w.tau[0]);
                return true;
              }).ok());
  double largest = 0, swings = 0;
  for (std::size_t i = 0; i < usual.size(); ++i) {
    largest = std::max(largest, std::abs(converged[i]));
    swings = std::max(swings, std::abs(converged[i] - wanted.tau[i][0]));
    EXPECT_NEAR(usual[i], converged[i], 0.02) << i;
    EXPECT_NEAR(other[i], converged[i], 0.5) << i;
  }
  EXPECT_GT(largest, 50) << "not the 31 N m of a method that damps them";
  EXPECT_GT(swings, 30);
}

/// Modes of many sizes beside hinges make a mass matrix whose eigenvalues lie far apart; that is no chain without inertia.
TEST(Coupled, ManyModesAreNoChainWithoutInertia) {
  RobotDescription robot = read_robot(robot_path("rrr3_flexible"));
  for (BodyDescription& b : robot.bodies)
    for (BeamDescription& piece : b.beam) piece.elements = 16;
  const Mechanism<double> m = bent_from(robot, 16);
  VecX<double> by_legs;
  for (const Formulation by : {Formulation::legs, Formulation::dalembert}) {
    Workspace<double> w(m);
    w.tau.setConstant(0.01);
    Dynamics<double> d(m, w, {.by = by});
    ASSERT_TRUE(forward_dynamics(m, w, d).ok());
    EXPECT_EQ(d.instead, "");
    EXPECT_EQ(d.options.by, by);
    if (by == Formulation::legs) by_legs = w.a;
    else EXPECT_LT((w.a - by_legs).norm(), 1e-6 * w.a.norm());
  }
}

/// A step that is asked for is a bound; times between rows are the method's own.
TEST(Coupled, StepsAreNoLongerThanAsked) {
  const Mechanism<double>& m = shipped("five_bar_flexible");
  const auto states = states_along(m, "five_bar_reach", 0.02, 5e-3);
  const DesiredPath wanted(m, states);
  const Mechanism<double> bent = bent_from(read_robot(robot_path("five_bar_flexible")), 1);
  CoupledOptions o;
  o.longest_step = 1e-5;
  const CoupledPath p = coupled_path(bent, wanted, DriveMotion(wanted.motion), o, {});
  ASSERT_TRUE(p.answer.ok()) << p.answer.reason;
  EXPECT_GE(p.answer.steps, 2000);
  EXPECT_LT(p.answer.steps, 2100);
}

/// Where beams bend far, or are pushed hard, the model says so; not where they do not.
TEST(Coupled, SaysWhereItLeavesItsRange) {
  for (const double g : {0.5, 60.0}) {
    RobotDescription robot = read_robot(robot_path("rrr3_flexible"));
    robot.gravity = {0, -g, 0};
    Mechanism<double> rigid = shipped("rrr3_flexible");
    rigid.gravity = robot.gravity;
    ModesOptions modes;
    modes.modes = 4;
    CoupledJob job;
    job.modes = modes;
    const BentMechanism bent = bent_mechanism(robot, modes);
    KnownMotion motion{"circle", states_along(rigid, "rrr3_circle", 0.3, 1e-2), true, true};
    const FlexReport coupled = report_coupled(rigid, bent, motion, job);
    const FlexReport linear = report_flex(rigid, refined(motion, 5e-4), {});
    ASSERT_TRUE(coupled.done() && linear.done()) << coupled.answer.along.reason;
    const FlexRange &a = coupled.answer.range, &b = linear.answer.range;
    EXPECT_EQ(a.warnings().empty(), g < 1) << g;
    EXPECT_GT(a.turn.value, 0);
    EXPECT_GT(a.second_order.value, 0);
    if (g > 1) {
      EXPECT_GT(a.turn.value, FlexRange::most_coupled_turn);
      continue;
    }
    EXPECT_GT(a.compression.value, b.compression.value)
        << "the linear model's tension is the rigid robot's: it does not vibrate";
    EXPECT_LT(a.compression.value, 5 * b.compression.value);
    EXPECT_NEAR(a.second_order.value, b.second_order.value, 0.5 * b.second_order.value);
  }
}

/// With gravity, the legs' forces F on the platform's arms d turn with it: sum F.d in its stiffness. How turn over gravity changes with gravity
/// tells: by the equations as they are, by the same without that term, and by a model that closes its loops on the bent robot.
class PlatformTerm : public testing::Test {
 protected:
  struct Turns {
    double with = 0, without = 0, exact = 0;
  };
  static Turns at_gravity(double g) {
    RobotDescription robot = read_robot(robot_path("rrr3_flexible"));
    robot.gravity = {0, -g, 0};
    Mechanism<double> rigid = shipped("rrr3_flexible");
    rigid.gravity = robot.gravity;
    std::vector<KnownState> still = {states_along(rigid, "rrr3_circle", 1, 1).back()};
    auto& p = std::get<PlatformMotion>(still[0].motion.motion);
    p.v = p.w = p.a = p.dw = Vec3<double>::Zero();
    Turns t;
    FlexOptions o;
    o.vibrates = false;
    o.frequencies = 0;
    EXPECT_TRUE(flex_along(rigid, still, o, [&](const FlexResult& r) {
                  t.with = r.error[5];
                  t.without = solved_without(r);
                  return true;
                }).ok());
    const Mechanism<double> bent = bent_from(robot, 9);
    const DesiredPath wanted(rigid, still);
    Workspace<double> w(bent);
    EXPECT_TRUE(start_of_drives(bent, DriveMotion(wanted.motion), w, {.settled = true}).ok());
    tree_positions(bent, w);
    t.exact = vector_from_rotation(platform_pose(bent, w).R * wanted.pose[0].R.transpose()).z();
    return t;
  }

 private:
  static double solved_without(const FlexResult& r) {
    const FlexibleModel& f = r.e.model();
    const FlexNode& platform = f.node[at(f.platform.node)];
    const ElasticAxes& body = r.rigid.body[at(platform.body)];
    const Vec3<double> origin = body.p + body.R * platform.r;
    double term = 0;
    for (std::size_t k = 0; k < f.joint.size(); ++k) {
      const JointLoad& l = r.rigid.joint[k];
      if (f.joint[k].b == f.platform.node) term += l.force.dot(l.at_b - origin);
      if (f.joint[k].a == f.platform.node) term -= l.force.dot(l.at_a - origin);
    }
    EXPECT_GT(std::abs(term), 0);
    const Eigen::Index n = f.size, rows = f.rows();
    MatX<double> A = MatX<double>::Zero(n + rows, n + rows);
    A.topLeftCorner(n, n) = r.e.full(r.e.K);
    A(platform.first + 2, platform.first + 2) -= term;
    A.bottomLeftCorner(rows, n) = r.e.full_rows();
    A.topRightCorner(n, rows) = r.e.full_rows().transpose();
    VecX<double> b = VecX<double>::Zero(n + rows);
    b.head(n) = r.e.P;
    return least_squares(A, b, 1e-16)(platform.first + 2, 0);
  }
};

TEST_F(PlatformTerm, IsThereInExactStatics) {
  const Turns a = at_gravity(0.5), b = at_gravity(1);
  const auto slope = [&](double Turns::*x) { return (b.*x - 2 * (a.*x)) / (b.*x); };
  EXPECT_NEAR(a.with, a.exact, 2e-3 * std::abs(a.exact));
  const double with = slope(&Turns::with), without = slope(&Turns::without), exact = slope(&Turns::exact);
  EXPECT_NEAR(9.81 / 0.5 * std::abs(with - without), 0.025, 0.002) << "of the turn under the earth's gravity";
  EXPECT_LT(std::abs(with - exact), 0.1 * std::abs(without - exact)) << with << ' ' << without << ' ' << exact;
}

/// How far apart rows are changes how much is told, not what happens.
TEST(Coupled, RowsDoNotChangeTheMotion) {
  const Mechanism<double>& m = shipped("rrr3_flexible");
  const auto states = states_along(m, "rrr3_circle", 0.2, 5e-4);
  const DesiredPath wanted(m, states);
  const Mechanism<double> bent = bent_from(read_robot(robot_path("rrr3_flexible")), 1);
  std::vector<double> rms;
  for (const std::size_t every : {1u, 2u, 4u, 8u}) {
    CoupledOptions o;
    o.every = every;
    const CoupledPath p = coupled_path(bent, wanted, DriveMotion(wanted.drives), o, {});
    EXPECT_TRUE(p.answer.ok()) << p.answer.reason;
    rms.push_back(p.rms);
  }
  for (const double x : rms) EXPECT_NEAR(x, rms.front(), 0.02 * rms.front());
}

/// Centrifugal stiffening: without it the beam would fold (SpinUp.DivergesWithoutGeometricStiffness).
TEST_F(SpinUp, CoupledAgreesWithRitz) {
  const double h = 0.01, time = 20;
  const std::vector<double> other = SpinUpByModes(10, 1.4e4, 1.2).run(time, h, law);
  const Mechanism<double> m = bent_from(description(), 5);
  Workspace<double> w(m);
  const DriveMotion drives(states_of(time, h, law));
  ASSERT_TRUE(start_of_drives(m, drives, w).ok());
  SimulationOptions o;
  o.integrator.tolerance = bending_tolerance;
  const int end = m.find_body("arm.end"), root = m.find_body("arm");
  double largest = 0, apart = 0, along = 0;
  std::size_t k = 0, late = 0;
  const SimulationAnswer a =
      simulate(m, w, even_times(0, time, h), o, ideal_drives(m, drives), [&](const SimulationRow& row) {
        const Vec3<double> tip = row.w.X0[at(root)].inverse() * row.w.X0[at(end)].p;
        largest = std::max(largest, std::abs(tip.y()));
        apart = std::max(apart, std::abs(tip.y() - other[k++]));
        if (row.t > 16) along += tip.x() - 10, ++late;
        return true;
      });
  ASSERT_TRUE(a.ok()) << a.reason;
  EXPECT_GT(largest, 0.4) << "it lags behind";
  EXPECT_LT(apart, 0.015 * largest);
  EXPECT_NEAR(along / static_cast<double>(late), 1.2 * 36 * 1000 / (3 * 2.8e7), 0.03 * 5.14e-4)
      << "rho A w^2 L^3 / 3 EA";
}

/// Beams ten thousand times as stiff: forces of the rigid robot, and no error of its platform.
TEST(Coupled, StiffBeamsAreRigid) {
  for (const auto& [robot, motion] :
       {std::pair("rrr3_flexible", "rrr3_circle"), std::pair("hexapod_flexible", "hexapod_circle")}) {
    const Mechanism<double>& rigid = shipped(robot);
    const auto states = states_along(rigid, motion, 0.3, 0.05);
    std::vector<double> off;
    for (const double factor : {1.0, 1e4}) {
      RobotDescription description = read_robot(robot_path(robot));
      for (BodyDescription& b : description.bodies)
        for (BeamDescription& piece : b.beam) piece.E *= factor, piece.G *= factor;
      const FlexCommand c = coupled_constraint(rigid, bent_from(description, 6), states);
      ASSERT_TRUE(c.ok()) << c.reason;
      off.push_back(c.correction.cwiseAbs().maxCoeff());
      if (factor == 1) continue;
      MatX<double> tau(c.tau.rows(), c.tau.cols());
      inverse_along(rigid, states, {}, [&](const AlongRow& row) {
        tau.row(static_cast<Eigen::Index>(row.index)) = row.w.tau.transpose();
        return true;
      });
      EXPECT_LT((c.tau - tau).cwiseAbs().maxCoeff(), 1e-5 * tau.cwiseAbs().maxCoeff()) << robot;
    }
    EXPECT_NEAR(off[1] / off[0], 1e-4, 2e-5) << robot << ": corrections as 1/E";
  }
}

/// Drives that know how the robot bends take most of the error away, on the model that they were not found with too.
TEST(Coupled, CorrectedDrivesRemoveTheError) {
  RobotDescription description = read_robot(robot_path("rrr3_flexible"));
  description.gravity = {0, -9.81, 0};
  Mechanism<double> rigid = shipped("rrr3_flexible");
  rigid.gravity = description.gravity;
  const Mechanism<double> bent = bent_from(description, 4);
  const auto states = states_along(rigid, "rrr3_circle", 0.1, 1e-3);
  const DesiredPath wanted(rigid, states);
  CoupledOptions o;
  o.start = FlexStart::quasistatic;
  const auto error_with = [&](std::span<const KnownState> drives) {
    const CoupledPath p = coupled_path(bent, wanted, DriveMotion(drives), o, {});
    EXPECT_TRUE(p.answer.ok()) << p.answer.reason;
    return p.rms;
  };
  const double before = error_with(wanted.drives);
  EXPECT_GT(before, 1e-3);
  const FlexCommand imposed = coupled_constraint(rigid, bent, states);
  ASSERT_TRUE(imposed.ok()) << imposed.reason;
  EXPECT_LT(error_with(imposed.states), 0.03 * before);
  FlexInverseOptions by;
  by.by = FlexInverse::modified_driving_force;
  const FlexCommand modified = flexible_inverse(rigid, states, by);
  ASSERT_TRUE(modified.ok()) << modified.reason;
  EXPECT_LT(error_with(modified.states), 0.03 * before);
  EXPECT_LT((modified.tau - imposed.tau).cwiseAbs().maxCoeff(), 0.02 * imposed.tau.cwiseAbs().maxCoeff());
}

TEST(DriveMotionBetweenSamples, IsAPolynomialOfTheFifthDegree) {
  const auto law = [](double t) -> std::array<double, 3> {
    return {1 + t - 2 * t * t * t + std::pow(t, 5), 1 - 6 * t * t + 5 * std::pow(t, 4), -12 * t + 20 * t * t * t};
  };
  const DriveMotion m(states_of(1, 0.25, law));
  for (const double t : {0.1, 0.3, 0.77}) {
    const ActuatorMotion x = m.at(t);
    EXPECT_NEAR(x.q[0], law(t)[0], 1e-13);
    EXPECT_NEAR(x.v[0], law(t)[1], 1e-12);
    EXPECT_NEAR(x.a[0], law(t)[2], 1e-10);
  }
  EXPECT_EQ(m.at(-1).q[0], law(0)[0]);
  EXPECT_EQ(m.at(2).q[0], law(1)[0]);
  EXPECT_THROW(DriveMotion(std::vector<KnownState>{}), Error);
}

}  // namespace
}  // namespace gough::coupled_test
