#pragma once
/// A beam that spins up, and another model of it.
#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "flexible/one_beam.hpp"

namespace gough {

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
    const double w = 6, T = 15, u = 2 * std::numbers::pi * t / T;
    if (t >= T) return {w * (t - T / 2), w, 0};
    return {w / T * (t * t / 2 + std::pow(T / (2 * std::numbers::pi), 2) * (std::cos(u) - 1)),
            w / T * (t - T / (2 * std::numbers::pi) * std::sin(u)), w / T * (1 - std::cos(u))};
  }
  static RobotDescription description() {
    return robot_from(R"(
robot: spin_up
gravity: [0, 0, 0]
materials: {stuff: {E: 2.8e10, G: 1.2e10, rho: 1200}}
bodies: {arm: {beam: {to: [10, 0, 0], material: stuff, section: {A: 1e-3, Iy: 5e-7, Iz: 5e-7, J: 1e-6, shear_factor: 0.8333}, elements: 8}}}
joints: {root: {type: revolute, parent: base, child: arm, role: actuated}}
)");
  }
  static Mechanism<double> robot() { return prepare(description()).mechanism; }
};

}  // namespace gough
