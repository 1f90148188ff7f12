#pragma once
/// What motion files and motion tables share: the robot's coordinates by name, and pieces through a table's rows.
#include "gough/io/motion_file.hpp"

namespace gough::io {

/// The coordinates of a motion: their names, kinds and home.
struct MotionCoordinates {
  Moves moves = Moves::platform;
  std::vector<std::string> names;
  std::vector<bool> is_length;
  std::vector<bool> needed;  ///< the platform's task; all actuators
  VecX<double> home;

  std::size_t size() const { return names.size(); }
};

/// A structure: joints and loops leave no freedom and nothing is driven. Its motion is to stand, for a time.
bool stands(const Mechanism<double>& m);

MotionCoordinates platform_coordinates(const Mechanism<double>& m);
MotionCoordinates actuator_coordinates(const Mechanism<double>& m);

/// A piece through the rows of a table that moves the platform, or the actuators: complete states are joined by
/// quintics, positions alone by a spline.
Piece piece_from_table(const gough::Table& table, const std::string& file, const Mechanism<double>& m, Moves moves);

/// A number of a table, refused where it is out of all bounds.
double table_value(const gough::Table& table, const std::string& file, std::size_t row, int column);
/// The columns fx fy fz mx my mz that a table has; -1: not this one.
struct WrenchColumns {
  std::array<int, 6> at{};
  bool any() const { return at != std::array{-1, -1, -1, -1, -1, -1}; }
};
/// Throws Error where there are some and the robot has no platform.
WrenchColumns find_wrench(const gough::Table& table, const std::string& file, const Mechanism<double>& m);
/// "read a table without x, y, ..., expected ...".
[[noreturn]] void refuse_missing(const std::string& file, const std::vector<std::string>& missing,
                                 const std::string& expected);

}  // namespace gough::io
