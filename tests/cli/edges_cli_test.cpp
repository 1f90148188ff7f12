/// What the tool says and leaves when it is used in ways that cannot work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/tool.hpp"
#include "robots.hpp"

namespace gough::edges_cli_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Edges : public Tool {};

TEST_F(Edges, AMistypedVerbNamesTheNearest) {
  const Outcome o = run("simulat " + robot_path("four_bar"));
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("read the verb 'simulat', expected 'simulate'?"));
  EXPECT_THAT(run("xyzzyplugh").err, AllOf(HasSubstr("expected one of check, ik,"), Not(HasSubstr("'?"))));
}

TEST_F(Edges, AnOutputNeverReplacesAnInput) {
  const std::string robot = contents(robot_path("pendulum"));
  write("r.yaml", robot);
  std::filesystem::create_symlink("r.yaml", folder() / "link.yaml");
  for (const std::string verb : {"simulate r.yaml --time 0.1 -o r.yaml", "simulate r.yaml --time 0.1 -o ./link.yaml",
                                 "compile r.yaml --from joints -o r.yaml"}) {
    const Outcome o = run(verb);
    EXPECT_EQ(o.code, 2) << verb;
    EXPECT_THAT(o.err, HasSubstr("is an input of this run")) << verb;
    EXPECT_EQ(read("r.yaml"), robot) << verb;
  }
  write("forces.csv", "t,q.swing\n0,1\n");
  EXPECT_EQ(run("simulate r.yaml --time 0.1 --forces forces.csv -o forces.csv").code, 2);
  EXPECT_EQ(read("forces.csv"), "t,q.swing\n0,1\n");
}

TEST_F(Edges, AFullDiskLeavesWhatWasThere) {
  write("o.csv", "before\n");
  const Outcome o = run("simulate " + robot_path("pendulum") + " --time 5 --step 1e-3 -o o.csv",
                        "sh -c 'trap \"\" XFSZ; ulimit -f 8; exec \"$0\" \"$@\"'");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("o.csv: cannot be written"));
  EXPECT_EQ(read("o.csv"), "before\n");
  EXPECT_FALSE(std::filesystem::exists(folder() / "o.csv.part"));
}

TEST_F(Edges, ALongComputationEndsWithinASecondOfASignal) {
  for (const std::string signal : {"INT", "TERM"}) {
    const Outcome o = run("", "sh -c '\"$0\" excite " + robot_path("n_four_bar_40") +
                                  " -o e & p=$!; sleep 1; date +%s.%N > sent; kill -" + signal +
                                  " $p; wait $p; c=$?; date +%s.%N > ended; exit $c'");
    EXPECT_EQ(o.code, 3) << o.err;
    EXPECT_LT(std::stod(read("ended")) - std::stod(read("sent")), 1.5) << "and half a second for a busy machine";
  }
}

TEST_F(Edges, ADrivenDistanceIsRefusedWithWhatToDo) {
  write("rod.yaml", R"(
robot: rod
bodies:
  ball: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  rod: {type: distance, parent: base, child: ball, length: 0.5 m, role: actuated}
)");
  const Outcome o = run("check rod.yaml");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, AllOf(HasSubstr("rod.yaml:6:"), HasSubstr("joint 'rod'"), HasSubstr("prismatic")));
}

// ------------------------------------------------------------------------------------------------ check --along

TEST_F(Edges, CheckAlongTakesMotionFilesAndTablesOfDrives) {
  const std::string robot = robot_path("hexapod"),
                    motion = std::string(GOUGH_SOURCE_DIR) + "/motions/hexapod_circle.yaml";
  const Outcome by_file = run("check " + robot + " --along " + motion + " --step 0.01 --json");
  ASSERT_EQ(by_file.code, 0) << by_file.err;
  // the same poses by way of a table of the drives that inverse dynamics writes
  ASSERT_EQ(run("inverse " + robot + " " + motion + " --step 0.01 -o drives.csv").code, 0);
  std::string heading = read("drives.csv").substr(0, read("drives.csv").find('\n'));
  const Outcome by_table = run("check " + robot + " --along drives.csv --json");
  ASSERT_EQ(by_table.code, 0) << by_table.err << heading;
  const json a = json::parse(by_file.out), b = json::parse(by_table.out);
  EXPECT_EQ(a["poses"], b["poses"]);
  EXPECT_NEAR(a["type2"]["value"], b["type2"]["value"], 1e-9);
  EXPECT_EQ(a["type2"]["row"], b["type2"]["row"]);
}

