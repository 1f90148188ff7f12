/// simulate.
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gough/gough.hpp"
#include "progress.hpp"
#include "robot_of.hpp"
#include "verbs.hpp"

namespace {

template <class Enum, std::size_t N>
Enum by_name(const std::array<std::string_view, N>& names, const std::string& word) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == word) return static_cast<Enum>(i);
  return Enum{};  // the command line has checked it
}

gough::SimulationOptions simulation_options(const Options& o) {
  const SimulationWishes& s = o.simulation;
  gough::SimulationOptions options;
  options.dynamics.by = *gough::formulation_from(o.by);
  options.integrator.method = by_name<gough::Method>(gough::method_names, s.method);
  options.integrator.tolerance = s.tolerance > 0 ? s.tolerance : gough::usual_tolerance(options.integrator.method);
  options.integrator.fixed_step = s.fixed_step > 0 ? s.fixed_step : o.step;
  options.loops = by_name<gough::Loops>(gough::loops_names, s.loops);
  options.dry = by_name<gough::DryFriction>(gough::dry_friction_names, s.friction);
  options.smooth = s.smooth;
  options.hold = s.hold;
  const auto pull = gough::parse_numbers(s.baumgarte, {false, false}, "--baumgarte");
  options.dynamics.alpha = pull[0];
  options.dynamics.beta = pull[1];
  return options;
}

std::vector<bool> actuator_lengths(const gough::Mechanism<double>& m) {
  std::vector<bool> lengths;
  for (const int a : m.actuator) lengths.push_back(m.coordinate[static_cast<std::size_t>(a)].is_length);
  return lengths;
}

/// "crank, knee": as many as a message may have; check --json has them all.
std::string names_of_tree(const gough::Mechanism<double>& m) {
  constexpr int most = 40;
  std::string all;
  for (int v = 0; v < std::min(m.nv, most); ++v)
    all += (v > 0 ? ", " : "") + m.coordinate[static_cast<std::size_t>(v)].name;
  return m.nv > most ? all + ", .. (check --json lists all under `coordinate_names`)" : all;
}

/// "crank=5, slide=0.1": coordinates of the tree and numbers.
std::vector<std::pair<int, double>> pairs_from(const std::string& text, const std::string& option,
                                               const gough::Mechanism<double>& m,
                                               double (*number)(const std::string&, const std::string&)) {
  std::vector<std::pair<int, double>> all;
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t sign = word.find('=');
    const auto plain = [](std::string x) {
      x.erase(0, x.find_first_not_of(' '));
      return x.erase(x.find_last_not_of(' ') + 1);
    };
    if (sign == std::string::npos)
      throw gough::Error(fmt::format("{}: read '{}', expected NAME=VALUE", option, word.substr(0, 80)));
    const std::string name = plain(word.substr(0, sign));
    const int c = m.find_coordinate(name);
    if (c < 0 || c >= m.nv)
      throw gough::Error(fmt::format("{}: read the joint '{}', expected one of the opened tree's: {}", option,
                                     gough::beginning(name, 80), names_of_tree(m)));
    all.emplace_back(c, number(plain(word.substr(sign + 1)), option));
  }
  return all;
}

/// --positions: with the platform or the drives where --pose or --actuators put them.
gough::Answer move_joints(const gough::Mechanism<double>& m, const Options& o, gough::Workspace<double>& w) {
  const auto given = pairs_from(o.simulation.positions, "--positions", m, &gough::parse_position);
  gough::Hold hold = gough::hold_of(m, o.actuators.empty() ? std::vector<int>{} : m.actuator);
  if (!o.pose.empty()) {
    const gough::Vec6<double> x = gough::pose_vector(gough::platform_pose(m, w));
    for (std::size_t i = 0; i < 6; ++i)
      if (m.platform.coordinates[i]) hold.platform_pose[i] = x[static_cast<Eigen::Index>(i)];
  }
  return gough::set_positions(m, given, hold, w);
}

