#pragma once
/// Which program of a robot is wanted.
#include <memory>
#include <string>

#include "gough/model/mechanism.hpp"

namespace gough {

struct GenerateWish {
  std::string what = "inverse";  ///< inverse, forward, kinematics, regressor, jacobian, derivatives
  std::string from = "joints";   ///< joints, platform, actuators
  bool fold = false;             ///< parameters become constants of the code
  bool generic = false;          ///< no kernel made for a kind of leg
  bool matrix = false;           ///< from platform: its rotation as a matrix instead of Cardan angles
  /// From actuators: the same robot as another tree, whose coordinates the kernels then use; see other_tree.
  std::shared_ptr<const Mechanism<double>> tree = {};
  bool lanes = false;  ///< from platform: equal legs as lanes of vectors
  int newton = 0;      ///< from joints: steps of Newton's method on nearly closed loops
  bool here = false;   ///< pivots of home alone, guarded, instead of a search over the workspace
  bool many_states =
      false;  ///< a few operations more where fewer values need to be kept at a time: for batches and GPUs
};

}  // namespace gough
