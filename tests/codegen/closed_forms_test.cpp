/// Code from the platform or the actuators, where positions are known in closed form, against the library.
#include <gtest/gtest.h>

#include "codegen/generated.hpp"
#include "gough/dynamics/leg_inverse.hpp"
#include "gough/dynamics/regroup.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/sampling.hpp"

namespace gough::closed_forms_test {
namespace {

struct Case {
  std::string robot, from;
};

class FromClosedForms : public testing::TestWithParam<Case> {
 protected:
  const Mechanism<double>& m = shipped(GetParam().robot);
  Program program(const std::string& what, bool fold = false, bool matrix = false) const {
    return generate(m, {what, GetParam().from, fold, true, matrix});
  }
  /// States in home's working and assembly mode; all that the guards refuse are counted.
  std::vector<ClosedState> states() const {
    std::vector<ClosedState> all;
    for (const ClosedState& s : states_of(m)) {
      Workspace<double> w(m);
      w.q = m.home;
      const Transform<double> pose = platform_at(m, s).X;
      InverseOptions options;
      options.check_limits = false;
      if (inverse_kinematics(m, pose, w, options).ok() && (w.q - s.q).cwiseAbs().maxCoeff() < 1e-6) all.push_back(s);
    }
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Codegen, FromClosedForms,
                         testing::Values(Case{"palida", "platform"}, Case{"hexapod", "platform"},
                                         Case{"hexapod_arbitrary", "platform"}, Case{"hexa", "platform"},
                                         Case{"delta", "platform"}, Case{"triglide", "platform"},
                                         Case{"rrr3", "platform"}, Case{"psp3", "platform"},
                                         Case{"five_bar", "platform"}, Case{"five_bar", "actuators"},
                                         Case{"psp3", "actuators"}),
                         [](const auto& of) { return of.param.robot + "_" + of.param.from; });

TEST_P(FromClosedForms, InverseDynamicsAgree) {
  for (const bool fold : {false, true})
    for (const bool matrix : {false, true}) {
      const Program p = program("inverse", fold, matrix);
      int compared = 0;
      for (const ClosedState& s : states()) {
        Workspace<double> w = unloaded(m, s);
        Dynamics d(m, w, by(Formulation::multipliers));
        if (!inverse_dynamics(m, w, d).ok()) continue;
        const std::vector<double> in = inputs_by_name(m, p, s, {});
        EXPECT_TRUE(is_sound(p, in));
        ++compared;
        EXPECT_LT(error_of(vector_of(evaluate(p, in)), w.tau), 1e-10);
      }
      EXPECT_GE(compared, 3);
    }
}

TEST_P(FromClosedForms, ForwardDynamicsAgree) {
  const Program p = program("forward");
  int compared = 0;
  for (const ClosedState& s : states()) {
    const VecX<double> tau = random_load(m, 1).tau;
    Workspace<double> w = set_up(m, s, {tau, {}});
    Dynamics d(m, w, by(Formulation::multipliers));
    const std::vector<double> in = inputs_by_name(m, p, s, tau);
    if (!forward_dynamics(m, w, d).ok() || !is_sound(p, in)) continue;
    ++compared;
    VecX<double> expected;
    if (p.outputs[0].name == "a") {
      expected.resize(static_cast<Eigen::Index>(m.actuator.size()));
      for (std::size_t a = 0; a < m.actuator.size(); ++a) expected[static_cast<Eigen::Index>(a)] = w.a[m.actuator[a]];
    } else {
      const PlatformRates<double> rates = platform_at(m, {s.q, s.v, w.a}).rates;
      const VecX<double> a = entries_of(p.outputs[0].entry, rates.a), dw = entries_of(p.outputs[1].entry, rates.dw);
      expected.resize(a.size() + dw.size());
      expected << a, dw;
    }
    EXPECT_LT(error_of(vector_of(evaluate(p, in)), expected), 1e-9);
  }
  EXPECT_GE(compared, 3);
}

TEST_P(FromClosedForms, KinematicsAgree) {
  const Program p = program("kinematics");
  for (const ClosedState& s : states()) {
    const std::vector<double> got = evaluate(p, inputs_by_name(m, p, s, {}));
    if (GetParam().from == "actuators") {
      const PlatformAt at = platform_at(m, s);
      VecX<double> expected(24);
      expected << at.X.p, at.X.R.transpose().reshaped(), at.rates.v, at.rates.w, at.rates.a, at.rates.dw;
      EXPECT_LT(error_of(vector_of(got), expected), 1e-10);
      continue;
    }
    const auto n = m.actuator.size();
    for (std::size_t a = 0; a < n; ++a)
      for (const TreeJoint& joint : m.joint) {
        if (joint.v != m.actuator[a]) continue;
        EXPECT_NEAR(std::remainder(got[a] - s.q[joint.q], 6.283185307179586), 0, 1e-10);
        EXPECT_NEAR(got[n + a], s.v[joint.v], 1e-9);
        EXPECT_NEAR(got[2 * n + a], s.a[joint.v], 1e-8 * (1 + s.a.norm()));
      }
  }
}

/// The twist that the actuators' rates make is the platform's.
TEST_P(FromClosedForms, JacobiansAgree) {
  const Program p = program("jacobian");
  const auto n = static_cast<Eigen::Index>(m.actuator.size());
  for (const ClosedState& s : states()) {
    const std::vector<double> got = evaluate(p, inputs_by_name(m, p, s, {}));
    const Eigen::Map<const Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>> J(got.data(), 6, n);
    VecX<double> rates(n);
    for (Eigen::Index a = 0; a < n; ++a) rates[a] = s.v[m.actuator[at(static_cast<int>(a))]];
    const PlatformRates<double> twist = platform_at(m, s).rates;
    VecX<double> expected(6);
    expected << twist.v, twist.w;
    EXPECT_LT(error_of(J * rates, expected), 1e-9);
  }
}

/// H times the parameters is what inverse dynamics give.
TEST_P(FromClosedForms, RegressorsAgree) {
  const Program p = program("regressor");
  Mechanism<double> still = m;  // rotors are no parameters of H
  for (double& rotor : still.rotor_inertia) rotor = 0;
  VecX<double> parameters(10 * static_cast<Eigen::Index>(m.parent.size()) +
                          static_cast<Eigen::Index>(m.coefficient.size()));
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    parameters.segment<10>(10 * static_cast<Eigen::Index>(j)) = body_parameters(m.inertia[j]);
  for (std::size_t i = 0; i < m.coefficient.size(); ++i)
    parameters[10 * static_cast<Eigen::Index>(m.parent.size() + 0) + static_cast<Eigen::Index>(i)] = m.coefficient[i];
  const auto n = static_cast<Eigen::Index>(m.actuator.size());
  for (const ClosedState& s : states()) {
    Workspace<double> w = unloaded(still, s);
    Dynamics d(still, w, by(Formulation::multipliers));
    if (!inverse_dynamics(still, w, d).ok()) continue;
    const std::vector<double> got = evaluate(p, inputs_by_name(m, p, s, {}));
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> H(got.data(), n,
                                                                                                     parameters.size());
    EXPECT_LT(error_of(H * parameters, w.tau), 1e-9);
  }
}

TEST(Regrouping, LeavesTheActuatorsForcesAlone) {
  for (const std::string& robot : shipped_robots()) {
    const Mechanism<double>& m = shipped(robot);
    if (m.actuator.empty() || m.bodies() > 25 || robot == "psp3") continue;  // a star on slides keeps all it has
    Mechanism<double> regrouped = m;
    regroup_inertias(regrouped, m);
    double moved = 0;
    for (std::size_t j = 0; j < m.parent.size(); ++j)
      moved += std::abs(m.inertia[j].mass - regrouped.inertia[j].mass) +
               (m.inertia[j].second - regrouped.inertia[j].second).norm();
    EXPECT_GT(moved, 0) << robot;
    for (const ClosedState& s : states_of(m)) {
      Workspace<double> a = unloaded(m, s), b = unloaded(regrouped, s);
      Dynamics da(m, a, by(Formulation::multipliers)), db(regrouped, b, by(Formulation::multipliers));
      if (!inverse_dynamics(m, a, da).ok() || !inverse_dynamics(regrouped, b, db).ok()) continue;
      EXPECT_LT(error_of(b.tau, a.tau), 1e-9) << robot;
    }
  }
}

TEST(Sampling, PositionsAreClosedAndDiffer) {
  for (const std::string robot : {"hexapod", "delta", "five_bar", "psp3", "rrr3"}) {
    const Mechanism<double>& m = shipped(robot);
    const auto positions = positions_around_home(m, 20);
    EXPECT_GE(positions.size(), 10U) << robot;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      Workspace<double> w(m);
      w.q = positions[i];
      tree_positions(m, w);
      closure(m, w);
      EXPECT_LT(w.phi.norm(), 1e-9) << robot;
      if (i > 0) { EXPECT_GT((positions[i] - positions[0]).norm(), 1e-6) << robot; }
    }
  }
}

/// Legs that end in a point of a platform that moves in constant directions.
TEST(LegPlans, KnowHowThePlatformMoves) {
  EXPECT_EQ(plan_legs(shipped("delta"))->freedoms, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(plan_legs(shipped("rrr3"))->freedoms, (std::vector<int>{0, 1, 5}));
  EXPECT_EQ(plan_legs(shipped("hexa"))->freedoms, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_FALSE(plan_legs(shipped("psp3")));
  EXPECT_FALSE(plan_legs(shipped("five_bar")));
  EXPECT_FALSE(plan_legs(shipped("pendulum")));
}

/// The five-bar's kernels on the tree that carries its platform: other coordinates, the same accelerations.
TEST(OtherTree, GivesTheSameFromActuators) {
  const Mechanism<double>& m = shipped("five_bar");
  GenerateWish wish{"forward", "actuators", false, true};
  wish.tree = other_tree(read_robot(robot_path("five_bar")));
  ASSERT_TRUE(wish.tree);
  EXPECT_LT(wish.tree->nv, m.nv);
  const Program p = generate(m, wish);
  EXPECT_LE(count(p).call.total(), 217);  // published: 742 (paper 000, Table 2)
  for (const ClosedState& s : states_of(m)) {
    const VecX<double> tau = random_load(m, 2).tau;
    Workspace<double> w = set_up(m, s, {tau, {}});
    Dynamics d(m, w, by(Formulation::noc));
    const std::vector<double> in = inputs_by_name(m, p, s, tau);
    if (!forward_dynamics(m, w, d).ok() || !is_sound(p, in)) continue;
    const VecX<double> expected{{w.a[m.actuator[0]], w.a[m.actuator[1]]}};
    EXPECT_LT(error_of(vector_of(evaluate(p, in)), expected), 1e-9);
  }
  EXPECT_FALSE(other_tree(read_robot(robot_path("hexapod"))));
  wish.tree = other_tree(read_robot(robot_path("psp3")));  // whose trees have other bodies: the first one stays
  EXPECT_EQ(count(generate(shipped("psp3"), wish)).call.total(),
            count(generate(shipped("psp3"), {"forward", "actuators", false, true})).call.total());
}

TEST(OperationCount, OfPalidaWithoutAKernelOfItsOwn) {
  EXPECT_LE(count(generate(shipped("palida"), {"inverse", "platform", false, true})).call.total(), 1349);
}

TEST(GeneratedCode, FromThePlatformIsRefusedForOtherLegs) {
  EXPECT_THROW(generate(shipped("six_r"), {"inverse", "platform"}), Error);
  EXPECT_THROW(generate(shipped("four_bar"), {"inverse", "platform"}), Error);
  EXPECT_THROW(generate(shipped("palida"), {"derivatives", "platform"}), Error);
  EXPECT_THROW(generate(shipped("rrr3"), {"forward", "actuators"}), Error);
}

}  // namespace
}  // namespace gough::closed_forms_test
