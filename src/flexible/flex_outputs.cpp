#include "flex_outputs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace gough {
namespace {

/// Tension and the two bending moments at an end, in the element's own axes.
struct EndForces {
  double tension, about_y, about_z;
};
EndForces end_forces(const FlexElement& x, const VecX<double>& own, int end) {
  const int first = end * x.e.at_end();
  const double sign = end == 0 ? -1 : 1;
  if (x.e.shape == BeamShape::spatial) return {sign * own[first], sign * own[first + 4], sign * own[first + 5]};
  return {sign * own[first], 0, sign * own[first + 2]};
}

double fibre_stress(const BeamDescription& s, const EndForces& f) {
  const double bending = s.round ? std::hypot(f.about_y, f.about_z) * s.half_y / s.Iz
                                 : std::abs(f.about_y) * s.half_z / s.Iy + std::abs(f.about_z) * s.half_y / s.Iz;
  return std::abs(f.tension) / s.A + bending;
}

}  // namespace

Stress largest_stress(const FlexEquations& e, const VecX<double>& U) {
  Stress s;
  const FlexibleModel& f = e.model();
  for (std::size_t i = 0; i < f.element.size(); ++i) {
    const FlexElement& x = f.element[i];
    if (!(x.section.half_y > 0)) continue;
    const VecX<double> own = x.turned.transpose() * (x.e.k * x.of(U) - e.element_load[i]);
    for (int end = 0; end < 2; ++end)
      if (const double value = fibre_stress(x.section, end_forces(x, own, end)); value > s.value)
        s = {value, static_cast<int>(i)};
  }
  return s;
}

void see_range(const Mechanism<double>& m, const FlexEquations& e, const FlexModes& modes, const VecX<double>& U,
               double t, FlexRange& range) {
  const FlexibleModel& f = e.model();
  const int turn = f.planar ? 2 : 3, turns = f.planar ? 1 : 3;
  double largest = 0;
  for (const FlexNode& n : f.node) {
    largest = std::max(largest, U.segment(n.first, turn).norm());
    range.turn.see(U.segment(n.first + turn, turns).norm(), t, m.body_name[at(n.body)]);
  }
  std::vector<double> shortening(m.beam.size(), 0), length(m.beam.size(), 0), least_tension(m.beam.size(), 0),
      stiffness(m.beam.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < f.element.size(); ++i) {
    const FlexElement& x = f.element[i];
    const FlexNode& root = f.node[at(f.nodes_of[at(x.body)][0])];
    const VecX<double> u = x.of(U);
    const Vec3<double> chord = x.along * x.e.length;
    const auto a = u.segment(0, turn), b = u.segment(x.e.at_end(), turn);
    Vec3<double> way = Vec3<double>::Zero(), root_turn = Vec3<double>::Zero();
    way.head(turn) = b - a;
    if (f.planar) root_turn.z() = U[root.first + 2];
    else root_turn = U.segment<3>(root.first + 3);
    way -= cross<double>(root_turn, chord);
    way -= x.along * x.along.dot(way);
    const std::size_t k = at(x.beam);
    shortening[k] += 0.5 * way.squaredNorm() / x.e.length;
    length[k] += x.e.length;
    least_tension[k] = std::min({least_tension[k], e.tension[i][0], e.tension[i][1]});
    const double weak = f.planar ? x.section.Iz : std::min(x.section.Iy, x.section.Iz);
    stiffness[k] = std::min(stiffness[k], x.section.E * weak);
  }
  for (std::size_t k = 0; k < m.beam.size(); ++k) {
    const std::string& body = m.body_name[at(m.beam[k].body)];
    const double euler = std::pow(std::numbers::pi / length[k], 2) * stiffness[k];
    range.compression.see(-least_tension[k] / euler, t, body);
    if (largest > 0) range.second_order.see(shortening[k] / largest, t, body);
  }
  if (modes.frequency.size() > 0 && modes.frequency[0] < 0)
    range.collapse.see(std::pow(2 * std::numbers::pi * modes.frequency[0], 2), t, m.name);
}

std::vector<std::string> FlexRange::warnings() const {
  std::vector<std::string> all;
  const auto say = [&](const Largest& x, double most, const char* text) {
    if (x.value > most) all.push_back(fmt::format(fmt::runtime(text), x.value, most, x.t, x.where));
  };
  if (coupled)
    say(turn, most_coupled_turn,
        "a beam bends by {:.3g} rad, more than {:g}, at t = {:.4g} s in '{}': the model knows bending to the second "
        "order");
  else
    say(turn, most_turn,
        "turns of {:.3g} rad, more than {:g}, at t = {:.4g} s in '{}': the linear model takes sin a for a");
  say(compression, most_compression,
      "compression of {:.3g} of Euler's buckling load, more than {:g}, at t = {:.4g} s in '{}'");
  if (!coupled)
    say(second_order, most_second_order,
        "shortening by bending of {:.3g} of the largest displacement, more than {:g}, at t = {:.4g} s in '{}': the "
        "linear model leaves it out");
  say(collapse, 0,
      "the lowest mode grows (-omega^2 = {:.3g} 1/s^2, more than {:g}) at t = {:.4g} s in '{}': the robot gives way");
  return all;
}

}  // namespace gough
