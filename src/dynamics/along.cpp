#include "gough/dynamics/along.hpp"

#include <fmt/format.h>

#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"
#include "singular_watch.hpp"

namespace gough {

int position_index(const Structure& m, int coordinate) {
  for (const TreeJoint& j : m.joint)
    if (!has_turns(j) && coordinate >= j.v && coordinate < j.v + velocity_size(j)) return j.q + coordinate - j.v;
  return -1;
}

void apply_platform_wrench(const Mechanism<double>& m, const Force<double>& wrench, Workspace<double>& w) {
  for (Force<double>& f : w.external) f = Force<double>{};
  if (!m.platform.exists()) return;
  const Vec3<double> p = platform_pose(m, w).p;
  w.external[static_cast<std::size_t>(m.platform.body)] = {wrench.moment + cross<double>(p, wrench.force),
                                                           wrench.force};
}

std::string AlongAnswer::explain(const std::string& file) const {
  const std::string where = line > 0 ? fmt::format("{}:{}", file, line) : fmt::format("{}: t = {:g}", file, t);
  return fmt::format("{}: {}: {}", where, name(status), reason);
}

namespace {

constexpr double settled = 1e-9;  ///< elastic rows over the actuators' forces
constexpr int most_settling_steps = 50;

Step step_of(const DynamicsAnswer& a) { return {a.status, a.reason}; }

void add_loads(const std::vector<PointLoad>& loads, Workspace<double>& w) {
  for (const PointLoad& l : loads) {
    const Vec3<double> at_base = w.X0[at(l.body)] * l.at;
    w.external[at(l.body)] += {cross<double>(at_base, l.force), l.force};
  }
}

/// One evaluation of inverse dynamics with the elastic joints at `x`.
Step inverse_at(const Mechanism<double>& m, const KnownState& state, const VecX<double>& x, bool with_elastic,
                const AlongOptions& options, Follower& follower, Workspace<double>& w, Dynamics<double>& d) {
  if (Step s = follower.place(state, x); !s.ok()) return s;
  if (Step s = follower.rates(state, with_elastic, true); !s.ok()) return s;
  apply_platform_wrench(m, state.wrench, w);
  add_loads(options.loads, w);
  return step_of(inverse_dynamics(m, w, d));
}

/// Elastic positions at which the elastic rows vanish: Broyden's method from the springs' stiffness.
Step settle(const Mechanism<double>& m, const KnownState& state, const AlongOptions& options, Follower& follower,
            Workspace<double>& w, Dynamics<double>& d) {
  VecX<double> x = follower.elastic_now();
  if (Step s = inverse_at(m, state, x, false, options, follower, w, d); !s.ok()) return s;
  const auto n = x.size();
  if (n == 0) return {};
  VecX<double> r = d.elastic_residual();
  MatX<double> B = MatX<double>::Zero(n, n);  // dx/dr
  for (Eigen::Index i = 0; i < n; ++i) {
    const double c = m.stiffness[at(follower.soft()[static_cast<std::size_t>(i)])];
    B(i, i) = c > 0 ? 1 / c : 1;
  }
  for (int k = 0; k < most_settling_steps; ++k) {
    const double scale = std::max(1.0, w.tau.size() > 0 ? w.tau.cwiseAbs().maxCoeff() : 0.0);
    if (r.cwiseAbs().maxCoeff() <= settled * scale) return {};
    const VecX<double> dx = -B * r;
    x += dx;
    if (Step s = inverse_at(m, state, x, false, options, follower, w, d); !s.ok()) return s;
    const VecX<double> dr = d.elastic_residual() - r, Bdr = B * dr;
    r += dr;
    if (const double along = dx.dot(Bdr); along != 0) B += (dx - Bdr) * (dx.transpose() * B) / along;
  }
  return {Status::not_converged,
          fmt::format("the elastic joints do not settle: {:.3g} N or N m are left after {} steps",
                      r.cwiseAbs().maxCoeff(), most_settling_steps)};
}

AlongAnswer failed(const Step& s, const KnownState& state, AlongAnswer so_far) {
  so_far.status = s.status;
  so_far.reason = s.reason;
  so_far.t = state.motion.t;
  so_far.line = state.motion.line;
  return so_far;
}

void check_elastic(const Mechanism<double>& m, const KnownState& state) {
  const auto n = static_cast<Eigen::Index>(m.elastic.size());
  if (state.elastic_q.size() == n && state.elastic_v.size() == n && state.elastic_a.size() == n) return;
  throw Error(fmt::format("{}: read states without the motion of its {} elastic joints, expected it given", m.name, n));
}

}  // namespace

AlongAnswer inverse_along(const Mechanism<double>& m, std::span<const KnownState> states, const AlongOptions& options,
                          const OnRow& on_row) {
  Workspace<double> w(m);
  Follower follower(m, w);
  const bool given = options.elastic == ElasticMotion::given && !m.elastic.empty();
  for (const KnownState& state : states) {
    follower.check(state);
    if (given) check_elastic(m, state);
  }
  Dynamics<double> d(m, w, options.dynamics);
  const bool yields = options.elastic == ElasticMotion::quasistatic && !follower.soft().empty();
  std::optional<SingularWatch> watch;
  if (options.watch && !options.each_from_home && m.equations > 0) watch.emplace(m);
  AlongAnswer answer;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const KnownState& state = states[i];
    if (options.each_from_home) follower.to_home();
    const Step s = yields ? settle(m, state, options, follower, w, d)
                          : inverse_at(m, state, given ? follower.elastic_given(state) : follower.elastic_at_rest(),
                                       given, options, follower, w, d);
    if (!s.ok()) return failed(s, state, answer);
    if (watch) {
      double t = state.motion.t;
      if (const Step way = watch->passed(state, w, follower, t); !way.ok()) {
        answer = failed(way, state, answer);
        answer.t = t;
        return answer;
      }
    }
    AlongRow row{i, state.motion.t, w, d, limits_exceeded(m, w), {}};
    if (options.reactions) row.reactions = reactions(m, w, d);
    ++answer.rows;
    if (!on_row(row)) {
      answer.stopped = answer.rows < states.size();
      return answer;
    }
  }
  return answer;
}

