#pragma once
/// Robots from files whose beams bend in modes.                                                   docs/flexible.md
#include <string>

#include "gough/flexible/bending.hpp"
#include "gough/io/robot_file.hpp"

namespace gough {

struct BentMechanism {
  Mechanism<double> mechanism;
  bool planar = false;
  std::vector<BentPlace> places = {};  ///< of ModesOptions::points
};

/// Throws Error like load_robot, and where nothing bends.
BentMechanism bent_mechanism(const RobotDescription& robot, const ModesOptions& options);
BentMechanism load_bent_robot(const std::string& path, const ModesOptions& options,
                              const std::vector<Setting>& settings = {});

/// Modes, frequencies and what the reduction costs; equal bodies together.
std::string modes_text(const Mechanism<double>& m);

}  // namespace gough
