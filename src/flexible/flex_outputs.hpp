#pragma once
/// What is looked at beside displacements: stress, and where the linear model ends.
#include "gough/flexible/elastodynamics.hpp"

namespace gough {

struct Stress {
  double value = -1;
  int element = -1;
};
/// At the outermost fibres of both ends of every element, from the forces there.                               (F10)
Stress largest_stress(const FlexEquations& e, const VecX<double>& U);

/// (F11)
void see_range(const Mechanism<double>& m, const FlexEquations& e, const FlexModes& modes, const VecX<double>& U,
               double t, FlexRange& range);

}  // namespace gough
