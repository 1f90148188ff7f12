#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report_parts.hpp"

namespace gough::io {
namespace {

constexpr std::string_view nothing = "–";

/// Whether a column says anything.
bool is_empty(const json& rows, std::size_t c) {
  return std::all_of(rows.begin(), rows.end(), [&](const json& row) { return row.at(c) == nothing; });
}

std::string number(double x) {
  return std::isfinite(x) ? fmt::format("{:.4g}", std::abs(x) < 5e-13 ? 0.0 : x) : std::string(nothing);
}
std::string number(const std::optional<double>& x) { return x ? number(*x) : std::string(nothing); }
std::string share(double peak, double limit) {
  return std::isfinite(limit) ? fmt::format("{:.0f} %", 100 * std::abs(peak) / limit) : std::string(nothing);
}
std::string joined(const std::vector<std::string>& all) {
  return all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "));
}

json agreement_table(const StudyResult& r) {
  json rows = json::array();
  for (std::size_t i = 0; i < r.formulations.size(); ++i) {
    const StudyFormulation& f = r.formulations[i];
    rows.push_back({std::string(name(f.by)), i == 0 ? "reference" : fmt::format("{:.1e}", f.disagreement),
                    i == 0 || f.disagreement == 0 ? std::string(nothing) : number(f.disagreement_t), f.file});
  }
  json table = report_table("agreement", "Agreement of formulations",
                            {"formulation", "#largest difference", "#at t [s]", "table"}, rows,
                            "Differences of all actuator forces, over the largest forces of the run.");
  table["check"] = true;
  return table;
}

json sizing_table(const InverseReport& r, bool is_length) {
  const std::string force = is_length ? "N" : "N m", speed = is_length ? "m/s" : "rad/s";
  json rows = json::array();
  for (const ActuatorLoad& a : r.sizing)
    if (a.is_length == is_length)
      rows.push_back({a.actuator, number(a.force.value), number(a.force.t), number(a.rms_force), number(a.speed.value),
                      number(a.power.value), number(a.energy), share(a.force.value, a.force_limit),
                      share(a.speed.value, a.speed_limit)});
  return report_table(is_length ? "sizing_forces" : "sizing_torques", "Actuator sizing",
                      {"actuator", fmt::format("#peak {} [{}]", is_length ? "force" : "torque", force), "#at t [s]",
                       fmt::format("#rms [{}]", force), fmt::format("#peak speed [{}]", speed), "#peak power [W]",
                       "#energy [J]", "#force limit used", "#speed limit used"},
                      rows);
}

json motor_table(const InverseReport& r) {
  json rows = json::array();
  for (const ActuatorLoad& a : r.sizing) {
    if (!a.ratio) continue;
    const double speed = a.speed.value * *a.ratio;
    rows.push_back({a.actuator, number(*a.ratio), number(a.force.value / *a.ratio),
                    number(a.rms_force / std::abs(*a.ratio)), number(speed), number(speed * 30 / M_PI)});
  }
  return report_table("motors", "Motor sizing",
                      {"motor", "#ratio [rad per m or rad]", "#peak torque [N m]", "#rms torque [N m]",
                       "#peak speed [rad/s]", "#peak speed [rpm]"},
                      rows);
}

json published_table(const Study& study, const StudyResult& r) {
  json rows = json::array();
  for (const ComparedNumber& c : r.published) {
    const double scale = std::max(std::abs(c.published.value), std::abs(c.ours));
    const double off = scale > 0 ? std::abs(c.ours - c.published.value) / scale : 0;
    rows.push_back({c.published.what, fmt::format("{} of {}", name(c.published.take), c.published.column),
                    c.published.as_written, fmt::format("{:.6g}", c.ours),
                    off < 1e-12 ? "0" : fmt::format("{:.1e}", off)});
  }
  return report_table("published", "Published numbers and ours",
                      {"what", "our column", "#published", "#ours [SI]", "#relative difference"}, rows,
                      "Published in: " + study.published.source);
}

json settings_table(const Study& study) {
  json rows = json::array();
  for (const auto& [path, value] : study.settings) rows.push_back({path, value});
  return report_table("settings", "Values set by the study", {"in the robot file", "value"}, rows);
}

}  // namespace

json report_table(const std::string& id, const std::string& title, const std::vector<std::string>& columns,
                  const json& rows, const std::string& note) {
  json heads = json::array(), numeric = json::array(), kept(rows.size(), json::array());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (is_empty(rows, c)) continue;
    numeric.push_back(columns[c].starts_with('#'));
    heads.push_back(columns[c].starts_with('#') ? columns[c].substr(1) : columns[c]);
    for (std::size_t r = 0; r < rows.size(); ++r) kept[r].push_back(rows[r].at(c));
  }
  return {{"id", id}, {"title", title}, {"columns", heads}, {"numeric", numeric}, {"rows", kept}, {"note", note}};
}

