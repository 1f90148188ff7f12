/// flex, and studies of beams, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/tool.hpp"
#include "gough/io/csv.hpp"
#include "robots.hpp"

namespace gough::flex_cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Flexing : public Tool {
 protected:
  const std::string rrr3 = robot_path("rrr3_flexible"),
                    circle = std::string(GOUGH_SOURCE_DIR) + "/motions/rrr3_circle.yaml";

  void write_short_motion() const {
    write(
        "short.yaml",
        "motion: short\nharmonic:\n  duration: 0.1 s\n  coordinates:\n    x: {offset: 0, rate: 0.25 Hz, cos: [42 mm]}\n"
        "    y: {offset: 0.25 m, rate: 0.25 Hz, sin: [42 mm]}\n    rz: {offset: 0, rate: 0.05 Hz, cos: [10 mrad]}\n");
  }
};

TEST_F(Flexing, WritesTextTablesAndJson) {
  write_short_motion();
  const Outcome text = run("flex " + rrr3 + " short.yaml");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("93 elastic coordinates and 21 rows of joints, in a plane"));
  EXPECT_THAT(text.out, HasSubstr("tau.leg1.motor - rigid"));
  EXPECT_THAT(text.out, testing::Not(HasSubstr("ez "))) << "nothing happens out of the plane";
  EXPECT_EQ(text.err, "");
  ASSERT_EQ(run("flex " + rrr3 + " short.yaml -o out.csv").code, 0);
  const Table t = read_table((folder() / "out.csv").string());
  for (const char* name :
       {"t", "x", "rz", "ex", "ez", "erz", "tau.leg1.motor", "tau_rigid.leg3.motor", "stress", "f1", "f3"})
    EXPECT_GE(t.find(name), 0) << name;
  EXPECT_EQ(t.find("f4"), -1);
  ASSERT_EQ(t.rows.size(), 101U) << "a row per millisecond, t = 0 included";
  EXPECT_DOUBLE_EQ(t.rows[1][0], 1e-3);
  EXPECT_EQ(t.rows[0][static_cast<std::size_t>(t.find("ex"))], 0) << "undeformed";
  const json j = json::parse(run("flex " + rrr3 + " short.yaml --json --frequencies 5 --start quasistatic").out);
  EXPECT_EQ(j["status"], "ok");
  EXPECT_EQ(j["frequencies"].size(), 5U);
  EXPECT_EQ(j["table"].size(), 101U);
  EXPECT_EQ(j["start"], "quasistatic");
  EXPECT_GT(j["table"][0][7], 0) << "bent from the start";
}

/// Rows are where they are asked for, steps no longer than asked, and what happens does not depend on the rows.
TEST_F(Flexing, RowsAndStepsMeanWhatTheySay) {
  write_short_motion();
  write("times.csv", "t\n0\n0.0123\n0.1\n");
  const auto rows = [&](const std::string& rest) {
    EXPECT_EQ(run("flex " + rrr3 + " short.yaml -o out.csv --frequencies 0 " + rest).code, 0) << rest;
    return read_table((folder() / "out.csv").string());
  };
  for (const std::string modes : {"", " --modes 1"}) {
    const Table coarse = rows("--step 2e-4 --rows 0.05" + modes), fine = rows("--step 2e-4 --rows 1e-4" + modes),
                given = rows("--times times.csv" + modes);
    ASSERT_EQ(coarse.rows.size(), 3U);
    ASSERT_EQ(fine.rows.size(), 1001U) << "rows below the step";
    ASSERT_EQ(given.rows.size(), 3U);
    EXPECT_DOUBLE_EQ(given.rows[1][0], 0.0123);
    const auto ex = static_cast<std::size_t>(coarse.find("ex"));
    EXPECT_NEAR(coarse.rows[2][ex], fine.rows[1000][ex], 0.02 * std::abs(fine.rows[1000][ex])) << modes;
    EXPECT_NEAR(given.rows[2][ex], fine.rows[1000][ex], 0.05 * std::abs(fine.rows[1000][ex])) << modes;
  }
  EXPECT_EQ(run("flex " + rrr3 + " short.yaml --times times.csv --rows 0.1").code, 2);
  write("back.csv", "t\n0\n0.05\n0.02\n");
  EXPECT_THAT(run("flex " + rrr3 + " short.yaml --times back.csv").err,
              HasSubstr("back.csv:4: read t = 0.02 s after 0.05 s"));
  write("late.csv", "t\n0\n0.2\n");
  EXPECT_THAT(run("flex " + rrr3 + " short.yaml --times late.csv").err, HasSubstr("does not rest at that end of it"));
}

