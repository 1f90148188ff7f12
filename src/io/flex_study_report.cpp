/// The report of a study of beams.
#include <fmt/format.h>

#include <cmath>

#include "flex_parts.hpp"
#include "gough/io/study.hpp"
#include "state_columns.hpp"

namespace gough {
namespace {

using namespace io;

const std::string& run_name(const Study& study, std::size_t k) { return study.flex->runs[k].name; }

std::vector<double> report_column(const FlexReport& r, const std::string& name, std::size_t rows) {
  std::vector<double> x;
  const int c = r.table->find(name);
  if (c >= 0)
    for (const auto& row : r.table->rows) x.push_back(row[static_cast<std::size_t>(c)]);
  x.resize(rows, std::numeric_limits<double>::quiet_NaN());
  return x;
}

struct ErrorColumn {
  const char *name, *title, *unit;
};
constexpr std::array<ErrorColumn, 6> errors = {{{"ex", "Error of the platform in x", "m"},
                                                {"ey", "Error of the platform in y", "m"},
                                                {"ez", "Error of the platform in z", "m"},
                                                {"erx", "Turn of the platform about x", "rad"},
                                                {"ery", "Turn of the platform about y", "rad"},
                                                {"erz", "Turn of the platform about z", "rad"}}};

bool same(const std::vector<double>& x, const std::vector<double>& y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i]) && !(std::abs(x[i] - y[i]) < 1e-9)) return false;
  return true;
}

/// Of the run that came farthest; runs share their times as far as they came.
std::vector<double> longest_times(const FlexStudyResult& r) {
  const FlexReport* longest = &r.runs.front();
  for (const FlexReport& run : r.runs)
    if (run.table->rows.size() > longest->table->rows.size()) longest = &run;
  return report_column(*longest, "t", longest->table->rows.size());
}

std::vector<Plot> plots_of(const Study& study, const FlexStudyResult& r, std::size_t animated) {
  std::vector<Plot> all;
  const std::vector<double> times = longest_times(r);
  const std::size_t rows = times.size();
  const auto of_runs = [&](const std::string& id, const std::string& title, const std::string& unit,
                           const std::string& name, const std::string& note) {
    Plot p{id, title, unit, note, false, false, {}};
    if (rows != animated) p.x = times, p.axis = "t [s]";  // the animated run ended before others
    for (std::size_t k = 0; k < r.runs.size(); ++k)
      p.series.push_back({run_name(study, k), "", report_column(r.runs[k], name, rows)});
    return p;
  };
  if (study.robot.platform.exists())
    for (const ErrorColumn& e : errors)
      all.push_back(of_runs(e.name, e.title, e.unit, e.name, "Of the elastic robot against the rigid one."));
  for (std::size_t i = 0; i < study.robot.actuator.size(); ++i) {
    const Coordinate& c = drive(study.robot, i);
    Plot p = of_runs("tau_" + std::to_string(i + 1), "Driving force of " + c.name, c.is_length ? "N" : "N m",
                     "tau." + c.name, "Of the elastic robot, and of the rigid one.");
    for (std::size_t k = 0; k < r.runs.size(); ++k) {
      const std::vector<double> rigid = report_column(r.runs[k], "tau_rigid." + c.name, rows);
      bool known = false;  // runs with the same gravity share it
      for (const Series& s : p.series) known = known || (s.name.starts_with("rigid") && same(s.values, rigid));
      if (!known) p.series.push_back({"rigid, " + run_name(study, k), "", rigid});
    }
    all.push_back(std::move(p));
  }
  all.push_back(of_runs("stress", "Largest stress", "Pa", "stress", "At the outermost fibres of all beams."));
  const int frequencies = study.flex->runs.empty() ? 0 : study.flex->runs.front().options.frequencies;
  for (int i = 1; i <= frequencies; ++i)
    all.push_back(of_runs(fmt::format("f{}", i), fmt::format("Natural frequency {}", i), "Hz", fmt::format("f{}", i),
                          "At the pose and with the tensions of each time."));
  return all;
}

/// The value of a run's extreme by its name, in words; none: it has no such.
const FlexExtreme* extreme_of(const FlexReport& r, const std::string& what) {
  for (const FlexExtreme& e : r.extremes)
    if (e.what == what) return &e;
  return nullptr;
}

std::string shown(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "–"; }