MobilityReport checked(const Mechanism<double>& m) {
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  HomeAssembly home;
  home.assembly.closed = true;
  home.assembly.residual = w.phi.size() > 0 ? w.phi.cwiseAbs().maxCoeff() : 0;
  return check_mobility(m, home);
}

json mobility_table(const MobilityReport& r) {
  json rows = json::array();
  rows.push_back({"degrees of freedom", std::to_string(r.mobility)});
  rows.push_back({"by counting (Gruebler)", std::to_string(r.gruebler)});
  rows.push_back({"moving bodies, joints", fmt::format("{}, {}", r.bodies, r.joints)});
  rows.push_back({"independent loops", std::to_string(r.loops)});
  rows.push_back({"loop equations", fmt::format("{} on {} coordinates, rank {}", r.equations, r.coordinates, r.rank)});
  rows.push_back({"redundant equations", joined(r.redundant)});
  rows.push_back({"idle motions", joined(r.idle)});
  rows.push_back({"cut at", joined(r.cuts)});
  rows.push_back({"actuators", r.actuators.empty()
                                   ? std::string("none")
                                   : fmt::format("{} ({} actuation)", joined(r.actuators), r.actuation)});
  rows.push_back(
      {"singularity indices at home", fmt::format("type 1 {}, type 2 {}, constraint {}", number(r.singularity.type1),
                                                  number(r.singularity.type2), number(r.singularity.constraint))});
  return report_table("mobility", "Mobility", {"", "found"}, rows);
}

json report_tables(const Study& study, const StudyResult& result) {
  json all = json::array();
  const auto add = [&](json t) {
    if (!t.at("rows").empty()) all.push_back(std::move(t));
  };
  add(published_table(study, result));
  if (result.inverse.answer.rows > 0) {
    for (const bool is_length : {true, false}) add(sizing_table(result.inverse, is_length));
    add(motor_table(result.inverse));
  }
  add(settings_table(study));
  add(mobility_table(checked(study.robot)));
  if (result.formulations.size() > 1) add(agreement_table(result));
  return all;
}

json report_notes(const Study& study, const StudyResult& result) {
  json all = json::array();
  const InverseReport& r = result.inverse;
  const auto add = [&](std::string_view severity, std::string text) {
    all.push_back({{"severity", severity}, {"text", std::move(text)}});
  };
  if (r.answer.stopped) add("warning", fmt::format("Interrupted: {} of {} states are done.", r.answer.rows, r.asked));
  else if (!r.answer.ok())
    add("warning", fmt::format("Ended at t = {:g}: {}: {}. {} of {} states are done.", r.answer.t,
                               name(r.answer.status), r.answer.reason, r.answer.rows, r.asked));
  for (const std::string& text : r.beyond) add("warning", "Outside limits: " + text + ".");
  static constexpr std::array<std::string_view, 3> severities = {"info", "warning", "warning"};
  for (const Finding& f : checked(study.robot).findings)
    add(severities[static_cast<std::size_t>(f.severity)], "Check: " + f.what + ".");
  return all;
}

}  // namespace gough::io
