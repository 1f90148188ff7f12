#pragma once
/// States and robots to test dynamics on: closed positions with closed rates and accelerations, loads, and robots that
/// have every kind of force at once.
#include "dynamics/newton_euler.hpp"

namespace gough {

/// A closed position, rates and accelerations that keep it closed.
struct ClosedState {
  VecX<double> q, v, a;
};

namespace detail {

/// Rates of all coordinates, those of the cut joints too.
VecX<double> all_rates(const Mechanism<double>& m, Workspace<double>& w);

double slowest_dry_rate(const Mechanism<double>& m, Workspace<double>& w);

}  // namespace detail

/// The smallest rate of a coordinate with dry friction, whose force jumps where the rate changes sign.
double slowest_dry_rate(const Mechanism<double>& m, const ClosedState& s);

/// A random closed state, its largest rate 1, no rate near zero where dry friction acts.
ClosedState closed_state(const Mechanism<double>& m, unsigned seed);

/// Random drives, and a random wrench on each of three bodies.
newton_euler::Load random_load(const Mechanism<double>& m, unsigned seed);

/// Per coordinate: whether it is an angle or a length by itself, not one of a ball's turns.
std::vector<bool> single_coordinates(const Mechanism<double>& m);

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

/// The robot with viscous friction on every coordinate but the floating platform's six, dry friction on those that
/// move, dampers, springs in passive joints and in a ball, cut ones too, a spring from the base to a body, and rotors.
Mechanism<double> with_everything(Mechanism<double> robot, unsigned seed);

}  // namespace gough
