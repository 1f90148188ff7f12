/// Drives that make the platform of an elastic robot follow its path: three methods beside each other.
#include "gough/flexible/flexible_inverse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexible/one_beam.hpp"

namespace gough::flexible_inverse_test {
namespace {

FlexCommand command_by(FlexInverse by, const Mechanism<double>& m, const std::vector<KnownState>& states) {
  FlexInverseOptions o;
  o.by = by;
  const FlexCommand c = flexible_inverse(m, states, o);
  EXPECT_TRUE(c.ok()) << c.reason;
  return c;
}

struct Case {
  std::string robot, motion;
  double time, step;
  Vec3<double> gravity;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.robot; }
};
class FlexibleInverse : public testing::TestWithParam<Case> {};

/// The corrected drives are tried on the elastic robot: nearly all of the static error is gone, and both ways to find them agree.
TEST_P(FlexibleInverse, RemovesTheErrorOfThePath) {
  Mechanism<double> m = shipped(GetParam().robot);
  m.gravity = GetParam().gravity;
  const auto states = states_along(m, GetParam().motion, GetParam().time, GetParam().step);
  const FlexCommand plain = command_by(FlexInverse::driving_force, m, states),
                    modified = command_by(FlexInverse::modified_driving_force, m, states),
                    constrained = command_by(FlexInverse::driving_constraint, m, states);
  EXPECT_EQ(plain.correction.cwiseAbs().maxCoeff(), 0);
  FlexOptions still;
  still.vibrates = false;
  still.frequencies = 0;
  const auto left = [&](const FlexCommand& c) {
    const FollowedPath p = follow_path(m, states, c.states, still);
    EXPECT_TRUE(p.answer.ok()) << p.answer.along.reason;
    return p;
  };
  const FollowedPath before = left(plain), iterated = left(modified), imposed = left(constrained);
  EXPECT_GT(before.rms, 0);
  EXPECT_LT(iterated.rms, 0.02 * before.rms);
  EXPECT_LT(imposed.rms, 0.03 * before.rms) << "first order: what is left is quadratic in the displacements";
  const double size = modified.correction.cwiseAbs().maxCoeff();
  EXPECT_LT((modified.correction - constrained.correction).cwiseAbs().maxCoeff(), 0.03 * size);
  EXPECT_LT((modified.tau - constrained.tau).cwiseAbs().maxCoeff(), 0.03 * constrained.tau.cwiseAbs().maxCoeff());
  for (std::size_t i = 1; i + 1 < modified.left.size(); ++i) EXPECT_LT(modified.left[i + 1], 0.5 * modified.left[i]);
}

INSTANTIATE_TEST_SUITE_P(Shipped, FlexibleInverse,
                         testing::Values(Case{"rrr3_flexible", "rrr3_circle", 0.4, 0.01, {0, -9.81, 0}},
                                         Case{"five_bar_flexible", "five_bar_reach", 0.2, 0.005, {0, -9.81, 0}},
                                         Case{"hexapod_flexible", "hexapod_circle", 0.2, 0.01, {0, 0, -9.81}},
                                         Case{"delta_flexible", "delta_pick", 0.3, 0.01, {0, 0, -9.81}}),
                         [](const auto& each) { return each.param.robot; });

/// A heavy payload on links a hundredth as stiff: the iteration says that it diverges and why.
TEST(FlexibleInverseOutcome, DivergenceIsExplained) {
  Mechanism<double> m = shipped("rrr3_flexible");
  m.gravity = {0, -9.81, 0};
  for (BeamBody& b : m.beam) b.description.beam[0].E *= 0.02;
  FlexInverseOptions o;
  o.by = FlexInverse::modified_driving_force;
  o.flex.geometric = false;
  const FlexCommand c = flexible_inverse(m, states_along(m, "rrr3_circle", 0.2, 0.02), o);
  EXPECT_FALSE(c.ok());
  EXPECT_FALSE(c.reason.empty());
}

TEST(FlexibleInverseOutcome, RefusesOtherRobots) {
  const Mechanism<double>& m = shipped("rrr3_flexible");
  std::vector<KnownState> states = states_along(m, "rrr3_circle", 0.1, 0.02);
  states[0].motion.motion = ActuatorMotion{};
  EXPECT_THROW(flexible_inverse(m, states, {}), Error);
  EXPECT_THROW(flexible_inverse(shipped("redundant_five_bar"), states, {}), Error);
}

}  // namespace
}  // namespace gough::flexible_inverse_test
