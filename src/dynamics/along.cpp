#include "gough/dynamics/along.hpp"

#include <fmt/format.h>

#include "choose_again.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/continuation.hpp"
#include "gough/kinematics/forward.hpp"
#include "gough/kinematics/inverse.hpp"
#include "gough/kinematics/task_motion.hpp"

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

constexpr double rates_agree = 1e-6;  ///< of redundant actuators, relative
constexpr double settled = 1e-9;      ///< elastic rows over the actuators' forces
constexpr int most_settling_steps = 50;

/// What a state leaves to do: nothing, or why it cannot be done.
struct Step {
  Status status = Status::ok;
  std::string reason;
  bool ok() const { return status == Status::ok; }
};
Step step_of(const Answer& a) {
  if (a.ok()) return {};
  std::string reason = a.reason;
  return {a.status, reason + fmt::format(" (residual {:.3g}, {} iterations)", a.residual, a.iterations)};
}

/// Brings a workspace to states: positions, then velocities and accelerations of all joints.
class Follower {
 public:
  Follower(const Mechanism<double>& m, Workspace<double>& w) : m_(m), w_(w) {
    for (const int e : m.elastic) {
      if (position_index(m, e) < 0)
        throw Error(fmt::format("{}: read '{}' as elastic, expected joints with one coordinate", m.name,
                                m.coordinate[at(e)].name));
      if (!m.coordinate[at(e)].actuated) soft_.push_back(e);
    }
  }

  const std::vector<int>& soft() const { return soft_; }

  /// The masters must be as many as freedoms: told before anything is computed.
  void check(const KnownState& state) const {
    const bool platform = state.motion.of_platform();
    if (platform && !m_.platform.exists())
      throw Error(fmt::format("{}: read a motion of the platform, expected a robot that has one", m_.name));
    const int freedoms = m_.nv - m_.rank;
    const auto masters =
        static_cast<int>(platform ? at(m_.platform.task_size()) + m_.standing().size() : m_.driven().size());
    if (platform ? masters == freedoms : masters >= freedoms) return;
    throw Error(fmt::format(
        "{}: read the motion of {} coordinates ({}), expected {}: as many as the robot's freedoms", m_.name, masters,
        platform ? "the platform's task and elastic joints" : "actuators and elastic joints", freedoms));
  }

  void to_home() { w_.q = m_.home; }

  /// Positions of everything for the state, elastic joints where `elastic` says (of soft()).
  Step place(const KnownState& state, const VecX<double>& elastic) {
    tree_positions(m_, w_);
    closure(m_, w_);
    if (const Step s = move_elastic(state, elastic); !s.ok()) return s;
    if (state.motion.of_platform()) {
      InverseOptions o;
      o.check_limits = false;
      return step_of(inverse_kinematics(m_, state.motion.platform().pose, w_, o));
    }
    return step_of(forward_kinematics(m_, state.motion.actuators().q, w_, false));
  }

  VecX<double> elastic_now() const {
    VecX<double> x(static_cast<Eigen::Index>(soft_.size()));
    for (std::size_t i = 0; i < soft_.size(); ++i) x[static_cast<Eigen::Index>(i)] = w_.q[position_index(m_, soft_[i])];
    return x;
  }
  VecX<double> elastic_at_rest() const {
    VecX<double> x(static_cast<Eigen::Index>(soft_.size()));
    for (std::size_t i = 0; i < soft_.size(); ++i) x[static_cast<Eigen::Index>(i)] = m_.rest[at(soft_[i])];
    return x;
  }
  VecX<double> elastic_given(const KnownState& state) const {
    VecX<double> x(static_cast<Eigen::Index>(soft_.size()));
    Eigen::Index k = 0;
    for (std::size_t i = 0; i < m_.elastic.size(); ++i)
      if (!m_.coordinate[at(m_.elastic[i])].actuated) x[k++] = state.elastic_q[static_cast<Eigen::Index>(i)];
    return x;
  }

  /// Velocities and accelerations; `with_elastic`: the elastic joints' are the state's, otherwise zero.
  Step rates(const KnownState& state, bool with_elastic, bool accelerations) {
    const Master wanted = state.motion.of_platform() ? Master::platform : Master::drives;
    try {
      if (!form_ || form_->master != wanted) choose(wanted);
      solve(state, with_elastic, accelerations);
      if (poor()) {
        choose(wanted);
        solve(state, with_elastic, accelerations);
      }
    } catch (const Error& e) {  // the count was checked: what is left is a singular position
      return {Status::singular, e.what()};
    }
    if (!w_.v.allFinite() || !w_.a.allFinite())
      return {Status::singular, "the given coordinates do not determine the rates here"};
    return wanted == Master::drives ? drives_agree(state.motion.actuators(), accelerations) : Step{};
  }

