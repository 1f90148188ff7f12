#pragma once
/// Studies of control: laws on a plant that differs from their model, and what their errors depend on.    docs/control.md
#include <optional>

#include "gough/control/control.hpp"
#include "gough/io/run_record.hpp"

namespace gough {

enum class LawKind { joint, computed_force, computed_torque, adaptive };
inline constexpr std::array<std::string_view, 4> law_names = {"joint", "computed_force", "computed_torque", "adaptive"};

struct ControlRun {
  std::string name;
  LawKind law = LawKind::joint;
  bool friction = true;  ///< the model has it
  double payload = 0;    ///< that the model knows of [kg]
  ElasticMotion elastic = ElasticMotion::locked;
  double rate = 1;         ///< of adaptive
  bool generated = false;  ///< forces by generated C, compiled when the study runs
};

struct ControlPlan {
  Trajectory trajectory;
  double period = 5e-4;  ///< [s] between samples
  SamplingOptions sampling;
  Bandwidths bandwidths;
  ParameterOptions parameters;
  double base_share = 0, friction_share = 0, payload = 0;  ///< of the plant
  unsigned seed = 1;
  double plant_step =
      0;  ///< [s] of rk4 between samples; 0: adaptive, or for beams that bend a share of their fastest vibration
  int modes = 0;                          ///< per beam of the plant
  std::optional<Mechanism<double>> bent;  ///< the robot with them
  double smooth = 1e-3;                   ///< [m/s or rad/s] below it dry friction is smoothed; 0: joints stick
  std::vector<ControlRun> runs;
  std::vector<double> speeds, shares, payloads, periods;  ///< what is swept,
  std::vector<std::size_t> swept;                         ///< with which runs
};

/// How one run went. Rows of the matrices are times.
struct ControlOutcome {
  ControlRun run;
  SimulationAnswer answer;
  std::vector<double> t;
  MatX<double> error, error_rate;  ///< of the actuators: desired less true [m or rad; per s]
  MatX<double> force;              ///< that acted [N or N m]
  MatX<double> model;              ///< that the run's model has for the desired motion
  MatX<double> platform;           ///< error of its origin [m]; no columns without platform
  double sample_time = 0;          ///< [s] that generated forces took per sample, median

  VecX<double> rms() const, largest() const;  ///< of each actuator's error
  double all() const;                         ///< rms of all actuators together
  double platform_rms() const;
  /// Rms of the platform's error faster than `frequency` [Hz]; NaN where rows are too far apart to tell.
  double vibration(double frequency) const;
};

struct ControlSweep {
  std::string what, unit;
  std::vector<double> values;
  std::vector<std::string> runs;
  MatX<double> rms;               ///< values x runs; NaN where a run ended early
  std::vector<std::string> lost;  ///< which, and why
};

struct ControlStudyResult {
  std::string folder;
  std::vector<ControlOutcome> runs;  ///< that were begun
  std::vector<ControlSweep> sweeps;
  std::vector<std::string> files;
  double vibration_from = 0;  ///< [Hz] half the lowest natural frequency of elastic joints; 0: there are none
  bool stopped = false;

  /// All runs came to their end.
  bool ok() const;
};

/// One run of the model's law on the plant, with rows every `row_step` seconds, until `go_on` says no. Where it cannot
/// be made or cannot go on, the answer says why.
ControlOutcome run_control(const Mechanism<double>& model, const Mechanism<double>& plant, const ControlPlan& plan,
                           const ControlRun& run, double speed, double row_step,
                           const std::function<bool(const SimulationRow&)>& go_on = {});

struct Study;
/// Runs and sweeps, on all cores. `go_on` is asked after every row, on any thread.
ControlStudyResult run_control_study(const Study& study, const std::string& folder,
                                     const std::function<bool()>& go_on = {});
/// How many rows that are.
std::size_t control_rows(const Study& study);

std::string control_study_text(const Study& study, const ControlStudyResult& result);
std::string control_study_json(const Study& study, const ControlStudyResult& result);

}  // namespace gough
