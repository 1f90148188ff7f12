/// Code for robots with one thing more or less than their files say (robot_variants.hpp): it computes what Newton's and Euler's equations of
/// the variant say, or there is none, in words. No variant gets the code of the robot without it.
///
/// `make test` looks at a few programs of each robot; GOUGH_VARIANT_SEEDS=n at all of them, in n random states each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/generated.hpp"
#include "dynamics/robot_variants.hpp"

namespace gough::variant_programs_test {
namespace {

struct Wanted {
  std::string what, from;
  bool lanes = false;

  std::string text() const { return what + " from " + from + (lanes ? ", lanes" : ""); }
  GenerateWish wish() const {
    GenerateWish w{what, from};
    w.lanes = lanes;
    return w;
  }
};
const std::vector<Wanted> all_wanted = {
    {"inverse", "joints"},    {"forward", "joints"},    {"inverse", "platform"},       {"forward", "platform"},
    {"inverse", "actuators"}, {"forward", "actuators"}, {"inverse", "platform", true}, {"forward", "platform", true}};

/// What there is code for, by the robots' legs: all but one robot's have closed forms, two robots' loops close in closed form from the
/// actuators, two have six struts.
bool has_code(const std::string& robot, const Wanted& w) {
  if (w.from == "joints") return true;
  if (w.lanes) return robot == "hexapod" || robot == "palida";
  if (w.from == "actuators") return robot == "five_bar" || robot == "psp3";
  return robot != "redundant_five_bar";
}

/// None where there is no such code, which then is said of this robot; from joints there always is.
std::optional<Program> code_of(const Mechanism<double>& m, const Wanted& w) {
  try {
    return generate(m, w.wish());
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr(m.name));
    EXPECT_NE(w.from, "joints") << e.what();
    return std::nullopt;
  }
}

/// What a program should give at a state with its accelerations, by the names of its arrays.
VecX<double> outputs_by_name(const Mechanism<double>& m, const Program& p, const ClosedState& s,
                             const VecX<double>& tau) {
  std::vector<double> all;
  for (const OutputArray& array : p.outputs) {
    VecX<double> x;
    if (array.name == "tau") {
      x = tau;
    } else if (array.name == "a") {
      x = s.a;
      if (array.entry.size() != static_cast<std::size_t>(m.nv)) {
        x.resize(static_cast<Eigen::Index>(m.actuator.size()));
        for (std::size_t i = 0; i < m.actuator.size(); ++i) x[static_cast<Eigen::Index>(i)] = s.a[m.actuator[i]];
      }
    } else {
      const PlatformRates<double> rates = platform_at(m, s).rates;
      x = entries_of(array.entry, array.name == "acceleration" ? rates.a : rates.dw);
    }
    EXPECT_EQ(at(x.size()), array.entry.size()) << array.name;
    all.insert(all.end(), x.begin(), x.end());
  }
  return vector_of(all);
}

/// The robot without what the variant adds, at the same state and in the same numbers.
VecX<double> without_variant(const Mechanism<double>& bare, const Program& p, const ClosedState& s,
                             const newton_euler::Load& load) {
  if (p.what == "inverse") return newton_euler::inverse(bare, s.q, s.v, s.a).tau;
  return outputs_by_name(bare, p, {s.q, s.v, Witness(bare, s).accelerations(load)}, load.tau);
}

/// `bare`: the robot whose numbers these must not be, where it has the same coordinates.
void expect_newtons_numbers(const Mechanism<double>& m, const Program& p, const Mechanism<double>* bare) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 1 + variant_seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClosedState s = nearby_state(m, seed);
    const Witness witness(m, s);
    ASSERT_TRUE(witness.unique());
    const newton_euler::Load load = weighty_load(m, seed, Wrenches::none);
    s.a = witness.accelerations(load);
    const VecX<double> tau = witness.least_efforts(load.tau).head(load.tau.size());
    const std::vector<double> in = inputs_by_name(m, p, s, load.tau);
    if (!is_sound(p, in)) continue;
    ++compared;
    const VecX<double> expected = outputs_by_name(m, p, s, tau), out = vector_of(evaluate(p, in));
    ASSERT_EQ(out.size(), expected.size());
    const Condition c = condition_estimate(m, s.q);
    if (p.what == "inverse" && !std::isfinite(c.inverse))
      continue;  // as many drives as freedoms, and one that they do not reach
    ASSERT_LT(p.what == "inverse" ? c.inverse : c.forward, ill_conditioned);
    const bool square = static_cast<int>(m.driven().size()) == m.nv - m.rank;  // else by normal equations
    const double inverse = square ? c.inverse : c.inverse * c.inverse;
    EXPECT_LT(error_of(out, expected), rounding(p.what == "inverse" ? inverse : c.forward));
    if (bare == nullptr) continue;
    ASSERT_EQ(bare->nq, m.nq);
    EXPECT_GT(error_of(without_variant(*bare, p, s, load), expected), 1e-4);  // far above rounding
  }
  EXPECT_GT(compared, 0) << "no state passes the guards";
}

Mechanism<double> prepared_variant(const std::string& robot, const std::string& variant) {
  const Prepared ready = prepare(*variant_of(described(robot), variant));
  EXPECT_TRUE(ready.home.assembly.closed);
  return without_standing_friction(ready.mechanism);
}

bool is_tool(const std::string& variant) {
  return std::find(tool_variants().begin(), tool_variants().end(), variant) != tool_variants().end();
}

