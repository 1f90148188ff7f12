#include "gough/dynamics/leg_inverse.hpp"

#include <algorithm>

#include "gough/kinematics/jacobian.hpp"
#include "gough/kinematics/sampling.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

bool ends_in_a_point(LegKind kind) {
  return kind == LegKind::ups || kind == LegKind::rus || kind == LegKind::pus || kind == LegKind::rrr ||
         kind == LegKind::prr;
}

/// Which of x y z rx ry rz the platform can do alone, here.
std::vector<int> own_freedoms(const Mechanism<double>& m, const VecX<double>& q) {
  Workspace<double> w(m);
  w.q = q;
  tree_positions(m, w);
  closure(m, w);
  const Selection s = select_any(m, w, m.rank);
  ExplicitForm<double> form(m, s);
  explicit_form(w, s, form);
  MatX<double> J(6, m.nv);
  platform_jacobian(m, w, J);
  const MatX<double> twists = J * form.G;
  std::vector<int> freedoms;
  for (int c = 0; c < 6; ++c) {
    const VecX<double> e = VecX<double>::Unit(6, c < 3 ? c + 3 : c - 3);
    if ((twists * least_squares(twists, e) - e).norm() < 1e-9) freedoms.push_back(c);
  }
  return freedoms;
}

/// Turns come with the shifts that they make of a point elsewhere.
bool closed_under_shifts(const std::vector<int>& freedoms) {
  const auto has = [&](int c) { return contains(freedoms, c); };
  for (int r = 0; r < 3; ++r)
    if (has(3 + r) && (!has((r + 1) % 3) || !has((r + 2) % 3))) return false;
  return true;
}

}  // namespace

std::optional<LegPlan> plan_legs(const Mechanism<double>& m) {
  if (!splits_into_legs(m) || m.leg_form.size() != m.leg.size() || !m.elastic.empty() || m.idle_free > 0)
    return std::nullopt;
  int coordinates = 6;
  for (std::size_t i = 0; i < m.leg.size(); ++i) {
    if (!ends_in_a_point(m.leg_form[i].kind)) return std::nullopt;
    coordinates += m.leg[i].coordinates;
  }
  LegPlan plan;
  plan.loads = LoadPlan(m);
  const auto dof = static_cast<std::size_t>(m.nv - m.rank);
  if (coordinates != m.nv || plan.loads.applied || m.actuator.size() != dof) return std::nullopt;
  for (const VecX<double>& q : positions_around_home(m, 5)) {
    const std::vector<int> freedoms = own_freedoms(m, q);
    if (freedoms.size() != dof || (!plan.freedoms.empty() && freedoms != plan.freedoms)) return std::nullopt;
    plan.freedoms = freedoms;
  }
  plan.about_base = closed_under_shifts(plan.freedoms);
  return plan;
}

}  // namespace gough
