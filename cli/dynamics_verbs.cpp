/// inverse, forward and compare.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "gough/gough.hpp"
#include "progress.hpp"
#include "robot_of.hpp"
#include "verbs.hpp"

namespace {

gough::ElasticMotion elastic_from(const std::string& word) {
  for (std::size_t i = 0; i < gough::elastic_motion_names.size(); ++i)
    if (gough::elastic_motion_names[i] == word) return static_cast<gough::ElasticMotion>(i);
  return gough::ElasticMotion::locked;
}

std::vector<double> weights_from(const std::string& text, const gough::Mechanism<double>& m) {
  if (text.empty()) return {};
  const auto weights = gough::parse_numbers(text, std::vector<bool>(m.actuator.size(), false), "--weights");
  for (const double w : weights)
    if (!(w > 0)) throw gough::Error(fmt::format("--weights: read {:g}, expected numbers above 0", w));
  return weights;
}

/// Why the work ended early, on standard error; where the finished rows are.
int explain_end(const gough::AlongAnswer& answer, std::size_t asked, const Options& o) {
  if (answer.ok() && !answer.stopped) return done;
  if (answer.stopped) say("{}: interrupted\n", o.motion);
  else say("{}\n", answer.explain(o.motion));
  if (!o.output.empty()) say("{}: {} of {} rows are done and kept\n", o.output, answer.rows, asked);
  return numerical;
}

/// "leg1, leg2 and 4 more": names that stand for all the others.
std::string listed(const std::vector<std::string>& all) {
  if (all.size() <= 4) return fmt::format("{}", fmt::join(all, ", "));
  return fmt::format("{} and {} more", fmt::join(all.begin(), all.begin() + 3, ", "), all.size() - 3);
}

}  // namespace

int inverse(const Options& o) {
  const auto m = robot_of(o);
  gough::InverseJob job;
  job.options.dynamics.by = *gough::formulation_from(o.by);
  job.options.dynamics.weights = weights_from(o.weights, m);
  job.options.elastic = elastic_from(o.elastic);
  job.options.reactions = o.reactions;
  const gough::KnownMotion motion = gough::load_known_motion(o.motion, m, o.step, job.options.elastic);
  job.output = o.output;
  job.keep_table = o.json && o.output.empty() && motion.states.size() <= gough::most_json_rows;
  catch_interrupts();
  gough::InverseReport report;
  {
    Progress progress("state", motion.states.size());
    job.after_row = [&](const gough::AlongRow&) { return progress.step(); };
    report = gough::report_inverse(m, motion, job);
  }
  if (const int failed = print(o.json ? gough::inverse_json(report) : gough::inverse_text(report)); failed != done)
    return failed;
  if (!o.json && o.output.empty() && report.answer.rows > 0) print("\n  -o FILE.csv writes the table of all states.\n");
  if (!report.not_unique.empty())
    say("{}: the wrenches of {} are not unique: loop equations are redundant; the smallest are given\n", o.robot,
        listed(report.not_unique));
  int code = explain_end(report.answer, report.asked, o);
  for (const std::string& text : report.beyond) {
    say("{}: out_of_limits: {}\n", o.motion, text);
    code = numerical;
  }
  return code;
}

int forward(const Options& o) {
  const auto m = robot_of(o);
  const gough::KnownMotion states = gough::load_driven_states(o.motion, m);
  gough::AlongOptions options;
  options.dynamics.by = *gough::formulation_from(o.by);
  options.each_from_home = true;
  gough::Table table{gough::forward_columns(m), {}, {}};
  std::optional<gough::TableWriter> writer;
  const auto open = [&] {
    if (!o.output.empty() && !writer) writer.emplace(o.output, table.columns);
  };
  catch_interrupts();
  gough::AlongAnswer answer;
  {
    Progress progress("state", states.states.size());
    answer = gough::forward_along(m, states.states, options, [&](const gough::AlongRow& row) {
      open();
      std::vector<double> values = gough::forward_values(m, row);
      if (writer) writer->add(values);
      else table.rows.push_back(std::move(values));
      return progress.step();
    });
  }
  open();
  if (!answer.instead.empty()) options.dynamics.by = gough::Formulation::dalembert;
  const std::string text = o.json ? gough::forward_json(m, options.dynamics.by, answer, table, o.output.empty())
                           : !o.output.empty()
                               ? fmt::format("{}: accelerations of {} state{}, by {}\n", m.name, answer.rows,
                                             answer.rows == 1 ? "" : "s", name(options.dynamics.by))
                               : gough::table_text(table);
  if (const int failed = print(text); failed != done) return failed;
  if (!answer.instead.empty()) say("{}: dalembert instead of legs: {}\n", o.robot, answer.instead);
  return explain_end(answer, states.states.size(), o);
}

