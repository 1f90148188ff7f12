#include "gough/io/robot_file.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gough/model/build.hpp"
#include "robot_tables.hpp"
#include "settings.hpp"

namespace gough {
namespace {

using namespace io;

/// Turns the file's tables into a description: resolves names, applies units by joint kind, places the legs.
class Expander {
 public:
  explicit Expander(const FileRobot& file) : file_(file) {
    robot_.where = file.where;
    robot_.name = file.robot;
    robot_.description = file.description;
    robot_.gravity = file.gravity;
    robot_.lock_idle = file.lock_idle;
    robot_.closure_tolerance = file.closure_tolerance;
    for (const auto& [name, value] : file.friction) shared_.emplace(name, value);
  }

  RobotDescription run() {
    check_materials(file_.materials);
    for (const auto& [name, body] : file_.bodies) add_body(name, body);
    for (const auto& [name, joint] : file_.joints) add_joint(name, joint, nullptr);
    if (file_.legs) add_legs(*file_.legs);
    if (file_.platform) add_platform(*file_.platform);
    add_home(file_.home);
    for (const auto& [name, spring] : file_.springs) add_spring(name, spring);
    return robot_;
  }

 private:
  /// While a leg is placed: its prefix and frames.
  struct Placing {
    const FileLegs& legs;
    const FilePlacement& placement;
    std::string name;
    Transform<double> base, platform;

    bool has_body(const std::string& body) const {
      return std::any_of(legs.bodies.begin(), legs.bodies.end(), [&](const auto& b) { return b.first == body; });
    }
  };

  std::string platform_body() const { return file_.platform ? file_.platform->body : "platform"; }

  void add_body(const std::string& name, const FileBody& body) {
    BodyDescription b;
    b.where = body.where;
    b.name = name;
    b.mass = body.mass;
    b.com = body.com.value_or(Vec3<double>::Zero());
    b.inertia = body.inertia.value_or(Mat3<double>::Zero());
    if (body.rod) {
      if (body.com || body.inertia)
        throw Error(body.where, fmt::format("body '{}': read rod with com or inertia, expected rod alone", name));
      b.com = *body.rod / 2;
      b.inertia = steiner<double>(*body.rod, *body.rod) * (body.mass / 12);
    }
    for (const FilePoint& p : body.points) b.points.emplace_back(p.mass, p.xyz);
    b.beam = describe_beam(body.beam, file_.materials);
    if (body.symmetric) {
      b.symmetric = InertiaEntries{};
      for (const std::size_t i : *body.symmetric) (*b.symmetric)[i] = true;
    }
    robot_.bodies.push_back(b);
  }

  void add_joint(const std::string& name, const FileJoint& file, const Placing* leg) {
    JointDescription j;
    j.where = file.where;
    j.name = leg != nullptr ? leg->name + "." + name : name;
    j.kind = static_cast<JointKind>(file.type);
    j.parent = body_name(file.parent, leg);
    j.child = body_name(file.child, leg);
    j.length = file.length;
    j.cut = file.cut;
    j.origin = place(file.parent, leg) * origin(file);
    j.child_origin = place(file.child, leg) * file.child_origin.pose();
    const Mat3<double> to_axis = axes(file);
    j.origin.R = j.origin.R * to_axis;
    j.child_origin.R = j.child_origin.R * to_axis;
    add_coordinates(file, j, leg);
    robot_.joints.push_back(j);
  }

  std::string body_name(const std::string& given, const Placing* leg) const {
    if (leg != nullptr && leg->has_body(given)) return leg->name + "." + given;
    return given == "platform" && robot_.body(given) == nullptr ? platform_body() : given;
  }

  /// In a leg, `base` and `platform` stand for the placement's frames on them, also where the platform's body or another one has that
  /// name.
  Transform<double> place(const std::string& given, const Placing* leg) const {
    if (leg == nullptr || leg->has_body(given)) return {};
    if (given == base_name) return leg->base;
    return given == "platform" || given == platform_body() ? leg->platform : Transform<double>();
  }

  static Transform<double> origin(const FileJoint& file) {
    const FileFrame& frame = file.origin;
    if (!file.dh) return frame.pose();
    if (frame.xyz || frame.rpy || frame.polar) throw Error(file.where, "read dh and origin, expected one of them");
    const FileDh& dh = *file.dh;
    Transform<double> x{rotation_from_rpy({dh.alpha, 0, 0}), {dh.a, 0, 0}};
    Transform<double> z{rotation_from_rpy({0, 0, dh.theta}), {0, 0, dh.d}};
    return x * z;
  }

