/// ik, fk and check --along as a user meets them: exit codes, streams, keys of the JSON, and messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <sstream>

#include "cli/tool.hpp"
#include "robots.hpp"

namespace gough::kinematics_cli_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class KinematicsTool : public Tool {
 protected:
  Outcome ik(const std::string& robot, const std::string& rest) const {
    return run(fmt::format("ik {} {}", robot_path(robot), rest));
  }
  Outcome fk(const std::string& robot, const std::string& rest) const {
    return run(fmt::format("fk {} {}", robot_path(robot), rest));
  }
};

// ------------------------------------------------------------------------------------------------ ik

TEST_F(KinematicsTool, IkPrintsTheJsonOfTheDesign) {
  const Outcome o = ik("hexapod", "--pose 0.01,0,-0.65,0.05,0,0 --json");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  const json j = json::parse(o.out);
  EXPECT_EQ(j.at("status"), "ok");
  ASSERT_EQ(j.at("pose").size(), 6U);
  EXPECT_NEAR(j["pose"][0].get<double>(), 0.01, 1e-12);
  EXPECT_NEAR(j["pose"][3].get<double>(), 0.05, 1e-12);
  EXPECT_TRUE(j.at("q").at("leg1.drive").is_number());
  EXPECT_TRUE(j.at("q").contains("leg6.ball.rz")) << "cut joints too";
  EXPECT_LT(j.at("residual").get<double>(), 1e-12);
  EXPECT_TRUE(j.at("iterations").is_number_integer());
}

TEST_F(KinematicsTool, IkTakesNegativeFirstNumbersAndUnits) {
  const Outcome plain = ik("hexapod", "--pose -0.05,0,-0.65,0.17453292519943295,0,0 --json"),
                units = ik("hexapod", "--pose '-50 mm, 0, -65 cm, 10 deg, 0, 0' --json"),
                equals = ik("hexapod", "--json --pose=-0.05,0,-0.65,0.17453292519943295,0,0");
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(plain.out, equals.out);
  const json a = json::parse(plain.out), b = json::parse(units.out);
  EXPECT_NEAR(a["q"]["leg1.drive"].get<double>(), b["q"]["leg1.drive"].get<double>(), 1e-14);
}

TEST_F(KinematicsTool, IkForPeopleNamesActuatorsAndResidual) {
  const Outcome o = ik("delta", "--pose 0,0,-0.7,0,0,0");
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.out, AllOf(StartsWith("ok\n"), HasSubstr("leg1.motor"), HasSubstr("0.123678 rad"),
                           HasSubstr("actuated"), HasSubstr("residual")));
}

TEST_F(KinematicsTool, IkSaysWhenTheGivenRestContradicts) {
  const Outcome o = ik("delta", "--pose 0,0,-0.7,0,0,0.2");
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.out, AllOf(StartsWith("ok: "), HasSubstr("rz = 0.2")));
}

TEST_F(KinematicsTool, IkOutOfReachIsANumericalOutcomeWithLegAndShortfall) {
  const double across = std::hypot(0.4 + 0.1, 0.2 * std::sin(2 * std::numbers::pi / 3));  // legs 2 and 3 alike
  for (const std::string form : {"", " --json"}) {
    const Outcome o = ik("triglide", "--pose 0.4,0,-0.45,0,0,0" + form);
    EXPECT_EQ(o.code, 3);
    EXPECT_THAT(o.err, AllOf(HasSubstr("triglide.yaml: unreachable: leg 'leg"),
                             HasSubstr(fmt::format("by {:.4g} m", across - 0.5))));
  }
  EXPECT_NE(json::parse(ik("triglide", "--pose 0.4,0,-0.45,0,0,0 --json").out).at("status"), "ok");
}

TEST_F(KinematicsTool, IkFarOutOfReachIsUnreachableNotSingular) {
  const Outcome o = ik("delta", "--pose 0,0,-5,0,0,0 --json");
  EXPECT_EQ(o.code, 3);
  EXPECT_EQ(json::parse(o.out).at("status"), "unreachable");
}

