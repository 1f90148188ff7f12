#pragma once
/// A beam's modes: finite elements reduced by Craig and Bampton's method.                    docs/theory/flexible.md
///   interface modes  Psi_b = (-K_ii^-1 K_ib, 1)      unit displacements of the far end                        (M1)
///   normal modes     K_ii phi = omega^2 M_ii phi     both ends held, the lowest                               (M2)
/// together made orthogonal. The near end, `from`, is clamped. Mass is kept as points along the beam that move with the modes; they
/// make up the elements' consistent mass exactly.
#include <optional>

#include "gough/model/description.hpp"

namespace gough {

/// Author's body frame. `normal`: bending in the plane across it alone. Throws Error where there are fewer modes in the elements than
/// asked for. `watched`: places on the beam, for ModalBody::watched.
ModalBody modal_body(const BodyDescription& body, int modes, const std::optional<Vec3<double>>& normal = std::nullopt,
                     const std::vector<Vec3<double>>& watched = {});

}  // namespace gough
