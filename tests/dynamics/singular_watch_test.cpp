/// Whether a motion meets a singular position does not depend on where its samples fall.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "robots.hpp"

namespace gough::singular_watch_test {
namespace {

constexpr double deg = std::numbers::pi / 180;

/// A parallelogram: flat at a crank angle of zero, where its loop loses rank and two branches cross.
const std::string parallelogram = R"(
robot: parallelogram
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 0.10, rod: [0.10, 0, 0]}
  coupler: {mass: 0.25, rod: [0.25, 0, 0]}
  rocker: {mass: 0.20, rod: [0.10, 0, 0]}
joints:
  crank: {type: revolute, parent: base, child: crank, role: actuated, home: 60 deg}
  knee: {type: revolute, parent: crank, child: coupler, origin: {xyz: [0.10, 0, 0]}, guess: -60 deg}
  rocker: {type: revolute, parent: base, child: rocker, origin: {xyz: [0.25, 0, 0]}, guess: 60 deg}
  close: {type: revolute, parent: coupler, child: rocker, origin: {xyz: [0.25, 0, 0]}, child_origin: {xyz: [0.10, 0, 0]}}
)";

std::vector<KnownState> crank_states(double to, double step) {
  const auto at_angle = [](double x) { return VecX<double>::Constant(1, x).eval(); };
  return known_motion(trajectory_of(Moves::actuators,
                                    line_piece(at_angle(60 * deg), at_angle(to), TimeLaw{Profile::quintic, 1, 0})),
                      "test", step)
      .states;
}

AlongAnswer followed(const Mechanism<double>& m, const std::vector<KnownState>& states, bool watch = true) {
  AlongOptions o;
  o.watch = watch;
  return inverse_along(m, states, o, [](const AlongRow&) { return true; });
}

TEST(SingularWatch, EveryMotionThroughTheFlatParallelogramEndsThere) {
  const Mechanism<double> m = prepared_from(parallelogram).mechanism;
  for (const double to : {-60.0, -61.0, -62.0, -65.0, -70.0, -80.0, -90.0})
    for (const double step : {1e-2, 1.37e-2, 1e-3, 1.3e-3, 0.1}) {
      const AlongAnswer a = followed(m, crank_states(to * deg, step));
      EXPECT_EQ(a.status, Status::singular) << to << " deg, " << step << " s";
    }
}

TEST(SingularWatch, ItsTimeIsThatOfThePosition) {
  const Mechanism<double> m = prepared_from(parallelogram).mechanism;
  const AlongAnswer a = followed(m, crank_states(-60 * deg, 1e-3));  // flat in the middle of a symmetric motion
  EXPECT_EQ(a.status, Status::singular);
  EXPECT_NEAR(a.t, 0.5, 1e-3);
  EXPECT_EQ(a.rows, 500U) << "those before are kept";
}

TEST(SingularWatch, MotionsThatStopBeforeAreDone) {
  const Mechanism<double> m = prepared_from(parallelogram).mechanism;
  for (const double to : {1.0, 0.1})
    for (const double step : {1e-2, 1e-3})
      EXPECT_TRUE(followed(m, crank_states(to * deg, step)).ok()) << to << " deg, " << step << " s";
}

/// The tutorial's five-bar drawn through the place where its distal links are in line: type 2, no branch to change to.
TEST(SingularWatch, DrivesThatDoNotHoldThePlatformAreMetBetweenSamplesToo) {
  const Mechanism<double> m = load_robot(std::string(GOUGH_SOURCE_DIR) + "/examples/tutorial/plotter.yaml");
  Workspace<double> w(m);
  tree_positions(m, w);
  const Transform<double> from = platform_pose(m, w);
  Transform<double> to = from;
  to.p.y() = -0.05;
  for (const double step : {1e-3, 1e-2, 0.05}) {
    const auto states =
        known_motion(trajectory_of(Moves::platform, line_piece(from, to, TimeLaw{Profile::quintic, 1, 0})), "test",
                     step)
            .states;
    const AlongAnswer a = followed(m, states);
    EXPECT_EQ(a.status, Status::singular) << step;
    EXPECT_NEAR(a.t, 0.738, 0.002) << step;
    EXPECT_TRUE(followed(m, states, false).ok()) << "no sample falls on it";
  }
}

/// Rows of a table whose rates do not lead from one to the next: there is no way between them that could be watched.
TEST(SingularWatch, StatesThatAreNoMotionAreComputedOneByOne) {
  const Mechanism<double> m = prepared_from(parallelogram).mechanism;
  std::vector<KnownState> states = crank_states(30 * deg, 1e-2);
  for (KnownState& s : states) {
    ActuatorMotion a = s.motion.actuators();
    a.v *= -100;
    s.motion.motion = a;
  }
  EXPECT_TRUE(followed(m, states).ok());
}

}  // namespace
}  // namespace gough::singular_watch_test
