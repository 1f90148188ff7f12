/// Whether the coordinates of a task tell how a platform moves, and rotation vectors of which only parts are read.
#include "gough/kinematics/task_coordinates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "robots.hpp"

namespace gough::task_coordinates_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

TaskCoordinates at_home(const Mechanism<double>& m, const PoseMask& mask) {
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  return task_coordinates(m, w, mask);
}

MobilityReport check(const std::string& text) {
  const Prepared p = prepared_from(text);
  return check_mobility(p.mechanism, p.home);
}
auto says(const std::string& part) { return Contains(Field(&Finding::what, HasSubstr(part))); }

TEST(TaskCoordinates, APlanarRobotHasTwoWaysAndATurn) {
  const Mechanism<double> m = prepare(read_robot(robot_path("rrr3"))).mechanism;
  EXPECT_TRUE(at_home(m, {true, true, false, false, false, true}).fit());
  const TaskCoordinates space = at_home(m, {true, true, true, false, false, false});
  EXPECT_EQ(space.freedoms, 3);
  EXPECT_EQ(space.told, 2);
  EXPECT_FALSE(space.fit());
  EXPECT_EQ(space.standing, (PoseMask{false, false, true, false, false, false}));
  EXPECT_EQ(space.suggestion(), "[x, y, rz]");
  const TaskCoordinates few = at_home(m, {true, true, false, false, false, false});
  EXPECT_EQ(few.told, 2);
  EXPECT_FALSE(few.fit()) << "the turn is not told";
}

TEST(TaskCoordinates, TheCheckSaysWhatIsMissingOrWrong) {
  const std::string rrr3 = robot_text("rrr3"), task = "coordinates: [x, y, rz]";
  EXPECT_THAT(check(rrr3).findings, Not(says("`platform.coordinates`")));
  EXPECT_THAT(check(with(rrr3, task, "coordinates: [x, y, z]")).findings,
              says("the platform has 3 freedoms, of which its 3 coordinates tell 2; no motion of the robot changes z"));
  const MobilityReport missing = check(with(rrr3, "  " + task + "\n", ""));
  EXPECT_THAT(missing.findings, says("`platform.coordinates` do not fit"));
  EXPECT_THAT(missing.findings, Contains(Field(&Finding::repair, HasSubstr("coordinates: [x, y, rz]"))));
}

TEST(TaskCoordinates, EveryShippedRobotsFit) {
  for (const std::string& name : shipped_robots()) {
    const Prepared p = prepare(read_robot(robot_path(name)));
    EXPECT_THAT(check_mobility(p.mechanism, p.home).findings, Not(says("`platform.coordinates`"))) << name;
  }
}

/// A body that turns about a vertical axis, upside down: its rotation is half a turn about an axis that turns half as fast, so the rotation
/// vector is (pi cos a/2, pi sin a/2, 0).
const char* const upside_down = R"(
robot: upside_down
bodies:
  arm: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  turn: {type: revolute, parent: base, child: arm, role: actuated}
platform: {body: arm, frame: {rpy: [180 deg, 0, 0]}, coordinates: [rz]}
)";

TEST(RotationVectors, UpsideDownItsThirdComponentStands) {
  const MobilityReport r = check(upside_down);
  EXPECT_THAT(r.findings, says("no motion of the robot changes rz"));
  EXPECT_THAT(r.findings, Contains(Field(&Finding::repair, HasSubstr("coordinates: [ry]"))));
  const Mechanism<double> m = prepared_from(upside_down).mechanism;
  Workspace<double> w(m);
  Vec6<double> x = Vec6<double>::Zero();
  x[5] = 0.3;
  const Answer answer = inverse_kinematics(m, pose_from_vector(x, m.platform.coordinates), w);
  EXPECT_FALSE(answer.ok());
  EXPECT_THAT(answer.reason, AllOf(HasSubstr("no motion of the robot changes rz"), HasSubstr("[ry]")));
}

TEST(RotationVectors, PartsOfOneLongerThanPiAreRefused) {
  const double pi = std::numbers::pi;
  const PoseMask only_rz = {true, true, true, false, false, true}, all = {true, true, true, true, true, true};
  Vec6<double> x;
  x << 0.1, 0.2, 0.3, 3.14159, 0, 0.3;
  EXPECT_THROW(pose_from_vector(x, only_rz), Error);
  EXPECT_NO_THROW(pose_from_vector(x, all)) << "a rotation as a whole means what it means";
  try {
    pose_from_vector(x, only_rz);
  } catch (const Error& e) {
    // the same rotation is about the opposite axis, 2 pi - |r| far
    const double r = std::hypot(3.14159, 0.3);
    EXPECT_THAT(e.what(), HasSubstr(fmt::format("the same rotation is ({:.6g}, ", -(2 * pi - r) * 3.14159 / r)));
    EXPECT_THAT(e.what(), HasSubstr(fmt::format("{:.6g})", -(2 * pi - r) * 0.3 / r)));
  }
  x << 0, 0, 0, 0, 0, 3.5;
  EXPECT_NO_THROW(pose_from_vector(x, only_rz)) << "nothing else turns: 3.5 is where -2.78 is";
  x << 0, 0, 0, 1, 0, 2;
  EXPECT_NO_THROW(pose_from_vector(x, only_rz));
}

}  // namespace
}  // namespace gough::task_coordinates_test
