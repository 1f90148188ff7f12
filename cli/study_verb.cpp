/// run and report.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gough/gough.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace {

/// Where the page is, if there is one.
int print_page(const std::vector<std::string>& files, const std::string& folder) {
  if (std::find(files.begin(), files.end(), gough::report_page_file) == files.end()) return done;
  return print(fmt::format("  open {}/{} in a browser\n", folder, gough::report_page_file));
}

/// A run that does not end well is a result of the comparison; only an interrupt is not.
int run_simulations(const gough::Study& study, const std::string& folder, const Options& o) {
  gough::SimulationStudyResult result;
  {
    Progress progress("row", study.runs.size() * study.motion.states.size());
    result = gough::run_simulation_study(
        study, folder, [&](const gough::SimulationRow&) { return progress.step(); }, [] { return !interrupted(); });
  }
  const int failed = print(o.json ? gough::simulation_json(result.runs) : gough::simulation_study_text(study, result));
  if (failed != done) return failed;
  if (result.stopped()) say("{}: interrupted; finished rows are kept in {}\n", o.study, folder);
  if (!o.json)
    if (const int lost = print_page(result.files, folder); lost != done) return lost;
  return result.stopped() ? numerical : done;
}

int run_controllers(const gough::Study& study, const std::string& folder, const Options& o) {
  gough::ControlStudyResult result;
  {
    Progress progress("row", gough::control_rows(study));
    result = gough::run_control_study(study, folder, [&] { return progress.step(); });
  }
  const int failed =
      print(o.json ? gough::control_study_json(study, result) : gough::control_study_text(study, result));
  if (failed != done) return failed;
  if (result.stopped) say("{}: interrupted; finished rows are kept in {}\n", o.study, folder);
  if (!o.json)
    if (const int lost = print_page(result.files, folder); lost != done) return lost;
  return result.ok() ? done : numerical;
}

int run_beams(const gough::Study& study, const std::string& folder, const Options& o) {
  gough::FlexStudyResult result;
  {
    Progress progress("row", gough::flex_rows(study));
    result = gough::run_flex_study(study, folder, [&] { return progress.step(); });
  }
  const int failed = print(o.json ? gough::flex_study_json(study, result) : gough::flex_study_text(study, result));
  if (failed != done) return failed;
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    const gough::FlexReport& r = result.runs[i];
    for (const std::string& warning : r.answer.range.warnings())
      say("{}: {}: warning: {}\n", o.study, study.flex->runs[i].name, warning);
    if (!r.answer.ok()) say("{}\n", r.answer.along.explain(study.motion.file));
  }
  if (result.stopped()) say("{}: interrupted; finished rows are kept in {}\n", o.study, folder);
  if (!o.json)
    if (const int lost = print_page(result.files, folder); lost != done) return lost;
  return result.ok() ? done : numerical;
}

}  // namespace

int run(const Options& o) {
  const gough::Study study = gough::read_study(o.study);
  const std::string folder = o.output.empty() ? "results/" + study.name : o.output;
  catch_interrupts();
  if (!study.runs.empty()) return run_simulations(study, folder, o);
  if (study.control) return run_controllers(study, folder, o);
  if (study.flex) return run_beams(study, folder, o);
  gough::StudyResult result;
  {
    Progress progress("state", study.motion.states.size());
    result = gough::run_study(study, folder, [&](const gough::AlongRow&) { return progress.step(); });
  }
  const int failed = print(o.json ? gough::study_json(study, result) : gough::study_text(study, result));
  if (failed != done) return failed;
  const gough::InverseReport& along = result.inverse;
  if (!o.json)
    if (const int lost = print_page(result.files, folder); lost != done) return lost;
  if (!along.answer.ok()) say("{}\n", along.answer.explain(study.motion.file));
  if (along.answer.stopped)
    say("{}: interrupted; {} of {} rows are done and kept in {}\n", o.study, along.answer.rows, along.asked, folder);
  for (const std::string& text : along.beyond) say("{}: out_of_limits: {}\n", o.study, text);
  const std::string disagreement = result.disagreement();
  if (!disagreement.empty()) say("{}: {}\n", o.study, disagreement);
  return along.done() && along.beyond.empty() && disagreement.empty() ? done : numerical;
}

int report(const Options& o) {
  const std::string page = gough::page_of_result(o.result);
  const std::filesystem::path beside = std::filesystem::path(o.result).parent_path() / gough::report_page_file;
  const std::string path = o.output.empty() ? beside.string() : o.output;
  gough::write_file(path, page);
  if (o.json)
    return print(fmt::format("{}\n", nlohmann::json{{"file", gough::shown(path)}, {"bytes", page.size()}}.dump()));
  return print(fmt::format("{}: {:.1f} MB, open it in a browser\n", path, static_cast<double>(page.size()) / 1e6));
}