/// The state to start from. Throws Error where the wishes do not suit the robot.
gough::Answer start_state(const gough::Mechanism<double>& m, const Options& o, gough::Workspace<double>& w) {
  const SimulationWishes& s = o.simulation;
  gough::Answer answer;
  if (!o.pose.empty() && !o.actuators.empty())
    throw gough::Error("--pose and --actuators: read both, expected one of them");
  if (!o.pose.empty()) {
    if (!m.platform.exists()) throw gough::Error("--pose: read a pose, expected a robot with a platform");
    const auto x = gough::parse_numbers(o.pose, {true, true, true, false, false, false}, "--pose");
    gough::Vec6<double> pose;
    for (int i = 0; i < 6; ++i) pose[i] = x[static_cast<std::size_t>(i)];
    answer = gough::inverse_kinematics(m, gough::pose_from_vector(pose, m.platform.coordinates), w);
  } else if (!o.actuators.empty()) {
    const auto x = gough::parse_numbers(o.actuators, actuator_lengths(m), "--actuators");
    answer = gough::forward_kinematics(
        m, Eigen::Map<const gough::VecX<double>>(x.data(), static_cast<Eigen::Index>(x.size())), w);
  }
  if (!s.positions.empty() && s.equilibrium)
    throw gough::Error("--positions and --equilibrium: read both, expected one of them");
  if (answer.ok() && !s.positions.empty()) answer = move_joints(m, o, w);
  if (answer.ok() && s.equilibrium) answer = gough::find_equilibrium(m, w);
  if (answer.ok() && !s.rates.empty())
    answer = gough::set_rates(m, pairs_from(s.rates, "--rates", m, &gough::parse_rate), w);
  return answer;
}

struct Variant {
  std::string value;
  gough::Mechanism<double> robot;
  std::vector<gough::Setting> settings = {};
};

/// The robot, once for every value of --vary.
std::vector<Variant> variants(const Options& o, std::string& path) {
  std::vector<Variant> all;
  const std::string& wish = o.simulation.vary;
  if (wish.empty()) {
    all.push_back({"", robot_of(o)});
    return all;
  }
  const std::size_t sign = wish.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == wish.size())
    throw gough::Error(fmt::format("--vary: read '{}', expected PATH=VALUE,VALUE,..", wish.substr(0, 80)));
  path = wish.substr(0, sign);
  std::stringstream values(wish.substr(sign + 1));
  for (std::string value; std::getline(values, value, ',');) {
    const std::vector<gough::Setting> settings = {{{"--vary", 0}, path, {value}, false}};
    all.push_back({value, robot_of(o, settings), settings});
  }
  return all;
}

std::string numbered(const std::string& output, std::size_t i) {
  const std::filesystem::path path(output);
  return (path.parent_path() / fmt::format("{}_{}{}", path.stem().string(), i + 1, path.extension().string())).string();
}

/// --positions and --rates beside --drives: of elastic joints, the others follow.
gough::ElasticStart elastic_start(const gough::Mechanism<double>& m, const SimulationWishes& s) {
  gough::ElasticStart e;
  const auto take = [&](const std::string& text, const std::string& option, auto number, gough::VecX<double>& to) {
    if (text.empty()) return;
    to = gough::VecX<double>::Zero(static_cast<Eigen::Index>(m.elastic.size()));
    if (&to == &e.q)
      for (std::size_t i = 0; i < m.elastic.size(); ++i)
        to[static_cast<Eigen::Index>(i)] = m.rest[static_cast<std::size_t>(m.elastic[i])];
    for (const auto& [c, x] : pairs_from(text, option, m, number)) {
      const auto here = std::find(m.elastic.begin(), m.elastic.end(), c);
      if (here == m.elastic.end() || m.coordinate[static_cast<std::size_t>(c)].actuated)
        throw gough::Error(fmt::format("{}: read '{}' with --drives, expected elastic joints that nothing drives",
                                       option, m.coordinate[static_cast<std::size_t>(c)].name));
      to[here - m.elastic.begin()] = x;
    }
  };
  take(s.positions, "--positions", &gough::parse_position, e.q);
  take(s.rates, "--rates", &gough::parse_rate, e.v);
  return e;
}