namespace {

int compare_scaling(const Options& o) {
  if (!o.motion.empty())
    throw gough::Error(
        fmt::format("--scaling: read the motion '{}', expected none: every variant of the robot has "
                    "states of its own near home",
                    o.motion));
  const gough::RobotDescription robot = described(o);
  gough::ScalingOptions options;
  if (std::any_of(robot.bodies.begin(), robot.bodies.end(), [](const auto& b) { return !b.beam.empty(); })) {
    options.elastic = {0, 1, 2, 4, 8, 16, 32, 64};
    options.in_legs = 4;
    options.variant = [](const gough::RobotDescription& rigid, int n) {
      gough::ModesOptions modes;
      modes.modes = n;
      modes.refine = true;
      return n == 0 ? rigid : gough::with_modes(rigid, modes).robot;
    };
  }
  catch_interrupts();
  gough::Scaling scaling;
  {
    Progress progress("variant", options.elastic.size() + (robot.legs.empty() ? 0 : options.times.size()));
    options.after_step = [&] { return progress.step(); };
    scaling = gough::measure_scaling(robot, options);
  }
  const std::string folder =
      o.output.empty() ? "results/scaling_" + std::filesystem::path(o.robot).stem().string() : o.output;
  const std::vector<std::string> files = gough::write_scaling(scaling, folder);
  const std::string written = fmt::format("{}: {}\n", folder, fmt::join(files, ", "));
  const std::string text = o.json ? gough::scaling_json(scaling) : gough::scaling_text(scaling) + written;
  if (const int failed = print(text); failed != done) return failed;
  if (scaling.stopped) say("{}: interrupted; what was measured is kept in {}\n", o.robot, folder);
  if (!scaling.agrees()) say("{}: formulations disagree beyond rounding\n", o.robot);
  return scaling.agrees() && !scaling.stopped ? done : numerical;
}

}  // namespace

int compare(const Options& o) {
  if (o.scaling) return compare_scaling(o);
  if (!o.output.empty()) throw gough::Error("-o: read a folder, expected it with --scaling only");
  const auto m = robot_of(o);
  std::vector<gough::ComparedState> states;
  if (o.motion.empty()) {
    states = gough::random_states(m, 20);
  } else {
    const auto motion = gough::load_known_motion(o.motion, m, o.step, gough::ElasticMotion::locked);
    if (const auto answer = gough::closed_states(m, motion, states); !answer.ok()) {
      say("{}\n", answer.explain(o.motion));
      return numerical;
    }
  }
  if (states.empty()) throw gough::Error({o.robot, 0}, "read a robot that cannot move, expected states to compare on");
  const gough::Comparison c = gough::compare_formulations(m, states);
  if (const int failed = print(o.json ? gough::compare_json(m.name, c) : gough::compare_text(m.name, c));
      failed != done)
    return failed;
  if (std::none_of(c.formulations.begin(), c.formulations.end(), [](const auto& f) { return f.inverse || f.forward; }))
    say("{}: no formulation has an answer at any of the {} states: {}\n", o.robot, c.states,
        c.formulations.front().failure);
  for (const gough::Compared& f : c.formulations)
    if (f.missed) say("{}: {} has no answer where the first formulation has one: {}\n", o.robot, name(f.by), f.failure);
    else if (!f.agrees())
      say("{}: {} disagrees with the first formulation: {:.1e} of the inverse, {:.1e} of the forward "
          "dynamics; rounding explains {:.1e} and {:.1e}\n",
          o.robot, name(f.by), f.inverse.value_or(0), f.forward.value_or(0),
          gough::allowed_disagreement * c.inverse_condition, gough::allowed_disagreement * c.forward_condition);
  return c.agrees() ? done : numerical;
}
