/// Studies: what they set, where they may reach, what they write, and the motors' side of motions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "kinematics/states.hpp"

namespace gough::study_test {
namespace {

using nlohmann::json;
using std::numbers::pi;
using testing::AllOf;
using testing::HasSubstr;

const std::string here = std::string(GOUGH_SOURCE_DIR) + "/studies/test.yaml";  // need not exist

const std::string good = R"(
study: s
description: d
robot: ../robots/psp3.yaml
motion: ../motions/psp3_paper.yaml
parameters: {lead: 10 mm}
set: {legs.joints.drive.screw: lead}
compute: inverse
by: [legs, noc]
step: 0.1 s
elastic: locked
)";

std::string refused(const std::string& text) {
  try {
    parse_study(text, here);
  } catch (const Error& e) { return e.what(); }
  return "accepted";
}

class StudyFolder : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("gough_study_{}", getpid());
};

double ratio_of(const std::string& lead) {
  const Mechanism<double> m = parse_study(with(good, "10 mm", lead), here).robot;
  return m.ratio[at(m.actuator[0])];
}

// ------------------------------------------------------------------------------------------------ settings

TEST(Study, ReadsWhatItSays) {
  const Study s = parse_study(good, here);
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.robot.name, "psp3");
  EXPECT_EQ(s.motion.states.size(), 21U);
  EXPECT_THAT(s.by, testing::ElementsAre(Formulation::legs, Formulation::noc));
  EXPECT_THAT(s.settings, testing::ElementsAre(testing::Pair("legs.joints.drive.screw", "10 mm")));
}

TEST(Study, TheLeadIsAParameterAndTheMotionFollows) {
  EXPECT_NEAR(ratio_of("10 mm"), 2 * pi / 0.01, 1e-9);
  EXPECT_NEAR(ratio_of("25 mm"), 2 * pi / 0.025, 1e-9);
  const Study s = parse_study(with(good, "10 mm", "25 mm"), here);
  for (const KnownState& state : s.motion.states) {
    const VecX<double> a = state.motion.actuators().q;
    EXPECT_NEAR(a[0], 0.5 + 0.025 / (2 * pi) * 5 / 3 * std::sin(5 * state.motion.t), 1e-12);
    EXPECT_NEAR(a[1], 0.5 + 0.025 / (2 * pi) * 5 / 6 * std::sin(2 * state.motion.t), 1e-12);
  }
}

TEST(Study, SetsAnyValueByItsPath) {
  const auto mass = [](const std::string& set) {
    const Mechanism<double> m =
        parse_study(with(with(good, "legs.joints.drive.screw: lead", set), "parameters: {lead: 10 mm}", ""), here)
            .robot;
    double sum = 0;
    for (const auto& I : m.inertia) sum += I.mass;
    return sum;
  };
  EXPECT_NEAR(mass("bodies.star.mass: 1 kg"), 2.5, 1e-12);
  EXPECT_NEAR(mass("bodies.star.mass: 3 kg"), 4.5, 1e-12);
  EXPECT_NEAR(mass("legs.bodies.slider.mass: 1 kg"), 4, 1e-12);
  EXPECT_NEAR(mass("'bodies.*.mass': 2"), 3.5, 1e-12);
  EXPECT_NEAR(mass("gravity: [0, 0, -1]"), 2.5, 1e-12) << "a key that the file has not";
  EXPECT_NEAR(mass("legs.placements.2.base.polar: [0.2, 120 deg, 0]"), 2.5, 1e-12);
}

