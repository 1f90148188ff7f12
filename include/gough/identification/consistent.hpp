#pragma once
/// Bodies that can exist.                                                                docs/theory/identification.md
///   P = [ tr(I)/2 1 - I   s ]  >  0  of every body,  friction coefficients > 0                                   (I8)
///       [ s^T             m ]
///   min  (K p - theta)^T A (K p - theta) + eps |p - p_0|^2 - mu (sum log det P + sum log f),   mu -> 0           (I9)
/// by Newton's method: convex, so there is one answer. What data do not show stays as near to the file as it can.
#include "gough/identification/base_parameters.hpp"

namespace gough {

/// The space's parameters nearest to theta in the metric A (base parameters, then friction) that can exist.
VecX<double> existing_parameters(const Mechanism<double>& m, const BaseParameters& b, const VecX<double>& theta,
                                 const MatX<double>& A);

/// The smallest eigenvalue of P over its trace, of the body where it is smallest. Negative: it cannot exist.
double least_existence(const Mechanism<double>& m, const ParameterSpace& space, const VecX<double>& p);

}  // namespace gough
