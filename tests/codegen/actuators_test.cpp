/// Code from the actuators' positions against the library.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "codegen/generated.hpp"

namespace gough::actuators_test {
namespace {

VecX<double> driven(const Mechanism<double>& m, const VecX<double>& v) {
  VecX<double> x(2);
  for (int i = 0; i < 2; ++i) x[i] = v[m.actuator[at(i)]];
  return x;
}

VecX<double> angles(const Mechanism<double>& m, const VecX<double>& q) {
  VecX<double> x(2);
  for (const TreeJoint& joint : m.joint)
    for (int i = 0; i < 2; ++i)
      if (joint.v == m.actuator[at(i)]) x[i] = q[joint.q];
  return x;
}

std::string five_bar_text() {
  std::ifstream file(robot_path("five_bar"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_agreement(const Mechanism<double>& m) {
  const Program p = generate(m, {"forward", "actuators"});
  int compared = 0;
  for (const ClosedState& s : states_of(m)) {
    const VecX<double> tau = random_load(m, 3).tau;
    Workspace<double> w = set_up(m, s, {tau, {}});
    Dynamics d(m, w, by(Formulation::multipliers));
    const std::vector<double> in = joined({angles(m, s.q), driven(m, s.v), tau});
    if (!forward_dynamics(m, w, d).ok() || !is_sound(p, in)) continue;
    ++compared;
    EXPECT_LT(error_of(vector_of(evaluate(p, in)), driven(m, w.a)), 1e-10);
  }
  EXPECT_GE(compared, 4);
}

TEST(FromActuators, ForwardDynamicsOfTheFiveBarAgree) { expect_agreement(shipped("five_bar")); }

/// Nothing of the shipped one's symmetry: other lengths, masses, pivots, gravity, friction in a drive.
TEST(FromActuators, ForwardDynamicsOfAnIrregularFiveBarAgree) {
  std::string text = with(five_bar_text(), "gravity: [0, -9.81, 0]", "gravity: [2, -9, 0]");
  text = with(text, "xyz: [0.1, 0, 0]", "xyz: [0.12, 0.03, 0]");
  text =
      with(text, "right_distal: {mass: 0.3 kg, rod: [0.35, 0, 0]}", "right_distal: {mass: 0.4 kg, rod: [0.32, 0, 0]}");
  text = with(text, "parent: right_distal\n    child: left_distal\n    origin: {xyz: [0.35, 0, 0]}",
              "parent: right_distal\n    child: left_distal\n    origin: {xyz: [0.33, 0, 0]}");
  text = with(text, "right_proximal: {mass: 0.5 kg,", "right_proximal: {mass: 0.7 kg,");
  text = with(text, "role: actuated, guess: 134 deg", "role: actuated, damping: 0.3, guess: 134 deg");
  const Mechanism<double> m = prepared_from(text).mechanism;
  expect_agreement(m);
  EXPECT_GT(count(generate(m, {"forward", "actuators"})).call.total(), 123);  // the symmetry is gone
}

/// Published: 742 by SCDD, 3490 by L-D'A (paper 000, Table 2).
TEST(OperationCount, OfTheFiveBar) {
  EXPECT_LE(count(generate(shipped("five_bar"), {"forward", "actuators"})).call.total(), 123);
}

TEST(FromActuators, AreRefusedWhereTheLoopsDoNotCloseInClosedForm) {
  EXPECT_THROW(generate(shipped("palida"), {"forward", "actuators"}), Error);
  EXPECT_THROW(generate(shipped("five_bar"), {"derivatives", "actuators"}), Error);
}

}  // namespace
}  // namespace gough::actuators_test
