#include "gough/io/control_study.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>

#include "control_parts.hpp"
#include "generated_law.hpp"
#include "gough/error.hpp"
#include "gough/identification/measurement.hpp"
#include "gough/io/csv.hpp"
#include "gough/io/study.hpp"
#include "gough/simulation/coupled.hpp"
#include "report_parts.hpp"

namespace gough {
namespace {

using namespace io;
namespace fs = std::filesystem;

/// The model as a run knows it.
Mechanism<double> known_model(const Mechanism<double>& model, const ControlRun& run) {
  Mechanism<double> m = run.friction ? model : without_friction(model);
  return run.payload > 0 ? with_payload(m, run.payload) : m;
}

ControlLaw law_of(const Mechanism<double>& known, const ControlPlan& plan, const ControlRun& run) {
  const JointGains gains = gains_for(known, plan.bandwidths);
  switch (run.law) {
    case LawKind::joint: return joint_control(gains);
    case LawKind::computed_force: return computed_force(gains);
    case LawKind::computed_torque: return computed_torque(known, plan.bandwidths);
    case LawKind::adaptive: return adaptive(known, gains, {plan.parameters, run.rate});
  }
  return {};
}

/// Errors and forces, row by row.
class Recorder {
 public:
  Recorder(const Mechanism<double>& plant, const Reference& reference, std::size_t rows)
      : m_(plant), reference_(reference) {
    const auto r = static_cast<Eigen::Index>(rows), n = static_cast<Eigen::Index>(plant.actuator.size());
    for (MatX<double>* x : {&o.error, &o.error_rate, &o.force, &o.model}) x->resize(r, n);
    o.platform.resize(r, reference.has_platform ? 3 : 0);
  }
  void add(const SimulationRow& row) {
    const auto k = static_cast<Eigen::Index>(o.t.size());
    o.t.push_back(row.t);
    const Desired d = desired_at(reference_, row.t);
    for (Eigen::Index i = 0; i < o.error.cols(); ++i) {
      const int c = m_.actuator[at(i)];
      o.error(k, i) = d.q[i] - row.w.q[position_index(m_, c)];
      o.error_rate(k, i) = d.v[i] - row.w.v[c];
    }
    o.force.row(k) = row.w.tau.transpose();
    o.model.row(k) = reference_.at(row.t).tau.transpose();
    if (o.platform.cols() > 0) o.platform.row(k) = (d.p - platform_pose(m_, row.w).p).transpose();
  }
  ControlOutcome finished() {
    const auto rows = static_cast<Eigen::Index>(o.t.size());
    for (MatX<double>* x : {&o.error, &o.error_rate, &o.force, &o.model, &o.platform})
      x->conservativeResize(rows, Eigen::NoChange);
    return std::move(o);
  }
  ControlOutcome o;

 private:
  const Mechanism<double>& m_;
  const Reference& reference_;
};

double rms_of(const MatX<double>& x) { return x.size() > 0 ? x.norm() / std::sqrt(static_cast<double>(x.size())) : 0; }

}  // namespace

VecX<double> ControlOutcome::rms() const {
  return (error.colwise().squaredNorm().transpose() / std::max<double>(1, static_cast<double>(error.rows())))
      .cwiseSqrt();
}
VecX<double> ControlOutcome::largest() const {
  if (error.rows() == 0) return VecX<double>::Zero(error.cols());
  return error.cwiseAbs().colwise().maxCoeff().transpose();
}
double ControlOutcome::all() const {
  return error.rows() > 0 ? rms_of(error)
                          : std::numeric_limits<double>::quiet_NaN();  // it ended before its first sample
}
double ControlOutcome::platform_rms() const {
  return platform.size() > 0 ? platform.norm() / std::sqrt(static_cast<double>(platform.rows())) : 0;
}
double ControlOutcome::vibration(double frequency) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (platform.rows() < 3) return unknown;
  const double rate = static_cast<double>(t.size() - 1) / (t.back() - t.front());
  if (!(frequency > 0 && frequency < rate / 2)) return unknown;
  const MatX<double> fast = platform - ZeroPhase(frequency, rate)(platform);
  return fast.norm() / std::sqrt(static_cast<double>(fast.rows()));
}

