#include "gough/dynamics/five_bar.hpp"

#include <cmath>

#include "gough/dynamics/formulations.hpp"

namespace gough {
namespace {

constexpr double small = 1e-9;
using Flat = Eigen::Vector2d;

/// Whether a first moment lies along a way, to rounding of the mass at its end.
bool is_along(const Flat& way, const Flat& first, double mass) {
  return std::abs(way.x() * first.y() - way.y() * first.x()) <= small * way.norm() * (first.norm() + mass * way.norm());
}

/// A link from `from` to `to`, points of its own plane: its two end masses and the rest of its inertia. False where the
/// centre of mass is off the line.
struct Link {
  double length = 0, at_elbow = 0, at_tip = 0, rest = 0;
};
std::optional<Link> link_of(const Inertia<double>& I, const Vec3<double>& from, const Vec3<double>& to) {
  const Inertia<double> J = Transform<double>{Mat3<double>::Identity(), from}.inverse() * I;
  const Flat along = (to - from).head<2>(), first = J.first.head<2>();
  Link link;
  link.length = along.norm();
  if (!(link.length > 0) || !is_along(along, first, J.mass)) return std::nullopt;
  link.at_tip = along.dot(first) / (link.length * link.length);
  link.at_elbow = J.mass - link.at_tip;
  link.rest = J.second(2, 2) - link.at_tip * link.length * link.length;
  return link;
}

/// The joint's axis along the base's z or its parent's: the mechanism moves in the x-y plane.
bool level(const Mechanism<double>& m, int body) {
  return m.joint[at(body)].type == Elementary::revolute && m.placement[at(body)].R(2, 2) > 1 - small;
}

/// One crank with its link. Writes the base pivot.
bool take_side(const Mechanism<double>& m, std::size_t i, const Vec3<double>& tip_on_platform, int coordinate,
               FiveBar<double>::Side& side, double& tip_mass, Flat& pivot) {
  const LegForm& form = m.leg_form[i];
  if ((form.kind != LegKind::rr && form.kind != LegKind::rrr) || !level(m, form.root)) return false;
  const Rod& rod = form.rods[0];
  const CutJoint& cut = m.cut[at(rod.cut)];
  const bool platform_is_a = cut.a == m.platform.body;
  const Transform<double>&on_leg = platform_is_a ? m.cut_b[at(rod.cut)] : m.cut_a[at(rod.cut)],
        &on_platform = platform_is_a ? m.cut_a[at(rod.cut)] : m.cut_b[at(rod.cut)];
  const bool by_platform = form.kind == LegKind::rr;  // the platform itself is the link
  if (!by_platform && !level(m, rod.aim1)) return false;
  if (m.joint[at(form.root)].v != coordinate || on_platform.R(2, 2) < 1 - small) return false;
  const Vec3<double> elbow = by_platform ? on_leg.p : m.placement[at(rod.aim1)].p;
  const auto link = by_platform ? link_of(m.inertia[at(m.platform.body)], on_platform.p, tip_on_platform)
                                : link_of(m.inertia[at(rod.aim1)], Vec3<double>::Zero(), on_leg.p);
  const Inertia<double>& crank = m.inertia[at(form.root)];
  const Transform<double>& P = m.placement[at(form.root)];
  side.crank = std::hypot(elbow.x(), elbow.y());
  if (!link || !(side.crank > 0) || !is_along(elbow.head<2>(), crank.first.head<2>(), crank.mass)) return false;
  const auto c = at(coordinate);
  side.link = link->length, side.rest = link->rest;
  side.offset = std::atan2(elbow.y(), elbow.x()) + std::atan2(P.R(1, 0), P.R(0, 0));
  side.inertia =
      crank.second(2, 2) + link->at_elbow * side.crank * side.crank + m.rotor_inertia[c] * m.ratio[c] * m.ratio[c];
  const double first = (elbow.x() * crank.first.x() + elbow.y() * crank.first.y()) / side.crank;
  side.lever = first / side.crank + link->at_elbow;
  tip_mass += link->at_tip;
  pivot = P.p.head<2>();
  return true;
}

/// Friction of the drives alone, in the two laws that are known here.
bool take_friction(const Mechanism<double>& m, FiveBar<double>& f) {
  const LoadPlan plan(m);
  if (plan.applied || !m.spring.empty() || !plan.sprung_spherical.empty()) return false;
  for (const LoadPlan::Coordinate& c : plan.tree) {
    const bool first = c.index == m.actuator[0];
    if (c.spring || (!first && c.index != m.actuator[1])) return false;
    FiveBar<double>::Side& side = f.side[first ? 0 : 1];
    side.viscous += m.damping[at(c.index)];
    for (const LoadPlan::Term& term : c.friction) {
      if (term.function != FrictionFunction::viscous && term.function != FrictionFunction::coulomb) return false;
      (term.function == FrictionFunction::viscous ? side.viscous : side.dry) += m.coefficient[at(term.coefficient)];
    }
  }
  return true;
}

}  // namespace

std::optional<FiveBar<double>> recognise_five_bar(const Mechanism<double>& m) {
  if (!m.platform.floats || m.leg_form.size() != 2 || m.actuator.size() != 2 || !m.elastic.empty()) return std::nullopt;
  // two cranks, a link and the platform, nothing else
  if (!splits_into_legs(m) || m.tree_size() != 4 || m.nv != 9 || m.cut.size() != 2) return std::nullopt;
  for (int c = 0; c < static_cast<int>(m.coordinate.size()); ++c)
    if (m.rotor_inertia[at(c)] != 0 && !contains(m.actuator, c)) return std::nullopt;
  const std::size_t rrr = m.leg_form[0].kind == LegKind::rrr ? 0 : 1;
  if (m.leg_form[rrr].kind != LegKind::rrr || m.leg_form[1 - rrr].kind != LegKind::rr) return std::nullopt;
  const int tip_cut = m.leg_form[rrr].rods[0].cut;
  const Vec3<double> tip = (m.cut[at(tip_cut)].a == m.platform.body ? m.cut_a : m.cut_b)[at(tip_cut)].p;
  FiveBar<double> f;
  std::array<Flat, 2> pivot;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t s = m.joint[at(m.leg_form[i].root)].v == m.actuator[0] ? 0 : 1;
    if (!take_side(m, i, tip, m.actuator[s], f.side[s], f.tip_mass, pivot[s])) return std::nullopt;
  }
  if (!take_friction(m, f)) return std::nullopt;
  f.dx = pivot[1].x() - pivot[0].x(), f.dy = pivot[1].y() - pivot[0].y();
  f.gx = m.gravity.x(), f.gy = m.gravity.y();
  Workspace<double> w(m);
  tree_positions(m, w);
  const auto elbow = [&](std::size_t s) -> Flat {
    const double angle = w.q[m.joint[at(m.leg_form[0].root)].v == m.actuator[s] ? m.joint[at(m.leg_form[0].root)].q
                                                                                : m.joint[at(m.leg_form[1].root)].q] +
                         f.side[s].offset;
    return pivot[s] + f.side[s].crank * Flat(std::cos(angle), std::sin(angle));
  };
  const Flat P = (w.X0[at(m.platform.body)] * tip).head<2>(), D = elbow(1) - elbow(0), u = P - elbow(0);
  f.branch = D.x() * u.y() - D.y() * u.x() > 0 ? 1 : -1;
  return f;
}

}  // namespace gough
