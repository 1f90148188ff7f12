/// Bad motion files and tables: each is refused with `file:line: what was read, what was expected`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/tool.hpp"
#include "kinematics/states.hpp"

namespace gough::bad_motion_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Bad {
  std::string fact;
  int line;
  std::string text;  ///< after the line "motion: m"
  std::vector<std::string> fragments;
  std::string robot = "hexapod";
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.fact; }
std::string test_name(const testing::TestParamInfo<Bad>& info) { return info.param.fact; }

class BadMotion : public testing::TestWithParam<Bad> {};

TEST_P(BadMotion, IsRefusedAtTheRightLine) {
  std::string why = "accepted";
  try {
    parse_motion("motion: m\n" + GetParam().text, "test.yaml", shipped(GetParam().robot));
  } catch (const Error& e) { why = e.what(); }
  EXPECT_THAT(why, StartsWith(fmt::format("test.yaml:{}: ", GetParam().line)));
  for (const std::string& fragment : GetParam().fragments) EXPECT_THAT(why, HasSubstr(fragment));
  EXPECT_LT(why.size(), 500U) << "a message that fits a screen";
}

std::string line(const std::string& rest) { return "line: {to: {x: 0.1}, " + rest + "}"; }
std::string circle(const std::string& rest) { return "circle: {centre: [0, 0, -0.6], radius: 0.1, " + rest + "}"; }
std::string harmonic(const std::string& rest) { return "harmonic: {duration: 1, coordinates: {" + rest + "}}"; }

