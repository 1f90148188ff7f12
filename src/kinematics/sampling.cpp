#include "gough/kinematics/sampling.hpp"

#include <cmath>
#include <random>

#include "gough/kinematics/forward.hpp"
#include "gough/kinematics/singularity.hpp"

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

bool by_pose(const Mechanism<double>& m, const Vec6<double>& home, double reach, Random& random, Workspace<double>& w) {
  Vec6<double> pose = home;
  for (int c = 0; c < 6; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const double x = random();
    if (m.platform.coordinates[i]) pose[c] = between(m.platform.limits[i], home[c], c < 3 ? reach : turn, x);
  }
  return inverse_kinematics(m, pose_from_vector(pose), w).ok();
}

bool by_actuators(const Mechanism<double>& m, double reach, Random& random, Workspace<double>& w) {
  VecX<double> given(static_cast<Eigen::Index>(m.actuator.size()));
  for (std::size_t a = 0; a < m.actuator.size(); ++a)
    for (const TreeJoint& joint : m.joint)
      if (joint.v == m.actuator[a])
        given[static_cast<Eigen::Index>(a)] =
            m.home[joint.q] + random() * (m.coordinate[static_cast<std::size_t>(joint.v)].is_length ? reach : turn);
  return forward_kinematics(m, given, w).ok();
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
