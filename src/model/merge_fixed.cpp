#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>

#include "gough/model/build.hpp"
#include "union_find.hpp"

namespace gough {
namespace {

constexpr double same_place = 1e-9;  ///< metres and radians: fixed joints that close a loop agree to this

/// A joint with one coordinate that is locked is a fixed joint where it stands.
void fix_locked_joints(RobotDescription& robot) {
  for (JointDescription& j : robot.joints) {
    if (j.coordinates.size() != 1 || !j.coordinates[0].locked) continue;
    const double value = j.coordinates[0].home.value_or(j.coordinates[0].guess.value_or(0.0));
    if (j.kind == JointKind::revolute) j.origin.R = j.origin.R * rotation_z(value);
    if (j.kind == JointKind::prismatic) j.origin.p += j.origin.R.col(2) * value;
    j.kind = JointKind::fixed;
    j.coordinates.clear();
  }
}

/// Bodies as nodes (0 is the base, i + 1 body i) in groups that fixed joints hold together.
class FixedGroups {
 public:
  explicit FixedGroups(const RobotDescription& robot)
      : robot_(robot), pose_(robot.bodies.size() + 1), group_(pose_.size()), edges_of_(pose_.size()) {
    node_[std::string(base_name)] = 0;
    for (std::size_t i = 0; i < robot.bodies.size(); ++i) node_[robot.bodies[i].name] = i + 1;
    find_edges();
    std::iota(group_.begin(), group_.end(), std::size_t{0});
    std::vector<bool> met(pose_.size(), false);
    for (const std::size_t main : by_preference())
      if (!met[main]) gather(main, met);
  }

  std::size_t node(const std::string& name) const { return node_.at(name); }
  /// The body that a node becomes part of: itself, where nothing is fixed to it.
  std::size_t main_of(std::size_t i) const { return group_[i]; }
  /// A node's frame in that of its main body.
  const Transform<double>& pose(std::size_t i) const { return pose_[i]; }
  bool any() const {
    for (std::size_t i = 0; i < group_.size(); ++i)
      if (group_[i] != i) return true;
    return false;
  }

 private:
  /// Beams bend: what is fixed to one stays a body of its own. A joint that the author wants cut is cut.
  bool rigid(const JointDescription& j) const {
    return j.kind == JointKind::fixed && !j.cut.value_or(false) && !bends(j.parent) && !bends(j.child);
  }
  bool bends(const std::string& name) const {
    const BodyDescription* body = robot_.body(name);
    return (body != nullptr && !body->beam.empty()) ||
           std::any_of(robot_.joints.begin(), robot_.joints.end(),
                       [&](const JointDescription& j) { return j.kind == JointKind::modal && j.parent == name; });
  }

  /// Fixed joints that can go. One that closes a loop of joints which may not be cut is where that loop is cut.
  void find_edges() {
    UnionFind fixed(pose_.size()), uncut(pose_.size());
    for (const JointDescription& j : robot_.joints)
      if (j.kind != JointKind::fixed && must_stay(j)) uncut.join(number(j.parent), number(j.child));
    for (std::size_t e = 0; e < robot_.joints.size(); ++e) {
      const JointDescription& j = robot_.joints[e];
      const int a = number(j.parent), b = number(j.child);
      if (!rigid(j) || fixed.find(a) == fixed.find(b) || !uncut.join(a, b)) continue;
      fixed.join(a, b);
      edges_of_[node(j.parent)].push_back(e);
      edges_of_[node(j.child)].push_back(e);
    }
  }
  int number(const std::string& name) const { return static_cast<int>(node(name)); }

  /// Whose name and frame a group keeps: the base's, the platform's, a leg's, the first one's.
  std::vector<std::size_t> by_preference() const {
    const auto rank = [&](std::size_t i) {
      if (i == 0) return 0;
      const std::string& name = robot_.bodies[i - 1].name;
      if (robot_.platform && robot_.platform->body == name) return 1;
      const auto in = [&](const LegDescription& leg) {
        return std::find(leg.bodies.begin(), leg.bodies.end(), name) != leg.bodies.end();
      };
      return std::any_of(robot_.legs.begin(), robot_.legs.end(), in) ? 2 : 3;
    };
    std::vector<std::pair<int, std::size_t>> order;
    order.reserve(pose_.size());
    for (std::size_t i = 0; i < pose_.size(); ++i) order.emplace_back(rank(i), i);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> nodes;
    nodes.reserve(order.size());
    for (const auto& [unused, i] : order) nodes.push_back(i);
    return nodes;
  }

  void gather(std::size_t main, std::vector<bool>& met) {
    std::vector<std::size_t> members = {main};
    met[main] = true;
    for (std::size_t next = 0; next < members.size(); ++next)
      for (const std::size_t e : edges_of_[members[next]]) {
        const JointDescription& j = robot_.joints[e];
        const bool outwards = node(j.parent) == members[next];
        const std::size_t other = node(outwards ? j.child : j.parent);
        if (met[other]) continue;
        const Transform<double> step = j.origin * j.child_origin.inverse();
        pose_[other] = pose_[members[next]] * (outwards ? step : step.inverse());
        met[other] = true;
        members.push_back(other);
      }
    for (const std::size_t i : members) group_[i] = main;
    if (hold_together(main)) return;
    for (const std::size_t i : members) group_[i] = i, pose_[i] = Transform<double>();
  }

