#pragma once
/// Natural frequencies and shapes of (F1) at one time: K phi + J^T mu = omega^2 M phi, J phi = 0, with the symmetric part of
/// K and without C.                                                                        docs/theory/flexible.md
#include "gough/flexible/flex_equations.hpp"

namespace gough {

struct FlexModes {
  VecX<double> frequency;  ///< [Hz], ascending; negative: sqrt(-omega^2), the robot gives way
  MatX<double> shape;      ///< columns, phi^T M phi = 1
};

/// All of them (or the lowest `count`) from full matrices.
FlexModes flex_modes(const FlexEquations& e, int count = 0);

/// The lowest ones along a motion, each time from those of the time before: subspace iteration.             (F9)
class ModeTracker {
 public:
  ModeTracker(const FlexEquations& e, int count);
  /// Reads e as written for this time.
  const FlexModes& at(const FlexEquations& e);

 private:
  int count_;
  MatX<double> space_;  ///< more vectors than wanted: they converge faster
  FlexModes modes_;
  SparseSolver solver_;
  std::vector<double> values_, K_;
};

}  // namespace gough