json extremes_table(const Study& study, const FlexStudyResult& r) {
  std::vector<std::string> columns = {"largest"};
  for (std::size_t k = 0; k < r.runs.size(); ++k) columns.push_back("#" + run_name(study, k));
  json rows = json::array();
  for (std::size_t i = 0; i < r.runs.front().extremes.size(); ++i) {
    const FlexExtreme& first = r.runs.front().extremes[i];
    if (r.runs.front().leaves_out(first)) continue;
    json row = json::array({fmt::format("{} [{}]", first.what, first.unit)});
    for (const FlexReport& run : r.runs) {
      const FlexExtreme* e = extreme_of(run, first.what);
      row.push_back(e != nullptr ? shown(e->value) : "–");
    }
    rows.push_back(row);
  }
  for (std::size_t i = 0; i < r.runs.front().range.size(); ++i) {
    json row = json::array({fmt::format("f{} [Hz]", i + 1)});
    for (const FlexReport& run : r.runs)
      row.push_back(i < run.range.size() ? fmt::format("{:.4g} – {:.4g}", run.range[i][0], run.range[i][1]) : "–");
    rows.push_back(row);
  }
  return report_table("extremes", "Largest values", columns, rows);
}

json published_table(const Study& study, const FlexStudyResult& r) {
  std::vector<std::string> columns = {"published", "#value"};
  for (std::size_t k = 0; k < r.runs.size(); ++k) columns.push_back("#" + run_name(study, k));
  json rows = json::array();
  for (std::size_t i = 0; i < study.published.numbers.size(); ++i) {
    const PublishedNumber& n = study.published.numbers[i];
    json row = json::array({fmt::format("{} ({} of {})", n.what, name(n.take), n.column), n.as_written});
    for (const auto& run : r.published) row.push_back(i < run.size() ? shown(run[i].ours) : "–");
    rows.push_back(row);
  }
  return report_table("published", "Published numbers beside ours", columns, rows,
                      study.published.source + (study.flex->note.empty() ? "" : ". " + study.flex->note));
}

json facts(const Study& study, const FlexStudyResult& r, const json& deformed) {
  const FlexReport& first = r.runs.front();
  json all = json::array();
  all.push_back({"robot", fmt::format("{} ({})", study.robot.name, study.robot_file)});
  all.push_back({"motion", study.motion_file});
  all.push_back({"model", fmt::format("{} elastic coordinates, {} rows of joints, {}", first.answer.coordinates,
                                      first.answer.rows, first.answer.planar ? "in a plane" : "in space")});
  all.push_back({"integration", fmt::format("generalised-alpha, steps of {:g} ms", 1e3 * study.flex->step)});
  all.push_back({"drawing", fmt::format("{}, displacements {:g} times as large", run_name(study, 0),
                                        deformed["exaggeration"].get<double>())});
  return all;
}

/// How a run differs from beams along the rigid motion with the rigid robot's drives.
std::string kind_of(const FlexReport& r) {
  std::string text;
  if (r.modes > 0)
    text += fmt::format("the coupled model, {} modes per beam, {} coordinates, Runge-Kutta 8(7) in {} steps", r.modes,
                        r.answer.coordinates, r.steps);
  if (!r.follow.empty()) text += (text.empty() ? "" : "; ") + ("drives corrected by " + r.follow);
  return text;
}

json notes(const Study& study, const FlexStudyResult& r) {
  json all = json::array();
  for (std::size_t k = 0; k < r.runs.size(); ++k)
    if (const std::string kind = kind_of(r.runs[k]); !kind.empty())
      all.push_back({{"severity", "note"}, {"text", fmt::format("{}: {}.", run_name(study, k), kind)}});
  for (std::size_t k = 0; k < r.runs.size(); ++k) {
    for (const std::string& w : r.runs[k].answer.range.warnings())
      all.push_back({{"severity", "warning"}, {"text", fmt::format("{}: {}.", run_name(study, k), w)}});
    if (const AlongAnswer& a = r.runs[k].answer.along; !a.ok() || a.stopped)
      all.push_back(
          {{"severity", "warning"},
           {"text", fmt::format("{} {}.", run_name(study, k), a.stopped ? "was interrupted" : "ended: " + a.reason)}});
  }
  if (!study.flex->note.empty()) all.push_back({{"severity", "note"}, {"text", study.flex->note}});
  return all;
}

}  // namespace

