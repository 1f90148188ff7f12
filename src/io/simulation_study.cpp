/// Studies that simulate: every run with its table, and a report that lays them over each other.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "gough/error.hpp"
#include "gough/io/study.hpp"
#include "report_parts.hpp"
#include "state_columns.hpp"

namespace gough {
namespace {

using namespace io;
namespace fs = std::filesystem;

/// Its forces with elastic joints locked, or none, and the wrench on the platform that belongs to the motion.
Controller forces_of(const RigidMotion& path, SimulatedForces forces, const Mechanism<double>& m) {
  return {[path, forces, &m](double t, Workspace<double>& w) {
            if (forces == SimulatedForces::rigid) w.tau = path.at(t).tau;
            if (!path.wrench().t.empty()) apply_platform_wrench(m, path.wrench().at(t), w);
          },
          path.knots()};
}

/// What the report shows of a run, row by row.
struct RunCurves {
  std::vector<double> t, deviation, gap, energy;
  std::array<std::vector<double>, 3> p;
  std::vector<std::vector<double>> load;  ///< of each elastic joint
};

class SimulationStudy {
 public:
  SimulationStudy(const Study& study, const std::string& folder,
                  const std::function<bool(const SimulationRow&)>& after_row, const std::function<bool()>& go_on)
      : study_(study), after_row_(after_row), go_on_(go_on), record_(std::in_place, study.robot, 0) {
    result_.folder = folder;
  }

  SimulationStudyResult run() {
    for (const StudyRun& r : study_.runs) {
      simulate_run(r);
      if (result_.runs.back().answer.stopped) break;
    }
    record_->finish();
    for (std::string& file : write_report_files(result_.folder, report())) result_.files.push_back(std::move(file));
    result_.files.emplace_back("result.json");
    write_text((fs::path(result_.folder) / "result.json").string(), result_json());
    return std::move(result_);
  }

 private:
  std::vector<double> rows_of(const StudyRun& r) const {
    const double start = r.motion.states.front().motion.t;
    return even_times(start, study_.time > 0 ? start + study_.time : r.motion.states.back().motion.t, study_.step);
  }

  void simulate_run(const StudyRun& r) {
    const RigidMotion reference(study_.robot, r.motion.in_time(), r.motion.states);  // what the rigid robot does
    if (reference.answer().ok()) follow(r, reference);
    else cannot_begin(r, reference.answer());
  }

  /// The other runs go on. Throws Error where there is no other.
  void cannot_begin(const StudyRun& r, const AlongAnswer& why) {
    const bool last = &r == &study_.runs.back();
    if (last && std::none_of(curves_.begin(), curves_.end(), [](const RunCurves& c) { return !c.t.empty(); }))
      throw Error(why.explain(r.motion.file));
    SimulationReport report;
    report.robot = study_.robot.name;
    report.options = r.options;
    report.answer.status = why.status;
    report.answer.reason = fmt::format("its motion cannot be followed: t = {:g}: {}", why.t, why.reason);
    result_.runs.push_back(std::move(report));
    curves_.emplace_back().load.resize(study_.robot.elastic.size());
  }

  void follow(const StudyRun& r, const RigidMotion& reference) {
    const Mechanism<double>& m = study_.robot;
    Workspace<double> w(m);
    const Workspace<double>& start = reference.at(reference.start());
    w.q = start.q;
    w.v = start.v;
    SimulationJob job;
    job.options = r.options;
    job.options.go_on = go_on_;
    job.times = rows_of(r);
    job.controller = forces_of(reference, study_.forces, m);
    job.output = (fs::path(result_.folder) / (r.name + ".csv")).string();
    RunCurves curves;
    curves.load.resize(m.elastic.size());
    RunRecord record(m, job.times.size());
    job.after_row = [&](const SimulationRow& row) {
      note(row, reference, curves);
      record.add({record.t.size(), row.t, row.w, row.d, "", {}});
      return !after_row_ || after_row_(row);
    };
    result_.runs.push_back(report_simulation(m, w, job));
    result_.runs.back().output = r.name + ".csv";
    result_.files.push_back(r.name + ".csv");
    if (record.t.size() > record_->t.size()) {
      animated_ = curves_.size();
      record_.emplace(std::move(record));
    }
    curves_.push_back(std::move(curves));
  }

  void note(const SimulationRow& row, const RigidMotion& reference, RunCurves& c) const {
    const Mechanism<double>& m = study_.robot;
    c.t.push_back(row.t);
    c.gap.push_back(row.w.phi.size() > 0 ? row.w.phi.cwiseAbs().maxCoeff() : 0.0);
    Workspace<double> w = row.w;
    const EnergyBalance e = energy_balance(m, w);
    c.energy.push_back(e.kinetic + e.potential);
    for (std::size_t k = 0; k < m.elastic.size(); ++k) c.load[k].push_back(row.w.load[m.elastic[k]]);
    if (!m.platform.exists()) return;
    const Vec3<double> p = platform_pose(m, row.w).p;
    for (int k = 0; k < 3; ++k) c.p[at(k)].push_back(p[k]);
    c.deviation.push_back((p - reference.platform(row.t).p).norm());
  }

