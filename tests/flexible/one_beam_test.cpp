/// One beam on a motor: against closed forms, converged numbers, published ones and another model of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "flexible/one_beam.hpp"
#include "flexible/spin_up.hpp"

namespace gough::one_beam_test {
namespace {

using std::numbers::pi;

TEST(OneBeam, OneBeamIsACantilever) {
  OneBeam b;
  b.elements = 8;
  const VecX<double> f = frequencies(b.robot(), states_of(0, 1, still), 3);
  EXPECT_NEAR(f[0], 62.85298727, 5e-6 * 62.9);
  EXPECT_NEAR(f[1], 393.47134435, 2e-4 * 393);
  EXPECT_NEAR(f[2], 1099.83299376, 1e-3 * 1100);
  b.more = ", shear: false";  // quintic elements with rotary inertia, which lowers f1 by (pi^2/12) (h/L)^2 about
  const VecX<double> q = frequencies(b.robot(), states_of(0, 1, still), 2);
  EXPECT_LT(q[0], 62.86426908);
  EXPECT_NEAR(q[0], 62.86426908, 62.86 * 1e-4);
}

/// Through the whole of (F1): K_N and the centripetal terms of a beam that turns at 2 sqrt(EI / rho A L^4).
TEST(OneBeam, FrequenciesOfARotatingBeam) {
  OneBeam b;
  b.elements = 24;
  b.side = 1e-3;
  const double unit = std::sqrt(b.EI() / b.rhoA()) / (b.L * b.L);
  const auto spinning = [&](double t) { return std::array{2 * unit * t, 2 * unit, 0.0}; };
  const VecX<double> chord = frequencies(b.robot(), states_of(0, 1, spinning), 1);
  EXPECT_NEAR(2 * pi * chord[0] / unit, 3.621797, 3e-4);
  FlexOptions spatial;
  spatial.space = FlexSpace::spatial;
  const VecX<double> both = frequencies(b.robot(), states_of(0, 1, spinning), 2, spatial);
  EXPECT_NEAR(2 * pi * both[0] / unit, 3.621797, 3e-4);
  EXPECT_NEAR(2 * pi * both[1] / unit, 4.137320, 3e-4) << "flap, out of the plane of rotation";
  FlexOptions without;
  without.geometric = false;
  EXPECT_LT(frequencies(b.robot(), states_of(0, 1, spinning), 1, without)[0], chord[0]);
}

/// NAFEMS FV4: round cantilever with 10 t and 1 t on rigid arms of 2 m at its tip.
TEST(OneBeam, NafemsFv4) {
  const Mechanism<double> m = prepared_from(R"(
robot: fv4
gravity: [0, 0, 0]
materials: {steel: {E: 200 GPa, nu: 0.3, rho: 8000}}
bodies:
  mast:
    beam: {to: [10, 0, 0], material: steel, section: {round: 0.5}, elements: 20, shear: false}
    points: [{mass: 10000 kg, xyz: [10, 2, 0]}, {mass: 1000 kg, xyz: [10, -2, 0]}]
joints: {root: {type: revolute, parent: base, child: mast, role: actuated}}
)")
                                  .mechanism;
  FlexOptions o;
  o.space = FlexSpace::spatial;
  const VecX<double> f = frequencies(m, states_of(0, 1, still), 6, o);
  const std::array<double, 6> published = {1.723, 1.727, 7.413, 9.972, 18.155, 26.957};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(f[static_cast<Eigen::Index>(i)], published.at(i), 0.001 * published.at(i)) << i;
}

TEST_F(SpinUp, AgreesWithRitz) {
  const double h = 0.01, time = 20;
  const std::vector<double> other = SpinUpByModes(10, 1.4e4, 1.2).run(time, h, law);
  FlexOptions o;
  o.frequencies = 0;
  double largest = 0, apart = 0, along = 0;
  const FlexAnswer a = flex_along(robot(), states_of(time, h, law), o, [&](const FlexResult& r) {
    const double here = tip(r).y();
    largest = std::max(largest, std::abs(here));
    apart = std::max(apart, std::abs(here - other[r.index]));
    if (r.t > 16) along += tip(r).x() / 400;
    return true;
  });
  ASSERT_TRUE(a.ok()) << a.along.reason;
  EXPECT_GT(largest, 0.4) << "it lags behind";
  EXPECT_LT(apart, 0.015 * largest);
  EXPECT_NEAR(along, 1.2 * 36 * 1000 / (3 * 2.8e7), 0.02 * 5.14e-4) << "rho A w^2 L^3 / 3 EA";
}

TEST_F(SpinUp, DivergesWithoutGeometricStiffness) {
  FlexOptions o;
  o.frequencies = 0;
  o.geometric = false;
  double last = 0;
  flex_along(robot(), states_of(20, 0.01, law), o, [&](const FlexResult& r) {
    last = tip(r).norm();
    return true;
  });
  EXPECT_GT(last, 10) << "m";
}

// ------------------------------------------------------------------------------------------------ statics and damping

TEST(OneBeam, StaticLoadsBendAsTextbooksSay) {
  OneBeam b;
  b.more = ", shear: false";
  const Mechanism<double> m = b.robot();
  FlexOptions o;
  o.vibrates = false;
  o.frequencies = 0;
  o.loads = {{m.find_body("link"), m.body_frame[0] * Vec3<double>(b.L, 0, 0), {0, 2, 0}}};
  flex_along(m, states_of(0, 1, still), o, [&](const FlexResult& r) {
    EXPECT_NEAR(tip(r).y(), 2 * std::pow(b.L, 3) / (3 * b.EI()), 1e-9);
    EXPECT_NEAR(r.tau[0], -2 * b.L, 1e-9);
    EXPECT_NEAR(r.tau_rigid[0], -2 * b.L, 1e-12);
    EXPECT_NEAR(r.stress, 2 * b.L * 6 / std::pow(b.side, 3), 1e-6 * r.stress) << "M h / 2 I";
    return true;
  });
  OneBeam heavy = b;
  heavy.gravity = "[0, -9.81, 0]";
  o.loads.clear();
  o.geometric = false;
  flex_along(heavy.robot(), states_of(0, 1, still), o, [&](const FlexResult& r) {
    const double q = b.rhoA() * 9.81;
    EXPECT_NEAR(tip(r).y(), -q * std::pow(b.L, 4) / (8 * b.EI()), 1e-9);
    EXPECT_NEAR(r.tau[0], q * b.L * b.L / 2, 1e-9);
    EXPECT_NEAR(r.stress, q * b.L * b.L / 2 * 6 / std::pow(b.side, 3), 1e-6 * r.stress);
    return true;
  });
}

/// Euler: the lowest frequency of a cantilever vanishes at pi^2 EI / 4 L^2.
TEST(OneBeam, CompressionSoftensUntilBuckling) {
  OneBeam b;
  b.elements = 8;
  b.more = ", shear: false";
  const Mechanism<double> m = b.robot();
  const double euler = pi * pi * b.EI() / (4 * b.L * b.L);
  const auto lowest = [&](double share) {
    FlexOptions o;
    o.loads = {{m.find_body("link"), m.body_frame[0] * Vec3<double>(b.L, 0, 0), {-share * euler, 0, 0}}};
    return frequencies(m, states_of(0, 1, still), 1, o)[0];
  };
  const double free = lowest(0);
  EXPECT_NEAR(lowest(0.5) / free, std::sqrt(0.5), 0.02) << "nearly linear in the load";
  EXPECT_LT(std::abs(lowest(0.9999)) / free, 0.02);
  EXPECT_LT(lowest(1.01), 0) << "gives way";
}

/// Released under its weight a cantilever swings about its static shape and comes to rest by exp(-zeta omega t).
TEST(OneBeam, DampsAsAsked) {
  OneBeam b;
  b.gravity = "[0, -9.81, 0]";
  const Mechanism<double> m = b.robot();
  FlexOptions quasi;
  quasi.vibrates = false;
  quasi.frequencies = 1;
  double at_rest = 0, f = 0;
  flex_along(m, states_of(0, 1, still), quasi, [&](const FlexResult& r) {
    at_rest = tip(r).y(), f = r.frequency[0];
    return true;
  });
  const auto ratio = [&](const FlexOptions& o) {  // of the deviations after five whole swings
    const double T = 1 / f;
    const int per = 200;
    double end = 0;
    const FlexAnswer a = flex_along(m, states_of(5 * T, T / per, still), o, [&](const FlexResult& r) {
      end = tip(r).y() - at_rest;
      return true;
    });
    EXPECT_TRUE(a.ok());
    return end / -at_rest;
  };
  FlexOptions o;
  o.rho = 1;
  o.frequencies = 1;
  EXPECT_NEAR(ratio(o), 1, 0.02) << "none";
  const double w = 2 * pi * f, zeta = 0.01;
  o.damping = RayleighDamping{0, 2 * zeta / w};
  EXPECT_NEAR(ratio(o), std::exp(-zeta * w * 5 / f), 0.02);
  o.damping = RayleighDamping{2 * zeta * w, 0};
  EXPECT_NEAR(ratio(o), std::exp(-zeta * w * 5 / f), 0.02);
  o.damping = RayleighDamping{};
  o.modal_damping = zeta;
  EXPECT_NEAR(ratio(o), std::exp(-zeta * w * 5 / f), 0.02);
  o.modal_damping = 0;
  o.start = FlexStart::quasistatic;
  EXPECT_NEAR(ratio(o), 0, 1e-6) << "at rest from the start";
}

/// Pieces of one section are one beam; a thinner end is softer.
TEST(OneBeam, PiecesMakeOneBeam) {
  const auto robot = [](const std::string& beam) {
    return prepared_from(
               "robot: pieces\ngravity: [0, 0, 0]\nmaterials: {s: {E: 2.1e11, nu: 0.3, rho: 7800}}\nbodies: {link: "
               "{beam: " +
               beam + "}}\njoints: {root: {type: revolute, parent: base, child: link, role: actuated}}\n")
        .mechanism;
  };
  const std::string first = "{to: [0.1, 0, 0], material: s, section: {square: 3 mm}, elements: 2",
                    to = "{to: [0.2, 0, 0], material: s, section: ";
  for (const std::string shear : {"}", ", shear: false}"}) {
    const auto states = states_of(0, 1, still);
    const VecX<double> whole = frequencies(robot(to + "{square: 3 mm}, elements: 4" + shear), states, 3),
                       pieces = frequencies(
                           robot("[" + first + shear + ", " + to + "{square: 3 mm}, elements: 2" + shear + "]"), states,
                           3),
                       thin = frequencies(
                           robot("[" + first + shear + ", " + to + "{square: 2 mm}, elements: 2" + shear + "]"), states,
                           3);
    EXPECT_LT((whole - pieces).cwiseAbs().maxCoeff(), 1e-4 * whole[0]);
    EXPECT_GT(thin[0], whole[0]) << "less mass at the tip";
    EXPECT_LT(thin[1], whole[1]);
  }
}

}  // namespace
}  // namespace gough::one_beam_test
