#pragma once
/// M^-1 of a chain applied in linear time: articulated bodies.                             docs/theory/dynamics.md
///   U_j = I^A_j S_j,  D_j = S_j^T U_j + J_m u^2,  I^A_i += X_j (I^A_j - U_j D_j^-1 U_j^T) X_j^T             (B1)
///   u_j = r_j - S_j^T p_j,  p_i += X_j (p_j + U_j D_j^-1 u_j)                  tip to base                  (B2)
///   q''_j = D_j^-1 (u_j - U_j^T X_j^-1 a_i),  a_j = X_j^-1 a_i + S_j q''_j     base to tip                  (B3)
#include "gough/dynamics/tree.hpp"
#include "gough/spatial/linalg.hpp"

namespace gough {

template <class S>
using Mat6 = Eigen::Matrix<S, 6, 6>;
/// At most six rows and columns, never on the heap.
template <class S>
using Small = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

template <Scalar S>
struct Articulated {
  struct Body {
    Mat6<S> inertia;  ///< I^A
    Mat6<S> X;        ///< force transform from body to parent
    Small<S> axis;    ///< S_j, 6 x k
    Small<S> U, D;    ///< D factored
    Vec6<S> p, a;
  };
  std::vector<Body> body;
  S smallest_pivot{1.0};

  explicit Articulated(const Structure& m) : body(m.parent.size()) {}
};

namespace detail {
/// Order of the six: moment, force.
template <Scalar S>
Mat6<S> force_transform(const Transform<S>& X) {
  Mat6<S> A;
  A.template topLeftCorner<3, 3>() = X.R;
  A.template topRightCorner<3, 3>() = cross_matrix(X.p) * X.R;
  A.template bottomLeftCorner<3, 3>().setZero();
  A.template bottomRightCorner<3, 3>() = X.R;
  return A;
}
/// The inertia as a matrix: (moment; force) per (angular; linear).
template <Scalar S>
Mat6<S> matrix(const Inertia<S>& I) {
  Mat6<S> A;
  const Mat3<S> s = cross_matrix(I.first);
  A.template topLeftCorner<3, 3>() = I.second;
  A.template topRightCorner<3, 3>() = s;
  A.template bottomLeftCorner<3, 3>() = s.transpose();
  A.template bottomRightCorner<3, 3>() = Mat3<S>::Identity() * I.mass;
  return A;
}
}  // namespace detail

/// (B1) for bodies first .. last-1 of one chain. Reads X.
template <Scalar S>
void articulate(const Mechanism<S>& m, const Workspace<S>& w, int first, int last, Articulated<S>& chain) {
  for (int j = first; j < last; ++j)
    chain.body[static_cast<std::size_t>(j)].inertia = detail::matrix(m.inertia[static_cast<std::size_t>(j)]);
  for (int j = last; j-- > first;) {
    const auto k = static_cast<std::size_t>(j);
    auto& b = chain.body[k];
    const int n = velocity_size(m.joint[k].type);
    b.axis.resize(6, n);
    for (int c = 0; c < n; ++c) {
      const Motion<S> axis = joint_axis(m, w, k, c);
      b.axis.col(c) << axis.angular, axis.linear;
    }
    b.U.resize(6, n);
    b.U.noalias() = b.inertia.lazyProduct(b.axis);
    b.D.resize(n, n);
    b.D.noalias() = b.axis.transpose().lazyProduct(b.U);
    for (int c = 0; c < n; ++c)
      b.D(c, c) = b.D(c, c) + reflected_rotor(m, static_cast<std::size_t>(m.joint[k].v) + static_cast<std::size_t>(c));
    if (n > 0) chain.smallest_pivot = smaller(chain.smallest_pivot, ldlt_factor(b.D));
    b.X = detail::force_transform(w.X[k]);
    if (m.parent[k] == base) continue;
    Small<S> DU = b.U.transpose();
    if (n > 0) ldlt_solve(b.D, DU);
    Mat6<S> rest = b.inertia;
    rest.noalias() -= b.U.lazyProduct(DU);
    const Mat6<S> half = b.X.lazyProduct(rest);
    chain.body[static_cast<std::size_t>(m.parent[k])].inertia += half.lazyProduct(b.X.transpose());
  }
}

/// (B2), (B3): solves M x = r in place for the chain's coordinates; r is indexed by velocity coordinate less `offset`.
template <Scalar S, class Column>
void articulated_solve(const Mechanism<S>& m, int first, int last, int offset, Articulated<S>& chain, Column&& r) {
  for (int j = first; j < last; ++j) chain.body[static_cast<std::size_t>(j)].p.setZero();
  for (int j = last; j-- > first;) {
    const auto k = static_cast<std::size_t>(j);
    auto& b = chain.body[k];
    const int v = m.joint[k].v - offset, n = velocity_size(m.joint[k].type);
    Small<S> u(n, 1);
    for (int c = 0; c < n; ++c) {
      S sum = r[v + c];
      for (int i = 0; i < 6; ++i) sum = sum - b.axis(i, c) * b.p[i];
      u(c, 0) = sum;
    }
    if (n > 0) ldlt_solve(b.D, u);  // D^-1 u
    for (int c = 0; c < n; ++c) r[v + c] = u(c, 0);
    if (m.parent[k] == base) continue;
    const Vec6<S> p = b.p + b.U.lazyProduct(u);
    chain.body[static_cast<std::size_t>(m.parent[k])].p += b.X.lazyProduct(p);
  }
  for (int j = first; j < last; ++j) {
    const auto k = static_cast<std::size_t>(j);
    auto& b = chain.body[k];
    const int v = m.joint[k].v - offset, n = velocity_size(m.joint[k].type);
    if (m.parent[k] == base) b.a.setZero();
    else b.a = b.X.transpose().lazyProduct(chain.body[static_cast<std::size_t>(m.parent[k])].a);
    Small<S> x = b.U.transpose().lazyProduct(b.a);
    if (n > 0) ldlt_solve(b.D, x);
    for (int c = 0; c < n; ++c) r[v + c] = r[v + c] - x(c, 0);
    for (int c = 0; c < n; ++c) b.a += b.axis.col(c) * S(r[v + c]);
  }
}

}  // namespace gough
