#include "gough/dynamics/fast_paths.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "gough/dynamics/compare.hpp"
#include "gough/dynamics/five_bar.hpp"
#include "gough/dynamics/strut_forward.hpp"
#include "gough/dynamics/strut_inverse.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/jacobian.hpp"

namespace gough {
namespace {

constexpr double allowed = 1e-9;   ///< of the answer's norm, per unit of condition
constexpr double too_poor = 1e10;  ///< condition of a state that proves nothing
constexpr int trials = 3;

/// A closed state, and what the general kernels say about it.
struct Trial {
  ComparedState state;
  VecX<double> forces;  ///< of the drives, for forward dynamics
  std::optional<VecX<double>> tau, a;
  Condition condition;
};

class Prover {
 public:
  Prover(Mechanism<double>& m, const AlterPath& alter) : m_(m), alter_(alter), w_(m) {}

  void run() {
    const bool moves = m_.nv > m_.rank, splits = moves && splits_into_legs(m_);
    if (splits) make_trials();
    const char* const why_not = moves ? "not a floating platform on legs that meet nowhere else" : "it cannot move";
    try_path(fast_paths::leg_wise, splits ? "" : why_not, [&](const Trial& t) { return leg_wise(t); });
    const bool equal_legs = splits && make_lanes(m_, LoadPlan(m_)).usable();
    try_path(fast_paths::lanes, equal_legs ? "" : "not six equal legs of three joints and a ball with one drive each",
             [&](const Trial& t) { return lanes(t); });
    const auto struts = splits ? recognise_struts(m_) : std::nullopt;
    try_path(fast_paths::struts, struts ? "" : "not a platform on six UPS struts with inertias along their axes",
             [&](const Trial& t) { return by_struts(*struts, t); });
    const auto five_bar = splits ? recognise_five_bar(m_) : std::nullopt;
    try_path(fast_paths::five_bar,
             five_bar ? "" : "not a planar five-bar with links that are symmetric and friction in its drives alone",
             [&](const Trial& t) { return by_five_bar(*five_bar, t); });
  }

 private:
  // -------------------------------------------------------------------------------------------- states

  void make_trials() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto some = [&](Eigen::Index n, double size) {
      return VecX<double>::NullaryExpr(n, [&] { return size * uniform(random); }).eval();
    };
    double weight = 0;
    for (const Inertia<double>& I : m_.inertia) weight += 10 * I.mass;
    std::vector<ComparedState> states = random_states(m_, trials + 1);
    if (states.size() > 1) states.erase(states.begin());  // home may be special
    for (std::size_t i = 0; i < states.size(); ++i) {
      Trial t{std::move(states[i]), some(w_.tau.size(), weight), {}, {}, {}};
      t.state.external.resize(m_.parent.size());
      for (std::size_t j = 0; j < m_.parent.size(); ++j) {
        const VecX<double> f = some(6, weight);
        if (i == 0 || static_cast<int>(j) == m_.platform.body) t.state.external[j] = {f.head<3>(), f.tail<3>()};
      }
      ask_general(t);
      if (!(t.condition.inverse < too_poor)) t.tau.reset();  // nothing could be told apart there
      if (!(t.condition.forward < too_poor)) t.a.reset();
      if (t.tau || t.a) trial_.push_back(std::move(t));
    }
  }

  void put(const Trial& t) {
    put_state(t.state, w_);
    w_.a = t.state.a;
  }
  std::optional<VecX<double>> inverse(const Trial& t, Dynamics<double>& d) {
    put(t);
    w_.tau.setConstant(std::numeric_limits<double>::quiet_NaN());
    if (const DynamicsAnswer a = inverse_dynamics(m_, w_, d); !a.ok()) return std::nullopt;
    return w_.tau;
  }
  std::optional<VecX<double>> forward(const Trial& t, Dynamics<double>& d) {
    put(t);
    w_.tau = t.forces;
    w_.a.setConstant(std::numeric_limits<double>::quiet_NaN());
    if (const DynamicsAnswer a = forward_dynamics(m_, w_, d); !a.ok()) return std::nullopt;
    return w_.a;
  }
  Dynamics<double> dynamics(const Trial& t, Formulation by, bool lanes) {
    put(t);
    DynamicsOptions o;
    o.by = by;
    o.lanes = lanes;
    return Dynamics<double>(m_, w_, o);
  }

