/// Robots with beams along motions: against closed forms, rigid robots, conservation laws and other models of the same thing.
#include "gough/flexible/elastodynamics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "flexible/one_beam.hpp"
#include "kinematics/states.hpp"

namespace gough {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

TEST(Elastodynamics, OneBeamIsACantilever) {
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
TEST(Elastodynamics, FrequenciesOfARotatingBeam) {
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
TEST(Elastodynamics, NafemsFv4) {
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

/// Ritz' method with Euler-Bernoulli's first modes, by quadrature and Runge-Kutta: another model of the beam that spins up.
class SpinUpByModes {
 public:
  SpinUpByModes(double L, double EI, double rhoA) {
    const std::array<double, 4> roots = {1.875104068711961, 4.694091132974175, 7.854757438237613, 10.99554073487547};
    const int points = 400;
    for (int p = 0; p < points; ++p) {
      const double x = (p + 0.5) / points, dx = L / points;
      Eigen::Vector4d v, slope, bend;
      for (int i = 0; i < 4; ++i) {
        const double k = roots.at(static_cast<std::size_t>(i)),
                     s = (std::cosh(k) + std::cos(k)) / (std::sinh(k) + std::sin(k));
        v[i] = std::cosh(k * x) - std::cos(k * x) - s * (std::sinh(k * x) - std::sin(k * x));
        slope[i] = k / L * (std::sinh(k * x) + std::sin(k * x) - s * (std::cosh(k * x) - std::cos(k * x)));
        bend[i] = k * k / L / L * (std::cosh(k * x) + std::cos(k * x) - s * (std::sinh(k * x) + std::sin(k * x)));
      }
      m_ += rhoA * dx * v * v.transpose();
      k_ += EI * dx * bend * bend.transpose();
      g_ += 0.5 * rhoA * L * L * (1 - x * x) * dx * slope * slope.transpose();
      load_ += rhoA * L * x * dx * v;
      if (p + 1 == points) end_ = v;
    }
  }
  /// Tip deflections at 0, h, 2h, ..
  std::vector<double> run(double time, double h, const Law& law) const {
    Eigen::Matrix<double, 8, 1> y = Eigen::Matrix<double, 8, 1>::Zero();
    const auto rate = [&](double t, const Eigen::Matrix<double, 8, 1>& s) {
      const auto [q, w, dw] = law(t);
      Eigen::Matrix<double, 8, 1> d;
      const Eigen::Vector4d force = -load_ * dw - (k_ + w * w * (g_ - m_)) * s.head<4>();
      d << s.tail<4>(), m_.ldlt().solve(force);
      return d;
    };
    std::vector<double> tips;
    for (int i = 0; i <= static_cast<int>(std::lround(time / h)); ++i) {
      tips.push_back(end_.dot(y.head<4>()));
      for (int part = 0; part < 20; ++part) {
        const double d = h / 20, t = i * h + part * d;
        const auto k1 = rate(t, y), k2 = rate(t + d / 2, y + d / 2 * k1), k3 = rate(t + d / 2, y + d / 2 * k2),
                   k4 = rate(t + d, y + d * k3);
        y += d / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      }
    }
    return tips;
  }

 private:
  Eigen::Matrix4d m_ = Eigen::Matrix4d::Zero(), k_ = m_, g_ = m_;
  Eigen::Vector4d load_ = Eigen::Vector4d::Zero(), end_ = load_;
};

/// L 10, EA 2.8e7, EI 1.4e4, rho A 1.2, rho I 6e-4; in 15 s to 6 rad/s.
class SpinUp : public testing::Test {
 protected:
  static std::array<double, 3> law(double t) {
    const double w = 6, T = 15, u = 2 * pi * t / T;
    if (t >= T) return {w * (t - T / 2), w, 0};
    return {w / T * (t * t / 2 + std::pow(T / (2 * pi), 2) * (std::cos(u) - 1)),
            w / T * (t - T / (2 * pi) * std::sin(u)), w / T * (1 - std::cos(u))};
  }
  static Mechanism<double> robot() {
    return prepared_from(R"(
robot: spin_up
gravity: [0, 0, 0]
materials: {stuff: {E: 2.8e10, G: 1.2e10, rho: 1200}}
bodies: {arm: {beam: {to: [10, 0, 0], material: stuff, section: {A: 1e-3, Iy: 5e-7, Iz: 5e-7, J: 1e-6, shear_factor: 0.8333}, elements: 8}}}
joints: {root: {type: revolute, parent: base, child: arm, role: actuated}}
)")
        .mechanism;
  }
};

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

TEST(Elastodynamics, StaticLoadsBendAsTextbooksSay) {
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
TEST(Elastodynamics, CompressionSoftensUntilBuckling) {
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
TEST(Elastodynamics, DampsAsAsked) {
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

// ------------------------------------------------------------------------------------------------ the equations

/// A point mass on a body that turns anyhow: in base axes it is free, C = K = 0.
TEST(Elastodynamics, AFreePointMassIsFree) {
  FlexibleModel f;
  f.axes = {Mat3<double>::Identity()};
  f.node = {{0, {0.3, -0.2, 0.5}, 0}};
  f.nodes_of = {{0}};
  f.lump = {{0, 2.5, Vec3<double>::Zero(), Mat3<double>::Zero()}};
  f.size = 6;
  FlexEquations e(f, {});
  RigidState s;
  s.body.resize(1);
  s.body[0].w = {1, -2, 3};
  s.body[0].dw = {-5, 4, 2};
  s.body[0].a = {7, 8, -9};
  e.write(s);
  // U in body axes is R^T of U in base axes: (R^T)' = -w~ R^T, (R^T)'' = (w~ w~ - dw~) R^T
  const Mat3<double> w = cross_matrix(s.body[0].w), dw = cross_matrix(s.body[0].dw);
  const Mat3<double> M = e.full(e.M).topLeftCorner<3, 3>(), C = e.full(e.C).topLeftCorner<3, 3>(),
                     K = e.full(e.K).topLeftCorner<3, 3>();
  EXPECT_LT((M - 2.5 * Mat3<double>::Identity()).norm(), 1e-14);
  EXPECT_LT((C - 2 * M * w).norm(), 1e-13) << "C in base axes";
  EXPECT_LT((K - C * w + M * (w * w - dw)).norm(), 1e-13) << "K in base axes";
  EXPECT_GT(C.norm(), 1);
}

std::vector<KnownState> states_along(const Mechanism<double>& m, const std::string& motion, double time, double h) {
  const Trajectory path = load_motion(std::string(GOUGH_SOURCE_DIR) + "/motions/" + motion + ".yaml", m);
  std::vector<KnownState> states;
  for (int i = 0; i <= static_cast<int>(std::lround(time / h)); ++i) {
    states.emplace_back();
    states.back().motion = sample(path, i * h);
  }
  return states;
}

struct RobotAndMotion {
  std::string robot, motion;
  friend std::ostream& operator<<(std::ostream& out, const RobotAndMotion& r) { return out << r.robot; }
};
class FlexibleRobots : public testing::TestWithParam<RobotAndMotion> {};

Mechanism<double> stiffer(const Mechanism<double>& m, double factor) {
  Mechanism<double> s = m;
  for (BeamBody& b : s.beam)
    for (BeamDescription& piece : b.description.beam) piece.E *= factor, piece.G *= factor;
  return s;
}

/// As beams grow stiff, the robot becomes the rigid one: forces of an independent code, errors that fall as 1/E.
TEST_P(FlexibleRobots, BecomeRigid) {
  const Mechanism<double>& m = shipped(GetParam().robot);
  const auto states = states_along(m, GetParam().motion, 0.1, 0.02);
  FlexOptions o;
  o.vibrates = false;
  o.frequencies = 0;
  const auto largest = [&](double factor, double& force) {
    double error = 0;
    force = 0;
    const FlexAnswer a = flex_along(stiffer(m, factor), states, o, [&](const FlexResult& r) {
      error = std::max(error, r.error.cwiseAbs().maxCoeff());
      force = std::max(force, (r.tau - r.tau_rigid).cwiseAbs().maxCoeff() / r.tau_rigid.cwiseAbs().maxCoeff());
      EXPECT_LT((r.e.full_rows() * r.U).cwiseAbs().maxCoeff(), 1e-10) << "joints stay closed";
      return true;
    });
    EXPECT_TRUE(a.ok()) << a.along.reason;
    return error;
  };
  double soft_force = 0, stiff_force = 0;
  const double soft = largest(1e4, soft_force), stiff = largest(1e6, stiff_force);
  EXPECT_LT(stiff_force, 1e-6);
  EXPECT_LT(stiff_force, 0.03 * soft_force + 1e-8);
  EXPECT_NEAR(soft / stiff, 100, 1);
}

/// Held still under gravity that begins suddenly, without any damping: energy stays what it was.
TEST_P(FlexibleRobots, KeepTheirEnergy) {
  Mechanism<double> m = shipped(GetParam().robot);
  m.gravity = flexible_model(m).planar ? Vec3<double>(0, -9.81, 0) : Vec3<double>(0, 0, -9.81);
  std::vector<KnownState> states = states_along(m, GetParam().motion, 0, 1);
  for (int i = 1; i <= 400; ++i) {
    states.push_back(states[0]);
    states.back().motion.t = i * 2e-4;
  }
  for (KnownState& s : states)
    if (s.motion.of_platform()) {
      PlatformMotion p = s.motion.platform();
      p.v = p.w = p.a = p.dw = Vec3<double>::Zero();
      s.motion.motion = p;
    }
  FlexOptions o;
  o.rho = 1;
  o.frequencies = 0;
  double drift = 0, size = 0;
  flex_along(m, states, o, [&](const FlexResult& r) {
    VecX<double> Ku = VecX<double>::Zero(r.U.size());
    r.e.pattern().add_product(r.e.K, 1, r.U, Ku);
    drift = std::max(drift, std::abs(r.kinetic_energy + 0.5 * r.U.dot(Ku) - r.U.dot(r.e.P)));
    size = std::max(size, r.kinetic_energy);
    return true;
  });
  EXPECT_GT(size, 0);
  EXPECT_LT(drift, 1e-6 * size);
}

/// With elements halved, frequencies stay: those shipped are converged. (Not bracketed by theory: two meshes.)
TEST_P(FlexibleRobots, FrequenciesAreConverged) {
  const Mechanism<double>& m = shipped(GetParam().robot);
  Mechanism<double> finer = m;
  for (BeamBody& b : finer.beam)
    for (BeamDescription& piece : b.description.beam) piece.elements *= 2;
  const auto states = states_along(m, GetParam().motion, 0, 1);
  const VecX<double> coarse = frequencies(m, states, 4), fine = frequencies(finer, states, 4);
  for (Eigen::Index i = 0; i < 4; ++i) {
    EXPECT_GT(coarse[i], fine[i] * (1 - 1e-6)) << "from above";
    EXPECT_NEAR(coarse[i], fine[i], 5e-3 * fine[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, FlexibleRobots,
                         testing::Values(RobotAndMotion{"rrr3_flexible", "rrr3_circle"},
                                         RobotAndMotion{"five_bar_flexible", "five_bar_line"},
                                         RobotAndMotion{"delta_flexible", "delta_pick"},
                                         RobotAndMotion{"hexapod_flexible", "hexapod_circle"}),
                         [](const auto& each) { return each.param.robot; });

/// In space a planar robot has the frequencies of its plane, and those out of it.
TEST(Elastodynamics, SpaceContainsThePlane) {
  const Mechanism<double>& m = shipped("rrr3_flexible");
  const auto states = states_along(m, "rrr3_circle", 0, 1);
  FlexOptions o;
  o.space = FlexSpace::spatial;
  const VecX<double> plane = frequencies(m, states, 4), space = frequencies(m, states, 12, o);
  for (const double f : plane) {
    double nearest = 1e9;
    for (const double g : space) nearest = std::min(nearest, std::abs(f - g));
    EXPECT_LT(nearest, 1e-5 * f) << f;
  }
}

/// Modes that are followed are those of full matrices.
TEST(Elastodynamics, FollowsItsModes) {
  for (const char* robot : {"rrr3_flexible", "delta_flexible"}) {
    const Mechanism<double>& m = shipped(robot);
    const auto states =
        states_along(m, std::string(robot) == "rrr3_flexible" ? "rrr3_circle" : "delta_pick", 0.2, 0.02);
    FlexOptions o;
    o.frequencies = 5;
    o.vibrates = false;
    flex_along(m, states, o, [&](const FlexResult& r) {
      const VecX<double> full = flex_modes(r.e, 5).frequency;
      EXPECT_LT((full - r.frequency).cwiseQuotient(full).cwiseAbs().maxCoeff(), 2e-6) << robot << " " << r.t;
      return true;
    });
  }
}

/// Quintic and exact static elements: two discretisations of one robot.
TEST(Elastodynamics, QuinticElementsAgree) {
  const Mechanism<double>& m = shipped("rrr3_flexible");
  Mechanism<double> quintic = m;
  for (BeamBody& b : quintic.beam) b.description.beam[0].shear = false;
  const auto states = states_along(m, "rrr3_circle", 0.5, 5e-4);
  const auto errors = [&](const Mechanism<double>& robot) {
    std::vector<double> y;
    FlexOptions o;
    o.frequencies = 0;
    o.every = 10;
    const FlexAnswer a = flex_along(robot, states, o, [&](const FlexResult& r) {
      y.push_back(r.error[0]);
      return true;
    });
    EXPECT_TRUE(a.ok());
    return y;
  };
  const std::vector<double> a = errors(m), b = errors(quintic);
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i]));
    apart = std::max(apart, std::abs(a[i] - b[i]));
  }
  EXPECT_LT(apart, 0.01 * largest);
}

/// Pieces of one section are one beam; a thinner end is softer.
TEST(Elastodynamics, PiecesMakeOneBeam) {
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

/// The generalised-alpha method is of second order.
TEST(Elastodynamics, TimeStepsConvergeQuadratically) {
  const Mechanism<double>& m = shipped("rrr3_flexible");
  const auto end = [&](double h) {
    FlexOptions o;
    o.frequencies = 0;
    o.damping = RayleighDamping{0, 2e-4};
    Vec6<double> e;
    flex_along(m, states_along(m, "rrr3_circle", 0.2, h), o, [&](const FlexResult& r) {
      e = r.error;
      return true;
    });
    return e;
  };
  const Vec6<double> a = end(2e-3), b = end(1e-3), c = end(5e-4);
  EXPECT_NEAR(std::log2((a - b).norm() / (b - c).norm()), 2, 0.3);
}

// ------------------------------------------------------------------------------------------------ steps and modes

/// Steps of a table need not be equal, not even the first.
TEST(Elastodynamics, TakesUnequalSteps) {
  Mechanism<double> m = shipped("rrr3_flexible");
  m.gravity = {0, -9.81, 0};
  const Trajectory path = load_motion(std::string(GOUGH_SOURCE_DIR) + "/motions/rrr3_circle.yaml", m);
  FlexOptions o;
  o.start = FlexStart::quasistatic;
  o.frequencies = 0;
  const auto off = [&](double first) {
    std::vector<KnownState> states;
    for (double t = 0; t < 0.2; t += states.size() == 1 ? first : 2e-3) {
      states.emplace_back();
      states.back().motion = sample(path, t);
    }
    double most = 0;
    flex_along(m, states, o, [&](const FlexResult& r) {
      most = std::max(most, (r.tau - r.tau_rigid).cwiseAbs().maxCoeff());
      return true;
    });
    return most;
  };
  EXPECT_NEAR(off(5e-4), off(2e-3), 0.05 * off(2e-3));
}

/// A mode that comes down from above all those that are followed is found.
TEST(Elastodynamics, FollowsModesThatComeDown) {
  std::string bodies, joints;
  for (int i = 0; i < 8; ++i) {
    bodies +=
        fmt::format("  b{}: {{beam: {{to: [0.2, 0, 0], material: s, section: {{square: {} mm}}, elements: 2}}}}\n", i,
                    3 + 0.05 * i);
    joints += fmt::format("  j{}: {{type: revolute, parent: base, child: b{}, role: actuated}}\n", i, i);
  }
  const std::string text =
      "robot: eight\ngravity: [0, 0, 0]\nmaterials: {s: {E: 2.1e11, nu: 0.3, rho: 7800}}\nbodies:\n" + bodies +
      "  long: {beam: {to: [0.15, 0, 0], material: s, section: {square: 3 mm}, elements: 2}}\n  tool: {mass: 0.02 "
      "kg}\njoints:\n" +
      joints +
      "  jl: {type: revolute, parent: base, child: long, role: actuated}\n"
      "  out: {type: prismatic, parent: long, child: tool, origin: {xyz: [0.15, 0, 0]}, axis: [1, 0, 0], role: "
      "actuated}\n";
  const Mechanism<double> m = prepared_from(text).mechanism;
  std::vector<KnownState> states;
  for (int i = 0; i <= 40; ++i) {
    VecX<double> q = VecX<double>::Zero(10);
    q[9] = -0.14 + 0.02 * i;
    states.emplace_back();
    states.back().motion.t = 0.01 * i;
    states.back().motion.motion = ActuatorMotion{q, VecX<double>::Zero(10), VecX<double>::Zero(10)};
  }
  FlexOptions o;
  o.vibrates = false;
  o.frequencies = 1;
  double worst = 0;
  flex_along(m, states, o, [&](const FlexResult& r) {
    worst = std::max(worst, std::abs(r.frequency[0] / flex_modes(r.e, 1).frequency[0] - 1));
    return true;
  });
  EXPECT_LT(worst, 1e-3);
}

// ------------------------------------------------------------------------------------------------ what is said

TEST(Elastodynamics, WarnsWhereItLeavesItsRange) {
  Mechanism<double> m = shipped("rrr3_flexible_b");
  m.gravity = {0, -9.81, 0};
  HarmonicPath path;
  path.offset = Vec6<double>::Zero();
  path.offset.y() = 0.2;
  path.terms = {{0, 0.042, pi / 2, pi / 2}, {1, 0.042, pi / 2, 0}, {5, 0.01, pi / 10, pi / 2}};
  const Trajectory motion = trajectory_of(Moves::platform, harmonic_piece(path, 4));
  std::vector<KnownState> states;
  for (int i = 0; i <= 8000; ++i) {
    states.emplace_back();
    states.back().motion = sample(motion, i * 5e-4);
  }
  FlexOptions o;
  o.every = 20;
  double largest = 0;
  const FlexAnswer a = flex_along(m, states, o, [&](const FlexResult& r) {
    largest = std::max(largest, std::abs(r.error[5]));
    return true;
  });
  ASSERT_TRUE(a.ok()) << a.along.reason;
  EXPECT_NEAR(largest, 0.23, 0.01) << "what the linear model is known to report";
  ASSERT_FALSE(a.range.warnings().empty());
  EXPECT_THAT(a.range.warnings()[0], HasSubstr("turns of 0.23"));
  m = shipped("rrr3_flexible");
  const auto quiet = states_along(m, "rrr3_circle", 0.5, 1e-3);
  EXPECT_TRUE(flex_along(m, quiet, {}, [](const FlexResult&) { return true; }).range.warnings().empty());
}

TEST(Elastodynamics, RefusesWhatItCannotBend) {
  EXPECT_THAT(refusal([] { flexible_model(shipped("hexapod")); }), HasSubstr("hexapod: read a robot without beams"));
  EXPECT_THAT(refusal([] { flexible_model(shipped("delta_flexible"), FlexSpace::planar); }),
              HasSubstr("out of the plane"));
  OneBeam b;
  b.axis = "[0, 1, 0]";
  EXPECT_FALSE(flexible_model(b.robot()).planar);
  EXPECT_THAT(refusal([&] { flexible_model(b.robot(), FlexSpace::planar); }),
              HasSubstr("the joint that carries 'link'"));
  Mechanism<double> weight = OneBeam().robot();
  weight.gravity = {0, 0, -9.81};
  EXPECT_FALSE(flexible_model(weight).planar) << "it sags out of the plane";
  EXPECT_THAT(refusal([&] { flexible_model(weight, FlexSpace::planar); }), HasSubstr("gravity"));
  const std::string rail = R"(
robot: rail
materials: {s: {E: 2.1e11, nu: 0.3, rho: 7800}}
bodies: {rail: {beam: {to: [1, 0, 0], material: s, section: {square: 10 mm}, elements: 4}}, cart: {mass: 1 kg}}
joints:
  root: {type: revolute, parent: base, child: rail, role: actuated}
  way: {type: prismatic, parent: rail, child: cart, axis: [1, 0, 0], role: actuated, guess: 0.5}
)";
  EXPECT_THAT(refusal([&] { flexible_model(prepared_from(rail).mechanism); }),
              HasSubstr("test.yaml:4: body 'rail': beam: read the slide 'way' along the beam"));
  const std::string spring = with(robot_text("five_bar_flexible"), "left_elbow: {type: revolute,",
                                  "left_elbow: {type: revolute, role: elastic, stiffness: 10 N m,");
  EXPECT_THAT(refusal([&] { flexible_model(prepared_from(spring).mechanism); }), HasSubstr("elastic joint"));
  FlexOptions o;
  o.rho = 2;
  EXPECT_THAT(refusal([&] { flex_along(weight, {}, o, {}); }), HasSubstr("rho = 2, expected 0 to 1"));
}

}  // namespace
}  // namespace gough
