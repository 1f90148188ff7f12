/// flex.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <tuple>

#include "gough/gough.hpp"
#include "gough/io/follow_report.hpp"
#include "progress.hpp"
#include "robot_of.hpp"
#include "verbs.hpp"

namespace {

constexpr double usual_step = 5e-4, usual_rows = 1e-3;  // [s]

gough::RayleighDamping damping_from(const std::string& text) {
  const std::vector<double> x = gough::parse_numbers(text, {false, false}, "--rayleigh");
  return {x[0], x[1]};
}

gough::FlexOptions options_from(const Options& o, const gough::Mechanism<double>& m) {
  const FlexWishes& w = o.flex;
  gough::FlexOptions f;
  f.start = w.start == "undeformed"    ? gough::FlexStart::undeformed
            : w.start == "quasistatic" ? gough::FlexStart::quasistatic
                                       : gough::FlexStart::given;
  if (f.start == gough::FlexStart::given && !w.start.ends_with(".csv") && !w.start.starts_with("/dev/"))
    throw gough::Error(
        fmt::format("--start: read '{}', expected undeformed, quasistatic or a table (CSV)", w.start.substr(0, 80)));
  if (f.start == gough::FlexStart::given && o.modes == 0) f.given = gough::load_node_start(w.start, m);
  if (f.start == gough::FlexStart::given && w.quasistatic)
    throw gough::Error("--start: read a table with --quasistatic, expected it without: every row is by itself");
  f.points = gough::parse_points(w.points, m);
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
  return f;
}

/// Rows where they are asked for: at given times, evenly, or at those of a table of states.
gough::KnownMotion rows_of(const Options& o, const gough::Mechanism<double>& m) {
  const double apart = o.flex.rows > 0 ? o.flex.rows : usual_rows;
  if (!o.times.empty() && o.flex.rows > 0) throw gough::Error("--times and --rows: read both, expected one of them");
  gough::KnownMotion motion = gough::load_known_motion(o.motion, m, apart, gough::ElasticMotion::locked);
  if (!o.times.empty()) return gough::at_times(motion, gough::load_times(o.times));
  if (!motion.rows || o.flex.rows == 0) return motion;
  const gough::TimedMotion timed = motion.in_time();
  return gough::at_times(motion, gough::even_times(timed.trajectory.start, timed.trajectory.end(), apart));
}

/// The same with steps of integration in between. A table's own rows are steps unless --step says more.
gough::KnownMotion steps_of(const Options& o, gough::KnownMotion rows) {
  if (o.flex.quasistatic || !rows.timed || rows.states.size() < 2 || (rows.rows && o.flex.step == 0)) return rows;
  return gough::refined(std::move(rows), o.flex.step > 0 ? o.flex.step : usual_step);
}

/// The same robot with modes.
gough::BentMechanism bent_robot(const Options& o, const gough::Mechanism<double>& m, const gough::FlexOptions& f) {
  if (!f.vibrates || !f.geometric || !f.loads.empty() || !o.flex.shapes.empty())
    throw gough::Error(
        "--modes: read it with --quasistatic, --no-geometric, --load or --shapes, expected it without: the coupled "
        "model vibrates, stiffens by tension and knows no loads");
  gough::RobotDescription robot = described(o);
  robot.gravity = m.gravity;
  return gough::bent_mechanism(robot, {o.modes, f.space, f.damping, f.modal_damping, false, f.points});
}

/// Instead of what beams do: what drives have to do about it.
int follow(const Options& o, const gough::Mechanism<double>& m, const gough::FlexOptions& flex_options) {
  if (!o.times.empty() || !o.flex.points.empty() || flex_options.start == gough::FlexStart::given)
    throw gough::Error(
        "--follow: read it with --times, --points or a table to start from, expected it without: it writes what drives "
        "do, "
        "every --step");
  const gough::KnownMotion motion =
      gough::load_known_motion(o.motion, m, o.flex.step > 0 ? o.flex.step : usual_step, gough::ElasticMotion::locked);
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
    say("{}: {}\n", o.motion, report.failed());
    return numerical;
  }
  if (report.stopped)
    say("{}: interrupted{}\n", o.motion,
        report.command.ok() && !o.output.empty() ? "; the drives are kept in " + o.output : "");
  else say("{}: {}: {}\n", o.motion, name(report.command.status), report.command.reason);
  return numerical;
}

gough::FlexReport coupled(const Options& o, const gough::Mechanism<double>& m, const gough::KnownMotion& rows,
                          const gough::FlexJob& job, const std::function<bool()>& after_row) {
  const gough::BentMechanism bent = bent_robot(o, m, job.options);
  gough::CoupledJob c;
  c.modes.modes = o.modes;
  c.modes.points = job.options.points;
  c.start = job.options.start;
  c.output = job.output;
  c.keep_table = job.keep_table;
  c.longest_step = o.flex.step;
  c.after_row = after_row;
  c.go_on = [] { return !interrupted(); };
  if (c.start == gough::FlexStart::given)
    std::tie(c.elastic_q, c.elastic_v) = gough::load_elastic_start(o.flex.start, bent.mechanism);
  return gough::report_coupled(m, bent, rows, c);
}

}  // namespace

int flex(const Options& o) {
  auto m = rigid_robot_of(o);
  if (!o.flex.gravity.empty()) {
    const std::vector<double> g = gough::parse_numbers(o.flex.gravity, {false, false, false}, "--gravity");
    m.gravity = {g[0], g[1], g[2]};
  }
  gough::FlexJob job;
  job.options = options_from(o, m);
  if (!o.flex.follow.empty()) return follow(o, m, job.options);
  const gough::KnownMotion motion = rows_of(o, m);
  job.output = o.output;
  job.shapes = o.flex.shapes;
  const std::size_t rows = motion.states.size();
  job.keep_table = o.json && o.output.empty() && rows <= gough::most_json_rows;
  catch_interrupts();
  gough::FlexReport report;
  {
    Progress progress("row", rows);
    job.after_row = [&](const gough::FlexResult&) { return progress.step(); };
    report = o.modes > 0 ? coupled(o, m, motion, job, [&] { return progress.step(); })
                         : gough::report_flex(m, steps_of(o, motion), job);
  }
  if (const int failed = print(o.json ? gough::flex_json(report) : gough::flex_text(report)); failed != done)
    return failed;
  if (!o.json && o.output.empty() && report.answer.results > 0)
    print("\n  -o FILE.csv writes the table of all rows.\n");
  if (static_cast<int>(m.actuator.size()) > m.nv - m.rank - m.idle_free)
    say("{}: {} actuators drive {} freedoms: the rigid robot's forces are the smallest ones, the elastic "
        "robot's follow "
        "from its stiffness\n",
        o.robot, m.actuator.size(), m.nv - m.rank - m.idle_free);
  for (const std::string& warning : report.answer.range.warnings()) say("{}: warning: {}\n", o.robot, warning);
  if (report.done()) return done;
  if (report.answer.along.stopped) say("{}: interrupted\n", o.motion);
  else say("{}\n", report.answer.along.explain(o.motion));
  if (!o.output.empty() && report.answer.results > 0)
    say("{}: {} of {} rows are done and kept\n", o.output, report.answer.results, rows);
  return numerical;
}
