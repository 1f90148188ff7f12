#pragma once
/// Robots with beams in modes (flexible/bending.hpp) whose drives follow a motion: what the platform does, and what drives should do.
///                                                                                        docs/theory/flexible.md
///   DesiredPath wanted(rigid, states);
///   CoupledPath path = coupled_path(bent, wanted, DriveMotion(wanted.motion), {}, {});
#include "gough/flexible/flexible_inverse.hpp"
#include "gough/simulation/ideal_drives.hpp"

namespace gough {

/// Of a step with beams that bend: every mode that is kept is followed, the highest too, however small it swings.
inline constexpr double bending_tolerance = 1e-8;

/// What a rigid robot does along states of a motion, and at any time; motion.answer() says whether it can follow.
struct DesiredPath {
  std::vector<double> t;
  std::vector<Transform<double>> pose;  ///< of the platform, where there is one
  std::vector<KnownState> drives;
  std::vector<VecX<double>> tau;
  RigidMotion motion;

  DesiredPath(const Mechanism<double>& rigid, const TimedMotion& motion, std::span<const KnownState> states);
  /// Polynomials between the states.
  DesiredPath(const Mechanism<double>& rigid, std::span<const KnownState> states);
};

struct CoupledOptions {
  std::size_t every = 1;  ///< states per row; the last one is always given
  FlexStart start = FlexStart::undeformed;
  VecX<double> elastic_q, elastic_v;  ///< of the bent mechanism's elastic coordinates, for FlexStart::given
  double tolerance = bending_tolerance;
  double longest_step = 0;           ///< [s]; 0: what the tolerance allows
  std::function<bool()> go_on = {};  ///< asked between rows too
};

struct CoupledRow {
  std::size_t index;  ///< of the state
  const SimulationRow& row;
  Vec6<double> error;  ///< of the platform against the desired path: its origin and turn, base axes
};
using OnCoupledRow = std::function<bool(const CoupledRow&)>;

struct CoupledPath {
  SimulationAnswer answer;
  double rms = 0, largest = 0;            ///< of the platform's origin [m]
  double turn_rms = 0, turn_largest = 0;  ///< [rad]
};

/// Drives start as their motion has them, beams at rest; rows are at times of the desired path.
CoupledPath coupled_path(const Mechanism<double>& bent, const DesiredPath& desired, DriveMotion drives,
                         const CoupledOptions& options, const OnCoupledRow& on_row);

/// The driving-constraint method on the coupled model: the platform's motion is imposed, drives and modes follow from the loops and the
/// balance of the modes without rates of their own (quasi-static: the tip of an elastic robot is not minimum-phase). `rigid` is the
/// same robot without modes.                                                                                 (D4)
FlexCommand coupled_constraint(const Mechanism<double>& rigid, const Mechanism<double>& bent,
                               std::span<const KnownState> states, const std::function<bool()>& go_on = {});

}  // namespace gough
