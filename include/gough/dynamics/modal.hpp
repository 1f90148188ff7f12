#pragma once
/// The inertia of bodies that bend. The mass of a flexible body belongs to its modal joint: points x_k that move with the frame F
/// and with the modes, and sections that turn.                                                docs/theory/flexible.md
///   a_k = a + alpha x x_k + w x (w x x_k) + 2 w x N_k eta' + N_k eta'' - sum_e e (eta'^T B_ke eta')           (M6)
///   f = sum m_k a_k,   n = sum x_k x m_k a_k + J alpha + P eta'' + w x (J w + P eta')                        (M7)
///   Q = sum N_k^T m_k a_k + P^T alpha + L eta''                                                              (M8)
///   J = sum J_k,  P = sum J_k Theta_k,  L = sum Theta_k^T J_k Theta_k
/// and as a mass matrix over (twist of F; eta'):  [I H; H^T M]                                               (M9)
#include "gough/kinematics/modal.hpp"

namespace gough {

/// x_k and N_k where the modes stand. Reads q.
template <Scalar S>
void modal_lumps(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j) {
  ModalState<S>& s = w.modal[static_cast<std::size_t>(m.joint[j].modal)];
  modal_points(m.modal_of(j).lump, w.q.data() + m.joint[j].q, s.x, s.N, s.work);
}

/// (M6)-(M8) with F's twist `v` and spatial acceleration `a` (less gravity), in F. Reads x, N of `s`. Adds Q to Q[0 ..]; `rates` and
/// `accelerations` are those of the modes, the latter null for zeros. Returns the force and moment in F.
template <Scalar S>
Force<S> modal_forces(const ModalBody& b, const Motion<S>& v, const Motion<S>& a, const S* rates,
                      const S* accelerations, const ModalState<S>& s, S* Q) {
  const Eigen::Index n = b.modes();
  const Eigen::Map<const VecX<S>> etad(rates, n);
  Eigen::Map<VecX<S>> forces(Q, n);
  const Vec3<S> origin = a.linear + cross(v.angular, v.linear);
  Force<S> f;
  for (Eigen::Index k = 0; k < b.lump.count(); ++k) {
    const auto N = s.N.template middleRows<3>(3 * k);
    const Vec3<S> x = s.x.template segment<3>(3 * k), relative = N.lazyProduct(etad);
    Vec3<S> at = origin + cross(a.angular, x) + cross<S>(v.angular, cross(v.angular, x) + relative * S(2.0)) +
                 modal_shortening_rate(b.lump, k, rates);
    if (accelerations != nullptr) at += N.lazyProduct(Eigen::Map<const VecX<S>>(accelerations, n));
    const Vec3<S> push = at * S(b.lump_mass[k]);
    f.force += push;
    f.moment += cross(x, push);
    forces += N.transpose().lazyProduct(push);
  }
  const Mat3<S> J = b.turning.template cast<S>();
  Vec3<S> spin = J * v.angular, turn = J * a.angular;
  spin += b.turning_modes.template cast<S>().lazyProduct(etad);
  forces += b.turning_modes.transpose().template cast<S>().lazyProduct(a.angular);
  if (accelerations != nullptr) {
    const Eigen::Map<const VecX<S>> etadd(accelerations, n);
    turn += b.turning_modes.template cast<S>().lazyProduct(etadd);
    forces += b.modes_turning.template cast<S>().lazyProduct(etadd);
  }
  f.moment += turn + cross(v.angular, spin);
  return f;
}

/// (M9) in F. Reads x, N. Writes I, H, M of the state.
template <Scalar S>
void modal_inertia(const ModalBody& b, ModalState<S>& s) {
  s.I = Inertia<S>();
  s.I.second = b.turning.template cast<S>();
  s.H.template topRows<3>() = b.turning_modes.template cast<S>();
  s.H.template bottomRows<3>().setZero();
  s.M = b.modes_turning.template cast<S>();
  for (Eigen::Index k = 0; k < b.lump.count(); ++k) {
    const S mass(b.lump_mass[k]);
    const auto N = s.N.template middleRows<3>(3 * k);
    const Vec3<S> x = s.x.template segment<3>(3 * k);
    s.I.mass = s.I.mass + mass;
    s.I.first += x * mass;
    s.I.second += steiner<S>(x, x) * mass;
    for (Eigen::Index c = 0; c < N.cols(); ++c) {
      const Vec3<S> column = N.col(c);
      s.H.col(c).template head<3>() += cross(x, column) * mass;
      s.H.col(c).template tail<3>() += column * mass;
    }
    s.mass_N.template middleRows<3>(3 * k) = N * mass;
  }
  if constexpr (std::is_same_v<S, double>) s.M.noalias() += s.N.transpose() * s.mass_N;
  else s.M.noalias() += s.N.transpose().lazyProduct(s.mass_N);
}

/// (M6)-(M8): the mass of the body before modal joint j, added to what its frame and the joint must do. Reads q, v, X0, V.
template <Scalar S>
void add_modal_forces(const Mechanism<S>& m, const std::vector<Motion<S>>& A, const S* qdd, std::size_t j,
                      Workspace<S>& w) {
  const auto i = static_cast<std::size_t>(m.parent[j]);
  const int v = m.joint[j].v;
  Motion<S> a = A[i];
  a.linear -= w.X0[i].R.transpose() * m.gravity;
  const Transform<S>& F = m.placement[j];
  modal_lumps(m, w, j);
  const Force<S> f = modal_forces<S>(m.modal_of(j), F.from_outside(w.V[i]), F.from_outside(a), w.v.data() + v,
                                     qdd != nullptr ? qdd + v : nullptr,
                                     w.modal[static_cast<std::size_t>(m.joint[j].modal)], w.t.data() + v);
  w.f[i] += F * f;
}

/// (M9) of the body before modal joint j, in that body's frame. Reads q. Writes I, H, M of its state.
template <Scalar S>
const ModalState<S>& modal_inertia(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j) {
  ModalState<S>& s = w.modal[static_cast<std::size_t>(m.joint[j].modal)];
  modal_lumps(m, w, j);
  modal_inertia(m.modal_of(j), s);
  const Transform<S>& F = m.placement[j];
  s.I = F * s.I;
  for (Eigen::Index c = 0; c < s.H.cols(); ++c) {
    const Force<S> h = F * Force<S>{s.H.col(c).template head<3>(), s.H.col(c).template tail<3>()};
    s.H.col(c) << h.moment, h.force;
  }
  return s;
}

template <Scalar S>
Force<S> modal_coupling(const ModalState<S>& s, Eigen::Index c) {
  return {s.H.col(c).template head<3>(), s.H.col(c).template tail<3>()};
}

/// Bodies that bend have inertia in their modes too: their power on the motions J of their frames F, and on the modes. `J(j, y)`:
/// motion of body j for a unit rate of y, in its own frame. Adds to F.                                    (M6)-(M8)
template <Scalar S, class Jacobian>
void add_modal_power(const Mechanism<S>& m, const MatX<S>& G, const std::vector<Motion<S>>& A, const S* a, Jacobian&& J,
                     Workspace<S>& w, VecX<S>& F) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    if (m.joint[j].type != Elementary::modal) continue;
    const auto i = static_cast<std::size_t>(m.parent[j]);
    w.f[i] = Force<S>{};
    w.t.segment(m.joint[j].v, m.joint[j].modes).setZero();
    add_modal_forces(m, A, a, j, w);
    for (Eigen::Index y = 0; y < F.size(); ++y) {
      F[y] = F[y] + power(w.f[i], J(i, y));
      for (int c = m.joint[j].v; c < m.joint[j].v + m.joint[j].modes; ++c) F[y] = F[y] + G(c, y) * w.t[c];
    }
  }
}

