#include "gough/io/control_study.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

#include "gough/error.hpp"
#include "gough/io/compiled.hpp"
#include "gough/io/generate.hpp"
#include "gough/io/study.hpp"
#include "gough/kinematics/forward.hpp"
#include "report_parts.hpp"

namespace gough {
namespace {

using namespace io;
namespace fs = std::filesystem;
std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }
const Coordinate& drive(const Mechanism<double>& m, Eigen::Index i) { return m.coordinate[at(m.actuator[at(i)])]; }

/// The model as a run knows it.
Mechanism<double> known_model(const Mechanism<double>& model, const ControlRun& run) {
  Mechanism<double> m = run.friction ? model : without_friction(model);
  return run.payload > 0 ? with_payload(m, run.payload) : m;
}

/// Computed force whose model is generated C, timed.
class Generated {
 public:
  Generated(const Mechanism<double>& model, const JointGains& gains)
      : folder_(fs::temp_directory_path() / fmt::format("gough_control_{}", std::chrono::steady_clock::now().time_since_epoch().count())) {
    fs::create_directories(folder_);
    const Program p = generate(model, {"inverse", "platform", false, false, true});
    const std::string file = (folder_ / "forces.so").string();
    compile(p, file);
    code_ = std::make_unique<CompiledProgram>(file);
    cascade_ = computed_force(gains);
  }
  ~Generated() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Generated(const Generated&) = delete;
  Generated& operator=(const Generated&) = delete;

  VecX<double> operator()(const ControlSample& s) {
    const PlatformMotion& x = s.desired.state.platform();
    std::vector<double> in(x.pose.p.begin(), x.pose.p.end());
    for (Eigen::Index r = 0; r < 3; ++r)
      for (Eigen::Index c = 0; c < 3; ++c) in.push_back(x.pose.R(r, c));
    for (const Vec3<double>& v : {x.v, x.w, x.a, x.dw}) in.insert(in.end(), v.begin(), v.end());
    std::vector<double> tau(at(s.q.size()));
    const auto start = std::chrono::steady_clock::now();
    (*code_)(in, tau);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++samples_;
    Reference::Row desired = s.desired;
    desired.tau = Eigen::Map<VecX<double>>(tau.data(), s.q.size());
    return cascade_({s.t, s.period, s.q, s.v, desired});
  }
  double per_sample() const { return samples_ > 0 ? seconds_ / static_cast<double>(samples_) : 0; }

 private:
  fs::path folder_;
  std::unique_ptr<CompiledProgram> code_;
  ControlLaw cascade_;
  double seconds_ = 0;
  long samples_ = 0;
};

ControlLaw law_of(const Mechanism<double>& model, const ControlPlan& plan, const ControlRun& run) {
  const JointGains gains = gains_for(model, plan.bandwidths);
  switch (run.law) {
    case LawKind::joint: return joint_control(gains);
    case LawKind::computed_force: return computed_force(gains);
    case LawKind::computed_torque: return computed_torque(model, plan.bandwidths);
    case LawKind::adaptive: return adaptive(model, gains, {plan.parameters, run.rate});
  }
  return {};
}

/// Errors, forces and rates, row by row.
class Recorder {
 public:
  Recorder(const Mechanism<double>& plant, const Reference& reference, std::size_t rows)
      : m_(plant), reference_(reference), n_(static_cast<Eigen::Index>(plant.actuator.size())) {
    const auto r = static_cast<Eigen::Index>(rows);
    outcome.error.resize(r, n_), outcome.force.resize(r, n_), outcome.rate.resize(r, n_);
  }
  void add(const SimulationRow& row) {
    const Reference::Row& desired = reference_.at(row.t);
    const auto k = static_cast<Eigen::Index>(outcome.t.size());
    outcome.t.push_back(row.t);
    for (Eigen::Index i = 0; i < n_; ++i) {
      const int c = m_.actuator[at(i)];
      outcome.error(k, i) = desired.q[i] - row.w.q[position_index(m_, c)];
      outcome.force(k, i) = row.w.tau[i];
      outcome.rate(k, i) = row.w.v[c];
    }
    if (desired.state.of_platform()) square_ += (desired.state.platform().pose.p - platform_pose(m_, row.w).p).squaredNorm();
  }
  void finish() {
    const auto rows = static_cast<Eigen::Index>(outcome.t.size());
    for (MatX<double>* x : {&outcome.error, &outcome.force, &outcome.rate}) x->conservativeResize(rows, n_);
    if (rows == 0) return;
    const auto count = static_cast<double>(rows);
    outcome.rms = (outcome.error.colwise().squaredNorm().transpose() / count).cwiseSqrt();
    outcome.largest = outcome.error.cwiseAbs().colwise().maxCoeff().transpose();
    outcome.all = outcome.error.norm() / std::sqrt(count * static_cast<double>(n_));
    outcome.platform_rms = std::sqrt(square_ / count);
  }
  ControlOutcome outcome;

