/// Fast paths earn their use: which robots have which, by what their definitions say, and that a path which computes something else is
/// refused, said, and not missed.
#include "gough/dynamics/fast_paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics/evaluations.hpp"
#include "dynamics/robot_variants.hpp"
#include "gough/io/generate.hpp"

namespace gough::fast_paths_test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Paths = std::vector<std::string>;

Paths used_by(const Mechanism<double>& m) {
  Paths used;
  for (const FastPath& p : m.fast_path)
    if (p.used) used.push_back(p.name);
  return used;
}

const FastPath& path_of(const Mechanism<double>& m, std::string_view name) {
  return *std::find_if(m.fast_path.begin(), m.fast_path.end(), [&](const FastPath& p) { return p.name == name; });
}

/// The platforms that are free of their joints, by what their legs are:
///   six UPS legs, whose bodies have their centres of mass on the leg and its axes as principal ones
///   six RUS or PUS legs; three arms or carriages (R, P) with rods between balls or universal joints; RRR; sliders under a star's arms
///   the five-bar, payload and links in line
///   legs that no closed form serves: SPU, 6R, RPS, UPU, with a parallelogram of hinges, spherical RRR
/// Without one: robots without a platform, three whose platform hangs on a driven or on an elastic joint, and one whose legs end at parts
/// of an articulated plate.
const Paths struts = {"closed_form_legs", "leg_wise", "lanes", "struts"},
            six_legs = {"closed_form_legs", "leg_wise", "lanes"}, legs = {"closed_form_legs", "leg_wise"},
            five_bar = {"closed_form_legs", "leg_wise", "five_bar"}, unsolved_legs = {"leg_wise"}, none = {};
const std::vector<std::pair<std::string, Paths>> expected_paths = {
    {"hexapod", struts},
    {"palida", struts},
    {"hexapod_offplane", struts},
    {"hexapod_arbitrary", struts},
    {"hexapod_flexible", struts},  // beams are rigid here, tubes along the leg
    {"taghirad", struts},
    {"mathworks_stewart", struts},
    {"hexa", six_legs},
    {"hexaglide", six_legs},
    {"delta", legs},
    {"delta_flexible", legs},
    {"triglide", legs},
    {"psp3", legs},
    {"rrr3", legs},
    {"rrr3_flexible", legs},
    {"rrr3_flexible_b", legs},
    {"five_bar", five_bar},
    {"five_bar_flexible", five_bar},
    {"flight_simulator", unsolved_legs},
    {"six_r", unsolved_legs},
    {"rps3", unsolved_legs},
    {"upu3", unsolved_legs},
    {"orthoglide", unsolved_legs},
    {"agile_eye", unsolved_legs},
    {"redundant_five_bar", none},
    {"elastic_five_bar", none},
    {"palletizer", none},
    {"par4", none},
    {"andrews", none},
    {"bricard", none},
    {"four_bar", none},
    {"fourbar2", none},
    {"n_four_bar_40", none},
    {"pendulum", none},
};

TEST(FastPaths, OfShippedRobotsAreThoseOfTheirDefinitions) {
  EXPECT_EQ(expected_paths.size(), shipped_robots().size());
  for (const auto& [robot, paths] : expected_paths)
    EXPECT_THAT(used_by(shipped(robot)), ElementsAreArray(paths)) << robot;
}

/// Five paths have an outcome each. What is not for this robot is not refused, and says why.
TEST(FastPaths, ThatAreNotUsedSayWhy) {
  for (const auto& [robot, paths] : expected_paths) {
    const Mechanism<double>& m = shipped(robot);
    EXPECT_EQ(m.fast_path.size(), 5U) << robot;
    for (const FastPath& p : m.fast_path) {
      EXPECT_EQ(p.why.empty(), p.used) << robot << ", " << p.name << ": " << p.why;
      EXPECT_FALSE(p.refused) << robot << ", " << p.name << ": " << p.why;
      EXPECT_EQ(m.may_use(p.name), p.used) << robot << ", " << p.name;
    }
    EXPECT_FALSE(m.may_use("another"));
  }
}

