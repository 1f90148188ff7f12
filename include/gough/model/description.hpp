#pragma once
/// A robot as its author describes it: bodies and the joints between them, before any choice of tree and cuts.
///
/// A robot file becomes this; a program may fill it in by hand. `build` (build.hpp) checks it and makes the Mechanism.
/// SI units throughout. `where` fields carry the file's line into every message.
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gough/error.hpp"
#include "gough/model/joint.hpp"
#include "gough/model/modal.hpp"

namespace gough {

inline constexpr std::string_view base_name = "base";

struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// The nine entries that a symmetry may force to zero, in this order: Ixx Ixy Ixz Iyy Iyz Izz sx sy sz.
inline constexpr std::array<std::string_view, 9> inertia_entry_names = {"Ixx", "Ixy", "Ixz", "Iyy", "Iyz",
                                                                        "Izz", "sx",  "sy",  "sz"};
using InertiaEntries = std::array<bool, 9>;

inline constexpr int most_elements = 200, most_beam_parts = 20;

/// A straight beam, clamped in its body at `from`, or the next piece of one: it begins where the piece before it ends. Its own
/// axes: x along the beam, z as near as can be to the body's z (y to the body's y, where the beam runs along z).
struct BeamDescription {
  Where where;
  Vec3<double> from = Vec3<double>::Zero(), to = Vec3<double>::Zero();
  double A = 0, Iy = 0, Iz = 0;   ///< area, second moments of area about the beam's y and z
  double J = 0;                   ///< torsion constant
  double E = 0, G = 0, rho = 0;   ///< moduli and density
  double damping = 0;             ///< of the material, in proportion to stiffness [s]
  double half_y = 0, half_z = 0;  ///< from the axis to the outermost fibres; 0: not known
  bool round = false;             ///< outermost fibres lie on a circle, not at corners
  double shear_factor = 5.0 / 6;  ///< share of the area that carries shear
  bool shear = true;              ///< false: sections stay across the axis, as Rayleigh's and Euler and Bernoulli's do
  bool rotary_inertia =
      true;  ///< false: sections turn without inertia as the beam bends (Euler and Bernoulli, with shear false)
  int elements = 1;

  double length() const { return (to - from).norm(); }
  /// Inertia of the sections against turns about the beam's x, y, z, per length.
  Vec3<double> turning() const { return Vec3<double>(Iy + Iz, rotary_inertia ? Iy : 0, rotary_inertia ? Iz : 0) * rho; }
  /// The beam's axes in the body, as columns.
  Mat3<double> axes() const;
  /// As a rigid bar with the section's rotary inertia, about the body's origin.
  Inertia<double> rigid() const;
};

struct BodyDescription {
  Where where;
  std::string name;
  double mass = 0;
  Vec3<double> com = Vec3<double>::Zero();
  Mat3<double> inertia = Mat3<double>::Zero();          ///< about the centre of mass, in body axes
  std::vector<std::pair<double, Vec3<double>>> points;  ///< point masses fixed to the body: mass, position
  std::vector<BeamDescription> beam;                    ///< piece by piece; its mass is added to all of the above
  std::optional<InertiaEntries> symmetric;              ///< entries (about the body's origin) that may be non-zero

  /// Everything together, about the body's origin.
  Inertia<double> total() const;
};

/// A friction term: coefficient times a function of the joint's speed. Terms with the same coefficient name share it.
struct FrictionTerm {
  std::string function;     ///< "viscous", "coulomb", or a name the program knows
  std::string coefficient;  ///< its name; generated from the joint's name when the file gives a number
};

struct CoordinateDescription {
  std::string name;  ///< empty: the joint's name, with the kind's suffix where it has several
  bool actuated = false;
  bool elastic = false;
  bool locked = false;
  double stiffness = 0;
  double damping = 0;
  double rest = 0;  ///< where the spring is relaxed
  std::vector<FrictionTerm> friction;
  double rotor_inertia = 0;  ///< of the motor, at the motor's side
  double ratio = 1;          ///< motor radians per joint unit
  bool has_drive = false;    ///< a gear or screw is given: the motor's side is reported too
  Range position;
  double velocity = std::numeric_limits<double>::infinity();
  double acceleration = std::numeric_limits<double>::infinity();
  double force = std::numeric_limits<double>::infinity();
  std::optional<double> home;   ///< held when the home pose is assembled
  std::optional<double> guess;  ///< where the assembly starts
};

struct JointDescription {
  Where where;
  std::string name;
  JointKind kind = JointKind::revolute;
  std::string parent;
  std::string child;
  Transform<double> origin;                        ///< frame A in the parent
  Transform<double> child_origin;                  ///< frame B in the child
  double length = 0;                               ///< of `distance`
  std::optional<bool> cut;                         ///< the author's choice; none: build decides
  std::vector<CoordinateDescription> coordinates;  ///< one per coordinate_kinds(kind), or per mode
  std::shared_ptr<const ModalBody> modal;  ///< of a modal joint: how its parent bends; it holds the parent's mass
};

struct SpringDescription {
  Where where;
  std::string name;
  std::string body_a, body_b;
  Vec3<double> point_a = Vec3<double>::Zero(), point_b = Vec3<double>::Zero();
  double stiffness = 0;
  double damping = 0;
  double free_length = 0;
};

/// The coordinates of a platform: position of its frame's origin and rotation vector, in the base frame.
inline constexpr std::array<std::string_view, 6> pose_names = {"x", "y", "z", "rx", "ry", "rz"};
using PoseMask = std::array<bool, 6>;

struct PlatformDescription {
  Where where;
  std::string body;
  Transform<double> frame;  ///< in the body
  Transform<double> tool;   ///< in the platform's frame
  PoseMask coordinates = {true, true, true, true, true, true};
  std::array<Range, 6> limits;
  std::array<std::optional<double>, 6> home;
};

/// A leg from a template: which bodies belong to it, and which template made it (equal legs share one).
struct LegDescription {
  std::string name;
  std::vector<std::string> bodies;
};

/// A body that became part of another one (merge_fixed).
struct WeldedBody {
  std::string name;
  std::string onto;         ///< the body that it became part of
  Transform<double> pose;   ///< its frame in that body's
  Inertia<double> inertia;  ///< its own, about its frame's origin
};

struct RobotDescription {
  RobotDescription();
  RobotDescription(const RobotDescription&);
  RobotDescription(RobotDescription&&) noexcept;
  RobotDescription& operator=(const RobotDescription&);
  RobotDescription& operator=(RobotDescription&&) noexcept;
  ~RobotDescription();

  Where where;
  std::string name;
  std::string description;  ///< a sentence for people
  Vec3<double> gravity{0, 0, -9.81};
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  std::vector<LegDescription> legs;
  std::vector<SpringDescription> springs;
  std::map<std::string, double> coefficients;  ///< friction coefficients by name
  std::optional<PlatformDescription> platform;
  bool lock_idle = true;
  std::optional<double>
      closure_tolerance;            ///< [m] how far the geometry may miss one whose loops fit; 0: it is meant as it is
  std::vector<std::string> merged;  ///< what merge_massless replaced, in words
  std::vector<WeldedBody> welded;   ///< what merge_fixed replaced

  const BodyDescription* body(const std::string& wanted) const;
  const JointDescription* joint(const std::string& wanted) const;
};

/// "leg1.drive", "leg1.ball.rx": the name of a joint's k-th coordinate.
std::string coordinate_name(const JointDescription& joint, std::size_t k);

}  // namespace gough
