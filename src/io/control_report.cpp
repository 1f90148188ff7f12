#include "control_parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gough/io/study.hpp"
#include "report_parts.hpp"
#include "state_columns.hpp"

namespace gough {
namespace {

using namespace io;

constexpr double micro = 1e6;
std::size_t drives(const Structure& m) { return m.actuator.size(); }
/// Of actuators all of one kind, or of any.
std::string unit_of(const Structure& m, const std::string& length, const std::string& angle) {
  std::size_t lengths = 0;
  for (std::size_t i = 0; i < drives(m); ++i) lengths += drive(m, i).is_length ? 1 : 0;
  if (lengths == drives(m)) return length;
  return lengths == 0 ? angle : length + " or " + angle;
}
std::string named(const ControlSweep& s) { return s.unit.empty() ? s.what : fmt::format("{} [{}]", s.what, s.unit); }

bool came_to_its_end(const ControlOutcome& o) { return o.answer.ok() && !o.answer.stopped; }
/// Nothing for a run that did.
std::string how_it_ended(const ControlOutcome& o) {
  if (o.answer.stopped) return fmt::format("interrupted at t = {:.4g} s", o.answer.t);
  return o.answer.ok() ? "" : fmt::format("ended at t = {:.4g} s: {}", o.answer.t, o.answer.reason);
}
/// "-64.4 %"; of runs that came to their end.
std::string by_how_much(const ControlOutcome& now, const ControlOutcome& before) {
  if (!came_to_its_end(now) || !came_to_its_end(before) || !(before.all() > 0)) return "-";
  return fmt::format("{:+.1f} %", 100 * (now.all() / before.all() - 1));
}
bool shows_vibration(const ControlStudyResult& r) { return r.vibration_from > 0; }
std::string in_micro(double x) { return std::isfinite(x) ? fmt::format("{:.3f}", micro * x) : "-"; }

// ------------------------------------------------------------------------------------------------ plots

std::vector<double> matrix_column(const MatX<double>& x, std::size_t c) {
  if (static_cast<Eigen::Index>(c) >= x.cols()) return {};  // never begun
  const auto v = x.col(static_cast<Eigen::Index>(c));
  return {v.begin(), v.end()};
}
std::vector<double> filled(std::vector<double> values, std::size_t rows) {
  values.resize(rows, std::numeric_limits<double>::quiet_NaN());
  return values;
}

class ControlPlots {
 public:
  ControlPlots(const Study& study, const ControlStudyResult& r, std::size_t animated) : m_(study.robot), r_(r) {
    for (const ControlOutcome& o : r.runs)
      if (o.t.size() > t_.size()) t_ = o.t;
    rows_ = t_.size();
    if (animated == rows_) t_.clear();  // the animation's times
  }

  std::vector<Plot> made() {
    for (std::size_t i = 0; i < drives(m_); ++i) errors(i);
    platform();
    for (std::size_t i = 0; i < drives(m_); ++i) forces(i);
    for (std::size_t i = 0; i < drives(m_); ++i) phase(i);
    for (std::size_t i = 0; i < r_.sweeps.size(); ++i) sweep(i);
    return std::move(all_);
  }

 private:
  Plot over_time(const std::string& id, const std::string& title, const std::string& unit,
                 const std::string& note) const {
    Plot p{id, title, unit, note, false, false, {}};
    if (!t_.empty()) p.x = t_, p.axis = "t [s]";
    return p;
  }
  void add(Plot p) {
    if (!p.series.empty()) all_.push_back(std::move(p));
  }

