/// Studies of control: what they run, sweep, write and refuse.
#include "gough/io/control_study.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "gough/gough.hpp"

namespace gough::control_study_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class ControlStudyTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = fs::temp_directory_path() / fmt::format("gough_control_study_{}", getpid()); }
  void TearDown() override { fs::remove_all(folder_); }

  static Study study(const std::string& robot, const std::string& line, const std::string& control) {
    const std::string text = "study: s\nrobot: ../robots/" + robot +
                             ".yaml\nmotion:\n  motion: there\n  line: " + line +
                             "\nstep: 0.5 ms\ncompute: control\ncontrol:\n" + control;
    return parse_study(text, std::string(GOUGH_SOURCE_DIR) + "/studies/test.yaml");
  }
  static Study palida(const std::string& control) {
    return study("palida", "{to: {x: 0.03, z: -0.66}, duration: 0.08 s}", control);
  }
  static std::string refused(const std::string& control) {
    try {
      palida(control);
    } catch (const Error& e) { return e.what(); }
    return "";
  }
  ControlStudyResult run(const Study& s, const std::function<bool()>& go_on = {}) const {
    return run_control_study(s, folder_.string(), go_on);
  }
  json written(const std::string& file) const {
    const fs::path path = folder_ / file;
    std::ifstream in(path);
    return json::parse(in);
  }

  fs::path folder_;
};

TEST_F(ControlStudyTest, RunsSweepsAndReports) {
  const Study s = palida(
      "  plant_step: 0.25 ms\n  identical_legs: true\n  symmetric: true\n"
      "  plant: {parameters: 0.05, friction: 0.10, seed: 2}\n  runs:\n    - {name: joints}\n"
      "    - {name: force, law: computed_force}\n    - {name: code, law: computed_force, generated: true}\n"
      "  sweep: {runs: [force], payload: [0 kg, 3 kg], sampling: [0.5 ms, 1 ms], parameters: [0.01], speed: [0.5]}\n");
  std::atomic<std::size_t> rows = 0;
  const ControlStudyResult r = run(s, [&] { return ++rows, true; });
  EXPECT_NEAR(static_cast<double>(rows), static_cast<double>(control_rows(s)), 20);
  ASSERT_EQ(r.runs.size(), 3u);
  for (const ControlOutcome& o : r.runs) EXPECT_TRUE(o.answer.ok()) << o.answer.reason;
  EXPECT_LT(r.runs[1].all(), r.runs[0].all());
  EXPECT_LT((r.runs[1].error - r.runs[2].error).cwiseAbs().maxCoeff(), 1e-10) << "generated code is the same model";
  EXPECT_GT(r.runs[2].sample_time, 0);
  ASSERT_EQ(r.sweeps.size(), 4u);
  const ControlSweep& load = r.sweeps[2];
  EXPECT_EQ(load.what, "payload");
  EXPECT_GT(load.rms(1, 0), load.rms(0, 0));
  const ControlSweep& sampling = r.sweeps[3];
  EXPECT_NEAR(sampling.rms(0, 0), r.runs[1].all(), 1e-12) << "the study's own sampling";

  const json j = written("result.json");
  EXPECT_EQ(j["compute"], "control");
  EXPECT_NEAR(j["runs"][1]["rms_all"], r.runs[1].all(), 1e-15);
  EXPECT_EQ(j["sweeps"][0]["runs"], json::array({"force"}));
  const Table table = read_table((folder_ / "force.csv").string());
  EXPECT_EQ(table.rows.size(), 161u);
  const auto error = static_cast<std::size_t>(table.find("error.leg1.drive"));
  double square = 0;
  for (const auto& row : table.rows) square += row[error] * row[error];
  EXPECT_NEAR(std::sqrt(square / 161), r.runs[1].rms()[0], 1e-9);
  const json report = written("report.json");
  std::vector<std::string> plots;
  for (const json& p : report["plots"]) plots.push_back(p["id"]);
  EXPECT_THAT(plots, testing::IsSupersetOf({"error_1", "error_6", "platform", "force_1", "phase_1", "sweep_4"}));
  for (const json& p : report["plots"])
    EXPECT_EQ(p["series"][0].contains("x"), std::string(p["id"]).starts_with("phase_"));
  const std::string text = control_study_text(s, r);
  EXPECT_THAT(text, HasSubstr("to the one above"));
  EXPECT_THAT(text, HasSubstr("paper 003's took 150 of 500 us"));
}

