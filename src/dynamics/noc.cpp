#include "gough/dynamics/noc.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/jacobian.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

/// The twist of the platform's mass centre per twist of its frame's origin (both angular; linear, base axes).
Eigen::Matrix<double, 6, 6> to_centre(const Mechanism<double>& m, const Workspace<double>& w, const Vec3<double>& c) {
  const auto P = static_cast<std::size_t>(m.platform.body);
  const Vec3<double> r = w.X0[P] * c - platform_pose(m, w).p;
  Eigen::Matrix<double, 6, 6> A = Eigen::Matrix<double, 6, 6>::Identity();
  A.bottomLeftCorner<3, 3>() = -cross_matrix(r);
  return A;
}

}  // namespace

NocLegForm noc_leg_form(const Mechanism<double>& m, Workspace<double>& w, bool applied) {
  const LegTransmission legs = jacobian_by_legs(m, w);
  if (legs.T.size() == 0)
    throw Error(fmt::format(
        "{}: the leg form of noc needs six legs, each a serial chain with one drive and one cut joint at the platform",
        m.name));
  const MatX<double>& T = legs.T;  // platform twist at its origin per rates of the drives
  const auto P = static_cast<std::size_t>(m.platform.body);
  const Inertia<double>& I = m.inertia[P];
  const double mass = I.mass > 0 ? I.mass : 1.0;
  const Vec3<double> c = I.first / mass;
  const Mat3<double> R = w.X0[P].R;
  const MatX<double> T_c = to_centre(m, w, c) * T;
  Eigen::Matrix<double, 6, 6> M_M = Eigen::Matrix<double, 6, 6>::Zero();
  M_M.topLeftCorner<3, 3>() = R * (I.second - steiner<double>(c, c) * I.mass) * R.transpose();
  M_M.bottomRightCorner<3, 3>() = Mat3<double>::Identity() * I.mass;

  // accelerations at q'' = 0 of the drives: T' q' and L' q'
  const Selection s = select_driven(m, w, m.rank);
  ExplicitForm<double> form(m, s);
  explicit_form(w, s, form);
  w.a = form.g;
  tree_accelerations(m, w);
  tree_forces(m, applied, w.A, w.a.data(), w);

  NocLegForm out;
  out.M = T_c.transpose() * M_M * T_c;
  const Force<double> f = w.X0[P] * body_force(m, w, w.A, P, applied);
  const Vec3<double> origin = platform_pose(m, w).p;
  Vec6<double> at_origin;
  at_origin << f.moment - origin.cross(f.force), f.force;
  out.bias = T.transpose() * at_origin;
  const MatX<double> M = mass_matrix(m, w);
  for (std::size_t i = 0; i < m.leg.size(); ++i) {
    const Leg& leg = m.leg[i];
    const MatX<double> J = chain_jacobian(m, w, static_cast<int>(i));
    // L_J = J_J^-1 T: the leg's rows; the cut joint's carry no inertia
    const MatX<double> L = least_squares(J, T).topRows(leg.coordinates);
    out.M += L.transpose() * M.block(leg.first_v, leg.first_v, leg.coordinates, leg.coordinates) * L;
    out.bias += L.transpose() * w.t.segment(leg.first_v, leg.coordinates);
  }
  return out;
}

}  // namespace gough
