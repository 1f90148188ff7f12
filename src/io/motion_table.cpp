#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gough/error.hpp"
#include "gough/io/units.hpp"
#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/tree.hpp"
#include "gough/model/workspace.hpp"
#include "motion_columns.hpp"

namespace gough {
namespace io {

double table_value(const gough::Table& table, const std::string& file, std::size_t row, int column) {
  const double x = table.rows[row][static_cast<std::size_t>(column)];
  if (std::abs(x) > largest_number)
    throw Error({file, row < table.line.size() ? table.line[row] : 0},
                fmt::format("column '{}': read {:g}, expected a number between -{:g} and {:g}",
                            table.columns[static_cast<std::size_t>(column)], x, largest_number, largest_number));
  return x;
}

WrenchColumns find_wrench(const gough::Table& table, const std::string& file, const Mechanism<double>& m) {
  static constexpr std::array<std::string_view, 6> names = {"fx", "fy", "fz", "mx", "my", "mz"};
  WrenchColumns columns;
  for (std::size_t i = 0; i < 6; ++i) columns.at[i] = table.find(std::string(names[i]));
  if (columns.any() && !m.platform.exists())
    throw Error({file, 1},
                fmt::format("read a wrench on the platform, expected none: the robot '{}' has no platform", m.name));
  return columns;
}

void refuse_missing(const std::string& file, const std::vector<std::string>& missing, const std::string& expected) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min<std::size_t>(missing.size(), 12));
  throw Error({file, 1}, fmt::format("read a table without {}{}, expected {}",
                                     fmt::join(missing.begin(), missing.begin() + shown, ", "),
                                     missing.size() > 12 ? ", ..." : "", expected));
}

namespace {

constexpr std::array<std::array<std::string_view, 6>, 3> platform_columns = {
    {{"x", "y", "z", "rx", "ry", "rz"}, {"vx", "vy", "vz", "wx", "wy", "wz"}, {"ax", "ay", "az", "dwx", "dwy", "dwz"}}};

/// Where the columns of a motion's positions, velocities and accelerations stand in a table.
struct Columns {
  const MotionCoordinates& of;
  std::array<std::vector<int>, 3> at;  ///< -1: not there
  std::array<bool, 3> any{}, complete{};
};

std::string column_name(const MotionCoordinates& of, std::size_t level, std::size_t i) {
  if (of.moves == Moves::platform) return std::string(platform_columns[level][i]);
  return std::string(1, "qva"[level]) + "." + of.names[i];
}

Columns find_columns(const gough::Table& table, const MotionCoordinates& of) {
  Columns columns{of, {}, {}, {}};
  for (std::size_t level = 0; level < 3; ++level) {
    columns.complete[level] = of.size() > 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const int at = table.find(column_name(of, level, i));
      columns.at[level].push_back(at);
      columns.any[level] = columns.any[level] || at >= 0;
      columns.complete[level] = columns.complete[level] && (at >= 0 || !of.needed[i]);
    }
  }
  return columns;
}

bool has_levels(const Columns& c, std::size_t levels) {
  return std::all_of(c.complete.begin(), c.complete.begin() + static_cast<std::ptrdiff_t>(levels),
                     [](bool complete) { return complete; });
}
bool has_states(const Columns& c) { return has_levels(c, 3); }
bool has_rates(const Columns& c) { return c.any[1] || c.any[2]; }
bool is_there(const Columns& c) { return c.any[0] || has_rates(c); }

/// Names what is missing of the first `levels`: positions, velocities, accelerations.
[[noreturn]] void refuse(const Columns& c, std::size_t levels, const std::string& file, const std::string& expected) {
  std::vector<std::string> missing;
  for (std::size_t level = 0; level < levels; ++level)
    for (std::size_t i = 0; i < c.of.size(); ++i)
      if (c.of.needed[i] && c.at[level][i] < 0) missing.push_back(column_name(c.of, level, i));
  if (missing.empty()) missing.emplace_back("a motion of this robot");  // it has neither platform nor actuators
  refuse_missing(file, missing, expected);
}

/// The same for a motion: positions alone, or all three levels where there are rates.
[[noreturn]] void refuse(const Columns& c, bool rates, const std::string& file) {
  refuse(c, rates ? 3 : 1, file,
         rates ? "positions alone, or positions, velocities and accelerations together"
               : "positions of the platform (x, y, z, rx, ry, rz) or of the actuators (q.NAME)");
}

