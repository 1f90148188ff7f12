/// flex.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "gough/gough.hpp"
#include "gough/io/follow_report.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace {

gough::RayleighDamping damping_from(const std::string& text) {
  const std::vector<double> x = gough::parse_numbers(text, {false, false}, "--rayleigh");
  return {x[0], x[1]};
}

gough::FlexOptions options_from(const Options& o, const gough::Mechanism<double>& m) {
  const FlexWishes& w = o.flex;
  gough::FlexOptions f;
  f.start = w.start == "quasistatic" ? gough::FlexStart::quasistatic : gough::FlexStart::undeformed;
  f.space = w.space == "planar"    ? gough::FlexSpace::planar
            : w.space == "spatial" ? gough::FlexSpace::spatial
                                   : gough::FlexSpace::automatic;
  f.rho = w.rho;
  f.geometric = !w.no_geometric;
  f.vibrates = !w.quasistatic;
  f.modal_damping = w.modal_damping;
  f.frequencies = w.frequencies;
  if (!w.rayleigh.empty()) f.damping = damping_from(w.rayleigh);
  f.loads = gough::parse_loads(w.load, m);
  f.every = static_cast<std::size_t>(std::max(1.0, std::round(w.rows / w.step)));
  return f;
}

/// The same robot with modes.
gough::BentMechanism bent_robot(const Options& o, const gough::Mechanism<double>& m, const gough::FlexOptions& f) {
  if (!f.vibrates || !f.geometric || !f.loads.empty() || !o.flex.shapes.empty())
    throw gough::Error(
        "--modes: read it with --quasistatic, --no-geometric, --load or --shapes, expected it without: the coupled "
        "model vibrates, stiffens by tension and knows no loads");
  gough::RobotDescription robot = gough::read_robot(o.robot);
  robot.gravity = m.gravity;
  return gough::bent_mechanism(robot, {o.modes, f.space, f.damping, f.modal_damping, false});
}

/// Instead of what beams do: what drives have to do about it.
int follow(const Options& o, const gough::Mechanism<double>& m, const gough::KnownMotion& motion,
           const gough::FlexOptions& flex_options) {
  gough::FlexInverseOptions options;
  options.flex = flex_options;
  std::optional<gough::BentMechanism> bent;
  if (o.modes > 0) bent = bent_robot(o, m, flex_options);
  for (std::size_t k = 0; k < gough::flex_inverse_names.size(); ++k)
    if (gough::flex_inverse_names[k] == o.flex.follow) options.by = static_cast<gough::FlexInverse>(k);
  catch_interrupts();
  gough::FollowReport report;
  {
    const std::size_t passes = bent ? 7 : 5;  // and once more per round of the modified method
    Progress progress("state", passes * motion.states.size());
    options.after_state = [&] { return progress.step(); };
    report = gough::report_follow(m, motion, options, o.output, bent ? &*bent : nullptr);
  }
  if (const int failed = print(o.json ? gough::follow_json(report) : gough::follow_text(report)); failed != done)
    return failed;
  if (report.command.ok() && !report.stopped && report.failed().empty()) return done;
  if (report.command.ok() && !report.stopped) {
    fmt::print(stderr, "{}: {}\n", o.motion, report.failed());
    return numerical;
  }
  if (report.stopped)
    fmt::print(stderr, "{}: interrupted{}\n", o.motion,
               report.command.ok() && !o.output.empty() ? "; the drives are kept in " + o.output : "");
  else fmt::print(stderr, "{}: {}: {}\n", o.motion, name(report.command.status), report.command.reason);
  return numerical;
}

}  // namespace

int flex(const Options& o) {
  auto m = gough::load_robot(o.robot);
  if (!o.flex.gravity.empty()) {
    const std::vector<double> g = gough::parse_numbers(o.flex.gravity, {false, false, false}, "--gravity");
    m.gravity = {g[0], g[1], g[2]};
  }
  gough::FlexJob job;
  job.options = options_from(o, m);
  const gough::KnownMotion motion = gough::load_known_motion(o.motion, m, o.flex.step, gough::ElasticMotion::locked);
  if (motion.rows) job.options.every = 1;
  if (!o.flex.follow.empty()) return follow(o, m, motion, job.options);
  job.output = o.output;
  job.shapes = o.flex.shapes;
  const std::size_t rows = motion.states.size() / job.options.every + 1;
  job.keep_table = o.json && o.output.empty() && rows <= gough::most_json_rows;
  std::optional<gough::BentMechanism> bent;
  if (o.modes > 0) bent = bent_robot(o, m, job.options);
  catch_interrupts();
  gough::FlexReport report;
  {
    Progress progress("row", rows);
    job.after_row = [&](const gough::FlexResult&) { return progress.step(); };
    gough::CoupledJob coupled;
    coupled.modes.modes = o.modes;
    coupled.start = job.options.start;
    coupled.every = job.options.every;
    coupled.output = o.output;
    coupled.keep_table = job.keep_table;
    coupled.after_row = [&] { return progress.step(); };
    report = bent ? gough::report_coupled(m, *bent, motion, coupled) : gough::report_flex(m, motion, job);
  }
  if (const int failed = print(o.json ? gough::flex_json(report) : gough::flex_text(report)); failed != done)
    return failed;
  if (!o.json && o.output.empty() && report.answer.results > 0)
    print("\n  -o FILE.csv writes the table of all rows.\n");
  if (static_cast<int>(m.actuator.size()) > m.nv - m.rank - m.idle_free)
    fmt::print(stderr,
               "{}: {} actuators drive {} freedoms: the rigid robot's forces are the smallest ones, the elastic "
               "robot's follow "
               "from its stiffness\n",
               o.robot, m.actuator.size(), m.nv - m.rank - m.idle_free);
  for (const std::string& warning : report.answer.range.warnings())
    fmt::print(stderr, "{}: warning: {}\n", o.robot, warning);
  if (report.done()) return done;
  if (report.answer.along.stopped) fmt::print(stderr, "{}: interrupted\n", o.motion);
  else fmt::print(stderr, "{}\n", report.answer.along.explain(o.motion));
  if (!o.output.empty() && report.answer.results > 0)
    fmt::print(stderr, "{}: {} of {} rows are done and kept\n", o.output, report.answer.results, rows);
  return numerical;
}
