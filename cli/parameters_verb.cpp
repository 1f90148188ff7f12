/// parameters, excite and identify.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gough/gough.hpp"
#include "progress.hpp"
#include "robot_of.hpp"
#include "verbs.hpp"

int parameters(const Options& o) {
  const auto m = rigid_robot_of(o);
  const gough::BaseParameters b = gough::base_parameters(m, {o.identical_legs, o.symmetric});
  return print(o.json ? gough::parameters_json(b) : gough::parameters_text(m, b));
}

namespace {

gough::IdentifyOptions identify_options(const Options& o) {
  const IdentifyWishes& i = o.identify;
  gough::IdentifyOptions options;
  options.parameters = {o.identical_legs, o.symmetric};
  options.rates = {i.cutoff, i.period, i.harmonics};
  for (std::size_t k = 0; k < gough::identified_names.size(); ++k)
    if (gough::identified_names[k] == i.what) options.what = static_cast<gough::Identified>(k);
  options.robust = i.robust;
  options.consistent = i.consistent;
  options.keep_all = i.all_parameters;
  return options;
}

}  // namespace

namespace {

gough::ExcitationLimits limits_from(const ExciteWishes& e) {
  gough::ExcitationLimits limits;
  if (e.velocity > 0) limits.velocity = e.velocity;
  if (e.acceleration > 0) limits.acceleration = e.acceleration;
  if (e.force > 0) limits.force = e.force;
  return limits;
}

int excite_by_lines(const Options& o, const gough::Mechanism<double>& m, const std::string& folder) {
  const bool friction = o.excite.scheme == "friction";
  const gough::ExcitationLimits limits = limits_from(o.excite);
  catch_interrupts();
  gough::LineRuns runs;
  {
    Progress progress("run", gough::line_runs_at_most(m, friction ? gough::speed_levels : gough::places_along));
    const auto after = [&] { return progress.step(); };
    runs = friction ? gough::constant_speed_runs(m, limits, after) : gough::acceleration_runs(m, limits, after);
  }
  if (runs.runs.empty() && !runs.stopped)
    throw gough::Error(m.name + ": read limits that leave no way along any coordinate, expected some");
  if (runs.runs.empty()) {
    say("{}: interrupted before there was a run; nothing is written\n", o.robot);
    return numerical;
  }
  const std::string name = std::filesystem::path(o.robot).stem().string() + "_" + o.excite.scheme;
  const std::string motion = gough::line_runs_motion(m, runs, o.excite.scheme);
  const auto files = gough::write_excitation(
      m, motion, friction ? "Runs at constant speeds, for friction." : "Short, quick runs, for inertias.", folder,
      name);
  const std::string text =
      o.json ? nlohmann::json{{"robot", m.name}, {"scheme", o.excite.scheme}, {"runs", runs.runs.size()}}.dump() + "\n"
             : fmt::format("{}: {} runs to and fro in {}\n\n{}: {}\n", m.name, runs.runs.size(),
                           fmt::join(runs.name, ", "), folder, fmt::join(files, ", "));
  if (const int failed = print(text); failed != done || !runs.stopped) return failed;
  say("{}: interrupted; the runs so far are kept\n", o.robot);
  return numerical;
}

}  // namespace

int excite(const Options& o) {
  const ExciteWishes& wishes = o.excite;
  const auto m = rigid_robot_of(o);
  const std::string stem = std::filesystem::path(o.robot).stem().string();
  const std::string folder = o.output.empty() ? "results/excite_" + stem : o.output;
  if (wishes.scheme != "harmonic") return excite_by_lines(o, m, folder);
  gough::ExcitationOptions options;
  options.parameters = {o.identical_legs, o.symmetric};
  options.limits = limits_from(wishes);
  options.period = wishes.period;
  options.harmonics = wishes.harmonics;
  options.evaluations = static_cast<std::size_t>(wishes.evaluations);
  options.seed = wishes.seed;
  catch_interrupts();
  gough::Excitation e;
  {
    Progress progress("evaluation", options.evaluations);
    options.after = [&](std::size_t, double) { return progress.step(); };
    e = gough::excite(m, options);
  }
  const auto files =
      gough::write_excitation(m, gough::excitation_motion(m, e), "Optimised for the conditioning of the regressor.",
                              folder, stem + "_excitation");
  const std::string written = fmt::format("\n{}: {}\n", folder, fmt::join(files, ", "));
  if (const int failed = print(o.json ? gough::excitation_json(m, e) : gough::excitation_text(m, e) + written);
      failed != done)
    return failed;
  if (e.stopped) say("{}: interrupted; the best motion so far is kept\n", o.robot);
  return e.stopped ? numerical : done;
}

/// Before the work, not after it: values that cannot be put into the robot file.
static void refuse_unwritable(const Options& o, const gough::Mechanism<double>& m,
                              const gough::ParameterOptions& options) {
  gough::Identification as_it_is;
  as_it_is.base = gough::base_parameters(m, options);
  as_it_is.full = as_it_is.base.space.value;
  (void)gough::identified_robot_file(o.robot_text, o.robot, m, as_it_is);
}

int identify(const Options& o) {
  const IdentifyWishes& i = o.identify;
  const auto m = rigid_robot_of(o);
  const std::vector<double> constants =
      i.constant.empty() ? std::vector<double>() : gough::parse_numbers(i.constant, {}, "--constant");
  const gough::Measurement data = gough::read_measurement(i.data, m, constants);
  std::optional<gough::Measurement> validation;
  if (!i.validate.empty()) validation = gough::read_measurement(i.validate, m, constants);
  gough::IdentifyOptions options = identify_options(o);
  refuse_unwritable(o, m, options.parameters);
  catch_interrupts();
  gough::Identification r;
  {
    Progress progress("row", data.t.size() + (validation ? validation->t.size() : 0));
    options.after_row = [&] { return progress.step(); };
    r = gough::identify(m, data, validation, options);
  }
  if (r.full.size() == 0) {
    say("{}: interrupted before there was an estimate; nothing is written\n", i.data);
    return numerical;
  }
  const std::string stem = std::filesystem::path(o.robot).stem().string();
  const std::string folder = o.output.empty() ? "results/identify_" + stem : o.output;
  const std::vector<std::string> files = gough::write_identification(
      m, r, gough::identified_robot_file(o.robot_text, o.robot, m, r), folder, stem + "_identified");
  const std::string written = fmt::format("\n{}: {}\n", folder, fmt::join(files, ", "));
  if (const int failed = print(o.json ? gough::identification_json(m, r) : gough::identification_text(m, r) + written);
      failed != done)
    return failed;
  if (r.validation_problem.empty()) return done;
  say("{}; the estimate is kept, without validation\n", r.validation_problem);
  return r.stopped ? numerical : bad_input;
}
