#pragma once
/// Inverse and forward dynamics of one 6-UPS hexapod as an engineer writes them by hand: leg by leg, by virtual work.
/// It is the yardstick for the library's speed, and a witness for its results that shares no code with it.
///
/// Platform: pose R, p of its frame; velocity v of the frame's origin and angular velocity w; accelerations a, dw. All
/// vectors are in base axes.
///
/// Leg j runs from A (fixed) to B (on the platform), d = p + R B_j - A_j = l u. The ring turns by alpha about e1, which
/// is fixed; stator and slider turn by alpha about e1 and by beta about e2, which the ring carries. Leg axes x y z:
///   e2 = e1 x u / c,   h = u x e2,   u           with e1 = c h + s u                                      (1)
/// Angular velocity and acceleration of stator and slider in leg axes; c' = s beta', s' = -c beta':
///   w_l  = (beta',  c alpha',                      s alpha')                                              (2)
///   dw_l = (beta'', c alpha'' + s alpha' beta',    s alpha'' - c alpha' beta')
/// Velocity and acceleration of B in leg axes:
///   T^T v_B = (l c alpha', -l beta', l')          T = [e2 h u]                                            (3)
///   T^T a_B = (l (c alpha'' + 2 s alpha' beta') + 2 l' c alpha',
///              l (s c alpha'^2 - beta'') - 2 l' beta',
///              l'' - l (c^2 alpha'^2 + beta'^2))                                                          (4)
/// With G = [T; r x T] and r = R B_j, T^T v_B = G^T (v, w); so the leg's generalised forces act on the platform as
///   f_B = (Q_alpha / (l c), -Q_beta / l, Q_l),    wrench = G f_B                                           (5)
/// Singular where the leg lies along e1 (c = 0).
#include <Eigen/Dense>
#include <array>
#include <cstddef>
#include <numbers>

struct HandwrittenHexapod {
  using Vec3 = Eigen::Vector3d;
  using Mat3 = Eigen::Matrix3d;
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  using Points = Eigen::Matrix<double, 3, 6>;

  /// A body with its centre of mass on the leg's line and its principal axes along the leg's axes.
  struct LegBody {
    double mass;   ///< kg
    double com;    ///< m along the leg: from A for the stator, from B for the slider
    Vec3 inertia;  ///< kg m^2, about the centre of mass
  };

  /// Defaults: robots/hexapod.yaml. The ring's mass rests at A and does no work.
  Points A = on_circle(0.5, {-15, 15, 105, 135, 225, 255});  ///< m, in the base
  Points B = on_circle(0.12, {-45, 45, 75, 165, 195, 285});  ///< m, in the platform's frame
  Points e1 = tangents(A);                                   ///< first cardan axes, in the base
  double ring = 2e-3;                                        ///< kg m^2, about e1
  LegBody stator{5.0, 0.05, {0.06, 0.06, 0.01}};
  LegBody slider{2.2, -0.30, {0.04, 0.04, 0.002}};
  double mass = 4.5;               ///< kg, platform
  Vec3 com{0, 0, 0.03};            ///< m, in the platform's frame
  Vec3 inertia{0.03, 0.03, 0.05};  ///< kg m^2, about com, along the platform's axes
  Vec3 gravity{0, 0, -9.81};       ///< m/s^2, in the base

  struct ForwardResult {
    Vec3 a, dw;                ///< m/s^2, rad/s^2: platform
    Vec6 length, alpha, beta;  ///< m/s^2, rad/s^2: drives and cardan joints
  };

  /// The forces of the drives that go with a motion of the platform. Their power is that of inertia and weight,
  /// sum_j tau_j l'_j = F . (v, w) for every (v, w), and l'_j is the third of (3):
  ///   W tau = F,    W = last columns of G_1 .. G_6,    F = platform + sum_j G_j f_Bj                          (6)
  Vec6 inverse(const Mat3& R, const Vec3& p, const Vec3& v, const Vec3& w, const Vec3& a, const Vec3& dw) const {
    Vec6 F = platform_wrench(R, w, a, dw);
    Mat6 W;
    for (int j = 0; j < 6; ++j) {
      Leg leg;
      leg_motion(leg, j, R, p, v, w);
      F.noalias() += leg.G * leg_force(leg, accelerations(leg, a + dw.cross(leg.r) + leg.a_turn));
      W.col(j) = leg.G.col(2);
    }
    return W.partialPivLu().solve(F);
  }