TEST_F(Edges, CheckAlongNothingIsAMistake) {
  write("none.csv", "x,y,z\n");
  const Outcome o = run("check " + robot_path("hexapod") + " --along none.csv");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("none.csv: read no rows"));
}

TEST_F(Edges, NamesThatStartsTakeAreListed) {
  const Outcome o = run("simulate " + robot_path("four_bar") + " --rates nix=1");
  EXPECT_EQ(o.code, 2);
  const json check = json::parse(run("check " + robot_path("four_bar") + " --json").out);
  ASSERT_EQ(check["coordinate_names"].size(), check["coordinates"].get<std::size_t>());
  for (const std::string name : check["coordinate_names"]) {
    EXPECT_THAT(o.err, HasSubstr(name));
    EXPECT_EQ(run("simulate " + robot_path("four_bar") + " --time 0.01 --rates " + name + "=0").code, 0);
  }
}

// ------------------------------------------------------------------------------------------------ poses

TEST_F(Edges, APoseIsNeverOkWithAnotherValueThanAsked) {
  write("turn.yaml", R"(
robot: turn
bodies:
  arm: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  turn: {type: revolute, parent: base, child: arm, role: actuated}
platform: {body: arm, coordinates: [rz]}
)");
  EXPECT_EQ(run("ik turn.yaml --pose 0,0,0,0,0,0.3").code, 0);
  const Outcome o = run("ik turn.yaml --pose 0,0,0,3.1,0,0.9");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err,
              AllOf(HasSubstr("--pose: read the rotation vector (3.1, 0, 0.9)"), HasSubstr("the same rotation is")));
}

// ------------------------------------------------------------------------------------------------ geometry

TEST_F(Edges, ARoundedGeometryIsRefusedWithItsGapAndUsedWhereTheFileAllows) {
  const std::string robot = with(robot_text("rrr3"), "parent: proximal, child: distal, origin: {xyz: [0.2, 0, 0]}",
                                 "parent: proximal, child: distal, origin: {xyz: [0.2, 0, 0], rpy: [2e-6, 0, 0]}");
  write("r.yaml", robot);
  const Outcome refused = run("check r.yaml --json");
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("fit each other only within"));
  const double gap = json::parse(refused.out)["closure_gap"];
  EXPECT_GT(gap, 1e-8);
  EXPECT_LT(gap, 2e-6 * 0.5);
  write("r.yaml", "closure_tolerance: 1e-5 m\n" + robot);
  const Outcome used = run("check r.yaml --json");
  ASSERT_EQ(used.code, 0) << used.err;
  const json j = json::parse(used.out);
  EXPECT_NEAR(j["closure_gap"], gap, 1e-3 * gap);
  EXPECT_EQ(j["mobility"], 3);
  EXPECT_THAT(j["findings"].dump(), HasSubstr("the nearest geometry that fits is used"));
  EXPECT_EQ(run("ik r.yaml --pose 0.01,0.24,0,0,0,0.1").code, 0);
}

// ------------------------------------------------------------------------------------------------ identification

TEST_F(Edges, ForcesThatAreZeroIdentifyNothing) {
  const std::string robot = robot_path("pendulum");
  std::string table = "t,q.swing,tau.swing\n";
  for (int i = 0; i < 200; ++i) table += fmt::format("{},{},0\n", 0.01 * i, std::sin(0.03 * i));
  write("d.csv", table);
  const Outcome o = run("identify " + robot + " d.csv -o found");
  EXPECT_EQ(o.code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder() / "found"));
}

}  // namespace
}  // namespace gough::edges_cli_test
