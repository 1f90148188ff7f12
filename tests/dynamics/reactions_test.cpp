/// Forces in joints and legs against Newton's and Euler's equations, and how legs share a wrench on the platform.
#include <gtest/gtest.h>

#include "decompositions.hpp"
#include "dynamics/evaluations.hpp"

namespace gough::reactions_test {
namespace {

using newton_euler::Forward;
using newton_euler::Load;

Force<double> about_base(const Force<double>& f, const Vec3<double>& point) {
  return {f.moment + point.cross(f.force), f.force};
}
double size_of(const Force<double>& f) { return f.moment.norm() + f.force.norm(); }

/// The largest wrench of all: small ones are differences of large ones.
double largest(const Forward& f) {
  double most = 1;
  for (const Force<double>& x : f.transmitted) most = std::max(most, size_of(x));
  return most;
}

struct Loaded {
  Mechanism<double> m;
  ClosedState s;
  Load load;
  Workspace<double> w;
  Forward expected;
  Reactions found;

  Loaded(Mechanism<double> robot, unsigned seed, Formulation f)
      : m(std::move(robot)),
        s(closed_state(m, seed)),
        load(random_load(m, seed)),
        w(set_up(m, s, load)),
        expected(newton_euler::forward(m, s.q, s.v, load)) {
    Dynamics d(m, w, by(f));
    EXPECT_TRUE(forward_dynamics(m, w, d).ok());
    found = reactions(m, w, d);
  }
};

class ReactionsOf : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Dynamics, ReactionsOf, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

void expect_newtons_wrenches(const Loaded& x) {
  const double tolerance = 1e-11 * largest(x.expected);  // rounding, times the condition of the loops
  const std::size_t tree = x.found.tree.size();
  ASSERT_EQ(tree + x.found.cut.size(), x.expected.transmitted.size());
  for (std::size_t j = 0; j < tree + x.found.cut.size(); ++j) {
    const JointReaction& r = j < tree ? x.found.tree[j] : x.found.cut[j - tree];
    EXPECT_EQ(r.unique, x.expected.reaction_unique[j]) << r.joint;
    if (!r.unique) continue;
    EXPECT_LT(size_of(about_base(r.wrench, r.point) - x.expected.transmitted[j]), tolerance) << r.joint;
  }
  EXPECT_LT(size_of(x.found.on_base + x.expected.base_wrench), tolerance);
}

TEST_P(ReactionsOf, EveryJointAreNewtonsAsShipped) {
  for (unsigned seed = 1; seed <= 2; ++seed) expect_newtons_wrenches(Loaded(m, seed, Formulation::legs));
}

TEST_P(ReactionsOf, EveryJointAreNewtonsWithEveryForce) {
  for (unsigned seed = 1; seed <= 2; ++seed)
    expect_newtons_wrenches(Loaded(with_everything(m, seed), seed, Formulation::multipliers));
}

class ReactionsOfLegs : public ReactionsOf {};
INSTANTIATE_TEST_SUITE_P(Dynamics, ReactionsOfLegs, testing::ValuesIn(robots_with_floating_platform()),
                         [](const auto& of) { return of.param; });

/// Mass times acceleration of the platform = legs + weight + what pulls from outside. Newton and Euler about the body's
/// origin o: m a + w' x s + w x (w x s) and I w' + s x a + w x I w.
TEST_P(ReactionsOfLegs, MoveThePlatform) {
  ASSERT_TRUE(m.platform.floats);
  const Loaded x(with_everything(m, 1), 1, Formulation::legs);
  const newton_euler::FreeBodies b(x.m, x.s.q, x.s.v);
  const auto P = at(x.m.platform.body);
  const auto& [dw, a] = x.expected.body[P];
  const Vec3<double> w = b.body[P].w, o = b.body[P].X.p, s = newton_euler::first_moment(b, P);
  const Mat3<double> I = newton_euler::second_moment(b, P);
  const double mass = x.m.inertia[P].mass;
  const Vec3<double> force = mass * a + dw.cross(s) + w.cross(w.cross(s)) - mass * x.m.gravity;
  const Vec3<double> moment = I * dw + s.cross(a) + w.cross(I * w) - s.cross(x.m.gravity);
  Force<double> needed = about_base({moment, force}, o);
  for (const auto& e : x.load.external)
    if (e.body == x.m.platform.body) needed = needed - e.wrench;
  for (std::size_t i = 0; i < x.m.spring.size(); ++i) {
    const newton_euler::Stretched spring = newton_euler::stretched(b, i);
    const Vec3<double> pull = spring.direction * newton_euler::spring_force(b, i);
    if (x.m.spring[i].b == x.m.platform.body) needed += Force<double>{spring.b.cross(pull), pull};
    if (x.m.spring[i].a == x.m.platform.body) needed = needed - Force<double>{spring.a.cross(pull), pull};
  }
  Force<double> legs;
  const Vec3<double> origin = platform_pose(x.m, x.w).p;
  for (const LegWrench& leg : x.found.leg) legs += about_base(leg.wrench, origin);
  EXPECT_EQ(x.found.leg.size(), x.m.leg.size());
  EXPECT_LT(size_of(legs - needed), 1e-11 * largest(x.expected));
}

/// Planar robots in space: their drives are unique, the forces that hold them in their plane are not.
TEST(Reactions, OfOverconstrainedRobotsAreFlagged) {
  for (const std::string name : {"five_bar", "rrr3", "four_bar"}) {
    SCOPED_TRACE(name);
    const Loaded x(shipped(name), 1, Formulation::legs);
    EXPECT_TRUE(newton_euler::inverse(x.m, x.s.q, x.s.v, x.s.a).unique);
    for (const JointReaction& r : x.found.cut) EXPECT_FALSE(r.unique) << r.joint;
    for (const JointReaction& r : x.found.tree) {
      const bool carries_platform = x.m.platform.floats && &r == &x.found.tree[at(x.m.platform.body)];
      EXPECT_EQ(r.unique, carries_platform) << r.joint;
    }
  }
}

/// Of all loop forces that do the same, the given ones are the shortest: none of their part is a self-stress.
TEST(Reactions, OfOverconstrainedRobotsAreTheShortest) {
  for (const std::string name : {"five_bar", "rrr3", "four_bar", "bricard"}) {
    const Loaded x(shipped(name), 2, Formulation::dalembert);
    const MatX<double> stress = null_space_of(x.w.K.transpose());
    EXPECT_GT(stress.cols(), 0) << name;
    EXPECT_LT((stress.transpose() * x.w.lambda).norm(), 1e-11 * (1 + x.w.lambda.norm())) << name;
  }
}

// ------------------------------------------------------------------------------------------------ shares of a wrench

Vec6<double> total(const WrenchShares& s) {
  Vec6<double> sum = Vec6<double>::Zero();
  for (const Vec6<double>& x : s.leg) sum += x;
  return sum;
}

/// tau without the wrench less tau with it, at rest.
VecX<double> relief(const Mechanism<double>& m, const VecX<double>& q, const Vec6<double>& wrench) {
  Workspace<double> w(m);
  w.q = q;
  EXPECT_TRUE(inverse_dynamics(m, w).ok());
  const VecX<double> without = w.tau;
  w.external[at(m.platform.body)] = about_base({wrench.head<3>(), wrench.tail<3>()}, platform_pose(m, w).p);
  EXPECT_TRUE(inverse_dynamics(m, w).ok());
  return without - w.tau;
}

/// Legs of the floating platform with as many freedoms as drives.
class SharesOf : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Dynamics, SharesOf,
                         testing::Values("hexapod", "flight_simulator", "hexa", "palida", "hexapod_arbitrary",
                                         "hexapod_offplane", "mathworks_stewart", "taghirad", "six_r", "delta", "psp3",
                                         "triglide", "rrr3"),
                         [](const auto& of) { return of.param; });

/// A leg's share does work on the platform's motion only where its own drive moves.
TEST_P(SharesOf, EachLegLoadItsOwnDriveByWhatTheWrenchRelieves) {
  const VecX<double> q = safely_reached(m, 3);
  const Workspace<double> w = placed(m, q);
  const Selection s = select_driven(m, w, m.rank);
  ASSERT_EQ(s.independent.size(), m.actuator.size());
  ExplicitForm<double> form(m, s);
  explicit_form(w, s, form);
  const MatX<double> twist = platform_jacobian(m, w) * form.G;
  const Vec6<double> wrench = random_vector(6, 5);
  const VecX<double> expected = relief(m, q, wrench);
  const WrenchShares shares = distribute_wrench(m, w, wrench);
  EXPECT_LT(shares.residual, 1e-10);
  EXPECT_LT((total(shares) - wrench).norm(), 1e-10);
  for (std::size_t i = 0; i < m.leg.size(); ++i)
    for (std::size_t y = 0; y < s.independent.size(); ++y) {
      const int c = s.independent[y], first = m.leg[i].first_v;
      const bool own = c >= first && c < first + m.leg[i].coordinates;
      const auto drive = std::find(m.actuator.begin(), m.actuator.end(), c) - m.actuator.begin();
      EXPECT_NEAR(shares.leg[i].dot(twist.col(static_cast<Eigen::Index>(y))), own ? expected[drive] : 0.0, 1e-10)
          << m.leg[i].name << " on " << m.coordinate[at(c)].name;
    }
}

/// Six legs with one wrench each: no choice. Fewer freedoms: constraint wrenches of several legs may overlap.
TEST(Shares, AreUniqueForSixLegsAndNotForAPlanarRobot) {
  const auto unique = [](const std::string& name) {
    const Mechanism<double>& m = shipped(name);
    return distribute_wrench(m, placed(m, safely_reached(m, 3)), random_vector(6, 5)).unique;
  };
  for (const std::string name : {"hexapod", "flight_simulator", "six_r", "hexa", "psp3"})
    EXPECT_TRUE(unique(name)) << name;
  EXPECT_FALSE(unique("rrr3"));
}

/// A hexapod whose legs 1 and 2 lost their drives cannot hold all wrenches: what is left is said.
TEST(Shares, LeaveAResidualWhereLegsCannotHold) {
  Mechanism<double> m = shipped("hexapod");
  for (const int i : {0, 1}) m.coordinate[at(m.actuator[at(i)])].actuated = false;
  m.actuator.erase(m.actuator.begin(), m.actuator.begin() + 2);
  const Workspace<double> w = placed(m, m.home);
  const Vec6<double> wrench = random_vector(6, 5);
  const WrenchShares shares = distribute_wrench(m, w, wrench);
  EXPECT_GT(shares.residual, 0.01);
  EXPECT_NEAR(shares.residual, (wrench - total(shares)).norm(), 1e-12);
}

}  // namespace
}  // namespace gough::reactions_test
