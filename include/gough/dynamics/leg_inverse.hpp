#pragma once
/// Inverse dynamics from the platform's motion, leg by leg, each in its own frames.          docs/theory/codegen.md
///
/// For legs that are solved in closed form and end in a point B of the platform (ball, or a revolute of a planar leg). In
/// the axes of the leg's last body its Jacobian is sparse:
///   J q' = R^T v_B,    J q'' = R^T (a_B - g) - b                                                            (H1)
///   Q: forces of the leg's joints by Newton and Euler's equations from base to tip and back                (H2)
///   platform + sum J^-T Q = sum over drives of e_a J^-T 1_a,    tau_a = e_a + Q_a                           (H3)
/// where Q in the first sum has no entries of drives. b is the tip's acceleration with q'' = 0, gravity counted as an
/// acceleration of the base. Several rods of a leg are several tips.
#include <functional>
#include <optional>
#include <vector>

#include "gough/dynamics/loads.hpp"
#include "gough/dynamics/platform_body.hpp"
#include "gough/kinematics/leg_solver.hpp"
#include "gough/spatial/linalg.hpp"

namespace gough {

/// A = L U on some of its rows, in an order chosen beforehand.
template <Scalar S>
struct Elimination {
  MatX<S> A;
  std::vector<int> rows, columns;
  S smallest{1.0};

  void factor() {
    if (!rows.empty()) smallest = lu_factor(A, PivotOrder{rows, columns});
  }
  /// A x = b on the chosen rows.
  VecX<S> solve(MatX<S> b) const {
    MatX<S> work = b;
    lu_solve(A, PivotOrder{rows, columns}, b, work);
    return b.col(0).head(A.cols());
  }
  /// A^T x = b, zero on rows that were not chosen.
  VecX<S> solve_transposed(const VecX<S>& b) const {
    MatX<S> x = MatX<S>::Zero(A.rows(), 1), work = x;
    x.topRows(b.size()).col(0) = b;
    lu_solve_transposed(A, PivotOrder{rows, columns}, x, work);
    VecX<S> out = VecX<S>::Zero(A.rows());
    for (const int r : rows) out[r] = x(r, 0);
    return out;
  }
};

/// Joints held as what the solver found, for the kernels.
template <Scalar S>
struct Turns {
  const Mechanism<S>& m;
  Workspace<S>& w;

  const Transform<S>& pose(int body) const { return w.X[static_cast<std::size_t>(body)]; }
  void turn(int body, const S& c, const S& s) const {
    const auto j = static_cast<std::size_t>(body);
    const S o(0.0);
    Mat3<S> R;
    R << c, -s, o, s, c, o, o, o, S(1.0);
    w.X[j] = {m.placement[j].R * R, m.placement[j].p};
    w.q[m.joint[j].q] = atan2(s, c);
  }
  void slide(int body, const S& distance) const {
    const auto j = static_cast<std::size_t>(body);
    w.X[j] = {m.placement[j].R, m.placement[j].p + m.placement[j].R.col(2) * distance};
    w.q[m.joint[j].q] = distance;
  }
};

/// What the kernel may rely on; see plan_legs.
struct LegPlan {
  std::vector<int> freedoms;  ///< of x y z rx ry rz: how the platform can move, at every position
  bool about_base = false;    ///< moments about the base's origin serve: turns come with the shifts they make
  LoadPlan loads;
};
/// None where a robot's legs are others, its platform moves in other ways, or loads act elsewhere than in the legs' joints.
std::optional<LegPlan> plan_legs(const Mechanism<double>& m);

template <Scalar S>
class LegInverse {
  using V = Vec3<S>;

 public:
  /// Chooses the order of elimination of a matrix, all its columns.
  using Choose = std::function<void(Elimination<S>&)>;
  std::vector<S> pivots;  ///< the smallest of each elimination: legs, then the platform's balance

  LegInverse(const Mechanism<S>& mechanism, const LegPlan& how, const PlatformBody<S>& body,
             const PlatformState<S>& motion, Choose choice)
      : m(mechanism), plan(how), own(body), x(motion), choose(std::move(choice)), w(mechanism), turns{m, w} {}

  /// The actuators' forces, in their order.
  VecX<S> forces() {
    platform();
    for (std::size_t i = 0; i < m.leg.size(); ++i) leg(i);
    const Part<S> part("solve");
    const auto n = static_cast<Eigen::Index>(plan.freedoms.size());
    Elimination<S> e{MatX<S>(n, n), {}, {}};
    VecX<S> right(n);
    for (Eigen::Index r = 0; r < n; ++r) {
      right[r] = component(total, r);
      for (Eigen::Index a = 0; a < n; ++a) e.A(r, a) = component(drive[static_cast<std::size_t>(a)], r);
    }
    factor(e);
    VecX<S> tau = e.solve(right);
    for (std::size_t a = 0; a < m.actuator.size(); ++a) tau[static_cast<Eigen::Index>(a)] += w.t[m.actuator[a]];
    return tau;
  }

