/// The command-line tool as a user meets it: exit codes, what goes to which stream, and the keys of its JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/tool.hpp"
#include "robots.hpp"
#include "sanitized.hpp"

namespace gough::cli_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// ------------------------------------------------------------------------------------------------ check

class ToolOnEveryRobot : public Tool, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cli, ToolOnEveryRobot, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(ToolOnEveryRobot, CheckPrintsTheJsonOfTheDesign) {
  const Outcome o = run("check --json " + robot_path(GetParam()));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  const json j = json::parse(o.out);
  EXPECT_EQ(j.at("name"), GetParam());
  for (const std::string key : {"bodies", "loops", "equations", "rank", "mobility"})
    EXPECT_TRUE(j.at(key).is_number_integer()) << key;
  for (const std::string key : {"redundant", "idle", "actuators", "findings"}) EXPECT_TRUE(j.at(key).is_array()) << key;
  EXPECT_THAT(j.at("actuation"), testing::AnyOf("full", "redundant", "under"));
  EXPECT_LT(j.at("closure_residual").get<double>(), 1e-12);
  for (const std::string key : {"type1", "type2", "constraint"}) {
    const json& index = j.at("singularity").at(key);
    EXPECT_TRUE(index.is_null() || (index >= 0 && index <= 1)) << key;
  }
  for (const json& finding : j.at("findings")) {
    EXPECT_THAT(finding.at("severity"), testing::AnyOf("info", "warning", "error"));
    EXPECT_TRUE(finding.at("what").is_string() && finding.at("repair").is_string());
  }
}

TEST_P(ToolOnEveryRobot, CheckPrintsTheSameNumbersForPeople) {
  const json j = json::parse(run("check --json " + robot_path(GetParam())).out);
  const Outcome o = run("check " + robot_path(GetParam()));
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.out, StartsWith(GetParam() + "\n"));
  const int dofs = j.at("mobility");
  EXPECT_THAT(o.out, HasSubstr(fmt::format("{} degree{} of freedom", dofs, dofs == 1 ? "" : "s")));
  EXPECT_THAT(o.out, HasSubstr(fmt::format("rank {}", j.at("rank").get<int>())));
  EXPECT_THAT(o.out, HasSubstr(j.at("actuation").get<std::string>()));
}

TEST_F(Tool, CheckOfTheHexapodIsTheExampleOfTheDesign) {
  const json j = json::parse(run("check --json " + robot_path("hexapod")).out);
  EXPECT_EQ(std::tuple(j["bodies"], j["loops"], j["equations"], j["rank"], j["mobility"]),
            std::tuple(19, 5, 18, 18, 6));
  EXPECT_EQ(j["redundant"], json::array());
  EXPECT_EQ(j["idle"], json::array());
  EXPECT_EQ(j["actuators"][0], "leg1.drive");
  EXPECT_EQ(j["singularity"]["constraint"], nullptr);
}

TEST_F(Tool, ARobotThatCannotBeAssembledIsANumericalOutcome) {
  const std::string text = contents(robot_path("four_bar"));
  write("long.yaml",
        with(text, "origin: {xyz: [0.25, 0, 0]}\n    child_origin", "origin: {xyz: [1.25, 0, 0]}\n    child_origin"));
  for (const std::string form : {"", "--json "}) {
    const Outcome o = run("check " + form + "long.yaml");
    EXPECT_EQ(o.code, 3);
    EXPECT_THAT(o.err, AllOf(HasSubstr("long.yaml"), HasSubstr("'close."), HasSubstr("iterations")));
  }
}

TEST_F(Tool, ASingularHomeIsReportedAndNoFailure) {
  const std::string text = contents(robot_path("four_bar"));
  write("flat.yaml", with(with(with(with(text, "0.20, 0, 0]", "0.10, 0, 0]"), "home: 60 deg", "home: 0 deg"),
                               "guess: -33 deg", "guess: 0 deg"),
                          "guess: 83 deg", "guess: 0 deg"));
  const Outcome o = run("check flat.yaml");
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.out, HasSubstr("singular"));
}

