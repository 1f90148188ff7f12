#pragma once
/// Velocities and accelerations of bodies, of the loops' equations, and of the cut joints' free coordinates.
///                                                                                           docs/theory/motion.md
///   v_j = X_j^-1 v_i + S_j q'_j                                                                            (V1)
///   a_j = X_j^-1 a_i + S_j q''_j + S'_j q'_j + v_j x S_j q'_j                                              (V2)
///   phi'  = K q'                                                                                           (V3)
///   phi'' = K q'' - k,     k = -K' q'   (found from phi'' with q'' = 0)                                     (V4)
/// v_j and a_j are spatial, in body j's own frame; a_j is the spatial acceleration, so the acceleration of the frame's
/// origin is a_j.linear + w_j x v_j.linear.
#include "gough/kinematics/closure.hpp"

namespace gough {

/// S q': the motion of body j against its parent, in body j's frame, for rates at the joint's first coordinate.
template <Scalar S>
Motion<S> joint_motion(const Transform<S>& X, const Transform<S>& placement, Elementary type, const S* rate) {
  Motion<S> m;
  switch (type) {
    case Elementary::fixed: break;
    case Elementary::revolute: m.angular.z() = rate[0]; break;
    case Elementary::prismatic: m.linear.z() = rate[0]; break;
    case Elementary::spherical: m.angular = Vec3<S>(rate[0], rate[1], rate[2]); break;
    case Elementary::free:
      m.linear = X.R.transpose() * (placement.R * Vec3<S>(rate[0], rate[1], rate[2]));
      m.angular = Vec3<S>(rate[3], rate[4], rate[5]);
      break;
    case Elementary::modal: break;  // needs its modes
  }
  return m;
}

/// The same for tree joint j, modes included.
template <Scalar S>
Motion<S> joint_motion(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j, const S* rate) {
  if (m.joint[j].type == Elementary::modal)
    return modal_motion(w.modal[static_cast<std::size_t>(m.joint[j].modal)], rate);
  return joint_motion(w.X[j], m.placement[j], m.joint[j].type, rate);
}

/// Reads X, v. Writes V.
template <Scalar S>
void tree_velocities(const Mechanism<S>& m, Workspace<S>& w) {
  w.require(Stage::position);
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const int i = m.parent[j];
    w.V[j] = joint_motion<S>(m, w, j, w.v.data() + m.joint[j].v);
    if (i != base) w.V[j] += w.X[j].from_outside(w.V[static_cast<std::size_t>(i)]);
  }
}

namespace detail {
/// (V2) with the joint accelerations `qdd`; a null pointer stands for zeros.
template <Scalar S>
void tree_accelerations(const Mechanism<S>& m, const Workspace<S>& w, const S* qdd, std::vector<Motion<S>>& A) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const int i = m.parent[j];
    const Motion<S> rate = joint_motion<S>(m, w, j, w.v.data() + m.joint[j].v);
    A[j] = cross(w.V[j], rate);
    if (m.joint[j].type == Elementary::free)
      A[j].linear -= cross(rate.angular, rate.linear);  // S' q': axes of the parent
    if (m.joint[j].type == Elementary::modal)
      A[j] += modal_bias(m.modal_of(j), Mat3<S>(m.placement[j].R.transpose() * w.X[j].R), w.q.data() + m.joint[j].q,
                         w.v.data() + m.joint[j].v, rate);
    if (qdd != nullptr) A[j] += joint_motion<S>(m, w, j, qdd + m.joint[j].v);
    if (i != base) A[j] += w.X[j].from_outside(A[static_cast<std::size_t>(i)]);
  }
}
}  // namespace detail

/// Reads X, V, v, a. Writes A.
template <Scalar S>
void tree_accelerations(const Mechanism<S>& m, Workspace<S>& w) {
  detail::tree_accelerations(m, w, w.a.data(), w.A);
}

/// A frame that moves, seen from the base in base axes; `a` is the ordinary acceleration of its origin.
template <Scalar S>
struct FrameMotion {
  Transform<S> X;
  Vec3<S> w = Vec3<S>::Zero(), v = Vec3<S>::Zero(), dw = Vec3<S>::Zero(), a = Vec3<S>::Zero();
};