 private:
  const Mechanism<double>& m_;
  const Reference& reference_;
  Eigen::Index n_;
  double square_ = 0;
};

}  // namespace

ControlOutcome run_control(const Mechanism<double>& model, const Mechanism<double>& plant, const ControlPlan& plan,
                           const ControlRun& run, double speed, double row_step, const std::function<bool()>& after) {
  const Mechanism<double> known = known_model(model, run);
  const Reference reference = reference_of(known, plan.trajectory, plan.period, {speed, run.elastic});
  std::shared_ptr<Generated> generated;
  ControlLaw law = law_of(known, plan, run);
  if (run.generated) {
    generated = std::make_shared<Generated>(known, gains_for(known, plan.bandwidths));
    law = [generated](const ControlSample& s) { return (*generated)(s); };
  }
  Workspace<double> w(plant);
  if (const Answer start = forward_kinematics(plant, reference.rows.front().q, w); !start.ok())
    throw Error(fmt::format("{}: the start cannot be reached: {}", run.name, start.reason));
  SimulationOptions options;
  options.hold = plan.period;
  options.integrator.tolerance = 1e-8;
  const double end = reference.rows.back().state.t;
  const std::vector<double> times = even_times(0, end, std::max(row_step, plan.period));
  Recorder recorder(plant, reference, times.size());
  recorder.outcome.answer =
      simulate(plant, w, times, options, sampled(plant, reference, law, plan.sampling), [&](const SimulationRow& row) {
        recorder.add(row);
        return !after || after();
      });
  recorder.finish();
  recorder.outcome.name = run.name;
  if (generated) recorder.outcome.sample_time = generated->per_sample();
  return std::move(recorder.outcome);
}

// ------------------------------------------------------------------------------------------------ the study

namespace {

Mechanism<double> plant_of(const Mechanism<double>& model, const ControlPlan& plan, double base, double friction, double payload) {
  Mechanism<double> plant =
      base != 0 || friction != 0 ? different(model, plan.parameters, base, friction, plan.seed) : model;
  return payload > 0 ? with_payload(plant, payload) : plant;
}

class ControlStudy {
 public:
  ControlStudy(const Study& study, std::string folder, const std::function<bool()>& after)
      : study_(study), plan_(*study.control), after_(after) {
    result_.folder = std::move(folder);
  }

  ControlStudyResult run() {
    const Mechanism<double> plant = plant_of(study_.robot, plan_, plan_.base_share, plan_.friction_share, plan_.payload);
    result_.runs.resize(plan_.runs.size());
    all(plan_.runs.size(), [&](std::size_t i) {
      result_.runs[i] = run_control(study_.robot, plant, plan_, plan_.runs[i], 1, study_.step, [&] { return go_on(); });
    });
    for (const ControlOutcome& o : result_.runs) write_table(o);
    sweep("speed", "of the motion's", plan_.speeds, [&](double x, ControlPlan&, double& speed) { return speed = x, plant; });
    sweep("parameter error", "", plan_.shares, [&](double x, ControlPlan&, double&) {
      return plant_of(study_.robot, plan_, x, 2 * x, plan_.payload);
    });
    sweep("payload", "kg", plan_.payloads, [&](double x, ControlPlan&, double&) {
      return plant_of(study_.robot, plan_, plan_.base_share, plan_.friction_share, x);
    });
    sweep("sampling", "s", plan_.periods, [&](double x, ControlPlan& p, double&) { return p.period = x, plant; });
    result_.stopped = stopped_;
    for (std::string& f : write_report_files(result_.folder, report())) result_.files.push_back(std::move(f));
    result_.files.emplace_back("result.json");
    write_text((fs::path(result_.folder) / "result.json").string(), control_study_json(study_, result_));
    return std::move(result_);
  }

