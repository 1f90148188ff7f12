#pragma once
/// The mechanism: a tree of bodies, the cut joints that close its loops, and their parameters. Immutable after loading,
/// shared by threads; everything computed lives in a Workspace (workspace.hpp).
///
/// Body j is carried by tree joint j: its frame is that joint's moving frame, its parent comes before it, and the base
/// is -1. `Structure` holds what is never differentiated or traced (topology, names, roles); `Mechanism<S>` adds the
/// parameters in the scalar S, so that they too can be dual numbers or traced variables.
#include <string>
#include <vector>

#include "gough/model/description.hpp"
#include "gough/model/joint.hpp"
#include "gough/model/leg_form.hpp"
#include "gough/model/modal.hpp"
#include "gough/scalar/dual.hpp"
#include "gough/spatial/spatial.hpp"

namespace gough {

inline constexpr int base = -1;

struct TreeJoint {
  Elementary type = Elementary::revolute;
  int q = 0;              ///< its first position coordinate
  int v = 0;              ///< its first velocity coordinate
  bool reversed = false;  ///< walked from the joint's child to its parent: turns and poses are those of the parent
  int modal = -1;         ///< of a modal joint: which of Structure::modal
  int modes = 0;
};

constexpr int position_size(const TreeJoint& j) {
  return j.type == Elementary::modal ? j.modes : position_size(j.type);
}
constexpr int velocity_size(const TreeJoint& j) {
  return j.type == Elementary::modal ? j.modes : velocity_size(j.type);
}
/// The first coordinates of a joint are numbers of their own, one in q for one in v; then come turns as a quaternion, where it has
/// them.
constexpr bool has_turns(const TreeJoint& j) { return j.type == Elementary::spherical || j.type == Elementary::free; }
constexpr int single_coordinates(const TreeJoint& j) { return velocity_size(j) - (has_turns(j) ? 3 : 0); }

/// A cut joint: frame B on body b must keep to frame A on body a.
struct CutJoint {
  struct Step {
    int body;
    int sign;  ///< +1 on b's side, -1 on a's
  };
  std::string name;
  JointKind kind = JointKind::spherical;
  int a = base, b = base;
  int first_row = 0;
  int first_coordinate = 0;  ///< of its free coordinates in Structure::coordinate
  std::vector<CutRow> rows;
  std::vector<Step> path;  ///< the tree joints that move B against A; common ancestors are left out
};

struct FrictionUse {
  std::string function;
  int coefficient;  ///< index into Mechanism::coefficient
};

/// A free coordinate of a joint: the tree's first (in velocity order), then those of the cut joints.
struct Coordinate {
  std::string name;
  std::string joint;
  bool is_length = false;
  bool actuated = false;
  bool elastic = false;
  bool has_drive = false;
  Range position;
  double velocity = 0, acceleration = 0, force = 0;  ///< limits; infinite where none is given
  std::vector<FrictionUse> friction;
};

/// A leg: the bodies of one branch between base and platform, contiguous in body, coordinate and row order.
struct Leg {
  std::string name;
  int first_body = 0, bodies = 0;
  int first_v = 0, coordinates = 0;
  std::vector<int> cuts;
  int rank = 0;  ///< of its joints' columns in its cut joints' rows, at a general pose; set after assembly
};

struct PlatformStructure {
  int body = base;
  bool floats = false;  ///< carried by a free joint, every leg cut where it meets the platform
  PoseMask coordinates{};
  std::array<Range, 6> limits;

  bool exists() const { return body != base; }
  int task_size() const {
    int n = 0;
    for (const bool c : coordinates) n += c ? 1 : 0;
    return n;
  }
};

struct SpringStructure {
  std::string name;
  int a = base, b = base;
};

/// A body that bends, with what its author says of it; here it is rigid.
struct BeamBody {
  int body = base;
  BodyDescription description;
};

/// A body that is fixed to another one and was made part of it.
struct WeldedPart {
  std::string name;
  int body = base;          ///< which it is part of
  Transform<double> frame;  ///< the author's, in that body's frame
  Inertia<double> inertia;  ///< its own, in the author's frame
};

/// A specialised way to compute what general kernels compute, and whether it has earned its use (dynamics/fast_paths.hpp).
namespace fast_paths {
inline constexpr std::string_view closed_form_legs = "closed_form_legs", leg_wise = "leg_wise", lanes = "lanes",
                                  struts = "struts", five_bar = "five_bar";
}
struct FastPath {
  std::string name;
  bool used = false;
  std::string why;       ///< why it is not used
  bool refused = false;  ///< the robot is of its kind, but it does not compute what the general kernels do
};

/// Where a joint turns: a point that stands still on a body.
struct JointCentre {
  int body = base;
  Vec3<double> point = Vec3<double>::Zero();  ///< in its frame
};

/// What holds at a general position near home and not only at home; found when a robot is prepared (kinematics/singularity.hpp).
struct GeneralFacts {
  std::vector<JointCentre> centre;  ///< of the joints by which lengths are measured
  int loops = 0;                    ///< rank of the loops, without a platform
  int task_held = 0;                ///< rank of the loops with the platform's task standing
  bool besides_task = false;        ///< the platform moves in ways that are no task, too
  std::vector<int> leg, chain;      ///< ranks of legs and chains, in the order of the joint graph
  std::vector<int> constraint;      ///< ranks of what the constraint index is made of, in its order
};

struct Structure {
  Structure();
  Structure(const Structure&);
  Structure(Structure&&) noexcept;
  Structure& operator=(const Structure&);
  Structure& operator=(Structure&&) noexcept;
  ~Structure();

