#pragma once
/// Jourdain's principle of virtual power, body by body and linear in the parameters (paper 003).
///                                                                                        docs/theory/virtual_power.md
///   J_T,j = R^T (J_T,i - r~ J_R,i) + e_z d',   J_R,j = R^T J_R,i + e_z theta'     (paper 003, 9 and 10)     (J1)
///   F_rb = sum_j [J_T^T J_R^T] Omega_j p_j,    p = (Ixx Ixy Ixz Iyy Iyz Izz, sx sy sz, m)                   (J2)
///   Omega = [ 0               w'~ + w~ w~   v' ]
///           [ w'* + w~ w*     -v'~          0  ]    v' the acceleration of the frame's origin less gravity  (J3)
///   F_f = (dq'/dy')^T D_f p_f                  friction in all joints, cut ones too  (paper 003, 13)        (J4)
///   forward: M_y e_k = sum J^T Omega(J e_k) p with Omega's part that is linear in accelerations             (J5)
/// The columns of (J2) and (J4) form the regressor H: F = H p + what is not linear in p (springs, external wrenches).
#include "gough/dynamics/efforts.hpp"
#include "gough/dynamics/tree.hpp"

namespace gough {

template <Scalar S>
VirtualPower<S>::VirtualPower(const Structure& m, const Selection& s)
    : J(6 * static_cast<Eigen::Index>(m.parent.size()), static_cast<Eigen::Index>(s.independent.size())),
      H(J.cols(),
        10 * static_cast<Eigen::Index>(m.parent.size()) + static_cast<Eigen::Index>(m.coefficient_name.size())),
      p(H.cols()),
      H_j(J.cols(), 10),
      M_y(J.cols(), J.cols()),
      right(J.cols(), 1) {}

template <class S>
using Omega = Eigen::Matrix<S, 6, 10>;

/// The ten parameters of body j in the order of (J2).
template <Scalar S>
Eigen::Matrix<S, 10, 1> body_parameters(const Inertia<S>& I) {
  Eigen::Matrix<S, 10, 1> p;
  p << I.second(0, 0), I.second(0, 1), I.second(0, 2), I.second(1, 1), I.second(1, 2), I.second(2, 2), I.first.x(),
      I.first.y(), I.first.z(), I.mass;
  return p;
}

namespace detail {
/// w*: I w = w* p_I.                                                                          (paper 003, 15)
template <Scalar S>
Eigen::Matrix<S, 3, 6> star(const Vec3<S>& w) {
  const S o(0.0);
  Eigen::Matrix<S, 3, 6> A;
  A << w.x(), w.y(), w.z(), o, o, o, o, w.x(), o, w.y(), w.z(), o, o, o, w.x(), o, w.y(), w.z();
  return A;
}
}  // namespace detail

/// (J3) from angular velocity, angular acceleration and acceleration of the origin, all in the body's frame. Rows: force,
/// moment.
template <Scalar S>
Omega<S> omega_matrix(const Vec3<S>& w, const Vec3<S>& dw, const Vec3<S>& dv) {
  const Mat3<S> wt = cross_matrix(w);
  Omega<S> O;
  O.template topLeftCorner<3, 6>().setZero();
  O.template block<3, 3>(0, 6) = cross_matrix(dw) + wt * wt;
  O.template block<3, 1>(0, 9) = dv;
  O.template block<3, 6>(3, 0) = detail::star(dw) + wt * detail::star(w);
  O.template block<3, 3>(3, 6) = -cross_matrix(dv);
  O.template block<3, 1>(3, 9).setZero();
  return O;
}

/// (J1) Reads X, dq'/dy' = G. Writes J.
template <Scalar S>
void body_jacobians(const Mechanism<S>& m, const Workspace<S>& w, const MatX<S>& G, VirtualPower<S>& d) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const auto row = 6 * static_cast<Eigen::Index>(j);
    const TreeJoint& joint = m.joint[j];
    const Mat3<S> Rt = w.X[j].R.transpose();
    for (Eigen::Index y = 0; y < d.J.cols(); ++y) {
      Vec3<S> T = Vec3<S>::Zero(), R = Vec3<S>::Zero();
      if (const int i = m.parent[j]; i != base) {
        const Eigen::Index up = 6 * static_cast<Eigen::Index>(i);
        const Vec3<S> Ti = d.J.template block<3, 1>(up, y), Ri = d.J.template block<3, 1>(up + 3, y);
        T = Rt * (Ti - cross(w.X[j].p, Ri));
        R = Rt * Ri;
      }
      for (int c = 0; c < velocity_size(joint); ++c) {
        const Motion<S> axis = joint_axis(m, w, j, c);
        T += axis.linear * S(G(joint.v + c, y));
        R += axis.angular * S(G(joint.v + c, y));
      }
      d.J.template block<3, 1>(row, y) = T;
      d.J.template block<3, 1>(row + 3, y) = R;
    }
  }
}

