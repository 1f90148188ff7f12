/// What flex is asked for in words and tables: loads, places, shapes to start from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gough/error.hpp"
#include "gough/io/flex_report.hpp"
#include "gough/io/posture_report.hpp"
#include "motion_columns.hpp"
#include "readers.hpp"
#include "state_columns.hpp"

namespace gough {
namespace {

using namespace io;

int moving_body(const Mechanism<double>& m, const std::string& body, const std::string& who) {
  const int j = m.find_body(body);
  if (j >= 0) return j;
  const std::string near = nearest(body, m.body_name);
  throw Error(fmt::format("{}: read the body '{}', expected a moving one of {}{}", who, body.substr(0, 80), m.name,
                          near.empty() ? "" : "; did you mean '" + near + "'?"));
}

/// "BODY.k" where BODY moves; k is 0 where there is no number.
std::optional<std::pair<int, int>> node_named(const Mechanism<double>& m, const std::string& text) {
  if (const int j = m.find_body(text); j >= 0) return std::pair(j, 0);
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos || dot + 1 == text.size() || text.size() - dot > 7) return std::nullopt;
  const std::string digits = text.substr(dot + 1);
  if (!std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return std::nullopt;
  const int j = m.find_body(text.substr(0, dot));
  if (j < 0) return std::nullopt;
  return std::pair(j, std::stoi(digits));
}

std::string trimmed(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  return text.erase(text.find_last_not_of(' ') + 1);
}

}  // namespace

std::vector<PointLoad> parse_loads(const std::string& text, const Mechanism<double>& m) {
  std::vector<PointLoad> all;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(';', from), text.size());
    const std::string one = text.substr(from, end - from);
    from = end + 1;
    const std::size_t at_sign = one.find('@'), colon = one.find(':');
    if (at_sign == std::string::npos || colon == std::string::npos || colon < at_sign)
      throw Error(fmt::format("--load: read '{}', expected BODY@x,y,z:fx,fy,fz", one.substr(0, 80)));
    const std::string body = one.substr(0, at_sign);
    const int j = moving_body(m, body, "--load");
    const std::vector<bool> lengths(3, true);
    const std::vector<double> p = parse_numbers(one.substr(at_sign + 1, colon - at_sign - 1), lengths, "--load"),
                              f = parse_numbers(one.substr(colon + 1), std::vector<bool>(3, false), "--load");
    if (p.size() != 3 || f.size() != 3)
      throw Error(
          fmt::format("--load: read '{}', expected three numbers before ':' and three behind", one.substr(0, 80)));
    all.push_back({j, m.author_frame(body) * Vec3<double>(p[0], p[1], p[2]), {f[0], f[1], f[2]}});
  }
  return all;
}

namespace {

/// One place of --points, without the name before '='.
FlexPoint place_of(const std::string& text, const Mechanism<double>& m, std::optional<FlexibleModel>& model) {
  const std::size_t at_sign = text.find('@');
  if (at_sign != std::string::npos) {
    const std::string body = text.substr(0, at_sign);
    const int j = moving_body(m, body, "--points");
    const std::vector<double> p = parse_numbers(text.substr(at_sign + 1), std::vector<bool>(3, true), "--points");
    if (p.size() != 3)
      throw Error(fmt::format("--points: read '{}', expected three numbers after '@'", text.substr(0, 80)));
    return {"", j, m.author_frame(body) * Vec3<double>(p[0], p[1], p[2])};
  }
  const auto node = node_named(m, text);
  if (!node)
    throw Error(fmt::format("--points: read '{}', expected NAME=BODY@x,y,z or a node BODY.k of {}", text.substr(0, 80),
                            m.name));
  if (!model) model = flexible_model(m);
  const std::vector<int>& nodes = model->nodes_of[at(node->first)];
  if (at(node->second) >= nodes.size())
    throw Error(fmt::format("--points: read the node '{}', expected one up to {}.{}", text.substr(0, 80),
                            m.body_name[at(node->first)], nodes.size() - 1));
  return {"", node->first, model->axes[at(node->first)] * model->node[at(nodes[at(node->second)])].r};
}

}  // namespace

