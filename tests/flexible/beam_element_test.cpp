/// Beam elements against closed forms, converged numbers and each other.
#include "gough/flexible/beam_element.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "decompositions.hpp"
#include "flexible/one_beam.hpp"

namespace gough::beam_element_test {
namespace {

constexpr double L = 0.2;

/// Elements in a row, clamped at the first end: stiffness and mass of what is left.
struct Cantilever {
  MatX<double> k, m, S_along, S_across, g;
};
Cantilever cantilever(const BeamDescription& b, int n, BeamShape shape,
                      const std::function<std::array<double, 2>(double, double)>& tension = {}) {
  const double h = b.length() / n;
  const BeamElement e = beam_element(b, h, shape);
  const int end = e.at_end();
  const int all = end * (n + 1);
  Cantilever c;
  for (MatX<double>* A : {&c.k, &c.m, &c.S_along, &c.S_across, &c.g}) A->setZero(all, all);
  for (int i = 0; i < n; ++i) {
    const auto add = [&](MatX<double>& to, const MatX<double>& A) {
      to.block(i * end, i * end, 2 * end, 2 * end) += A;
    };
    add(c.k, e.k), add(c.m, e.m), add(c.S_along, e.S[0]), add(c.S_across, e.S[4]);
    if (!tension) continue;
    const auto [first, second] = tension(i * h, (i + 1) * h);
    add(c.g, first * e.g_first + second * e.g_second);
  }
  const bool curvature = shape == BeamShape::planar_quintic;  // v'' at the clamped end is free
  const int clamped = curvature ? 3 : end;
  for (MatX<double>* A : {&c.k, &c.m, &c.S_along, &c.S_across, &c.g})
    *A = A->bottomRightCorner(all - clamped, all - clamped).eval();
  return c;
}

double hertz(double square) { return std::sqrt(square) / (2 * std::numbers::pi); }

/// The i-th omega^2 of Euler-Bernoulli's cantilever, i = 0, 1, 2: cos x cosh x = -1.
double exact_square(const BeamDescription& b, std::size_t i) {
  constexpr std::array<double, 3> roots = {1.875104068711961, 4.694091132974175, 7.854757438237613};
  return std::pow(roots.at(i) / b.length(), 4) * b.E * b.Iz / (b.rho * b.A);
}

/// FLEXIBLE: 62.86426908, 393.96364946, 1103.10962613 Hz.
TEST(BeamElement, QuinticFindsEulerBernoullisFrequencies) {
  const BeamDescription b = published_link();
  const Cantilever c = cantilever(b, 12, BeamShape::planar_quintic);
  const VecX<double> w = eigenvalues_of(c.k, c.S_along + c.S_across);  // without rotary inertia
  const std::array<double, 3> published = {62.86426908, 393.96364946, 1103.10962613};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(hertz(w[static_cast<Eigen::Index>(i)]), published.at(i), 2e-8 * published.at(i));
    EXPECT_NEAR(hertz(exact_square(b, i)), published.at(i), 1e-8);
  }
}

/// The error of omega^2 falls as h^8, from above: 1.1226e-2, 1.5184e-5, 1.6255e-6 of the second mode.
TEST(BeamElement, QuinticConvergesWithTheEighthPower) {
  const BeamDescription b = published_link();
  const auto error = [&](int n, std::size_t mode) {
    const Cantilever c = cantilever(b, n, BeamShape::planar_quintic);
    return eigenvalues_of(c.k, c.S_along + c.S_across)[static_cast<Eigen::Index>(mode)] / exact_square(b, mode) - 1;
  };
  EXPECT_NEAR(error(1, 1), 1.1226e-2, 1e-6);
  EXPECT_NEAR(error(2, 1), 1.5184e-5, 1e-9);
  EXPECT_NEAR(error(3, 1), 1.6255e-6, 1e-10);
  const double coarse = error(5, 2), fine = error(10, 2);
  EXPECT_GT(fine, 0);
  EXPECT_NEAR(std::log2(coarse / fine), 8, 0.5);
}

/// FLEXIBLE: 62.85298727, 393.47134435, 1099.83299376 Hz. The exact static element errs by a h^4, and by b h^2 where loads
/// along it shear it: b is small, as (h/L)^2 of the section is.
TEST(BeamElement, ShearFindsTimoshenkosFrequencies) {
  const std::array<double, 3> published = {62.85298727, 393.47134435, 1099.83299376};
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> f;
    for (const int n : {8, 16, 32, 64}) {
      const Cantilever c = cantilever(published_link(), n, BeamShape::planar);
      f.push_back(hertz(eigenvalues_of(c.k, c.m)[static_cast<Eigen::Index>(i)]));
    }
    EXPECT_NEAR(std::log2((f[0] - f[1]) / (f[1] - f[2])), 4, 0.7) << i;
    for (const double power : {2.0, 4.0, 6.0}) {  // Richardson
      for (std::size_t k = 0; k + 1 < f.size(); ++k) f[k] = f[k + 1] + (f[k + 1] - f[k]) / (std::pow(2, power) - 1);
      f.pop_back();
    }
    EXPECT_NEAR(f[0], published.at(i), 1e-7 * published.at(i)) << i;
  }
}

