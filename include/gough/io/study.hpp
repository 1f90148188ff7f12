#pragma once
/// Studies: a robot, a motion and what to compute, in one file (YAML; docs/studies.md). The grammar is one set of tables
/// (src/io/study_tables.cpp) that reads, explains mistakes and gives the JSON Schema.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gough/io/control_study.hpp"
#include "gough/io/dynamics_report.hpp"
#include "gough/io/flex_study.hpp"
#include "gough/io/published.hpp"
#include "gough/io/simulation_report.hpp"

namespace gough {

inline constexpr std::size_t largest_study_file = std::size_t{1} << 18;

/// Where the forces of a simulation come from: inverse dynamics of its motion, elastic joints locked; or nowhere.
enum class SimulatedForces { rigid, none };
inline constexpr std::array<std::string_view, 2> simulated_forces_names = {"rigid", "none"};

/// One of the simulations that a study compares.
struct StudyRun {
  std::string name;
  SimulationOptions options;
  KnownMotion motion;
  std::string motion_name;  ///< for people
};

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
  std::vector<StudyRun> runs;          ///< of a simulation; empty: inverse dynamics
  std::optional<ControlPlan> control;  ///< of control; then nothing else is computed
  std::optional<FlexPlan> flex;        ///< of beams; then nothing else is computed
  SimulatedForces forces = SimulatedForces::rigid;
  double step = 1e-3;  ///< [s]
  double time = 0;     ///< [s] of simulations; 0: as long as the motion
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
  double share = 0;           ///< of what rounding explains: above 1 it disagrees
  Formulation code{};         ///< whose inverse dynamics it runs
};

struct StudyResult {
  std::string folder;
  InverseReport inverse;  ///< by the first formulation
  std::vector<StudyFormulation> formulations;
  std::vector<ComparedNumber> published;
  std::vector<std::string> files;  ///< in the folder, result.json last

  /// Which formulations disagree beyond rounding, in words; empty: none.
  std::string disagreement() const;
};

/// Computes, and writes tables row by row, then the report and result.json last into `folder` (made if need be). `after_row` as in
/// InverseJob.
StudyResult run_study(const Study& study, const std::string& folder,
                      const std::function<bool(const AlongRow&)>& after_row = {});

struct SimulationStudyResult {
  std::string folder;
  std::vector<SimulationReport> runs;
  std::vector<std::string> files;  ///< in the folder, result.json last

  bool stopped() const;
};

/// The same for a study with runs: a table for each, NAME.csv. `go_on` is asked between rows too.
SimulationStudyResult run_simulation_study(const Study& study, const std::string& folder,
                                           const std::function<bool(const SimulationRow&)>& after_row = {},
                                           const std::function<bool()>& go_on = {});
std::string simulation_study_text(const Study& study, const SimulationStudyResult& result);

std::string study_text(const Study& study, const StudyResult& result);
std::string study_json(const Study& study, const StudyResult& result);

/// The JSON Schema of study files, for editors.
std::string study_schema();

}  // namespace gough