/// The motion of frame F of body j, with accelerations from `A` (A for the true ones, A0 for q'' = 0).
template <Scalar S>
FrameMotion<S> frame_motion(const Workspace<S>& w, int j, const Transform<S>& F, const std::vector<Motion<S>>& A) {
  if (j == base) return {F, Vec3<S>::Zero(), Vec3<S>::Zero(), Vec3<S>::Zero(), Vec3<S>::Zero()};
  const auto k = static_cast<std::size_t>(j);
  const Mat3<S>& R = w.X0[k].R;
  const Motion<S>&v = w.V[k], &a = A[k];
  const Vec3<S> turning = cross<S>(v.angular, F.p), origin = v.linear + turning;
  FrameMotion<S> f;
  f.X = w.X0[k] * F;
  f.w = R * v.angular;
  f.v = R * origin;
  f.dw = R * a.angular;
  f.a = R * (a.linear + cross<S>(a.angular, F.p) + cross<S>(v.angular, origin));
  return f;
}

/// The first and second time derivative of one row of a cut joint.
template <Scalar S>
struct RowRates {
  S first, second;
};

template <Scalar S>
RowRates<S> row_rates(const CutRow& row, const FrameMotion<S>& A, const FrameMotion<S>& B, const S& length) {
  struct Vector {  // a vector and its two derivatives
    Vec3<S> x, d, dd;
  };
  const auto axis = [](const FrameMotion<S>& f, int i) -> Vector {
    const Vec3<S> e = f.X.R.col(i), d = cross(f.w, e);
    return {e, d, cross(f.dw, e) + cross(f.w, d)};
  };
  const auto product = [](const Vector& p, const Vector& q) -> RowRates<S> {
    const S both = dot(p.d, q.d);
    return {dot(p.d, q.x) + dot(p.x, q.d), dot(p.dd, q.x) + both + both + dot(p.x, q.dd)};
  };
  const Vector between{B.X.p - A.X.p, B.v - A.v, B.a - A.a};
  switch (row.what) {
    case CutRow::What::position: return product(axis(A, row.i), between);
    case CutRow::What::axis: return product(axis(A, row.i), axis(B, row.k));
    case CutRow::What::turn: {
      const int j = (row.i + 1) % 3, l = (row.i + 2) % 3;
      const RowRates<S> p = product(axis(A, l), axis(B, j)), q = product(axis(A, j), axis(B, l));
      return {(p.first - q.first) * S(0.5), (p.second - q.second) * S(0.5)};
    }
    case CutRow::What::distance:
      return {dot(between.x, between.d) / length, (dot(between.d, between.d) + dot(between.x, between.dd)) / length};
  }
  return {S(0.0), S(0.0)};
}

/// Cut joints that keep two points together.
constexpr bool is_point(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::universal || kind == JointKind::spherical ||
         kind == JointKind::fixed;
}

/// Reads X0, V, v. Writes A0, k.                                                                            (V4)
/// `closed`: positions and velocities close the loops exactly. The points of a cut joint then coincide and move alike, and
/// traced code need not multiply those zeros.
template <Scalar S>
void closure_bias(const Mechanism<S>& m, Workspace<S>& w, bool closed) {
  detail::tree_accelerations<S>(m, w, nullptr, w.A0);
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    const FrameMotion<S> A = frame_motion(w, m.cut[c].a, m.cut_a[c], w.A0);
    const FrameMotion<S> B = frame_motion(w, m.cut[c].b, m.cut_b[c], w.A0);
    for (std::size_t i = 0; i < m.cut[c].rows.size(); ++i) {
      const CutRow& row = m.cut[c].rows[i];
      const bool points_meet = closed && row.what == CutRow::What::position && is_point(m.cut[c].kind);
      w.k[m.cut[c].first_row + static_cast<int>(i)] =
          points_meet ? S(dot<S>(A.X.R.col(row.i), A.a - B.a)) : S(-row_rates(row, A, B, m.cut_length[c]).second);
    }
  }
}

/// The free coordinates of one joint: position, rate, acceleration. Turns of spherical parts are a rotation vector with
/// rates and accelerations in B's axes, like the tree's spherical joints.
template <Scalar S>
struct FreeCoordinates {
  std::array<S, 6> q, v, a;
};

