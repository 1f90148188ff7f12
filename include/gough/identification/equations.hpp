#pragma once
/// A measurement as linear equations in the base parameters.                             docs/theory/identification.md
///   W theta = y,   W = H of the base parameters' columns, y = tau - F_other, row by row                          (I5)
/// Redundant actuators: L^-1 (W theta = D tau - F_other), L L^T = D D^T: equal, independent noise of theirs stays so. (I5b)
#include <functional>

#include "gough/identification/base_parameters.hpp"
#include "gough/identification/measurement.hpp"

namespace gough {

struct Equations {
  MatX<double> W;  ///< one row per force
  VecX<double> y;
  int per_time = 0;               ///< rows that belong to one time
  bool of_actuators = true;       ///< rows are the actuators' forces in order; else combinations (I5b)
  std::vector<Eigen::Index> row;  ///< of the measurement, for each time
  bool stopped = false;           ///< `after` said no: nothing else is there
  Eigen::Index left_out = 0;  ///< rows where a joint with dry friction moves too slowly for its direction to be known
};

/// Called after every row of the data; returns whether to go on.
using OnDataRow = std::function<bool()>;

/// Follows the actuators through the data. Throws Error at a row that the robot cannot take.
Equations equations(const Mechanism<double>& m, const BaseParameters& b, const PreparedData& prepared,
                    const OnDataRow& after = {});

}  // namespace gough
