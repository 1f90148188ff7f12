#pragma once
/// A robot with a floating platform, leg by leg.                                            docs/theory/legs.md
///   K_s q'_i + K_Ps t_P = 0     rows s of leg i solve its joints      q'_i = G_i t_P,  q''_i = G_i t_P' + g_i  (L1)
///   Z t_P = 0                   its other rows constrain the platform Z = K_Pr + K_r G_i,  z = k_r - K_r g_i   (L2)
///   t_P = D y',  t_P' = D y'' + d                                                                          (L3)
/// t_P are the six velocity coordinates of the platform's free joint. Which rows solve which joints, and which of the
/// platform's coordinates are independent, is found in double (split_platform) and followed blindly.
#include "gough/dynamics/efforts.hpp"
#include "gough/kinematics/explicit_form.hpp"

namespace gough {

template <Scalar S>
LegReduction<S>::LegReduction(const PlatformSplit& split) {
  const auto c = static_cast<Eigen::Index>(split.rows.size()), n = static_cast<Eigen::Index>(split.independent.size());
  for (const LegSplit& l : split.leg) {
    const auto r = static_cast<Eigen::Index>(l.rows.size());
    leg.push_back({MatX<S>(r, r), MatX<S>(r, 7), MatX<S>(r, 7), MatX<S>::Zero(l.n, 6), VecX<S>::Zero(l.n),
                   MatX<S>(r, 1), MatX<S>(r, 1), S(1.0)});
  }
  Z = MatX<S>::Zero(split.constraints, 6);
  z = VecX<S>::Zero(split.constraints);
  Z_d = MatX<S>(c, c);
  Z_right = Z_work = MatX<S>(c, n + 1);
  mu = mu_work = MatX<S>(c, 1);
  D = MatX<S>::Zero(6, n);
  d = Vec6<S>::Zero();
}

/// (L1), (L2) for one leg; `row` is its first row of Z. Reads K, k.
template <Scalar S>
void reduce_leg(const LegSplit& s, int P, const Workspace<S>& w, int row, typename LegReduction<S>::Leg& leg,
                MatX<S>& Z, VecX<S>& z) {
  const int n = static_cast<int>(s.rows.size());
  for (int i = 0; i < n; ++i) {
    const int r = s.rows[static_cast<std::size_t>(i)];
    for (int c = 0; c < n; ++c) leg.K_ss(i, c) = w.K(r, s.columns[static_cast<std::size_t>(c)]);
    for (int c = 0; c < 6; ++c) leg.right(i, c) = -w.K(r, P + c);
    leg.right(i, 6) = w.k[r];
  }
  const PivotOrder order{s.natural, s.natural};
  if (n > 0) {
    leg.smallest_pivot = lu_factor(leg.K_ss, order);
    lu_solve(leg.K_ss, order, leg.right, leg.work);
  }
  for (int i = 0; i < n; ++i) {
    const int c = s.columns[static_cast<std::size_t>(i)] - s.first;
    leg.G.row(c) = leg.right.row(i).template head<6>();
    leg.g[c] = leg.right(i, 6);
  }
  for (std::size_t i = 0; i < s.rest_rows.size(); ++i) {
    const int r = s.rest_rows[i];
    const auto Zi = row + static_cast<Eigen::Index>(i);
    for (int c = 0; c < 6; ++c) Z(Zi, c) = w.K(r, P + c);
    z[Zi] = w.k[r];
    for (const int column : s.columns) {
      const S x = w.K(r, column);
      for (int c = 0; c < 6; ++c) Z(Zi, c) = Z(Zi, c) + x * leg.G(column - s.first, c);
      z[Zi] = z[Zi] - x * leg.g[column - s.first];
    }
  }
}

/// (L3) Reads Z, z. Writes D, d.
template <Scalar S>
void reduce_platform(const PlatformSplit& s, LegReduction<S>& r) {
  const int n = static_cast<int>(s.rows.size()), f = static_cast<int>(s.independent.size());
  const auto at = [](const std::vector<int>& x, int i) { return x[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < n; ++c) r.Z_d(i, c) = r.Z(at(s.rows, i), at(s.dependent, c));
    for (int c = 0; c < f; ++c) r.Z_right(i, c) = -r.Z(at(s.rows, i), at(s.independent, c));
    r.Z_right(i, f) = r.z[at(s.rows, i)];
  }
  if (n > 0) {
    r.smallest_pivot = lu_factor(r.Z_d, {s.natural, s.natural});
    lu_solve(r.Z_d, {s.natural, s.natural}, r.Z_right, r.Z_work);
  }
  for (int c = 0; c < f; ++c) r.D(at(s.independent, c), c) = S(1.0);
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < f; ++c) r.D(at(s.dependent, i), c) = r.Z_right(i, c);
    r.d[at(s.dependent, i)] = r.Z_right(i, f);
  }
}

/// All legs and the platform. Reads K, k.                                                              (L1)-(L3)
template <Scalar S>
void reduce_legs(const PlatformSplit& s, const Workspace<S>& w, LegReduction<S>& r) {
  int row = 0;
  for (std::size_t i = 0; i < s.leg.size(); ++i) {
    reduce_leg(s.leg[i], s.first, w, row, r.leg[i], r.Z, r.z);
    row += static_cast<int>(s.leg[i].rest_rows.size());
  }
  reduce_platform(s, r);
}

/// mu: forces of the platform's constraints from what is left of the balance on its dependent coordinates.
///   Z_d^T mu = R_d                                                                                         (L4)
template <Scalar S>
void platform_constraint_forces(const PlatformSplit& s, const Vec6<S>& R, LegReduction<S>& r, VecX<S>& lambda) {
  const int n = static_cast<int>(s.rows.size());
  for (int i = 0; i < n; ++i) r.mu(i, 0) = R[s.dependent[static_cast<std::size_t>(i)]];
  lu_solve_transposed(r.Z_d, {s.natural, s.natural}, r.mu, r.mu_work);
  for (int i = 0; i < n; ++i) {
    int row = s.rows[static_cast<std::size_t>(i)];
    for (const LegSplit& leg : s.leg) {  // which leg's row this is
      const int rest = static_cast<int>(leg.rest_rows.size());
      if (row >= 0 && row < rest) lambda[leg.rest_rows[static_cast<std::size_t>(row)]] = r.mu(i, 0);
      row -= rest;
    }
  }
}

/// The leg's loop forces: K_s^T lambda_s = R - K_r^T lambda_r on its solved columns, R: what they must carry.   (L5)
template <Scalar S, class R>
void leg_loop_forces(const LegSplit& s, R&& carried, typename LegReduction<S>::Leg& leg, Workspace<S>& w) {
  for (std::size_t i = 0; i < s.columns.size(); ++i) {
    S x = carried(s.columns[i]);
    for (const int r : s.rest_rows) x = x - w.K(r, s.columns[i]) * w.lambda[r];
    leg.lambda(static_cast<Eigen::Index>(i), 0) = x;
  }
  lu_solve_transposed(leg.K_ss, {s.natural, s.natural}, leg.lambda, leg.lambda_work);
  for (std::size_t i = 0; i < s.rows.size(); ++i) w.lambda[s.rows[i]] = leg.lambda(static_cast<Eigen::Index>(i), 0);
}

}  // namespace gough
