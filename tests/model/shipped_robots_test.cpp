/// Every shipped robot against its definition in numbers, worked out here anew: lengths from radii, angles from
/// triangles, inertias from sections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "gough/gough.hpp"

namespace gough::shipped_robots_test {
namespace {

using Eigen::Vector3d;
constexpr double deg = M_PI / 180;
constexpr double exact = 1e-12;  // what the loops are closed to
constexpr std::array base_azimuth = {-15.0, 15.0, 105.0, 135.0, 225.0, 255.0};
constexpr std::array platform_azimuth = {-45.0, 45.0, 75.0, 165.0, 195.0, 285.0};

std::string file_of(const std::string& robot) { return GOUGH_SOURCE_DIR "/robots/" + robot + ".yaml"; }
Vector3d polar(double radius, double azimuth_deg, double z = 0) {
  return {radius * std::cos(azimuth_deg * deg), radius * std::sin(azimuth_deg * deg), z};
}
std::string leg(std::size_t i, const std::string& name) { return "leg" + std::to_string(i + 1) + "." + name; }

/// A robot at home.
struct Robot {
  RobotDescription description;
  Prepared ready;
  const Mechanism<double>& m = ready.mechanism;
  Workspace<double> w;

  explicit Robot(const std::string& name)
      : description(read_robot(file_of(name))), ready(prepare(description)), w(ready.mechanism) {
    tree_positions(m, w);
    closure(m, w);
  }
  std::size_t index(const std::string& body) const {
    const int i = m.find_body(body);
    if (i < 0) throw std::runtime_error("no body " + body);
    return static_cast<std::size_t>(i);
  }
  /// The author's body frame in the base.
  Transform<double> pose(const std::string& body) const { return w.X0[index(body)] * m.body_frame[index(body)]; }
  Vector3d point(const std::string& body, const Vector3d& at = Vector3d::Zero()) const { return pose(body) * at; }
  /// The axis of the tree joint that carries a body.
  Vector3d axis(const std::string& body) const { return w.X0[index(body)].R.col(2); }
  double q(const std::string& coordinate) const {
    const int c = m.find_coordinate(coordinate);
    for (const TreeJoint& j : m.joint)
      if (j.v == c && velocity_size(j.type) == 1) return w.q[j.q];
    throw std::runtime_error("no coordinate " + coordinate);
  }
  double mass() const {
    return std::accumulate(m.inertia.begin(), m.inertia.end(), 0.0, [](double s, const auto& I) { return s + I.mass; });
  }
  /// First axis (on the leg) and second axis (on the platform) of a universal joint that is cut.
  std::pair<Vector3d, Vector3d> universal_axes(const std::string& joint) const {
    for (std::size_t c = 0; c < m.cut.size(); ++c)
      if (m.cut[c].name == joint) return {cut_frame_a(m, w, c).R.col(2), cut_frame_b(m, w, c).R.col(0)};
    throw std::runtime_error("no cut joint " + joint);
  }
  double coefficient(const std::string& name) const { return description.coefficients.at(name); }
};

::testing::Message off(const Vector3d& a, const Vector3d& b) {
  return ::testing::Message() << a.transpose() << " instead of " << b.transpose();
}
#define EXPECT_AT(a, b) EXPECT_LT(((a) - (b)).norm(), exact) << off(a, b)
#define EXPECT_PARALLEL(a, b) EXPECT_LT((a).normalized().cross((b).normalized()).norm(), exact) << off(a, b)

// ------------------------------------------------------------------------------------------------ counts

struct Count {
  const char* robot;
  int bodies, loops, coordinates, equations, rank, mobility, actuators;
  std::size_t idle;
  const char* actuation;
};
void PrintTo(const Count& c, std::ostream* out) { *out << c.robot; }

class EveryShippedRobot : public testing::TestWithParam<Count> {};

TEST_P(EveryShippedRobot, LoadsClosesAndCounts) {
  const Count& expected = GetParam();
  const Prepared ready = prepare(read_robot(file_of(expected.robot)));
  const MobilityReport r = check_mobility(ready.mechanism, ready.home);
  EXPECT_EQ(r.name, expected.robot);
  EXPECT_TRUE(ready.home.assembly.closed);
  EXPECT_TRUE(ready.home.as_given);
  EXPECT_LT(r.closure_residual, exact);
  EXPECT_EQ(r.bodies, expected.bodies);
  EXPECT_EQ(r.loops, expected.loops);
  EXPECT_EQ(r.coordinates, expected.coordinates);
  EXPECT_EQ(r.equations, expected.equations);
  EXPECT_EQ(r.rank, expected.rank);
  EXPECT_EQ(r.rank_at_home, expected.rank);
  EXPECT_EQ(r.mobility, expected.mobility);
  EXPECT_EQ(static_cast<int>(r.actuators.size()), expected.actuators);
  EXPECT_EQ(r.idle.size(), expected.idle);
  EXPECT_EQ(r.actuation, expected.actuation);
  for (const Finding& f : r.findings)
    EXPECT_TRUE(f.severity == Finding::Severity::info || std::string(expected.robot) == "andrews") << f.what;
}

// A floating platform has 6 coordinates. Cuts: revolute 5 equations, universal 4, spherical 3, point_on_line 2.
// A plane loop has 3 independent equations of its own; a floating plane platform adds its 3 across the plane. So it is on a sphere.
// Orthoglide: 2 in each parallelogram, and the 15 of the wrists less 3, as each leg holds two turns of the platform. Par4: 3 across its
// plate follow, and 1 as four pairs of rods hold three turns.
INSTANTIATE_TEST_SUITE_P(
    Robots, EveryShippedRobot,
    testing::Values(
        Count{"agile_eye", 7, 2, 6 + 3 * 2, 15, 9, 3, 3, 0, "full"}, Count{"andrews", 7, 3, 7, 15, 6, 1, 1, 0, "full"},
        Count{"bricard", 5, 1, 5, 5, 4, 1, 1, 0, "full"},
        Count{"delta", 10, 5, 6 + 3 * (1 + 2 + 2), 18, 18, 3, 3, 6, "full"},
        Count{"delta_flexible", 10, 5, 21, 18, 18, 3, 3, 6, "full"},
        Count{"elastic_five_bar", 6, 1, 6, 5, 2, 4, 2, 0, "full"},
        Count{"five_bar", 4, 1, 6 + 3, 10, 7, 2, 2, 0, "full"},
        Count{"five_bar_flexible", 4, 1, 6 + 3, 10, 7, 2, 2, 0, "full"},
        Count{"flight_simulator", 13, 5, 6 + 6 * 4, 24, 24, 6, 6, 0, "full"},
        Count{"four_bar", 3, 1, 3, 5, 2, 1, 1, 0, "full"}, Count{"fourbar2", 2, 1, 2, 1, 1, 1, 1, 0, "full"},
        Count{"hexa", 13, 5, 6 + 6 * 3, 18, 18, 6, 6, 0, "full"},
        Count{"hexaglide", 13, 5, 6 + 6 * 3, 18, 18, 6, 6, 0, "full"},
        Count{"hexapod", 19, 5, 24, 18, 18, 6, 6, 0, "full"},
        Count{"hexapod_arbitrary", 19, 5, 24, 18, 18, 6, 6, 0, "full"},
        Count{"hexapod_flexible", 19, 5, 24, 18, 18, 6, 6, 0, "full"},
        Count{"hexapod_offplane", 19, 5, 24, 18, 18, 6, 6, 0, "full"},
        Count{"mathworks_stewart", 13, 5, 24, 18, 18, 6, 6, 0, "full"},
        Count{"n_four_bar_40", 81, 40, 81, 200, 80, 1, 1, 0, "full"},
        Count{"orthoglide", 16, 5, 6 + 3 * 5, 30, 18, 3, 3, 0, "full"},
        Count{"palida", 19, 5, 24, 18, 18, 6, 6, 0, "full"}, Count{"palletizer", 10, 3, 10, 15, 6, 4, 4, 0, "full"},
        Count{"par4", 20, 8, 6 + 3 + 2 + 4 * (1 + 2 + 2), 2 * 5 + 7 * 3, 27, 4, 4, 8, "full"},
        Count{"pendulum", 1, 0, 1, 0, 0, 1, 1, 0, "full"}, Count{"psp3", 4, 2, 6 + 3, 6, 6, 3, 3, 0, "full"},
        Count{"redundant_five_bar", 4, 1, 4, 5, 2, 2, 3, 0, "redundant"},
        Count{"rps3", 7, 2, 6 + 3 * 2, 9, 9, 3, 3, 0, "full"}, Count{"rrr3", 7, 2, 6 + 6, 15, 9, 3, 3, 0, "full"},
        Count{"rrr3_flexible", 7, 2, 6 + 6, 15, 9, 3, 3, 0, "full"},
        Count{"rrr3_flexible_b", 7, 2, 6 + 6, 15, 9, 3, 3, 0, "full"},
        Count{"six_r", 25, 5, 6 + 6 * 4, 24, 24, 6, 6, 0, "full"},
        Count{"taghirad", 13, 5, 24, 18, 18, 6, 6, 0, "full"}, Count{"triglide", 10, 5, 21, 18, 18, 3, 3, 6, "full"},
        Count{"upu3", 7, 2, 6 + 3 * 3, 12, 12, 3, 3, 0, "full"}),
    [](const auto& param) { return std::string(param.param.robot); });

// ------------------------------------------------------------------------------------------------ plane robots

/// Angles of two links of lengths a and b from `from` to `to`; the elbow lies to the left of that line if `left`.
std::pair<double, double> two_links(const Vector3d& from, const Vector3d& to, double a, double b, bool left) {
  const Vector3d r = to - from;
  const double d = r.norm(), direction = std::atan2(r.y(), r.x());
  const double inner = std::acos((a * a + d * d - b * b) / (2 * a * d)) * (left ? 1 : -1);
  const double first = direction + inner;
  const Vector3d elbow = from + Vector3d(a * std::cos(first), a * std::sin(first), 0);
  return {first, std::atan2((to - elbow).y(), (to - elbow).x()) - first};
}

TEST(ShippedRobots, FiveBarsStandWithElbowsOutwards) {
  const Vector3d tip(0, 0.4, 0);
  const auto left = two_links({-0.1, 0, 0}, tip, 0.25, 0.35, true),
             right = two_links({0.1, 0, 0}, tip, 0.25, 0.35, false);
  for (const char* name : {"five_bar", "five_bar_flexible", "elastic_five_bar", "redundant_five_bar"}) {
    const Robot r(name);
    EXPECT_NEAR(r.q("left"), left.first, exact) << name;
    EXPECT_NEAR(r.q("right"), right.first, exact) << name;
    EXPECT_AT(platform_pose(r.m, r.w).p, tip);
    EXPECT_EQ(r.m.platform.coordinates, (PoseMask{true, true, false, false, false, false}));
    EXPECT_AT(Vector3d(r.m.gravity), Vector3d(0, -9.81, 0));
  }
  EXPECT_NEAR(Robot("redundant_five_bar").q("elbow"), left.second, exact);
}

TEST(ShippedRobots, ElasticFiveBarIsTheFiveBarInTwoHalves) {
  const Robot r("elastic_five_bar");
  EXPECT_NEAR(r.mass(), Robot("five_bar").mass(), exact);
  for (const std::string side : {"left", "right"}) {
    const int c = r.m.find_coordinate(side + "_stretch");
    EXPECT_NEAR(r.q(side + "_stretch"), 0, exact);
    EXPECT_EQ(r.m.stiffness[static_cast<std::size_t>(c)], 5.464e6);
    EXPECT_EQ(r.m.damping[static_cast<std::size_t>(c)], 0);
    EXPECT_PARALLEL(r.axis(side + "_tip"), (r.point(side + "_tip", {0.175, 0, 0}) - r.point(side + "_distal")));
    EXPECT_NEAR((r.point(side + "_tip", {0.175, 0, 0}) - r.point(side + "_distal")).norm(), 0.35, exact);
  }
  // The platform hangs on an elastic joint, which is never cut: it stays at the end of its leg.
  EXPECT_FALSE(r.m.platform.floats);
  ASSERT_EQ(r.m.cut.size(), 1u);
  EXPECT_EQ(r.m.cut[0].name, "tip");
  EXPECT_EQ(r.m.elastic.size(), 2u);
}

TEST(ShippedRobots, FiveBarBeamsWeighWhatTheirSectionSays) {
  const RobotDescription r = read_robot(file_of("five_bar_flexible"));
  const double mass = 2700 * 1e-4 * 0.35, I = 1e-8 / 12;
  const Inertia<double> left = r.body("left_distal")->total(), right = r.body("right_distal")->total();
  EXPECT_NEAR(right.mass, mass, 1e-15);
  EXPECT_NEAR(left.mass, mass + 0.2, 1e-15);
  EXPECT_NEAR(right.second(2, 2), mass * 0.35 * 0.35 / 3 + 2700 * I * 0.35, 1e-15);
  EXPECT_NEAR(right.second(0, 0), 2700 * 2 * I * 0.35, 1e-15);
  EXPECT_NEAR(left.second(2, 2), right.second(2, 2) + 0.2 * 0.35 * 0.35, 1e-15);
  EXPECT_EQ(r.body("right_distal")->beam.at(0).elements, 4);
  EXPECT_NEAR(r.body("right_distal")->beam.at(0).G, 7e10 / 2.66, 1);
}

TEST(ShippedRobots, ThreeRrrStandsAsReadingsAAndBSay) {
  struct Case {
    const char* name;
    double hinge, y;
  };
  const double radius = 0.042 / std::sqrt(3);
  for (const Case& c :
       {Case{"rrr3", -0.2, 0.25}, Case{"rrr3_flexible", -0.2, 0.25}, Case{"rrr3_flexible_b", -0.3, 0.2}}) {
    const Robot r(c.name);
    const std::array hinge = {Vector3d(c.hinge, 0, 0), Vector3d(0.15, 0.1, 0), Vector3d(0.2, 0, 0)};
    const std::array azimuth = {210.0, 330.0, 90.0};
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3d vertex = Vector3d(0, c.y, 0) + polar(radius, azimuth[i]), to = vertex - hinge[i];
      EXPECT_NEAR(r.q(leg(i, "motor")), std::atan2(to.y(), to.x()) - std::acos(to.norm() / 0.4), exact) << c.name;
      EXPECT_AT(r.point(leg(i, "proximal")), hinge[i]);
      EXPECT_AT(r.point(leg(i, "distal"), {0.2, 0, 0}), vertex);
    }
    EXPECT_EQ(Vector3d(r.m.gravity), Vector3d::Zero());
    EXPECT_EQ(r.m.platform.coordinates, (PoseMask{true, true, false, false, false, true}));
    EXPECT_NEAR(r.mass(), 6 * (7800 * 9e-6 * 0.2 + 0.08) + 0.1, 1e-14) << c.name;
  }
}

TEST(ShippedRobots, ThreeRrrBeamsHaveTheBenchmarksTipCompliance) {
  for (const char* name : {"rrr3_flexible", "rrr3_flexible_b"}) {
    const BodyDescription link = *read_robot(file_of(name)).body("leg2.distal");
    const BeamDescription& b = link.beam.at(0);
    const double L = b.length();
    EXPECT_NEAR(L * L * L / (3 * b.E * b.Iz) + L / (b.shear_factor * b.G * b.A), 1.88157648442e-3, 1e-14);
    EXPECT_EQ(b.elements, 4);
    EXPECT_TRUE(b.shear);
    const double m = 7800 * 9e-6 * 0.2;
    EXPECT_NEAR(link.total().second(2, 2), m * 0.04 / 3 + 7800 * 81e-12 / 12 * 0.2 + 0.04 * 0.04, 1e-16);
  }
}

// ------------------------------------------------------------------------------------------------ hexapods

TEST(ShippedRobots, HexapodsHaveTheirJointsOnTheCircles) {
  struct Case {
    const char *name, *at_base, *at_platform;
    double z, b_z;
  };
  for (const Case& c :
       {Case{"hexapod", "stator", "slider", -0.65, 0}, Case{"hexapod_flexible", "stator", "slider", -0.65, 0},
        Case{"palida", "stator", "slider", -0.65, 0}, Case{"flight_simulator", "stator", "slider", -0.65, 0},
        Case{"hexapod_offplane", "stator", "slider", -0.60, -0.05}}) {
    const Robot r(c.name);
    for (std::size_t i = 0; i < 6; ++i) {
      const Vector3d A = polar(0.5, base_azimuth[i]), B = polar(0.12, platform_azimuth[i], c.z + c.b_z);
      EXPECT_AT(r.point(leg(i, c.at_base)), A);
      EXPECT_AT(r.point(leg(i, c.at_platform)), B);
      EXPECT_NEAR(r.q(leg(i, "drive")), (B - A).norm(), exact) << c.name;
    }
    EXPECT_AT(platform_pose(r.m, r.w).p, Vector3d(0, 0, c.z));
  }
}

TEST(ShippedRobots, HexapodsWeighTheSame) {
  const double with_rings = 6 * (0.8 + 5.0 + 2.2) + 4.5;
  for (const char* name : {"hexapod", "palida", "hexapod_offplane", "hexapod_arbitrary"})
    EXPECT_NEAR(Robot(name).mass(), with_rings, exact) << name;
  EXPECT_NEAR(Robot("flight_simulator").mass(), with_rings - 6 * 0.8, exact);
  const double tube = 7850 * M_PI / 4 * (0.03 * 0.03 - 0.024 * 0.024) * 0.45;
  EXPECT_NEAR(Robot("hexapod_flexible").mass(), with_rings + 6 * (1.301 + tube - 2.2), exact);
  EXPECT_NEAR(1.301 + tube, 2.2, 2e-4) << "the carriage is what the rigid slider weighs more than the tube";
}

TEST(ShippedRobots, FlexibleSliderIsATubeWithACarriageAtItsBackEnd) {
  const BodyDescription slider = *read_robot(file_of("hexapod_flexible")).body("leg3.slider");
  const double A = M_PI / 4 * (9e-4 - 5.76e-4), I = M_PI / 64 * (std::pow(0.03, 4) - std::pow(0.024, 4));
  const double tube = 7850 * A * 0.45;
  const Inertia<double> total = slider.total();
  EXPECT_NEAR(total.first.z(), -1.301 * 0.45 - tube * 0.225, 1e-14);
  EXPECT_NEAR(total.second(0, 0), 0.02 + 1.301 * 0.45 * 0.45 + tube * 0.45 * 0.45 / 3 + 7850 * I * 0.45, 1e-14);
  EXPECT_NEAR(total.second(2, 2), 0.001 + 2 * 7850 * I * 0.45, 1e-14);
  EXPECT_EQ(slider.beam.at(0).elements, 4);
}

TEST(ShippedRobots, PalidasAnglesAndFramesAreThePapers) {
  for (const char* name : {"palida", "hexapod_offplane", "hexapod_arbitrary"}) {
    const Robot r(name);
    for (std::size_t i = 0; i < 6; ++i) {
      const Transform<double> ring = r.pose(leg(i, "ring")), stator = r.pose(leg(i, "stator")),
                              slider = r.pose(leg(i, "slider"));
      const Vector3d l = slider.p - stator.p;
      EXPECT_NEAR(r.q(leg(i, "alpha")), std::atan2(l.x(), -l.z()), exact) << "(30)";
      EXPECT_NEAR(r.q(leg(i, "beta")), std::atan(l.y() / std::hypot(l.x(), l.z())), exact) << "(31)";
      EXPECT_PARALLEL(ring.R.col(2), Vector3d(0, 1, 0));
      EXPECT_PARALLEL(stator.R.col(2), Vector3d(0, 1, 0).cross(l));
      EXPECT_AT(stator.R.col(1), l.normalized());
      EXPECT_AT(slider.R.col(2), l.normalized());
    }
  }
}

TEST(ShippedRobots, PalidasFrictionIsPerDriveAndSharedByTheCardans) {
  const Robot r("palida");
  const std::array dry = {12.0, 11.0, 13.0, 12.0, 10.0, 14.0}, damping = {25.0, 24.0, 27.0, 26.0, 23.0, 28.0};
  EXPECT_EQ(r.m.coefficient.size(), 14u) << "6 dry, 6 viscous, one for alpha, one for beta";
  const auto terms = [&](const std::string& coordinate) {
    std::map<std::string, double> all;
    for (const FrictionUse& f : r.m.coordinate[static_cast<std::size_t>(r.m.find_coordinate(coordinate))].friction)
      all[f.function] = r.m.coefficient[static_cast<std::size_t>(f.coefficient)];
    return all;
  };
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(terms(leg(i, "drive")), (std::map<std::string, double>{{"coulomb", dry[i]}, {"viscous", damping[i]}}));
    EXPECT_EQ(terms(leg(i, "alpha")), (std::map<std::string, double>{{"coulomb", 0.25}}));
    EXPECT_EQ(terms(leg(i, "beta")), (std::map<std::string, double>{{"coulomb", 0.20}}));
  }
}

