#include "gough/kinematics/jacobian.hpp"

#include <algorithm>

#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/jacobian_kernels.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

bool is_driven(const Structure& m, int v) { return m.coordinate[at(v)].actuated || m.coordinate[at(v)].elastic; }

/// The cut joint to which an equation belongs.
const CutJoint& cut_of_row(const Structure& m, int row) {
  return *std::find_if(m.cut.begin(), m.cut.end(),
                       [&](const CutJoint& c) { return row < c.first_row + static_cast<int>(c.rows.size()); });
}

/// What a cut joint's wrench does to the platform: +1, -1 on its other side, 0 where it is between bodies of a leg.
double sense_on_platform(const Structure& m, const CutJoint& cut) {
  return cut.b == m.platform.body ? 1.0 : cut.a == m.platform.body ? -1.0 : 0.0;
}

/// A wrench about the base's origin, taken about p, as (moment; force).
Vec6<double> about(const Force<double>& f, const Vec3<double>& p) {
  Vec6<double> x;
  x << f.moment - cross<double>(p, f.force), f.force;
  return x;
}

}  // namespace

bool has_separate_legs(const Structure& m) {
  return std::all_of(m.leg.begin(), m.leg.end(), [&](const Leg& leg) {
    const auto belongs = [&](int body) {
      return body == base || body == m.platform.body || (body >= leg.first_body && body < leg.first_body + leg.bodies);
    };
    return std::all_of(leg.cuts.begin(), leg.cuts.end(),
                       [&](int c) { return belongs(m.cut[at(c)].a) && belongs(m.cut[at(c)].b); });
  });
}

LegStatics leg_statics(const Mechanism<double>& m, const Workspace<double>& w, int i) {
  if (!has_separate_legs(m)) throw Error(m.name + ": read legs that meet before the platform, expected separate ones");
  const Leg& leg = m.leg[at(i)];
  const auto rows = m.leg_rows(leg);
  const auto n = static_cast<Eigen::Index>(rows.size());
  MatX<double> on_platform(6, n), on_leg(leg.coordinates, n);
  const Vec3<double> p = platform_pose(m, w).p;
  for (Eigen::Index r = 0; r < n; ++r) {
    const int row = rows[static_cast<std::size_t>(r)];
    on_platform.col(r) = about(w.cut_wrench[at(row)], p) * sense_on_platform(m, cut_of_row(m, row));
    on_leg.col(r) = -w.K.row(row).segment(leg.first_v, leg.coordinates).transpose();  // J_t^T of that wrench
  }
  std::vector<Eigen::Index> passive;
  for (int c = 0; c < leg.coordinates; ++c)
    if (!is_driven(m, leg.first_v + c)) passive.push_back(c);
  MatX<double> loads(static_cast<Eigen::Index>(passive.size()), n);
  for (std::size_t k = 0; k < passive.size(); ++k) loads.row(static_cast<Eigen::Index>(k)) = on_leg.row(passive[k]);
  MatX<double> free = null_space(loads);  // combinations of rows that leave the passive joints alone
  if (free.cols() == 0) return {on_platform * free, on_leg * free, 0};  // a passive leg that yields to everything
  const MatX<double> torque = on_leg * free;
  const auto [s, V] = singular_values(torque);  // those that load a drive first
  free = free * V;
  LegStatics result;
  result.actuation = s.size() == 0 ? 0 : static_cast<int>((s.array() > 1e-9 * std::max(s[0], 1e-300)).count());
  result.wrench = on_platform * free;
  result.torque = on_leg * free;
  return result;
}

MatX<double> jacobian_by_statics(const Mechanism<double>& m, const Workspace<double>& w, const MatX<double>& W) {
  std::vector<LegStatics> legs;
  Eigen::Index columns = 0;
  for (int i = 0; i < static_cast<int>(m.leg.size()); ++i) {
    legs.push_back(leg_statics(m, w, i));
    columns += legs.back().wrench.cols();
  }
  MatX<double> S(6, columns), JtU = MatX<double>::Zero(m.nv, columns);
  Eigen::Index c = 0;
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const Eigen::Index k = legs[i].wrench.cols();
    S.middleCols(c, k) = legs[i].wrench;
    JtU.block(m.leg[i].first_v, c, m.leg[i].coordinates, k) = legs[i].torque;
    c += k;
  }
  const MatX<double> inverse = pseudo_inverse(S);
  return (W.transpose() * JtU * inverse).transpose();
}

