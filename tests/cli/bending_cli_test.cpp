/// Beams that bend while a robot moves, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/tool.hpp"
#include "gough/io/csv.hpp"
#include "robots.hpp"

namespace gough::bending_cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class BendingTool : public Tool {
 protected:
  const std::string rrr3 = "rrr3.yaml";

  void SetUp() override {
    Tool::SetUp();
    write(rrr3, contents(robot_path("rrr3_flexible")));
    write("short.yaml",
          "motion: short\nharmonic:\n  duration: 0.04 s\n  coordinates:\n    x: {offset: 0, rate: 0.25 Hz, cos: [42 "
          "mm]}\n"
          "    y: {offset: 0.25 m, rate: 0.25 Hz, sin: [42 mm]}\n    rz: {offset: 0, rate: 0.05 Hz, cos: [10 mrad]}\n");
  }
  static std::vector<double> column(const Table& t, const std::string& name) {
    std::vector<double> x;
    const int c = t.find(name);
    EXPECT_GE(c, 0) << name;
    for (const auto& row : t.rows) x.push_back(row[static_cast<std::size_t>(c)]);
    return x;
  }
};

/// The same drives by three verbs: flex along the rigid motion, flex coupled, simulate.
TEST_F(BendingTool, FlexAndSimulateAgree) {
  ASSERT_EQ(run("flex " + rrr3 + " short.yaml -o linear.csv").code, 0);
  const Outcome coupled = run("flex " + rrr3 + " short.yaml --modes 4 -o coupled.csv");
  ASSERT_EQ(coupled.code, 0) << coupled.err;
  EXPECT_THAT(coupled.out, HasSubstr("24 elastic coordinates"));
  EXPECT_THAT(coupled.out, HasSubstr("leg1.proximal and 5 like it: 4 modes"));
  const Outcome simulated =
      run("simulate " + rrr3 +
          " --modes 4 --drives short.yaml --time 0.04 --method rk4 --fixed-step 5e-5 -o simulated.csv");
  ASSERT_EQ(simulated.code, 0) << simulated.err;
  const Table linear = read_table((folder() / "linear.csv").string()),
              both = read_table((folder() / "coupled.csv").string()),
              free = read_table((folder() / "simulated.csv").string());
  ASSERT_EQ(both.rows.size(), 41U);
  ASSERT_EQ(linear.rows.size(), 41U);
  const auto ex = column(linear, "ex"), ex2 = column(both, "ex"), x = column(both, "x"),
             simulated_x = column(free, "x");
  double size = 0;
  for (const double e : ex) size = std::max(size, std::abs(e));
  for (std::size_t i = 0; i < 41; ++i) {
    EXPECT_NEAR(ex2[i], ex[i], 0.02 * size) << i;
    EXPECT_NEAR(simulated_x[i], x[i] + ex2[i], 1e-3 * size) << i;
  }
  EXPECT_GE(free.find("q.leg1.proximal.modes.1"), 0);
  EXPECT_GE(free.find("load.leg3.distal.modes.4"), 0);
  const json j = json::parse(run("simulate " + rrr3 + " --modes 4 --time 0.002 --tolerance 1e-6 --json").out);
  EXPECT_EQ(j["modes"][0]["modes"], 4);
  EXPECT_EQ(j["modes"][0]["bodies"].size(), 6U);
  EXPECT_LT(j["modes"][0]["worst"], 0.01);
}