 private:
  bool go_on() {
    if (after_ && !after_()) stopped_ = true;
    return !stopped_;
  }
  template <class F>
  void all(std::size_t n, F&& f) {
    tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
      if (!stopped_) f(i);
    });
  }

  template <class Make>
  void sweep(const std::string& what, const std::string& unit, const std::vector<double>& values, Make make) {
    if (values.empty() || stopped_) return;
    ControlSweep s{what, unit, values, MatX<double>(static_cast<Eigen::Index>(values.size()), static_cast<Eigen::Index>(plan_.runs.size()))};
    all(values.size() * plan_.runs.size(), [&](std::size_t k) {
      const std::size_t v = k / plan_.runs.size(), r = k % plan_.runs.size();
      ControlPlan plan = plan_;
      double speed = 1;
      const Mechanism<double> plant = make(values[v], plan, speed);
      const ControlOutcome o = run_control(study_.robot, plant, plan, plan.runs[r], speed, study_.step, [&] { return go_on(); });
      s.rms(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(r)) =
          o.answer.ok() ? o.all : std::numeric_limits<double>::quiet_NaN();
    });
    result_.sweeps.push_back(std::move(s));
  }

  void write_table(const ControlOutcome& o) {
    const Mechanism<double>& m = study_.robot;
    Table table{{"t"}, {}, {}};
    for (const char* prefix : {"error.", "v.", "tau."})
      for (Eigen::Index i = 0; i < o.error.cols(); ++i) table.columns.push_back(prefix + drive(m, i).name);
    for (std::size_t k = 0; k < o.t.size(); ++k) {
      std::vector<double> row = {o.t[k]};
      for (const MatX<double>* x : {&o.error, &o.rate, &o.force})
        for (Eigen::Index i = 0; i < x->cols(); ++i) row.push_back((*x)(static_cast<Eigen::Index>(k), i));
      table.rows.push_back(std::move(row));
    }
    write_text((fs::path(result_.folder) / (o.name + ".csv")).string(), table_text(table));
    result_.files.push_back(o.name + ".csv");
  }

  // ---------------------------------------------------------------------------------------------- report

  static json plot(const std::string& id, const std::string& title, const std::string& unit, const std::vector<double>& x,
                   const std::string& axis, bool log, const std::vector<std::pair<std::string, std::vector<double>>>& curves) {
    json series = json::array();
    for (const auto& [name, values] : curves)
      series.push_back({{"name", name}, {"by", ""}, {"values", packed(values, true)}});
    return {{"id", id}, {"title", title}, {"unit", unit}, {"note", ""}, {"log", log}, {"x", packed(x, false)},
            {"axis", axis}, {"log_x", false}, {"series", series}};
  }
  static std::vector<double> column(const MatX<double>& x, Eigen::Index c) { return {x.col(c).begin(), x.col(c).end()}; }

  json plots() const {
    const Mechanism<double>& m = study_.robot;
    json all = json::array();
    const bool length = drive(m, 0).is_length;
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(m.actuator.size()); ++i) {
      std::vector<std::pair<std::string, std::vector<double>>> errors;
      for (const ControlOutcome& o : result_.runs) errors.emplace_back(o.name, column(o.error, i));
      all.push_back(plot("error_" + std::to_string(i + 1), "Error of " + drive(m, i).name, length ? "m" : "rad",
                         result_.runs.front().t, "time [s]", false, errors));
    }
    for (const ControlOutcome& o : result_.runs) {
      std::vector<std::pair<std::string, std::vector<double>>> forces;
      for (Eigen::Index i = 0; i < o.force.cols(); ++i) forces.emplace_back(drive(m, i).name, column(o.force, i));
      all.push_back(plot("forces_" + o.name, "Forces, " + o.name, length ? "N" : "N m", o.t, "time [s]", false, forces));
    }
    for (const ControlSweep& s : result_.sweeps) {
      std::vector<std::pair<std::string, std::vector<double>>> curves;
      for (std::size_t r = 0; r < plan_.runs.size(); ++r) curves.emplace_back(plan_.runs[r].name, column(s.rms, static_cast<Eigen::Index>(r)));
      all.push_back(plot("sweep_" + std::to_string(&s - result_.sweeps.data() + 1), "Error over " + s.what, length ? "m" : "rad",
                         s.values, s.what + (s.unit.empty() ? "" : " [" + s.unit + "]"), true, curves));
    }
    return all;
  }

  json errors_table() const {
    std::vector<std::string> columns = {"run"};
    const Mechanism<double>& m = study_.robot;
    const double scale = drive(m, 0).is_length ? 1e6 : 1e6;
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(m.actuator.size()); ++i) columns.push_back("#" + drive(m, i).name);
    columns.insert(columns.end(), {"#all", "#of the first", "#platform"});
    json rows = json::array();
    for (const ControlOutcome& o : result_.runs) {
      json row = json::array({o.name});
      for (const double x : o.rms) row.push_back(fmt::format("{:.2f}", scale * x));
      row.push_back(fmt::format("{:.2f}", scale * o.all));
      row.push_back(fmt::format("{:.3f}", o.all / result_.runs.front().all));
      row.push_back(fmt::format("{:.2f}", 1e6 * o.platform_rms));
      rows.push_back(row);
    }
    return report_table("errors", "Tracking errors, rms [µm or µrad]", columns, rows);
  }

  std::string report() const {
    json out = report_head(study_.name, study_.description);
    const std::vector<double> none;
    out.update({{"facts", json::array({json::array({"robot", study_.robot.name}),
                                       json::array({"sampling", fmt::format("{:g} ms", 1e3 * plan_.period)})})},
                {"notes", json::array()},
                {"frames", {{"x", packed(none, false)}}},
                {"plots", plots()},
                {"tables", json::array({errors_table()})}});
    return report_text(out);
  }

  const Study& study_;
  const ControlPlan& plan_;
  const std::function<bool()>& after_;
  ControlStudyResult result_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

