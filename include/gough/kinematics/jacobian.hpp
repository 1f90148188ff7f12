#pragma once
/// Jacobians of a parallel robot, several ways to the same matrix.                         docs/theory/jacobians.md
///
///   W = dq/dy                  the explicit form's G, y = actuated and elastic coordinates (paper 000, 18)  (J1)
///   t_P = J_P q'               platform twist (angular; linear at its origin) from tree rates               (J2)
///   G = J_P W                  the direct way                                                               (J3)
///   G^T = W^T J_t^T U S^+      from the legs' statics (paper 000, 31): columns of U are the wrenches a leg  (J4)
///                              passes on without loading its passive joints, S what they do to the platform
///   Z y' = Y t_P, T = Y^-1 Z   paper 002: y_J actuation wrench of leg J, zeta_J its power on the drive      (J5)
///   theta'_J = L_J y'          rates of leg J's joints, the cut one included, L_J = J_J^-1 T                (J6)
///   t = K_t q', T = K_t L      all bodies' twists about their centres of mass (paper 004, 14-18), L = W     (J7)
/// A platform with fewer than six freedoms also feels constraint wrenches; they do no work and complete S.
#include <vector>

#include "gough/kinematics/stages.hpp"

namespace gough {

/// (J2) 6 x nv, base axes, at the origin of the platform's frame. Writes J (sized 6 x nv).
template <Scalar S>
void platform_jacobian(const Mechanism<S>& m, const Workspace<S>& w, MatX<S>& J);

/// Whether legs meet at the platform alone, not at another leg or at what hangs on the platform: then they pass on wrenches one by one.
bool has_separate_legs(const Structure& m);

/// What leg `leg` can pass on to the platform: one column per wrench. Actuation wrenches come first.
struct LegStatics {
  MatX<double> wrench;  ///< 6 x k: (moment about the platform's origin; force) on the platform, base axes
  MatX<double> torque;  ///< leg's coordinates x k: J_t^T U, zero on passive joints
  int actuation = 0;    ///< how many of the columns load a drive or an elastic joint
};
/// Throws Error where legs are not separate.
LegStatics leg_statics(const Mechanism<double>& m, const Workspace<double>& w, int leg);

/// (J4) 6 x |y|. Needs a floating platform.
MatX<double> jacobian_by_statics(const Mechanism<double>& m, const Workspace<double>& w, const MatX<double>& W);

/// (J5) T = Y^-1 Z for legs with one drive each and as many legs as freedoms six; empty when the robot is not of that
/// kind.
struct LegTransmission {
  MatX<double> Y;
  VecX<double> zeta;
  MatX<double> T;
};
LegTransmission jacobian_by_legs(const Mechanism<double>& m, const Workspace<double>& w);

/// The Jacobian J_J of a leg with one cut joint, taken as a serial chain from the base to the platform: 6 x (leg's
/// coordinates + the cut joint's free ones).
MatX<double> chain_jacobian(const Mechanism<double>& m, const Workspace<double>& w, int leg);

/// (J7) 6 bodies x nv: twists (angular; linear) of all bodies of the tree about their centres of mass, base axes.
MatX<double> body_twists(const Mechanism<double>& m, const Workspace<double>& w);

/// W and G with their first and second time derivatives along q(t), exact (nested dual numbers).
struct JacobianRates {
  MatX<double> W, Wd, Wdd;
  MatX<double> G, Gd, Gdd;
};
JacobianRates jacobian_rates(const Mechanism<double>& m, const Selection& s, const VecX<double>& q,
                             const VecX<double>& v, const VecX<double>& a);

/// q moved by dv in velocity coordinates, exact to second order in dv (dual numbers need no more).
template <Scalar S>
void displace(const Structure& m, const VecX<S>& dv, VecX<S>& q);

extern template void platform_jacobian(const Mechanism<double>&, const Workspace<double>&, MatX<double>&);
extern template void platform_jacobian(const Mechanism<Dual<double>>&, const Workspace<Dual<double>>&,
                                       MatX<Dual<double>>&);
extern template void displace(const Structure&, const VecX<double>&, VecX<double>&);
extern template void displace(const Structure&, const VecX<Dual<double>>&, VecX<Dual<double>>&);

}  // namespace gough
