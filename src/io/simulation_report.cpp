#include "gough/io/simulation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gough/dynamics/along.hpp"
#include "gough/dynamics/energy.hpp"
#include "gough/error.hpp"
#include "gough/io/bent_robot.hpp"
#include "gough/io/dynamics_report.hpp"
#include "modes_json.hpp"
#include "motion_columns.hpp"
#include "state_columns.hpp"

namespace gough {

using namespace io;

namespace {
constexpr double straight = 1e-12;  ///< share by which slopes on both sides of a row may differ: rounding
}

// ------------------------------------------------------------------------------------------------ forces

ForceTable::ForceTable(const std::string& path, const Mechanism<double>& m) : ForceTable(read_table(path), path, m) {}

ForceTable::ForceTable(Table table, const std::string& file, const Mechanism<double>& m) : table_(std::move(table)) {
  std::vector<std::string> missing;
  const auto find = [&](const std::string& name) {
    const int i = table_.find(name);
    if (i < 0) missing.push_back(name);
    return at(std::max(i, 0));
  };
  time_ = find("t");
  for (const int a : m.actuator) tau_.push_back(find("tau." + coordinate(m, a).name));
  if (!missing.empty()) refuse_missing(file, missing, "t and tau.NAME of every actuator");
  wrench_ = find_wrench(table_, file, m).at;
  if (table_.rows.empty()) throw Error({file, 0}, "read no rows, expected forces");
  for (std::size_t r = 0; r < table_.rows.size(); ++r) {
    for (std::size_t c = 0; c < table_.columns.size(); ++c) table_value(table_, file, r, static_cast<int>(c));
    const double t = table_.rows[r][time_];
    const Where line = {file, table_.line.empty() ? 0 : table_.line[r]};
    if (r > 0 && !(t >= table_.rows[r - 1][time_]))
      throw Error(line, fmt::format("read t = {:g} after {:g}, expected times that increase, or stay for a jump", t,
                                    table_.rows[r - 1][time_]));
    if (r > 1 && t == table_.rows[r - 2][time_])
      throw Error(
          line, fmt::format("read t = {:g} for the third time, expected two rows at most: before and after a jump", t));
  }
}

std::vector<double> ForceTable::knots() const {
  std::vector<double> all;
  std::vector<std::size_t> columns = tau_;
  for (const int c : wrench_)
    if (c >= 0) columns.push_back(at(c));
  const std::size_t last = table_.rows.size() - 1;
  const auto bends = [&](std::size_t r, std::size_t c) {
    const auto slope = [&](std::size_t i) {  // of the line that begins at row i
      return (table_.rows[i + 1][c] - table_.rows[i][c]) / (table_.rows[i + 1][time_] - table_.rows[i][time_]);
    };
    const double before = r > 0 ? slope(r - 1) : 0, after = r < last ? slope(r) : 0;
    if (!std::isfinite(before) || !std::isfinite(after)) return true;  // a jump
    return std::abs(after - before) > straight * std::max(std::abs(before), std::abs(after));
  };
  for (std::size_t r = 0; r <= last; ++r)
    if (const double t = table_.rows[r][time_]; all.empty() || t > all.back())
      if (std::any_of(columns.begin(), columns.end(), [&](std::size_t c) { return bends(r, c); })) all.push_back(t);
  return all;
}

Controller forces_of(ForceTable table, const Mechanism<double>& m) {
  std::vector<double> knots = table.knots();
  return {[table = std::move(table), &m](double t, Workspace<double>& w) { table.apply(t, m, w); }, std::move(knots)};
}

void ForceTable::apply(double t, const Mechanism<double>& m, Workspace<double>& w) const {
  const auto after = std::upper_bound(table_.rows.begin(), table_.rows.end(), t,
                                      [&](double x, const std::vector<double>& row) { return x < row[time_]; });
  const auto& high = after == table_.rows.end() ? table_.rows.back() : *after;
  const auto& low = after == table_.rows.begin() ? table_.rows.front() : *(after - 1);
  const double span = high[time_] - low[time_], s = span > 0 ? (t - low[time_]) / span : 0;
  const auto value = [&](std::size_t c) { return low[c] * (1 - s) + high[c] * s; };
  for (std::size_t i = 0; i < tau_.size(); ++i) w.tau[static_cast<Eigen::Index>(i)] = value(tau_[i]);
  Force<double> wrench;
  for (std::size_t i = 0; i < 6; ++i)
    if (wrench_[i] >= 0)
      (i < 3 ? wrench.force : wrench.moment)[static_cast<Eigen::Index>(i % 3)] = value(at(wrench_[i]));
  apply_platform_wrench(m, wrench, w);
}

// ------------------------------------------------------------------------------------------------ tables

std::vector<std::string> simulation_columns(const Mechanism<double>& m) {
  std::vector<std::string> columns = {"t"};
  add_platform_columns(m, columns);
  for (int c = 0; c < static_cast<int>(m.coordinate.size()); ++c)
    if (!is_of_platform(m, c))
      for (const char level : {'q', 'v', 'a'}) columns.push_back(fmt::format("{}.{}", level, coordinate(m, c).name));
  for (const int a : m.actuator) columns.push_back("tau." + coordinate(m, a).name);
  for (const int e : m.elastic) columns.push_back("load." + coordinate(m, e).name);
  columns.insert(columns.end(), {"kinetic", "potential", "residual"});
  return columns;
}

std::vector<double> simulation_values(const Mechanism<double>& m, const SimulationRow& row) {
  Workspace<double> w = row.w;
  std::vector<double> x = {row.t};
  add_platform(m, w, x);
  const auto positions = named_positions(m, w);
  for (int c = 0; c < static_cast<int>(m.coordinate.size()); ++c)
    if (!is_of_platform(m, c))
      x.insert(x.end(), {positions[at(c)].second, c < m.nv ? row.w.v[c] : row.w.cv[c - m.nv],
                         c < m.nv ? row.w.a[c] : row.w.ca[c - m.nv]});
  x.insert(x.end(), row.w.tau.begin(), row.w.tau.end());
  loads(m, row.d.loads, row.d.external, w);
  for (const int e : m.elastic) x.push_back(w.load[e]);
  const EnergyBalance e = energy_balance(m, w);
  x.insert(x.end(), {e.kinetic, e.potential, row.w.phi.size() > 0 ? row.w.phi.cwiseAbs().maxCoeff() : 0.0});
  return x;
}

// ------------------------------------------------------------------------------------------------ a run

SimulationReport report_simulation(const Mechanism<double>& m, Workspace<double>& w, const SimulationJob& job) {
  SimulationReport r;
  r.robot = m.name;
  r.options = job.options;
  r.asked = job.times.size();
  r.output = job.output;
  if (!m.modal.empty()) r.bending = modes_text(m), r.bending_json = modes_json(m).dump();
  const std::vector<std::string> columns = simulation_columns(m);
  if (job.keep_table) r.table = Table{columns, {}, {}};
  std::optional<TableWriter> writer;
  if (!job.output.empty()) writer.emplace(job.output, columns);
  r.conservative = true;
  r.answer = simulate(m, w, job.times, job.options, job.controller, [&](const SimulationRow& row) {
    Workspace<double> copy = row.w;
    const EnergyBalance e = energy_balance(m, copy);
    const double energy = e.kinetic + e.potential;
    if (r.answer.rows++ == 0) r.energy_start = energy;
    r.energy_end = energy;
    r.largest_kinetic = std::max(r.largest_kinetic, e.kinetic);
    r.largest_change = std::max(r.largest_change, std::abs(energy - r.energy_start));
    r.eigenvalue = std::max(r.eigenvalue, row.d.iteration.eigenvalue);
    r.conservative = r.conservative && e.losses == 0 && e.external == 0 && e.actuators == 0;
    if (r.beyond.empty())
      if (const std::string text = limits_exceeded(m, copy); !text.empty())
        r.beyond.push_back(fmt::format("t = {:g}: {}", row.t, text));
    if (writer || r.table) {
      std::vector<double> values = simulation_values(m, row);
      if (writer) writer->add(values);
      if (r.table) r.table->rows.push_back(std::move(values));
    }
    return !job.after_row || job.after_row(row);
  });
  return r;
}

std::string simulation_text(const SimulationReport& r) {
  const SimulationAnswer& a = r.answer;
  std::string text = fmt::format(
      "{}{}: {} row{} to t = {:g} s, by {}, {}", r.robot,
      r.parameter_name.empty() ? "" : fmt::format(" with {} = {}", r.parameter_name, r.parameter_text), a.rows,
      a.rows == 1 ? "" : "s", a.t, a.instead.empty() ? name(r.options.dynamics.by) : name(Formulation::dalembert),
      name(r.options.integrator.method));
  if (r.options.integrator.method != Method::dae) text += fmt::format(", loops {}", name(r.options.loops));
  text += "\n" + r.bending;
  if (!a.instead.empty()) text += fmt::format("  dalembert instead of legs: {}\n", a.instead);
  text += fmt::format("  {} steps, {} evaluations{}\n", a.steps, a.evaluations,
                      a.choices > 1 ? fmt::format(", coordinates chosen {} times", a.choices) : "");
  if (a.events > 0) text += fmt::format("  {} times a joint stopped or broke loose\n", a.events);
  text += fmt::format("  loops closed to {:.1e}\n", a.largest_residual);
  text += fmt::format("  energy from {:.6g} to {:.6g} J", r.energy_start, r.energy_end);
  if (r.conservative && r.largest_kinetic > 1e-9 * std::abs(r.energy_start))  // else it rests: rounding over nothing
    text += fmt::format(", kept to {:.1e} of the largest kinetic energy", r.largest_change / r.largest_kinetic);
  text += "\n";
  if (a.shortest_step > 0)
    text += fmt::format("  shortest step {:.1e} s at t = {:g} s\n", a.shortest_step, a.shortest_t);
  if (!a.passed.empty())
    text += fmt::format("  {} singular position{} of the loops passed over, the first at t = {:.6g} s\n",
                        a.passed.size(), a.passed.size() == 1 ? "" : "s", a.passed.front());
  if (!r.output.empty()) text += fmt::format("  {}\n", r.output);
  return text;
}

std::string simulation_json(const std::vector<SimulationReport>& reports) {
  json all = json::array();
  for (const SimulationReport& r : reports) {
    const SimulationAnswer& a = r.answer;
    json out = {{"robot", r.robot},
                {"status", a.stopped ? "interrupted" : std::string(name(a.status))},
                {"rows", a.rows},
                {"t", a.t},
                {"by", a.instead.empty() ? name(r.options.dynamics.by) : name(Formulation::dalembert)},
                {"method", name(r.options.integrator.method)},
                {"loops", name(r.options.loops)},
                {"steps", a.steps},
                {"evaluations", a.evaluations},
                {"events", a.events},
                {"choices", a.choices},
                {"shortest_step", a.shortest_step},
                {"largest_residual", a.largest_residual},
                {"energy_start", r.energy_start},
                {"energy_end", r.energy_end},
                {"largest_kinetic", r.largest_kinetic},
                {"largest_energy_change", r.largest_change},
                {"conservative", r.conservative},
                {"passed", a.passed},
                {"within_limits", r.beyond.empty()}};
    if (!r.bending_json.empty()) out["modes"] = json::parse(r.bending_json);
    if (!a.ok()) out["reason"] = a.reason;
    if (!a.instead.empty()) out["instead_of_legs"] = a.instead;
    if (r.eigenvalue > 0) out["eigenvalue"] = r.eigenvalue;
    if (!r.beyond.empty()) out["beyond_limits"] = r.beyond;
    if (!r.parameter_name.empty()) out["set"] = {{r.parameter_name, r.parameter_text}};
    if (!r.output.empty()) out["file"] = r.output;
    if (r.table && r.table->rows.size() <= most_json_rows) out["table"] = table_json(*r.table);
    all.push_back(std::move(out));
  }
  return dumped(all.size() == 1 ? all.front() : all);
}

}  // namespace gough
