#pragma once
/// Everything that loads a mechanism beside inertia, gravity and its drives.                   docs/theory/dynamics.md
///   F_c = -c (q_c - q_0) - d q'_c - sum_k alpha_k phi_k(q'_c)      every coordinate, cut joints' too        (F1)
///   phi: viscous v, coulomb sign v, quadratic v |v|, cubic v^3, square_root sign(v) sqrt|v|, or a program's own   (F2)
///   F_s = -(c (l - l_0) + d l') along a spring between two points                                          (F3)
/// Forces on tree coordinates go into `load`; those on cut coordinates, springs and external wrenches into `applied`.
/// There is one evaluation per state, and all formulations share it.
#include "gough/dynamics/formulations.hpp"
#include "gough/kinematics/cut_freedoms.hpp"

namespace gough {

/// (F2)
template <Scalar S>
S friction_value(FrictionFunction function, const S& v, const CoulombRule& rule) {
  switch (function) {
    case FrictionFunction::viscous: return v;
    case FrictionFunction::coulomb: {
      if (rule.smooth > 0) return v / sqrt(v * v + S(rule.smooth * rule.smooth));
      if (rule.dead_band > 0)
        return if_positive(v - S(rule.dead_band), S(1.0), if_positive(-v - S(rule.dead_band), S(-1.0), S(0.0)));
      return sign(v);
    }
    case FrictionFunction::quadratic: return v * magnitude(v);
    case FrictionFunction::cubic: return v * v * v;
    case FrictionFunction::square_root: {  // the root's slope at rest is infinite: a select keeps it out
      const S a = magnitude(v), safe = if_positive(a, a, S(1.0));
      return if_positive(a, sign(v) * sqrt(safe), S(0.0));
    }
    case FrictionFunction::own: break;  // needs the function: below
  }
  return S(0.0);
}

/// (F2) of one term on a coordinate whose rate is v.
template <Scalar S>
S friction_value(const LoadPlan::Term& term, int coordinate, const S& v, const Workspace<S>& w) {
  if (term.function == FrictionFunction::coulomb && w.coulomb.given) return w.slip[coordinate];
  if (term.function == FrictionFunction::own) return own_friction(*term.own, v);
  return friction_value(term.function, v, w.coulomb);
}

namespace detail {
/// (F1) without the spring.
template <Scalar S>
S resisting(const Mechanism<S>& m, const LoadPlan::Coordinate& c, const S& v, const Workspace<S>& w) {
  S force = -(m.damping[static_cast<std::size_t>(c.index)] * v);
  for (const LoadPlan::Term& term : c.friction)
    force = force - m.coefficient[static_cast<std::size_t>(term.coefficient)] * friction_value(term, c.index, v, w);
  return force;
}
template <Scalar S>
S springing(const Mechanism<S>& m, int index, const S& q) {
  const auto i = static_cast<std::size_t>(index);
  return -(m.stiffness[i] * (q - m.rest[i]));
}
}  // namespace detail

/// The springs of three turns that start at coordinate `first`, added to `load` there.
template <Scalar S>
void load_turns(const Mechanism<S>& m, int first, const Vec3<S>& r, VecX<S>& load) {
  Vec3<S> F;
  for (int i = 0; i < 3; ++i) F[i] = detail::springing(m, first + i, S(r[i]));
  const Vec3<S> M = turn_springs(r, F);
  for (int i = 0; i < 3; ++i) load[first + i] = load[first + i] + M[i];
}

/// (F1) on tree coordinates. Reads q, v, X. Writes load (tree part).
template <Scalar S>
void tree_loads(const Mechanism<S>& m, const LoadPlan& plan, Workspace<S>& w) {
  for (const int j : plan.sprung_spherical)  // one turn's spring loads all three, listed or not
    for (int i = 1; i <= 3; ++i)
      w.load[m.joint[static_cast<std::size_t>(j)].v + velocity_size(m.joint[static_cast<std::size_t>(j)]) - i] = S(0.0);
  for (const LoadPlan::Coordinate& c : plan.tree) {
    w.load[c.index] = detail::resisting(m, c, S(w.v[c.index]), w);
    if (c.spring && c.position >= 0)
      w.load[c.index] = w.load[c.index] + detail::springing(m, c.index, S(w.q[c.position]));
  }
  for (const int j : plan.sprung_spherical) {
    const auto k = static_cast<std::size_t>(j);
    const Mat3<S> R = m.placement[k].R.transpose() * w.X[k].R;
    load_turns(m, m.joint[k].v + velocity_size(m.joint[k]) - 3, rotation_vector(R), w.load);
  }
}

/// The index of the first of three free turns among a cut joint's coordinates; -1 where it has none.
constexpr int first_turn(JointKind kind) {
  switch (kind) {
    case JointKind::spherical: return 0;
    case JointKind::point_on_line: return 1;
    case JointKind::point_on_plane:
    case JointKind::distance: return 2;
    case JointKind::free: return 3;
    default: return -1;
  }
}

/// (F1) on cut coordinates. Reads X0, V, A. Writes load (cut part). `wrenches(c, i)` visits each force as a wrench on b.
template <Scalar S, class Visit>
void cut_loads(const Mechanism<S>& m, const LoadPlan& plan, Workspace<S>& w, Visit&& visit) {
  std::size_t next = 0;
  for (const int c : plan.loaded_cuts) {
    const auto k = static_cast<std::size_t>(c);
    const FrameMotion<S> A = frame_motion(w, m.cut[k].a, m.cut_a[k], w.A0);
    const FrameMotion<S> B = frame_motion(w, m.cut[k].b, m.cut_b[k], w.A0);
    const FreeCoordinates<S> at = cut_coordinates(m.cut[k].kind, A, B);
    const std::array<Force<S>, 6> wrench = free_wrenches(m.cut[k].kind, A.X, B.X);
    const int first = m.cut[k].first_coordinate, turn = first_turn(m.cut[k].kind);
    const int n = free_coordinates(m.cut[k].kind);
    for (int i = 0; i < n; ++i) w.load[first + i] = S(0.0);
    bool turns = false;
    for (; next < plan.cut.size() && plan.cut[next].joint == c; ++next) {
      const LoadPlan::Coordinate& x = plan.cut[next];
      const auto axis = static_cast<std::size_t>(x.axis);
      w.load[x.index] = detail::resisting(m, x, at.v[axis], w);
      if (x.spring && (turn < 0 || x.axis < turn))
        w.load[x.index] = w.load[x.index] + detail::springing(m, x.index, at.q[axis]);
      turns = turns || (x.spring && turn >= 0 && x.axis >= turn);
    }
    if (turns) {
      const auto t = static_cast<std::size_t>(turn);
      load_turns(m, first + turn, Vec3<S>(at.q[t], at.q[t + 1], at.q[t + 2]), w.load);
    }
    for (int i = 0; i < n; ++i) visit(k, i, wrench[static_cast<std::size_t>(i)]);
  }
}

/// (F3) as a force on point b; returns it in base axes with both points.
template <Scalar S>
struct SpringForce {
  Vec3<S> a, b, on_b;
  S length, rate;
};
template <Scalar S>
SpringForce<S> spring_force(const Mechanism<S>& m, const Workspace<S>& w, std::size_t s) {
  const auto point = [&](int body, const Vec3<S>& x, Vec3<S>& v) -> Vec3<S> {
    if (body == base) {
      v.setZero();
      return x;
    }
    const auto k = static_cast<std::size_t>(body);
    v = w.X0[k].R * (w.V[k].linear + cross(w.V[k].angular, x));
    return w.X0[k] * x;
  };
  Vec3<S> va, vb;
  const Vec3<S> a = point(m.spring[s].a, m.spring_point_a[s], va), b = point(m.spring[s].b, m.spring_point_b[s], vb);
  const Vec3<S> d = b - a;
  const S l = sqrt(dot(d, d)), rate = dot<S>(d, vb - va) / l;
  const S tension = m.spring_stiffness[s] * (l - m.spring_length[s]) + m.spring_damping[s] * rate;
  return {a, b, d * (-(tension / l)), l, rate};
}

/// All loads. Reads q, v, X, X0, V, external. Writes load, applied. No allocation, no branch on S.       (F1)-(F3)
template <Scalar S>
void loads(const Mechanism<S>& m, const LoadPlan& plan, bool external, Workspace<S>& w) {
  tree_loads(m, plan, w);
  if (!plan.applied && !external) return;
  for (std::size_t j = 0; j < w.applied.size(); ++j)
    w.applied[j] = external ? w.X0[j].from_outside(w.external[j]) : Force<S>{};
  const auto push = [&](int body, const Force<S>& wrench, bool positive) {
    if (body == base) return;
    const auto k = static_cast<std::size_t>(body);
    const Force<S> own = w.X0[k].from_outside(wrench);
    w.applied[k] = positive ? w.applied[k] + own : w.applied[k] - own;
  };
  cut_loads(m, plan, w, [&](std::size_t c, int i, const Force<S>& unit) {
    const Force<S> wrench = unit * S(w.load[m.cut[c].first_coordinate + i]);
    push(m.cut[c].b, wrench, true);
    push(m.cut[c].a, wrench, false);
  });
  for (std::size_t s = 0; s < m.spring.size(); ++s) {
    const SpringForce<S> F = spring_force(m, w, s);
    push(m.spring[s].b, {cross(F.b, F.on_b), F.on_b}, true);
    push(m.spring[s].a, {cross(F.a, F.on_b), F.on_b}, false);
  }
}

}  // namespace gough