TEST(ShippedRobots, PalidaDeclaresTheSymmetriesOfItsTable) {
  const RobotDescription r = read_robot(file_of("palida"));
  const auto entries = [&](const char* body) {
    std::string all;
    for (std::size_t i = 0; i < 9; ++i)
      if ((*r.body(body)->symmetric)[i]) all += std::string(inertia_entry_names[i]) + " ";
    return all;
  };
  EXPECT_EQ(entries("leg1.ring"), "Ixx Ixy Ixz Iyy Iyz Izz ");
  EXPECT_EQ(entries("leg1.stator"), "Ixx Iyy Izz sy ");
  EXPECT_EQ(entries("leg1.slider"), "Ixx Iyy Izz sz ");
  EXPECT_EQ(entries("platform"), "Ixx Iyy Izz sz ");
  EXPECT_EQ(read_robot(file_of("hexapod_offplane")).body("platform")->com, Vector3d(0, 0, -0.02));
}

TEST(ShippedRobots, ArbitraryHexapodIsIrregularWithinFiveCentimetres) {
  const Robot r("hexapod_arbitrary");
  for (std::size_t i = 0; i < 6; ++i) {
    const double a = (r.point(leg(i, "stator")) - polar(0.5, base_azimuth[i])).norm();
    const double b = (r.point(leg(i, "slider")) - polar(0.12, platform_azimuth[i], -0.65)).norm();
    EXPECT_TRUE(a > 0.01 && a < 0.05 && b > 0.01 && b < 0.05) << a << " " << b;
    EXPECT_GT(std::abs(r.point(leg(i, "stator")).z()), 1e-3);
  }
}

