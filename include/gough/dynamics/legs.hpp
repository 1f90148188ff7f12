#pragma once
/// The production formulation: leg recursions, joined at the platform.                      docs/theory/legs.md
///   inverse   F = D^T (t_P + sum G_i^T t_i),      A = rows of G_i D that are driven                         (R1)
///   forward   M_y = D^T (M_P + sum G_i^T M_i G_i) D,   M_y y'' = A^T e - D^T (t_P + sum G_i^T t_i)_0         (R2)
///             with t_0 at y'' = 0: t_P' = d, q''_i = G_i d + g_i
///   then      q''_i = G_i t_P' + g_i, and the loop forces leg by leg                                  (L4), (L5)
/// t_i comes from the legs' own recursion, so inverse dynamics costs a fixed amount per leg: the recursive algorithm that
/// paper 002 asks for. Legs with coordinates of their own (elastic joints), and mechanisms without a floating platform,
/// take the arrangement of scdd with every chain inverted in linear time (articulated.hpp). A motion that moves the
/// platform alone says what the actuators do, as before; then each elastic joint lacks
///   e_c = t_c - K_c^T lambda_i                                                                              (R3)
#include "gough/dynamics/articulated.hpp"
#include "gough/dynamics/scdd.hpp"

namespace gough {

template <Scalar S>
Legs<S>::Legs(const Structure& m, const Selection& s, const PlatformSplit* split)
    : composite(m.parent.size()),
      M(m.nv, m.nv),
      MG(m.nv, 6),
      M_P(6, 6),
      tips(m, s, split),
      chain(m, tips.most_rows() + 1) {
  const auto f = static_cast<Eigen::Index>(split != nullptr ? split->independent.size() : 0);
  M_D = MatX<S>(6, f);
  M_y = MatX<S>(f, f);
  F_y = MatX<S>(f, 1);
}

/// A = rows of G_i D.
template <Scalar S>
void leg_effort_rates(const PlatformSplit& s, const LegReduction<S>& r, Efforts<S>& efforts) {
  for (int a = 0; a < efforts.size(); ++a) {
    const int c = efforts.coordinate[static_cast<std::size_t>(a)];
    for (std::size_t i = 0; i < s.leg.size(); ++i)
      if (c >= s.leg[i].first && c < s.leg[i].first + s.leg[i].n)
        efforts.A.row(a).noalias() = r.leg[i].G.row(c - s.leg[i].first).lazyProduct(r.D);
  }
}

/// (R1) Reads t. Writes F_P, F.
template <Scalar S>
void forces_by_legs(const PlatformSplit& s, const LegReduction<S>& r, const Workspace<S>& w, Legs<S>& d, VecX<S>& F) {
  d.F_P = w.t.template segment<6>(s.first);
  for (std::size_t i = 0; i < s.leg.size(); ++i)
    d.F_P.noalias() += r.leg[i].G.transpose().lazyProduct(w.t.segment(s.leg[i].first, s.leg[i].n));
  F.noalias() = r.D.transpose().lazyProduct(d.F_P);
}

/// Loop forces from t and the efforts. Writes lambda.                                                  (L4), (L5)
template <Scalar S>
void loop_forces_by_legs(const PlatformSplit& s, LegReduction<S>& r, const Efforts<S>& efforts, Legs<S>& d,
                         Workspace<S>& w) {
  for (int a = 0; a < efforts.size(); ++a) w.t[efforts.coordinate[static_cast<std::size_t>(a)]] -= efforts.e[a];
  d.F_P = w.t.template segment<6>(s.first);
  for (std::size_t i = 0; i < s.leg.size(); ++i)
    d.F_P.noalias() += r.leg[i].G.transpose().lazyProduct(w.t.segment(s.leg[i].first, s.leg[i].n));
  w.lambda.setZero();
  platform_constraint_forces(s, d.F_P, r, w.lambda);
  for (std::size_t i = 0; i < s.leg.size(); ++i)
    leg_loop_forces<S>(
        s.leg[i], [&](int c) -> S { return w.t[c]; }, r.leg[i], w);
}

template <Scalar S>
ElasticLegs<S>::ElasticLegs(const Structure& m, const PlatformSplit& s)
    : effort_of(static_cast<std::size_t>(m.nv), -1) {
  const auto freedoms = static_cast<int>(s.independent.size());
  actuated = make_efforts<S>(m.actuator, freedoms, false);
  F = VecX<S>::Zero(freedoms);
  const std::vector<int> drives = m.driven();
  for (std::size_t i = 0; i < drives.size(); ++i) effort_of[static_cast<std::size_t>(drives[i])] = static_cast<int>(i);
}

/// (R1), then (R3). Reads t. Writes all efforts and lambda.
template <Scalar S>
void forces_by_elastic_legs(const PlatformSplit& s, LegReduction<S>& r, ElasticLegs<S>& elastic, Legs<S>& d,
                            Efforts<S>& efforts, Workspace<S>& w) {
  forces_by_legs(s, r, w, d, elastic.F);
  leg_effort_rates(s, r, elastic.actuated);
  solve_efforts(elastic.actuated, elastic.F);
  loop_forces_by_legs(s, r, elastic.actuated, d, w);
  for (int a = 0; a < elastic.actuated.size(); ++a) efforts.e[a] = elastic.actuated.e[a];
  for (const LegSplit& leg : s.leg)
    for (const int c : leg.free_columns) {
      S e = w.t[c];
      for (const std::vector<int>* rows : {&leg.rows, &leg.rest_rows})
        for (const int row : *rows) e = e - w.K(row, c) * w.lambda[row];
      efforts.e[elastic.effort_of[static_cast<std::size_t>(c)]] = e;
    }
}

/// y'' = 0: the accelerations that velocities alone make. Writes a.
template <Scalar S>
void bias_accelerations(const PlatformSplit& s, const LegReduction<S>& r, const Vec6<S>& platform, Workspace<S>& w) {
  w.a.template segment<6>(s.first) = platform;
  for (std::size_t i = 0; i < s.leg.size(); ++i) {
    auto a = w.a.segment(s.leg[i].first, s.leg[i].n);
    a = r.leg[i].g;
    a.noalias() += r.leg[i].G.lazyProduct(platform);
  }
}

/// (R2) Reads X, t at y'' = 0 (in w.a). Writes a; leaves t at the new accelerations.
template <Scalar S>
void accelerations_by_legs(const Mechanism<S>& m, const PlatformSplit& s, const LegReduction<S>& r,
                           const Efforts<S>& efforts, VecX<S>& F, Legs<S>& d, Workspace<S>& w) {
  mass_matrix(m, w, d.composite, d.M);
  d.M_P = d.M.block(s.first, s.first, 6, 6);
  forces_by_legs(s, r, w, d, F);
  for (std::size_t i = 0; i < s.leg.size(); ++i) {
    const int v = s.leg[i].first, n = s.leg[i].n;
    auto MG = d.MG.middleRows(v, n);
    MG.noalias() = d.M.block(v, v, n, n).lazyProduct(r.leg[i].G);
    d.M_P.noalias() += r.leg[i].G.transpose().lazyProduct(MG);
  }
  d.F_y.col(0) = -F;
  d.F_y.col(0).noalias() += efforts.A.transpose().lazyProduct(efforts.e);
  d.M_D.noalias() = d.M_P.lazyProduct(r.D);
  d.M_y.noalias() = r.D.transpose().lazyProduct(d.M_D);
  if (d.F_y.rows() > 0) {
    d.smallest_pivot = ldlt_factor(d.M_y);
    ldlt_solve(d.M_y, d.F_y);
  }
  const Vec6<S> change = r.D.lazyProduct(d.F_y.col(0));
  const Vec6<S> a = r.d + change;
  w.t.template segment<6>(s.first).noalias() += d.M.block(s.first, s.first, 6, 6).lazyProduct(change);
  for (const LegSplit& leg : s.leg)
    w.t.segment(leg.first, leg.n).noalias() += d.MG.middleRows(leg.first, leg.n).lazyProduct(change);
  bias_accelerations(s, r, a, w);
}

/// The other arrangement: chains inverted by articulated bodies. Reads X, K, k, t at q'' = 0. Writes a, lambda.
template <Scalar S>
void accelerations_by_chains(const Mechanism<S>& m, const Selection& s, const PlatformSplit* split, LegReduction<S>* r,
                             const VecX<S>& push, Legs<S>& d, Workspace<S>& w) {
  for (std::size_t i = 0; i < d.tips.chain.size(); ++i) {
    const Chain& c = d.tips.chain[i];
    auto& b = d.tips.block[i];
    const int last = c.first_body + c.bodies;
    load_chain<S>(c, push, w, b);
    d.chain.smallest_pivot = S(1.0);
    articulate(m, w, c.first_body, last, d.chain);
    b.smallest_pivot = d.chain.smallest_pivot;
    articulated_solve(m, w, c.first_body, last, c.rows.size() + 1, d.chain, [&](std::size_t side) {
      return side == 0 ? b.x.data() : b.Y.col(static_cast<Eigen::Index>(side) - 1).data();
    });
    meet_tip<S>(c, w, b);
  }
  if (split == nullptr) return join_tips(s, d.tips, w);
  const auto P = static_cast<std::size_t>(m.platform.body);
  for (int c = 0; c < 6; ++c) along_axes(m, w, P, m.inertia[P] * joint_axis(m, w, P, c), d.tips.M_P.data() + 6 * c);
  join_platform(*split, *r, push, d.tips, w);
}

}  // namespace gough
