#pragma once
/// Lagrange's equations of the first kind (paper 000, section 2).                           docs/theory/multipliers.md
///   inverse   K_d^T lambda = t_d                       the dependent coordinates' equations give lambda     (M1)
///             F = t_y - K_y^T lambda                   the others what the drives must do                   (M2)
///   forward   [ M  -K^T ] [ q''    ]   [ B tau - t_0 ]
///             [ K    0  ] [ lambda ] = [ k           ]     t_0 = t at q'' = 0                               (M3)
/// (M3) is solved in an order of pivots that the selection makes safe: the loops' rows with the dependent coordinates,
/// then the dependent rows with lambda, then the reduced mass matrix.
#include "gough/dynamics/efforts.hpp"
#include "gough/dynamics/tree.hpp"

namespace gough {

template <Scalar S>
Multipliers<S>::Multipliers(const Structure& m, const Selection& s)
    : kkt(m.nv + s.rank(), m.nv + s.rank()),
      right(kkt.rows(), 1),
      work(kkt.rows(), 1),
      M(m.nv, m.nv),
      composite(m.parent.size()),
      lambda(s.rank(), 1),
      lambda_work(s.rank(), 1) {
  for (int i = 0; i < s.rank(); ++i)
    rows.push_back(m.nv + i), columns.push_back(s.dependent[static_cast<std::size_t>(i)]);
  for (int i = 0; i < s.rank(); ++i)
    rows.push_back(s.dependent[static_cast<std::size_t>(i)]), columns.push_back(m.nv + i);
  for (const int y : s.independent) rows.push_back(y), columns.push_back(y);
}

/// lambda from the dependent coordinates' equations: K_d^T lambda = t_d - (B e)_d. Reads t, the factored K_d. Writes
/// w.lambda.                                                                                                (M1)
template <Scalar S>
void loop_forces(const Selection& s, const ExplicitForm<S>& form, const Efforts<S>& efforts, MatX<S>& lambda,
                 MatX<S>& work, Workspace<S>& w) {
  const int n = s.rank();
  for (int i = 0; i < n; ++i) {
    const int c = s.dependent[static_cast<std::size_t>(i)];
    lambda(i, 0) = w.t[c];
    if (efforts.kind == Efforts<S>::Kind::same) continue;
    for (int a = 0; a < efforts.size(); ++a)
      if (efforts.coordinate[static_cast<std::size_t>(a)] == c) lambda(i, 0) = lambda(i, 0) - efforts.e[a];
  }
  lu_solve_transposed(form.K_d, {s.natural, s.natural}, lambda, work);
  w.lambda.setZero();
  for (int i = 0; i < n; ++i) w.lambda[s.rows[static_cast<std::size_t>(i)]] = lambda(i, 0);
}

/// Reads t, K and the factored K_d of the explicit form. Writes F.                                    (M1), (M2)
template <Scalar S>
void forces_by_multipliers(const Selection& s, const ExplicitForm<S>& form, Multipliers<S>& d, const Workspace<S>& w,
                           VecX<S>& F) {
  const int n = s.rank();
  for (int i = 0; i < n; ++i) d.lambda(i, 0) = w.t[s.dependent[static_cast<std::size_t>(i)]];
  lu_solve_transposed(form.K_d, {s.natural, s.natural}, d.lambda, d.lambda_work);
  for (std::size_t y = 0; y < s.independent.size(); ++y) {
    const int c = s.independent[y];
    S sum = w.t[c];
    for (int i = 0; i < n; ++i) sum = sum - w.K(s.rows[static_cast<std::size_t>(i)], c) * d.lambda(i, 0);
    F[static_cast<Eigen::Index>(y)] = sum;
  }
}

/// Reads K, k, X and t at q'' = 0. Writes a, lambda.                                                        (M3)
template <Scalar S>
void accelerations_by_multipliers(const Mechanism<S>& m, const Selection& s, const Efforts<S>& efforts,
                                  Multipliers<S>& d, Workspace<S>& w) {
  const int nv = m.nv, n = s.rank();
  mass_matrix(m, w, d.composite, d.M);
  d.kkt.setZero();
  d.kkt.topLeftCorner(nv, nv) = d.M;
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < nv; ++c) {
      const S x = w.K(s.rows[static_cast<std::size_t>(i)], c);
      d.kkt(nv + i, c) = x;
      d.kkt(c, nv + i) = -x;
    }
  for (int c = 0; c < nv; ++c) d.right(c, 0) = -w.t[c];
  for (int a = 0; a < efforts.size(); ++a) {
    const int c = efforts.coordinate[static_cast<std::size_t>(a)];
    d.right(c, 0) = d.right(c, 0) + efforts.e[a];
  }
  for (int i = 0; i < n; ++i) d.right(nv + i, 0) = w.k[s.rows[static_cast<std::size_t>(i)]];
  const PivotOrder order{d.rows, d.columns};
  d.smallest_pivot = lu_factor(d.kkt, order);
  lu_solve(d.kkt, order, d.right, d.work);
  w.a = d.right.col(0).head(nv);
  w.lambda.setZero();
  for (int i = 0; i < n; ++i) w.lambda[s.rows[static_cast<std::size_t>(i)]] = d.right(nv + i, 0);
}

}  // namespace gough
