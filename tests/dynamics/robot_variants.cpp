#include "dynamics/robot_variants.hpp"

#include <cstdlib>
#include <map>
#include <random>

#include "decompositions.hpp"

namespace gough {
namespace {

using Eigen::Index;

// ------------------------------------------------------------------------------------------------ parts

Transform<double> frame(const Vec3<double>& p, const Vec3<double>& turn) {
  return {rotation_from_vector<double>(turn), p};
}

/// Of its own mass, com and axes; `size` is about how far its mass reaches [m].
BodyDescription part(const std::string& name, double mass, double size) {
  BodyDescription body;
  body.name = name;
  body.mass = mass;
  body.com = Vec3<double>(0.6, -0.4, 0.9) * size;
  const Mat3<double> R = rotation_from_vector<double>({0.5, -0.3, 0.8});
  const Vec3<double> moments = Vec3<double>(0.5, 0.7, 0.9) * (mass * size * size);
  body.inertia = R * moments.asDiagonal() * R.transpose();
  return body;
}

JointDescription joint(JointKind kind, const std::string& name, const std::string& parent, const std::string& child,
                       const Transform<double>& origin, const Transform<double>& child_origin = {}) {
  JointDescription j;
  j.kind = kind;
  j.name = name;
  j.parent = parent;
  j.child = child;
  j.origin = origin;
  j.child_origin = child_origin;
  j.coordinates.resize(at(free_coordinates(kind)));
  return j;
}

/// The pose of the child in the parent, where the joint stands at zero.
Transform<double> pose_of(const JointDescription& j) { return j.origin * j.child_origin.inverse(); }

double heaviest(const RobotDescription& robot) {
  double most = 0;
  for (const BodyDescription& b : robot.bodies) most = std::max(most, b.total().mass);
  return most;
}

/// What hangs on something: lighter than the robot's heaviest body, and small beside most robots.
BodyDescription payload(const RobotDescription& robot) { return part("payload", 0.3 * heaviest(robot), 0.05); }

const Transform<double> mount_on_platform = frame({0.02, 0.01, 0.04}, {0.3, -0.2, 0.5}),
                        mount_on_tool = frame({0.01, 0, -0.02}, {0.1, 0, 0.4}),
                        mount_on_flange = frame({0.03, -0.01, 0.01}, {-0.2, 0.6, 0.1}),
                        tilted = frame({0.02, -0.01, 0.03}, {0.4, 0.3, 0.2});

BodyDescription tool() { return part("tool", 10, 0.05); }
BodyDescription flange() { return part("flange", 0.5, 0.02); }
/// The flange and the tool both at where the flange's frame and the tool's are in the platform.
JointDescription flange_mount(const std::string& platform) {
  return joint(JointKind::fixed, "flange_mount", platform, "flange", mount_on_platform, mount_on_tool);
}
JointDescription tool_mount() { return joint(JointKind::fixed, "tool_mount", "flange", "tool", mount_on_flange); }

/// The same joint with its bodies in the other order.
JointDescription turned_round(JointDescription j) {
  std::swap(j.parent, j.child);
  std::swap(j.origin, j.child_origin);
  return j;
}

// ------------------------------------------------------------------------------------------------ places in a robot

bool has_platform(const RobotDescription& robot) { return robot.platform.has_value(); }

bool is_driven(const JointDescription& j) {
  return std::any_of(j.coordinates.begin(), j.coordinates.end(), [](const auto& c) { return c.actuated || c.elastic; });
}
bool touches_platform(const RobotDescription& robot, const JointDescription& j) {
  return robot.platform && (j.parent == robot.platform->body || j.child == robot.platform->body);
}
bool has_mass(const RobotDescription& robot, const std::string& body) {
  return body == base_name || robot.body(body)->total().mass > 0;
}

/// The outermost body with a mass of the first leg; without legs, what the first drive moves.
std::string leg_body(const RobotDescription& robot) {
  if (!robot.legs.empty())
    for (auto b = robot.legs[0].bodies.rbegin(); b != robot.legs[0].bodies.rend(); ++b)
      if (has_mass(robot, *b)) return *b;
  for (const JointDescription& j : robot.joints)
    if (is_driven(j)) return j.child;
  return robot.bodies[0].name;
}

/// The platform; without one, the last body with a mass.
std::string end_body(const RobotDescription& robot) {
  if (robot.platform) return robot.platform->body;
  for (auto b = robot.bodies.rbegin(); b != robot.bodies.rend(); ++b)
    if (b->total().mass > 0) return b->name;
  return robot.bodies[0].name;
}

BodyDescription& body_named(RobotDescription& robot, const std::string& name) {
  return *std::find_if(robot.bodies.begin(), robot.bodies.end(), [&](const auto& b) { return b.name == name; });
}

/// Whether the last three coordinates are the turns of a ball.
bool ends_in_ball(JointKind kind) {
  return kind == JointKind::spherical || kind == JointKind::point_on_line || kind == JointKind::point_on_plane ||
         kind == JointKind::distance || kind == JointKind::free;
}

/// Calls visit(joint, k, whether it is a ball's turn) for the coordinates of all joints that are neither driven nor free.
template <class Visit>
void for_each_passive(RobotDescription& robot, const Visit& visit) {
  for (JointDescription& j : robot.joints) {
    if (is_driven(j) || j.kind == JointKind::free) continue;
    const std::size_t n = j.coordinates.size(), ball = ends_in_ball(j.kind) ? n - 3 : n;
    for (std::size_t k = 0; k < n; ++k) visit(j, k, k >= ball);
  }
}

/// Passive joints that begin with a single axis and do not touch the platform: the first of each leg, or of the robot. One for each loop, so
/// that a joint is left which closes it.
std::vector<JointDescription*> inner_joints(RobotDescription& robot) {
  const auto serves = [&](const JointDescription& j) {
    const bool axis = j.kind == JointKind::revolute || j.kind == JointKind::prismatic || j.kind == JointKind::universal;
    return axis && !is_driven(j) && !touches_platform(robot, j) && !j.cut.value_or(false);
  };
  std::vector<JointDescription*> found;
  if (robot.legs.empty()) {
    for (JointDescription& j : robot.joints)
      if (found.empty() && serves(j)) found.push_back(&j);
    return found;
  }
  for (const LegDescription& leg : robot.legs)
    for (JointDescription& j : robot.joints) {
      const bool mine = std::find(leg.bodies.begin(), leg.bodies.end(), j.child) != leg.bodies.end();
      if (!mine || !serves(j)) continue;
      found.push_back(&j);
      break;
    }
  return found;
}

bool is_length(const JointDescription& j, std::size_t k) { return coordinate_kinds(j.kind)[k].is_length; }

using Variant = std::optional<RobotDescription>;

// ------------------------------------------------------------------------------------------------ tools

/// Legs know nothing of what is fixed to the platform.
Variant tool_on_platform(const RobotDescription& robot) {
  if (!has_platform(robot)) return std::nullopt;
  RobotDescription r = robot;
  for (const MountedBody& x : mounted_on_platform()) {
    r.bodies.push_back(x.body);
    r.joints.push_back(joint(JointKind::fixed, x.body.name + "_mount", r.platform->body, x.body.name, x.pose));
  }
  return r;
}

Variant tool_on_flange(const RobotDescription& robot) {
  if (!has_platform(robot)) return std::nullopt;
  RobotDescription r = robot;
  r.bodies.push_back(tool());  // before what carries it
  r.bodies.push_back(flange());
  r.joints.push_back(tool_mount());
  r.joints.push_back(flange_mount(r.platform->body));
  return r;
}

Variant tool_as_parent(const RobotDescription& robot) {
  if (!has_platform(robot)) return std::nullopt;
  RobotDescription r = robot;
  r.bodies.insert(r.bodies.begin(), tool());
  r.bodies.push_back(flange());
  r.joints.push_back(turned_round(flange_mount(r.platform->body)));
  r.joints.push_back(turned_round(tool_mount()));
  return r;
}

/// The outermost body is called the platform, and legs end on another one.
Variant tool_is_platform(const RobotDescription& robot) {
  Variant r = tool_on_flange(robot);
  if (!r) return r;
  r->platform->frame = (pose_of(flange_mount("")) * pose_of(tool_mount())).inverse() * r->platform->frame;
  r->platform->body = "tool";
  return r;
}

/// Through a joint that is locked away from zero.
Variant tool_behind_locked_joint(const RobotDescription& robot) {
  Variant r = tool_on_flange(robot);
  if (!r) return r;
  JointDescription& mount =
      *std::find_if(r->joints.begin(), r->joints.end(), [](const auto& j) { return j.name == "tool_mount"; });
  mount.kind = JointKind::revolute;
  mount.coordinates.resize(1);
  mount.coordinates[0].locked = true;
  mount.coordinates[0].home = 0.7;
  mount.origin.R = mount.origin.R * rotation_z(-0.7);
  return r;
}

// ------------------------------------------------------------------------------------------------ bodies

RobotDescription with_body_on(const RobotDescription& robot, const std::string& carrier, bool driven) {
  RobotDescription r = robot;
  r.bodies.push_back(payload(r));
  JointDescription hinge = joint(JointKind::revolute, "hinge", carrier, "payload", tilted, mount_on_tool);
  hinge.coordinates[0].actuated = driven;
  hinge.coordinates[0].guess = 0.3;
  r.joints.push_back(hinge);
  return r;
}

Variant payload_on_platform(const RobotDescription& robot) {
  if (!has_platform(robot)) return std::nullopt;
  return with_body_on(robot, robot.platform->body, false);
}
Variant driven_on_platform(const RobotDescription& robot) {
  if (!has_platform(robot)) return std::nullopt;
  return with_body_on(robot, robot.platform->body, true);
}
Variant payload_on_leg(const RobotDescription& robot) { return with_body_on(robot, leg_body(robot), false); }
/// Branches of the base that hold no platform.
Variant payload_on_base(const RobotDescription& robot) { return with_body_on(robot, std::string(base_name), false); }
Variant driven_on_base(const RobotDescription& robot) { return with_body_on(robot, std::string(base_name), true); }

/// As the leg's parent, and before it in the list of bodies.
Variant body_on_leg(const RobotDescription& robot) {
  RobotDescription r = robot;
  BodyDescription bracket = payload(r);
  bracket.name = "bracket";
  r.bodies.insert(r.bodies.begin(), bracket);
  r.joints.push_back(joint(JointKind::fixed, "bracket_mount", "bracket", leg_body(robot), tilted, mount_on_tool));
  return r;
}

/// A foot that is fixed to the base carries the first of the joints that stand there, and a spring to the platform.
Variant fixture_on_base(const RobotDescription& robot) {
  RobotDescription r = robot;
  BodyDescription foot = payload(r);
  foot.name = "foot";
  const JointDescription mount =
      joint(JointKind::fixed, "foot_mount", std::string(base_name), "foot", mount_on_flange, tilted);
  const auto first =
      std::find_if(r.joints.begin(), r.joints.end(), [](const auto& j) { return j.parent == base_name; });
  if (first == r.joints.end()) return std::nullopt;
  first->parent = "foot";
  first->origin = pose_of(mount).inverse() * first->origin;
  SpringDescription spring;
  spring.name = "stay";
  spring.body_a = "foot";
  spring.body_b = end_body(robot);
  spring.point_a = {0.3, -0.2, 0.4};
  spring.point_b = {0.02, 0.01, 0.03};
  spring.stiffness = 40 * heaviest(robot);
  spring.damping = heaviest(robot);
  spring.free_length = 0.1;
  r.bodies.push_back(foot);
  r.joints.push_back(mount);
  r.springs.push_back(spring);
  return r;
}

/// Legs of one template that are no longer equal, alike but for their masses.
Variant heavier_leg(const RobotDescription& robot) {
  RobotDescription r = robot;
  BodyDescription& b = body_named(r, leg_body(robot));
  b.mass *= 1.3;
  b.inertia *= 1.3;
  for (auto& point : b.points) point.first *= 1.3;
  if (!b.beam.empty()) b.points.emplace_back(0.2 * b.total().mass, b.beam[0].from);
  return r;
}

/// The same with a centre of mass that is off the leg's line.
Variant lopsided_leg(const RobotDescription& robot) {
  RobotDescription r = robot;
  BodyDescription& b = body_named(r, leg_body(robot));
  b.points.emplace_back(0.3 * b.total().mass, Vec3<double>(0.03, -0.02, 0.04));
  b.symmetric.reset();
  return r;
}

// ------------------------------------------------------------------------------------------------ forces

Variant spring_between_bodies(const RobotDescription& robot) {
  RobotDescription r = robot;
  SpringDescription spring;
  spring.name = "between";
  spring.body_a = leg_body(robot);
  spring.body_b = end_body(robot);
  if (spring.body_a == spring.body_b) spring.body_a = std::string(base_name);
  spring.point_a = {0.1, 0.05, -0.07};
  spring.point_b = {-0.04, 0.06, 0.08};
  spring.stiffness = 50 * heaviest(robot);
  spring.damping = heaviest(robot);
  spring.free_length = 0.1;
  r.springs.push_back(spring);
  return r;
}

/// A ball has one stiffness for all of its turns: others have no energy.
Variant springs_in_joints(const RobotDescription& robot) {
  RobotDescription r = robot;
  int count = 0;
  for_each_passive(r, [&](JointDescription& j, std::size_t k, bool of_ball) {
    CoordinateDescription& c = j.coordinates[k];
    ++count;
    c.stiffness = heaviest(robot) * (of_ball ? 2 : is_length(j, k) ? 60 : 3);
    if (!of_ball) c.rest = c.home.value_or(c.guess.value_or(0.0)) + 0.1;
  });
  return count > 0 ? Variant(r) : std::nullopt;
}

Variant with_friction(const RobotDescription& robot, const std::string& function, double share) {
  RobotDescription r = robot;
  int count = 0;
  for_each_passive(r, [&](JointDescription& j, std::size_t k, bool) {
    ++count;
    j.coordinates[k].friction.push_back({function, "passive"});
  });
  r.coefficients["passive"] = share * heaviest(robot);
  return count > 0 ? Variant(r) : std::nullopt;
}
Variant viscous_friction(const RobotDescription& robot) { return with_friction(robot, "viscous", 0.5); }
Variant dry_friction(const RobotDescription& robot) { return with_friction(robot, "coulomb", 0.2); }

void add_rotor(JointDescription& j, std::size_t k, double effective) {
  CoordinateDescription& c = j.coordinates[k];
  if (!c.has_drive) c.ratio = is_length(j, k) ? 600 : 20;
  c.rotor_inertia += effective * (is_length(j, k) ? 1 : 0.01) / (c.ratio * c.ratio);
}

Variant rotors_on_passive_joints(const RobotDescription& robot) {
  RobotDescription r = robot;
  const auto joints = inner_joints(r);
  for (JointDescription* j : joints) add_rotor(*j, 0, 0.5 * heaviest(robot));
  return joints.empty() ? std::nullopt : Variant(r);
}

Variant rotors_on_drives(const RobotDescription& robot) {
  RobotDescription r = robot;
  int count = 0;
  for (JointDescription& j : r.joints)
    for (std::size_t k = 0; k < j.coordinates.size(); ++k) {
      if (!j.coordinates[k].actuated) continue;
      ++count;
      add_rotor(j, k, 0.5 * heaviest(robot));
      j.coordinates[k].has_drive = true;
    }
  return count > 0 ? Variant(r) : std::nullopt;
}

// ------------------------------------------------------------------------------------------------ freedoms and drives

/// Beams have no links that could be split; a ring whose special lengths let it move must keep them.
Variant elastic_legs(const RobotDescription& robot) {
  if (!has_platform(robot)) return std::nullopt;
  try {
    return with_elastic_chains(robot, 1);
  } catch (const Error&) { return std::nullopt; }
}

std::size_t drives(const RobotDescription& robot) {
  std::size_t n = 0;
  for (const JointDescription& j : robot.joints)
    n += at(std::count_if(j.coordinates.begin(), j.coordinates.end(), [](const auto& c) { return c.actuated; }));
  return n;
}

Variant drive_removed(const RobotDescription& robot) {
  if (drives(robot) < 2) return std::nullopt;
  RobotDescription r = robot;
  for (JointDescription& j : r.joints)
    for (CoordinateDescription& c : j.coordinates)
      if (c.actuated) {
        c.actuated = false;
        return r;
      }
  return std::nullopt;
}

/// A drive more than there are freedoms.
Variant drive_added(const RobotDescription& robot) {
  RobotDescription r = robot;
  for (JointDescription* j : inner_joints(r)) {
    if (!has_mass(r, j->parent) || !has_mass(r, j->child)) continue;
    j->coordinates[0].actuated = true;
    return r;
  }
  return std::nullopt;
}

/// Not where an articulated plate is between.
bool legs_end_at_platform(const RobotDescription& robot) {
  return std::all_of(robot.legs.begin(), robot.legs.end(), [&](const LegDescription& leg) {
    const auto has = [&](const std::string& body) {
      return std::find(leg.bodies.begin(), leg.bodies.end(), body) != leg.bodies.end();
    };
    return std::any_of(robot.joints.begin(), robot.joints.end(), [&](const JointDescription& j) {
      return touches_platform(robot, j) && (has(j.parent) || has(j.child));
    });
  });
}

/// A platform that tilts without shifts of its own is carried sideways by its legs, and legs at other azimuths would carry it elsewhere;
/// an articulated plate does not fit legs at other azimuths.
Variant legs_doubled(const RobotDescription& robot) {
  if (robot.legs.empty() || !has_platform(robot) || !legs_end_at_platform(robot)) return std::nullopt;
  const PlatformDescription& p = *robot.platform;
  const bool tilts = p.coordinates[3] || p.coordinates[4], shifts = p.coordinates[0] && p.coordinates[1];
  if (tilts && !shifts) return std::nullopt;
  std::array<double, 6> x{};
  for (std::size_t i = 0; i < 6; ++i) {
    if (!p.home[i]) return std::nullopt;
    x[i] = *p.home[i];
  }
  return with_repeated_legs(robot, 2, frame({x[0], x[1], x[2]}, {x[3], x[4], x[5]}));
}

}  // namespace

const std::vector<RobotVariant>& robot_variants() {
  static const std::vector<RobotVariant> all = {
      {"tool_on_platform", tool_on_platform},
      {"tool_on_flange", tool_on_flange},
      {"tool_as_parent", tool_as_parent},
      {"tool_is_platform", tool_is_platform},
      {"tool_behind_locked_joint", tool_behind_locked_joint},
      {"payload_on_platform", payload_on_platform},
      {"driven_on_platform", driven_on_platform},
      {"payload_on_leg", payload_on_leg},
      {"payload_on_base", payload_on_base},
      {"driven_on_base", driven_on_base},
      {"body_on_leg", body_on_leg},
      {"fixture_on_base", fixture_on_base},
      {"heavier_leg", heavier_leg},
      {"lopsided_leg", lopsided_leg},
      {"spring_between_bodies", spring_between_bodies},
      {"springs_in_joints", springs_in_joints},
      {"viscous_friction", viscous_friction},
      {"dry_friction", dry_friction},
      {"rotors_on_passive_joints", rotors_on_passive_joints},
      {"rotors_on_drives", rotors_on_drives},
      {"elastic_legs", elastic_legs},
      {"drive_removed", drive_removed},
      {"drive_added", drive_added},
      {"legs_doubled", legs_doubled},
  };
  return all;
}

std::size_t place_of_variant(const std::string& variant) {
  const auto& all = robot_variants();
  const auto found = std::find_if(all.begin(), all.end(), [&](const RobotVariant& v) { return v.name == variant; });
  if (found == all.end()) throw std::out_of_range("no variant '" + variant + "'");
  return at(found - all.begin());
}

std::optional<RobotDescription> variant_of(const RobotDescription& robot, const std::string& variant) {
  return robot_variants()[place_of_variant(variant)].of(robot);
}

const RobotDescription& described(const std::string& robot) {
  static std::map<std::string, RobotDescription> all;
  const auto found = all.find(robot);
  return found != all.end() ? found->second : all.emplace(robot, read_robot(robot_path(robot))).first->second;
}

const std::vector<std::string>& tool_variants() {
  static const std::vector<std::string> all = {"tool_on_platform", "tool_on_flange", "tool_as_parent",
                                               "tool_is_platform", "tool_behind_locked_joint"};
  return all;
}

std::vector<MountedBody> mounted_on_platform() {
  const Transform<double> on_platform = pose_of(flange_mount(""));
  return {{flange(), on_platform}, {tool(), on_platform * pose_of(tool_mount())}};
}

// ------------------------------------------------------------------------------------------------ how much is looked at

unsigned variant_seeds() {
  const char* wanted = std::getenv("GOUGH_VARIANT_SEEDS");
  return wanted == nullptr ? 1U : std::max(1U, static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)));
}
bool every_variant() { return std::getenv("GOUGH_VARIANT_SEEDS") != nullptr; }

