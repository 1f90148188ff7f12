#pragma once
/// Robots with one thing more, or less, than their files say: each is something that a computation made for the file's robot could
/// overlook. A variant is a description like any other; where it makes no sense for a robot there is none.
///
/// Also the states, the loads and the witness by which variants are looked at: cheaper than closed_state and newton_euler::forward, because
/// there are hundreds of variants.
#include <optional>

#include "dynamics/loaded_robots.hpp"

namespace gough {

struct RobotVariant {
  std::string name;
  std::optional<RobotDescription> (*of)(const RobotDescription& robot);
};

/// All of them, by names that a test may bear.
const std::vector<RobotVariant>& robot_variants();
/// None where the variant makes no sense for the robot. Throws std::out_of_range where there is no such variant.
std::optional<RobotDescription> variant_of(const RobotDescription& robot, const std::string& variant);

/// A shipped robot's description, read once.
const RobotDescription& described(const std::string& robot);

/// Variants whose platform carries the same tool, in other words each: rigidly joined, they are one mechanism.
const std::vector<std::string>& tool_variants();

/// The tool and the flange of tool_variants, which names them the same, and where their frames are in the platform's body.
struct MountedBody {
  BodyDescription body;
  Transform<double> pose;
};
std::vector<MountedBody> mounted_on_platform();

// ------------------------------------------------------------------------------------------------ how much is looked at

/// Random states of a case: GOUGH_VARIANT_SEEDS, or one.
unsigned variant_seeds();
/// Whether GOUGH_VARIANT_SEEDS asks for every case, also those that `make test` has no time for.
bool every_variant();
/// The place of a robot or of a variant in its list, by which a share of the cases is drawn.
std::size_t place_of_robot(const std::string& robot);
std::size_t place_of_variant(const std::string& variant);

// ------------------------------------------------------------------------------------------------ states and loads

/// A closed position not far from home, with closed rates and accelerations: the largest rate is 1, and joints with dry friction move as
/// fast as some tens of tries make them.
ClosedState nearby_state(const Mechanism<double>& m, unsigned seed);

/// The robot without dry friction where nothing can move: the sign of such a rate is a matter of rounding.
Mechanism<double> without_standing_friction(Mechanism<double> m);

enum class Wrenches { none, platform, bodies };
inline constexpr std::array<Wrenches, 3> all_wrenches = {Wrenches::none, Wrenches::platform, Wrenches::bodies};
/// Drives and wrenches of the size of the robot's weight: on nothing, on the platform alone, or on three bodies.
newton_euler::Load weighty_load(const Mechanism<double>& m, unsigned seed, Wrenches on);

/// What rounding may do to an answer of its size: 1e-9, because forces of 1e5 N cancel in springs and loops, and some thousand roundings
/// per unit of condition. A robot whose condition is beyond 1e10 cannot be looked at.
inline double rounding(double condition) { return 1e-9 * std::max(1.0, condition / 1e3); }
inline constexpr double ill_conditioned = 1e11;

/// Newton's and Euler's equations (newton_euler.hpp) of one state for many loads: the mass of the bodies and the ways in which they may
/// move are found once. Must not outlive `m`.
class Witness {
 public:
  Witness(const Mechanism<double>& m, const ClosedState& s);

  /// (N7): accelerations of the tree's coordinates.
  VecX<double> accelerations(const newton_euler::Load& load) const;
  /// The least forces of all drives, elastic ones behind the actuators, that do what the actuators do with `tau` while elastic joints are
  /// left to their springs. They are those forces, unless drives work against each other.
  VecX<double> least_efforts(const VecX<double>& tau) const;
  /// Whether the accelerations are unique: nothing moves without inertia.
  bool unique() const;

  newton_euler::FreeBodies bodies;

 private:
  MatX<double> M_, N_, NMN_, T_;
  VecX<double> x0_;
};

}  // namespace gough