 private:
  S component(const Force<S>& f, Eigen::Index r) const {
    const int c = plan.freedoms[static_cast<std::size_t>(r)];
    return c < 3 ? f.force[c] : f.moment[c - 3];
  }
  void factor(Elimination<S>& e) {
    choose(e);
    e.factor();
    pivots.push_back(e.smallest);
  }

  void platform() {
    const Part<S> part("platform");
    const Mat3<S> H = spin_matrix(x.w, x.dw);
    for (std::size_t k = 0; k < 3; ++k) W[k] = cross(x.w, x.axis[k]), HR[k] = H * x.axis[k];
    total = platform_wrench(own, x, HR, S(1.0));
    if (plan.about_base) total.moment += cross(x.p, total.force);
    drive.resize(m.actuator.size());
  }

  /// A point of the platform's frame, or its velocity or acceleration.
  static V reached(const V& from, const std::array<V, 3>& along, const V& B) {
    return ((from + along[0] * B.x()) + along[1] * B.y()) + along[2] * B.z();
  }

  // ---------------------------------------------------------------------------------------------- one leg

  /// A rod's end: the leg's last body there, the point in it, and the bodies on the way.
  struct End {
    int body;
    V tip;      ///< in that body
    V q, v, a;  ///< of B in base axes; a less gravity
    std::vector<int> way;
  };

  std::vector<End> ends_of(const LegForm& form) const {
    std::vector<End> ends;
    const V ag = x.a - own.gravity;
    for (const Rod& rod : form.rods) {
      const Tip<S> tip = tip_of(m, rod.cut);
      const V B = m.platform_frame.R.transpose() * (tip.on_platform.p - m.platform_frame.p);
      End e{tip.body, tip.on_leg.p, reached(x.p, x.axis, B), reached(x.v, W, B), reached(ag, HR, B), {}};
      for (int j = tip.body; j != base; j = m.parent[at(j)]) e.way.insert(e.way.begin(), j);
      ends.push_back(e);
    }
    return ends;
  }

  V down(const End& e, V u) const {
    for (const int j : e.way) u = w.X[at(j)].R.transpose() * u;
    return u;
  }
  V up(const End& e, V u) const {
    for (auto j = e.way.rbegin(); j != e.way.rend(); ++j) u = w.X[at(*j)].R * u;
    return u;
  }

  /// Column of J for joint j: the tip's velocity in the last body's axes for a unit rate.
  V column(const End& e, int j) const {
    V rotation = V::Zero(), move = V::Zero();
    bool on = false;
    for (const int k : e.way) {
      if (on) {
        const Transform<S>& X = w.X[at(k)];
        move = X.R.transpose() * (move + cross(rotation, X.p));
        rotation = X.R.transpose() * rotation;
      }
      if (k != j) continue;
      on = true;
      (m.joint[at(j)].type == Elementary::revolute ? rotation : move).z() = S(1.0);
    }
    return on ? V(move + cross(rotation, e.tip)) : V(V::Zero());
  }

  void leg(std::size_t i) {
    const Part<S> part("legs");
    const Leg& l = m.leg[i];
    const LegForm& form = m.leg_form[i];
    solve_position(form);
    const std::vector<End> ends = ends_of(form);
    Elimination<S> J{MatX<S>::Zero(3 * static_cast<Eigen::Index>(ends.size()), l.coordinates), {}, {}};
    VecX<S> v(J.A.rows()), a(J.A.rows());
    for (std::size_t r = 0; r < ends.size(); ++r) {
      const auto row = 3 * static_cast<Eigen::Index>(r);
      for (int j = l.first_body; j < l.first_body + l.bodies; ++j)
        J.A.col(m.joint[at(j)].v - l.first_v).template segment<3>(row) = column(ends[r], j);
      v.template segment<3>(row) = down(ends[r], ends[r].v), a.template segment<3>(row) = down(ends[r], ends[r].a);
    }
    factor(J);
    w.v.segment(l.first_v, l.coordinates) = J.solve(v);
    w.a.segment(l.first_v, l.coordinates).setZero();
    accelerate(l);
    for (std::size_t r = 0; r < ends.size(); ++r)
      a.template segment<3>(3 * static_cast<Eigen::Index>(r)) -= acceleration_of(ends[r]);
    w.a.segment(l.first_v, l.coordinates) = J.solve(a);
    accelerate(l);
    joint_forces(l);
    load(l, ends, form, J);
  }

  void solve_position(const LegForm& form) {
    Transform<S> body;
    Mat3<S> R;
    R << x.axis[0], x.axis[1], x.axis[2];
    body.R = R * m.platform_frame.R.transpose();
    body.p = x.p - body.R * m.platform_frame.p;
    LegSolver<S, const Turns<S>>(m, form, body, turns).solve(form.root_sign);
  }

