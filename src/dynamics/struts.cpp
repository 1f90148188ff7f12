#include "gough/dynamics/struts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "gough/dynamics/formulations.hpp"
#include "gough/dynamics/strut_inverse.hpp"
#include "gough/kinematics/explicit_form.hpp"

namespace gough {
namespace {

constexpr double tiny = 1e-9;  // relative to metres and kilograms of order one
bool is_zero(double x) { return std::abs(x) < tiny; }

/// Dampers and friction of a joint, in the two laws that struts know; false where there is another load.
bool take_friction(const Mechanism<double>& m, int body, double& viscous, double& dry) {
  const int c = m.joint[at(body)].v;
  if (m.stiffness[at(c)] != 0 || m.rotor_inertia[at(c)] != 0) return false;
  viscous = m.damping[at(c)], dry = 0;
  for (const FrictionUse& use : m.coordinate[at(c)].friction) {
    const FrictionFunction f = friction_function(use.function);
    if (f != FrictionFunction::viscous && f != FrictionFunction::coulomb) return false;
    (f == FrictionFunction::viscous ? viscous : dry) += m.coefficient[at(use.coefficient)];
  }
  return true;
}

/// Moments of a body about `origin`, along the axes that are the columns of R; false where they are not principal, or the
/// centre of mass is not on the first axis.
bool principal(const Inertia<double>& I, const Vec3<double>& origin, const Mat3<double>& R, Vec3<double>& second,
               double& first) {
  const Transform<double> frame{R, origin};
  const Inertia<double> J = frame.inverse() * I;
  first = J.first.x(), second = J.second.diagonal();
  return is_zero(J.first.y()) && is_zero(J.first.z()) && is_zero(J.second(0, 1)) && is_zero(J.second(0, 2)) &&
         is_zero(J.second(1, 2));
}

/// Axes (n, second cardan axis z, their normal) of a body whose z is the second axis.
Mat3<double> strut_axes(double azimuth) {
  Mat3<double> R;
  R.col(0) = Vec3<double>(std::cos(azimuth), std::sin(azimuth), 0);
  R.col(1) = Vec3<double>(0, 0, 1);
  R.col(2) = cross<double>(R.col(0), R.col(1));
  return R;
}

bool take_inertia(const Mechanism<double>& m, const Rod& rod, const Vec3<double>& tip, Strut<double>& s) {
  const Inertia<double>& ring = m.inertia[at(rod.aim1)];
  if (!is_zero(ring.first.x()) || !is_zero(ring.first.y())) return false;
  const Transform<double>& X2 = m.placement[at(rod.aim2)];
  const double along = -(X2.p.x() * X2.R(0, 2) + X2.p.y() * X2.R(1, 2));  // where the axes cross, on the second one
  Vec3<double> stator, slider;
  double slider_first = 0;
  if (!principal(m.inertia[at(rod.aim2)], {0, 0, along}, strut_axes(rod.tip_azimuth), stator, s.p4)) return false;
  const Mat3<double> in_slider = m.placement[at(rod.extend)].R.transpose() * strut_axes(rod.tip_azimuth);
  if (!principal(m.inertia[at(rod.extend)], tip, in_slider, slider, slider_first)) return false;
  s.p1 = ring.second(2, 2) + stator[0] + slider[0];
  s.p2 = stator[2] + slider[2] - stator[0] - slider[0];
  s.p3 = stator[1] + slider[1];
  s.p5 = slider_first;
  return true;
}

bool take_leg(const Mechanism<double>& m, std::size_t i, Strut<double>& s, double& slider_mass) {
  const LegForm& form = m.leg_form[i];
  if (form.kind != LegKind::ups || form.rods.size() != 1) return false;
  const Rod& rod = form.rods[0];
  const auto c = at(rod.cut);
  const bool platform_is_a = m.cut[c].a == m.platform.body;
  const Vec3<double> axis = m.placement[at(rod.aim1)].R.col(2);
  if (m.parent[at(rod.aim1)] != base || !is_zero(axis.z())) return false;
  if (m.actuator.size() != 6 || m.actuator[i] != m.joint[at(rod.extend)].v) return false;
  const double way = axis.y() < -tiny || (is_zero(axis.y()) && axis.x() > 0) ? -1 : 1;  // an axis has no direction
  s.cos = way * axis.y(), s.sin = -way * axis.x();
  s.A = rod.pivot;
  s.B = m.platform_frame.inverse() * (platform_is_a ? m.cut_a[c] : m.cut_b[c]).p;
  slider_mass = m.inertia[at(rod.extend)].mass;
  return take_inertia(m, rod, (platform_is_a ? m.cut_b[c] : m.cut_a[c]).p, s) &&
         take_friction(m, rod.aim1, s.viscous_alpha, s.dry_alpha) &&
         take_friction(m, rod.aim2, s.viscous_beta, s.dry_beta) && take_friction(m, rod.extend, s.viscous, s.dry);
}

bool is_flat(const std::array<Strut<double>, 6>& strut, Vec3<double> Strut<double>::*point) {
  return std::all_of(strut.begin(), strut.end(),
                     [&](const Strut<double>& s) { return is_zero((s.*point).z() - (strut[0].*point).z()); });
}

/// Whether A_i - A_j = kappa (A_a - A_b) with one kappa for the three short sides, the struts taken in this order.
bool has_trapezoids(const StrutRobot<double>& r, const std::array<int, 6>& order) {
  const auto A = [&](std::size_t i) { return r.strut[at(order[i])].A; };
  double kappa = 0;
  for (const std::array<std::size_t, 4>& side : {std::array<std::size_t, 4>{0, 1, 2, 5}, {2, 3, 4, 1}, {4, 5, 0, 3}}) {
    const Vec3<double> e = A(side[0]) - A(side[1]), f = A(side[2]) - A(side[3]);
    const double ratio = dot(e, f) / dot(f, f);
    if ((e - f * ratio).norm() > tiny || (side[0] > 0 && !is_zero(ratio - kappa))) return false;
    kappa = ratio;
  }
  return true;
}

/// The system that is factored, at a pose.
MatX<double> system_at(const RecognisedStruts& s, const Vec3<double>& p, const Mat3<double>& R) {
  const Vec3<double> none = Vec3<double>::Zero();
  PlatformState<double> x{p, none, none, none, none, {R.col(0), R.col(1), R.col(2)}};
  if (s.plan.lifted) x.axis[2] *= s.robot.strut[0].B.z();
  StrutInverse<double> inverse(s.robot, s.plan, x);
  inverse.forces();
  return inverse.system;
}

/// The largest multiplier of an elimination of A in this order.
double largest_multiplier(MatX<double> A, const std::vector<int>& rows, const std::vector<int>& columns) {
  double largest = 0;
  for (std::size_t k = 0; k + 1 < rows.size(); ++k)
    for (std::size_t i = k + 1; i < rows.size(); ++i) {
      const double f = A(rows[i], columns[k]) / A(rows[k], columns[k]);
      largest = std::max(largest, std::isfinite(f) ? std::abs(f) : 1e300);
      A.row(rows[i]) -= f * A.row(rows[k]);
    }
  return largest;
}

/// Pivots that serve around home: for 3 x 3 the order whose worst multiplier is least, for 5 x 5 home's.
void choose_pivots(const Mechanism<double>& m, const Transform<double>& home, RecognisedStruts& s) {
  std::vector<MatX<double>> systems = {system_at(s, home.p, home.R)};
  const auto n = systems[0].rows();
  std::mt19937 random(1);
  const auto between = [&](double range) { return range * (2.0 * static_cast<double>(random()) / 4294967295.0 - 1); };
  const double reach = 0.2 * home.p.norm();
  for (int i = 0; i < 500 && m.platform.exists(); ++i) {
    const Vec3<double> p = home.p + Vec3<double>(between(reach), between(reach), between(reach));
    const Vec3<double> turn(between(0.3), between(0.3), between(0.3));
    systems.push_back(system_at(s, p, home.R * rotation_from_vector(turn)));
  }
  std::vector<int> rows(static_cast<std::size_t>(n)), columns(rows.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(columns.begin(), columns.end(), 0);
  if (n > 3) {
    const Pivots found = find_pivots(systems[0], std::vector<int>(rows.size(), 0), static_cast<int>(n));
    std::copy(found.rows.begin(), found.rows.end(), s.plan.rows.begin());
    std::copy(found.columns.begin(), found.columns.end(), s.plan.columns.begin());
    return;
  }
  double best = std::numeric_limits<double>::infinity();
  do {
    do {
      double worst = 0;
      for (const MatX<double>& A : systems) worst = std::max(worst, largest_multiplier(A, rows, columns));
      if (!(worst < best)) continue;
      best = worst;
      std::copy(rows.begin(), rows.end(), s.plan.rows.begin());
      std::copy(columns.begin(), columns.end(), s.plan.columns.begin());
    } while (std::next_permutation(columns.begin(), columns.end()));
  } while (std::next_permutation(rows.begin(), rows.end()));
}

void take_platform(const Mechanism<double>& m, const std::array<double, 6>& slider_mass, StrutRobot<double>& r) {
  const Inertia<double> I = m.platform_frame.inverse() * m.inertia[at(m.platform.body)];
  r.mass = I.mass, r.first = I.first;
  r.products = Mat3<double>::Identity() * (I.second.trace() / 2) - I.second;
  for (std::size_t j = 0; j < 6; ++j) {
    const Vec3<double>& B = r.strut[j].B;
    r.mass += slider_mass[j];
    r.first += slider_mass[j] * B;
    r.products += slider_mass[j] * B * B.transpose();
  }
  r.gravity = m.gravity;
}

}  // namespace

std::optional<RecognisedStruts> recognise_struts(const Mechanism<double>& m) {
  if (!m.platform.floats || m.leg.size() != 6 || m.leg_form.size() != 6 || !m.spring.empty()) return std::nullopt;
  if (m.platform.task_size() != 6 || m.idle_free > 0 || LoadPlan(m).applied) return std::nullopt;
  // six legs of three bodies and the platform, nothing else
  if (!splits_into_legs(m) || m.tree_size() != 19 || m.nv != 24 || m.cut.size() != 6 || !m.elastic.empty())
    return std::nullopt;
  RecognisedStruts s;
  std::array<double, 6> slider_mass{};
  for (std::size_t i = 0; i < 6; ++i)
    if (!take_leg(m, i, s.robot.strut[i], slider_mass[i])) return std::nullopt;
  take_platform(m, slider_mass, s.robot);
  s.plan.flat_base = is_flat(s.robot.strut, &Strut<double>::A);
  s.plan.flat_platform = is_flat(s.robot.strut, &Strut<double>::B);
  s.plan.lifted = s.plan.flat_platform && !is_zero(s.robot.strut[0].B.z());
  for (const int shift : {0, 1}) {
    std::array<int, 6> order;
    for (int i = 0; i < 6; ++i) order[at(i)] = (i + shift) % 6;
    if (!s.plan.flat_base || s.plan.trapezoids || !has_trapezoids(s.robot, order)) continue;
    s.plan.trapezoids = true;
    s.plan.order = order;
  }
  Workspace<double> w(m);
  tree_positions(m, w);
  choose_pivots(m, w.X0[at(m.platform.body)] * m.platform_frame, s);
  return s;
}

}  // namespace gough
