#include <fmt/format.h>

#include <algorithm>

#include "gough/kinematics/idle.hpp"
#include "gough/kinematics/leg_forms.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double open_by = 1e-9;  ///< of the characteristic length, times the condition of the leg's equations

/// How far the closed form of a leg leaves its loops open at the closed position q, over what rounding may do.
double opening(const Mechanism<double>& m, std::size_t leg, const VecX<double>& q) {
  Workspace<double> w(m);
  w.q = q;
  tree_positions(m, w);
  closure(m, w);
  const double length = characteristic_length(m, w);
  const std::vector<int> rows = m.leg_rows(m.leg[leg]);
  const MatX<double> own =
      rows_of(scaled_closure(m, w, length), rows).middleCols(m.leg[leg].first_v, m.leg[leg].coordinates);
  const double index = singular_ratio(own, m.leg[leg].rank).value_or(1.0);
  const LegAnswer answer = solve_leg(m, static_cast<int>(leg), w.X0[at(m.platform.body)], 1, w.q);
  tree_positions(m, w);
  closure(m, w);
  double open = answer.short_by;
  for (const int r : rows) open = std::max(open, std::abs(w.phi[r]));
  return std::isfinite(open) ? open * index / (open_by * length) : std::numeric_limits<double>::infinity();
}

}  // namespace

void prove_leg_forms(Mechanism<double>& m) {
  FastPath path{std::string(fast_paths::closed_form_legs), m.platform.floats && !m.leg.empty(), "", false};
  if (!path.used) path.why = "no legs that end on a floating platform";
  const auto poses = poses_near_home(m, path.used ? 4 : 0);
  for (std::size_t i = 0; i < m.leg.size() && m.platform.floats; ++i) {
    double worst = 0;
    if (m.leg_form[i].kind != LegKind::general)
      for (const VecX<double>& q : poses) worst = std::max(worst, opening(m, i, q));
    if (worst > 1) m.leg_form[i] = {};
    if (m.leg_form[i].kind != LegKind::general || !path.used) continue;
    path.used = false;
    path.refused = path.refused || worst > 1;
    path.why = worst > 1 ? fmt::format("the closed form of leg '{}' leaves its loop open where the equations close it",
                                       m.leg[i].name)
                         : fmt::format("leg '{}' is none of UPS, RUS, PUS, RRR, PRR, PSP, RR", m.leg[i].name);
  }
  m.fast_path.push_back(std::move(path));
}

}  // namespace gough