TEST(Study, RefusesAndSaysWhere) {
  EXPECT_EQ(refused(good), "accepted");
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>> cases = {
      {{"study: s", "study: ../s"}, "test.yaml:2: study: read the name '../s'"},
      {{"study: s", "stduy: s"}, "expected 'study'?"},
      {{"../robots/psp3.yaml", "/etc/passwd"}, "test.yaml:4: read the path '/etc/passwd'"},
      {{"../robots/psp3.yaml", "../../robots/psp3.yaml"}, "at most one '..' up"},
      {{"../robots/psp3.yaml", "../robots/none.yaml"}, "cannot be opened"},
      {{"../motions/psp3_paper.yaml", "../motions/hexapod_circl.yaml"}, "cannot be opened"},
      {{"drive.screw: lead", "drive.screw: leed"}, "test.yaml:7: read 'leed', expected a value or a parameter"},
      {{"drive.screw: lead", "drive.scew: lead"}, "expected 'screw'?"},
      {{"legs.joints.drive", "legs.joint.drive"}, "'legs' is there; did you mean 'joints'?"},
      {{"10 mm", "10 kg"}, "read '10 kg', expected a number in m"},
      {{"10 mm", "-1 mm"}, "expected one above 0"},
      {{"set: {legs.joints.drive.screw: lead}", ""}, "read the parameter 'lead', expected it to be used in set"},
      {{"[legs, noc]", "[legs, nco]"}, "did you mean 'noc'?"},
      {{"[legs, noc]", "[all, noc]"}, "by: read all beside others"},
      {{"inverse", "forward"}, "expected one of inverse"},
      {{"0.1 s", "0 s"}, "step: read 0 s"},
      {{"0.1 s", "1e-9 s"}, "psp3_paper.yaml: read a step of 1e-09 s for a motion of 2 s"},
      {{"elastic: locked", "elastic: soft"}, "expected one of given, locked, quasistatic"},
      {{"../motions/psp3_paper.yaml", "[1]"}, "the path of a motion file or table, or a motion"}};
  for (const auto& [change, message] : cases) {
    const std::string bad = with(good, change.first, change.second);
    ASSERT_NE(bad, good) << change.first;
    EXPECT_THAT(refused(bad), HasSubstr(message)) << change.second;
  }
}

TEST(Study, HasItsMotionInside) {
  const Study s = parse_study(
      with(good, "../motions/psp3_paper.yaml", "{motion: lift, line: {to: {z: 0.55}, duration: 0.5 s}}"), here);
  EXPECT_EQ(s.motion.states.size(), 6U);
  EXPECT_TRUE(s.motion.states[0].motion.of_platform());
}

// ------------------------------------------------------------------------------------------------ results

TEST_F(StudyFolder, HoldsTablesAndTheResult) {
  const Study s = parse_study(good, here);
  const StudyResult r = run_study(s, folder_.string());
  ASSERT_TRUE(r.inverse.done()) << r.inverse.answer.reason;
  const Table first = read_table((folder_ / "inverse.csv").string()),
              legs = read_table((folder_ / "inverse_legs.csv").string()),
              noc = read_table((folder_ / "inverse_noc.csv").string());
  EXPECT_EQ(first.columns, inverse_columns(s.robot, false));
  EXPECT_THAT(legs.columns,
              testing::ElementsAre("t", "tau.leg1.drive", "tau.leg2.drive", "tau.leg3.drive", "motor_tau.leg1.drive",
                                   "motor_tau.leg2.drive", "motor_tau.leg3.drive"));
  ASSERT_EQ(noc.rows.size(), 21U);
  ASSERT_EQ(legs.rows.size(), 21U);
  const auto tau = static_cast<std::size_t>(first.find("tau.leg1.drive"));
  for (std::size_t i = 0; i < 21; ++i) {
    EXPECT_EQ(legs.rows[i][1], first.rows[i][tau]);
    EXPECT_NEAR(noc.rows[i][1], legs.rows[i][1], 1e-10);
    EXPECT_NEAR(legs.rows[i][4], legs.rows[i][1] * 0.01 / (2 * pi), 1e-14);
  }
  std::ifstream file(folder_ / "result.json");
  const json j = json::parse(file);
  EXPECT_EQ(j.at("study"), "s");
  EXPECT_EQ(j.at("robot").at("set").at("legs.joints.drive.screw"), "10 mm");
  EXPECT_EQ(j.at("rows"), 21);
  EXPECT_EQ(j.at("sizing").size(), 3U);
  EXPECT_LT(j.at("largest_disagreement").get<double>(), 1e-10);
  for (const std::string name : j.at("files")) EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
}