  /// The accelerations under the forces tau of the drives:
  ///   M (a, dw) = W tau - F_0,    M = platform + sum_j G_j diag(D_j) G_j^T,    F_0 = F at a = dw = 0          (7)
  ForwardResult forward(const Mat3& R, const Vec3& p, const Vec3& v, const Vec3& w, const Vec6& tau) const {
    Mat6 M = platform_mass(R);
    Vec6 F = -platform_wrench(R, w, Vec3::Zero(), Vec3::Zero());
    std::array<Leg, 6> legs;
    for (int j = 0; j < 6; ++j) {
      Leg& leg = legs[static_cast<std::size_t>(j)];
      leg_motion(leg, j, R, p, v, w);
      Vec3 f = -leg_force(leg, accelerations(leg, leg.a_turn));
      f.z() += tau[j];
      F.noalias() += leg.G * f;
      const Eigen::Matrix<double, 6, 3> GD = leg.G * leg_mass(leg).asDiagonal();
      M.noalias() += GD * leg.G.transpose();
    }
    const Vec6 x = M.ldlt().solve(F);

    ForwardResult result{x.head<3>(), x.tail<3>(), {}, {}, {}};
    for (int j = 0; j < 6; ++j) {
      const Leg& leg = legs[static_cast<std::size_t>(j)];
      const Rates dd = accelerations(leg, result.a + result.dw.cross(leg.r) + leg.a_turn);
      result.length[j] = dd.l;
      result.alpha[j] = dd.alpha;
      result.beta[j] = dd.beta;
    }
    return result;
  }

 private:
  struct Rates {
    double alpha, beta, l;
  };
  struct Leg {
    Vec3 r, a_turn;                 ///< R B_j; its centripetal acceleration w x (w x r)
    Eigen::Matrix<double, 6, 3> G;  ///< its upper half is T
    double l, c, s;
    double per_l, per_c, per_lc;  ///< reciprocals: a division costs as much as a dozen products
    Rates d;                      ///< first derivatives
    Vec3 w, g;                    ///< angular velocity and gravity, in leg axes
  };

  void leg_motion(Leg& leg, int j, const Mat3& R, const Vec3& p, const Vec3& v, const Vec3& w) const {
    leg.r = R * B.col(j);
    const Vec3 v_turn = w.cross(leg.r);
    leg.a_turn = w.cross(v_turn);

    const Vec3 d = p + leg.r - A.col(j);
    leg.l = d.norm();
    leg.per_l = 1 / leg.l;
    const Vec3 u = d * leg.per_l, across = e1.col(j).cross(u);  // (1)
    leg.c = across.norm();
    leg.s = e1.col(j).dot(u);
    leg.per_c = 1 / leg.c;
    leg.per_lc = leg.per_l * leg.per_c;
    const Vec3 e2 = across * leg.per_c, h = u.cross(e2);
    leg.G << e2, h, u, leg.r.cross(e2), leg.r.cross(h), leg.r.cross(u);

    const Vec3 v_B = v + v_turn;
    leg.d = {e2.dot(v_B) * leg.per_lc, -h.dot(v_B) * leg.per_l, u.dot(v_B)};  // (3)
    leg.w = {leg.d.beta, leg.c * leg.d.alpha, leg.s * leg.d.alpha};           // (2)
    leg.g = {e2.dot(gravity), h.dot(gravity), u.dot(gravity)};
  }

  /// (4) solved for alpha'', beta'', l''.
  static Rates accelerations(const Leg& leg, const Vec3& a_B) {
    const Vec3 b = leg.G.topRows<3>().transpose() * a_B;
    const Vec3& w = leg.w;
    return {(b.x() - 2 * leg.d.l * w.y()) * leg.per_lc - 2 * leg.s * leg.per_c * leg.d.alpha * leg.d.beta,
            w.y() * w.z() - (b.y() + 2 * leg.d.l * leg.d.beta) * leg.per_l,
            b.z() + leg.l * (w.x() * w.x() + w.y() * w.y())};
  }

