/// The mobility check against numbers derived by hand, on the shipped robots and on mechanisms with known diseases.
#include "gough/kinematics/mobility.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numbers>
#include <sstream>

#include "decompositions.hpp"
#include "robots.hpp"

namespace gough::mobility_test {

void PrintTo(const Finding& f, std::ostream* out) { *out << f.what; }

namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr double deg = std::numbers::pi / 180;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;

std::string file(const std::string& name) {
  std::ifstream in(robot_path(name));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

MobilityReport check(const RobotDescription& robot) {
  const Prepared ready = prepare(robot);
  return check_mobility(ready.mechanism, ready.home);
}
MobilityReport check(const std::string& text) { return check(robot_from(text)); }
MobilityReport check_shipped(const std::string& name) { return check(read_robot(robot_path(name))); }

auto says(const std::string& part) { return Contains(Field(&Finding::what, HasSubstr(part))); }

/// Smallest over largest singular value.
double ratio(const MatrixXd& A) {
  const VecX<double> s = svd_of(A).s;
  return s[s.size() - 1] / s[0];
}

/// What can be counted by hand.
struct Count {
  int bodies, loops, equations, rank, mobility, gruebler;
  std::string actuation;
  bool operator==(const Count&) const = default;
};
void PrintTo(const Count& c, std::ostream* out) {
  *out << fmt::format("bodies {}, loops {}, equations {}, rank {}, mobility {}, Gruebler {}, {}", c.bodies, c.loops,
                      c.equations, c.rank, c.mobility, c.gruebler, c.actuation);
}
Count count(const MobilityReport& r) {
  return {r.bodies, r.loops, r.equations, r.rank, r.mobility, r.gruebler, r.actuation};
}

// ------------------------------------------------------------------------------------------------ every robot

class EveryRobotChecked : public testing::TestWithParam<std::string> {
 protected:
  MobilityReport r = check_shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Mobility, EveryRobotChecked, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(EveryRobotChecked, ClosesAtHomeAsItsFileSays) {
  EXPECT_LT(r.closure_residual, 1e-12);
  EXPECT_TRUE(prepare(read_robot(robot_path(GetParam()))).home.as_given);
}

TEST_P(EveryRobotChecked, CountsAddUp) {
  EXPECT_EQ(r.mobility, r.coordinates - r.rank);
  EXPECT_EQ(r.gruebler, r.coordinates - r.equations);
  EXPECT_EQ(static_cast<int>(r.redundant.size()), r.equations - r.rank);
  EXPECT_EQ(r.rank_at_home, r.rank);
  EXPECT_EQ(r.joints, r.bodies + r.loops);
}

TEST_P(EveryRobotChecked, EveryFindingSuggestsARepair) {
  for (const Finding& f : r.findings) {
    EXPECT_FALSE(f.what.empty());
    EXPECT_FALSE(f.repair.empty()) << f.what;
    EXPECT_NE(f.severity, Finding::Severity::error) << f.what;
  }
}

TEST_P(EveryRobotChecked, IndicesAreRatios) {
  const double least = r.name == "andrews" ? 0 : 0.01;  // andrews starts at a dead centre
  for (const auto& index : {r.singularity.type1, r.singularity.type2, r.singularity.constraint})
    EXPECT_TRUE(!index || (*index >= least && *index <= 1)) << *index;
}

/// The robot built `s` times as large.
RobotDescription scaled(RobotDescription robot, double s) {
  for (BodyDescription& b : robot.bodies) {
    b.com *= s;
    b.symmetric.reset();
    for (auto& point : b.points) point.second *= s;
  }
  for (JointDescription& j : robot.joints) {
    j.origin.p *= s;
    j.child_origin.p *= s;
    j.length *= s;
    for (std::size_t k = 0; k < j.coordinates.size(); ++k) {
      if (!coordinate_kinds(j.kind)[k].is_length) continue;
      CoordinateDescription& c = j.coordinates[k];
      if (c.home) *c.home *= s;
      if (c.guess) *c.guess *= s;
      c.position = {c.position.lower * s, c.position.upper * s};
    }
  }
  if (!robot.platform) return robot;
  robot.platform->frame.p *= s;
  for (std::size_t i = 0; i < 3; ++i)
    if (robot.platform->home[i]) *robot.platform->home[i] *= s;
  return robot;
}

TEST_P(EveryRobotChecked, DoesNotDependOnTheUnitOfLength) {
  for (const double s : {0.01, 10.0}) {
    const MobilityReport other = check(scaled(read_robot(robot_path(GetParam())), s));
    EXPECT_EQ(count(other), count(r)) << s;
    EXPECT_EQ(other.redundant, r.redundant);
    EXPECT_NEAR(other.characteristic_length, r.characteristic_length * s, 1e-10 * s);
    const auto& a = other.singularity;
    const auto& b = r.singularity;
    EXPECT_NEAR(a.type1.value_or(-1), b.type1.value_or(-1), 1e-10);
    EXPECT_NEAR(a.constraint.value_or(-1), b.constraint.value_or(-1), 1e-10);
    EXPECT_NEAR(a.type2.value_or(-1), b.type2.value_or(-1), 1e-10);
  }
}

// ------------------------------------------------------------------------------------------------ shipped robots by
// hand

std::vector<Vector3d> circle(double radius, const std::vector<double>& azimuths) {
  std::vector<Vector3d> points;
  for (const double a : azimuths) points.emplace_back(radius * std::cos(a * deg), radius * std::sin(a * deg), 0);
  return points;
}

/// Rates of six struts from A to B + (0, 0, -0.65): u . v + (b x u) . w, turns measured at the radius of B.
MatrixXd hexapod_jacobian() {
  const auto A = circle(0.5, {-15, 15, 105, 135, 225, 255}), B = circle(0.12, {-45, 45, 75, 165, 195, 285});
  MatrixXd J(6, 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const Vector3d u = (B[i] + Vector3d(0, 0, -0.65) - A[i]).normalized();
    J.row(static_cast<Eigen::Index>(i)) << u.transpose(), B[i].cross(u).transpose() / 0.12;
  }
  return J;
}

TEST(Mobility, Hexapod) {
  // 6 x (ring, stator, slider) + platform; 24 joints; the ball of each leg is cut: 3 equations.
  const MobilityReport r = check_shipped("hexapod");
  EXPECT_EQ(count(r), (Count{19, 5, 18, 18, 6, 6, "full"}));
  EXPECT_THAT(r.redundant, IsEmpty());
  EXPECT_THAT(r.idle, IsEmpty());
  EXPECT_THAT(r.actuators,
              ElementsAre("leg1.drive", "leg2.drive", "leg3.drive", "leg4.drive", "leg5.drive", "leg6.drive"));
  EXPECT_NEAR(r.singularity.type2.value(), ratio(hexapod_jacobian()), 1e-12);
  EXPECT_FALSE(r.singularity.constraint) << "six-dof legs cannot lose a constraint";
  EXPECT_THAT(r.findings, IsEmpty());
}

TEST(Mobility, Psp3) {
  // The massless balls are merged: star and three sliders, three slides, three points on lines of 2 equations.
  // Lifting by z, tilting by rx, ry: da_i = dz + R (sin f_i wx - cos f_i wy). With R w as rate the columns are
  // orthogonal with squares 3, 3/2, 3/2. The legs' constraints, a tangential force each, act on x, y, R rz likewise.
  const MobilityReport r = check_shipped("psp3");
  EXPECT_EQ(count(r), (Count{4, 2, 6, 6, 3, 3, "full"}));
  EXPECT_THAT(r.actuators, ElementsAre("leg1.drive", "leg2.drive", "leg3.drive"));
  EXPECT_NEAR(r.singularity.type2.value(), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(r.singularity.constraint.value(), std::sqrt(0.5), 1e-12);
  EXPECT_THAT(r.findings, says("massless 'leg1.ball'"));
}

Vector2d turned(const Vector2d& v) { return {-v.y(), v.x()}; }

/// Where a link of length l1 from a and one of length l2 to b meet: to the left of the way from a to b, or right.
Vector2d elbow(const Vector2d& a, const Vector2d& b, double l1, double l2, bool left) {
  const Vector2d along = (b - a).normalized();
  const double d = (b - a).norm(), x = (l1 * l1 - l2 * l2 + d * d) / (2 * d), y = std::sqrt(l1 * l1 - x * x);
  return a + along * x + turned(along) * (left ? y : -y);
}

/// A planar two-link leg: base a, elbow e, tip b. Its drive's rate per velocity of the tip: d . v / d . (k x p).
struct PlanarLeg {
  Vector2d p, d;
  PlanarLeg(const Vector2d& a, const Vector2d& e, const Vector2d& b) : p(e - a), d(b - e) {}
  Vector2d drive() const { return d / d.dot(turned(p)); }
  Vector2d distal() const { return p / p.dot(turned(d)); }  ///< the second link's rate
};

const Vector2d tip(0, 0.4);
const PlanarLeg left({-0.1, 0}, elbow({-0.1, 0}, tip, 0.25, 0.35, true), tip);
const PlanarLeg right({0.1, 0}, elbow({0.1, 0}, tip, 0.25, 0.35, false), tip);

TEST(Mobility, FiveBar) {
  // The platform, the left distal link, floats: two revolute cuts of 5 equations on 3 + 6 coordinates. Planar: each of
  // the two cuts spends three equations on staying in the plane, but one set is enough to hold the platform in it.
  const MobilityReport r = check_shipped("five_bar");
  EXPECT_EQ(count(r), (Count{4, 1, 10, 7, 2, -1, "full"}));
  EXPECT_TRUE(r.planar);
  EXPECT_THAT(r.redundant, Each(AnyOf(EndsWith(".z"), EndsWith(".rx"), EndsWith(".ry"))));
  EXPECT_THAT(r.actuators, ElementsAre("left", "right"));
  MatrixXd J(2, 2);
  J << left.drive().transpose(), right.drive().transpose();
  EXPECT_NEAR(r.singularity.type2.value(), ratio(J), 1e-12);
}

TEST(Mobility, RedundantFiveBar) {
  // Not floating, because the elbow is driven: the tip alone is cut.
  const MobilityReport r = check_shipped("redundant_five_bar");
  EXPECT_EQ(count(r), (Count{4, 1, 5, 2, 2, -1, "redundant"}));
  EXPECT_THAT(r.actuators, ElementsAre("left", "right", "elbow"));
  EXPECT_THAT(r.redundant, ElementsAre("tip.z", "tip.rx", "tip.ry"));
  MatrixXd J(3, 2);
  J << left.drive().transpose(), right.drive().transpose(), (left.distal() - left.drive()).transpose();
  EXPECT_NEAR(r.singularity.type2.value(), ratio(J), 1e-12);
  EXPECT_THAT(r.findings, says("redundantly actuated: 3 drives for 2"));
}

TEST(Mobility, FourBar) {
  const MobilityReport r = check_shipped("four_bar");
  EXPECT_EQ(count(r), (Count{3, 1, 5, 2, 1, -2, "full"}));
  EXPECT_THAT(r.redundant, ElementsAre("close.z", "close.rx", "close.ry"));
  const Vector2d knee(0.1 * std::cos(60 * deg), 0.1 * std::sin(60 * deg)), pivot(0.25, 0);
  const Vector2d meet = elbow(knee, pivot, 0.25, 0.20, true);
  ASSERT_GT(meet.y(), 0);
  // With the crank standing the three passive turns must close the loop: columns (1; velocity at the mean of the four joints over L).
  const std::array<Vector2d, 4> joints = {Vector2d(0, 0), knee, meet, pivot};
  Vector2d mean(0, 0);
  for (const auto& p : joints) mean += p / 4;
  double square = 0;
  for (const auto& p : joints) square += (p - mean).squaredNorm() / 4;
  MatrixXd held(3, 3);
  for (Eigen::Index i = 0; i < 3; ++i)
    held.col(i) << 1, turned(mean - joints[static_cast<std::size_t>(i) + 1]) / std::sqrt(square);
  EXPECT_NEAR(r.singularity.type2.value(), ratio(held), 1e-12);
}

TEST(Mobility, Rrr3HasSixRedundantEquations) {
  const MobilityReport r = check_shipped("rrr3");
  EXPECT_EQ(count(r), (Count{7, 2, 15, 9, 3, -3, "full"}));
  EXPECT_THAT(r.redundant, AllOf(SizeIs(6), Each(AnyOf(EndsWith(".z"), EndsWith(".rx"), EndsWith(".ry")))));
  EXPECT_TRUE(r.planar);
  EXPECT_THAT(r.findings, says("planar but written in 3-D: 6 of 15"));
}

TEST(Mobility, Rrr3TypeTwoIndexFollowsFromItsGeometry) {
  const double radius = 0.042 / std::sqrt(3.0);
  const std::vector<Vector2d> base_points = {{-0.2, 0}, {0.15, 0.1}, {0.2, 0}};
  const std::vector<double> azimuth = {210, 330, 90}, guess = {11, 71, 94};
  MatrixXd J(3, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector2d r = radius * Vector2d(std::cos(azimuth[i] * deg), std::sin(azimuth[i] * deg));
    const Vector2d b = Vector2d(0, 0.25) + r, a = base_points[i];
    const Vector2d near = a + 0.2 * Vector2d(std::cos(guess[i] * deg), std::sin(guess[i] * deg));
    const Vector2d one = elbow(a, b, 0.2, 0.2, true), other = elbow(a, b, 0.2, 0.2, false);
    const PlanarLeg leg(a, (one - near).norm() < (other - near).norm() ? one : other, b);
    J.row(static_cast<Eigen::Index>(i)) << leg.drive().transpose(), leg.drive().dot(turned(r)) / radius;
  }
  EXPECT_NEAR(check_shipped("rrr3").singularity.type2.value(), ratio(J), 1e-11);  // radius is rounded in the file
}

TEST(Mobility, BricardMovesAlthoughCountingSaysNo) {
  const MobilityReport r = check_shipped("bricard");
  EXPECT_EQ(count(r), (Count{5, 1, 5, 4, 1, 0, "full"}));
  EXPECT_THAT(r.redundant, SizeIs(1));
  EXPECT_FALSE(r.planar);
  EXPECT_THAT(r.findings, says("overconstrained: 1 of 5"));
}

// ------------------------------------------------------------------------------------------------ idle motions

/// The hexapod's geometry with a ball at both ends of each strut: every strut can spin about itself.
const std::string sps = with(R"(
robot: sps
bodies: {platform: {mass: 4.5, inertia: [0.03, 0.03, 0.05]}}
legs:
  bodies: {cylinder: {mass: 5, inertia: [0.06, 0.06, 0.01]}, piston: {mass: 2, inertia: [0.04, 0.04, 0.002]}}
  joints:
    low: {type: spherical, parent: base, child: cylinder, origin: {rpy: [180 deg, 0, 0]}}
    drive: {type: prismatic, parent: cylinder, child: piston, role: actuated, guess: 0.75}
    high: {type: spherical, parent: piston, child: platform}
  placements:
)",
                             "placements:\n", file("hexapod").substr(file("hexapod").find("placements:")));

void expect_six_spins(const MobilityReport& r) {
  EXPECT_EQ(r.mobility, 6);
  EXPECT_EQ(r.actuation, "full");
  EXPECT_LT(r.closure_residual, 1e-12);
  ASSERT_THAT(r.idle, SizeIs(6));
  for (int leg = 1; leg <= 6; ++leg)
    EXPECT_THAT(r.idle,
                Contains(AllOf(HasSubstr("spin"), HasSubstr(fmt::format("leg{}.cylinder", leg)),
                               HasSubstr(fmt::format("leg{}.low", leg)), HasSubstr(fmt::format("leg{}.high", leg)))));
  EXPECT_NEAR(r.singularity.type2.value(), ratio(hexapod_jacobian()), 1e-11) << "spins change nothing else";
}

TEST(Idle, StrutsThatSpinAboutThemselvesAreLocked) {
  const MobilityReport r = check(sps);
  expect_six_spins(r);
  EXPECT_EQ(r.coordinates - r.rank, 6);
  EXPECT_THAT(r.redundant, IsEmpty());
  EXPECT_THAT(r.findings, says("locked"));
}

TEST(Idle, SpinsMayBeKeptAndAreThenNotCountedAsMobility) {
  const MobilityReport r = check(sps + "lock_idle: false\n");
  expect_six_spins(r);
  EXPECT_EQ(r.coordinates - r.rank, 12);
  EXPECT_THAT(r.findings, says("left free"));
}

TEST(Idle, LockingASpinLeavesThePlatformAtHome) {
  const Prepared p = prepared_from(sps);
  ASSERT_TRUE(p.home.assembly.closed && p.home.as_given);
  Workspace<double> w(p.mechanism);
  tree_positions(p.mechanism, w);
  EXPECT_LT((platform_pose(p.mechanism, w).p - Vector3d(0, 0, -0.65)).norm(), 1e-12);
}

/// A spatial four-bar whose coupler has a ball at both ends.
const std::string rssr = R"(
robot: rssr
bodies: {crank: {mass: 1}, rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}, rocker: {mass: 1}}
joints:
  in: {type: revolute, parent: base, child: crank, role: actuated, guess: 20 deg}
  one: {type: spherical, parent: crank, child: rod, origin: {xyz: [0.2, 0, 0]}}
  two: {type: spherical, parent: rod, child: rocker, origin: {xyz: [0.3, 0.4, 0]}, child_origin: {xyz: [0, 0.4, 0]}}
  out: {type: revolute, parent: base, child: rocker, origin: {xyz: [0.5, 0.1, 0.1]}, axis: [1, 0, 0]}
)";

TEST(Idle, ARodBetweenTwoBallsSpins) {
  for (const std::string keep : {"", "lock_idle: false\n"}) {
    const MobilityReport r = check(rssr + keep);
    EXPECT_EQ(r.mobility, 1) << keep;
    EXPECT_EQ(r.gruebler, 1) << keep;
    EXPECT_EQ(r.actuation, "full") << keep;
    EXPECT_THAT(r.idle, ElementsAre(AllOf(HasSubstr("spin"), HasSubstr("rod")))) << keep;
  }
}

TEST(Idle, AMasslessRodBetweenTwoBallsDoesNotSpinBecauseItIsADistance) {
  const MobilityReport r = check(with(rssr, "rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}", "rod: {}"));
  EXPECT_EQ(count(r), (Count{2, 1, 1, 1, 1, 1, "full"}));
  EXPECT_THAT(r.idle, IsEmpty());
  EXPECT_THAT(r.findings, says("distance"));
}

TEST(Idle, ASleeveBetweenTwoJointsOnOneAxisIsIdle) {
  std::string text = with(file("four_bar"), "crank: {mass: 0.10 kg", "sleeve: {mass: 1 kg}\n  crank: {mass: 0.10 kg");
  text = with(text, "crank: {type: revolute, parent: base, child: crank, role: actuated, home: 60 deg}",
              "shell: {type: revolute, parent: base, child: sleeve}\n"
              "  crank: {type: revolute, parent: sleeve, child: crank, guess: 60 deg}");
  text = with(text, "child: rocker, origin: {xyz: [0.25, 0, 0]}",
              "child: rocker, role: actuated, origin: {xyz: [0.25, 0, 0]}");
  const MobilityReport r = check(text);
  EXPECT_THAT(r.idle, ElementsAre(AllOf(HasSubstr("spin"), HasSubstr("sleeve"))));
  EXPECT_EQ(std::pair(r.mobility, r.actuation), std::pair(1, std::string("full")));
}

TEST(Idle, ASleeveThatAlsoSlidesHasTwoIdleMotions) {
  std::string text = with(file("four_bar"), "crank: {mass: 0.10 kg", "sleeve: {mass: 1 kg}\n  crank: {mass: 0.10 kg");
  text = with(text, "crank: {type: revolute, parent: base, child: crank, role: actuated, home: 60 deg}",
              "shell: {type: cylindrical, parent: base, child: sleeve}\n"
              "  crank: {type: cylindrical, parent: sleeve, child: crank, coordinates: [{guess: 60 deg}, {}]}");
  text = with(text, "child: rocker, origin: {xyz: [0.25, 0, 0]}",
              "child: rocker, role: actuated, origin: {xyz: [0.25, 0, 0]}");
  const MobilityReport r = check(text);
  EXPECT_THAT(r.idle, SizeIs(2));
  EXPECT_EQ(std::pair(r.mobility, r.actuation), std::pair(1, std::string("full")));
}

// ------------------------------------------------------------------------------------------------ actuation

TEST(Actuation, AMissingDriveIsReported) {
  const MobilityReport r = check(with(file("five_bar"), "role: actuated, guess: 46 deg", "guess: 46 deg"));
  EXPECT_EQ(count(r), (Count{4, 1, 10, 7, 2, -1, "under"}));
  EXPECT_THAT(r.findings, says("under-actuated: 1 drive for 2 degrees of freedom, of which 1"));
}

TEST(Actuation, NoDrivesAreUnderActuation) {
  const MobilityReport r = check(with(file("four_bar"), "role: actuated, ", ""));
  EXPECT_EQ(r.actuation, "under");
  EXPECT_THAT(r.actuators, IsEmpty());
}

/// A planar four-bar at x; `more` is added to the knee.
std::string four_bar_at(const std::string& name, double x, const std::string& role, const std::string& more) {
  return fmt::format(R"(
  {0}crank: {{type: revolute, parent: base, child: {0}crank, origin: {{xyz: [{1}, 0, 0]}}, guess: 60 deg{2}}}
  {0}knee: {{type: revolute, parent: {0}crank, child: {0}coupler, origin: {{xyz: [0.10, 0, 0]}}, guess: -33 deg{3}}}
  {0}rocker: {{type: revolute, parent: base, child: {0}rocker, origin: {{xyz: [{4}, 0, 0]}}, guess: 83 deg}}
  {0}close: {{type: revolute, parent: {0}coupler, child: {0}rocker, origin: {{xyz: [0.25, 0, 0]}}, child_origin: {{xyz: [0.20, 0, 0]}}}})",
                     name, x, role, more, x + 0.25);
}

