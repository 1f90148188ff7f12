/// The shipped robots are what their definitions say: masses, places and coordinates at home, by hand.
#include <gtest/gtest.h>

#include <numbers>

#include "robots.hpp"

namespace gough::shipped_robots_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;
constexpr double deg = pi / 180;

/// A robot at home.
struct AtHome {
  Mechanism<double> m;
  Workspace<double> w;
  explicit AtHome(const std::string& name) : m(load_robot(robot_path(name))), w(m) { tree_positions(m, w); }

  std::size_t body(const std::string& name) const { return static_cast<std::size_t>(m.find_body(name)); }
  Vector3d com(const std::string& name) const {
    const Inertia<double>& I = m.inertia[body(name)];
    return w.X0[body(name)] * Vector3d(I.first / I.mass);
  }
  double mass(const std::string& name) const { return m.inertia[body(name)].mass; }
  /// About the centre of mass, in base axes.
  Matrix3d inertia(const std::string& name) const {
    const Inertia<double>& I = m.inertia[body(name)];
    const Vector3d c = I.first / I.mass;
    const Matrix3d R = w.X0[body(name)].R;
    return R * (I.second - steiner<double>(c, c) * I.mass) * R.transpose();
  }
  double q(const std::string& coordinate) const {
    for (const TreeJoint& j : m.joint)
      if (velocity_size(j.type) == 1 && j.v == m.find_coordinate(coordinate)) return w.q[j.q];
    ADD_FAILURE() << "no coordinate " << coordinate;
    return 0;
  }
};

/// A thin rod of length l along `direction`, about its middle.
Matrix3d rod(double mass, double l, const Vector3d& direction) {
  return (Matrix3d::Identity() - direction * direction.transpose()) * (mass * l * l / 12);
}
Vector3d polar(double radius, double azimuth) {
  return {radius * std::cos(azimuth * deg), radius * std::sin(azimuth * deg), 0};
}

TEST(Shipped, Hexapod) {
  const AtHome r("hexapod");
  const std::vector<double> a = {-15, 15, 105, 135, 225, 255}, b = {-45, 45, 75, 165, 195, 285};
  EXPECT_LT((r.com("platform") - Vector3d(0, 0, -0.62)).norm(), 1e-12);
  EXPECT_LT((r.inertia("platform") - Matrix3d(Vector3d(0.03, 0.03, 0.05).asDiagonal())).norm(), 1e-12);
  for (int i = 0; i < 6; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vector3d A = polar(0.5, a[k]), B = polar(0.12, b[k]) + Vector3d(0, 0, -0.65), u = (B - A).normalized();
    const auto leg = [&](const std::string& name) { return fmt::format("leg{}.{}", i + 1, name); };
    EXPECT_NEAR(r.q(leg("drive")), (B - A).norm(), 1e-12);
    EXPECT_LT((r.com(leg("ring")) - A).norm(), 1e-12);
    EXPECT_LT((r.com(leg("stator")) - (A + 0.05 * u)).norm(), 1e-12);
    EXPECT_LT((r.com(leg("slider")) - (B - 0.30 * u)).norm(), 1e-12);
    EXPECT_LT((r.inertia(leg("stator")) - (0.06 * Matrix3d::Identity() - 0.05 * u * u.transpose())).norm(), 1e-12);
    EXPECT_LT((r.inertia(leg("slider")) - (0.04 * Matrix3d::Identity() - 0.038 * u * u.transpose())).norm(), 1e-12);
    EXPECT_EQ(std::tuple(r.mass(leg("ring")), r.mass(leg("stator")), r.mass(leg("slider"))), std::tuple(0.8, 5.0, 2.2));
    const Vector3d tangent = polar(1, a[k] + 90), first = r.w.X0[r.body(leg("ring"))].R.col(2);
    EXPECT_NEAR(std::abs(first.dot(tangent)), 1, 1e-12) << "first cardan axis tangential";
    const Vector3d second = r.w.X0[r.body(leg("stator"))].R.col(2);
    EXPECT_NEAR(second.dot(tangent), 0, 1e-12) << "second normal to the first";
    EXPECT_NEAR(second.dot(u), 0, 1e-12) << "and to the leg";
  }
}

