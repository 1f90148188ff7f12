#include "gough/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dae.hpp"
#include "dry_joints.hpp"
#include "gough/dynamics/energy.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/singularity.hpp"

namespace gough {
namespace {

constexpr double rest_speed = 1e-8;     ///< [m/s or rad/s] slower joints with dry friction stand
constexpr double event_time = 1e-12;    ///< [s] how well events are located
constexpr double trouble = 1e-3;        ///< share of the usual step that makes one look for a singularity
constexpr double near_singular = 1e-3;  ///< loop_index
constexpr double passing_share = 0.05;  ///< of the usual step, that goes over it
constexpr int passing_steps = 3;        ///< odd, so that the middle is not looked at
constexpr std::size_t most_reached = 64;
constexpr double steady = 1e-7;          ///< share of the kinetic energy that may be lost or won on the way
constexpr int most_events_at_once = 50;  ///< without time going on
constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double time_grain = 16 * std::numeric_limits<double>::epsilon();  ///< of a knot: rounding of sums of times
constexpr double no_jump = 1e-9;  ///< share by which accelerations on both sides of a knot may differ

bool multistep(Method m) { return m == Method::stiff || m == Method::dae; }

DynamicsOptions dynamics_options(const SimulationOptions& o) {
  DynamicsOptions d = o.dynamics;
  if (o.loops != Loops::baumgarte) d.alpha = d.beta = 0;
  if (o.loops != Loops::independent || o.integrator.method == Method::dae) d.open = true;
  return d;
}

struct Reached {
  double t;
  VecX<double> q, v;
};

/// Of what cannot move: time goes on.
class Standing : public Integrator {
 public:
  void start(double at, const VecX<double>& from, Eigen::Index) override {
    t = at;
    x = from;
  }
  bool step(double limit) override {
    last_step = limit - t;
    t = limit;
    ++steps;
    return true;
  }
  VecX<double> at(double) const override { return x; }
};

class Run {
 public:
  Run(const Mechanism<double>& m, Workspace<double>& w, double start, double end, const SimulationOptions& o,
      const Controller& c)
      : m_(m),
        w_(w),
        options_(o),
        controller_(c),
        d_(m, w, dynamics_options(o)),
        dry_(m, [this](Workspace<double>& at) { return forward(at); }),
        end_(end) {
    sticks_ = o.dry == DryFriction::stick && dry_.any() && m.nv > m.rank;
    IntegratorOptions integrator = o.integrator;
    integrator.keep_limits = o.hold > 0 || sticks_;  // forces jump: rows must not be looked up across a jump
    if (sticks_) DryJoints::prepare(w_);
    else w_.coulomb = {0, o.dry == DryFriction::smooth ? o.smooth : 0, false};
    if (m.nv == m.rank) {
      form_ = make_state_form(m, Loops::independent);
      integrator_ = std::make_unique<Standing>();
    } else if (o.integrator.method == Method::dae) {
      if (sticks_) throw Error("dry friction: read stick for method dae, expected smooth: it knows no events");
      integrator_ = make_dae_integrator(
          integrator, m, d_, [this](double t) { drive(t); }, w_);
      form_ = make_state_form(m, Loops::drift);
    } else {
      form_ = make_state_form(m, o.loops);
      PutBack put_back;
      if (o.loops == Loops::projected) put_back = [this](VecX<double>& x) { return form_->put_back(x, w_); };
      integrator_ = make_integrator(
          integrator, [this](double t, const VecX<double>& x, VecX<double>& r) { return rates(t, x, r); }, put_back);
    }
    if (o.hold <= 0)
      std::copy_if(c.knots.begin(), c.knots.end(), std::back_inserter(knots_),
                   [&](double t) { return t > start && t <= end; });
    next_knot(false);
  }

  SimulationAnswer& answer() { return answer_; }

  bool begin(double t) {
    if (options_.hold > 0) held_until_ = next_sample(t);
    tree_positions(m_, w_);
    closure(m_, w_);
    tree_velocities(m_, w_);
    if (sticks_ && !settle_modes(t)) return false;
    restart(t);
    return look(t);
  }

