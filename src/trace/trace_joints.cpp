/// From closed joint coordinates, for any mechanism.
#include "gough/dynamics/derivatives.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/jacobian_kernels.hpp"
#include "gough/kinematics/sampling.hpp"
#include "trace_general.hpp"

namespace gough {
namespace {

/// Newton's method on the dependent coordinates, so that loops that are nearly closed close.
void close_loops(TracedRobot& r, int steps) {
  Workspace<double> home(r.m);
  tree_positions(r.m, home);
  closure(r.m, home);
  const Selection s = select_driven(r.m, home, r.m.rank);
  ExplicitForm<Expr> form(r.m, s);
  for (int i = 0; i < steps; ++i) {
    refine_position(r.s, r.w, s, form);
    for (const TreeJoint& joint : r.m.joint) {
      if (!has_turns(joint)) continue;
      auto turn = r.w.q.segment<4>(joint.q + (joint.type == Elementary::free ? 3 : 0));
      Expr n2(0.0);
      for (const Expr& x : turn) n2 += x * x;
      turn *= Expr(1.0) / sqrt(n2);
    }
  }
}

void output_accelerations(TracedRobot& r) {
  r.trace.output("a", "accelerations of the joints", rate_entries(r.m, "/s^2"), r.w.a);
}

/// d tau / d(y, y', y'') through the loops, by dual numbers.
void derivatives(TracedRobot& r) {
  using D = Dual<Expr>;
  const Dynamics<double> choice = choice_for_workspace(r.m, {});
  const std::vector<int>& y = choice.y.independent;
  const Mechanism<D> dual = r.s.cast<D>();
  std::vector<std::string> drives, columns;
  for (const int a : r.m.actuator) drives.push_back(r.m.coordinate[static_cast<std::size_t>(a)].name);
  for (const int c : y) columns.push_back(r.m.coordinate[static_cast<std::size_t>(c)].name);
  const auto entries = [&](const std::string& by) {
    std::vector<std::string> names;
    for (const std::string& d : drives)
      for (const std::string& c : columns) names.push_back("d " + d + " / d " + c + by);
    return names;
  };
  const auto n = static_cast<Eigen::Index>(y.size()), drive_count = static_cast<Eigen::Index>(drives.size());
  const std::array<std::pair<std::string, std::string>, 3> kinds = {
      std::pair("by_position", ""), {"by_velocity", "'"}, {"by_acceleration", "''"}};
  Expr pivot(1.0);
  for (std::size_t kind = 0; kind < 3; ++kind) {
    VecX<Expr> all(drive_count * n);
    for (Eigen::Index i = 0; i < n; ++i) {
      Workspace<D> w(dual);
      Dynamics<D> d(dual, choice);
      ExplicitForm<D> form(dual, choice.y);
      VecX<D> step = VecX<D>::Zero(r.m.nv), yd(n), ydd(n);
      w.q = r.w.q.unaryExpr([](const Expr& x) { return D(x); });
      for (Eigen::Index k = 0; k < n; ++k)
        yd[k] = D(r.w.v[y[static_cast<std::size_t>(k)]]), ydd[k] = D(r.w.a[y[static_cast<std::size_t>(k)]]);
      (kind == 0 ? step[y[static_cast<std::size_t>(i)]] : kind == 1 ? yd[i] : ydd[i]).d[0] = Expr(1.0);
      displace(dual, step, w.q);
      if (kind == 0) refine_position(dual, w, choice.y, form);
      else tree_positions(dual, w), closure(dual, w);
      explicit_motion(dual, w, choice.y, form, yd, ydd);
      inverse_from_poses(dual, w, d);
      for (Eigen::Index a = 0; a < drive_count; ++a) all[a * n + i] = w.tau[a].d[0];
      pivot = d.smallest_pivot(d.inverse_is_leg_wise()).value;
    }
    r.trace.output(kinds[kind].first, "of the actuators' forces, row by row", entries(kinds[kind].second), all);
  }
  r.trace.guard("the loops are near a singularity of the chosen coordinates", pivot);
}

}  // namespace

Program trace_from_joints(const Mechanism<double>& m, const GenerateWish& wish) {
  const auto make = [&](Formulation by) {
    Tracer tracer(wish);
    TracedRobot r(tracer, m, wish, by);
    DynamicsOptions options;
    options.by = by;
    r.w.q = r.trace.input(
        "q", wish.newton > 0 ? "positions of the joints, nearly closed" : "positions of the joints, closed",
        position_entries(m));
    const bool accelerations = r.needs_accelerations() || r.wants("derivatives");
    if (r.needs_rates()) r.w.v = r.trace.input("v", "rates of the joints, closed", rate_entries(m, "/s"));
    if (accelerations) r.w.a = r.trace.input("a", "accelerations of the joints, closed", rate_entries(m, "/s^2"));
    if (r.wants("forward")) r.w.tau = r.force_input();
    for (const VecX<double>& q : positions_around_home(m, 30)) {
      r.trace.samples.emplace_back(q.begin(), q.end());
      r.trace.samples.back().resize(static_cast<std::size_t>(m.nq + 2 * m.nv) + m.actuator.size());
    }
    close_loops(r, wish.newton);
    tree_positions(r.s, r.w);
    closure(r.s, r.w);
    if (r.wants("inverse")) r.inverse(options);
    else if (r.wants("regressor")) r.regressor();
    else if (r.wants("jacobian")) r.jacobian();
    else if (r.wants("derivatives")) derivatives(r);
    else if (r.wants("forward")) r.forward(options), output_accelerations(r);
    else tree_velocities(r.s, r.w), tree_accelerations(r.s, r.w), r.platform_motion();
    return std::move(r.trace.program);
  };
  return make(Formulation::legs);
}

}  // namespace gough