/// A pipe is read once; places and starts come from the command line.
TEST_F(Flexing, ReadsAPipeAndTellsPlaces) {
  write_short_motion();
  const Outcome piped = run("flex /dev/fd/9 short.yaml --modes 1 --rows 0.05 9<'" + rrr3 + "'");
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_THAT(piped.out, HasSubstr("coupled, Runge-Kutta 8(7)"));
  const Outcome places =
      run("flex " + rrr3 + " short.yaml --rows 0.05 --points 'tip=leg1.distal@0.2,0,0; leg1.proximal.2' -o out.csv");
  EXPECT_EQ(places.code, 0) << places.err;
  const Table t = read_table((folder() / "out.csv").string());
  EXPECT_GE(t.find("tip.ex"), 0);
  EXPECT_GE(t.find("leg1.proximal.2.erz"), 0);
  write("start.csv", "leg1.proximal.2.x,leg1.proximal.2.y\n1e-4,0\n");
  const Outcome start =
      run("flex " + rrr3 + " short.yaml --rows 0.05 --start start.csv --points leg1.proximal.2 -o out.csv");
  EXPECT_EQ(start.code, 0) << start.err;
  const Table s = read_table((folder() / "out.csv").string());
  EXPECT_NEAR(s.rows[0][static_cast<std::size_t>(s.find("leg1.proximal.2.ex"))], 1e-4, 1e-12);
  write("modes.csv", "q.leg1.proximal.modes.1\n1e-4\n");
  EXPECT_EQ(run("flex " + rrr3 + " short.yaml --rows 0.05 --modes 2 --start modes.csv").code, 0);
  write("none.csv", "q.leg9.modes.1\n1e-4\n");
  EXPECT_THAT(run("flex " + rrr3 + " short.yaml --modes 2 --start none.csv").err,
              HasSubstr("none.csv:1: read the column 'q.leg9.modes.1'"));
  EXPECT_EQ(run("flex " + rrr3 + " short.yaml --start soon").code, 2);
}

/// Shapes are of unit modal mass and keep to the drives; nodes move alike where a joint joins them.
TEST_F(Flexing, WritesModeShapes) {
  write_short_motion();
  ASSERT_EQ(run("flex " + rrr3 + " short.yaml --frequencies 2 --shapes shapes.csv").code, 0);
  const Table t = read_table((folder() / "shapes.csv").string());
  ASSERT_EQ(t.rows.size(), 22U) << "eleven times, two modes";
  const auto at = [&](std::size_t row, const std::string& name) {
    const int c = t.find(name);
    EXPECT_GE(c, 0) << name;
    return t.rows[row][static_cast<std::size_t>(c)];
  };
  EXPECT_NEAR(at(0, "f"), 6.87, 0.01);
  EXPECT_NEAR(at(0, "leg1.proximal.0.rz"), 0, 1e-9) << "the drive holds it";
  EXPECT_NEAR(at(0, "leg1.proximal.4.x"), at(0, "leg1.distal.0.x"), 1e-9);
  EXPECT_NEAR(at(0, "leg1.proximal.4.y"), at(0, "leg1.distal.0.y"), 1e-9);
  EXPECT_GT(std::abs(at(0, "platform.rz")), 1e-3);
  EXPECT_DOUBLE_EQ(at(21, "t"), 0.1);
}

/// What was asked for is what is computed: driving forces change by the load's moment.
TEST_F(Flexing, TakesLoadsGravityAndDamping) {
  write_short_motion();
  const auto largest = [&](const std::string& options, const char* what) {
    const Outcome o = run("flex " + rrr3 + " short.yaml --quasistatic --json " + options);
    EXPECT_EQ(o.code, 0) << o.err;
    return json::parse(o.out)["largest"][what]["value"].get<double>();
  };
  const double plain = largest("", "ey");
  EXPECT_GT(largest("--gravity 0,-9.81,0", "ey"), 20 * plain);
  EXPECT_GT(largest("--load 'platform@0,0,0:0,-5,0'", "ey"), 20 * plain);
  EXPECT_GT(largest("--load 'leg1.distal@0.1,0,0:0,-1,0'", "tau.leg1.motor"), 0.05);
  const auto swing = [&](const std::string& options) {  // about where it would settle, in the second half
    const Outcome o = run("flex " + rrr3 + " short.yaml --gravity 0,-9.81,0 --json " + options);
    EXPECT_EQ(o.code, 0) << o.err;
    const json table = json::parse(o.out)["table"];
    double least = 1e9, most = -1e9;
    for (std::size_t i = 50; i < table.size(); ++i) {
      least = std::min(least, table[i][8].get<double>());
      most = std::max(most, table[i][8].get<double>());
    }
    return most - least;
  };
  const double free = swing("");
  EXPECT_LT(swing("--rayleigh 20,0"), 0.9 * free);
  EXPECT_LT(swing("--rayleigh 0,0.005"), 0.9 * free);
  EXPECT_LT(swing("--modal-damping 0.2"), 0.9 * free);
}