  /// Angular velocity and acceleration, and the acceleration of the origin, of the leg's bodies.
  void accelerate(const Leg& l) {
    turn.resize(m.parent.size()), spin.resize(m.parent.size()), lift.resize(m.parent.size());
    for (int b = l.first_body; b < l.first_body + l.bodies; ++b) {
      const auto j = at(b);
      const Transform<S>& X = w.X[j];
      const int i = m.parent[j];
      V w0 = V::Zero(), dw0 = V::Zero(), a0 = -own.gravity;
      if (i != base)
        w0 = turn[at(i)], dw0 = spin[at(i)], a0 = lift[at(i)] + cross(dw0, X.p) + cross<S>(w0, cross(w0, X.p));
      turn[j] = X.R.transpose() * w0, spin[j] = X.R.transpose() * dw0, lift[j] = X.R.transpose() * a0;
      const S rate = w.v[m.joint[j].v], change = w.a[m.joint[j].v];
      const V along(S(0.0), S(0.0), rate);
      if (m.joint[j].type == Elementary::revolute) {
        spin[j] += cross(turn[j], along);
        turn[j].z() += rate, spin[j].z() += change;
      } else {
        const V across = cross(turn[j], along);
        lift[j] += across + across;
        lift[j].z() += change;
      }
    }
  }
  V acceleration_of(const End& e) const {
    const auto j = at(e.body);
    return lift[j] + cross(spin[j], e.tip) + cross<S>(turn[j], cross(turn[j], e.tip));
  }

  /// (H2). Writes t.
  void joint_forces(const Leg& l) {
    {
      const Part<S> part("friction");
      tree_loads(m, plan.loads, w);
    }
    std::vector<Force<S>> f(m.parent.size());
    for (int b = l.first_body; b < l.first_body + l.bodies; ++b) {
      const auto j = at(b);
      const Inertia<S>& I = m.inertia[j];
      f[j].force = lift[j] * I.mass + cross(spin[j], I.first) + cross<S>(turn[j], cross(turn[j], I.first));
      f[j].moment = I.second * spin[j] + cross<S>(turn[j], I.second * turn[j]) + cross(I.first, lift[j]);
    }
    for (int b = l.first_body + l.bodies - 1; b >= l.first_body; --b) {
      const auto j = at(b);
      const int c = m.joint[j].v;
      const auto k = static_cast<std::size_t>(c);
      w.t[c] = m.joint[j].type == Elementary::revolute ? f[j].moment.z() : f[j].force.z();
      w.t[c] = w.t[c] + m.rotor_inertia[k] * m.ratio[k] * m.ratio[k] * w.a[c];
      {
        const Part<S> part("friction");
        w.t[c] = w.t[c] - w.load[c];
      }
      if (const int i = m.parent[j]; i != base) f[at(i)] += w.X[j] * f[j];
    }
  }

  /// (H3): the leg's share of the balance, and what its drives can do.
  void load(const Leg& l, const std::vector<End>& ends, const LegForm& form, const Elimination<S>& J) {
    VecX<S> Q = w.t.segment(l.first_v, l.coordinates);
    for (std::size_t a = 0; a < m.actuator.size(); ++a) {
      const int c = m.actuator[a] - l.first_v;
      if (c < 0 || c >= l.coordinates) continue;
      Q[c] = S(0.0);
      VecX<S> unit = VecX<S>::Zero(l.coordinates);
      unit[c] = S(1.0);
      drive[a] = wrench(ends, J.solve_transposed(unit), pivot_of(form, m.actuator[a]));
    }
    total += wrench(ends, J.solve_transposed(Q), nullptr);
  }

  /// A force of a drive that extends a rod from a point of the base acts along the rod, so it may act there.
  const V* pivot_of(const LegForm& form, int actuator) {
    if (form.rods.size() != 1 || form.rods[0].extend < 0 || !plan.about_base) return nullptr;
    if (m.joint[at(form.rods[0].extend)].v != actuator) return nullptr;
    pivot = rod_shape(m, form.rods[0]).pivot;
    return &pivot;
  }

  Force<S> wrench(const std::vector<End>& ends, const VecX<S>& F, const V* point) const {
    Force<S> sum;
    for (std::size_t r = 0; r < ends.size(); ++r) {
      const V f = up(ends[r], F.template segment<3>(3 * static_cast<Eigen::Index>(r)));
      const V arm = point != nullptr ? *point : plan.about_base ? ends[r].q : V(ends[r].q - x.p);
      sum += Force<S>{cross(arm, f), f};
    }
    return sum;
  }

  const Mechanism<S>& m;
  const LegPlan& plan;
  const PlatformBody<S>& own;
  const PlatformState<S>& x;
  Choose choose;
  Workspace<S> w;
  const Turns<S> turns;
  std::array<V, 3> W, HR;
  Force<S> total;
  std::vector<Force<S>> drive;
  std::vector<V> turn, spin, lift;
  V pivot;
};

}  // namespace gough