TEST(ShippedRobots, SixRLegsBendOutwardsAtTheKnee) {
  const Robot r("six_r");
  EXPECT_NEAR(r.mass(), 4.5 + 6 * (0.8 + 0.6), exact);
  for (std::size_t i = 0; i < 6; ++i) {
    const Vector3d A = polar(0.5, base_azimuth[i]), B = polar(0.12, platform_azimuth[i], -0.6);
    const Vector3d level = Vector3d((B - A).x(), (B - A).y(), 0).normalized();
    const Vector3d knee = r.point(leg(i, "shin")), knee_axis = r.axis(leg(i, "shin"));
    EXPECT_AT(r.point(leg(i, "thigh")), A);
    EXPECT_AT(r.point(leg(i, "shin"), {0, 0, 0.45}), B);
    EXPECT_NEAR((knee - A).norm(), 0.40, exact);
    EXPECT_NEAR(r.q(leg(i, "knee")), std::acos(((B - A).squaredNorm() - 0.4 * 0.4 - 0.45 * 0.45) / (2 * 0.4 * 0.45)),
                exact);
    EXPECT_NEAR(r.q(leg(i, "knee")) / deg, 63.971, 5e-4);
    EXPECT_PARALLEL(knee_axis, level.cross(Vector3d::UnitZ()));
    const Vector3d on_line = A + (B - A) * (knee - A).dot(B - A) / (B - A).squaredNorm();
    EXPECT_LT((knee - on_line).dot(level), -0.1) << "outwards of the line from A to B";
    EXPECT_PARALLEL(r.axis(leg(i, "hip_cross")), knee_axis);
    EXPECT_PARALLEL(r.axis(leg(i, "hip_fork")), knee_axis.cross(knee - A));
    EXPECT_PARALLEL(r.axis(leg(i, "thigh")), (knee - A));
    for (const char* hip : {"hip1", "hip2", "hip3"}) EXPECT_NEAR(r.q(leg(i, hip)), 0, exact);
    EXPECT_PARALLEL(r.universal_axes(leg(i, "top")).first, knee_axis);
    EXPECT_PARALLEL(r.universal_axes(leg(i, "top")).second, level);
  }
}