TEST(Actuation, DrivesInTheWrongPlaceDoNotControl) {
  // Two four-bars side by side have two freedoms; two drives in the first one control one of them.
  const std::string bodies =
      "robot: two\nbodies: {acrank: {mass: 1}, acoupler: {mass: 1}, arocker: {mass: 1}, bcrank: {mass: 1}, bcoupler: "
      "{mass: 1}, brocker: {mass: 1}}\njoints:";
  const std::string driven = ", role: actuated";
  const MobilityReport wrong = check(bodies + four_bar_at("a", 0, driven, driven) + four_bar_at("b", 1, "", "") + "\n");
  EXPECT_EQ(std::tuple(wrong.mobility, wrong.loops, wrong.actuation), std::tuple(2, 2, "under"));
  EXPECT_THAT(wrong.findings, says("2 drives for 2 degrees of freedom, of which 1"));
  const MobilityReport right_one =
      check(bodies + four_bar_at("a", 0, driven, "") + four_bar_at("b", 1, driven, "") + "\n");
  EXPECT_EQ(std::tuple(right_one.mobility, right_one.loops, right_one.actuation), std::tuple(2, 2, "full"));
}

TEST(Actuation, ElasticJointsCountAsHeld) {
  // elastic_five_bar of the design: both distal links are two rods with an axial elastic joint between.
  std::string text = file("five_bar");
  for (const std::string side : {"left", "right"}) {
    text = with(text, "child: " + side + "_distal, origin: {xyz: [0.25, 0, 0]}",
                "child: " + side + "_half, origin: {xyz: [0.25, 0, 0]}");
    text = with(text, "joints:\n",
                "joints:\n  " + side + "_axial: {type: prismatic, parent: " + side + "_half, child: " + side +
                    "_distal, axis: [1, 0, 0], role: elastic, stiffness: 5.464e6}\n");
    text = with(text, "bodies:\n", "bodies:\n  " + side + "_half: {mass: 0.15, rod: [0.175, 0, 0]}\n");
  }
  const MobilityReport r = check(text);
  EXPECT_EQ(std::tuple(r.mobility, r.elastic, r.actuation), std::tuple(4, 2, "full"));
}

