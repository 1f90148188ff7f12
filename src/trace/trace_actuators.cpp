/// From the actuators' positions, where the loops close in closed form: a planar five-bar, a star on three slides.
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <numbers>

#include "gough/dynamics/five_bar.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/sampling.hpp"
#include "gough/kinematics/star.hpp"
#include "gough/kinematics/task_motion.hpp"
#include "trace_general.hpp"

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

/// The actuators' part of a position.
VecX<double> actuators_of(const Mechanism<double>& m, const VecX<double>& position) {
  VecX<double> q(static_cast<Eigen::Index>(m.actuator.size()));
  for (const TreeJoint& joint : m.joint)
    for (std::size_t i = 0; i < m.actuator.size(); ++i)
      if (joint.v == m.actuator[i]) q[static_cast<Eigen::Index>(i)] = position[joint.q];
  return q;
}

Program economical(const Mechanism<double>& m, const FiveBar<double>& five_bar, bool fold) {
  Trace t;
  Parameters parameters(fold ? Parameters::Use::folded : Parameters::Use::symbols);
  const FiveBar<Expr> robot = symbolic(five_bar, m, parameters);
  const std::array<Expr, 2> q = both(t.input("q", "angles of the actuators", actuator_entries(m, "m", "rad")));
  const std::array<Expr, 2> v = both(t.input("v", "their rates", actuator_entries(m, "m/s", "rad/s")));
  const std::array<Expr, 2> tau = both(t.input("tau", "forces of the actuators", actuator_entries(m, "N", "N m")));
  const FiveBarForward<Expr> result = five_bar_forward(robot, q, v, tau);
  t.output("a", "accelerations of the actuators", actuator_entries(m, "m/s^2", "rad/s^2"),
           Eigen::Map<const Eigen::Matrix<Expr, 2, 1>>(result.a.data()));
  const VecX<double> home = actuators_of(m, m.home);
  t.samples = {{home[0], home[1], 0, 0, 0, 0}};
  t.guard("the links are nearly in line, or do not reach each other", magnitude(result.crossing));
  return std::move(t.program);
}

// ------------------------------------------------------------------------------------------------ closed forms

/// A body's pose in the base, from those in the parents.
Transform<Expr> pose_of(const TracedRobot& r, int body) {
  const int i = r.m.parent[static_cast<std::size_t>(body)];
  const Transform<Expr>& X = r.w.X[static_cast<std::size_t>(body)];
  return i == base ? X : pose_of(r, i) * X;
}

bool is_planar(LegKind kind) { return kind == LegKind::rr || kind == LegKind::rrr || kind == LegKind::prr; }

/// Two legs in a plane, one of which ends in the platform itself: its second link.
bool has_two_links(const Mechanism<double>& m) {
  if (!splits_into_legs(m) || m.leg_form.size() != 2 || !m.elastic.empty()) return false;
  const LegForm &a = m.leg_form[0], &b = m.leg_form[1];
  const bool one_link = (a.kind == LegKind::rr) != (b.kind == LegKind::rr);
  return one_link && is_planar(a.kind) && is_planar(b.kind);
}

/// The platform's pose where two circles meet: about the elbow E_0 with the distance of the platform's two joints, and about
/// E_1 with the rod's length. P = E_0 + a D + h n x D,  D = E_1 - E_0.                                       (V1)
Transform<Expr> where_circles_meet(const TracedRobot& r) {
  const auto& form = r.m.leg_form;
  const std::size_t link = form[0].kind == LegKind::rr ? 0 : 1, other = 1 - link;
  Workspace<double> home(r.m);
  tree_positions(r.m, home);
  const Rod &own = form[link].rods[0], &rod = form[other].rods[0];
  const Tip<Expr> at_elbow = tip_of(r.s, own.cut), at_rod = tip_of(r.s, rod.cut);
  const RodShape<Expr> shape = rod_shape(r.s, rod);
  const Vec3<Expr> E0 = pose_of(r, at_elbow.body) * at_elbow.on_leg.p;
  const Vec3<Expr> E1 = pose_of(r, r.m.parent[static_cast<std::size_t>(rod.aim1)]) * shape.pivot;

  const auto P = static_cast<std::size_t>(r.m.platform.body);
  const Vec3<double> normal = home.X0[static_cast<std::size_t>(form[link].root)].R.col(2);
  const Vec3<double> in_body = home.X0[P].R.transpose() * normal;
  const Mat3<Expr> to_plane = rotation_to_axis(normal).transpose().cast<Expr>(),
                   body_to_plane = rotation_to_axis(in_body).transpose().cast<Expr>();
  const Vec3<Expr> D = to_plane * (E1 - E0), b = body_to_plane * (at_rod.on_platform.p - at_elbow.on_platform.p);
  const Expr D2 = D.x() * D.x() + D.y() * D.y(), L0 = b.x() * b.x() + b.y() * b.y(), L1 = shape.length * shape.length;
  const Expr a = Expr(0.5) + (L0 - L1) * Expr(0.5) / D2;

  const Vec3<double> E0_home = home.X0[static_cast<std::size_t>(at_elbow.body)] * tip_of(r.m, own.cut).on_leg.p;
  const Vec3<double> E1_home =
      home.X0[static_cast<std::size_t>(r.m.parent[static_cast<std::size_t>(rod.aim1)])] * rod.pivot;
  const Vec3<double> P_home = home.X0[P] * tip_of(r.m, rod.cut).on_platform.p;
  const double branch = dot<double>(normal, cross<double>(E1_home - E0_home, P_home - E0_home)) > 0 ? 1 : -1;
  const Expr h = sqrt(L0 / D2 - a * a) * Expr(branch);
  const Expr ux = a * D.x() - h * D.y(), uy = a * D.y() + h * D.x();
  const Expr c = (b.x() * ux + b.y() * uy) / L0, s = (b.x() * uy - b.y() * ux) / L0, o(0.0);
  Mat3<Expr> turned;
  turned << c, -s, o, s, c, o, o, o, Expr(1.0);
  Transform<Expr> X;
  X.R = to_plane.transpose() * turned * body_to_plane;
  X.p = E0 - X.R * at_elbow.on_platform.p;
  return X;
}