TEST(ShippedRobots, FlightSimulatorsTopAxesAreLevel) {
  const Robot r("flight_simulator");
  for (std::size_t i = 0; i < 6; ++i) {
    const Vector3d A = polar(0.5, base_azimuth[i]), B = polar(0.12, platform_azimuth[i], -0.65);
    const Vector3d level = Vector3d((B - A).x(), (B - A).y(), 0).normalized();
    EXPECT_PARALLEL(r.universal_axes(leg(i, "top")).first, level.cross(Vector3d::UnitZ()));
    EXPECT_PARALLEL(r.universal_axes(leg(i, "top")).second, level);
    EXPECT_AT(r.pose(leg(i, "slider")).R.col(2), (B - A).normalized());
  }
}

// ------------------------------------------------------------------------------------------------ arms and rails

TEST(ShippedRobots, DeltasArmsPointOutwardsAndItsRodsCloseInPairs) {
  // (0.15 + 0.3 cos q)^2 + (0.7 - 0.3 sin q)^2 = 0.8^2 is a cos q + b sin q = c
  const double a = 2 * 0.15 * 0.3, b = -2 * 0.7 * 0.3, c = 0.64 - 0.15 * 0.15 - 0.3 * 0.3 - 0.7 * 0.7;
  const double q = std::atan2(b, a) + std::acos(c / std::hypot(a, b));
  EXPECT_NEAR(q, 0.12367826, 5e-9);
  for (const char* name : {"delta", "delta_flexible"}) {
    const Robot r(name);
    for (std::size_t i = 0; i < 3; ++i) {
      const Eigen::Matrix3d turn = rotation_z(120 * deg * static_cast<double>(i));
      EXPECT_NEAR(r.q(leg(i, "motor")), q, exact) << name;
      for (const auto& [rod, y] : {std::pair("left_rod", -0.04), std::pair("right_rod", 0.04)}) {
        EXPECT_AT(r.point(leg(i, rod)), turn * Vector3d(0.2 + 0.3 * std::cos(q), y, -0.3 * std::sin(q)));
        EXPECT_AT(r.point(leg(i, rod), {0.8, 0, 0}), turn * Vector3d(0.05, y, -0.7));
      }
      const auto motor = static_cast<std::size_t>(r.m.find_coordinate(leg(i, "motor")));
      EXPECT_EQ(r.m.rotor_inertia[motor], 2e-5);
      EXPECT_EQ(r.m.ratio[motor], 20);
    }
    EXPECT_EQ(r.m.platform.coordinates, (PoseMask{true, true, true, false, false, false}));
  }
  const double tube = 1600 * M_PI / 4 * (1e-4 - 0.64e-4) * 0.8;
  EXPECT_NEAR(Robot("delta").mass(), 0.5 + 3 * 0.6 + 6 * 0.1, exact);
  EXPECT_NEAR(Robot("delta_flexible").mass(), 0.5 + 3 * 0.6 + 6 * tube, exact);
}

