#pragma once
/// How an integrator's vector x stands for a mechanism's position and rates.                docs/theory/simulation.md
///   independent   x = (z_y, v_y): positions of the rest from the loops, at every evaluation; nothing can drift
///                 q = q_0 exp(z),  phi(q(z)) = 0,  v = G v_y,  z' = T^-1(z) v                               (S1)
///   tree          x = (q, v) of the opened tree; the loops hold in their derivatives only, and the state is put back
///                 on them after every step (projected), pulled towards them (Baumgarte), or left to drift
///                 q' = E(q) v,  v <- G (G^T M G)^-1 G^T M v                                                 (S2)
/// The chart z of a ball joint is a rotation vector from the place where coordinates were chosen; T(r) maps its rates to
/// angular velocities. Coordinates are chosen anew when their conditioning drops or a chart is left.
#include <memory>

#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/stages.hpp"

namespace gough {

/// How the loops are kept closed.
enum class Loops { independent, projected, baumgarte, drift };
inline constexpr std::array<std::string_view, 4> loops_names = {"independent", "projected", "baumgarte", "drift"};
inline std::string_view name(Loops l) { return loops_names[static_cast<std::size_t>(l)]; }

class StateForm {
 public:
  virtual ~StateForm() = default;

  /// Chooses coordinates at the closed position w.q, rates w.v; returns the state.
  virtual VecX<double> choose(Workspace<double>& w) = 0;
  /// Writes q and v of the state and brings w to velocities (X0, K, V). False: there is no such position.
  virtual bool place(const VecX<double>& x, Workspace<double>& w) = 0;
  /// The last place() is a state that was reached: others are looked for from there.
  virtual void accept(const Workspace<double>& /*w*/) {}
  /// The state's derivative where place() has been, with w.a.
  virtual void rates(const Workspace<double>& w, VecX<double>& rates) const = 0;
  /// Coordinates should be chosen anew. After place().
  virtual bool worn() const = 0;
  /// After a step: puts the state back on the loops, where the form does that. False: impossible.
  virtual bool put_back(VecX<double>& x, Workspace<double>& w) = 0;
  /// How many of the state's numbers are positions; rates follow.
  virtual Eigen::Index positions() const = 0;
  /// Of the loops at the last place(): smallest pivot over the largest it was near here.
  virtual double pivot() const = 0;
};

std::unique_ptr<StateForm> make_state_form(const Mechanism<double>& m, Loops loops);

/// The velocity nearest to w.v, measured by kinetic energy, that the loops allow and that leaves the rates `rows` (any
/// number x nv) zero. Reads q at stage closure; writes w.v, V.                                             (S2)
void project_velocity(const Mechanism<double>& m, Workspace<double>& w, const MatX<double>& rows);

}  // namespace gough