/// One level of one row; what is not there is home's, or zero.
VecX<double> row_values(const gough::Table& table, const std::string& file, std::size_t row, const Columns& columns,
                        std::size_t level) {
  VecX<double> x = level == 0 ? columns.of.home : VecX<double>(VecX<double>::Zero(columns.of.home.size()));
  for (std::size_t i = 0; i < columns.of.size(); ++i)
    if (const int c = columns.at[level][i]; c >= 0) x[static_cast<Eigen::Index>(i)] = table_value(table, file, row, c);
  return x;
}

Transform<double> pose_of_row(const VecX<double>& q, const Columns& columns, const std::string& file, int line) {
  PoseMask read{};
  std::copy(columns.of.needed.begin(), columns.of.needed.end(), read.begin());
  try {
    return pose_from_vector(q, read);
  } catch (const Error& e) { throw Error({file, line}, e.what()); }
}

std::vector<MotionState> states(const gough::Table& table, const std::string& file, const Columns& columns) {
  const int time = table.find("t");
  std::vector<MotionState> all;
  all.reserve(table.rows.size());
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const VecX<double> q = row_values(table, file, r, columns, 0), v = row_values(table, file, r, columns, 1),
                       a = row_values(table, file, r, columns, 2);
    MotionState state;
    state.t = time >= 0 ? table_value(table, file, r, time) : static_cast<double>(r);
    state.line = r < table.line.size() ? table.line[r] : 0;
    if (columns.of.moves == Moves::platform)
      state.motion =
          PlatformMotion{pose_of_row(q, columns, file, state.line), v.head<3>(), v.tail<3>(), a.head<3>(), a.tail<3>()};
    else state.motion = ActuatorMotion{q, v, a};
    all.push_back(std::move(state));
  }
  return all;
}

/// The column t, for a motion in time: at least two rows, and every time later than the one before.
std::vector<double> times(const gough::Table& table, const std::string& file) {
  const int column = table.find("t");
  if (column < 0) throw Error({file, 1}, "read a table without t, expected the time of each row");
  if (table.rows.size() < 2)
    throw Error({file, 0}, fmt::format("read {} row{}, expected at least two to move between", table.rows.size(),
                                       table.rows.size() == 1 ? "" : "s"));
  std::vector<double> all;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    all.push_back(table_value(table, file, r, column));
    if (r > 0 && !(all[r] - all[r - 1] >= 1e-9))
      throw Error({file, r < table.line.size() ? table.line[r] : 0},
                  fmt::format("column 't': read {} after {}, expected times that increase by at least 1e-9 s", all[r],
                              all[r - 1]));
  }
  return all;
}

Piece spline(const gough::Table& table, const std::string& file, const Columns& columns) {
  Eigen::MatrixXd positions(static_cast<Eigen::Index>(table.rows.size()), columns.of.home.size());
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    positions.row(static_cast<Eigen::Index>(r)) = row_values(table, file, r, columns, 0).transpose();
  return spline_piece(columns.of.moves, times(table, file), positions);
}

template <class State>
Piece hermite(const std::vector<double>& t, const std::vector<MotionState>& rows) {
  std::vector<State> all;
  all.reserve(rows.size());
  for (const MotionState& row : rows) all.push_back(std::get<State>(row.motion));
  return hermite_piece(t, all);
}

/// The columns to read a table by: complete states come first, then the platform.
const Columns& chosen(const Columns& platform, const Columns& actuators, std::size_t levels = 3) {
  if (platform.of.size() == 0) return actuators;
  if (has_levels(platform, levels)) return platform;
  if (has_levels(actuators, levels)) return actuators;
  return is_there(platform) || !is_there(actuators) ? platform : actuators;
}

/// The home of an actuated coordinate.
double home_position(const Mechanism<double>& m, int coordinate) {
  for (const TreeJoint& joint : m.joint)
    if (joint.v == coordinate && (joint.type == Elementary::revolute || joint.type == Elementary::prismatic))
      return m.home[joint.q];
  throw Error(fmt::format("{}: read '{}' as an actuator, expected joints with one coordinate", m.name,
                          m.coordinate[static_cast<std::size_t>(coordinate)].name));
}

}  // namespace

