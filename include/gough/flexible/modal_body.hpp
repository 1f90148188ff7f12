#pragma once
/// A body that bends in a few modes: finite elements reduced by Craig and Bampton's method.  docs/theory/flexible.md
///   interface modes  Psi_b = (-K_ii^-1 K_ib, 1)      unit displacements of the far end                        (M1)
///   normal modes     K_ii phi = omega^2 M_ii phi     both ends held, the lowest                               (M2)
/// together made orthogonal: Psi^T M Psi = 1, Psi^T K Psi = diag(omega^2). The near end, `from`, is clamped. Mass is kept as points
/// along the beam that move with the modes; they make up the elements' consistent mass exactly.
///   x_k = r_k + Psi_k eta - e (eta^T B_k eta) / 2,   R_k = exp(Theta_k eta),   B_k = int_0^k psi'^T psi' dx     (M3)
/// The last term is the shortening by bending: it makes tension stiffen.
#include <optional>
#include <vector>

#include "gough/model/description.hpp"

namespace gough {

/// A place on the body and how modes move it, author's body frame.
struct ModalPoint {
  Vec3<double> r = Vec3<double>::Zero();
  MatX<double> displacement, turn;         ///< 3 x modes
  std::array<MatX<double>, 3> shortening;  ///< modes x modes: displacement along x, y, z less eta^T S eta / 2
};

struct ModalLump {
  double mass = 0;
  Mat3<double> inertia = Mat3<double>::Zero();  ///< about the point
  ModalPoint at;
};

/// What the reduction costs.
struct Truncation {
  double lowest_omitted = 0;      ///< [Hz] of the elements' frequencies, near end clamped; 0: none is left out
  VecX<double> frequency, exact;  ///< [Hz] of the modes, and of the elements
  double worst = 0;               ///< largest relative difference of those in the lower half
  double compliance = 0;          ///< relative error of the far end's static compliance
};

struct ModalBody {
  VecX<double> stiffness;       ///< omega^2, modal masses are 1 [1/s^2]
  VecX<double> damping;         ///< of the materials, 2 zeta omega [1/s]
  std::vector<ModalLump> lump;  ///< all of the body's mass
  ModalPoint end;               ///< the far end
  Truncation truncation;

  Eigen::Index modes() const { return stiffness.size(); }
};

/// `normal`: bending in the plane across it alone. Throws Error where there are fewer modes in the elements than asked for.
ModalBody modal_body(const BodyDescription& body, int modes, const std::optional<Vec3<double>>& normal = std::nullopt);

}  // namespace gough
