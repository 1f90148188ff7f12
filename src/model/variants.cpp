#include "gough/model/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gough/model/build.hpp"
#include "gough/spatial/eigen_pairs.hpp"

namespace gough {
namespace {

// ------------------------------------------------------------------------------------------------ which link

/// A link and the joint that holds it on the base's side.
struct Link {
  std::string body, inner_joint;
};

const Transform<double>& frame_on(const JointDescription& j, const std::string& body) {
  return j.child == body ? j.child_origin : j.origin;
}

std::vector<const JointDescription*> joints_at(const RobotDescription& robot, const std::string& body) {
  std::vector<const JointDescription*> all;
  for (const JointDescription& j : robot.joints)
    if (j.parent == body || j.child == body) all.push_back(&j);
  return all;
}

/// Where the leg's loops leave it: bodies of the leg at cut joints whose other side is elsewhere.
std::vector<int> ends_of(const Mechanism<double>& m, const Leg& leg) {
  const auto inside = [&](int j) { return j >= leg.first_body && j < leg.first_body + leg.bodies; };
  std::vector<int> ends;
  for (const int c : leg.cuts)
    if (const CutJoint& cut = m.cut[at(c)]; inside(cut.a) != inside(cut.b))
      ends.push_back(inside(cut.a) ? cut.a : cut.b);
  return ends;
}

/// The body nearest to the ends that all of them hang on; parents come first, so the larger index is never above.
int last_common(const Mechanism<double>& m, const std::vector<int>& ends) {
  int common = ends.front();
  for (int end : ends)
    while (common != end) {
      int& deeper = common > end ? common : end;
      deeper = m.parent[at(deeper)];
    }
  return common;
}

/// The joint of the description between two bodies that is not cut.
std::string joint_between(const RobotDescription& robot, const Mechanism<double>& m, const std::string& one,
                          const std::string& other) {
  for (const JointDescription* j : joints_at(robot, one))
    if ((j->parent == other || j->child == other) &&
        std::none_of(m.cut.begin(), m.cut.end(), [&](const CutJoint& c) { return c.name == j->name; }))
      return j->name;
  return {};
}

/// The last body with mass that the whole leg passes through; none where there is no such body.
std::optional<Link> last_link(const RobotDescription& robot, const Mechanism<double>& m, const Leg& leg) {
  const std::vector<int> ends = ends_of(m, leg);
  if (ends.empty()) return std::nullopt;
  int j = last_common(m, ends);
  while (j != base && (m.hidden[at(j)] || !m.has_inertia[at(j)])) j = m.parent[at(j)];
  if (j == base) return std::nullopt;
  int inner = m.parent[at(j)];
  while (inner != base && m.hidden[at(inner)]) inner = m.parent[at(inner)];
  const std::string& body = m.body_name[at(j)];
  return Link{body, joint_between(robot, m, body, inner == base ? std::string(base_name) : m.body_name[at(inner)])};
}

/// A platform that two joints hold, as the link of the chain whose joint is farther from its frame.
std::optional<Link> platform_link(const RobotDescription& robot, const Mechanism<double>& m) {
  if (!m.platform.floats) return std::nullopt;
  const std::string& body = robot.platform->body;
  const std::vector<const JointDescription*> two = joints_at(robot, body);
  if (two.size() != 2 || !(robot.body(body)->total().mass > 0)) return std::nullopt;
  const auto distance = [&](const JointDescription& j) {
    return (frame_on(j, body).p - robot.platform->frame.p).norm();
  };
  return Link{body, (distance(*two[0]) >= distance(*two[1]) ? two[0] : two[1])->name};
}

std::vector<Link> links_to_split(const RobotDescription& robot, const Mechanism<double>& m) {
  if (m.cut.empty()) throw Error(robot.where, "read a robot without loops, expected chains between base and platform");
  std::vector<Link> links;
  const std::optional<Link> platform = platform_link(robot, m);
  for (const Leg& leg : m.leg) {
    const bool holds_platform = platform && std::any_of(leg.cuts.begin(), leg.cuts.end(), [&](int c) {
                                  return m.cut[at(c)].name == platform->inner_joint;
                                });
    if (holds_platform) links.push_back(*platform);
    else if (const auto link = last_link(robot, m, leg)) links.push_back(*link);
    else
      throw Error(robot.where, fmt::format("chain '{}': read no link with mass that all of it passes through between "
                                           "base and platform, expected one to split",
                                           leg.name));
  }
  return links;
}

// ------------------------------------------------------------------------------------------------ its parts

Vec3<double> direction(const RobotDescription& robot, const Link& link) {
  const Transform<double>& inner = frame_on(*robot.joint(link.inner_joint), link.body);
  Vec3<double> outer = Vec3<double>::Zero();
  const auto joints = joints_at(robot, link.body);
  for (const JointDescription* j : joints)
    if (j->name != link.inner_joint) outer += frame_on(*j, link.body).p / static_cast<double>(joints.size() - 1);
  const Vec3<double> along = outer - inner.p;
  return along.norm() > 1e-9 ? along.normalized() : Vec3<double>(inner.R.col(2));
}

/// tr/2 1 - I of an inertia gives the second moments of mass; tr 1 - S of those the inertia.
Mat3<double> second_moments(const Mat3<double>& inertia) {
  return Mat3<double>::Identity() * (inertia.trace() / 2) - inertia;
}
Mat3<double> inertia_of(const Mat3<double>& S) { return Mat3<double>::Identity() * S.trace() - S; }

/// 1 / (u^T S^-1 u): what can be taken from S along u so that the rest is still of some mass.
double along(const Mat3<double>& S, const Vec3<double>& u) {
  const EigenPairs e = eigen_pairs(S);
  const double none = 1e-9 * e.s.cwiseAbs().maxCoeff();
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double share = std::pow(e.X.col(i).dot(u), 2);
    if (e.s[i] > none) sum += share / e.s[i];
    else if (share > 1e-9) return 0;
  }
  return sum > 0 ? 1 / sum : 0;
}

/// The parts of a body from the base on, all in its frame; the last one keeps its name.
std::vector<BodyDescription> parts_of(const BodyDescription& body, const Vec3<double>& u, double bar, int n) {
  const double share = 1.0 / (n + 1);
  const double spread = body.mass * bar * bar / 12 * (1 - share * share);
  BodyDescription part = body;
  part.symmetric = std::nullopt;
  part.points.clear();
  part.mass = body.mass * share;
  part.inertia = inertia_of((second_moments(body.inertia) - u * u.transpose() * spread) * share);
  std::vector<BodyDescription> parts(at(n + 1), part);
  for (int i = 0; i <= n; ++i) {
    parts[at(i)].com = body.com + u * (bar * ((i + 0.5) * share - 0.5));
    if (i < n) parts[at(i)].name = fmt::format("{}.part{}", body.name, i + 1);
  }
  for (const auto& point : body.points) {  // with the part that is there; beyond the bar with the nearer end
    const double x = bar > 0 ? (u.dot(point.second - body.com) / bar + 0.5) * (n + 1) : n;
    parts[at(static_cast<int>(std::clamp(std::floor(x), 0.0, static_cast<double>(n))))].points.push_back(point);
  }
  return parts;
}

JointDescription slide(const BodyDescription& body, const std::string& inner, const std::string& outer,
                       const Transform<double>& frame, int i, double stiffness) {
  JointDescription j;
  j.where = body.where;
  j.name = fmt::format("{}.stretch{}", body.name, i);
  j.kind = JointKind::prismatic;
  j.parent = inner;
  j.child = outer;
  j.origin = j.child_origin = frame;
  CoordinateDescription c;
  c.elastic = true;
  c.stiffness = stiffness;
  c.home = 0;
  j.coordinates = {c};
  return j;
}

void split(RobotDescription& robot, const Link& link, int n) {
  const auto place =
      std::find_if(robot.bodies.begin(), robot.bodies.end(), [&](const auto& b) { return b.name == link.body; });
  const BodyDescription body = *place;
  if (!body.beam.empty())
    throw Error(body.where, fmt::format("body '{}': read a beam, expected a rigid link to split", body.name));
  const Vec3<double> u = direction(robot, link);
  const double bar = body.mass > 0 ? std::sqrt(12 * along(second_moments(body.inertia), u) / body.mass) : 0;
  const std::vector<BodyDescription> parts = parts_of(body, u, bar, n);
  const double stiffness = n * body.total().mass * std::pow(2 * std::numbers::pi * chain_frequency, 2);
  robot.bodies.insert(robot.bodies.erase(place), parts.begin(), parts.end());
  for (JointDescription& j : robot.joints)
    if (j.name == link.inner_joint) (j.child == link.body ? j.child : j.parent) = parts.front().name;
  for (int i = 1; i <= n; ++i) {
    const Transform<double> frame{rotation_to_axis(u), body.com + u * (bar * (i / (n + 1.0) - 0.5))};
    robot.joints.push_back(slide(body, parts[at(i - 1)].name, parts[at(i)].name, frame, i, stiffness));
  }
  for (LegDescription& leg : robot.legs)
    if (std::find(leg.bodies.begin(), leg.bodies.end(), body.name) != leg.bodies.end())
      for (int i = 0; i < n; ++i) leg.bodies.push_back(parts[at(i)].name);
}

}  // namespace

