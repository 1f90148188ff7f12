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

/// Rotation vectors in motion. For R = exp([r]x), in the axes to which R leads,
///   w = T(r) r',   w' = T(r) r'' + T'(r) r'
///   T = 1 + b [r]x + c [r]x^2,   b = (1 - cos t) / t^2,   c = (t - sin t) / t^3,   t = |r|
/// with series where t is small. T is singular where t is a multiple of 2 pi, other than 0.
struct VectorRates {
  Vec3<double> first, second;
};
/// w and w' from r' and r''.
VectorRates angular_rates(const Vec3<double>& r, const VectorRates& vector_rates);
/// r' and r'' from w and w'; |r| below 2 pi.
VectorRates rotation_vector_rates(const Vec3<double>& r, const VectorRates& angular_rates);
/// Of all vectors with the same rotation as r, the one nearest to `other`.
Vec3<double> nearest_rotation_vector(const Vec3<double>& r, const Vec3<double>& other);

Vec3<double> cardan_from_rotation(const Mat3<double>& R);
Vec3<double> euler_from_rotation(const Mat3<double>& R);
Mat3<double> rotation_from_quaternion(const Eigen::Vector4d& unit);

}  // namespace gough
