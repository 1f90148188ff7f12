#pragma once
/// The grammar of a study file.
#include <optional>

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

struct FileStudy {
  Where where;
  std::string study, description;
  FilePath robot;
  FileStudyMotion motion;
  std::vector<std::pair<std::string, AnyNumber::Value>> parameters;
  std::vector<std::pair<std::string, FileValue>> set;
  std::size_t compute = 0;
  std::vector<std::size_t> by;  ///< 0: all, then the formulations
  double step = 1e-3;
  std::size_t elastic = 1;
};

const Table<FileStudy>& study_table();
/// Every table by its name in the schema.
json study_definitions();

}  // namespace gough::io
