#pragma once
/// The loops solved for the dependent coordinates.                                             docs/theory/motion.md
///   K_d q'_d = -K_y y'                                                                                     (E1)
///   q'  = G y',           G = [1; -K_d^-1 K_y]                                                             (E2)
///   q'' = G y'' + g,      g = [0;  K_d^-1 k_d]                                                             (E3)
/// Which coordinates y are independent, which rows of K are used, and in which order they are eliminated is a
/// `Selection`, made by a double-only stage with full pivoting. Kernels follow it blindly and report their smallest
/// pivot; when that falls, the caller selects again (along Bricard's motion any fixed choice fails somewhere).
#include "gough/kinematics/motion.hpp"
#include "gough/spatial/linalg.hpp"

namespace gough {

template <Scalar S>
ExplicitForm<S>::ExplicitForm(const Structure& m, const Selection& s)
    : K_d(s.rank(), s.rank()),
      right(s.rank(), static_cast<Eigen::Index>(s.independent.size()) + 1),
      work(right.rows(), right.cols()),
      G(MatX<S>::Zero(m.nv, static_cast<Eigen::Index>(s.independent.size()))),
      g(VecX<S>::Zero(m.nv)) {}

/// Reads K, k. Writes G, g. No allocation, no branch on S.
template <Scalar S>
void explicit_form(const Workspace<S>& w, const Selection& s, ExplicitForm<S>& e) {
  const int n = s.rank(), d = static_cast<int>(s.independent.size());
  const auto at = [](const std::vector<int>& x, int i) { return x[static_cast<std::size_t>(i)]; };
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) e.K_d(r, c) = w.K(at(s.rows, r), at(s.dependent, c));
    for (int c = 0; c < d; ++c) e.right(r, c) = -w.K(at(s.rows, r), at(s.independent, c));
    e.right(r, d) = w.k[at(s.rows, r)];
  }
  if (n > 0) {
    e.smallest_pivot = lu_factor(e.K_d, {s.natural, s.natural});
    lu_solve(e.K_d, {s.natural, s.natural}, e.right, e.work);
  }
  for (int c = 0; c < d; ++c) {
    e.G(at(s.independent, c), c) = S(1.0);
    for (int r = 0; r < n; ++r) e.G(at(s.dependent, r), c) = e.right(r, c);
  }
  for (int r = 0; r < n; ++r) e.g[at(s.dependent, r)] = e.right(r, d);
}

/// All velocities and accelerations from those of the independent coordinates: K and positions must be current.
/// Writes w.v, V, w.k, e, w.a, A.                                                                     (E2), (E3)
template <Scalar S>
void explicit_motion(const Mechanism<S>& m, Workspace<S>& w, const Selection& s, ExplicitForm<S>& e, const VecX<S>& yd,
                     const VecX<S>& ydd) {
  explicit_form(w, s, e);
  w.v.noalias() = e.G.lazyProduct(yd);  // lazy: the plain product compares scalars
  tree_velocities(m, w);
  closure_bias(m, w);
  explicit_form(w, s, e);
  w.a = e.g;
  w.a.noalias() += e.G.lazyProduct(ydd);
  tree_accelerations(m, w);
}

}  // namespace gough
