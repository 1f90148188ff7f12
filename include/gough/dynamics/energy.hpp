#pragma once
/// Energies, powers and momenta of a state.                                                docs/theory/dynamics.md
///   T = sum 1/2 v_j . I_j v_j + sum 1/2 J_m u^2 q'^2                                                        (W1)
///   V = -sum g . (m_j x_cj) + sum 1/2 c (q - q_0)^2 + sum 1/2 c (l - l_0)^2                                 (W2)
///   tau . q'_a = T' + V' + losses - external power                                                          (W3)
/// They need q and v alone and share nothing with the formulations: a balance that closes is a second witness.
#include "gough/dynamics/formulations.hpp"

namespace gough {

struct EnergyBalance {
  double kinetic = 0, potential = 0;                       ///< [J]
  double losses = 0;                                       ///< power of dampers and friction, cut joints' too, >= 0 [W]
  double external = 0;                                     ///< power of external wrenches [W]
  double actuators = 0;                                    ///< power of w.tau [W]
  Vec3<double> momentum = Vec3<double>::Zero();            ///< [kg m/s], base axes
  Vec3<double> moment_of_momentum = Vec3<double>::Zero();  ///< about the base's origin [kg m^2/s]
};

/// Reads q, v, external, tau; runs positions and velocities. Allocates.
EnergyBalance energy_balance(const Mechanism<double>& m, Workspace<double>& w);

}  // namespace gough
