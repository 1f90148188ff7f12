#include "gough/dynamics/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <map>
#include <random>

#include "gough/kinematics/idle.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {

void put_state(const ComparedState& s, Workspace<double>& w) {
  w.q = s.q;
  w.v = s.v;
  w.a = s.a;
  if (s.external.size() == w.external.size()) w.external = s.external;
  else std::fill(w.external.begin(), w.external.end(), Force<double>{});
}

Condition condition_estimate(const Mechanism<double>& m, const VecX<double>& q) {
  Workspace<double> w(m);
  w.q = q;
  tree_positions(m, w);
  closure(m, w);
  const Selection y = select_driven(m, w, m.rank);
  MatX<double> K_d(y.rank(), y.rank());
  for (int r = 0; r < y.rank(); ++r)
    for (int c = 0; c < y.rank(); ++c)
      K_d(r, c) = w.K(y.rows[static_cast<std::size_t>(r)], y.dependent[static_cast<std::size_t>(c)]);
  ExplicitForm<double> form(m, y);
  explicit_form(w, y, form);
  const double loops = inverse_condition(K_d);
  const MatX<double> A = rows_of(form.G, m.driven());
  return {loops * inverse_condition(A), loops * inverse_condition(congruence(mass_matrix(m, w), form.G))};
}

namespace {

constexpr double vanishing = 1e-12;  ///< of their natural size: forces and accelerations that are zero but for rounding
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Median over batches of the time of one evaluation [us].
template <class Evaluate>
double median_time(Evaluate&& evaluate) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](int n) {
    const auto start = Clock::now();
    for (int i = 0; i < n; ++i) evaluate();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  int n = 1;
  while (timed(n) < 300 && n < 4096) n *= 2;
  std::vector<double> each(31);
  for (double& t : each) t = timed(n) / n;
  std::nth_element(each.begin(), each.begin() + 15, each.end());
  return each[15];
}

/// What the first formulation says.
struct Reference {
  std::optional<VecX<double>> tau, a;
};

std::string way_of(const Dynamics<double>& d, bool inverse) {
  const MadeProgram now = d.programs.now(inverse);
  return now.routine != nullptr ? now.routine->runs_as() : "kernels";
}

class Comparer {
 public:
  Comparer(const Mechanism<double>& m, const std::vector<ComparedState>& states)
      : m_(m), states_(states), reference_(states.size()) {
    for (const ComparedState& s : states) conditions_.push_back(condition_estimate(m, s.q));
  }

  Comparison run() {
    Comparison all;
    all.states = states_.size();
    for (const Condition& c : conditions_) {
      all.inverse_condition = std::max(all.inverse_condition, c.inverse);
      all.forward_condition = std::max(all.forward_condition, c.forward);
    }
    for (const Formulation by : all_formulations) all.formulations.push_back(one(by));
    return all;
  }

