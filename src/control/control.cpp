#include "gough/control/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>
#include <random>

#include "gough/dynamics/along.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/forward.hpp"
#include "gough/kinematics/inverse.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double pi = std::numbers::pi;
std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }
Eigen::Index drives(const Structure& m) { return static_cast<Eigen::Index>(m.actuator.size()); }

VecX<double> picked(const Mechanism<double>& m, const VecX<double>& x, bool position) {
  VecX<double> out(drives(m));
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    const int c = m.actuator[at(i)];
    out[i] = x[position ? position_index(m, c) : c];
  }
  return out;
}

/// Inverse dynamics of a model, state after state; positions are continued from the state before.
class ModelForces {
 public:
  explicit ModelForces(const Mechanism<double>& m, Formulation by = Formulation::legs)
      : m_(m), w_(m_), form_(make_master_form(m_, w_, Master::drives)), d_(m_, w_, options(by)) {}
  ModelForces(const ModelForces&) = delete;  // its parts look at each other
  ModelForces& operator=(const ModelForces&) = delete;

  /// Of the actuators at q, v with accelerations a.
  const VecX<double>& operator()(const VecX<double>& q, const VecX<double>& v, const VecX<double>& a) {
    const Answer answer = forward_kinematics(m_, q, w_);
    if (!answer.ok()) throw Error(fmt::format("{}: the model cannot follow: {}", m_.name, answer.reason));
    tree_positions(m_, w_);
    closure(m_, w_);
    for (Eigen::Index i = 0; i < q.size(); ++i) w_.v[m_.actuator[at(i)]] = v[i], w_.a[m_.actuator[at(i)]] = a[i];
    for (const int e : m_.elastic) w_.v[e] = w_.a[e] = 0;
    for (Eigen::Index i = 0; i < q.size(); ++i) w_.v[m_.actuator[at(i)]] = v[i], w_.a[m_.actuator[at(i)]] = a[i];
    motion_from_drives(m_, w_, form_);
    if (const DynamicsAnswer done = inverse_dynamics(m_, w_, d_); !done.ok())
      throw Error(fmt::format("{}: the model has no forces: {}", m_.name, done.reason));
    return w_.tau;
  }
  const Dynamics<double>& dynamics() const { return d_; }
  const Mechanism<double>& model() const { return m_; }

 private:
  static DynamicsOptions options(Formulation by) {
    DynamicsOptions o;
    o.by = by;
    return o;
  }
  Mechanism<double> m_;
  Workspace<double> w_;
  MasterForm<double> form_;
  Dynamics<double> d_;
};

/// The cascade of (K1), with its integrals.
class Cascade {
 public:
  explicit Cascade(JointGains gains)
      : gains_(std::move(gains)), integral_(VecX<double>::Zero(gains_.velocity.size())) {}
  /// With a feedforward. The integrals begin as if the robot had stood long enough.
  VecX<double> operator()(const ControlSample& s, const VecX<double>& feedforward) {
    if (!begun_ && (gains_.integral.array() > 0).all()) integral_ = s.standing - feedforward;
    begun_ = true;
    return feedforward + (*this)(s);
  }
  VecX<double> operator()(const ControlSample& s) {
    const VecX<double> wanted = s.desired_v + gains_.position.cwiseProduct(s.desired_q - s.q);
    const VecX<double> error = wanted - s.v;
    integral_ += s.period * gains_.integral.cwiseProduct(error);
    return gains_.velocity.cwiseProduct(error) + integral_;
  }
  const JointGains& gains() const { return gains_; }

 private:
  JointGains gains_;
  VecX<double> integral_;
  bool begun_ = false;
};

/// Measures, asks, waits and limits.
class Sampler {
 public:
  Sampler(const Mechanism<double>& plant, const Reference& reference, ControlLaw law, const SamplingOptions& o)
      : m_(plant), reference_(reference), law_(std::move(law)), options_(o) {
    standing_ = standing_at(plant, reference.rows.front().q).tau;
  }