TEST(Actuation, ASerialArmHasNoLoopsAndAllItsFreedom) {
  const MobilityReport r = check(R"(
robot: arm
bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}
joints:
  i: {type: revolute, parent: base, child: a, role: actuated}
  j: {type: universal, parent: a, child: b, origin: {xyz: [1, 0, 0]}, role: actuated}
  k: {type: prismatic, parent: b, child: c, axis: [1, 0, 0], role: actuated}
)");
  EXPECT_EQ(count(r), (Count{3, 0, 0, 0, 4, 4, "full"}));
  EXPECT_FALSE(r.singularity.constraint);
}

TEST(Redundant, EquationsOfRoundingAreAmongThem) {
  // a Par4 whose wrists are all cut: of 29 equations two are zero but for rounding at home
  const std::string wrist = "type: spherical, parent: right_rod";
  std::string text = with(robot_text("par4"), wrist, "cut: true, " + wrist);
  text = with(text, "      type: spherical\n      parent: left_rod\n",
              "      type: spherical\n      cut: true\n      parent: left_rod\n");
  text = with(text, "      coordinates: [{}, {guess: -129 deg}, {}]\n", "");
  const MobilityReport r = check(text);
  ASSERT_TRUE(r.closed);
  EXPECT_EQ(r.mobility, 4);
  EXPECT_EQ(static_cast<int>(r.redundant.size()), r.equations - r.rank);
  const Mechanism<double> m = prepared_from(text).mechanism;
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  EXPECT_FALSE(has_separate_legs(m));
  EXPECT_THROW(leg_statics(m, w, 0), Error) << "its legs meet before the platform";
  EXPECT_TRUE(survey_poses(m, {platform_pose(m, w)}).failures.empty());
}

