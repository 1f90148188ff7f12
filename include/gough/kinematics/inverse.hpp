#pragma once
/// Inverse kinematics: from the platform's pose to all joints.                                   docs/theory/legs_ik.md
///
/// Only the platform's task coordinates are read; the rest of the pose follows from the loops and is returned. Legs of
/// a known form are solved one by one (leg_forms.hpp); the others by Newton's method, continued from the workspace's
/// position along a straight path so that the assembly mode is kept.
#include <optional>
#include <string>
#include <vector>

#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/assemble.hpp"

namespace gough {

struct InverseOptions {
  std::optional<PoseMask> coordinates;  ///< which are read; left out: the platform's task coordinates
  std::string mode;  ///< '+' home's working mode, '-' the other one, a character per leg; empty: home's
  bool check_limits = true;
};

/// Writes w.q and leaves the workspace at stage closure. On failure w.q is the nearest position found.
Answer inverse_kinematics(const Mechanism<double>& m, const Transform<double>& pose, Workspace<double>& w,
                          const InverseOptions& options = {});

/// Every answer: all working modes, and all platform orientations where the given coordinates leave several.
struct Posture {
  VecX<double> q;
  std::string mode;  ///< of inverse kinematics; empty otherwise
  Answer answer;
};
std::vector<Posture> all_inverse_kinematics(const Mechanism<double>& m, const Transform<double>& pose,
                                            const InverseOptions& options = {});

}  // namespace gough
