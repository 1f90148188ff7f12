#pragma once
/// Rigid-body motion in four value types.
///
///   Motion     angular velocity and the velocity of the frame's origin (or their accelerations)
///   Force      moment about the frame's origin and force
///   Transform  the pose of frame B in frame A: a point moves as x_A = R x_B + p
///   Inertia    mass, first moment m c, second moment about the frame's origin (tensor elements)
///
/// `X * y` takes y from B to A, `X.from_outside(y)` takes it from A to B. Everything is linear in the inertia's ten
/// numbers: that is what makes identification linear.
#include <Eigen/Core>

#include "gough/scalar/scalar.hpp"

namespace gough {

template <class S>
using Vec3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Vec6 = Eigen::Matrix<S, 6, 1>;
template <class S>
using Mat3 = Eigen::Matrix<S, 3, 3>;
template <class S>
using VecX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using MatX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

/// a x b. Eigen's own cross product conjugates; ours is the arithmetic and nothing else.
template <Scalar S>
Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}

/// a~: a~ b = a x b.
template <Scalar S>
Mat3<S> cross_matrix(const Vec3<S>& a) {
  const S o(0.0);
  Mat3<S> A;
  A << o, -a.z(), a.y(), a.z(), o, -a.x(), -a.y(), a.x(), o;
  return A;
}

template <Scalar S>
S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a.x() * b.x() + a.y() * b.y() + a.z() * b.z();
}

template <Scalar S>
struct Motion {
  Vec3<S> angular = Vec3<S>::Zero();
  Vec3<S> linear = Vec3<S>::Zero();

  friend Motion operator+(const Motion& a, const Motion& b) { return {a.angular + b.angular, a.linear + b.linear}; }
  friend Motion operator-(const Motion& a, const Motion& b) { return {a.angular - b.angular, a.linear - b.linear}; }
  friend Motion operator*(const Motion& a, const S& s) { return {a.angular * s, a.linear * s}; }
  Motion& operator+=(const Motion& b) { return *this = *this + b; }
};

template <Scalar S>
struct Force {
  Vec3<S> moment = Vec3<S>::Zero();
  Vec3<S> force = Vec3<S>::Zero();

  friend Force operator+(const Force& a, const Force& b) { return {a.moment + b.moment, a.force + b.force}; }
  friend Force operator-(const Force& a, const Force& b) { return {a.moment - b.moment, a.force - b.force}; }
  friend Force operator*(const Force& a, const S& s) { return {a.moment * s, a.force * s}; }
  Force& operator+=(const Force& b) { return *this = *this + b; }
};

/// The power of a force on a motion, both in the same frame.
template <Scalar S>
S power(const Force<S>& f, const Motion<S>& v) {
  return dot(f.moment, v.angular) + dot(f.force, v.linear);
}

/// v x m: the change of m as seen when its frame moves with v.
template <Scalar S>
Motion<S> cross(const Motion<S>& v, const Motion<S>& m) {
  return {cross(v.angular, m.angular), cross(v.angular, m.linear) + cross(v.linear, m.angular)};
}

/// v x* f: the same for a force.
template <Scalar S>
Force<S> cross(const Motion<S>& v, const Force<S>& f) {
  return {cross(v.angular, f.moment) + cross(v.linear, f.force), cross(v.angular, f.force)};
}

template <Scalar S>
struct Transform {
  Mat3<S> R = Mat3<S>::Identity();
  Vec3<S> p = Vec3<S>::Zero();

  friend Transform operator*(const Transform& a, const Transform& b) { return {a.R * b.R, a.p + a.R * b.p}; }
  friend Vec3<S> operator*(const Transform& a, const Vec3<S>& x) { return a.p + a.R * x; }
  friend Motion<S> operator*(const Transform& a, const Motion<S>& v) {
    const Vec3<S> angular = a.R * v.angular;
    return {angular, a.R * v.linear + cross(a.p, angular)};
  }
  friend Force<S> operator*(const Transform& a, const Force<S>& f) {
    const Vec3<S> force = a.R * f.force;
    return {a.R * f.moment + cross(a.p, force), force};
  }

  Transform inverse() const {
    const Mat3<S> Rt = R.transpose();
    return {Rt, -(Rt * p)};
  }
  Motion<S> from_outside(const Motion<S>& v) const {
    return {R.transpose() * v.angular, R.transpose() * (v.linear + cross(v.angular, p))};
  }
  Force<S> from_outside(const Force<S>& f) const {
    return {R.transpose() * (f.moment - cross(p, f.force)), R.transpose() * f.force};
  }

  template <Scalar T>
  Transform<T> cast() const {
    return {R.template cast<T>(), p.template cast<T>()};
  }
};

