#pragma once
/// Inertias that no force shows, found by rules instead of by numbers.                  docs/theory/identification.md
///
/// A part of a body's inertia may be counted as its neighbour's where the joint between them neither moves nor turns it
/// (paper 003, after 21): as much on one body as is taken from the other changes no force. Of a joint with axis z
///   revolute      mass on the axis: m, s_z and (Ixx = Iyy)                                                   (R1)
///   prismatic     all second moments                                                                         (R2)
///   cylindrical, planar   the second moments (Ixx = Iyy)                                                     (R3)
///   spherical, universal  the mass, at its centre                                                            (R4)
/// and the same at the cut joints that close the loops on the platform. Of two bodies anywhere
///   that never turn against each other    all second moments, as if a prismatic joint were between them       (R5)
///   whose points also move equally        all ten                                                            (R6)
/// What reaches the base is gone. Which parameters have no effect at all (zero columns of H) is looked up there, as the
/// paper does.
#include "gough/identification/parameter_space.hpp"

namespace gough {

/// Columns: changes of the standard inertial parameters that leave all forces as they are.
MatX<double> regrouping_rules(const Mechanism<double>& m);

}  // namespace gough