RobotDescription with_elastic_chains(RobotDescription robot, int n) {
  if (n < 1 || n > most_elastic)
    throw Error(fmt::format("read {} elastic freedoms per chain, expected 1 to {}", n, most_elastic));
  check_description(robot);
  robot = merge_bodies(std::move(robot));
  for (const Link& link : links_to_split(robot, build(robot))) split(robot, link, n);
  return robot;
}

// ------------------------------------------------------------------------------------------------ more legs

namespace {

/// A copy of a leg's parts, turned about the platform's z axis.
class LegCopy {
 public:
  LegCopy(const RobotDescription& robot, const LegDescription& leg, std::string name, double angle,
          const Transform<double>& home)
      : robot_(robot), leg_(leg), name_(std::move(name)) {
    const Transform<double> turn{rotation_z(angle), Vec3<double>::Zero()};
    const Transform<double>& frame = robot.platform->frame;
    base_ = home * turn * home.inverse();
    platform_ = frame * turn * frame.inverse();
  }

  void add_to(RobotDescription& out) const {
    LegDescription leg{name_, {}};
    for (const std::string& body : leg_.bodies) {
      BodyDescription b = *robot_.body(body);
      b.name = renamed(body);
      leg.bodies.push_back(b.name);
      out.bodies.push_back(b);
    }
    out.legs.push_back(leg);
    for (JointDescription j : robot_.joints)
      if (is_mine(j.parent) || is_mine(j.child)) {
        j.origin = turned(j.parent) * j.origin;
        j.child_origin = turned(j.child) * j.child_origin;
        j.name = renamed(j.name);
        for (CoordinateDescription& c : j.coordinates) c.name = renamed(c.name);
        j.parent = is_mine(j.parent) ? renamed(j.parent) : j.parent;
        j.child = is_mine(j.child) ? renamed(j.child) : j.child;
        out.joints.push_back(j);
      }
    for (SpringDescription s : robot_.springs)
      if (is_mine(s.body_a) || is_mine(s.body_b)) {
        s.point_a = turned(s.body_a) * s.point_a;
        s.point_b = turned(s.body_b) * s.point_b;
        s.name = renamed(s.name);
        s.body_a = is_mine(s.body_a) ? renamed(s.body_a) : s.body_a;
        s.body_b = is_mine(s.body_b) ? renamed(s.body_b) : s.body_b;
        out.springs.push_back(s);
      }
  }