ControlStudyResult run_control_study(const Study& study, const std::string& folder, const std::function<bool()>& after) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error({folder, 0}, "cannot be made, expected a place for a folder");
  return ControlStudy(study, folder, after).run();
}

std::string control_study_text(const Study& study, const ControlStudyResult& r) {
  const bool length = drive(study.robot, 0).is_length;
  std::string text = fmt::format("study {}\n  {:<24}{:>14}{:>14}{:>16}{:>14}\n", study.name, "run",
                                 length ? "rms [um]" : "rms [urad]", "largest", "of the first", "platform [um]");
  for (const ControlOutcome& o : r.runs)
    text += fmt::format("  {:<24}{:>14.2f}{:>14.2f}{:>16.3f}{:>14.2f}{}\n", o.name, 1e6 * o.all,
                        o.largest.size() > 0 ? 1e6 * o.largest.maxCoeff() : 0, o.all / r.runs.front().all, 1e6 * o.platform_rms,
                        o.answer.ok() ? "" : fmt::format("  ended at t = {:g} s: {}", o.answer.t, o.answer.reason));
  for (const ControlOutcome& o : r.runs)
    if (o.sample_time > 0)
      text += fmt::format("  {}: generated C takes {:.2f} us a sample of {:g} ms; the paper's took 150 us of 500 us on a "
                          "333 MHz PowerPC\n", o.name, 1e6 * o.sample_time, 1e3 * study.control->period);
  for (const ControlSweep& s : r.sweeps) {
    text += fmt::format("\n  {:<24}", s.what + (s.unit.empty() ? "" : " [" + s.unit + "]"));
    for (const ControlRun& run : study.control->runs) text += fmt::format("{:>18}", run.name);
    text += "\n";
    for (Eigen::Index v = 0; v < s.rms.rows(); ++v) {
      text += fmt::format("  {:<24g}", s.values[at(v)]);
      for (Eigen::Index c = 0; c < s.rms.cols(); ++c) text += fmt::format("{:>18.2f}", 1e6 * s.rms(v, c));
      text += "\n";
    }
  }
  return text + fmt::format("  {}: {}\n", r.folder, fmt::join(r.files, ", "));
}

std::string control_study_json(const Study& study, const ControlStudyResult& r) {
  json runs = json::array(), sweeps = json::array();
  for (const ControlOutcome& o : r.runs)
    runs.push_back({{"name", o.name},
                    {"rms", std::vector<double>(o.rms.begin(), o.rms.end())},
                    {"largest", std::vector<double>(o.largest.begin(), o.largest.end())},
                    {"rms_all", o.all},
                    {"platform_rms", o.platform_rms},
                    {"status", name(o.answer.status)},
                    {"sample_time", o.sample_time}});
  for (const ControlSweep& s : r.sweeps) {
    json rows = json::array();
    for (Eigen::Index v = 0; v < s.rms.rows(); ++v) rows.push_back(std::vector<double>(s.rms.row(v).begin(), s.rms.row(v).end()));
    sweeps.push_back({{"what", s.what}, {"unit", s.unit}, {"values", s.values}, {"rms", rows}});
  }
  return json{{"study", study.name},
              {"description", study.description},
              {"robot", study.robot.name},
              {"compute", "control"},
              {"status", r.stopped ? "interrupted" : "ok"},
              {"runs", runs},
              {"sweeps", sweeps},
              {"files", r.files}}
             .dump(2) +
         "\n";
}

}  // namespace gough
