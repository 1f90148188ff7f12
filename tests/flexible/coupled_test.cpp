/// Rigid motion and bending together: against beams along the rigid motion, another model of a beam that spins up, and the rigid robot.
#include "gough/simulation/coupled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexible/spin_up.hpp"
#include "gough/flexible/bending.hpp"

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
    EXPECT_LE(p.step, bending_step(bent, Drives::held) * (1 + 1e-6));
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
  o.integrator.method = Method::rk4;
  o.integrator.fixed_step = 1.5 / highest_frequency(m, Drives::held);
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
