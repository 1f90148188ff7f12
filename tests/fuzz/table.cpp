#include "gough/gough.hpp"
#include "oracle.hpp"
#include "targets.hpp"

namespace gough::fuzz {
namespace {

const std::string table_name = "fuzz.csv";
constexpr std::size_t most_rows_of_tables = 4;  // that are computed

void try_motion_table(const Table& table, const Mechanism<double>& m) {
  const GivenMotion given = motion_from_table(table, table_name, m);
  for (const MotionState& s : given.rows) expect_finite(s, "a row of a motion");
  if (given.trajectory)
    for (const double share : {0.0, 0.01, 0.37, 1.0})
      expect_finite(sample(*given.trajectory, given.trajectory->start + share * given.trajectory->duration),
                    "a sample between rows");
}

/// As dynamics take it: with a wrench, at other times, and the forces along its first rows.
void try_known_motion(const Table& table, const Mechanism<double>& m, ElasticMotion elastic) {
  KnownMotion motion = known_motion(table, table_name, m, 0.05, elastic);
  unless_refused([&] {
    const TimedMotion timed = motion.in_time();
    const std::vector<double> times = {timed.trajectory.start, timed.trajectory.start + 0.3 * timed.trajectory.duration,
                                       timed.trajectory.end()};
    for (const KnownState& s : at_times(motion, times).states) expect_finite(s.motion, "a motion at other times");
  });
  motion.states.resize(std::min(motion.states.size(), most_rows_of_tables));
  AlongOptions options;
  options.elastic = elastic;
  inverse_along(m, motion.states, options, [](const AlongRow& row) {
    expect_finite(row.w.tau, "forces along the table");
    return true;
  });
}

void try_driven_states(const Table& table, const Mechanism<double>& m) {
  KnownMotion states = driven_states(table, table_name, m);
  states.states.resize(std::min(states.states.size(), most_rows_of_tables));
  forward_along(m, states.states, {}, [](const AlongRow& row) {
    expect_finite(row.w.a, "accelerations of the table's states");
    return true;
  });
}

void try_measurement(const Table& table, const Mechanism<double>& m) {
  const PreparedData data = with_rates(measurement_from_table(table, table_name, m, {1.0}), {});
  expect_finite(data.data.v, "rates of a measurement");
  expect_finite(data.data.a, "accelerations of a measurement");
}

void try_force_table(const Table& table, const Mechanism<double>& m) {
  Workspace<double> w(m);
  tree_positions(m, w);
  const ForceTable forces(table, table_name, m);
  for (const double t : {-1.0, 0.0, 0.01, 0.1, 1e9}) {
    forces.apply(t, m, w);
    expect_finite(w.tau, "forces of a table");
  }
  for (const double t : forces.knots()) expect_finite(t, "a knot");
}

void try_poses(const Table& table, const Mechanism<double>& m) {
  PoseList list = poses_of_table(table, table_name, m.platform.coordinates);
  list.poses.resize(std::min(list.poses.size(), most_rows_of_tables));
  list.t.resize(list.poses.size());
  const Survey survey = survey_poses(m, list.poses);
  expect_good_json(survey_json(survey, list.t), "check --along --json");
  expect_no_nan(survey_text(survey, list.t), "check --along");
}

void try_starts(const std::string& path, const Mechanism<double>& m, const Mechanism<double>& bent) {
  unless_refused([&] {
    for (const NodeStart& n : load_node_start(path, m))
      for (const std::optional<double>& x : n.d) expect_finite(x.value_or(0), "a displacement");
  });
  unless_refused([&] { expect_finite(load_elastic_start(path, bent).first, "modes to start from"); });
}

}  // namespace

void try_table(const std::string& text) {
  static const Mechanism<double> five_bar = load_robot(GOUGH_SOURCE_DIR "/robots/five_bar.yaml");
  static const Mechanism<double> elastic = load_robot(GOUGH_SOURCE_DIR "/robots/elastic_five_bar.yaml");
  static const Mechanism<double> flexible = load_robot(GOUGH_SOURCE_DIR "/robots/five_bar_flexible.yaml");
  static const ModesOptions modes = [] {
    ModesOptions o;
    o.modes = 2;
    return o;
  }();
  static const Mechanism<double> bent =
      load_bent_robot(GOUGH_SOURCE_DIR "/robots/five_bar_flexible.yaml", modes).mechanism;
  static const Scratch scratch;
  unless_refused([&] {
    const Table table = parse_table(text, table_name);
    expect(parse_table(table_text(table), table_name).rows == table.rows, "a table that is written is not read back");
    unless_refused([&] { try_motion_table(table, five_bar); });
    unless_refused([&] { try_known_motion(table, five_bar, ElasticMotion::locked); });
    unless_refused([&] { try_known_motion(table, elastic, ElasticMotion::given); });
    unless_refused([&] { try_driven_states(table, five_bar); });
    unless_refused([&] { try_driven_states(table, elastic); });
    unless_refused([&] { try_measurement(table, five_bar); });
    unless_refused([&] { try_force_table(table, five_bar); });
    unless_refused([&] { try_poses(table, five_bar); });
    const std::string path = scratch.write(table_name, text);
    unless_refused([&] { load_times(path); });
    try_starts(path, flexible, bent);
  });
}

}  // namespace gough::fuzz
