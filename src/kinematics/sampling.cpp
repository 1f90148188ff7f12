#include "gough/kinematics/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "gough/kinematics/continuation.hpp"
#include "gough/kinematics/inverse.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/scalar/index.hpp"

namespace gough {
namespace {

constexpr double turn = 0.35;  // rad

/// Numbers from -1 to 1 that are the same with every library.
class Random {
 public:
  double operator()() { return 2.0 * static_cast<double>(engine_()) / 4294967295.0 - 1; }

 private:
  std::mt19937 engine_{1};
};

double between(const Range& limits, double home, double reach, double x) {
  const double low = std::isfinite(limits.lower) ? limits.lower : home - reach;
  const double high = std::isfinite(limits.upper) ? limits.upper : home + reach;
  return (low + high) / 2 + x * (high - low) / 2;
}

constexpr double coarse =
    0.05;  ///< of the way: whoever wants positions wants no particular ones, and ends where this is too far

bool has_moved(const Mechanism<double>& m, const Workspace<double>& w) {
  return w.q.allFinite() && (w.q - m.home).norm() > 1e-6 * m.home.norm();
}

bool by_pose(const Mechanism<double>& m, const Vec6<double>& home, double reach, Random& random, Workspace<double>& w) {
  Vec6<double> pose = home;
  for (int c = 0; c < 6; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const double x = random();
    if (m.platform.coordinates[i]) pose[c] = between(m.platform.limits[i], home[c], c < 3 ? reach : turn, x);
  }
  const bool closed_form = !m.leg_form.empty() && std::none_of(m.leg_form.begin(), m.leg_form.end(), [](const auto& f) {
    return f.kind == LegKind::general;
  });
  if (closed_form && m.platform.task_size() == 6) return inverse_kinematics(m, pose_from_vector(pose), w).ok();
  tree_positions(m, w);
  walk(m, w, pose_path(m, platform_pose(m, w), pose_from_vector(pose), m.platform.coordinates), nullptr, coarse);
  return has_moved(m, w);
}

bool by_actuators(const Mechanism<double>& m, double reach, Random& random, Workspace<double>& w) {
  std::vector<std::pair<int, double>> way;  // of each actuator: where it is in q, how far
  Hold hold;
  hold.coordinates.assign(static_cast<std::size_t>(m.nv), false);
  for (const int c : m.driven()) hold.coordinates[static_cast<std::size_t>(c)] = true;
  for (const TreeJoint& joint : m.joint)
    if (single_coordinates(joint) == 1 && contains(m.actuator, joint.v))
      way.emplace_back(joint.q, random() * (m.coordinate[static_cast<std::size_t>(joint.v)].is_length ? reach : turn));
  const Path path = [&](double s, VecX<double>& q) {
    for (const auto& [place, far] : way) q[place] = m.home[place] + s * far;
    return hold;
  };
  walk(m, w, path, nullptr, coarse);
  return has_moved(m, w);
}

}  // namespace

std::vector<VecX<double>> positions_around_home(const Mechanism<double>& m, int wanted) {
  std::vector<VecX<double>> positions = {m.home};
  const bool platform = m.platform.exists() && m.platform.task_size() > 0;
  if (!platform && m.actuator.empty()) return positions;
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  closure(m, w);
  const double reach = characteristic_length(m, w) / 3;
  const Vec6<double> home =
      platform ? pose_vector(w.X0[static_cast<std::size_t>(m.platform.body)] * m.platform_frame) : Vec6<double>::Zero();
  Random random;
  for (int i = 0; i < 2 * wanted && static_cast<int>(positions.size()) <= wanted; ++i) {
    w.q = m.home;
    if (platform ? by_pose(m, home, reach, random, w) : by_actuators(m, reach, random, w)) positions.push_back(w.q);
  }
  return positions;
}

}  // namespace gough