TEST_F(BendingTool, DrivesAreTriedOnTheCoupledModel) {
  const Outcome o =
      run("flex " + rrr3 +
          " short.yaml --gravity 0,-9.81,0 --start quasistatic --follow driving_constraint --modes 4 --step 1e-3 "
          "--json -o command.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  const json e = json::parse(o.out)["error"];
  EXPECT_GT(e["rigid_coupled"]["rms"], 1e-3);
  EXPECT_LT(e["coupled"]["rms"], 0.03 * e["rigid_coupled"]["rms"].get<double>());
  EXPECT_NEAR(e["rigid_coupled"]["rms"], e["rigid_vibrating"]["rms"], 0.02 * e["rigid_vibrating"]["rms"].get<double>());
  const Table command = read_table((folder() / "command.csv").string());
  EXPECT_EQ(command.rows.size(), 41U);
  ASSERT_EQ(run("simulate " + rrr3 + " --modes 4 --drives command.csv --time 0.01 --method rk4 --fixed-step 5e-5").code,
            0)
      << "commands are a motion";
}

TEST_F(BendingTool, InverseAndCompareTakeModes) {
  const Outcome o = run("inverse " + rrr3 + " short.yaml --modes 3 --elastic quasistatic --step 0.01 -o forces.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  const Table t = read_table((folder() / "forces.csv").string());
  EXPECT_GE(t.find("q.leg2.distal.modes.3"), 0);
  const Outcome c = run("compare " + rrr3 + " --modes 3");
  EXPECT_EQ(c.code, 0) << c.out << c.err;
}

TEST_F(BendingTool, RefusesWhatCannotBe) {
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_THAT(o.err, HasSubstr(why)) << arguments;
  };
  refused("simulate " + robot_path("hexapod") + " --modes 4", "read no beam, expected a body with one");
  refused("flex " + rrr3 + " short.yaml --modes 4 --quasistatic", "expected it without");
  refused("simulate " + rrr3 + " --modes 4 --drives short.yaml --tau 0,0,0", "--drives: read it with forces");
  refused("simulate " + rrr3 + " --modes 4 --drives nowhere.yaml", "nowhere.yaml");
  const std::string head = "study: s\nrobot: " + rrr3 + "\nmotion: short.yaml\n";
  write("first.yaml", head + "compute: flex\nflex: {runs: [{name: a, modes: 4}]}\n");
  refused("run first.yaml", "expected them for later ones: the first is drawn");
  write("half.yaml", head + "compute: flex\nflex: {runs: [{name: a}, {name: b, modes: 2.5}]}\n");
  refused("run half.yaml", "modes: read 2.5, expected a whole number up to 200");
  write("loads.yaml", head + "compute: flex\nflex: {runs: [{name: a}, {name: b, modes: 2, vibrates: false}]}\n");
  refused("run loads.yaml", "vibrates: read it with modes");
  write("where.yaml", head + "compute: flex\nmodes: 3\nflex: {runs: [{name: a}]}\n");
  refused("run where.yaml", "modes: read them for control or flex");
}

/// Where the rigid robot cannot follow, that is an outcome and not a mistake of the command.
TEST_F(BendingTool, PathsOutOfReachAreOutcomes) {
  write("far.yaml", "motion: far\ncircle: {centre: [0, 2, 0], radius: 10 mm, duration: 50 ms}\n");
  for (const std::string& arguments :
       {"flex " + rrr3 + " far.yaml --modes 4", "flex " + rrr3 + " far.yaml --modes 4 --follow driving_constraint",
        "simulate " + rrr3 + " --modes 4 --drives far.yaml"}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 3) << arguments;
    EXPECT_THAT(o.err, HasSubstr("misses its place on the platform")) << arguments;
  }
}

/// Modes in all kinds of studies: runs of beams with corrected drives, free motion, a plant that a controller does not know.
TEST_F(BendingTool, StudiesTakeModes) {
  const std::string head = "robot: " + rrr3 + "\nmotion: short.yaml\nstep: 2 ms\n";
  write("flex.yaml",
        "study: flex\n" + head +
            "compute: flex\nflex:\n  step: 1 ms\n  runs:\n    - {name: plain, gravity: [0, -9.81, 0], start: "
            "quasistatic}\n    - {name: coupled, gravity: [0, -9.81, 0], start: quasistatic, modes: 4}\n"
            "    - {name: corrected, gravity: [0, -9.81, 0], start: quasistatic, modes: 4, follow: "
            "modified_driving_force}\n");
  ASSERT_EQ(run("run flex.yaml").code, 0) << read("err");
  const json flex = json::parse(read("results/flex/result.json"));
  const auto rms = [&](int k) { return flex["runs"][k]["largest"]["e rms"]["value"].get<double>(); };
  EXPECT_NEAR(rms(1), rms(0), 0.02 * rms(0));
  EXPECT_LT(rms(2), 0.03 * rms(1));
  EXPECT_EQ(flex["runs"][2]["follow"], "modified_driving_force");
  EXPECT_THAT(read("results/flex/report.html"), HasSubstr("the coupled model, 4 modes per beam"));
  write("free.yaml",
        "study: free\n" + head +
            "modes: 3\ncompute: simulate\nsimulate:\n  time: 10 ms\n  runs: [{name: a, method: rk4, fixed_step: "
            "0.05 ms}]\n");
  ASSERT_EQ(run("run free.yaml").code, 0) << read("err");
  EXPECT_GE(read_table((folder() / "results/free/a.csv").string()).find("q.leg1.proximal.modes.1"), 0);
  write("hexapod.yaml", contents(robot_path("hexapod_flexible")));
  write("rest.yaml", "motion: rest\ncircle: {centre: [0, 0, -0.6], radius: 5 mm, duration: 0.1 s}\n");
  write("control.yaml",
        "study: control\nrobot: hexapod.yaml\nmotion: rest.yaml\nstep: 2 ms\ncompute: control\ncontrol:\n  plant: "
        "{modes: 6}\n  runs: [{name: a, law: computed_force}]\n");
  ASSERT_EQ(run("run control.yaml").code, 0) << read("err");
}

}  // namespace
}  // namespace gough::bending_cli_test
