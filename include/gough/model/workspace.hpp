#pragma once
/// Everything that is computed, one field per symbol (NOTATION.md), with its size, its frame and who writes it.
/// Algorithms are free functions f(mechanism, workspace) that run in stages. There are no caches and no dirty flags:
/// call a stage again when its inputs changed. A stamp checks the order. A workspace belongs to one thread,
/// and its vectors keep their memory, at which others may look: copy into them (`noalias() =`), never move.
#include <vector>

#include "gough/model/mechanism.hpp"
#include "gough/scalar/dual.hpp"

/// Stage checks cost a comparison a stage and stay in release builds; define it as 0 to leave them out.
#ifndef GOUGH_STAGE_CHECKS
#define GOUGH_STAGE_CHECKS 1
#endif

namespace gough {

/// Dry friction is coefficient * sign(v), zero at rest. Below `dead_band` it is zero too; `smooth` > 0 replaces the sign
/// by v / sqrt(v^2 + smooth^2), which integrators like. Both in m/s or rad/s. `given`: Workspace::slip stands for the
/// sign, so that a joint at rest can hold with any force between its limits.
struct CoulombRule {
  double dead_band = 0;
  double smooth = 0;
  bool given = false;

  friend bool operator==(const CoulombRule&, const CoulombRule&) = default;
};

/// What a modal joint needs at one position (kinematics/modal.hpp, dynamics/modal.hpp).
template <Scalar S>
struct ModalState {
  std::vector<Motion<S>> axes;  ///< modes: S, in the far end's frame.                          tree_positions
  VecX<S> x;                    ///< 3 points of mass, in the undeformed frame.                  modal_lumps
  MatX<S> N;                    ///< 3 points x modes: their velocities for unit rates.          modal_lumps
  Inertia<S> I;                 ///< of all points, in the undeformed frame.                     modal_inertia
  MatX<S> H, M;                 ///< 6 x modes (moment; force), modes x modes.                   modal_inertia
  VecX<S> end_x, work, work_end;
  MatX<S> end_N, mass_N;

  explicit ModalState(const ModalBody& b);
};

enum class Stage { nothing, position, closure };

namespace detail {
/// Throws std::logic_error, which says what is missing: a mistake of the program, not of its input.
[[noreturn]] void stage_missing(Stage reached, Stage wanted);
}  // namespace detail

template <Scalar S>
struct Workspace {
  explicit Workspace(const Mechanism<S>& m);
  Workspace(const Workspace&);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(const Workspace&);
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  VecX<S> q;  ///< nq: positions of the tree joints. The caller's input.
  VecX<S> v;  ///< nv: their rates.                                                          caller, or explicit_motion
  VecX<S> a;  ///< nv: the derivatives of v.                                                 caller, or explicit_motion

  std::vector<Transform<S>> X;   ///< body j in its parent.                                  tree_positions
  std::vector<Transform<S>> X0;  ///< body j in the base.                                    tree_positions
  std::vector<Motion<S>> V;      ///< twist of body j, in its own frame.                     tree_velocities
  std::vector<Motion<S>> A;      ///< spatial acceleration of body j, in its own frame.      tree_accelerations
  std::vector<Motion<S>> A0;     ///< the same with a = 0.                                   closure_bias

  std::vector<Force<S>> cut_wrench;  ///< row r as a wrench about the base's origin, on b.   closure
  VecX<S> phi;                       ///< equations: residuals of the cut joints.            closure
  VecX<S> k;                         ///< equations: -K' v.                                  closure_bias
  MatX<S> K;                         ///< equations x nv: dphi/dq in velocity coordinates.   closure

  VecX<S> start, found;  ///< nq: where a position problem started, its best answer so far.  inverse_kinematics
  VecX<S> cq, cv, ca;    ///< free coordinates of the cut joints, rates, accelerations.        cut_coordinates