TEST(ShippedRobots, TriglideHangsFromCarriagesAtZero) {
  const Robot r("triglide");
  const double z = -std::sqrt(0.25 - 0.2 * 0.2);
  EXPECT_NEAR(z, -0.458257569495584, 1e-15);
  EXPECT_NEAR(r.mass(), 3 * 1.5 + 6 * 0.15 + 0.6, exact);
  for (std::size_t i = 0; i < 3; ++i) {
    const Eigen::Matrix3d turn = rotation_z(120 * deg * static_cast<double>(i));
    EXPECT_NEAR(r.q(leg(i, "drive")), 0, exact);
    EXPECT_AT(r.axis(leg(i, "carriage")), Vector3d(0, 0, 1));
    for (const auto& [rod, y] : {std::pair("left_rod", -0.04), std::pair("right_rod", 0.04)}) {
      EXPECT_AT(r.point(leg(i, rod)), turn * Vector3d(0.25, y, 0));
      EXPECT_AT(r.point(leg(i, rod), {0.5, 0, 0}), turn * Vector3d(0.05, y, z));
    }
  }
}

TEST(ShippedRobots, HexasArmsDropByTheGivenAngle) {
  const Robot r("hexa");
  EXPECT_NEAR(r.mass(), 1 + 6 * (0.5 + 0.12), exact);
  for (std::size_t i = 0; i < 6; ++i) {
    const double pair = 120.0 * static_cast<double>(i / 2), q = r.q(leg(i, "motor"));
    const Vector3d A = polar(0.25, base_azimuth[i]), B = polar(0.10, platform_azimuth[i], -0.45);
    const Vector3d elbow = A + polar(0.22 * std::cos(q), pair, -0.22 * std::sin(q)), tangent = polar(1, pair + 90);
    EXPECT_NEAR(q / deg, 28.952057, 5e-7);
    EXPECT_AT(r.point(leg(i, "arm")), A);
    EXPECT_AT(r.point(leg(i, "rod")), elbow);
    EXPECT_AT(r.point(leg(i, "rod"), {0.5, 0, 0}), B);
    EXPECT_NEAR((B - elbow).norm(), 0.5, exact);
    EXPECT_PARALLEL(r.axis(leg(i, "arm")), tangent);
    EXPECT_PARALLEL(r.axis(leg(i, "elbow") + ".between1"), tangent);
    EXPECT_PARALLEL(r.axis(leg(i, "rod")), tangent.cross(B - elbow));
  }
}

