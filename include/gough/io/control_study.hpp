#pragma once
/// Studies of control: laws on a plant that differs from their model, and what their errors depend on. docs/theory/control.md
#include <optional>

#include "gough/control/control.hpp"

namespace gough {

enum class LawKind { joint, computed_force, computed_torque, adaptive };
inline constexpr std::array<std::string_view, 4> law_names = {"joint", "computed_force", "computed_torque", "adaptive"};

struct ControlRun {
  std::string name;
  LawKind law = LawKind::joint;
  bool friction = true;   ///< the model has it
  double payload = 0;     ///< that the model knows of [kg]
  ElasticMotion elastic = ElasticMotion::locked;
  double rate = 1;        ///< of adaptive
  bool generated = false; ///< forces by generated C, compiled when the study runs
};

struct ControlPlan {
  Trajectory trajectory;
  double period = 5e-4;
  SamplingOptions sampling;
  Bandwidths bandwidths;
  ParameterOptions parameters;
  double base_share = 0, friction_share = 0, payload = 0;  ///< of the plant
  unsigned seed = 1;
  std::vector<ControlRun> runs;
  std::vector<double> speeds, shares, payloads, periods;  ///< what is swept
};

/// How one run went.
struct ControlOutcome {
  std::string name;
  VecX<double> rms, largest;      ///< of each actuator's error [m or rad]
  double platform_rms = 0;        ///< of the platform's origin [m]; 0 without platform
  double all = 0;                 ///< rms of all actuators
  double sample_time = 0;         ///< [s] that forces took per sample, where they were generated
  SimulationAnswer answer;
  std::vector<double> t;
  MatX<double> error, force, rate;  ///< rows are times
};

struct ControlSweep {
  std::string what, unit;
  std::vector<double> values;
  MatX<double> rms;  ///< values x runs
};

struct ControlStudyResult {
  std::string folder;
  std::vector<ControlOutcome> runs;
  std::vector<ControlSweep> sweeps;
  std::vector<std::string> files;
  bool stopped = false;
};

/// One run: the model's law on the plant. `after`: after every row, returns whether to go on.
ControlOutcome run_control(const Mechanism<double>& model, const Mechanism<double>& plant, const ControlPlan& plan,
                           const ControlRun& run, double speed, double row_step, const std::function<bool()>& after = {});

struct Study;
ControlStudyResult run_control_study(const Study& study, const std::string& folder, const std::function<bool()>& after = {});
std::string control_study_text(const Study& study, const ControlStudyResult& result);
std::string control_study_json(const Study& study, const ControlStudyResult& result);

}  // namespace gough