// ------------------------------------------------------------------------------------------------ bad input

TEST_F(Tool, ABadFileIsNamedWithItsLineOnStderr) {
  write("bad.yaml", "robot: r\nbodies:\n  a: {masss: 1}\n");
  const Outcome o = run("check bad.yaml");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, AllOf(StartsWith("bad.yaml:3: "), HasSubstr("'masss'"), HasSubstr("expected 'mass'")));
}

TEST_F(Tool, ABadRobotIsBadInputToo) {
  write("bad.yaml",
        "robot: r\nbodies: {a: {mass: 1}, b: {mass: 1}}\njoints:\n"
        "  i: {type: revolute, parent: base, child: a, role: actuated}\n"
        "  j: {type: revolute, parent: a, child: b, role: actuated}\n"
        "  k: {type: revolute, parent: base, child: b, role: actuated}\n");
  const Outcome o = run("check bad.yaml");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, testing::MatchesRegex("bad\\.yaml:[456]: (.|\n)*"));
}

TEST_F(Tool, AFileThatCannotBeReadIsBadInput) {
  write("zero.yaml", std::string("robot: r\0\n", 10));
  for (const std::string name : {"none.yaml", ".", "zero.yaml", "/dev/null"}) {
    const Outcome o = run("check " + name);
    EXPECT_EQ(o.code, 2) << name;
    EXPECT_THAT(o.err, AllOf(StartsWith(name + ":"), HasSubstr("expected"))) << name;
    EXPECT_THAT(o.out, IsEmpty()) << name;
  }
}

TEST_F(Tool, AnEndlessFileIsRefusedWithinASecond) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome o = run("check /dev/zero", "timeout 20");
  [[maybe_unused]] const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("expected a smaller file"));
#ifdef NDEBUG
  EXPECT_LT(took.count(), 1);
#endif
}

TEST_F(Tool, AChainOfAsManyBodiesAsAFileMayHaveIsCheckedOrRefusedInTime) {
  std::string bodies = "robot: chain\nbodies:\n", joints = "joints:\n", before = "base";
  for (std::size_t i = 0; i < most_bodies; ++i) {
    const std::string name = fmt::format("b{}", i);
    bodies += fmt::format("  {}: {{mass: 1}}\n", name);
    joints += fmt::format("  j{}: {{type: revolute, parent: {}, child: {}, origin: {{xyz: [0.1, 0, 0]}}}}\n", i, before,
                          name);
    before = name;
  }
  write("chain.yaml", bodies + joints);
#ifdef GOUGH_SANITIZED
  const std::string patience = "ulimit -t 100";  // the sanitizers' share
#else
  const std::string patience = "ulimit -t 10";
#endif
  // seconds of processor time, so that a busy machine does not matter; beyond them a signal ends the tool
  EXPECT_LT(run("check chain.yaml", patience + " &&").code, 128) << "still at it after " << patience;
}

TEST_F(Tool, BadArgumentsAreBadInput) {
  for (const std::string arguments :
       {"", "chekc", "check", "check a b", "check --jsn a", "schema notion", "--no-such-option"}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_FALSE(o.err.empty()) << arguments;
  }
}

/// Bytes that a terminal obeys, and one that is no text at all, in a file's name.
const std::string bad_name = "a\x1B[31m\xFF\xC2\x9B.yaml", bad_name_shown = "a\\x1b[31m\\xff\\u009b.yaml";

TEST_F(Tool, AFileMayHaveAnyNameAndMessagesShowIt) {
  write(bad_name, "robot: r\nbodies:\n  a: {masss: 1}\n");
  const Outcome bad = run("check '" + bad_name + "'");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, StartsWith(bad_name_shown + ":3: "));
  std::filesystem::copy(robot_path("five_bar"), folder() / bad_name, std::filesystem::copy_options::overwrite_existing);
  for (const std::string& verb :
       {"check " + std::string("'") + bad_name + "'", "ik --pose 0.05,0.4,0,0,0,0 '" + bad_name + "'",
        "simulate --time 0.01 '" + bad_name + "'", "generate '" + bad_name + "'", "parameters '" + bad_name + "'"}) {
    const Outcome o = run(verb + " --json");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(json::accept(o.out)) << o.out;
    const Outcome text = run(verb);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_EQ(find_control(text.out, "\n"), std::string::npos) << text.out;
    EXPECT_EQ(find_bad_byte(text.out), std::string::npos) << text.out;
  }
}

