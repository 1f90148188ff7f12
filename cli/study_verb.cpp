/// run.
#include <fmt/format.h>

#include <cstdio>

#include "gough/gough.hpp"
#include "progress.hpp"
#include "verbs.hpp"

int run(const Options& o) {
  const gough::Study study = gough::read_study(o.study);
  const std::string folder = o.output.empty() ? "results/" + study.name : o.output;
  catch_interrupts();
  gough::StudyResult result;
  {
    Progress progress("state", study.motion.states.size());
    result = gough::run_study(study, folder, [&](const gough::AlongRow&) { return progress.step(); });
  }
  const int failed = print(o.json ? gough::study_json(study, result) : gough::study_text(study, result));
  if (failed != done) return failed;
  const gough::InverseReport& report = result.inverse;
  if (!report.answer.ok()) fmt::print(stderr, "{}\n", report.answer.explain(study.motion.file));
  if (report.answer.stopped)
    fmt::print(stderr, "{}: interrupted; {} of {} rows are done and kept in {}\n", o.study, report.answer.rows,
               report.asked, folder);
  for (const std::string& text : report.beyond) fmt::print(stderr, "{}: out_of_limits: {}\n", o.study, text);
  return report.done() && report.beyond.empty() ? done : numerical;
}