/// The free coordinates of cut joint c, from the relative motion of its frames.
template <Scalar S>
FreeCoordinates<S> cut_coordinates(JointKind kind, const FrameMotion<S>& A, const FrameMotion<S>& B);

/// Reads X0, V, A. Writes cq, cv, ca.
template <Scalar S>
void cut_coordinates(const Mechanism<S>& m, Workspace<S>& w) {
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    const FreeCoordinates<S> f = cut_coordinates(m.cut[c].kind, frame_motion(w, m.cut[c].a, m.cut_a[c], w.A),
                                                 frame_motion(w, m.cut[c].b, m.cut_b[c], w.A));
    const int first = m.cut[c].first_coordinate - m.nv;
    const int n = free_coordinates(m.cut[c].kind);
    for (int i = 0; i < n; ++i) {
      w.cq[first + i] = f.q[static_cast<std::size_t>(i)];
      w.cv[first + i] = f.v[static_cast<std::size_t>(i)];
      w.ca[first + i] = f.a[static_cast<std::size_t>(i)];
    }
  }
}

/// The rotation vector of R by selection: of four ways to the quaternion, the one with the largest divisor.
template <Scalar S>
Vec3<S> rotation_vector(const Mat3<S>& R) {
  using Vec4 = Eigen::Matrix<S, 4, 1>;
  const S l(1.0), tr = R(0, 0) + R(1, 1) + R(2, 2);
  const S ax = R(2, 1) - R(1, 2), ay = R(0, 2) - R(2, 0), az = R(1, 0) - R(0, 1);
  const S xy = R(0, 1) + R(1, 0), xz = R(0, 2) + R(2, 0), yz = R(1, 2) + R(2, 1);
  Vec4 q(l + tr, ax, ay, az);
  S largest = q[0];
  const auto prefer = [&](const Vec4& other, const S& divisor) {
    for (int i = 0; i < 4; ++i) q[i] = if_positive(divisor - largest, other[i], q[i]);
    largest = if_positive(divisor - largest, divisor, largest);
  };
  prefer(Vec4(ax, l + R(0, 0) - R(1, 1) - R(2, 2), xy, xz), l + R(0, 0) - R(1, 1) - R(2, 2));
  prefer(Vec4(ay, xy, l - R(0, 0) + R(1, 1) - R(2, 2), yz), l - R(0, 0) + R(1, 1) - R(2, 2));
  prefer(Vec4(az, xz, yz, l - R(0, 0) - R(1, 1) + R(2, 2)), l - R(0, 0) - R(1, 1) + R(2, 2));
  const S side = if_positive(-q[0], S(-1.0), l);  // w >= 0: the short way round
  const Vec3<S> v(q[1] * side, q[2] * side, q[3] * side);
  const S w = q[0] * side, n2 = dot(v, v);
  const S near_zero = w * w * S(1e-8) - n2;
  const S n = sqrt(if_positive(near_zero, l, n2));
  const S w_safe = if_positive(near_zero, w, l);
  const S series = (l - n2 / (S(3.0) * w_safe * w_safe)) / w_safe;  // atan(n/w)/n
  return v * (S(2.0) * if_positive(near_zero, series, atan2(n, w) / n));
}

