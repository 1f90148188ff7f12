#include "gough/control/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
  explicit Cascade(JointGains gains) : gains_(std::move(gains)), integral_(VecX<double>::Zero(gains_.velocity.size())) {}
  VecX<double> operator()(const ControlSample& s) {
    const VecX<double> wanted = s.desired.v + gains_.position.cwiseProduct(s.desired.q - s.q);
    const VecX<double> error = wanted - s.v;
    integral_ += s.period * gains_.integral.cwiseProduct(error);
    return gains_.velocity.cwiseProduct(error) + integral_;
  }
  const JointGains& gains() const { return gains_; }

 private:
  JointGains gains_;
  VecX<double> integral_;
};

/// Measures, asks, waits and limits.
class Sampler {
 public:
  Sampler(const Mechanism<double>& plant, const Reference& reference, ControlLaw law, const SamplingOptions& o)
      : m_(plant), reference_(reference), law_(std::move(law)), options_(o) {}

  void operator()(double t, Workspace<double>& w) {
    VecX<double> q = picked(m_, w.q, true);
    if (options_.encoder > 0)
      for (double& x : q) x = options_.encoder * std::round(x / options_.encoder);
    estimate_rates(t, q);
    last_q_ = q;
    last_t_ = t;
    VecX<double> wanted = law_({t, reference_.period, q, v_, reference_.at(t)});
    if (queue_.empty()) queue_.assign(static_cast<std::size_t>(std::max(0, options_.delay)), wanted);
    queue_.push_back(wanted);
    VecX<double> tau = queue_.front();
    queue_.erase(queue_.begin());
    limit(tau);
    w.tau = tau;
  }

 private:
  void estimate_rates(double t, const VecX<double>& q) {
    if (last_q_.size() == 0 || t <= last_t_) {
      v_ = reference_.at(t).v;
      return;
    }
    const VecX<double> difference = (q - last_q_) / (t - last_t_);
    const double share = options_.velocity_filter > 0 ? 1 - std::exp(-2 * pi * options_.velocity_filter * (t - last_t_)) : 1;
    v_ += share * (difference - v_);
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
  VecX<double> last_q_, v_, last_tau_;
  double last_t_ = 0;
  std::vector<VecX<double>> queue_;
};

}  // namespace

const Reference::Row& Reference::at(double t) const {
  const double first = rows.front().state.t;
  const auto k = static_cast<long>(std::lround((t - first) / period));
  return rows[static_cast<std::size_t>(std::clamp<long>(k, 0, static_cast<long>(rows.size()) - 1))];
}

Reference reference_of(const Mechanism<double>& model, const Trajectory& trajectory, double period,
                       const ReferenceOptions& options) {
  if (!(period > 0)) throw Error(fmt::format("sampling: read {:g} s, expected more than 0", period));
  const double f = options.speed;
  const auto samples = static_cast<std::size_t>(std::ceil(trajectory.duration / (f * period)));
  if (samples > most_samples)
    throw Error(fmt::format("sampling: read {:g} s, which makes {} samples, expected at most {}", period, samples, most_samples));
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
  return r;
}

Controller sampled(const Mechanism<double>& plant, const Reference& reference, const ControlLaw& law,
                   const SamplingOptions& options) {
  auto sampler = std::make_shared<Sampler>(plant, reference, law, options);
  return [sampler](double t, Workspace<double>& w) { (*sampler)(t, w); };
}

// ------------------------------------------------------------------------------------------------ laws

JointGains gains_for(const Mechanism<double>& model, const Bandwidths& bandwidths) {
  const Eigen::Index n = drives(model);
  const Mechanism<double> smooth = without_friction(model);
  ModelForces forces(smooth);
  const VecX<double> home = picked(model, model.home, true), rest = VecX<double>::Zero(n);
  const VecX<double> weight = forces(home, rest, rest);
  JointGains g;
  g.mass.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) g.mass[i] = forces(home, rest, VecX<double>::Unit(n, i))[i] - weight[i];
  g.position = VecX<double>::Constant(n, 2 * pi * bandwidths.position);
  g.velocity = 2 * pi * bandwidths.velocity * g.mass;
  g.integral = g.velocity * (2 * pi * bandwidths.velocity / 10);
  return g;
}

ControlLaw joint_control(const JointGains& gains) {
  auto cascade = std::make_shared<Cascade>(gains);
  return [cascade](const ControlSample& s) -> VecX<double> {
    return (*cascade)(s) + cascade->gains().mass.cwiseProduct(s.desired.a);
  };
}

ControlLaw computed_force(const JointGains& gains) {
  auto cascade = std::make_shared<Cascade>(gains);
  return [cascade](const ControlSample& s) -> VecX<double> { return (*cascade)(s) + s.desired.tau; };
}

ControlLaw computed_torque(const Mechanism<double>& model, const Bandwidths& bandwidths) {
  struct State {
    ModelForces here, desired;
  };
  const Mechanism<double> smooth = without_friction(model);
  auto state = std::make_shared<State>(State{ModelForces(smooth), ModelForces(smooth)});
  const double w = 2 * pi * bandwidths.position;
  return [state, w](const ControlSample& s) -> VecX<double> {
    const VecX<double> a = s.desired.a + 2 * w * (s.desired.v - s.v) + w * w * (s.desired.q - s.q);
    VecX<double> tau = state->here(s.q, s.v, a);
    tau += s.desired.tau - state->desired(s.desired.q, s.desired.v, s.desired.a);  // friction
    return tau;
  };
}

ControlLaw adaptive(const Mechanism<double>& model, const JointGains& gains, const AdaptiveOptions& options,
                    std::shared_ptr<VecX<double>> theta) {
  struct State {
    Cascade cascade;
    ModelForces forces;
    BaseParameters base;
    VecX<double> step;  ///< Gamma
  };
  JointGains plain = gains;
  plain.integral.setZero();  // what parameters learn, an integral must not
  auto state = std::make_shared<State>(
      State{Cascade(plain), ModelForces(model, Formulation::virtual_power), base_parameters(model, options.parameters), {}});
  if (!theta) theta = std::make_shared<VecX<double>>();
  *theta = state->base.combinations() * state->base.space.value;
  state->step = theta->cwiseAbs().cwiseMax(1e-3 * theta->cwiseAbs().maxCoeff());
  return [state, theta, options](const ControlSample& s) -> VecX<double> {
    state->forces(s.desired.q, s.desired.v, s.desired.a);
    const RegressorRow row = regressor_row(state->forces.model(), state->base.space, state->forces.dynamics());
    const MatX<double> Y = least_squares(row.drives, columns_of(row.H, state->base.columns()));
    const VecX<double> error = s.desired.v - s.v + state->cascade.gains().position.cwiseProduct(s.desired.q - s.q);
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
