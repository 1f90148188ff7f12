#pragma once
/// Inverse dynamics of a platform on six struts, with few operations: struts.hpp.             docs/theory/codegen.md
#include "gough/dynamics/struts.hpp"
#include "gough/spatial/linalg.hpp"

namespace gough {

template <Scalar S>
class StrutInverse {
  using V = Vec3<S>;

 public:
  MatX<S> system;  ///< what is factored: 3 x 3 on a flat base, 5 x 5 otherwise
  S smallest_pivot{1.0};

  StrutInverse(const StrutRobot<S>& robot, const StrutPlan& how, const PlatformState<S>& motion)
      : r(robot), plan(how), x(motion) {}

  /// The drives' forces, in the robot's order.                                                        (U3)
  std::array<S, 6> forces() {
    platform();
    if (r.all) all_struts();
    else
      for (int j = 0; j < 6; ++j) strut(at(j), piece[static_cast<std::size_t>(j)]);
    const std::array<S, 6> w = plan.flat_base ? solve_flat() : solve();
    const Part<S> part("struts");
    std::array<S, 6> tau;
    for (std::size_t j = 0; j < 6; ++j)
      tau[static_cast<std::size_t>(plan.order[j])] = w[j] * piece[j].per_w + piece[j].own;
    return tau;
  }

 private:
  /// All that the solution needs of a strut: few numbers, so that they stay in registers.
  struct Piece {
    S px, py;     ///< x/z, y/z
    S iz, per_w;  ///< 1/z, l/z
    S own;        ///< tau = w l/z + own
  };
  const Strut<S>& at(int j) const { return r.strut[static_cast<std::size_t>(plan.order[static_cast<std::size_t>(j)])]; }
  V arm(int j) const { return at(j).A - at(0).A; }
  /// Over the struts that are computed at once.
  S sum(const S& y) const { return r.all ? total(y, 6) : y; }

  void all_struts() {
    Piece lanes;
    strut(*r.all, lanes);
    for (std::size_t j = 0; j < 6; ++j)
      for (S Piece::*const member : {&Piece::px, &Piece::py, &Piece::iz, &Piece::per_w, &Piece::own})
        piece[j].*member = lane(lanes.*member, plan.order[j]);
  }

  /// Its inertia, and the motion of the point from which the B_j are reached. Moments are about A_0.
  void platform() {
    const Part<S> part("platform");
    const auto& R = x.axis;
    const Mat3<S> H = spin_matrix(x.w, x.dw);
    for (std::size_t k = 0; k < 3; ++k) HR[k] = H * R[k];
    for (std::size_t k = 0; k < (plan.flat_platform ? 2U : 3U); ++k) W[k] = cross(x.w, R[k]);
    const Force<S> own = platform_wrench(r, x, HR, plan.lifted ? at(0).B.z() : S(1.0));
    const V to_origin = x.p - at(0).A;
    F = own.force, M = own.moment + cross(to_origin, F);
    centre = to_origin, velocity = x.v, acceleration = x.a;
    if (!plan.lifted) return;
    centre += R[2], velocity += cross(x.w, R[2]), acceleration += HR[2];
  }

  /// A point B of the platform from the moving axes: the same sums for struts that mirror each other.
  V reached(const V& from, const std::array<V, 3>& along, const V& B) const {
    const V planar = (from + along[0] * B.x()) + along[1] * B.y();
    return plan.flat_platform ? planar : V(planar + along[2] * B.z());
  }

