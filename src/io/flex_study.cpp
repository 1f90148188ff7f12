#include "gough/io/flex_study.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "flex_parts.hpp"
#include "gough/error.hpp"
#include "gough/io/study.hpp"
#include "gough/simulation/coupled.hpp"
#include "study_tables.hpp"

namespace gough {

namespace fs = std::filesystem;

namespace {

/// What the coupled model does not know, and where it cannot stand.
void check_coupled(const io::FileFlexRun& r, bool first) {
  if (!(r.modes >= 0 && r.modes <= most_modes && r.modes == std::floor(r.modes)))
    throw Error(r.where, fmt::format("modes: read {:g}, expected a whole number up to {}", r.modes, most_modes));
  if (r.modes == 0) return;
  const char* unknown = !r.vibrates ? "vibrates" : !r.geometric ? "geometric" : !r.loads.empty() ? "loads" : nullptr;
  if (unknown != nullptr)
    throw Error(r.where, fmt::format("{}: read it with modes, expected it without: the coupled model vibrates, "
                                     "stiffens by tension and knows no loads",
                                     unknown));
  if (first)
    throw Error(r.where, "modes: read them for the first run, expected them for later ones: the first is drawn");
}

}  // namespace

FlexPlan io::flex_plan(const FileFlex& read, const Mechanism<double>& m, const RobotDescription& robot) {
  FlexPlan plan;
  plan.robot = robot;
  plan.step = read.step;
  plan.exaggeration = read.exaggeration;
  plan.note = read.note;
  if (!(read.step > 0)) throw Error(read.where, fmt::format("step: read {:g} s, expected more than 0", read.step));
  if (!(read.exaggeration >= 0))
    throw Error(read.where, fmt::format("exaggeration: read {:g}, expected more than 0", read.exaggeration));
  if (!(read.frequencies >= 0 && read.frequencies <= 100 && read.frequencies == std::floor(read.frequencies)))
    throw Error(read.where, fmt::format("frequencies: read {:g}, expected a whole number up to 100", read.frequencies));
  for (const FileFlexRun& r : read.runs) {
    check_plain_name("name", r.name, r.where);
    if (std::any_of(plan.runs.begin(), plan.runs.end(), [&](const FlexStudyRun& x) { return x.name == r.name; }))
      throw Error(r.where, fmt::format("read the run '{}' twice, expected names of their own", r.name));
    check_coupled(r, plan.runs.empty());
    FlexStudyRun run{r.name, {}, {}, {}, static_cast<int>(r.modes)};
    if (r.follow > 0) run.follow = static_cast<FlexInverse>(r.follow - 1);
    run.gravity = r.gravity;
    FlexOptions& o = run.options;
    o.start = static_cast<FlexStart>(r.start);
    o.rho = r.rho;
    o.geometric = r.geometric;
    o.vibrates = r.vibrates;
    if (r.mass_damping || r.damping) o.damping = RayleighDamping{r.mass_damping.value_or(0), r.damping.value_or(0)};
    o.modal_damping = r.modal_damping;
    o.frequencies = static_cast<int>(read.frequencies);
    o.space = static_cast<FlexSpace>(r.space);
    for (const FileLoad& l : r.loads) {
      const int body = m.find_body(l.body);
      if (body < 0) {
        const std::string near = nearest(l.body, m.body_name);
        throw Error(l.where, fmt::format("read the body '{}', expected a moving one of {}{}", l.body.substr(0, 80),
                                         m.name, near.empty() ? "" : "; did you mean '" + near + "'?"));
      }
      o.loads.push_back({body, m.author_frame(l.body) * l.at, l.force});
    }
    if (!(o.rho >= 0 && o.rho <= 1)) throw Error(r.where, fmt::format("rho: read {:g}, expected 0 to 1", o.rho));
    if (!(o.modal_damping >= 0 && o.modal_damping < 1) || r.mass_damping.value_or(0) < 0 || r.damping.value_or(0) < 0)
      throw Error(r.where, "read a damping below 0, or a ratio of 1 or more, expected less damping");
    plan.runs.push_back(std::move(run));
  }
  for (const FlexStudyRun& run : plan.runs) {
    Mechanism<double> trial = m;
    if (run.gravity) trial.gravity = *run.gravity;
    try {
      (void)flexible_model(trial, run.options.space, {run.options.loads, false});
    } catch (const Error& e) { throw Error(read.where, fmt::format("flex: {}", e.what())); }
  }
  return plan;
}

bool FlexStudyResult::ok() const {
  return std::all_of(runs.begin(), runs.end(), [](const FlexReport& r) { return r.done(); });
}
bool FlexStudyResult::stopped() const {
  return std::any_of(runs.begin(), runs.end(), [](const FlexReport& r) { return r.answer.along.stopped; });
}

namespace {
std::size_t steps_per_row(const Study& study) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(study.step / study.flex->step)));
}
}  // namespace