  std::string name;
  std::vector<std::string> body_name;
  std::vector<bool> hidden;             ///< a massless body between the elementary joints of one joint
  std::vector<bool> has_inertia;        ///< false: all ten parameters are zero
  std::vector<InertiaEntries> entries;  ///< entries that may be non-zero, about the author's body frame
  std::vector<int> parent;
  std::vector<TreeJoint> joint;
  std::vector<CutJoint> cut;
  std::vector<Coordinate> coordinate;
  std::vector<std::string> coefficient_name;
  std::vector<int> actuator;  ///< velocity coordinates that are actuated, in the order of the file
  std::vector<int> elastic;   ///< velocity coordinates that are elastic
  std::vector<Leg> leg;
  std::vector<LegForm> leg_form;  ///< per leg: the closed form that solves it, recognised after assembly
  std::vector<SpringStructure> spring;
  std::vector<WeldedPart> welded;  ///< bodies that fixed joints made part of others, of the base too
  std::vector<BeamBody> beam;
  std::vector<std::shared_ptr<const ModalBody>> modal;  ///< bodies that bend with the robot's motion
  std::vector<FastPath> fast_path;  ///< set when a robot is prepared; what is not listed is not used
  PlatformStructure platform;
  std::vector<std::string> idle;          ///< motions that move nothing else; locked unless the file says otherwise
  int idle_free = 0;                      ///< how many of them are left free
  std::vector<std::string> locked_balls;  ///< joints that were balls before their idle spin was locked
  std::vector<std::string> merged;        ///< massless bodies that became part of a composite joint
  double closure_gap = 0;  ///< [m] how far joints' frames were moved so that the loops fit (consistent_geometry.hpp)
  std::string closure_gap_joint;  ///< which one most
  int nq = 0, nv = 0, equations = 0;
  int rank = 0;  ///< of the loop equations at a general pose near home; set after assembly
  int loops = 0;
  double size = 1;  ///< [m] the longest offset of a joint or a centre of mass in its body
  double length_unit =
      1;  ///< [m] 1, 1e3, 1e-3, 1e-6, ..: what is nearest to `size`. Lengths that should vanish are measured in it
  VecX<double> row_unit;  ///< per equation: that where it is a length, 1 where it is an angle
  GeneralFacts general;

  /// Whether a fast path agreed with the general kernels when the robot was prepared.
  bool may_use(std::string_view path) const;

  /// How many free coordinates the cut joints have together.
  int cut_coordinates() const { return static_cast<int>(coordinate.size()) - nv; }
  int tree_size() const { return static_cast<int>(parent.size()); }
  /// How the body before modal joint j bends.
  const ModalBody& modal_of(std::size_t j) const { return *modal[static_cast<std::size_t>(joint[j].modal)]; }
  /// The moving bodies that the author knows of, welded ones included.
  int bodies() const;
  /// The index of a body, coordinate or actuator by name; -2 where there is none (-1 is the base). A welded body has the index of
  /// the body that it is part of.
  int find_body(std::string_view wanted) const;
  int find_coordinate(std::string_view wanted) const;
  /// The equations of a leg's cut joints.
  std::vector<int> leg_rows(const Leg& leg) const;
  /// The leg that a name begins with ("leg3.ring": the third), and the rest ("ring"), which equal parts of all legs
  /// share; -1 and the name itself: none.
  std::pair<int, std::string> in_leg(const std::string& name) const;
  /// Actuated velocity coordinates, then those that are only elastic.
  std::vector<int> driven() const;
  /// Elastic coordinates whose motion must be told when the platform's is: all, or, where the platform moves drives that are
  /// elastic themselves, those that nothing drives.
  std::vector<int> standing() const;
  /// "leg2.ball.x": an equation by name.
  std::string row_name(int row) const;
  /// The largest of phi without units: lengths over `length_unit`.
  double open_by(const VecX<double>& phi) const {
    return phi.size() > 0 ? phi.cwiseQuotient(row_unit).cwiseAbs().maxCoeff() : 0.0;
  }
  /// Whether an equation is a length rather than an angle.
  bool row_is_length(int row) const;
};

/// Where the home pose comes from: the start, and what the author fixed. Assembly moves the rest.
struct HomeDescription {
  struct Guess {
    int coordinate;  ///< of Structure::coordinate
    double value;
  };
  VecX<double> start;                             ///< positions, tree order
  std::vector<bool> held;                         ///< per velocity coordinate
  std::vector<double> cut_start;                  ///< free coordinates of the cut joints, in their order
  std::vector<Guess> guess;                       ///< what the author guessed
  std::array<std::optional<double>, 6> platform;  ///< given coordinates of the platform's pose
};

class ProgramSource;  // dynamics/programs.hpp

template <Scalar S>
struct Mechanism : Structure {
  Mechanism();
  Mechanism(const Mechanism&);
  Mechanism(Mechanism&&) noexcept;
  Mechanism& operator=(const Mechanism&);
  Mechanism& operator=(Mechanism&&) noexcept;
  ~Mechanism();