// ------------------------------------------------------------------------------------------------ home

TEST(Home, AHomeThatDoesNotCloseIsMovedAndReported) {
  const std::string text = with(file("four_bar"), "guess: -33 deg", "home: -20 deg");
  const Prepared p = prepared_from(text);
  EXPECT_TRUE(p.home.assembly.closed);
  EXPECT_FALSE(p.home.as_given);
  EXPECT_LT(p.home.assembly.residual, 1e-12);
  EXPECT_GT(p.home.largest_move, 0.01);
  EXPECT_THAT(p.home.moved_most, AnyOf("crank", "knee"));
  EXPECT_THAT(check(text).findings, says("does not close the loops; the nearest closed configuration moves"));
}

TEST(Home, TheClosedConfigurationIsTheNearest) {
  const Prepared p = prepared_from(with(file("four_bar"), "guess: -33 deg", "home: -20 deg"));
  const auto& m = p.mechanism;
  const VecX<double>& start = m.home_description.start;
  // Every closed configuration, by the crank's angle in steps of 0.001 deg.
  double least = 1e9;
  for (double crank = 0; crank < 120; crank += 0.001) {
    const Vector2d knee(0.1 * std::cos(crank * deg), 0.1 * std::sin(crank * deg)), pivot(0.25, 0);
    const Vector2d meet = elbow(knee, pivot, 0.25, 0.20, true);
    const double coupler = std::atan2(meet.y() - knee.y(), meet.x() - knee.x());
    const double rocker = std::atan2(meet.y(), meet.x() - 0.25);
    VecX<double> q(3);
    for (const TreeJoint& j : m.joint) {
      const std::string& name = m.coordinate[static_cast<std::size_t>(j.v)].name;
      q[j.q] = name == "crank" ? crank * deg : name == "knee" ? coupler - crank * deg : rocker;
    }
    least = std::min(least, (q - start).norm());
  }
  EXPECT_LT((m.home - start).norm(), 1.05 * least) << "shortest steps lead close to the nearest point of a curved set";
}