void expect_newtons_code(const std::string& robot, const std::string& variant, const Mechanism<double>& m,
                         const Wanted& w) {
  SCOPED_TRACE(robot + ", " + variant + ", " + w.text());
  try {
    const auto p = code_of(m, w);
    EXPECT_TRUE(p.has_value() == has_code(robot, w) || !is_tool(variant));  // legs do not know of tools
    if (p) expect_newtons_numbers(m, *p, is_tool(variant) ? &shipped(robot) : nullptr);
  } catch (const Failure& f) { ADD_FAILURE() << f.what(); }  // code that was made, and is wrong
}

/// What to generate for a variant. `make test` has time for one in 47 (large robots) or 17 of the programs that there are for the robot's
/// own legs; primes, so that others are drawn of each variant.
std::vector<Wanted> drawn_for(const std::string& robot, const std::string& variant) {
  if (every_variant()) return all_wanted;
  std::vector<Wanted> possible, drawn;
  std::copy_if(all_wanted.begin(), all_wanted.end(), std::back_inserter(possible),
               [&](const Wanted& w) { return has_code(robot, w); });
  const std::size_t share = described(robot).bodies.size() >= 10 ? 47 : 17;
  for (std::size_t i = 0; i < possible.size(); ++i)
    if ((place_of_variant(variant) * possible.size() + i + 5 * place_of_robot(robot)) % share == 0)
      drawn.push_back(possible[i]);
  return drawn;
}

class CodeOfVariants : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Codegen, CodeOfVariants,
                         testing::Values("hexapod", "palida", "delta", "five_bar", "rrr3", "psp3", "hexa",
                                         "redundant_five_bar"),
                         [](const auto& of) { return of.param; });

TEST_P(CodeOfVariants, ComputesWhatNewtonSays) {
  for (const RobotVariant& v : robot_variants()) {
    const std::vector<Wanted> drawn = drawn_for(GetParam(), v.name);
    if (drawn.empty() || !variant_of(described(GetParam()), v.name)) continue;
    const Mechanism<double> m = prepared_variant(GetParam(), v.name);
    for (const Wanted& w : drawn) expect_newtons_code(GetParam(), v.name, m, w);
  }
}

/// The tool that all code for struts once ignored.
TEST_P(CodeOfVariants, KnowsAToolOnThePlatform) {
  const Mechanism<double> m = prepared_variant(GetParam(), "tool_on_platform");
  const Wanted from_platform{"inverse", "platform"};
  expect_newtons_code(GetParam(), "tool_on_platform", m,
                      has_code(GetParam(), from_platform) ? from_platform : Wanted{"inverse", "joints"});
}

/// Legs of their own template, which struts' code keeps apart, also where they are lanes.
TEST(CodeOfVariant, KnowsAHeavierLegOfTheHexapod) {
  const Mechanism<double> m = prepared_variant("hexapod", "heavier_leg");
  for (const Wanted& w :
       {Wanted{"inverse", "platform"}, Wanted{"inverse", "platform", true}, Wanted{"forward", "platform", true}}) {
    SCOPED_TRACE(w.text());
    const auto p = code_of(m, w);
    ASSERT_TRUE(p.has_value());
    expect_newtons_numbers(m, *p, &shipped("hexapod"));
  }
}

/// A floating platform whose legs are not all there is, or that have joints of their own: forward dynamics then divide by the legs' own
/// masses, so those must stay where they are.
TEST(CodeOfVariant, KnowsBodiesBesideTheLegs) {
  for (const std::string variant : {"payload_on_platform", "payload_on_leg", "payload_on_base", "driven_on_base"})
    for (const std::string robot : {"five_bar", "rrr3"})
      expect_newtons_code(robot, variant, prepared_variant(robot, variant), {"forward", "joints"});
  expect_newtons_code("hexapod", "payload_on_platform", prepared_variant("hexapod", "payload_on_platform"),
                      {"forward", "joints"});
}

/// Where the loops close in closed form from the actuators, the code for two links in line must leave others to the general one.
TEST(CodeOfVariant, OfTheFiveBarKnowsLinksOutOfLine) {
  for (const std::string variant :
       {"tool_on_platform", "heavier_leg", "lopsided_leg", "springs_in_joints", "rotors_on_drives",
        "rotors_on_passive_joints", "viscous_friction", "spring_between_bodies"}) {
    const Mechanism<double> m = prepared_variant("five_bar", variant);
    SCOPED_TRACE(variant);
    const auto p = code_of(m, {"forward", "actuators"});
    ASSERT_TRUE(p.has_value());
    expect_newtons_numbers(m, *p, &shipped("five_bar"));
  }
}

/// What the closed forms do not know is refused in words.
TEST(CodeOfVariant, IsRefusedWhereSomethingHangsOnTheLoops) {
  for (const std::string variant : {"payload_on_platform", "payload_on_leg", "payload_on_base", "driven_on_base"}) {
    const Mechanism<double> m = prepared_variant("five_bar", variant);
    for (const std::string what : {"inverse", "forward"})
      for (const std::string from : {"platform", "actuators"})
        EXPECT_THROW(generate(m, {what, from}), Error) << variant;
  }
  const Mechanism<double> hexapod = prepared_variant("hexapod", "payload_on_platform");
  for (const Wanted& w : all_wanted) {
    if (w.from == "joints") continue;
    EXPECT_THROW(generate(hexapod, w.wish()), Error) << w.text();
  }
}

}  // namespace
}  // namespace gough::variant_programs_test
