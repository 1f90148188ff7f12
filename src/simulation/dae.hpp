#pragma once
/// The loops as algebraic equations, by IDA (variable-order BDF).                            docs/theory/simulation.md
///   q' = E(q) (v + K^T mu)
///   t(q, v, v') = B tau + K^T lambda                                                                        (S5)
///   0 = phi(q),   0 = K v
/// The form of Gear, Gupta and Leimkuhler, of index 2: positions and velocities both stay on the loops. Its residual is
/// inverse dynamics of the opened tree; no mass matrix is formed. Only independent rows of K are used.
#include "gough/dynamics/dynamics.hpp"
#include "gough/simulation/integrator.hpp"

namespace gough {

/// The state outside is (q, v). `drive(t)` writes w.tau and w.external for the state in w. m, d and w must outlive it.
std::unique_ptr<Integrator> make_dae_integrator(const IntegratorOptions& options, const Mechanism<double>& m,
                                                Dynamics<double>& d, std::function<void(double t)> drive,
                                                Workspace<double>& w);

}  // namespace gough