 private:
  void choose(Master master) {
    form_.emplace(make_master_form(m_, w_, master));
    first_pivot_ = first_loops_ = 0;
  }
  bool poor() {
    if (first_pivot_ == 0) {
      first_pivot_ = form_->smallest_pivot;
      first_loops_ = form_->form.smallest_pivot;
      return false;
    }
    return form_->smallest_pivot < choose_again * first_pivot_ ||
           form_->form.smallest_pivot < choose_again * first_loops_ || !w_.a.allFinite();
  }

  void solve(const KnownState& state, bool with_elastic, bool accelerations) {
    for (std::size_t i = 0; i < m_.elastic.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      w_.v[m_.elastic[i]] = with_elastic && state.elastic_v.size() > k ? state.elastic_v[k] : 0;
      w_.a[m_.elastic[i]] = with_elastic && accelerations && state.elastic_a.size() > k ? state.elastic_a[k] : 0;
    }
    if (state.motion.of_platform()) {
      const PlatformMotion& p = state.motion.platform();
      PlatformRates<double> x{p.v, p.w, p.a, p.dw};
      if (!accelerations) x.a = x.dw = Vec3<double>::Zero();
      motion_from_platform(m_, w_, *form_, x);
      return;
    }
    const ActuatorMotion& a = state.motion.actuators();
    for (std::size_t i = 0; i < m_.actuator.size(); ++i) {
      w_.v[m_.actuator[i]] = a.v[static_cast<Eigen::Index>(i)];
      w_.a[m_.actuator[i]] = accelerations ? a.a[static_cast<Eigen::Index>(i)] : 0;
    }
    motion_from_drives(m_, w_, *form_);
  }

  /// Redundant actuators: those that did not lead must have been given as the loops move them.
  Step drives_agree(const ActuatorMotion& given, bool accelerations) const {
    const auto differs = [](double x, double y) { return std::abs(x - y) > rates_agree * (1 + std::abs(y)); };
    for (std::size_t i = 0; i < m_.actuator.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      const int c = m_.actuator[i];
      const bool v = differs(given.v[k], w_.v[c]), a = accelerations && differs(given.a[k], w_.a[c]);
      if (v || a)
        return {Status::unreachable,
                fmt::format("the actuators disagree: the {} of '{}' is given as {:.9g}, the others make it {:.9g}",
                            v ? "velocity" : "acceleration", m_.coordinate[at(c)].name, v ? given.v[k] : given.a[k],
                            v ? w_.v[c] : w_.a[c])};
    }
    return {};
  }

  /// The elastic joints to other positions, what else is given standing still.
  Step move_elastic(const KnownState& state, const VecX<double>& to) {
    const VecX<double> from = elastic_now();
    if (soft_.empty() || (to - from).cwiseAbs().maxCoeff() == 0) return {};
    Hold hold;
    if (state.motion.of_platform()) {
      VecX<double> unused = w_.q;
      const Transform<double> here = platform_pose(m_, w_);
      hold = pose_path(m_, here, here, m_.platform.coordinates)(0, unused);
    } else {
      hold.coordinates.assign(at(m_.nv), false);
      for (const int c : select_driven(m_, w_, m_.rank).independent) hold.coordinates[at(c)] = true;
    }
    return step_of(walk(m_, w_, [&](double s, VecX<double>& q) {
      for (std::size_t i = 0; i < soft_.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        q[position_index(m_, soft_[i])] = s < 1 ? from[k] + (to[k] - from[k]) * s : to[k];
      }
      return hold;
    }));
  }

  const Mechanism<double>& m_;
  Workspace<double>& w_;
  std::vector<int> soft_;  ///< elastic joints that nothing drives
  std::optional<MasterForm<double>> form_;
  double first_pivot_ = 0, first_loops_ = 0;
};

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
  AlongAnswer answer;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const KnownState& state = states[i];
    if (options.each_from_home) follower.to_home();
    const Step s = yields ? settle(m, state, options, follower, w, d)
                          : inverse_at(m, state, given ? follower.elastic_given(state) : follower.elastic_at_rest(),
                                       given, options, follower, w, d);
    if (!s.ok()) return failed(s, state, answer);
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
