#include <fmt/format.h>

#include <algorithm>

#include "gough/error.hpp"
#include "gough/io/dynamics_report.hpp"
#include "gough/simulation/integrator.hpp"
#include "motion_columns.hpp"

namespace gough {
namespace {

/// Columns by name; all of them are there, or none is (empty), or Error.
std::vector<int> find_all(const Table& table, const std::string& file, const std::vector<std::string>& names,
                          bool needed, const std::string& expected) {
  std::vector<int> at;
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    at.push_back(table.find(name));
    if (at.back() < 0) missing.push_back(name);
  }
  if (!needed && missing.size() == names.size()) return {};
  if (!missing.empty()) io::refuse_missing(file, missing, expected);
  return at;
}

Force<double> wrench_of_row(const Table& table, const std::string& file, const io::WrenchColumns& columns,
                            std::size_t row) {
  Force<double> wrench;
  for (std::size_t i = 0; i < 6; ++i)
    if (columns.at[i] >= 0)
      (i < 3 ? wrench.force : wrench.moment)[static_cast<Eigen::Index>(i % 3)] =
          io::table_value(table, file, row, columns.at[i]);
  return wrench;
}

/// All rows of a table whose times increase.
WrenchOverTime wrench_over_time(const Table& table, const std::string& file, const io::WrenchColumns& columns) {
  WrenchOverTime all;
  if (!columns.any()) return all;
  const auto time = static_cast<std::size_t>(table.find("t"));
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    all.t.push_back(table.rows[r][time]);
    all.value.push_back(wrench_of_row(table, file, columns, r));
  }
  return all;
}

std::vector<std::string> elastic_columns(const Mechanism<double>& m, char level) {
  std::vector<std::string> all;
  for (const int e : m.elastic)
    all.push_back(fmt::format("{}.{}", level, m.coordinate[static_cast<std::size_t>(e)].name));
  return all;
}

VecX<double> values(const Table& table, const std::string& file, std::size_t row, const std::vector<int>& columns) {
  VecX<double> x(static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i)
    x[static_cast<Eigen::Index>(i)] = io::table_value(table, file, row, columns[i]);
  return x;
}

void add_given_elastic(const Table& table, const std::string& file, const Mechanism<double>& m,
                       std::vector<KnownState>& states) {
  const std::string expected = "q.NAME, v.NAME and a.NAME of every elastic joint for --elastic given";
  std::array<std::vector<int>, 3> at;
  for (std::size_t level = 0; level < 3; ++level)
    at[level] = find_all(table, file, elastic_columns(m, "qva"[level]), true, expected);
  for (std::size_t r = 0; r < states.size(); ++r) {
    states[r].elastic_q = values(table, file, r, at[0]);
    states[r].elastic_v = values(table, file, r, at[1]);
    states[r].elastic_a = values(table, file, r, at[2]);
  }
}

}  // namespace

TimedMotion KnownMotion::in_time() const {
  try {
    return {trajectory ? *trajectory : trajectory_through(states), wrench};
  } catch (const Error& e) { throw Error({file, 0}, e.what()); }
}

KnownMotion known_motion(const Trajectory& trajectory, const std::string& name, double step) {
  KnownMotion all{name, {}, false, true, trajectory};
  std::vector<double> times;
  try {
    times = sample_times(trajectory, step);
  } catch (const Error& e) { throw Error({name, 0}, e.what()); }
  all.states.reserve(times.size());
  for (const double t : times) all.states.push_back({sample(trajectory, t), {}, {}, {}, {}, {}});
  return all;
}

KnownMotion load_known_motion(const std::string& path, const Mechanism<double>& m, double step, ElasticMotion elastic) {
  const bool given = elastic == ElasticMotion::given && !m.elastic.empty();
  if (!path.ends_with(".csv")) {
    if (given)
      throw Error({path, 0},
                  "read a motion file, expected a table (CSV) with the motion of the elastic joints: "
                  "q.NAME, v.NAME, a.NAME");
    return known_motion(load_motion(path, m), path, step);
  }
  return known_motion(read_table(path), path, m, step, elastic);
}

KnownMotion known_motion(const Table& table, const std::string& path, const Mechanism<double>& m, double step,
                         ElasticMotion elastic) {
  const bool given = elastic == ElasticMotion::given && !m.elastic.empty();
  const GivenMotion motion = motion_from_table(table, path, m);
  const io::WrenchColumns wrench = io::find_wrench(table, path, m);
  if (motion.trajectory) {
    if (given)
      throw Error({path, 1},
                  "read positions alone, expected positions, velocities and accelerations for --elastic given");
    KnownMotion all = known_motion(*motion.trajectory, path, step);
    all.wrench = wrench_over_time(table, path, wrench);
    for (KnownState& s : all.states) s.wrench = all.wrench.at(s.motion.t);
    return all;
  }
  KnownMotion all{path, {}, true, table.find("t") >= 0};
  if (all.timed) all.wrench = wrench_over_time(table, path, wrench);
  for (std::size_t r = 0; r < motion.rows.size(); ++r)
    all.states.push_back({motion.rows[r], wrench_of_row(table, path, wrench, r), {}, {}, {}, {}});
  if (given) add_given_elastic(table, path, m, all.states);
  return all;
}