  /// (U1), and its share of the balance.
  void strut(const Strut<S>& s, Piece& o) {
    const Part<S> part("struts");
    const V b = reached(V::Zero(), x.axis, s.B), q = r.all ? V(centre + b) : reached(centre, x.axis, s.B);
    const V straight = q - (s.A - at(0).A), d = to_strut<S>(s, straight);
    // w x b is longer than two columns of W for one strut, but is done once for six lanes
    const V v = to_strut<S>(s, r.all ? V(velocity + cross(x.w, b)) : reached(velocity, W, s.B));
    const V a = to_strut<S>(s, reached(acceleration, HR, s.B));
    const S X = d.x(), Y = d.y(), Z = d.z();
    const S r2 = X * X + Z * Z, l2 = r2 + Y * Y, il2 = S(1.0) / l2, ir2 = S(1.0) / r2;
    const S l = sqrt(l2), il = l * il2, sg = X * v.x() + Z * v.z();
    const S lam = sg + Y * v.y(), sv = lam * il2;  // l l', l'/l
    const S g = v.y() - Y * sv;                    // r beta'
    const S rate = (X * v.z() - Z * v.x()) * ir2, twice = rate + rate;
    const S d3 = s.p3 - s.p2, k = d3 * il2 * Y, J = (s.p1 - d3) + k * Y;
    const S bend = (X * a.z() - Z * a.x() - sg * twice) * ir2;
    const S phi = with_alpha_friction(s, J * bend + k * g * twice, rate) * ir2;
    const S e = s.p3 * il2, mu = e + (s.p5 + s.p5) * il, la = sv * (mu + e), rate2 = rate * rate;
    const V weight = to_strut<S>(s, r.gravity) * (-(s.p4 + s.p5)) * il;
    V f(mu * a.x() - la * v.x() - Z * phi, mu * a.y() - la * v.y() - k * rate2, mu * a.z() - la * v.z() + X * phi);
    f += weight;
    f.y() = with_beta_friction(s, f.y(), g, ir2);
    const S along = slide(s, o, f, d, q, straight) * il2, rise = s.p5 * (r2 * il2 * rate2 + g * g * ir2);
    o.per_w = kept(l * o.iz);
    o.own = kept(with_drive_friction(s, l * with_viscous(s, -along, sv) - rise, lam));
  }

  S kept(const S& value) const { return plan.few_values ? held(value) : value; }

  static S with_alpha_friction(const Strut<S>& s, const S& Q, const S& rate) {
    const Part<S> part("friction");
    return Q + s.dry_alpha * sign(rate) + s.viscous_alpha * rate;
  }
  static S with_beta_friction(const Strut<S>& s, const S& f, const S& g, const S& ir2) {
    const Part<S> part("friction");
    return f + s.dry_beta * sign(g) * sqrt(ir2) + s.viscous_beta * g * ir2;
  }

  static S with_viscous(const Strut<S>& s, const S& k, const S& sv) {
    const Part<S> part("friction");
    return k + s.viscous * sv;
  }
  static S with_drive_friction(const Strut<S>& s, const S& tau, const S& lam) {
    const Part<S> part("friction");
    return tau + s.dry * sign(lam);
  }

  /// F along d into the base's plane, and into the sums; returns F.d. D: d in base axes.
  S slide(const Strut<S>& s, Piece& o, const V& f, const V& d, const V& q, const V& D) {
    {
      const Part<S> part("solve");
      o.iz = S(1.0) / d.z(), o.px = D.x() * o.iz, o.py = D.y() * o.iz;
    }
    const S fx = f.x() - (d.x() * o.iz) * f.z(), fy = f.y() - (d.y() * o.iz) * f.z();
    const V level = from_strut(s, V(fx, fy, S(0.0)));
    const S Fx = level.x(), Fy = level.y();
    F.x() += sum(Fx), F.y() += sum(Fy);
    M.x() -= sum(q.z() * Fy), M.y() += sum(q.z() * Fx), M.z() += sum(q.x() * Fy - q.y() * Fx);
    return d.x() * fx + d.y() * fy;
  }

