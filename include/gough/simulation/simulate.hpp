#pragma once
/// Motion from forces: forward dynamics integrated in time.                                 docs/theory/simulation.md
///
///   Workspace w(robot);                                         // home, at rest; or any closed state
///   simulate(robot, w, even_times(0, 1, 1e-3), {}, {}, [&](const SimulationRow& row) { ..; return true; });
/// Rows come as they are done. Never a NaN: where the state cannot be continued, the run ends with a status.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gough/dynamics/dynamics.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/simulation/integrator.hpp"
#include "gough/simulation/state.hpp"

namespace gough {

/// Dry friction: joints stop and hold until they are overcome (found as events); or the sign is smoothed.
enum class DryFriction { stick, smooth };
inline constexpr std::array<std::string_view, 2> dry_friction_names = {"stick", "smooth"};
inline std::string_view name(DryFriction d) { return dry_friction_names[static_cast<std::size_t>(d)]; }

struct SimulationOptions {
  DynamicsOptions dynamics;  ///< alpha and beta of Baumgarte are looked at with Loops::baumgarte only
  IntegratorOptions integrator;
  Loops loops = Loops::independent;
  DryFriction dry = DryFriction::stick;
  double smooth = 1e-3;         ///< [m/s or rad/s] of DryFriction::smooth
  double hold = 0;              ///< [s] the controller is asked at multiples of it and its forces held; 0: always
  std::optional<double> start;  ///< [s] time of the state that a run begins with; none: that of the first row
  long most_steps = 20'000'000;
  std::function<bool()> go_on = {};  ///< asked before every step; false ends the run there, without a row
};

/// What drives the mechanism: sees a closed state (q, v; X0, V are current), writes w.tau and w.external. Between its knots it is a smooth
/// function of time and state. Steps end at knots: up to there the forces are those of just before, from there on its own.
struct Controller {
  std::function<void(double t, Workspace<double>& w)> apply;
  std::vector<double> knots;  ///< increasing times [s] at which forces, or a derivative of theirs, jump

  Controller() = default;
  template <class F>
  requires std::is_invocable_v < F&, double, Workspace<double>
  & > Controller(F f, std::vector<double> at = {})
      : apply(std::move(f)),
  knots(std::move(at)) {}  // NOLINT: a function is one

  explicit operator bool() const { return static_cast<bool>(apply); }
  void operator()(double t, Workspace<double>& w) const { apply(t, w); }
};

struct SimulationRow {
  double t;
  const Workspace<double>& w;  ///< q, v, a, tau, lambda, phi, load, X0, V, A; cq, cv, ca
  const Dynamics<double>& d;
};
/// Returns whether to go on.
using OnSimulationRow = std::function<bool(const SimulationRow&)>;

struct SimulationAnswer {
  Status status = Status::ok;
  std::string reason;
  std::string instead = {};  ///< why dalembert was taken where legs were asked for; empty: it was not
  double t = 0;              ///< how far it came
  std::size_t rows = 0;      ///< handed out
  bool stopped = false;      ///< the callback did not want more
  long steps = 0, evaluations = 0, events = 0, choices = 0;  ///< choices of coordinates
  double shortest_step = 0;                                  ///< [s] and when
  double shortest_t = 0;
  double largest_residual = 0;  ///< of the loops, at the rows
  double least_pivot = 1;       ///< of the loops over where coordinates were chosen; near 0 at a singularity
  double least_pivot_t = 0;
  std::vector<double> passed;  ///< times [s] of singular positions of the loops that were passed over

  bool ok() const { return status == Status::ok; }
};

/// From the closed state w.q, w.v to times.back(), a row at each time. w ends where the run did.
SimulationAnswer simulate(const Mechanism<double>& m, Workspace<double>& w, std::span<const double> times,
                          const SimulationOptions& options, const Controller& controller,
                          const OnSimulationRow& on_row);

/// start, start + step, ..: the last is `end`.
std::vector<double> even_times(double start, double end, double step);

/// Joints with one coordinate to given positions [m, rad], little by little and with closed loops; what `hold` names stays, the rest moves
/// as little as it can. Reads and writes w.q.
Answer set_positions(const Mechanism<double>& m, const std::vector<std::pair<int, double>>& given, Hold hold,
                     Workspace<double>& w);

/// Coordinates that stay.
Hold hold_of(const Structure& m, const std::vector<int>& coordinates);

/// Rates of some coordinates; the rest follow from the loops, as slow as possible where they are free. Reads w.q; writes w.v.
Answer set_rates(const Mechanism<double>& m, const std::vector<std::pair<int, double>>& given, Workspace<double>& w);

/// Moves w.q to where the forces w.tau and w.external balance gravity and springs: the least potential energy nearby.
Answer find_equilibrium(const Mechanism<double>& m, Workspace<double>& w);

}  // namespace gough