  void ask_general(Trial& t) {
    Dynamics<double> d = dynamics(t, Formulation::dalembert, false);
    t.tau = inverse(t, d);
    t.a = forward(t, d);
    t.condition = condition_estimate(m_, t.state.q);
  }

  // -------------------------------------------------------------------------------------------- comparison

  /// Empty: the path may be used.
  template <class Path>
  void try_path(std::string_view name, const std::string& unfit, Path&& path) {
    name_ = name;
    m_.fast_path.push_back({std::string(name), unfit.empty(), unfit, false});
    if (!unfit.empty()) return;
    if (trial_.empty()) {
      m_.fast_path.back() = {std::string(name), false,
                             "the general kernels have no answer near home to compare it with", false};
      return;
    }
    std::string why;
    for (std::size_t i = 0; i < trial_.size() && why.empty(); ++i) why = path(trial_[i]);
    m_.fast_path.back() = {std::string(name), why.empty(), why, !why.empty()};
  }

  std::string differs(std::string_view what, std::optional<VecX<double>> x, const VecX<double>& general,
                      double condition) {
    if (!x) return fmt::format("{} dynamics: no answer where the general kernels have one", what);
    if (alter_) alter_(name_, *x);
    const double size = general.norm(), difference = (*x - general).norm();
    if (difference <= allowed * condition * size) return "";
    return fmt::format("{} dynamics: differs from the general kernels by {:.1e} of {:.3g}, rounding explains {:.1e}",
                       what, difference / size, size, allowed * condition);
  }
  std::string compared(const Trial& t, Dynamics<double>& d) {
    std::string why;
    if (t.tau) why = differs("inverse", inverse(t, d), *t.tau, t.condition.inverse);
    if (why.empty() && t.a) why = differs("forward", forward(t, d), *t.a, t.condition.forward);
    return why;
  }

  // -------------------------------------------------------------------------------------------- paths

  std::string leg_wise(const Trial& t) {
    for (const Formulation by : {Formulation::legs, Formulation::scdd}) {
      put(t);
      tree_positions(m_, w_);
      closure(m_, w_);
      if (!not_applicable(m_, w_, by).empty()) continue;
      Dynamics<double> d = dynamics(t, by, false);
      if (const std::string why = compared(t, d); !why.empty()) return fmt::format("by {}, {}", name(by), why);
    }
    return "";
  }

  std::string lanes(const Trial& t) {
    Dynamics<double> d = dynamics(t, Formulation::legs, true);
    if (const std::string why = compared(t, d); !why.empty() || !t.tau) return why;
    const auto [pose, rates] = platform_motion(t);
    w_.tau.setConstant(std::numeric_limits<double>::quiet_NaN());
    const bool ok = inverse_dynamics(m_, pose, rates, w_, d).ok();
    return differs("inverse (from the platform)", ok ? std::optional(w_.tau) : std::nullopt, *t.tau,
                   t.condition.inverse);
  }

  std::pair<Transform<double>, PlatformRates<double>> platform_motion(const Trial& t) {
    put(t);
    return motion_of_platform();
  }
  std::pair<Transform<double>, PlatformRates<double>> motion_of_platform() {
    tree_positions(m_, w_);
    closure(m_, w_);
    tree_velocities(m_, w_);
    tree_accelerations(m_, w_);
    return {platform_pose(m_, w_), platform_rates(m_, w_)};
  }

  PlatformState<double> platform_state(bool accelerates) {
    const auto [pose, rates] = motion_of_platform();
    const Vec3<double> none = Vec3<double>::Zero();
    return {pose.p,
            rates.v,
            rates.w,
            accelerates ? rates.a : none,
            accelerates ? rates.dw : none,
            {pose.R.col(0), pose.R.col(1), pose.R.col(2)}};
  }