/// The power of a wrench about the base's origin on body j per unit rate of each y, added to `out` with sign.
template <Scalar S, class Out>
void add_wrench_power(const Workspace<S>& w, const VirtualPower<S>& d, int body, const Force<S>& wrench, const S& sign,
                      Out&& out) {
  if (body == base) return;
  const auto k = static_cast<std::size_t>(body);
  const Force<S> own = w.X0[k].from_outside(wrench);
  const auto row = 6 * static_cast<Eigen::Index>(body);
  for (Eigen::Index y = 0; y < d.J.cols(); ++y) {
    const Vec3<S> T = d.J.template block<3, 1>(row, y), R = d.J.template block<3, 1>(row + 3, y);
    out(y) = out(y) + sign * (dot(own.force, T) + dot(own.moment, R));
  }
}

/// (J4) The friction columns of H: coefficient by coefficient, with dc'/dy' of every joint coordinate.
template <Scalar S>
void friction_columns(const Mechanism<S>& m, const LoadPlan& plan, const Workspace<S>& w, const MatX<S>& G,
                      VirtualPower<S>& d) {
  const auto first = 10 * static_cast<Eigen::Index>(m.parent.size());
  d.H.rightCols(d.H.cols() - first).setZero();
  for (const LoadPlan::Coordinate& c : plan.tree)
    for (const LoadPlan::Term& term : c.friction)
      d.H.col(first + term.coefficient) +=
          G.row(c.index).transpose() * friction_value(term, c.index, S(w.v[c.index]), w);
  for (const LoadPlan::Coordinate& c : plan.cut) {
    if (c.friction.empty()) continue;
    const auto k = static_cast<std::size_t>(c.joint);
    const FrameMotion<S> A = frame_motion(w, m.cut[k].a, m.cut_a[k], w.A0);
    const FrameMotion<S> B = frame_motion(w, m.cut[k].b, m.cut_b[k], w.A0);
    const S rate = cut_coordinates(m.cut[k].kind, A, B).v[static_cast<std::size_t>(c.axis)];
    const Force<S> unit = free_wrenches(m.cut[k].kind, A.X, B.X)[static_cast<std::size_t>(c.axis)];
    for (const LoadPlan::Term& term : c.friction) {
      const S value = friction_value(term, c.index, rate, w);
      add_wrench_power(w, d, m.cut[k].b, unit, value, d.H.col(first + term.coefficient));
      add_wrench_power(w, d, m.cut[k].a, unit, S(-value), d.H.col(first + term.coefficient));
    }
  }
}

/// H and p with the accelerations `A`. Reads J, V, X0.                                               (J2), (J4)
template <Scalar S>
void regressor(const Mechanism<S>& m, const LoadPlan& plan, const Workspace<S>& w, const MatX<S>& G,
               const std::vector<Motion<S>>& A, VirtualPower<S>& d) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const Motion<S>& V = w.V[j];
    const Vec3<S> dv = A[j].linear + cross(V.angular, V.linear) - w.X0[j].R.transpose() * m.gravity;
    const Omega<S> O = omega_matrix<S>(V.angular, A[j].angular, dv);
    const auto column = 10 * static_cast<Eigen::Index>(j);
    d.H.template middleCols<10>(column).noalias() =
        d.J.template middleRows<6>(6 * static_cast<Eigen::Index>(j)).transpose().lazyProduct(O);
    d.p.template segment<10>(column) = body_parameters(m.inertia[j]);
  }
  friction_columns(m, plan, w, G, d);
  for (std::size_t i = 0; i < m.coefficient.size(); ++i)
    d.p[10 * static_cast<Eigen::Index>(m.parent.size()) + static_cast<Eigen::Index>(i)] = m.coefficient[i];
}