/// The platform's pose on three slides: the Fermat point of the balls.                                       (S1)
Transform<Expr> fermat_pose(const TracedRobot& r, const Star& star) {
  std::array<Vec3<Expr>, 3> S;
  for (std::size_t i = 0; i < 3; ++i)
    S[i] = pose_of(r, star.root[i]) * tip_of(r.s, r.m.leg_form[i].rods[0].cut).on_leg.p;
  Workspace<double> home(r.m);
  tree_positions(r.m, home);
  const Transform<double> at_home = home.X0[static_cast<std::size_t>(r.m.platform.body)] * r.m.platform_frame;
  std::array<Vec3<double>, 3> ball;
  for (std::size_t i = 0; i < 3; ++i)
    ball[i] = home.X0[static_cast<std::size_t>(star.root[i])] * tip_of(r.m, r.m.leg_form[i].rods[0].cut).on_leg.p;
  const Vec3<double> up = cross<double>(ball[1] - ball[0], ball[2] - ball[0]);
  const Vec3<double> star_up = at_home.R * cross(star.arm[0], star.arm[1]);
  const double side = dot(up, star_up) > 0 ? 1 : -1;  // the order of the arms in the plane of the balls

  const auto unit = [](const Vec3<Expr>& x) -> Vec3<Expr> { return x * (Expr(1.0) / sqrt(dot(x, x))); };
  const Vec3<Expr> d1 = S[1] - S[0], d2 = S[2] - S[0], x = unit(d1), z = unit(cross(d1, d2)), y = cross(z, x);
  const double third = 2 * std::numbers::pi / 3;
  const Expr c1(std::cos(third)), s1(side * std::sin(third));  // of the second arm; the third has -s1
  const Expr p1x = dot(d1, x), p2x = dot(d2, x), p2y = dot(d2, y);
  const Expr A = -(s1 * p1x) + s1 * p2x + c1 * p2y;  // sum n_i . S_i = A cos + B sin
  const Expr B = -(c1 * p1x) - (c1 * p2x - s1 * p2y);
  const Expr over = Expr(1.0) / sqrt(A * A + B * B);
  const auto arms = [&](double half_turn) {
    const Expr c = B * over * Expr(half_turn), s = -(A * over) * Expr(half_turn);
    std::array<Vec3<Expr>, 3> u;
    u[0] = x * c + y * s;
    u[1] = x * (c * c1 - s * s1) + y * (s * c1 + c * s1);
    u[2] = -(u[0] + u[1]);
    return u;
  };
  // of the two opposite stars, home's
  const Trace& t = r.trace;
  std::array<Vec3<Expr>, 3> u = arms(1);
  const std::vector<double> values = t.values(t.samples.at(0));
  Vec3<double> first;
  for (int i = 0; i < 3; ++i) first[i] = value_of(values, u[0][i].ref());
  if (dot<double>(first, at_home.R * star.arm[0]) < 0) u = arms(-1);

  const Expr along = dot(cross(d1, u[1]), z) / dot(cross(u[0], u[1]), z);  // where the first two arms' lines meet
  Mat3<double> from;
  from << star.arm[0], star.arm[1], cross(star.arm[0], star.arm[1]);
  Mat3<Expr> to;
  to << u[0], u[1], cross(u[0], u[1]);
  Transform<Expr> frame;
  frame.R = to * Mat3<double>(from.inverse()).cast<Expr>();
  frame.p = S[0] + u[0] * along;
  return frame * r.s.platform_frame.inverse();
}

/// What goes in beside the actuators' positions.
struct Drives {
  VecX<Expr> v, a, tau;
};

