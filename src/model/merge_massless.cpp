#include <fmt/format.h>

#include <algorithm>

#include "gough/model/build.hpp"

namespace gough {
namespace {

bool is_massless(const BodyDescription& body) { return body.mass == 0 && body.total().mass == 0; }

bool is_passive(const JointDescription& joint) {
  return !joint.cut && std::all_of(joint.coordinates.begin(), joint.coordinates.end(), [](const auto& c) {
    return !c.actuated && !c.elastic && !c.locked && c.rotor_inertia == 0;
  });
}

/// A joint seen from the massless body between: its frame there, the body on the other side, its frame on that body.
struct Side {
  const JointDescription* joint;
  bool inner_is_child;
  std::string outer;
  Transform<double> inner_frame, outer_frame;

  Side(const JointDescription& j, const std::string& inner)
      : joint(&j),
        inner_is_child(j.child == inner),
        outer(inner_is_child ? j.parent : j.child),
        inner_frame(inner_is_child ? j.child_origin : j.origin),
        outer_frame(inner_is_child ? j.origin : j.child_origin) {}
};

std::vector<CoordinateDescription> named_coordinates(const JointDescription& joint) {
  std::vector<CoordinateDescription> all = joint.coordinates;
  for (std::size_t k = 0; k < all.size(); ++k) all[k].name = coordinate_name(joint, k);
  return all;
}

/// Ball, then slide: the ball's centre stays on a line of the body beyond the slide.
JointDescription point_on_line(const Side& ball, const Side& slide) {
  JointDescription merged = *ball.joint;
  merged.kind = JointKind::point_on_line;
  merged.parent = slide.outer;
  merged.child = ball.outer;
  Transform<double> line;
  line.p = (slide.inner_frame.inverse() * ball.inner_frame).p;  // the centre, in the slide's frame on the massless body
  if (!slide.inner_is_child) line.R.diagonal() << 1, -1, -1;    // the slide's coordinate then runs the other way
  merged.origin = slide.outer_frame * line;
  merged.child_origin = ball.outer_frame;
  merged.coordinates = named_coordinates(*slide.joint);
  for (const CoordinateDescription& c : named_coordinates(*ball.joint)) merged.coordinates.push_back(c);
  return merged;
}

/// Ball, massless rod, ball: only the distance of the two centres stays.
JointDescription distance(const Side& one, const Side& other) {
  JointDescription merged = *one.joint;
  merged.kind = JointKind::distance;
  merged.parent = one.outer;
  merged.child = other.outer;
  merged.origin = one.outer_frame;
  merged.child_origin = other.outer_frame;
  merged.length = (one.inner_frame.p - other.inner_frame.p).norm();
  merged.coordinates.assign(coordinate_kinds(JointKind::distance).size(), {});
  return merged;
}

bool carries_forces(const JointDescription& joint) {
  return std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                     [](const auto& c) { return c.stiffness > 0 || c.damping > 0 || !c.friction.empty(); });
}

/// Of a ball: its turns are then counted in axes that a merged joint does not keep.
bool feels_axes(const JointDescription& ball) {
  const CoordinateDescription& first = ball.coordinates.front();
  return std::any_of(ball.coordinates.begin(), ball.coordinates.end(), [&](const CoordinateDescription& c) {
    return c.stiffness > 0 || c.damping != first.damping ||
           std::any_of(c.friction.begin(), c.friction.end(),
                       [](const FrictionTerm& f) { return f.function != "viscous"; }) ||
           c.friction.size() != first.friction.size();
  });
}

std::optional<JointDescription> merged_joint(const BodyDescription& body, const JointDescription& j1,
                                             const JointDescription& j2) {
  const Side one(j1, body.name), two(j2, body.name);
  if (one.outer == two.outer) return std::nullopt;
  if (j1.kind == JointKind::spherical && j2.kind == JointKind::prismatic && !feels_axes(j1))
    return point_on_line(one, two);
  if (j1.kind == JointKind::prismatic && j2.kind == JointKind::spherical && !feels_axes(j2))
    return point_on_line(two, one);
  if (j1.kind == JointKind::spherical && j2.kind == JointKind::spherical && !carries_forces(j1) && !carries_forces(j2))
    return distance(one, two);
  return std::nullopt;
}

bool is_used_elsewhere(const RobotDescription& robot, const std::string& body) {
  return (robot.platform && robot.platform->body == body) ||
         std::any_of(robot.springs.begin(), robot.springs.end(),
                     [&](const auto& s) { return s.body_a == body || s.body_b == body; });
}

}  // namespace

RobotDescription merge_massless(RobotDescription robot) {
  for (std::size_t i = 0; i < robot.bodies.size();) {
    const BodyDescription body = robot.bodies[i];
    std::vector<std::size_t> at;
    if (is_massless(body) && !is_used_elsewhere(robot, body.name))
      for (std::size_t j = 0; j < robot.joints.size(); ++j)
        if (robot.joints[j].parent == body.name || robot.joints[j].child == body.name) at.push_back(j);
    std::optional<JointDescription> merged;
    if (at.size() == 2 && is_passive(robot.joints[at[0]]) && is_passive(robot.joints[at[1]]))
      merged = merged_joint(body, robot.joints[at[0]], robot.joints[at[1]]);
    if (!merged) {
      ++i;
      continue;
    }
    robot.merged.push_back(fmt::format("massless '{}' with its two joints became the {} joint '{}'", body.name,
                                       name(merged->kind), merged->name));
    robot.joints[at[0]] = *merged;
    robot.joints.erase(robot.joints.begin() + static_cast<std::ptrdiff_t>(at[1]));
    robot.bodies.erase(robot.bodies.begin() + static_cast<std::ptrdiff_t>(i));
    for (LegDescription& leg : robot.legs) std::erase(leg.bodies, body.name);
    std::erase_if(robot.welded, [&](const WeldedBody& w) { return w.onto == body.name; });
  }
  return robot;
}

RobotDescription merge_bodies(RobotDescription robot) { return merge_massless(merge_fixed(std::move(robot))); }

}  // namespace gough
