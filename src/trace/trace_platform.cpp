/// From the platform's motion: a platform on six struts, or on legs that are solved in closed form.
#include <fmt/format.h>

#include <algorithm>

#include "gough/dynamics/regroup.hpp"
#include "gough/dynamics/strut_forward.hpp"
#include "gough/dynamics/strut_inverse.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/task_motion.hpp"
#include "platform_inputs.hpp"
#include "trace_general.hpp"

namespace gough {
namespace {

constexpr int positions = 100;  // around home, for pivots
const std::vector<int> all_six = {0, 1, 2, 3, 4, 5};

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

// ------------------------------------------------------------------------------------------------ six struts

void strut_inverse(Trace& t, const Mechanism<double>& m, const StrutRobot<Expr>& robot, const StrutPlan& plan,
                   const PlatformInputs& inputs) {
  PlatformState<Expr> x = inputs.pose(t, plan.lifted ? robot.strut[0].B.z() : Expr(1.0));
  inputs.velocities(t, x);
  inputs.accelerations(t, x);
  StrutInverse<Expr> struts(robot, plan, x);
  const std::array<Expr, 6> tau = struts.forces();
  t.output("tau", "forces of the actuators", actuator_entries(m, "N", "N m"),
           Eigen::Map<const Eigen::Matrix<Expr, 6, 1>>(tau.data()));
  t.samples = inputs.samples(0, 12);
  t.guard("the actuators can hardly hold the platform", struts.smallest_pivot);
}

void strut_forward(Trace& t, const Mechanism<double>& m, const StrutRobot<Expr>& robot, const PlatformInputs& inputs) {
  PlatformState<Expr> x = inputs.pose(t, Expr(1.0));
  inputs.velocities(t, x);
  const VecX<Expr> given = t.input("tau", "forces of the actuators", actuator_entries(m, "N", "N m"));
  std::array<Expr, 6> tau;
  for (std::size_t j = 0; j < 6; ++j) tau[j] = given[static_cast<Eigen::Index>(j)];
  StrutForward<Expr> struts(robot, x, tau);
  const Vec6<Expr> a = struts.accelerations();
  inputs.output_accelerations(t, a.head<3>(), a.tail<3>());
  t.samples = inputs.samples(0, 12);
  t.guard("the masses are near none in some direction", struts.smallest_pivot);
}

// ------------------------------------------------------------------------------------------------ legs

/// The platform's body in its frame, from regrouped inertias.
PlatformBody<Expr> body_of(const Mechanism<Expr>& s) {
  const Inertia<Expr> I = s.platform_frame.inverse() * s.inertia[static_cast<std::size_t>(s.platform.body)];
  const Expr half = (I.second(0, 0) + I.second(1, 1) + I.second(2, 2)) * Expr(0.5);
  PlatformBody<Expr> body{I.mass, I.first, -I.second, s.gravity};
  for (int i = 0; i < 3; ++i) body.products(i, i) = half - I.second(i, i);
  return body;
}

void leg_inverse(Trace& t, const Mechanism<double>& m, const Mechanism<Expr>& s, const LegPlan& plan,
                 const PlatformInputs& inputs, bool here) {
  PlatformState<Expr> x = inputs.pose(t, Expr(1.0));
  inputs.velocities(t, x);
  inputs.accelerations(t, x);
  t.samples = inputs.samples(here ? 0 : positions, 2 * inputs.freedoms());
  const PlatformBody<Expr> body = body_of(s);
  std::size_t chosen = 0;
  const auto name = [&] { return chosen < m.leg.size() ? m.leg[chosen].name : "the platform's balance"; };
  LegInverse<Expr> legs(s, plan, body, x, [&](Elimination<Expr>& e) {
    t.choose_pivots(name(), e);
    ++chosen;
  });
  t.output("tau", "forces of the actuators", actuator_entries(m, "N", "N m"), legs.forces());
  chosen = 0;
  for (const Expr& pivot : legs.pivots) {
    const std::string what =
        chosen++ < m.leg.size() ? "a leg is near a singularity" : "the actuators can hardly hold the platform";
    t.guard(what, pivot);
  }
}

// ------------------------------------------------------------------------------------------------ any closed form

bool is_closed_form(const Structure& m) {
  return splits_into_legs(m) && m.elastic.empty() &&
         std::all_of(m.leg_form.begin(), m.leg_form.end(), [](const LegForm& f) { return f.kind != LegKind::general; });
}

/// The coordinates that go in: those in which the platform moves at every position, or its task where a leg decides the rest,
/// or all six of a pose that must be closed.
std::vector<int> given_freedoms(const Mechanism<double>& m, const std::optional<LegPlan>& plan) {
  if (plan) return plan->freedoms;
  const bool link =
      std::any_of(m.leg_form.begin(), m.leg_form.end(), [](const LegForm& f) { return f.kind == LegKind::rr; });
  std::vector<int> freedoms;
  for (int c = 0; c < 6; ++c)
    if (!link || m.platform.coordinates[static_cast<std::size_t>(c)]) freedoms.push_back(c);
  return freedoms;
}

/// Poses of all bodies for the platform's pose.
void place(TracedRobot& r, const PlatformState<Expr>& x) {
  Transform<Expr> frame;
  frame.R << x.axis[0], x.axis[1], x.axis[2];
  frame.p = x.p;
  const auto P = static_cast<std::size_t>(r.m.platform.body);
  const Turns<Expr> turns{r.s, r.w};
  r.w.X[P] = frame * r.s.platform_frame.inverse();
  for (const LegForm& form : r.m.leg_form) {
    if (form.kind != LegKind::rr) continue;
    const Tip<double> tip = tip_of(r.m, form.rods[0].cut);
    Workspace<double> home(r.m);
    tree_positions(r.m, home);
    const bool same_way = dot<double>(home.X0[static_cast<std::size_t>(tip.body)].R * tip.on_leg.R.col(2),
                                      home.X0[P].R * tip.on_platform.R.col(2)) > 0;
    r.w.X[P] = LegSolver<Expr, const Turns<Expr>>(r.s, form, frame, turns).link(frame.p, form.root_sign, same_way);
  }
  for (const LegForm& form : r.m.leg_form)
    if (form.kind != LegKind::rr) LegSolver<Expr, const Turns<Expr>>(r.s, form, r.w.X[P], turns).solve(form.root_sign);
  r.placed();
}

void output_actuators(TracedRobot& r) {
  const auto picked = [&](const VecX<Expr>& x, bool position) {
    VecX<Expr> out(static_cast<Eigen::Index>(r.m.actuator.size()));
    for (std::size_t a = 0; a < r.m.actuator.size(); ++a)
      for (const TreeJoint& joint : r.m.joint)
        if (joint.v == r.m.actuator[a]) out[static_cast<Eigen::Index>(a)] = x[position ? joint.q : joint.v];
    return out;
  };
  r.trace.output("q", "positions of the actuators", actuator_entries(r.m, "m", "rad"), picked(r.w.q, true));
  r.trace.output("v", "their rates", actuator_entries(r.m, "m/s", "rad/s"), picked(r.w.v, false));
  r.trace.output("a", "their accelerations", actuator_entries(r.m, "m/s^2", "rad/s^2"), picked(r.w.a, false));
}

Program general(const Mechanism<double>& m, const GenerateWish& wish, const PlatformInputs& inputs, Formulation by) {
  Tracer tracer(wish);
  TracedRobot r(tracer, m, wish, by);
  PlatformState<Expr> x = inputs.pose(r.trace, Expr(1.0));
  if (r.needs_rates()) inputs.velocities(r.trace, x);
  if (r.needs_accelerations()) inputs.accelerations(r.trace, x);
  if (r.wants("forward")) r.w.tau = r.force_input();
  r.trace.samples = inputs.samples(wish.here ? 0 : positions, 2 * inputs.freedoms() + m.actuator.size());
  place(r, x);
  DynamicsOptions options;
  options.by = by;
  if (r.needs_rates()) {
    Workspace<double> home(m);
    MasterForm<Expr> f(m, make_master_form(m, home, Master::platform));
    f.s = r.sparse(f.s);
    f.closed = true;
    motion_from_platform(r.s, r.w, f, {x.v, x.w, x.a, x.dw});
    r.trace.guard("the platform's motion does not determine the joints'", f.smallest_pivot);
  }
  if (r.wants("inverse")) r.inverse(options);
  else if (r.wants("regressor")) r.regressor();
  else if (r.wants("jacobian")) r.jacobian();
  else if (r.wants("kinematics")) output_actuators(r);
  else {
    r.forward(options);
    tree_accelerations(r.s, r.w);
    const PlatformRates<Expr> rates = platform_rates(r.s, r.w);
    inputs.output_accelerations(r.trace, rates.a, rates.dw);
  }
  return std::move(r.trace.program);
}

}  // namespace

Program trace_from_platform(const Mechanism<double>& m, const GenerateWish& wish) {
  Trace t;
  Parameters parameters(wish.fold ? Parameters::Use::folded : Parameters::Use::symbols);
  const auto rotation = wish.here     ? PlatformInputs::Rotation::fewest
                        : wish.matrix ? PlatformInputs::Rotation::matrix
                                      : PlatformInputs::Rotation::cardan;
  const auto struts = wish.generic || !m.may_use(fast_paths::struts) ? std::nullopt : recognise_struts(m);
  if (struts && (wish.what == "inverse" || wish.what == "forward")) {
    StrutRobot<Expr> robot = symbolic(struts->robot, m, parameters);
    if (wish.lanes) robot.all = struts_as_lanes(robot.strut), t.program.legs = 6;
    const PlatformInputs inputs(m, all_six, rotation);
    StrutPlan plan = struts->plan;
    plan.few_values = wish.many_states;
    if (wish.what == "inverse") strut_inverse(t, m, robot, plan, inputs);
    else strut_forward(t, m, robot, inputs);
    return std::move(t.program);
  }
  if (wish.lanes)
    throw Error(
        fmt::format("--lanes: read {}{}, expected a platform on six struts (UPS), whose legs are equal but for "
                    "their places",
                    m.name, wish.generic ? " with --generic" : ""));
  const auto plan = plan_legs(m);
  if (plan && wish.what == "inverse") {
    Mechanism<Expr> s = gough::symbolic(m, parameters);
    regroup_inertias(s, m);
    leg_inverse(t, m, s, *plan, PlatformInputs(m, plan->freedoms, rotation), wish.here);
    return std::move(t.program);
  }
  if (is_closed_form(m) && wish.what != "derivatives") {
    const PlatformInputs inputs(m, given_freedoms(m, plan), rotation);
    return shortest(
        m, [&](Formulation by) { return general(m, wish, inputs, by); }, wish.here);
  }
  throw Error(
      fmt::format("{} of {} from platform: there is code where every leg is solved in closed form ({}); use --from "
                  "joints",
                  wish.what, m.name,
                  wish.what == "derivatives" ? "derivatives: from joints alone" : "UPS, RUS, PUS, RRR, PRR, PSP"));
}

}  // namespace gough