  std::vector<Force<S>> external;  ///< wrench on body j from outside, base.                   caller
  VecX<S> tau;     ///< actuators: their forces along +q, joint side.          inverse; caller for forward
  VecX<S> lambda;  ///< equations: forces that close the loops, K^T lambda.    inverse, forward dynamics
  VecX<S> load;    ///< coordinates (cut ones too): springs, dampers, friction. loads
  VecX<S> slip;    ///< coordinates: dry friction over its limit, -1 to 1, where coulomb.given.   caller
  std::vector<Force<S>> applied;             ///< all loads that are wrenches on body j, its own frame.  loads
  std::vector<Force<S>> f;                   ///< what body j's joint passes on to it, its own frame.    tree_forces
  VecX<S> t;                                 ///< nv: forces of the opened tree's joints.                tree_forces
  mutable std::vector<ModalState<S>> modal;  ///< of bodies that bend; x, N and what is made of them are scratch
  CoulombRule coulomb;                       ///< how dry friction behaves near rest. Caller's choice.

  Stage stage = Stage::nothing;
  /// What a reader asks first. Throws std::logic_error where an earlier stage has not run.
  void require([[maybe_unused]] Stage wanted) const {
#if GOUGH_STAGE_CHECKS
    if (stage < wanted) detail::stage_missing(stage, wanted);
#endif
  }
};

template <Scalar S>
Workspace(const Mechanism<S>&) -> Workspace<S>;

template <Scalar S>
ModalState<S>::ModalState(const ModalBody& b) : axes(static_cast<std::size_t>(b.modes())) {
  const Eigen::Index n = b.modes(), points = b.lump.count();
  x = VecX<S>::Zero(3 * points);
  N = MatX<S>::Zero(3 * points, n);
  H = MatX<S>::Zero(6, n);
  M = MatX<S>::Zero(n, n);
  end_x = VecX<S>::Zero(3);
  end_N = MatX<S>::Zero(3, n);
  mass_N = N;
  work = VecX<S>::Zero(points * n);
  work_end = VecX<S>::Zero(n);
}

template <Scalar S>
Workspace<S>::Workspace(const Mechanism<S>& m)
    : q(m.home.template cast<S>()),
      v(VecX<S>::Zero(m.nv)),
      a(VecX<S>::Zero(m.nv)),
      X(m.parent.size()),
      X0(m.parent.size()),
      V(m.parent.size()),
      A(m.parent.size()),
      A0(m.parent.size()),
      cut_wrench(static_cast<std::size_t>(m.equations)),
      phi(VecX<S>::Zero(m.equations)),
      k(VecX<S>::Zero(m.equations)),
      K(MatX<S>::Zero(m.equations, m.nv)),
      start(q),
      found(q),
      cq(VecX<S>::Zero(m.cut_coordinates())),
      cv(VecX<S>::Zero(m.cut_coordinates())),
      ca(VecX<S>::Zero(m.cut_coordinates())),
      external(m.parent.size()),
      tau(VecX<S>::Zero(static_cast<Eigen::Index>(m.actuator.size()))),
      lambda(VecX<S>::Zero(m.equations)),
      load(VecX<S>::Zero(static_cast<Eigen::Index>(m.coordinate.size()))),
      slip(load),
      applied(m.parent.size()),
      f(m.parent.size()),
      t(VecX<S>::Zero(m.nv)) {
  for (const auto& body : m.modal) modal.emplace_back(*body);
}
template <Scalar S>
Workspace<S>::Workspace(const Workspace&) = default;
template <Scalar S>
Workspace<S>::Workspace(Workspace&&) noexcept = default;
template <Scalar S>
Workspace<S>& Workspace<S>::operator=(const Workspace&) = default;
template <Scalar S>
Workspace<S>& Workspace<S>::operator=(Workspace&&) noexcept = default;
template <Scalar S>
Workspace<S>::~Workspace() = default;

// compiled once, in src/model/workspace.cpp
extern template struct ModalState<double>;
extern template struct ModalState<Dual<double>>;
extern template struct Workspace<double>;
extern template struct Workspace<Dual<double>>;

}  // namespace gough
