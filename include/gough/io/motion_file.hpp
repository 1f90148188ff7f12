#pragma once
/// Motions from files: a motion file (YAML; docs/motion_files.md) describes a trajectory, a table (CSV) lists states or
/// positions. The grammar of motion files is one set of tables (src/io/motion_tables.cpp) that reads, explains mistakes
/// and gives the JSON Schema.
///
/// A motion is meant for a robot: its names, units, order of actuators and home come from there.
#include <optional>
#include <string>
#include <vector>

#include "gough/io/csv.hpp"
#include "gough/kinematics/trajectory.hpp"
#include "gough/model/mechanism.hpp"

namespace gough {

inline constexpr std::size_t largest_motion_file = std::size_t{1} << 18;

/// Throws Error (file:line: what was read, what was expected) on bad input.
Trajectory load_motion(const std::string& path, const Mechanism<double>& m);
/// The same from text; `file` stands in messages, and the tables of `samples` are looked for in its folder.
Trajectory parse_motion(const std::string& text, const std::string& file, const Mechanism<double>& m);

/// A motion as it was given: states to be used as they are, or a trajectory to be sampled.
struct GivenMotion {
  std::vector<MotionState> rows;  ///< empty where there is a trajectory
  std::optional<Trajectory> trajectory;

  /// The rows, or states of the trajectory every `step` seconds, its start and its end included.
  std::vector<MotionState> states(double step) const;
};

/// A table of states: columns t; x y z rx ry rz, vx vy vz wx wy wz, ax ay az dwx dwy dwz of the platform, or q.NAME,
/// v.NAME, a.NAME of the actuators. With all three levels of either the rows are states; t may be left out, it is then
/// the row's number from 0. With positions and t alone they are splined. Of the platform only the task's coordinates
/// are needed; of others the position is home's and the rest 0 where left out. Further columns are not looked at.
GivenMotion read_motion_table(const std::string& path, const Mechanism<double>& m);
GivenMotion motion_from_table(const Table& table, const std::string& file, const Mechanism<double>& m);

/// Rows as states of which positions and velocities are needed; accelerations are 0 where left out.
std::vector<MotionState> moving_states(const Table& table, const std::string& file, const Mechanism<double>& m);

/// A table if the name ends in .csv, otherwise a motion file.
GivenMotion load_motion_or_table(const std::string& path, const Mechanism<double>& m);

/// The JSON Schema of motion files, for editors.
std::string motion_schema();

}  // namespace gough
