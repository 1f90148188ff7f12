/// From the actuators' positions, where the loops close in closed form: a planar five-bar.
#include <fmt/format.h>

#include "gough/dynamics/five_bar.hpp"
#include "gough/error.hpp"
#include "trace.hpp"

namespace gough {
namespace {

FiveBar<Expr> symbolic(const FiveBar<double>& f, const Structure& m, Parameters& p) {
  FiveBar<Expr> t;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string joint = m.coordinate[static_cast<std::size_t>(m.actuator[i])].name;
    const auto own = [&](const std::string& name, double value, const std::string& unit) {
      return p(joint + "." + name, joint + "." + name, value, unit);
    };
    const auto& from = f.side[i];
    auto& to = t.side[i];
    to.crank = p(joint + ".crank", "length", from.crank, "m"), to.link = p(joint + ".link", "length", from.link, "m");
    to.offset = p(joint + ".offset", joint + ".offset", from.offset, "rad", 1e-14);
    to.inertia = own("inertia", from.inertia, "kg m^2"), to.lever = own("lever", from.lever, "kg");
    to.rest = own("rest", from.rest, "kg m^2");
    to.viscous = own("viscous", from.viscous, "N m s/rad"), to.dry = own("dry", from.dry, "N m");
  }
  t.dx = p("base.x", "length", f.dx, "m", 1e-14), t.dy = p("base.y", "length", f.dy, "m", 1e-14);
  t.tip_mass = p("tip_mass", "tip_mass", f.tip_mass, "kg");
  t.gx = p("gravity.x", "gravity.x", f.gx, "m/s^2"), t.gy = p("gravity.y", "gravity.y", f.gy, "m/s^2");
  t.branch = f.branch;
  return t;
}

std::array<Expr, 2> both(const VecX<Expr>& x) { return {x[0], x[1]}; }

VecX<double> home_angles(const Mechanism<double>& m) {
  VecX<double> q(2);
  for (const TreeJoint& joint : m.joint)
    for (int i = 0; i < 2; ++i)
      if (joint.v == m.actuator[static_cast<std::size_t>(i)]) q[i] = m.home[joint.q];
  return q;
}

}  // namespace

Program trace_from_actuators(const Mechanism<double>& m, const GenerateWish& wish) {
  const auto five_bar = recognise_five_bar(m);
  if (!five_bar || wish.what != "forward" || wish.generic)
    throw Error(fmt::format(
        "{} of {} from actuators: there is code for forward dynamics of a planar five-bar (in the base's x-y "
        "plane, centres of mass on the links' lines); use --from joints",
        wish.what, m.name));
  Trace t;
  Parameters parameters(wish.fold ? Parameters::Use::folded : Parameters::Use::symbols);
  const FiveBar<Expr> robot = symbolic(*five_bar, m, parameters);
  const std::array<Expr, 2> q = both(t.input("q", "angles of the actuators", actuator_entries(m, "m", "rad")));
  const std::array<Expr, 2> v = both(t.input("v", "their rates", actuator_entries(m, "m/s", "rad/s")));
  const std::array<Expr, 2> tau = both(t.input("tau", "forces of the actuators", actuator_entries(m, "N", "N m")));
  const FiveBarForward<Expr> result = five_bar_forward(robot, q, v, tau);
  t.output("a", "accelerations of the actuators", actuator_entries(m, "m/s^2", "rad/s^2"),
           Eigen::Map<const Eigen::Matrix<Expr, 2, 1>>(result.a.data()));
  t.guard("the links are nearly in line, or do not reach each other", magnitude(result.crossing), home_angles(m));
  return std::move(t.program);
}

}  // namespace gough