  /// system y = right, in the plan's order of elimination.
  template <int N>
  std::array<S, N> eliminated(const std::array<S, N>& right) {
    MatX<S> A = system, b(N, 1), work(N, 1);
    for (int i = 0; i < N; ++i) b(i, 0) = right[static_cast<std::size_t>(i)];
    const PivotOrder order{std::span<const int>(plan.rows.data(), N), std::span<const int>(plan.columns.data(), N)};
    smallest_pivot = lu_factor(A, order);
    lu_solve(A, order, b, work);
    std::array<S, N> y;
    for (int i = 0; i < N; ++i) y[static_cast<std::size_t>(i)] = b(i, 0);
    return y;
  }

  /// The same with more operations, of which fewer wait for each other: rows of the inverse from cross products.
  std::array<S, 3> by_cofactors(const std::array<S, 3>& right) {
    const auto row = [&](int n) { return V(system(n, 0), system(n, 1), system(n, 2)); };
    const std::array<V, 3> c = {cross(row(1), row(2)), cross(row(2), row(0)), cross(row(0), row(1))};
    const S det = dot(row(0), c[0]), over = S(1.0) / det;
    smallest_pivot = magnitude(det);
    const V y = c[0] * (right[0] * over) + c[1] * (right[1] * over) + c[2] * (right[2] * over);
    return {y.x(), y.y(), y.z()};
  }

  std::array<S, 3> three(const std::array<S, 3>& right) { return r.all ? by_cofactors(right) : eliminated<3>(right); }

  /// (U2) without its constant rows: with the sum of w and of w A known, three unknowns are left.
  std::array<S, 6> solve_flat() {
    const Part<S> part("solve");
    std::array<std::array<S, 6>, 3> row;  // x, y, moment about z
    for (int j = 0; j < 6; ++j) {
      const auto i = static_cast<std::size_t>(j);
      row[0][i] = piece[i].px, row[1][i] = piece[i].py;
      row[2][i] = arm(j).x() * piece[i].py - arm(j).y() * piece[i].px;
    }
    const std::array<S, 3> sum = {F.x(), F.y(), M.z()};
    return plan.trapezoids ? with_trapezoids(row, sum) : with_constant_rows(row, sum);
  }

  /// w of struts i and k alone that carries the moments about x and y; A_0 = 0.
  std::array<S, 2> carried(int i, int k) const {
    const V a = arm(i), b = arm(k);
    const S det = S(1.0) / (a.x() * b.y() - a.y() * b.x());
    return {-((b.x() * det) * M.x() + (b.y() * det) * M.y()), (a.x() * det) * M.x() + (a.y() * det) * M.y()};
  }

  using Rows = std::array<std::array<S, 6>, 3>;
  /// What the three rows still lack after w of strut 0, i and k.
  std::array<S, 3> lacking(const Rows& row, const std::array<S, 3>& sum, int i, int k,
                           const std::array<S, 2>& w) const {
    std::array<S, 3> left;
    for (std::size_t n = 0; n < 3; ++n) {
      const auto& c = row[n];
      left[n] = sum[n] - c[0] * F.z() - (c[static_cast<std::size_t>(i)] - c[0]) * w[0] -
                (c[static_cast<std::size_t>(k)] - c[0]) * w[1];
    }
    return left;
  }

  /// Opposite sides are parallel: A_i - A_j = kappa (A_a - A_b), so (1, -1, -kappa, kappa) leaves the constant rows alone.
  std::array<S, 6> with_trapezoids(const Rows& row, const std::array<S, 3>& sum) {
    constexpr std::array<std::array<std::size_t, 4>, 3> side = {{{0, 1, 2, 5}, {2, 3, 4, 1}, {4, 5, 0, 3}}};
    const std::array<S, 2> w0 = carried(1, 3);
    system = MatX<S>(3, 3);
    const V e = arm(0) - arm(1), f = arm(2) - arm(5);
    const S kappa = dot(e, f) / dot(f, f);
    for (int n = 0; n < 3; ++n)
      for (int c = 0; c < 3; ++c) {
        const auto& [i, j, a, b] = side[static_cast<std::size_t>(c)];
        const auto& t = row[static_cast<std::size_t>(n)];
        system(n, c) = (t[i] - t[j]) - kappa * (t[a] - t[b]);
      }
    const std::array<S, 3> y = three(lacking(row, sum, 1, 3, w0));
    std::array<S, 6> w = {F.z() - w0[0] - w0[1], w0[0], S(0.0), w0[1], S(0.0), S(0.0)};
    for (std::size_t c = 0; c < 3; ++c) {
      const auto& [i, j, a, b] = side[c];
      const S scaled = kappa * y[c];
      w[i] = w[i] + y[c], w[j] = w[j] - y[c], w[a] = w[a] - scaled, w[b] = w[b] + scaled;
    }
    return w;
  }