  void errors(std::size_t i) {
    Plot p = over_time(fmt::format("error_{}", i + 1), "Error of " + drive(m_, i).name,
                       drive(m_, i).is_length ? "m" : "rad", "Desired less true position.");
    for (const ControlOutcome& o : r_.runs)
      p.series.push_back({o.run.name, "", filled(matrix_column(o.error, i), rows_)});
    add(std::move(p));
  }
  void platform() {
    Plot p = over_time("platform", "Error of the platform's origin", "m", "Its distance from where it should be.");
    for (const ControlOutcome& o : r_.runs) {
      if (o.platform.cols() == 0) continue;
      const VecX<double> distance = o.platform.rowwise().norm();
      p.series.push_back({o.run.name, "", filled({distance.begin(), distance.end()}, rows_)});
    }
    add(std::move(p));
  }
  /// What acted in the first run, and what models have for the desired motion.
  void forces(std::size_t i) {
    Plot p =
        over_time(fmt::format("force_{}", i + 1), "Force of " + drive(m_, i).name, drive(m_, i).is_length ? "N" : "N m",
                  "What acted, and what the runs' models compute for the desired motion.");
    std::vector<const ControlOutcome*> shown;
    for (const ControlOutcome& o : r_.runs) {
      if (&o == &r_.runs.front())
        p.series.push_back({"acted in " + o.run.name, "", filled(matrix_column(o.force, i), rows_)});
      const auto same = [&](const ControlOutcome* x) {
        return x->model.rows() == o.model.rows() && (x->model - o.model).cwiseAbs().maxCoeff() < 1e-9;
      };
      if (o.run.law == LawKind::joint || o.model.rows() == 0 || std::any_of(shown.begin(), shown.end(), same)) continue;
      shown.push_back(&o);
      p.series.push_back({"model of " + o.run.name, "", filled(matrix_column(o.model, i), rows_)});
    }
    add(std::move(p));
  }
  void phase(std::size_t i) {
    const bool length = drive(m_, i).is_length;
    Plot p{fmt::format("phase_{}", i + 1),
           "Phase plane of " + drive(m_, i).name,
           length ? "m/s" : "rad/s",
           "The error's rate over the error.",
           false,
           false,
           {},
           {},
           length ? "error [m]" : "error [rad]"};
    for (const ControlOutcome& o : r_.runs)
      if (o.error.rows() > 0)
        p.series.push_back({o.run.name, "", matrix_column(o.error_rate, i), matrix_column(o.error, i)});
    add(std::move(p));
  }
  void sweep(std::size_t i) {
    const ControlSweep& s = r_.sweeps[i];
    Plot p{fmt::format("sweep_{}", i + 1),
           "Error over " + s.what,
           unit_of(m_, "m", "rad"),
           "Rms of all actuators.",
           false,
           true,
           {},
           s.values,
           named(s)};
    for (std::size_t k = 0; k < s.runs.size(); ++k) p.series.push_back({s.runs[k], "", matrix_column(s.rms, k)});
    all_.push_back(std::move(p));
  }

