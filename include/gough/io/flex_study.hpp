#pragma once
/// Studies of beams that bend: one motion, several runs beside each other.                        docs/flexible.md
#include "gough/flexible/flexible_inverse.hpp"
#include "gough/io/flex_report.hpp"
#include "gough/io/published.hpp"

namespace gough {

struct FlexStudyRun {
  std::string name;
  FlexOptions options;
  std::optional<Vec3<double>> gravity;  ///< instead of the robot's
  std::optional<FlexInverse> follow;    ///< drives corrected by that method
  int modes = 0;                        ///< per beam, of the coupled model; 0: beams along the rigid motion
};

struct FlexPlan {
  std::vector<FlexStudyRun> runs;
  double step = 5e-4;       ///< [s] of integration
  double exaggeration = 0;  ///< of the drawing; 0: so that it can be seen
  std::string note;         ///< what there is to say beside the published numbers
  RobotDescription robot;   ///< with the study's settings
};

struct FlexStudyResult {
  std::string folder;
  std::vector<FlexReport> runs;                        ///< that were begun
  std::vector<std::vector<ComparedNumber>> published;  ///< per run
  std::vector<std::string> files;                      ///< in the folder, result.json last

  bool ok() const;
  bool stopped() const;
};

struct Study;
FlexStudyResult run_flex_study(const Study& study, const std::string& folder, const std::function<bool()>& go_on = {});
/// How many rows that are.
std::size_t flex_rows(const Study& study);
std::string flex_study_text(const Study& study, const FlexStudyResult& result);
std::string flex_study_json(const Study& study, const FlexStudyResult& result);

}  // namespace gough
