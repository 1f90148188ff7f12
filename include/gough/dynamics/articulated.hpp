#pragma once
/// M^-1 of a chain applied in linear time: articulated bodies.                             docs/theory/legs.md
///   U_j = I^A_j S_j,  D_j = S_j^T U_j + J_m u^2,  I^A_i += X_j (I^A_j - U_j D_j^-1 U_j^T) X_j^T             (B1)
///   u_j = r_j - S_j^T p_j,  p_i += X_j (p_j + U_j D_j^-1 u_j)                  tip to base                  (B2)
///   q''_j = D_j^-1 (u_j - U_j^T X_j^-1 a_i),  a_j = X_j^-1 a_i + S_j q''_j     base to tip                  (B3)
/// A modal joint carries mass itself (modal.hpp): in the frame before it, U = X I^A S + H, D = S^T I^A S + M, and the body before it
/// has the modes' rigid inertia I.                                                                            (B4)
#include <algorithm>
#include <array>

#include "gough/dynamics/tree.hpp"
#include "gough/spatial/linalg.hpp"

namespace gough {

template <Scalar S>
void ArticulatedInertia<S>::add(const Transform<S>& X, const ArticulatedInertia& I) {
  const auto turned = [&](const Mat3<S>& M) -> Mat3<S> { return X.R * M * X.R.transpose(); };
  const auto shifted = [&](const Mat3<S>& M) -> Mat3<S> {  // p~ M
    Mat3<S> r;
    for (int i = 0; i < 3; ++i) r.col(i) = cross<S>(X.p, M.col(i));
    return r;
  };
  const Mat3<S> b = turned(I.B), c = turned(I.C), moved = b + shifted(c);
  C += c;
  B += moved;
  A += turned(I.A) + shifted(moved.transpose()) + shifted(b.transpose()).transpose();
}

template <Scalar S>
Articulated<S>::Articulated(const Structure& m, std::size_t most) : body(m.parent.size()) {
  for (Body& b : body) {
    b.p.resize(most);
    b.a.resize(most);
  }
  for (const auto& x : m.modal)
    modes.push_back({MatX<S>::Zero(6, x->modes()), MatX<S>::Zero(x->modes(), 6), MatX<S>::Zero(x->modes(), x->modes()),
                     VecX<S>::Zero(x->modes())});
}

namespace detail {
/// I^A S_j, the c-th column: a joint along one axis of its body picks a column of I^A.
template <Scalar S>
Force<S> along_joint(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j, int c,
                     const ArticulatedInertia<S>& I) {
  switch (m.joint[j].type) {
    case Elementary::revolute: return {I.A.col(2), I.B.row(2).transpose()};
    case Elementary::spherical: return {I.A.col(c), I.B.row(c).transpose()};
    case Elementary::prismatic: return {I.B.col(2), I.C.col(2)};
    case Elementary::fixed:
    case Elementary::free:
    case Elementary::modal: break;
  }
  return I * joint_axis(m, w, j, c);
}

/// D^-1 from D, the leading n x n; returns the smallest pivot of D.
template <Scalar S>
S invert(int n, typename Articulated<S>::Body& b) {
  auto D = b.D.topLeftCorner(n, n), inverse = b.D_inverse.topLeftCorner(n, n);
  if (n == 1) {
    inverse(0, 0) = S(1.0) / D(0, 0);
    return D(0, 0);
  }
  inverse.setIdentity();
  const S smallest = ldlt_factor(D);
  ldlt_solve(D, inverse);
  return smallest;
}

/// I^A - U D^-1 U^T.
template <Scalar S>
ArticulatedInertia<S> without_joint(int n, const typename Articulated<S>::Body& b) {
  ArticulatedInertia<S> rest = b.inertia;
  for (int c = 0; c < n; ++c) {
    Force<S> V = b.U[0] * b.D_inverse(0, c);
    for (int i = 1; i < n; ++i) V += b.U[static_cast<std::size_t>(i)] * b.D_inverse(i, c);
    const Force<S>& U = b.U[static_cast<std::size_t>(c)];
    rest.A -= V.moment * U.moment.transpose();
    rest.B -= V.moment * U.force.transpose();
    rest.C -= V.force * U.force.transpose();
  }
  return rest;
}
}  // namespace detail

namespace detail {
template <Scalar S>
Force<S> force_of(const MatX<S>& U, Eigen::Index c) {
  return {U.col(c).template head<3>(), U.col(c).template tail<3>()};
}

/// (B4) for modal joint j.
template <Scalar S>
void articulate_modes(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j, Articulated<S>& chain) {
  const auto& b = chain.body[j];
  auto& x = chain.modes[static_cast<std::size_t>(m.joint[j].modal)];
  const ModalState<S>& s = modal_inertia(m, w, j);
  const int n = m.joint[j].modes;
  x.D = s.M;
  for (int c = 0; c < n; ++c) {
    const Force<S> own = b.inertia * s.axes[static_cast<std::size_t>(c)], outside = w.X[j] * own + modal_coupling(s, c);
    x.U.col(c) << outside.moment, outside.force;
    for (int i = 0; i < n; ++i) x.D(i, c) = x.D(i, c) + power(own, s.axes[static_cast<std::size_t>(i)]);
  }
  x.W = x.U.transpose();
  chain.smallest_pivot = smaller(chain.smallest_pivot, ldlt_factor(x.D));
  ldlt_solve(x.D, x.W);
  ArticulatedInertia<S>& before = chain.body[static_cast<std::size_t>(m.parent[j])].inertia;
  before.add(w.X[j], b.inertia);
  before.add(Transform<S>(), ArticulatedInertia<S>(s.I));
  const auto moment = x.U.template topRows<3>(), force = x.U.template bottomRows<3>();
  before.A -= moment.lazyProduct(x.W.template leftCols<3>());
  before.B -= moment.lazyProduct(x.W.template rightCols<3>());
  before.C -= force.lazyProduct(x.W.template rightCols<3>());
}

/// (B2) for modal joint j.
template <Scalar S>
void modes_inward(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j, std::size_t side, Articulated<S>& chain,
                  S* r) {
  auto& x = chain.modes[static_cast<std::size_t>(m.joint[j].modal)];
  const Force<S>& p = chain.body[j].p[side];
  Eigen::Map<VecX<S>> rest(r, x.u.size());
  along_axes(m, w, j, p, x.u.data());
  x.u = rest - x.u;
  ldlt_solve(x.D, x.u);
  rest = x.u;
  Force<S> passed = w.X[j] * p;
  for (Eigen::Index c = 0; c < rest.size(); ++c) passed += force_of(x.U, c) * S(rest[c]);
  chain.body[static_cast<std::size_t>(m.parent[j])].p[side] += passed;
}

/// (B3) for modal joint j.
template <Scalar S>
void modes_outward(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j, std::size_t side, Articulated<S>& chain,
                   S* r) {
  auto& x = chain.modes[static_cast<std::size_t>(m.joint[j].modal)];
  const Motion<S>& before = chain.body[static_cast<std::size_t>(m.parent[j])].a[side];
  Eigen::Map<VecX<S>> rest(r, x.u.size());
  rest -= x.W.template leftCols<3>().lazyProduct(before.angular);
  rest -= x.W.template rightCols<3>().lazyProduct(before.linear);
  chain.body[j].a[side] = w.X[j].from_outside(before) + joint_motion<S>(m, w, j, r);
}
}  // namespace detail

/// (B1) for bodies first .. last-1 of one chain. Reads X.
template <Scalar S>
void articulate(const Mechanism<S>& m, const Workspace<S>& w, int first, int last, Articulated<S>& chain) {
  for (int j = first; j < last; ++j)
    chain.body[static_cast<std::size_t>(j)].inertia = ArticulatedInertia<S>(m.inertia[static_cast<std::size_t>(j)]);
  for (int j = last; j-- > first;) {
    const auto k = static_cast<std::size_t>(j);
    if (m.joint[k].type == Elementary::modal) {
      detail::articulate_modes(m, w, k, chain);
      continue;
    }
    auto& b = chain.body[k];
    const int n = velocity_size(m.joint[k]);
    std::array<S, 6> column;
    for (int c = 0; c < n; ++c) {
      Force<S>& U = b.U[static_cast<std::size_t>(c)];
      U = detail::along_joint(m, w, k, c, b.inertia);
      along_axes(m, w, k, U, column.data());
      for (int i = 0; i < n; ++i) b.D(i, c) = column[static_cast<std::size_t>(i)];
      b.D(c, c) = b.D(c, c) + reflected_rotor(m, static_cast<std::size_t>(m.joint[k].v) + static_cast<std::size_t>(c));
    }
    if (n > 0) chain.smallest_pivot = smaller(chain.smallest_pivot, detail::invert<S>(n, b));
    if (m.parent[k] != base)
      chain.body[static_cast<std::size_t>(m.parent[k])].inertia.add(w.X[k], detail::without_joint<S>(n, b));
  }
}

namespace detail {
/// x = D^-1 y
template <Scalar S>
void solve_joint(int n, const typename Articulated<S>::Body& b, const std::array<S, 6>& y, std::array<S, 6>& x) {
  for (int c = 0; c < n; ++c) {
    S sum = b.D_inverse(c, 0) * y[0];
    for (int i = 1; i < n; ++i) sum = sum + b.D_inverse(c, i) * y[static_cast<std::size_t>(i)];
    x[static_cast<std::size_t>(c)] = sum;
  }
}

/// (B2) for body j and one right side: r becomes D^-1 u.
template <Scalar S>
void articulated_inward(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j, std::size_t side,
                        Articulated<S>& chain, S* r) {
  if (m.joint[j].type == Elementary::modal) return modes_inward(m, w, j, side, chain, r);
  const auto& b = chain.body[j];
  const int n = velocity_size(m.joint[j]);
  std::array<S, 6> u, x;
  along_axes(m, w, j, b.p[side], u.data());
  for (int c = 0; c < n; ++c) u[static_cast<std::size_t>(c)] = r[c] - u[static_cast<std::size_t>(c)];
  solve_joint<S>(n, b, u, x);
  Force<S> p = b.p[side];
  for (int c = 0; c < n; ++c) {
    r[c] = x[static_cast<std::size_t>(c)];
    p += b.U[static_cast<std::size_t>(c)] * r[c];
  }
  if (m.parent[j] != base) chain.body[static_cast<std::size_t>(m.parent[j])].p[side] += w.X[j] * p;
}

/// (B3) for body j and one right side: r becomes q''.
template <Scalar S>
void articulated_outward(const Mechanism<S>& m, const Workspace<S>& w, std::size_t j, std::size_t side,
                         Articulated<S>& chain, S* r) {
  if (m.joint[j].type == Elementary::modal) return modes_outward(m, w, j, side, chain, r);
  auto& b = chain.body[j];
  const int n = velocity_size(m.joint[j]);
  Motion<S> a;
  if (m.parent[j] != base) {
    a = w.X[j].from_outside(chain.body[static_cast<std::size_t>(m.parent[j])].a[side]);
    std::array<S, 6> y, x;
    for (int c = 0; c < n; ++c) y[static_cast<std::size_t>(c)] = power(b.U[static_cast<std::size_t>(c)], a);
    solve_joint<S>(n, b, y, x);
    for (int c = 0; c < n; ++c) r[c] = r[c] - x[static_cast<std::size_t>(c)];
  }
  b.a[side] = a + joint_motion(w.X[j], m.placement[j], m.joint[j].type, r);
}
}  // namespace detail

/// Solves M x = r in place for the chain's coordinates and several right sides; side(i) points at the first coordinate of
/// the i-th. They go side by side, because one recursion alone waits for its own results.            (B2), (B3)
template <Scalar S, class Side>
void articulated_solve(const Mechanism<S>& m, const Workspace<S>& w, int first, int last, std::size_t sides,
                       Articulated<S>& chain, Side&& side) {
  const int offset = m.joint[static_cast<std::size_t>(first)].v;
  for (int j = first; j < last; ++j) std::fill_n(chain.body[static_cast<std::size_t>(j)].p.begin(), sides, Force<S>{});
  for (int j = last; j-- > first;) {
    const auto k = static_cast<std::size_t>(j);
    for (std::size_t i = 0; i < sides; ++i)
      detail::articulated_inward(m, w, k, i, chain, side(i) + m.joint[k].v - offset);
  }
  for (int j = first; j < last; ++j) {
    const auto k = static_cast<std::size_t>(j);
    for (std::size_t i = 0; i < sides; ++i)
      detail::articulated_outward(m, w, k, i, chain, side(i) + m.joint[k].v - offset);
  }
}

}  // namespace gough
