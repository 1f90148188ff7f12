#pragma once
/// The grammar of a robot file: what may stand where, before names are resolved and legs are placed.
#include <optional>

#include "beam_tables.hpp"
#include "gough/model/description.hpp"
#include "readers.hpp"

namespace gough::io {

using AnyValue = AnyNumber::Value;

/// A frame: position and rotation, or a place on a circle about z.
struct FileFrame {
  Where where;
  std::optional<Vec3<double>> xyz, rpy;
  std::optional<std::vector<AnyValue>> polar;
  Transform<double> pose() const;
};

struct FileDh {
  double a = 0, alpha = 0, d = 0, theta = 0;
};

struct FilePoint {
  double mass = 0;
  Vec3<double> xyz = Vec3<double>::Zero();
};

struct FileBody {
  Where where;
  double mass = 0;
  std::optional<Vec3<double>> com;
  std::optional<Mat3<double>> inertia;
  std::optional<Vec3<double>> rod;
  std::vector<FilePoint> points;
  std::vector<FileBeam> beam;
  std::optional<std::vector<std::size_t>> symmetric;
};

/// A friction coefficient: a number, or the name of a shared one.
struct FileCoefficient {
  std::optional<AnyValue> number;
  std::string name;
  Where where;
};

struct FileFriction {
  std::vector<std::pair<std::string, FileCoefficient>> terms;  ///< function, coefficient
};

struct FileLimits {
  std::optional<std::vector<AnyValue>> position;
  std::optional<AnyValue> velocity, acceleration, force;
};

/// What can be said of one coordinate of a joint.
struct FileCoordinate {
  std::optional<std::vector<std::size_t>> role;
  std::optional<AnyValue> home, guess, stiffness, damping, rest, screw;
  std::optional<double> rotor, gear;
  FileFriction friction;
  FileLimits limits;
};

struct FileJoint : FileCoordinate {
  Where where;
  std::size_t type = 0;
  std::string parent, child;
  FileFrame origin, child_origin;
  std::optional<FileDh> dh;
  std::optional<Vec3<double>> axis, axis2;
  double length = 0;
  std::optional<bool> cut;
  std::optional<std::vector<FileCoordinate>> coordinates;
};

using FileBodies = std::vector<std::pair<std::string, FileBody>>;
using FileJoints = std::vector<std::pair<std::string, FileJoint>>;
using NamedNumbers = std::vector<std::pair<std::string, AnyValue>>;

struct FilePlacement {
  Where where;
  std::string name;
  FileFrame base, platform;
  FileBodies bodies;  ///< in place of the template's
  NamedNumbers friction, home, guess;
};

struct FileLegs {
  Where where;
  FileBodies bodies;
  FileJoints joints;
  std::vector<FilePlacement> placements;
};

struct FilePlatform {
  Where where;
  std::string body;
  FileFrame frame, tool;
  std::optional<std::vector<std::size_t>> coordinates;
  std::vector<std::pair<std::string, std::vector<AnyValue>>> limits;
};

struct FileHome {
  Where where;
  NamedNumbers platform, joints, guess;
};

struct FileSpring {
  Where where;
  std::vector<std::string> between;
  Vec3<double> from = Vec3<double>::Zero(), to = Vec3<double>::Zero();
  double stiffness = 0, damping = 0, length = 0;
};

struct FileRobot {
  Where where;
  std::string robot, description;
  Vec3<double> gravity{0, 0, -9.81};
  FileMaterials materials;
  FileBodies bodies;
  FileJoints joints;
  std::optional<FileLegs> legs;
  std::optional<FilePlatform> platform;
  FileHome home;
  std::vector<std::pair<std::string, FileSpring>> springs;
  NamedNumbers friction;
  bool lock_idle = true;
  std::optional<double> closure_tolerance;
};

const KeyTable<FileRobot>& robot_table();
/// Every table by its name in the schema.
json robot_definitions();

}  // namespace gough::io
