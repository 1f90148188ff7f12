#include "gough/spatial/spatial.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace gough {

Mat3<double> rotation_from_rpy(const Vec3<double>& rpy) {
  using Eigen::AngleAxisd;
  const Mat3<double> R = (AngleAxisd(rpy.z(), Vec3<double>::UnitZ()) * AngleAxisd(rpy.y(), Vec3<double>::UnitY()) *
                          AngleAxisd(rpy.x(), Vec3<double>::UnitX()))
                             .toRotationMatrix();
  // cos(90 deg) is 6e-17 in floating point; an exact zero keeps generated code and sparsity clean
  return R.unaryExpr([](double x) { return std::abs(x - std::round(x)) < 4e-16 ? std::round(x) : x; });
}

Eigen::Vector4d quaternion_from_rotation(const Mat3<double>& R) {
  Eigen::Quaterniond q(R);
  q.normalize();
  const double s = q.w() < 0 ? -1.0 : 1.0;
  return {s * q.w(), s * q.x(), s * q.y(), s * q.z()};
}

Vec3<double> vector_from_rotation(const Mat3<double>& R) {
  const Eigen::Vector4d q = quaternion_from_rotation(R);
  const Vec3<double> v = q.tail<3>();
  const double s = v.norm();
  const double angle = 2.0 * std::atan2(s, q[0]);
  return s < 1e-8 ? Vec3<double>(2.0 * v) : Vec3<double>(v * (angle / s));
}

Mat3<double> rotation_to_axis(const Vec3<double>& axis) {
  const Vec3<double> z = axis.normalized();
  Mat3<double> R;
  if (z.z() > 1.0 - 1e-15) return Mat3<double>::Identity();
  if (z.x() > 1.0 - 1e-15) return (R << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
  if (z.y() > 1.0 - 1e-15) return (R << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished();
  if (z.x() < -1.0 + 1e-15) return (R << 0, 0, -1, 0, 1, 0, 1, 0, 0).finished();
  if (z.y() < -1.0 + 1e-15) return (R << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();
  if (z.z() < -1.0 + 1e-15) return (R << 1, 0, 0, 0, -1, 0, 0, 0, -1).finished();
  // the shortest turn, about UnitZ x z: its half by the cosine, or by the sine where z points down
  const Vec3<double> turned(-z.y(), z.x(), 0);
  const double root = std::sqrt(2 * (1 + std::abs(z.z())));
  const Vec3<double> v = z.z() > 0 ? Vec3<double>(turned / root) : Vec3<double>(turned.normalized() * (root / 2));
  const double cosine = z.z() > 0 ? root / 2 : turned.norm() / root;
  return Eigen::Quaterniond(cosine, v.x(), v.y(), v.z()).toRotationMatrix();
}

}  // namespace gough
