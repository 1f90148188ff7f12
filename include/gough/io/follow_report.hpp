#pragma once
/// Drives with which the platform of a robot with beams follows its path, as a table, text and JSON.     docs/flexible.md
#include "gough/flexible/flexible_inverse.hpp"
#include "gough/io/bent_robot.hpp"
#include "gough/io/dynamics_report.hpp"
#include "gough/simulation/coupled.hpp"

namespace gough {

struct FollowReport {
  std::string robot, motion;
  FlexInverse by = FlexInverse::driving_constraint;
  FlexCommand command;
  std::vector<std::string> actuator;
  /// Of the path: drives of the rigid robot and corrected ones, each without and with vibration.
  FollowedPath rigid_still, still, rigid, corrected;
  std::optional<CoupledPath> coupled_rigid, coupled;  ///< the same drives on the coupled model, where there is one
  /// Why a way that tries the drives ended early, in words; empty: none did.
  std::string failed() const;
  bool stopped = false;  ///< on the way to the command, or, where that is there, on the ways that try it
};

/// `bent`: the robot with modes on which drives are tried; driving_constraint looks for them with it. Writes the table of commands (t, q.NAME v.NAME a.NAME tau.NAME), itself a motion, into `output`; empty: none.
FollowReport report_follow(const Mechanism<double>& m, const KnownMotion& motion, const FlexInverseOptions& options,
                           const std::string& output, const BentMechanism* bent = nullptr);
std::string follow_text(const FollowReport& r);
std::string follow_json(const FollowReport& r);

}  // namespace gough
