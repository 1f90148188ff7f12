#pragma once
/// Orientations as people write them. Tables use rotation vectors; the rest is for programs.
///   Cardan angles (a, b, c): R = Rx(a) Ry(b) Rz(c), about moving axes; unique for |b| < 90 deg
///   Euler angles (a, b, c):  R = Rz(a) Rx(b) Rz(c), about moving axes; unique for 0 < b < 180 deg
///   quaternion (w, x, y, z), unit, w >= 0
#include "gough/spatial/spatial.hpp"

namespace gough {

template <Scalar S>
Mat3<S> rotation_from_cardan(const Vec3<S>& angles) {
  const S ca = cos(angles[0]), sa = sin(angles[0]), cb = cos(angles[1]), sb = sin(angles[1]), cc = cos(angles[2]),
          sc = sin(angles[2]);
  Mat3<S> R;
  R << cb * cc, -(cb * sc), sb, ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -(sa * cb), sa * sc - ca * sb * cc,
      sa * cc + ca * sb * sc, ca * cb;
  return R;
}

template <Scalar S>
Mat3<S> rotation_from_euler(const Vec3<S>& angles) {
  const S ca = cos(angles[0]), sa = sin(angles[0]), cb = cos(angles[1]), sb = sin(angles[1]), cc = cos(angles[2]),
          sc = sin(angles[2]);
  Mat3<S> R;
  R << ca * cc - sa * cb * sc, -(ca * sc) - sa * cb * cc, sa * sb, sa * cc + ca * cb * sc, ca * cb * cc - sa * sc,
      -(ca * sb), sb * sc, sb * cc, cb;
  return R;
}

/// Angular velocity in base axes from the rates of Cardan angles: w = E(angles) rates.
template <Scalar S>
Mat3<S> cardan_rates(const Vec3<S>& angles) {
  const S ca = cos(angles[0]), sa = sin(angles[0]), cb = cos(angles[1]), sb = sin(angles[1]), o(0.0), l(1.0);
  Mat3<S> E;
  E << l, o, sb, o, ca, -(sa * cb), o, sa, ca * cb;
  return E;
}

Vec3<double> cardan_from_rotation(const Mat3<double>& R);
Vec3<double> euler_from_rotation(const Mat3<double>& R);
Mat3<double> rotation_from_quaternion(const Eigen::Vector4d& unit);

}  // namespace gough
