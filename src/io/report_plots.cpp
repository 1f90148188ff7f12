#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "report_parts.hpp"

namespace gough::io {
namespace {

static_assert(std::endian::native == std::endian::little, "packed numbers are little-endian");

/// Series above this many bytes altogether are stored in single precision.
constexpr std::size_t most_double_bytes = 8'000'000;

std::string base64(const void* data, std::size_t size) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* in = static_cast<const unsigned char*>(data);
  std::string out;
  out.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t left = std::min<std::size_t>(3, size - i);
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < left ? in[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= left ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

bool is_length(const Mechanism<double>& m, const std::string& coordinate) {
  const int c = m.find_coordinate(coordinate);
  return c >= 0 && m.coordinate[static_cast<std::size_t>(c)].is_length;
}

constexpr std::string_view motion_part = "Motion", force_part = "Forces and powers", singularity_part = "Singularities";
/// In this order; checks, which are of no part, come last.
std::size_t place_of(const Plot& p) {
  constexpr std::array parts = {motion_part, force_part, singularity_part};
  return static_cast<std::size_t>(std::find(parts.begin(), parts.end(), p.part) - parts.begin());
}

/// The plot that a column belongs to.
struct Kind {
  std::string_view id, title, unit, part = motion_part;
};

Kind platform_kind(const std::string& c) {
  if (c == "x" || c == "y" || c == "z") return {"platform_position", "Platform position", "m"};
  if (c == "rx" || c == "ry" || c == "rz") return {"platform_rotation", "Platform rotation vector", "rad"};
  if (c == "vx" || c == "vy" || c == "vz") return {"platform_velocity", "Platform velocity", "m/s"};
  if (c == "wx" || c == "wy" || c == "wz") return {"platform_rate", "Platform angular velocity", "rad/s"};
  if (c == "ax" || c == "ay" || c == "az") return {"platform_acceleration", "Platform acceleration", "m/s²"};
  return {"platform_angular_acceleration", "Platform angular acceleration", "rad/s²"};
}

Kind column_kind(const Mechanism<double>& m, const std::string& column) {
  const std::size_t dot = column.find('.');
  if (dot == std::string::npos) return platform_kind(column);
  const std::string prefix = column.substr(0, dot);
  const bool length = is_length(m, column.substr(dot + 1));
  if (prefix == "q")
    return length ? Kind{"positions", "Actuator positions", "m"} : Kind{"angles", "Actuator angles", "rad"};
  if (prefix == "v")
    return length ? Kind{"speeds", "Actuator speeds", "m/s"} : Kind{"rates", "Actuator rates", "rad/s"};
  if (prefix == "a")
    return length ? Kind{"accelerations", "Actuator accelerations", "m/s²"}
                  : Kind{"angular_accelerations", "Actuator angular accelerations", "rad/s²"};
  if (prefix == "tau")
    return length ? Kind{"forces", "Actuator forces", "N", force_part}
                  : Kind{"torques", "Actuator torques", "N m", force_part};
  if (prefix == "motor_q") return {"motor_angles", "Motor angles", "rad"};
  if (prefix == "motor_tau") return {"motor_torques", "Motor torques", "N m", force_part};
  if (prefix == "residual") return {"elastic_residual", "Residual of elastic joints", length ? "N" : "N m", force_part};
  return {"others", "Further columns", ""};
}

class Plots {
 public:
  Plots(const Study& study, const StudyResult& result, const RunRecord& record)
      : study_(study), result_(result), record_(record) {}

  json made() {
    add_table("inverse.csv", "");
    for (const StudyFormulation& f : result_.formulations) add_table(f.file, std::string(name(f.by)));
    add_energies();
    add_singularities();
    add_disagreement();
    add_residual();
    std::stable_sort(plots_.begin(), plots_.end(),
                     [](const Plot& a, const Plot& b) { return place_of(a) < place_of(b); });
    return packed_plots(plots_, result_.formulations.empty() ? "" : std::string(name(result_.formulations[0].by)));
  }

 private:
  Plot& plot(const Kind& kind) {
    const auto found = std::find_if(plots_.begin(), plots_.end(), [&](const Plot& p) { return p.id == kind.id; });
    if (found != plots_.end()) return *found;
    plots_.push_back({std::string(kind.id), std::string(kind.title), std::string(kind.unit), "", false, false, {}});
    plots_.back().part = kind.part;
    return plots_.back();
  }
  void add(Plot p, std::string_view part) {
    p.part = part;
    plots_.push_back(std::move(p));
  }
  void add_check(Plot p) {
    p.check = true;
    plots_.push_back(std::move(p));
  }

  Table read(const std::string& file) const {
    return read_table((std::filesystem::path(result_.folder) / file).string());
  }

  void add_table(const std::string& file, const std::string& by) {
    const Table table = read(file);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& name = table.columns[c];
      const bool force = name.starts_with("tau.") || name.starts_with("motor_tau.");
      if (name == "t" || (by.empty() && force)) continue;
      const std::size_t dot = name.find('.');
      plot(column_kind(study_.robot, name))
          .series.push_back({dot == std::string::npos ? name : name.substr(dot + 1), by, column(table, c)});
    }
  }

  /// How far forces by every formulation are from those by the first.
  void add_disagreement() {
    std::vector<Table> tables;
    for (const StudyFormulation& f : result_.formulations) tables.push_back(read(f.file));
    if (tables.size() < 2) return;
    const std::size_t n = study_.robot.actuator.size();
    double largest = 0;
    const auto norm = [&](const std::vector<double>& a, const std::vector<double>* b) {
      double sum = 0;
      for (std::size_t c = 1; c <= n; ++c) sum += std::pow(a[c] - (b ? (*b)[c] : 0.0), 2);
      return std::sqrt(sum);
    };
    for (const auto& row : tables[0].rows) largest = std::max(largest, norm(row, nullptr));
    std::vector<Series> series;
    for (std::size_t i = 1; i < tables.size(); ++i) {
      Series s{std::string(name(result_.formulations[i].by)), "", {}};
      for (std::size_t r = 0; r < std::min(tables[i].rows.size(), tables[0].rows.size()); ++r)
        s.values.push_back(largest > 0 ? norm(tables[i].rows[r], &tables[0].rows[r]) / largest : 0.0);
      series.push_back(std::move(s));
    }
    add_check({"disagreement", "Disagreement of formulations", "",
               fmt::format("Difference of all forces from those by {}, over the largest forces. Rounding alone gives "
                           "some 10⁻¹⁶.",
                           name(result_.formulations[0].by)),
               false, true, std::move(series)});
  }

  void add_residual() {
    add_check({"residual",
               "Loop residual",
               "m or rad",
               "Largest loop equation. Loops count as closed below 10⁻¹².",
               false,
               true,
               {{"residual", "", record_.residual}}});
  }

  void add_singularities() {
    Plot p{"singularity", "Distance to singularities", "", "0 is singular, 1 is best.", true, false, {}};
    const auto add_index = [&](const std::string& label, const std::vector<double>& x) {
      if (std::any_of(x.begin(), x.end(), [](double y) { return !std::isnan(y); })) p.series.push_back({label, "", x});
    };
    add_index("type 1 (a leg at its reach)", record_.type1);
    add_index("type 2 (drives lose hold)", record_.type2);
    add_index("constraint", record_.constraint);
    add(std::move(p), singularity_part);
  }

  void add_energies() {
    const RunRecord& r = record_;
    std::vector<double> potential, change, work;
    for (std::size_t i = 0; i < r.t.size(); ++i) {
      potential.push_back(r.potential[i] - r.potential[0]);
      change.push_back(r.kinetic[i] - r.kinetic[0] + potential[i]);
      const auto power = [&](std::size_t k) { return r.actuators[k] + r.external[k] - r.losses[k]; };
      work.push_back(i == 0 ? 0.0 : work.back() + (r.t[i] - r.t[i - 1]) * (power(i) + power(i - 1)) / 2);
    }
    std::vector<Series> energies = {{"kinetic", "", r.kinetic}, {"potential", "", potential}};
    if (r.in_time) {
      energies.push_back({"change of their sum", "", change});
      energies.push_back({"work done on the robot", "", work});
    }
    const Plot powers = {
        "powers",
        "Powers",
        "W",
        "",
        false,
        false,
        {{"actuators", "", r.actuators}, {"losses", "", r.losses}, {"external loads", "", r.external}}};
    add(powers, force_part);
    add({"energies", "Energies", "J",
         "Potential energy counts from the start. The change of the sum and the work done (drives and external loads "
         "less losses, integrated) come from different formulas and should lie on each other.",
         false, false, std::move(energies)},
        force_part);
  }

  const Study& study_;
  const StudyResult& result_;
  const RunRecord& record_;
  std::vector<Plot> plots_;
};

}  // namespace

json packed(std::span<const float> values) {
  return {{"type", "f32"}, {"n", values.size()}, {"base64", base64(values.data(), values.size_bytes())}};
}

json packed(std::span<const double> values, bool single) {
  if (single) return packed(std::vector<float>(values.begin(), values.end()));
  return {{"type", "f64"}, {"n", values.size()}, {"base64", base64(values.data(), values.size_bytes())}};
}

/// Something other than rounding; on a logarithmic scale that is what is shown.
static bool worth_showing(const Plot& p) {
  const double least = p.log ? 0.0 : 1e-12;
  return std::any_of(p.series.begin(), p.series.end(), [=](const Series& s) {
    return std::any_of(s.values.begin(), s.values.end(), [=](double x) { return std::abs(x) > least; });
  });
}

json packed_plots(std::vector<Plot> plots, const std::string& first) {
  std::erase_if(plots, [](const Plot& p) { return !worth_showing(p); });
  std::stable_partition(plots.begin(), plots.end(), [](const Plot& p) { return !p.check; });
  const auto secondary = [&](const Series& s) { return !s.by.empty() && s.by != first; };
  std::size_t bytes = 0;
  for (const Plot& p : plots)
    for (const Series& s : p.series) bytes += (s.values.size() + s.x.size()) * (secondary(s) ? 4 : 8);
  json all = json::array();
  for (const Plot& p : plots) {
    json series = json::array();
    for (const Series& s : p.series) {
      json one = {{"name", s.name}};
      if (!s.by.empty()) one["by"] = s.by;
      const bool single = bytes > most_double_bytes || secondary(s);
      if (!s.x.empty()) one["x"] = packed(s.x, single);
      one["values"] = packed(s.values, single);
      series.push_back(std::move(one));
    }
    json one = {{"id", p.id}, {"title", p.title}, {"unit", p.unit}, {"note", p.note}};
    if (p.axis.empty()) one["at"] = p.at_frames ? "frames" : "samples";
    if (!p.x.empty()) one["x"] = packed(p.x, false);
    if (!p.axis.empty()) one["axis"] = p.axis;
    if (p.log_x) one["log_x"] = true;
    if (!p.part.empty()) one["part"] = p.part;
    if (p.check) one["check"] = true;
    one.update({{"log", p.log}, {"series", std::move(series)}});
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<double> column(const Table& table, std::size_t c) {
  std::vector<double> all;
  all.reserve(table.rows.size());
  for (const auto& row : table.rows) all.push_back(row[c]);
  return all;
}

json report_plots(const Study& study, const StudyResult& result, const RunRecord& record) {
  return Plots(study, result, record).made();
}

}  // namespace gough::io
