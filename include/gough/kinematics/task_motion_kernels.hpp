#pragma once
/// Motion from the platform or the drives for any scalar: task_motion.hpp says what.            docs/theory/motion.md
#include "gough/kinematics/jacobian_kernels.hpp"
#include "gough/kinematics/task_motion.hpp"

namespace gough {

template <Scalar S>
template <Scalar T>
MasterForm<S>::MasterForm(const Structure& m, const MasterForm<T>& o)
    : master(o.master), task(o.task), elastic(o.elastic), s(o.s), rows(o.rows), columns(o.columns), form(m, o.s) {
  size(m);
}

template <Scalar S>
MasterForm<S>::MasterForm(const Structure& m, Master by, Selection choice)
    : master(by), s(std::move(choice)), form(m, s) {}

template <Scalar S>
void MasterForm<S>::size(const Structure& m) {
  const auto n = static_cast<Eigen::Index>(s.independent.size());
  J = MatX<S>::Zero(6, m.nv);
  EG = MatX<S>::Zero(n, n);
  right = work = MatX<S>::Zero(n, 1);
  yd = ydd = VecX<S>::Zero(n);
}

template <Scalar S>
PlatformRates<S> platform_rates(const Mechanism<S>& m, const Workspace<S>& w) {
  const FrameMotion<S> f = frame_motion(w, m.platform.body, m.platform_frame, w.A);
  return {f.v, f.w, f.a, f.dw};
}

namespace detail {
/// (E4) solved for y' or y'': `given` holds the masters' rates less their bias.
template <Scalar S>
void solve_masters(MasterForm<S>& f, VecX<S>& y) {
  const PivotOrder order{f.rows, f.columns};
  lu_solve(f.EG, order, f.right, f.work);
  y = f.right.col(0);
}
/// Component c of x y z rx ry rz of a twist given as v and w.
template <Scalar S>
S component(const Vec3<S>& v, const Vec3<S>& w, int c) {
  return c < 3 ? v[c] : w[c - 3];
}
}  // namespace detail

/// Reads q (stage closure), `x` (its task components), and w.v, w.a of the elastic masters. Writes v, V, k, a, A.  (E4)
template <Scalar S>
void motion_from_platform(const Mechanism<S>& m, Workspace<S>& w, MasterForm<S>& f, const PlatformRates<S>& x) {
  const auto n = static_cast<Eigen::Index>(f.task.size());
  explicit_form(w, f.s, f.form);
  platform_jacobian(m, w, f.J);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int c = f.task[static_cast<std::size_t>(i)];
    f.EG.row(i).noalias() = f.J.row(c < 3 ? c + 3 : c - 3).lazyProduct(f.form.G);
    f.right(i, 0) = detail::component(x.v, x.w, c);
  }
  for (std::size_t i = 0; i < f.elastic.size(); ++i) {
    f.EG.row(n + static_cast<Eigen::Index>(i)) = f.form.G.row(f.elastic[i]);
    f.right(n + static_cast<Eigen::Index>(i), 0) = w.v[f.elastic[i]];
  }
  if (f.EG.rows() > 0) f.smallest_pivot = lu_factor(f.EG, PivotOrder{f.rows, f.columns});
  detail::solve_masters(f, f.yd);
  for (std::size_t i = 0; i < f.elastic.size(); ++i) f.right(n + static_cast<Eigen::Index>(i), 0) = w.a[f.elastic[i]];
  w.v.noalias() = f.form.G.lazyProduct(f.yd);
  tree_velocities(m, w);
  closure_bias(m, w, f.closed);
  explicit_form(w, f.s, f.form);
  w.a = f.form.g;
  tree_accelerations(m, w);
  const PlatformRates<S> bias = platform_rates(m, w);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int c = f.task[static_cast<std::size_t>(i)];
    f.right(i, 0) = detail::component(x.a, x.dw, c) - detail::component(bias.a, bias.dw, c);
  }
  for (std::size_t i = 0; i < f.elastic.size(); ++i) {
    const auto r = n + static_cast<Eigen::Index>(i);
    f.right(r, 0) = f.right(r, 0) - f.form.g[f.elastic[i]];
  }
  detail::solve_masters(f, f.ydd);
  w.a.noalias() += f.form.G.lazyProduct(f.ydd);
  tree_accelerations(m, w);
}

/// The same from the drives: reads w.v and w.a at the drives alone.
template <Scalar S>
void motion_from_drives(const Mechanism<S>& m, Workspace<S>& w, MasterForm<S>& f) {
  const auto n = static_cast<Eigen::Index>(f.elastic.size());
  explicit_form(w, f.s, f.form);
  for (Eigen::Index i = 0; i < n; ++i) {
    f.EG.row(i) = f.form.G.row(f.elastic[static_cast<std::size_t>(i)]);
    f.right(i, 0) = w.v[f.elastic[static_cast<std::size_t>(i)]];
    f.ydd[i] = w.a[f.elastic[static_cast<std::size_t>(i)]];
  }
  if (n > 0) f.smallest_pivot = lu_factor(f.EG, PivotOrder{f.rows, f.columns});
  detail::solve_masters(f, f.yd);
  w.v.noalias() = f.form.G.lazyProduct(f.yd);
  tree_velocities(m, w);
  closure_bias(m, w, f.closed);
  explicit_form(w, f.s, f.form);
  for (Eigen::Index i = 0; i < n; ++i) f.right(i, 0) = f.ydd[i] - f.form.g[f.elastic[static_cast<std::size_t>(i)]];
  detail::solve_masters(f, f.ydd);
  w.a = f.form.g;
  w.a.noalias() += f.form.G.lazyProduct(f.ydd);
  tree_accelerations(m, w);
}

}  // namespace gough