/// The same for the mass matrix: M += J^T I J + J^T H G + G^T H^T J + G^T M G.                              (M9)
template <Scalar S, class Jacobian>
void add_modal_mass(const Mechanism<S>& m, const MatX<S>& G, Jacobian&& J, const Workspace<S>& w, MatX<S>& M) {
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    if (m.joint[j].type != Elementary::modal) continue;
    const auto i = static_cast<std::size_t>(m.parent[j]);
    const ModalState<S>& s = modal_inertia(m, w, j);
    auto modal = w.modal[static_cast<std::size_t>(m.joint[j].modal)].work.head(m.joint[j].modes);  // H^T J + M G
    const auto rates = G.middleRows(m.joint[j].v, m.joint[j].modes);
    for (Eigen::Index y = 0; y < M.cols(); ++y) {
      const Motion<S> at = J(i, y);
      Force<S> momentum = s.I * at;
      modal.noalias() = s.M.lazyProduct(rates.col(y));
      for (Eigen::Index c = 0; c < s.H.cols(); ++c) {
        momentum += modal_coupling(s, c) * S(rates(c, y));
        modal[c] = modal[c] + power(modal_coupling(s, c), at);
      }
      for (Eigen::Index x = 0; x < M.rows(); ++x)
        M(x, y) = M(x, y) + power(momentum, J(i, x)) + rates.col(x).dot(modal);
    }
  }
}

}  // namespace gough
