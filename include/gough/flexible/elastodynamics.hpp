#pragma once
/// What beams do along a rigid motion: kineto-elastodynamics.                              docs/theory/flexible.md
///   M U'' + C(t) U' + K(t) U + J(t)^T lambda = P(t),   J(t) U = 0                                              (F1)
/// by the generalised-alpha method, one linear solution per step, from state to state.                           (F7)
///
///   flex_along(robot, states, {}, [&](const FlexResult& r) { use(r.t, r.error, r.tau); return true; });
#include <functional>
#include <span>

#include "gough/flexible/flex_modes.hpp"

namespace gough {

/// Undeformed: U = U' = 0, as if the robot had been held in shape. Quasi-static: bent by the loads, moving with them. Given: as the
/// caller says.
enum class FlexStart { undeformed, quasistatic, given };
inline constexpr std::array<std::string_view, 3> flex_start_names = {"undeformed", "quasistatic", "given"};
inline std::string_view name(FlexStart s) { return flex_start_names[static_cast<std::size_t>(s)]; }

/// Of the start, where it is given: how far a node is from the rigid motion, and how fast. What is not given bends as little as it can,
/// and moves as little.
struct NodeStart {
  int body = 0, node = 0;                        ///< nodes of a body count from its clamped end
  std::array<std::optional<double>, 6> d, rate;  ///< x y z rx ry rz [m, rad], base axes
};

struct FlexOptions {
  FlexSpace space = FlexSpace::automatic;
  FlexStart start = FlexStart::undeformed;
  double rho = 0.9;                        ///< spectral radius at infinity: 1 no numerical damping, 0 most
  bool geometric = true;                   ///< stiffness from tension
  bool vibrates = true;                    ///< false: quasi-static at every time
  std::optional<RayleighDamping> damping;  ///< none: the materials'
  double modal_damping = 0;                ///< ratio, of the lowest `frequencies` modes
  int frequencies = 3;                     ///< how many; 0: none
  std::size_t every = 1;                   ///< states per result; the last one is always given
  std::vector<PointLoad> loads;
  std::vector<FlexPoint> points;  ///< whose displacement is told
  std::vector<NodeStart> given;   ///< of FlexStart::given
};

/// Where a model leaves its range: the largest of each over the motion so far.
struct FlexRange {
  bool coupled = false;  ///< of beams in modes: turns count from their near ends, shortening is in the model
  struct Largest {
    double value = 0, t = 0;
    std::string where;
    void see(double x, double time, const std::string& place) {
      if (x > value) *this = {x, time, place};
    }
  };
  Largest turn;          ///< of a node against the rigid motion, or against the beam's near end [rad]
  Largest compression;   ///< over Euler's load of the pinned beam
  Largest second_order;  ///< shortening by bending, over the largest displacement
  Largest collapse;      ///< -omega^2 of the lowest mode, where negative [1/s^2]

  static constexpr double most_turn = 0.1, most_coupled_turn = 0.2, most_compression = 0.5, most_second_order = 0.05;
  /// One sentence for each that is beyond; with its value, time and place.
  std::vector<std::string> warnings() const;
};

/// One result. References hold until the callback returns.
struct FlexResult {
  std::size_t index;  ///< of the state
  double t;
  const AlongRow& along;             ///< the rigid motion
  const Workspace<double>& w;        ///< of that
  Vec6<double> error;                ///< of the platform: displacement of its origin and turn, base axes
  VecX<double> tau, tau_rigid;       ///< of the actuators
  double stress = 0;                 ///< largest at outermost fibres [Pa]; negative: no section gives them
  int stressed = -1;                 ///< the element where that is
  VecX<double> frequency;            ///< [Hz]
  std::vector<Vec6<double>> points;  ///< as error, of FlexOptions::points
  double strain_energy = 0, kinetic_energy = 0;
  const FlexEquations& e;
  const RigidState& rigid;
  const VecX<double>&U, &dU, &lambda;
};

struct FlexAnswer {
  AlongAnswer along;
  std::size_t results = 0;
  FlexRange range;
  int coordinates = 0, rows = 0;
  bool planar = false;
  bool ok() const { return along.ok(); }
};

/// Returns whether to go on.
using OnFlexResult = std::function<bool(const FlexResult&)>;

/// Throws Error where the robot has no beams, or where they cannot bend as described.
FlexAnswer flex_along(const Mechanism<double>& m, std::span<const KnownState> states, const FlexOptions& options,
                      const OnFlexResult& on_result);

/// Displacement and turn of something held by a node, base axes.
Vec6<double> displacement_of(const FlexibleModel& f, const RigidState& s, const Held& held, const VecX<double>& U);

}  // namespace gough
