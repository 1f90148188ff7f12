#pragma once
/// What a position problem returns: a status with a reason, never an exception and never a silent NaN.
#include <string>
#include <vector>

#include "gough/kinematics/stages.hpp"

namespace gough {

enum class Status { ok, unreachable, out_of_limits, singular, not_converged, under_actuated };
inline constexpr std::array<std::string_view, 6> status_names = {"ok",       "unreachable",   "out_of_limits",
                                                                 "singular", "not_converged", "under_actuated"};
inline std::string_view name(Status s) { return status_names[static_cast<std::size_t>(s)]; }

struct Answer {
  Status status = Status::ok;
  double residual = 0;  ///< of the loops and the wanted pose [m or rad]
  int iterations = 0;   ///< 0: closed form
  std::string reason;   ///< which leg, which joint, by how much; a remark when ok

  bool ok() const { return status == Status::ok; }
  std::string explain() const;
};

/// The first joint coordinate (or platform coordinate) outside its limits, in words; empty when all are inside. Reads
/// q, X0 and the cut joints' coordinates.
std::string limits_exceeded(const Mechanism<double>& m, Workspace<double>& w);
/// All of them.
std::vector<std::string> all_limits_exceeded(const Mechanism<double>& m, Workspace<double>& w);

/// All coordinates by name, tree and cut joints: a spherical joint gives its rotation vector.
std::vector<std::pair<std::string, double>> named_positions(const Mechanism<double>& m, Workspace<double>& w);

/// The pose as x y z rx ry rz, and back.
Vec6<double> pose_vector(const Transform<double>& pose);
Transform<double> pose_from_vector(const Vec6<double>& pose);
/// The same where only some coordinates are read. Throws Error where those of the rotation mean others: a rotation vector longer than pi is
/// another one's rotation, and its components alone say nothing.
Transform<double> pose_from_vector(const Vec6<double>& pose, const PoseMask& read);

}  // namespace gough
