#include "gough/dynamics/energy.hpp"

#include "gough/dynamics/loads.hpp"
#include "gough/dynamics/modal.hpp"
#include "gough/kinematics/motion.hpp"

namespace gough {
namespace {

double square(double x) { return x * x; }

/// Springs of tree and cut coordinates; turns of a ball by their rotation vector.
double spring_energy(const Mechanism<double>& m, const LoadPlan& plan, const Workspace<double>& w) {
  double V = 0;
  const auto add = [&](int c, double q) {
    const auto i = static_cast<std::size_t>(c);
    V += 0.5 * m.stiffness[i] * square(q - m.rest[i]);
  };
  for (const LoadPlan::Coordinate& c : plan.tree)
    if (c.spring && c.position >= 0) add(c.index, w.q[c.position]);
  for (const int j : plan.sprung_spherical) {
    const auto k = static_cast<std::size_t>(j);
    const Mat3<double> R = m.placement[k].R.transpose() * w.X[k].R;
    const Vec3<double> r = rotation_vector(R);
    for (int i = 0; i < 3; ++i) add(m.joint[k].v + velocity_size(m.joint[k]) - 3 + i, r[i]);
  }
  for (const LoadPlan::Coordinate& c : plan.cut)
    if (c.spring) add(c.index, w.cq[c.index - m.nv]);
  for (std::size_t s = 0; s < m.spring.size(); ++s)
    V += 0.5 * m.spring_stiffness[s] * square(spring_force(m, w, s).length - m.spring_length[s]);
  return V;
}

double lost_power(const Mechanism<double>& m, const LoadPlan& plan, const Workspace<double>& w) {
  double P = 0;
  for (const auto* list : {&plan.tree, &plan.cut})
    for (const LoadPlan::Coordinate& c : *list) {
      const double rate = c.index < m.nv ? w.v[c.index] : w.cv[c.index - m.nv];
      P += m.damping[static_cast<std::size_t>(c.index)] * rate * rate;
      for (const LoadPlan::Term& term : c.friction)
        P += m.coefficient[static_cast<std::size_t>(term.coefficient)] * friction_value(term, c.index, rate, w) * rate;
    }
  for (std::size_t s = 0; s < m.spring.size(); ++s) P += m.spring_damping[s] * square(spring_force(m, w, s).rate);
  return P;
}

/// The mass of the body before modal joint j.
void add_bending(const Mechanism<double>& m, const Workspace<double>& w, std::size_t j, EnergyBalance& e) {
  const auto i = static_cast<std::size_t>(m.parent[j]);
  const ModalState<double>& s = modal_inertia(m, w, j);
  const auto rates = w.v.segment(m.joint[j].v, m.joint[j].modes);
  Force<double> momentum = s.I * w.V[i];
  for (Eigen::Index c = 0; c < rates.size(); ++c) momentum += modal_coupling(s, c) * rates[c];
  const Vec6<double> twist = (Vec6<double>() << w.V[i].angular, w.V[i].linear).finished();
  e.kinetic += 0.5 * (power(momentum, w.V[i]) + rates.dot(s.M * rates + s.H.transpose() * twist));
  const Force<double> in_base = w.X0[i] * momentum;
  e.momentum += in_base.force;
  e.moment_of_momentum += in_base.moment;
  e.potential -= m.gravity.dot(s.I.mass * w.X0[i].p + w.X0[i].R * s.I.first);
}

}  // namespace

EnergyBalance energy_balance(const Mechanism<double>& m, Workspace<double>& w) {
  tree_positions(m, w);
  closure(m, w);
  tree_velocities(m, w);
  cut_coordinates(m, w);
  const LoadPlan plan(m);
  EnergyBalance e;
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const Force<double> momentum = m.inertia[j] * w.V[j], in_base = w.X0[j] * momentum;
    e.kinetic += 0.5 * power(momentum, w.V[j]);
    e.momentum += in_base.force;
    e.moment_of_momentum += in_base.moment;
    e.potential -= m.gravity.dot(m.inertia[j].mass * w.X0[j].p + w.X0[j].R * m.inertia[j].first);
    e.external += power(w.external[j], w.X0[j] * w.V[j]);
  }
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    if (m.joint[j].type == Elementary::modal) add_bending(m, w, j, e);
  for (int c = 0; c < m.nv; ++c) {
    const auto i = static_cast<std::size_t>(c);
    e.kinetic += 0.5 * m.rotor_inertia[i] * square(m.ratio[i] * w.v[c]);
  }
  e.potential += spring_energy(m, plan, w);
  e.losses = lost_power(m, plan, w);
  for (std::size_t a = 0; a < m.actuator.size(); ++a)
    e.actuators += w.tau[static_cast<Eigen::Index>(a)] * w.v[m.actuator[a]];
  return e;
}

}  // namespace gough
