#pragma once
/// A mechanism whose beams bend: nodes, elements, and the joints as rows.                  docs/theory/flexible.md
///
/// A rigid body is one node, at its frame's origin; a beam has one at each end of its elements, the first of which (`from`)
/// carries the body's frame. Coordinates are displacements and turns of nodes against the rigid motion, in elastic axes that
/// turn with their body's rigid motion: then M is constant. In a plane a node has x, y and the turn about the plane's normal.
///   M U'' + C U' + K U + J^T lambda = P,   J U = 0                                                               (F1)
/// J holds the joints, actuators included: those keep to the rigid motion, and -lambda of their rows is what drives them.
#include <string>
#include <vector>

#include "gough/dynamics/along.hpp"
#include "gough/flexible/beam_element.hpp"
#include "gough/model/workspace.hpp"

namespace gough {

/// In a plane where mechanism and loads are, or as asked.
enum class FlexSpace { automatic, planar, spatial };
inline constexpr std::array<std::string_view, 3> flex_space_names = {"automatic", "planar", "spatial"};

/// A place on a body whose displacement is told; there is a node at each that lies along a beam.
struct FlexPoint {
  std::string name;
  int body = 0;
  Vec3<double> at = Vec3<double>::Zero();  ///< in the tree's body frame
};

/// What acts beside inertia and weight, as far as the model must know of it.
struct FlexLoads {
  std::vector<PointLoad> points;  ///< there is a node at each that lies along a beam
  bool across = false;            ///< a wrench on the platform leaves the plane of x and y
  std::vector<FlexPoint> watched = {};
};

/// Somewhere on a body: a node and an arm from it, elastic axes.
struct Held {
  int node = -1;  ///< -1: the base
  Vec3<double> arm = Vec3<double>::Zero();
};

struct FlexNode {
  int body = 0;
  Vec3<double> r = Vec3<double>::Zero();  ///< from the body frame's origin, elastic axes
  int first = 0;                          ///< of its coordinates
};

struct FlexElement {
  int body = 0, beam = 0;                               ///< tree body; into Structure::beam
  int piece = 0;                                        ///< of that beam
  int a = 0, b = 0;                                     ///< nodes
  BeamDescription section;                              ///< z across the plane, where there is one
  BeamElement e;                                        ///< in elastic axes
  Mat3<double> section_inertia = Mat3<double>::Zero();  ///< of rotation, per length, elastic axes
  MatX<double> turned;                                  ///< its coordinates in elastic axes from those in its own
  Vec3<double> along = Vec3<double>::UnitX();           ///< elastic axes
  std::vector<int> coordinate;

  /// Its coordinates among all.
  VecX<double> of(const VecX<double>& U) const { return U(coordinate); }
};

/// Mass that moves with a node: a rigid body, what a beam carries, a point.
struct Lump {
  int node = 0;
  double mass = 0;
  Vec3<double> c = Vec3<double>::Zero();        ///< its centre from the node
  Mat3<double> inertia = Mat3<double>::Zero();  ///< about its centre
};

/// A joint of the tree (index into it) or a cut one (into Structure::cut), between nodes of two bodies; -1: the base. On the
/// side of a guide the node is the one at the joint's own origin; a beam that slides in a guide is held at its clamped end.
struct FlexJoint {
  bool is_cut = false;
  int index = 0;
  int a = -1, b = -1;
  bool slides = false;  ///< its force keeps its direction against a, and its point moves with b
  bool turns = false;   ///< so does its moment
  bool rod = false;     ///< its force runs from one point to the other
};

/// What a joint passes on in rigid dynamics, base axes.
struct JointLoad {
  Vec3<double> at_a = Vec3<double>::Zero(), at_b = Vec3<double>::Zero();     ///< where; the same point but for rods
  Vec3<double> force = Vec3<double>::Zero(), moment = Vec3<double>::Zero();  ///< on b, about at_b
};

struct FlexRow {
  int joint = 0;  ///< into FlexibleModel::joint
  int k =
      0;  ///< of a tree joint: 0 to 2 displacement along, 3 to 5 turn about its fixed frame's axes; of a cut: its row
  int actuator = -1;
};

struct FlexibleModel {
  bool planar = false;
  std::vector<Mat3<double>> axes;  ///< per tree body: elastic axes in its frame, as columns
  std::vector<FlexNode> node;
  std::vector<FlexElement> element;
  std::vector<Lump> lump;
  std::vector<FlexJoint> joint;
  std::vector<FlexRow> row;                ///< independent ones
  std::vector<int> actuator_row;           ///< per actuator
  std::vector<std::vector<int>> nodes_of;  ///< per tree body, from its clamped end outwards
  Held platform;                           ///< its frame's origin
  int size = 0;                            ///< coordinates

  int per_node() const { return planar ? 3 : 6; }
  int rows() const { return static_cast<int>(row.size()); }
  /// The node nearest to a point of a body (its frame), and the arm from there.
  Held hold(int body, const Vec3<double>& point) const;
};

/// Elements end where the file says, and also at joints, masses and loads along the beam. Throws Error where beams cannot bend
/// as described: planar asked for and not there, a carriage on a beam, elastic joints or springs beside beams, no beam at all.
FlexibleModel flexible_model(const Mechanism<double>& m, FlexSpace space = FlexSpace::automatic,
                             const FlexLoads& loads = {});

/// The rigid motion of a body in its elastic axes; `a` is of its frame's origin, less gravity.
struct ElasticAxes {
  Mat3<double> R = Mat3<double>::Identity();
  Vec3<double> p = Vec3<double>::Zero(), w = Vec3<double>::Zero(), dw = Vec3<double>::Zero(), a = Vec3<double>::Zero();
};

/// What acts at one time, from rigid dynamics.
struct RigidState {
  std::vector<ElasticAxes> body;
  std::vector<JointLoad> joint;    ///< per FlexibleModel::joint
  std::vector<Force<double>> row;  ///< per FlexibleModel::row: unit wrench on b about the base's origin
  Force<double> wrench;            ///< on the platform at its origin, base axes
};
/// Reads X0, V, A, cut_wrench, as inverse dynamics left them.
RigidState rigid_state(const Mechanism<double>& m, const FlexibleModel& f, const Workspace<double>& w,
                       const Reactions& reactions, const Force<double>& wrench);

}  // namespace gough
