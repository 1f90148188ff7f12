#include "robot_tables.hpp"

#include "gough/model/build.hpp"

#include <cmath>
#include <numbers>

namespace gough::io {
namespace {

using namespace dimension;

std::vector<std::string> words(std::span<const std::string_view> all) { return {all.begin(), all.end()}; }

/// [Ixx, Iyy, Izz] or a map of tensor elements.
struct InertiaReader {
  Mat3<double> read(const Node& node) const {
    Mat3<double> J = Mat3<double>::Zero();
    if (node.is_list()) {
      J.diagonal() = Vector3{inertia}.read(node);
      return J;
    }
    if (!node.is_map())
      node.fail(node.shown(), "[Ixx, Iyy, Izz] or {ixx: .., iyy: .., izz: .., ixy: .., ixz: .., iyz: ..}");
    for (const auto& [key, value] : node.entries()) {
      const auto found = std::find(names.begin(), names.end(), key);
      if (found == names.end()) unknown_key(value, key, "an inertia", names);
      const auto [r, c] = places[static_cast<std::size_t>(found - names.begin())];
      J(r, c) = J(c, r) = Number{inertia}.read(value);
    }
    return J;
  }
  json schema() const {
    json properties;
    for (const auto& n : names) properties[n] = Number{inertia}.schema();
    return {{"oneOf",
             {Vector3{inertia}.schema(),
              {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}}}};
  }
  static inline const std::vector<std::string> names = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static constexpr std::array<std::pair<int, int>, 6> places = {{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
};

/// A number, or the name of a shared coefficient.
struct CoefficientReader {
  FileCoefficient read(const Node& node) const {
    if (!node.is_scalar()) node.fail(node.shown(), "a number or the name of a coefficient");
    const std::string& text = node.text();
    if (!text.empty() &&
        (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '.' || text[0] == '+' || text[0] == '-'))
      return {AnyNumber{}.read(node), "", node.where()};
    check_name(node, text);
    return {std::nullopt, text, node.where()};
  }
  json schema() const { return AnyNumber{}.schema(); }
};

/// {viscous: c, coulomb: c, functions: {name: c}}
struct FrictionReader {
  FileFriction read(const Node& node) const {
    FileFriction friction;
    if (!node.is_map()) node.fail(node.shown(), "{viscous: .., coulomb: .., functions: {NAME: ..}}");
    for (const auto& [key, value] : node.entries()) {
      if (key == "viscous" || key == "coulomb") friction.terms.emplace_back(key, CoefficientReader{}.read(value));
      else if (key == "functions")
        for (const auto& term : MapOf<CoefficientReader>{{}, 20}.read(value)) friction.terms.push_back(term);
      else unknown_key(value, key, "friction", {"viscous", "coulomb", "functions"});
    }
    return friction;
  }
  json schema() const {
    const json c = CoefficientReader{}.schema();
    return {{"type", "object"},
            {"properties", {{"viscous", c}, {"coulomb", c}, {"functions", MapOf<CoefficientReader>{}.schema()}}},
            {"additionalProperties", false}};
  }
};

struct PairReader {
  std::vector<AnyValue> read(const Node& node) const {
    if (!node.is_list() || node.size() != 2)
      node.fail(node.is_list() ? fmt::format("a list of {}", node.size()) : node.shown(), "[lower, upper]");
    return ListOf<AnyNumber>{}.read(node);
  }
  json schema() const { return {{"type", "array"}, {"items", AnyNumber{}.schema()}, {"minItems", 2}, {"maxItems", 2}}; }
};

struct PolarReader {
  std::vector<AnyValue> read(const Node& node) const {
    if (!node.is_list() || node.size() != 3)
      node.fail(node.is_list() ? fmt::format("a list of {}", node.size()) : node.shown(), "[radius, azimuth, height]");
    const auto values = ListOf<AnyNumber>{}.read(node);
    values[0].as(dimension::length);
    values[1].as(angle);
    values[2].as(dimension::length);
    return values;
  }
  json schema() const { return {{"type", "array"}, {"items", AnyNumber{}.schema()}, {"minItems", 3}, {"maxItems", 3}}; }
};

const KeyTable<FileLimits>& limits_table() {
  static const KeyTable<FileLimits> table{
      "limits",
      {field("position", &FileLimits::position, PairReader{}, "lowest and highest position [m or rad]"),
       field("velocity", &FileLimits::velocity, AnyNumber{}, "largest speed [m/s or rad/s]"),
       field("acceleration", &FileLimits::acceleration, AnyNumber{}, "largest acceleration [m/s^2 or rad/s^2]"),
       field("force", &FileLimits::force, AnyNumber{}, "largest force or torque at the joint [N or N m]")},
      "limits"};
  return table;
}

/// [lower, upper] or the map of limits_table.
struct LimitsReader {
  FileLimits read(const Node& node) const {
    if (!node.is_list()) return Object<FileLimits>{limits_table}.read(node);
    FileLimits limits;
    limits.position = PairReader{}.read(node);
    return limits;
  }
  json schema() const { return {{"oneOf", {PairReader{}.schema(), Object<FileLimits>{limits_table}.schema()}}}; }
};

const KeyTable<FileFrame>& frame_table() {
  static const KeyTable<FileFrame> table{
      "a frame",
      {field("xyz", &FileFrame::xyz, Vector3{length}, "position [m]"),
       field("rpy", &FileFrame::rpy, Vector3{angle}, "roll, pitch, yaw about fixed x, y, z [rad]"),
       field("polar", &FileFrame::polar, PolarReader{},
             "[radius, azimuth, height]: a place on a circle about z; without rpy the frame turns with the azimuth, "
             "its x "
             "axis pointing outwards")},
      "frame"};
  return table;
}

const KeyTable<FileDh>& dh_table() {
  static const KeyTable<FileDh> table{"modified Denavit-Hartenberg parameters",
                                      {field("a", &FileDh::a, Number{length}, "along the previous x [m]"),
                                       field("alpha", &FileDh::alpha, Number{angle}, "about the previous x [rad]"),
                                       field("d", &FileDh::d, Number{length}, "along the joint's z [m]"),
                                       field("theta", &FileDh::theta, Number{angle}, "about the joint's z [rad]")},
                                      "dh"};
  return table;
}

const KeyTable<FilePoint>& point_table() {
  static const KeyTable<FilePoint> table{
      "a point mass",
      {field("mass", &FilePoint::mass, Number{mass}, "mass [kg]", true),
       field("xyz", &FilePoint::xyz, Vector3{length}, "position in the body [m]", true)},
      "point"};
  return table;
}

/// A beam, or the pieces of one.
struct BeamPieces {
  ListOf<Object<FileBeam>> list{{beam_table}, most_beam_parts, true};
  std::vector<FileBeam> read(const Node& node) const {
    if (node.is_list() && node.size() == 0) node.fail("an empty list", "a beam, or the pieces of one");
    return list.read(node);
  }
  json schema() const { return list.schema(); }
};

const KeyTable<FileBody>& body_table() {
  static const KeyTable<FileBody> table{
      "a body",
      {field("mass", &FileBody::mass, Number{mass}, "mass [kg]; 0 if left out"),
       field("com", &FileBody::com, Vector3{length}, "centre of mass in the body's frame [m]"),
       field("inertia", &FileBody::inertia, InertiaReader{}, "about the centre of mass, in body axes [kg m^2]"),
       field("rod", &FileBody::rod, Vector3{length},
             "instead of com and inertia: a uniform thin rod from the body's origin to this point [m]"),
       field("points", &FileBody::points, ListOf<Object<FilePoint>>{{point_table}, 100},
             "point masses fixed to the body, added to the above"),
       field("beam", &FileBody::beam, BeamPieces{},
             "a beam whose mass is added to the above; a list: piece after piece, of different sections"),
       field("symmetric", &FileBody::symmetric, ListOf<Choice>{{words(inertia_entry_names)}, 9},
             "the inertia entries and first moments, about the body's origin, that may be non-zero")},
      "body"};
  return table;
}

const KeyTable<FileCoordinate>& coordinate_table() {
  using C = FileCoordinate;
  static const KeyTable<C> table{
      "a coordinate",
      {field("role", &C::role, ListOf<Choice>{{{"passive", "actuated", "elastic", "locked"}}, 2, true},
             "passive (default), actuated, elastic, [actuated, elastic] or locked"),
       field("home", &C::home, AnyNumber{}, "position at home, held when the robot is assembled [m or rad]"),
       field("guess", &C::guess, AnyNumber{}, "position from which the assembly starts [m or rad]"),
       field("stiffness", &C::stiffness, AnyNumber{}, "of a spring in the joint [N/m or N m/rad]"),
       field("damping", &C::damping, AnyNumber{}, "of a damper in the joint [N s/m or N m s/rad]"),
       field("rest", &C::rest, AnyNumber{}, "position at which the spring is relaxed [m or rad]"),
       field("friction", &C::friction, FrictionReader{},
             "friction terms, each a number or the name of a shared coefficient"),
       field("rotor", &C::rotor, Number{inertia}, "moment of inertia of the motor, at the motor's side [kg m^2]"),
       field("gear", &C::gear, Number{none}, "motor turns per joint turn"),
       field("screw", &C::screw, AnyNumber{}, "lead: travel per motor turn [m]"),
       field("limits", &C::limits, LimitsReader{}, "[lower, upper], or position, velocity, acceleration, force")},
      "coordinate"};
  return table;
}

/// A joint's own keys, and those of its coordinates: what is said of the joint holds for all of them.
const KeyTable<FileJoint>& joint_table() {
  static const KeyTable<FileJoint> table = [] {
    KeyTable<FileJoint> t{
        "a joint",
        {field("type", &FileJoint::type, Choice{words(joint_kind_names)}, "what the joint lets free", true),
         field("parent", &FileJoint::parent, Text{},
               "the body it starts from; `base` and `platform` are known everywhere", true),
         field("child", &FileJoint::child, Text{}, "the body it carries", true),
         field("origin", &FileJoint::origin, Object<FileFrame>{frame_table}, "the joint's frame in the parent"),
         field("child_origin", &FileJoint::child_origin, Object<FileFrame>{frame_table},
               "the joint's frame in the child; left out: the child's own frame"),
         field("dh", &FileJoint::dh, Object<FileDh>{dh_table},
               "modified Denavit-Hartenberg parameters instead of origin"),
         field("axis", &FileJoint::axis, Vector3{none}, "axis in the joint's frame; [0, 0, 1] if left out"),
         field("axis2", &FileJoint::axis2, Vector3{none}, "second axis of a universal joint, fixed in the child"),
         field("length", &FileJoint::length, Number{length}, "of a distance joint [m]"),
         field("cut", &FileJoint::cut, Boolean{}, "true: this joint closes its loop; false: it stays in the tree"),
         field(
             "coordinates", &FileJoint::coordinates, ListOf<Object<FileCoordinate>>{{coordinate_table}, 6},
             "one entry for each coordinate of a joint with several; what is said of the joint itself holds for all")},
        "joint"};
    for (const Field<FileCoordinate>& f : coordinate_table().fields)
      t.fields.push_back({f.key, f.help, f.required, f.read, f.schema});
    return t;
  }();
  return table;
}

const KeyTable<FilePlacement>& placement_table() {
  static const KeyTable<FilePlacement> table{
      "a placement",
      {field("name", &FilePlacement::name, Name{}, "of the leg; leg1, leg2, ... if left out"),
       field("base", &FilePlacement::base, Object<FileFrame>{frame_table}, "frame of the leg in the base"),
       field("platform", &FilePlacement::platform, Object<FileFrame>{frame_table},
             "frame of the leg's end in the platform's body"),
       field("bodies", &FilePlacement::bodies, MapOf<Object<FileBody>>{{body_table}, 100},
             "bodies of this leg that differ from the template's"),
       field("friction", &FilePlacement::friction, MapOf<AnyNumber>{{}, 100},
             "friction coefficients of this leg, by name"),
       field("home", &FilePlacement::home, MapOf<AnyNumber>{{}, 100}, "home positions of this leg's joints"),
       field("guess", &FilePlacement::guess, MapOf<AnyNumber>{{}, 100}, "start positions of this leg's joints")},
      "placement"};
  return table;
}

const KeyTable<FileLegs>& legs_table() {
  static const KeyTable<FileLegs> table{
      "legs",
      {field("bodies", &FileLegs::bodies, MapOf<Object<FileBody>>{{body_table}, 100}, "bodies of one leg"),
       field("joints", &FileLegs::joints, MapOf<Object<FileJoint>>{{joint_table}, 100},
             "joints of one leg; `base` and `platform` mean the placement's frames", true),
       field("placements", &FileLegs::placements, ListOf<Object<FilePlacement>>{{placement_table}, most_legs},
             "where each leg stands", true)},
      "legs"};
  return table;
}

/// {x: [lower, upper], ...}
struct PoseLimitsReader {
  std::vector<std::pair<std::string, std::vector<AnyValue>>> read(const Node& node) const {
    if (node.is_map())
      for (const auto& [key, value] : node.entries())
        if (std::find(pose_names.begin(), pose_names.end(), key) == pose_names.end())
          unknown_key(value, key, "the platform's limits", words(pose_names));
    return MapOf<PairReader>{{}, 6}.read(node);
  }
  json schema() const {
    json properties;
    for (const auto& n : pose_names) properties[std::string(n)] = PairReader{}.schema();
    return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  }
};

const KeyTable<FilePlatform>& platform_table() {
  static const KeyTable<FilePlatform> table{
      "a platform",
      {field("body", &FilePlatform::body, Text{}, "the body that is the platform", true),
       field("frame", &FilePlatform::frame, Object<FileFrame>{frame_table}, "the platform's frame in that body"),
       field("tool", &FilePlatform::tool, Object<FileFrame>{frame_table}, "the tool's frame in the platform's frame"),
       field("coordinates", &FilePlatform::coordinates, ListOf<Choice>{{words(pose_names)}, 6},
             "those that describe its task, e.g. [z, rx, ry]; all six if left out"),
       field("limits", &FilePlatform::limits, PoseLimitsReader{}, "[lower, upper] for x, y, z, rx, ry, rz")},
      "platform"};
  return table;
}

/// [x, y, z, rx, ry, rz] or a map with some of them.
struct PoseReader {
  NamedNumbers read(const Node& node) const {
    if (!node.is_list()) return MapOf<AnyNumber>{{}, 6}.read(node);
    if (node.size() != 6) node.fail(fmt::format("a list of {}", node.size()), "[x, y, z, rx, ry, rz]");
    NamedNumbers pose;
    for (std::size_t i = 0; i < 6; ++i) pose.emplace_back(pose_names[i], AnyNumber{}.read(node.item(i)));
    return pose;
  }
  json schema() const {
    json properties;
    for (const auto& n : pose_names) properties[std::string(n)] = AnyNumber{}.schema();
    return {{"oneOf",
             {{{"type", "array"}, {"items", AnyNumber{}.schema()}, {"minItems", 6}, {"maxItems", 6}},
              {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}}}};
  }
};

const KeyTable<FileHome>& home_table() {
  static const KeyTable<FileHome> table{
      "a home",
      {field("platform", &FileHome::platform, PoseReader{}, "[x, y, z, rx, ry, rz], or those that are given [m, rad]"),
       field("joints", &FileHome::joints, MapOf<AnyNumber>{}, "positions by coordinate name, held when assembling"),
       field("guess", &FileHome::guess, MapOf<AnyNumber>{}, "positions by coordinate name from which assembly starts")},
      "home"};
  return table;
}

const KeyTable<FileSpring>& spring_table() {
  static const KeyTable<FileSpring> table{
      "a spring",
      {field("between", &FileSpring::between, ListOf<Text>{{}, 2}, "[body, body]", true),
       field("from", &FileSpring::from, Vector3{length}, "its end on the first body [m]"),
       field("to", &FileSpring::to, Vector3{length}, "its end on the second body [m]"),
       field("stiffness", &FileSpring::stiffness, Number{force_per_length}, "[N/m]"),
       field("damping", &FileSpring::damping, Number{force_per_speed}, "[N s/m]"),
       field("length", &FileSpring::length, Number{length}, "free length [m]")},
      "spring"};
  return table;
}

}  // namespace

const KeyTable<FileRobot>& robot_table() {
  static const KeyTable<FileRobot> table{
      "a robot file",
      {field("robot", &FileRobot::robot, Name{}, "the robot's name", true),
       field("description", &FileRobot::description, Text{}, "a sentence for people"),
       field("gravity", &FileRobot::gravity, Vector3{acceleration}, "[m/s^2]; [0, 0, -9.81] if left out"),
       field("materials", &FileRobot::materials, MapOf<Object<FileMaterial>>{{material_table}, 100},
             "materials of beams by name"),
       field("bodies", &FileRobot::bodies, MapOf<Object<FileBody>>{{body_table}},
             "moving bodies by name; `base` is there"),
       field("joints", &FileRobot::joints, MapOf<Object<FileJoint>>{{joint_table}}, "joints by name"),
       field("legs", &FileRobot::legs, Object<FileLegs>{legs_table}, "one leg and where it is placed"),
       field("platform", &FileRobot::platform, Object<FilePlatform>{platform_table},
             "the body whose motion is the task"),
       field("home", &FileRobot::home, Object<FileHome>{home_table}, "the pose in which the robot starts"),
       field("springs", &FileRobot::springs, MapOf<Object<FileSpring>>{{spring_table}, 500},
             "springs between points of two bodies"),
       field("friction", &FileRobot::friction, MapOf<AnyNumber>{{}, 500}, "friction coefficients shared by name"),
       field("lock_idle", &FileRobot::lock_idle, Boolean{}, "false: keep motions that move nothing else"),
       field("closure_tolerance", &FileRobot::closure_tolerance, Number{length},
             "how far the geometry may miss one whose loops fit [m]; 1e-9 of the robot's length if left out; 0: it is "
             "meant as it is")},
      "robot"};
  return table;
}

json robot_definitions() {
  json all;
  const auto add = [&](const auto& object) { all[object.table().name] = object.definition(); };
  add(Object<FileBeam>{beam_table});
  add(Object<FileBody>{body_table});
  add(Object<FileCoordinate>{coordinate_table});
  add(Object<FileDh>{dh_table});
  add(Object<FileFrame>{frame_table});
  add(Object<FileHome>{home_table});
  add(Object<FileJoint>{joint_table});
  add(Object<FileLegs>{legs_table});
  add(Object<FileLimits>{limits_table});
  add(Object<FileMaterial>{material_table});
  add(Object<FilePlacement>{placement_table});
  add(Object<FilePlatform>{platform_table});
  add(Object<FilePoint>{point_table});
  add(Object<FileSection>{section_table});
  add(Object<FileSpring>{spring_table});
  return all;
}

Transform<double> FileFrame::pose() const {
  if (polar && xyz) throw Error(where, "read polar and xyz, expected one of them");
  Transform<double> X;
  if (polar) {
    const double radius = (*polar)[0].quantity.value, azimuth = (*polar)[1].quantity.value;
    X.R = rotation_from_rpy({0, 0, azimuth});
    X.p = X.R * Vec3<double>(radius, 0, 0) + Vec3<double>(0, 0, (*polar)[2].quantity.value);
  }
  if (xyz) X.p = *xyz;
  if (rpy) X.R = rotation_from_rpy(*rpy);
  return X;
}

}  // namespace gough::io