TEST_F(Flexing, WarnsAndRefuses) {
  const Outcome warned = run("flex " + robot_path("rrr3_flexible_b") + " " + GOUGH_SOURCE_DIR +
                             "/motions/rrr3_circle_b.yaml --gravity 0,-9.81,0 --step 1e-3 --frequencies 0");
  EXPECT_EQ(warned.code, 0);
  EXPECT_THAT(warned.err, HasSubstr("warning: turns of 0."));
  const auto refused = [&](const std::string& words) {
    const Outcome o = run("flex " + words);
    EXPECT_EQ(o.code, 2) << o.out;
    return o.err;
  };
  write_short_motion();
  EXPECT_THAT(refused(robot_path("rrr3") + " short.yaml"), HasSubstr("read a robot without beams"));
  EXPECT_THAT(refused(rrr3 + " short.yaml --load nobody@0,0,0:0,0,1"), HasSubstr("read the body 'nobody'"));
  EXPECT_THAT(refused(rrr3 + " short.yaml --load leg1.distal"), HasSubstr("expected BODY@x,y,z:fx,fy,fz"));
  EXPECT_THAT(refused(rrr3 + " short.yaml --rayleigh 1"), HasSubstr("--rayleigh"));
  EXPECT_THAT(refused(rrr3 + " short.yaml --rayleigh 0,-1"), HasSubstr("negative damping"));
  EXPECT_THAT(
      refused(robot_path("delta_flexible") + " " + GOUGH_SOURCE_DIR + "/motions/delta_pick.yaml --space planar"),
      HasSubstr("out of the plane"));
  const auto with_beam = [&](const std::string& from, const std::string& to) {
    write("bad.yaml", with(robot_text("rrr3_flexible"), from, to));
    return refused("bad.yaml short.yaml");
  };
  EXPECT_THAT(with_beam("square: 3 mm", "square: -3 mm"), HasSubstr("bad.yaml:14: section: read a size of -0.003 m"));
  EXPECT_THAT(with_beam("elements: 4", "elements: 0"), HasSubstr("expected a whole number from 1 to 200"));
  EXPECT_THAT(with_beam("to: [0.2, 0, 0], ", ""), HasSubstr("without 'to'"));
  EXPECT_THAT(with_beam("to: [0.2, 0, 0], ", "to: [0, 0, 0], "), HasSubstr("a length of 0 m"));
  write("states.csv", "x,y,rz,vx,vy,wz,ax,ay,dwz\n0,0.25,0,0,0,0,0,0,0\n0,0.25,0,0,0,0,0,0,0\n");
  EXPECT_THAT(refused(rrr3 + " states.csv"), HasSubstr("states without a time"));
}

/// A way that ends: what was done is kept, exit 3.
TEST_F(Flexing, KeepsRowsThatAreDone) {
  write("far.yaml",
        "motion: far\nharmonic:\n  duration: 1 s\n  coordinates:\n    x: {offset: 0, rate: 0.25 Hz, sin: [500 mm]}\n"
        "    y: {offset: 0.25 m}\n    rz: {offset: 0}\n");
  const Outcome o = run("flex " + rrr3 + " far.yaml -o out.csv");
  EXPECT_EQ(o.code, 3) << o.out << o.err;
  EXPECT_THAT(o.err, HasSubstr("far.yaml: t = 0."));
  EXPECT_THAT(o.err, HasSubstr("rows are done and kept"));
  EXPECT_GT(read_table((folder() / "out.csv").string()).rows.size(), 50U);
}

/// The drives that are written are a motion: with it the elastic robot is where the path wants it.
TEST_F(Flexing, FindsDrivesThatFollowThePath) {
  write_short_motion();
  const std::string heavy = " --gravity 0,-9.81,0 --step 2e-3 ";
  for (const std::string by : {"modified_driving_force", "driving_constraint"}) {
    const Outcome o = run("flex " + rrr3 + " short.yaml --json --follow " + by + heavy + "-o command.csv");
    ASSERT_EQ(o.code, 0) << o.err;
    const json j = json::parse(o.out);
    EXPECT_LT(j["error"]["quasistatic"]["rms"], 0.03 * j["error"]["rigid_quasistatic"]["rms"].get<double>()) << by;
    const Outcome again = run("flex " + rrr3 + " command.csv --quasistatic --json --frequencies 0" + heavy);
    ASSERT_EQ(again.code, 0) << again.err;
    const json table =
        json::parse(again.out)["table"];  // t x y z rx ry rz ex ey ..: rigid pose of the command, and its error
    EXPECT_NEAR(table[0][1].get<double>() + table[0][7].get<double>(), 0.042, 2e-4) << by;
    EXPECT_NEAR(table[0][2].get<double>() + table[0][8].get<double>(), 0.25, 2e-4) << by;
    EXPECT_GT(std::abs(table[0][8].get<double>()), 3e-3) << "it is bent all the same";
  }
  EXPECT_THAT(run("flex " + rrr3 + " command.csv --follow driving_force").err,
              HasSubstr("expected one of the platform"));
}