// ------------------------------------------------------------------------------------------------ benchmarks

TEST(ShippedRobots, AndrewsStartsAtThePublishedDeadCentre) {
  const Robot r("andrews");
  // Test Set for IVP Solvers, andrews.f rev 1.2: initial values of beta, Theta, gamma, Phi, delta, Omega, epsilon
  const std::map<std::string, double> initial = {
      {"beta", -0.0617138900142764496358948458001}, {"Theta", 0},
      {"gamma", 0.455279819163070380255912382449},  {"Phi", 0.222668390165885884674473185609},
      {"delta", 0.487364979543842550225598953530},  {"Omega", -0.222668390165885884674473185609},
      {"epsilon", 1.23054744454982119249735015568}};
  for (const auto& [name, value] : initial) EXPECT_NEAR(r.q(name), value, exact) << name;
  const Vector3d P = r.point("K2", {-0.028, 0, 0});
  EXPECT_AT(r.point("K3", {0, -0.035, 0}), P);
  EXPECT_AT(r.point("K4", {0, -0.02, 0}), P);
  EXPECT_AT(r.point("K6", {0.02, 0, 0}), P);
  // Absolute angles th1 .. th7 turn the points of the published geometry
  const double beta = initial.at("beta"), gamma = initial.at("gamma"), delta = initial.at("delta");
  EXPECT_AT(P, (0.007 - 0.028) * Vector3d(std::cos(beta), std::sin(beta), 0));
  EXPECT_AT(P, Vector3d(-0.03635, 0.03273, 0) + 0.035 * Vector3d(std::sin(gamma), -std::cos(gamma), 0));
  EXPECT_AT(r.point("K4"), Vector3d(-0.06934, -0.00227, 0) + 0.04 * Vector3d(std::cos(delta), std::sin(delta), 0));
  EXPECT_NEAR(r.mass(), 0.04325 + 0.00365 + 0.02373 + 0.00706 + 0.0705 + 0.00706 + 0.05498, exact);
  ASSERT_EQ(r.m.spring.size(), 1u);
  EXPECT_EQ(r.m.spring_stiffness[0], 4530);
  EXPECT_EQ(r.m.spring_length[0], 0.07785);
}