TEST(Shipped, HexapodCardanAnglesAreZeroWithTheLegStraightDown) {
  AtHome r("hexapod");
  for (const std::string name : {"leg1.alpha", "leg1.beta"}) {
    const int c = r.m.find_coordinate(name);
    for (const TreeJoint& j : r.m.joint)
      if (j.v == c) r.w.q[j.q] = 0;
  }
  tree_positions(r.m, r.w);
  const Vector3d A = polar(0.5, -15);
  EXPECT_LT((r.com("leg1.stator") - (A - Vector3d(0, 0, 0.05))).norm(), 1e-15);
  const auto limits = [&](const std::string& c) {
    return r.m.coordinate[static_cast<std::size_t>(r.m.find_coordinate(c))].position;
  };
  EXPECT_DOUBLE_EQ(limits("leg3.alpha").lower, -pi / 3);
  EXPECT_DOUBLE_EQ(limits("leg3.beta").upper, pi / 3);
  EXPECT_EQ(std::pair(limits("leg3.drive").lower, limits("leg3.drive").upper), std::pair(0.55, 1.0));
}

/// The angles from +x of the two links of the five-bar's left leg, elbow outwards, tip at (0, 0.4).
std::pair<double, double> five_bar_angles() {
  const double d = std::hypot(0.1, 0.4);
  const double at_motor = std::acos((0.25 * 0.25 + d * d - 0.35 * 0.35) / (2 * 0.25 * d));  // law of cosines
  const double first = std::atan2(0.4, 0.1) + at_motor;
  const Vector2d elbow = Vector2d(-0.1, 0) + 0.25 * Vector2d(std::cos(first), std::sin(first));
  return {first, std::atan2(0.4 - elbow.y(), -elbow.x())};
}

TEST(Shipped, FiveBars) {
  const auto [first, second] = five_bar_angles();
  for (const std::string name : {"five_bar", "redundant_five_bar"}) {
    const AtHome r(name);
    EXPECT_NEAR(r.q("left"), first, 1e-12) << name;
    EXPECT_NEAR(r.q("right"), pi - first, 1e-12) << name << " is symmetric";
    const Vector3d p(std::cos(first), std::sin(first), 0), d(std::cos(second), std::sin(second), 0);
    const Vector3d elbow = Vector3d(-0.1, 0, 0) + 0.25 * p;
    EXPECT_LT((r.com("left_proximal") - (Vector3d(-0.1, 0, 0) + 0.125 * p)).norm(), 1e-12);
    EXPECT_LT((r.inertia("left_proximal") - rod(0.5, 0.25, p)).norm(), 1e-13);
    EXPECT_DOUBLE_EQ(r.mass("left_distal"), 0.5) << "with the payload";
    EXPECT_LT((r.com("left_distal") - (elbow + d * (0.3 * 0.175 + 0.2 * 0.35) / 0.5)).norm(), 1e-12);
    EXPECT_DOUBLE_EQ(r.mass("right_distal"), 0.3);
    EXPECT_EQ(r.m.gravity, Vector3d(0, -9.81, 0));
    EXPECT_LT((platform_pose(r.m, r.w).p - Vector3d(0, 0.4, 0)).norm(), 1e-12);
  }
  EXPECT_NEAR(AtHome("redundant_five_bar").q("elbow"), second - first, 1e-12);
}