TEST(Home, AnImpossibleHomeNamesTheEquationThatStaysOpen) {
  const std::string text = with(file("four_bar"), "origin: {xyz: [0.25, 0, 0]}\n    child_origin",
                                "origin: {xyz: [1.25, 0, 0]}\n    child_origin");
  const Prepared p = prepared_from(text);
  EXPECT_FALSE(p.home.assembly.closed);
  EXPECT_THAT(p.home.assembly.explain(p.mechanism), AllOf(HasSubstr("not closed"), HasSubstr("'close.")));
  // ground + crank + rocker reach 0.55 at most, so at least 0.7 of the coupler's 1.25 stays open
  EXPECT_GT(p.home.assembly.residual, 0.7 / std::sqrt(2.0) - 1e-9);
  const MobilityReport r = check_mobility(p.mechanism, p.home);
  ASSERT_THAT(r.findings, says("cannot be assembled"));
  EXPECT_EQ(r.findings.front().severity, Finding::Severity::error);
}

TEST(Home, AHomeOutsideTheLimitsIsReported) {
  const MobilityReport r = check(with(file("hexapod"), "limits: [0.55 m, 1.00 m]", "limits: [0.55 m, 0.60 m]"));
  EXPECT_THAT(r.findings, says("outside the limits of 'leg1.drive'"));
}

