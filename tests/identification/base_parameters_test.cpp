/// Base parameters: published ones by name, two ways that agree on every robot, and a model that stays the same.
#include "gough/identification/base_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gough/dynamics/dynamics.hpp"
#include "gough/error.hpp"
#include "gough/identification/regrouping_rules.hpp"
#include "gough/spatial/rank.hpp"
#include "kinematics/states.hpp"

namespace gough::base_parameters_test {
namespace {

std::vector<std::string> names(const BaseParameters& b) {
  std::vector<std::string> all;
  for (const BaseParameter& p : b.base) all.push_back(p.name);
  return all;
}

/// A structure has no motion that shows anything: said at once, not after ever more states.
TEST(BaseParameters, OfWhatCannotMoveAreRefused) {
  const Mechanism<double> m =
      prepared_from(
          "robot: frame\nbodies: {a: {mass: 1 kg, rod: [1, 0, 0]}, b: {mass: 1 kg, rod: [0, 1, 0]}}\njoints:\n"
          "  foot: {type: revolute, parent: base, child: a, role: actuated, home: 0}\n"
          "  corner: {type: revolute, parent: a, child: b, origin: {xyz: [1, 0, 0]}, guess: 0}\n"
          "  top: {type: revolute, parent: base, child: b, origin: {xyz: [1, 1, 0]}, child_origin: {xyz: [0, 1, 0]}}\n")
          .mechanism;
  try {
    (void)base_parameters(m);
    FAIL() << "accepted";
  } catch (const Error& e) { EXPECT_THAT(e.what(), testing::HasSubstr("cannot move")); }
}

/// Paper 003, Table I: ten parameters. Six joints on a circle of 0.12 m: the sums of squares of r_B are 3 and 6 times 0.12^2.
TEST(BaseParameters, OfPalidaAreTableOne) {
  const BaseParameters b = base_parameters(shipped("palida"), {true, true});
  EXPECT_THAT(names(b), testing::UnorderedElementsAre(
                            "Izz_ring + Iyy_stator + Izz_slider", "Ixx_stator - Iyy_stator + Ixx_slider - Izz_slider",
                            "Izz_stator + Iyy_slider", "sy_stator", "sz_slider", "sz_platform",
                            "m_platform + 6 m_slider", "Ixx_platform + 3 0.12^2 m_slider",
                            "Iyy_platform + 3 0.12^2 m_slider", "Izz_platform + 6 0.12^2 m_slider"));
  EXPECT_GT(b.gap, 1e10);
  EXPECT_EQ(b.space.friction(), 14);
  // the full model, by a formulation that knows no regressor
  const Mechanism<double>& m = shipped("palida");
  const RandomStates states = random_motions(m, 5);
  for (std::size_t i = 0; i < states.q.size(); ++i) {
    Workspace<double> w(m);
    w.q = states.q[i];
    DynamicsOptions options;
    options.by = Formulation::virtual_power;
    Dynamics<double> d(m, w, options);
    w.v = states.v[i], w.a = states.a[i];
    inverse_kernel(m, w, d);
    const RegressorRow row = regressor_row(m, b.space, d);
    const VecX<double> fewer = columns_of(row.H, b.columns()) * (b.combinations() * b.space.value);
    options.by = Formulation::multipliers;
    ASSERT_TRUE(inverse_dynamics(m, w, options).ok());
    EXPECT_LT((least_squares(row.drives, fewer + row.other) - w.tau).norm(), 1e-12 * w.tau.norm());
  }
}

/// A five-bar in its plane: 4 parameters a link, less one mass at each of the five joints, less what the base takes.
TEST(BaseParameters, OfAFiveBarAreCountedByHand) {
  EXPECT_EQ(base_parameters(shipped("five_bar")).rank(), 4 * 4 - 5);
  // without gravity a link on the base shows its Izz alone: 3 x (1 + 4) + 4 less a mass at each of the other six joints
  EXPECT_EQ(base_parameters(shipped("rrr3")).rank(), 3 * 5 + 4 - 6);
}

/// The base parameters alone give the forces of all.
class EveryRobot : public testing::TestWithParam<std::string> {};

TEST_P(EveryRobot, GivesTheSameForcesWithFewerParameters) {
  const Mechanism<double>& m = shipped(GetParam());
  const BaseParameters b = base_parameters(m);
  const MatX<double> H = stacked_regressor(m, b.space, 25);
  const VecX<double> all = H * b.space.value;
  const VecX<double> fewer = columns_of(H, b.columns()) * (b.combinations() * b.space.value);
  EXPECT_LT((fewer - all).norm(), 1e-12 * std::max(1.0, b.condition) * all.norm());
  EXPECT_LT(b.rank(), b.space.inertial);
}

TEST_P(EveryRobot, HasAsManyByRulesAsByNumbers) {
  const Mechanism<double>& m = shipped(GetParam());
  for (const bool identical : {false, true}) {
    if (identical && (m.leg.empty() || !m.leg[0].name.starts_with("leg"))) continue;  // no template made them
    const BaseParameters b = base_parameters(m, {identical, false});
    EXPECT_LT(b.rules_error, 1e-12);
    EXPECT_EQ(b.rules_rank, b.rank()) << (identical ? "identical legs" : "");
    EXPECT_TRUE(b.gap == 0 || b.gap > 1e6) << b.gap;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryRobot,
                         testing::Values("palida", "hexapod", "hexapod_arbitrary", "flight_simulator", "taghirad",
                                         "psp3", "delta", "triglide", "hexa", "five_bar", "redundant_five_bar",
                                         "elastic_five_bar", "rrr3", "four_bar", "andrews"),
                         [](const auto& i) { return i.param; });

/// Bricard's special lengths hide three more combinations than its joints do.
TEST(BaseParameters, SayWhereGeometryAddsToTheRules) {
  const BaseParameters b = base_parameters(shipped("bricard"));
  EXPECT_FALSE(b.agree());
  EXPECT_EQ(b.rules_rank - b.rank(), 3);
  EXPECT_LT(b.rules_error, 1e-12);
}

/// A planar four-bar closed by a ball: of the ball's friction only that about the plane's normal is ever felt.
TEST(BaseParameters, FrictionThatIsNeverFeltLeavesTheConditionNumber) {
  const auto closed_by = [](const std::string& type) {
    return with(robot_text("four_bar"), "  close:\n    type: revolute\n",
                "  close:\n    type: " + type + "\n    friction: {coulomb: 1, viscous: 1}\n");
  };
  ASSERT_THAT(closed_by("spherical"), testing::HasSubstr("type: spherical"));
  const BaseParameters hinge = base_parameters(prepared_from(closed_by("revolute")).mechanism),
                       ball = base_parameters(prepared_from(closed_by("spherical")).mechanism);
  EXPECT_EQ(ball.space.friction(), 3 * hinge.space.friction());
  EXPECT_NEAR(ball.friction_condition, hinge.friction_condition, 1e-6 * hinge.friction_condition);
}

/// Forces by other formulations, differentiated by a parameter in dual numbers, are the parameter's column.
TEST(Regressor, IsTheDerivativeOfForces) {
  using D = Dual<double>;
  for (const std::string robot : {"palida", "five_bar", "delta", "psp3", "hexa"}) {
    const Mechanism<double>& m = shipped(robot);
    const ParameterSpace space = parameter_space(m);
    const RandomStates states = random_motions(m, 2);
    Workspace<double> w(m);
    w.q = states.q[1];
    DynamicsOptions options;
    options.by = Formulation::virtual_power;
    Dynamics<double> d(m, w, options);
    w.v = states.v[1], w.a = states.a[1];
    inverse_kernel(m, w, d);
    const RegressorRow row = regressor_row(m, space, d);
    const MatX<double> columns = least_squares(row.drives, row.H);
    for (const Formulation by : {Formulation::multipliers, Formulation::dalembert, Formulation::legs}) {
      options.by = by;
      Dynamics<double> other(m, w, options);
      for (int i = 0; i < space.size(); i += 7) {  // every seventh: all bodies, all kinds of entries
        Mechanism<D> dual = m.cast<D>();
        const VecX<double> step = space.standard.col(i);
        for (std::size_t j = 0; j < m.parent.size(); ++j) {
          const Inertia<double> I = inertia_of(step.segment<10>(10 * static_cast<Eigen::Index>(j)));
          dual.inertia[j].mass.d[0] = I.mass;
          for (int r = 0; r < 3; ++r) {
            dual.inertia[j].first[r].d[0] = I.first[r];
            for (int c = 0; c < 3; ++c) dual.inertia[j].second(r, c).d[0] = I.second(r, c);
          }
        }
        for (std::size_t k = 0; k < m.coefficient.size(); ++k)
          dual.coefficient[k].d[0] =
              step[10 * static_cast<Eigen::Index>(m.parent.size()) + static_cast<Eigen::Index>(k)];
        dual.has_inertia.assign(m.parent.size(), true);
        Workspace<D> wd(dual);
        wd.q = w.q.cast<D>(), wd.v = w.v.cast<D>(), wd.a = w.a.cast<D>();
        Dynamics<D> dd(dual, other);
        inverse_kernel(dual, wd, dd);
        for (Eigen::Index a = 0; a < wd.tau.size(); ++a)
          EXPECT_NEAR(wd.tau[a].d[0], columns(a, i), 1e-9 * (1 + columns.col(i).norm()))
              << robot << " by " << name(by) << " " << space.name[static_cast<std::size_t>(i)];
      }
    }
  }
}

/// A matrix of unit vectors and few others, on which Eigen's divide and conquer fails.
TEST(Rank, OfManyEqualSingularValues) {
  const Mechanism<double>& m = shipped("rrr3");
  const MatX<double> rules = regrouping_rules(m);
  std::vector<int> zero;
  for (int j = 0; j < 7; ++j)  // planar bodies: only Izz, sx, sy and m count
    for (const int k : {0, 1, 2, 3, 4, 8}) zero.push_back(10 * j + k);
  MatX<double> N(70, rules.cols() + static_cast<Eigen::Index>(zero.size()));
  N << rules, columns_of(MatX<double>::Identity(70, 70), zero);
  const SingularValues d = singular_values(N.transpose());
  ASSERT_TRUE(d.s.allFinite());
  EXPECT_LT(((N.transpose() * d.V).colwise().norm().head(d.s.size()).transpose() - d.s).norm(), 1e-10);
  EXPECT_LT((N.transpose() * null_space(N.transpose())).norm(), 1e-10);
}

TEST(BaseParameters, AreRefusedWhereLegsDiffer) {
  EXPECT_THROW(base_parameters(shipped("pendulum"), {true, false}), Error);
}

}  // namespace
}  // namespace gough::base_parameters_test
