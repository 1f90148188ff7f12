#pragma once
/// From forces on independent coordinates to the drives that make them.                      docs/theory/dynamics.md
///   A^T e = F,    q'_e = A y': rates of the drives, their forces e                                          (A1)
///   as many drives as freedoms   e = A^-T F                                                                 (A2)
///   more                         e = W^-1 A (A^T W^-1 A)^-1 F,  least sum of w_i e_i^2                      (A3)
///   fewer                        e = (A A^T)^-1 A F, the rest F - A^T e is what no drive makes              (A4)
/// The efforts e are the actuators' forces, in the file's order, then the forces that elastic joints would need beside
/// their springs for the motion asked for: zero when the elastic motion is the true one.
#include <span>

#include "gough/dynamics/formulations.hpp"
#include "gough/kinematics/explicit_form.hpp"

namespace gough {

/// Sizes and kind for `freedoms` independent coordinates; `same`: they are the drives themselves, in order.
template <Scalar S>
Efforts<S> make_efforts(const std::vector<int>& drives, int freedoms, bool same) {
  Efforts<S> a;
  a.coordinate = drives;
  const int n = a.size(), least = std::min(n, freedoms);
  a.kind = same            ? Efforts<S>::Kind::same
           : n == freedoms ? Efforts<S>::Kind::square
           : n > freedoms  ? Efforts<S>::Kind::redundant
                           : Efforts<S>::Kind::under;
  a.weight.assign(static_cast<std::size_t>(n), S(1.0));
  a.A = MatX<S>::Zero(n, freedoms);
  a.normal = MatX<S>::Zero(least, least);
  a.small = MatX<S>::Zero(std::max(n, freedoms), 2);
  a.e = VecX<S>::Zero(n);
  a.rest = VecX<S>::Zero(freedoms);
  return a;
}

/// Writes e and rest from F. Reads A (unless `same`).                                                (A2)-(A4)
template <Scalar S, class DerivedF>
void solve_efforts(Efforts<S>& a, const Eigen::MatrixBase<DerivedF>& F) {
  using Kind = typename Efforts<S>::Kind;
  const Eigen::Index n = a.e.size(), d = a.rest.size();
  if (a.kind == Kind::same) {
    a.e = F;
    return;
  }
  if (a.kind == Kind::square) {
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) a.normal(i, j) = a.A(j, i);
    const PivotOrder order{a.rows, a.columns};
    if (n > 0) a.smallest_pivot = lu_factor(a.normal, order);
    auto e = a.small.leftCols(1).topRows(n);
    auto work = a.small.rightCols(1).topRows(n);
    e.col(0) = F;
    if (n > 0) lu_solve(a.normal, order, e, work);
    a.e = e.col(0);
    return;
  }
  if (a.kind == Kind::redundant) {
    for (Eigen::Index i = 0; i < d; ++i)
      for (Eigen::Index j = 0; j < d; ++j) {
        S sum(0.0);
        for (Eigen::Index r = 0; r < n; ++r) sum = sum + a.A(r, i) * a.A(r, j) / a.weight[static_cast<std::size_t>(r)];
        a.normal(i, j) = sum;
      }
    if (d > 0) a.smallest_pivot = ldlt_factor(a.normal);
    auto x = a.small.leftCols(1).topRows(d);
    x.col(0) = F;
    if (d > 0) ldlt_solve(a.normal, x);
    a.e.noalias() = a.A.lazyProduct(x.col(0));
    for (Eigen::Index r = 0; r < n; ++r) a.e[r] = a.e[r] / a.weight[static_cast<std::size_t>(r)];
    return;
  }
  a.normal.noalias() = a.A.lazyProduct(a.A.transpose());
  if (n > 0) a.smallest_pivot = ldlt_factor(a.normal);
  auto x = a.small.leftCols(1).topRows(n);
  x.col(0).noalias() = a.A.lazyProduct(F);
  if (n > 0) ldlt_solve(a.normal, x);
  a.e = x.col(0);
  a.rest = F;
  a.rest.noalias() -= a.A.transpose().lazyProduct(a.e);
}

/// F = A^T e: what the efforts do on the independent coordinates.                                            (A1)
template <Scalar S>
void push_efforts(const Efforts<S>& a, VecX<S>& F) {
  if (a.kind == Efforts<S>::Kind::same) F = a.e;
  else F.noalias() = a.A.transpose().lazyProduct(a.e);
}

/// A from the explicit form: the rows of G that belong to drives.
template <Scalar S>
void effort_rates(const MatX<S>& G, Efforts<S>& a) {
  if (a.kind == Efforts<S>::Kind::same) return;
  for (int i = 0; i < a.size(); ++i) a.A.row(i) = G.row(a.coordinate[static_cast<std::size_t>(i)]);
}

/// M_y y'' = A^T e - bias, then q'' = G y'' + g. Factors M_y in place, leaves y'' in `right`. Writes F and w.a; returns the
/// smallest pivot.
template <Scalar S>
S reduced_accelerations(const ExplicitForm<S>& form, const Efforts<S>& efforts, const VecX<S>& bias, MatX<S>& M_y,
                        MatX<S>& right, VecX<S>& F, Workspace<S>& w) {
  S smallest(1.0);
  push_efforts(efforts, F);
  right.col(0) = F - bias;
  if (F.size() > 0) {
    smallest = ldlt_factor(M_y);
    ldlt_solve(M_y, right);
  }
  w.a = form.g;
  w.a.noalias() += form.G.lazyProduct(right.col(0));
  return smallest;
}

}  // namespace gough
