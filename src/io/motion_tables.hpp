#pragma once
/// The grammar of a motion file: what may stand where, before names are looked up in the robot.
#include <optional>

#include "gough/kinematics/trajectory.hpp"
#include "gough/model/mechanism.hpp"
#include "readers.hpp"

namespace gough::io {

/// A position: numbers in the robot's order (empty names), or some by name.
struct FilePosition {
  Where where;
  bool listed = false;
  std::vector<std::pair<std::string, AnyNumber::Value>> values;
};

struct FileLine {
  Where where;
  std::optional<FilePosition> from;
  FilePosition to;
  std::size_t profile = 0;
  std::optional<double> duration, ramp, angular_velocity, angular_acceleration;
  std::optional<AnyNumber::Value> velocity, acceleration;
};

struct FileCircle {
  Where where;
  Vec3<double> centre = Vec3<double>::Zero();
  double radius = 0, start = 0, turns = 1, duration = 0;
  std::optional<Vec3<double>> normal, orientation;
  std::optional<std::vector<Vec3<double>>> axes;
  std::size_t profile = 0;
  std::optional<double> ramp;
};

struct FileTerm {
  Where where;
  AnyNumber::Value amplitude;
  double rate = 0, phase = 0;
};

struct FileSeries {
  Where where;
  std::optional<AnyNumber::Value> offset;
  std::optional<double> rate;
  std::vector<AnyNumber::Value> sin, cos;
  std::vector<FileTerm> terms;
};

struct FileHarmonic {
  Where where;
  std::optional<double> rate;
  double duration = 0;
  std::vector<std::pair<std::string, FileSeries>> coordinates;
};

struct FileSamples {
  Where where;
  std::string file;
};

struct FilePiece {
  Where where;
  std::optional<FileLine> line;
  std::optional<FileCircle> circle;
  std::optional<FileHarmonic> harmonic;
  std::optional<FileSamples> samples;
  std::optional<AnyNumber::Value> wait;
};

struct FileMotion : FilePiece {
  std::string motion, description;
  std::size_t moves = 0;
  std::optional<std::vector<FilePiece>> sequence;
};

const KeyTable<FileMotion>& motion_table();
/// The trajectory that a file means on a robot; `file` stands in messages.
Trajectory build_motion(const FileMotion& read, const std::string& file, const Mechanism<double>& m);
/// Every table by its name in the schema.
json motion_definitions();

}  // namespace gough::io
