#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "gough/control/control.hpp"
#include "gough/dynamics/drives.hpp"
#include "gough/dynamics/energy.hpp"
#include "gough/error.hpp"
#include "gough/identification/equations.hpp"
#include "gough/kinematics/forward.hpp"
#include "gough/spatial/eigen_pairs.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using std::numbers::pi;
Eigen::Index drives(const Structure& m) { return static_cast<Eigen::Index>(m.actuator.size()); }

/// Inverse dynamics of a model, state after state; positions are continued from the state before.
class ModelForces {
 public:
  explicit ModelForces(const Mechanism<double>& m, Formulation by = Formulation::legs)
      : m_(m), w_(m_), form_(make_master_form(m_, w_, Master::drives)), d_(m_, w_, options(by)) {}
  ModelForces(const ModelForces&) = delete;  // its parts look at each other
  ModelForces& operator=(const ModelForces&) = delete;

  /// Of the actuators at q, v with accelerations a.
  const VecX<double>& operator()(const VecX<double>& q, const VecX<double>& v, const VecX<double>& a) {
    const Answer answer = forward_kinematics(m_, q, w_, false);
    if (!answer.ok()) throw Error(fmt::format("{}: the model cannot follow: {}", m_.name, answer.reason));
    tree_positions(m_, w_);
    closure(m_, w_);
    move(v, a);
    if (worn()) {
      form_ = make_master_form(m_, w_, Master::drives);
      best_ = 0;
      move(v, a);
    }
    const DynamicsAnswer done = inverse_dynamics(m_, w_, d_);
    if (!done.ok() || !w_.tau.allFinite())
      throw Error(fmt::format("{}: the model has no forces here: {}", m_.name, done.ok() ? "singular" : done.reason));
    return w_.tau;
  }
  const Dynamics<double>& dynamics() const { return d_; }
  const Mechanism<double>& model() const { return m_; }

 private:
  void move(const VecX<double>& v, const VecX<double>& a) {
    for (const int e : m_.elastic) w_.v[e] = w_.a[e] = 0;
    for (Eigen::Index i = 0; i < v.size(); ++i) w_.v[m_.actuator[at(i)]] = v[i], w_.a[m_.actuator[at(i)]] = a[i];
    motion_from_drives(m_, w_, form_);
  }
  /// The coordinates that were chosen no longer suit.
  bool worn() {
    const double pivot = std::min(form_.smallest_pivot, form_.form.smallest_pivot);
    best_ = std::max(best_, pivot);
    return pivot < 0.1 * best_ || !w_.a.allFinite();
  }
  static DynamicsOptions options(Formulation by) {
    DynamicsOptions o;
    o.by = by;
    return o;
  }
  Mechanism<double> m_;
  Workspace<double> w_;
  MasterForm<double> form_;
  double best_ = 0;  ///< largest of the smallest pivots
  Dynamics<double> d_;
};

/// The cascade of (K1), with its integrals.
class Cascade {
 public:
  explicit Cascade(JointGains gains)
      : gains_(std::move(gains)), integral_(VecX<double>::Zero(gains_.velocity.size())) {}

  /// What the robot stands with, beyond what is fed forward at rest: the integrals begin with it.
  void begin(const VecX<double>& force) {
    if (!begun_) integral_ = force;
    begun_ = true;
  }
  VecX<double> operator()(const ControlSample& s) {
    const VecX<double> slip = gap(s);
    for (Eigen::Index i = 0; i < slip.size(); ++i)  // what limits cut off must not pile up
      if (s.clipped[i] * slip[i] <= 0) integral_[i] += s.period * gains_.integral[i] * slip[i];
    return gains_.velocity.cwiseProduct(slip) + integral_;
  }
  /// v* - v
  VecX<double> gap(const ControlSample& s) const {
    return s.desired_v + gains_.position.cwiseProduct(s.desired_q - s.q) - s.v;
  }
  const JointGains& gains() const { return gains_; }

 private:
  JointGains gains_;
  VecX<double> integral_;
  bool begun_ = false;
};

