#pragma once
/// The grammar of a study file.
#include <numbers>
#include <optional>

#include "gough/dynamics/dynamics.hpp"
#include "motion_tables.hpp"
#include "readers.hpp"

namespace gough::io {

/// A number as text, the name of a parameter, or a list of these.
struct FileValue {
  Where where;
  std::vector<std::string> values;
  bool is_list = false;
};

/// A path, or the motion itself.
struct FileStudyMotion {
  Where where;
  std::string path;
  std::optional<FileMotion> inside;
};

struct FilePath {
  Where where;
  std::string path;
};

/// A number that somebody published, to be shown beside ours.
struct FilePublishedNumber {
  Where where;
  std::string what, column;
  AnyNumber::Value value;
  std::size_t take = 0;
};

struct FilePublished {
  Where where;
  std::string source;
  std::vector<FilePublishedNumber> numbers;
};

/// One run of a simulation.
struct FileRun {
  Where where;
  std::string name;
  FileStudyMotion motion;
  std::size_t by = static_cast<std::size_t>(Formulation::legs), loops = 0, method = 0, dry = 0;
  double fixed_step = 0, tolerance = 0, alpha = 20, beta = 20, smooth = 1e-3;
  bool feed_back = false;
};

struct FileSimulate {
  Where where;
  std::size_t forces = 0;
  double time = 0;
  std::vector<FileRun> runs;
};

/// One controller of a study of control.
struct FileControlRun {
  Where where;
  std::string name;
  std::size_t law = 0, elastic = 0;  ///< locked, quasistatic
  bool friction = true, generated = false;
  double payload = 0, rate = 1;
};

/// How the plant differs from the model.
struct FilePlant {
  Where where;
  double parameters = 0, friction = 0, payload = 0, seed = 1, modes = 0;
};

struct FileSweep {
  Where where;
  std::vector<double> speed, parameters, payload, sampling;
  std::vector<std::string> runs;
};

struct FileControl {
  Where where;
  double sampling = 5e-4, encoder = 0, velocity_filter = 0, delay = 1;
  double position_bandwidth = 10 * std::numbers::pi, velocity_bandwidth = 160 * std::numbers::pi;  ///< [rad/s]
  double force = 0, force_rate = 0, plant_step = 0, smooth = 1e-3;
  bool identical_legs = false, symmetric = false;
  FilePlant plant;
  std::vector<FileControlRun> runs;
  FileSweep sweep;
};

/// A force on a link.
struct FileLoad {
  Where where;
  std::string body;
  Vec3<double> at = Vec3<double>::Zero(), force = Vec3<double>::Zero();
};

/// One run of a study of beams.
struct FileFlexRun {
  Where where;
  std::string name;
  std::optional<Vec3<double>> gravity;
  std::size_t start = 0;
  std::optional<double> damping, mass_damping;
  double modal_damping = 0, rho = 0.9;
  bool geometric = true, vibrates = true;
  std::size_t space = 0;
  std::size_t follow = 0;  ///< 0: none, then the methods
  double modes = 0;
  std::vector<FileLoad> loads;
};

struct FileFlex {
  Where where;
  double step = 5e-4, frequencies = 3, exaggeration = 0;
  std::string note;
  std::vector<FileFlexRun> runs;
};

struct FileStudy {
  Where where;
  std::string study, description;
  FilePath robot;
  FileStudyMotion motion;
  std::vector<std::pair<std::string, AnyNumber::Value>> parameters;
  std::vector<std::pair<std::string, FileValue>> set;
  std::size_t compute = 0;
  std::vector<std::size_t> by;  ///< 0: all, then the formulations
  double step = 1e-3, modes = 0;
  std::size_t elastic = 1;
  FilePublished published;
  FileSimulate simulate;
  FileControl control;
  FileFlex flex;
};

const KeyTable<FileStudy>& study_table();
/// Names that become those of files and folders. Throws Error.
void check_plain_name(const std::string& key, const std::string& name, const Where& where);
/// Every table by its name in the schema.
json study_definitions();

}  // namespace gough::io