/// The kernels, at a placed state.
Program finished(TracedRobot& r, const Drives& given, Formulation by) {
  const Mechanism<double>& m = r.m;
  for (std::size_t a = 0; a < m.actuator.size(); ++a) {
    const auto i = static_cast<Eigen::Index>(a);
    if (r.needs_rates()) r.w.v[m.actuator[a]] = given.v[i];
    if (r.needs_accelerations()) r.w.a[m.actuator[a]] = given.a[i];
  }
  if (r.wants("forward")) r.w.tau = given.tau;
  if (r.needs_rates()) {
    Workspace<double> at(m);
    MasterForm<Expr> f(m, make_master_form(m, at, Master::drives));
    f.s = r.sparse(f.s);
    f.closed = true;
    motion_from_drives(r.s, r.w, f);
    r.trace.guard("the actuators do not determine the position", f.form.smallest_pivot);
  }
  DynamicsOptions options;
  options.by = by;
  if (r.wants("inverse")) r.inverse(options);
  else if (r.wants("regressor")) r.regressor();
  else if (r.wants("jacobian")) r.jacobian();
  else if (r.wants("kinematics")) r.platform_motion();
  else {
    r.forward(options);
    VecX<Expr> a(static_cast<Eigen::Index>(m.actuator.size()));
    for (std::size_t i = 0; i < m.actuator.size(); ++i) a[static_cast<Eigen::Index>(i)] = r.w.a[m.actuator[i]];
    r.trace.output("a", "accelerations of the actuators", actuator_entries(m, "m/s^2", "rad/s^2"), a);
  }
  return std::move(r.trace.program);
}

bool has_bodies_of(const Structure& m, const Structure& tree) {
  return std::all_of(tree.body_name.begin(), tree.body_name.end(),
                     [&](const std::string& body) { return m.find_body(body) >= 0; });
}

Program general(const Mechanism<double>& m, const GenerateWish& wish, const std::optional<Star>& star, Formulation by) {
  Tracer tracer(wish);
  TracedRobot r(tracer, m, wish, by);
  const VecX<Expr> q = r.trace.input("q", "positions of the actuators", actuator_entries(m, "m", "rad"));
  Drives given;
  if (r.needs_rates()) given.v = r.trace.input("v", "their rates", actuator_entries(m, "m/s", "rad/s"));
  if (r.needs_accelerations())
    given.a = r.trace.input("a", "their accelerations", actuator_entries(m, "m/s^2", "rad/s^2"));
  if (r.wants("forward")) given.tau = r.force_input();
  for (const VecX<double>& position : positions_around_home(m, 100)) {
    const VecX<double> x = actuators_of(m, position);
    r.trace.samples.emplace_back(x.begin(), x.end());
    r.trace.samples.back().resize(3 * m.actuator.size());
  }

  const Turns<Expr> turns{r.s, r.w};
  for (std::size_t a = 0; a < m.actuator.size(); ++a)
    for (std::size_t j = 0; j < m.joint.size(); ++j) {
      if (m.joint[j].v != m.actuator[a]) continue;
      const Expr x = q[static_cast<Eigen::Index>(a)];
      if (m.joint[j].type == Elementary::revolute) turns.turn(static_cast<int>(j), cos(x), sin(x));
      else turns.slide(static_cast<int>(j), x);
      r.w.q[m.joint[j].q] = x;
    }
  Transform<Expr>& platform = r.w.X[static_cast<std::size_t>(m.platform.body)];
  platform = star ? fermat_pose(r, *star) : where_circles_meet(r);
  for (const LegForm& form : m.leg_form) LegSolver<Expr, const Turns<Expr>>(r.s, form, platform, turns).aim_all();
  r.placed();
  if (!wish.tree || !has_bodies_of(m, *wish.tree)) return finished(r, given, by);
  TracedRobot other(tracer, *wish.tree, wish, by);
  other.placed_as(r);
  return finished(other, given, by);
}

}  // namespace

Program trace_from_actuators(const Mechanism<double>& m, const GenerateWish& wish) {
  if (!wish.generic && wish.what == "forward")
    if (const auto five_bar = m.may_use(fast_paths::five_bar) ? recognise_five_bar(m) : std::nullopt)
      return economical(m, *five_bar, wish.fold);
  const auto star = recognise_star(m);
  const bool square = static_cast<int>(m.actuator.size()) == m.nv - m.rank;
  if ((!star && !has_two_links(m)) || !splits_into_legs(m) || !square || wish.what == "derivatives")
    throw Error(
        fmt::format("{} of {} from actuators: there is code where the loops close in closed form (a planar five-bar, a "
                    "star on three slides){}; use --from joints",
                    wish.what, m.name, wish.what == "derivatives" ? ", but not of derivatives" : ""));
  return shortest(m, [&](Formulation by) { return general(m, wish, star, by); });
}

}  // namespace gough
