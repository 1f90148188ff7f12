#include "gough/io/control_study.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

#include "control_parts.hpp"
#include "gough/error.hpp"
#include "gough/identification/measurement.hpp"
#include "gough/io/compiled.hpp"
#include "gough/io/csv.hpp"
#include "gough/io/generate.hpp"
#include "gough/io/study.hpp"
#include "report_parts.hpp"

namespace gough {
namespace {

using namespace io;
namespace fs = std::filesystem;
std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

/// The model as a run knows it.
Mechanism<double> known_model(const Mechanism<double>& model, const ControlRun& run) {
  Mechanism<double> m = run.friction ? model : without_friction(model);
  return run.payload > 0 ? with_payload(m, run.payload) : m;
}

/// A folder that goes when this does.
class PassingFolder {
 public:
  PassingFolder() {
    std::string name = (fs::temp_directory_path() / "gough_control_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error({name, 0}, "cannot be made, expected a place for generated code");
    path_ = name;
  }
  ~PassingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Computed force whose model is generated C, timed.
class GeneratedForces {
 public:
  GeneratedForces(const Mechanism<double>& model, const JointGains& gains) : feedback_(computed_force(gains)) {
    GenerateWish wish{"inverse", "platform"};
    wish.matrix = true;
    const std::string file = (folder_.path() / "forces.so").string();
    compile(generate(model, wish), file);
    code_ = std::make_unique<CompiledProgram>(file);
    in_.resize(code_->input_size());
    tau_.resize(code_->output_size());
  }

  VecX<double> operator()(const ControlSample& s) {
    const PlatformMotion& x = s.ahead.state.platform();
    double* to = in_.data();
    to = std::copy(x.pose.p.begin(), x.pose.p.end(), to);
    for (Eigen::Index r = 0; r < 3; ++r)
      for (Eigen::Index c = 0; c < 3; ++c) *to++ = x.pose.R(r, c);
    for (const Vec3<double>* v : {&x.v, &x.w, &x.a, &x.dw}) to = std::copy(v->begin(), v->end(), to);
    const auto start = std::chrono::steady_clock::now();
    const int status = (*code_)(in_, tau_);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++samples_;
    if (status != 0) throw Error(fmt::format("generated forces: the pose at t = {:g} s is singular", s.t));
    Reference::Row ahead = s.ahead;
    ahead.tau = Eigen::Map<const VecX<double>>(tau_.data(), s.q.size());
    return feedback_({s.t, s.period, s.q, s.v, s.standing, s.desired_q, s.desired_v, ahead});
  }
  double per_sample() const { return samples_ > 0 ? seconds_ / static_cast<double>(samples_) : 0; }

 private:
  PassingFolder folder_;
  ControlLaw feedback_;
  std::unique_ptr<CompiledProgram> code_;
  std::vector<double> in_, tau_;
  double seconds_ = 0;
  long samples_ = 0;
};

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
    o.platform.resize(r, reference.rows.front().state.of_platform() ? 3 : 0);
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
double ControlOutcome::all() const { return rms_of(error); }
double ControlOutcome::platform_rms() const {
  return platform.size() > 0 ? platform.norm() / std::sqrt(static_cast<double>(platform.rows())) : 0;
}
double ControlOutcome::vibration(double frequency) const {
  if (platform.rows() < 3) return 0;
  const double rate = static_cast<double>(t.size() - 1) / (t.back() - t.front());
  if (!(frequency < rate / 2)) return 0;
  const MatX<double> fast = platform - ZeroPhase(frequency, rate)(platform);
  return fast.norm() / std::sqrt(static_cast<double>(fast.rows()));
}

ControlOutcome run_control(const Mechanism<double>& model, const Mechanism<double>& plant, const ControlPlan& plan,
                           const ControlRun& run, double speed, double row_step,
                           const std::function<bool(const SimulationRow&)>& go_on) {
  const Mechanism<double> known = known_model(model, run);
  const Reference reference = reference_of(known, plan.trajectory, plan.period, {speed, run.elastic});
  std::shared_ptr<GeneratedForces> generated;
  ControlLaw law = law_of(known, plan, run);
  if (run.generated) {
    generated = std::make_shared<GeneratedForces>(known, gains_for(known, plan.bandwidths));
    law = [generated](const ControlSample& s) { return (*generated)(s); };
  }
  Workspace<double> w(plant);
  w.q = standing_at(plant, reference.rows.front().q).q;
  SimulationOptions options;
  options.hold = plan.period;
  options.dry = plan.smooth > 0 ? DryFriction::smooth : DryFriction::stick;
  options.smooth = plan.smooth;
  if (plan.plant_step > 0) {
    options.integrator.method = Method::rk4;
    options.integrator.fixed_step = std::min(plan.plant_step, plan.period);
  }
  const std::vector<double> times = even_times(0, reference.rows.back().state.t, row_step);
  Recorder recorder(plant, reference, times.size());
  recorder.o.name = run.name;
  SimulationAnswer& answer = recorder.o.answer;
  try {
    answer = simulate(plant, w, times, options, sampled(plant, reference, law, plan.sampling),
                      [&](const SimulationRow& row) {
                        recorder.add(row);
                        return !go_on || go_on(row);
                      });
  } catch (const Error& lost) {  // the law's model cannot be where the plant is
    answer.status = Status::unreachable;
    answer.reason = lost.what();
    answer.t = recorder.o.t.empty() ? 0 : recorder.o.t.back();
  }
  if (generated) recorder.o.sample_time = generated->per_sample();
  return recorder.finished();
}

// ------------------------------------------------------------------------------------------------ the study

namespace {

Mechanism<double> plant_of(const Mechanism<double>& model, const ControlPlan& plan, double base_share,
                           double friction_share, double payload) {
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
        record_(study.robot, static_cast<std::size_t>(plan_.trajectory.duration / study.step) + 1) {
    result_.folder = std::move(folder);
  }

  ControlStudyResult run() {
    const Mechanism<double> plant =
        plant_of(study_.robot, plan_, plan_.base_share, plan_.friction_share, plan_.payload);
    result_.runs.resize(plan_.runs.size());
    each(plan_.runs.size(), [&](std::size_t i) {
      result_.runs[i] =
          run_control(study_.robot, plant, plan_, plan_.runs[i], 1, study_.step, [&](const SimulationRow& row) {
            if (i == 0) record_.add({record_.t.size(), row.t, row.w, row.d, "", {}});
            return asked();
          });
    });
    record_.finish();
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

  /// A sweep that was interrupted has nothing to show.
  template <class Make>
  void sweep(const std::string& what, const std::string& unit, const std::vector<double>& values, Make make) {
    if (values.empty()) return;
    const std::size_t runs = plan_.swept.size();
    ControlSweep s{what, unit, values, {}, {}};
    for (const std::size_t r : plan_.swept) s.runs.push_back(plan_.runs[r].name);
    s.rms.resize(static_cast<Eigen::Index>(values.size()), static_cast<Eigen::Index>(runs));
    each(values.size() * runs, [&](std::size_t k) {
      const Change c = make(values[k / runs]);
      const ControlOutcome o =
          run_control(study_.robot, c.plant, c.plan, plan_.runs[plan_.swept[k % runs]], c.speed,
                      std::max(study_.step, c.plan.period), [&](const SimulationRow&) { return asked(); });
      s.rms(static_cast<Eigen::Index>(k / runs), static_cast<Eigen::Index>(k % runs)) =
          o.answer.ok() ? o.all() : std::numeric_limits<double>::quiet_NaN();
    });
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
    write_text((fs::path(result_.folder) / (o.name + ".csv")).string(), table_text(table));
    result_.files.push_back(o.name + ".csv");
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
  return static_cast<std::size_t>(times * (p.trajectory.duration / study.step + 1));
}

ControlStudyResult run_control_study(const Study& study, const std::string& folder,
                                     const std::function<bool()>& go_on) {
  if (!study.control) throw Error({study.file, 0}, "read no controllers, expected some to run");
  make_folder(folder);
  return ControlStudy(study, folder, go_on).run();
}

}  // namespace gough
