#pragma once
/// What the mechanism can do at home and around it: degrees of freedom, redundant equations, actuation, singularities.
///                                                                                          docs/theory/mobility.md
/// Lengths are measured in the characteristic length L (the root mean square distance of the joints from their centre),
/// so that turns and slides can be compared. Ranks are numerical, with a relative threshold of 1e-8 on singular values.
#include <optional>
#include <string>
#include <vector>

#include "gough/kinematics/assemble_home.hpp"
#include "gough/kinematics/singularity.hpp"

namespace gough {

struct Finding {
  enum class Severity { info, warning, error };
  Severity severity;
  std::string what;
  std::string repair;
};

struct MobilityReport {
  std::string name;
  int bodies = 0, joints = 0, loops = 0;
  int coordinates = 0;  ///< of the tree
  std::vector<std::string> coordinate_names;
  int equations = 0, rank = 0;  ///< of the cut joints, rank at a general pose near home
  int rank_at_home = 0;
  std::vector<std::string> redundant;  ///< dependent equations by name
  int mobility = 0;                    ///< without idle motions: (M3)
  int gruebler = 0;                    ///< degrees of freedom by counting, without idle motions: (M4)
  bool planar = false;
  std::vector<std::string> idle;
  std::vector<std::string> merged;
  std::vector<std::string> cuts;  ///< "spherical leg1.ball"
  std::vector<std::string> actuators;
  int elastic = 0;
  std::string actuation;  ///< full, redundant or under
  bool closed = false;    ///< home is assembled; nothing below (and no rank) is known otherwise
  double closure_residual = 0;
  double closure_gap = 0;  ///< [m] how far the geometry in the file is from one whose loops fit
  double characteristic_length = 0;
  SingularityIndices singularity;
  std::vector<FastPath> fast_paths;
  std::vector<Finding> findings;
};

MobilityReport check_mobility(const Mechanism<double>& m, const HomeAssembly& home);

}  // namespace gough
