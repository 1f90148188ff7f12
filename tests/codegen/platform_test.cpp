/// Code from the platform's motion against the library, and what it costs.
#include <gtest/gtest.h>

#include "codegen/generated.hpp"

namespace gough::platform_test {
namespace {

std::vector<double> inputs_of(const PlatformAt& s, bool matrix) {
  const VecX<double> turn = matrix ? VecX<double>(s.X.R.transpose().reshaped()) : VecX<double>(cardan_angles_of(s.X.R));
  return joined({s.X.p, turn, s.rates.v, s.rates.w, s.rates.a, s.rates.dw});
}

class FromPlatform : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Codegen, FromPlatform,
                         testing::Values("palida", "hexapod", "hexapod_offplane", "hexapod_arbitrary"),
                         [](const auto& of) { return of.param; });

/// Two formulations that share nothing with the struts' formulas.
TEST_P(FromPlatform, InverseDynamicsAgree) {
  for (const bool matrix : {false, true})
    for (const bool fold : {false, true}) {
      const Program p = generate(m, {"inverse", "platform", fold, false, matrix});
      for (const ClosedState& s : states_of(m))
        for (const Formulation f : {Formulation::multipliers, Formulation::virtual_power}) {
          Workspace<double> w = unloaded(m, s);
          Dynamics d(m, w, by(f));
          ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
          const std::vector<double> in = inputs_of(platform_at(m, s), matrix);
          EXPECT_TRUE(is_sound(p, in));
          EXPECT_LT(error_of(vector_of(evaluate(p, in)), w.tau), 1e-10) << name(f);
        }
    }
}

TEST_P(FromPlatform, ForwardDynamicsAgree) {
  for (const bool matrix : {false, true}) {
    const Program p = generate(m, {"forward", "platform", false, false, matrix});
    for (const ClosedState& s : states_of(m)) {
      const VecX<double> tau = 10 * random_load(m, 1).tau;
      Workspace<double> w = set_up(m, s, {tau, {}});
      Dynamics d(m, w, by(Formulation::multipliers));
      ASSERT_TRUE(forward_dynamics(m, w, d).ok());
      const PlatformAt found = platform_at(m, {s.q, s.v, w.a});
      std::vector<double> in = inputs_of(found, matrix);
      in.resize(in.size() - 6);  // without accelerations
      in.insert(in.end(), tau.begin(), tau.end());
      EXPECT_TRUE(is_sound(p, in));
      VecX<double> expected(6);
      expected << found.rates.a, found.rates.dw;
      EXPECT_LT(error_of(vector_of(evaluate(p, in)), expected), 1e-10);
    }
  }
}

/// Published: 1987 for palida (paper 003, Table II). These can only go down.
TEST(OperationCount, OfSixStruts) {
  const std::vector<std::pair<std::string, int>> most = {
      {"palida", 987}, {"hexapod_offplane", 1007}, {"hexapod", 1085}, {"hexapod_arbitrary", 1290}};
  for (const auto& [robot, operations] : most) {
    const Count c = count(generate(shipped(robot), {"inverse", "platform"})).call;
    EXPECT_LE(c.total(), operations) << robot;
    EXPECT_EQ(c.sin + c.cos, 6) << robot;
    EXPECT_LE(c.sqrt, 12) << robot;
    EXPECT_EQ(c.atan2, 0) << robot;
    EXPECT_LE(count(generate(shipped(robot), {"inverse", "platform", true})).call.total(), c.total()) << robot;
  }
}

TEST(OperationCount, OfSixStrutsForward) {
  EXPECT_LE(count(generate(shipped("palida"), {"forward", "platform"})).call.total(), 1550);
}

TEST(OperationCount, SectionsAddUp) {
  const CountTable table = count(generate(shipped("palida"), {"inverse", "platform"}));
  int sum = 0;
  for (const auto& [name, c] : table.sections) sum += c.total();
  EXPECT_EQ(sum, table.call.total());
  for (const std::string name : {"struts", "platform", "solve", "friction"}) EXPECT_TRUE(table.sections.contains(name));
}

/// Legs of one template whose bodies differ, as identification finds them.
TEST(GeneratedCode, KnowsLegsThatDiffer) {
  for (const std::string robot : {"palida", "hexa", "delta"}) {
    Mechanism<double> m = shipped(robot);
    for (int j = 0; j < m.tree_size(); ++j) {
      Inertia<double>& I = m.inertia[at(j)];
      const double k = 1 + 0.03 * j;
      I = {I.mass * k, I.first * k, I.second * k};
    }
    const Program p = generate(m, {"inverse", "platform"});
    int compared = 0;
    for (const ClosedState& s : states_of(m)) {
      Workspace<double> w(m);
      InverseOptions any;
      any.check_limits = false;
      const bool home_mode = inverse_kinematics(m, platform_at(m, s).X, w, any).ok() && (w.q - s.q).norm() < 1e-6;
      if (!home_mode) continue;
      w = unloaded(m, s);
      Dynamics d(m, w, by(Formulation::multipliers));
      ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
      EXPECT_LT(error_of(vector_of(evaluate(p, inputs_by_name(m, p, s, {}))), w.tau), 1e-10) << robot;
      ++compared;
    }
    EXPECT_GT(compared, 1) << robot;
  }
}

/// A parameter in the struct is used, not only the value traced with.
TEST(GeneratedCode, FollowsItsParameters) {
  Mechanism<double> heavier = shipped("palida");
  const Program before = generate(heavier, {"inverse", "platform"});
  heavier.inertia[at(heavier.platform.body)].mass += 1;
  const Program after = generate(heavier, {"inverse", "platform"});
  std::vector<double> symbol;
  for (std::size_t i = 0; i < before.tape.symbols().size(); ++i) {
    const Symbol& s = before.tape.symbols()[i];
    symbol.push_back(s.name == "platform.mass" ? s.value + 1 : s.value);
  }
  const std::vector<double> in = inputs_of(platform_at(heavier, closed_state(heavier, 1)), false);
  std::size_t next = 0;
  for (const InputArray& array : before.inputs)
    for (const int s : array.symbol) symbol[at(s)] = in[next++];
  const std::vector<double> values = evaluate(before.tape, symbol), expected = evaluate(after, in);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(value_of(values, before.outputs[0].value[i]), expected[i], 1e-9 * std::abs(expected[i]));
}

}  // namespace
}  // namespace gough::platform_test