  /// The force at B that moves and carries the leg, in leg axes: Newton and Euler for ring, stator and slider, with
  /// moments about A; Q_beta is their part along e2, Q_alpha along e1 = c h + s u.
  ///   f = m (a_com - g),    n = I dw + w x I w + com x f                                                      (8)
  Vec3 leg_force(const Leg& leg, const Rates& dd) const {
    const Vec3& w = leg.w;
    const double turn = leg.d.alpha * leg.d.beta;
    const Vec3 dw(dd.beta, leg.c * dd.alpha + leg.s * turn, leg.s * dd.alpha - leg.c * turn);  // (2)

    // A centre of mass at x u has the acceleration x'' u + 2 x' u' + x u'', with u = (0, 0, 1) in leg axes.
    const Vec3 u_dot(w.y(), -w.x(), 0);
    const Vec3 u_ddot(dw.y() + w.x() * w.z(), w.y() * w.z() - dw.x(), -w.x() * w.x() - w.y() * w.y());
    const double x = leg.l + slider.com;
    const Vec3 f_stator = stator.mass * (stator.com * u_ddot - leg.g);
    const Vec3 f_slider = slider.mass * (Vec3(0, 0, dd.l) + 2 * leg.d.l * u_dot + x * u_ddot - leg.g);

    const Vec3 I = stator.inertia + slider.inertia, f_arm = stator.com * f_stator + x * f_slider;
    Vec3 n = I.cwiseProduct(dw) + w.cross(I.cwiseProduct(w));
    n.x() -= f_arm.y();
    n.y() += f_arm.x();
    const double Q_alpha = ring * dd.alpha + leg.c * n.y() + leg.s * n.z();
    return {Q_alpha * leg.per_lc, -n.x() * leg.per_l, f_slider.z()};  // (5)
  }

  /// D: mass of the leg as felt at B, along the leg's axes; df_B / d(T^T a_B).
  Vec3 leg_mass(const Leg& leg) const {
    const double x = leg.l + slider.com, swing = stator.mass * stator.com * stator.com + slider.mass * x * x;
    const Vec3 I = stator.inertia + slider.inertia;
    return {(ring + leg.c * leg.c * (I.y() + swing) + leg.s * leg.s * I.z()) * leg.per_lc * leg.per_lc,
            (I.x() + swing) * leg.per_l * leg.per_l, slider.mass};
  }

  /// Force and moment about the platform frame's origin that move and carry the platform.
  Vec6 platform_wrench(const Mat3& R, const Vec3& w, const Vec3& a, const Vec3& dw) const {
    const Vec3 s = R * com, w_p = R.transpose() * w, dw_p = R.transpose() * dw;
    const Vec3 f = mass * (a + dw.cross(s) + w.cross(w.cross(s)) - gravity);
    const Vec3 n = inertia.cwiseProduct(dw_p) + w_p.cross(inertia.cwiseProduct(w_p));
    Vec6 F;
    F << f, R * n + s.cross(f);
    return F;
  }

  ///   M = [ m 1     -m [s]x                        ]       s = R com
  ///       [ m [s]x   R I R^T + m (s.s 1 - s s^T)   ]                                                          (9)
  Mat6 platform_mass(const Mat3& R) const {
    const Vec3 s = R * com, ms = mass * s;
    Mat3 S;
    S << 0, -ms.z(), ms.y(), ms.z(), 0, -ms.x(), -ms.y(), ms.x(), 0;
    Mat6 M;
    M.topLeftCorner<3, 3>() = mass * Mat3::Identity();
    M.topRightCorner<3, 3>() = -S;
    M.bottomLeftCorner<3, 3>() = S;
    M.bottomRightCorner<3, 3>() = R * inertia.asDiagonal() * R.transpose() - ms * s.transpose();
    M.diagonal().tail<3>().array() += ms.dot(s);
    return M;
  }

  static Points on_circle(double radius, const Vec6& degrees) {
    Points x = Points::Zero();
    x.row(0) = radius * (degrees.transpose().array() * std::numbers::pi / 180).cos();
    x.row(1) = radius * (degrees.transpose().array() * std::numbers::pi / 180).sin();
    return x;
  }
  /// Clockwise seen from above, so that alpha has the sign of the robot file's.
  static Points tangents(const Points& on) {
    Points e = Points::Zero();
    for (int j = 0; j < 6; ++j) e.col(j) = on.col(j).cross(Vec3::UnitZ()).normalized();
    return e;
  }
};
