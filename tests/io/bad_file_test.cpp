/// Bad robot files: each is refused with `file:line: what was read, what was expected`, and quickly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "robots.hpp"

namespace gough::bad_file_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// What `text` is refused with; empty if it is read.
std::string refusal(const std::string& text) {
  try {
    robot_from(text);
  } catch (const Error& e) { return e.what(); }
  return "";
}

struct Bad {
  std::string fact;
  int line;  ///< 0: the file as a whole
  std::string text;
  std::vector<std::string> fragments;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.fact; }

class BadFile : public testing::TestWithParam<Bad> {};

TEST_P(BadFile, IsRefusedAtTheRightLine) {
  const std::string why = refusal(GetParam().text);
  const int line = GetParam().line;
  EXPECT_THAT(why, StartsWith(line > 0 ? "test.yaml:" + std::to_string(line) + ": " : "test.yaml: "));
  for (const std::string& fragment : GetParam().fragments) EXPECT_THAT(why, HasSubstr(fragment));
  EXPECT_LT(why.size(), 1000u) << "a message that fits a screen";
}

/// A robot of one body `a` (line 3) and one joint `j` (line 5), with `body` and `joint` added in those lines, and
/// `rest` from line 6 on.
std::string robot(const std::string& body, const std::string& joint, const std::string& rest = "") {
  return "robot: r\nbodies:\n  a: {" + body + "}\njoints:\n  j: {parent: base, child: a" +
         (joint.empty() ? ", type: revolute" : ", " + joint) + "}\n" + rest;
}
std::string body(const std::string& text) { return robot(text, ""); }
std::string joint(const std::string& text) { return robot("mass: 1", text); }
std::string rest(const std::string& text) { return robot("mass: 1", "", text); }

std::string test_name(const testing::TestParamInfo<Bad>& info) { return info.param.fact; }