TEST(Shipped, FourBar) {
  const AtHome r("four_bar");
  const Vector2d knee(0.1 * std::cos(60 * deg), 0.1 * std::sin(60 * deg)), pivot(0.25, 0);
  EXPECT_NEAR(r.q("crank"), 60 * deg, 1e-15);
  const Vector2d end = pivot + 0.2 * Vector2d(std::cos(r.q("rocker")), std::sin(r.q("rocker")));
  EXPECT_NEAR((end - knee).norm(), 0.25, 1e-12);
  EXPECT_GT(end.y(), 0);
  EXPECT_EQ(std::tuple(r.mass("crank"), r.mass("coupler"), r.mass("rocker")), std::tuple(0.1, 0.25, 0.2)) << "1 kg/m";
  EXPECT_LT((r.com("coupler").head<2>() - (knee + end) / 2).norm(), 1e-12);
}

TEST(Shipped, Psp3) {
  const AtHome r("psp3");
  for (int i = 0; i < 3; ++i) {
    const std::string leg = fmt::format("leg{}", i + 1);
    EXPECT_NEAR(r.q(leg + ".drive"), 0.5, 1e-12);
    EXPECT_LT((r.com(leg + ".slider") - (polar(0.18, 120 * i) + Vector3d(0, 0, 0.5))).norm(), 1e-12)
        << "the ball's centre";
    const auto c = static_cast<std::size_t>(r.m.find_coordinate(leg + ".drive"));
    EXPECT_DOUBLE_EQ(r.m.ratio[c], 2 * pi / 0.010) << "lead 10 mm";
    EXPECT_TRUE(r.m.coordinate[c].has_drive);
  }
  EXPECT_DOUBLE_EQ(r.mass("star"), 1);
  EXPECT_LT((r.inertia("star") - Matrix3d(Vector3d(5.655e-3, 5.655e-3, 1.131e-2).asDiagonal())).norm(), 1e-15);
  EXPECT_EQ(r.m.platform.coordinates, (PoseMask{false, false, true, true, true, false}));
}

TEST(Shipped, Rrr3) {
  const AtHome r("rrr3");
  const double bar = 0.01404;  // 7800 kg/m^3 x 9 mm^2 x 0.2 m
  for (const std::string name : {"leg1.proximal", "leg2.distal"}) {
    EXPECT_DOUBLE_EQ(r.mass(name), bar + 0.08);
    EXPECT_NEAR(r.inertia(name)(2, 2), bar * 0.04 / 12 + 2 * 0.04 * 0.01, 1e-15) << "bar and two ends at 0.1 m";
  }
  EXPECT_LT((platform_pose(r.m, r.w).p - Vector3d(0, 0.25, 0)).norm(), 1e-12);
  EXPECT_EQ(r.m.gravity, Vector3d(0, 0, 0));
  EXPECT_EQ(r.m.platform.coordinates, (PoseMask{true, true, false, false, false, true}));
}

TEST(Shipped, Bricard) {
  const AtHome r("bricard");
  const std::vector<Vector3d> corner = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const std::vector<Vector3d> axis = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string name = fmt::format("rod{}", i + 1);
    EXPECT_LT((r.com(name) - (corner[i] + corner[i + 1]) / 2).norm(), 1e-12) << name;
    EXPECT_LT((r.inertia(name) - rod(1, 1, corner[i + 1] - corner[i])).norm(), 1e-12) << name;
  }
  const RobotDescription robot = read_robot(robot_path("bricard"));
  for (std::size_t i = 0; i < 6; ++i) {
    const JointDescription& j = robot.joints[i];
    const int parent = r.m.find_body(j.parent);
    const auto k = static_cast<std::size_t>(parent);
    const Transform<double> A = parent == base ? j.origin : r.w.X0[k] * r.m.body_frame[k] * j.origin;
    EXPECT_LT((A.p - corner[i]).norm(), 1e-12) << j.name;
    EXPECT_LT((A.R.col(2) - axis[i]).norm(), 1e-12) << j.name;
  }
  EXPECT_NEAR(r.q("drive"), 0, 1e-15);
}

}  // namespace
}  // namespace gough::shipped_robots_test