/// What a path does not know makes it stand aside by what it asks for, before anything is compared.
class OfTheHexapod : public testing::TestWithParam<std::pair<std::string, Paths>> {};
INSTANTIATE_TEST_SUITE_P(
    FastPaths, OfTheHexapod,
    testing::Values(std::pair("tool_on_platform", struts), std::pair("tool_is_platform", struts),
                    std::pair("heavier_leg", struts),  // its own numbers, the same form
                    std::pair("lopsided_leg", six_legs), std::pair("rotors_on_drives", six_legs),
                    std::pair("rotors_on_passive_joints", six_legs), std::pair("spring_between_bodies", legs),
                    std::pair("fixture_on_base", legs), std::pair("springs_in_joints", legs),
                    std::pair("viscous_friction", legs), std::pair("dry_friction", legs),
                    std::pair("drive_removed", legs), std::pair("drive_added", legs), std::pair("legs_doubled", legs),
                    std::pair("payload_on_platform", Paths{"closed_form_legs"}),
                    std::pair("payload_on_leg", unsolved_legs), std::pair("payload_on_base", unsolved_legs),
                    std::pair("driven_on_base", unsolved_legs), std::pair("driven_on_platform", none)),
    [](const auto& of) { return of.param.first; });

TEST_P(OfTheHexapod, VariantsThePathsAreThoseThatKnowIt) {
  const auto& [variant, paths] = GetParam();
  const Mechanism<double> m = prepare(*variant_of(described("hexapod"), variant)).mechanism;
  EXPECT_THAT(used_by(m), ElementsAreArray(paths));
  for (const FastPath& p : m.fast_path) EXPECT_FALSE(p.refused) << p.name << ": " << p.why;
}

/// A tool off the line of the platform's joints is a mass that the five-bar's equations do not have; one on the line is.
TEST(FastPaths, OfTheFiveBarKnowLinksInLineOnly) {
  const RobotDescription& robot = described("five_bar");
  EXPECT_THAT(used_by(prepare(*variant_of(robot, "tool_on_platform")).mechanism), ElementsAreArray(legs));
  EXPECT_THAT(used_by(prepare(*variant_of(robot, "heavier_leg")).mechanism), ElementsAreArray(five_bar));
  EXPECT_THAT(used_by(prepare(*variant_of(robot, "rotors_on_drives")).mechanism), ElementsAreArray(five_bar));
  for (const std::string variant : {"lopsided_leg", "springs_in_joints", "viscous_friction", "rotors_on_passive_joints",
                                    "drive_removed", "spring_between_bodies"})
    EXPECT_FALSE(prepare(*variant_of(robot, variant)).mechanism.may_use(fast_paths::five_bar)) << variant;
}

// ------------------------------------------------------------------------------------------------ planted errors

/// Ten times what rounding may explain at the states that are compared, and 1e-6 at least.
double planted_share(const Mechanism<double>& m) {
  double share = 1e-6;
  for (const ComparedState& s : random_states(m, 4)) {
    const Condition c = condition_estimate(m, s.q);
    share = std::max(share, 1e-8 * std::max(c.inverse, c.forward));
  }
  return share;
}

/// The robot after its paths were compared again, the n-th answer of one of them (from 0) wrong by a share of its size.
Mechanism<double> with_error(const Mechanism<double>& robot, std::string_view path, int n, double share) {
  Mechanism<double> m = robot;
  int answers = 0;
  prove_fast_paths(m, [&](std::string_view name, VecX<double>& x) {
    if (name == path && answers++ == n) x[0] += share * x.norm();
  });
  return m;
}

int count_answers(const Mechanism<double>& robot, std::string_view path) {
  Mechanism<double> m = robot;
  int answers = 0;
  prove_fast_paths(m, [&](std::string_view name, VecX<double>&) { answers += name == path ? 1 : 0; });
  return answers;
}

struct RobotAndPath {
  std::string robot, path;
  int answers;  ///< at each state: forces, accelerations; by both leg-wise formulations; by lanes from the platform's motion too
};
const std::vector<RobotAndPath> robots_and_paths = {
    {"hexapod", "leg_wise", 4}, {"hexapod", "lanes", 3},     {"hexapod", "struts", 2},
    {"palida", "struts", 2},    {"hexa", "lanes", 3},        {"rrr3", "leg_wise", 4},
    {"psp3", "leg_wise", 4},    {"five_bar", "leg_wise", 4}, {"five_bar", "five_bar", 1}};

class APath : public testing::TestWithParam<RobotAndPath> {
 protected:
  const Mechanism<double>& m = shipped(GetParam().robot);
  const std::string& path = GetParam().path;
  const double share = planted_share(m);
};
INSTANTIATE_TEST_SUITE_P(FastPaths, APath, testing::ValuesIn(robots_and_paths),
                         [](const auto& of) { return of.param.robot + "_" + of.param.path; });

