/// Motion files and motion tables: what they mean, that the shipped ones can be followed, and that any text is read or
/// refused with an Error.
#include "gough/io/motion_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "cli/tool.hpp"
#include "kinematics/states.hpp"

namespace gough::motion_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using std::numbers::pi;

Trajectory motion(const std::string& text, const std::string& robot = "hexapod") {
  return parse_motion("motion: m\n" + text, "test.yaml", shipped(robot));
}

Vec6<double> pose_at(const Trajectory& trajectory, double t) {
  return pose_vector(platform_motion(trajectory, t).pose);
}

Vec6<double> pose6(double x, double y, double z, double rx, double ry, double rz) {
  return (Vec6<double>() << x, y, z, rx, ry, rz).finished();
}

// ------------------------------------------------------------------------------------------------ meaning

TEST(MotionFile, ALineStartsAtHomeAndKeepsWhatItDoesNotName) {
  const Trajectory all = motion("line: {to: {x: 20 mm, rz: 15 deg}, duration: 500 ms}");
  EXPECT_EQ(all.duration, 0.5);
  EXPECT_LT((pose_at(all, 0) - pose6(0, 0, -0.65, 0, 0, 0)).norm(), 1e-12) << "home closes to 1e-12";
  EXPECT_LT((pose_at(all, 0.5) - pose6(0.02, 0, -0.65, 0, 0, pi / 12)).norm(), 1e-12);
  EXPECT_NEAR(platform_motion(all, 0.25).v.x(), 15.0 / 8 * 0.02 / 0.5, 1e-14);
}

TEST(MotionFile, LimitsGiveTheShortestDuration) {
  const auto line = [](const std::string& rest) {
    return motion("line: {to: {x: 0.1, rz: 0.2}, " + rest + "}").duration;
  };
  EXPECT_NEAR(line("profile: trapezoid, velocity: 0.2 m/s, acceleration: 1 m/s^2"), 0.1 / 0.2 + 0.2, 1e-12);
  EXPECT_NEAR(line("profile: bang_bang, acceleration: 1000 mm/s^2"), 2 * std::sqrt(0.1), 1e-12);
  EXPECT_NEAR(line("velocity: 0.5"), 15.0 / 8 * 0.1 / 0.5, 1e-12);
  EXPECT_NEAR(line("profile: constant, velocity: 0.5, angular_velocity: 10 deg/s"), 0.2 / (10 * pi / 180), 1e-12);
  EXPECT_NEAR(line("profile: bang_bang, acceleration: 1000, angular_acceleration: 2"), 2 * std::sqrt(0.1), 1e-12);
}

TEST(MotionFile, ActuatorsAreNamedOrListed) {
  const Trajectory named =
      motion("moves: actuators\nline: {from: {leg1.drive: 0.8}, to: {leg3.drive: 900 mm}, duration: 1}");
  const Trajectory listed = motion("moves: actuators\nline: {to: [0.7, 0.71, 0.72, 0.73, 0.74, 0.75], duration: 1}");
  const VecX<double> home = actuator_motion(listed, 0).q;
  EXPECT_EQ(actuator_motion(named, 0).q[0], 0.8);
  EXPECT_EQ(actuator_motion(named, 1).q[0], 0.8) << "kept from the start";
  EXPECT_NEAR(actuator_motion(named, 1).q[2], 0.9, 1e-15);
  EXPECT_EQ(actuator_motion(named, 1).q[5], home[5]);
  EXPECT_NEAR(actuator_motion(listed, 1).q[4], 0.74, 1e-15);
  // legs of equal length at home: from (0.5, -15 deg, 0) to (0.12, -45 deg, -0.65)
  const double chord2 = 0.25 + 0.0144 - 2 * 0.5 * 0.12 * std::cos(pi / 6);
  for (const double q : home) EXPECT_NEAR(q, std::sqrt(chord2 + 0.65 * 0.65), 1e-11);
}

