#pragma once
/// M^-1 of a chain applied in linear time: articulated bodies.                             docs/theory/dynamics.md
///   U_j = I^A_j S_j,  D_j = S_j^T U_j + J_m u^2,  I^A_i += X_j (I^A_j - U_j D_j^-1 U_j^T) X_j^T             (B1)
///   u_j = r_j - S_j^T p_j,  p_i += X_j (p_j + U_j D_j^-1 u_j)                  tip to base                  (B2)
///   q''_j = D_j^-1 (u_j - U_j^T X_j^-1 a_i),  a_j = X_j^-1 a_i + S_j q''_j     base to tip                  (B3)
#include "gough/dynamics/tree.hpp"
#include "gough/spatial/linalg.hpp"

namespace gough {

/// At most six rows and columns, never on the heap.
template <class S>
using Small = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

/// The inertia that a body seems to have with everything it carries: (moment; force) = [A B; B^T C] (angular; linear).
template <Scalar S>
struct ArticulatedInertia {
  Mat3<S> A, B, C;

  explicit ArticulatedInertia(const Inertia<S>& I)
      : A(I.second), B(cross_matrix(I.first)), C(Mat3<S>::Identity() * I.mass) {}
  ArticulatedInertia() = default;

  friend Force<S> operator*(const ArticulatedInertia& I, const Motion<S>& v) {
    return {I.A * v.angular + I.B * v.linear, I.B.transpose() * v.angular + I.C * v.linear};
  }
  /// Adds X I X^T, the inertia `I` of a child.
  void add(const Transform<S>& X, const ArticulatedInertia& I) {
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
};

template <Scalar S>
struct Articulated {
  struct Body {
    ArticulatedInertia<S> inertia;  ///< I^A
    Small<S> U, D;                  ///< 6 x k, moments above forces; D factored
    Force<S> p;
    Motion<S> a;
  };
  std::vector<Body> body;
  S smallest_pivot{1.0};

  explicit Articulated(const Structure& m) : body(m.parent.size()) {}
};

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
    case Elementary::free: break;
  }
  return I * joint_axis(m, w, j, c);
}

/// I^A - U D^-1 U^T.
template <Scalar S>
ArticulatedInertia<S> without_joint(const typename Articulated<S>::Body& b) {
  ArticulatedInertia<S> rest = b.inertia;
  if (b.U.cols() == 0) return rest;
  Small<S> DU = b.U.transpose();
  ldlt_solve(b.D, DU);
  rest.A.noalias() -= b.U.template topRows<3>().lazyProduct(DU.template leftCols<3>());
  rest.B.noalias() -= b.U.template topRows<3>().lazyProduct(DU.template rightCols<3>());
  rest.C.noalias() -= b.U.template bottomRows<3>().lazyProduct(DU.template rightCols<3>());
  return rest;
}
}  // namespace detail

/// (B1) for bodies first .. last-1 of one chain. Reads X.
template <Scalar S>
void articulate(const Mechanism<S>& m, const Workspace<S>& w, int first, int last, Articulated<S>& chain) {
  for (int j = first; j < last; ++j)
    chain.body[static_cast<std::size_t>(j)].inertia = ArticulatedInertia<S>(m.inertia[static_cast<std::size_t>(j)]);
  for (int j = last; j-- > first;) {
    const auto k = static_cast<std::size_t>(j);
    auto& b = chain.body[k];
    const int n = velocity_size(m.joint[k].type);
    b.U.resize(6, n);
    b.D.resize(n, n);
    for (int c = 0; c < n; ++c) {
      const Force<S> U = detail::along_joint(m, w, k, c, b.inertia);
      b.U.col(c) << U.moment, U.force;
      along_axes(m, w, k, U, b.D.data() + n * c);
      b.D(c, c) = b.D(c, c) + reflected_rotor(m, static_cast<std::size_t>(m.joint[k].v) + static_cast<std::size_t>(c));
    }
    if (n > 0) chain.smallest_pivot = smaller(chain.smallest_pivot, ldlt_factor(b.D));
    if (m.parent[k] != base)
      chain.body[static_cast<std::size_t>(m.parent[k])].inertia.add(w.X[k], detail::without_joint<S>(b));
  }
}

/// (B2), (B3): solves M x = r in place for the chain's coordinates; r is indexed by velocity coordinate less `offset`.
template <Scalar S, class Column>
void articulated_solve(const Mechanism<S>& m, const Workspace<S>& w, int first, int last, int offset,
                       Articulated<S>& chain, Column&& r) {
  for (int j = first; j < last; ++j) chain.body[static_cast<std::size_t>(j)].p = {};
  for (int j = last; j-- > first;) {
    const auto k = static_cast<std::size_t>(j);
    auto& b = chain.body[k];
    const int v = m.joint[k].v - offset, n = velocity_size(m.joint[k].type);
    Small<S> u(n, 1);
    along_axes(m, w, k, b.p, u.data());
    for (int c = 0; c < n; ++c) u(c, 0) = r[v + c] - u(c, 0);
    if (n > 0) ldlt_solve(b.D, u);  // D^-1 u
    for (int c = 0; c < n; ++c) r[v + c] = u(c, 0);
    if (m.parent[k] == base) continue;
    const Force<S> p{b.p.moment + b.U.template topRows<3>().lazyProduct(u),
                     b.p.force + b.U.template bottomRows<3>().lazyProduct(u)};
    chain.body[static_cast<std::size_t>(m.parent[k])].p += w.X[k] * p;
  }
  for (int j = first; j < last; ++j) {
    const auto k = static_cast<std::size_t>(j);
    auto& b = chain.body[k];
    const int v = m.joint[k].v - offset, n = velocity_size(m.joint[k].type);
    b.a = {};
    if (m.parent[k] != base) b.a = w.X[k].from_outside(chain.body[static_cast<std::size_t>(m.parent[k])].a);
    Small<S> x = b.U.template topRows<3>().transpose().lazyProduct(b.a.angular) +
                 b.U.template bottomRows<3>().transpose().lazyProduct(b.a.linear);
    if (n > 0) ldlt_solve(b.D, x);
    for (int c = 0; c < n; ++c) x(c, 0) = r[v + c] = r[v + c] - x(c, 0);
    b.a += joint_motion(w.X[k], m.placement[k], m.joint[k].type, x.data());
  }
}

}  // namespace gough
