/// From the platform's motion: a platform on six struts.
#include <fmt/format.h>

#include "gough/dynamics/strut_forward.hpp"
#include "gough/dynamics/strut_inverse.hpp"
#include "gough/error.hpp"
#include "trace.hpp"

namespace gough {
namespace {

Strut<Expr> symbolic(const Strut<double>& s, const std::string& leg, Parameters& p) {
  const auto shared = [&](const std::string& name, double value, const std::string& unit) {
    return p("strut." + name, "strut." + name, value, unit);
  };
  const auto own = [&](const std::string& name, double value, const std::string& unit) {
    return p(leg + "." + name, leg + "." + name, value, unit);
  };
  Strut<Expr> t;
  t.A = p.point(leg + ".A", s.A), t.B = p.point(leg + ".B", s.B);
  t.cos = p.turn(leg + ".cos", s.cos), t.sin = p.turn(leg + ".sin", s.sin);
  t.p1 = shared("p1", s.p1, "kg m^2"), t.p2 = shared("p2", s.p2, "kg m^2"), t.p3 = shared("p3", s.p3, "kg m^2");
  t.p4 = shared("p4", s.p4, "kg m"), t.p5 = shared("p5", s.p5, "kg m");
  t.dry_alpha = shared("dry_alpha", s.dry_alpha, "N m"), t.dry_beta = shared("dry_beta", s.dry_beta, "N m");
  t.viscous_alpha = shared("viscous_alpha", s.viscous_alpha, "N m s/rad");
  t.viscous_beta = shared("viscous_beta", s.viscous_beta, "N m s/rad");
  t.dry = own("dry", s.dry, "N"), t.viscous = own("viscous", s.viscous, "N s/m");
  return t;
}

StrutRobot<Expr> symbolic(const StrutRobot<double>& r, const Structure& m, Parameters& p) {
  constexpr double rounding = 1e-12;
  StrutRobot<Expr> t;
  for (std::size_t j = 0; j < 6; ++j) t.strut[j] = symbolic(r.strut[j], m.leg[j].name, p);
  t.mass = p("platform.mass", "platform.mass", r.mass, "kg");
  for (int i = 0; i < 3; ++i) {
    const std::string s = fmt::format("platform.s{}", "xyz"[i]), g = fmt::format("gravity.{}", "xyz"[i]);
    t.first[i] = p(s, s, r.first[i], "kg m", rounding);
    t.gravity[i] = p(g, g, r.gravity[i], "m/s^2");
    for (int k = i; k < 3; ++k) {
      const std::string J = fmt::format("platform.J{}{}", "xyz"[i], "xyz"[k]);
      t.products(i, k) = t.products(k, i) = p(J, J, r.products(i, k), "kg m^2", rounding);
    }
  }
  return t;
}

std::vector<std::string> xyz(const std::string& unit) {
  return {"x [" + unit + "]", "y [" + unit + "]", "z [" + unit + "]"};
}

/// The columns of Rx Ry Rz, the third times `lift`.
std::array<Vec3<Expr>, 3> cardan_axes(const VecX<Expr>& angle, const Expr& lift) {
  const Expr s1 = sin(angle[0]), c1 = cos(angle[0]), s2 = sin(angle[1]), c2 = cos(angle[1]), s3 = sin(angle[2]),
             c3 = cos(angle[2]);
  const Expr a = s1 * s2, b = c1 * s2, raised = lift * c2;
  return {Vec3<Expr>(c2 * c3, c1 * s3 + a * c3, s1 * s3 - b * c3),
          Vec3<Expr>(-(c2 * s3), c1 * c3 - a * s3, s1 * c3 + b * s3),
          Vec3<Expr>(lift * s2, -(s1 * raised), c1 * raised)};
}

std::array<Vec3<Expr>, 3> given_axes(const VecX<Expr>& R, const Expr& lift) {
  std::array<Vec3<Expr>, 3> axis;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i)
      axis[static_cast<std::size_t>(k)][i] = k == 2 ? Expr(R[3 * i + k] * lift) : R[3 * i + k];
  return axis;
}

/// Home at rest, in the order of the inputs.
VecX<double> home_pose(const Mechanism<double>& m, bool matrix) {
  Workspace<double> w(m);
  tree_positions(m, w);
  const Transform<double> X = w.X0[static_cast<std::size_t>(m.platform.body)] * m.platform_frame;
  VecX<double> x(matrix ? 12 : 6);
  x.head<3>() = X.p;
  if (matrix)
    for (int i = 0; i < 9; ++i) x[3 + i] = X.R(i / 3, i % 3);
  else x.tail<3>() << std::atan2(-X.R(1, 2), X.R(2, 2)), std::asin(X.R(0, 2)), std::atan2(-X.R(0, 1), X.R(0, 0));
  return x;
}

StrutMotion<Expr> motion_input(Trace& t, bool matrix, const Expr& lift) {
  StrutMotion<Expr> x;
  Part<Expr> part("platform");
  x.p = t.input("position", "of the platform's origin in the base", xyz("m"));
  if (matrix) {
    x.axis = given_axes(t.input("rotation", "of the platform, matrix row by row",
                                {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"}),
                        lift);
  } else {
    x.axis = cardan_axes(t.input("angles", "Cardan angles of the platform: R = Rx(a0) Ry(a1) Rz(a2)",
                                 {"a0 [rad]", "a1 [rad]", "a2 [rad]"}),
                         lift);
  }
  x.v = t.input("velocity", "of the platform's origin, base axes", xyz("m/s"));
  x.w = t.input("angular_velocity", "of the platform, base axes", xyz("rad/s"));
  x.a = x.dw = Vec3<Expr>::Zero();
  return x;
}

void inverse(Trace& t, const Mechanism<double>& m, const StrutRobot<Expr>& robot, const StrutPlan& plan, bool matrix) {
  StrutMotion<Expr> x = motion_input(t, matrix, plan.lifted ? robot.strut[0].B.z() : Expr(1.0));
  x.a = t.input("acceleration", "of the platform's origin, base axes", xyz("m/s^2"));
  x.dw = t.input("angular_acceleration", "of the platform, base axes", xyz("rad/s^2"));
  StrutInverse<Expr> struts(robot, plan, x);
  const std::array<Expr, 6> tau = struts.forces();
  t.output("tau", "forces of the actuators", actuator_entries(m, "N", "N m"),
           Eigen::Map<const Eigen::Matrix<Expr, 6, 1>>(tau.data()));
  t.guard("the actuators can hardly hold the platform", struts.smallest_pivot, home_pose(m, matrix));
}

void forward(Trace& t, const Mechanism<double>& m, const StrutRobot<Expr>& robot, bool matrix) {
  const StrutMotion<Expr> x = motion_input(t, matrix, Expr(1.0));
  const VecX<Expr> given = t.input("tau", "forces of the actuators", actuator_entries(m, "N", "N m"));
  std::array<Expr, 6> tau;
  for (std::size_t j = 0; j < 6; ++j) tau[j] = given[static_cast<Eigen::Index>(j)];
  StrutForward<Expr> struts(robot, x, tau);
  const Vec6<Expr> a = struts.accelerations();
  t.output("acceleration", "of the platform's origin, base axes", xyz("m/s^2"), a.head<3>());
  t.output("angular_acceleration", "of the platform, base axes", xyz("rad/s^2"), a.tail<3>());
  t.guard("the masses are near none in some direction", struts.smallest_pivot, home_pose(m, matrix));
}

}  // namespace

Program trace_from_platform(const Mechanism<double>& m, const GenerateWish& wish) {
  const auto struts = recognise_struts(m);
  if (!struts || wish.what == "kinematics" || wish.generic)
    throw Error(fmt::format(
        "{} of {} from platform: there is code for the dynamics of six struts (universal joint with a level "
        "axis at the base, prismatic drive, ball); use --from joints",
        wish.what, m.name));
  Trace t;
  Parameters parameters(wish.fold ? Parameters::Use::folded : Parameters::Use::symbols);
  const StrutRobot<Expr> robot = symbolic(struts->robot, m, parameters);
  if (wish.what == "inverse") inverse(t, m, robot, struts->plan, wish.matrix);
  else forward(t, m, robot, wish.matrix);
  return std::move(t.program);
}

}  // namespace gough