/// Quasi-static feedforward puts the tip where it should be; the drives follow equally well either way.
/// Nothing to tell of a run that ended before its first sample: no zero, and a report that can be read.
TEST_F(ControlStudyTest, ARunThatCannotBeginHasNoErrors) {
  const Study s = parse_study(
      "study: far\nrobot: ../robots/delta.yaml\nmotion: {motion: far, line: {to: {z: -3}, duration: 1 s}}\ncompute: "
      "control\n"
      "control: {runs: [{name: pd, law: joint}, {name: force, law: computed_force}]}\n",
      std::string(GOUGH_SOURCE_DIR) + "/studies/test.yaml");
  const ControlStudyResult r = run(s);
  ASSERT_EQ(r.runs.size(), 2U);
  EXPECT_FALSE(r.ok());
  EXPECT_TRUE(std::isnan(r.runs[0].all()));
  EXPECT_THAT(control_study_text(s, r),
              testing::AllOf(testing::Not(HasSubstr("0.00")), testing::Not(HasSubstr("nan"))));
  EXPECT_TRUE(written("result.json")["runs"][0]["rms_all"].is_null());
  const json report = written("report.json");
  for (const json& table : report["tables"])
    for (const json& row : table["rows"])
      for (const json& cell : row) EXPECT_TRUE(cell.is_string()) << cell;
}

TEST_F(ControlStudyTest, FeedforwardKnowsElasticLinks) {
  Study s = study("elastic_five_bar", "{to: {x: 0.06, y: 0.45}, duration: 0.25 s}",
                  "  runs:\n    - {name: rigid, law: computed_force}\n"
                  "    - {name: quasistatic, law: computed_force, elastic: quasistatic}\n");
  for (std::size_t c = 0; c < s.robot.stiffness.size(); ++c)
    if (s.robot.stiffness[c] > 0) s.robot.stiffness[c] = 1e5;
  const ControlStudyResult r = run(s);
  EXPECT_TRUE(r.runs[0].answer.ok() && r.runs[1].answer.ok());
  EXPECT_LT(r.runs[1].platform_rms(), 0.3 * r.runs[0].platform_rms());
  EXPECT_GT(r.vibration_from, 10);
  EXPECT_THAT(control_study_text(s, r), HasSubstr("vibration"));
}

TEST_F(ControlStudyTest, KeepsWhatIsDoneWhenInterrupted) {
  std::string runs;
  for (int i = 0; i < 8; ++i) runs += fmt::format("    - {{name: joints_{}}}\n", i);
  const Study s = palida("  plant_step: 0.5 ms\n  runs:\n" + runs + "  sweep: {payload: [0 kg, 1 kg]}\n");
  std::atomic<int> rows = 0;
  const ControlStudyResult r = run(s, [&] { return ++rows < 50; });
  EXPECT_TRUE(r.stopped);
  EXPECT_FALSE(r.ok());
  EXPECT_TRUE(r.sweeps.empty());
  ASSERT_FALSE(r.runs.empty()) << "those that were begun";
  EXPECT_EQ(written("result.json")["status"], "interrupted");
  std::size_t kept = 0;
  for (const ControlOutcome& o : r.runs) kept += read_table((folder_ / (o.run.name + ".csv")).string()).rows.size();
  EXPECT_GE(kept, 50u) << "whichever threads they were on";
  EXPECT_THAT(control_study_text(s, r), HasSubstr("joints_"));
}

/// Generated code takes only those numbers that a platform has: two of a five-bar, three of a delta.
TEST_F(ControlStudyTest, GeneratesForPlatformsWithFewerFreedoms) {
  for (const auto& [robot, line] : {std::pair{"five_bar", "{to: {x: 0.03, y: 0.42}, duration: 0.05 s}"},
                                    std::pair{"delta", "{to: {x: 0.03}, duration: 0.05 s}"},
                                    std::pair{"rrr3", "{to: {x: 0.01}, duration: 0.05 s}"}}) {
    const ControlStudyResult r =
        run(study(robot, line,
                  "  plant_step: 0.25 ms\n  runs:\n    - {name: library, law: computed_force}\n"
                  "    - {name: code, law: computed_force, generated: true}\n"));
    ASSERT_TRUE(r.ok()) << robot << ": " << r.runs[0].answer.reason << r.runs[1].answer.reason;
    EXPECT_LT((r.runs[0].error - r.runs[1].error).cwiseAbs().maxCoeff(), 1e-9) << robot;
  }
}

/// What the shipped study is for: each step reduces the error, whichever way the plant's parameters are off.
TEST_F(ControlStudyTest, EachStepOfTheShippedStudyIsBetter) {
  Study s = read_study(std::string(GOUGH_SOURCE_DIR) + "/studies/palida_circle.yaml");
  ControlPlan& plan = *s.control;
  EXPECT_EQ(plan.period, 5e-4);
  EXPECT_EQ(plan.base_share, 0.05);
  EXPECT_EQ(plan.friction_share, 0.10);
  ASSERT_EQ(plan.runs[2].name, "rigid_body_friction");
  plan.runs.resize(3);
  plan.plant_step = 5e-4;
  plan.smooth = 2e-3;
  plan.speeds = plan.shares = plan.payloads = plan.periods = {};
  for (const unsigned seed : {1u, plan.seed}) {
    plan.seed = seed;
    const ControlStudyResult r = run(s);
    ASSERT_TRUE(r.ok());
    EXPECT_LT(r.runs[1].all(), 0.6 * r.runs[0].all());
    EXPECT_LT(r.runs[2].all(), 0.6 * r.runs[1].all());
  }
}