namespace {

KnownState state_at(const TimedMotion& motion, double t) {
  return {sample(motion.trajectory, t), motion.wrench.at(t), {}, {}, {}, {}};
}

void expect_rest(const KnownMotion& motion, const Trajectory& trajectory, double t, double end) {
  constexpr double slow = 1e-9;  // [m/s or rad/s]
  const MotionState s = sample(trajectory, end);
  const double speed = s.of_platform() ? s.platform().v.norm() + s.platform().w.norm() : s.actuators().v.norm();
  if (speed > slow)
    throw Error({motion.file, 0},
                fmt::format("read the time {:g} s, expected times from {:g} to {:g} s: the motion does not rest at "
                            "that end of it",
                            t, trajectory.start, trajectory.end()));
}

}  // namespace

KnownMotion at_times(const KnownMotion& motion, std::span<const double> times) {
  const TimedMotion timed = motion.in_time();
  const double start = timed.trajectory.start, end = timed.trajectory.end(), grain = 1e-12 * (end - start);
  KnownMotion all{motion.file, {}, false, true, timed.trajectory, timed.wrench};
  for (const double t : times) {
    if (t < start - grain) expect_rest(motion, timed.trajectory, t, start);
    if (t > end + grain) expect_rest(motion, timed.trajectory, t, end);
    all.states.push_back(state_at(timed, t));
  }
  return all;
}

KnownMotion refined(KnownMotion motion, double longest) {
  const TimedMotion timed = motion.in_time();
  std::vector<KnownState> all;
  for (const KnownState& s : motion.states) {
    if (!all.empty()) {
      const double from = all.back().motion.t, way = s.motion.t - from;
      const double steps = way / fitting_step(way, longest);
      if (!(static_cast<double>(all.size()) + steps < static_cast<double>(most_samples)))
        throw Error({motion.file, 0},
                    fmt::format("read a step of {:g} s, expected at most {} steps", longest, most_samples));
      const auto n = std::lround(steps);
      for (long k = 1; k < n; ++k) {
        all.push_back(state_at(timed, from + way * static_cast<double>(k) / static_cast<double>(n)));
        all.back().between = true;
      }
    }
    all.push_back(s);
  }
  motion.states = std::move(all);
  return motion;
}

std::vector<double> load_times(const std::string& path) {
  const Table table = read_table(path);
  const int t = table.find("t");
  if (t < 0) io::refuse_missing(path, {"t"}, "the times of rows");
  std::vector<double> all;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const double x = io::table_value(table, path, r, t);
    if (!all.empty() && !(x > all.back()))
      throw Error({path, table.line[r]},
                  fmt::format("read t = {:g} s after {:g} s, expected times that increase", x, all.back()));
    all.push_back(x);
  }
  if (all.empty()) throw Error({path, 0}, "read no rows, expected times");
  return all;
}

KnownMotion load_driven_states(const std::string& path, const Mechanism<double>& m) {
  return driven_states(read_table(path), path, m);
}

KnownMotion driven_states(const Table& table, const std::string& path, const Mechanism<double>& m) {
  const std::vector<MotionState> motion = moving_states(table, path, m);
  const io::WrenchColumns wrench = io::find_wrench(table, path, m);
  std::vector<std::string> names;
  for (const int a : m.actuator) names.push_back("tau." + m.coordinate[static_cast<std::size_t>(a)].name);
  const std::vector<int> tau = find_all(table, path, names, true, "tau.NAME of every actuator");
  const std::string expected = "q.NAME and v.NAME of every elastic joint, or of none";
  std::vector<int> q, v;
  if (!m.elastic.empty()) {
    q = find_all(table, path, elastic_columns(m, 'q'), false, expected);
    v = find_all(table, path, elastic_columns(m, 'v'), !q.empty(), expected);
  }
  KnownMotion all{path, {}, true, table.find("t") >= 0};
  for (std::size_t r = 0; r < motion.size(); ++r) {
    KnownState s{motion[r], wrench_of_row(table, path, wrench, r), {}, {}, {}, values(table, path, r, tau)};
    if (!q.empty()) s.elastic_q = values(table, path, r, q), s.elastic_v = values(table, path, r, v);
    all.states.push_back(std::move(s));
  }
  return all;
}

}  // namespace gough