TEST(Home, AnAbsurdHomeIsRefusedOrOpenButNeverNaN) {
  const std::string text = with(file("hexapod"), "[0, 0, -0.65, 0, 0, 0]", "[0, 0, -0.65, 1e300, 0, 0]");
  try {
    const Prepared p = prepared_from(text);
    EXPECT_TRUE(p.mechanism.home.allFinite());
    EXPECT_TRUE(std::isfinite(p.home.assembly.residual));
  } catch (const Error&) { SUCCEED(); }
}

TEST(Home, GivenCoordinatesAreKeptExactly) {
  const auto m = load_robot(robot_path("four_bar"));
  const auto crank = std::find_if(m.joint.begin(), m.joint.end(),
                                  [&](const TreeJoint& j) { return j.v == m.find_coordinate("crank"); });
  EXPECT_EQ(m.home[crank->q], 60 * deg);
}

// ------------------------------------------------------------------------------------------------ singular homes

/// The five-bar with one leg bent by `bend` at its elbow, its tip in the direction of 60 (left) or 120 deg (right).
std::string nearly_stretched(bool left_leg, double bend) {
  const double reach = std::sqrt(0.25 * 0.25 + 0.35 * 0.35 + 2 * 0.25 * 0.35 * std::cos(bend));
  const double x = (left_leg ? 1 : -1) * (reach * std::cos(60 * deg) - 0.1), y = reach * std::sin(60 * deg);
  const std::string text = with(file("five_bar"), "x: 0, y: 0.40", fmt::format("x: {}, y: {}", x, y));
  if (left_leg) return with(with(text, "guess: 134 deg", "guess: 60 deg"), "guess: -95 deg", "guess: -1 deg");
  return with(with(text, "guess: 46 deg", "guess: 120 deg"), "guess: 95 deg", "guess: 1 deg");
}