  /// Until `until`. False: ended, answer() says why.
  bool advance(double until) {
    while (integrator_->t < until) {
      if (options_.go_on && !options_.go_on()) {
        answer_.stopped = true;
        answer_.t = integrator_->t;
        return false;
      }
      if (integrator_->t >= integrator_->end) pass_knot();
      const double limit = std::min(until, options_.hold > 0 ? held_until_ : integrator_->end);
      if (!step(limit)) return false;
      if (options_.hold > 0 && integrator_->t >= held_until_) ask_controller();
    }
    return true;
  }

  /// The state at `t` (of the last step), with its accelerations: at a knot those from there on, at the end those that led there.
  bool look(double t) {
    const VecX<double> x = integrator_->at(t);
    if (t >= integrator_->end && t < end_) pass_knot();
    if (!form_->place(x, w_) || !accelerate(t)) return fail(t, "");
    tree_accelerations(m_, w_);
    cut_coordinates(m_, w_);
    loads(m_, d_.loads, d_.external, w_);  // for those who look: a program keeps them to itself
    if (w_.phi.size() > 0) answer_.largest_residual = std::max(answer_.largest_residual, w_.phi.cwiseAbs().maxCoeff());
    return true;
  }

  void finish() {
    answer_.t = integrator_->t;
    answer_.steps += integrator_->steps;
    answer_.evaluations = options_.integrator.method == Method::dae ? integrator_->evaluations : evaluations_;
  }
  const Dynamics<double>& dynamics() const { return d_; }

 private:
  // ---------------------------------------------------------------------------------------------- evaluation

  void drive(double t) {
    if (!controller_) return;
    if (options_.hold <= 0) return controller_(inside(t), w_);
    if (held_tau_.size() == 0) {
      controller_(t, w_);
      held_tau_ = w_.tau;
      held_external_ = w_.external;
    }
    w_.tau = held_tau_;
    w_.external = held_external_;
  }

  /// The next sample of a controller that is asked now and then: at this moment's state. Forces jump, so whatever the
  /// integrator remembers is forgotten.
  void ask_controller() {
    held_tau_.resize(0);
    held_until_ = next_sample(integrator_->t);
    if (form_->place(integrator_->x, w_)) drive(integrator_->t);
    integrator_->start(integrator_->t, integrator_->x, form_->positions());
  }
  // ---------------------------------------------------------------------------------------------- knots

  /// Where a step evaluates forces for time t: between the knots that it lies between, not on them, as far as rounding of sums of times can
  /// tell. So a jump is never half in a step.
  double inside(double t) const { return std::min(std::max(t, low_), high_); }

  /// The way to the next knot, or to the end.
  void next_knot(bool at_knot) {
    const auto grain = [](double t) { return time_grain * std::abs(t); };
    const double from = integrator_->end;
    low_ = at_knot ? from + grain(from) : -unlimited;
    integrator_->end = knot_ < knots_.size() ? knots_[knot_++] : end_;
    high_ = knot_ > 0 && integrator_->end == knots_[knot_ - 1] ? integrator_->end - grain(integrator_->end) : unlimited;
    if (low_ > high_) low_ = high_ = low_ + (high_ - low_) / 2;
  }

  /// The integrator stands at a knot. A method of one step begins anew there; one that remembers only where accelerations jump.
  void pass_knot() {
    const double t = integrator_->t;
    reached_.clear();  // steps over singular positions do not start before it
    const bool there = multistep(options_.integrator.method) && form_->place(integrator_->x, w_) && accelerate(t);
    const VecX<double> before = w_.a;
    next_knot(true);
    if (there && accelerate(t) && (w_.a - before).cwiseAbs().sum() <= no_jump * before.cwiseAbs().sum()) return;
    integrator_->start(t, integrator_->x, form_->positions());
  }

  double next_sample(double t) const { return (std::floor(t / options_.hold + 1e-9) + 1) * options_.hold; }

  bool forward(Workspace<double>& w) {
    ++evaluations_;
    last_ = forward_dynamics(m_, w, d_);
    return last_.ok() && w.a.allFinite();
  }

  bool accelerate(double t) {
    drive(t);
    return sticks_ ? dry_.accelerate(w_) : forward(w_);
  }

  bool rates(double t, const VecX<double>& x, VecX<double>& r) {
    if (!form_->place(x, w_) || !accelerate(t)) return false;
    form_->rates(w_, r);
    return true;
  }

