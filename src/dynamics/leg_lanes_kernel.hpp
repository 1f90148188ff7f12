/// The kernels of leg_lanes.hpp for one instruction set. Included once per set; Lanes is how many legs go at once.
#include "gough/dynamics/leg_lanes.hpp"
#include "gough/dynamics/loads.hpp"
#include "gough/scalar/pack.hpp"

namespace gough {
inline namespace GOUGH_INSTRUCTIONS {

/// A group of legs of a block, from lane `first` on.
template <int Lanes>
class LegGroup {
  using S = Pack<Lanes>;
  using V3 = Vec3<S>;
  using M3 = Mat3<S>;

 public:
  LegGroup(const LaneBlock& block, LaneState& state, int first) : b(block), s(state), lane(first) {}

  /// (K1), (K2) from the platform's motion.
  void forces_from_platform(const LaneMotion& m, const CoulombRule& rule) {
    ball(m);
    aim();
    chain();
    jacobian();
    const V3 w = vector(m.w), turn = cross(w, r), q = solve(vector(m.v) + turn);
    for (int j = 0; j < 3; ++j) rate[at(j)] = q[j];
    velocities();
    const V3 a = vector(m.a) + cross<S>(vector(m.dw), r) + cross(w, turn) - vector(m.g);
    const V3 qdd = solve(a - tip_acceleration(bias(vector(m.g))));
    put_forces(inverse_dynamics(vector(m.g), qdd, rule));
  }

  /// (K2) from the joints' motion.
  void forces_from_joints(const LaneMotion& m, const CoulombRule& rule) {
    given_joints();
    ball(m);
    chain();
    jacobian();
    velocities();
    put_forces(inverse_dynamics(vector(m.g), get(s.acceleration), rule));
  }

  void loops() {
    const V3 f = get(s.h) - get(s.u) * get(s.tau);
    put_lambda(f);
  }

  /// (K4) from the joints' state; the platform's acceleration counts as zero.
  void forces_from_state(const LaneMotion& m, const CoulombRule& rule) {
    given_joints();
    ball(m);
    chain();
    jacobian();
    velocities();
    const V3 w = vector(m.w), rise = cross<S>(w, cross<S>(w, r));
    const V3 qdd = solve(rise - vector(m.g) - tip_acceleration(bias(vector(m.g))));
    for (int j = 0; j < 3; ++j) put(s.acceleration[at(j)], qdd[j]);
    V3 t = inverse_dynamics(vector(m.g), qdd, rule);
    t[b.drive] -= get(s.tau);
    put_forces(t);
    put_mass(mass());
  }

  void loops_from_platform(const LaneMotion& m) {
    const V3 change = vector(m.a) + cross<S>(vector(m.dw), get(s.r));
    for (int j = 0; j < 3; ++j) {
      const V3 kept(get(s.inverse[at(3 * j)]), get(s.inverse[at(3 * j + 1)]), get(s.inverse[at(3 * j + 2)]));
      put(s.acceleration[at(j)], get(s.acceleration[at(j)]) + dot(kept, change));
    }
    const auto L = [&](int i) { return get(s.tip_mass[at(i)]); };
    const V3 f = get(s.h) + V3(L(0) * change[0] + L(1) * change[1] + L(2) * change[2],
                               L(1) * change[0] + L(3) * change[1] + L(4) * change[2],
                               L(2) * change[0] + L(4) * change[1] + L(5) * change[2]);
    put_lambda(f);
  }

 private:
  S get(const Lane& x) const { return S::load(x.data() + lane); }
  V3 get(const std::array<Lane, 3>& x) const { return {get(x[0]), get(x[1]), get(x[2])}; }
  M3 get(const std::array<Lane, 9>& x) const {
    M3 R;
    for (int i = 0; i < 9; ++i) R(i % 3, i / 3) = get(x[at(i)]);
    return R;
  }
  void put(Lane& to, const S& x) const { x.store(to.data() + lane); }
  void put(std::array<Lane, 3>& to, const V3& x) const {
    for (int i = 0; i < 3; ++i) put(to[at(i)], x[i]);
  }
  static V3 vector(const std::array<double, 3>& x) { return {S(x[0]), S(x[1]), S(x[2])}; }
  bool slides(int j) const { return b.joint[at(j)] == Elementary::prismatic; }

  void ball(const LaneMotion& m) {
    const V3 x = get(b.ball);
    for (int i = 0; i < 3; ++i) r[i] = S(m.R[at(i)]) * x[0] + S(m.R[at(i + 3)]) * x[1] + S(m.R[at(i + 6)]) * x[2];
    B = vector(m.p) + r;
    for (int i = 0; i < 9; ++i) platform(i % 3, i / 3) = S(m.R[at(i)]);
  }

  /// Cosines and sines of the joints from the ball's place: ratios of lengths, no angles.
  void aim() {
    M3 R = M3::Identity();
    V3 p = V3::Zero();
    int next = 0;
    if (b.root == 0) {
      reach();
      const M3 P = get(b.body[0].R);
      const V3 o = get(b.body[0].p);
      if (slides(0)) {
        R = P;
        p = o + P.col(2) * d[0];
      } else {
        R = turned(P, c[0], sn[0]);
        p = o;
      }
      next = 1;
    }
    const M3 F = R * get(b.body[at(next)].R);
    const V3 D = B - (p + R * get(b.pivot));
    const V3 u = F.transpose() * D;
    const S level = get(b.flip) / sqrt(u.x() * u.x() + u.y() * u.y());
    const S C = u.y() * level, Sn = -(u.x() * level);
    const S ca = get(b.cos_aim), sa = get(b.sin_aim);
    c[at(next)] = C * ca + Sn * sa;
    sn[at(next)] = Sn * ca - C * sa;
    const V3 u1(c[at(next)] * u.x() + sn[at(next)] * u.y(), c[at(next)] * u.y() - sn[at(next)] * u.x(), u.z());
    const V3 left = get(b.body[at(next + 1)].R).transpose() * u1;
    const S reach2 = left.x() * left.x() + left.y() * left.y(), length = sqrt(reach2), over = S(1.0) / length;
    const S C2 = left.x() * over, S2 = left.y() * over;
    const S ct = get(b.cos_tip), st = get(b.sin_tip);
    c[at(next + 1)] = C2 * ct + S2 * st;
    sn[at(next + 1)] = S2 * ct - C2 * st;
    if (b.root < 0) d[2] = length - get(b.length);
  }

  /// The root joint: the pivot at the rod's length from the ball.
  void reach() {
    const V3 e = get(b.pivot), x = get(b.body[0].R).transpose() * (B - get(b.body[0].p));
    const S l = get(b.length), sign = get(b.root_sign);
    if (slides(0)) {
      const V3 D = x - e;
      d[0] = D.z() + sign * sqrt(l * l - D.x() * D.x() - D.y() * D.y());
      return;
    }
    const S A = e.x() * x.x() + e.y() * x.y(), C = e.x() * x.y() - e.y() * x.x(), h2 = A * A + C * C;
    const S k = (dot(e, e) + dot(x, x) - l * l) * S(0.5) - e.z() * x.z();
    const S n = sign * sqrt(h2 - k * k), over = S(1.0) / h2;
    c[0] = (A * k - C * n) * over;
    sn[0] = (C * k + A * n) * over;
  }

  void given_joints() {
    for (int j = 0; j < 3; ++j) c[at(j)] = get(s.c[at(j)]), sn[at(j)] = get(s.s[at(j)]), d[at(j)] = get(s.d[at(j)]);
    for (int j = 0; j < 3; ++j) rate[at(j)] = get(s.rate[at(j)]);
  }

  static M3 turned(const M3& P, const S& co, const S& si) {
    M3 R;
    R.col(0) = P.col(0) * co + P.col(1) * si;
    R.col(1) = P.col(1) * co - P.col(0) * si;
    R.col(2) = P.col(2);
    return R;
  }

  /// Poses of the three bodies in their parents and in the base.
  void chain() {
    for (int j = 0; j < 3; ++j) {
      const M3 P = get(b.body[at(j)].R);
      const V3 p = get(b.body[at(j)].p);
      X[at(j)] = slides(j) ? Transform<S>{P, p + P.col(2) * d[at(j)]} : Transform<S>{turned(P, c[at(j)], sn[at(j)]), p};
      X0[at(j)] = j == 0 ? X[0] : X0[at(j - 1)] * X[at(j)];
    }
  }

  /// Rows of J^-1 from the columns of J by cross products.
  void jacobian() {
    const auto column = [&](int j) -> V3 {
      const V3 z = X0[at(j)].R.col(2);
      return slides(j) ? z : cross<S>(z, B - X0[at(j)].p);
    };
    const V3 c0 = column(0), c1 = column(1), c2 = column(2);
    const V3 n0 = cross(c1, c2), n1 = cross(c2, c0), n2 = cross(c0, c1);
    const S over = S(1.0) / dot(c0, n0);
    row[0] = n0 * over, row[1] = n1 * over, row[2] = n2 * over;
  }
  V3 solve(const V3& x) const { return {dot(row[0], x), dot(row[1], x), dot(row[2], x)}; }

  void add_rate(int j, const S& x, Motion<S>& v) const { (slides(j) ? v.linear : v.angular).z() += x; }

  void velocities() {
    for (int j = 0; j < 3; ++j) {
      V[at(j)] = j == 0 ? Motion<S>{} : X[at(j)].from_outside(V[at(j - 1)]);
      add_rate(j, rate[at(j)], V[at(j)]);
    }
  }
  /// v x S q': what a joint's rate adds to its body's acceleration.
  Motion<S> turning(int j) const {
    const Motion<S>& v = V[at(j)];
    const S& x = rate[at(j)];
    const S o(0.0);
    if (slides(j)) return {V3::Zero(), V3(v.angular.y() * x, -(v.angular.x() * x), o)};
    return {V3(v.angular.y() * x, -(v.angular.x() * x), o), V3(v.linear.y() * x, -(v.linear.x() * x), o)};
  }
  /// The last body's acceleration with q'' = 0, gravity as an acceleration of the base.
  Motion<S> bias(const V3& g) const {
    Motion<S> a{V3::Zero(), -g};
    for (int j = 0; j < 3; ++j) a = X[at(j)].from_outside(a) + turning(j);
    return a;
  }
  V3 tip_acceleration(const Motion<S>& a) const {
    const V3 x = get(b.tip);
    const V3 v = V[2].linear + cross(V[2].angular, x);
    return X0[2].R * (a.linear + cross(a.angular, x) + cross(V[2].angular, v));
  }

  Inertia<S> inertia(int j) const {
    const auto& y = b.body[at(j)];
    M3 I;
    const S xy = get(y.second[1]), xz = get(y.second[2]), yz = get(y.second[4]);
    I << get(y.second[0]), xy, xz, xy, get(y.second[3]), yz, xz, yz, get(y.second[5]);
    return {get(y.mass), get(y.first), I};
  }
  S along(int j, const Force<S>& f) const { return slides(j) ? f.force.z() : f.moment.z(); }

  /// What resists joint j's motion.
  S friction(int j, const CoulombRule& rule) const {
    const S& x = rate[at(j)];
    const S dry = friction_value<S>(FrictionFunction::coulomb, x, rule);
    return get(b.body[at(j)].viscous) * x + get(b.body[at(j)].coulomb) * dry;
  }

  /// The joints' forces for the accelerations qdd, friction included.
  V3 inverse_dynamics(const V3& g, const V3& qdd, const CoulombRule& rule) const {
    std::array<Force<S>, 3> f;
    Motion<S> a{V3::Zero(), -g};
    for (int j = 0; j < 3; ++j) {
      a = X[at(j)].from_outside(a) + turning(j);
      add_rate(j, qdd[j], a);
      f[at(j)] = inertial_force(inertia(j), V[at(j)], a);
    }
    V3 t;
    for (int j = 2; j >= 0; --j) {
      t[j] = along(j, f[at(j)]) + get(b.body[at(j)].rotor) * qdd[j] + friction(j, rule);
      if (j > 0) f[at(j - 1)] += X[at(j)] * f[at(j)];
    }
    return t;
  }

  void put_forces(const V3& t) {
    const V3 h = row[0] * t[0] + row[1] * t[1] + row[2] * t[2], u = row[at(b.drive)];
    put(s.r, r);
    put(s.h, h);
    put(s.u, u);
    put(s.mh, cross(r, h));
    put(s.mu, cross(r, u));
    const M3 A = (b.on_platform_axes ? platform : X0[2].R) * get(b.axes);
    for (int i = 0; i < 9; ++i) put(s.base_axes[at(i)], A(i % 3, i / 3));
  }

  /// lambda: the force on the leg's end (K5) along the rows' axes, with the rows' sign.
  void put_lambda(const V3& f) {
    for (int i = 0; i < 3; ++i) {
      const V3 axis(get(s.base_axes[at(3 * i)]), get(s.base_axes[at(3 * i + 1)]), get(s.base_axes[at(3 * i + 2)]));
      const S x = dot(axis, f);
      put(s.lambda[at(i)], b.on_platform_axes ? x : S(-x));
    }
  }

  /// The leg's mass matrix (composite bodies).
  M3 mass() const {
    M3 M;
    Inertia<S> I = inertia(2);
    for (int j = 2; j >= 0; --j) {
      Motion<S> axis;
      add_rate(j, S(1.0), axis);
      Force<S> F = I * axis;
      M(j, j) = along(j, F) + get(b.body[at(j)].rotor);
      for (int k = j; k > 0; --k) {
        F = X[at(k)] * F;
        M(j, k - 1) = M(k - 1, j) = along(k - 1, F);
      }
      if (j > 0) I = inertia(j - 1) + X[at(j)] * I;
    }
    return M;
  }

  /// L = J^-T M J^-1, and the block's share of (K4).
  void put_mass(const M3& M) {
    std::array<V3, 3> m;  // M J^-1, row by row
    for (int i = 0; i < 3; ++i) m[at(i)] = row[0] * M(i, 0) + row[1] * M(i, 1) + row[2] * M(i, 2);
    M3 L;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k <= i; ++k) L(i, k) = L(k, i) = row[0][i] * m[0][k] + row[1][i] * m[1][k] + row[2][i] * m[2][k];
    const std::array<S, 6> half = {L(0, 0), L(0, 1), L(0, 2), L(1, 1), L(1, 2), L(2, 2)};
    for (int i = 0; i < 6; ++i) put(s.tip_mass[at(i)], half[at(i)]);
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) put(s.inverse[at(3 * j + i)], row[at(j)][i]);
    M3 rL;  // r~ L
    for (int k = 0; k < 3; ++k) rL.col(k) = cross<S>(r, L.col(k));
    const auto add = [&](int i, int k, const S& x) {
      double sum = 0;
      for (int l = 0; l < Lanes; ++l) sum += lane + l < b.legs ? x[l] : 0.0;
      s.mass[at(i * (i + 1) / 2 + k)] += sum;
    };
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k <= i; ++k) {  // -r~ L r~ = (r~ (r~ L)^T)^T, symmetric
        const V3 x = cross<S>(r, rL.row(i).transpose());
        add(i, k, x[k]);
        add(3 + i, 3 + k, L(i, k));
      }
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) add(3 + i, k, rL(k, i));
  }

  const LaneBlock& b;
  LaneState& s;
  int lane;
  V3 r, B;
  M3 platform;
  std::array<S, 3> c, sn, d, rate;
  std::array<Transform<S>, 3> X, X0;
  std::array<V3, 3> row;
  std::array<Motion<S>, 3> V;
};