std::size_t place_of_robot(const std::string& robot) {
  const std::vector<std::string> all = shipped_robots();
  return at(std::find(all.begin(), all.end(), robot) - all.begin());
}

// ------------------------------------------------------------------------------------------------ states and loads

ClosedState nearby_state(const Mechanism<double>& m, unsigned seed) {
  constexpr int steps = 3;
  constexpr double step = 0.04;  // m or rad: home's mode is kept
  const VecX<double> q = random_closed(m, seed, steps, step);
  Workspace<double> w = placed(m, q);
  const MatX<double> N = null_space_of(w.K);
  const auto random_rates = [&](unsigned with) -> VecX<double> { return N * random_vector(N.cols(), with); };
  VecX<double> v = VecX<double>::Zero(m.nv);
  double slowest = -1;
  for (unsigned i = 0; i < 40 && slowest < 0.02; ++i) {
    VecX<double> some = random_rates(seed + 1000 * (i + 1));
    if (some.size() > 0 && some.cwiseAbs().maxCoeff() > 0) some /= some.cwiseAbs().maxCoeff();
    const double dry = slowest_dry_rate(m, {q, some, some});
    if (dry > slowest) slowest = dry, v = some;
  }
  w.v = v;
  tree_velocities(m, w);
  closure_bias(m, w);
  VecX<double> a = random_rates(seed + 7);
  if (m.equations > 0) a += shortest_solution(w.K, w.k);
  return {q, v, a};
}

