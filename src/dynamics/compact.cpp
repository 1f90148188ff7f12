#include <algorithm>

#include "gough/dynamics/dalembert.hpp"

#include "gough/dynamics/derivatives.hpp"
#include "gough/dynamics/tree.hpp"
#include "gough/dynamics/virtual_power.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/jacobian.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using D = Dual<double>;

double value_of(const D& x) { return x.value; }
double rate_of(const D& x) { return x.d[0]; }

/// The mechanism along its own motion, t the dual variable: every dual part is a time derivative.
struct InTime {
  Mechanism<D> m;
  Workspace<D> w;
  ExplicitForm<D> form;

  InTime(const Mechanism<double>& m0, const Workspace<double>& at, const Selection& s)
      : m(m0.cast<D>()), w(m), form(m, s) {
    w.q = at.q.cast<D>();
    VecX<D> step = VecX<D>::Zero(m.nv);
    for (int c = 0; c < m.nv; ++c) step[c].d[0] = at.v[c];
    displace(m, step, w.q);
    tree_positions(m, w);
    closure(m, w);
    explicit_form(w, s, form);
  }
};

/// J_j, 6 x nv, in body j's frame, with its derivative.
std::vector<MatX<D>> body_jacobians(const InTime& t) {
  std::vector<MatX<D>> J(t.m.parent.size(), MatX<D>::Zero(6, t.m.nv));
  for (std::size_t j = 0; j < J.size(); ++j) {
    if (const int i = t.m.parent[j]; i != base)
      for (int c = 0; c < t.m.nv; ++c) {
        const auto& up = J[static_cast<std::size_t>(i)];
        const Motion<D> x = t.w.X[j].from_outside(Motion<D>{up.block<3, 1>(0, c), up.block<3, 1>(3, c)});
        J[j].col(c) << x.angular, x.linear;
      }
    for (int c = 0; c < velocity_size(t.m.joint[j]); ++c) {
      const Motion<D> axis = joint_axis(t.m, t.w, j, c);
      J[j].col(t.m.joint[j].v + c) << axis.angular, axis.linear;
    }
  }
  return J;
}

using Mat6 = Eigen::Matrix<double, 6, 6>;

/// The inertia as a matrix: (moment; force) per (angular; linear).
Mat6 matrix(const Inertia<double>& I) {
  const Mat3<double> s = cross_matrix(I.first);
  Mat6 A;
  A << I.second, s, s.transpose(), Mat3<double>::Identity() * I.mass;
  return A;
}

/// B x = x x* (I v): skew-symmetric, and B v is the quadratic part of the inertial force.                    (P5)
Mat6 skew_part(const Force<double>& momentum) {
  Mat6 B;
  for (int c = 0; c < 6; ++c) {
    Motion<double> e;
    (c < 3 ? e.angular[c] : e.linear[c - 3]) = 1;
    const Force<double> f = cross(e, momentum);
    B.col(c) << f.moment, f.force;
  }
  return B;
}

}  // namespace

CompactForm compact_form(const Mechanism<double>& m, const Workspace<double>& at, const Selection& s) {
  if (!m.modal.empty()) throw Error(m.name + ": read beams that bend, expected a robot without modes: (P3) has none");
  const InTime t(m, at, s);
  CompactForm c;
  c.W = t.form.G.unaryExpr(&value_of);
  c.W_rate = t.form.G.unaryExpr(&rate_of);

  Workspace<double> w = at;
  tree_positions(m, w);
  closure(m, w);
  tree_velocities(m, w);
  closure_bias(m, w);
  MatX<double> M = MatX<double>::Zero(m.nv, m.nv), C = M, M_rate = M;
  const std::vector<MatX<D>> J = body_jacobians(t);
  for (std::size_t j = 0; j < J.size(); ++j) {
    const MatX<double> Jj = J[j].unaryExpr(&value_of), Jd = J[j].unaryExpr(&rate_of);
    const Mat6 I = matrix(m.inertia[j]), B = skew_part(m.inertia[j] * w.V[j]);
    M += congruence(I, Jj);
    M_rate += Jd.transpose() * I * Jj + Jj.transpose() * I * Jd;
    C += Jj.transpose() * (I * Jd + B * Jj);
  }
  for (int i = 0; i < m.nv; ++i) M(i, i) += reflected_rotor(m, static_cast<std::size_t>(i));
  c.M_c = congruence(M, c.W);
  c.C_c = c.W.transpose() * (M * c.W_rate + C * c.W);
  c.M_c_rate = c.W_rate.transpose() * M * c.W + c.W.transpose() * (M_rate * c.W + M * c.W_rate);

  VecX<double> K = VecX<double>::Zero(m.nv), spring = K, damper = K, rest = K;
  const LoadPlan plan(m);
  loads(m, plan, true, w);
  for (const LoadPlan::Coordinate& x : plan.tree) {
    const auto i = static_cast<std::size_t>(x.index);
    damper[x.index] = m.damping[i];
    if (x.position >= 0) {
      K[x.index] = m.stiffness[i];
      spring[x.index] = m.stiffness[i] * (w.q[x.position] - m.rest[i]);
    }
  }
  for (int i = 0; i < m.nv; ++i) rest[i] = -w.load[i] - spring[i] - damper[i] * w.v[i];
  c.D_c = diagonal_congruence(damper, c.W);
  c.K_c = diagonal_congruence(K, c.W);
  c.spring_c = c.W.transpose() * spring;
  c.friction_c = c.W.transpose() * rest;

  // what is left of t at rest: gravity, and loads that are wrenches on bodies
  for (auto& V : w.V) V = Motion<double>{};
  for (auto& A : w.A) A = Motion<double>{};
  w.load.setZero();
  tree_forces<double>(m, true, w.A, nullptr, w);
  c.eta_c = c.W.transpose() * w.t;
  return c;
}

VecX<double> compact_forces(const CompactForm& c, const VecX<double>& yd, const VecX<double>& ydd) {
  return c.M_c * ydd + c.C_c * yd + c.eta_c + c.spring_c + c.D_c * yd + c.friction_c;
}

}  // namespace gough