  void operator()(double t, Workspace<double>& w) {
    VecX<double> q = picked(m_, w.q, true);
    if (options_.encoder > 0)
      for (double& x : q) x = options_.encoder * std::round(x / options_.encoder);
    const Reference::Row& desired = reference_.at(t);
    if (last_q_.size() == 0) {
      v_ = desired_v_ = desired.v;
    } else if (t > last_t_) {
      estimate(q - last_q_, t - last_t_, v_);
      estimate(desired.q - last_desired_, t - last_t_, desired_v_);
    }
    last_q_ = q, last_desired_ = desired.q, last_t_ = t;
    const VecX<double> wanted = law_({t, reference_.period, q, v_, standing_, desired.q, desired_v_,
                                      reference_.at(t + options_.delay * reference_.period)});
    if (queue_.empty()) queue_.assign(static_cast<std::size_t>(options_.delay), wanted);
    queue_.push_back(wanted);
    VecX<double> tau = queue_.front();
    queue_.pop_front();
    limit(tau);
    w.tau = tau;
  }

 private:
  /// Differences through the low pass.
  void estimate(const VecX<double>& step, double time, VecX<double>& v) const {
    const double share = options_.velocity_filter > 0 ? 1 - std::exp(-2 * pi * options_.velocity_filter * time) : 1;
    v += share * (step / time - v);
  }
  void limit(VecX<double>& tau) {
    for (Eigen::Index i = 0; i < tau.size(); ++i) {
      const double most = std::min(options_.force, m_.coordinate[at(m_.actuator[at(i)])].force);
      tau[i] = std::clamp(tau[i], -most, most);
      if (last_tau_.size() > 0) {
        const double step = options_.force_rate * reference_.period;
        tau[i] = std::clamp(tau[i], last_tau_[i] - step, last_tau_[i] + step);
      }
    }
    last_tau_ = tau;
  }

  const Mechanism<double>& m_;
  const Reference& reference_;
  ControlLaw law_;
  SamplingOptions options_;
  VecX<double> standing_, last_q_, v_, last_desired_, desired_v_, last_tau_;
  double last_t_ = 0;
  std::deque<VecX<double>> queue_;
};

}  // namespace

const Reference::Row& Reference::at(double t) const {
  const double first = rows.front().state.t;
  const auto k = static_cast<long>(std::lround((t - first) / period));
  return rows[static_cast<std::size_t>(std::clamp<long>(k, 0, static_cast<long>(rows.size()) - 1))];
}

Desired desired_at(const Reference& r, double t) {
  const double first = r.rows.front().state.t, place = std::max(0.0, (t - first) / r.period);
  const std::size_t k = std::min(static_cast<std::size_t>(place), r.rows.size() - 1);
  const Reference::Row &a = r.rows[k], &b = r.rows[std::min(k + 1, r.rows.size() - 1)];
  const double h = r.period, s = std::min(1.0, place - static_cast<double>(k));
  const double f = s * s * (3 - 2 * s), fa = s * (1 - s) * (1 - s) * h, fb = s * s * (s - 1) * h;
  const double g = 6 * s * (1 - s) / h, ga = (1 - s) * (1 - 3 * s), gb = s * (3 * s - 2);
  Desired d;
  d.q = a.q + f * (b.q - a.q) + fa * a.v + fb * b.v;
  d.v = g * (b.q - a.q) + ga * a.v + gb * b.v;
  if (!a.state.of_platform()) return d;
  const PlatformMotion &x = a.state.platform(), &y = b.state.platform();
  d.p = x.pose.p + f * (y.pose.p - x.pose.p) + fa * x.v + fb * y.v;
  return d;
}

namespace {

/// Rates of positions that were found one by one: quasi-static yielding has no rates of its own.
void differentiate(Reference& r) {
  const std::size_t n = r.rows.size();
  if (n < 3) return;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = std::clamp<std::size_t>(k, 1, n - 2);
    const VecX<double>&a = r.rows[i - 1].q, &b = r.rows[i].q, &c = r.rows[i + 1].q;
    const double off = static_cast<double>(k) - static_cast<double>(i);
    r.rows[k].a = (c - 2 * b + a) / (r.period * r.period);
    r.rows[k].v = (c - a) / (2 * r.period) + off * r.period * r.rows[k].a;
  }
}

}  // namespace

