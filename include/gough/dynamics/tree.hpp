#pragma once
/// Dynamics of the opened tree: its loops cut, a virtual drive in every joint.               docs/theory/dynamics.md
///   t = M q'' + h - Q                                                                                       (T1)
///   f_j = I_j (a_j - g) + v_j x* I_j v_j - w_j + sum_{i: parent(i) = j} X_i f_i                             (T2)
///   t_j = S_j^T f_j + J_m u^2 q''_j - F_j                                                                   (T3)
///   M_ij = S_i^T X I^c_j S_j  (+ J_m u^2 if i = j),   I^c_j = I_j + sum X_i I^c_i    composite inertias     (T4)
/// t is what the joints of the tree would have to do for the motion q, q', q''; Q are the loads (loads.hpp). The loops
/// close when t = B tau + K^T lambda.                                                                        (T5)
#include "gough/dynamics/loads.hpp"
#include "gough/dynamics/modal.hpp"

namespace gough {

/// The c-th axis of joint j, in body j's frame.
template <Scalar S>
Motion<S> joint_axis(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j, int c) {
  Motion<S> axis;
  switch (m.joint[j].type) {
    case Elementary::fixed: break;
    case Elementary::revolute: axis.angular.z() = S(1.0); break;
    case Elementary::prismatic: axis.linear.z() = S(1.0); break;
    case Elementary::spherical: axis.angular[c] = S(1.0); break;
    case Elementary::free:
      if (c < 3) axis.linear = w.X[j].R.transpose() * m.placement[j].R.col(c);
      else axis.angular[c - 3] = S(1.0);
      break;
    case Elementary::modal:
      return w.modal[static_cast<std::size_t>(m.joint[j].modal)].axes[static_cast<std::size_t>(c)];
  }
  return axis;
}

/// S_j^T f, written to out[0 ..].
template <Scalar S>
void along_axes(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j, const Force<S>& f, S* out) {
  switch (m.joint[j].type) {
    case Elementary::fixed: break;
    case Elementary::revolute: out[0] = f.moment.z(); break;
    case Elementary::prismatic: out[0] = f.force.z(); break;
    case Elementary::spherical:
      for (int i = 0; i < 3; ++i) out[i] = f.moment[i];
      break;
    case Elementary::free: {
      const Vec3<S> force = m.placement[j].R.transpose() * (w.X[j].R * f.force);
      for (int i = 0; i < 3; ++i) out[i] = force[i], out[3 + i] = f.moment[i];
      break;
    }
    case Elementary::modal: {
      const auto& axes = w.modal[static_cast<std::size_t>(m.joint[j].modal)].axes;
      for (std::size_t i = 0; i < axes.size(); ++i) out[i] = power(f, axes[i]);
    }
  }
}

/// J_m u^2: the rotor seen from the joint.
template <Scalar S>
S reflected_rotor(const Mechanism<S>& m, std::size_t c) {
  return m.rotor_inertia[c] * m.ratio[c] * m.ratio[c];
}

/// M += G^T J_m u^2 G: the rotors in independent coordinates.
template <Scalar S>
void add_rotors(const Mechanism<S>& m, const MatX<S>& G, MatX<S>& M) {
  for (int c = 0; c < m.nv; ++c) {
    const S rotor = reflected_rotor(m, static_cast<std::size_t>(c));
    for (Eigen::Index k = 0; k < G.cols(); ++k) {
      const S x = rotor * G(c, k);
      for (Eigen::Index i = 0; i < G.cols(); ++i) M(i, k) = M(i, k) + G(c, i) * x;
    }
  }
}

/// The inertial force of body j with the accelerations `A`, less what is applied to it: (T2) without the children.
template <Scalar S>
Force<S> body_force(const Mechanism<S>& m, const Workspace<S>& w, const std::vector<Motion<S>>& A, std::size_t j,
                    bool applied) {
  Force<S> f;
  if (m.has_inertia[j]) {
    Motion<S> a = A[j];
    a.linear -= w.X0[j].R.transpose() * m.gravity;
    f = inertial_force(m.inertia[j], w.V[j], a);
  }
  return applied ? f - w.applied[j] : f;
}

/// Reads X, X0, V, v, load, applied, the accelerations A and qdd (null: none). Writes f, t.              (T2), (T3)
template <Scalar S>
void tree_forces(const Mechanism<S>& m, bool applied, const std::vector<Motion<S>>& A, const S* qdd, Workspace<S>& w) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) w.f[j] = body_force(m, w, A, j, applied);
  for (std::size_t j = m.parent.size(); j-- > 0;) {
    along_axes(m, w, j, w.f[j], w.t.data() + m.joint[j].v);
    if (const int i = m.parent[j]; i != base) w.f[static_cast<std::size_t>(i)] += w.X[j] * w.f[j];
    if (m.joint[j].type == Elementary::modal) add_modal_forces(m, A, qdd, j, w);
  }
  for (int c = 0; c < m.nv; ++c) {
    w.t[c] = w.t[c] - w.load[c];
    if (qdd != nullptr) w.t[c] = w.t[c] + reflected_rotor(m, static_cast<std::size_t>(c)) * qdd[c];
  }
}

/// (T4) Reads X. Writes the tree's mass matrix, both triangles; `composite` is scratch, one per body.
template <Scalar S>
void mass_matrix(const Mechanism<S>& m, const Workspace<S>& w, std::vector<Inertia<S>>& composite, MatX<S>& M) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) composite[j] = m.inertia[j];
  M.setZero();
  for (std::size_t j = m.parent.size(); j-- > 0;) {
    if (const int i = m.parent[j]; i != base)
      composite[static_cast<std::size_t>(i)] = composite[static_cast<std::size_t>(i)] + w.X[j] * composite[j];
    const TreeJoint& joint = m.joint[j];
    const ModalState<S>* modal = joint.type == Elementary::modal ? &modal_inertia(m, w, j) : nullptr;
    if (modal != nullptr)
      composite[static_cast<std::size_t>(m.parent[j])] = composite[static_cast<std::size_t>(m.parent[j])] + modal->I;
    for (int c = 0; c < velocity_size(joint); ++c) {
      Force<S> F = composite[j] * joint_axis(m, w, j, c);
      along_axes(m, w, j, F, M.data() + M.rows() * (joint.v + c) + joint.v);
      if (modal != nullptr) M.col(joint.v + c).segment(joint.v, joint.modes) += modal->M.col(c);
      for (std::size_t k = j; m.parent[k] != base;) {
        F = w.X[k] * F;
        if (modal != nullptr && k == j) F += modal_coupling(*modal, c);
        k = static_cast<std::size_t>(m.parent[k]);
        const int v = m.joint[k].v, n = velocity_size(m.joint[k]);
        along_axes(m, w, k, F, M.data() + M.rows() * (joint.v + c) + v);
        for (int r = 0; r < n; ++r) M(joint.v + c, v + r) = M(v + r, joint.v + c);
      }
    }
  }
  for (int c = 0; c < m.nv; ++c) M(c, c) = M(c, c) + reflected_rotor(m, static_cast<std::size_t>(c));
}

}  // namespace gough