AlongAnswer forward_along(const Mechanism<double>& m, std::span<const KnownState> states, const AlongOptions& options,
                          const OnRow& on_row) {
  Workspace<double> w(m);
  Follower follower(m, w);
  const auto drives = static_cast<Eigen::Index>(m.actuator.size());
  for (const KnownState& state : states) {
    follower.check(state);
    if (state.tau.size() != drives)
      throw Error(fmt::format("{}: read {} forces, expected one for each of the {} actuators", m.name, state.tau.size(),
                              drives));
  }
  Dynamics<double> d(m, w, options.dynamics);
  AlongAnswer answer;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const KnownState& state = states[i];
    if (options.each_from_home) follower.to_home();
    const bool given = !m.elastic.empty() && state.elastic_q.size() == static_cast<Eigen::Index>(m.elastic.size());
    Step s = follower.place(state, given ? follower.elastic_given(state) : follower.elastic_at_rest());
    if (s.ok()) s = follower.rates(state, given, false);
    if (s.ok()) {
      apply_platform_wrench(m, state.wrench, w);
      add_loads(options.loads, w);
      w.tau = state.tau;
      s = step_of(forward_dynamics(m, w, d));
    }
    if (answer.instead.empty()) answer.instead = d.instead;
    if (!s.ok()) return failed(s, state, answer);
    tree_velocities(m, w);
    tree_accelerations(m, w);
    const AlongRow row{i, state.motion.t, w, d, limits_exceeded(m, w), {}};
    ++answer.rows;
    if (!on_row(row)) {
      answer.stopped = answer.rows < states.size();
      return answer;
    }
  }
  return answer;
}

}  // namespace gough
