#include "gough/kinematics/star.hpp"

#include <Eigen/LU>
#include <cmath>
#include <numbers>

namespace gough {
namespace {

/// The rotation that takes the star's arms to u.
Mat3<double> rotation_onto(const Star& star, const std::array<Vec3<double>, 3>& u) {
  Mat3<double> from, to;
  from << star.arm[0], star.arm[1], cross(star.arm[0], star.arm[1]);
  to << u[0], u[1], cross(u[0], u[1]);
  return to * from.inverse();
}

}  // namespace

std::optional<Star> recognise_star(const Mechanism<double>& m) {
  if (!m.platform.floats || m.leg.size() != 3 || m.leg_form.size() != 3) return std::nullopt;
  Star star;
  star.frame = m.placement[at(m.leg[0].first_body)].R;
  const Transform<double> to_frame = m.platform_frame.inverse();
  for (std::size_t i = 0; i < 3; ++i) {
    if (m.leg_form[i].kind != LegKind::psp) return std::nullopt;
    const int c = m.leg_form[i].rods[0].cut;
    const Transform<double>& F = m.placement[at(m.leg_form[i].root)];
    const Transform<double> line = to_frame * m.cut_a[at(c)];  // a PSP leg's line is on the platform (leg_forms.cpp)
    star.root[i] = m.leg_form[i].root;
    star.slide[i] = F * m.cut_b[at(c)].p;
    star.arm[i] = line.R.col(2);
    const bool parallel = dot<double>(F.R.col(2), star.frame.col(2)) > 1 - 1e-12;
    const bool through_origin = cross<double>(line.p, star.arm[i]).norm() < 1e-9;
    if (!parallel || !through_origin) return std::nullopt;
  }
  for (std::size_t i = 0; i < 3; ++i)
    if (std::abs(dot(star.arm[i], star.arm[(i + 1) % 3]) + 0.5) > 1e-9) return std::nullopt;
  return star;
}

std::vector<Transform<double>> star_poses_at(const Star& star, const Vec3<double>& P) {
  std::array<double, 3> psi{}, s{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3<double> d = star.frame.transpose() * (star.slide[i] - P);
    psi[i] = std::atan2(d.y(), d.x());
  }
  double sum2 = 0, sum4 = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    s[i] = std::sin(psi[(i + 1) % 3] - psi[(i + 2) % 3]);
    sum2 += s[i] * s[i];
    sum4 += std::pow(s[i], 4);
  }
  const double D = 2 * sum4 - sum2 * sum2;  // sum s^4 - 2 sum s_i^2 s_j^2
  const double root = std::sqrt(std::max(0.0, sum2 * sum2 + 3 * D));
  std::vector<Transform<double>> poses;
  const auto try_mu = [&](double mu) {
    if (!(mu > 0) || !std::isfinite(mu)) return;
    for (const double side : {1.0, -1.0}) {
      const double lambda = std::sqrt(mu) * (s[0] + s[1] + s[2] > 0 ? 1.0 : -1.0);  // arms point to their slides
      std::array<double, 3> c{}, h{};
      std::size_t steepest = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        c[i] = lambda * s[i];
        if (c[i] * c[i] > 1 + 1e-6 || c[i] < -1e-6) return;
        h[i] = std::sqrt(std::max(0.0, 1 - c[i] * c[i]));
        if (h[i] > h[steepest]) steepest = i;
      }
      const std::size_t a = (steepest + 1) % 3, b = (steepest + 2) % 3;
      if (std::abs(h[steepest] - h[a] - h[b]) > 1e-3)
        return;  // the largest balances the other two (a double root: roughly)
      std::array<Vec3<double>, 3> u;
      for (std::size_t i = 0; i < 3; ++i) {
        const double up = side * (i == steepest ? h[i] : -h[i]);
        u[i] = star.frame * Vec3<double>(c[i] * std::cos(psi[i]), c[i] * std::sin(psi[i]), up);
      }
      poses.push_back({rotation_onto(star, u), P});
      if (h[steepest] < 1e-9) return;  // level: both sides are one
    }
  };
  // stable roots of D mu^2 + 2 sum2 mu - 3 = 0
  try_mu(3 / (sum2 + root));
  if (std::abs(D) > 1e-12 * sum2 * sum2) try_mu(-(sum2 + root) / D);
  return poses;
}

std::vector<Transform<double>> star_poses_for(const Mechanism<double>& m, const Star& star, const VecX<double>& q) {
  std::array<Vec3<double>, 3> S;
  for (std::size_t i = 0; i < 3; ++i) S[i] = star.slide[i] + star.frame.col(2) * q[m.joint[at(star.root[i])].q];
  std::vector<Transform<double>> poses;
  const Vec3<double> normal = cross<double>(S[1] - S[0], S[2] - S[0]);
  if (normal.norm() < 1e-12) return poses;
  Mat3<double> plane;
  plane.col(0) = (S[1] - S[0]).normalized();
  plane.col(2) = normal.normalized();
  plane.col(1) = cross<double>(plane.col(2), plane.col(0));
  const double third = 2 * std::numbers::pi / 3;
  for (const double side : {1.0, -1.0}) {  // the order of the arms seen from above or below
    double A = 0, B = 0;                   // sum n_i . S_i = A cos(theta) + B sin(theta), n = (-sin, cos)
    for (int i = 0; i < 3; ++i) {
      const Vec3<double> p = plane.transpose() * (S[at(i)] - S[0]);
      const double c = std::cos(side * third * i), s = std::sin(side * third * i);
      A += -s * p.x() + c * p.y();
      B += -c * p.x() - s * p.y();
    }
    if (std::hypot(A, B) < 1e-12) continue;
    const double theta = std::atan2(-A, B);
    for (const double half_turn : {0.0, std::numbers::pi}) {
      std::array<Vec3<double>, 3> u;
      for (int i = 0; i < 3; ++i) {
        const double angle = theta + half_turn + side * third * i;
        u[at(i)] = plane * Vec3<double>(std::cos(angle), std::sin(angle), 0);
      }
      // where the first two arms' lines meet
      const Vec3<double> d = S[1] - S[0];
      const double t = dot<double>(cross(d, u[1]), plane.col(2)) / dot<double>(cross(u[0], u[1]), plane.col(2));
      poses.push_back({rotation_onto(star, u), S[0] + u[0] * t});
    }
  }
  return poses;
}

}  // namespace gough
