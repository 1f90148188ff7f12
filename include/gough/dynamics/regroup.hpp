#pragma once
/// Inertia moved between neighbouring bodies without any effect on the forces of the actuators.  docs/theory/codegen.md
///
/// What body j has may be counted as its parent's where the joint's motion neither moves nor turns it: of a revolute about z
///   mass, s_z, and (I_yy, I_yy, 0) of the second moments                                                    (G1)
/// of a prismatic along z all second moments (G2), of a ball joint the mass, at its centre (G3). The same holds for cut
/// joints, where a share of the mass may go: of a body that turns about its inner joint, what its centre of mass puts on
/// the cut one, so that no first moment stays (G4). What reaches the base is gone. The parameters that stay are as many
/// as identification finds, and code that is linear in them has the fewest operations. Loads that close the loops
/// change, and bodies have no centres of mass any more; drives' forces do not change.
#include <cmath>

#include "gough/model/mechanism.hpp"

namespace gough {

template <Scalar S>
Inertia<S> operator-(const Inertia<S>& a, const Inertia<S>& b) {
  return {a.mass - b.mass, a.first - b.first, a.second - b.second};
}

/// The part of I that a revolute joint about its z lets pass.                                                (G1)
template <Scalar S>
Inertia<S> passes_revolute(const Inertia<S>& I) {
  Inertia<S> part;
  part.mass = I.mass, part.first.z() = I.first.z();
  part.second(0, 0) = part.second(1, 1) = I.second(1, 1);
  return part;
}

/// The share of a body's mass at a point p across its joint's z that takes its first moment along p with it.     (G4)
template <Scalar S>
S share_at(const Inertia<S>& I, const Vec3<S>& p, const Vec3<double>& number) {
  const double tiny = 1e-9 * number.norm();
  if (std::abs(number.y()) < tiny) return I.first.x() / p.x();
  if (std::abs(number.x()) < tiny) return I.first.y() / p.y();
  return (I.first.x() * p.x() + I.first.y() * p.y()) / (p.x() * p.x() + p.y() * p.y());
}

/// `numbers`: the same mechanism, which decides where a choice depends on lengths.
template <Scalar S>
void regroup_inertias(Mechanism<S>& m, const Mechanism<double>& numbers) {
  const auto give = [&](int from, int to, const Transform<S>& in_from, const Transform<S>& in_to,
                        const Inertia<S>& part) {
    auto& a = m.inertia[static_cast<std::size_t>(from)];
    a = a - in_from * part;
    if (to == base) return;
    auto& b = m.inertia[static_cast<std::size_t>(to)];
    b = b + in_to * part;
  };
  m.has_inertia.assign(m.parent.size(), true);
  const int P = m.platform.body;
  for (std::size_t c = 0; c < m.cut.size(); ++c) {  // from legs to the platform
    const CutJoint& cut = m.cut[c];
    if (P == base || cut.a == base || cut.b == base || (cut.a != P && cut.b != P)) continue;
    const bool a_is_platform = cut.a == P;
    const int leg = a_is_platform ? cut.b : cut.a;
    const Transform<S>&on_leg = a_is_platform ? m.cut_b[c] : m.cut_a[c],
          &on_platform = a_is_platform ? m.cut_a[c] : m.cut_b[c];
    const Vec3<double> tip = (a_is_platform ? numbers.cut_b[c] : numbers.cut_a[c]).p;
    if (cut.kind != JointKind::spherical && cut.kind != JointKind::revolute) continue;
    const auto j = static_cast<std::size_t>(leg);
    const bool turns = m.joint[j].type == Elementary::revolute && tip.head<2>().norm() > 1e-9;
    Inertia<S> part;
    part.mass = turns ? share_at(m.inertia[j], on_leg.p, tip) : m.inertia[j].mass;
    give(leg, P, on_leg, on_platform, part);
  }
  for (std::size_t j = m.parent.size(); j-- > 0;) {
    const Inertia<S>& I = m.inertia[j];
    Inertia<S> part;
    switch (m.joint[j].type) {
      case Elementary::revolute: part = passes_revolute(I); break;
      case Elementary::prismatic: part.second = I.second; break;
      case Elementary::spherical: part.mass = I.mass; break;
      case Elementary::fixed: part = I; break;
      case Elementary::free:
      case Elementary::modal: continue;
    }
    give(static_cast<int>(j), m.parent[j], Transform<S>(), m.placement[j], part);
  }
}

}  // namespace gough