TEST_F(StudyFolder, KeepsRowsOfAnInterruptedRun) {
  int rows = 0;
  const StudyResult r =
      run_study(parse_study(good, here), folder_.string(), [&](const AlongRow&) { return ++rows < 5; });
  EXPECT_TRUE(r.inverse.answer.stopped);
  for (const std::string name : {"inverse.csv", "inverse_legs.csv", "inverse_noc.csv"})
    EXPECT_EQ(read_table((folder_ / name).string()).rows.size(), 5U) << name;
  std::ifstream file(folder_ / "result.json");
  EXPECT_EQ(json::parse(file).at("status"), "interrupted");
}

TEST_F(StudyFolder, ThatCannotBeMadeIsBadInput) {
  std::ofstream(folder_) << "a file";
  EXPECT_THROW(run_study(parse_study(good, here), (folder_ / "inside").string()), Error);
}

TEST(ShippedStudies, AreRead) {
  const std::map<std::string, std::size_t> states = {
      {"psp3", 2001},  // 2 s in ms
      {"hexapod_circle", 2001},
      {"elastic_five_bar", 1501},          // 0.15 s in 0.1 ms
      {"palida_circle", 2372},             // 0.4 + pi / 2 + 0.4 s in ms, and the end
      {"elastic_five_bar_control", 8001},  // 0.8 s in 0.1 ms
      {"flexible_rrr3", 8001},             // 4 s in 0.5 ms
      {"flexible_hexapod", 3536}};         // 1.767 s in 0.5 ms, and the end
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GOUGH_SOURCE_DIR) + "/studies")) {
    const Study s = read_study(entry.path().string());
    EXPECT_EQ(s.name, entry.path().stem().string());
    EXPECT_THAT(s.by, testing::SizeIs(6)) << "all formulations";
    ASSERT_TRUE(states.contains(s.name)) << s.name;
    EXPECT_EQ(s.motion.states.size(), states.at(s.name)) << s.name;
    EXPECT_EQ(s.runs.empty(), s.name != "elastic_five_bar");
    EXPECT_EQ(s.control.has_value(), s.name == "palida_circle" || s.name == "elastic_five_bar_control");
    EXPECT_EQ(s.flex.has_value(), s.name.starts_with("flexible"));
    ++count;
  }
  EXPECT_EQ(count, states.size());
}

// ------------------------------------------------------------------------------------------------ motors

TEST(MotorMotion, IsCountedFromHomeThroughTheRatio) {
  const Mechanism<double>& m = shipped("delta");  // gear 20
  const Trajectory all =
      parse_motion("motion: m\nmoves: motors\nline: {to: {leg1.motor: 2 rad}, duration: 1 s}\n", "test.yaml", m);
  const VecX<double> home = actuators_of(m, m.home);
  EXPECT_LT((actuator_motion(all, 0).q - home).norm(), 1e-12);
  EXPECT_NEAR(actuator_motion(all, 1).q[0] - home[0], 2.0 / 20, 1e-12);
  EXPECT_NEAR(actuator_motion(all, 1).q[1] - home[1], 0, 1e-12);
  const Trajectory fast =
      parse_motion("motion: m\nmoves: motors\nline: {to: {leg1.motor: 2 rad}, profile: constant, velocity: 4 rad/s}\n",
                   "test.yaml", m);
  EXPECT_NEAR(fast.duration, 0.5, 1e-12);
  EXPECT_NEAR(actuator_motion(fast, 0.1).v[0], 4.0 / 20, 1e-12);
}

TEST(MotorMotion, NeedsAScrewWhereAJointSlides) {
  try {
    parse_motion("motion: m\nmoves: motors\nwait: 1 s\n", "test.yaml", shipped("hexapod"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("test.yaml:1"), HasSubstr("'leg1.drive' slides"), HasSubstr("no screw")));
  }
}

}  // namespace
}  // namespace gough::study_test