  // ---------------------------------------------------------------------------------------------- steps

  bool step(double limit) {
    if (worn_) restart_here();
    const double t = integrator_->t;
    const VecX<double> x = integrator_->x;
    const bool stepped = integrator_->step(limit);
    if (!stepped && !pass_singularity(t, x, limit)) return fail(integrator_->t, integrator_->failure);
    if (++taken_ > options_.most_steps)
      return fail(integrator_->t, fmt::format("given up after {} steps", options_.most_steps));
    note_step(integrator_->t - t, integrator_->t < limit);
    if (sticks_) return watch_friction(t, x);
    if (!form_->place(integrator_->x, w_)) return fail(integrator_->t, "");
    form_->accept(w_);
    if (reached_.size() == most_reached) reached_.erase(reached_.begin());
    reached_.push_back({integrator_->t, w_.q, w_.v});
    worn_ = form_->worn();  // chosen anew before the next step: rows within this one are still to be looked up
    if (adaptive() && integrator_->t < limit && integrator_->t - t < trouble * usual_step_)
      pass_singularity(integrator_->t, integrator_->x, limit);
    return true;
  }

  bool adaptive() const { return options_.integrator.method == Method::adaptive; }

  /// Where the loops lose rank for a moment, accelerations are lost to rounding and an error estimate stops the motion.
  /// One Runge-Kutta step from a little before goes over it; energy tells whether it arrived on the same motion.
  bool pass_singularity(double t, const VecX<double>& x, double limit) {
    if (!adaptive() || usual_step_ == 0 || t >= limit || !form_->place(x, w_)) return false;
    if (loop_index(m_, w_) > near_singular) return false;
    const VecX<double> q = w_.q, v = w_.v;
    bool tried = false;
    for (double share = passing_share; share <= 1; share *= 2) {
      const auto from = std::find_if(reached_.rbegin(), reached_.rend(),
                                     [&](const Reached& r) { return r.t <= t - share * usual_step_; });
      if (from == reached_.rend()) break;
      tried = true;
      if (step_over(*from, std::min(t + share * usual_step_, limit))) return true;
    }
    if (tried) {  // other coordinates were tried: back to where it stood
      stand(q, v);
      restart(t);
    }
    return false;
  }

  void stand(const VecX<double>& q, const VecX<double>& v) {
    w_.q = q;
    w_.v = v;
    tree_positions(m_, w_);
    closure(m_, w_);
    tree_velocities(m_, w_);
  }

  bool step_over(const Reached& from, double to) {
    stand(from.q, from.v);
    drive(from.t);
    const EnergyBalance before = energy_balance(m_, w_);
    const VecX<double> x = form_->choose(w_);
    IntegratorOptions o = options_.integrator;
    o.method = Method::rk4;
    o.fixed_step = (to - from.t) / passing_steps;
    const auto over =
        make_integrator(o, [this](double at, const VecX<double>& y, VecX<double>& r) { return rates(at, y, r); }, {});
    over->start(from.t, x, form_->positions());
    while (over->t < to)
      if (!over->step(to)) return false;
    if (!form_->put_back(over->x, w_) || !form_->place(over->x, w_)) return false;
    drive(to);
    if (!same_energy(before, energy_balance(m_, w_), to - from.t)) return false;
    form_->accept(w_);
    const double before_it =
        from.t;  // states up to there stay: where it was passed too soon, a longer way starts from them
    std::erase_if(reached_, [&](const Reached& r) { return r.t > before_it; });
    reached_.push_back({to, w_.q, w_.v});
    worn_ = false;
    integrator_->last_step = usual_step_;
    integrator_->start(to, over->x, form_->positions());
    answer_.passed.push_back(to);
    return true;
  }

  /// Power is taken as its mean between both ends.
  static bool same_energy(const EnergyBalance& a, const EnergyBalance& b, double h) {
    const auto power = [](const EnergyBalance& e) { return e.actuators + e.external - e.losses; };
    const double change = b.kinetic + b.potential - a.kinetic - a.potential - h * (power(a) + power(b)) / 2;
    return std::abs(change) <= steady * std::max(a.kinetic, b.kinetic);
  }

