#include "deformed.hpp"

#include <algorithm>
#include <cmath>

namespace gough::io {
namespace {

constexpr int parts_per_element = 4;
constexpr double seen = 0.25;  // share of the mechanism's size that the largest displacement gets

/// Displacement and turn of a node, elastic axes.
struct NodeMotion {
  Vec3<double> u = Vec3<double>::Zero(), turn = Vec3<double>::Zero();
};
NodeMotion motion_of(const FlexibleModel& f, const VecX<double>& U, int node) {
  const int first = f.node[at(node)].first;
  if (f.planar) return {{U[first], U[first + 1], 0}, {0, 0, U[first + 2]}};
  return {U.segment<3>(first), U.segment<3>(first + 3)};
}

/// Along an element, by Hermite's polynomials.
Vec3<double> between(const NodeMotion& a, const NodeMotion& b, const Vec3<double>& chord, double s) {
  const Vec3<double> slope_a = cross<double>(a.turn, chord) + chord * (b.u - a.u).dot(chord) / chord.squaredNorm(),
                     slope_b = cross<double>(b.turn, chord) + chord * (b.u - a.u).dot(chord) / chord.squaredNorm();
  return a.u * (1 - 3 * s * s + 2 * s * s * s) + slope_a * (s - 2 * s * s + s * s * s) +
         b.u * (3 * s * s - 2 * s * s * s) + slope_b * (s * s * s - s * s);
}

}  // namespace

double round_down(double x) {
  if (!(x > 0) || !std::isfinite(x)) return 1;
  const double power = std::pow(10, std::floor(std::log10(x)));
  return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
}

void Deformed::begin(std::size_t curve, const std::string& name) {
  if (curve >= curves_.size()) curves_.push_back({name, {}, {}, 0});
  curves_[curve].points = 0;
}

void Deformed::put(std::size_t curve, const Vec3<double>& place, const Vec3<double>& displacement) {
  Curve& c = curves_[curve];
  for (int i = 0; i < 3; ++i) {
    c.place.push_back(static_cast<float>(place[i]));
    c.displacement.push_back(static_cast<float>(displacement[i]));
  }
  ++c.points;
  largest_ = std::max(largest_, displacement.norm());
}

void Deformed::add(const FlexResult& r, const Mechanism<double>& m) {
  const FlexibleModel& f = r.e.model();
  std::size_t next = 0;
  int body = -1;
  for (const FlexElement& x : f.element) {
    const ElasticAxes& b = r.rigid.body[at(x.body)];
    const NodeMotion first = motion_of(f, r.U, x.a), second = motion_of(f, r.U, x.b);
    const Vec3<double> from = f.node[at(x.a)].r, chord = f.node[at(x.b)].r - from;
    const bool starts = x.body != body;
    if (starts) begin(next++, m.body_name[at(x.body)]);
    body = x.body;
    for (int i = starts ? 0 : 1; i <= parts_per_element; ++i) {
      const double s = static_cast<double>(i) / parts_per_element;
      put(next - 1, b.p + b.R * (from + chord * s), b.R * between(first, second, chord, s));
    }
  }
  for (int j = 0; j < m.tree_size(); ++j) {  // rigid bodies: their joints, round and back
    if (m.hidden[at(j)] || std::any_of(m.beam.begin(), m.beam.end(), [&](const BeamBody& x) { return x.body == j; }))
      continue;
    std::vector<Held> corners;
    const ElasticAxes& b = r.rigid.body[at(j)];
    for (std::size_t i = 0; i < f.joint.size(); ++i)
      for (const auto& [node, point] :
           {std::pair(f.joint[i].a, r.rigid.joint[i].at_a), {f.joint[i].b, r.rigid.joint[i].at_b}})
        if (node >= 0 && f.node[at(node)].body == j)
          corners.push_back({node, b.R.transpose() * (point - b.p) - f.node[at(node)].r});
    if (corners.size() < 2) continue;
    if (corners.size() > 2) corners.push_back(corners.front());
    begin(next++, m.body_name[at(j)]);
    for (const Held& h : corners)
      put(next - 1, b.p + b.R * (f.node[at(h.node)].r + h.arm), displacement_of(f, r.rigid, h, r.U).head<3>());
  }
}

json Deformed::data(double exaggeration, double size) const {
  const double by =
      exaggeration > 0 ? exaggeration : std::max(1.0, round_down(seen * size / std::max(largest_, 1e-300)));
  json curves = json::array();
  for (const Curve& c : curves_) {
    std::vector<float> points(c.place.size());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = c.place[i] + static_cast<float>(by) * c.displacement[i];
    curves.push_back({{"name", c.name}, {"points", c.points}, {"values", packed(points)}});
  }
  return {{"exaggeration", by}, {"curves", curves}};
}

}  // namespace gough::io
