#pragma once
/// Inertia moved between neighbouring bodies without any effect on the forces of the actuators.  docs/theory/codegen.md
///
/// What body j has may be counted as its parent's where the joint's motion neither moves nor turns it: of a revolute about z
///   mass, s_z, and (I_yy, I_yy, 0) of the second moments                                                    (G1)
/// of a prismatic along z all second moments (G2), of a ball joint the mass, at its centre (G3). The same holds for cut
/// joints. What reaches the base is gone. The parameters that stay are as many as identification finds, and code that is
/// linear in them has the fewest operations. Loads that close the loops change; drives do not.
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

template <Scalar S>
void regroup_inertias(Mechanism<S>& m) {
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
    const Inertia<S>& I = m.inertia[static_cast<std::size_t>(leg)];
    Inertia<S> part;
    if (cut.kind == JointKind::spherical) part.mass = I.mass;
    else if (cut.kind == JointKind::revolute) part = passes_revolute<S>(on_leg.inverse() * I);
    else continue;
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
      case Elementary::free: continue;
    }
    give(static_cast<int>(j), m.parent[j], Transform<S>(), m.placement[j], part);
  }
}

}  // namespace gough
