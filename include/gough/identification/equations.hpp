#pragma once
/// A measurement as linear equations in the base parameters.                             docs/theory/identification.md
///   W theta = y,   W = H of the base parameters' columns, y = tau - F_other, row by row                          (I5)
#include <functional>

#include "gough/identification/base_parameters.hpp"
#include "gough/identification/measurement.hpp"

namespace gough {

struct Equations {
  MatX<double> W;  ///< one row per force
  VecX<double> y;
  int per_time = 0;               ///< rows that belong to one time
  bool of_actuators = true;       ///< rows are the actuators' forces in order; else combinations of redundant ones
  std::vector<Eigen::Index> row;  ///< of the measurement, for each time
  Eigen::Index left_out = 0;  ///< rows where a joint with dry friction moves too slowly for its direction to be known
};

/// Called after every row of the data; returns whether to go on.
using OnDataRow = std::function<bool()>;

/// Follows the actuators through the data. Throws Error at a row that the robot cannot take, and where `after` says no.
Equations equations(const Mechanism<double>& m, const BaseParameters& b, const PreparedData& prepared,
                    const OnDataRow& after = {});

}  // namespace gough