template <int Lanes>
struct LaneFunctions {
  template <class Step>
  static void each(const LaneBlock& b, LaneState& s, Step&& step) {
    for (int first = 0; first < b.legs; first += Lanes) {
      LegGroup<Lanes> group(b, s, first);
      step(group);
    }
  }
  static void inverse_from_platform(const LaneBlock& b, const LaneMotion& m, const CoulombRule& rule, LaneState& s) {
    each(b, s, [&](auto& g) { g.forces_from_platform(m, rule); });
  }
  static void inverse_from_joints(const LaneBlock& b, const LaneMotion& m, const CoulombRule& rule, LaneState& s) {
    each(b, s, [&](auto& g) { g.forces_from_joints(m, rule); });
  }
  static void inverse_loops(const LaneBlock& b, LaneState& s) {
    each(b, s, [&](auto& g) { g.loops(); });
  }
  static void forward_forces(const LaneBlock& b, const LaneMotion& m, const CoulombRule& rule, LaneState& s) {
    s.mass.fill(0);
    each(b, s, [&](auto& g) { g.forces_from_state(m, rule); });
  }
  static void forward_loops(const LaneBlock& b, const LaneMotion& m, LaneState& s) {
    each(b, s, [&](auto& g) { g.loops_from_platform(m); });
  }
  static constexpr LaneKernels kernels(const char* instructions) {
    return {&inverse_from_platform, &inverse_from_joints, &inverse_loops,
            &forward_forces,        &forward_loops,       instructions};
  }
};

}  // namespace GOUGH_INSTRUCTIONS
}  // namespace gough