TEST(MotionFile, EachActuatorKeepsTheLimits) {
  const Trajectory all = motion(
      "moves: actuators\nline: {from: [0.7, 0.7, 0.7, 0.7, 0.7, 0.7], "
      "to: {leg1.drive: 0.8, leg2.drive: 0.5}, profile: constant, velocity: 0.1 m/s}");
  EXPECT_NEAR(all.duration, 2, 1e-12);
}

TEST(MotionFile, ACircleIsGivenByItsNormalOrByAxes) {
  const std::string circle = "circle: {centre: [0, 0, -0.6], radius: 0.1, duration: 4, profile: constant";
  const auto p = [&](const std::string& rest, double t) {
    return Vec3<double>(platform_motion(motion(circle + rest + "}"), t).pose.p - Vec3<double>(0, 0, -0.6));
  };
  EXPECT_LT((p("", 0) - Vec3<double>(0.1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((p("", 1) - Vec3<double>(0, 0.1, 0)).norm(), 1e-15);
  EXPECT_LT((p(", turns: -1, start: 90 deg", 1) - Vec3<double>(0.1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((p(", normal: [5, 0, 0]", 0) - Vec3<double>(0, 0.1, 0)).norm(), 1e-15);
  EXPECT_LT((p(", normal: [5, 0, 0]", 1) - Vec3<double>(0, 0, 0.1)).norm(), 1e-15);
  EXPECT_LT((p(", axes: [[0, 0, 2], [0, 3, 1]]", 0) - Vec3<double>(0, 0, 0.1)).norm(), 1e-15);
  EXPECT_LT((p(", axes: [[0, 0, 2], [0, 3, 1]]", 1) - Vec3<double>(0, 0.1, 0)).norm(), 1e-15);
  EXPECT_LT((p(", turns: 2", 0.5) - Vec3<double>(0, 0.1, 0)).norm(), 1e-15);
}

TEST(MotionFile, ACirclesOrientationIsHomesOrGiven) {
  const std::string circle = "circle: {centre: [0, 0, -0.6], radius: 0.1, duration: 4";
  EXPECT_LT(pose_at(motion(circle + "}"), 1).tail<3>().norm(), 1e-12);
  EXPECT_LT((pose_at(motion(circle + ", orientation: [0, 10 deg, 0]}"), 1)[4] - pi / 18), 1e-15);
}

TEST(MotionFile, HarmonicsAreSeriesOrTerms) {
  const Trajectory all = motion(
      "harmonic:\n  rate: 0.5 Hz\n  duration: 3\n  coordinates:\n"
      "    x: {sin: [0.1, 0.02], cos: [0, 0.03]}\n"
      "    z: {offset: -0.6, terms: [{amplitude: 10 mm, rate: 3, phase: 30 deg}]}\n"
      "    ry: {rate: 2 rad/s, cos: [5 deg]}\n");
  for (const double t : {0.0, 0.3, 1.7, 3.0}) {
    const PlatformMotion now = platform_motion(all, t);
    EXPECT_NEAR(now.pose.p.x(), 0.1 * std::sin(pi * t) + 0.02 * std::sin(2 * pi * t) + 0.03 * std::cos(2 * pi * t),
                1e-12);
    EXPECT_NEAR(now.pose.p.z(), -0.6 + 0.01 * std::sin(3 * t + pi / 6), 1e-15);
    EXPECT_NEAR(now.a.z(), -0.09 * std::sin(3 * t + pi / 6), 1e-15);
    EXPECT_NEAR(now.w.y(), -pi / 18 * std::sin(2 * t), 1e-12) << "about one axis";
  }
}

TEST(MotionFile, ASequenceContinuesWhereItStands) {
  const Trajectory all = motion(
      "sequence:\n  - line: {to: {x: 0.1}, duration: 1}\n  - wait: 500 ms\n"
      "  - line: {to: {y: 0.1}, duration: 1}\n"
      "  - circle: {centre: [0, 0.1, -0.65], radius: 0.1, duration: 2}\n");
  EXPECT_NEAR(all.duration, 4.5, 1e-15);
  EXPECT_LT((pose_at(all, 1.2) - pose6(0.1, 0, -0.65, 0, 0, 0)).norm(), 1e-12);
  EXPECT_LT((pose_at(all, 2.5) - pose6(0.1, 0.1, -0.65, 0, 0, 0)).norm(), 1e-12);
  EXPECT_LT((pose_at(all, 4.5) - pose6(0.1, 0.1, -0.65, 0, 0, 0)).norm(), 1e-12);
}

// ------------------------------------------------------------------------------------------------ tables

Table table_of(std::vector<std::string> columns, std::vector<std::vector<double>> rows) {
  return {std::move(columns), std::move(rows), {}};
}

std::vector<std::string> platform_columns() {
  return {"t",  "x",  "y",  "z",  "rx", "ry", "rz",  "vx",  "vy", "vz",
          "wx", "wy", "wz", "ax", "ay", "az", "dwx", "dwy", "dwz"};
}

TEST(MotionTable, CompleteRowsAreUsedAsTheyAre) {
  std::vector<double> row(19);
  for (std::size_t i = 0; i < 19; ++i) row[i] = 0.1 * static_cast<double>(i);
  const GivenMotion given = motion_from_table(table_of(platform_columns(), {row, row}), "a.csv", shipped("hexapod"));
  EXPECT_FALSE(given.trajectory);
  ASSERT_EQ(given.states(1).size(), 2U) << "times need not increase, the step does not matter";
  const PlatformMotion& now = given.rows[1].platform();
  EXPECT_LT((pose_vector(now.pose) - pose6(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)).norm(), 1e-14);
  EXPECT_EQ(now.v, Vec3<double>(row[7], row[8], row[9]));
  EXPECT_EQ(now.w, Vec3<double>(row[10], row[11], row[12]));
  EXPECT_EQ(now.a, Vec3<double>(row[13], row[14], row[15]));
  EXPECT_EQ(now.dw, Vec3<double>(row[16], row[17], row[18]));
}

TEST(MotionTable, OnlyTheTasksCoordinatesAreNeeded) {
  const Table table = table_of({"x", "y", "vx", "vy", "ax", "ay", "tau.left"}, {{0.01, 0.38, 1, 2, 3, 4, 99}});
  const GivenMotion given = motion_from_table(table, "a.csv", shipped("five_bar"));
  ASSERT_EQ(given.rows.size(), 1U);
  EXPECT_EQ(given.rows[0].t, 0) << "the row's number";
  EXPECT_EQ(given.rows[0].platform().pose.p.head<2>(), Eigen::Vector2d(0.01, 0.38));
  EXPECT_EQ(given.rows[0].platform().a, Vec3<double>(3, 4, 0));
  const Mechanism<double>& m = shipped("five_bar");
  const Vec3<double> home = pose_vector(platform_pose(m, placed(m, m.home))).tail<3>();
  EXPECT_LT((pose_vector(given.rows[0].platform().pose).tail<3>() - home).norm(), 1e-14);
}

TEST(MotionTable, ActuatorsRowsAreUsedAsTheyAre) {
  const Table table =
      table_of({"t", "q.right", "q.left", "v.left", "v.right", "a.left", "a.right"}, {{7, 1, 2, 3, 4, 5, 6}});
  const ActuatorMotion now = motion_from_table(table, "a.csv", shipped("five_bar")).rows.at(0).actuators();
  EXPECT_THAT(now.q, ElementsAre(2, 1));
  EXPECT_THAT(now.v, ElementsAre(3, 4));
  EXPECT_THAT(now.a, ElementsAre(5, 6));
}

TEST(MotionTable, PositionsAloneAreSplinedFromTheirFirstTime) {
  std::vector<std::vector<double>> rows;
  for (int k = 0; k < 6; ++k) rows.push_back({5 + 0.1 * k, 0.001 * k * k, 0.38});
  const GivenMotion given = motion_from_table(table_of({"t", "x", "y"}, rows), "a.csv", shipped("five_bar"));
  ASSERT_TRUE(given.trajectory);
  const auto states = given.states(0.25);
  EXPECT_EQ(states.front().t, 5);
  EXPECT_NEAR(states.back().t, 5.5, 1e-15);
  for (const MotionState& state : states) EXPECT_NEAR(state.platform().a.x(), 0.2, 1e-12) << "x = 0.1 (t - 5)^2";
}

// ------------------------------------------------------------------------------------------------ shipped motions

class ShippedMotion : public testing::TestWithParam<std::pair<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Motions, ShippedMotion,
                         testing::Values(std::pair{"hexapod_circle", "hexapod"}, std::pair{"psp3_paper", "psp3"},
                                         std::pair{"delta_pick", "delta"}, std::pair{"five_bar_line", "five_bar"},
                                         std::pair{"rrr3_circle", "rrr3"}, std::pair{"rrr3_circle", "rrr3_flexible"},
                                         std::pair{"rrr3_circle_b", "rrr3_flexible_b"},
                                         std::pair{"palida_lines", "palida"}, std::pair{"palida_circle", "palida"},
                                         std::pair{"five_bar_reach", "five_bar"}, std::pair{"rps3_swell", "rps3"},
                                         std::pair{"orthoglide_square", "orthoglide"},
                                         std::pair{"agile_eye_look", "agile_eye"}, std::pair{"par4_pick", "par4"},
                                         std::pair{"palletizer_sack", "palletizer"}, std::pair{"upu3_circle", "upu3"},
                                         std::pair{"hexaglide_facet", "hexaglide"}),
                         [](const auto& of) { return of.param.first + "_of_" + of.param.second; });

std::string motion_path(const std::string& name) {
  return std::string(GOUGH_SOURCE_DIR) + "/motions/" + name + ".yaml";
}

TEST_P(ShippedMotion, IsFollowedByTheRobot) {
  const Mechanism<double>& m = shipped(GetParam().second);
  const GivenMotion given = load_motion_or_table(motion_path(GetParam().first), m);
  const auto states = given.states(given.trajectory->duration / 49);
  EXPECT_EQ(states.size(), 50U);
  Workspace<double> w(m);
  w.q = m.home;
  for (const MotionState& state : states) {
    const Answer answer = state.of_platform() ? inverse_kinematics(m, state.platform().pose, w)
                                              : forward_kinematics(m, state.actuators().q, w);
    EXPECT_TRUE(answer.ok()) << "t = " << state.t << ": " << answer.explain();
  }
}

TEST(ShippedMotions, AreAllFollowedByARobotInThisTest) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GOUGH_SOURCE_DIR) + "/motions"))
    files += entry.path().extension() == ".yaml" ? 1 : 0;
  EXPECT_EQ(files, 16U) << "add the new motion to ShippedMotion";
}

/// Radius 0.10 m about home, inclined by 30 degrees, 1 m/s, from rest at home and back to it.
TEST(ShippedMotions, PalidasCircleIsThatOfTheStudy) {
  const Mechanism<double>& m = shipped("palida");
  const Trajectory all = *load_motion_or_table(motion_path("palida_circle"), m).trajectory;
  const Vec3<double> home(0, 0, -0.65);
  for (const double t : {0.8, 1.1, 1.4}) {
    const MotionState state = sample(all, t);
    const PlatformMotion& x = state.platform();
    EXPECT_NEAR(x.v.norm(), 1, 1e-9) << t;
    EXPECT_NEAR((x.pose.p - home).norm(), 0.1, 1e-12);
    EXPECT_NEAR(std::abs((x.pose.p - home).cross(x.v).normalized().z()), std::cos(std::numbers::pi / 6), 1e-9);
    EXPECT_NEAR(x.a.norm(), 10, 1e-6) << "towards the middle";
  }
  for (const double t : {0.0, all.duration}) {
    const MotionState state = sample(all, t);
    EXPECT_LT((state.platform().pose.p - home).norm(), 1e-12);
    EXPECT_LT(state.platform().v.norm(), 1e-9);
  }
}

TEST(ShippedMotions, ThePspPapersMotorsTurnAsPrinted) {
  const Mechanism<double>& m = shipped("psp3");
  const Trajectory all = load_motion(motion_path("psp3_paper"), m);
  EXPECT_EQ(all.duration, 2);
  for (const double t : {0.0, 0.4, 1.1, 2.0}) {
    const VecX<double> motor = (actuator_motion(all, t).q.array() - 0.5) * (2 * pi / 0.01);
    EXPECT_NEAR(motor[0], 5.0 / 3 * std::sin(5 * t), 1e-12);  // 16 digits of amplitude times 628 rad/m
    EXPECT_NEAR(motor[1], 5.0 / 6 * std::sin(2 * t), 1e-12);
    EXPECT_NEAR(motor[2], 0, 1e-15);
  }
}

TEST(ShippedMotions, TheRrrsCircleIsThePrintedOne) {
  const Trajectory all = load_motion(motion_path("rrr3_circle"), shipped("rrr3"));
  EXPECT_EQ(all.duration, 4);
  for (const double t : {0.0, 0.7, 2.5, 4.0})
    EXPECT_LT((pose_at(all, t) - pose6(0.042 * std::cos(pi * t / 2), 0.25 + 0.042 * std::sin(pi * t / 2), 0, 0, 0,
                                       0.01 * std::cos(pi * t / 10)))
                  .norm(),
              1e-12);
}

/// A block ```yaml of docs/motion_files.md that starts with `motion:` names its robot by `# for ROBOT`.
TEST(MotionFile, EveryListingOfItsPageIsRead) {
  const std::string page = contents(std::string(GOUGH_SOURCE_DIR) + "/docs/motion_files.md"), fence = "```yaml\n";
  int listings = 0;
  for (std::size_t i = page.find(fence + "motion:"); i != std::string::npos; i = page.find(fence + "motion:", i + 1)) {
    const std::string text = page.substr(i + fence.size(), page.find("\n```", i) - i - fence.size() + 1);
    const std::size_t robot = text.find("# for ") + 6;
    const Mechanism<double>& m = shipped(text.substr(robot, text.find('\n') - robot));
    const Trajectory all = parse_motion(text, std::string(GOUGH_SOURCE_DIR) + "/examples/listing.yaml", m);
    Workspace<double> w(m);
    w.q = m.home;
    for (int k = 0; k <= 20; ++k) {
      const MotionState state = sample(all, all.duration * k / 20);
      const Answer answer = state.of_platform() ? inverse_kinematics(m, state.platform().pose, w)
                                                : forward_kinematics(m, state.actuators().q, w);
      EXPECT_TRUE(answer.ok()) << text << "t = " << state.t << ": " << answer.explain();
    }
    ++listings;
  }
  EXPECT_EQ(listings, 8);
}

// ------------------------------------------------------------------------------------------------ any text

TEST_P(ShippedMotion, WithAWordChangedIsReadOrRefused) {
  const std::vector<std::string> puts = {"",     "0",    "-1",     "1e-300", "1e300",     "1e15",    "-1e-9",
                                         ".nan", "[]",   "{}",     "deg",    "mm",        "s",       "null",
                                         "~",    "line", "circle", "wait",   "x",         "to",      "Hz",
                                         "true", "[1]",  "sin",    "terms",  "actuators", "constant"};
  const Mechanism<double>& m = shipped(GetParam().second);
  const std::string text = contents(motion_path(GetParam().first));
  std::mt19937 g(11);
  for (int i = 0; i < 400; ++i) {
    std::size_t at = g() % text.size(), size = 0;
    while (at + size < text.size() && std::isalnum(static_cast<unsigned char>(text[at + size])) != 0) ++size;
    const std::string& put = puts[g() % puts.size()];
    SCOPED_TRACE(fmt::format("'{}' for {} characters at byte {}", put, size, at));
    try {
      const Trajectory all = parse_motion(std::string(text).replace(at, size, put), "test.yaml", m);
      for (int k = 0; k <= 4; ++k) {
        const MotionState state = sample(all, all.duration * k / 4);
        EXPECT_TRUE(state.of_platform() ? state.platform().a.allFinite() && state.platform().dw.allFinite() &&
                                              state.platform().pose.R.allFinite()
                                        : state.actuators().a.allFinite());
      }
    } catch (const Error& e) { EXPECT_EQ(std::string(e.what()).rfind("test.yaml", 0), 0U) << e.what(); }
  }
}

}  // namespace
}  // namespace gough::motion_file_test
