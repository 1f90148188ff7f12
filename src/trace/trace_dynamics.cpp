/// Dynamics from joints, as a program that stands in for the kernels: the same inputs, the same outputs.
#include <random>

#include "gough/dynamics/kernels.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/scalar/index.hpp"
#include "gough/trace/programs.hpp"
#include "trace_general.hpp"

namespace gough {
namespace {

constexpr double pivot_share = 0.05;    ///< as the kernels choose anew (choose_again)
constexpr double stretched = 1e-4;      ///< a leg's pivot over the loops', as the kernels give up legs
constexpr double efforts_share = 1e-3;  ///< of the actuators' pivot
constexpr double open_rates = 1e-11;    ///< of equations that are not used, as in (X2)
constexpr double closed_to = 1e-10;     ///< positions of loops, over the robot's size: programs take them as closed
constexpr double nothing = 1e-13;       ///< of K's entries
constexpr double unit_length = 1e-9;    ///< how far quaternions may be from it
constexpr std::size_t most_nodes = 100000;
constexpr int most_coordinates = 400;
constexpr int most_rank = 160;  ///< of the loops: choosing pivots takes its fourth power

void refuse(const std::string& why) { throw Error("no program: " + why); }

void check(const Mechanism<double>& m, const Dynamics<double>& d, bool inverse) {
  if (d.options.by == Formulation::scdd_iterative) refuse("scdd_iterative takes as many steps as it takes");
  if (d.y.rank() != m.rank) refuse("the loops' equations lose rank where coordinates were chosen");
  if (m.nv > most_coordinates) refuse("more than 400 coordinates");
  if (m.rank > most_rank) refuse("the loops have more than 160 equations");
  if (inverse && m.actuator.empty()) refuse("there are no actuators");
  if (inverse && d.efforts.kind == Efforts<double>::Kind::under) refuse("fewer actuators than freedoms");
  if (!inverse && !d.no_forward.empty()) refuse(d.no_forward);
}

std::vector<std::string> unnamed(Eigen::Index n) { return std::vector<std::string>(static_cast<std::size_t>(n)); }

class DynamicsTrace {
 public:
  DynamicsTrace(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish)
      : m_(m), choice_(d), wish_(wish), tracer_(as_it_is_), r_(tracer_, m, as_it_is_) {
    r_.trace.program.tape.set_most_nodes(most_nodes);
    choice_.external = wish.wrenches != ProgramWish::Wrenches::none;
    // of the loops' second derivative forward dynamics alone have use
    const DynamicsOptions& o = choice_.options;
    choice_.options.closed = !wish.inverse && !o.open && o.alpha == 0 && o.beta == 0;
    leg_wise_ = wish.inverse ? d.inverse_is_leg_wise() : d.forward_is_leg_wise();
  }

  Program run() {
    inputs();
    tree_positions(r_.s, r_.w);
    closure(r_.s, r_.w);
    if (!leg_wise_) choice_.y = r_.sparse(choice_.y);
    find_living_rows();
    Dynamics<Expr> d(r_.s, choice_);
    if (wish_.inverse) inverse(d);
    else forward(d);
    if (choice_.options.closed) watch_closure();
    watch_quaternions();
    return std::move(r_.trace.program);
  }

 private:
  void inputs() {
    Workspace<Expr>& w = r_.w;
    const auto input = [&](const char* name, Eigen::Index n) { return r_.trace.input(name, "", unnamed(n)); };
    w.q = input("q", m_.nq);
    w.v = input("v", m_.nv);
    if (wish_.inverse) w.a = input("a", m_.nv);
    else w.tau = input("tau", w.tau.size());
    const auto put = [](const VecX<Expr>& x, Eigen::Index first, Force<Expr>& f) {
      f = {x.segment<3>(first), x.segment<3>(first + 3)};
    };
    if (wish_.wrenches == ProgramWish::Wrenches::platform)
      put(input("wrench", 6), 0, w.external[static_cast<std::size_t>(m_.platform.body)]);
    if (wish_.wrenches == ProgramWish::Wrenches::any) {
      const VecX<Expr> all = input("wrenches", 6 * m_.tree_size());
      for (std::size_t j = 0; j < w.external.size(); ++j) put(all, 6 * static_cast<Eigen::Index>(j), w.external[j]);
    }
    w.coulomb = wish_.coulomb;
    if (wish_.coulomb.given) w.slip = input("slip", w.slip.size());
    std::size_t n = 0;
    for (const InputArray& a : r_.trace.program.inputs) n += a.symbol.size();
    r_.trace.samples.emplace_back(choice_.chosen_at.begin(), choice_.chosen_at.end());
    r_.trace.samples.back().resize(n, 0);  // pivots are those of this position
  }