TEST(Singular, AStretchedLegIsATypeOneSingularity) {
  const MobilityReport r = check(nearly_stretched(false, 0));
  EXPECT_LT(r.closure_residual, 1e-12);
  EXPECT_LT(r.singularity.type1.value(), 1e-5);  // a stretched leg closes to sqrt(1e-12) in its angles
  EXPECT_EQ(r.singularity.type1_leg, "right_proximal");
  EXPECT_EQ(r.mobility, 2);
  EXPECT_THAT(r.findings, says("type-1 singularity"));
}

TEST(Singular, TheLegThatEndsInThePlatformMayBeStretchedToo) {
  const MobilityReport r = check(nearly_stretched(true, 0));  // its distal link is the platform
  EXPECT_LT(r.singularity.type1.value(), 1e-5);
  EXPECT_THAT(r.findings, says("type-1 singularity"));
}

TEST(Singular, AStretchedLegIsNoTypeTwoSingularity) {
  // With both drives standing the tip is where two circles cross at an angle: it cannot move.
  for (const bool left_leg : {true, false})
    EXPECT_THAT(check(nearly_stretched(left_leg, 0)).findings, Not(says("type-2")));
}

TEST(Singular, ATaskOfMoreCoordinatesThanTheMechanismHasIsNoTypeTwoSingularity) {
  // The 3-PSP with all six coordinates as its task: the drives still hold the platform.
  const MobilityReport r = check(with(file("psp3"), "  coordinates: [z, rx, ry]\n", ""));
  EXPECT_EQ(std::pair(r.mobility, r.actuation), std::pair(3, std::string("full")));
  EXPECT_THAT(r.findings, Not(says("type-2")));
}

TEST(Singular, TypeOneFadesInProportionToTheElbowsAngle) {
  const auto index = [](double bend) { return check(nearly_stretched(false, bend)).singularity.type1.value(); };
  EXPECT_NEAR(index(0.02) / index(0.01), 2, 0.05);  // sin(bend), and a scale that changes with the tip's place
}

TEST(Singular, AlignedDistalLinksAreATypeTwoSingularity) {
  // Distal links of 0.3 on one line between the elbows at (-0.3, 0.15) and (0.3, 0.15).
  std::string text = with(file("five_bar"), "0.35, 0, 0]", "0.3, 0, 0]");
  text = with(with(text, "x: 0, y: 0.40", "x: 0, y: 0.15"), "guess: 134 deg", "guess: 143.13010235415598 deg");
  text = with(with(text, "guess: 46 deg", "guess: 36.86989764584402 deg"), "guess: -95 deg",
              "guess: -143.13010235415598 deg");
  text = with(with(text, "guess: 95 deg", "guess: 143.13010235415598 deg"), "guess: -102 deg", "guess: 180 deg");
  const MobilityReport r = check(text);
  EXPECT_LT(r.closure_residual, 1e-12);
  EXPECT_LT(r.singularity.type2.value(), 1e-5);
  EXPECT_THAT(r.findings, says("type-2 singularity"));
}

TEST(Singular, AFlatParallelogramLosesAnEquation) {
  std::string text = with(with(file("four_bar"), "0.20, 0, 0]", "0.10, 0, 0]"), "home: 60 deg", "home: 0 deg");
  text = with(with(text, "guess: -33 deg", "guess: 0 deg"), "guess: 83 deg", "guess: 0 deg");
  const MobilityReport r = check(text);
  EXPECT_EQ(std::tuple(r.rank_at_home, r.rank, r.mobility), std::tuple(1, 2, 1));
  EXPECT_LT(r.singularity.constraint.value(), 1e-9);
  EXPECT_THAT(r.findings, says("home is a singular position of the loops: rank 1 there, 2 nearby"));
}

