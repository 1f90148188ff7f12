#pragma once
/// Simultaneous calculation of the direct dynamics (paper 000, section 5), arranged so that it is exact.
///                                                                                        docs/theory/scdd.md
/// The opened tree falls apart into chains (the legs, and the platform where it floats) whose mass matrices M_i are
/// inverted on their own, in parallel when they are large:
///   x_i = M_i^-1 (B e - t_0)_i,     Y_i = M_i^-1 K_i^T                                                      (S1)
/// What ties them are the forces lambda at the tips, from "all tips accelerate alike":
///   without a platform    (sum K_i Y_i) lambda = k - sum K_i x_i,     q''_i = x_i + Y_i lambda              (S2)
///   onto the platform     lambda_s = L_ss^-1 (k_s - K_s x_i - K_Ps t_P' - L_sr lambda_r),    L = K_i Y_i      (S3)
///                         M* t_P' - Z*^T lambda_r = b*,    Z* t_P' + L* lambda_r = z*
/// with the rows s that solve a leg's joints and the others r, which constrain the platform:
///   M* = M_P + sum K_Ps^T L_ss^-1 K_Ps,    Z* = K_Pr - L_rs L_ss^-1 K_Ps,    L* = L_rr - L_rs L_ss^-1 L_sr
/// L* vanishes where nothing elastic of the leg enters its rows r. The cost is linear in the number of legs. With known accelerations, (35)-(41) of the paper:
///   F = sum G_i^T t_i,  then the tips' forces chain by chain                                                (S4)
/// The paper's own arrangement feeds the accelerations of the last step back (scdd_iterative):
///   y''_new = y''_old + w S^-1 (A^T e - G^T t(y''_old)),    S = M_yy - M_yp M_pp^-1 M_py                    (S5)
/// It converges only if w times the largest eigenvalue of S^-1 M_c is below 2.
#include <functional>

#include "gough/dynamics/leg_split.hpp"
#include "gough/dynamics/tree.hpp"