/// A sine of 3 um at 50 Hz on a drift: 3 / sqrt(2) um of it is vibration.
TEST(Vibration, IsTheFastPartOfAnError) {
  ControlOutcome o;
  o.platform.resize(2001, 3);
  for (int k = 0; k <= 2000; ++k) {
    const double t = 1e-3 * k;
    o.t.push_back(t);
    o.platform.row(k) << 1e-3 * t, 3e-6 * std::sin(2 * std::numbers::pi * 50 * t), 5e-5 * std::sin(2 * t);
  }
  EXPECT_NEAR(o.vibration(15), 3e-6 / std::sqrt(2.0), 5e-8);
  EXPECT_TRUE(std::isnan(o.vibration(600))) << "rows are too far apart";
}

/// A motion that leaves the limits is not controlled at all.
TEST_F(ControlStudyTest, DoesNotLeaveLimits) {
  const Study s = study("palida", "{to: {x: 3}, duration: 0.1 s}", "  runs: [{name: joints}]\n");
  const ControlStudyResult r = run(s);
  EXPECT_FALSE(r.ok());
  EXPECT_THAT(control_study_text(s, r), HasSubstr("is above its limit 1 by"));
  const json page = written("report.json");  // its run has no sample: nothing but its name, and no empty columns
  const auto table = std::find_if(page.at("tables").begin(), page.at("tables").end(),
                                  [](const json& t) { return t.at("id") == "actuators"; });
  ASSERT_NE(table, page.at("tables").end());
  EXPECT_EQ(table->at("columns"), json::parse(R"(["run"])"));
  EXPECT_EQ(table->at("rows"), json::parse(R"([["joints"]])"));
}

/// A law that leaves the robot's reach ends its run, not the study.
TEST_F(ControlStudyTest, TellsWhichRunWasLost) {
  const Study s = palida(
      "  plant_step: 0.5 ms\n  runs:\n    - {name: wild, law: computed_torque, payload: 1000 kg}\n"
      "    - {name: calm, law: computed_force}\n");
  const ControlStudyResult r = run(s);
  EXPECT_FALSE(r.runs[0].answer.ok());
  EXPECT_FALSE(r.runs[0].answer.reason.empty());
  EXPECT_TRUE(r.runs[1].answer.ok()) << r.runs[1].answer.reason;
  EXPECT_FALSE(r.ok());
  EXPECT_THAT(control_study_text(s, r), HasSubstr("ended at t ="));
}

TEST_F(ControlStudyTest, RefusesWhatCannotBe) {
  const std::string run = "  runs: [{name: a}]\n";
  EXPECT_THAT(refused("  sampling: 0 s\n" + run), HasSubstr("sampling: read 0, expected more than 0"));
  EXPECT_THAT(refused("  delay: 1.5\n" + run),
              HasSubstr("delay: read 1.5, expected a number of samples from 0 to 100"));
  EXPECT_THAT(refused("  runs: [{name: a}, {name: a}]\n"), HasSubstr("read the run 'a' twice"));
  EXPECT_THAT(refused("  runs: [{name: ../a}]\n"), HasSubstr("name: "));
  EXPECT_THAT(refused("  runs: [{name: a, generated: true}]\n"), HasSubstr("expected it with law: computed_force and"));
  EXPECT_THAT(refused("  runs: [{name: a, law: pid}]\n"), HasSubstr("read 'pid'"));
  EXPECT_THAT(refused(run + "  sweep: {runs: [b]}\n"), HasSubstr("read 'b', expected the name of a run"));
  EXPECT_THAT(refused(run + "  sweep: {speed: [0]}\n"), HasSubstr("speed: read 0, expected more than 0"));
  EXPECT_THAT(refused(run + "  smooth: -1\n"), HasSubstr("smooth: read -1, expected 0 or more"));
  EXPECT_THAT(refused(run + "  plant: {payload: -1 kg}\n"), HasSubstr("payload: read -1, expected 0 or more"));
  EXPECT_THAT(refused("  delay: 1\n"), HasSubstr("runs"));
  EXPECT_THAT(refused("  sampling: 1e-300 s\n" + run), HasSubstr("samples, expected at most"));
  EXPECT_THROW(study("redundant_five_bar", "{to: {x: 0.03, y: 0.42}, duration: 0.05 s}", run), Error);
}

}  // namespace
}  // namespace gough::control_study_test
