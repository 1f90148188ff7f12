#pragma once
/// What a robot's own sensors show of a motion: positions in the encoders' steps, forces with noise.
#include <random>

#include "gough/dynamics/along.hpp"

namespace gough {

struct SensorOptions {
  double step = 0;   ///< of the encoders [m or rad]; 0: exact
  double noise = 0;  ///< standard deviation of the forces [N or N m]
  unsigned seed = 1;
};

/// Rows of t, positions and forces of the actuators as they are measured.
class Sensors {
 public:
  Sensors(const Mechanism<double>& m, const SensorOptions& options);
  std::vector<double> row(double t, const Workspace<double>& w);

 private:
  const Mechanism<double>& m_;
  SensorOptions options_;
  std::mt19937_64 random_;
};

}  // namespace gough