  // ---------------------------------------------------------------------------------------------- report

  std::string report() const {
    json out = report_head(study_.name, study_.description);
    json facts = json::array(), notes = json::array();
    facts.push_back({"robot", fmt::format("{} ({})", study_.robot.name, study_.robot_file)});
    facts.push_back({"runs", std::to_string(result_.runs.size())});
    facts.push_back({"forces", study_.forces == SimulatedForces::rigid
                                   ? "inverse dynamics of the motion, elastic joints locked; no control"
                                   : "none"});
    if (study_.runs.size() > 1 && !record_->t.empty())
      facts.push_back({"animation", study_.runs[animated_].name +
                                        (animated_ == 0 ? "" : ", the first of those that came farthest")});
    for (std::size_t i = 0; i < result_.runs.size(); ++i)
      if (const SimulationAnswer& a = result_.runs[i].answer; !a.ok())
        notes.push_back({{"severity", "warning"},
                         {"text", fmt::format("{} ended at t = {:g} s: {}: {}.", study_.runs[i].name, a.t,
                                              name(a.status), a.reason)}});
    out.update({{"facts", facts}, {"notes", notes}});
    out.update(report_motion(study_.robot, *record_));
    out.update({{"plots", packed_plots(plots(), "")},
                {"tables", json::array({runs_table(), mobility_table(checked(study_.robot))})}});
    return report_text(out);
  }

  /// Motions in the order of the runs.
  std::vector<std::string> motions() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < curves_.size(); ++i)
      if (std::find(all.begin(), all.end(), study_.runs[i].motion_name) == all.end())
        all.push_back(study_.runs[i].motion_name);
    return all;
  }
  /// Times of the longest run along a motion: those of the others are as many of them as they came to.
  std::vector<double> times_along(const std::string& motion) const {
    const std::vector<double>* longest = nullptr;
    for (std::size_t i = 0; i < curves_.size(); ++i)
      if (study_.runs[i].motion_name == motion && (!longest || curves_[i].t.size() > longest->size()))
        longest = &curves_[i].t;
    return longest ? *longest : std::vector<double>();
  }

  /// Plots of one curve per run, one for each motion, after what `like` says.
  template <class Take>
  void add(std::vector<Plot>& all, const Plot& like, Take take) const {
    const std::vector<std::string> names = motions();
    for (std::size_t n = 0; n < names.size(); ++n) {
      Plot p = like;
      if (n > 0) p.id += fmt::format("_{}", n + 1), p.title += ", " + names[n];
      const std::vector<double> t = times_along(names[n]);
      if (t != record_->t) p.x = t, p.axis = "t [s]";
      for (std::size_t i = 0; i < curves_.size(); ++i) {
        if (study_.runs[i].motion_name != names[n]) continue;
        std::vector<double> values = take(curves_[i]);
        if (values.empty()) continue;
        values.resize(t.size(), std::numeric_limits<double>::quiet_NaN());
        p.series.push_back({study_.runs[i].name, "", std::move(values)});
      }
      if (!p.series.empty()) all.push_back(std::move(p));
    }
  }

  std::vector<Plot> plots() const {
    const Mechanism<double>& m = study_.robot;
    const auto of = [](std::string id, std::string title, std::string unit, std::string text, std::string part) {
      Plot p{std::move(id), std::move(title), std::move(unit), std::move(text), false, false, {}};
      p.part = std::move(part);
      return p;
    };
    std::vector<Plot> all;
    for (std::size_t k = 0; k < 3; ++k)
      add(all, of(std::string("platform_") + "xyz"[k], fmt::format("Platform {}", "xyz"[k]), "m", "", "Motion"),
          [k](const RunCurves& r) { return r.p[k]; });
    add(all,
        of("deviation", "Distance from the reference", "m",
           "Of the platform's origin in each run, from where the rigid robot has it along the same motion.", "Motion"),
        [](const RunCurves& r) { return r.deviation; });
    for (std::size_t k = 0; k < m.elastic.size(); ++k) {
      const Coordinate& c = coordinate(m, m.elastic[k]);
      add(all,
          of("load_" + std::to_string(k + 1), "Force in " + c.name, c.is_length ? "N" : "N m",
             "Of spring and damper, along the joint's coordinate.", "Forces and energy"),
          [k](const RunCurves& r) { return r.load[k]; });
    }
    add(all, of("energy", "Kinetic and potential energy", "J", "Their sum.", "Forces and energy"),
        [](const RunCurves& r) { return r.energy; });
    Plot gap = of("gap", "Gap of the loops", "m or rad",
                  "Largest loop equation: the distance between the ends of the chains where they meet.", "");
    gap.log = gap.check = true;
    add(all, gap, [](const RunCurves& r) { return r.gap; });
    return all;
  }

