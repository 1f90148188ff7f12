#pragma once
/// Studies: a robot, a motion and what to compute, in one file (YAML; docs/studies.md). The grammar is one set of tables
/// (src/io/study_tables.cpp) that reads, explains mistakes and gives the JSON Schema.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gough/io/dynamics_report.hpp"
#include "gough/io/published.hpp"

namespace gough {

inline constexpr std::size_t largest_study_file = std::size_t{1} << 18;

/// A study with its files read.
struct Study {
  std::string name, description, file;
  std::string robot_file, motion_file;  ///< as found from here; the motion's is the study's where it stands inside
  Mechanism<double> robot;              ///< with the study's settings
  KnownMotion motion;
  std::vector<Formulation> by;
  ElasticMotion elastic = ElasticMotion::locked;
  std::vector<std::pair<std::string, std::string>> settings;  ///< path in the robot file, value
  Published published;
};

/// Throws Error (file:line: what was read, what was expected) on bad input.
Study read_study(const std::string& path);
/// The same from text; `file` stands in messages, and robots and motions are looked for from its folder.
Study parse_study(const std::string& text, const std::string& file);

/// How one formulation did.
struct StudyFormulation {
  Formulation by;
  std::string file;           ///< its table, in the results' folder
  double disagreement = 0;    ///< from the first formulation: largest difference over largest forces
  double disagreement_t = 0;  ///< and when
};

struct StudyResult {
  std::string folder;
  InverseReport inverse;  ///< by the first formulation
  std::vector<StudyFormulation> formulations;
  std::vector<ComparedNumber> published;
  std::vector<std::string> files;  ///< in the folder, result.json last
};

/// Computes, and writes tables row by row, then the report and result.json last into `folder` (made if need be). `after_row` as in
/// InverseJob.
StudyResult run_study(const Study& study, const std::string& folder,
                      const std::function<bool(const AlongRow&)>& after_row = {});

std::string study_text(const Study& study, const StudyResult& result);
std::string study_json(const Study& study, const StudyResult& result);

/// The JSON Schema of study files, for editors.
std::string study_schema();

}  // namespace gough
