/// inverse, forward, compare and run as a user meets them: exit codes, streams, columns, keys of the JSON, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <numbers>
#include <thread>

#include "cli/tool.hpp"
#include "robots.hpp"

namespace gough::dynamics_cli_test {
namespace {

using nlohmann::json;
using std::numbers::pi;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string root = GOUGH_SOURCE_DIR;
std::string motion_path(const std::string& name) { return root + "/motions/" + name + ".yaml"; }

class DynamicsTool : public Tool {
 protected:
  Outcome inverse(const std::string& robot, const std::string& rest) const {
    return run(fmt::format("inverse {} {}", robot_path(robot), rest));
  }
  Outcome forward(const std::string& robot, const std::string& rest) const {
    return run(fmt::format("forward {} {}", robot_path(robot), rest));
  }
  Table table(const std::string& name) const { return parse_table(read(name), name); }
  double value(const Table& t, std::size_t row, const std::string& column) const {
    EXPECT_GE(t.find(column), 0) << column;
    return t.find(column) < 0 ? 0 : t.rows.at(row)[static_cast<std::size_t>(t.find(column))];
  }
};

const std::string psp_at_rest =
    "q.leg1.drive,q.leg2.drive,q.leg3.drive,v.leg1.drive,v.leg2.drive,v.leg3.drive,a.leg1.drive,a.leg2.drive,"
    "a.leg3.drive\n0.5,0.5,0.5,0,0,0,0,0,0\n";
const std::string pose_columns = "x,y,z,rx,ry,rz,vx,vy,vz,wx,wy,wz,ax,ay,az,dwx,dwy,dwz";

// ------------------------------------------------------------------------------------------------ inverse

TEST_F(DynamicsTool, InverseHasTheColumnsOfTheDesignInOrder) {
  write("rest.csv", psp_at_rest);
  const Outcome o = inverse("psp3", "rest.csv -o out.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  const Table t = table("out.csv");
  std::vector<std::string> expected = {"t",  "x",  "y",  "z",  "rx", "ry", "rz",  "vx",  "vy", "vz",
                                       "wx", "wy", "wz", "ax", "ay", "az", "dwx", "dwy", "dwz"};
  for (int i = 1; i <= 3; ++i)
    for (const char c : {'q', 'v', 'a'}) expected.push_back(fmt::format("{}.leg{}.drive", c, i));
  for (int i = 1; i <= 3; ++i) expected.push_back(fmt::format("tau.leg{}.drive", i));
  for (int i = 1; i <= 3; ++i)
    for (const std::string c : {"motor_q", "motor_tau"}) expected.push_back(fmt::format("{}.leg{}.drive", c, i));
  EXPECT_EQ(t.columns, expected);
  ASSERT_EQ(t.rows.size(), 1U);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_NEAR(value(t, 0, fmt::format("tau.leg{}.drive", i)), 8.175, 1e-12) << "(0.5 + 1/3) kg";
    EXPECT_NEAR(value(t, 0, fmt::format("motor_tau.leg{}.drive", i)), 8.175 * 0.01 / (2 * pi), 1e-14);
    EXPECT_NEAR(value(t, 0, fmt::format("motor_q.leg{}.drive", i)), 0.5 * 2 * pi / 0.01, 1e-10);
  }
}

TEST_F(DynamicsTool, InversePrintsTheSizingTable) {
  const Outcome o = inverse("psp3", motion_path("psp3_paper") + " --step 0.01");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(StartsWith("psp3 along "), HasSubstr("201 states from t = 0 to 2 s, by legs"),
                           HasSubstr("peak force   rms force  peak speed  peak power      energy"),
                           HasSubstr("peak torque"), HasSubstr("leg3.drive"), HasSubstr("-o FILE.csv")));
}

TEST_F(DynamicsTool, InverseJsonHasSizingAndTable) {
  const Outcome o = inverse("hexapod", motion_path("hexapod_circle") + " --step 0.1 --by noc --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json j = json::parse(o.out);
  EXPECT_EQ(j.at("rows"), 21);
  EXPECT_EQ(j.at("by"), "noc");
  EXPECT_EQ(j.at("status"), "ok");
  ASSERT_EQ(j.at("sizing").size(), 6U);
  for (const std::string key : {"actuator", "peak_force", "rms_force", "peak_speed", "peak_power", "energy",
                                "force_limit", "speed_limit", "position_limits", "within_limits"})
    EXPECT_TRUE(j["sizing"][0].contains(key)) << key;
  EXPECT_TRUE(j["sizing"][0]["force_limit"].is_null()) << "none in the file";
  EXPECT_EQ(j["sizing"][0]["position_limits"], json({0.55, 1.0}));
  EXPECT_EQ(j.at("table").at("tau.leg1.drive").size(), 21U);
  EXPECT_FALSE(json::parse(inverse("hexapod", motion_path("hexapod_circle") + " --step 0.1 --json -o out.csv").out)
                   .contains("table"));
}

TEST_F(DynamicsTool, InverseBalancesAWrenchOfTheTable) {
  const std::string columns = pose_columns + ",fx,fy,fz,mx,my,mz\n", zeros = ",0,0,0,0,0,0,0,0,0,0,0,0";
  write("push.csv",
        columns + "0,0,-0.65,0,0,0" + zeros + ",0,0,0,0,0,0\n" + "0,0,-0.65,0,0,0" + zeros + ",0,0,-100,0,0,0\n");
  const Outcome o = inverse("hexapod", "push.csv -o out.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  const Table t = table("out.csv");
  // every leg carries a sixth: dz = -(h / l) dl, so the force changes by 100/6 l/h
  const double change = value(t, 1, "tau.leg1.drive") - value(t, 0, "tau.leg1.drive"), l = value(t, 0, "q.leg1.drive");
  EXPECT_NEAR(change, -100.0 / 6 * l / 0.65, 1e-9);
  EXPECT_EQ(inverse("four_bar", "push.csv").code, 2);
}

TEST_F(DynamicsTool, InverseWritesReactionsAndSaysWhichAreNotUnique) {
  const Outcome o = inverse("rrr3", motion_path("rrr3_circle") + " --step 1 --reactions -o out.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_GE(table("out.csv").find("leg3.mz"), 0);
  EXPECT_THAT(o.err, HasSubstr("the wrenches of leg1, leg2, leg3 are not unique"));
  const Outcome unique = inverse("hexapod", motion_path("hexapod_circle") + " --step 1 --reactions -o out.csv");
  EXPECT_EQ(unique.code, 0);
  EXPECT_THAT(unique.err, IsEmpty());
  const Outcome no_legs = inverse("elastic_five_bar", motion_path("five_bar_line") + " --reactions");
  EXPECT_EQ(no_legs.code, 2);
  EXPECT_THAT(no_legs.err, HasSubstr("expected a robot whose platform floats"));
}

TEST_F(DynamicsTool, InverseKeepsRowsBeforeAStateThatCannotBeReached) {
  const std::string zeros = ",0,0,0,0,0,0,0,0,0,0,0,0\n";
  write("way.csv", pose_columns + "\n0,0.4,0,0,0,0" + zeros + "0.05,0.4,0,0,0,0" + zeros + "0,0.9,0,0,0,0" + zeros);
  const Outcome o = inverse("five_bar", "way.csv -o out.csv");
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err,
              AllOf(StartsWith("way.csv:4: unreachable: leg "), HasSubstr("out.csv: 2 of 3 rows are done and kept")));
  EXPECT_EQ(table("out.csv").rows.size(), 2U);
  const json j = json::parse(inverse("five_bar", "way.csv --json").out);
  EXPECT_EQ(j.at("status"), "unreachable");
  EXPECT_EQ(j.at("rows"), 2);
}

TEST_F(DynamicsTool, ExceedingALimitIsANumericalOutcomeAfterAllIsWritten) {
  write("weak.yaml", R"(
robot: weak
gravity: [0, -9.81, 0]
bodies: {bob: {points: [{mass: 1 kg, xyz: [1, 0, 0]}]}}
joints: {swing: {type: revolute, parent: base, child: bob, role: actuated, home: 0, gear: 10,
                 limits: {force: 5 N m, velocity: 100 rad/s}}}
)");
  write("way.yaml", "motion: m\nmoves: actuators\nline: {to: {swing: 90 deg}, profile: constant, duration: 1 s}\n");
  const Outcome o = run("inverse weak.yaml way.yaml --step 0.1 -o out.csv");
  EXPECT_EQ(o.code, 3);
  EXPECT_EQ(o.err, "way.yaml: out_of_limits: 'swing': force 9.81 N m at t = 0 is beyond its limit 5 N m\n");
  EXPECT_EQ(table("out.csv").rows.size(), 11U);
  EXPECT_THAT(o.out, AllOf(HasSubstr("force 196 %, speed 2 %"), HasSubstr("0.981")));
  const json j = json::parse(run("inverse weak.yaml way.yaml --step 0.1 --json").out);
  EXPECT_EQ(j["sizing"][0]["within_limits"], false);
  EXPECT_NEAR(j["sizing"][0]["motor_peak_torque"].get<double>(), 0.981, 1e-12);
  EXPECT_NEAR(j["sizing"][0]["motor_peak_speed"].get<double>(), 10 * pi / 2, 1e-12);
}

TEST_F(DynamicsTool, InverseOfElasticRobotsSaysWhereTheirMotionComesFrom) {
  const std::string motion = motion_path("five_bar_line") + " --step 0.01 ";
  const Outcome locked = inverse("elastic_five_bar", motion + "-o out.csv"),
                soft = inverse("elastic_five_bar", motion + "--elastic quasistatic --json"),
                given = inverse("elastic_five_bar", motion + "--elastic given");
  EXPECT_EQ(locked.code, 0) << locked.err;
  EXPECT_THAT(locked.out, HasSubstr("elastic joints locked: at most "));
  EXPECT_GE(table("out.csv").find("residual.left_stretch"), 0);
  ASSERT_EQ(soft.code, 0) << soft.err;
  EXPECT_LT(json::parse(soft.out).at("elastic_residual").get<double>(), 1e-7);
  EXPECT_EQ(given.code, 2);
  EXPECT_THAT(given.err, HasSubstr("expected a table (CSV)"));
  write("states.csv", "x,y,vx,vy,ax,ay\n0,0.4,0,0,0,0\n");
  EXPECT_THAT(inverse("elastic_five_bar", "states.csv --elastic given").err,
              StartsWith("states.csv:1: read a table without q.left_stretch, q.right_stretch, expected"));
  write("states.csv",
        "x,y,vx,vy,ax,ay,q.left_stretch,q.right_stretch,v.left_stretch,v.right_stretch,a.left_stretch,a.right_stretch\n"
        "0,0.4,0,0,0,0,1e-6,0,0,0,0,0\n");
  EXPECT_EQ(inverse("elastic_five_bar", "states.csv --elastic given").code, 0);
}

TEST_F(DynamicsTool, WeightsShiftTheLoadOfRedundantActuators) {
  write("states.csv", "x,y,vx,vy,ax,ay\n0,0.4,0,0,1,2\n");
  const auto peak = [&](const std::string& weights) {
    const Outcome o = inverse("redundant_five_bar", "states.csv --json" + weights);
    EXPECT_EQ(o.code, 0) << o.err;
    return json::parse(o.out)["sizing"][2]["peak_force"].get<double>();
  };
  EXPECT_LT(peak(" --weights 1,1,1000"), 0.1 * peak(""));
  EXPECT_EQ(inverse("redundant_five_bar", "states.csv --weights 1,1").code, 2);
  EXPECT_EQ(inverse("redundant_five_bar", "states.csv --weights 1,1,0").code, 2);
}

TEST_F(DynamicsTool, BadArgumentsAreBadInput) {
  write("bad.csv", "t,x\n0,1\n");
  const std::string circle = motion_path("hexapod_circle");
  const std::vector<std::string> all = {"",
                                        "none.yaml",
                                        "bad.csv",
                                        circle + " --by newton",
                                        circle + " --step 0",
                                        circle + " --step -1",
                                        circle + " --elastic soft",
                                        circle + " --step 1e-9",
                                        circle + " --step 1 -o none/out.csv"};
  for (const std::string& rest : all) {
    const Outcome o = inverse("hexapod", rest);
    EXPECT_EQ(o.code, 2) << rest;
    EXPECT_FALSE(o.err.empty()) << rest;
    EXPECT_THAT(o.out, IsEmpty()) << rest;
  }
}

/// A run of 200001 states, interrupted after a moment.
TEST_F(DynamicsTool, AnInterruptKeepsFinishedRows) {
  for (const std::string signal : {"INT", "TERM"}) {
    const Outcome o = run_interrupted(
        fmt::format("inverse {} {} --step 1e-5 -o out.csv", robot_path("hexapod"), motion_path("hexapod_circle")),
        "out.csv", signal);
    EXPECT_EQ(o.code, 3) << o.err;
    EXPECT_THAT(o.err, AllOf(HasSubstr("interrupted"), HasSubstr("of 200001 rows are done and kept")));
    const Table t = table("out.csv");
    EXPECT_GE(t.rows.size(), 19U);
    EXPECT_LT(t.rows.size(), 200001U);
    EXPECT_THAT(o.out, HasSubstr(fmt::format("{} states", t.rows.size()))) << "what was done is sized";
    std::filesystem::remove(folder() / "out.csv");
  }
}

// ------------------------------------------------------------------------------------------------ forward

TEST_F(DynamicsTool, ForwardOfInverseReturnsTheAccelerations) {
  ASSERT_EQ(inverse("hexapod", motion_path("hexapod_circle") + " --step 0.25 -o there.csv").code, 0);
  for (const std::string_view by : formulation_names) {
    if (by == "scdd_iterative") continue;
    const Outcome o = forward("hexapod", fmt::format("there.csv -o back.csv --by {}", by));
    ASSERT_EQ(o.code, 0) << o.err;
    const Table there = table("there.csv"), back = table("back.csv");
    ASSERT_EQ(back.rows.size(), there.rows.size());
    for (std::size_t r = 0; r < back.rows.size(); ++r)
      for (const std::string column : {"ax", "ay", "az", "dwx", "dwy", "dwz", "a.leg1.drive", "a.leg6.drive"})
        EXPECT_NEAR(value(back, r, column), value(there, r, column), 1e-9) << by << " " << column;
  }
  const Table back = table("back.csv");
  EXPECT_GE(back.find("a.leg1.ball.rx"), 0) << "cut joints too";
  EXPECT_GE(back.find("q.leg1.drive"), 0);
  EXPECT_GE(back.find("v.leg1.drive"), 0);
  EXPECT_EQ(back.columns.front(), "t");
}

/// Springs that balance the loads leave the platform its accelerations, and the elastic joints none.
TEST_F(DynamicsTool, ForwardOfAQuasistaticInverseReturnsTheAccelerations) {
  const std::string rest = motion_path("five_bar_line") + " --step 0.05 --elastic quasistatic -o there.csv";
  ASSERT_EQ(inverse("elastic_five_bar", rest).code, 0);
  ASSERT_EQ(forward("elastic_five_bar", "there.csv -o back.csv").code, 0);
  const Table there = table("there.csv"), back = table("back.csv");
  for (std::size_t r = 0; r < there.rows.size(); ++r)
    for (const std::string column : {"ax", "ay", "a.left", "a.left_stretch", "a.right_stretch"})
      EXPECT_NEAR(value(back, r, column), value(there, r, column), 1e-6) << "springs of 5e6 N/m";
}

TEST_F(DynamicsTool, ATableWithoutTimesHasNoEnergy) {
  write("states.csv", "x,y,vx,vy,ax,ay\n0,0.4,0.1,0,0,0\n0,0.41,0.1,0,0,0\n");
  const Outcome o = inverse("five_bar", "states.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("2 states, by legs"), HasSubstr("no energy")));
  EXPECT_TRUE(json::parse(inverse("five_bar", "states.csv --json").out)["sizing"][0]["energy"].is_null());
}

TEST_F(DynamicsTool, ForwardPrintsItsTable) {
  write("states.csv", "q.swing,v.swing,tau.swing\n0,0,0\n3.14159265358979,0,0\n");
  const Outcome o = forward("pendulum", "states.csv");
  ASSERT_EQ(o.code, 0) << o.err;
  const Table t = parse_table(o.out, "out");
  EXPECT_THAT(t.columns, ElementsAre("t", "q.swing", "v.swing", "a.swing"));
  EXPECT_NEAR(t.rows[0][3], -9.81, 1e-12);
  EXPECT_NEAR(t.rows[1][3], 9.81, 1e-12);
  const json j = json::parse(forward("pendulum", "states.csv --json --by multipliers").out);
  EXPECT_EQ(j.at("rows"), 2);
  EXPECT_EQ(j.at("by"), "multipliers");
  EXPECT_NEAR(j.at("table").at("a.swing")[0].get<double>(), -9.81, 1e-12);
}

TEST_F(DynamicsTool, ForwardNamesMissingColumns) {
  write("states.csv", "q.swing,v.swing\n0,0\n");
  const Outcome tau = forward("pendulum", "states.csv -o out.csv");
  EXPECT_EQ(tau.code, 2);
  EXPECT_EQ(tau.err, "states.csv:1: read a table without tau.swing, expected tau.NAME of every actuator\n");
  EXPECT_FALSE(std::filesystem::exists(folder() / "out.csv"));
  write("states.csv", "q.swing,tau.swing\n0,0\n");
  const Outcome v = forward("pendulum", "states.csv");
  EXPECT_EQ(v.code, 2);
  EXPECT_THAT(v.err, StartsWith("states.csv:1: read a table without v.swing, expected positions and velocities"));
  EXPECT_EQ(forward("pendulum", "none.csv").code, 2);
}

// ------------------------------------------------------------------------------------------------ compare

TEST_F(DynamicsTool, ComparePrintsATableOfAllFormulations) {
  const Outcome o = run("compare " + robot_path("psp3"));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(StartsWith("psp3: 20 states, condition "), HasSubstr("inverse differs by")));
  for (const Formulation f : all_formulations) EXPECT_THAT(o.out, HasSubstr(std::string(name(f))));
}

TEST_F(DynamicsTool, CompareJsonAlongAMotion) {
  const Outcome o = run("compare " + robot_path("five_bar") + " " + motion_path("five_bar_line") + " --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json j = json::parse(o.out);
  EXPECT_EQ(j.at("robot"), "five_bar");
  EXPECT_EQ(j.at("states"), 151);
  ASSERT_EQ(j.at("formulations").size(), 6U);
  for (const json& f : j["formulations"]) {
    EXPECT_LT(f.at("inverse_disagreement").get<double>(), 1e-10) << f;
    EXPECT_LT(f.at("forward_disagreement").get<double>(), 1e-10) << f;
    EXPECT_GT(f.at("inverse_us").get<double>(), 0);
    EXPECT_GT(f.at("forward_us").get<double>(), 0);
  }
  const Outcome far = run("compare " + robot_path("five_bar") + " " + motion_path("hexapod_circle"));
  EXPECT_EQ(far.code, 3);
  EXPECT_THAT(far.err, HasSubstr("t = 0: unreachable"));
  EXPECT_EQ(run("compare " + robot_path("five_bar") + " none.csv").code, 2);
}

// ------------------------------------------------------------------------------------------------ run

TEST_F(DynamicsTool, RunWritesResultsWhereItIsStarted) {
  const Outcome o = run("run " + root + "/studies/psp3.yaml");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out,
              AllOf(StartsWith("study psp3\n"), HasSubstr("6 formulations agree to"), HasSubstr("results/psp3: ")));
  const json j = json::parse(read("results/psp3/result.json"));
  EXPECT_EQ(j.at("rows"), 2001);
  EXPECT_LT(j.at("largest_disagreement").get<double>(), 1e-10);
  const Table t = table("results/psp3/inverse.csv");
  EXPECT_NEAR(value(t, 1000, "motor_q.leg1.drive") - value(t, 0, "motor_q.leg1.drive"), 5.0 / 3 * std::sin(5), 1e-9);
  EXPECT_EQ(run("run " + root + "/studies/psp3.yaml -o there --json").code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder() / "there/result.json"));
}

TEST_F(DynamicsTool, RunOfABadStudyIsBadInputAndWritesNothing) {
  write("bad.yaml", "study: s\nrobot: none.yaml\nmotion: m.yaml\n");
  const Outcome o = run("run bad.yaml");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, StartsWith("none.yaml: cannot be opened"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "results"));
  EXPECT_EQ(run("run none.yaml").code, 2);
}

TEST_F(DynamicsTool, SchemaOfStudies) {
  const Outcome o = run("schema study");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(json::parse(o.out).at("title"), "gough study file");
}

}  // namespace
}  // namespace gough::dynamics_cli_test
