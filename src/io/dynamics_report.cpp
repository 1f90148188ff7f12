#include "gough/io/dynamics_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/task_motion.hpp"
#include "state_columns.hpp"

namespace gough {
namespace {

using namespace io;

constexpr std::array<std::string_view, 6> wrench_columns = {"fx", "fy", "fz", "mx", "my", "mz"};

/// Elastic joints that nothing drives, in the order of their residuals.
std::vector<int> soft_joints(const Mechanism<double>& m) {
  std::vector<int> all = m.driven();
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m.actuator.size()));
  return all;
}

void add_outcome(const AlongAnswer& answer, json& out) {
  out["status"] = answer.stopped ? "interrupted" : std::string(name(answer.status));
  if (answer.ok()) return;
  out["reason"] = answer.reason;
  out["failed_at"] = answer.t;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ inverse dynamics

std::vector<std::string> inverse_columns(const Mechanism<double>& m, bool reactions) {
  std::vector<std::string> columns = {"t"};
  add_platform_columns(m, columns);
  for (const int a : m.actuator)
    for (const char level : {'q', 'v', 'a'}) columns.push_back(fmt::format("{}.{}", level, coordinate(m, a).name));
  for (const int a : m.actuator) columns.push_back("tau." + coordinate(m, a).name);
  for (const int a : m.actuator)
    if (coordinate(m, a).has_drive)
      for (const std::string_view what : {"motor_q.", "motor_tau."})
        columns.push_back(std::string(what) + coordinate(m, a).name);
  for (const int e : soft_joints(m))
    for (const std::string_view what : {"q.", "v.", "a.", "residual."})
      columns.push_back(std::string(what) + coordinate(m, e).name);
  if (reactions)
    for (const Leg& leg : m.leg)
      for (const std::string_view what : wrench_columns) columns.push_back(leg.name + "." + std::string(what));
  return columns;
}

std::vector<double> inverse_values(const Mechanism<double>& m, const AlongRow& row, bool reactions) {
  const Workspace<double>& w = row.w;
  std::vector<double> x = {row.t};
  add_platform(m, w, x);
  for (const int a : m.actuator) x.insert(x.end(), {w.q[position_index(m, a)], w.v[a], w.a[a]});
  x.insert(x.end(), w.tau.begin(), w.tau.end());
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    if (const int a = m.actuator[i]; coordinate(m, a).has_drive)
      x.insert(x.end(),
               {m.ratio[at(a)] * w.q[position_index(m, a)], w.tau[static_cast<Eigen::Index>(i)] / m.ratio[at(a)]});
  const VecX<double> residual = row.d.elastic_residual();
  const std::vector<int> soft = soft_joints(m);
  for (std::size_t i = 0; i < soft.size(); ++i)
    x.insert(x.end(),
             {w.q[position_index(m, soft[i])], w.v[soft[i]], w.a[soft[i]], residual[static_cast<Eigen::Index>(i)]});
  if (reactions)
    for (const LegWrench& leg : row.reactions.leg) {
      x.insert(x.end(), leg.wrench.force.begin(), leg.wrench.force.end());
      x.insert(x.end(), leg.wrench.moment.begin(), leg.wrench.moment.end());
    }
  return x;
}

InverseReport report_inverse(const Mechanism<double>& m, const KnownMotion& motion, const InverseJob& job) {
  const bool reactions = job.options.reactions;
  if (reactions && !m.platform.floats)
    throw Error(fmt::format(
        "{}: read a wish for the legs' wrenches, expected a robot whose platform floats between legs", m.name));
  InverseReport report;
  report.robot = m.name;
  report.motion = motion.file;
  report.by = job.options.dynamics.by;
  if (!m.elastic.empty()) report.elastic = job.options.elastic;
  report.asked = motion.states.size();
  const std::vector<std::string> columns = inverse_columns(m, reactions);
  if (job.keep_table) report.table = Table{columns, {}, {}};
  std::optional<TableWriter> writer;
  Sizing sizing(m, motion.timed);
  AlongOptions options = job.options;
  options.each_from_home = motion.rows;
  const auto open = [&] {
    if (!job.output.empty() && !writer) writer.emplace(job.output, columns);
  };
  report.answer = inverse_along(m, motion.states, options, [&](const AlongRow& row) {
    sizing.add(row);
    open();
    if (writer || report.table) {
      std::vector<double> values = inverse_values(m, row, reactions);
      if (writer) writer->add(values);
      if (report.table) report.table->rows.push_back(std::move(values));
    }
    if (const auto r = row.d.elastic_residual(); r.size() > 0)
      report.elastic_residual = std::max(report.elastic_residual, r.cwiseAbs().maxCoeff());
    for (const LegWrench& leg : row.reactions.leg)
      if (!leg.unique &&
          std::find(report.not_unique.begin(), report.not_unique.end(), leg.leg) == report.not_unique.end())
        report.not_unique.push_back(leg.leg);
    return !job.after_row || job.after_row(row);
  });
  open();  // a table without rows, where the first state failed
  report.sizing = sizing.loads();
  report.in_time = sizing.in_time();
  report.start = sizing.start();
  report.end = sizing.end();
  if (sizing.rows() > 0)
    for (const ActuatorLoad& a : report.sizing)
      for (std::string& text : a.beyond()) report.beyond.push_back(std::move(text));
  if (report.beyond.empty() && !sizing.beyond().empty()) report.beyond.push_back(sizing.beyond());
  return report;
}

namespace {

double tidy(double x) { return std::abs(x) < 5e-13 ? 0.0 : x; }
std::string cell(double x) { return fmt::format("{:>12.4g}", tidy(x)); }
std::string cell(const std::optional<double>& x) { return x ? cell(*x) : fmt::format("{:>12}", "-"); }

/// "force 45 %, speed 12 %, travel ok": how much of each given limit is used.
std::string use_of_limits(const ActuatorLoad& a) {
  std::vector<std::string> all;
  const auto share = [&](std::string_view what, const Peak& peak, double limit) {
    if (std::isfinite(limit)) all.push_back(fmt::format("{} {:.0f} %", what, 100 * std::abs(peak.value) / limit));
  };
  share("force", a.force, a.force_limit);
  share("speed", a.speed, a.speed_limit);
  share("acceleration", a.acceleration, a.acceleration_limit);
  if (std::isfinite(a.position_limit.lower) || std::isfinite(a.position_limit.upper))
    all.emplace_back(a.lowest < a.position_limit.lower - 1e-12 || a.highest > a.position_limit.upper + 1e-12
                         ? "travel exceeded"
                         : "travel ok");
  return all.empty() ? "none given" : fmt::format("{}", fmt::join(all, ", "));
}

std::string joint_table(const std::vector<ActuatorLoad>& sizing, bool is_length, std::size_t width) {
  std::string text;
  for (const ActuatorLoad& a : sizing) {
    if (a.is_length != is_length) continue;
    if (text.empty()) {
      text = fmt::format("\n  {:<{}}{:>12}{:>12}{:>12}{:>12}{:>12}  {}\n", "actuator", width, "peak force", "rms force",
                         "peak speed", "peak power", "energy", "use of limits");
      text += fmt::format("  {:<{}}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "", width, is_length ? "N" : "N m",
                          is_length ? "N" : "N m", is_length ? "m/s" : "rad/s", "W", "J");
    }
    text += fmt::format("  {:<{}}{}{}{}{}{}  {}\n", a.actuator, width, cell(a.force.value), cell(a.rms_force),
                        cell(a.speed.value), cell(a.power.value), cell(a.energy), use_of_limits(a));
  }
  return text;
}

std::string motor_table(const std::vector<ActuatorLoad>& sizing, std::size_t width) {
  std::string text;
  for (const ActuatorLoad& a : sizing) {
    if (!a.ratio) continue;
    if (text.empty()) {
      text = fmt::format("\n  {:<{}}{:>12}{:>12}{:>12}{:>12}\n", "motor", width, "peak torque", "rms torque",
                         "peak speed", "peak speed");
      text += fmt::format("  {:<{}}{:>12}{:>12}{:>12}{:>12}\n", "", width, "N m", "N m", "rad/s", "rpm");
    }
    const double speed = a.speed.value * *a.ratio;
    text += fmt::format("  {:<{}}{}{}{}{}\n", a.actuator, width, cell(a.force.value / *a.ratio),
                        cell(a.rms_force / std::abs(*a.ratio)), cell(speed), cell(speed * 30 / M_PI));
  }
  return text;
}

json sizing_list(const std::vector<ActuatorLoad>& sizing) {
  json all = json::array();
  for (const ActuatorLoad& a : sizing) {
    json one = {{"actuator", a.actuator},
                {"unit", a.is_length ? "N" : "N m"},
                {"peak_force", std::abs(a.force.value)},
                {"peak_force_t", a.force.t},
                {"rms_force", a.rms_force},
                {"peak_speed", std::abs(a.speed.value)},
                {"peak_acceleration", std::abs(a.acceleration.value)},
                {"peak_power", std::abs(a.power.value)},
                {"energy", a.energy ? json(*a.energy) : json(nullptr)},
                {"braking_energy", a.braking ? json(*a.braking) : json(nullptr)},
                {"positions", {a.lowest, a.highest}}};
    if (a.ratio) {
      one["motor_peak_torque"] = std::abs(a.force.value / *a.ratio);
      one["motor_rms_torque"] = a.rms_force / std::abs(*a.ratio);
      one["motor_peak_speed"] = std::abs(a.speed.value * *a.ratio);
    }
    one["force_limit"] = a.force_limit;  // infinite: null
    one["speed_limit"] = a.speed_limit;
    one["acceleration_limit"] = a.acceleration_limit;
    one["position_limits"] = {a.position_limit.lower, a.position_limit.upper};
    one["within_limits"] = a.beyond().empty();
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::string sizing_json(const std::vector<ActuatorLoad>& sizing) { return dumped(sizing_list(sizing)); }

std::string inverse_text(const InverseReport& r) {
  const std::size_t n = r.answer.rows;
  std::string text = fmt::format("{} along {}: {} state{}", r.robot, r.motion, n, n == 1 ? "" : "s");
  if (r.in_time) text += fmt::format(" from t = {:g} to {:g} s", r.start, r.end);
  text += fmt::format(", by {}\n", name(r.by));
  if (r.elastic)
    text += fmt::format("  elastic joints {}: at most {:.3g} N or N m are missing in their rows\n", name(*r.elastic),
                        r.elastic_residual);
  if (n == 0) return text;
  std::size_t width = 10;
  for (const ActuatorLoad& a : r.sizing) width = std::max(width, a.actuator.size());
  text += joint_table(r.sizing, true, width) + joint_table(r.sizing, false, width) + motor_table(r.sizing, width);
  if (!r.in_time && n > 1) text += "\n  rms over the states; no energy, as they have no times that increase\n";
  return text;
}

std::string inverse_json(const InverseReport& r) {
  json out = {{"robot", r.robot}, {"motion", r.motion}, {"rows", r.answer.rows}, {"by", name(r.by)}};
  add_outcome(r.answer, out);
  if (r.elastic) {
    out["elastic"] = name(*r.elastic);
    out["elastic_residual"] = r.elastic_residual;
  }
  out["sizing"] = sizing_list(r.sizing);
  out["within_limits"] = r.beyond.empty();
  if (!r.beyond.empty()) out["beyond_limits"] = r.beyond;
  if (!r.not_unique.empty()) out["not_unique"] = r.not_unique;
  if (r.table && r.table->rows.size() <= most_json_rows) out["table"] = table_json(*r.table);
  return dumped(out);
}

// ------------------------------------------------------------------------------------------------ forward dynamics

std::vector<std::string> forward_columns(const Mechanism<double>& m) {
  std::vector<std::string> columns = {"t"};
  add_platform_columns(m, columns);
  for (const int a : m.actuator)
    for (const char level : {'q', 'v'}) columns.push_back(fmt::format("{}.{}", level, coordinate(m, a).name));
  for (int c = 0; c < static_cast<int>(m.coordinate.size()); ++c)
    if (!is_of_platform(m, c)) columns.push_back("a." + coordinate(m, c).name);
  return columns;
}

std::vector<double> forward_values(const Mechanism<double>& m, const AlongRow& row) {
  const Workspace<double>& w = row.w;
  std::vector<double> x = {row.t};
  add_platform(m, w, x);
  for (const int a : m.actuator) x.insert(x.end(), {w.q[position_index(m, a)], w.v[a]});
  for (int c = 0; c < static_cast<int>(m.coordinate.size()); ++c)
    if (!is_of_platform(m, c)) x.push_back(c < m.nv ? w.a[c] : w.ca[c - m.nv]);
  return x;
}

std::string forward_json(const Mechanism<double>& m, Formulation by, const AlongAnswer& answer, const Table& table,
                         bool with_table) {
  json out = {{"robot", m.name}, {"rows", answer.rows}, {"by", name(by)}};
  add_outcome(answer, out);
  if (!answer.instead.empty()) out["instead_of_legs"] = answer.instead;
  if (with_table && table.rows.size() <= most_json_rows) out["table"] = table_json(table);
  return dumped(out);
}

// ------------------------------------------------------------------------------------------------ comparison

AlongAnswer closed_states(const Mechanism<double>& m, const KnownMotion& motion, std::vector<ComparedState>& states,
                          std::size_t most) {
  std::vector<KnownState> some;
  const std::size_t n = motion.states.size(), stride = (n + most - 1) / most;
  for (std::size_t i = 0; i < n; i += stride) some.push_back(motion.states[i]);
  AlongOptions options;
  options.dynamics.by = Formulation::multipliers;
  options.each_from_home = motion.rows;
  return inverse_along(m, some, options, [&](const AlongRow& row) {
    states.push_back({row.w.q, row.w.v, row.w.a, row.w.external});
    return true;
  });
}

namespace {

/// "machine code (AVX-512)", or each way with those that go it.
std::string ways_of(const Comparison& c) {
  std::map<std::string, std::vector<std::string>> ways;
  for (const Compared& f : c.formulations) {
    if (f.inverse) ways[f.inverse_by].push_back(fmt::format("inverse by {}", name(f.by)));
    if (f.forward) ways[f.forward_by].push_back(fmt::format("forward by {}", name(f.by)));
  }
  if (ways.size() == 1) return ways.begin()->first;
  std::string text;
  for (const auto& [way, who] : ways)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", way, fmt::join(who, ", "));
  return text;
}

/// The formulation that takes the least time.
std::string cheapest(const Comparison& c, bool inverse) {
  const Compared* best = nullptr;
  const auto time = [&](const Compared& f) { return inverse ? f.inverse_us : f.forward_us; };
  for (const Compared& f : c.formulations)
    if ((inverse ? f.inverse : f.forward) && (best == nullptr || time(f) < time(*best))) best = &f;
  return best == nullptr ? "-" : std::string(name(best->by));
}

}  // namespace

std::string compare_text(const std::string& robot, const Comparison& c) {
  std::string text = fmt::format("{}: {} states, condition {:.1e} (inverse), {:.1e} (forward)\n\n", robot, c.states,
                                 c.inverse_condition, c.forward_condition);
  text += fmt::format("  {:<14}{:>22}{:>22}{:>14}{:>14}\n", "formulation", "inverse differs by", "forward differs by",
                      "inverse [us]", "forward [us]");
  for (const Compared& f : c.formulations) {
    if (!f.not_applicable.empty()) {
      text += fmt::format("  {:<14}  not applicable: {}\n", name(f.by), f.not_applicable);
      continue;
    }
    const auto difference = [](const std::optional<double>& x) { return x ? fmt::format("{:.1e}", *x) : "-"; };
    const auto time = [](const std::optional<double>& x, double us) { return x ? fmt::format("{:.3f}", us) : "-"; };
    text += fmt::format("  {:<14}{:>22}{:>22}{:>14}{:>14}\n", name(f.by), difference(f.inverse), difference(f.forward),
                        time(f.inverse, f.inverse_us), time(f.forward, f.forward_us));
    if (!f.failure.empty()) text += fmt::format("  {:<14}  {}\n", "", f.failure);
  }
  text += fmt::format("\n  computed by {}\n  least time: inverse {}, forward {}\n", ways_of(c), cheapest(c, true),
                      cheapest(c, false));
  if (const std::string shared = c.shared_code(); !shared.empty())
    text += fmt::format("\n  {}: their agreement says nothing\n", shared);
  return text;
}

std::string compare_json(const std::string& robot, const Comparison& c) {
  json all = json::array();
  for (const Compared& f : c.formulations) {
    json one = {{"name", name(f.by)}};
    if (!f.not_applicable.empty()) {
      one["not_applicable"] = f.not_applicable;
    } else {
      one["inverse_disagreement"] = f.inverse ? json(*f.inverse) : json(nullptr);
      one["forward_disagreement"] = f.forward ? json(*f.forward) : json(nullptr);
      one["inverse_us"] = f.inverse ? json(f.inverse_us) : json(nullptr);
      one["forward_us"] = f.forward ? json(f.forward_us) : json(nullptr);
      one["inverse_code"] = name(f.inverse_code);
      one["forward_code"] = name(f.forward_code);
      one["inverse_by"] = f.inverse_by;
      one["forward_by"] = f.forward_by;
      if (!f.failure.empty()) one["failure"] = f.failure;
    }
    all.push_back(std::move(one));
  }
  return dumped({{"robot", robot},
                 {"states", c.states},
                 {"inverse_condition", c.inverse_condition},
                 {"forward_condition", c.forward_condition},
                 {"agrees", c.agrees()},
                 {"formulations", all}});
}

}  // namespace gough