bool stands(const Mechanism<double>& m) { return m.actuator.empty() && m.nv == m.rank; }

MotionCoordinates platform_coordinates(const Mechanism<double>& m) {
  MotionCoordinates all{Moves::platform, {pose_names.begin(), pose_names.end()}, {}, {}, VecX<double>::Zero(6)};
  all.is_length = {true, true, true, false, false, false};
  all.needed.assign(m.platform.coordinates.begin(), m.platform.coordinates.end());
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  all.home = pose_vector(platform_pose(m, w));
  return all;
}

MotionCoordinates actuator_coordinates(const Mechanism<double>& m) {
  MotionCoordinates all{Moves::actuators, {}, {}, {}, VecX<double>(static_cast<Eigen::Index>(m.actuator.size()))};
  for (const int a : m.actuator) {
    const Coordinate& c = m.coordinate[static_cast<std::size_t>(a)];
    all.home[static_cast<Eigen::Index>(all.size())] = home_position(m, a);
    all.names.push_back(c.name);
    all.is_length.push_back(c.is_length);
    all.needed.push_back(true);
  }
  return all;
}

Piece piece_from_table(const gough::Table& table, const std::string& file, const Mechanism<double>& m, Moves moves) {
  const MotionCoordinates of = moves == Moves::platform ? platform_coordinates(m) : actuator_coordinates(m);
  const Columns columns = find_columns(table, of);
  const std::vector<double> t = times(table, file);
  if (!has_states(columns)) {
    if (has_rates(columns) || !columns.complete[0]) refuse(columns, has_rates(columns), file);
    return spline(table, file, columns);
  }
  const std::vector<MotionState> rows = states(table, file, columns);
  return moves == Moves::platform ? hermite<PlatformMotion>(t, rows) : hermite<ActuatorMotion>(t, rows);
}

}  // namespace io

GivenMotion motion_from_table(const Table& table, const std::string& file, const Mechanism<double>& m) {
  if (table.rows.empty()) throw Error({file, 0}, "read no rows, expected at least one");
  if (io::stands(m)) {
    const io::MotionCoordinates none = io::actuator_coordinates(m);
    return {io::states(table, file, {none, {}, {}, {}}), {}};
  }
  io::MotionCoordinates of_platform = m.platform.exists() ? io::platform_coordinates(m) : io::MotionCoordinates{};
  io::MotionCoordinates of_actuators = io::actuator_coordinates(m);
  const io::Columns platform = io::find_columns(table, of_platform), actuators = io::find_columns(table, of_actuators);
  const io::Columns& columns = io::chosen(platform, actuators);
  if (io::has_states(columns)) return {io::states(table, file, columns), {}};
  const bool rates = io::has_rates(platform) || io::has_rates(actuators);
  if (rates || !columns.complete[0]) io::refuse(columns, rates, file);
  Trajectory trajectory = trajectory_of(columns.of.moves, io::spline(table, file, columns));
  trajectory.start = io::times(table, file).front();
  return {{}, std::move(trajectory)};
}

std::vector<MotionState> moving_states(const Table& table, const std::string& file, const Mechanism<double>& m) {
  const io::MotionCoordinates of_platform = m.platform.exists() ? io::platform_coordinates(m) : io::MotionCoordinates{};
  const io::MotionCoordinates of_actuators = io::actuator_coordinates(m);
  const io::Columns platform = io::find_columns(table, of_platform), actuators = io::find_columns(table, of_actuators);
  const io::Columns& columns = io::chosen(platform, actuators, 2);
  if (table.rows.empty()) throw Error({file, 0}, "read no rows, expected at least one");
  if (!io::has_levels(columns, 2))
    io::refuse(columns, 2, file,
               "positions and velocities of the platform (x .. rz, vx .. wz) or of the actuators (q.NAME, v.NAME)");
  return io::states(table, file, columns);
}

GivenMotion read_motion_table(const std::string& path, const Mechanism<double>& m) {
  return motion_from_table(read_table(path), path, m);
}

std::vector<MotionState> GivenMotion::states(double step) const {
  if (!trajectory) return rows;
  std::vector<MotionState> all;
  for (const double t : sample_times(*trajectory, step)) all.push_back(sample(*trajectory, t));
  return all;
}

}  // namespace gough
