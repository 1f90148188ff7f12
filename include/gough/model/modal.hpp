#pragma once
/// A body that bends in a few modes: data of a floating frame. From finite elements by modal_body (flexible/modal_body.hpp),
/// or from elsewhere.                                                                      docs/theory/flexible.md
///   x_k = r_k + Psi_k eta - sum_e e (eta^T B_ke eta)/2,   R_end = exp(Theta eta)                              (M3)
/// in the frame of the undeformed body. The quadratic term is the shortening by bending along each straight piece e: through it
/// tension stiffens.
#include <vector>

#include "gough/spatial/spatial.hpp"

namespace gough {

/// Points of the body and how modes move them.
struct ModalPoints {
  struct Shortening {
    Vec3<double> along;  ///< e
    MatX<double> B;      ///< points * modes x modes, one below the other, symmetric
  };
  MatX<double> r;      ///< 3 x points
  MatX<double> shape;  ///< 3 points x modes: Psi_k, one below the other
  std::vector<Shortening> shortening;

  Eigen::Index count() const { return r.cols(); }
};

/// What the reduction to modes costs.
struct Truncation {
  double lowest_omitted = 0;      ///< [Hz] of the elements' frequencies, near end clamped; 0: none is left out
  VecX<double> frequency, exact;  ///< [Hz] of the modes, and of the elements
  double worst = 0;               ///< largest relative difference of those in the lower half
  double compliance = 0;          ///< relative error of the far end's static compliance
};

/// Modes are orthogonal and scaled: the largest displacement of a mode is 1, its coordinate is that in metres; of a mode that only
/// turns, the largest turn.
struct ModalBody {
  VecX<double> mass, stiffness;  ///< of the modes [kg, N/m; kg m^2, N m]
  VecX<double> damping;          ///< of the materials [N s/m, N m s]
  std::vector<bool> is_length;   ///< of the modes: it displaces
  ModalPoints lump;              ///< all of the body's mass, as points
  VecX<double> lump_mass;
  Mat3<double> turning =
      Mat3<double>::Zero();  ///< J: inertia of the sections that turn, and of what sits rigidly at the near end
  MatX<double> turning_modes, modes_turning;  ///< sum J_k Theta_k (3 x modes), sum Theta_k^T J_k Theta_k
  ModalPoints end;                            ///< the far end, one point
  MatX<double> end_turn;                      ///< 3 x modes: Theta
  ModalPoints watched;                        ///< places on the beam whose displacement is told
  MatX<double> watched_turn, node_turn;       ///< 3 watched x modes; 3 ends of elements x modes
  Vec3<double> chord = Vec3<double>::Zero();  ///< from the near to the far end
  double euler_load = 0;                      ///< [N] at which it would buckle between hinges
  Truncation truncation;

  Eigen::Index modes() const { return stiffness.size(); }
};

}  // namespace gough