 private:
  Compared one(Formulation by) {
    Compared c{};
    c.by = c.inverse_code = c.forward_code = by;
    Workspace<double> w(m_);
    put_state(states_.front(), w);
    tree_positions(m_, w);
    closure(m_, w);
    if (first_) take_natural_sizes(w);
    c.not_applicable = not_applicable(m_, w, by);
    if (!c.not_applicable.empty()) return c;
    DynamicsOptions options;
    options.by = by;
    Dynamics<double> d(m_, w, options);
    c.inverse_code = inverse_code(d);
    c.forward_code = forward_code(d);
    warm_up(m_, w, d);
    c.inverse_by = way_of(d, true), c.forward_by = way_of(d, false);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      look_at_inverse(i, w, d, c);
      look_at_forward(i, w, d, c);
    }
    if (first_) take_sizes(w, d);
    first_ = false;
    put_state(states_.front(), w);
    if (c.inverse) c.inverse_us = median_time([&] { inverse_dynamics(m_, w, d); });
    if (reference_.front().tau) w.tau = *reference_.front().tau;
    if (c.forward) c.forward_us = median_time([&] { forward_dynamics(m_, w, d); });
    return c;
  }

  void note(const DynamicsAnswer& answer, std::string_view what, std::size_t i, Compared& c) const {
    if (!answer.ok() && c.failure.empty())
      c.failure = fmt::format("{} dynamics of state {}: {}: {}", what, i + 1, name(answer.status), answer.reason);
  }
  static void keep(double x, double condition, std::optional<double>& largest, double& share) {
    largest = std::max(largest.value_or(0), x);
    share = std::max(share, x / (allowed_disagreement * condition));
  }

  /// What disagreements are measured by. Forces that hold a robot at rest leave no acceleration, so that without them
  /// counts too.
  void take_sizes(Workspace<double>& w, Dynamics<double>& d) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (reference_[i].tau) tau_size_ = std::max(tau_size_, reference_[i].tau->norm());
      if (!reference_[i].a) continue;
      put_state(states_[i], w);
      w.tau.setZero();
      const bool falls = forward_dynamics(m_, w, d).ok();
      a_size_ = std::max({a_size_, reference_[i].a->norm(), falls ? w.a.norm() : 0.0});
    }
  }
  static double relative(const VecX<double>& x, const VecX<double>& reference, double size) {
    const double difference = (x - reference).norm();
    return difference == 0 ? 0 : difference / size;
  }

  /// Forces and accelerations that a robot of this mass and length has from its weight, or where it has none, from moving by its length
  /// in a second: against them zeros are compared.
  void take_natural_sizes(const Workspace<double>& w) {
    double mass = 0;
    for (const Inertia<double>& I : m_.inertia) mass += I.mass;
    const double length = characteristic_length(m_, w), g = m_.gravity.norm() > 0 ? m_.gravity.norm() : length;
    const bool turns =
        std::any_of(m_.coordinate.begin(), m_.coordinate.end(), [](const auto& c) { return !c.is_length; });
    natural_a_ = turns ? std::max(g, g / length) : g;
    natural_tau_ = (mass > 0 ? mass : 1) * g * std::max(1.0, length);
  }

  void look_at_inverse(std::size_t i, Workspace<double>& w, Dynamics<double>& d, Compared& c) {
    put_state(states_[i], w);
    w.tau.setConstant(unknown);
    const DynamicsAnswer answer = inverse_dynamics(m_, w, d);
    note(answer, "inverse", i, c);
    c.missed = c.missed || (!answer.ok() && reference_[i].tau);
    if (!answer.ok()) return;
    if (first_) reference_[i].tau = w.tau;
    if (reference_[i].tau)
      keep(relative(w.tau, *reference_[i].tau, tau_size()), conditions_[i].inverse, c.inverse, c.inverse_share);
  }
  void look_at_forward(std::size_t i, Workspace<double>& w, Dynamics<double>& d, Compared& c) {
    if (!reference_[i].tau) return;
    put_state(states_[i], w);
    w.tau = *reference_[i].tau;
    w.a.setConstant(unknown);  // or what a formulation leaves out would be right already
    const DynamicsAnswer answer = forward_dynamics(m_, w, d);
    note(answer, "forward", i, c);
    c.missed = c.missed || (!answer.ok() && reference_[i].a);
    if (!answer.ok()) return;
    if (first_) reference_[i].a = w.a;
    if (reference_[i].a)
      keep(relative(w.a, *reference_[i].a, a_size()), conditions_[i].forward, c.forward, c.forward_share);
  }

  const Mechanism<double>& m_;
  const std::vector<ComparedState>& states_;
  std::vector<Condition> conditions_;
  std::vector<Reference> reference_;
  double tau_size() const { return tau_size_ > vanishing * natural_tau_ ? tau_size_ : natural_tau_; }
  double a_size() const { return a_size_ > vanishing * natural_a_ ? a_size_ : natural_a_; }
  double tau_size_ = 0, a_size_ = 0;        ///< largest norms over the states
  double natural_tau_ = 1, natural_a_ = 1;  ///< what they are compared with
  bool first_ = true;
};

}  // namespace

std::vector<ComparedState> random_states(const Mechanism<double>& m, int count) {
  std::mt19937 random(4);  // any seed; fixed so that a comparison says the same thing twice
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto some = [&](Eigen::Index n) {
    return VecX<double>::NullaryExpr(n, [&] { return uniform(random); }).eval();
  };
  std::vector<ComparedState> all;
  for (const VecX<double>& q : poses_near_home(m, count)) {
    Workspace<double> w(m);
    w.q = q;
    tree_positions(m, w);
    closure(m, w);
    const Selection s = select_any(m, w, m.rank);
    ExplicitForm<double> form(m, s);
    const auto n = static_cast<Eigen::Index>(s.independent.size());
    const VecX<double> yd = some(n), ydd = some(n) * 10;
    explicit_motion(m, w, s, form, yd, ydd);
    if (m.driven().size() < s.independent.size()) {
      DynamicsOptions options;
      options.by = Formulation::multipliers;
      w.tau.noalias() = some(w.tau.size());
      forward_dynamics(m, w, options);
    }
    if (w.v.allFinite() && w.a.allFinite()) all.push_back({w.q, w.v, w.a, {}});
  }
  return all;
}

bool Comparison::agrees() const {
  return std::all_of(formulations.begin(), formulations.end(), [](const Compared& c) { return c.agrees(); }) &&
         std::any_of(formulations.begin(), formulations.end(),
                     [](const Compared& c) { return c.inverse || c.forward; });
}

std::string Comparison::shared_code() const {
  std::string text;
  for (const bool inverse : {true, false}) {
    std::map<Formulation, std::vector<std::string_view>> borrowers;
    for (const Compared& c : formulations)
      if (const Formulation code = inverse ? c.inverse_code : c.forward_code; code != c.by)
        borrowers[code].push_back(name(c.by));
    for (const auto& [code, names] : borrowers)
      text += fmt::format("{}{} {} {}'s {} dynamics here", text.empty() ? "" : "; ", fmt::join(names, " and "),
                          names.size() > 1 ? "run" : "runs", name(code), inverse ? "inverse" : "forward");
  }
  return text;
}

Comparison compare_formulations(const Mechanism<double>& m, const std::vector<ComparedState>& states) {
  assert(!states.empty());
  return Comparer(m, states).run();
}

}  // namespace gough