/// An interrupt ends it between two rows; they are in the file.
TEST_F(Flexing, KeepsRowsWhenInterrupted) {
  const Outcome o =
      run_interrupted("flex " + rrr3 + " " + circle + " --step 1e-5 --rows 1e-4 -o out.csv", "out.csv", "INT");
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, HasSubstr("interrupted"));
  EXPECT_THAT(o.err, HasSubstr("rows are done and kept"));
  EXPECT_GE(read_table((folder() / "out.csv").string()).rows.size(), 19U);
}

/// A study whose motion cannot begin ends with a report all the same.
TEST_F(Flexing, StudiesThatCannotBeginSaySo) {
  write("robot.yaml", robot_text("rrr3_flexible"));
  write("study.yaml",
        "study: far\nrobot: robot.yaml\nmotion: {motion: far, line: {from: {x: 3 m, y: 0.25 m}, to: {x: 3.1 m, y: 0.25 "
        "m}, "
        "duration: 1 s}}\ncompute: flex\nflex: {runs: [{name: one}]}\n");
  const Outcome o = run("run study.yaml");
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_THAT(o.err, HasSubstr("unreachable"));
  EXPECT_EQ(json::parse(read("results/far/result.json"))["status"], "failed");
}

TEST_F(Flexing, RunsStudies) {
  write_short_motion();
  write("robot.yaml", robot_text("rrr3_flexible"));
  write("study.yaml",
        "study: bends\nrobot: robot.yaml\nmotion: short.yaml\ncompute: flex\nflex:\n  runs:\n    - {name: one}\n"
        "    - {name: two, gravity: [0, -9.81, 0], damping: 0.2 ms, start: quasistatic, loads: [{body: platform, "
        "force: [0, -1, 0]}]}\n"
        "published: {source: a paper, numbers: [{what: error, value: 6 mm, column: ex, take: peak}]}\n");
  const Outcome o = run("run study.yaml");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("study bends: 93 elastic coordinates"));
  EXPECT_THAT(o.out, HasSubstr("error: 6 mm"));
  const json result = json::parse(read("results/bends/result.json"));
  EXPECT_EQ(result["compute"], "flex");
  ASSERT_EQ(result["runs"].size(), 2U);
  EXPECT_EQ(result["runs"][1]["published"][0]["published"], 6e-3);
  const Table one = read_table((folder() / "results/bends/one.csv").string());
  EXPECT_EQ(one.rows.size(), 101U);
  const json report = json::parse(read("results/bends/report.json"));
  EXPECT_EQ(report["deformed"]["curves"].size(), 7U) << "six links and the platform";
  EXPECT_GE(report["deformed"]["exaggeration"], 1);
  const std::size_t frames = report["frames"]["x"]["n"];
  for (const json& c : report["deformed"]["curves"])
    EXPECT_EQ(c["values"]["n"], frames * c["points"].get<std::size_t>() * 3);
  const auto refused = [&](const std::string& from, const std::string& to) {
    write("bad.yaml", with(read("study.yaml"), from, to));
    const Outcome bad = run("run bad.yaml");
    EXPECT_EQ(bad.code, 2) << bad.out;
    return bad.err;
  };
  EXPECT_THAT(refused("compute: flex", "compute: inverse"), HasSubstr("expected them with compute: flex only"));
  EXPECT_THAT(refused("name: two", "name: one"), HasSubstr("read the run 'one' twice"));
  EXPECT_THAT(refused("damping: 0.2 ms", "damping: -0.2 ms"), HasSubstr("bad.yaml:8: read a damping below 0"));
  EXPECT_THAT(refused("body: platform", "body: platfrom"), HasSubstr("did you mean 'platform'"));
  EXPECT_THAT(refused("column: ex", "column: eq"), HasSubstr("did you mean 'ex'"));
  EXPECT_THAT(refused("start: quasistatic", "rho: 3"), HasSubstr("rho: read 3, expected 0 to 1"));
}

}  // namespace
}  // namespace gough::flex_cli_test