std::vector<FlexPoint> parse_points(const std::string& text, const Mechanism<double>& m) {
  constexpr std::size_t most_points = 1000;
  std::vector<FlexPoint> all;
  std::optional<FlexibleModel> model;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(';', from), text.size());
    const std::string one = trimmed(text.substr(from, end - from));
    from = end + 1;
    if (one.empty()) continue;
    const std::size_t sign = one.find('=');
    const std::string place = sign == std::string::npos ? one : trimmed(one.substr(sign + 1));
    if (sign == std::string::npos && place.find('@') != std::string::npos)
      throw Error(
          fmt::format("--points: read '{}', expected a name before it: NAME={}", one.substr(0, 80), one.substr(0, 80)));
    FlexPoint p = place_of(place, m, model);
    p.name = sign == std::string::npos ? one : trimmed(one.substr(0, sign));
    if (p.name.empty() || p.name.size() > 80)
      throw Error(fmt::format("--points: read the name '{}', expected 1 to 80 letters", p.name.substr(0, 80)));
    if (std::any_of(all.begin(), all.end(), [&](const FlexPoint& x) { return x.name == p.name; }))
      throw Error(fmt::format("--points: read '{}' a second time, expected every name once", p.name));
    if (all.size() == most_points)
      throw Error(fmt::format("--points: read more than {} places, expected fewer", most_points));
    all.push_back(std::move(p));
  }
  return all;
}

std::vector<NodeStart> load_node_start(const std::string& path, const Mechanism<double>& m) {
  const Table table = read_table(path);
  if (table.rows.empty()) throw Error({path, 0}, "read no rows, expected one with the shape to start from");
  std::vector<NodeStart> all;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::string name = table.columns[c];
    const bool rate = name.starts_with("v.");
    if (rate) name.erase(0, 2);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) continue;  // t, mode, f
    const auto axis = std::find(pose_names.begin(), pose_names.end(), name.substr(dot + 1));
    const auto node = axis == pose_names.end() ? std::nullopt : node_named(m, name.substr(0, dot));
    if (!node)
      throw Error({path, 1},
                  fmt::format("read the column '{}', expected BODY.k.x .. rz of a node of {}, v.BODY.k.x .. rz",
                              table.columns[c].substr(0, 80), m.name));
    auto known = std::find_if(all.begin(), all.end(),
                              [&](const NodeStart& n) { return n.body == node->first && n.node == node->second; });
    if (known == all.end()) known = all.insert(all.end(), {node->first, node->second, {}, {}});
    (rate ? known->rate : known->d)[static_cast<std::size_t>(axis - pose_names.begin())] =
        table_value(table, path, 0, static_cast<int>(c));
  }
  if (all.empty())
    throw Error({path, 1}, "read no displacement, expected columns BODY.k.x .. rz of nodes, as --shapes writes them");
  return all;
}

std::pair<VecX<double>, VecX<double>> load_elastic_start(const std::string& path, const Mechanism<double>& bent) {
  const Table table = read_table(path);
  if (table.rows.empty()) throw Error({path, 0}, "read no rows, expected one with the modes to start from");
  const auto n = static_cast<Eigen::Index>(bent.elastic.size());
  std::pair<VecX<double>, VecX<double>> start(VecX<double>::Zero(n), VecX<double>::Zero(n));
  bool any = false;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c];
    if (!name.starts_with("q.") && !name.starts_with("v.")) continue;
    const auto here = std::find_if(bent.elastic.begin(), bent.elastic.end(),
                                   [&](int e) { return coordinate(bent, e).name == name.substr(2); });
    if (here == bent.elastic.end())
      throw Error(
          {path, 1},
          fmt::format("read the column '{}', expected q.NAME and v.NAME of elastic coordinates, as {}",
                      name.substr(0, 80),
                      bent.elastic.empty() ? "there are none" : "q." + coordinate(bent, bent.elastic.front()).name));
    (name[0] == 'q' ? start.first : start.second)[here - bent.elastic.begin()] =
        table_value(table, path, 0, static_cast<int>(c));
    any = true;
  }
  if (!any) throw Error({path, 1}, "read no modes, expected columns q.NAME and perhaps v.NAME of elastic coordinates");
  return start;
}

}  // namespace gough
