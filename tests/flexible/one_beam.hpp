#pragma once
/// Beams to test with: a section, a beam on a motor, motions, and what flex says of them.
#include <gtest/gtest.h>

#include <functional>

#include "gough/flexible/elastodynamics.hpp"
#include "kinematics/states.hpp"

namespace gough {

/// What an Error says that f throws.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "accepted";
}

/// The link of the published 3-RRR: 0.2 m, 3 x 3 mm, steel.
inline BeamDescription published_link() {
  BeamDescription b;
  b.to = {0.2, 0, 0};
  b.A = 9e-6;
  b.Iy = b.Iz = 81e-12 / 12;
  b.J = 0.1406 * 81e-12;
  b.E = 2.1e11;
  b.G = 2.1e11 / 2.6;
  b.rho = 7800;
  return b;
}

struct OneBeam {
  double L = 0.2, E = 2.1e11, rho = 7800, side = 3e-3;
  int elements = 4;
  std::string more;           ///< of the beam
  std::string points = "[]";  ///< masses
  std::string axis = "[0, 0, 1]", gravity = "[0, 0, 0]";

  double EI() const { return E * std::pow(side, 4) / 12; }
  double rhoA() const { return rho * side * side; }
  Mechanism<double> robot() const {
    return prepared_from(fmt::format("robot: one\ngravity: {}\nmaterials: {{stuff: {{E: {}, nu: 0.3, rho: {}}}}}\n"
                                     "bodies:\n  link:\n    points: {}\n    beam: {{to: [{}, 0, 0], material: stuff, "
                                     "section: {{square: {}}}, elements: {}{}}}\njoints:\n  root: {{type: revolute, "
                                     "parent: base, child: link, axis: {}, role: actuated}}\n",
                                     gravity, E, rho, points, L, side, elements, more, axis))
        .mechanism;
  }
};

using Law = std::function<std::array<double, 3>(double)>;  ///< q, v, a

inline std::vector<KnownState> states_of(double time, double h, const Law& law) {
  std::vector<KnownState> states;
  for (int i = 0; i <= static_cast<int>(std::lround(time / h)); ++i) {
    const auto [q, v, a] = law(i * h);
    KnownState s;
    s.motion.t = i * h;
    s.motion.motion =
        ActuatorMotion{VecX<double>::Constant(1, q), VecX<double>::Constant(1, v), VecX<double>::Constant(1, a)};
    states.push_back(s);
  }
  return states;
}
inline std::array<double, 3> still(double /*t*/) { return {0, 0, 0}; }

/// The tip's displacement in elastic axes.
inline Vec3<double> tip(const FlexResult& r) {
  const FlexibleModel& f = r.e.model();
  const FlexNode& n = f.node.back();
  return f.planar ? Vec3<double>(r.U[n.first], r.U[n.first + 1], 0) : Vec3<double>(r.U.segment<3>(n.first));
}

inline VecX<double> frequencies(const Mechanism<double>& m, const std::vector<KnownState>& states, int count,
                                FlexOptions o = {}) {
  o.frequencies = count;
  o.vibrates = false;
  VecX<double> f;
  const FlexAnswer a = flex_along(m, std::span(states).first(1), o, [&](const FlexResult& r) {
    f = r.frequency;
    return true;
  });
  EXPECT_TRUE(a.ok()) << a.along.reason;
  return f;
}

/// A shipped motion in equal steps.
inline std::vector<KnownState> states_along(const Mechanism<double>& m, const std::string& motion, double time,
                                            double h) {
  const Trajectory path = load_motion(std::string(GOUGH_SOURCE_DIR) + "/motions/" + motion + ".yaml", m);
  std::vector<KnownState> states;
  for (int i = 0; i <= static_cast<int>(std::lround(time / h)); ++i) {
    states.emplace_back();
    states.back().motion = sample(path, i * h);
  }
  return states;
}

}  // namespace gough
