/// Joints, masses and loads on beams: against closed forms, other descriptions of the same thing and limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "decompositions.hpp"
#include "flexible/one_beam.hpp"

namespace gough::joints_on_beams_test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

/// A robot from text, its actuators at the given positions and at rest: what one quasi-static state says.
struct Still {
  VecX<double> tau, tau_rigid, frequency;
  Vec6<double> error;
  bool planar = false;
};
Still still_at(const std::string& text, const std::vector<double>& q, FlexOptions o = {}) {
  const Mechanism<double> m = prepared_from(text).mechanism;
  KnownState s;
  const auto n = static_cast<Eigen::Index>(q.size());
  s.motion.motion =
      ActuatorMotion{Eigen::Map<const VecX<double>>(q.data(), n), VecX<double>::Zero(n), VecX<double>::Zero(n)};
  o.vibrates = false;
  Still out;
  const FlexAnswer a = flex_along(m, std::span(&s, 1), o, [&](const FlexResult& r) {
    out = {r.tau, r.tau_rigid, r.frequency, r.error, r.e.model().planar};
    return true;
  });
  EXPECT_TRUE(a.ok()) << a.along.reason;
  return out;
}

/// A beam (0.2 m, 5 mm) on a motor, a mount at its tip (rigid, or none), a slide across it with a tool of 1 kg.
std::string slide_at_tip(bool mount) {
  return fmt::format(R"(
robot: tip
gravity: [0, -9.81, 0]
materials: {{s: {{E: 2.1e11, nu: 0.3, rho: 7800}}}}
bodies:
  link: {{beam: {{to: [0.2, 0, 0], material: s, section: {{square: 5 mm}}, elements: 4}}}}
{}  tool: {{mass: 1 kg}}
joints:
  root: {{type: revolute, parent: base, child: link, role: actuated}}
{}  slide: {{type: prismatic, parent: {}, child: tool, origin: {{xyz: [{}, 0, 0]}}, axis: [1, 0, 0], role: actuated}}
platform: {{body: tool, coordinates: [x, y]}}
)",
                     mount ? "  mount: {mass: 1e-6 kg}\n" : "",
                     mount ? "  weld: {type: fixed, parent: link, child: mount, origin: {xyz: [0.2, 0, 0]}}\n" : "",
                     mount ? "mount" : "link", mount ? 0.0 : 0.2);
}

/// The guide of a slide sits on the beam where the joint's origin is, and its drive holds the part of the weight that the
/// sagging guide turns to it: m g phi.
TEST(JointsOnBeams, AGuideAtTheTipSagsAndItsDriveHoldsTheWeight) {
  const double EI = 2.1e11 * std::pow(5e-3, 4) / 12, q = 7800 * 25e-6 * 9.81, L = 0.2, F = 9.81;
  const double sag = F * std::pow(L, 3) / (3 * EI) + q * std::pow(L, 4) / (8 * EI),
               slope = F * L * L / (2 * EI) + q * std::pow(L, 3) / (6 * EI);
  FlexOptions linear;
  linear.geometric = false;
  for (const bool mount : {false, true}) {
    const Still s = still_at(slide_at_tip(mount), {0, 0}, linear);
    EXPECT_NEAR(s.error[1], -sag, 2e-3 * sag) << mount;  // and shear
    const Still with_turning = still_at(slide_at_tip(mount), {0, 0});
    EXPECT_NEAR(with_turning.error[1], -sag, 0.01 * sag);
    EXPECT_NEAR(with_turning.tau[1], -F * slope, 0.01 * F * slope) << "down the slope is +x: the drive pulls back";
    EXPECT_NEAR(with_turning.tau_rigid[1], 0, 1e-9);
  }
}

/// Away from home too: what counts is where the slide is.
TEST(JointsOnBeams, SlidesDoNotRememberHome) {
  const std::string text = slide_at_tip(false);
  const Still here = still_at(text, {0.3, 0.1}),
              other = still_at(with(text, "role: actuated}\nplatform", "role: actuated, guess: -0.2}\nplatform"),
                               {0.3, 0.1});
  EXPECT_LT((here.error - other.error).norm(), 1e-9 * here.error.norm());
  EXPECT_LT((here.frequency - other.frequency).norm(), 1e-9 * here.frequency.norm());
}

