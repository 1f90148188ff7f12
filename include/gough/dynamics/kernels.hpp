#pragma once
/// The switch over formulations: stages, then the formulation's own steps. For scalars other than `double` and `Dual<double>`, for
/// which dynamics.hpp's declarations are compiled.
#include "gough/dynamics/dalembert.hpp"
#include "gough/dynamics/dynamics.hpp"
#include "gough/dynamics/legs.hpp"
#include "gough/dynamics/multipliers.hpp"
#include "gough/dynamics/noc.hpp"
#include "gough/dynamics/scdd.hpp"
#include "gough/dynamics/virtual_power.hpp"

namespace gough {

template <Scalar S>
void Dynamics<S>::size(const Structure& m) {
  const auto n = static_cast<Eigen::Index>(split && by_legs() ? split->independent.size() : y.independent.size());
  F = bias = VecX<S>::Zero(n);
  push = VecX<S>::Zero(m.nv);
  lambda = lambda_work = MatX<S>::Zero(y.rank(), 1);
  actuators = static_cast<Eigen::Index>(m.actuator.size());
}

template <Scalar S>
S Dynamics<S>::smallest_pivot(bool leg_wise) const {
  if (!leg_wise) return y.rank() > 0 ? form.smallest_pivot : S(1.0);
  S least = reduction->smallest_pivot;
  for (const auto& leg : reduction->leg) least = smaller(least, leg.smallest_pivot);
  return least;
}

template <Scalar S>
template <Scalar T>
Dynamics<S>::Dynamics(const Mechanism<S>& m, const Dynamics<T>& o)
    : options(o.options), loads(o.loads), y(o.y), split(o.split), external(o.external), form(m, o.y) {
  efforts =
      make_efforts<S>(o.efforts.coordinate, static_cast<int>(o.F.size()), o.efforts.kind == Efforts<T>::Kind::same);
  efforts.rows = o.efforts.rows;
  efforts.columns = o.efforts.columns;
  for (std::size_t i = 0; i < o.efforts.weight.size() && i < options.weights.size(); ++i)
    efforts.weight[i] = S(options.weights[i]);
  if (o.multipliers) multipliers.emplace(m, y);
  if (o.dalembert) dalembert.emplace(m, y);
  if (o.noc) noc.emplace(m, y);
  if (o.virtual_power) virtual_power.emplace(m, y);
  if (o.reduction) reduction.emplace(*split);
  if (o.scdd) scdd.emplace(m, y, split ? &*split : nullptr);
  if (o.legs) legs.emplace(m, y, split ? &*split : nullptr);
  if (o.elastic_legs) elastic_legs.emplace(m, *split, *o.elastic_legs);
  size(m);
}

template <Scalar S>
Dynamics<S>::Dynamics(const Dynamics&) = default;
template <Scalar S>
Dynamics<S>::Dynamics(Dynamics&&) noexcept = default;
template <Scalar S>
Dynamics<S>& Dynamics<S>::operator=(const Dynamics&) = default;
template <Scalar S>
Dynamics<S>& Dynamics<S>::operator=(Dynamics&&) noexcept = default;
template <Scalar S>
Dynamics<S>::~Dynamics() = default;

namespace detail {

/// k of loops that are to close: K q'' = k - 2 alpha K q' - beta^2 phi.
template <Scalar S>
void pull_together(const DynamicsOptions& o, Workspace<S>& w) {
  if (o.alpha == 0 && o.beta == 0) return;
  w.k.noalias() -= w.K.lazyProduct(w.v) * S(2 * o.alpha);
  w.k -= w.phi * S(o.beta * o.beta);
}

/// Loops, velocities, and k. Reads X, X0. Writes everything up to A0, k, load, applied.
template <Scalar S>
void state_stages(const Mechanism<S>& m, Workspace<S>& w, const Dynamics<S>& d) {
  closure(m, w);
  tree_velocities(m, w);
  closure_bias(m, w, d.options.closed);
  pull_together(d.options, w);
  loads(m, d.loads, d.external, w);
}

template <Scalar S>
bool applied(const Dynamics<S>& d) {
  return d.external || d.loads.applied;
}

/// t with the accelerations in w.a.
template <Scalar S>
void forces_at(const Mechanism<S>& m, const Dynamics<S>& d, Workspace<S>& w) {
  tree_accelerations(m, w);
  tree_forces(m, applied(d), w.A, w.a.data(), w);
}

template <Scalar S>
void take_efforts(Dynamics<S>& d, Workspace<S>& w) {
  solve_efforts(d.efforts, d.F);
  for (Eigen::Index i = 0; i < w.tau.size(); ++i) w.tau[i] = d.efforts.e[i];
}

template <Scalar S>
void give_efforts(Dynamics<S>& d, const Workspace<S>& w) {
  d.efforts.e.setZero();
  d.push.setZero();
  for (Eigen::Index i = 0; i < w.tau.size(); ++i) {
    d.efforts.e[i] = w.tau[i];
    d.push[d.efforts.coordinate[static_cast<std::size_t>(i)]] = w.tau[i];
  }
}

/// What bodies that bend add to forces on y, where twists of bodies are known for unit rates of y.
template <Scalar S>
void add_bending(const Mechanism<S>& m, const Dynamics<S>& d, Workspace<S>& w, VecX<S>& F) {
  if (m.modal.empty()) return;
  add_modal_power(
      m, d.form.G, w.A, w.a.data(),
      [&](std::size_t j, Eigen::Index y) {
        return d.noc ? twist_of(*d.noc, w, j, y) : twist_of(*d.virtual_power, j, y);
      },
      w, F);
}

/// lambda by the dependent coordinates, for formulations that work without it.
template <Scalar S>
void project_loop_forces(Dynamics<S>& d, Workspace<S>& w) {
  loop_forces(d.y, d.form, d.efforts, d.lambda, d.lambda_work, w);
}

}  // namespace detail

/// Inverse dynamics of bodies whose poses X, X0 are known.
template <Scalar S>
void inverse_from_poses(const Mechanism<S>& m, Workspace<S>& w, Dynamics<S>& d) {
  detail::state_stages(m, w, d);
  if (d.inverse_by_legs()) {
    reduce_legs(*d.split, w, *d.reduction);
    detail::forces_at(m, d, w);
    forces_by_legs(*d.split, *d.reduction, w, *d.legs, d.F);
    leg_effort_rates(*d.split, *d.reduction, d.efforts);
    detail::take_efforts(d, w);
    loop_forces_by_legs(*d.split, *d.reduction, d.efforts, *d.legs, w);
    return;
  }
  if (d.inverse_by_elastic_legs()) {
    reduce_legs(*d.split, w, *d.reduction);
    detail::forces_at(m, d, w);
    forces_by_elastic_legs(*d.split, *d.reduction, *d.elastic_legs, *d.legs, d.efforts, w);
    for (Eigen::Index i = 0; i < w.tau.size(); ++i) w.tau[i] = d.efforts.e[i];
    return;
  }
  explicit_form(w, d.y, d.form);
  effort_rates(d.form.G, d.efforts);
  switch (d.options.by) {
    case Formulation::multipliers:
      detail::forces_at(m, d, w);
      forces_by_multipliers(d.y, d.form, *d.multipliers, w, d.F);
      break;
    case Formulation::noc:
      tree_accelerations(m, w);
      orthogonal_complement(m, w, d.form.G, *d.noc);
      body_wrenches(m, w, detail::applied(d), w.A, *d.noc);
      forces_by_noc(m, d.form.G, *d.noc, w.a, w, d.F);
      detail::add_bending(m, d, w, d.F);
      break;
    case Formulation::virtual_power:
      tree_accelerations(m, w);
      body_jacobians(m, w, d.form.G, *d.virtual_power);
      forces_by_virtual_power(m, d.loads, d.external, w, d.form.G, w.A, w.a, *d.virtual_power, d.F);
      detail::add_bending(m, d, w, d.F);
      break;
    case Formulation::dalembert:
    case Formulation::scdd:
    case Formulation::scdd_iterative:
    case Formulation::legs:
      detail::forces_at(m, d, w);
      forces_by_dalembert(d.form, w, d.F);
      break;
  }
  detail::take_efforts(d, w);
  if (d.options.by == Formulation::noc || d.options.by == Formulation::virtual_power)
    tree_forces(m, detail::applied(d), w.A, w.a.data(), w);
  detail::project_loop_forces(d, w);
}

/// Forward dynamics of bodies whose poses X, X0 are known.
template <Scalar S>
void forward_from_poses(const Mechanism<S>& m, Workspace<S>& w, Dynamics<S>& d) {
  detail::state_stages(m, w, d);
  detail::give_efforts(d, w);
  if (d.split) reduce_legs(*d.split, w, *d.reduction);
  const PlatformSplit* split = d.split ? &*d.split : nullptr;
  LegReduction<S>* reduction = d.split ? &*d.reduction : nullptr;
  switch (d.options.by) {
    case Formulation::multipliers:
      tree_forces<S>(m, detail::applied(d), w.A0, nullptr, w);
      return accelerations_by_multipliers(m, d.y, d.efforts, *d.multipliers, w);
    case Formulation::scdd:
      tree_forces<S>(m, detail::applied(d), w.A0, nullptr, w);
      return accelerations_by_scdd(m, d.y, split, reduction, d.push, *d.scdd, w);
    case Formulation::legs:
      if (!d.by_legs()) {
        tree_forces<S>(m, detail::applied(d), w.A0, nullptr, w);
        return accelerations_by_chains(m, d.y, split, reduction, d.push, *d.legs, w);
      }
      leg_effort_rates(*d.split, *d.reduction, d.efforts);
      bias_accelerations(*d.split, *d.reduction, d.reduction->d, w);
      detail::forces_at(m, d, w);
      accelerations_by_legs(m, *d.split, *d.reduction, d.efforts, d.F, *d.legs, w);
      return loop_forces_by_legs(*d.split, *d.reduction, d.efforts, *d.legs, w);
    default: break;
  }
  explicit_form(w, d.y, d.form);
  effort_rates(d.form.G, d.efforts);
  w.a = d.form.g;
  tree_accelerations(m, w);
  if (d.options.by == Formulation::noc) {
    orthogonal_complement(m, w, d.form.G, *d.noc);
    body_wrenches(m, w, detail::applied(d), w.A, *d.noc);
    forces_by_noc(m, d.form.G, *d.noc, w.a, w, d.bias);
    detail::add_bending(m, d, w, d.bias);
    accelerations_by_noc(m, d.form, d.efforts, *d.noc, d.bias, d.F, w);
  } else if (d.options.by == Formulation::virtual_power) {
    body_jacobians(m, w, d.form.G, *d.virtual_power);
    forces_by_virtual_power(m, d.loads, d.external, w, d.form.G, w.A, w.a, *d.virtual_power, d.bias);
    detail::add_bending(m, d, w, d.bias);
    accelerations_by_virtual_power(m, d.form, d.efforts, *d.virtual_power, d.bias, d.F, w);
  } else {
    tree_forces(m, detail::applied(d), w.A, w.a.data(), w);
    if constexpr (std::is_same_v<S, double>)
      if (d.options.by == Formulation::scdd_iterative) {
        push_efforts(d.efforts, d.F);
        d.iteration = iterate_scdd(m, d.y, d.form, d.F, d.options.iteration, d.iteration.y, w);
        detail::forces_at(m, d, w);
        return detail::project_loop_forces(d, w);
      }
    accelerations_by_dalembert(m, d.form, d.efforts, *d.dalembert, d.F, w);
    return detail::project_loop_forces(d, w);
  }
  detail::forces_at(m, d, w);
  detail::project_loop_forces(d, w);
}

template <Scalar S>
void inverse_kernel(const Mechanism<S>& m, Workspace<S>& w, Dynamics<S>& d) {
  tree_positions(m, w);
  inverse_from_poses(m, w, d);
}

template <Scalar S>
void forward_kernel(const Mechanism<S>& m, Workspace<S>& w, Dynamics<S>& d) {
  tree_positions(m, w);
  forward_from_poses(m, w, d);
}

}  // namespace gough