std::string io::flex_report_data(const Study& study, const FlexStudyResult& r, const RunRecord& record,
                                 const Deformed& deformed) {
  json out = report_head(study.name, study.description);
  json motion = report_motion(study.robot, record);
  const json drawn = deformed.data(study.flex->exaggeration, motion["mechanism"]["size"].get<double>());
  out.update({{"facts", facts(study, r, drawn)}, {"notes", notes(study, r)}});
  out.update(motion);
  out["deformed"] = drawn;
  json tables = json::array({extremes_table(study, r)});
  if (!study.published.numbers.empty()) tables.push_back(published_table(study, r));
  tables.push_back(mobility_table(checked(study.robot)));
  out.update({{"plots", packed_plots(plots_of(study, r, record.t.size()), "")}, {"tables", tables}});
  return report_text(out);
}

std::string flex_study_text(const Study& study, const FlexStudyResult& r) {
  std::size_t width = 12;
  for (const FlexStudyRun& run : study.flex->runs) width = std::max(width, run.name.size() + 2);
  std::string text = fmt::format("study {}: {} elastic coordinates\n  {:<34}", study.name,
                                 r.runs.empty() ? 0 : r.runs.front().answer.coordinates, "largest");
  for (std::size_t k = 0; k < r.runs.size(); ++k) text += fmt::format("{:>{}}", run_name(study, k), width);
  text += "\n";
  for (std::size_t i = 0; !r.runs.empty() && i < r.runs.front().extremes.size(); ++i) {
    const FlexExtreme& first = r.runs.front().extremes[i];
    if (r.runs.front().leaves_out(first)) continue;
    text += fmt::format("  {:<34}", fmt::format("{} [{}]", first.what, first.unit));
    for (const FlexReport& run : r.runs) {
      const FlexExtreme* e = extreme_of(run, first.what);
      text += fmt::format("{:>{}}", e != nullptr ? shown(e->value) : "-", width);
    }
    text += "\n";
  }
  for (std::size_t i = 0; !r.runs.empty() && i < r.runs.front().range.size(); ++i)
    for (const std::size_t end : {0U, 1U}) {
      text += fmt::format("  {:<34}", fmt::format("f{} {} [Hz]", i + 1, end == 0 ? "lowest" : "highest"));
      for (const FlexReport& run : r.runs)
        text += fmt::format("{:>{}}", i < run.range.size() ? shown(run.range[i][end]) : "-", width);
      text += "\n";
    }
  for (std::size_t k = 0; k < r.runs.size(); ++k)
    if (const std::string kind = kind_of(r.runs[k]); !kind.empty())
      text += fmt::format("  {}: {}\n", run_name(study, k), kind);
  text += fmt::format("  {:<34}", "computing [s]");
  for (const FlexReport& run : r.runs) text += fmt::format("{:>{}.2f}", run.time, width);
  text += "\n";
  if (!study.published.numbers.empty()) text += fmt::format("\n  published: {}\n", study.published.source);
  for (std::size_t i = 0; i < study.published.numbers.size(); ++i) {
    const PublishedNumber& n = study.published.numbers[i];
    text += fmt::format("  {:<34}", fmt::format("{}: {}", n.what, n.as_written));
    for (const auto& run : r.published) text += fmt::format("{:>{}}", i < run.size() ? shown(run[i].ours) : "-", width);
    text += "\n";
  }
  if (!study.flex->note.empty()) text += fmt::format("  {}\n", study.flex->note);
  return text + fmt::format("\n  {}: {}\n", r.folder, fmt::join(r.files, ", "));
}

std::string flex_study_json(const Study& study, const FlexStudyResult& r) {
  json runs = json::array();
  for (std::size_t k = 0; k < r.runs.size(); ++k) {
    FlexReport bare = r.runs[k];
    bare.table.reset();
    json run = json::parse(flex_json(bare));
    run["name"] = run_name(study, k);
    if (!bare.follow.empty()) run["follow"] = bare.follow;
    run["output"] = run_name(study, k) + ".csv";
    json published = json::array();
    for (const ComparedNumber& n : r.published[k])
      published.push_back({{"what", n.published.what}, {"published", n.published.value}, {"ours", n.ours}});
    run["published"] = published;
    runs.push_back(run);
  }
  return dumped({{"study", study.name},
                 {"description", study.description},
                 {"robot", {{"name", study.robot.name}, {"file", study.robot_file}}},
                 {"motion", study.motion_file},
                 {"compute", "flex"},
                 {"status", r.stopped() ? "interrupted"
                            : r.ok()    ? "ok"
                                        : "failed"},
                 {"step", study.flex->step},
                 {"runs", runs},
                 {"files", r.files}});
}

}  // namespace gough