/// Drives that follow the motion of --drives exactly, from where and when it starts.
gough::Answer start_drives(const Variant& variant, const Options& o, gough::Workspace<double>& w,
                           gough::SimulationJob& job) {
  const SimulationWishes& s = o.simulation;
  if (!s.tau.empty() || !s.forces.empty() || s.hold > 0 || !o.pose.empty() || !o.actuators.empty() || s.equilibrium)
    throw gough::Error("--drives: read it with forces, --hold or a start, expected it alone: both follow from it");
  const auto rigid = rigid_robot_of(o, variant.settings);
  const auto given = gough::load_known_motion(s.drives, rigid, o.step, gough::ElasticMotion::locked);
  const gough::RigidMotion path(rigid, given.in_time(), given.states);
  if (const gough::AlongAnswer& way = path.answer(); !way.ok())
    return {way.status, 0, 0, fmt::format("--drives at t = {:g} s: {}", way.t, way.reason)};
  const gough::DriveMotion motion(path);
  if (!motion.ends_at_rest() && job.times.back() > motion.end() * (1 + 1e-12))
    throw gough::Error(
        fmt::format("--drives: read a motion that ends at t = {:g} s while it moves, expected a run that ends there "
                    "(--time {:g}), or one "
                    "that comes to rest",
                    motion.end(), motion.end()));
  job.controller = gough::ideal_drives(variant.robot, motion);
  gough::Answer start = gough::start_of_drives(variant.robot, motion, w, elastic_start(variant.robot, s));
  if (!start.ok()) start.reason = "the start: " + start.reason;
  return start;
}

/// Forces: constant, or from a table; none of these: zero.
gough::Controller drive_from(const gough::Mechanism<double>& m, const Options& o, gough::Workspace<double>& w) {
  const SimulationWishes& s = o.simulation;
  if (!s.tau.empty() && !s.forces.empty()) throw gough::Error("--tau and --forces: read both, expected one of them");
  if (!s.forces.empty()) return gough::forces_of(gough::ForceTable(s.forces, m), m);
  if (!s.tau.empty()) {
    const auto tau = gough::parse_numbers(s.tau, {}, "--tau");
    if (tau.size() != m.actuator.size())
      throw gough::Error(fmt::format("--tau: read {} numbers, expected {}", tau.size(), m.actuator.size()));
    for (std::size_t i = 0; i < tau.size(); ++i) w.tau[static_cast<Eigen::Index>(i)] = tau[i];
  }
  return {};
}

/// Whether the table holds what sensors show instead of the states.
bool wants_sensors(const Options& o) { return o.simulation.encoder > 0 || o.simulation.noise > 0; }

/// One variant from start to end.
std::vector<double> times_of(const Options& o) {
  if (o.times.empty()) return gough::even_times(0, o.simulation.time, o.step);
  const std::vector<double> times = gough::load_times(o.times);
  if (times.front() < 0)
    throw gough::Error(
        fmt::format("{}: read t = {:g} s, expected times from 0 on: the run starts there", o.times, times.front()));
  return times;
}

int run_one(const Variant& variant, const Options& o, const std::string& output, Progress& progress,
            gough::SimulationReport& report) {
  const gough::Mechanism<double>& m = variant.robot;
  gough::Workspace<double> w(m);
  gough::SimulationJob job;
  job.options = simulation_options(o);
  job.options.go_on = [] { return !interrupted(); };
  job.times = times_of(o);
  job.options.start = 0;
  gough::Answer start;
  if (!o.simulation.drives.empty()) {
    start = start_drives(variant, o, w, job);
  } else {
    job.controller = drive_from(m, o, w);
    start = start_state(m, o, w);
    if (!start.ok()) start.reason = "the start: " + start.reason;
  }
  if (!start.ok()) {
    report.answer.status = start.status;
    report.answer.reason = start.reason;
    return numerical;
  }
  std::optional<gough::TableWriter> measured;
  gough::Sensors sensors(m, {o.simulation.encoder, o.simulation.noise, o.simulation.seed});
  if (wants_sensors(o)) {
    if (output.empty()) throw gough::Error("--encoder, --noise: read no -o, expected a table (CSV) to write");
    measured.emplace(output, gough::measurement_columns(m));
  } else {
    job.output = output;
  }
  job.keep_table = o.json && output.empty() && job.times.size() <= gough::most_json_rows;
  job.after_row = [&](const gough::SimulationRow& row) {
    if (measured) measured->add(sensors.row(row.t, row.w));
    return progress.step();
  };
  report = gough::report_simulation(m, w, job);
  return report.done() && report.beyond.empty() ? done : numerical;
}