LegTransmission jacobian_by_legs(const Mechanism<double>& m, const Workspace<double>& w) {
  if (!m.platform.floats || m.leg.size() != 6 || m.actuator.size() != 6 || !m.elastic.empty()) return {};
  LegTransmission t{MatX<double>(6, 6), VecX<double>(6), {}};
  MatX<double> Z = MatX<double>::Zero(6, 6);
  for (int i = 0; i < 6; ++i) {
    const LegStatics leg = leg_statics(m, w, i);
    if (leg.actuation != 1 || leg.wrench.cols() != 1) return {};
    Eigen::Index drive = 0;
    leg.torque.col(0).cwiseAbs().maxCoeff(&drive);
    const auto which = std::find(m.actuator.begin(), m.actuator.end(), m.leg[at(i)].first_v + static_cast<int>(drive));
    if (which == m.actuator.end()) return {};
    t.Y.row(i) = leg.wrench.col(0).transpose();
    t.zeta[i] = leg.torque(drive, 0);
    Z(i, which - m.actuator.begin()) = t.zeta[i];
  }
  t.T = least_squares(t.Y, Z);
  return t;
}

MatX<double> chain_jacobian(const Mechanism<double>& m, const Workspace<double>& w, int i) {
  const Leg& leg = m.leg[at(i)];
  if (leg.cuts.size() != 1) return {};
  const CutJoint& cut = m.cut[at(leg.cuts[0])];
  const Vec3<double> p = platform_pose(m, w).p;
  const auto at_platform = [&](const Motion<double>& v) {
    Vec6<double> x;
    x << v.angular, v.linear + cross<double>(v.angular, p);
    return x;
  };
  MatX<double> rows(static_cast<Eigen::Index>(cut.rows.size()), 6);
  for (Eigen::Index r = 0; r < rows.rows(); ++r)
    rows.row(r) = about(w.cut_wrench[at(cut.first_row) + static_cast<std::size_t>(r)], p);
  const MatX<double> free = null_space(rows);  // motions that the cut joint leaves free
  MatX<double> J = MatX<double>::Zero(6, leg.coordinates + free.cols());
  const int tip = cut.b == m.platform.body ? cut.a : cut.b;
  for (int j = tip; j != base; j = m.parent[at(j)])
    for (int c = 0; c < velocity_size(m.joint[at(j)]); ++c)
      J.col(m.joint[at(j)].v + c - leg.first_v) = at_platform(joint_column(m, w, j, c));
  J.rightCols(free.cols()) = free;
  return J;
}

MatX<double> body_twists(const Mechanism<double>& m, const Workspace<double>& w) {
  MatX<double> K = MatX<double>::Zero(6 * m.tree_size(), m.nv);
  for (int b = 0; b < m.tree_size(); ++b) {
    const Inertia<double>& I = m.inertia[at(b)];
    const Vec3<double> com =
        w.X0[at(b)] * (I.mass > 0 ? Vec3<double>(I.first / I.mass) : Vec3<double>(Vec3<double>::Zero()));
    for (int j = b; j != base; j = m.parent[at(j)])
      for (int c = 0; c < velocity_size(m.joint[at(j)]); ++c) {
        const Motion<double> v = joint_column(m, w, j, c);
        K.block<6, 1>(6 * b, m.joint[at(j)].v + c) << v.angular, v.linear + cross<double>(v.angular, com);
      }
  }
  return K;
}

JacobianRates jacobian_rates(const Mechanism<double>& m, const Selection& s, const VecX<double>& q,
                             const VecX<double>& v, const VecX<double>& a) {
  using D = Dual<double>;
  using DD = Dual<D>;
  const Mechanism<DD> mm = m.cast<DD>();
  Workspace<DD> w(mm);
  w.q = time_series<DD>(m, q, v, a, DD::variable(D::variable(0.0)));
  tree_positions(mm, w);
  closure(mm, w);
  ExplicitForm<DD> e(m, s);
  explicit_form(w, s, e);
  const auto split = [](const MatX<DD>& from, MatX<double>& x, MatX<double>& d, MatX<double>& dd) {
    x = from.unaryExpr([](const DD& y) { return y.value.value; });
    d = from.unaryExpr([](const DD& y) { return y.d[0].value; });
    dd = from.unaryExpr([](const DD& y) { return y.d[0].d[0]; });
  };
  JacobianRates r;
  split(e.G, r.W, r.Wd, r.Wdd);
  if (m.platform.exists()) {
    MatX<DD> J(6, m.nv);
    platform_jacobian(mm, w, J);
    split(J.lazyProduct(e.G), r.G, r.Gd, r.Gdd);
  }
  return r;
}

}  // namespace gough