  std::vector<Transform<S>> placement;   ///< of joint j's fixed frame in its parent body's frame
  std::vector<Inertia<S>> inertia;       ///< about the body frame's origin
  std::vector<Transform<S>> body_frame;  ///< the author's body frame in ours
  std::vector<Transform<S>> cut_a, cut_b;
  std::vector<S> cut_length;
  std::vector<S> stiffness, damping, rest;  ///< per coordinate
  std::vector<S> rotor_inertia, ratio;      ///< per coordinate
  std::vector<S> coefficient;               ///< friction coefficients
  std::vector<Vec3<S>> spring_point_a, spring_point_b;
  std::vector<S> spring_stiffness, spring_damping, spring_length;
  Transform<S> platform_frame;  ///< in the platform's body
  Transform<S> tool_frame;      ///< in the platform's frame
  Vec3<S> gravity = Vec3<S>::Zero();
  HomeDescription home_description;
  VecX<double> home;                              ///< the assembled home position
  std::shared_ptr<const ProgramSource> programs;  ///< makes its dynamics fast; none: kernels alone

  /// The author's frame of a body, welded or not, in the frame of the body find_body gives.
  Transform<S> author_frame(std::string_view body) const;

  template <Scalar T>
  Mechanism<T> cast() const;
};

namespace detail {
template <class T, class S>
std::vector<T> cast_all(const std::vector<S>& from) {
  std::vector<T> to;
  to.reserve(from.size());
  for (const S& x : from) to.emplace_back(x);
  return to;
}
template <class T, template <class> class Value, class S>
std::vector<Value<T>> cast_values(const std::vector<Value<S>>& from) {
  std::vector<Value<T>> to;
  to.reserve(from.size());
  for (const auto& x : from) to.push_back(x.template cast<T>());
  return to;
}
}  // namespace detail

template <Scalar S>
template <Scalar T>
Mechanism<T> Mechanism<S>::cast() const {
  Mechanism<T> m;
  static_cast<Structure&>(m) = *this;
  m.placement = detail::cast_values<T, Transform>(placement);
  m.inertia = detail::cast_values<T, Inertia>(inertia);
  m.body_frame = detail::cast_values<T, Transform>(body_frame);
  m.cut_a = detail::cast_values<T, Transform>(cut_a);
  m.cut_b = detail::cast_values<T, Transform>(cut_b);
  m.cut_length = detail::cast_all<T>(cut_length);
  m.stiffness = detail::cast_all<T>(stiffness);
  m.damping = detail::cast_all<T>(damping);
  m.rest = detail::cast_all<T>(rest);
  m.rotor_inertia = detail::cast_all<T>(rotor_inertia);
  m.ratio = detail::cast_all<T>(ratio);
  m.coefficient = detail::cast_all<T>(coefficient);
  for (std::size_t i = 0; i < spring.size(); ++i) {
    m.spring_point_a.push_back(spring_point_a[i].template cast<T>());
    m.spring_point_b.push_back(spring_point_b[i].template cast<T>());
  }
  m.spring_stiffness = detail::cast_all<T>(spring_stiffness);
  m.spring_damping = detail::cast_all<T>(spring_damping);
  m.spring_length = detail::cast_all<T>(spring_length);
  m.platform_frame = platform_frame.template cast<T>();
  m.tool_frame = tool_frame.template cast<T>();
  m.gravity = gravity.template cast<T>();
  m.home_description = home_description;
  m.home = home;
  return m;
}

template <Scalar S>
Transform<S> Mechanism<S>::author_frame(std::string_view body) const {
  for (const WeldedPart& part : welded)
    if (part.name == body) return part.frame.template cast<S>();
  const int j = find_body(body);
  return j < 0 ? Transform<S>() : body_frame[static_cast<std::size_t>(j)];
}

template <Scalar S>
Mechanism<S>::Mechanism() = default;
template <Scalar S>
Mechanism<S>::Mechanism(const Mechanism&) = default;
template <Scalar S>
Mechanism<S>::Mechanism(Mechanism&&) noexcept = default;
template <Scalar S>
Mechanism<S>& Mechanism<S>::operator=(const Mechanism&) = default;
template <Scalar S>
Mechanism<S>& Mechanism<S>::operator=(Mechanism&&) noexcept = default;
template <Scalar S>
Mechanism<S>::~Mechanism() = default;

// compiled once, in src/model/mechanism.cpp
extern template struct Mechanism<double>;
extern template struct Mechanism<Dual<double>>;
extern template Mechanism<Dual<double>> Mechanism<double>::cast() const;

}  // namespace gough
