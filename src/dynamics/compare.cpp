#include "gough/dynamics/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <random>

#include "gough/kinematics/idle.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

void put(const ComparedState& s, Workspace<double>& w) {
  w.q = s.q;
  w.v = s.v;
  w.a = s.a;
  if (s.external.size() == w.external.size()) w.external = s.external;
  else std::fill(w.external.begin(), w.external.end(), Force<double>{});
}

double condition(const MatX<double>& A) {
  if (A.size() == 0) return 1;
  const VecX<double> s = singular_values(A).s;
  const double least = s[s.size() - 1];
  return least > 0 ? s[0] / least : std::numeric_limits<double>::infinity();
}

struct Conditions {
  double inverse = 1, forward = 1;
};

Conditions conditions(const Mechanism<double>& m, const ComparedState& s) {
  Workspace<double> w(m);
  put(s, w);
  tree_positions(m, w);
  closure(m, w);
  const Selection y = select_driven(m, w, m.rank);
  MatX<double> K_d(y.rank(), y.rank());
  for (int r = 0; r < y.rank(); ++r)
    for (int c = 0; c < y.rank(); ++c)
      K_d(r, c) = w.K(y.rows[static_cast<std::size_t>(r)], y.dependent[static_cast<std::size_t>(c)]);
  ExplicitForm<double> form(m, y);
  explicit_form(w, y, form);
  const std::vector<int> drives = m.driven();
  MatX<double> A(static_cast<Eigen::Index>(drives.size()), form.G.cols());
  for (std::size_t i = 0; i < drives.size(); ++i) A.row(static_cast<Eigen::Index>(i)) = form.G.row(drives[i]);
  const MatX<double> M = mass_matrix(m, w);
  const double loops = condition(K_d);
  return {loops * condition(A), loops * condition(congruence(M, form.G))};
}

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

class Comparer {
 public:
  Comparer(const Mechanism<double>& m, const std::vector<ComparedState>& states)
      : m_(m), states_(states), reference_(states.size()) {
    for (const ComparedState& s : states) conditions_.push_back(conditions(m, s));
  }

  Comparison run() {
    Comparison all;
    all.states = states_.size();
    for (const Conditions& c : conditions_) {
      all.inverse_condition = std::max(all.inverse_condition, c.inverse);
      all.forward_condition = std::max(all.forward_condition, c.forward);
    }
    for (const Formulation by : all_formulations) all.formulations.push_back(one(by));
    return all;
  }

 private:
  Compared one(Formulation by) {
    Compared c;
    c.by = by;
    Workspace<double> w(m_);
    put(states_.front(), w);
    tree_positions(m_, w);
    closure(m_, w);
    c.not_applicable = not_applicable(m_, w, by);
    if (!c.not_applicable.empty()) return c;
    DynamicsOptions options;
    options.by = by;
    Dynamics<double> d(m_, w, options);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      look_at_inverse(i, w, d, c);
      look_at_forward(i, w, d, c);
    }
    if (first_) take_sizes(w, d);
    first_ = false;
    put(states_.front(), w);
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
      put(states_[i], w);
      w.tau.setZero();
      const bool falls = forward_dynamics(m_, w, d).ok();
      a_size_ = std::max({a_size_, reference_[i].a->norm(), falls ? w.a.norm() : 0.0});
    }
  }
  static double relative(const VecX<double>& x, const VecX<double>& reference, double size) {
    const double difference = (x - reference).norm();
    return difference == 0 ? 0 : difference / std::max(size, std::numeric_limits<double>::min());
  }

  void look_at_inverse(std::size_t i, Workspace<double>& w, Dynamics<double>& d, Compared& c) {
    put(states_[i], w);
    const DynamicsAnswer answer = inverse_dynamics(m_, w, d);
    note(answer, "inverse", i, c);
    if (!answer.ok()) return;
    if (first_) reference_[i].tau = w.tau;
    if (reference_[i].tau)
      keep(relative(w.tau, *reference_[i].tau, tau_size_), conditions_[i].inverse, c.inverse, c.inverse_share);
  }
  void look_at_forward(std::size_t i, Workspace<double>& w, Dynamics<double>& d, Compared& c) {
    if (!reference_[i].tau) return;
    put(states_[i], w);
    w.tau = *reference_[i].tau;
    const DynamicsAnswer answer = forward_dynamics(m_, w, d);
    note(answer, "forward", i, c);
    if (!answer.ok()) return;
    if (first_) reference_[i].a = w.a;
    if (reference_[i].a)
      keep(relative(w.a, *reference_[i].a, a_size_), conditions_[i].forward, c.forward, c.forward_share);
  }

  const Mechanism<double>& m_;
  const std::vector<ComparedState>& states_;
  std::vector<Conditions> conditions_;
  std::vector<Reference> reference_;
  double tau_size_ = 0, a_size_ = 0;
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
  return std::all_of(formulations.begin(), formulations.end(), [](const Compared& c) { return c.agrees(); });
}

Comparison compare_formulations(const Mechanism<double>& m, const std::vector<ComparedState>& states) {
  assert(!states.empty());
  return Comparer(m, states).run();
}

}  // namespace gough