  void inverse(Dynamics<Expr>& d) {
    inverse_from_poses(r_.s, r_.w, d);
    const Eigen::Index n = d.actuators, elastic = d.efforts.e.size() - n;
    r_.trace.output("tau", "forces of the actuators", unnamed(n), d.efforts.e.head(n));
    output_lambda();
    if (elastic > 0)
      r_.trace.output("elastic", "what elastic joints lack", unnamed(elastic), d.efforts.e.tail(elastic));
    const Efforts<Expr>& drives = d.elastic_legs ? d.elastic_legs->actuated : d.efforts;
    guard("the actuators can hardly hold the platform", drives.smallest_pivot, efforts_share);
    watch_loops(d);
    if (leg_wise_) {
      if (choice_.legs_leave_out)
        watch_rates(d.reduction->Z, d.reduction->D, all_but(choice_.split->rows, d.reduction->Z.rows()));
    } else if (choice_.leaves_out) {
      watch_rates(r_.w.K, d.form.G, left_out_);
    }
  }

  void forward(Dynamics<Expr>& d) {
    forward_from_poses(r_.s, r_.w, d);
    r_.trace.output("a", "accelerations", unnamed(m_.nv), r_.w.a);
    output_lambda();
    const auto [pivot, share] = forward_pivot(d);
    guard("the loops are near a singularity of the chosen coordinates", pivot, share);
    if (leg_wise_) watch_loops(d);
    if (leg_wise_ ? choice_.legs_leave_out : choice_.leaves_out) watch_accelerations();
  }

  void output_lambda() { r_.trace.output("lambda", "forces of the loops", unnamed(r_.w.lambda.size()), r_.w.lambda); }

  /// Fails below a share of what the pivot is at home and where coordinates were chosen, whichever is more: a choice near a singular
  /// position is no measure.
  void guard(const std::string& meaning, const Expr& pivot, double share) {
    if (r_.trace.program.tape.is_constant(pivot.ref())) return;
    r_.trace.program.guards.push_back({pivot.ref(), share * most(pivot), meaning});
  }
  double most(const Expr& pivot) {
    if (values_.size() < 2 || values_[0].size() != r_.trace.program.tape.nodes().size()) {
      std::vector<double> home(m_.home.begin(), m_.home.end());
      home.resize(r_.trace.samples[0].size(), 0);
      values_ = {r_.trace.values(r_.trace.samples[0]), r_.trace.values(home)};
    }
    const double here = value_of(values_[0], pivot.ref()), home = value_of(values_[1], pivot.ref());
    return std::isfinite(home) ? std::max(here, home) : here;
  }

  void watch_loops(const Dynamics<Expr>& d) {
    const Expr pivot = d.smallest_pivot(leg_wise_);
    const std::string meaning = "the loops are near a singularity of the chosen coordinates";
    if (!leg_wise_) return guard(meaning, pivot, pivot_share);
    if (r_.trace.program.tape.is_constant(pivot.ref())) return;
    const double bound = std::max(pivot_share * most(pivot), stretched * choice_.first_pivot);
    r_.trace.program.guards.push_back({pivot.ref(), bound, meaning});
  }