TEST(ShippedRobots, CheckTellsOfAndrewsDeadCentreAndExitsZero) {
  const Robot r("andrews");
  const MobilityReport report = check_mobility(r.m, r.ready.home);
  EXPECT_LT(report.singularity.type1.value(), 1e-12);
  EXPECT_THAT(check_text(report), testing::HasSubstr("home is at a type-1 singularity: 'K1'"));
  const int status = std::system((std::string(GOUGH_TOOL) + " check " + file_of("andrews") + " >/dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ShippedRobots, PendulumStartsLevelToTheLeft) {
  const Robot r("pendulum");
  EXPECT_AT(r.point("bob", {1, 0, 0}), Vector3d(-1, 0, 0));
  const Inertia<double> I = r.description.body("bob")->total();
  EXPECT_EQ(I.mass, 1);
  EXPECT_EQ(I.second(2, 2), 1) << "a point mass at 1 m";
}

TEST(ShippedRobots, FortyFourBarsStandUpright) {
  const Robot r("n_four_bar_40");
  EXPECT_NEAR(r.mass(), 41 + 40, exact);
  EXPECT_AT(r.point("first", {0, 1, 0}), Vector3d(0, 1, 0));
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_AT(r.point(leg(i, "link")), Vector3d(static_cast<double>(i) + 1, 0, 0));
    EXPECT_AT(r.point(leg(i, "bar"), {-1, 0, 0}), Vector3d(static_cast<double>(i), 1, 0));
  }
  // One freedom: every upright turns alike, no bar turns. The reduced inertia is (N+1)/3 + N.
  double inertia = 0;
  for (const BodyDescription& b : r.description.bodies) {
    const bool bar = b.name.ends_with("bar");
    inertia += bar ? b.total().mass : b.total().second(2, 2);
  }
  EXPECT_NEAR(inertia, 41.0 / 3 + 40, 1e-12);
}

TEST(ShippedRobots, Fourbar2IsMadeOfSteelCylinders) {
  const Robot r("fourbar2");
  const Vector3d crank(0, 0.5, 0.1), slide(0, 0.2, 0);
  EXPECT_AT(r.point("crank", crank), crank);
  EXPECT_AT(r.point("slide", slide), Vector3d(1.0, 0.2, 0));
  EXPECT_NEAR(r.q("slide"), -0.2, exact);
  EXPECT_NEAR((r.point("crank", crank) - r.point("slide", slide)).norm(), std::sqrt(1.10), exact);
  const auto expect_cylinder = [&](const std::string& name, const Vector3d& along) {
    const BodyDescription& body = *r.description.body(name);
    const double mass = 7700 * M_PI * 0.025 * 0.025 * along.norm();
    const Eigen::Matrix3d axis = along * along.transpose() / along.squaredNorm();
    const double across = mass * (3 * 0.025 * 0.025 + along.squaredNorm()) / 12;
    const Eigen::Matrix3d inertia = across * (Eigen::Matrix3d::Identity() - axis) + mass * 0.025 * 0.025 / 2 * axis;
    EXPECT_NEAR(body.mass, mass, 1e-12);
    EXPECT_LT((body.com - along / 2).norm(), 1e-15);
    EXPECT_LT((body.inertia - inertia).norm(), 1e-12);
  };
  expect_cylinder("crank", crank);
  expect_cylinder("slide", slide);
}

TEST(ShippedRobots, TaghiradsLegsAreEquallyLong) {
  const Robot r("taghirad");
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_AT(r.point(leg(i, "cylinder")), polar(2, 60.0 * static_cast<double>(i)));
    EXPECT_AT(r.point(leg(i, "piston")), polar(1, 30 + 120.0 * static_cast<double>(i / 2), 1));
    EXPECT_NEAR(r.q(leg(i, "drive")), std::sqrt(4 + 1 - 4 * std::cos(30 * deg) + 1), exact);
  }
  EXPECT_NEAR(r.mass(), 1150 + 6 * (85 + 22), exact);
  EXPECT_EQ(Vector3d(r.description.body("platform")->inertia.diagonal()), Vector3d(570, 285, 285));
}

