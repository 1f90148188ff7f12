#include "gough/simulation/integrator.hpp"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gough/simulation/runge_kutta.hpp"
#include "sundials.hpp"

namespace gough {
namespace {

constexpr double first_step = 1e-4;  ///< [s] tried first; the error estimate shortens it where it must
constexpr double retry_share = 0.1;  ///< of the step before, after f had no rates

/// What the callbacks of SUNDIALS get to see.
struct Problem {
  Rates f;
  PutBack put_back;
  VecX<double> x, rates;
  long evaluations = 0;

  bool operator()(double t, const N_Vector at, N_Vector result) {
    ++evaluations;
    x = view(at);
    rates.resize(x.size());
    if (!f(t, x, rates) || !rates.allFinite()) return false;
    view(result) = rates;
    return true;
  }
};

int evaluate(double t, N_Vector x, N_Vector rates, void* problem) {
  return (*static_cast<Problem*>(problem))(t, x, rates) ? 0 : 1;
}

/// Shorter than a step may be, where two ends almost coincide: Euler's method errs by less than rounding. False: f has no rates.
bool tiny_step(Integrator& i, Problem& p, double limit) {
  p.rates.resize(i.x.size());
  i.evaluations = ++p.evaluations;
  if (!p.f(i.t, i.x, p.rates)) {
    i.failure = "there are no accelerations";
    return false;
  }
  i.x += (limit - i.t) * p.rates;
  i.last_step = limit - i.t;
  i.t = limit;
  return true;
}

/// CVODE wants the difference to the state that is put back.
int project(double, N_Vector x, N_Vector correction, double, N_Vector, void* problem) {
  Problem& p = *static_cast<Problem*>(problem);
  p.x = view(x);
  if (!p.put_back(p.x)) return 1;
  view(correction) = p.x - view(x);
  return 0;
}

// ------------------------------------------------------------------------------------------------ ARKODE

/// Prince and Dormand's method, steps by its error estimate. Evaluations that fail shorten the step here.
class Explicit : public Integrator {
 public:
  Explicit(const IntegratorOptions& o, Problem p) : options_(o), problem_(std::move(p)) {}

  void start(double at, const VecX<double>& from, Eigen::Index) override {
    t = at;
    x = from;
    begin(usual_step_);
  }

  bool step(double limit) override {
    const double left = limit - t;
    if (left < options_.smallest_step) {
      if (!tiny_step(*this, problem_, limit)) return false;
      begin(usual_step_);
      return true;
    }
    for (;;) {
      ERKStepSetStopTime(memory_.get(), limit);
      double reached = t;
      const int flag = ERKStepEvolve(memory_.get(), limit, state_.get(), &reached, ARK_ONE_STEP);
      evaluations = problem_.evaluations;
      if (flag >= 0) {
        last_step = reached - t;
        t = reached;
        x = view(state_.get());
        ++steps;
        note_usual(t < limit);
        return put_back();
      }
      double tried = 0;
      ERKStepGetCurrentStep(memory_.get(), &tried);
      tried = std::min(tried > 0 ? tried : left, left) * retry_share;
      if (tried < options_.smallest_step) {
        failure = fmt::format("a step of {:.1e} s is still too long", tried);
        return false;
      }
      begin(tried);
    }
  }

  VecX<double> at(double) const override { return x; }  // steps end where they are asked to

 private:
  /// How long the next step would like to be. One that was cut short by its limit says no more than the one before.
  void note_usual(bool own) {
    double next = 0;
    ERKStepGetCurrentStep(memory_.get(), &next);
    usual_step_ = own ? next : std::max(usual_step_, next);
  }

  bool put_back() {
    if (!problem_.put_back) return true;
    if (!problem_.put_back(x)) {
      failure = "the loops cannot be closed after a step";
      return false;
    }
    view(state_.get()) = x;
    ERKStepReset(memory_.get(), t, state_.get());
    return true;
  }

