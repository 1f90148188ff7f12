#include <fmt/format.h>

#include <cmath>

#include "gough/dynamics/along.hpp"
#include "gough/dynamics/derivatives.hpp"
#include "gough/dynamics/energy.hpp"
#include "gough/error.hpp"
#include "gough/simulation/simulate.hpp"
#include "gough/spatial/eigen_pairs.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr int most_descents = 200;
constexpr double balanced = 1e-10;  ///< largest step to the equilibrium [m or rad] that counts as none

/// The energy whose slope the forces are: springs and gravity, less the work of constant drives.
double energy_at(const Mechanism<double>& m, Workspace<double>& w) {
  double E = energy_balance(m, w).potential;
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    E -= w.tau[static_cast<Eigen::Index>(i)] * w.q[position_index(m, m.actuator[i])];
  return E;
}

/// Work of the wrenches from outside for small moves `step` of the coordinates. Wrenches have no energy of their own.
double external_work(const Mechanism<double>& m, const Workspace<double>& w, const VecX<double>& step) {
  Workspace<double> moving = w;
  moving.v = step;
  tree_positions(m, moving);
  tree_velocities(m, moving);
  return energy_balance(m, moving).external;
}

}  // namespace

Hold hold_of(const Structure& m, const std::vector<int>& coordinates) {
  Hold hold;
  hold.coordinates.assign(static_cast<std::size_t>(m.nv), false);
  for (const int c : coordinates) hold.coordinates[static_cast<std::size_t>(c)] = true;
  return hold;
}

Answer set_positions(const Mechanism<double>& m, const std::vector<std::pair<int, double>>& given, Hold hold,
                     Workspace<double>& w) {
  const VecX<double> start = w.q;
  hold.coordinates.resize(static_cast<std::size_t>(m.nv), false);
  for (const auto& [c, x] : given) {
    if (c < 0 || c >= m.nv || position_index(m, c) < 0)
      throw Error(m.name +
                  ": read the position of what is no joint with one coordinate, expected one of the opened tree's");
    hold.coordinates[static_cast<std::size_t>(c)] = true;
  }
  Assembly way;
  for (const int steps : {8, 32, 128}) {
    w.q = start;
    for (int k = 1; k <= steps; ++k) {
      const double share = static_cast<double>(k) / steps;
      for (const auto& [c, x] : given) {
        const int i = position_index(m, c);
        w.q[i] = start[i] + (x - start[i]) * share;
      }
      way = close_loops(m, w, hold);
      if (!way.closed) break;
    }
    if (way.closed) return {};
  }
  Answer answer;
  answer.status = Status::unreachable;
  answer.residual = way.residual;
  answer.reason = "the loops do not close with joints at the given positions: " + way.explain(m);
  return answer;
}

Answer set_rates(const Mechanism<double>& m, const std::vector<std::pair<int, double>>& given, Workspace<double>& w) {
  tree_positions(m, w);
  closure(m, w);
  const auto n = static_cast<Eigen::Index>(given.size());
  MatX<double> A = MatX<double>::Zero(m.equations + n, m.nv);
  VecX<double> b = VecX<double>::Zero(m.equations + n);
  A.topRows(m.equations) = w.K;
  for (Eigen::Index i = 0; i < n; ++i) {
    A(m.equations + i, given[static_cast<std::size_t>(i)].first) = 1;
    b[m.equations + i] = given[static_cast<std::size_t>(i)].second;
  }
  w.v.noalias() = least_squares(A, b, 1e-9);
  const VecX<double> left = A * w.v - b;
  Answer answer;
  answer.residual = left.size() > 0 ? left.cwiseAbs().maxCoeff() : 0.0;
  if (answer.residual > 1e-9 * (1 + b.cwiseAbs().sum())) {
    answer.status = Status::unreachable;
    answer.reason = fmt::format("the loops do not allow these rates together: {:.3g} is left", answer.residual);
  }
  return answer;
}

Answer find_equilibrium(const Mechanism<double>& m, Workspace<double>& w) {
  Dynamics<double> d(m, w, {.by = Formulation::dalembert, .programs = false});  // its explicit form is read
  Answer answer;
  double damping = 0;
  const VecX<double> tau = w.tau;
  for (answer.iterations = 0; answer.iterations < most_descents; ++answer.iterations) {
    w.v.setZero();
    w.tau = tau;
    if (const DynamicsAnswer a = forward_dynamics(m, w, d); !a.ok()) return {a.status, 0, answer.iterations, a.reason};
    const MatX<double> G = d.form.G;
    const MatX<double> M = mass_matrix(m, w);
    const MatX<double> M_c = congruence(M, G);
    VecX<double> a(G.cols());
    for (Eigen::Index i = 0; i < a.size(); ++i) a[i] = w.a[d.y.independent[static_cast<std::size_t>(i)]];
    const VecX<double> force = M_c * a;
    MatX<double> stiffness = -M_c * forward_derivatives(m, w, d).by_position;
    stiffness = (stiffness + MatX<double>(stiffness.transpose())) / 2;
    if (a.size() == 0) return answer;
    const double size = M_c.diagonal().cwiseAbs().maxCoeff();
    const double least = eigen_pairs(stiffness, M_c).s[0];
    double mu = std::max(damping, least > 0 ? 0.0 : -2 * least + 1e-6);
    const VecX<double> q = w.q;
    const double before = energy_at(m, w);
    for (int tries = 0;; ++tries) {
      const VecX<double> dy = symmetric_solution(stiffness + mu * M_c, force);
      answer.residual = dy.cwiseAbs().maxCoeff();
      if (answer.residual < balanced && least > 0) return answer;
      const double shorten = std::min(1.0, 0.2 / answer.residual);
      w.q = q;
      const VecX<double> step = G * dy * shorten;
      const double work = external_work(m, w, step);
      w.q.noalias() = moved(m, q, step);
      const bool closed = close_loops(m, w).closed;
      if (closed && energy_at(m, w) - work <= before + 1e-12 * std::abs(before) + 1e-14 * size) break;
      if (tries > 60) {
        answer.status = Status::not_converged;
        answer.reason = "no equilibrium was found downhill from here: drives or springs may not hold the mechanism";
        return answer;
      }
      mu = std::max(4 * mu, std::abs(least) + 1e-3);
    }
    damping = mu / 8 < 1e-6 ? 0 : mu / 8;
  }
  answer.status = Status::not_converged;
  answer.reason = fmt::format("no equilibrium after {} steps downhill", most_descents);
  return answer;
}

}  // namespace gough