Reference reference_of(const Mechanism<double>& model, const Trajectory& trajectory, double period,
                       const ReferenceOptions& options) {
  if (!(period > 0)) throw Error(fmt::format("sampling: read {:g} s, expected more than 0", period));
  const double f = options.speed;
  const auto samples = static_cast<std::size_t>(std::ceil(trajectory.duration / (f * period)));
  if (samples > most_samples)
    throw Error(fmt::format("sampling: read {:g} s, which makes {} samples, expected at most {}", period, samples,
                            most_samples));
  std::vector<KnownState> states;
  for (std::size_t k = 0; k <= samples; ++k) {
    const double t = static_cast<double>(k) * period;
    MotionState s = sample(trajectory, trajectory.start + f * t);
    s.t = t;
    if (s.of_platform()) {
      auto& x = std::get<PlatformMotion>(s.motion);
      x.v *= f, x.w *= f, x.a *= f * f, x.dw *= f * f;
    } else {
      auto& x = std::get<ActuatorMotion>(s.motion);
      x.v *= f, x.a *= f * f;
    }
    states.push_back({s, {}, {}, {}, {}, {}});
  }
  Reference r;
  r.period = period;
  AlongOptions along;
  along.elastic = options.elastic;
  const AlongAnswer answer = inverse_along(model, states, along, [&](const AlongRow& row) {
    r.rows.push_back({states[row.index].motion, picked(model, row.w.q, true), picked(model, row.w.v, false),
                      picked(model, row.w.a, false), row.w.tau});
    return true;
  });
  if (!answer.ok()) throw Error(answer.explain(model.name));
  if (options.elastic == ElasticMotion::quasistatic && !model.elastic.empty()) differentiate(r);
  return r;
}

Standing standing_at(const Mechanism<double>& m, const VecX<double>& actuators) {
  const Mechanism<double> smooth = without_friction(m);
  const VecX<double> rest = VecX<double>::Zero(actuators.size());
  MotionState state;
  state.motion = ActuatorMotion{actuators, rest, rest};
  AlongOptions along;
  along.elastic = ElasticMotion::quasistatic;
  Standing s;
  const std::vector<KnownState> states = {{state, {}, {}, {}, {}, {}}};
  const AlongAnswer answer = inverse_along(smooth, states, along, [&](const AlongRow& row) {
    s = {row.w.q, row.w.tau};
    return true;
  });
  if (!answer.ok()) throw Error(answer.explain(m.name + ": the start"));
  return s;
}

Controller sampled(const Mechanism<double>& plant, const Reference& reference, const ControlLaw& law,
                   const SamplingOptions& options) {
  auto sampler = std::make_shared<Sampler>(plant, reference, law, options);
  return [sampler](double t, Workspace<double>& w) { (*sampler)(t, w); };
}

// ------------------------------------------------------------------------------------------------ laws

/// The mass matrix that the drives feel at home.
static MatX<double> mass_at_home(const Mechanism<double>& model) {
  const Eigen::Index n = drives(model);
  const int freedoms = model.nv - model.rank - static_cast<int>(model.driven().size() - model.actuator.size());
  if (n == 0 || n != freedoms)
    throw Error(fmt::format("{}: read {} actuators, expected as many as there are degrees of freedom to control, {}",
                            model.name, n, freedoms));
  ModelForces forces(without_friction(model));
  const VecX<double> home = picked(model, model.home, true), rest = VecX<double>::Zero(n);
  const VecX<double> weight = forces(home, rest, rest);
  MatX<double> M(n, n);
  for (Eigen::Index i = 0; i < n; ++i) M.col(i) = forces(home, rest, VecX<double>::Unit(n, i)) - weight;
  return M;
}

JointGains gains_for(const Mechanism<double>& model, const Bandwidths& bandwidths) {
  const MatX<double> M = mass_at_home(model);
  const VecX<double> scale = M.diagonal().cwiseSqrt().cwiseInverse();
  const VecX<double> s = singular_values(scale.asDiagonal() * M * scale.asDiagonal()).s;
  const double lightest = s[s.size() - 1], wp = 2 * pi * bandwidths.position, wv = 2 * pi * bandwidths.velocity;
  JointGains g;
  g.mass = M.diagonal();
  g.position = VecX<double>::Constant(M.rows(), wp);
  g.velocity = wv * lightest * g.mass;
  g.integral = wp / 4 * g.velocity;
  return g;
}

ControlLaw joint_control(const JointGains& gains) {
  auto cascade = std::make_shared<Cascade>(gains);
  return [cascade](const ControlSample& s) -> VecX<double> {
    return (*cascade)(s, cascade->gains().mass.cwiseProduct(s.ahead.a));
  };
}