/// A motion that is followed exactly, as sensors show it.
int follow(const Options& o) {
  const auto m = robot_of(o);
  if (o.output.empty()) throw gough::Error("--motion: read no -o, expected a table (CSV) to write");
  const SimulationWishes& s = o.simulation;
  if (!s.tau.empty() || !s.forces.empty() || !s.vary.empty())
    throw gough::Error("--motion: read it with --tau, --forces or --vary, expected it alone: forces follow from it");
  const gough::KnownMotion motion = gough::load_known_motion(o.motion, m, o.step, gough::ElasticMotion::locked);
  gough::AlongOptions options;
  options.dynamics.by = *gough::formulation_from(o.by);
  gough::Sensors sensors(m, {s.encoder, s.noise, s.seed});
  gough::TableWriter writer(o.output, gough::measurement_columns(m));
  std::string beyond;
  catch_interrupts();
  gough::AlongAnswer answer;
  {
    Progress progress("row", motion.states.size());
    answer = gough::inverse_along(m, motion.states, options, [&](const gough::AlongRow& row) {
      if (beyond.empty() && !row.beyond.empty()) beyond = fmt::format("t = {:g}: {}", row.t, row.beyond);
      writer.add(sensors.row(row.t, row.w));
      return progress.step();
    });
  }
  const std::string text = fmt::format(
      "{}: {} rows, encoders in steps of {:g} m or rad, forces with a deviation of {:g} N or N m, seed {}\n", m.name,
      answer.rows, s.encoder, s.noise, s.seed);
  if (const int failed = print(o.json ? nlohmann::json{{"robot", m.name}, {"rows", answer.rows}}.dump() + "\n" : text);
      failed != done)
    return failed;
  if (answer.stopped) say("{}: interrupted; {} rows are done and kept\n", o.motion, answer.rows);
  if (!answer.ok()) say("{}\n", answer.explain(o.motion));
  if (!beyond.empty()) say("{}: out_of_limits: {}\n", o.motion, beyond);
  return answer.ok() && !answer.stopped && beyond.empty() ? done : numerical;
}

}  // namespace

int simulate(const Options& o) {
  if (!o.motion.empty()) return follow(o);
  std::string path;
  const std::vector<Variant> all = variants(o, path);
  std::vector<gough::SimulationReport> reports(all.size());
  std::vector<int> codes(all.size(), done);
  catch_interrupts();
  {
    Progress progress("row", all.size() * times_of(o).size());
    tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
      const std::string output = o.output.empty() || all.size() == 1 ? o.output : numbered(o.output, i);
      codes[i] = run_one(all[i], o, output, progress, reports[i]);
      reports[i].robot = all[i].robot.name;
      reports[i].parameter_name = path;
      reports[i].parameter_text = all[i].value;
    });
  }
  std::string text;
  for (const gough::SimulationReport& r : reports)
    if (r.answer.rows > 0) text += gough::simulation_text(r);
  if (const int failed = print(o.json ? gough::simulation_json(reports) : text); failed != done) return failed;
  if (!o.json && o.output.empty() && !text.empty()) print("\n  -o FILE.csv writes the table of all rows.\n");
  int code = done;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const gough::SimulationAnswer& a = reports[i].answer;
    const std::string who = path.empty() ? o.robot : fmt::format("{} ({} = {})", o.robot, path, all[i].value);
    if (a.stopped) say("{}: interrupted at t = {:g} s; {} rows are done and kept\n", who, a.t, a.rows);
    if (!a.ok()) say("{}: t = {:g} s: {}: {}\n", who, a.t, name(a.status), a.reason);
    for (const std::string& x : reports[i].beyond) say("{}: out_of_limits: {}\n", who, x);
    if (codes[i] != done) code = codes[i];
  }
  return code;
}