/// The mass matrix that the drives feel at home.
MatX<double> mass_at_home(const Mechanism<double>& model) {
  const Eigen::Index n = drives(model);
  const int freedoms = model.nv - model.rank - static_cast<int>(model.driven().size() - model.actuator.size());
  if (n == 0 || n != freedoms)
    throw Error(fmt::format("{}: read {} actuators, expected as many as there are degrees of freedom to control, {}",
                            model.name, n, freedoms));
  ModelForces forces(without_friction(model));
  const VecX<double> home = drive_positions(model, model.home), rest = VecX<double>::Zero(n);
  const VecX<double> weight = forces(home, rest, rest);
  MatX<double> M(n, n);
  for (Eigen::Index i = 0; i < n; ++i) M.col(i) = forces(home, rest, VecX<double>::Unit(n, i)) - weight;
  if (!(M.diagonal().array() > 0).all())
    throw Error(fmt::format("{}: read a drive that moves no mass, expected every one to", model.name));
  return M;
}

/// Of parameters; none is smaller than a hundredth of its kind's largest.
VecX<double> sizes(const VecX<double>& theta, Eigen::Index inertial) {
  VecX<double> size = theta.cwiseAbs();
  const auto raise = [](auto part) {
    if (part.size() > 0) part = part.cwiseMax(0.01 * part.maxCoeff()).eval();
  };
  raise(size.head(inertial));
  raise(size.tail(size.size() - inertial));
  return size;
}

}  // namespace

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
    cascade->begin(s.standing);
    return (*cascade)(s) + cascade->gains().mass.cwiseProduct(s.ahead.a);
  };
}

ControlLaw computed_force(const JointGains& gains) {
  auto cascade = std::make_shared<Cascade>(gains);
  return [cascade](const ControlSample& s) -> VecX<double> {
    cascade->begin(s.standing - s.resting);
    return (*cascade)(s) + s.ahead.tau;
  };
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
    VecX<double> step;  ///< gamma D^2 / F
  };
  JointGains plain = gains;
  plain.integral.setZero();  // what parameters learn, an integral must not
  auto state = std::make_shared<State>(model, plain, options.parameters);
  if (!theta) theta = std::make_shared<VecX<double>>();
  *theta = state->base.combinations() * state->base.space.value;
  const VecX<double> size = sizes(*theta, state->base.rank());
  const VecX<double> rest = VecX<double>::Zero(drives(model));
  const double force = state->forces(drive_positions(model, model.home), rest, rest).norm() + gains.mass.norm();
  state->step = options.rate / 0.01 / force * size.cwiseAbs2();
  return [state, theta](const ControlSample& s) -> VecX<double> {
    state->forces(s.ahead.q, s.ahead.v, s.ahead.a);
    const RegressorRow row = regressor_row(state->forces.model(), state->base.space, state->forces.dynamics());
    const MatX<double> Y = least_squares(row.drives, columns_of(row.H, state->base.columns()));
    const VecX<double> shown = state->cascade.gap(s).cwiseProduct((s.clipped.array() == 0).cast<double>().matrix());
    *theta += s.period * state->step.cwiseProduct(Y.transpose() * shown);
    return state->cascade(s) + Y * *theta + least_squares(row.drives, row.other);
  };
}

double elastic_frequency(const Mechanism<double>& m) {
  std::vector<int> soft;
  for (const int e : m.elastic)
    if (!m.coordinate[static_cast<std::size_t>(e)].actuated) soft.push_back(e);
  if (soft.empty()) return 0;
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  MasterForm<double> form = make_master_form(m, w, Master::drives);
  const auto energy = [&](std::size_t i, std::size_t k) {
    w.v.setZero(), w.a.setZero();
    w.v[soft[i]] += 1;
    if (k != i) w.v[soft[k]] += 1;
    motion_from_drives(m, w, form);
    return energy_balance(m, w).kinetic;
  };
  const auto n = static_cast<Eigen::Index>(soft.size());
  MatX<double> M(n, n), K = MatX<double>::Zero(n, n);
  for (std::size_t i = 0; i < soft.size(); ++i) {
    const auto r = static_cast<Eigen::Index>(i);
    K(r, r) = m.stiffness[static_cast<std::size_t>(soft[i])];
    for (std::size_t k = 0; k < soft.size(); ++k)
      M(r, static_cast<Eigen::Index>(k)) = i == k ? 2 * energy(i, i) : energy(i, k) - energy(i, i) - energy(k, k);
  }
  const VecX<double> squares = eigen_pairs(K, M).s;
  return std::sqrt(std::max(0.0, squares[0])) / (2 * pi);
}

}  // namespace gough