 private:
  bool is_mine(const std::string& body) const {
    return std::find(leg_.bodies.begin(), leg_.bodies.end(), body) != leg_.bodies.end();
  }
  Transform<double> turned(const std::string& body) const {
    if (body == base_name) return base_;
    return body == robot_.platform->body ? platform_ : Transform<double>();
  }
  /// "leg1.arm" becomes "leg1_2.arm"; a name without the leg's is put behind it.
  std::string renamed(const std::string& name) const {
    if (name.empty()) return name;
    return name_ + (name.starts_with(leg_.name + ".") ? name.substr(leg_.name.size()) : "." + name);
  }

  const RobotDescription& robot_;
  const LegDescription& leg_;
  std::string name_;
  Transform<double> base_, platform_;
};

}  // namespace

RobotDescription with_repeated_legs(RobotDescription robot, int times, const Transform<double>& home) {
  if (robot.legs.empty() || !robot.platform)
    throw Error(robot.where, "read a robot without `legs` and a platform, expected legs that can be repeated");
  if (times < 1 || robot.legs.size() * at(times) > most_legs)
    throw Error(robot.where,
                fmt::format("read {} legs {} times, expected 1 to {} legs", robot.legs.size(), times, most_legs));
  robot = merge_fixed(std::move(robot));
  const RobotDescription one = robot;
  for (int i = 1; i < times; ++i)
    for (const LegDescription& leg : one.legs) {
      const double angle = 2 * std::numbers::pi * i / (times * static_cast<double>(one.legs.size()));
      LegCopy(one, leg, fmt::format("{}_{}", leg.name, i + 1), angle, home).add_to(robot);
    }
  return robot;
}

}  // namespace gough