TEST_F(KinematicsTool, IkOfAPointThatTheStarCannotReachFails) {
  const Outcome o = ik("psp3", "--pose 0.3,0,0.5,0,0,0 --coordinates x,y,z --json");
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, HasSubstr("unreachable"));
}

TEST_F(KinematicsTool, IkOutOfLimitsIsANumericalOutcomeWithJointAndExcess) {
  const Outcome o = ik("hexapod", "--pose 0,0,-1.1,0,0,0 --json");
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, AllOf(HasSubstr("out_of_limits"), HasSubstr("'leg1.drive'"), HasSubstr("above its limit 1 by")));
  EXPECT_EQ(json::parse(o.out).at("status"), "out_of_limits");
}

TEST_F(KinematicsTool, IkReadsTheWorkingMode) {
  const json home = json::parse(ik("hexa", "--pose 0,0,-0.45,0,0,0 --json").out);
  const Outcome o = ik("hexa", "--pose 0,0,-0.45,0,0,0 --mode -+++++ --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json j = json::parse(o.out);
  EXPECT_GT(std::abs(j["q"]["leg1.motor"].get<double>() - home["q"]["leg1.motor"].get<double>()), 0.1);
  EXPECT_NEAR(j["q"]["leg2.motor"].get<double>(), home["q"]["leg2.motor"].get<double>(), 1e-12);
}

TEST_F(KinematicsTool, IkAllListsEveryMode) {
  const Outcome o = ik("rrr3", "--pose 0,0.25,0,0,0,0 --all --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json list = json::parse(o.out);
  ASSERT_EQ(list.size(), 8U);
  std::set<std::string> modes;
  for (const json& j : list) {
    modes.insert(j.at("mode").get<std::string>());
    EXPECT_NEAR(j.at("pose")[1].get<double>(), 0.25, 1e-12);
  }
  EXPECT_EQ(modes.size(), 8U);
  EXPECT_THAT(ik("rrr3", "--pose 0,0.25,0,0,0,0 --all").out, StartsWith("8 answers"));
}

TEST_F(KinematicsTool, IkAllWithoutAnswerFailsAndListsNothing) {
  const Outcome o = ik("rrr3", "--pose 0,2,0,0,0,0 --all --json");
  EXPECT_EQ(o.code, 3);
  EXPECT_EQ(json::parse(o.out), json::array());
  EXPECT_THAT(o.err, HasSubstr("unreachable"));
}

TEST_F(KinematicsTool, IkOfTheStarTakesEitherKindOfPose) {
  const json tilt = json::parse(ik("psp3", "--pose 0,0,0.5,0.1,0.05,0 --json").out);
  const auto x = tilt["pose"].get<std::vector<double>>();
  EXPECT_NEAR(x[5], 0, 1e-11);
  const Outcome o = ik("psp3", fmt::format("--pose {},{},{},0,0,0 --coordinates x,y,z --all --json", x[0], x[1], x[2]));
  ASSERT_EQ(o.code, 0) << o.err;
  double nearest = 1;
  for (const json& j : json::parse(o.out)) {
    double most = 0;
    for (int i = 0; i < 6; ++i)
      most = std::max(most,
                      std::abs(j["pose"][static_cast<std::size_t>(i)].get<double>() - x[static_cast<std::size_t>(i)]));
    nearest = std::min(nearest, most);
  }
  EXPECT_LT(nearest, 1e-8);
}

TEST_F(KinematicsTool, BadArgumentsOfIkAreBadInput) {
  for (const std::string rest :
       {"", "--pose 1,2,3", "--pose 0,0,-0.65,0,0,0,0", "--pose a,b,c,d,e,f", "--pose 0,0,-0.65,1mm,0,0",
        "--pose 0,0,-0.65,0,0,0 --mode ++", "--pose 0,0,-0.65,0,0,0 --mode -+++++",
        "--pose 0,0,-0.65,0,0,0 --mode ++x+++", "--pose 0,0,-0.65,0,0,0 --coordinates x,q", "--pose nan,0,0,0,0,0",
        "--pose 0,0,inf,0,0,0"}) {
    const Outcome o = ik("hexapod", rest);
    EXPECT_EQ(o.code, 2) << rest << "\n" << o.out;
    EXPECT_FALSE(o.err.empty()) << rest;
    EXPECT_THAT(o.out, IsEmpty()) << rest;
  }
  EXPECT_EQ(ik("four_bar", "--pose 0,0,0,0,0,0").code, 2) << "no platform";
}

// ------------------------------------------------------------------------------------------------ fk

TEST_F(KinematicsTool, FkOfIkIsThePose) {
  const json there = json::parse(ik("hexapod", "--pose 0.02,-0.03,-0.66,0.05,0.1,-0.04 --json").out);
  std::string actuators;
  for (int i = 1; i <= 6; ++i)
    actuators += fmt::format("{}{}", i > 1 ? "," : "", there["q"][fmt::format("leg{}.drive", i)].get<double>());
  const Outcome o = fk("hexapod", "--json --actuators " + actuators);
  ASSERT_EQ(o.code, 0) << o.err;
  const json back = json::parse(o.out);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(back["pose"][i].get<double>(), there["pose"][i].get<double>(), 1e-10);
}

TEST_F(KinematicsTool, FkAllListsTheModesOfTheFiveBar) {
  const Outcome o = fk("five_bar", "--actuators '130 deg, 50 deg' --all --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json list = json::parse(o.out);
  ASSERT_EQ(list.size(), 2U);
  // elbows at (-+0.1 -+ 0.25 cos 50, 0.25 sin 50): the tip is above and below their middle
  const double half = 0.1 + 0.25 * std::cos(50 * std::numbers::pi / 180),
               y = 0.25 * std::sin(50 * std::numbers::pi / 180), h = std::sqrt(0.35 * 0.35 - half * half);
  std::vector<double> got = {list[0]["pose"][1], list[1]["pose"][1]};
  std::sort(got.begin(), got.end());
  EXPECT_NEAR(got[0], y - h, 1e-10);
  EXPECT_NEAR(got[1], y + h, 1e-10);
  EXPECT_THAT(fk("five_bar", "--actuators '130 deg, 50 deg' --all").out,
              AllOf(StartsWith("2 answers"), HasSubstr("complete")));
}

TEST_F(KinematicsTool, FkAllOfAHexapodSaysThatItClaimsNoCompleteness) {
  const Outcome o = fk("hexapod", "--actuators 0.75,0.75,0.75,0.75,0.75,0.75 --all");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("completeness not claimed"));
}

TEST_F(KinematicsTool, FkOfAMechanismWithoutPlatformHasNoPose) {
  const Outcome o = fk("four_bar", "--actuators -1 --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json j = json::parse(o.out);
  EXPECT_TRUE(j.at("pose").is_null());
  EXPECT_DOUBLE_EQ(j.at("q").at("crank").get<double>(), -1);
}

TEST_F(KinematicsTool, FkThatCannotBeAssembledIsANumericalOutcome) {
  const Outcome o = fk("hexapod", "--actuators 0.2,0.2,0.2,0.2,0.2,0.2 --json");
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, AllOf(HasSubstr("hexapod.yaml: "), testing::AnyOf(HasSubstr("unreachable"), HasSubstr("singular")),
                           HasSubstr("residual"), HasSubstr("iterations")));
  EXPECT_EQ(fk("hexapod", "--actuators 0.2,2,0.2,2,0.2,0.2 --all --json").code, 3);
}

TEST_F(KinematicsTool, BadArgumentsOfFkAreBadInput) {
  for (const std::string rest : {"", "--actuators 1", "--actuators 1,2,3,4,5,6,7", "--actuators 1,2,3,4,5,x",
                                 "--actuators '1 deg,1,1,1,1,1'", "--actuators 1,1,1,1,1,nan"}) {
    const Outcome o = fk("hexapod", rest);
    EXPECT_EQ(o.code, 2) << rest;
    EXPECT_FALSE(o.err.empty()) << rest;
    EXPECT_THAT(o.out, IsEmpty()) << rest;
  }
}

// ------------------------------------------------------------------------------------------------ check --along

TEST_F(KinematicsTool, CheckAlongFindsTheMinimumAndWhere) {
  std::string table = "t,x,z\n";
  for (int i = 0; i <= 10; ++i) table += fmt::format("{},{},-0.65\n", 0.1 * i, 0.01 * i);
  write("way.csv", table);
  const Outcome o = run("check " + robot_path("hexapod") + " --along way.csv --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json j = json::parse(o.out);
  EXPECT_EQ(j.at("poses"), 11);
  EXPECT_EQ(j.at("failures"), json::array());
  for (const std::string key : {"type1", "type2", "transmission"}) {
    const json& least = j.at(key);
    EXPECT_GT(least.at("value").get<double>(), 0) << key;
    EXPECT_LE(least.at("value").get<double>(), 1) << key;
    EXPECT_NEAR(least.at("t").get<double>(), 0.1 * (least.at("row").get<int>() - 1), 1e-12) << key;
  }
  EXPECT_THAT(j.at("transmission").at("leg").get<std::string>(), StartsWith("leg"));
  const Outcome text = run("check " + robot_path("hexapod") + " --along way.csv");
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out,
              AllOf(StartsWith("hexapod\n"), HasSubstr("along the motion: 11 poses"), HasSubstr("transmission")));
}

TEST_F(KinematicsTool, CheckAlongNamesTheLineOfTheFirstFailure) {
  write("way.csv", "t,z\n0,-0.65\n0.5,-1.3\n1,-0.66\n");
  const Outcome o = run("check " + robot_path("hexapod") + " --along way.csv");
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, AllOf(StartsWith("way.csv:3: out_of_limits"), HasSubstr("leg1.drive")));
  EXPECT_THAT(o.out, HasSubstr("t = 0.5 (row 2)"));
}

TEST_F(KinematicsTool, CheckAlongCountsCommentsAndBlankLinesAsLines) {
  write("way.csv", "# a way out\n\nt,z\n0,-0.65\n\n0.5,-1.3\n");
  const Outcome o = run("check " + robot_path("hexapod") + " --along way.csv");
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, StartsWith("way.csv:6: out_of_limits"));
}

TEST_F(KinematicsTool, BadTablesAreBadInput) {
  write("words.csv", "t,z\n0,down\n");
  write("columns.csv", "t,speed\n0,1\n");
  write("empty.csv", "");
  for (const std::string name : {"words.csv", "columns.csv", "empty.csv", "missing.csv"}) {
    const Outcome o = run("check " + robot_path("hexapod") + " --json --along " + name);
    EXPECT_EQ(o.code, 2) << name;
    EXPECT_THAT(o.err, AllOf(StartsWith(name + ":"), HasSubstr("expected"))) << name;
    EXPECT_THAT(o.out, IsEmpty()) << name;
  }
}

TEST_F(KinematicsTool, ABadTableIsRefusedBeforeAnythingIsPrinted) {
  const Outcome o = run("check " + robot_path("hexapod") + " --along missing.csv");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.out, IsEmpty());
}

TEST_F(KinematicsTool, CheckAlongWithoutAPlatformIsBadInput) {
  write("way.csv", "t,z\n0,-0.65\n");
  const Outcome o = run("check " + robot_path("four_bar") + " --json --along way.csv");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("platform"));
}

}  // namespace
}  // namespace gough::kinematics_cli_test