/// A motor with an upright axis at a sagging tip holds what gravity then turns about it.
TEST(JointsOnBeams, AMotorOnASaggingTip) {
  const Still s = still_at(R"(
robot: scara
gravity: [0, 0, -9.81]
materials: {s: {E: 2.1e11, nu: 0.3, rho: 7800}}
bodies:
  link: {beam: {to: [0.2, 0, 0], material: s, section: {square: 5 mm}, elements: 4}}
  arm: {points: [{mass: 1 kg, xyz: [0, 0.3, 0]}]}
joints:
  root: {type: revolute, parent: base, child: link, role: actuated}
  elbow: {type: revolute, parent: link, child: arm, origin: {xyz: [0.2, 0, 0]}, role: actuated}
)",
                           {0, 0});
  const double EI = 2.1e11 * std::pow(5e-3, 4) / 12, q = 7800 * 25e-6 * 9.81, L = 0.2;
  const double slope = 9.81 * L * L / (2 * EI) + q * std::pow(L, 3) / (6 * EI);
  EXPECT_NEAR(std::abs(s.tau[1]), 9.81 * 0.3 * slope, 0.03 * 9.81 * 0.3 * slope);
  EXPECT_NEAR(s.tau_rigid[1], 0, 1e-12);
}

/// A passive slide is a pin whose radius is huge: a cart on a mount at the tip of an upright beam, loaded from above.
TEST(JointsOnBeams, APassiveSlideIsAPinFarAway) {
  const auto frequency = [](bool slide, double load) {
    const std::string text =
        fmt::format(R"(
robot: cart
gravity: [0, 0, 0]
materials: {{s: {{E: 2.1e11, nu: 0.3, rho: 7800}}}}
bodies:
  mast: {{beam: {{to: [0, 0.2, 0], material: s, section: {{square: 5 mm}}, elements: 6}}}}
  mount: {{mass: 0.1 kg, inertia: [1e-5, 1e-5, 1e-5]}}
  cart: {{mass: 0.2 kg, inertia: [1e-5, 1e-5, 1e-5]}}
  bar: {{mass: 1e-6 kg, rod: [0.5, 0, 0]}}
joints:
  root: {{type: revolute, parent: base, child: mast, role: actuated}}
  weld: {{type: fixed, parent: mast, child: mount, origin: {{xyz: [0, 0.2, 0]}}}}
  way: {}
  pin: {{type: revolute, parent: cart, child: bar, guess: 0 deg}}
  wall: {{type: revolute, parent: base, child: bar, origin: {{xyz: [0.5, 0.2, 0]}}, child_origin: {{xyz: [0.5, 0, 0]}}, cut: true}}
)",
                    slide ? "{type: prismatic, parent: mount, child: cart, axis: [1, 0, 0]}"
                          : "{type: revolute, parent: mount, child: cart, origin: {xyz: [0, -200, 0]}, "
                            "child_origin: {xyz: [0, -200, 0]}}");
    const Mechanism<double> m = prepared_from(text).mechanism;
    FlexOptions o;
    o.loads = {{m.find_body("cart"), m.body_frame[at(m.find_body("cart"))].p, {0, load, 0}}};
    return still_at(text, {0}, o).frequency[0];
  };
  for (const double load : {-50.0, 0.0, 50.0})
    EXPECT_NEAR(frequency(true, load), frequency(false, load), 0.003 * frequency(false, load)) << load;
  EXPECT_GT(frequency(true, -50), 1.02 * frequency(true, 0)) << "pressed on, the tilted guide pushes back";
}

/// A massless rod between balls is a rod that weighs nothing much.
TEST(JointsOnBeams, RodsWithoutMassStiffenLikeOthers) {
  const auto frequency = [](const char* rod) {
    return still_at(fmt::format(R"(
robot: rssr
gravity: [0, 0, -9.81]
materials: {{s: {{E: 2.1e11, nu: 0.3, rho: 7800}}}}
bodies:
  crank: {{beam: {{to: [0, 0.2, 0], material: s, section: {{square: 6 mm}}, elements: 4}}}}
  rod: {}
  rocker: {{mass: 2 kg, rod: [0, 0.3, 0]}}
joints:
  motor: {{type: revolute, parent: base, child: crank, role: actuated}}
  rock: {{type: revolute, parent: base, child: rocker, origin: {{xyz: [0.4, 0, 0.1]}}, axis: [1, 0, 0]}}
  near: {{type: spherical, parent: crank, child: rod, origin: {{xyz: [0, 0.2, 0]}}}}
  far: {{type: spherical, parent: rod, child: rocker, origin: {{xyz: [0.4242640687119285, 0, 0]}}, child_origin: {{xyz: [0, 0.3, 0]}}}}
)",
                                rod),
                    {0})
        .frequency[0];
  };
  const double none = frequency("{}"), light = frequency("{mass: 1e-5 kg, rod: [0.4242640687119285, 0, 0]}");
  EXPECT_NEAR(none, light, 0.01 * light);
}