  void begin(double length) {
    if (memory_ && N_VGetLength(state_.get()) == x.size()) {
      view(state_.get()) = x;
      ERKStepReInit(memory_.get(), evaluate, t, state_.get());
    } else {
      create();
    }
    ERKStepSetInitStep(memory_.get(), length);
  }

  void create() {
    state_ = make_vector(x, context_);
    memory_.reset(ERKStepCreate(evaluate, t, state_.get(), context_.get()));
    ERKStepSetErrHandlerFn(memory_.get(), silent, nullptr);
    const Table table = butcher_table(prince_dormand);
    ERKStepSetTable(memory_.get(), table.get());
    ERKStepSStolerances(memory_.get(), options_.tolerance, options_.tolerance);
    ERKStepSetUserData(memory_.get(), &problem_);
    ERKStepSetMaxNumSteps(memory_.get(), -1);
    ERKStepSetMinStep(memory_.get(), options_.smallest_step);
    ERKStepSetMaxStep(memory_.get(), options_.longest_step);
  }

  struct FreeTable {
    void operator()(ARKodeButcherTable b) const { ARKodeButcherTable_Free(b); }
  };
  using Table = std::unique_ptr<ARKodeButcherTableMem, FreeTable>;
  /// With the rates at the end of the step as one stage more, which the next step begins with. ARKODE 6.4 takes the last stage for that
  /// whatever it is: of Prince and Dormand's, and of Fehlberg's, which are none of the end, it makes methods of a lower order.
  template <int stages>
  static Table butcher_table(const RungeKutta<stages>& r) {
    constexpr auto all = static_cast<std::size_t>(stages) + 1;
    std::array<std::array<double, all>, all> a{};
    std::array<double, all> b{}, c{}, d{};
    for (std::size_t i = 0; i + 1 < all; ++i) {
      std::copy(r.a[i].begin(), r.a[i].end(), a[i].begin());
      a.back()[i] = b[i] = r.b[i];
      c[i] = r.c[i];
      d[i] = r.d[i];
    }
    c.back() = 1;
    return Table(ARKodeButcherTable_Create(stages + 1, r.order, r.embedded, c.data(), a[0].data(), b.data(), d.data()));
  }

  struct Free {
    void operator()(void* memory) const { ERKStepFree(&memory); }
  };
  IntegratorOptions options_;
  Problem problem_;
  SunContext context_;
  SerialVector state_;
  std::unique_ptr<void, Free> memory_;
  double usual_step_ = first_step;
};

// ------------------------------------------------------------------------------------------------ CVODE

/// BDF of order 1 to 5 with Newton's method and a Jacobian by differences.
class Stiff : public Integrator {
 public:
  Stiff(const IntegratorOptions& o, Problem p) : options_(o), problem_(std::move(p)) {}

  void start(double at, const VecX<double>& from, Eigen::Index) override {
    t = at;
    x = from;
    begin();
  }

  bool step(double limit) override {
    const double last = options_.keep_limits ? std::min(limit, end) : end;
    if (last - t < options_.smallest_step) {
      if (!tiny_step(*this, problem_, last)) return false;
      begin();
      return true;
    }
    CVodeSetStopTime(memory_.get(), last);
    double reached = t;
    const int flag = CVode(memory_.get(), last, state_.get(), &reached, CV_ONE_STEP);
    evaluations = problem_.evaluations;
    if (flag < 0) {
      failure = fmt::format("CVODE: {}", flag_name(CVodeGetReturnFlagName(flag)));
      return false;
    }
    last_step = reached - t;
    t = reached;
    x = view(state_.get());
    ++steps;
    return true;
  }

  VecX<double> at(double earlier) const override {
    if (earlier >= t || last_step == 0) return x;
    const SerialVector y = make_vector(x, context_);
    CVodeGetDky(memory_.get(), earlier, 0, y.get());
    return view(y.get());
  }