TEST_F(Tool, ARobotIdentifiedFromAFileWithAnyNameCanBeRead) {
  const std::string motion = std::string(GOUGH_SOURCE_DIR) + "/motions/five_bar_line.yaml";
  ASSERT_EQ(
      run("simulate " + robot_path("five_bar") + " --motion " + motion + " --encoder 1e-6 -o '" + bad_name + "'").code,
      0);
  ASSERT_EQ(run("identify " + robot_path("five_bar") + " '" + bad_name + "' -o found").code, 0) << read("err");
  const auto m = load_robot((folder() / "found/five_bar_identified.yaml").string());
  EXPECT_EQ(m.name, "five_bar");
}

TEST_F(Tool, TheJsonOfAFolderWithAnyNameIsJson) {
  const Outcome o = run("generate " + robot_path("five_bar") + " --json -o 'b\xFF'");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(json::accept(o.out)) << o.out;
  EXPECT_FALSE(std::filesystem::is_empty(folder() / "b\xFF"));
}

TEST_F(Tool, TextFromFilesAndArgumentsIsShownNotObeyed) {
  write("robot.yaml", "robot: r\nbodies:\n  a: {mass: \"\\e]0;title\\a\"}\n");
  EXPECT_THAT(run("check robot.yaml").err, HasSubstr("'\\x1b]0;title\\x07'"));
  write("motion.yaml", "motion: m\nline: {\"\\e[2J\": 1}\n");
  EXPECT_THAT(run("inverse " + robot_path("five_bar") + " motion.yaml").err, HasSubstr("'\\x1b[2J'"));
  write("table.csv", "t,x,y\n0,0,\x1B[2J\n");
  EXPECT_THAT(run("inverse " + robot_path("five_bar") + " table.csv").err, HasSubstr("'\\x1b[2J'"));
  write("study.yaml", "study: s\nrobot: \"\\e[2J.yaml\"\n");
  EXPECT_THAT(run("run study.yaml").err, HasSubstr("control character"));
  for (const std::string arguments : {"'\x1B[2J'", "check a '\x1B[2J'", "check --\x1B[2J", "schema '\x1B[2J'",
                                      "ik x.yaml --pose '\x1B[2J'", "check '\x1B[2J'"}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_EQ(find_control(o.err, "\n"), std::string::npos) << o.err;
  }
}

TEST_F(Tool, OutputThatCannotBeWrittenIsNoSuccess) {
  const Outcome o = run("check " + robot_path("hexapod") + " >/dev/full");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("could not be written"));
}

// ------------------------------------------------------------------------------------------------ the rest

TEST_F(Tool, HelpAndVersionSucceed) {
  for (const std::string arguments : {"--help", "check --help", "schema --help"}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 0) << arguments;
    const std::string verb = arguments.substr(0, arguments.find("--help"));
    EXPECT_THAT(o.out, HasSubstr("Usage: gough " + verb + "[OPTIONS]")) << "the tool's name, wherever it lies";
  }
  const Outcome version = run("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("gough [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Tool, SchemaPrintsTheLibrarysSchema) {
  const Outcome o = run("schema robot");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.out, robot_schema());
  EXPECT_EQ(run("schema").out, robot_schema());
  EXPECT_EQ(run("schema motion").out, motion_schema());
}

TEST_F(Tool, CheckSaysTheSameThingTwice) {
  for (const std::string name : {"hexapod", "bricard", "rrr3"})
    EXPECT_EQ(run("check --json " + robot_path(name)).out, run("check --json " + robot_path(name)).out) << name;
}

}  // namespace
}  // namespace gough::cli_test