  /// The rotation that takes z to the joint's axis (and x to a universal joint's second axis).
  static Mat3<double> axes(const FileJoint& file) {
    const Vec3<double> z = file.axis.value_or(Vec3<double>::UnitZ());
    const bool universal = static_cast<JointKind>(file.type) == JointKind::universal;
    if (!(z.norm() > 1e-9)) throw Error(file.where, "read an axis of length 0, expected a direction");
    if (!file.axis2) return rotation_to_axis(z);
    if (!universal) throw Error(file.where, "read axis2, expected it for a universal joint only");
    const Vec3<double> x = *file.axis2;
    if (!(x.norm() > 1e-9)) throw Error(file.where, "read an axis2 of length 0, expected a direction");
    if (std::abs(x.normalized().dot(z.normalized())) > 1e-6)
      throw Error(file.where,
                  "read axes that are not normal to each other, expected a right angle between axis and axis2");
    Mat3<double> R;
    R << x.normalized(), cross<double>(z.normalized(), x.normalized()), z.normalized();
    return R;
  }

  void add_coordinates(const FileJoint& file, JointDescription& j, const Placing* leg) {
    const auto& kinds = coordinate_kinds(j.kind);
    if (file.coordinates && file.coordinates->size() != kinds.size())
      throw Error(file.where, fmt::format("joint '{}': read {} coordinates, expected {} for a {} joint", j.name,
                                          file.coordinates->size(), kinds.size(), name(j.kind)));
    j.coordinates.resize(kinds.size());
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      apply(file, kinds[k].is_length, j, k, leg);
      if (file.coordinates) apply((*file.coordinates)[k], kinds[k].is_length, j, k, leg);
    }
  }

  void apply(const FileCoordinate& file, bool is_length, JointDescription& j, std::size_t k, const Placing* leg) {
    using namespace dimension;
    const Dimension position = is_length ? length : angle;
    CoordinateDescription& c = j.coordinates[k];
    const auto set = [](const std::optional<AnyValue>& from, const Dimension& d, auto& to) {
      if (from) to = from->as(d);
    };
    if (file.role) {
      const auto has = [&](std::size_t role) {
        return std::find(file.role->begin(), file.role->end(), role) != file.role->end();
      };
      if (j.kind == JointKind::distance && (has(1) || has(2)))
        throw Error(
            j.where,
            fmt::format(
                "joint '{}': read the role of a drive or a spring for a distance joint, expected none: it keeps a "
                "length, and what is free in it are five angles; a length that is driven is a leg of a universal, a "
                "prismatic (`role: actuated`) and a spherical joint",
                j.name));
      c.actuated = has(1);
      c.elastic = has(2);
      c.locked = has(3);
      if (has(0) && file.role->size() > 1)
        throw Error(j.where, fmt::format("joint '{}': read passive with another role, expected it alone", j.name));
    }
    set(file.home, position, c.home);
    set(file.guess, position, c.guess);
    set(file.stiffness, is_length ? force_per_length : moment, c.stiffness);
    set(file.damping, is_length ? force_per_speed : moment_per_rate, c.damping);
    set(file.rest, position, c.rest);
    if (file.rotor) c.rotor_inertia = *file.rotor;
    if (file.gear && file.screw)
      throw Error(j.where, fmt::format("joint '{}': read gear and screw, expected one of them", j.name));
    if (file.gear && is_length)
      throw Error(j.where, fmt::format("joint '{}': read gear, expected screw for a {} joint", j.name, name(j.kind)));
    if (file.screw && !is_length)
      throw Error(j.where, fmt::format("joint '{}': read screw, expected gear for a {} joint", j.name, name(j.kind)));
    if (file.gear) c.ratio = *file.gear;
    if (file.screw) {
      const double lead = file.screw->as(length);
      if (!(lead > 0))
        throw Error(file.screw->where,
                    fmt::format("joint '{}': read a screw lead of {} m, expected one above 0", j.name, lead));
      c.ratio = 2 * std::numbers::pi / lead;
    }
    c.has_drive = c.has_drive || file.gear || file.screw;
    if (file.limits.position)
      c.position = {(*file.limits.position)[0].as(position), (*file.limits.position)[1].as(position)};
    set(file.limits.velocity, is_length ? speed : rate, c.velocity);
    set(file.limits.acceleration, is_length ? acceleration : Dimension{0, 0, -2}, c.acceleration);
    set(file.limits.force, is_length ? force : moment, c.force);
    for (const auto& [function, coefficient] : file.friction.terms)
      c.friction.push_back({function, add_coefficient(function, coefficient, is_length, coordinate_name(j, k), leg)});
  }

