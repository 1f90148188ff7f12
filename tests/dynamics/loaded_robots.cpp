#include "dynamics/loaded_robots.hpp"

#include <random>

#include "decompositions.hpp"

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
  if (m.equations > 0) a += shortest_solution(w.K, w.k);
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

namespace detail {

/// Adds forces to the coordinates of a robot, in proportion to its mass.
class Loader {
 public:
  Loader(Mechanism<double> robot, unsigned seed)
      : m_(std::move(robot)), random_(seed), single_(single_coordinates(m_)) {
    for (const Inertia<double>& I : m_.inertia) mass_ += I.mass;
    find_home();
  }

  Mechanism<double> run() {
    for (std::size_t c = 0; c < m_.coordinate.size(); ++c) {
      if (carries_platform(static_cast<int>(c))) continue;
      add_friction(c, "viscous");
      if (moves_[c]) add_friction(c, "coulomb");
      if (c % 3 == 0) m_.damping[c] += mass_ * between(0.05, 0.2);
    }
    add_joint_springs(0, at(m_.nv));
    add_joint_springs(at(m_.nv), m_.coordinate.size());
    add_ball_spring();
    add_point_spring();
    for (const int c : m_.actuator) add_rotor(at(c));
    return std::move(m_);
  }

 private:
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  bool carries_platform(int c) const {
    if (!m_.platform.floats) return false;
    const int first = m_.joint[at(m_.platform.body)].v;
    return c >= first && c < first + 6;
  }

  /// Where the coordinates stand at home, and which of them can move at all: the sign of a rate that is zero but for
  /// rounding would be a matter of luck.
  void find_home() {
    Workspace<double> w = placed(m_, random_closed(m_, 1));
    moves_.assign(m_.coordinate.size(), false);
    for (unsigned i = 0; i < 3; ++i) {
      w.v = closed_rates(m_, w, random_vector(m_.nv, 100 + i));
      const VecX<double> rates = all_rates(m_, w);
      for (std::size_t c = 0; c < moves_.size(); ++c)
        if (std::abs(rates[static_cast<Eigen::Index>(c)]) > 1e-6 * rates.cwiseAbs().maxCoeff()) moves_[c] = true;
    }
    home_ = newton_euler::FreeBodies(m_, m_.home, VecX<double>::Zero(m_.nv)).position;
  }

  void add_friction(std::size_t c, const std::string& function) {
    m_.coordinate[c].friction.push_back({function, static_cast<int>(m_.coefficient.size())});
    m_.coefficient.push_back(mass_ * between(0.1, 0.5));
    m_.coefficient_name.push_back(m_.coordinate[c].name + ".test." + function);
  }

  /// Springs on about a third of the passive single coordinates from `first` on, on one at least.
  void add_joint_springs(std::size_t first, std::size_t last) {
    bool none = true;
    for (std::size_t c = first; c < last; ++c) {
      const Coordinate& x = m_.coordinate[c];
      if (!single_[c] || x.actuated || x.elastic || carries_platform(static_cast<int>(c))) continue;
      if (!none && between(0, 3) > 1) continue;
      none = false;
      m_.stiffness[c] += mass_ * between(1, 5);
      m_.rest[c] = home_[static_cast<Eigen::Index>(c)] + between(-0.2, 0.2);
    }
  }

  /// The first ball among the cut joints. Only equal stiffnesses about zero have an energy there, c |r|^2 / 2 with the
  /// rotation vector r: then r . r' = r . w.
  void add_ball_spring() {
    for (const CutJoint& cut : m_.cut) {
      const int n = free_coordinates(cut.kind);
      if (n < 3 || cut.kind == JointKind::planar) continue;
      const double stiffness = mass_ * between(1, 5);
      for (int i = n - 3; i < n; ++i) m_.stiffness[at(cut.first_coordinate + i)] += stiffness;
      return;
    }
  }

  /// From the base to the platform, or to the last body that has a mass.
  void add_point_spring() {
    int body = m_.platform.exists() ? m_.platform.body : m_.tree_size() - 1;
    while (body > 0 && !m_.has_inertia[at(body)]) --body;
    m_.spring.push_back({"test", base, body});
    m_.spring_point_a.push_back({between(-0.5, 0.5), between(-0.5, 0.5), between(0.5, 1)});
    m_.spring_point_b.push_back({between(-0.1, 0.1), between(-0.1, 0.1), between(-0.1, 0.1)});
    m_.spring_stiffness.push_back(mass_ * between(5, 20));
    m_.spring_damping.push_back(mass_ * between(0.1, 0.5));
    m_.spring_length.push_back(between(0.1, 0.3));
  }

  void add_rotor(std::size_t c) {
    if (!m_.coordinate[c].has_drive) m_.ratio[c] = m_.coordinate[c].is_length ? 600 : 20;
    m_.coordinate[c].has_drive = true;
    m_.rotor_inertia[c] += mass_ * between(0.01, 0.1) / (m_.ratio[c] * m_.ratio[c]);
  }

  Mechanism<double> m_;
  std::mt19937 random_;
  std::vector<bool> single_, moves_;
  VecX<double> home_;
  double mass_ = 0;
};

}  // namespace detail

Mechanism<double> with_everything(Mechanism<double> robot, unsigned seed) {
  return detail::Loader(std::move(robot), seed).run();
}

}  // namespace gough