Mechanism<double> without_standing_friction(Mechanism<double> m) {
  const auto is_dry = [](const FrictionUse& use) { return use.function == "coulomb"; };
  if (std::none_of(m.coordinate.begin(), m.coordinate.end(),
                   [&](const Coordinate& c) { return std::any_of(c.friction.begin(), c.friction.end(), is_dry); }))
    return m;
  Workspace<double> w = placed(m, random_closed(m, 1, 3, 0.04));
  const MatX<double> N = null_space_of(w.K);
  std::vector<bool> moves(m.coordinate.size(), false);
  for (unsigned i = 0; i < 3; ++i) {
    w.v = N * random_vector(N.cols(), 100 + i);
    const VecX<double> rates = detail::all_rates(m, w);
    for (std::size_t c = 0; c < moves.size(); ++c)
      if (std::abs(rates[static_cast<Index>(c)]) > 1e-7 * rates.cwiseAbs().maxCoeff()) moves[c] = true;
  }
  for (std::size_t c = 0; c < moves.size(); ++c)
    if (!moves[c]) std::erase_if(m.coordinate[c].friction, is_dry);
  return m;
}

newton_euler::Load weighty_load(const Mechanism<double>& m, unsigned seed, Wrenches on) {
  double weight = 0;
  for (const Inertia<double>& I : m.inertia) weight += 10 * I.mass;
  newton_euler::Load load{weight * random_vector(static_cast<Index>(m.actuator.size()), seed), {}};
  const auto push = [&](int body, unsigned with) {
    const VecX<double> f = weight * random_vector(6, seed + with);
    load.external.push_back({body, {f.head<3>(), f.tail<3>()}});
  };
  if (on == Wrenches::platform) push(m.platform.exists() ? m.platform.body : m.tree_size() - 1, 10);
  std::mt19937 random(seed);
  for (unsigned i = 0; on == Wrenches::bodies && i < 3; ++i)
    push(std::uniform_int_distribution<int>(0, m.tree_size() - 1)(random), 20 + i);
  return load;
}

