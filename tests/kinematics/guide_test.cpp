/// Guiding by hand: which joints are taken, and that the mechanism goes where they are put.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "robots.hpp"

namespace gough::guide_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A shipped robot's file.
std::string file_text(const std::string& name) {
  std::ifstream file(robot_path(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The body that a velocity coordinate moves.
int body_of(const Mechanism<double>& m, int v) {
  for (int j = 0; j < m.tree_size(); ++j)
    if (m.joint[static_cast<std::size_t>(j)].v == v) return j;
  throw std::runtime_error("no such coordinate");
}

std::vector<std::string> guided(const Mechanism<double>& m) {
  std::vector<std::string> names;
  for (const int v : guiding_coordinates(m)) names.push_back(m.coordinate[static_cast<std::size_t>(v)].name);
  return names;
}

double position(const Mechanism<double>& m, Workspace<double>& w, const std::string& wanted) {
  for (const auto& [name, value] : named_positions(m, w))
    if (name == wanted) return value;
  throw std::runtime_error("no coordinate " + wanted);
}

VecX<double> listed(std::initializer_list<double> all) {
  return Eigen::Map<const VecX<double>>(all.begin(), static_cast<Eigen::Index>(all.size()));
}

TEST(Guide, TakesTheActuatorsInTheirOrder) {
  EXPECT_THAT(guided(load_robot(robot_path("psp3"))), ElementsAre("leg1.drive", "leg2.drive", "leg3.drive"));
  EXPECT_THAT(guided(load_robot(robot_path("elastic_five_bar"))).size(), 2);  // elastic joints stand still
}

TEST(Guide, TakesAsManyAsThereAreFreedoms) {
  EXPECT_EQ(guided(load_robot(robot_path("redundant_five_bar"))).size(), 2u);  // of three actuators
  const std::string free_five_bar = with(file_text("redundant_five_bar"), "role: actuated", "role: passive");
  EXPECT_EQ(guided(prepared_from(free_five_bar).mechanism).size(), 2u);
}

/// The law of cosines for the four-bar of robots/four_bar.yaml: crank 0.10, coupler 0.25, rocker 0.20, ground 0.25.
TEST(Guide, LeadsAFourBarByItsRocker) {
  const std::string text = with(file_text("four_bar"), "role: actuated", "role: passive");
  const auto m = prepared_from(with(text, "home: 60 deg", "guess: 60 deg")).mechanism;
  Workspace<double> w(m);
  const int rocker = m.find_coordinate("rocker");
  const double angle = position(m, w, "rocker") + 0.2;
  ASSERT_TRUE(guide(m, {rocker}, listed({angle}), w).ok());
  EXPECT_NEAR(position(m, w, "rocker"), angle, 1e-12);
  const Eigen::Vector2d pin(0.25 + 0.20 * std::cos(angle), 0.20 * std::sin(angle));
  const double crank = position(m, w, "crank");
  EXPECT_NEAR((pin - 0.10 * Eigen::Vector2d(std::cos(crank), std::sin(crank))).norm(), 0.25, 1e-12);
}

TEST(Guide, SaysWhereTheWayEnds) {
  const auto m = prepared_from(with(file_text("four_bar"), "role: actuated", "role: passive")).mechanism;
  Workspace<double> w(m);
  const int rocker = m.find_coordinate("rocker");
  const Answer answer = guide(m, {rocker}, listed({position(m, w, "rocker") + 3}), w);
  EXPECT_FALSE(answer.ok());
  EXPECT_FALSE(answer.reason.empty());
}

const std::string ball_pendulum = R"(
robot: ball_pendulum
bodies:
  bob: {mass: 1 kg, inertia: [1, 1, 1], com: [0, 0, -1]}
joints:
  hook: {type: spherical, parent: base, child: bob}
)";

TEST(Guide, TurnsABallJointByAllItsAngles) {
  const auto m = prepared_from(ball_pendulum).mechanism;
  EXPECT_THAT(guided(m), ElementsAre("hook.rx", "hook.ry", "hook.rz"));
  Workspace<double> w(m);
  ASSERT_TRUE(guide(m, guiding_coordinates(m), listed({0.3, -0.2, 0.5}), w).ok());
  EXPECT_NEAR((vector_from_rotation(w.X0[0].R) - Vec3<double>(0.3, -0.2, 0.5)).norm(), 0, 1e-12);
}

/// The arm carries the bob by a joint that the file writes from the bob to the arm: its pose is the arm's in the bob.
TEST(Guide, LeadsJointsThatAreWalkedBackwards) {
  const std::string two =
      with(with(ball_pendulum, "parent: base, child: bob", "parent: bob, child: arm, child_origin: {xyz: [1, 0, 0]}"),
           "bodies:", "bodies:\n  arm: {mass: 1 kg, inertia: [1, 1, 1]}") +
      "  shoulder: {type: revolute, parent: base, child: arm}\nlock_idle: false\n";
  const std::map<std::string, double> wanted = {{"shoulder", 0.4}, {"hook.x", 1},     {"hook.y", 2},   {"hook.z", 3},
                                                {"hook.rx", 0.3},  {"hook.ry", -0.2}, {"hook.rz", 0.5}};
  for (const std::string type : {"spherical", "free"}) {
    const auto m = prepared_from(with(two, "type: spherical", "type: " + type)).mechanism;
    std::vector<double> x;
    for (const std::string& name : guided(m)) x.push_back(wanted.at(name));
    ASSERT_EQ(x.size(), type == "free" ? 7u : 4u);
    Workspace<double> w(m);
    ASSERT_TRUE(guide(m, guiding_coordinates(m), Eigen::Map<VecX<double>>(x.data(), std::ssize(x)), w).ok());
    const auto author = [&](const std::string& body) {
      const auto j = static_cast<std::size_t>(m.find_body(body));
      return w.X0[j] * m.body_frame[j];
    };
    const Transform<double> at_tip{Mat3<double>::Identity(), Vec3<double>(1, 0, 0)};
    const Transform<double> tip_in_bob = author("bob").inverse() * author("arm") * at_tip;
    const Vec3<double> p = type == "free" ? Vec3<double>(1, 2, 3) : Vec3<double>(0, 0, 0);
    EXPECT_NEAR((vector_from_rotation(tip_in_bob.R) - Vec3<double>(0.3, -0.2, 0.5)).norm(), 0, 1e-12) << type;
    EXPECT_NEAR((tip_in_bob.p - p).norm(), 0, 1e-12) << type;
    EXPECT_NEAR((vector_from_rotation(author("arm").R) - Vec3<double>(0, 0, 0.4)).norm(), 0, 1e-12) << type;
  }
}

TEST(Guide, CarriesAFreeBody) {
  const auto m = prepared_from(with(ball_pendulum, "type: spherical", "type: free")).mechanism;
  Workspace<double> w(m);
  ASSERT_TRUE(guide(m, guiding_coordinates(m), listed({1, 2, 3, 0.1, 0.2, 0.3}), w).ok());
  EXPECT_NEAR((w.X0[0].p - Vec3<double>(1, 2, 3)).norm(), 0, 1e-12);
  EXPECT_NEAR((vector_from_rotation(w.X0[0].R) - Vec3<double>(0.1, 0.2, 0.3)).norm(), 0, 1e-12);
}

TEST(Guide, LeavesAFrameworkAlone) {
  const std::string welded = with(ball_pendulum, "type: spherical", "type: fixed");
  EXPECT_THAT(guided(prepared_from(welded).mechanism), IsEmpty());
}

TEST(Limits, AreAllNamed) {
  const auto m = load_robot(robot_path("hexapod"));
  Workspace<double> w(m);
  EXPECT_THAT(all_limits_exceeded(m, w), IsEmpty());
  for (const int a : m.actuator) w.q[m.joint[static_cast<std::size_t>(body_of(m, a))].q] = 1.25;  // of at most 1
  tree_positions(m, w);
  closure(m, w);
  const auto all = all_limits_exceeded(m, w);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0], limits_exceeded(m, w));
  EXPECT_EQ(all[5], "'leg6.drive' = 1.25 is above its limit 1 by 0.25 m");
}

}  // namespace
}  // namespace gough::guide_test
