#include "gough/spatial/rotation.hpp"

namespace gough {

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