std::size_t flex_rows(const Study& study) {
  const std::size_t rows = study.motion.states.size() / steps_per_row(study) + 1;
  std::size_t all = 0;
  for (const FlexStudyRun& run : study.flex->runs) all += run.follow ? 3 * rows : rows;  // drives are looked for first
  return all;
}

namespace {

/// Drives that make up for bending, as the run wants them; states empty and `failed` filled: they were not found.
std::vector<KnownState> drives_for(const FlexStudyRun& run, const Mechanism<double>& m, const BentMechanism* bent,
                                   const KnownMotion& motion, AlongAnswer& failed, const std::function<bool()>& go_on) {
  if (!run.follow) return {};
  FlexInverseOptions o;
  o.by = *run.follow;
  o.flex = run.options;
  o.after_state = go_on;
  const FlexCommand c = bent != nullptr && *run.follow == FlexInverse::driving_constraint
                            ? coupled_constraint(m, bent->mechanism, motion.states, go_on)
                            : flexible_inverse(m, motion.states, o);
  failed.status = c.status;
  failed.reason = c.reason;
  failed.stopped = c.stopped;
  return c.states;
}

ModesOptions modes_of(const FlexStudyRun& run) {
  return {run.modes, run.options.space, run.options.damping, run.options.modal_damping, false};
}

/// One run; `after_row` sees rows of beams along the rigid motion.
FlexReport run_beams(const Study& study, const FlexStudyRun& run, const Mechanism<double>& m, const std::string& output,
                     std::size_t every, const std::function<bool(const FlexResult&)>& after_row,
                     const std::function<bool()>& go_on) {
  std::optional<BentMechanism> bent;
  if (run.modes > 0) {
    RobotDescription robot = study.flex->robot;
    robot.gravity = m.gravity;
    bent = bent_mechanism(robot, modes_of(run));
  }
  AlongAnswer failed;
  std::size_t states = 0;  // of the search for drives: as many steps of progress as rows
  std::vector<KnownState> drives = drives_for(run, m, bent ? &*bent : nullptr, study.motion, failed,
                                              [&] { return ++states % every != 0 || !go_on || go_on(); });
  FlexReport report;
  if (!failed.ok() || failed.stopped) {
    report.robot = m.name;
    report.answer.along = failed;
    report.table = Table{flex_columns(m, run.options.frequencies), {}, {}};
  } else if (bent) {
    report = report_coupled(m, *bent, study.motion,
                            {modes_of(run), run.options.start, every, output, true, std::move(drives), go_on});
  } else {
    FlexJob job;
    job.options = run.options;
    job.options.every = every;
    job.output = output;
    job.keep_table = true;
    job.drives = std::move(drives);
    job.after_row = after_row;
    report = report_flex(m, study.motion, job);
  }
  if (run.follow) report.follow = name(*run.follow);
  return report;
}

}  // namespace

FlexStudyResult run_flex_study(const Study& study, const std::string& folder, const std::function<bool()>& go_on) {
  if (!study.flex) throw Error({study.file, 0}, "read no runs of beams, expected some");
  io::make_folder(folder);
  FlexStudyResult result;
  result.folder = folder;
  const std::size_t every = steps_per_row(study);
  RunRecord record(study.robot, study.motion.states.size() / every + 1);
  io::Deformed deformed;
  for (const FlexStudyRun& run : study.flex->runs) {
    Mechanism<double> m = study.robot;
    if (run.gravity) m.gravity = *run.gravity;
    const bool first = &run == &study.flex->runs.front();
    const auto after_row = [&](const FlexResult& r) {
      if (first) {
        const std::size_t before = record.frame.size();
        record.add(r.along);
        if (r.index + 1 == study.motion.states.size()) record.finish();
        if (record.frame.size() > before) deformed.add(r, m);
      }
      return !go_on || go_on();
    };
    result.runs.push_back(run_beams(study, run, m, (fs::path(folder) / (run.name + ".csv")).string(),
                                    study.motion.rows ? 1 : every, after_row, go_on));
    result.files.push_back(run.name + ".csv");
    result.published.push_back(compare_published(study.published, *result.runs.back().table));
    if (result.runs.back().answer.along.stopped) break;
  }
  const std::string data = io::flex_report_data(study, result, record, deformed);
  for (std::string& file : io::write_report_files(folder, data)) result.files.push_back(std::move(file));
  result.files.emplace_back("result.json");
  io::write_text((fs::path(folder) / "result.json").string(), flex_study_json(study, result));
  return result;
}

}  // namespace gough