  /// Steps that end where a row is wanted say nothing of the motion, and the first is a guess.
  void note_step(double length, bool own) {
    usual_step_ = std::max(0.99 * usual_step_, length);
    if (own && length > 0 && taken_ > 1 && (answer_.shortest_step == 0 || length < answer_.shortest_step)) {
      answer_.shortest_step = length;
      answer_.shortest_t = integrator_->t;
    }
    if (form_->pivot() < answer_.least_pivot) {
      answer_.least_pivot = form_->pivot();
      answer_.least_pivot_t = integrator_->t;
    }
  }

  /// Coordinates chosen anew at w's state.
  void restart(double t) {
    ++answer_.choices;
    worn_ = false;
    const VecX<double> x = form_->choose(w_);
    answer_.steps += integrator_->steps;
    integrator_->steps = 0;
    integrator_->start(t, x, form_->positions());
  }
  void restart_here() {
    if (form_->place(integrator_->x, w_)) restart(integrator_->t);
  }

  // ---------------------------------------------------------------------------------------------- dry friction

  /// What holds and what slides, at w's state; velocities of what holds become zero.
  bool settle_modes(double t) {
    drive(t);
    if (!dry_.decide(w_, 2 * rest_speed)) return fail(t, "");
    if (dry_.holds()) project_velocity(m_, w_, dry_.held_rows(w_));
    return true;
  }

  /// Whether the present mode is wrong at the state x: below 0 it is.
  double slack_at(double t, const VecX<double>& x) {
    if (!form_->place(x, w_) || !accelerate(t)) return -1;
    return dry_.slack(w_);
  }

  /// After a step from (t, x): if a joint stopped or broke loose on the way, goes back to that moment.
  bool watch_friction(double t, const VecX<double>& x) {
    const bool fixed = options_.integrator.method == Method::rk4 || options_.integrator.method == Method::semi_implicit;
    if (slack_at(integrator_->t, integrator_->x) >= -rest_speed) {
      form_->accept(w_);
      worn_ = form_->worn();
      return true;
    }
    double low = t, high = integrator_->t;
    if (!fixed && !locate(low, high, x)) return false;
    ++answer_.events;
    at_once_ = high - last_event_ < 10 * event_time ? at_once_ + 1 : 0;
    last_event_ = high;
    if (at_once_ > most_events_at_once)
      return fail(high, "joints with dry friction stop and start again without end; smooth friction may help");
    if (!form_->place(integrator_->x, w_) || !settle_modes(high)) return fail(high, "");
    restart(high);
    return true;
  }

  /// Bisects the step from (low, x) until the mode is right at low and wrong at high, where the integrator then stands.
  bool locate(double& low, double& high, VecX<double> x) {
    const Eigen::Index positions = form_->positions();
    while (high - low > event_time) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      integrator_->start(low, x, positions);
      while (integrator_->t < middle)
        if (!integrator_->step(middle)) return fail(integrator_->t, integrator_->failure);
      const VecX<double> there = integrator_->at(middle);
      if (slack_at(middle, there) >= -rest_speed) {
        low = middle;
        x = there;
      } else {
        high = middle;
      }
    }
    integrator_->start(low, x, positions);
    while (integrator_->t < high)
      if (!integrator_->step(high)) return fail(integrator_->t, integrator_->failure);
    integrator_->x = integrator_->at(high);
    integrator_->t = high;
    return true;
  }

  // ---------------------------------------------------------------------------------------------- ends

  /// Where the state cannot be continued: in words why.
  bool fail(double t, const std::string& how) {
    answer_.t = t;
    answer_.status = last_.ok() ? Status::not_converged : last_.status;
    std::string why = last_.ok() ? "" : last_.reason;
    if (integrator_->x.size() == 0 || !form_->place(integrator_->x, w_)) {  // before the start there is no x
      tree_positions(m_, w_);
      closure(m_, w_);
    }
    if (const double near = w_.q.allFinite() ? loop_index(m_, w_) : 1.0; near < near_singular) {
      answer_.status = Status::singular;
      why += fmt::format("{}the loops' equations are about to lose rank (index {:.1e})", why.empty() ? "" : "; ", near);
    }
    if (d_.options.by == Formulation::scdd_iterative && last_.ok()) {
      why = fmt::format("the iteration diverges: its largest eigenvalue is {:.3g}, and {:.3g} is the limit",
                        d_.iteration.eigenvalue, 2 / d_.options.iteration.relaxation);
    }
    if (why.empty()) why = "no accelerations here";
    if (!how.empty()) why += "; " + how;
    answer_.reason = why;
    return false;
  }