template <Scalar S>
FreeCoordinates<S> cut_coordinates(JointKind kind, const FrameMotion<S>& A, const FrameMotion<S>& B) {
  const Mat3<S> At = A.X.R.transpose(), R = At * B.X.R;
  const Vec3<S> wA = At * A.w, dwA = At * A.dw;
  const Vec3<S> r = At * (B.X.p - A.X.p);  // B's origin in A's axes, and its apparent rates
  const Vec3<S> rv = At * (B.v - A.v) - cross(wA, r);
  const Vec3<S> ra = At * (B.a - A.a) - cross(dwA, r) - cross<S>(wA, cross(wA, r)) - cross(wA, rv) * S(2.0);
  const Vec3<S> w = At * (B.w - A.w);                    // relative angular velocity in A's axes
  const Vec3<S> dw = At * (B.dw - A.dw) - cross(wA, w);  // and its apparent derivative there
  FreeCoordinates<S> f;
  f.q.fill(S(0.0));
  f.v.fill(S(0.0));
  f.a.fill(S(0.0));
  const auto set = [&f](std::size_t i, const S& q, const S& v, const S& a) {
    f.q[i] = q;
    f.v[i] = v;
    f.a[i] = a;
  };
  const auto slide = [&](std::size_t i, int axis) { set(i, r[axis], rv[axis], ra[axis]); };
  const auto turn_z = [&](std::size_t i) { set(i, atan2(R(1, 0), R(0, 0)), w.z(), dw.z()); };
  const auto turns = [&](std::size_t i) {
    const Vec3<S> q = rotation_vector(R), v = R.transpose() * w, a = R.transpose() * dw;
    for (int k = 0; k < 3; ++k) set(i + static_cast<std::size_t>(k), q[k], v[k], a[k]);
  };
  switch (kind) {
    case JointKind::fixed: break;
    case JointKind::revolute: turn_z(0); break;
    case JointKind::prismatic: slide(0, 2); break;
    case JointKind::universal: {  // R = Rz(q1) Rx(q2): w = q1' z + q2' x', x' the turned x
      const S c(R(0, 0)), s(R(1, 0)), q2v = w.x() * c + w.y() * s, q1v = w.z();
      set(0, atan2(s, c), q1v, dw.z());
      set(1, atan2(R(2, 1), R(2, 2)), q2v, dw.x() * c + dw.y() * s);
      break;
    }
    case JointKind::cylindrical: turn_z(0), slide(1, 2); break;
    case JointKind::spherical: turns(0); break;
    case JointKind::planar: slide(0, 0), slide(1, 1), turn_z(2); break;
    case JointKind::point_on_line: slide(0, 2), turns(1); break;
    case JointKind::point_on_plane: slide(0, 0), slide(1, 1), turns(2); break;
    case JointKind::distance: {  // direction (sin q2, -sin q1 cos q2, cos q1 cos q2) times the length
      const S n2 = r.y() * r.y() + r.z() * r.z(), n = sqrt(n2), l2 = n2 + r.x() * r.x();
      const S m1 = r.y() * rv.z() - r.z() * rv.y(), nv = (r.y() * rv.y() + r.z() * rv.z()) / n;
      const S q1v = m1 / n2, q2v = (n * rv.x() - r.x() * nv) / l2;
      const S q1a = (r.y() * ra.z() - r.z() * ra.y()) / n2 - (nv + nv) * q1v / n;
      const S na = (rv.y() * rv.y() + rv.z() * rv.z() + r.y() * ra.y() + r.z() * ra.z() - nv * nv) / n;
      const S lv = (r.x() * rv.x() + n * nv) / l2;
      set(0, atan2(-r.y(), r.z()), q1v, q1a);
      const S q2a = (n * ra.x() - r.x() * na) / l2 - (lv + lv) * q2v;
      set(1, atan2(r.x(), n), q2v, q2a);
      // turns against the rod's frame D = Rx(q1) Ry(q2), which itself turns with q1' x + q2' y1
      const S l = sqrt(l2), c1 = r.z() / n, s1 = -(r.y() / n), c2 = n / l, s2 = r.x() / l, o(0.0);
      Mat3<S> D;
      D << c2, o, s2, s1 * s2, c1, -(s1 * c2), -(c1 * s2), s1, c1 * c2;
      const Vec3<S> x(S(1.0), o, o), y1(o, c1, s1);
      const Vec3<S> wD = x * q1v + y1 * q2v, dwD = x * q1a + y1 * q2a + cross(x, y1) * (q1v * q2v);
      const Vec3<S> u = w - wD, q = rotation_vector<S>(D.transpose() * R), v = R.transpose() * u,
                    a = R.transpose() * (dw - dwD - cross(w, u));
      for (int k = 0; k < 3; ++k) set(2 + static_cast<std::size_t>(k), q[k], v[k], a[k]);
      break;
    }
    case JointKind::free: slide(0, 0), slide(1, 1), slide(2, 2), turns(3); break;
    case JointKind::modal: break;
  }
  return f;
}

}  // namespace gough