  /// Any flat base: struts 0, 2 and 4 carry the constant rows.
  std::array<S, 6> with_constant_rows(const Rows& row, const std::array<S, 3>& sum) {
    constexpr std::array<std::size_t, 3> other = {1, 3, 5};
    const std::array<S, 2> w0 = carried(2, 4);
    const V a = arm(2), b = arm(4);
    const S det = S(1.0) / (a.x() * b.y() - a.y() * b.x());
    std::array<std::array<S, 3>, 2> share;  // of w_2 and w_4 per unit of the others
    system = MatX<S>(3, 3);
    for (std::size_t c = 0; c < 3; ++c) {
      const V o = arm(static_cast<int>(other[c]));
      share[0][c] = (o.x() * b.y() - o.y() * b.x()) * det, share[1][c] = (a.x() * o.y() - a.y() * o.x()) * det;
      for (int n = 0; n < 3; ++n) {
        const auto& t = row[static_cast<std::size_t>(n)];
        system(n, static_cast<Eigen::Index>(c)) =
            (t[other[c]] - t[0]) - share[0][c] * (t[2] - t[0]) - share[1][c] * (t[4] - t[0]);
      }
    }
    const std::array<S, 3> y = three(lacking(row, sum, 2, 4, w0));
    std::array<S, 6> w;
    w[2] = w0[0], w[4] = w0[1];
    for (std::size_t c = 0; c < 3; ++c)
      w[other[c]] = y[c], w[2] = w[2] - share[0][c] * y[c], w[4] = w[4] - share[1][c] * y[c];
    w[0] = F.z() - w[1] - w[2] - w[3] - w[4] - w[5];
    return w;
  }

  /// (U2) for any base: the row of ones eliminated beforehand.
  std::array<S, 6> solve() {
    const Part<S> part("solve");
    std::array<std::array<S, 5>, 6> column;
    for (int j = 0; j < 6; ++j) {
      const auto i = static_cast<std::size_t>(j);
      const V m = cross<S>(arm(j), V(piece[i].px, piece[i].py, S(1.0)));
      column[i] = {piece[i].px, piece[i].py, m.x(), m.y(), m.z()};
    }
    const std::array<S, 5> sum = {F.x(), F.y(), M.x(), M.y(), M.z()};
    std::array<S, 5> right;
    system = MatX<S>(5, 5);
    for (std::size_t n = 0; n < 5; ++n) {
      right[n] = sum[n] - column[0][n] * F.z();
      for (std::size_t c = 0; c < 5; ++c)
        system(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(c)) = column[c + 1][n] - column[0][n];
    }
    const std::array<S, 5> y = eliminated<5>(right);
    return {F.z() - y[0] - y[1] - y[2] - y[3] - y[4], y[0], y[1], y[2], y[3], y[4]};
  }

  const StrutRobot<S>& r;
  const StrutPlan& plan;
  const PlatformState<S>& x;
  std::array<V, 3> W, HR;
  V F, M;  ///< what the drives must hold: force, moment
  V centre, velocity, acceleration;
  std::array<Piece, 6> piece;
};

}  // namespace gough