/// Masses, loads and joints need not be at ends of elements: elements end there.
TEST(JointsOnBeams, ElementsEndWhereSomethingSits) {
  OneBeam coarse, fine;
  coarse.elements = 1;
  fine.elements = 20;
  coarse.points = fine.points = "[{mass: 0.1 kg, xyz: [0.09, 0, 0]}]";
  const auto states = states_of(0, 1, still);
  EXPECT_NEAR(frequencies(coarse.robot(), states, 1)[0], frequencies(fine.robot(), states, 1)[0], 0.2);
  OneBeam b;
  b.elements = 1;
  b.more = ", shear: false";
  const Mechanism<double> m = b.robot();
  FlexOptions o;
  o.vibrates = false;
  o.frequencies = 0;
  o.loads = {{0, m.body_frame[0] * Vec3<double>(b.L / 2, 0, 0), {0, 2, 0}}};
  flex_along(m, states, o, [&](const FlexResult& r) {
    EXPECT_NEAR(tip(r).y(), 5 * 2 * std::pow(b.L, 3) / (48 * b.EI()), 1e-9);
    return true;
  });
}

/// In a plane only what is in one: loads, wrenches, rolled sections and masses beside it make the model spatial.
TEST(JointsOnBeams, PlanesAreLeftWhereSomethingLeavesThem) {
  OneBeam b;
  const Mechanism<double> m = b.robot();
  EXPECT_TRUE(flexible_model(m).planar);
  const PointLoad up{0, m.body_frame[0] * Vec3<double>(b.L, 0, 0), {0, 0, 2}};
  EXPECT_FALSE(flexible_model(m, FlexSpace::automatic, {{up}, false}).planar);
  EXPECT_FALSE(flexible_model(m, FlexSpace::automatic, {{}, true}).planar);
  EXPECT_THAT(refusal([&] { flexible_model(m, FlexSpace::planar, {{up}, false}); }), HasSubstr("a load on 'link'"));
  b.points = "[{mass: 0.1 kg, xyz: [0.2, 0, 0.1]}]";
  EXPECT_FALSE(flexible_model(b.robot()).planar);
  EXPECT_TRUE(flexible_model(b.robot(), FlexSpace::planar).planar);
  FlexOptions o;
  o.vibrates = false;
  o.loads = {up};
  flex_along(m, states_of(0, 1, still), o, [&](const FlexResult& r) {
    EXPECT_NEAR(tip(r).z(), 2 * 1.88157648442e-3, 1e-6);
    return true;
  });
}

/// A wrench on the platform: the compliance of a hexapod is that of its tubes, EA / L along the legs.
TEST(JointsOnBeams, AHexapodsComplianceIsThatOfItsTubes) {
  Mechanism<double> m = shipped("hexapod_flexible");
  m.gravity.setZero();
  std::vector<KnownState> states = {{}};
  PlatformMotion p;
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  p.pose = platform_pose(m, w);
  states[0].motion.motion = p;
  const double tube = 2.1e11 * pi / 4 * (0.03 * 0.03 - 0.024 * 0.024) / 0.45;
  MatX<double> J(6, 6);  // rows: legs, their unit wrenches on the platform at its origin
  for (int leg = 0; leg < 6; ++leg) {
    const auto ball = static_cast<std::size_t>(leg);
    const Vec3<double> B = cut_frame_b(m, w, ball).p,
                       e = w.X0[at(m.find_body("leg" + std::to_string(leg + 1) + ".slider"))].R.col(2);
    J.row(leg) << e.transpose(), cross<double>(B - p.pose.p, e).transpose();
  }
  const MatX<double> stiffness = J.transpose() * tube * J;
  FlexOptions o;
  o.vibrates = false;
  o.geometric = false;
  o.frequencies = 0;
  for (int k = 0; k < 6; ++k) {
    Vec6<double> load = Vec6<double>::Unit(k) * 10;
    states[0].wrench = {load.tail<3>(), load.head<3>()};
    flex_along(m, states, o, [&](const FlexResult& r) {
      const Vec6<double> expected = shortest_solution(stiffness, load);
      EXPECT_LT((r.error - expected).norm(), 1e-5 * expected.norm()) << k;
      return true;
    });
  }
}

}  // namespace
}  // namespace gough::joints_on_beams_test