INSTANTIATE_TEST_SUITE_P(
    Grammar, BadMotion,
    testing::Values(
        Bad{"NoPath", 1, "description: nothing", {"no path", "one of line, circle"}},
        Bad{"TwoPaths", 1, "wait: 1\n" + line("duration: 1"), {"more than one path"}},
        Bad{"ASequenceAndALine", 1, "sequence: [{wait: 1}]\n" + line("duration: 1"), {"a sequence and another path"}},
        Bad{"AnEmptySequence", 1, "sequence: []", {"a sequence of nothing"}},
        Bad{"APieceOfNothing", 3, "sequence:\n  - {}", {"no path", "one of line"}},
        Bad{"TypoAtTheTop", 2, "lin: {to: {x: 1}}", {"'lin'", "a motion file", "'line'"}},
        Bad{"TypoInALine", 2, line("duratoin: 1"), {"'duratoin'", "a line", "'duration'"}},
        Bad{"TypoInACircle", 2, circle("duration: 1, center: 2"), {"'center'", "'centre'"}},
        Bad{"TypoInASeries", 2, harmonic("x: {sine: [1]}"), {"'sine'", "'sin'"}},
        Bad{"TypoInATerm", 2, harmonic("x: {terms: [{amplitude: 1, rat: 2}]}"), {"'rat'", "'rate'"}},
        Bad{"TypoInAProfile", 2, line("duration: 1, profile: quntic"), {"'quntic'", "did you mean 'quintic'"}},
        Bad{"WhatMovesIsUnknown", 2, "moves: robot\nwait: 1", {"'robot'", "platform, actuators"}},
        Bad{"ALineToNowhere", 2, "line: {duration: 1}", {"a line without 'to'"}},
        Bad{"ACircleWithoutDuration", 2, circle("turns: 1"), {"a circle without 'duration'"}},
        Bad{"APositionThatIsAWord", 2, "line: {to: home, duration: 1}", {"'home'", "list of positions"}},
        Bad{"OneAxis", 2, circle("duration: 1, axes: [[1, 0, 0]]"), {"a list of 1", "two axes"}},
        Bad{"AKeyTwice", 3, "wait: 1\nwait: 2", {"'wait' a second time"}}, Bad{"NotYaml", 2, "line: {", {"not YAML"}},
        Bad{"NoUtf8", 3, "wait: 1\n# \xE9", {"byte 0xe9", "saved as UTF-8"}},
        Bad{"ADescriptionWithAnEscape", 2, "description: \"\\e[2J\"\nwait: 1", {"control character", "printable"}}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Numbers, BadMotion,
    testing::Values(
        Bad{"DurationInMetres", 2, line("duration: 1 m"), {"'1 m'", "in s"}},
        Bad{"DurationOfZero", 2, line("duration: 0"), {"0 s", "between"}},
        Bad{"NegativeWait", 2, "wait: -1", {"-1 s", "between"}},
        Bad{"NaNDuration", 2, line("duration: .nan"), {"finite"}},
        Bad{"LengthInDegrees", 2, "line: {to: {x: 5 deg}, duration: 1}", {"'5 deg'", "in m"}},
        Bad{"AngleInMetres", 2, "line: {to: {rx: 5 mm}, duration: 1}", {"'5 mm'", "rad"}},
        Bad{"SlideInDegrees", 3, "moves: actuators\nline: {to: {leg1.drive: 5 deg}, duration: 1}", {"'5 deg'", "in m"}},
        Bad{"AmplitudeInMetres", 2, harmonic("rx: {terms: [{amplitude: 1 m, rate: 1}]}"), {"'1 m'", "rad"}},
        Bad{"RateInSeconds", 2, harmonic("x: {rate: 2 s, sin: [1]}"), {"'2 s'", "rad/s"}},
        Bad{"VelocityInMetres", 2, line("velocity: 1 m"), {"'1 m'", "m/s"}},
        Bad{"NegativeLimit", 2, line("velocity: -1"), {"limit -1", "above 0"}},
        Bad{"RadiusOfZero", 2, with(circle("duration: 1"), "0.1", "0"), {"radius of 0", "above 0"}},
        Bad{"NormalOfZero", 2, circle("duration: 1, normal: [0, 0, 0]"), {"length 0"}},
        Bad{"ParallelAxes", 2, circle("duration: 1, axes: [[1, 0, 0], [2, 0, 0]]"), {"parallel"}},
        Bad{"TooManyTurns", 2, circle("duration: 1, turns: 1e9"), {"1e+09 turns"}},
        Bad{"RampTooLong", 2, line("duration: 1, profile: trapezoid, ramp: 0.6"), {"0.6 s", "half the duration"}}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Meaning, BadMotion,
    testing::Values(
        Bad{"DurationAndLimits", 2, line("duration: 1, velocity: 1"), {"a duration and limits"}},
        Bad{"NeitherDurationNorLimits", 2, "line: {to: {x: 0.1}}", {"without a duration"}},
        Bad{"RampOfAQuintic", 2, line("duration: 1, ramp: 0.1"), {"ramp", "trapezoid only"}},
        Bad{"RampWithLimits", 2, line("velocity: 1, ramp: 0.1"), {"ramp without a duration"}},
        Bad{"TrapezoidWithoutAcceleration", 2, line("profile: trapezoid, velocity: 1"), {"leave the duration open"}},
        Bad{"LimitsOfAWayOfNoLength", 2, "line: {to: {}, velocity: 1}", {"leave the duration open"}},
        Bad{"AngularLimitOfActuators", 3, "moves: actuators\nline: {to: {}, angular_velocity: 1}", {"angular limits"}},
        Bad{"NormalAndAxes",
            2,
            circle("duration: 1, normal: [0, 0, 1], axes: [[1, 0, 0], [0, 1, 0]]"),
            {"normal and axes"}},
        Bad{"SeriesWithoutRate", 2, harmonic("x: {sin: [1]}"), {"without a rate"}},
        Bad{"CircleOfActuators", 3, "moves: actuators\n" + circle("duration: 1"), {"a circle for actuators"}},
        Bad{"FivePoseNumbers", 2, "line: {to: [1, 2, 3, 4, 5], duration: 1}", {"list of 5", "6 numbers: x, y, z"}},
        Bad{"FiveActuators",
            3,
            "moves: actuators\nline: {to: [1, 2, 3, 4, 5], duration: 1}",
            {"list of 5", "leg1.drive"}},
        Bad{"UnknownCoordinate", 2, "line: {to: {rxx: 1}, duration: 1}", {"'rxx'", "did you mean 'rx'"}},
        Bad{"UnknownActuator",
            3,
            "moves: actuators\nline: {to: {leg1.drve: 1}, duration: 1}",
            {"did you mean 'leg1.drive'"}},
        Bad{"UnknownInASeries", 2, harmonic("q: {offset: 1}"), {"'q'", "one of x, y, z"}},
        Bad{"AJumpBetweenPieces",
            4,
            "sequence:\n  - wait: 1\n  - " + circle("duration: 1"),
            {"x = 0.1", "where the piece before ends"}},
        Bad{"ATurnBetweenPieces",
            4,
            "sequence:\n  - wait: 1\n  - line: {from: {rz: 0.1}, to: {x: 1}, duration: 1}",
            {"rz = 0.1"}},
        Bad{"NoPlatform", 1, "wait: 1", {"'four_bar' has no platform"}, "four_bar"},
        Bad{"AbsolutePath", 2, "samples: {file: /etc/passwd}", {"'/etc/passwd'", "in the folder"}},
        Bad{"PathUpwards", 2, "samples: {file: a/../../b.csv}", {"'a/../../b.csv'", "without '..'"}},
        Bad{"NoPathAtAll", 2, "samples: {file: ''}", {"the path ''"}}),
    test_name);

// ------------------------------------------------------------------------------------------------ files and tables

class MotionFiles : public Tool {
 protected:
  /// What reading `name` in the test's folder is refused with.
  std::string refusal(const std::string& name, const std::string& robot = "five_bar") const {
    try {
      load_motion_or_table((folder() / name).string(), shipped(robot));
    } catch (const Error& e) { return with(e.what(), folder().string() + "/", ""); }
    return "accepted";
  }
  std::string of_table(const std::string& text, const std::string& robot = "five_bar") const {
    write("a.csv", text);
    return refusal("a.csv", robot);
  }
};

TEST_F(MotionFiles, SamplesStandBesideTheFile) {
  std::filesystem::create_directories(folder() / "below");
  write("below/a.csv", "t,x,y\n3,0,0.4\n4,0.01,0.4\n5,0.04,0.4\n6,0.09,0.4\n");
  write("m.yaml", "motion: m\nsamples: {file: below/a.csv}\n");
  const Trajectory all = load_motion((folder() / "m.yaml").string(), shipped("five_bar"));
  EXPECT_EQ(all.start, 0) << "a file's motion starts at 0";
  EXPECT_EQ(all.duration, 3);
  EXPECT_NEAR(platform_motion(all, 1.5).v.x(), 0.03, 1e-14) << "x = 0.01 t^2";
}

TEST_F(MotionFiles, SamplesWithRatesAreJoinedByQuintics) {
  write("a.csv", "t,q.left,q.right,v.left,v.right,a.left,a.right\n0,0,1,0,0,0,0\n2,1,1,0,0,0,0\n");
  write("m.yaml", "motion: m\nmoves: actuators\nsamples: {file: a.csv}\n");
  const Trajectory all = load_motion((folder() / "m.yaml").string(), shipped("five_bar"));
  EXPECT_NEAR(actuator_motion(all, 1).v[0], 15.0 / 8 / 2, 1e-14) << "from rest to rest: the quintic profile";
}

TEST_F(MotionFiles, MissingFilesAreNamed) {
  write("m.yaml", "motion: m\nsamples: {file: none.csv}\n");
  EXPECT_THAT(refusal("m.yaml"), StartsWith("none.csv: cannot be opened"));
  EXPECT_THAT(refusal("none.yaml"), StartsWith("none.yaml: cannot be opened"));
}

TEST_F(MotionFiles, AnOversizedFileIsRefused) {
  write("m.yaml", "motion: m\nwait: 1\n#" + std::string(largest_motion_file, 'x'));
  EXPECT_THAT(refusal("m.yaml"), HasSubstr("read more than 262144 bytes"));
}

TEST_F(MotionFiles, ATablesMissingColumnsAreNamed) {
  EXPECT_THAT(of_table("t,x\n0,0\n1,0\n"), StartsWith("a.csv:1: read a table without y, expected positions"));
  EXPECT_THAT(of_table("t\n0\n"), HasSubstr("without x, y, expected positions"));
  EXPECT_THAT(of_table("t,q.left\n0,1\n1,1\n"), HasSubstr("without q.right, expected positions"));
  EXPECT_THAT(of_table("t,x,y,vx\n0,0,0,0\n"),
              HasSubstr("without vy, ax, ay, expected positions alone, or positions,"));
  EXPECT_THAT(of_table("t,x,y,vx,vy\n0,0,0,0,0\n"), HasSubstr("without ax, ay, expected"));
  EXPECT_THAT(of_table("t,x,y,v.left,v.right\n0,0,0,0,0\n"), HasSubstr("without vx, vy, ax, ay")) << "mixed";
  EXPECT_THAT(of_table("t,x\n0,0\n", "four_bar"), HasSubstr("without q.crank"));
}

TEST_F(MotionFiles, ATablesTimesIncrease) {
  EXPECT_THAT(of_table("x,y\n0,0.4\n0,0.4\n"), HasSubstr("without t"));
  EXPECT_THAT(of_table("t,x,y\n0,0,0.4\n"), HasSubstr("1 row, expected at least two"));
  EXPECT_THAT(of_table("t,x,y\n0,0,0.4\n1,0,0.4\n1,0,0.4\n"), StartsWith("a.csv:4: column 't': read 1 after 1"));
  EXPECT_THAT(of_table("t,x,y\n"), HasSubstr("no rows"));
}

TEST_F(MotionFiles, ATablesNumbersAreBounded) {
  EXPECT_THAT(of_table("t,x,y\n0,0,0.4\n1,1e300,0.4\n"), StartsWith("a.csv:3: column 'x': read 1e+300"));
}

TEST_F(MotionFiles, ATableIsPrintableText) {
  EXPECT_THAT(of_table("t,x,y\n0,0,0.4\n# Gr\xF6\xDF"
                       "e\n1,0,0.4\n"),
              StartsWith("a.csv:3: read the byte 0xf6, which is no UTF-8, expected a text that is saved as UTF-8"));
  EXPECT_THAT(of_table("t,x,y,\x1B[2J\n0,0,0.4,0\n1,0,0.4,0\n"), StartsWith("a.csv:1: read the column name"));
  EXPECT_THAT(of_table("t,x,y,\x1B[2J\n0,0,0.4,0\n1,0,0.4,0\n"), HasSubstr("expected printable text"));
  EXPECT_EQ(of_table("# Gr\u00f6\u00dfe\nt,x,y\n0,0,0.4\n1,0,0.4\n"), "accepted");
}

}  // namespace
}  // namespace gough::bad_motion_test