TEST_P(APath, WithOneWrongAnswerIsRefused) {
  for (int n = 0; n < GetParam().answers; ++n) {
    const Mechanism<double> wrong = with_error(m, path, n, share);
    EXPECT_FALSE(wrong.may_use(path)) << "answer " << n;
    EXPECT_TRUE(path_of(wrong, path).refused) << "answer " << n;
    EXPECT_THAT(path_of(wrong, path).why, HasSubstr("differs from the general kernels")) << "answer " << n;
    for (const FastPath& other : m.fast_path) {
      if (other.name == path) continue;
      EXPECT_EQ(wrong.may_use(other.name), other.used) << other.name << " after an error in " << path;
    }
  }
}

TEST_P(APath, WithAWrongAnswerAtTheLastStateIsRefused) {
  const int all = count_answers(m, path);
  ASSERT_GE(all, 2 * GetParam().answers);
  EXPECT_EQ(all % GetParam().answers, 0);
  EXPECT_TRUE(path_of(with_error(m, path, all - 1, share), path).refused);
}

TEST_P(APath, WithoutANumberIsRefused) {
  EXPECT_TRUE(path_of(with_error(m, path, 0, std::numeric_limits<double>::quiet_NaN()), path).refused);
}

TEST_P(APath, ThatRoundsIsUsed) {
  const Mechanism<double> rounded = with_error(m, path, 0, 1e-11);
  EXPECT_TRUE(rounded.may_use(path));
  EXPECT_THAT(used_by(rounded), ElementsAreArray(used_by(m)));
}

TEST_P(APath, ThatIsRefusedIsAFinding) {
  const Mechanism<double> wrong = with_error(m, path, 0, share);
  HomeAssembly home;
  home.assembly.closed = true;
  const auto about_path = [&](const Mechanism<double>& of) {
    std::vector<std::string> said;
    for (const Finding& f : check_mobility(of, home).findings)
      if (f.what.find("fast path") != std::string::npos) {
        EXPECT_EQ(f.severity, Finding::Severity::warning);
        said.push_back(f.what);
      }
    return said;
  };
  EXPECT_THAT(about_path(wrong),
              ElementsAre(testing::AllOf(HasSubstr("'" + path + "'"), HasSubstr(path_of(wrong, path).why))));
  EXPECT_THAT(about_path(m), IsEmpty());
}

/// The default way then goes without the path, and computes what Newton says.
TEST_P(APath, ThatIsRefusedIsNotMissed) {
  const Mechanism<double> wrong = with_error(m, path, 0, share);
  const ClosedState s = nearby_state(wrong, 3);
  const Witness witness(wrong, s);
  const Condition condition = condition_estimate(wrong, s.q);
  for (const Wrenches on : all_wrenches) {
    const newton_euler::Load load = weighty_load(wrong, 3, on);
    Workspace<double> w = set_up(wrong, s, load);
    Dynamics<double> d(wrong, w);
    EXPECT_EQ(d.lanes.usable(), wrong.may_use(fast_paths::lanes));
    EXPECT_EQ(d.split.has_value(), wrong.may_use(fast_paths::leg_wise));
    const VecX<double> a = witness.accelerations(load);
    w.a.setConstant(std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(forward_dynamics(wrong, w, d).ok());
    EXPECT_LT(error_of(w.a, a), rounding(condition.forward));
    w.a = a;
    w.tau.setConstant(std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(inverse_dynamics(wrong, w, d).ok());
    EXPECT_LT(error_of(w.tau, load.tau), rounding(condition.inverse));
  }
}

// ------------------------------------------------------------------------------------------------ programs without a path

/// Lanes are those of struts.
TEST(FastPaths, OfStrutsThatAreRefusedMakeNoLanesOfCode) {
  const Mechanism<double> wrong =
      with_error(shipped("hexapod"), fast_paths::struts, 0, planted_share(shipped("hexapod")));
  GenerateWish lanes{"inverse", "platform"};
  lanes.lanes = true;
  EXPECT_THROW(generate(wrong, lanes), Error);
}

/// Other code than the five-bar's, which has a parameter named as no other code has one.
TEST(FastPaths, OfTheFiveBarThatIsRefusedLeavesOtherCode) {
  const auto has_lever = [](const Program& p) {
    const auto& symbols = p.tape.symbols();
    return std::any_of(symbols.begin(), symbols.end(), [](const Symbol& s) { return s.name == "left.lever"; });
  };
  const Mechanism<double>& m = shipped("five_bar");
  const Mechanism<double> wrong = with_error(m, fast_paths::five_bar, 0, planted_share(m));
  EXPECT_TRUE(has_lever(generate(m, {"forward", "actuators"})));
  EXPECT_FALSE(has_lever(generate(wrong, {"forward", "actuators"})));
}

}  // namespace
}  // namespace gough::fast_paths_test