ControlLaw computed_force(const JointGains& gains) {
  auto cascade = std::make_shared<Cascade>(gains);
  return [cascade](const ControlSample& s) -> VecX<double> { return (*cascade)(s, s.ahead.tau); };
}

ControlLaw computed_torque(const Mechanism<double>& model, const Bandwidths& bandwidths) {
  struct State {
    explicit State(const Mechanism<double>& m, const JointGains& gains) : here(m), desired(m), cascade(gains) {}
    ModelForces here, desired;
    Cascade cascade;
  };
  const VecX<double> ones = VecX<double>::Ones(drives(model));
  const double wp = 2 * pi * bandwidths.position, wv = 2 * pi * bandwidths.velocity;
  const JointGains accelerations{wp * ones, wv * ones, wp / 4 * wv * ones, ones};
  auto state = std::make_shared<State>(without_friction(model), accelerations);
  return [state](const ControlSample& s) -> VecX<double> {
    VecX<double> tau = state->here(s.q, s.v, s.ahead.a + state->cascade(s));
    tau += s.ahead.tau - state->desired(s.ahead.q, s.ahead.v, s.ahead.a);  // friction
    return tau;
  };
}

ControlLaw adaptive(const Mechanism<double>& model, const JointGains& gains, const AdaptiveOptions& options,
                    std::shared_ptr<VecX<double>> theta) {
  struct State {
    State(const Mechanism<double>& m, const JointGains& g, const ParameterOptions& o)
        : cascade(g), forces(m, Formulation::virtual_power), base(base_parameters(m, o)) {}
    Cascade cascade;
    ModelForces forces;
    BaseParameters base;
    VecX<double> step;  ///< Gamma
  };
  JointGains plain = gains;
  plain.integral.setZero();  // what parameters learn, an integral must not
  auto state = std::make_shared<State>(model, plain, options.parameters);
  if (!theta) theta = std::make_shared<VecX<double>>();
  *theta = state->base.combinations() * state->base.space.value;
  state->step = theta->cwiseAbs().cwiseMax(1e-3 * theta->cwiseAbs().maxCoeff());
  return [state, theta, options](const ControlSample& s) -> VecX<double> {
    state->forces(s.ahead.q, s.ahead.v, s.ahead.a);
    const RegressorRow row = regressor_row(state->forces.model(), state->base.space, state->forces.dynamics());
    const MatX<double> Y = least_squares(row.drives, columns_of(row.H, state->base.columns()));
    const VecX<double> error = s.desired_v - s.v + state->cascade.gains().position.cwiseProduct(s.desired_q - s.q);
    // each parameter in its own units, its column in forces: the same effort for all
    const VecX<double> effect = (Y * state->step.asDiagonal()).colwise().norm().transpose().cwiseMax(1e-9);
    const VecX<double> push = (Y * state->step.asDiagonal()).transpose() * error;
    *theta += s.period * options.rate / 0.01 * state->step.cwiseProduct(push.cwiseQuotient(effect));
    return state->cascade(s) + Y * *theta + least_squares(row.drives, row.other);
  };
}

// ------------------------------------------------------------------------------------------------ plants

Mechanism<double> different(const Mechanism<double>& model, const ParameterOptions& options, double base_share,
                            double friction_share, unsigned seed) {
  const BaseParameters b = base_parameters(model, options);
  const MatX<double> K = b.combinations();
  VecX<double> change = K * b.space.value;
  std::mt19937 random(seed);
  for (Eigen::Index i = 0; i < change.size(); ++i)
    change[i] *= (random() % 2 == 0 ? 1 : -1) * (i < b.rank() ? base_share : friction_share);
  return with_parameters(model, b.space, b.space.value + least_squares(K, change));
}

Mechanism<double> with_payload(const Mechanism<double>& m, double mass) {
  if (!m.platform.exists()) throw Error(m.name + ": read a payload, expected a robot with a platform");
  Mechanism<double> other = m;
  Inertia<double> load;
  load.mass = mass;
  Inertia<double>& I = other.inertia[at(m.platform.body)];
  I = I + m.platform_frame * load;
  other.has_inertia[at(m.platform.body)] = true;
  return other;
}

Mechanism<double> without_friction(const Mechanism<double>& m) {
  Mechanism<double> other = m;
  std::fill(other.coefficient.begin(), other.coefficient.end(), 0.0);
  return other;
}

}  // namespace gough
