#include "dynamics/loaded_robots.hpp"

namespace gough {

VecX<double> detail::all_rates(const Mechanism<double>& m, Workspace<double>& w) {
  tree_velocities(m, w);
  cut_coordinates(m, w);
  VecX<double> all(m.nv + m.cut_coordinates());
  all << w.v, w.cv;
  return all;
}

double detail::slowest_dry_rate(const Mechanism<double>& m, Workspace<double>& w) {
  const VecX<double> rates = all_rates(m, w);
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < m.coordinate.size(); ++c)
    for (const FrictionUse& use : m.coordinate[c].friction)
      if (use.function == "coulomb") slowest = std::min(slowest, std::abs(rates[static_cast<Eigen::Index>(c)]));
  return slowest;
}

double slowest_dry_rate(const Mechanism<double>& m, const ClosedState& s) {
  Workspace<double> w = placed(m, s.q);
  w.v = s.v;
  return detail::slowest_dry_rate(m, w);
}

ClosedState closed_state(const Mechanism<double>& m, unsigned seed) {
  const VecX<double> q = random_closed(m, seed);
  Workspace<double> w = placed(m, q);
  VecX<double> best = VecX<double>::Zero(m.nv);
  double slowest = -1;
  for (unsigned i = 0; i < 200 && slowest < 0.01; ++i) {
    w.v = closed_rates(m, w, random_vector(m.nv, seed + 1000 * (i + 1)));
    if (w.v.norm() > 1e-9) w.v /= w.v.cwiseAbs().maxCoeff();
    const double dry = detail::slowest_dry_rate(m, w);
    if (dry > slowest) slowest = dry, best = w.v;
  }
  w.v = best;
  tree_velocities(m, w);
  closure_bias(m, w);
  VecX<double> a = closed_rates(m, w, random_vector(m.nv, seed + 7));
  if (m.equations > 0) a += newton_euler::shortest_solution(w.K, w.k);
  return {q, best, a};
}

newton_euler::Load random_load(const Mechanism<double>& m, unsigned seed) {
  newton_euler::Load load{10 * random_vector(static_cast<Eigen::Index>(m.actuator.size()), seed), {}};
  for (int i = 0; i < 3; ++i) {
    const VecX<double> wrench = 5 * random_vector(6, seed + 10 + static_cast<unsigned>(i));
    load.external.push_back({(m.tree_size() - 1) * i / 2, {wrench.head<3>(), wrench.tail<3>()}});
  }
  return load;
}

std::vector<bool> single_coordinates(const Mechanism<double>& m) {
  std::vector<bool> single(m.coordinate.size(), false);
  for (const auto& joint : newton_euler::joints(m)) {
    const int n = free_coordinates(joint.kind);
    const bool has_ball = n >= 3 && joint.kind != JointKind::planar;
    for (int i = 0; i < (has_ball ? n - 3 : n); ++i) single[at(joint.coordinate + i)] = true;
  }
  return single;
}

Mechanism<double> with_everything(Mechanism<double> robot, unsigned seed) {
  return detail::Loader(std::move(robot), seed).run();
}

}  // namespace gough