Witness::Witness(const Mechanism<double>& m, const ClosedState& s)
    : bodies(m, s.q, s.v),
      M_(newton_euler::mass_matrix(bodies)),
      N_(null_space_of(bodies.C)),
      NMN_(N_.transpose() * M_ * N_),
      x0_(shortest_solution(bodies.C, -bodies.c0)) {
  const std::vector<int> all = m.driven();
  T_ = MatX<double>(N_.cols(), static_cast<Index>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i)
    T_.col(static_cast<Index>(i)) = N_.transpose() * bodies.S.row(all[i]).transpose();
}

VecX<double> Witness::accelerations(const newton_euler::Load& load) const {
  const VecX<double> F = newton_euler::known_forces(bodies, load.external) +
                         bodies.S.transpose() * newton_euler::drive_forces(bodies, load.tau);
  const VecX<double> z = shortest_solution(NMN_, N_.transpose() * (F - M_ * x0_));
  const VecX<double> x = x0_ + N_ * z;
  return (bodies.S * x + bodies.s0).head(bodies.m.nv);
}

VecX<double> Witness::least_efforts(const VecX<double>& tau) const {
  VecX<double> all = VecX<double>::Zero(T_.cols());
  all.head(tau.size()) = tau;
  if (T_.cols() == 0 || rank_of(T_) == T_.cols()) return all;
  return shortest_solution(T_, T_ * all);
}

bool Witness::unique() const { return N_.cols() == 0 || rank_of(NMN_) == N_.cols(); }

}  // namespace gough
