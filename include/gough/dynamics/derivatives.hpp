#pragma once
/// Exact derivatives of inverse and forward dynamics, through the closure.                 docs/theory/dynamics.md
///   q(y, p): phi(q, p) = 0       one Newton step in dual numbers, q - K_d^-1 phi, carries dq/dy and dq/dp   (Q1)
/// Then the kernels run in dual numbers, their velocities and accelerations from y', y''. No differences, no tuning.
#include "gough/dynamics/dynamics.hpp"

#include "gough/kinematics/jacobian.hpp"

namespace gough {

/// (Q1) one Newton step on the dependent coordinates. Leaves stage closure.
template <Scalar S>
void refine_position(const Mechanism<S>& m, Workspace<S>& w, const Selection& s, ExplicitForm<S>& form) {
  tree_positions(m, w);
  closure(m, w);
  w.k = -w.phi;  // the last right side of the explicit form is then -K_d^-1 phi
  explicit_form(w, s, form);
  displace(m, form.g, w.q);
  tree_positions(m, w);
  closure(m, w);
}

/// Partial derivatives with respect to the independent coordinates d.y, their rates, and the last argument.
struct StateDerivatives {
  MatX<double> by_position;  ///< x y
  MatX<double> by_velocity;  ///< x y'
  MatX<double> by_last;      ///< inverse: x y''; forward: x tau
};
/// Of w.tau, at w.q, v, a. Columns in the order of d.y.independent.
StateDerivatives inverse_derivatives(const Mechanism<double>& m, const Workspace<double>& w, const Dynamics<double>& d);
/// Of the independent accelerations y'', at w.q, v, tau.
StateDerivatives forward_derivatives(const Mechanism<double>& m, const Workspace<double>& w, const Dynamics<double>& d);

/// d tau / dp and d y'' / dp where `seeded` is the mechanism with dp = 1 in the dual part of one parameter (any of them:
/// inertias, placements, stiffnesses, friction, gravity), y, y' and y'' (or tau) held.
VecX<double> inverse_derivative(const Mechanism<Dual<double>>& seeded, const Workspace<double>& w,
                                const Dynamics<double>& d);
VecX<double> forward_derivative(const Mechanism<Dual<double>>& seeded, const Workspace<double>& w,
                                const Dynamics<double>& d);

}  // namespace gough