  /// Whether the joints within a group are fixed ones that agree with each other. Others close a loop that cannot move: assembly judges.
  bool hold_together(std::size_t main) const {
    return std::all_of(robot_.joints.begin(), robot_.joints.end(), [&](const JointDescription& j) {
      const std::size_t a = node(j.parent), b = node(j.child);
      if (group_[a] != main || group_[b] != main) return true;
      const Transform<double> gap = (pose_[a] * j.origin).inverse() * (pose_[b] * j.child_origin);
      return j.kind == JointKind::fixed && gap.p.norm() < same_place &&
             (gap.R - Mat3<double>::Identity()).norm() < same_place;
    });
  }

  const RobotDescription& robot_;
  std::map<std::string, std::size_t> node_;
  std::vector<Transform<double>> pose_;
  std::vector<std::size_t> group_;
  std::vector<std::vector<std::size_t>> edges_of_;  ///< fixed joints at each node
};

/// The inertia of a group as its main body's own.
void set_inertia(BodyDescription& body, const Inertia<double>& I) {
  body.mass = I.mass;
  body.com = I.mass > 0 ? Vec3<double>(I.first / I.mass) : Vec3<double>::Zero();
  body.inertia = I.second - steiner<double>(body.com, body.com) * I.mass;
  const double rounding = 1e-15 * I.second.trace();
  for (double& entry : body.inertia.reshaped())
    if (std::abs(entry) < rounding) entry = 0;
  body.points.clear();
  body.symmetric.reset();  // known for the bodies alone
}

class Merger {
 public:
  explicit Merger(RobotDescription& robot) : robot_(robot), groups_(robot) {}

  void run() {
    if (!groups_.any() || fixed_to_base(robot_.bodies.size())) return;
    if (robot_.platform && groups_.main_of(groups_.node(robot_.platform->body)) == 0)
      throw Error(robot_.platform->where, fmt::format("platform: read the body '{}', which is fixed to the base, "
                                                      "expected a body that moves",
                                                      robot_.platform->body));
    for (WeldedBody& w : robot_.welded) w.pose = moved(w.onto) * w.pose;
    for (const BodyDescription& b : robot_.bodies)
      if (name_of(b.name) != b.name)
        robot_.welded.push_back({b.name, b.name, groups_.pose(groups_.node(b.name)), b.total()});
    for (WeldedBody& w : robot_.welded) w.onto = name_of(w.onto);
    move_joints();
    for (SpringDescription& s : robot_.springs) {
      s.point_a = moved(s.body_a) * s.point_a;
      s.point_b = moved(s.body_b) * s.point_b;
      s.body_a = name_of(s.body_a);
      s.body_b = name_of(s.body_b);
    }
    move_bodies();
  }

 private:
  bool fixed_to_base(std::size_t bodies) const {
    std::size_t count = 0;
    for (std::size_t i = 1; i <= bodies; ++i) count += groups_.main_of(i) == 0 ? 1 : 0;
    return count == bodies;
  }
  std::string name_of(const std::string& body) const {
    const std::size_t main = groups_.main_of(groups_.node(body));
    return main == 0 ? std::string(base_name) : before_[main - 1].name;
  }
  const Transform<double>& moved(const std::string& body) const { return groups_.pose(groups_.node(body)); }

  void move_joints() {
    std::erase_if(robot_.joints, [&](const JointDescription& j) { return name_of(j.parent) == name_of(j.child); });
    for (JointDescription& j : robot_.joints) {
      j.origin = moved(j.parent) * j.origin;
      j.child_origin = moved(j.child) * j.child_origin;
      j.parent = name_of(j.parent);
      j.child = name_of(j.child);
    }
  }

  void move_bodies() {
    std::map<std::string, Inertia<double>> total;
    for (const BodyDescription& b : before_)
      if (const std::string onto = name_of(b.name); onto != b.name)
        total[onto] = total[onto] + moved(b.name) * b.total();
    std::erase_if(robot_.bodies, [&](const BodyDescription& b) { return name_of(b.name) != b.name; });
    for (BodyDescription& b : robot_.bodies)
      if (const auto more = total.find(b.name); more != total.end() && more->second.mass > 0)
        set_inertia(b, b.total() + more->second);
    for (LegDescription& leg : robot_.legs)
      std::erase_if(leg.bodies, [&](const std::string& b) { return name_of(b) != b; });
  }

  RobotDescription& robot_;
  FixedGroups groups_;
  const std::vector<BodyDescription> before_ = robot_.bodies;
};

}  // namespace

RobotDescription merge_fixed(RobotDescription robot) {
  fix_locked_joints(robot);
  Merger(robot).run();
  return robot;
}

}  // namespace gough