  const Mechanism<double>& m_;
  const ControlStudyResult& r_;
  std::vector<double> t_;  ///< of plots over time that the animation does not last for
  std::size_t rows_ = 0;
  std::vector<Plot> all_;
};

// ------------------------------------------------------------------------------------------------ tables

std::string short_number(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "–"; }

json runs_table(const Study& study, const ControlStudyResult& r) {
  json rows = json::array();
  const std::string none = "–";
  for (std::size_t k = 0; k < r.runs.size(); ++k) {
    const ControlOutcome& o = r.runs[k];
    rows.push_back({o.run.name, came_to_its_end(o) ? none : how_it_ended(o), short_number(micro * o.all()),
                    k == 0 ? none : by_how_much(o, r.runs.front()), k == 0 ? none : by_how_much(o, r.runs[k - 1]),
                    o.platform.cols() > 0 ? short_number(micro * o.platform_rms()) : none,
                    shows_vibration(r) ? short_number(micro * o.vibration(r.vibration_from)) : none});
  }
  const std::string note = fmt::format(
      "Vibration: the platform's error faster than {:.3g} Hz, half the lowest natural frequency of elastic joints.",
      r.vibration_from);
  return report_table("runs", "Tracking errors, rms",
                      {"run", "outcome", fmt::format("#actuators [{}]", unit_of(study.robot, "µm", "µrad")),
                       "#to the first", "#to the one above", "#platform [µm]", "#vibration [µm]"},
                      rows, shows_vibration(r) ? note : "");
}

json actuators_table(const Study& study, const ControlStudyResult& r) {
  std::vector<std::string> columns = {"run"};
  for (std::size_t i = 0; i < drives(study.robot); ++i) columns.push_back("#" + drive(study.robot, i).name);
  json rows = json::array();
  for (const ControlOutcome& o : r.runs) {
    json row = json::array({o.run.name});
    const VecX<double> rms = o.rms();  // of none where the run ended before its first sample
    for (std::size_t i = 0; i < drives(study.robot); ++i)
      row.push_back(i < static_cast<std::size_t>(rms.size()) ? short_number(micro * rms[static_cast<Eigen::Index>(i)])
                                                             : "–");
    rows.push_back(row);
  }
  return report_table("actuators",
                      fmt::format("Tracking errors per actuator, rms [{}]", unit_of(study.robot, "µm", "µrad")),
                      columns, rows);
}

json sweep_table(const Study& study, const ControlStudyResult& r, std::size_t i) {
  const ControlSweep& s = r.sweeps[i];
  std::vector<std::string> columns = {"#" + named(s)};
  for (const std::string& run : s.runs) columns.push_back("#" + run);
  json rows = json::array();
  for (std::size_t v = 0; v < s.values.size(); ++v) {
    json row = json::array({fmt::format("{:g}", s.values[v])});
    for (const double x : s.rms.row(static_cast<Eigen::Index>(v))) row.push_back(short_number(micro * x));
    rows.push_back(row);
  }
  return report_table(fmt::format("sweep_{}", i + 1),
                      fmt::format("Errors over {}, rms [{}]", s.what, unit_of(study.robot, "µm", "µrad")), columns,
                      rows);
}

std::string timing(const Study& study, const ControlOutcome& o) {
  return fmt::format(
      "{}: generated C takes {:.3g} us of a sample of {:g} us; paper 003's took 150 of 500 us on a 333 MHz "
      "PowerPC, with path planning and joint control",
      o.run.name, micro * o.sample_time, micro * study.control->period);
}

json facts(const Study& study) {
  const ControlPlan& p = *study.control;
  const auto filter = p.sampling.velocity_filter;
  return json::array(
      {json::array({"robot", fmt::format("{} ({})", study.robot.name, study.robot_file)}),
       json::array({"sampling", fmt::format("every {:g} ms, forces {} sample{} late", 1e3 * p.period, p.sampling.delay,
                                            p.sampling.delay == 1 ? "" : "s")}),
       json::array({"encoders", p.sampling.encoder > 0 ? fmt::format("steps of {:g} {}", p.sampling.encoder,
                                                                     unit_of(study.robot, "m", "rad"))
                                                       : "exact"}),
       json::array({"rates", filter > 0 ? fmt::format("differences, low pass of {:g} Hz", filter) : "differences"}),
       json::array({"bandwidths",
                    fmt::format("position {:g} Hz, velocity {:g} Hz", p.bandwidths.position, p.bandwidths.velocity)}),
       json::array({"plant", fmt::format("base parameters {:g} %, friction {:g} % off the model's; payload {:g} kg{}",
                                         100 * p.base_share, 100 * p.friction_share, p.payload,
                                         p.modes > 0 ? fmt::format("; beams in {} modes each", p.modes) : "")})});
}

json notes(const Study& study, const ControlStudyResult& r) {
  json all = json::array();
  for (const ControlOutcome& o : r.runs) {
    if (!came_to_its_end(o))
      all.push_back({{"severity", "warning"}, {"text", fmt::format("{} {}.", o.run.name, how_it_ended(o))}});
    if (o.sample_time > 0) all.push_back({{"severity", "note"}, {"text", timing(study, o) + "."}});
  }
  for (const ControlSweep& s : r.sweeps)
    for (const std::string& lost : s.lost) all.push_back({{"severity", "note"}, {"text", lost + "."}});
  return all;
}

}  // namespace

std::string io::control_report(const Study& study, const ControlStudyResult& r, const RunRecord& record) {
  json out = report_head(study.name, study.description);
  out.update({{"facts", facts(study)}, {"notes", notes(study, r)}});
  out.update(report_motion(study.control->bent ? *study.control->bent : study.robot, record));
  json tables = json::array({runs_table(study, r), actuators_table(study, r)});
  for (std::size_t i = 0; i < r.sweeps.size(); ++i) tables.push_back(sweep_table(study, r, i));
  tables.push_back(mobility_table(checked(study.robot)));
  out.update({{"plots", packed_plots(ControlPlots(study, r, record.t.size()).made(), "")}, {"tables", tables}});
  return report_text(out);
}

std::string control_study_text(const Study& study, const ControlStudyResult& r) {
  std::size_t width = 8;
  for (const ControlOutcome& o : r.runs) width = std::max(width, o.run.name.size());
  const bool elastic = shows_vibration(r);
  std::string text =
      fmt::format("study {}: tracking errors\n  {:<{}}{:>12}{:>11}{:>13}{:>17}{:>15}{}\n", study.name, "run", width,
                  fmt::format("rms [{}]", unit_of(study.robot, "um", "urad")), "largest", "to the first",
                  "to the one above", "platform [um]", elastic ? fmt::format("{:>16}", "vibration [um]") : "");
  for (std::size_t k = 0; k < r.runs.size(); ++k) {
    const ControlOutcome& o = r.runs[k];
    const auto told = [](double x) { return std::isfinite(x) ? fmt::format("{:.2f}", micro * x) : "-"; };
    const double most = o.error.size() > 0 ? o.error.cwiseAbs().maxCoeff() : o.all();
    text += fmt::format("  {:<{}}{:>12}{:>11}{:>13}{:>17}{:>15}{}{}\n", o.run.name, width, told(o.all()), told(most),
                        k == 0 ? "" : by_how_much(o, r.runs.front()), k == 0 ? "" : by_how_much(o, r.runs[k - 1]),
                        o.platform.size() > 0 ? fmt::format("{:.2f}", micro * o.platform_rms()) : "-",
                        elastic ? fmt::format("{:>16}", in_micro(o.vibration(r.vibration_from))) : "",
                        came_to_its_end(o) ? "" : "  " + how_it_ended(o));
  }
  for (const ControlOutcome& o : r.runs)
    if (o.sample_time > 0) text += fmt::format("\n  {}\n", timing(study, o));
  for (const ControlSweep& s : r.sweeps) {
    text += fmt::format("\n  {:<24}", named(s));
    for (const std::string& run : s.runs) text += fmt::format("{:>{}}", run, std::max<std::size_t>(10, run.size() + 2));
    for (std::size_t v = 0; v < s.values.size(); ++v) {
      text += fmt::format("\n  {:<24g}", s.values[v]);
      for (std::size_t k = 0; k < s.runs.size(); ++k) {
        const double x = micro * s.rms(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(k));
        text += fmt::format("{:>{}}", std::isfinite(x) ? fmt::format("{:.2f}", x) : "-",
                            std::max<std::size_t>(10, s.runs[k].size() + 2));
      }
    }
    text += "\n";
    for (const std::string& lost : s.lost) text += fmt::format("  {}\n", lost);
  }
  return text + fmt::format("\n  {}: {}\n", r.folder, fmt::join(r.files, ", "));
}

std::string control_study_json(const Study& study, const ControlStudyResult& r) {
  const auto number = [](double x) { return std::isfinite(x) ? json(x) : json(); };
  const auto listed = [](const VecX<double>& x) { return std::vector<double>(x.begin(), x.end()); };
  json runs = json::array(), sweeps = json::array();
  for (const ControlOutcome& o : r.runs)
    runs.push_back({{"name", o.run.name},
                    {"status", name(o.answer.status)},
                    {"t", o.answer.t},
                    {"rms", listed(o.rms())},
                    {"largest", listed(o.largest())},
                    {"rms_all", o.all()},
                    {"platform_rms", o.platform.size() > 0 ? json(o.platform_rms()) : json()},
                    {"vibration_rms", number(o.vibration(r.vibration_from))},
                    {"sample_time", o.sample_time},
                    {"output", o.run.name + ".csv"}});
  for (const ControlSweep& s : r.sweeps) {
    json rows = json::array();
    for (Eigen::Index v = 0; v < s.rms.rows(); ++v) {
      json row = json::array();
      for (const double x : s.rms.row(v)) row.push_back(number(x));
      rows.push_back(row);
    }
    sweeps.push_back({{"what", s.what},
                      {"unit", s.unit},
                      {"values", s.values},
                      {"runs", s.runs},
                      {"rms_all", rows},
                      {"lost", s.lost}});
  }
  return dumped({{"study", study.name},
                 {"description", study.description},
                 {"robot", {{"name", study.robot.name}, {"file", study.robot_file}}},
                 {"motion", study.motion_file},
                 {"compute", "control"},
                 {"status", r.stopped ? "interrupted" : "ok"},
                 {"sampling", study.control->period},
                 {"runs", runs},
                 {"sweeps", sweeps},
                 {"files", r.files}});
}

}  // namespace gough
