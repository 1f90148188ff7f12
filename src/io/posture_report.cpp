#include "gough/io/posture_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gough/io/units.hpp"
#include "gough/kinematics/mobility.hpp"
#include "state_columns.hpp"

namespace gough {
namespace {

using io::dumped;
using io::json;

Workspace<double> at_posture(const Mechanism<double>& m, const Posture& p) {
  Workspace<double> w(m);
  w.q = p.q;
  tree_positions(m, w);
  closure(m, w);
  return w;
}

json as_json(const Mechanism<double>& m, const Posture& p) {
  Workspace<double> w = at_posture(m, p);
  json q = json::object();
  for (const auto& [name, value] : named_positions(m, w)) q[name] = value;
  json pose = nullptr;
  if (m.platform.exists()) {
    const Vec6<double> x = pose_vector(platform_pose(m, w));
    pose = std::vector<double>(x.begin(), x.end());
  }
  const SingularityIndices s = singularity_indices(m, w);
  const auto number = [](const std::optional<double>& x) { return x ? json(*x) : json(nullptr); };
  json out = {
      {"status", name(p.answer.status)},
      {"pose", pose},
      {"q", q},
      {"residual", p.answer.residual},
      {"iterations", p.answer.iterations},
      {"reason", p.answer.reason},
      {"singularity", {{"type1", number(s.type1)}, {"type2", number(s.type2)}, {"constraint", number(s.constraint)}}}};
  if (!p.mode.empty()) out["mode"] = p.mode;
  return out;
}

}  // namespace

std::string posture_text(const Mechanism<double>& m, const Posture& p) {
  Workspace<double> w = at_posture(m, p);
  std::string text = fmt::format("{}\n", p.answer.explain());
  if (m.platform.exists()) {
    const Vec6<double> x =
        pose_vector(platform_pose(m, w)).unaryExpr([](double c) { return std::abs(c) < 5e-7 ? 0.0 : c; });
    text += fmt::format("  platform   x {:.6f}  y {:.6f}  z {:.6f} m   rx {:.6f}  ry {:.6f}  rz {:.6f} rad\n", x[0],
                        x[1], x[2], x[3], x[4], x[5]);
  }
  std::size_t width = 10;
  for (const Coordinate& c : m.coordinate) width = std::max(width, c.name.size());
  const auto values = named_positions(m, w);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Coordinate& c = m.coordinate[i];
    const bool of_platform = m.platform.floats && c.joint == m.body_name[static_cast<std::size_t>(m.platform.body)] &&
                             static_cast<int>(i) < 6;
    if (of_platform) continue;
    if (c.is_length)
      text +=
          fmt::format("  {:<{}} {:>12.6f} m{}\n", c.name, width, values[i].second, c.actuated ? "    actuated" : "");
    else
      text += fmt::format("  {:<{}} {:>12.6f} rad  {:>9.3f} deg{}\n", c.name, width, values[i].second,
                          values[i].second * 180 / M_PI, c.actuated ? "    actuated" : "");
  }
  text += fmt::format("  residual {:.1e}, {}\n", p.answer.residual,
                      p.answer.iterations == 0   ? "no iterations"
                      : p.answer.iterations == 1 ? "1 iteration"
                                                 : fmt::format("{} iterations", p.answer.iterations));
  return text;
}

std::string posture_json(const Mechanism<double>& m, const Posture& p) { return dumped(as_json(m, p)); }

std::string postures_text(const Mechanism<double>& m, const std::vector<Posture>& all, const std::string& method) {
  std::string text = fmt::format("{} {} ({})\n", all.size(), all.size() == 1 ? "answer" : "answers", method);
  for (std::size_t i = 0; i < all.size(); ++i)
    text +=
        fmt::format("\n{}{}: {}", i + 1, all[i].mode.empty() ? "" : " mode " + all[i].mode, posture_text(m, all[i]));
  return text;
}

std::string postures_json(const Mechanism<double>& m, const std::vector<Posture>& all) {
  json list = json::array();
  for (const Posture& p : all) list.push_back(as_json(m, p));
  return dumped(list);
}

std::vector<double> parse_numbers(const std::string& text, const std::vector<bool>& lengths, const std::string& what) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i <= text.size();) {
    const std::size_t end = std::min(text.find(',', i), text.size());
    std::string piece = text.substr(i, end - i);
    piece.erase(0, piece.find_first_not_of(' '));
    piece.erase(piece.find_last_not_of(' ') + 1);
    std::string why;
    const auto q = parse_quantity(piece, why);
    if (!q) throw Error(fmt::format("{}: {}", what, why));
    const std::size_t k = numbers.size();
    const Dimension wanted = k < lengths.size() && lengths[k] ? dimension::length : dimension::angle;
    if (k < lengths.size() && q->dimension && *q->dimension != wanted)
      throw Error(fmt::format("{}: read '{}' as number {}, expected one in {}", what, piece, k + 1, unit_of(wanted)));
    numbers.push_back(q->value);
    i = end + 1;
  }
  if (!lengths.empty() && numbers.size() != lengths.size())
    throw Error(fmt::format("{}: read {} numbers, expected {}", what, numbers.size(), lengths.size()));
  return numbers;
}

namespace {

/// A number without a unit, or with that of a slide or of a hinge.
double parse_either(const std::string& text, const std::string& what, const Dimension& slide, const Dimension& hinge,
                    const char* expected) {
  std::string why;
  const auto q = parse_quantity(text, why);
  if (!q) throw Error(fmt::format("{}: {}", what, why));
  if (q->dimension && *q->dimension != slide && *q->dimension != hinge)
    throw Error(fmt::format("{}: read '{}', expected {}", what, text.substr(0, 80), expected));
  return q->value;
}

}  // namespace

double parse_rate(const std::string& text, const std::string& what) {
  return parse_either(text, what, dimension::speed, dimension::rate, "a rate in m/s or rad/s");
}

double parse_position(const std::string& text, const std::string& what) {
  return parse_either(text, what, dimension::length, dimension::angle, "a length or an angle");
}

}  // namespace gough