namespace gough {

/// Runs task(i) for i in [0, n), on several threads when `parallel`.
void for_each_chain(int n, bool parallel, const std::function<void(int)>& task);

inline constexpr int large_chain = 48;  ///< coordinates from which chains are worth a thread each

template <Scalar S>
Scdd<S>::Scdd(const Structure& m, const Selection& s, const PlatformSplit* split)
    : chain(find_chains(m, s)), onto_platform(split != nullptr), M(m.nv, m.nv), composite(m.parent.size()) {
  int largest = 0;
  if (split != nullptr) {
    chain = chains_onto_platform(m, *split);
    const auto n = static_cast<int>(split->rows.size());
    const auto f = static_cast<Eigen::Index>(split->independent.size());
    M_P = MatX<S>(6, 6);
    M_D = MatX<S>(6, f);
    M_y = MatX<S>(f, f);
    F_y = MatX<S>(f, 1);
    join = MatX<S>(6 + n, 6 + n);
    join_right = join_work = MatX<S>(6 + n, 1);
    for (int i = 0; i < n; ++i) join_rows.push_back(6 + i);
    join_columns = split->dependent;
    join_rows.insert(join_rows.end(), split->dependent.begin(), split->dependent.end());
    for (int i = 0; i < n; ++i) join_columns.push_back(6 + i);
    for (std::vector<int>* order : {&join_rows, &join_columns})
      order->insert(order->end(), split->independent.begin(), split->independent.end());
  } else {
    L = MatX<S>(s.rank(), s.rank());
    right = MatX<S>(s.rank(), 1);
  }
  for (const Chain& c : chain) {
    const auto r = static_cast<Eigen::Index>(c.rows.size());
    const Eigen::Index wide = onto_platform ? 7 + r - c.solved : 7;
    block.push_back({MatX<S>(c.n, c.n), MatX<S>(c.n, 1), MatX<S>(c.n, r), MatX<S>(r, r), MatX<S>(r, wide), S(1.0)});
    largest = std::max(largest, c.n);
  }
  parallel = largest >= large_chain && chain.size() > 1;
}

/// The right sides of (S1), before the inversion: forces, and K_i^T.
template <Scalar S>
void load_chain(const Chain& c, const VecX<S>& push, const Workspace<S>& w, typename Scdd<S>::Block& b) {
  for (int i = 0; i < c.n; ++i) b.x(i, 0) = push[c.first + i] - w.t[c.first + i];
  for (std::size_t r = 0; r < c.rows.size(); ++r)
    for (int i = 0; i < c.n; ++i) b.Y(i, static_cast<Eigen::Index>(r)) = w.K(c.rows[r], c.first + i);
}

/// K_i Y_i and k - K_i x_i, after the inversion.
template <Scalar S>
void meet_tip(const Chain& c, const Workspace<S>& w, typename Scdd<S>::Block& b) {
  for (std::size_t r = 0; r < c.rows.size(); ++r) {
    const auto row = static_cast<Eigen::Index>(r);
    b.L.row(row).noalias() = w.K.row(c.rows[r]).segment(c.first, c.n).lazyProduct(b.Y);
    S sum = w.k[c.rows[r]];
    for (int i = 0; i < c.n; ++i) sum = sum - w.K(c.rows[r], c.first + i) * b.x(i, 0);
    b.right(row, 6) = sum;
  }
}

/// (S1) for one chain. Reads M, t at q'' = 0 and the forces `push` on its coordinates.
template <Scalar S>
void invert_chain(const Chain& c, const MatX<S>& M, const VecX<S>& push, const Workspace<S>& w,
                  typename Scdd<S>::Block& b) {
  load_chain<S>(c, push, w, b);
  b.M = M.block(c.first, c.first, c.n, c.n);
  b.smallest_pivot = ldlt_factor(b.M);
  ldlt_solve(b.M, b.x);
  ldlt_solve(b.M, b.Y);
  meet_tip<S>(c, w, b);
}

/// (S2) Writes a, lambda.
template <Scalar S>
void join_tips(const Selection& s, Scdd<S>& d, Workspace<S>& w) {
  const int n = s.rank();
  d.L.setZero();
  for (int i = 0; i < n; ++i) d.right(i, 0) = w.k[s.rows[static_cast<std::size_t>(i)]];
  for (std::size_t c = 0; c < d.chain.size(); ++c) {
    const std::vector<int>& place = d.chain[c].place;
    for (std::size_t r = 0; r < place.size(); ++r) {
      const auto own = static_cast<Eigen::Index>(r);
      d.right(place[r], 0) = d.right(place[r], 0) + d.block[c].right(own, 6) - w.k[d.chain[c].rows[r]];
      for (std::size_t q = 0; q < place.size(); ++q)
        d.L(place[r], place[q]) = d.L(place[r], place[q]) + d.block[c].L(own, static_cast<Eigen::Index>(q));
    }
  }
  if (n > 0) {
    d.smallest_pivot = ldlt_factor(d.L);
    ldlt_solve(d.L, d.right);
  }
  w.lambda.setZero();
  for (int i = 0; i < n; ++i) w.lambda[s.rows[static_cast<std::size_t>(i)]] = d.right(i, 0);
  for (std::size_t c = 0; c < d.chain.size(); ++c) {
    auto a = w.a.segment(d.chain[c].first, d.chain[c].n);
    a = d.block[c].x.col(0);
    for (std::size_t r = 0; r < d.chain[c].rows.size(); ++r)
      a += d.block[c].Y.col(static_cast<Eigen::Index>(r)) * w.lambda[d.chain[c].rows[r]];
  }
}

/// (S3) where nothing of a leg but its solved joints moves: Z* = Z and L* = 0, so that the platform moves along D alone. Reads the
/// blocks, M_P, Z, D, d. Writes a, lambda.
template <Scalar S>
void join_rigid_legs(const PlatformSplit& s, LegReduction<S>& r, const VecX<S>& push, Scdd<S>& d, Workspace<S>& w) {
  const int P = s.first;
  Vec6<S> b;
  for (int i = 0; i < 6; ++i) b[i] = push[P + i] - w.t[P + i];
  for (std::size_t c = 0; c < d.chain.size(); ++c) {
    auto& x = d.block[c];
    const std::vector<int>& rows = d.chain[c].rows;
    const auto n = static_cast<Eigen::Index>(rows.size());
    for (Eigen::Index i = 0; i < n; ++i)
      for (int k = 0; k < 6; ++k) x.right(i, k) = w.K(rows[static_cast<std::size_t>(i)], P + k);
    if (n > 0) {
      d.smallest_pivot = ldlt_factor(x.L);
      ldlt_solve(x.L, x.right);
    }
    for (int i = 0; i < 6; ++i)
      for (Eigen::Index q = 0; q < n; ++q) {
        const S k = w.K(rows[static_cast<std::size_t>(q)], P + i);
        for (int j = 0; j < 6; ++j) d.M_P(i, j) = d.M_P(i, j) + k * x.right(q, j);
        b[i] = b[i] + k * x.right(q, 6);
      }
  }
  const Vec6<S> ahead = b - d.M_P.lazyProduct(r.d);
  d.F_y.col(0).noalias() = r.D.transpose().lazyProduct(ahead);
  d.M_D.noalias() = d.M_P.lazyProduct(r.D);
  d.M_y.noalias() = r.D.transpose().lazyProduct(d.M_D);
  if (d.M_y.rows() > 0) {
    d.smallest_pivot = ldlt_factor(d.M_y);
    ldlt_solve(d.M_y, d.F_y);
  }
  Vec6<S> a = r.d;
  a.noalias() += r.D.lazyProduct(d.F_y.col(0));
  for (int i = 0; i < 6; ++i) w.a[P + i] = a[i];
  w.lambda.setZero();
  const Vec6<S> R = d.M_P.lazyProduct(a) - b;
  platform_constraint_forces(s, R, r, w.lambda);
  for (std::size_t c = 0; c < d.chain.size(); ++c) {
    auto& x = d.block[c];
    const std::vector<int>& rows = d.chain[c].rows;
    auto ai = w.a.segment(d.chain[c].first, d.chain[c].n);
    ai = x.x.col(0);
    typename LegReduction<S>::Leg& leg = r.leg[c];
    for (std::size_t i = 0; i < s.leg[c].columns.size(); ++i) {  // lambda_s' = lambda_s + C^T lambda_r
      S sum(0.0);
      for (const int rest : s.leg[c].rest_rows) sum = sum + w.K(rest, s.leg[c].columns[i]) * w.lambda[rest];
      leg.lambda(static_cast<Eigen::Index>(i), 0) = sum;
    }
    lu_solve_transposed(leg.K_ss, {s.leg[c].natural, s.leg[c].natural}, leg.lambda, leg.lambda_work);
    for (std::size_t q = 0; q < rows.size(); ++q) {
      const auto i = static_cast<Eigen::Index>(q);
      S lambda = x.right(i, 6);
      for (int k = 0; k < 6; ++k) lambda = lambda - x.right(i, k) * a[k];
      ai += x.Y.col(i) * lambda;
      w.lambda[rows[q]] = lambda - leg.lambda(i, 0);
    }
  }
}

/// (S3) for one leg: M*, b*, Z*, L*, z* added to what joins them. Reads the block.
template <Scalar S>
void join_leg(const Chain& c, int P, typename Scdd<S>::Block& x, const Workspace<S>& w, Scdd<S>& d) {
  const Eigen::Index solved = c.solved, rest = static_cast<Eigen::Index>(c.rows.size()) - solved;
  const auto row = [&](Eigen::Index i) { return c.rows[static_cast<std::size_t>(i)]; };
  for (Eigen::Index i = 0; i < solved; ++i) {
    for (int k = 0; k < 6; ++k) x.right(i, k) = w.K(row(i), P + k);
    for (Eigen::Index r = 0; r < rest; ++r) x.right(i, 7 + r) = x.L(i, solved + r);
  }
  if (solved > 0) {
    auto L = x.L.topLeftCorner(solved, solved);
    auto right = x.right.topRows(solved);
    d.smallest_pivot = ldlt_factor(L);
    ldlt_solve(L, right);
  }
  for (int i = 0; i < 6; ++i)
    for (Eigen::Index q = 0; q < solved; ++q) {
      const S k = w.K(row(q), P + i);
      for (int j = 0; j < 6; ++j) d.join(i, j) = d.join(i, j) + k * x.right(q, j);
      d.join_right(i, 0) = d.join_right(i, 0) + k * x.right(q, 6);
    }
  for (Eigen::Index r = 0; r < rest; ++r) {
    const int at = 6 + c.place[static_cast<std::size_t>(r)];
    const auto L_rs = x.L.row(solved + r).head(solved);
    const auto less = [&](const S& from, Eigen::Index column) -> S {
      S sum = from;
      for (Eigen::Index q = 0; q < solved; ++q) sum = sum - L_rs(q) * x.right(q, column);
      return sum;
    };
    for (int k = 0; k < 6; ++k) {
      d.join(at, k) = less(w.K(row(solved + r), P + k), k);
      d.join(k, at) = -d.join(at, k);
    }
    for (Eigen::Index q = 0; q < rest; ++q)
      d.join(at, 6 + c.place[static_cast<std::size_t>(q)]) = less(x.L(solved + r, solved + q), 7 + q);
    d.join_right(at, 0) = less(x.right(solved + r, 6), 6);
  }
}

/// (S3) Reads the blocks, M_P. Writes a, lambda.
template <Scalar S>
void join_platform(const PlatformSplit& s, LegReduction<S>& reduction, const VecX<S>& push, Scdd<S>& d,
                   Workspace<S>& w) {
  if (s.rigid) return join_rigid_legs(s, reduction, push, d, w);
  const int P = s.first;
  d.join.setZero();
  d.join.topLeftCorner(6, 6) = d.M_P;
  for (int i = 0; i < 6; ++i) d.join_right(i, 0) = push[P + i] - w.t[P + i];
  for (std::size_t c = 0; c < d.chain.size(); ++c) join_leg<S>(d.chain[c], P, d.block[c], w, d);
  const PivotOrder order{d.join_rows, d.join_columns};
  d.smallest_pivot = lu_factor(d.join, order);
  lu_solve(d.join, order, d.join_right, d.join_work);
  for (int i = 0; i < 6; ++i) w.a[P + i] = d.join_right(i, 0);
  w.lambda.setZero();
  for (std::size_t c = 0; c < d.chain.size(); ++c) {
    auto& x = d.block[c];
    const Chain& leg = d.chain[c];
    auto a = w.a.segment(leg.first, leg.n);
    a = x.x.col(0);
    for (std::size_t r = 0; r < leg.place.size(); ++r)
      w.lambda[leg.rows[static_cast<std::size_t>(leg.solved) + r]] = d.join_right(6 + leg.place[r], 0);
    for (Eigen::Index q = 0; q < static_cast<Eigen::Index>(leg.rows.size()); ++q) {
      S& lambda = w.lambda[leg.rows[static_cast<std::size_t>(q)]];
      if (q < leg.solved) {
        lambda = x.right(q, 6);
        for (int k = 0; k < 6; ++k) lambda = lambda - x.right(q, k) * w.a[P + k];
        for (std::size_t r = 0; r < leg.place.size(); ++r)
          lambda = lambda - x.right(q, 7 + static_cast<Eigen::Index>(r)) * d.join_right(6 + leg.place[r], 0);
      }
      a += x.Y.col(q) * lambda;
    }
  }
}

/// Reads X, K, k and t at q'' = 0, the forces `push` of the drives (nv). Writes a, lambda.                 (S1)-(S3)
template <Scalar S>
void accelerations_by_scdd(const Mechanism<S>& m, const Selection& s, const PlatformSplit* split, LegReduction<S>* r,
                           const VecX<S>& push, Scdd<S>& d, Workspace<S>& w) {
  mass_matrix(m, w, d.composite, d.M);
  const auto invert = [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    invert_chain<S>(d.chain[k], d.M, push, w, d.block[k]);
  };
  if (d.parallel) for_each_chain(static_cast<int>(d.chain.size()), true, [&invert](int i) { invert(i); });
  else
    for (int i = 0; i < static_cast<int>(d.chain.size()); ++i) invert(i);
  if (split != nullptr) {
    d.M_P = d.M.block(split->first, split->first, 6, 6);
    join_platform(*split, *r, push, d, w);
  } else join_tips(s, d, w);
}

}  // namespace gough
