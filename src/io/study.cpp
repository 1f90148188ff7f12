#include "gough/io/study.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "control_parts.hpp"
#include "flex_parts.hpp"
#include "gough/dynamics/compare.hpp"
#include "gough/error.hpp"
#include "gough/io/bent_robot.hpp"
#include "gough/io/files.hpp"
#include "gough/io/report.hpp"
#include "gough/io/robot_file.hpp"
#include "report_parts.hpp"
#include "study_tables.hpp"

namespace gough {
namespace {

using namespace io;
namespace fs = std::filesystem;

/// A path from the study's folder: relative, at most one folder up.
std::string found_from(const std::string& study_file, const std::string& path, const Where& where) {
  const fs::path given = fs::path(path).lexically_normal();
  const auto ups = std::count(given.begin(), given.end(), fs::path(".."));
  if (path.empty() || given.is_absolute() || ups > 1)
    throw Error(where, fmt::format("read the path '{}', expected one from this file's folder, at most one '..' up",
                                   path.substr(0, 80)));
  return (fs::path(study_file).parent_path() / given).lexically_normal().string();
}

/// The settings with parameters put in.
std::vector<Setting> settings_of(const FileStudy& file) {
  std::vector<Setting> all;
  std::vector<std::string> used, known;
  for (const auto& [name, value] : file.parameters) known.push_back(name);
  const auto put = [&](const std::string& text, const Where& where) {
    for (const auto& [name, value] : file.parameters)
      if (name == text) {
        used.push_back(name);
        return value.text;
      }
    std::string why;
    const bool word = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0;
    if (const std::string near = nearest(text, known); word && !near.empty() && !parse_quantity(text, why))
      throw Error(where, fmt::format("read '{}', expected a value or a parameter; did you mean '{}'?",
                                     text.substr(0, 60), near));
    return text;
  };
  for (const auto& [path, value] : file.set) {
    Setting s{value.where, path, {}, value.is_list};
    for (const std::string& text : value.values) s.values.push_back(put(text, value.where));
    all.push_back(std::move(s));
  }
  for (const auto& [name, value] : file.parameters)
    if (std::find(used.begin(), used.end(), name) == used.end())
      throw Error(value.where, fmt::format("read the parameter '{}', expected it to be used in set", name));
  return all;
}

Mechanism<double> load_with(const std::string& path, const std::vector<Setting>& settings) {
  Mechanism<double> plain = load_robot(path);
  if (settings.empty()) return plain;
  try {
    return load_robot(path, settings);
  } catch (const Error& e) {  // the robot alone is right: what is set is not
    const std::string text = e.what();
    if (text.starts_with(settings.front().where.file + ":")) throw;
    throw Error(settings.front().where, "set: " + text);
  }
}

/// The robot with modes, where the study may have them.
Mechanism<double> bent_of(const FileStudy& file, const RobotDescription& robot) {
  if (file.compute > 1)
    throw Error(file.where, "modes: read them for control or flex, expected them under plant: or in its runs");
  if (!(file.modes >= 1 && file.modes <= most_modes && file.modes == std::floor(file.modes)))
    throw Error(file.where, fmt::format("modes: read {:g}, expected a whole number up to {}", file.modes, most_modes));
  ModesOptions modes;
  modes.modes = static_cast<int>(file.modes);
  return bent_mechanism(robot, modes).mechanism;
}

std::vector<Formulation> formulations_of(const FileStudy& file) {
  std::vector<Formulation> by;
  for (const std::size_t i : file.by) {
    if (i == 0 && file.by.size() > 1)
      throw Error(file.where, "by: read all beside others, expected all alone, or a list of formulations");
    if (i > 0 && std::find(by.begin(), by.end(), static_cast<Formulation>(i - 1)) == by.end())
      by.push_back(static_cast<Formulation>(i - 1));
  }
  return by.empty() ? std::vector<Formulation>(all_formulations.begin(), all_formulations.end()) : by;
}

/// The published numbers; their columns must be there.
Published published_of(const FilePublished& file, const std::vector<std::string>& columns, const std::string& table) {
  Published all{file.source, {}};
  for (const FilePublishedNumber& n : file.numbers) {
    if (std::find(columns.begin(), columns.end(), n.column) == columns.end()) {
      const std::string near = nearest(n.column, columns);
      throw Error(n.where, fmt::format("read the column '{}', expected one of {}{}", n.column.substr(0, 80), table,
                                       near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    all.numbers.push_back({n.what, n.column, n.value.text, n.value.quantity.value, static_cast<Taken>(n.take)});
  }
  return all;
}

/// A study's motion, or a run's: from a file, or standing inside.
KnownMotion motion_of(const FileStudyMotion& read, const std::string& file, double step, const Mechanism<double>& m,
                      ElasticMotion elastic, std::string& motion_file) {
  if (!read.inside) {
    motion_file = found_from(file, read.path, read.where);
    return load_known_motion(motion_file, m, step, elastic);
  }
  motion_file = file;
  if (elastic == ElasticMotion::given && !m.elastic.empty())
    throw Error(read.where, "elastic: read given for a motion inside the study, expected a table (CSV)");
  return known_motion(build_motion(*read.inside, file, m), file, step);
}

SimulationOptions options_of(const FileRun& run, double step) {
  SimulationOptions o;
  o.dynamics.by = static_cast<Formulation>(run.by);
  o.dynamics.alpha = run.alpha;
  o.dynamics.beta = run.beta;
  o.dynamics.iteration.feed_back = run.feed_back;
  o.loops = static_cast<Loops>(run.loops);
  o.integrator.method = static_cast<Method>(run.method);
  o.integrator.fixed_step = run.fixed_step > 0 ? run.fixed_step : step;
  o.integrator.tolerance = run.tolerance > 0 ? run.tolerance : usual_tolerance(o.integrator.method);
  o.dry = static_cast<DryFriction>(run.dry);
  o.smooth = run.smooth;
  return o;
}

/// The runs of a simulation; names become files.
std::vector<StudyRun> runs_of(const FileStudy& read, const std::string& file, const Study& s) {
  std::vector<StudyRun> all;
  for (const FileRun& r : read.simulate.runs) {
    check_plain_name("name", r.name, r.where);
    if (std::any_of(all.begin(), all.end(), [&](const StudyRun& x) { return x.name == r.name; }))
      throw Error(r.where, fmt::format("read the run '{}' twice, expected names of their own", r.name));
    StudyRun run{r.name, options_of(r, read.step), s.motion,
                 read.motion.inside ? read.motion.inside->motion : s.motion_file};
    const bool own = r.motion.inside || !r.motion.path.empty();
    if (std::string from; own) {
      run.motion = motion_of(r.motion, file, read.step, s.robot, ElasticMotion::locked, from);
      run.motion_name = r.motion.inside ? r.motion.inside->motion : from;
    }
    if (run.motion.rows || run.motion.states.size() < 2)
      throw Error(r.where, "read a table of single states as the motion, expected one that goes on in time");
    all.push_back(std::move(run));
  }
  return all;
}

/// The motion as it goes on in time.
Trajectory trajectory_of(const FileStudyMotion& read, const std::string& file, const Mechanism<double>& m) {
  if (read.inside) return build_motion(*read.inside, file, m);
  const GivenMotion motion = load_motion_or_table(found_from(file, read.path, read.where), m);
  if (!motion.trajectory)
    throw Error(read.where, "read a table of single states as the motion, expected one that goes on in time");
  return *motion.trajectory;
}

}  // namespace

Study parse_study(const std::string& text, const std::string& file) {
  if (text.size() > largest_study_file)
    throw Error({file, 0}, fmt::format("read more than {} bytes, expected a smaller file", largest_study_file));
  const FileStudy read = Object<FileStudy>{study_table}.read(parse_yaml(text, file));
  check_plain_name("study", read.study, read.where);
  if (!(read.step > 0)) throw Error(read.where, fmt::format("step: read {:g} s, expected more than 0", read.step));
  Study s;
  s.name = read.study;
  s.description = read.description;
  s.file = file;
  s.by = formulations_of(read);
  s.elastic = static_cast<ElasticMotion>(read.elastic);
  const std::vector<Setting> settings = settings_of(read);
  for (const Setting& x : settings)
    s.settings.emplace_back(x.path, x.is_list ? fmt::format("[{}]", fmt::join(x.values, ", ")) : x.values.front());
  s.robot_file = found_from(file, read.robot.path, read.robot.where);
  s.robot = load_with(s.robot_file, settings);
  const bool bends = read.compute == 3;
  if (read.modes != 0) s.robot = bent_of(read, read_robot(s.robot_file, settings));
  if (bends == read.flex.runs.empty())
    throw Error(read.where, bends ? "compute: read flex, expected flex: with runs"
                                  : "flex: read runs, expected them with compute: flex only");
  if (bends) {
    s.flex = flex_plan(read.flex, s.robot, read_robot(s.robot_file, settings));
    s.flex->step = fitting_step(read.step, read.flex.step);  // rows are at ends of steps
  }
  s.published = bends ? published_of(read.published, flex_columns(s.robot, static_cast<int>(read.flex.frequencies)),
                                     "the runs' tables")
                      : published_of(read.published, inverse_columns(s.robot, false), "inverse.csv");
  s.motion = motion_of(read.motion, file, bends ? s.flex->step : read.step, s.robot, s.elastic, s.motion_file);
  s.step = read.step;
  const bool simulates = read.compute == 1;
  if (simulates == read.simulate.runs.empty())
    throw Error(read.where, simulates ? "compute: read simulate, expected simulate: with runs"
                                      : "simulate: read runs, expected them with compute: simulate only");
  s.forces = static_cast<SimulatedForces>(read.simulate.forces);
  s.time = read.simulate.time;
  s.runs = runs_of(read, file, s);
  const bool controls = read.compute == 2;
  if (controls == read.control.runs.empty())
    throw Error(read.where, controls ? "compute: read control, expected control: with runs"
                                     : "control: read runs, expected them with compute: control only");
  if (controls) s.control = control_plan(read.control, trajectory_of(read.motion, file, s.robot), s.robot);
  if (controls && s.control->modes > 0) {
    ModesOptions modes;
    modes.modes = s.control->modes;
    s.control->bent = bent_mechanism(read_robot(s.robot_file, settings), modes).mechanism;
  }
  return s;
}

Study read_study(const std::string& path) { return parse_study(read_text(path, largest_study_file), path); }

namespace {

/// The other formulations on the states that the first one has done, each with its table.
class Others {
 public:
  Others(const Study& study, const std::string& folder, std::vector<StudyFormulation>& results)
      : study_(study), results_(results), w_(study.robot) {
    for (const int a : study.robot.actuator) {
      const Coordinate& c = study.robot.coordinate[static_cast<std::size_t>(a)];
      columns_.push_back("tau." + c.name);
      if (c.has_drive) motor_columns_.push_back("motor_tau." + c.name);
    }
    std::vector<std::string> columns = {"t"};
    columns.insert(columns.end(), columns_.begin(), columns_.end());
    columns.insert(columns.end(), motor_columns_.begin(), motor_columns_.end());
    for (const Formulation by : study.by) {
      results.push_back({by, fmt::format("inverse_{}.csv", name(by)), 0, 0, 0, by});
      tables_.push_back(std::make_unique<TableWriter>((fs::path(folder) / results.back().file).string(), columns));
      DynamicsOptions options;
      options.by = by;
      dynamics_.emplace_back(study.robot, w_, options);
      results.back().code = inverse_code(dynamics_.back());
    }
    over_condition_.resize(study.by.size());
  }

  /// In words what went wrong; empty: nothing.
  std::string add(const AlongRow& row) {
    largest_ = std::max(largest_, row.w.tau.norm());
    put(0, row.t, row.w.tau);
    for (std::size_t i = 1; i < dynamics_.size(); ++i) {
      w_.q = row.w.q;
      w_.v = row.w.v;
      w_.a = row.w.a;
      w_.external = row.w.external;
      w_.tau.setConstant(std::numeric_limits<double>::quiet_NaN());
      const DynamicsAnswer answer = inverse_dynamics(study_.robot, w_, dynamics_[i]);
      if (!answer.ok()) return fmt::format("by {}: {}: {}", name(study_.by[i]), name(answer.status), answer.reason);
      put(i, row.t, w_.tau);
      if (const double x = (w_.tau - row.w.tau).norm(); x > results_[i].disagreement) {
        results_[i].disagreement = x;
        results_[i].disagreement_t = row.t;
        if (x > allowed_disagreement * row.w.tau.norm())
          over_condition_[i] = std::max(over_condition_[i], x / condition_estimate(study_.robot, row.w.q).inverse);
      }
    }
    return {};
  }

  /// Differences become shares of the largest forces.
  void finish() {
    for (const auto& table : tables_) table->finish();
    const double size = std::max(largest_, std::numeric_limits<double>::min());
    for (std::size_t i = 0; i < results_.size(); ++i) {
      results_[i].disagreement /= size;
      results_[i].share = over_condition_[i] / (allowed_disagreement * size);
    }
  }

 private:
  void put(std::size_t i, double t, const VecX<double>& tau) {
    const Mechanism<double>& m = study_.robot;
    std::vector<double> row = {t};
    row.insert(row.end(), tau.begin(), tau.end());
    for (std::size_t k = 0; k < m.actuator.size(); ++k)
      if (const auto a = static_cast<std::size_t>(m.actuator[k]); m.coordinate[a].has_drive)
        row.push_back(tau[static_cast<Eigen::Index>(k)] / m.ratio[a]);
    tables_[i]->add(row);
  }

  const Study& study_;
  std::vector<StudyFormulation>& results_;
  Workspace<double> w_;
  std::vector<std::string> columns_, motor_columns_;
  std::vector<std::unique_ptr<TableWriter>> tables_;
  std::vector<Dynamics<double>> dynamics_;
  double largest_ = 0;                  ///< norm of the first formulation's forces
  std::vector<double> over_condition_;  ///< largest difference over the condition, where there is more than rounding
};

}  // namespace

StudyResult run_study(const Study& study, const std::string& folder,
                      const std::function<bool(const AlongRow&)>& after_row) {
  make_folder(folder);
  StudyResult result;
  result.folder = folder;
  Others others(study, folder, result.formulations);
  InverseJob job;
  job.options.dynamics.by = study.by.front();
  job.options.elastic = study.elastic;
  job.output = (fs::path(folder) / "inverse.csv").string();
  std::string why;
  RunRecord record(study.robot, study.motion.states.size(), study.motion.timed);
  job.after_row = [&](const AlongRow& row) {
    record.add(row);
    why = others.add(row);
    return why.empty() && (!after_row || after_row(row));
  };
  result.inverse = report_inverse(study.robot, study.motion, job);
  others.finish();
  if (!why.empty()) {
    result.inverse.answer.stopped = false;
    result.inverse.answer.status = Status::singular;
    result.inverse.answer.reason = why;
    result.inverse.answer.t = result.inverse.end;
  }
  result.files = {"inverse.csv"};
  for (const StudyFormulation& f : result.formulations) result.files.push_back(f.file);
  if (!study.published.numbers.empty()) result.published = compare_published(study.published, read_table(job.output));
  record.finish();
  for (std::string& file : write_report(study, result, record)) result.files.push_back(std::move(file));
  result.files.emplace_back("result.json");
  const std::string path = (fs::path(folder) / "result.json").string();
  write_file(path, study_json(study, result));
  return result;
}

namespace {
const StudyFormulation& farthest(const StudyResult& r) {
  return *std::max_element(r.formulations.begin(), r.formulations.end(),
                           [](const auto& a, const auto& b) { return a.disagreement < b.disagreement; });
}
}  // namespace

std::string StudyResult::disagreement() const {
  std::string text;
  for (const StudyFormulation& f : formulations)
    if (f.share > 1)
      text += fmt::format("{}{} by {:.1e} at t = {:g}", text.empty() ? "" : ", ", name(f.by), f.disagreement,
                          f.disagreement_t);
  return text.empty() ? "" : fmt::format("disagrees with {} beyond rounding: {}", name(formulations.front().by), text);
}

std::string study_text(const Study& study, const StudyResult& r) {
  std::string text = fmt::format("study {}\n{}\n", study.name, inverse_text(r.inverse));
  if (const std::string why = r.disagreement(); !why.empty()) {
    text += fmt::format("  {}\n", why);
  } else if (r.formulations.size() > 1) {
    std::set<Formulation> own;
    std::string shared;
    for (const StudyFormulation& f : r.formulations) {
      own.insert(f.code);
      if (f.code != f.by) shared += fmt::format("; {} runs {}'s code here", name(f.by), name(f.code));
    }
    if (own.size() > 1)
      text += fmt::format("  {} formulations agree to {:.1e} (the farthest: {}){}\n", r.formulations.size(),
                          farthest(r).disagreement, name(farthest(r).by), shared);
    else
      text += fmt::format("  {} formulations run the same code{}: nothing to compare\n", r.formulations.size(), shared);
  }
  text += fmt::format("  {}: {}\n", r.folder, fmt::join(r.files, ", "));
  return text;
}

std::string study_json(const Study& study, const StudyResult& r) {
  json settings = json::object(), formulations = json::array();
  for (const auto& [path, value] : study.settings) settings[path] = value;
  for (const StudyFormulation& f : r.formulations)
    formulations.push_back({{"name", name(f.by)},
                            {"file", f.file},
                            {"code", name(f.code)},
                            {"agrees", !(f.share > 1)},
                            {"largest_disagreement", f.disagreement},
                            {"disagreement_t", f.disagreement_t}});
  json out = {{"study", study.name},
              {"description", study.description},
              {"robot", {{"name", study.robot.name}, {"file", study.robot_file}, {"set", settings}}},
              {"motion", study.motion_file},
              {"compute", "inverse"}};
  const json inverse = json::parse(inverse_json(r.inverse));
  for (const auto& [key, value] : inverse.items())
    if (key != "robot" && key != "motion") out[key] = value;
  out["formulations"] = formulations;
  for (const ComparedNumber& c : r.published)
    out["published"].push_back({{"what", c.published.what},
                                {"column", c.published.column},
                                {"published", c.published.value},
                                {"ours", c.ours}});
  out["largest_disagreement"] = farthest(r).disagreement;
  out["files"] = r.files;
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string study_schema() {
  json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "gough study file"}};
  schema.update(Object<FileStudy>{study_table}.definition());
  schema["$defs"] = study_definitions();
  return schema.dump(2) + "\n";
}

}  // namespace gough