/// L^3 / 3EI + L / kGA = 1.88157648442e-3 m/N with one element or several.
TEST(BeamElement, TipComplianceIsExact) {
  for (const BeamShape shape : {BeamShape::planar, BeamShape::spatial})
    for (const int n : {1, 3}) {
      const Cantilever c = cantilever(published_link(), n, shape);
      const auto k = c.k.rows();
      VecX<double> f = VecX<double>::Zero(k);
      const Eigen::Index across = k - (shape == BeamShape::planar ? 2 : 5);
      f[across] = 1;
      EXPECT_NEAR(c.k.ldlt().solve(f)[across], 1.88157648442e-3, 2e-14);
    }
}

/// Chord and flap of a rotating cantilever, omega = 2 sqrt(EI / rho A L^4): 3.621797 and 4.137320.
TEST(BeamElement, TensionStiffensARotatingBeam) {
  const BeamDescription b = published_link();
  const double unit = std::sqrt(b.E * b.Iz / (b.rho * b.A)) / (L * L), w2 = 4 * unit * unit;
  const auto tension = [&](double x) { return 0.5 * b.rho * b.A * w2 * (L * L - x * x); };
  const auto found = [&](int n) {
    const Cantilever c = cantilever(b, n, BeamShape::planar_quintic, [&](double x, double y) {
      const double middle = tension((x + y) / 2), change = (tension(y) - tension(x)) / 2;
      const double mean = (tension(x) + 4 * middle + tension(y)) / 6;  // the line with the parabola's mean
      return std::array{mean - change, mean + change};
    });
    // inextensible: along the beam nothing moves
    const MatX<double> m = c.S_along + c.S_across;
    std::vector<int> across;
    for (int i = 0; i < c.k.rows(); ++i)
      if (!(c.S_along(i, i) > 0)) across.push_back(i);
    const MatX<double> k = (c.k + c.g)(across, across), M = m(across, across);
    const double flap = eigenvalues_of(k, M)[0], chord = eigenvalues_of(k - w2 * M, M)[0];
    return std::array{std::sqrt(flap) / unit, std::sqrt(chord) / unit};
  };
  const auto [flap, chord] = found(16);
  EXPECT_NEAR(flap, 4.137320, 2e-6);
  EXPECT_NEAR(chord, 3.621797, 2e-6);
}

/// Rigid displacements store nothing; constant strains are kept exactly, whatever the element.
TEST(BeamElement, PassesPatchTests) {
  BeamDescription b = published_link();
  b.Iy *= 3;
  const double h = 0.07;
  for (const bool shear : {true, false}) {
    b.shear = shear;
    const BeamElement e = beam_element(b, h, BeamShape::spatial);
    VecX<double> u(12);
    for (int i = 0; i < 6; ++i) {  // three translations, three turns about the first end
      u.setZero();
      u[i] = u[6 + i] = 1;
      if (i == 4) u[8] = -h;
      if (i == 5) u[7] = h;
      EXPECT_LT((e.k * u).cwiseAbs().maxCoeff(), 1e-9 * e.k.cwiseAbs().maxCoeff()) << i;
    }
    const auto energy = [&](std::initializer_list<std::pair<int, double>> values) {
      u.setZero();
      for (const auto& [i, x] : values) u[i] = x;
      return 0.5 * u.dot(e.k * u);
    };
    const double s = 1e-3;
    EXPECT_NEAR(energy({{6, s * h}}), 0.5 * b.E * b.A * s * s * h, 1e-12 * b.E * b.A * s * s * h);
    EXPECT_NEAR(energy({{9, s * h}}), 0.5 * b.G * b.J * s * s * h, 1e-12 * b.G * b.J * s * s * h);
    EXPECT_NEAR(energy({{7, s * h * h / 2}, {11, s * h}}), 0.5 * b.E * b.Iz * s * s * h, 1e-9 * b.E * b.Iz * s * s * h);
    EXPECT_NEAR(energy({{8, -s * h * h / 2}, {10, s * h}}), 0.5 * b.E * b.Iy * s * s * h,
                1e-9 * b.E * b.Iy * s * s * h);
    const VecX<double> first = e.load_first * Vec3<double>::Ones(), second = e.load_second * Vec3<double>::Ones();
    EXPECT_NEAR(first.sum() + second.sum() - (first + second)(Eigen::VectorXi{{4, 5, 10, 11}}).sum(),
                3 * b.rho * b.A * h, 1e-12);
  }
  const BeamElement q = beam_element(b, h, BeamShape::planar_quintic);
  VecX<double> bent(8);
  bent << 0, 0, 0, 2, 0, h * h, 2 * h, 2;  // v = x^2
  EXPECT_NEAR(0.5 * bent.dot(q.k * bent), 0.5 * b.E * b.Iz * 4 * h, 1e-9 * b.E * b.Iz * h);
}

/// The mass that a rigid displacement feels is that of the bar, rotary inertia included.
TEST(BeamElement, RigidTurnsFeelTheBarsInertia) {
  BeamDescription b = published_link();
  b.Iy *= 3;
  const BeamElement e = beam_element(b, L, BeamShape::spatial);
  const Inertia<double> bar = b.rigid();
  for (int i = 0; i < 3; ++i) {
    VecX<double> u = VecX<double>::Zero(12);
    u[3 + i] = u[9 + i] = 1;
    if (i == 1) u[8] = -L;
    if (i == 2) u[7] = L;
    EXPECT_NEAR(u.dot(e.m * u), bar.second(i, i), 1e-12 * bar.second(2, 2)) << i;
  }
}

}  // namespace
}  // namespace gough::beam_element_test
