/// simulate as a user meets it: options, columns, keys of the JSON, messages, exit codes, interrupts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/tool.hpp"
#include "simulation/runs.hpp"

namespace gough::simulate_cli_test {
namespace {

using nlohmann::json;
using std::numbers::pi;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class SimulateTool : public Tool {
 protected:
  Outcome simulate_robot(const std::string& robot, const std::string& rest) const {
    return run(fmt::format("simulate {} {}", robot_path(robot), rest));
  }
  json result(const std::string& robot, const std::string& rest) const {
    const Outcome o = simulate_robot(robot, rest + " --json");
    EXPECT_EQ(o.code, 0) << o.err;
    return json::parse(o.out);
  }
  Table table(const std::string& name) const { return parse_table(read(name), name); }
  double value(const Table& t, std::size_t row, const std::string& column) const {
    EXPECT_GE(t.find(column), 0) << column;
    return t.find(column) < 0 ? 0 : t.rows.at(row)[static_cast<std::size_t>(t.find(column))];
  }
};

const std::string swinging_block = with(block, "home: 0}", "home: 0, stiffness: 50 N/m, rest: 0.1}");

// ------------------------------------------------------------------------------------------------ tables

TEST_F(SimulateTool, WritesTheColumnsOfTheDesignInOrder) {
  const Outcome o = simulate_robot("four_bar", "--time 0.02 --step 0.01 -o out.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  std::vector<std::string> expected = {"t"};
  for (const std::string joint : {"crank", "knee", "rocker", "close"})
    for (const char c : {'q', 'v', 'a'}) expected.push_back(fmt::format("{}.{}", c, joint));
  expected.insert(expected.end(), {"tau.crank", "kinetic", "potential", "residual"});
  EXPECT_EQ(table("out.csv").columns, expected);
  ASSERT_EQ(simulate_robot("hexapod", "--time 0.01 -o out.csv").code, 0);
  const Table hexapod = table("out.csv");
  EXPECT_EQ(hexapod.columns[18], "dwz") << "the platform's pose, twist and their derivatives come after t";
  EXPECT_EQ(hexapod.columns[19], "q.leg1.alpha");
  EXPECT_GE(hexapod.find("a.leg6.ball.rz"), 0) << "cut joints too";
  ASSERT_EQ(simulate_robot("elastic_five_bar", "--time 1e-4 --step 1e-4 -o out.csv").code, 0);
  EXPECT_GE(table("out.csv").find("load.left_stretch"), 0) << "springs of elastic joints";
}

/// The rows are the library's numbers: the same run in this process.
TEST_F(SimulateTool, RowsAreTheLibrarys) {
  ASSERT_EQ(simulate_robot("four_bar", "--time 0.3 --step 0.1 --tau 0.2 --rates 'crank=90 deg/s' -o out.csv").code, 0);
  const Table t = table("out.csv");
  const Mechanism<double>& m = shipped("four_bar");
  Workspace<double> w(m);
  set_rates(m, {{m.find_coordinate("crank"), pi / 2}}, w);
  w.tau[0] = 0.2;
  const Motions r = simulated(m, w, even_times(0, 0.3, 0.1));
  ASSERT_EQ(t.rows.size(), r.rows.size());
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    for (int c = 0; c < m.nv; ++c) {
      EXPECT_NEAR(value(t, i, "q." + m.coordinate[at(c)].name), r.rows[i].q[c], 1e-10);
      EXPECT_NEAR(value(t, i, "v." + m.coordinate[at(c)].name), r.rows[i].v[c], 1e-9);
      EXPECT_NEAR(value(t, i, "a." + m.coordinate[at(c)].name), r.rows[i].a[c], 1e-8);
    }
    EXPECT_EQ(value(t, i, "tau.crank"), 0.2);
    EXPECT_NEAR(value(t, i, "kinetic"), r.rows[i].kinetic, 1e-10);
    EXPECT_NEAR(value(t, i, "potential"), r.rows[i].potential, 1e-10);
  }
}

TEST_F(SimulateTool, PrintsWhatTheRunWasLike) {
  const Outcome o = simulate_robot("four_bar", "--time 0.5 --step 0.1");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(StartsWith("four_bar: 6 rows to t = 0.5 s, by legs, adaptive, loops independent\n"),
                           HasSubstr(" steps, "), HasSubstr("loops closed to "), HasSubstr("energy from "),
                           HasSubstr("of the largest kinetic energy"), HasSubstr("-o FILE.csv")));
  EXPECT_THAT(simulate_robot("four_bar", "--time 0.1 --equilibrium").out, Not(HasSubstr("kept to"))) << "it rests";
  EXPECT_THAT(simulate_robot("four_bar", "--time 0.1 --method dae").out, Not(HasSubstr("loops independent")));
}

TEST_F(SimulateTool, JsonHasEveryKey) {
  const json j = result("four_bar", "--time 0.1 --step 0.05");
  for (const std::string key : {"robot",
                                "status",
                                "rows",
                                "t",
                                "by",
                                "method",
                                "loops",
                                "steps",
                                "evaluations",
                                "events",
                                "choices",
                                "shortest_step",
                                "largest_residual",
                                "energy_start",
                                "energy_end",
                                "largest_kinetic",
                                "largest_energy_change",
                                "conservative",
                                "passed",
                                "within_limits",
                                "table"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j["status"], "ok");
  EXPECT_EQ(j["rows"], 3);
  EXPECT_EQ(j["conservative"], true);
  EXPECT_EQ(j["table"]["t"], json({0, 0.05, 0.1}));
  EXPECT_EQ(result("four_bar", "--time 0.1 --tau 1")["conservative"], false) << "a drive";
  const json written = result("four_bar", "--time 0.1 --step 0.05 -o out.csv");
  EXPECT_FALSE(written.contains("table"));
  EXPECT_EQ(written["file"], "out.csv");
}

// ------------------------------------------------------------------------------------------------ options

TEST_F(SimulateTool, EveryMethodAndArrangementRuns) {
  const json adaptive = result("four_bar", "--time 0.1 --step 0.05");
  for (const std::string_view method : method_names) {
    const json j = result("four_bar", fmt::format("--time 0.1 --step 0.05 --fixed-step 1e-4 --method {}", method));
    EXPECT_EQ(j["method"], method);
    EXPECT_NEAR(j["table"]["q.crank"][2].get<double>(), adaptive["table"]["q.crank"][2].get<double>(),
                method == "semi_implicit" ? 1e-3 : 1e-6)
        << "as by adaptive " << method;
  }
  for (const std::string_view loops : loops_names)
    EXPECT_EQ(result("four_bar", fmt::format("--time 0.1 --loops {} --baumgarte 10,10", loops))["loops"], loops);
  for (const Formulation by : all_formulations)
    EXPECT_EQ(result("four_bar", fmt::format("--time 0.1 --by {}", name(by)))["by"], name(by));
  const json fine = result("four_bar", "--time 0.1 --step 0.1 --method rk4 --fixed-step 0.01"),
             coarse = result("four_bar", "--time 0.1 --step 0.1 --method rk4");
  EXPECT_EQ(fine["steps"], 10);
  EXPECT_EQ(coarse["steps"], 1) << "without --fixed-step that of the rows";
  EXPECT_GT(result("four_bar", "--time 0.5 --tolerance 1e-13")["steps"],
            result("four_bar", "--time 0.5 --step 0.5 --tolerance 1e-6")["steps"]);
}

TEST_F(SimulateTool, StartsWhereItIsTold) {
  const auto first = [&](const std::string& robot, const std::string& rest) {
    const Outcome o = simulate_robot(robot, rest + " --time 1e-3 -o out.csv");
    EXPECT_EQ(o.code, 0) << o.err;
    return table("out.csv");
  };
  EXPECT_NEAR(value(first("hexapod", "--pose '0.05,0,-700 mm,0,0,10 deg'"), 0, "rz"), pi / 18, 1e-12);
  EXPECT_NEAR(value(first("four_bar", "--actuators '90 deg'"), 0, "q.crank"), pi / 2, 1e-12);
  EXPECT_NEAR(value(first("pendulum", "--equilibrium"), 0, "q.swing"), 1.5 * pi, 1e-8);
  EXPECT_NEAR(value(first("pendulum", "--equilibrium --tau 4.905 --actuators '-90 deg'"), 0, "q.swing"), -pi / 3, 1e-8);
  EXPECT_NEAR(value(first("four_bar", "--rates ' crank = 5 '"), 0, "v.crank"), 5, 1e-12);
}

/// A force that grows with 2 N/s and then stays: 2 x'' = 2 t up to 1 s, 2 after.
TEST_F(SimulateTool, TakesForcesFromATable) {
  write("block.yaml", block);
  write("forces.csv", "t,tau.slide\n0,0\n1,2\n");
  ASSERT_EQ(run("simulate block.yaml --forces forces.csv --time 2 --step 0.5 -o out.csv").code, 0);
  const Table t = table("out.csv");
  EXPECT_NEAR(value(t, 2, "q.slide"), 1.0 / 6, 1e-9);
  EXPECT_NEAR(value(t, 4, "q.slide"), 1.0 / 6 + 0.5 + 0.5, 1e-9) << "the last row's from there on";
  EXPECT_EQ(value(t, 1, "tau.slide"), 1);
  ASSERT_EQ(run("simulate block.yaml --forces forces.csv --hold 0.5 --time 1 --step 0.5 -o out.csv").code, 0);
  EXPECT_NEAR(value(table("out.csv"), 2, "v.slide"), 0.25, 1e-9) << "0 N for half a second, then 1 N";
}

TEST_F(SimulateTool, DryFrictionSticksOrIsSmooth) {
  write("block.yaml", with(block, "home: 0}", "home: 0, friction: {coulomb: 3 N}}"));
  const std::string go = "simulate block.yaml --rates slide=1.5 --time 2 --step 0.5 --json ";
  const json stick = json::parse(run(go).out), smooth = json::parse(run(go + "--friction smooth --smooth 0.01").out);
  EXPECT_EQ(stick["events"], 1);
  EXPECT_NEAR(stick["table"]["q.slide"][4].get<double>(), 0.75, 1e-9);
  EXPECT_EQ(smooth["events"], 0);
  EXPECT_NEAR(smooth["table"]["q.slide"][4].get<double>(), 0.75, 1e-3);
  EXPECT_THAT(run("simulate block.yaml --rates slide=1.5 --time 2").out, HasSubstr("1 times a joint stopped"));
  const Outcome dae = run("simulate block.yaml --method dae");
  EXPECT_EQ(dae.code, 2);
  EXPECT_THAT(dae.err, HasSubstr("read stick for method dae, expected smooth"));
}

/// 2, 8 and 18 kg on 50 N/m: after half a period of each the block is at 0.2 m.
TEST_F(SimulateTool, VaryRunsSideBySide) {
  write("block.yaml", swinging_block);
  const Outcome o =
      run("simulate block.yaml --vary 'bodies.block.mass=2 kg,8 kg,18 kg' --time 1 --step 0.25 -o out.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("block with bodies.block.mass = 8 kg: 5 rows"), HasSubstr("out_3.csv")));
  EXPECT_FALSE(std::filesystem::exists(folder() / "out.csv"));
  for (int i = 1; i <= 3; ++i)
    EXPECT_NEAR(value(table(fmt::format("out_{}.csv", i)), 4, "q.slide"), 0.1 - 0.1 * std::cos(5.0 / i), 1e-9);
  const json j = json::parse(run("simulate block.yaml --vary bodies.block.mass=2,8 --time 0.1 --json").out);
  ASSERT_EQ(j.size(), 2U);
  EXPECT_EQ(j[1]["set"]["bodies.block.mass"], "8");
}

// ------------------------------------------------------------------------------------------------ what goes wrong

TEST_F(SimulateTool, BadArgumentsAreBadInput) {
  write("bad.csv", "t,tau.crank\n0,1\n-1,2\n");
  write("word.csv", "t,tau.crank\n0,much\n");
  write("other.csv", "t,tau.rocker\n0,1\n");
  write("push.csv", "t,tau.crank,fx\n0,1,1\n");
  write("none.csv", "t,tau.crank\n");
  const std::vector<std::pair<std::string, std::string>> all = {
      {"--pose 0,0,0,0,0,0 --actuators 1", "--pose and --actuators: read both"},
      {"--pose 0,0,0,0,0,0", "expected a robot with a platform"},
      {"--actuators 1,2", "read 2 numbers, expected 1"},
      {"--rates none=1", "--rates: read the joint 'none'"},
      {"--rates close=1", "--rates: read the joint 'close'"},
      {"--rates crank", "expected NAME=VALUE"},
      {"--rates crank=fast", "--rates: read 'fast'"},
      {"--tau 1,2", "--tau: read 2 numbers, expected 1"},
      {"--tau 1 --forces bad.csv", "--tau and --forces: read both"},
      {"--forces missing.csv", "missing.csv: cannot be opened"},
      {"--forces bad.csv", "bad.csv:3: read t = -1 after 0, expected times that increase"},
      {"--forces word.csv", "word.csv:2"},
      {"--forces other.csv", "other.csv:1: read a table without tau.crank"},
      {"--forces push.csv", "read a wrench on the platform, expected none"},
      {"--forces none.csv", "read no rows"},
      {"--time 0", "--time"},
      {"--time -1", "--time"},
      {"--step -1", "--step"},
      {"--step 1e-12", "expected at most 1e7"},
      {"--hold -1", "--hold"},
      {"--tolerance 0", "--tolerance"},
      {"--smooth 0", "--smooth"},
      {"--method euler", "--method"},
      {"--loops open", "--loops"},
      {"--friction rough", "--friction"},
      {"--by newton", "--by"},
      {"--baumgarte 1", "--baumgarte: read 1 numbers, expected 2"},
      {"--vary x", "expected PATH=VALUE,VALUE,.."},
      {"--vary bodies.none.mass=1", "none"},
      {"-o none/out.csv", "none/out.csv"}};
  for (const auto& [rest, message] : all) {
    const Outcome o = simulate_robot("four_bar", rest);
    EXPECT_EQ(o.code, 2) << rest;
    EXPECT_THAT(o.err, HasSubstr(message)) << rest;
    EXPECT_THAT(o.out, IsEmpty()) << rest;
  }
}

TEST_F(SimulateTool, RowsAreAtGivenTimesAndJointsWhereTheyAreSaid) {
  write("times.csv", "t,other\n0.1,1\n0.25,1\n");
  ASSERT_EQ(simulate_robot("pendulum", "--times times.csv -o out.csv").code, 0);
  const Table t = table("out.csv");
  ASSERT_EQ(t.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(t.rows[1][0], 0.25);
  ASSERT_EQ(simulate_robot("pendulum", "--time 0.25 --step 0.25 -o out.csv").code, 0);
  EXPECT_NEAR(t.rows[1][1], table("out.csv").rows[1][1], 1e-10) << "the run starts at 0";
  EXPECT_EQ(simulate_robot("pendulum", "--times times.csv --time 1").code, 2);
  ASSERT_EQ(simulate_robot("elastic_five_bar",
                           "--positions 'left_stretch=0.1 mm' --rates left_stretch=0.02 --time 1e-3 -o out.csv")
                .code,
            0);
  const Table e = table("out.csv");
  EXPECT_NEAR(e.rows[0][static_cast<std::size_t>(e.find("q.left_stretch"))], 1e-4, 1e-12);
  EXPECT_NEAR(e.rows[0][static_cast<std::size_t>(e.find("v.left_stretch"))], 0.02, 1e-9);
  EXPECT_LT(e.rows[0][static_cast<std::size_t>(e.find("residual"))], 1e-11);
  EXPECT_THAT(simulate_robot("elastic_five_bar", "--positions nothing=1").err,
              HasSubstr("--positions: read the joint 'nothing'"));
}

/// What cannot move stands, by every method and with every way of keeping loops.
TEST_F(SimulateTool, AStructureStands) {
  write("frame.yaml",
        "robot: frame\nbodies: {a: {mass: 1 kg, rod: [1, 0, 0]}, b: {mass: 1 kg, rod: [0, 1, 0]}}\njoints:\n"
        "  foot: {type: revolute, parent: base, child: a, axis: [0, 0, 1], home: 0, friction: {coulomb: 1 N m}}\n"
        "  corner: {type: revolute, parent: a, child: b, origin: {xyz: [1, 0, 0]}, axis: [0, 0, 1], home: 0}\n"
        "  top: {type: revolute, parent: base, child: b, origin: {xyz: [1, 1, 0]}, child_origin: {xyz: [0, 1, 0]}, "
        "axis: [0, 0, 1]}\n");
  for (const std::string rest :
       {"--method adaptive", "--method stiff", "--method dae --friction smooth", "--method rk4",
        "--method semi_implicit", "--loops projected", "--loops drift", "--by dalembert"}) {
    const Outcome o = run("simulate frame.yaml --time 0.1 --step 0.05 -o out.csv " + rest);
    EXPECT_EQ(o.code, 0) << rest << o.err;
    const Table t = table("out.csv");
    ASSERT_EQ(t.rows.size(), 3U) << rest;
    for (const auto& row : t.rows)
      for (std::size_t c = 1; c < row.size(); ++c)
        if (const std::string& name = t.columns[c]; name.starts_with("v.") || name.starts_with("a.")) {
          EXPECT_NEAR(row[c], 0, 1e-12) << rest;
        }
  }
}

TEST_F(SimulateTool, StepsThatNeverEndAreRefused) {
  for (const std::string rest :
       {"--method rk4 --fixed-step 1e-300", "--method semi_implicit --fixed-step 1e-9", "--hold 1e-300"}) {
    const Outcome o = simulate_robot("four_bar", rest);
    EXPECT_EQ(o.code, 2) << rest;
    EXPECT_THAT(o.err, HasSubstr("expected 5e-08 s or more: at most 20000000 steps")) << rest;
  }
}

TEST_F(SimulateTool, NumericalOutcomesAreTold) {
  const Outcome rates = simulate_robot("four_bar", "--rates crank=1,rocker=9");
  EXPECT_EQ(rates.code, 3);
  EXPECT_THAT(rates.err, HasSubstr("unreachable: the start: the loops do not allow these rates together"));
  const Outcome far = simulate_robot("hexapod", "--pose 0,0,-9,0,0,0");
  EXPECT_EQ(far.code, 3);
  EXPECT_THAT(far.err, HasSubstr("the start: "));
  EXPECT_EQ(far.out, "") << "nothing ran";
  const Outcome falls = simulate_robot("hexapod", "--time 0.3 --step 0.05 -o out.csv");
  EXPECT_EQ(falls.code, 3);
  EXPECT_THAT(falls.err,
              AllOf(HasSubstr("out_of_limits: t = "), HasSubstr("'leg1.drive' = "), HasSubstr("is above its limit 1")));
  EXPECT_EQ(table("out.csv").rows.size(), 7U) << "all is written";
  const json j = json::parse(simulate_robot("hexapod", "--time 0.3 --step 0.05 --json").out);
  EXPECT_EQ(j["within_limits"], false);
  EXPECT_EQ(j["beyond_limits"].size(), 1U);
}

/// A falling Delta meets positions where its loops lose rank. Rounding decides whether a step passes them or none is short
/// enough; the end is said, and what is computed is kept.
TEST_F(SimulateTool, PassesSingularitiesOrEndsThereWithItsRows) {
  for (const std::string tolerance : {"1e-12", "1e-11", "1e-10"}) {
    const Outcome o = simulate_robot("delta", "--time 2 --step 0.05 -o out.csv --tolerance " + tolerance);
    const Table t = table("out.csv");
    EXPECT_THAT(o.out, HasSubstr(fmt::format("delta: {} rows", t.rows.size())));
    if (o.code == 0) {
      EXPECT_EQ(t.rows.size(), 41U);
      const std::size_t kept =
          o.out.find("kept to ");  // a long step may cross a place without seeing it, on the same motion
      ASSERT_NE(kept, std::string::npos) << o.out;
      EXPECT_LT(std::stod(o.out.substr(kept + 8)), 1e-6);
    } else {
      EXPECT_EQ(o.code, 3);
      EXPECT_THAT(o.err, AllOf(HasSubstr("singular: "), HasSubstr("the loops' equations are about to lose rank")));
      EXPECT_GE(t.rows.size(), 10U);
      EXPECT_LT(t.rows.size(), 41U);
    }
    for (const auto& row : t.rows)
      for (const double x : row) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST_F(SimulateTool, AnInterruptKeepsFinishedRows) {
  for (const std::string signal : {"INT", "TERM"}) {
    const Outcome o =
        run_interrupted("simulate " + robot_path("pendulum") + " --time 1000 -o out.csv", "out.csv", signal);
    EXPECT_EQ(o.code, 3) << o.err;
    EXPECT_THAT(o.err, AllOf(HasSubstr("interrupted at t = "), HasSubstr("rows are done and kept")));
    const Table t = table("out.csv");
    EXPECT_GE(t.rows.size(), 19U);
    EXPECT_LT(t.rows.size(), 1000001U);
    EXPECT_THAT(o.out, HasSubstr(fmt::format("{} rows", t.rows.size())));
    std::filesystem::remove(folder() / "out.csv");
  }
}

}  // namespace
}  // namespace gough::simulate_cli_test