namespace {

/// Throws Error where the run cannot be made, or its law's model cannot be where the plant is.
void run_into(Recorder& recorder, const Mechanism<double>& known, const Mechanism<double>& plant,
              const ControlPlan& plan, const Reference& reference, std::span<const double> times,
              const std::function<bool(const SimulationRow&)>& go_on) {
  ControlLaw law = law_of(known, plan, recorder.o.run);
  std::shared_ptr<GeneratedLaw> generated;
  if (recorder.o.run.generated) {
    generated = std::make_shared<GeneratedLaw>(known, gains_for(known, plan.bandwidths));
    law = [generated](const ControlSample& s) { return (*generated)(s); };
  }
  SimulationOptions options;
  options.hold = plan.period;
  options.dry = plan.smooth > 0 ? DryFriction::smooth : DryFriction::stick;
  options.smooth = plan.smooth;
  if (!plant.modal.empty()) options.integrator.tolerance = bending_tolerance;
  if (plan.plant_step > 0) {
    options.integrator.method = Method::rk4;
    options.integrator.fixed_step = std::min(plan.plant_step, plan.period);
  }
  Workspace<double> w(plant);
  w.q = standing_at(plant, reference.rows.front().q).q;
  recorder.o.answer =
      simulate(plant, w, times, options, sampled(plant, reference, law, plan.sampling), [&](const SimulationRow& row) {
        recorder.add(row);
        return !go_on || go_on(row);
      });
  if (generated) recorder.o.sample_time = generated->per_sample();
}

bool begins_moving(const MotionState& s) {
  constexpr double slow = 1e-9;
  return s.of_platform() ? s.platform().v.norm() + s.platform().w.norm() > slow : s.actuators().v.norm() > slow;
}

ControlOutcome lost(ControlOutcome o, const Error& why) {
  o.answer.status = Status::unreachable;
  o.answer.reason = why.what();
  o.answer.t = o.t.empty() ? 0 : o.t.back();
  return o;
}

}  // namespace

ControlOutcome run_control(const Mechanism<double>& model, const Mechanism<double>& plant, const ControlPlan& plan,
                           const ControlRun& run, double speed, double row_step,
                           const std::function<bool(const SimulationRow&)>& go_on) {
  ControlOutcome none;
  none.run = run;
  try {
    const Mechanism<double> known = known_model(model, run);
    const Reference reference = reference_of(known, plan.trajectory, plan.period, {speed, run.elastic});
    if (begins_moving(reference.rows.front().state))
      throw Error(fmt::format("{}: read a motion that begins moving, expected one from rest", model.name));
    const std::vector<double> times = even_times(0, reference.rows.back().state.t, row_step);
    Recorder recorder(plant, reference, times.size());
    recorder.o.run = run;
    try {
      run_into(recorder, known, plant, plan, reference, times, go_on);
    } catch (const Error& why) { return lost(recorder.finished(), why); }
    return recorder.finished();
  } catch (const Error& why) { return lost(std::move(none), why); }
}

bool ControlStudyResult::ok() const {
  return !stopped && std::all_of(runs.begin(), runs.end(), [](const ControlOutcome& o) { return o.answer.ok(); });
}

// ------------------------------------------------------------------------------------------------ the study

namespace {

Mechanism<double> plant_of(const Mechanism<double>& model, const ControlPlan& plan, double base_share,
                           double friction_share, double payload) {
  if (plan.bent) return payload > 0 ? with_payload(*plan.bent, payload) : *plan.bent;
  Mechanism<double> plant = base_share != 0 || friction_share != 0
                                ? different(model, plan.parameters, base_share, friction_share, plan.seed)
                                : model;
  return payload > 0 ? with_payload(plant, payload) : plant;
}

/// What one value of a sweep changes.
struct Change {
  Mechanism<double> plant;
  ControlPlan plan;
  double speed = 1;
};

class ControlStudy {
 public:
  ControlStudy(const Study& study, std::string folder, const std::function<bool()>& go_on)
      : study_(study),
        plan_(*study.control),
        go_on_(go_on),
        record_(study.control->bent ? *study.control->bent : study.robot, study.motion.states.size()) {
    result_.folder = std::move(folder);
  }

  ControlStudyResult run() {
    const Mechanism<double> plant =
        plant_of(study_.robot, plan_, plan_.base_share, plan_.friction_share, plan_.payload);
    result_.vibration_from = elastic_frequency(plan_.bent ? *plan_.bent : study_.robot) / 2;
    std::vector<std::optional<ControlOutcome>> runs(plan_.runs.size());
    each(runs.size(), [&](std::size_t i) {
      runs[i] = run_control(study_.robot, plant, plan_, plan_.runs[i], 1, study_.step, [&](const SimulationRow& row) {
        if (i == 0) record_.add({record_.t.size(), row.t, row.w, row.d, "", {}});
        return asked();
      });
    });
    record_.finish();
    for (std::optional<ControlOutcome>& o : runs)
      if (o) result_.runs.push_back(std::move(*o));
    for (const ControlOutcome& o : result_.runs) write_table(o);
    sweep("speed", "of the motion's", plan_.speeds, [&](double x) { return Change{plant, plan_, x}; });
    sweep("parameter error", "", plan_.shares, [&](double x) {
      return Change{plant_of(study_.robot, plan_, x, 2 * x, plan_.payload), plan_};
    });
    sweep("payload", "kg", plan_.payloads, [&](double x) {
      return Change{plant_of(study_.robot, plan_, plan_.base_share, plan_.friction_share, x), plan_};
    });
    sweep("sampling time", "s", plan_.periods, [&](double x) {
      Change c{plant, plan_};
      c.plan.period = x;
      return c;
    });
    result_.stopped = stopped_;
    for (std::string& f : write_report_files(result_.folder, control_report(study_, result_, record_)))
      result_.files.push_back(std::move(f));
    result_.files.emplace_back("result.json");
    write_text((fs::path(result_.folder) / "result.json").string(), control_study_json(study_, result_));
    return std::move(result_);
  }

