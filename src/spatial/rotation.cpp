#include "gough/spatial/rotation.hpp"

#include <Eigen/LU>
#include <cmath>
#include <numbers>

namespace gough {
namespace {

/// b, c of T and their derivatives by x = t^2.
struct RateFactors {
  double b = 0, c = 0, db = 0, dc = 0;
};

/// Up to t = 1 by series: with 12 terms the first one dropped is below 1/26! = 2e-27, and the quotients, which cancel
/// there, lose no digits.
RateFactors rate_factors(double x) {
  RateFactors f;
  if (x < 1) {
    double b = 0.5, c = 1.0 / 6, power = 1;  // (-1)^k / (2 k + 2)!, (-1)^k / (2 k + 3)!, x^k
    for (int k = 0; k < 12; ++k) {
      f.b += b * power;
      f.c += c * power;
      b /= -(2.0 * k + 3) * (2.0 * k + 4);
      c /= -(2.0 * k + 4) * (2.0 * k + 5);
      f.db += (k + 1) * b * power;
      f.dc += (k + 1) * c * power;
      power *= x;
    }
    return f;
  }
  const double t = std::sqrt(x);
  f.b = (1 - std::cos(t)) / x;
  f.c = (t - std::sin(t)) / (t * x);
  f.db = (std::sin(t) / t - 2 * f.b) / (2 * x);
  f.dc = (f.b - 3 * f.c) / (2 * x);
  return f;
}

/// T'(r) r'. The terms with r' x r' are zero.
Vec3<double> rate_bias(const RateFactors& f, const Vec3<double>& r, const Vec3<double>& dr) {
  const Vec3<double> turn = cross(r, dr);
  const double dx = 2 * dot(r, dr);
  return turn * (f.db * dx) + cross(r, turn) * (f.dc * dx) + cross(dr, turn) * f.c;
}

}  // namespace

VectorRates angular_rates(const Vec3<double>& r, const VectorRates& vector_rates) {
  const RateFactors f = rate_factors(dot(r, r));
  const auto map = [&](const Vec3<double>& d) -> Vec3<double> {
    const Vec3<double> turn = cross(r, d);
    return d + turn * f.b + cross(r, turn) * f.c;
  };
  return {map(vector_rates.first), map(vector_rates.second) + rate_bias(f, r, vector_rates.first)};
}

VectorRates rotation_vector_rates(const Vec3<double>& r, const VectorRates& angular_rates) {
  const RateFactors f = rate_factors(dot(r, r));
  Mat3<double> W;
  W << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  const Mat3<double> inverse = (Mat3<double>::Identity() + W * f.b + W * W * f.c).inverse();
  VectorRates rates;
  rates.first = inverse * angular_rates.first;
  rates.second = inverse * (angular_rates.second - rate_bias(f, r, rates.first));
  return rates;
}

Vec3<double> nearest_rotation_vector(const Vec3<double>& r, const Vec3<double>& other) {
  const double angle = r.norm();
  const Vec3<double> axis = angle > 0 ? Vec3<double>(r / angle) : Vec3<double>(other.stableNormalized());
  return axis * (angle + 2 * std::numbers::pi * std::round((dot(axis, other) - angle) / (2 * std::numbers::pi)));
}

Vec3<double> cardan_from_rotation(const Mat3<double>& R) {
  const double cb = std::hypot(R(0, 0), R(0, 1));
  if (cb < 1e-12) return {std::atan2(R(2, 1), R(1, 1)), std::atan2(R(0, 2), cb), 0.0};  // only a + c or a - c is known
  return {std::atan2(-R(1, 2), R(2, 2)), std::atan2(R(0, 2), cb), std::atan2(-R(0, 1), R(0, 0))};
}

Vec3<double> euler_from_rotation(const Mat3<double>& R) {
  const double sb = std::hypot(R(0, 2), R(1, 2));
  if (sb < 1e-12) return {std::atan2(R(1, 0), R(0, 0)), std::atan2(sb, R(2, 2)), 0.0};
  return {std::atan2(R(0, 2), -R(1, 2)), std::atan2(sb, R(2, 2)), std::atan2(R(2, 0), R(2, 1))};
}

Mat3<double> rotation_from_quaternion(const Eigen::Vector4d& u) {
  const Eigen::Vector4d q = u.normalized();
  return rotation_from_quaternion<double>(q[0], q[1], q[2], q[3]);
}

}  // namespace gough
