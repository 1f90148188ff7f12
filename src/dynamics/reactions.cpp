#include "gough/dynamics/reactions.hpp"

#include <Eigen/Geometry>

#include "gough/dynamics/kernels.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/jacobian.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

/// The wrenches of the cut joints for given lambda, on the bodies they act on, about the base's origin.
std::vector<Force<double>> cut_forces(const Mechanism<double>& m, const Workspace<double>& w,
                                      const VecX<double>& lambda) {
  std::vector<Force<double>> on(m.cut.size());
  for (std::size_t c = 0; c < m.cut.size(); ++c)
    for (std::size_t i = 0; i < m.cut[c].rows.size(); ++i) {
      const int r = m.cut[c].first_row + static_cast<int>(i);
      on[c] += w.cut_wrench[static_cast<std::size_t>(r)] * lambda[r];
    }
  return on;
}

/// Adds to every body what its subtree feels from the cut joints; returns what the base feels.
Force<double> carried(const Mechanism<double>& m, const std::vector<Force<double>>& on,
                      std::vector<Force<double>>& through) {
  Force<double> base_feels;
  std::vector<Force<double>> felt(m.parent.size());
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    const auto push = [&](int body, const Force<double>& f) {
      if (body == base) base_feels += f;
      else felt[static_cast<std::size_t>(body)] += f;
    };
    push(m.cut[c].b, on[c]);
    push(m.cut[c].a, on[c] * -1.0);
  }
  for (std::size_t j = m.parent.size(); j-- > 0;) {
    through[j] = through[j] - felt[j];
    if (m.parent[j] != base) felt[static_cast<std::size_t>(m.parent[j])] += felt[j];
  }
  return base_feels;
}

Force<double> about(const Force<double>& f, const Vec3<double>& point) {
  return {f.moment - point.cross(f.force), f.force};
}

double size_of(const Force<double>& f) { return f.moment.norm() + f.force.norm(); }

constexpr double nothing = 1e-8;  ///< of a unit vector of loop forces

/// Forces in cut joints that are friction and springs on their free coordinates, about the base's origin, on b.
std::vector<Force<double>> cut_joint_loads(const Mechanism<double>& m, const LoadPlan& plan, Workspace<double>& w) {
  std::vector<Force<double>> on(m.cut.size());
  cut_loads(m, plan, w, [&](std::size_t c, int i, const Force<double>& unit) {
    on[c] += unit * w.load[m.cut[c].first_coordinate + i];
  });
  return on;
}

}  // namespace

Reactions reactions(const Mechanism<double>& m, Workspace<double>& w, const Dynamics<double>& d) {
  detail::state_stages(m, w, d);
  detail::forces_at(m, d, w);
  const MatX<double> N = m.equations > 0 ? null_space(w.K.transpose()) : MatX<double>(0, 0);
  if (N.cols() > 0) w.lambda -= N * (N.transpose() * w.lambda);

  Reactions out;
  const std::vector<Force<double>> loop = cut_forces(m, w, w.lambda), loads = cut_joint_loads(m, d.loads, w);
  std::vector<Force<double>> through(m.parent.size());
  for (std::size_t j = 0; j < m.parent.size(); ++j) through[j] = w.X0[j] * w.f[j];
  Force<double> on_base = carried(m, loop, through);
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    if (m.cut[c].b == base) on_base += loads[c];
    if (m.cut[c].a == base) on_base += loads[c] * -1.0;
  }
  for (std::size_t s = 0; s < m.spring.size(); ++s) {
    const SpringForce<double> f = spring_force(m, w, s);
    if (m.spring[s].b == base) on_base += Force<double>{f.b.cross(f.on_b), f.on_b};
    if (m.spring[s].a == base) on_base += Force<double>{f.a.cross(f.on_b), f.on_b} * -1.0;
  }
  std::vector<bool> sure_tree(m.parent.size(), true), sure_cut(m.cut.size(), true);
  for (Eigen::Index k = 0; k < N.cols(); ++k) {
    const std::vector<Force<double>> other = cut_forces(m, w, N.col(k));
    std::vector<Force<double>> change(m.parent.size());
    carried(m, other, change);
    for (std::size_t j = 0; j < change.size(); ++j) sure_tree[j] = sure_tree[j] && size_of(change[j]) < nothing;
    for (std::size_t c = 0; c < other.size(); ++c) sure_cut[c] = sure_cut[c] && size_of(other[c]) < nothing;
  }
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const int v = m.joint[j].v;
    const bool moves = velocity_size(m.joint[j]) > 0;
    const std::string name = moves ? m.coordinate[static_cast<std::size_t>(v)].joint : m.body_name[j];
    out.tree.push_back({name, w.X0[j].p, about(through[j], w.X0[j].p), sure_tree[j]});
    if (m.parent[j] == base) on_base += through[j] * -1.0;
  }
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    const Vec3<double> point = cut_frame_b(m, w, c).p;
    out.cut.push_back({m.cut[c].name, point, about(loop[c] + loads[c], point), sure_cut[c]});
  }
  out.on_base = on_base;
  if (!m.platform.floats) return out;
  const Vec3<double> origin = platform_pose(m, w).p;
  for (const Leg& leg : m.leg) {
    LegWrench x{leg.name, {}, true};
    for (const int c : leg.cuts) {
      const auto k = static_cast<std::size_t>(c);
      const Force<double> on_b = about(loop[k] + loads[k], origin);
      if (m.cut[k].b == m.platform.body) x.wrench += on_b;
      if (m.cut[k].a == m.platform.body) x.wrench += on_b * -1.0;
      x.unique = x.unique && sure_cut[k];
    }
    out.leg.push_back(x);
  }
  return out;
}

WrenchShares distribute_wrench(const Mechanism<double>& m, const Workspace<double>& w, const Vec6<double>& wrench) {
  std::vector<LegStatics> legs;
  Eigen::Index columns = 0;
  for (std::size_t i = 0; i < m.leg.size(); ++i) {
    legs.push_back(leg_statics(m, w, static_cast<int>(i)));
    columns += legs.back().wrench.cols();
  }
  MatX<double> S(6, columns);
  Eigen::Index next = 0;
  for (const LegStatics& leg : legs) {
    S.middleCols(next, leg.wrench.cols()) = leg.wrench;
    next += leg.wrench.cols();
  }
  const VecX<double> s = least_squares(S, wrench);
  WrenchShares shares;
  shares.unique = numerical_rank(S) == columns;
  shares.residual = (wrench - S * s).norm();
  next = 0;
  for (const LegStatics& leg : legs) {
    shares.leg.emplace_back(leg.wrench * s.segment(next, leg.wrench.cols()));
    next += leg.wrench.cols();
  }
  return shares;
}

}  // namespace gough