  /// The name under which the coefficient is known: its own, the leg's, or the coordinate's for a plain number.
  std::string add_coefficient(const std::string& function, const FileCoefficient& c, bool is_length,
                              const std::string& coordinate, const Placing* leg) {
    using namespace dimension;
    const Dimension wanted =
        function == "viscous" ? (is_length ? force_per_speed : moment_per_rate) : (is_length ? force : moment);
    const bool known_function = function == "viscous" || function == "coulomb";
    const auto value = [&](const AnyValue& v) {
      const double x = known_function ? v.as(wanted) : v.quantity.value;
      if (x < 0) throw Error(v.where, fmt::format("read the friction coefficient {}, expected at least 0", v.text));
      return x;
    };
    if (c.number) {
      const std::string name = coordinate + "." + function;
      robot_.coefficients[name] = value(*c.number);
      return name;
    }
    if (leg != nullptr)
      for (const auto& [name, number] : leg->placement.friction)
        if (name == c.name) {
          robot_.coefficients[leg->name + "." + name] = value(number);
          return leg->name + "." + name;
        }
    const auto found = shared_.find(c.name);
    if (found == shared_.end()) {
      std::vector<std::string> known;
      for (const auto& entry : shared_) known.push_back(entry.first);
      const std::string near = nearest(c.name, known);
      throw Error(c.where, fmt::format("read the friction coefficient '{}', expected a number or a name listed under "
                                       "`friction`{}",
                                       c.name, near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    robot_.coefficients[c.name] = value(found->second);
    return c.name;
  }

  void add_legs(const FileLegs& legs) {
    if (legs.placements.empty()) throw Error(legs.where, "read no placements, expected at least one");
    for (std::size_t i = 0; i < legs.placements.size(); ++i) {
      const FilePlacement& p = legs.placements[i];
      const std::string name = p.name.empty() ? fmt::format("leg{}", i + 1) : p.name;
      if (std::any_of(robot_.legs.begin(), robot_.legs.end(), [&](const auto& l) { return l.name == name; }))
        throw Error(p.where, fmt::format("read the leg '{}' a second time, expected every name once", name));
      const Placing leg{legs, p, name, p.base.pose(), p.platform.pose()};
      LegDescription described{name, {}};
      for (const auto& [key, body] : p.bodies)
        if (!leg.has_body(key))
          throw Error(body.where, fmt::format("read the body '{}', expected one of the template's `bodies`", key));
      for (const auto& [body_key, body] : legs.bodies) {
        const FileBody* chosen = &body;
        for (const auto& [own_key, own] : p.bodies)
          if (own_key == body_key) chosen = &own;
        add_body(name + "." + body_key, *chosen);
        described.bodies.push_back(name + "." + body_key);
      }
      for (const auto& [joint_key, joint] : legs.joints) add_joint(joint_key, joint, &leg);
      robot_.legs.push_back(described);
      for (const auto& [key, value] : p.home)
        coordinate(name + "." + key, value.where).home = position(name + "." + key, value);
      for (const auto& [key, value] : p.guess)
        coordinate(name + "." + key, value.where).guess = position(name + "." + key, value);
      for (const auto& [key, value] : p.friction)
        if (!robot_.coefficients.contains(name + "." + key))
          throw Error(
              value.where,
              fmt::format("read the friction coefficient '{}', expected one that a joint of the leg uses", key));
    }
  }

  void add_platform(const FilePlatform& file) {
    PlatformDescription p;
    p.where = file.where;
    p.body = file.body;
    p.frame = file.frame.pose();
    p.tool = file.tool.pose();
    if (file.coordinates) {
      if (file.coordinates->empty()) throw Error(file.where, "platform: read no coordinates, expected at least one");
      p.coordinates.fill(false);
      for (const std::size_t i : *file.coordinates) p.coordinates[i] = true;
    }
    for (const auto& [key, values] : file.limits) {
      const std::size_t i = pose_index(key, values[0].where);
      const Dimension d = i < 3 ? dimension::length : dimension::angle;
      p.limits[i] = {values[0].as(d), values[1].as(d)};
      if (!(p.limits[i].lower < p.limits[i].upper))
        throw Error(values[0].where,
                    fmt::format("platform: read the limits [{:g}, {:g}] of {}, expected the lower one first",
                                p.limits[i].lower, p.limits[i].upper, key));
    }
    robot_.platform = p;
  }

  static std::size_t pose_index(const std::string& key, const Where& where) {
    const auto found = std::find(pose_names.begin(), pose_names.end(), key);
    if (found == pose_names.end())
      throw Error(where, fmt::format("read '{}', expected one of {}", key, fmt::join(pose_names, ", ")));
    return static_cast<std::size_t>(found - pose_names.begin());
  }

  void add_home(const FileHome& home) {
    if (!home.platform.empty() && !robot_.platform)
      throw Error(home.where, "read a home of the platform, expected a platform in this file");
    for (const auto& [key, value] : home.platform) {
      const std::size_t i = pose_index(key, value.where);
      robot_.platform->home[i] = value.as(i < 3 ? dimension::length : dimension::angle);
    }
    for (const auto& [key, value] : home.joints) coordinate(key, value.where).home = position(key, value);
    for (const auto& [key, value] : home.guess) coordinate(key, value.where).guess = position(key, value);
  }

  CoordinateDescription& coordinate(const std::string& wanted, const Where& where) {
    std::vector<std::string> known;
    for (JointDescription& j : robot_.joints)
      for (std::size_t k = 0; k < j.coordinates.size(); ++k) {
        if (coordinate_name(j, k) == wanted) return j.coordinates[k];
        known.push_back(coordinate_name(j, k));
      }
    const std::string near = nearest(wanted, known);
    throw Error(where, fmt::format("read the joint coordinate '{}', expected one of this robot{}", wanted,
                                   near.empty() ? "" : "; did you mean '" + near + "'?"));
  }

  double position(const std::string& wanted, const AnyValue& value) const {
    for (const JointDescription& j : robot_.joints)
      for (std::size_t k = 0; k < j.coordinates.size(); ++k)
        if (coordinate_name(j, k) == wanted)
          return value.as(coordinate_kinds(j.kind)[k].is_length ? dimension::length : dimension::angle);
    return 0;
  }

  void add_spring(const std::string& name, const FileSpring& file) {
    if (file.between.size() != 2)
      throw Error(file.where, fmt::format("spring '{}': read {} bodies, expected two", name, file.between.size()));
    robot_.springs.push_back({file.where, name, body_name(file.between[0], nullptr),
                              body_name(file.between[1], nullptr), file.from, file.to, file.stiffness, file.damping,
                              file.length});
  }

  const FileRobot& file_;
  RobotDescription robot_;
  std::map<std::string, AnyValue> shared_;
};

}  // namespace

RobotDescription parse_robot(const std::string& text, const std::string& file, const std::vector<Setting>& settings) {
  if (text.size() > largest_robot_file)
    throw Error({file, 0}, fmt::format("read more than {} bytes, expected a smaller file", largest_robot_file));
  const Node root = parse_yaml(text, file, [&](YAML::Node& yaml) { apply_settings(yaml, file, settings); });
  const FileRobot read = Object<FileRobot>{robot_table}.read(root);
  RobotDescription robot = Expander(read).run();
  check_description(robot);
  return robot;
}

std::string read_robot_text(const std::string& path) { return read_text(path, largest_robot_file); }

RobotDescription read_robot(const std::string& path, const std::vector<Setting>& settings) {
  return parse_robot(read_robot_text(path), path, settings);
}

Mechanism<double> ready_robot(const RobotDescription& robot) {
  Prepared ready = prepare(robot);
  if (!ready.home.assembly.closed)
    throw Error({robot.where.file, 0},
                "the home pose cannot be assembled: " + ready.home.assembly.explain(ready.mechanism));
  return std::move(ready.mechanism);
}

Mechanism<double> load_robot(const std::string& path, const std::vector<Setting>& settings) {
  return ready_robot(read_robot(path, settings));
}

std::string robot_schema() {
  json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "gough robot file"}};
  schema.update(Object<FileRobot>{robot_table}.definition());
  schema["$defs"] = robot_definitions();
  return schema.dump(2) + "\n";
}

}  // namespace gough