  /// Generated code knows no wrenches: the general kernels are asked again without them.
  Dynamics<double> without_wrenches(const Trial& t) {
    Dynamics<double> d = dynamics(t, Formulation::dalembert, false);
    d.external = false;
    return d;
  }

  std::string by_struts(const RecognisedStruts& s, const Trial& t) {
    Dynamics<double> general = without_wrenches(t);
    if (const auto tau = inverse(t, general)) {
      put(t);
      PlatformState<double> x = platform_state(true);
      if (s.plan.lifted) x.axis[2] *= s.robot.strut[0].B.z();
      StrutInverse<double> struts(s.robot, s.plan, x);
      const std::array<double, 6> f = struts.forces();
      const std::string why =
          differs("inverse", VecX<double>(Eigen::Map<const VecX<double>>(f.data(), 6)), *tau, t.condition.inverse);
      if (!why.empty()) return why;
    }
    const auto a = forward(t, general);
    if (!a) return "";
    put(t);
    const PlatformState<double> x = platform_state(false);
    std::array<double, 6> drives{};
    std::copy(t.forces.begin(), t.forces.end(), drives.begin());
    const VecX<double> found = StrutForward<double>(s.robot, x, drives).accelerations();
    w_.a = *a;
    const PlatformRates<double> rates = motion_of_platform().second;
    VecX<double> expected(6);
    expected << rates.a, rates.dw;
    return differs("forward", found, expected, t.condition.forward);
  }

  std::string by_five_bar(const FiveBar<double>& f, const Trial& t) {
    Dynamics<double> general = without_wrenches(t);
    const auto a = forward(t, general);
    if (!a) return "";
    put(t);
    std::array<double, 2> q{}, v{}, tau{};
    VecX<double> expected(2);
    for (std::size_t i = 0; i < 2; ++i) {
      const int c = m_.actuator[i];
      q[i] = w_.q[m_.joint[at(body_of(c))].q], v[i] = w_.v[c], tau[i] = t.forces[static_cast<Eigen::Index>(i)];
      expected[static_cast<Eigen::Index>(i)] = (*a)[c];
    }
    const FiveBarForward<double> x = five_bar_forward(f, q, v, tau);
    return differs("forward", VecX<double>(Eigen::Map<const VecX<double>>(x.a.data(), 2)), expected,
                   t.condition.forward);
  }
  int body_of(int coordinate) const {
    for (int j = 0; j < m_.tree_size(); ++j)
      if (m_.joint[at(j)].v == coordinate && velocity_size(m_.joint[at(j)]) == 1) return j;
    return 0;
  }

  Mechanism<double>& m_;
  const AlterPath& alter_;
  Workspace<double> w_;
  std::string_view name_;
  std::vector<Trial> trial_;
};

}  // namespace

namespace {

/// Friction functions that the program has not defined yet do not keep a robot from being loaded: they are left out of the comparison.
Mechanism<double> with_known_friction(Mechanism<double> m) {
  const auto known = [](const std::string& f) {
    return std::find(friction_function_names.begin(), friction_function_names.end(), f) !=
               friction_function_names.end() ||
           find_own_friction(f) != nullptr;
  };
  for (Coordinate& c : m.coordinate)
    std::erase_if(c.friction, [&](const FrictionUse& use) { return !known(use.function); });
  return m;
}

}  // namespace

void prove_fast_paths(Mechanism<double>& m, const AlterPath& alter) {
  for (const std::string_view path :
       {fast_paths::leg_wise, fast_paths::lanes, fast_paths::struts, fast_paths::five_bar})
    std::erase_if(m.fast_path, [&](const FastPath& p) { return p.name == path; });
  Mechanism<double> tried = with_known_friction(m);
  Prover(tried, alter).run();
  m.fast_path = tried.fast_path;
}

}  // namespace gough