template <Scalar S>
struct Inertia {
  S mass = S(0.0);
  Vec3<S> first = Vec3<S>::Zero();   ///< mass times centre of mass
  Mat3<S> second = Mat3<S>::Zero();  ///< about the frame's origin, not about the centre of mass

  friend Inertia operator+(const Inertia& a, const Inertia& b) {
    return {a.mass + b.mass, a.first + b.first, a.second + b.second};
  }
  /// The momentum (moment of momentum about the origin, momentum) of a body that moves with v.
  friend Force<S> operator*(const Inertia& I, const Motion<S>& v) {
    return {I.second * v.angular + cross(I.first, v.linear), v.linear * I.mass + cross(v.angular, I.first)};
  }

  template <Scalar T>
  Inertia<T> cast() const {
    return {T(mass), first.template cast<T>(), second.template cast<T>()};
  }
};

/// The tensor -[a]x[b]x = (a.b) 1 - b a^T, by which moving the reference point changes second moments.
template <Scalar S>
Mat3<S> steiner(const Vec3<S>& a, const Vec3<S>& b) {
  Mat3<S> J = -(b * a.transpose());
  J.diagonal().array() += dot(a, b);
  return J;
}

/// The inertia of a body from its mass, centre of mass, and second moment about that centre.
template <Scalar S>
Inertia<S> inertia_about_origin(const S& mass, const Vec3<S>& com, const Mat3<S>& about_com) {
  return {mass, com * mass, about_com + steiner<S>(com, com) * mass};
}

/// The inertia I given in frame B, seen from frame A.
template <Scalar S>
Inertia<S> operator*(const Transform<S>& X, const Inertia<S>& I) {
  const Vec3<S> h = X.R * I.first;
  const Mat3<S> turned = X.R * I.second * X.R.transpose();
  const Mat3<S> moved = steiner<S>(X.p, h) + steiner<S>(h, X.p) + steiner<S>(X.p, X.p) * I.mass;
  return {I.mass, h + X.p * I.mass, turned + moved};
}

/// The force that moves a body with velocity v and acceleration a:  f = I a + v x* I v.
template <Scalar S>
Force<S> inertial_force(const Inertia<S>& I, const Motion<S>& v, const Motion<S>& a) {
  return I * a + cross(v, I * v);
}

// ------------------------------------------------------------------------------------------------ rotations

template <Scalar S>
Mat3<S> rotation_z(const S& angle) {
  const S c = cos(angle), s = sin(angle), o(0.0), l(1.0);
  Mat3<S> R;
  R << c, -s, o, s, c, o, o, o, l;
  return R;
}

/// From a unit quaternion (w, x, y, z).
template <Scalar S>
Mat3<S> rotation_from_quaternion(const S& w, const S& x, const S& y, const S& z) {
  const S x2 = x + x, y2 = y + y, z2 = z + z, l(1.0);
  const S xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2, wx = w * x2, wy = w * y2,
          wz = w * z2;
  Mat3<S> R;
  R << l - (yy + zz), xy - wz, xz + wy, xy + wz, l - (xx + zz), yz - wx, xz - wy, yz + wx, l - (xx + yy);
  return R;
}

/// exp([r]x), with a selected series at zero so that the value and its derivatives stay finite.
template <Scalar S>
Mat3<S> rotation_from_vector(const Vec3<S>& r) {
  const S t2 = dot(r, r);
  const S near_zero = S(1e-6) - t2;  // the dropped terms are below t^6/7! = 2e-22
  const S safe = if_positive(near_zero, S(1.0), t2);
  const S t = sqrt(safe);
  const S a = if_positive(near_zero, S(1.0) - t2 / S(6.0) + t2 * t2 / S(120.0), sin(t) / t);
  const S b = if_positive(near_zero, S(0.5) - t2 / S(24.0) + t2 * t2 / S(720.0), (S(1.0) - cos(t)) / safe);
  const Mat3<S> W = cross_matrix(r);
  return Mat3<S>::Identity() + W * a + (W * W) * b;
}

/// URDF's roll, pitch, yaw about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll).
Mat3<double> rotation_from_rpy(const Vec3<double>& rpy);
/// The rotation vector of R, its angle in [0, pi].
Vec3<double> vector_from_rotation(const Mat3<double>& R);
/// The unit quaternion (w, x, y, z) of R, w >= 0.
Eigen::Vector4d quaternion_from_rotation(const Mat3<double>& R);
/// A rotation that takes the z axis to `axis`; a permutation when `axis` is a coordinate axis, so that zeros stay
/// zeros.
Mat3<double> rotation_to_axis(const Vec3<double>& axis);

}  // namespace gough
