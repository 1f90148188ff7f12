/// What dynamics answer where there is no answer, and how friction and springs are read.
#include <gmock/gmock.h>

#include <numbers>
#include <sstream>

#include "dynamics/evaluations.hpp"

namespace gough::status_test {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& robot) {
  std::ostringstream text;
  text << std::ifstream(robot_path(robot)).rdbuf();
  return text.str();
}

/// A shipped robot with one drive made passive.
Mechanism<double> without_drive(const std::string& robot, const std::string& joint) {
  RobotDescription d = read_robot(robot_path(robot));
  for (JointDescription& j : d.joints)
    if (j.name == joint) j.coordinates.at(0).actuated = false;
  return prepare(d).mechanism;
}

class StatusOf : public testing::TestWithParam<Formulation> {
 protected:
  DynamicsOptions options = by(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Dynamics, StatusOf, testing::ValuesIn(all_formulations),
                         [](const auto& of) { return std::string(name(of.param)); });

// ------------------------------------------------------------------------------------------------ too few drives

TEST_P(StatusOf, AMotionThatTheDrivesCannotMakeIsUnderActuated) {
  for (const auto& [robot, joint] : {std::pair("five_bar", "right"), std::pair("hexapod", "leg3.drive")}) {
    const Mechanism<double> m = without_drive(robot, joint);
    Workspace<double> w = set_up(m, closed_state(m, 1), random_load(m, 1));
    const DynamicsAnswer a = inverse_dynamics(m, w, options);
    EXPECT_EQ(name(a.status), "under_actuated") << robot;
    EXPECT_GT(a.residual, 0.1) << robot;
    EXPECT_THAT(a.reason, HasSubstr(std::string(robot) == "hexapod" ? "5 actuators for 6 freedoms"
                                                                    : "1 actuators for 2 freedoms"));
    EXPECT_THAT(a.reason, HasSubstr("missing"));
    EXPECT_TRUE(w.tau.allFinite()) << robot;
  }
}

TEST_P(StatusOf, AMotionThatTheDrivesMadeIsNot) {
  for (const auto& [robot, joint] : {std::pair("five_bar", "right"), std::pair("hexapod", "leg3.drive")}) {
    const Mechanism<double> m = without_drive(robot, joint);
    const newton_euler::Load load = random_load(m, 1);
    Workspace<double> w = set_up(m, closed_state(m, 1), load);
    ASSERT_TRUE(forward_dynamics(m, w, options).ok());
    const DynamicsAnswer a = inverse_dynamics(m, w, options);
    EXPECT_TRUE(a.ok()) << a.reason;
    EXPECT_LT(error_of(w.tau, load.tau), 1e-10) << robot;
  }
}

// ------------------------------------------------------------------------------------------------ singular positions

/// The five-bar with distal links of 0.2 m, both along the line between the elbows: (0.2 + 2 0.25 cos) = 2 0.2.
Mechanism<double> stretched_five_bar() {
  std::string text = with(text_of("five_bar"), "0.35", "0.2");
  text = with(text, "y: 0.40", "y: " + std::to_string(0.25 * std::sqrt(1 - 0.4 * 0.4)));
  for (const auto& [angle, stretched] :
       {std::pair("134", "113.6"), std::pair(" 46", " 66.4"), std::pair("-95", "-113.6"), std::pair(" 95", " 113.6")})
    text = with(text, std::string("guess:") + (angle[0] == ' ' ? "" : " ") + angle,
                std::string("guess:") + (stretched[0] == ' ' ? "" : " ") + stretched);
  Mechanism<double> m = prepared_from(text).mechanism;
  Workspace<double> w = placed(m, m.home);
  const double angle = std::acos(0.4);
  Transform<double> body = w.X0[at(m.platform.body)];
  body.R.setIdentity();
  body.p = {0, 0.25 * std::sin(angle), 0};  // the platform's frame is at the tip
  place_platform(m, body, w.q);
  for (const auto& [joint, value] : {std::pair("left", std::numbers::pi - angle), std::pair("right", angle),
                                     std::pair("right_elbow", std::numbers::pi - angle)})
    w.q[position_of(m, m.find_coordinate(joint))] = value;
  EXPECT_LT(open_by(m, w.q), 1e-14);
  m.home = w.q;
  return m;
}

TEST_P(StatusOf, InverseAtAType2SingularityIsSingular) {
  const Mechanism<double> m = stretched_five_bar();
  EXPECT_LT(singularity_indices(m, placed(m, m.home)).type2.value_or(1), 1e-12);
  Workspace<double> w(m);
  const DynamicsAnswer a = inverse_dynamics(m, w, options);
  EXPECT_EQ(name(a.status), "singular");
  EXPECT_THAT(a.reason, HasSubstr("type-2"));
}

/// Made elsewhere, a Dynamics that meets the singularity must notice.
TEST_P(StatusOf, InverseNoticesAType2SingularityOnItsWay) {
  const Mechanism<double> m = stretched_five_bar();
  Workspace<double> w = placed(m, m.home);
  Hold hold;
  hold.coordinates.assign(at(m.nv), false);
  for (const int c : m.actuator) {
    w.q[position_of(m, c)] += c == m.actuator[0] ? -0.3 : 0.3;  // elbows nearer to each other
    hold.coordinates[at(c)] = true;
  }
  w.q[position_of(m, m.find_coordinate("right_elbow"))] -= 0.5;  // bent to one side, not between both
  ASSERT_TRUE(close_loops(m, w, hold).closed);
  Dynamics d(m, w, options);
  ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
  w.q = m.home;
  EXPECT_EQ(name(inverse_dynamics(m, w, d).status), "singular");
}

/// Forces are given there, not motions: nothing is singular, and Newton's accelerations come out.
TEST_P(StatusOf, ForwardAtAType2SingularityIsNot) {
  const Mechanism<double> m = stretched_five_bar();
  Workspace<double> w(m);
  w.tau << 1, 2;
  const DynamicsAnswer a = forward_dynamics(m, w, options);
  EXPECT_TRUE(a.ok()) << a.reason;
  EXPECT_LT(error_of(w.a, newton_euler::forward(m, w.q, w.v, {w.tau, {}}).a), 1e-12);
}

/// A leg at the end of its reach: the platform's rates do not give its joints', but nothing is singular in the dynamics.
TEST_P(StatusOf, AStretchedLegHasForcesAndAccelerations) {
  const Mechanism<double> m = load_robot(robot_path("five_bar"));
  const Transform<double> near_the_end{Mat3<double>::Identity(), {-0.19, 0.51, 0}};
  Workspace<double> w(m);
  ASSERT_TRUE(inverse_kinematics(m, near_the_end, w, {.coordinates = {}, .mode = "", .check_limits = false}).ok());
  Dynamics d(m, w, options);
  ASSERT_TRUE(forward_dynamics(m, w, d).ok());
  for (const double bent : {1e-3, 1e-6, 1e-9, 0.0}) {
    Hold hold;
    hold.coordinates.assign(at(m.nv), false);
    for (const auto& [joint, value] : {std::pair("right", 2 * std::numbers::pi / 3), std::pair("right_elbow", bent)}) {
      w.q[position_of(m, m.find_coordinate(joint))] = value;
      hold.coordinates[at(m.find_coordinate(joint))] = true;
    }
    ASSERT_TRUE(close_loops(m, w, hold).closed);
    w.tau << 1, 2;
    const DynamicsAnswer a = forward_dynamics(m, w, d);
    EXPECT_TRUE(a.ok()) << bent << a.reason;
    EXPECT_LT(error_of(w.a, newton_euler::forward(m, w.q, w.v, {w.tau, {}}).a), 1e-9) << bent;
    const DynamicsAnswer back = inverse_dynamics(m, w, d);
    EXPECT_TRUE(back.ok()) << bent << back.reason;
    EXPECT_NEAR(w.tau[0], 1, 1e-8) << bent;
    EXPECT_NEAR(w.tau[1], 2, 1e-8) << bent;
  }
}

/// The loops lose a row where the four-bars of the benchmark lie level.
TEST_P(StatusOf, LoopsThatLoseRankAreSingular) {
  const Mechanism<double> m = prepared_from(R"(
robot: parallelogram
gravity: [0, -9.81, 0]
bodies: {crank: {mass: 1, rod: [1, 0, 0]}, coupler: {mass: 1, rod: [2, 0, 0]}, rocker: {mass: 1, rod: [1, 0, 0]}}
joints:
  crank: {type: revolute, parent: base, child: crank, role: actuated, home: 60 deg}
  knee: {type: revolute, parent: crank, child: coupler, origin: {xyz: [1, 0, 0]}, guess: -60 deg}
  rocker: {type: revolute, parent: base, child: rocker, origin: {xyz: [2, 0, 0]}, guess: 60 deg}
  close: {type: revolute, parent: coupler, child: rocker, origin: {xyz: [2, 0, 0]}, child_origin: {xyz: [1, 0, 0]}}
)")
                                  .mechanism;
  Workspace<double> w(m);
  Dynamics d(m, w, options);
  ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
  w.q.setZero();
  EXPECT_LT(open_by(m, w.q), 1e-14);
  const DynamicsAnswer inverse = inverse_dynamics(m, w, d), forward = forward_dynamics(m, w, d);
  for (const DynamicsAnswer& a : {inverse, forward}) {
    EXPECT_EQ(name(a.status), "singular");
    EXPECT_THAT(a.reason, HasSubstr("lose rank"));
  }
}

// ------------------------------------------------------------------------------------------------ motions without mass

/// A needle on an arm, which may spin about itself.
std::string needle(const std::string& body) {
  return R"(
robot: needle
bodies:
  arm: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.03]}
  needle: )" +
         body + R"(
