#include "gough/io/check_report.hpp"

#include "gough/io/dynamics_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gough {
namespace {

using json = nlohmann::ordered_json;

std::string_view word(Finding::Severity s) {
  switch (s) {
    case Finding::Severity::info: return "info";
    case Finding::Severity::warning: return "warning";
    case Finding::Severity::error: return "error";
  }
  return "";
}

std::string counted(int n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

/// "leg1.ball, leg2.ball, ... (6)": a list that does not fill the screen.
std::string listed(const std::vector<std::string>& all, std::size_t most = 6) {
  if (all.size() <= most) return fmt::format("{}", fmt::join(all, ", "));
  const std::vector<std::string> head(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most) - 1);
  return fmt::format("{}, ... and {} more", fmt::join(head, ", "), all.size() - head.size());
}

std::string index(const std::optional<double>& x) { return x ? fmt::format("{:.3f}", *x) : "-"; }

/// Text broken at `width`, continued under column `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 100) {
  std::string out;
  std::size_t column = indent;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = text.find(' ', i);
    if (end == std::string::npos) end = text.size();
    if (column + (end - i) > width && column > indent) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(i, end - i);
    column += end - i;
    i = end + 1;
  }
  return out;
}

std::string line(std::string_view label, const std::string& text) {
  return fmt::format("  {:<14}{}\n", label, wrapped(text, 16));
}

/// Those that are not used although the robot is of their kind are among the findings.
std::string used_paths(const MobilityReport& r) {
  std::vector<std::string> used;
  for (const FastPath& p : r.fast_paths)
    if (p.used) used.push_back(p.name);
  return used.empty() ? "" : listed(used);
}

std::string freedom(const MobilityReport& r) {
  std::string text = counted(r.mobility, "degree of freedom", "degrees of freedom");
  text += fmt::format("; counting (Gruebler) gives {}", r.gruebler);
  if (!r.idle.empty())
    text += fmt::format("; {} apart", counted(static_cast<int>(r.idle.size()), "idle motion", "idle motions"));
  return text;
}

}  // namespace

std::string check_text(const MobilityReport& r) {
  std::string text = fmt::format("{}\n", r.name);
  text += line("bodies", fmt::format("{}, {}, {}", counted(r.bodies, "moving body", "moving bodies"),
                                     counted(r.joints, "joint", "joints"),
                                     counted(r.loops, "independent loop", "independent loops")));
  if (!r.cuts.empty()) text += line("cut at", listed(r.cuts));
  if (!r.closed) {
    for (const Finding& f : r.findings)
      text += fmt::format("\n  {:<9} {}\n            -> {}\n", word(f.severity), wrapped(f.what, 12),
                          wrapped(f.repair, 15));
    return text;
  }
  text += line("equations", fmt::format("{} on {}, rank {}", counted(r.equations, "loop equation", "loop equations"),
                                        counted(r.coordinates, "coordinate", "coordinates"), r.rank));
  if (!r.redundant.empty()) text += line("redundant", listed(r.redundant, 12));
  text += line("mobility", freedom(r));
  text += line("actuators", r.actuators.empty()
                                ? std::string("none")
                                : fmt::format("{}: {} ({})", r.actuators.size(), listed(r.actuators),
                                              r.actuation == "under" ? "under-actuated" : r.actuation + " actuation"));
  if (const std::string used = used_paths(r); !used.empty()) text += line("fast paths", used);
  if (r.elastic > 0) text += line("elastic", counted(r.elastic, "elastic coordinate", "elastic coordinates"));
  if (r.loops > 0)
    text += line("home", r.closure_residual < 1e-15 ? std::string("closed to better than 1e-15")
                                                    : fmt::format("closed to {:.0e}", r.closure_residual));
  text += line("singularity", fmt::format("type 1 {}, type 2 {}, constraint {}   (0 singular, 1 best; length {:.3g} m)",
                                          index(r.singularity.type1), index(r.singularity.type2),
                                          index(r.singularity.constraint), r.characteristic_length));
  for (const Finding& f : r.findings) {
    text += fmt::format("\n  {:<9} {}\n", word(f.severity), wrapped(f.what, 12));
    if (f.repair != "none needed") text += fmt::format("            -> {}\n", wrapped(f.repair, 15));
  }
  return text;
}