 private:
  void begin() {
    state_ = make_vector(x, context_);
    memory_.reset(CVodeCreate(CV_BDF, context_.get()));
    CVodeInit(memory_.get(), evaluate, t, state_.get());
    CVodeSetErrHandlerFn(memory_.get(), silent, nullptr);
    CVodeSStolerances(memory_.get(), options_.tolerance, options_.tolerance);
    CVodeSetUserData(memory_.get(), &problem_);
    solver_ = DenseSolver(state_.get(), context_);
    CVodeSetLinearSolver(memory_.get(), solver_.solver.get(), solver_.matrix.get());
    CVodeSetMaxNumSteps(memory_.get(), -1);
    CVodeSetMaxErrTestFails(memory_.get(), most_tries);
    CVodeSetMinStep(memory_.get(), options_.smallest_step);
    CVodeSetMaxStep(memory_.get(), options_.longest_step);
    if (problem_.put_back) {
      CVodeSetProjFn(memory_.get(), project);
      CVodeSetProjErrEst(memory_.get(), 0);
    }
    last_step = 0;
  }

  struct Free {
    void operator()(void* memory) const { CVodeFree(&memory); }
  };
  IntegratorOptions options_;
  Problem problem_;
  SunContext context_;
  SerialVector state_;
  DenseSolver solver_;
  std::unique_ptr<void, Free> memory_;
};

// ------------------------------------------------------------------------------------------------ fixed steps

/// The classical Runge-Kutta method, or Euler's with the new rates in the positions (symplectic for mechanisms).
class Fixed : public Integrator {
 public:
  Fixed(const IntegratorOptions& o, Problem p) : options_(o), problem_(std::move(p)) {}

  void start(double at, const VecX<double>& from, Eigen::Index positions) override {
    t = at;
    x = from;
    positions_ = positions;
    for (VecX<double>& k : k_) k.resize(x.size());
  }

  bool step(double limit) override {
    const double left = limit - t, h = fitting_step(left, options_.fixed_step);
    const bool done = options_.method == Method::rk4 ? runge_kutta(h) : semi_implicit(h);
    if (!done || !x.allFinite() || (problem_.put_back && !problem_.put_back(x))) {
      failure = "a fixed step leads where there are no accelerations";
      return false;
    }
    t = h == left ? limit : t + h;
    last_step = h;
    ++steps;
    return true;
  }

  VecX<double> at(double) const override { return x; }

 private:
  bool rates(double at, const VecX<double>& y, std::size_t i) {
    ++evaluations;
    return problem_.f(at, y, k_[i]);
  }
  bool runge_kutta(double h) {
    if (!rates(t, x, 0) || !rates(t + h / 2, x + h / 2 * k_[0], 1) || !rates(t + h / 2, x + h / 2 * k_[1], 2) ||
        !rates(t + h, x + h * k_[2], 3))
      return false;
    x += h / 6 * (k_[0] + 2 * k_[1] + 2 * k_[2] + k_[3]);
    return true;
  }
  bool semi_implicit(double h) {
    if (!rates(t, x, 0)) return false;
    const Eigen::Index n = x.size() - positions_;
    x.tail(n) += h * k_[0].tail(n);
    if (!rates(t, x, 1)) return false;
    x.head(positions_) += h * k_[1].head(positions_);
    return true;
  }

  IntegratorOptions options_;
  Problem problem_;
  Eigen::Index positions_ = 0;
  std::array<VecX<double>, 4> k_;
};

}  // namespace

std::unique_ptr<Integrator> make_integrator(const IntegratorOptions& wanted, Rates f, PutBack put_back) {
  IntegratorOptions options = wanted;
  if (!(options.tolerance > 0)) options.tolerance = usual_tolerance(options.method);
  Problem p{std::move(f), std::move(put_back), {}, {}, 0};
  if (options.method == Method::adaptive) return std::make_unique<Explicit>(options, std::move(p));
  if (options.method == Method::stiff) return std::make_unique<Stiff>(options, std::move(p));
  return std::make_unique<Fixed>(options, std::move(p));
}

}  // namespace gough