/// What is not linear in the parameters: springs, dampers, rotors, external wrenches, as forces on y that the drives must
/// overcome. Reads load's causes again, coordinate by coordinate, so that friction is not counted twice.
template <Scalar S>
void add_other_forces(const Mechanism<S>& m, const LoadPlan& plan, bool external, const Workspace<S>& w,
                      const MatX<S>& G, const VecX<S>& a, const VirtualPower<S>& d, VecX<S>& F) {
  const auto other = [&](const LoadPlan::Coordinate& c, const S& rate) {  // load + friction: springs and dampers alone
    S x = w.load[c.index];
    for (const LoadPlan::Term& term : c.friction)
      x = x + m.coefficient[static_cast<std::size_t>(term.coefficient)] * friction_value(term, c.index, rate, w);
    return x;
  };
  for (int c = 0; c < m.nv; ++c) F += G.row(c).transpose() * (reflected_rotor(m, static_cast<std::size_t>(c)) * a[c]);
  for (const LoadPlan::Coordinate& c : plan.tree) F -= G.row(c.index).transpose() * other(c, S(w.v[c.index]));
  for (const int j :
       plan.sprung_spherical)  // turns that a neighbour's spring loads, though they have none of their own
    for (int i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(j);
      const int c = m.joint[k].v + velocity_size(m.joint[k]) - 3 + i;
      bool listed = false;
      for (const LoadPlan::Coordinate& x : plan.tree) listed = listed || x.index == c;
      if (!listed) F -= G.row(c).transpose() * w.load[c];
    }
  for (const int c : plan.loaded_cuts) {
    const auto k = static_cast<std::size_t>(c);
    const FrameMotion<S> A = frame_motion(w, m.cut[k].a, m.cut_a[k], w.A0);
    const FrameMotion<S> B = frame_motion(w, m.cut[k].b, m.cut_b[k], w.A0);
    const FreeCoordinates<S> at = cut_coordinates(m.cut[k].kind, A, B);
    const auto unit = free_wrenches(m.cut[k].kind, A.X, B.X);
    for (int i = 0; i < free_coordinates(m.cut[k].kind); ++i) {
      S x = w.load[m.cut[k].first_coordinate + i];
      for (const LoadPlan::Coordinate& y : plan.cut)
        if (y.index == m.cut[k].first_coordinate + i) x = other(y, at.v[static_cast<std::size_t>(i)]);
      add_wrench_power(w, d, m.cut[k].b, unit[static_cast<std::size_t>(i)], S(-x), F);
      add_wrench_power(w, d, m.cut[k].a, unit[static_cast<std::size_t>(i)], x, F);
    }
  }
  for (std::size_t s = 0; s < m.spring.size(); ++s) {
    const SpringForce<S> f = spring_force(m, w, s);
    add_wrench_power(w, d, m.spring[s].b, {cross(f.b, f.on_b), f.on_b}, S(-1.0), F);
    add_wrench_power(w, d, m.spring[s].a, {cross(f.a, f.on_b), f.on_b}, S(1.0), F);
  }
  if (external)
    for (std::size_t j = 0; j < m.parent.size(); ++j)
      add_wrench_power(w, d, static_cast<int>(j), w.external[j], S(-1.0), F);
}

/// (J2), (J4) Reads J, V, A of the accelerations and a. Writes F.
template <Scalar S>
void forces_by_virtual_power(const Mechanism<S>& m, const LoadPlan& plan, bool external, const Workspace<S>& w,
                             const MatX<S>& G, const std::vector<Motion<S>>& A, const VecX<S>& a, VirtualPower<S>& d,
                             VecX<S>& F) {
  regressor(m, plan, w, G, A, d);
  F.noalias() = d.H.lazyProduct(d.p);
  add_other_forces(m, plan, external, w, G, a, d, F);
}

/// The motion of body j for a unit rate of y, in its own frame.
template <Scalar S>
Motion<S> twist_of(const VirtualPower<S>& d, std::size_t j, Eigen::Index y) {
  const auto row = 6 * static_cast<Eigen::Index>(j);
  return {d.J.template block<3, 1>(row + 3, y), d.J.template block<3, 1>(row, y)};
}

/// (J5) Reads J, F at y'' = 0. Writes a.
template <Scalar S>
void accelerations_by_virtual_power(const Mechanism<S>& m, const ExplicitForm<S>& form, const Efforts<S>& efforts,
                                    VirtualPower<S>& d, const VecX<S>& bias, VecX<S>& F, Workspace<S>& w) {
  d.M_y.setZero();
  const Vec3<S> none = Vec3<S>::Zero();
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    if (!m.has_inertia[j]) continue;
    const auto J = d.J.template middleRows<6>(6 * static_cast<Eigen::Index>(j));
    const Eigen::Matrix<S, 10, 1> p = body_parameters(m.inertia[j]);
    for (Eigen::Index y = 0; y < d.J.cols(); ++y) {
      const Vec3<S> dv = J.template block<3, 1>(0, y), dw = J.template block<3, 1>(3, y);
      const Vec6<S> f = omega_matrix<S>(none, dw, dv).lazyProduct(p);
      d.M_y.col(y).noalias() += J.transpose().lazyProduct(f);
    }
  }
  add_modal_mass(
      m, form.G, [&](std::size_t j, Eigen::Index y) { return twist_of(d, j, y); }, w, d.M_y);
  add_rotors(m, form.G, d.M_y);
  d.smallest_pivot = reduced_accelerations(form, efforts, bias, d.M_y, d.right, F, w);
}

}  // namespace gough