  json runs_table() const {
    json rows = json::array();
    const std::string none = "–";
    for (std::size_t i = 0; i < result_.runs.size(); ++i) {
      const SimulationReport& r = result_.runs[i];
      const bool fixed =
          r.options.integrator.method == Method::rk4 || r.options.integrator.method == Method::semi_implicit;
      const auto& d = curves_[i].deviation;
      rows.push_back({study_.runs[i].name,
                      r.answer.ok() ? fmt::format("{} rows", r.answer.rows)
                                    : fmt::format("{} at t = {:.4g} s", name(r.answer.status), r.answer.t),
                      study_.runs[i].motion_name, std::string(name(r.options.dynamics.by)),
                      std::string(name(r.options.loops)), std::string(name(r.options.integrator.method)),
                      fixed ? fmt::format("{:g}", 1e6 * r.options.integrator.fixed_step) : none,
                      curves_[i].t.empty() ? none : fmt::format("{:.1e}", r.answer.largest_residual),
                      d.empty() ? none : fmt::format("{:.3g}", 1e3 * *std::max_element(d.begin(), d.end())),
                      r.eigenvalue > 0 ? fmt::format("{:.3g}", r.eigenvalue) : none});
    }
    return report_table("runs", "Runs",
                        {"run", "outcome", "motion", "formulation", "loops", "method", "#step [µs]",
                         "#largest gap [m or rad]", "#largest deviation [mm]", "#eigenvalue"},
                        rows, "Eigenvalue: the largest of the printed iteration's matrix; it converges below 2 only.");
  }

  std::string result_json() const {
    json runs = json::array(), settings = json::object();
    for (const auto& [path, value] : study_.settings) settings[path] = value;
    for (std::size_t i = 0; i < result_.runs.size(); ++i) {
      json one = json::parse(simulation_json({result_.runs[i]}));
      one["name"] = study_.runs[i].name;
      one["motion"] = study_.runs[i].motion_name;
      one["fixed_step"] = result_.runs[i].options.integrator.fixed_step;
      runs.push_back(std::move(one));
    }
    return dumped({{"study", study_.name},
                   {"description", study_.description},
                   {"robot", {{"name", study_.robot.name}, {"file", study_.robot_file}, {"set", settings}}},
                   {"motion", study_.motion_file},
                   {"compute", "simulate"},
                   {"status", result_.stopped() ? "interrupted" : "ok"},
                   {"runs", runs},
                   {"files", result_.files}});
  }

  const Study& study_;
  const std::function<bool(const SimulationRow&)>& after_row_;
  const std::function<bool()>& go_on_;
  std::optional<RunRecord> record_;  ///< of the run that is animated: the first of those that came farthest
  std::size_t animated_ = 0;         ///< its place
  SimulationStudyResult result_;
  std::vector<RunCurves> curves_;
};

}  // namespace

bool SimulationStudyResult::stopped() const {
  return std::any_of(runs.begin(), runs.end(), [](const SimulationReport& r) { return r.answer.stopped; });
}

SimulationStudyResult run_simulation_study(const Study& study, const std::string& folder,
                                           const std::function<bool(const SimulationRow&)>& after_row,
                                           const std::function<bool()>& go_on) {
  if (study.runs.empty()) throw Error({study.file, 0}, "read no runs, expected some to simulate");
  make_folder(folder);
  return SimulationStudy(study, folder, after_row, go_on).run();
}

std::string simulation_study_text(const Study& study, const SimulationStudyResult& r) {
  std::size_t width = 8;
  for (const StudyRun& run : study.runs) width = std::max(width, run.name.size());
  std::string text = fmt::format("study {}\n  {:<{}}  {:<16}{:<13}{:<14}{:>10}{:>14}  {}\n", study.name, "run", width,
                                 "by", "loops", "method", "step [us]", "largest gap", "outcome");
  for (std::size_t i = 0; i < r.runs.size(); ++i) {
    const SimulationReport& run = r.runs[i];
    const bool fixed =
        run.options.integrator.method == Method::rk4 || run.options.integrator.method == Method::semi_implicit;
    text += fmt::format(
        "  {:<{}}  {:<16}{:<13}{:<14}{:>10}{:>14.1e}  {}\n", study.runs[i].name, width, name(run.options.dynamics.by),
        name(run.options.loops), name(run.options.integrator.method),
        fixed ? fmt::format("{:g}", 1e6 * run.options.integrator.fixed_step) : "-", run.answer.largest_residual,
        run.answer.ok()
            ? fmt::format("{} rows", run.answer.rows)
            : fmt::format("{} at t = {:.4g} s: {}", name(run.answer.status), run.answer.t, run.answer.reason));
  }
  text += fmt::format("  {}: {}\n", r.folder, fmt::join(r.files, ", "));
  return text;
}

}  // namespace gough
