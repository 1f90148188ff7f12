#pragma once
/// The stages of kinematics: what each reads and writes in a Workspace, in the order in which they run. Compiled for `double` and
/// `Dual<double>`; their definitions, for other scalars, are in tree.hpp, closure.hpp, motion.hpp and explicit_form.hpp.
#include <vector>

#include "gough/model/workspace.hpp"

namespace gough {

/// Reads q. Writes X, X0.                                                                            (C1), (C2)
template <Scalar S>
void tree_positions(const Mechanism<S>& m, Workspace<S>& w);
/// Reads X0. Writes cut_wrench, phi, K.                                                              (C3)-(C7)
template <Scalar S>
void closure(const Mechanism<S>& m, Workspace<S>& w);
/// Reads X, v. Writes V.                                                                                   (V1)
template <Scalar S>
void tree_velocities(const Mechanism<S>& m, Workspace<S>& w);
/// Reads X0, V, v. Writes A0, k.                                                                           (V4)
/// `closed`: positions and velocities close the loops exactly. The points of a cut joint then coincide and move alike, and
/// traced code need not multiply those zeros.
template <Scalar S>
void closure_bias(const Mechanism<S>& m, Workspace<S>& w, bool closed = false);
/// Reads X, V, v, a. Writes A.                                                                             (V2)
template <Scalar S>
void tree_accelerations(const Mechanism<S>& m, Workspace<S>& w);
/// Reads X0, V, A. Writes cq, cv, ca.
template <Scalar S>
void cut_coordinates(const Mechanism<S>& m, Workspace<S>& w);

template <Scalar S>
struct RowValue {
  S phi;
  Force<S> wrench;  ///< on B, about the base's origin
};

/// The motion of body j, about the base's origin and in base axes, for a unit rate of the c-th coordinate of its joint.
template <Scalar S>
Motion<S> joint_column(const Mechanism<S>& m, const Workspace<S>& w, int j, int c);
/// The frames of cut joint c in the base.
template <Scalar S>
Transform<S> cut_frame_a(const Mechanism<S>& m, const Workspace<S>& w, std::size_t c);
template <Scalar S>
Transform<S> cut_frame_b(const Mechanism<S>& m, const Workspace<S>& w, std::size_t c);

// ------------------------------------------------------------------------------------------------ the explicit form

/// Which coordinates are independent, which rows of K are used, and in which order they are eliminated: made in `double` with
/// full pivoting, followed blindly by kernels.
struct Selection {
  std::vector<int> independent;  ///< velocity coordinates y
  std::vector<int> dependent;    ///< in the order of elimination
  std::vector<int> rows;         ///< of K, in the order of elimination
  std::vector<int> natural;      ///< 0, 1, .. rank-1: the factored matrix is already in its order
  double smallest_pivot = 0;     ///< over the largest; 0 when nothing was eliminated
  bool complete = false;         ///< the wished-for coordinates are independent and determine the rest

  int rank() const { return static_cast<int>(rows.size()); }
};

/// Pivots of a matrix without units by full pivoting: the columns of a low class are used up first.
struct Pivots {
  std::vector<int> rows, columns;  ///< in the order of elimination
  double smallest = 1;             ///< over the largest
  int last_class = 0;              ///< the highest class a pivot was taken from
};
Pivots find_pivots(MatX<double> A, const std::vector<int>& column_class, int rank);

/// Eliminates with full pivoting: columns of a low class become dependent first. rank: of K (a check knows it).
Selection select_coordinates(const Mechanism<double>& m, const Workspace<double>& w,
                             const std::vector<int>& column_class, int rank);
/// Actuated and elastic coordinates independent (paper 000's q_ae).
Selection select_driven(const Mechanism<double>& m, const Workspace<double>& w, int rank);
/// The floating platform's task coordinates independent.
Selection select_platform(const Mechanism<double>& m, const Workspace<double>& w, int rank);
/// Whatever is best conditioned.
Selection select_any(const Mechanism<double>& m, const Workspace<double>& w, int rank);

/// Everything (E1)-(E3) needs, sized once.
template <Scalar S>
struct ExplicitForm {
  MatX<S> K_d;    ///< rank x rank, factored
  MatX<S> right;  ///< rank x (independent + 1): -K_y and k, then the solution
  MatX<S> work;
  MatX<S> G;  ///< nv x independent
  VecX<S> g;  ///< nv
  S smallest_pivot{};

  ExplicitForm(const Structure& m, const Selection& s);
};

/// Reads K, k. Writes G, g.                                                                          (E1)-(E3)
template <Scalar S>
void explicit_form(const Workspace<S>& w, const Selection& s, ExplicitForm<S>& e);
/// All velocities and accelerations from those of the independent coordinates: K and positions must be current.
/// Writes w.v, V, w.k, e, w.a, A.                                                                    (E2), (E3)
template <Scalar S>
void explicit_motion(const Mechanism<S>& m, Workspace<S>& w, const Selection& s, ExplicitForm<S>& e, const VecX<S>& yd,
                     const VecX<S>& ydd);

// Compiled once for these scalars, in src/kinematics/stages_*.cpp.
#define GOUGH_KINEMATIC_STAGES(S, EXTERN)                                                                      \
  EXTERN template void tree_positions(const Mechanism<S>&, Workspace<S>&);                                     \
  EXTERN template void closure(const Mechanism<S>&, Workspace<S>&);                                            \
  EXTERN template void tree_velocities(const Mechanism<S>&, Workspace<S>&);                                    \
  EXTERN template void closure_bias(const Mechanism<S>&, Workspace<S>&, bool);                                 \
  EXTERN template void tree_accelerations(const Mechanism<S>&, Workspace<S>&);                                 \
  EXTERN template void cut_coordinates(const Mechanism<S>&, Workspace<S>&);                                    \
  EXTERN template Motion<S> joint_column(const Mechanism<S>&, const Workspace<S>&, int, int);                  \
  EXTERN template Transform<S> cut_frame_a(const Mechanism<S>&, const Workspace<S>&, std::size_t);             \
  EXTERN template Transform<S> cut_frame_b(const Mechanism<S>&, const Workspace<S>&, std::size_t);             \
  EXTERN template struct ExplicitForm<S>;                                                                      \
  EXTERN template void explicit_form(const Workspace<S>&, const Selection&, ExplicitForm<S>&);                 \
  EXTERN template void explicit_motion(const Mechanism<S>&, Workspace<S>&, const Selection&, ExplicitForm<S>&, \
                                       const VecX<S>&, const VecX<S>&);
GOUGH_KINEMATIC_STAGES(double, extern)
GOUGH_KINEMATIC_STAGES(Dual<double>, extern)

}  // namespace gough
