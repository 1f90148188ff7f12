#include <cstdlib>

#include "gough/gough.hpp"
#include "oracle.hpp"
#include "targets.hpp"

namespace gough::fuzz {
namespace {

constexpr std::size_t most_rows = 40;
constexpr double most_study_seconds = 2, most_samples_of_laws = 2000;

std::size_t rows_of(const Study& s) {
  if (s.flex) return flex_rows(s);
  if (s.control) return control_rows(s);
  return s.motion.states.size() * std::max<std::size_t>(s.runs.size(), 1);
}

/// Samples of the laws, which are computed before the first row.
double samples_of(const ControlPlan& plan) {
  double shortest = plan.period;
  for (const double period : plan.periods) shortest = std::min(shortest, period);
  return plan.trajectory.duration / shortest * static_cast<double>(plan.runs.size());
}

bool is_short(const Study& s) {
  return rows_of(s) <= most_rows && (!s.control || samples_of(*s.control) <= most_samples_of_laws);
}

/// Whether what it says has to be right: it came to its end.
bool run_shortly(const Study& s, const std::string& folder) {
  const Deadline time(most_study_seconds);
  const auto go_on = [&] { return time.go_on(); };
  if (s.flex) {
    const FlexStudyResult r = run_flex_study(s, folder, go_on);
    expect(!flex_study_text(s, r).empty(), "a study of beams says nothing");
    return r.ok();
  }
  if (s.control) {
    const ControlStudyResult r = run_control_study(s, folder, go_on);
    expect(!control_study_text(s, r).empty(), "a study of controllers says nothing");
    return r.ok();
  }
  if (!s.runs.empty()) {
    const SimulationStudyResult r = run_simulation_study(
        s, folder, [&](const SimulationRow&) { return go_on(); }, go_on);
    expect(!simulation_study_text(s, r).empty(), "a study of simulations says nothing");
    return !r.stopped();
  }
  const StudyResult r = run_study(s, folder, [&](const AlongRow&) { return go_on(); });
  expect(!study_text(s, r).empty(), "a study says nothing");
  return r.inverse.done();
}

}  // namespace

void try_study_file(const std::string& text) {
  static const Scratch scratch;
  setenv("CC", "false", 1);  // generated laws are refused instead of compiled
  unless_refused([&] {
    const Study study = parse_study(text, GOUGH_SOURCE_DIR "/studies/fuzz.yaml");
    if (!is_short(study)) return;
    scratch.clear();
    if (run_shortly(study, scratch.folder().string())) expect_good_files(scratch.folder());
  });
}

}  // namespace gough::fuzz