 private:
  bool asked() {
    if (go_on_ && !go_on_()) stopped_ = true;
    return !stopped_;
  }
  template <class F>
  void each(std::size_t n, F&& f) {
    tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
      if (!stopped_) f(i);
    });
  }

  /// One run at one value.
  template <class Make>
  SimulationAnswer swept(Make& make, double value, const ControlRun& run, double& rms) {
    try {
      const Change c = make(value);
      const ControlOutcome o =
          run_control(study_.robot, c.plant, c.plan, run, c.speed, std::max(study_.step, c.plan.period),
                      [&](const SimulationRow&) { return asked(); });
      if (o.answer.ok()) rms = o.all();
      return o.answer;
    } catch (const Error& why) { return lost({}, why).answer; }
  }

  /// A sweep that was interrupted has nothing to show.
  template <class Make>
  void sweep(const std::string& what, const std::string& unit, const std::vector<double>& values, Make make) {
    if (values.empty()) return;
    const std::size_t runs = plan_.swept.size();
    ControlSweep s{what, unit, values, {}, {}, {}};
    for (const std::size_t r : plan_.swept) s.runs.push_back(plan_.runs[r].name);
    s.rms.setConstant(static_cast<Eigen::Index>(values.size()), static_cast<Eigen::Index>(runs),
                      std::numeric_limits<double>::quiet_NaN());
    std::vector<std::string> lost(values.size() * runs);
    each(lost.size(), [&](std::size_t k) {
      const auto v = static_cast<Eigen::Index>(k / runs), r = static_cast<Eigen::Index>(k % runs);
      const SimulationAnswer answer = swept(make, values[k / runs], plan_.runs[plan_.swept[k % runs]], s.rms(v, r));
      if (!answer.ok())
        lost[k] = fmt::format("{} {:g}, {}: ended at t = {:g} s: {}", what, values[k / runs], s.runs[k % runs],
                              answer.t, answer.reason);
    });
    std::copy_if(lost.begin(), lost.end(), std::back_inserter(s.lost), [](const std::string& x) { return !x.empty(); });
    if (!stopped_) result_.sweeps.push_back(std::move(s));
  }

  void write_table(const ControlOutcome& o) {
    Table table{{"t"}, {}, {}};
    const auto add = [&](const std::string& prefix, const MatX<double>& x) {
      for (Eigen::Index i = 0; i < x.cols(); ++i)
        table.columns.push_back(prefix + "." + study_.robot.coordinate[at(study_.robot.actuator[at(i)])].name);
    };
    add("error", o.error), add("error_rate", o.error_rate), add("tau", o.force), add("model", o.model);
    for (Eigen::Index i = 0; i < o.platform.cols(); ++i) table.columns.push_back(fmt::format("e{}", "xyz"[i]));
    for (std::size_t k = 0; k < o.t.size(); ++k) {
      std::vector<double> row = {o.t[k]};
      for (const MatX<double>* x : {&o.error, &o.error_rate, &o.force, &o.model, &o.platform})
        row.insert(row.end(), x->row(static_cast<Eigen::Index>(k)).begin(), x->row(static_cast<Eigen::Index>(k)).end());
      table.rows.push_back(std::move(row));
    }
    write_text((fs::path(result_.folder) / (o.run.name + ".csv")).string(), table_text(table));
    result_.files.push_back(o.run.name + ".csv");
  }

  const Study& study_;
  const ControlPlan& plan_;
  const std::function<bool()>& go_on_;
  RunRecord record_;
  ControlStudyResult result_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

std::size_t control_rows(const Study& study) {
  const ControlPlan& p = *study.control;
  double sets = static_cast<double>(p.shares.size() + p.payloads.size());
  for (const double speed : p.speeds) sets += 1 / speed;
  for (const double period : p.periods) sets += std::min(1.0, study.step / period);
  const double times = static_cast<double>(p.runs.size()) + sets * static_cast<double>(p.swept.size());
  return static_cast<std::size_t>(std::min(1e15, times * (p.trajectory.duration / study.step + 1)));
}

ControlStudyResult run_control_study(const Study& study, const std::string& folder,
                                     const std::function<bool()>& go_on) {
  if (!study.control) throw Error({study.file, 0}, "read no controllers, expected some to run");
  make_folder(folder);
  return ControlStudy(study, folder, go_on).run();
}

}  // namespace gough