  /// Rows of A that the choice leaves out must hold by themselves.                                            (X2)
  void watch_rates(const MatX<Expr>& A, const MatX<Expr>& motions, const std::vector<int>& rows) {
    Expr sum(0.0);
    for (const int r : rows)
      for (Eigen::Index c = 0; c < motions.cols(); ++c) {
        Expr rate(0.0);
        for (Eigen::Index k = 0; k < A.cols(); ++k) rate += A(r, k) * motions(k, c);
        sum += rate * rate;
      }
    watch_small(sum, Expr(open_rates * choice_.K_size), "the chosen coordinates have lost digits");
  }
  /// The same, of the accelerations that were found: K a = k.
  void watch_accelerations() {
    const Workspace<Expr>& w = r_.w;
    if (left_out_.empty()) return;
    Expr size(1.0), sum(0.0);
    for (const Expr& a : w.a) size += magnitude(a);
    size = size * Expr(choice_.K_size);
    for (const int r : left_out_) {
      Expr open = -w.k[r];
      for (Eigen::Index c = 0; c < w.K.cols(); ++c) open += w.K(r, c) * w.a[c];
      sum += open * open, size += magnitude(Expr(w.k[r]));
    }
    watch_small(sum, size * Expr(open_rates), "the chosen coordinates have lost digits");
  }
  void watch_closure() {
    Expr sum(0.0);
    for (const int r : living_) {
      const Expr open = m_.row_is_length(r) ? r_.w.phi[r] * Expr(1 / m_.size) : r_.w.phi[r];
      sum += open * open;
    }
    watch_small(sum, Expr(closed_to), "the loops are open");
  }
  /// Equations that say something: others, as those of a planar robot about its plane, hold whatever its joints do, open loops or not.
  void find_living_rows() {
    Workspace<double> w(m_);
    VecX<double> size = VecX<double>::Zero(m_.equations);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < 3; ++i) {
      const VecX<double> aside = VecX<double>::NullaryExpr(m_.nv, [&] { return uniform(random); });
      w.q = moved(m_, choice_.chosen_at, aside * std::min(1.0, m_.size));
      tree_positions(m_, w);
      closure(m_, w);
      size = size.cwiseMax(w.K.rowwise().norm()).cwiseMax(w.phi.cwiseQuotient(m_.row_unit).cwiseAbs());
    }
    const std::vector<int>& used = choice_.y.rows;
    for (int r = 0; r < m_.equations; ++r) {
      if (!(size[r] > nothing * choice_.K_size)) continue;
      living_.push_back(r);
      if (!contains(used, r)) left_out_.push_back(r);
    }
  }
  static std::vector<int> all_but(const std::vector<int>& used, Eigen::Index n) {
    std::vector<int> rest;
    for (int r = 0; r < static_cast<int>(n); ++r)
      if (!contains(used, r)) rest.push_back(r);
    return rest;
  }
  /// Fails where the sum of squares is not below the square of `most`.
  void watch_small(const Expr& sum, const Expr& most, const std::string& meaning) {
    if (sum.ref() != Ref()) r_.trace.program.guards.push_back({(most * most - sum).ref(), 0.0, meaning});
  }

  void watch_quaternions() {
    for (const TreeJoint& joint : m_.joint) {
      if (!has_turns(joint)) continue;
      Expr n2(0.0);
      for (const Expr& x : r_.w.q.segment<4>(joint.q + (joint.type == Elementary::free ? 3 : 0))) n2 += x * x;
      const Expr off = Expr(unit_length) - magnitude(n2 - Expr(1.0));
      r_.trace.program.guards.push_back({off.ref(), 0.0, "a quaternion is not of unit length"});
    }
  }

  const Mechanism<double>& m_;
  Dynamics<double> choice_;
  const ProgramWish& wish_;
  const GenerateWish as_it_is_;
  Tracer tracer_;
  TracedRobot r_;
  bool leg_wise_ = false;
  std::vector<int> living_, left_out_;  ///< equations that say something; those of them that the choice does not use
  std::vector<std::vector<double>> values_;
};

}  // namespace

Program trace_dynamics(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish) {
  check(m, d, wish.inverse);
  return DynamicsTrace(m, d, wish).run();
}

}  // namespace gough