INSTANTIATE_TEST_SUITE_P(
    Grammar, BadFile,
    testing::Values(
        Bad{"NotYaml", 2, "robot: r\nbodies: {a: [}\n", {"not YAML"}},  //
        Bad{"Empty", 0, "", {"expected a robot file"}},
        Bad{"AList", 1, "- robot\n", {"read a list", "expected a robot file"}},
        Bad{"AText", 1, "hello\n", {"read 'hello'", "expected a robot file"}},
        Bad{"NoName", 1, "bodies: {a: {mass: 1}}\n", {"without 'robot'", "expected"}},
        Bad{"NoBodies", 1, "robot: r\n", {"no bodies", "expected at least one"}},
        Bad{"TypoAtTheTop", 3, "robot: r\nbodies: {a: {mass: 1}}\njionts: {}\n", {"'jionts'", "expected 'joints'"}},
        Bad{"TypoInABody", 3, body("masss: 1"), {"'masss'", "a body", "expected 'mass'"}},
        Bad{"TypoInAJoint", 5, joint("type: revolute, orgin: {}"), {"'orgin'", "expected 'origin'"}},
        Bad{"TypoInAFrame", 5, joint("type: revolute, origin: {xzy: [1, 2, 3]}"), {"'xzy'", "'xyz'"}},
        Bad{"TypoInAnInertia", 3, body("mass: 1, inertia: {ixx: 1, iyy: 1, iz: 1}"), {"'iz'", "'izz'"}},
        Bad{"TypoInFriction", 5, joint("type: revolute, friction: {coulom: 1}"), {"'coulom'", "'coulomb'"}},
        Bad{"TypoInLimits", 5, joint("type: revolute, limits: {velocty: 1}"), {"'velocty'", "'velocity'"}},
        Bad{"TypoInAType", 5, joint("type: revolut"), {"'revolut'", "did you mean 'revolute'"}},
        Bad{"TypoInARole", 5, joint("type: revolute, role: actuate"), {"'actuate'", "did you mean 'actuated'"}},
        Bad{"TypoInASymmetry", 3, body("mass: 1, symmetric: [Ixx, Ixyy]"), {"'Ixyy'", "did you mean 'Ixy'"}},
        Bad{"TypoInAPlatformCoordinate", 6, rest("platform: {body: a, coordinates: [x, rxx]}"), {"'rxx'", "'rx'"}},
        Bad{"KeyFarFromAll", 6, rest("qqqqqqqqqq: 1"), {"'qqqqqqqqqq'", "expected one of robot"}},
        Bad{"KeyTwice", 6, rest("robot: s"), {"'robot' a second time", "expected every key once"}},
        Bad{"BodyTwice", 4, "robot: r\nbodies:\n  a: {mass: 1}\n  a: {mass: 2}\n", {"'a' a second time"}},
        Bad{"KeyThatIsAList", 6, rest("[a, b]: 1"), {"a list as a key", "expected a word"}},
        Bad{"NumberWhereAMapBelongs", 3, "robot: r\nbodies:\n  a: 5\n", {"read '5'", "expected a body"}},
        Bad{"NothingWhereAMapBelongs", 3, "robot: r\nbodies:\n  a:\n", {"read nothing", "expected a body"}},
        Bad{"TextWhereANumberBelongs", 3, body("mass: heavy"), {"'heavy'", "expected a number"}},
        Bad{"ListWhereANumberBelongs", 3, body("mass: [1]"), {"read a list", "expected a number"}},
        Bad{"TwoNumbersWhereThreeBelong", 3, body("mass: 1, com: [1, 2]"), {"a list of 2", "expected three"}},
        Bad{"YesWhereTrueBelongs", 6, rest("lock_idle: yes"), {"'yes'", "expected true or false"}},
        Bad{"FivePoseNumbers", 7, rest("platform: {body: a}\nhome: {platform: [1, 2, 3, 4, 5]}"), {"list of 5"}},
        Bad{"OneLimit", 5, joint("type: revolute, limits: [1]"), {"a list of 1", "[lower, upper]"}},
        Bad{"EmptyName", 3, "robot: r\nbodies:\n  \"\": {mass: 1}\n", {"a name of 0 characters"}},
        Bad{"NameWithALineBreak", 3, "robot: r\nbodies:\n  \"a\\nb\": {mass: 1}\n", {"control character"}},
        Bad{"NameWithAnEscape", 3, "robot: r\nbodies:\n  \"a\\e[2J\": {mass: 1}\n", {"control character"}},
        Bad{"NameWithAControlCharacterOfLatin1", 3, "robot: r\nbodies:\n  a\xC2\x9B: {}\n", {"control character"}},
        Bad{"NameThatEndsInABlank", 3, "robot: r\nbodies:\n  'a ': {mass: 1}\n", {"'a '", "blank at an end"}},
        Bad{"NameThatBeginsWithABlank", 3, "robot: r\nbodies:\n  ' a': {mass: 1}\n", {"' a'", "blank at an end"}},
        Bad{"RobotsNameWithAnEscape", 1, "robot: \"\\e[31mr\"\n", {"robot: read", "control character"}},
        Bad{"RobotsNameWithABlankAtItsEnd", 1, "robot: 'r '\n", {"'r '", "blank at an end"}},
        Bad{"DescriptionWithABell", 1, "description: \"a\\ab\"\n", {"description: read", "control character"}},
        Bad{"LegsNameThatEndsInABlank",
            8,
            rest("legs:\n  joints: {}\n  placements: [{name: 'a '}]\n"),
            {"'a '", "blank at an end"}}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    NoUtf8, BadFile,
    testing::Values(Bad{"Latin1", 2, "robot: r\ndescription: fr\xE9quence\n", {"byte 0xe9", "saved as UTF-8"}},
                    Bad{"InAComment", 3, "robot: r\n\n# \xFF\n", {"byte 0xff", "saved as UTF-8"}},
                    Bad{"InAName", 3, "robot: r\nbodies:\n  a\x80: {mass: 1}\n", {"byte 0x80", "saved as UTF-8"}},
                    Bad{"ALongerFormThanNeeded", 1, "robot: \xC0\xAF\n", {"byte 0xc0", "saved as UTF-8"}},
                    Bad{"HalfOfASurrogatePair", 1, "robot: \xED\xA0\x80\n", {"byte 0xed", "saved as UTF-8"}},
                    Bad{"ACharacterThatIsCutOff", 1, "robot: \xE2\x82", {"byte 0xe2", "saved as UTF-8"}}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Numbers, BadFile,
    testing::Values(
        Bad{"MassInMetres", 3, body("mass: 1 m"), {"'1 m'", "expected a number in kg"}},
        Bad{"LengthInKilograms", 3, body("mass: 1, com: [1 kg, 0, 0]"), {"'1 kg'", "expected a number in m"}},
        Bad{"AngleInMetres", 5, joint("type: revolute, home: 20 mm"), {"'20 mm'", "rad"}},
        Bad{"SlideInDegrees", 5, joint("type: prismatic, home: 15 deg"), {"'15 deg'", "expected a number in m"}},
        Bad{"StiffnessOfTheOtherKind", 5, joint("type: revolute, stiffness: 3 N/m"), {"'3 N/m'", "N m"}},
        Bad{"DampingOfTheOtherKind", 5, joint("type: prismatic, damping: 3 N m s"), {"'3 N m s'", "N s/m"}},
        Bad{"ViscousFrictionInNewtons", 5, joint("type: prismatic, friction: {viscous: 3 N}"), {"'3 N'", "N s/m"}},
        Bad{"SharedFrictionOfTheOtherKind",
            6,
            robot("mass: 1", "type: prismatic, friction: {coulomb: dry}", "friction: {dry: 2 N m}"),
            {"'2 N m'", "N"}},
        Bad{"SpeedLimitInMetres", 5, joint("type: prismatic, limits: {velocity: 3 m}"), {"'3 m'", "m/s"}},
        Bad{"AzimuthInMetres", 5, joint("type: revolute, origin: {polar: [1, 2 m, 0]}"), {"'2 m'", "rad"}},
        Bad{"PoseOfTheWrongKind", 7, rest("platform: {body: a}\nhome: {platform: {rx: 2 m}}"), {"'2 m'", "rad"}},
        Bad{"GravityWithoutTime", 6, rest("gravity: [0, 0, -9.81 m]"), {"'-9.81 m'"}},
        Bad{"UnknownUnit", 3, body("mass: 3 stone"), {"'3 stone'", "expected a unit"}},
        Bad{"NaNMass", 3, body("mass: .nan"), {"'.nan'", "expected a finite number"}},
        Bad{"WordNaN", 3, body("mass: nan"), {"'nan'", "expected a finite number"}},
        Bad{"InfiniteLength", 3, body("mass: 1, rod: [.inf, 0, 0]"), {"'.inf'", "expected a finite number"}},
        Bad{"NaNInAnAxis", 5, joint("type: revolute, axis: [0, .nan, 1]"), {"'.nan'", "expected a finite number"}},
        Bad{"NumberTooLarge", 3, body("mass: 1e999"), {"'1e999'", "expected a finite number"}},
        Bad{"NumberTooLargeByItsUnit",
            5,
            joint("type: prismatic, home: 1e308 km"),
            {"1e308 km", "expected a number between"}}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Physics, BadFile,
    testing::Values(
        Bad{"NegativeMass", 3, body("mass: -1"), {"body 'a'", "mass of -1", "expected a mass of at least 0"}},
        Bad{"NegativePointMass", 3, body("mass: 1, points: [{mass: -1, xyz: [0, 0, 0]}]"), {"point mass of -1"}},
        Bad{"NegativeInertia", 3, body("mass: 1, inertia: [1, 1, -1]"), {"principal moment -1", "below 0"}},
        Bad{"InertiaAgainstTheTriangle", 3, body("mass: 1, inertia: [1, 1, 3]"), {"1, 1, 3", "add up"}},
        Bad{"ProductsThatMakeAMomentNegative", 3, body("mass: 1, inertia: {ixx: 1, iyy: 1, izz: 1, ixy: 2}"), {"-1"}},
        Bad{"InertiaWithoutMass", 3, body("inertia: [1, 1, 1]"), {"mass of 0", "expected a mass or no inertia"}},
        Bad{"InertiaThatOverflows", 3, body("mass: 1e300, rod: [1e100, 0, 0]"), {"expected"}},
        Bad{"CentreThatOverflows", 3, body("mass: 1, com: [1e200, 0, 0]"), {"expected"}},
        Bad{"RodAndCentre", 3, body("mass: 1, rod: [1, 0, 0], com: [0, 0, 0]"), {"expected rod alone"}},
        Bad{"PointWithoutMass", 3, body("points: [{xyz: [0, 0, 0]}]"), {"without 'mass'"}},
        Bad{"SymmetryThatTheNumbersBreak", 3, body("mass: 1, com: [1, 0, 0], symmetric: [Iyy, Izz]"), {"sx = 1"}},
        Bad{"ZeroAxis", 5, joint("type: revolute, axis: [0, 0, 0]"), {"axis of length 0", "expected a direction"}},
        Bad{"ZeroSecondAxis", 5, joint("type: universal, axis2: [0, 0, 0]"), {"axis2 of length 0"}},
        Bad{"AxesNotNormal", 5, joint("type: universal, axis2: [0, 1, 1]"), {"expected a right angle"}},
        Bad{"SecondAxisOfARevolute", 5, joint("type: revolute, axis2: [1, 0, 0]"), {"universal joint only"}},
        Bad{"DistanceWithoutLength", 5, joint("type: distance"), {"length of 0", "expected one above 0"}},
        Bad{"NegativeDistance", 5, joint("type: distance, length: -1"), {"length of -1"}},
        Bad{"DhAndOrigin", 5, joint("type: revolute, dh: {a: 1}, origin: {xyz: [1, 0, 0]}"), {"dh and origin"}},
        Bad{"PolarAndXyz", 5, joint("type: revolute, origin: {polar: [1, 0, 0], xyz: [1, 0, 0]}"), {"polar and xyz"}},
        Bad{"LimitsUpsideDown", 5, joint("type: revolute, limits: [1, -1]"), {"[1, -1]", "lower one first"}},
        Bad{"NegativeSpeedLimit", 5, joint("type: revolute, limits: {velocity: -1}"), {"expected"}},
        Bad{"PlatformLimitsUpsideDown", 6, rest("platform: {body: a, limits: {z: [1, -1]}}"), {"lower one first"}},
        Bad{"NegativeStiffness", 5, joint("type: revolute, stiffness: -1"), {"negative stiffness"}},
        Bad{"NegativeFriction", 5, joint("type: revolute, friction: {coulomb: -1}"), {"-1", "at least 0"}},
        Bad{"NegativeRotor", 5, joint("type: revolute, rotor: -1"), {"rotor"}},
        Bad{"NegativeSpring", 6, rest("springs: {s: {between: [base, a], stiffness: -1}}"), {"negative"}},
        Bad{"ZeroGear", 5, joint("type: revolute, gear: 0"), {"ratio of 0", "expected one above 0"}},
        Bad{"ZeroScrew", 5, joint("type: prismatic, screw: 0"), {"screw", "expected"}},
        Bad{"GearOnASlide", 5, joint("type: prismatic, gear: 5"), {"read gear, expected screw"}},
        Bad{"ScrewOnATurn", 5, joint("type: revolute, screw: 5 mm"), {"read screw, expected gear"}},
        Bad{"GearAndScrew", 5, joint("type: prismatic, gear: 5, screw: 5 mm"), {"gear"}},
        Bad{"ElasticWithoutStiffness", 5, joint("type: revolute, role: elastic"), {"elastic without a stiffness"}},
        Bad{"LockedAndActuated", 5, joint("type: revolute, role: [locked, actuated]"), {"locked", "expected it alone"}},
        Bad{"PassiveAndActuated", 5, joint("type: revolute, role: [passive, actuated]"), {"passive"}},
        Bad{"ActuatedAndCut", 5, joint("type: revolute, role: actuated, cut: true"), {"`cut: true`", "uncut"}},
        Bad{"TooManyCoordinates", 5, joint("type: revolute, coordinates: [{}, {}]"), {"2 coordinates, expected 1"}}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Names, BadFile,
    testing::Values(
        Bad{"MissingParent",
            4,
            "robot: r\nbodies: {a: {mass: 1}}\njoints:\n  j: {type: revolute, parent: b, child: a}\n",
            {"joint 'j'", "the body 'b'", "expected 'base' or a body"}},
        Bad{"MissingChild",
            4,
            "robot: r\nbodies: {a: {mass: 1}}\njoints:\n  j: {type: revolute, parent: a, child: b}\n",
            {"the body 'b'"}},
        Bad{"JointWithoutChild",
            4,
            "robot: r\nbodies: {a: {mass: 1}}\njoints:\n  j: {type: revolute, parent: base}\n",
            {"without 'child'"}},
        Bad{"BaseAsChild",
            4,
            "robot: r\nbodies: {a: {mass: 1}}\njoints:\n  j: {type: revolute, parent: a, child: base}\n",
            {"'base' as child", "expected the base as parent"}},
        Bad{"BodyOnItself",
            4,
            "robot: r\nbodies: {a: {mass: 1}}\njoints:\n  j: {type: revolute, parent: a, child: a}\n",
            {"'a' as parent and as child"}},
        Bad{"BodyNamedBase", 3, "robot: r\nbodies:\n  base: {mass: 1}\n", {"'base' as the name of a body"}},
        Bad{"FloatingBody",
            4,
            "robot: r\nbodies:\n  a: {mass: 1}\n  b: {mass: 1}\njoints: {j: {type: revolute, parent: base, child: "
            "a}}\n",
            {"'b' without a way to the base"}},
        Bad{"ParentCycle",
            4,
            "robot: r\nbodies:\n  a: {mass: 1}\n  b: {mass: 1}\n  c: {mass: 1}\njoints:\n"
            "  i: {type: revolute, parent: base, child: a}\n"
            "  j: {type: revolute, parent: b, child: c}\n  k: {type: revolute, parent: c, child: b}\n",
            {"'b', 'c' without a way to the base", "ring of parents"}},
        Bad{"MissingPlatformBody", 6, rest("platform: {body: b}"), {"platform", "the body 'b'"}},
        Bad{"HomeOfNoPlatform", 6, rest("home: {platform: {x: 1}}"), {"expected a platform"}},
        Bad{"HomeOfAnUnknownJoint", 6, rest("home: {joints: {jj: 1}}"), {"'jj'", "did you mean 'j'"}},
        Bad{"HomeOfAnUnknownCoordinate", 7, rest("platform: {body: a}\nhome: {platform: {w: 1}}"), {"'w'", "x, y, z"}},
        Bad{"SpringOnAMissingBody", 6, rest("springs: {s: {between: [base, b]}}"), {"spring 's'", "the body 'b'"}},
        Bad{"SpringOnOneBody", 6, rest("springs: {s: {between: [base]}}"), {"1 bodies, expected two"}},
        Bad{"UnknownFrictionName",
            5,
            robot("mass: 1", "type: revolute, friction: {coulomb: dri}", "friction: {dry: 1}"),
            {"'dri'", "did you mean 'dry'"}},
        Bad{"NoPlacements", 7, rest("legs:\n  {joints: {}, placements: []}"), {"no placements", "at least one"}},
        Bad{"NoTemplateJoints", 6, rest("legs: {placements: [{}]}"), {"without 'joints'"}},
        Bad{"LegTwice",
            10,
            rest("legs:\n  joints: {}\n  placements:\n    - {name: leg2}\n    - {}\n"),  // the second is leg2 by count
            {"the leg 'leg2' a second time"}},
        Bad{"LegBodyThatIsABodyToo",
            8,
            "robot: r\nbodies: {leg1.b: {mass: 1}}\njoints:\n  j: {type: revolute, parent: base, child: leg1.b}\n"
            "legs:\n  joints: {k: {type: revolute, parent: base, child: b}}\n  bodies:\n    b: {mass: 1}\n"
            "  placements: [{}]\n",
            {"the body 'leg1.b' a second time"}},
        Bad{"LegNameWithALineBreak",
            8,
            rest("legs:\n  joints: {}\n  placements: [{name: \"a\\nb\"}]\n"),
            {"control character"}},
        Bad{"PlacementOfAnUnknownJoint",
            8,
            rest("legs:\n  joints: {}\n  placements: [{home: {drive: 1}}]\n"),
            {"'leg1.drive'"}},
        Bad{"PlacementOfAnUnusedCoefficient",
            8,
            rest("legs:\n  joints: {}\n  placements: [{friction: {oil: 1}}]\n"),
            {"'oil'", "a joint of the leg uses"}},
        Bad{"CoordinateNamedLikeAnother",
            6,
            "robot: r\nbodies: {a: {mass: 1}, b: {mass: 1}}\njoints:\n"
            "  j: {type: spherical, parent: base, child: a}\n"
            "  # j.rx is already a coordinate of j\n"
            "  j.rx: {type: revolute, parent: a, child: b}\n",
            {"j.rx"}}),
    test_name);

TEST(BadFileLine, ATypoBeforeABlockIsReportedWhereItStands) {
  EXPECT_THAT(refusal("robot: r\nbodis:\n  a: {mass: 1}\n"), StartsWith("test.yaml:2: "));
  EXPECT_THAT(refusal("robot: r\nbodies:\n  a:\n    inertai:\n      - 1\n"), StartsWith("test.yaml:4: "));
  EXPECT_THAT(refusal("robot: r\nbodis:\n"), StartsWith("test.yaml:2: "));
}

TEST(BadFileLine, LinesAreCountedWithWindowsLineEnds) {
  EXPECT_THAT(refusal("robot: r\r\nbodies:\r\n  a: {masss: 1}\r\n"), StartsWith("test.yaml:3: "));
}

TEST(BadFileText, NamesOfAllLanguagesAreRead) {
  EXPECT_EQ(refusal("robot: J\u00f6rg \u65e5\u672c \U0001F916\ndescription: \"two\\nlines\"\n"
                    "bodies: {Gest\u00e4nge a: {mass: 1}}\n"
                    "joints: {\u0448\u0430\u0440: {type: revolute, parent: base, child: Gest\u00e4nge a}}\n"),
            "");
}

TEST(BadFileText, AMessageCutsBetweenCharacters) {
  std::string word;
  for (int i = 0; i < 100; ++i) word += "\u20ac";
  for (const std::string before : {"", "a", "aa"}) {
    const std::string why = refusal("robot: r\nbodies: " + before + word + "\n");
    EXPECT_THAT(why, HasSubstr("..."));
    EXPECT_EQ(find_bad_byte(why), std::string::npos) << why;
  }
}

// ------------------------------------------------------------------------------------------------ costly files

std::string repeated(const std::string& piece, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all.append(piece);
  return all;
}
/// As much of it as one file may hold.
std::string filled(const std::string& piece) {
  std::string all;
  while (all.size() < largest_robot_file - 4000) all.append(piece);
  return all;
}

/// Each list holds the one before ten times: 10^12 numbers in 600 bytes.
std::string alias_bomb() {
  std::string text = "robot: r\na0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = fmt::format("*a{}, ", i - 1);
    text += fmt::format("a{}: &a{} [{}]\n", i, i, repeated(last, 10));
  }
  return text + "bodies: *a11\n";
}

/// Everything is valid where it stands, but it is there 3900 times.
std::string valid_alias_bomb() {
  std::string text = "robot: r\nbodies:\n";
  text += fmt::format("  b: &b {{mass: 1, points: [{}]}}\n", repeated("{mass: 1, xyz: [0, 0, 0]}, ", 100));
  for (int i = 1; i < 3900; ++i) text += fmt::format("  b{}: *b\n", i);
  return text;
}

struct Costly {
  std::string fact;
  std::string (*text)();
};
void PrintTo(const Costly& costly, std::ostream* out) { *out << costly.fact; }

class CostlyFile : public testing::TestWithParam<Costly> {};

/// A second is the promise of the release build; without optimisation, or under a sanitizer, this only finds hangs.
#ifdef NDEBUG
constexpr double seconds_allowed = 1;
#else
constexpr double seconds_allowed = 30;
#endif

TEST_P(CostlyFile, IsRefusedWithinASecond) {
  const std::string text = GetParam().text();
  const std::clock_t start = std::clock();  // of the processor: other programs may be running
  std::string why;
  try {
    prepare(robot_from(text));
  } catch (const Error& e) { why = e.what(); }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_THAT(why, StartsWith("test.yaml:"));
  EXPECT_THAT(why, testing::AnyOf(HasSubstr("expected"), HasSubstr("not YAML")));
  EXPECT_LT(why.size(), 1000u);
  EXPECT_LT(seconds, seconds_allowed);
}

std::string robot_with(const std::string& key, const std::string& text) { return rest(key).append(text).append("\n"); }
std::string legs(const std::string& placements) { return robot_with("legs:\n  joints: {}\n  placements:", placements); }
std::string flow(const std::string& first, const std::string& pieces) { return "[" + first + pieces + "0]"; }

/// A file's worth of numbered pieces.
std::string numbered(const std::string& before, const std::string& after) {
  std::string all;
  for (int i = 0; all.size() < 1'000'000; ++i) all.append(before).append(std::to_string(i)).append(after);
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    All, CostlyFile,
    testing::Values(  //
        Costly{"NestedLists", [] { return filled("["); }}, Costly{"NestedMaps", [] { return filled("{a: "); }},
        Costly{"NestedBlocks", [] { return filled("- "); }}, Costly{"NestedKeys", [] { return filled("? "); }},
        Costly{"NestedClosedLists", [] { return repeated("[", 100'000) + repeated("]", 100'000); }},
        Costly{"MoreThanTheLargestFile", [] { return rest("#") + repeated("x", largest_robot_file); }},
        Costly{"FarMoreThanOneMiB", [] { return rest("") + repeated("# comment\n", 5'000'000); }},
        Costly{"AliasBomb", alias_bomb}, Costly{"AliasBombOfValidParts", valid_alias_bomb},
        Costly{"AliasToItself", [] { return std::string("robot: r\nbodies: &b {a: *b}\n"); }},
        Costly{"MillionLegs", [] { return legs(flow("", repeated("{},", 1'000'000))); }},
        Costly{"LegsThatFillTheFile", [] { return legs(flow("", filled("{},"))); }},
        Costly{"LegsByAlias", [] { return legs(flow("&a {},", filled("*a,"))); }},
        Costly{"LegsByBlock", [] { return legs("\n" + filled("  - {}\n")); }},
        Costly{"ListOfNumbers", [] { return robot_with("gravity: ", flow("", filled("0,"))); }},
        Costly{"ListOfEmptyLists", [] { return robot_with("gravity: ", flow("", filled("[],"))); }},
        Costly{"ListOfAnchors", [] { return robot_with("gravity: ", flow("", numbered("&a", " 1,"))); }},
        Costly{"ListOfSmallMaps", [] { return robot_with("gravity: ", flow("", filled("{0},"))); }},
        Costly{"MapOfCommas", [] { return robot_with("gravity: ", "{a" + filled(",") + "}"); }},
        Costly{"ManyBodies", [] { return "robot: r\nbodies:\n" + numbered("  b", ": {mass: 1}\n"); }},
        Costly{"ManyDifferentKeys", [] { return "robot: r\n" + numbered("k", ": 1\n"); }},
        Costly{"ManyEqualKeys", [] { return filled("robot: r\n"); }},
        Costly{"LongNumber", [] { return "robot: r\nbodies: {a: {mass: " + filled("9") + "}}\n"; }},
        Costly{"LongKey", [] { return "robot: r\nbodies: {a: {? " + filled("k") + " : 1}}\n"; }},
        Costly{"LongName", [] { return "robot: r\nbodies: {? " + filled("k") + " : {mass: 1}}\n"; }},
        Costly{"LongText", [] { return "robot: " + filled("x ") + "\n"; }},
        Costly{"LongTag", [] { return "robot: !" + filled("x") + " r\n"; }},
        Costly{"ManyDocuments", [] { return filled("---\n"); }},
        Costly{"OpenQuote", [] { return "robot: \"" + filled("x\n"); }},
        Costly{"ManySpaces", [] { return "robot:" + filled(" ") + "r\n"; }},
        Costly{"ManyColons", [] { return filled(": "); }}),
    [](const auto& of) { return of.param.fact; });

}  // namespace
}  // namespace gough::bad_file_test