  const Mechanism<double>& m_;
  Workspace<double>& w_;
  const SimulationOptions& options_;
  const Controller& controller_;
  Dynamics<double> d_;
  DryJoints dry_;
  bool sticks_ = false, worn_ = false;
  std::unique_ptr<StateForm> form_;
  std::unique_ptr<Integrator> integrator_;
  SimulationAnswer answer_;
  DynamicsAnswer last_;
  std::vector<Reached> reached_;  ///< the last states
  double held_until_ = 0, last_event_ = -1e300, usual_step_ = 0;
  double end_ = 0;
  std::vector<double> knots_;                   ///< of the forces, on the way
  std::size_t knot_ = 0;                        ///< the one after the integrator's end
  double low_ = -unlimited, high_ = unlimited;  ///< between the knots
  int at_once_ = 0;
  long taken_ = 0, evaluations_ = 0;
  VecX<double> held_tau_;
  std::vector<Force<double>> held_external_;
};

}  // namespace

std::vector<double> even_times(double start, double end, double step) {
  if (!(step > 0) || !(end >= start) || !std::isfinite(end - start)) throw Error("read times that do not increase");
  const double count = (end - start) / step;
  if (count > 1e7) throw Error(fmt::format("read {:.3g} rows, expected at most 1e7: a longer step", count));
  std::vector<double> times;
  const auto n = static_cast<long>(std::floor(count + 1e-9));
  for (long i = 0; i <= n; ++i) times.push_back(start + static_cast<double>(i) * step);
  if (end - times.back() > 1e-9 * step) times.push_back(end);
  else times.back() = end;
  return times;
}

namespace {

/// Steps so short that they would never come to the end.
void check_steps(const SimulationOptions& o, double time) {
  const bool fixed = o.integrator.method == Method::rk4 || o.integrator.method == Method::semi_implicit;
  const long most = std::max(o.most_steps, SimulationOptions{}.most_steps);
  const std::array given = {std::pair("a fixed step", fixed ? o.integrator.fixed_step : 0),
                            std::pair("forces held", o.hold)};
  for (const auto& [what, step] : given)
    if (step > 0 && !(time / step <= static_cast<double>(most)))
      throw Error(fmt::format("read {} for {:g} s in a run of {:g} s, expected {:g} s or more: at most {} steps", what,
                              step, time, time / static_cast<double>(most), most));
}

}  // namespace

SimulationAnswer simulate(const Mechanism<double>& m, Workspace<double>& w, std::span<const double> times,
                          const SimulationOptions& options, const Controller& controller,
                          const OnSimulationRow& on_row) {
  if (times.empty()) return {};
  const double start = options.start.value_or(times.front());
  if (!(start <= times.front()))
    throw Error(
        fmt::format("read a row at t = {:g} s, expected none before the start at {:g} s", times.front(), start));
  for (std::size_t i = 1; i < times.size(); ++i)
    if (!(times[i] > times[i - 1])) throw Error("read times that do not increase, expected times that do");
  for (std::size_t i = 1; i < controller.knots.size(); ++i)
    if (!(controller.knots[i] > controller.knots[i - 1]))
      throw Error("read knots that do not increase, expected knots that do");
  check_steps(options, times.back() - start);
  Run run(m, w, start, times.back(), options, controller);
  SimulationAnswer& answer = run.answer();
  bool good = run.begin(start);
  if (good && start < times.front()) good = run.advance(times.front()) && run.look(times.front());
  for (std::size_t i = 0; good; ++i) {
    ++answer.rows;
    if (!on_row({times[i], w, run.dynamics()})) {
      answer.stopped = i + 1 < times.size();
      break;
    }
    if (i + 1 == times.size()) break;
    good = run.advance(times[i + 1]) && run.look(times[i + 1]);
  }
  const double failed_at = answer.t;
  run.finish();
  answer.instead = run.dynamics().instead;
  if (!good) answer.t = failed_at;
  return answer;
}

}  // namespace gough