joints:
  turn: {type: revolute, parent: base, child: arm, role: actuated}
  spin: {type: revolute, parent: arm, child: needle, axis: [1, 2, 3], origin: {xyz: [0.2, 0, 0]}}
)";
}

TEST_P(StatusOf, AMotionWithoutInertiaIsSingularAndNamed) {
  for (const std::string body : {"{}", "{mass: 0.1, rod: [0.1, 0.2, 0.3]}"}) {  // no mass; none but for rounding
    const Mechanism<double> m = built_from(needle(body));
    Workspace<double> w(m);
    w.q << 0.3, 1.7;
    w.v << 1, 0.7;
    w.tau << 1;
    const DynamicsAnswer a = forward_dynamics(m, w, options);
    EXPECT_EQ(name(a.status), "singular") << body;
    EXPECT_THAT(a.reason, HasSubstr("'spin' moves without inertia")) << body;
  }
}

TEST_P(StatusOf, AMotionWithASmallInertiaIsOk) {
  const Mechanism<double> m = built_from(needle("{mass: 1e-3, com: [0.1, 0.2, 0.3], inertia: [1e-7, 1e-7, 1e-7]}"));
  Workspace<double> w(m);
  w.q << 0.3, 1.7;
  w.v << 1, 0.7;
  w.tau << 1;
  const DynamicsAnswer a = forward_dynamics(m, w, options);
  EXPECT_TRUE(a.ok()) << a.reason;
  EXPECT_LT(error_of(w.a, newton_euler::forward(m, w.q, w.v, {w.tau, {}}).a),
            1e-9);  // 1e-7 beside 1: loses 1e-16 / 1e-6
}

// ------------------------------------------------------------------------------------------------ names

TEST(DynamicsNames, OfFormulationsAreFoundAgain) {
  for (const Formulation f : all_formulations) EXPECT_EQ(formulation_from(name(f)), f);
  EXPECT_EQ(formulation_from("scdd_iterative"), Formulation::scdd_iterative);
  EXPECT_EQ(formulation_from("newton"), std::nullopt);
}

TEST(DynamicsNames, OfUnknownFrictionFunctionsAreRefusedWithTheKnownOnes) {
  Mechanism<double> m = shipped("pendulum");
  m.coordinate[0].friction.push_back({"sticky", 0});
  m.coefficient.push_back(1);
  m.coefficient_name.push_back("sticky");
  Workspace<double> w(m);
  try {
    Dynamics d(m, w);
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    for (const std::string word : {"sticky", "viscous", "coulomb", "quadratic", "cubic", "square_root"})
      EXPECT_THAT(e.what(), HasSubstr(word));
  }
}

}  // namespace
}  // namespace gough::status_test
