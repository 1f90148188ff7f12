#pragma once
/// The natural orthogonal complement (papers 002 and 004).                                  docs/theory/noc.md
///   t = T y',   T_j = X_j^-1 T_i + S_j L_j       twists of all bodies in their frames, L = dq'/dy'          (N1)
///   tree      F = sum T_j^T (M_j t_j' + W_j M_j t_j - w_j) + L^T (J_m u^2 q'' - F_q)                        (N2)
///   forward   (sum T_j^T M_j T_j + L^T J_m u^2 L) y'' = A^T e - F at y'' = 0                                (N3)
///   leg       M = T^T M_M T + sum L_J^T I_J L_J,   L_J = J_J^-1 T     (paper 002, corrected)                (N4)
/// Twists and wrenches are then taken about mass centres, in base axes: M_j = [I_c 0; 0 m], W_j = [w~ 0; 0 0]. With y the
/// drives this is the tree form of paper 004; with y the platform's own coordinates, the form in the platform's twist.
#include "gough/dynamics/efforts.hpp"
#include "gough/dynamics/tree.hpp"

namespace gough {

template <Scalar S>
Noc<S>::Noc(const Structure& m, const Selection& s)
    : T(6 * static_cast<Eigen::Index>(m.parent.size()), static_cast<Eigen::Index>(s.independent.size())),
      MT(6, T.cols()),
      wrench(m.parent.size()),
      about_centre(m.parent.size()),
      centre(m.parent.size()),
      M_y(T.cols(), T.cols()),
      right(T.cols(), 1) {}

/// (N1) about the mass centres in base axes. Reads X, X0, L = G. Writes T, centre, about_centre.
template <Scalar S>
void orthogonal_complement(const Mechanism<S>& m, const Workspace<S>& w, const MatX<S>& L, Noc<S>& d) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const auto row = 6 * static_cast<Eigen::Index>(j);
    const TreeJoint& joint = m.joint[j];
    const Transform<S>& X = w.X[j];
    for (Eigen::Index y = 0; y < d.T.cols(); ++y) {
      Motion<S> t;
      for (int c = 0; c < velocity_size(joint); ++c) t += joint_axis(m, w, j, c) * S(L(joint.v + c, y));
      if (const int i = m.parent[j]; i != base) {
        const Eigen::Index up = 6 * static_cast<Eigen::Index>(i);
        t += X.from_outside(Motion<S>{d.T.template block<3, 1>(up, y), d.T.template block<3, 1>(up + 3, y)});
      }
      d.T.template block<3, 1>(row, y) = t.angular;
      d.T.template block<3, 1>(row + 3, y) = t.linear;
    }
  }
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const auto row = 6 * static_cast<Eigen::Index>(j);
    const Inertia<S>& I = m.inertia[j];
    const Vec3<S> c = I.first / if_positive(I.mass, I.mass, S(1.0));
    const Mat3<S>& R = w.X0[j].R;
    d.centre[j] = c;
    d.about_centre[j] = R * (I.second - steiner<S>(c, c) * I.mass) * R.transpose();
    for (Eigen::Index y = 0; y < d.T.cols(); ++y) {
      const Vec3<S> w_y = d.T.template block<3, 1>(row, y), v_y = d.T.template block<3, 1>(row + 3, y);
      d.T.template block<3, 1>(row, y) = R * w_y;
      d.T.template block<3, 1>(row + 3, y) = R * (v_y + cross(w_y, c));
    }
  }
}

/// M_j t'_j + W_j M_j t_j - w_j of every body, with accelerations `A`. Reads V, X0, applied. Writes wrench.
template <Scalar S>
void body_wrenches(const Mechanism<S>& m, const Workspace<S>& w, bool applied, const std::vector<Motion<S>>& A,
                   Noc<S>& d) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const Mat3<S>& R = w.X0[j].R;
    const Vec3<S>& c = d.centre[j];
    const Vec3<S> omega = R * w.V[j].angular, alpha = R * A[j].angular;
    const Vec3<S> at_c = w.V[j].linear + cross(w.V[j].angular, c);
    const Vec3<S> a_c = R * (A[j].linear + cross(A[j].angular, c) + cross(w.V[j].angular, at_c));
    const Vec3<S> H = d.about_centre[j] * omega;
    d.wrench[j].template head<3>() = d.about_centre[j] * alpha + cross(omega, H);
    d.wrench[j].template tail<3>() = (a_c - m.gravity) * m.inertia[j].mass;
    if (!applied) continue;
    d.wrench[j].template head<3>() -= R * (w.applied[j].moment - cross(c, w.applied[j].force));
    d.wrench[j].template tail<3>() -= R * w.applied[j].force;
  }
}

/// (N2) Reads T, wrench, load and a. Writes F.
template <Scalar S>
void forces_by_noc(const Mechanism<S>& m, const MatX<S>& L, const Noc<S>& d, const VecX<S>& a, const Workspace<S>& w,
                   VecX<S>& F) {
  F.setZero();
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    F.noalias() += d.T.template middleRows<6>(6 * static_cast<Eigen::Index>(j)).transpose().lazyProduct(d.wrench[j]);
  for (int c = 0; c < m.nv; ++c)
    F += L.row(c).transpose() * (reflected_rotor(m, static_cast<std::size_t>(c)) * a[c] - w.load[c]);
}

/// The motion of body j for a unit rate of y, in its own frame, from T.
template <Scalar S>
Motion<S> twist_of(const Noc<S>& d, const Workspace<S>& w, std::size_t j, Eigen::Index y) {
  const auto row = 6 * static_cast<Eigen::Index>(j);
  const Mat3<S> Rt = w.X0[j].R.transpose();
  const Vec3<S> turn = d.T.template block<3, 1>(row, y), move = d.T.template block<3, 1>(row + 3, y);
  const Vec3<S> own = Rt * turn;
  return {own, Rt * move - cross(own, d.centre[j])};
}

/// (N3) Reads T, F at y'' = 0 (accelerations g). Writes a.
template <Scalar S>
void accelerations_by_noc(const Mechanism<S>& m, const ExplicitForm<S>& form, const Efforts<S>& efforts, Noc<S>& d,
                          const VecX<S>& bias, VecX<S>& F, Workspace<S>& w) {
  d.M_y.setZero();
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    if (!m.has_inertia[j]) continue;
    const auto T = d.T.template middleRows<6>(6 * static_cast<Eigen::Index>(j));
    d.MT.template topRows<3>().noalias() = d.about_centre[j].lazyProduct(T.template topRows<3>());
    d.MT.template bottomRows<3>() = T.template bottomRows<3>() * m.inertia[j].mass;
    d.M_y.noalias() += T.transpose().lazyProduct(d.MT);
  }
  add_modal_mass(
      m, form.G, [&](std::size_t j, Eigen::Index y) { return twist_of(d, w, j, y); }, w, d.M_y);
  add_rotors(m, form.G, d.M_y);
  d.smallest_pivot = reduced_accelerations(form, efforts, bias, d.M_y, d.right, F, w);
}

}  // namespace gough