TEST(Singular, AHexapodOfParallelLegsIsSingular) {
  // Equal circles make all legs vertical: the platform can shift and turn without lengthening any leg.
  const MobilityReport r = check(with(with(file("hexapod"), "polar: [0.12, -45 deg, 0]", "polar: [0.5, -15 deg, 0]"),
                                      "polar: [0.12,", "polar: [0.5,"));
  EXPECT_GT(r.singularity.type2.value(), 1e-3) << "only one leg is vertical";
  std::string text = file("hexapod");
  const std::vector<std::string> from = {"-45", "45", "75", "165", "195", "285"},
                                 to = {"-15", "15", "105", "135", "225", "255"};
  for (std::size_t i = 0; i < 6; ++i) text = with(text, "[0.12, " + from[i] + " deg", "[0.5, " + to[i] + " deg");
  const MobilityReport parallel = check(text);
  EXPECT_LT(parallel.singularity.type2.value(), 1e-9);
  EXPECT_THAT(parallel.findings, says("type-2 singularity"));
  EXPECT_EQ(parallel.mobility, 6);
}

// ------------------------------------------------------------------------------------------------ overconstrained

TEST(Overconstrained, APlanarRobotCutAtAPointOnALineHasNoRedundantEquations) {
  const MobilityReport r =
      check(with(file("four_bar"), "close:\n    type: revolute", "close:\n    type: point_on_line"));
  EXPECT_EQ(count(r), (Count{3, 1, 2, 2, 1, 1, "full"}));
  EXPECT_THAT(r.redundant, IsEmpty());
}

TEST(Overconstrained, BennettsRingMovesWithThreeRedundantEquations) {
  // Links a, b, a, b with twists alpha, beta: sin(alpha) / a = sin(beta) / b. The joint angles t1, t2, -t1, -t2 follow
  // tan(t1/2) tan(t2/2) = sin((alpha + beta) / 2) / sin((beta - alpha) / 2).
  const double alpha = 30 * deg, beta = 60 * deg, t1 = 80 * deg;
  const double t2 = 2 * std::atan(std::sin((alpha + beta) / 2) / std::sin((beta - alpha) / 2) / std::tan(t1 / 2));
  const std::string text = fmt::format(R"(
robot: bennett
bodies: {{one: {{mass: 1}}, two: {{mass: 1}}, three: {{mass: 1}}}}
joints:
  j1: {{type: revolute, parent: base, child: one, role: actuated, home: {0}}}
  j2: {{type: revolute, parent: one, child: two, dh: {{a: 1, alpha: 30 deg}}, guess: {1}}}
  j3: {{type: revolute, parent: two, child: three, dh: {{a: 1.7320508075688772, alpha: 60 deg}}, guess: {2}}}
  j4: {{type: revolute, parent: base, child: three, origin: {{xyz: [-1.7320508075688772, 0, 0], rpy: [-60 deg, 0, 0]}},
       child_origin: {{xyz: [1, 0, 0], rpy: [30 deg, 0, 0]}}}}
)",
                                       t1, t2, -t1);
  const Prepared p = prepared_from(text);
  ASSERT_TRUE(p.home.assembly.closed && p.home.as_given);
  const MobilityReport r = check_mobility(p.mechanism, p.home);
  EXPECT_EQ(count(r), (Count{3, 1, 5, 2, 1, -2, "full"}));
}

TEST(Overconstrained, ADoorOnTwoHingesTurnsAndIsNotSingular) {
  const MobilityReport r = check(R"(
robot: door
bodies: {leaf: {mass: 1}}
joints:
  low: {type: revolute, parent: base, child: leaf, role: actuated}
  high: {type: revolute, parent: base, child: leaf, origin: {xyz: [0, 0, 1]}, child_origin: {xyz: [0, 0, 1]}}
)");
  EXPECT_EQ(count(r), (Count{1, 1, 5, 0, 1, -4, "full"}));
  EXPECT_THAT(r.findings, Not(says("singularity")));
}

TEST(Overconstrained, ATriangleCannotMove) {
  const MobilityReport r = check(R"(
robot: triangle
bodies: {a: {mass: 1}, b: {mass: 1}}
joints:
  i: {type: revolute, parent: base, child: a, guess: 50 deg}
  j: {type: revolute, parent: a, child: b, origin: {xyz: [1, 0, 0]}, guess: -100 deg}
  k: {type: revolute, parent: base, child: b, origin: {xyz: [1.2, 0, 0]}, child_origin: {xyz: [1, 0, 0]}}
)");
  EXPECT_EQ(std::tuple(r.mobility, r.gruebler), std::tuple(0, -3));
  EXPECT_THAT(r.findings, says("cannot move"));
}

}  // namespace
}  // namespace gough::mobility_test
