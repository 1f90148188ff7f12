#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gough/gough.hpp"

namespace gough::simulation_study_test {
namespace {

namespace fs = std::filesystem;

/// A study of a shipped robot, in a folder of its own.
class SimulationStudyTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("gough_simulation_study_{}", getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Study study(const std::string& runs, const std::string& more = "") const {
    const std::string text =
        "study: s\nrobot: ../robots/elastic_five_bar.yaml\nmotion:\n  motion: there\n  line: {from: {x: "
        "-0.08, y: 0.36}, to: {x: 0.08, y: 0.42}, duration: 0.05 s}\nstep: 0.5 ms\n" +
        more + "compute: simulate\nsimulate:\n  runs:\n" + runs;
    return parse_study(text, std::string(GOUGH_SOURCE_DIR) + "/studies/test.yaml");
  }
  std::string refused(const std::string& runs, const std::string& more = "") const {
    try {
      study(runs, more);
    } catch (const Error& e) { return e.what(); }
    return "";
  }
  SimulationStudyResult run(const Study& s) const { return run_simulation_study(s, folder_.string()); }
  Table table(const std::string& name) const { return read_table((folder_ / name).string()); }

  fs::path folder_;
};

double largest_difference(const Table& a, const Table& b, const std::string& column) {
  const auto c = static_cast<std::size_t>(a.find(column)), d = static_cast<std::size_t>(b.find(column));
  double most = 0;
  for (std::size_t i = 0; i < a.rows.size(); ++i) most = std::max(most, std::abs(a.rows[i][c] - b.rows[i][d]));
  return most;
}

TEST_F(SimulationStudyTest, RunsByOtherFormulationsAndMethodsMeet) {
  const SimulationStudyResult r =
      run(study("    - {name: exact, by: dalembert}\n    - {name: legs, by: legs, loops: projected, method: stiff}\n"
                "    - {name: scdd, by: scdd, loops: drift, method: rk4, fixed_step: 10 us}\n"));
  ASSERT_EQ(r.runs.size(), 3u);
  for (const SimulationReport& one : r.runs) EXPECT_TRUE(one.answer.ok()) << one.answer.reason;
  const Table exact = table("exact.csv");
  ASSERT_EQ(exact.rows.size(), 101u);
  for (const std::string file : {"legs.csv", "scdd.csv"}) {
    EXPECT_LT(largest_difference(exact, table(file), "x"), 1e-8) << file;                  // of 160 mm
    EXPECT_LT(largest_difference(exact, table(file), "load.left_stretch"), 0.02) << file;  // of some 10 N that vibrate
  }
}

TEST_F(SimulationStudyTest, RigidForcesNearlyFollowTheMotion) {
  run(study("    - {name: one}\n"));
  const Table t = table("one.csv");
  const auto x = static_cast<std::size_t>(t.find("x")), y = static_cast<std::size_t>(t.find("y"));
  EXPECT_NEAR(t.rows.front()[x], -0.08, 1e-12);
  EXPECT_NEAR(t.rows.back()[x], 0.08, 2e-4);  // the links are stiff: micrometres of stretch, and no control
  EXPECT_NEAR(t.rows.back()[y], 0.42, 2e-4);
}

/// Forces that jump at half of a bang-bang law, and with which the robot stays when it has arrived: whatever the rows, the rigid robot is where
/// its motion says, and then it rests.
TEST_F(SimulationStudyTest, RigidForcesTakeARigidRobotWhereItsMotionSays) {
  for (const std::string step : {"20 ms", "0.7 ms"}) {
    const std::string text =
        "study: s\nrobot: ../robots/five_bar.yaml\nmotion:\n  motion: there\n  line: {from: {x: -0.05, y: 0.36}, to: "
        "{x: 0.05, y: 0.4}, "
        "duration: 0.1 s, profile: bang_bang}\nstep: " +
        step + "\ncompute: simulate\nsimulate:\n  time: 0.16 s\n  forces: rigid\n  runs:\n    - {name: one}\n";
    const SimulationStudyResult r = run(parse_study(text, std::string(GOUGH_SOURCE_DIR) + "/studies/test.yaml"));
    ASSERT_TRUE(r.runs[0].answer.ok()) << r.runs[0].answer.reason;
    const Table t = table("one.csv");
    const auto x = static_cast<std::size_t>(t.find("x")), v = static_cast<std::size_t>(t.find("vx"));
    for (const std::vector<double>& row : t.rows) {
      const double u = std::min(row[0] / 0.1, 1.0), way = u < 0.5 ? 2 * u * u : 1 - 2 * (1 - u) * (1 - u);
      EXPECT_NEAR(row[x], -0.05 + 0.1 * way, 1e-7) << row[0];
      EXPECT_TRUE(row[0] <= 0.1 || std::abs(row[v]) < 1e-5) << row[0];
    }
  }
}

TEST_F(SimulationStudyTest, TheFedBackIterationDivergesAsItsEigenvalueSays) {
  const SimulationStudyResult r = run(
      study("    - {name: printed, by: scdd_iterative, feed_back: true, method: semi_implicit, fixed_step: 20 us}\n"));
  EXPECT_EQ(r.runs[0].answer.status, Status::not_converged);
  EXPECT_LT(r.runs[0].answer.t, 100 * 20e-6);
  EXPECT_GT(r.runs[0].eigenvalue, 2);
  EXPECT_THAT(r.runs[0].answer.reason, testing::HasSubstr("eigenvalue"));
}

TEST_F(SimulationStudyTest, WithoutForcesItFalls) {
  const Study s = study("    - {name: free}\n", "");
  Study none = s;
  none.forces = SimulatedForces::none;
  run(none);
  const Table t = table("free.csv");
  const auto tau = static_cast<std::size_t>(t.find("tau.left")), y = static_cast<std::size_t>(t.find("vy"));
  EXPECT_EQ(t.rows.back()[tau], 0);
  EXPECT_LT(t.rows.back()[y], -0.1);
}

TEST_F(SimulationStudyTest, ResultAndReportSayWhatWasRun) {
  const SimulationStudyResult r = run(study("    - {name: one, method: rk4}\n"));
  std::ifstream in(folder_ / "result.json");
  const auto json = nlohmann::json::parse(in);
  EXPECT_EQ(json["compute"], "simulate");
  EXPECT_EQ(json["runs"][0]["name"], "one");
  EXPECT_EQ(json["runs"][0]["method"], "rk4");
  EXPECT_EQ(json["files"].back(), "result.json");
  std::ifstream data(folder_ / "report.json");
  const auto report = nlohmann::json::parse(data);
  std::vector<std::string> plots;
  for (const auto& p : report["plots"]) plots.push_back(p["id"]);
  EXPECT_THAT(plots, testing::IsSupersetOf({"load_1", "load_2", "deviation", "platform_x"}));
}

TEST_F(SimulationStudyTest, AStopKeepsWhatIsDone) {
  int rows = 0;
  const SimulationStudyResult r =
      run_simulation_study(study("    - {name: one}\n    - {name: two}\n"), folder_.string(),
                           [&](const SimulationRow&) { return ++rows < 10; });
  EXPECT_TRUE(r.stopped());
  EXPECT_EQ(r.runs.size(), 1u);
  EXPECT_EQ(table("one.csv").rows.size(), 10u);
}

TEST_F(SimulationStudyTest, MistakesAreNamed) {
  EXPECT_THAT(refused("    - {name: a}\n    - {name: a}\n"), testing::HasSubstr("read the run 'a' twice"));
  EXPECT_THAT(refused("    - {name: ../a}\n"), testing::HasSubstr("name: read the name '../a'"));
  EXPECT_THAT(refused("    - {name: a, loops: open}\n"), testing::HasSubstr("independent"));
  EXPECT_THAT(refused("    - {name: a, method: euler}\n"), testing::HasSubstr("semi_implicit"));
  EXPECT_THAT(refused("    - {by: legs}\n"), testing::HasSubstr("name"));
}

TEST(StudyFile, ComputeAndSimulateBelongTogether) {
  const auto read = [](const std::string& more) {
    parse_study("study: s\nrobot: ../robots/five_bar.yaml\nmotion: ../motions/five_bar_line.yaml\n" + more,
                std::string(GOUGH_SOURCE_DIR) + "/studies/test.yaml");
  };
  EXPECT_THROW(read("compute: simulate\n"), Error);
  EXPECT_THROW(read("simulate: {runs: [{name: a}]}\n"), Error);
}

}  // namespace
}  // namespace gough::simulation_study_test
