#pragma once
/// Everything that is computed, one field per symbol (NOTATION.md), with its size, its frame and who writes it.
///
/// Algorithms are free functions f(mechanism, workspace) that run in stages. There are no caches and no dirty flags:
/// call a stage again when its inputs changed. In Debug a stamp asserts the order. A workspace belongs to one thread.
#include <cassert>
#include <vector>

#include "gough/model/mechanism.hpp"

namespace gough {

enum class Stage { nothing, position, closure };

template <Scalar S>
struct Workspace {
  explicit Workspace(const Mechanism<S>& m)
      : q(m.home.template cast<S>()),
        X(m.parent.size()),
        X0(m.parent.size()),
        cut_wrench(static_cast<std::size_t>(m.equations)),
        phi(VecX<S>::Zero(m.equations)),
        K(MatX<S>::Zero(m.equations, m.nv)) {}

  VecX<S> q;  ///< nq: positions of the tree joints. The caller's input.

  std::vector<Transform<S>> X;   ///< body j in its parent.                                  tree_positions
  std::vector<Transform<S>> X0;  ///< body j in the base.                                    tree_positions

  std::vector<Force<S>> cut_wrench;  ///< row r as a wrench about the base's origin, on b.   closure
  VecX<S> phi;                       ///< equations: residuals of the cut joints.            closure
  MatX<S> K;                         ///< equations x nv: dphi/dq in velocity coordinates.   closure

  Stage stage = Stage::nothing;
  void require([[maybe_unused]] Stage wanted) const {
    assert(static_cast<int>(stage) >= static_cast<int>(wanted) && "a stage before this one has not run");
  }
};

template <Scalar S>
Workspace(const Mechanism<S>&) -> Workspace<S>;

}  // namespace gough