TEST(ShippedRobots, MathworksStewartIsMadeOfSteel) {
  const Robot r("mathworks_stewart");
  const double rho = 76e3 / 9.81, L = std::sqrt(9 + 1 - 6 * std::cos(47.5 * deg) + 4);
  const std::array bottom = {-2.5, 2.5, 117.5, 122.5, 237.5, 242.5}, top = {310.0, 50.0, 70.0, 170.0, 190.0, 290.0};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_AT(r.point(leg(i, "tube")), polar(3, bottom[i]));
    EXPECT_AT(r.point(leg(i, "rod")), polar(1, top[i], 2));
    EXPECT_NEAR(r.q(leg(i, "drive")), L, exact);
  }
  const auto expect_cylinder = [&](const std::string& name, double outer, double inner, double length, double com) {
    const BodyDescription& b = *r.description.body(name);
    const double mass = rho * M_PI * (outer * outer - inner * inner) * length, r2 = outer * outer + inner * inner;
    EXPECT_NEAR(b.mass, mass, 1e-12 * mass) << name;
    EXPECT_NEAR(b.com.z(), com, exact) << name;
    EXPECT_NEAR(b.inertia(0, 0), mass * (3 * r2 + length * length) / 12, 1e-12 * mass) << name;
    EXPECT_NEAR(b.inertia(2, 2), mass * r2 / 2, 1e-12 * mass) << name;
  };
  expect_cylinder("leg1.tube", 0.05, 0.03, 0.75 * L, 0.375 * L);
  expect_cylinder("leg1.rod", 0.03, 0, 0.75 * L, -0.375 * L);
  expect_cylinder("platform", 1, 0, 0.05, 0);
}

}  // namespace
}  // namespace gough::shipped_robots_test
