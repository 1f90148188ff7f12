#pragma once
/// Lagrange-D'Alembert (paper 000, section 3): the tree's forces projected on the motions the loops allow.
///                                                                                        docs/theory/dalembert.md
///   inverse   F = G^T t                                       (paper 000, 17; its W is our G)               (P1)
///   forward   M_c y'' = A^T e - G^T t_g,   M_c = G^T M G,   t_g = t at q'' = g                              (P2)
///   compact   M_c y'' + C_c y' + eta_c + W^T K_t (q - q_0) + D_c y' = tau_c                                 (P3)
///             C_c = W^T (M W' + C_t W),  D_c = W^T D_t W,  eta_c = W^T eta_t,  K_c = W^T K_t W              (P4)
///             C_t = sum_j J_j^T (I_j J'_j + B_j J_j),  B_j x = x x* I_j v_j                                 (P5)
/// B_j is skew-symmetric, so M_c' - 2 C_c is skew-symmetric.
#include "gough/dynamics/efforts.hpp"
#include "gough/dynamics/tree.hpp"

namespace gough {

template <Scalar S>
DAlembert<S>::DAlembert(const Structure& m, const Selection& s)
    : composite(m.parent.size()),
      M(m.nv, m.nv),
      MG(m.nv, static_cast<Eigen::Index>(s.independent.size())),
      M_c(MG.cols(), MG.cols()),
      right(MG.cols(), 1) {}

/// (P1) Reads t. Writes F.
template <Scalar S>
void forces_by_dalembert(const ExplicitForm<S>& form, const Workspace<S>& w, VecX<S>& F) {
  F.noalias() = form.G.transpose().lazyProduct(w.t);
}

/// (P2) Reads X and t at q'' = g. Writes a; leaves t at q''.
template <Scalar S>
void accelerations_by_dalembert(const Mechanism<S>& m, const ExplicitForm<S>& form, const Efforts<S>& efforts,
                                DAlembert<S>& d, VecX<S>& F, Workspace<S>& w) {
  mass_matrix(m, w, d.composite, d.M);
  d.MG.noalias() = d.M.lazyProduct(form.G);
  d.M_c.noalias() = form.G.transpose().lazyProduct(d.MG);
  push_efforts(efforts, F);
  d.right.col(0) = F;
  d.right.col(0).noalias() -= form.G.transpose().lazyProduct(w.t);
  if (F.size() > 0) {
    d.smallest_pivot = ldlt_factor(d.M_c);
    ldlt_solve(d.M_c, d.right);
  }
  w.a = form.g;
  w.a.noalias() += form.G.lazyProduct(d.right.col(0));
  w.t.noalias() += d.MG.lazyProduct(d.right.col(0));
}

}  // namespace gough
