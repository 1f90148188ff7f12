#pragma once
/// All joints' velocities and accelerations from those of the platform, or of the drives.       docs/theory/motion.md
///   E q' = x',    E q'' = x'' - E' q'                                                                      (E4)
/// x' are the task's components of the platform's twist (velocity of its frame's origin, angular velocity, base axes) and
/// the rates of elastic joints; with the loops' explicit form, (E G) y' = x'.
#include <span>

#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/explicit_form.hpp"
#include "gough/kinematics/jacobian.hpp"

namespace gough {

/// What moves the mechanism: the platform's task coordinates, or its drives.
enum class Master { platform, drives };

template <Scalar S>
struct MasterForm {
  Master master;
  std::vector<int> task;     ///< which of x y z rx ry rz; none for drives
  std::vector<int> elastic;  ///< velocity coordinates that are masters themselves
  Selection s;
  std::vector<int> rows, columns;  ///< pivots of E G
  ExplicitForm<S> form;
  MatX<S> J;   ///< 6 x nv
  MatX<S> EG;  ///< as many as freedoms
  MatX<S> right, work;
  VecX<S> yd, ydd;
  S smallest_pivot{1.0};
  bool closed = false;  ///< see closure_bias

  template <Scalar T>
  MasterForm(const Structure& m, const MasterForm<T>& o)
      : master(o.master), task(o.task), elastic(o.elastic), s(o.s), rows(o.rows), columns(o.columns), form(m, o.s) {
    size(m);
  }
  MasterForm(const Structure& m, Master by, Selection choice) : master(by), s(std::move(choice)), form(m, s) {}
  void size(const Structure& m) {
    const auto n = static_cast<Eigen::Index>(s.independent.size());
    J = MatX<S>::Zero(6, m.nv);
    EG = MatX<S>::Zero(n, n);
    right = work = MatX<S>::Zero(n, 1);
    yd = ydd = VecX<S>::Zero(n);
  }
};

/// Chooses coordinates and pivots at the workspace's position (brought to stage closure). Throws Error where the masters
/// are not as many as the mechanism's freedoms.
MasterForm<double> make_master_form(const Mechanism<double>& m, Workspace<double>& w, Master master);

/// The platform's twist and acceleration, base axes, at the origin of its frame.
template <Scalar S>
struct PlatformRates {
  Vec3<S> v = Vec3<S>::Zero(), w = Vec3<S>::Zero(), a = Vec3<S>::Zero(), dw = Vec3<S>::Zero();
};
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