std::string check_json(const MobilityReport& r) {
  const auto number = [](const std::optional<double>& x) { return x ? json(*x) : json(nullptr); };
  json fast_paths = json::array();
  for (const FastPath& p : r.fast_paths) fast_paths.push_back({{"name", p.name}, {"used", p.used}, {"why", p.why}});
  json findings = json::array();
  for (const Finding& f : r.findings)
    findings.push_back({{"severity", word(f.severity)}, {"what", f.what}, {"repair", f.repair}});
  const json all = {{"name", r.name},
                    {"bodies", r.bodies},
                    {"joints", r.joints},
                    {"loops", r.loops},
                    {"coordinates", r.coordinates},
                    {"coordinate_names", r.coordinate_names},
                    {"equations", r.equations},
                    {"rank", r.rank},
                    {"rank_at_home", r.rank_at_home},
                    {"redundant", r.redundant},
                    {"mobility", r.mobility},
                    {"gruebler", r.gruebler},
                    {"planar", r.planar},
                    {"idle", r.idle},
                    {"cuts", r.cuts},
                    {"actuators", r.actuators},
                    {"elastic", r.elastic},
                    {"actuation", r.actuation},
                    {"closure_residual", r.closure_residual},
                    {"closure_gap", r.closure_gap},
                    {"characteristic_length", r.characteristic_length},
                    {"singularity",
                     {{"type1", number(r.singularity.type1)},
                      {"type1_leg", r.singularity.type1_leg},
                      {"type2", number(r.singularity.type2)},
                      {"constraint", number(r.singularity.constraint)}}},
                    {"fast_paths", fast_paths},
                    {"findings", findings}};
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

PoseList poses_of_table(const Table& table, const std::string& file, const PoseMask& read) {
  PoseList list;
  std::array<int, 6> column{};
  bool any = false;
  for (std::size_t i = 0; i < 6; ++i) {
    column[i] = table.find(std::string(pose_names[i]));
    any = any || column[i] >= 0;
  }
  if (!any) throw Error({file, 1}, "read none of the columns x, y, z, rx, ry, rz, expected poses of the platform");
  const int time = table.find("t");
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    Vec6<double> x = Vec6<double>::Zero();
    for (std::size_t i = 0; i < 6; ++i)
      if (column[i] >= 0) x[static_cast<Eigen::Index>(i)] = table.rows[r][static_cast<std::size_t>(column[i])];
    list.line.push_back(r < table.line.size() ? table.line[r] : 0);
    try {
      list.poses.push_back(pose_from_vector(x, read));
    } catch (const Error& e) { throw Error({file, list.line.back()}, e.what()); }
    list.t.push_back(time >= 0 ? table.rows[r][static_cast<std::size_t>(time)] : static_cast<double>(r));
  }
  return list;
}

std::vector<MotionState> states_along(const std::string& path, const Mechanism<double>& m, double step) {
  std::vector<MotionState> states;
  const auto has_poses = [](const Table& table) {
    return std::any_of(pose_names.begin(), pose_names.end(),
                       [&](std::string_view name) { return table.find(std::string(name)) >= 0; });
  };
  if (!path.ends_with(".yaml") && !path.ends_with(".yml")) {  // a table may come from a pipe
    const Table table = read_table(path);
    if (has_poses(table)) {
      const PoseList list = poses_of_table(table, path, m.platform.coordinates);
      for (std::size_t r = 0; r < list.poses.size(); ++r) {
        MotionState state;
        state.t = list.t[r], state.line = list.line[r];
        const Vec3<double> none = Vec3<double>::Zero();
        state.motion = PlatformMotion{list.poses[r], none, none, none, none};
        states.push_back(state);
      }
    } else {
      for (const KnownState& s : known_motion(table, path, m, step).states) states.push_back(s.motion);
    }
  } else {
    for (const KnownState& s : load_known_motion(path, m, step).states) states.push_back(s.motion);
  }
  if (states.empty()) throw Error({path, 0}, "read no rows, expected poses or drives along a motion");
  return states;
}

std::string survey_text(const Survey& s, const std::vector<double>& t) {
  std::string text = fmt::format("along the motion: {}\n", counted(static_cast<int>(s.poses), "pose", "poses"));
  const auto least = [&](std::string_view label, const Least& l) {
    if (l.known())
      text += line(label, fmt::format("at least {:.4f}, met at t = {:g} (row {}){}", l.value, t[l.at], l.at + 1,
                                      l.leg.empty() ? "" : ", " + l.leg));
  };
  least("type 1", s.type1);
  least("type 2", s.type2);
  least("constraint", s.constraint);
  least("transmission", s.transmission);
  for (std::size_t i = 0; i < std::min<std::size_t>(s.failures.size(), 5); ++i)
    text += fmt::format("  t = {:g} (row {}): {}\n", t[s.failures[i].first], s.failures[i].first + 1,
                        s.failures[i].second.explain());
  if (s.failures.size() > 5) text += fmt::format("  ... and {} more\n", s.failures.size() - 5);
  return text;
}

std::string survey_json(const Survey& s, const std::vector<double>& t) {
  const auto least = [&](const Least& l) {
    return l.known() ? json{{"value", l.value}, {"t", t[l.at]}, {"row", l.at + 1}, {"leg", l.leg}} : json(nullptr);
  };
  json failures = json::array();
  for (const auto& [row, answer] : s.failures)
    failures.push_back({{"t", t[row]}, {"row", row + 1}, {"status", name(answer.status)}, {"reason", answer.reason}});
  const json all = {{"poses", s.poses},
                    {"type1", least(s.type1)},
                    {"type2", least(s.type2)},
                    {"constraint", least(s.constraint)},
                    {"transmission", least(s.transmission)},
                    {"failures", failures}};
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace gough
