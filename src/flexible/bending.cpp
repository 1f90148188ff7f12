#include "gough/flexible/bending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "flex_plane.hpp"
#include "gough/dynamics/modal.hpp"
#include "gough/dynamics/prepare.hpp"
#include "gough/dynamics/reactions.hpp"
#include "gough/flexible/modal_body.hpp"
#include "gough/kinematics/idle.hpp"
#include "gough/model/build.hpp"

namespace gough {
namespace {

constexpr double same_place =
    0.01;  ///< of a beam's length: nearer places share a frame, a shorter piece would only be stiff

/// A beam as a line of pieces, by the length along it.
class Line {
 public:
  explicit Line(const std::vector<BeamDescription>& pieces) : pieces_(pieces) {
    for (const BeamDescription& p : pieces) end_.push_back((end_.empty() ? 0.0 : end_.back()) + p.length());
  }

  double length() const { return end_.back(); }

  /// The place on the line that is nearest to x, near enough to an end counted as that end.
  double nearest(const Vec3<double>& x) const {
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Vec3<double> d = pieces_[i].to - pieces_[i].from;
      const double share = std::clamp((x - pieces_[i].from).dot(d) / d.squaredNorm(), 0.0, 1.0);
      const double away = (pieces_[i].from + d * share - x).norm();
      if (away < least - 1e-12) least = away, best = start(i) + share * pieces_[i].length();
    }
    if (best < same_place * length()) return 0;
    return best > (1 - same_place) * length() ? length() : best;
  }

  Vec3<double> place(double s) const {
    std::size_t i = 0;
    while (i + 1 < pieces_.size() && s > end_[i]) ++i;
    return pieces_[i].from + (pieces_[i].to - pieces_[i].from) * ((s - start(i)) / pieces_[i].length());
  }

  /// The pieces between two places, walked from `near` to `far`, with their share of the elements.
  std::vector<BeamDescription> between(double near, double far) const {
    std::vector<BeamDescription> cut;
    const double low = std::min(near, far), high = std::max(near, far);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const double a = std::max(low, start(i)), b = std::min(high, end_[i]);
      if (b - a < 1e-9 * length()) continue;
      BeamDescription p = pieces_[i];
      p.from = place_in(i, a);
      p.to = place_in(i, b);
      p.elements = std::max(1, static_cast<int>(std::lround(p.elements * (b - a) / pieces_[i].length())));
      if (far < near) std::swap(p.from, p.to);
      cut.push_back(p);
    }
    if (far < near) std::reverse(cut.begin(), cut.end());
    return cut;
  }

 private:
  double start(std::size_t i) const { return i == 0 ? 0.0 : end_[i - 1]; }
  Vec3<double> place_in(std::size_t i, double s) const {
    return pieces_[i].from + (pieces_[i].to - pieces_[i].from) * ((s - start(i)) / pieces_[i].length());
  }

  const std::vector<BeamDescription>& pieces_;
  std::vector<double> end_;
};

/// One body of the description, taken apart into frames where something is attached, with modes between them.
class Bender {
 public:
  Bender(BentRobot& bent, const Mechanism<double>& rigid, const Workspace<double>& home, const ModesOptions& o)
      : robot_(bent.robot), places_(bent.places), rigid_(rigid), home_(home), o_(o), planar_(bent.planar) {}

  void bend(const std::string& name) {
    body_ = *robot_.body(name);
    const Line line(body_.beam);
    const int j = rigid_.find_body(name);
    const bool floats = rigid_.platform.floats && rigid_.platform.body == j;
    const std::string inner = floats ? joint_towards_base() : inner_joint(j);
    const double root = floats ? line.nearest(place_of(inner))
                        : rigid_.joint[at(j)].type == Elementary::prismatic
                            ? 0.0
                            : line.nearest(rigid_.body_frame[at(j)].inverse().p);
    if (floats) joint_named(inner).cut.reset();  // it carries the body now
    collect(line, inner, root);
    if (planar_) normal_ = (home_.X0[at(j)].R * rigid_.body_frame[at(j)].R).transpose() * Vec3<double>::UnitZ();
    place_frames(line, root);
    attach();
    const std::size_t k = index_of(root);
    for (std::size_t i = k; i + 1 < frame_.size(); ++i) add_modes(line, i, i + 1);
    for (std::size_t i = k; i > 0; --i) add_modes(line, i, i - 1);
  }

 private:
  struct Frame {
    double s;
    std::string name;
    Vec3<double> at;  ///< its origin in the author's frame
  };
  struct Attachment {
    std::string* body;
    Vec3<double>* point;
    double s;
  };

  /// The joint of the description through which the tree reaches body j.
  std::string inner_joint(int j) const {
    if (velocity_size(rigid_.joint[at(j)]) > 0) return rigid_.coordinate[at(rigid_.joint[at(j)].v)].joint;
    int before = rigid_.parent[at(j)];
    while (before != base && rigid_.hidden[at(before)]) before = rigid_.parent[at(before)];
    const std::string other = before == base ? std::string(base_name) : rigid_.body_name[at(before)];
    for (const JointDescription& joint : robot_.joints)
      if ((joint.child == body_.name && joint.parent == other) || (joint.parent == body_.name && joint.child == other))
        return joint.name;
    return {};
  }

  /// A platform floats while it is rigid; with modes in it the tree reaches it through the joint that is nearest to the base.
  std::string joint_towards_base() const {
    std::map<std::string, int> distance = {{std::string(base_name), 0}};
    for (bool grows = true; grows;) {
      grows = false;
      for (const JointDescription& j : robot_.joints)
        for (const auto& [from, to] : {std::pair(j.parent, j.child), std::pair(j.child, j.parent)})
          if (distance.contains(from) && !distance.contains(to)) distance[to] = distance[from] + 1, grows = true;
    }
    std::string best;
    int least = std::numeric_limits<int>::max();
    for (const JointDescription& j : robot_.joints) {
      if (j.parent != body_.name && j.child != body_.name) continue;
      const int d = distance[j.parent == body_.name ? j.child : j.parent];
      if (d < least) least = d, best = j.name;
    }
    return best;
  }
  JointDescription& joint_named(const std::string& name) {
    return *std::find_if(robot_.joints.begin(), robot_.joints.end(), [&](const auto& j) { return j.name == name; });
  }
  Vec3<double> place_of(const std::string& joint) const {
    const JointDescription& j = *robot_.joint(joint);
    return j.parent == body_.name ? j.origin.p : j.child_origin.p;
  }

  void collect(const Line& line, const std::string& inner, double root) {
    attachment_.clear();
    const auto add = [&](std::string& body, Vec3<double>& point, bool is_inner) {
      if (body == body_.name) attachment_.push_back({&body, &point, is_inner ? root : line.nearest(point)});
    };
    for (JointDescription& joint : robot_.joints) {
      const bool slides = joint.kind == JointKind::prismatic || joint.kind == JointKind::cylindrical;
      add(joint.parent, joint.origin.p, joint.name == inner);
      add(joint.child, joint.child_origin.p, joint.name == inner);
      if (slides && joint.name != inner && joint.child == body_.name)
        attachment_.back().s = 0;  // held at its clamped end
    }
    for (SpringDescription& s : robot_.springs) {
      add(s.body_a, s.point_a, false);
      add(s.body_b, s.point_b, false);
    }
    if (robot_.platform) add(robot_.platform->body, robot_.platform->frame.p, false);
  }

  /// A frame at both ends and wherever something sits.
  void place_frames(const Line& line, double root) {
    std::vector<double> stations = {0, root, line.length()};
    for (const Attachment& a : attachment_) stations.push_back(a.s);
    std::sort(stations.begin(), stations.end());
    frame_.clear();
    for (const double s : stations) {
      if (!frame_.empty() && s - frame_.back().s < same_place * line.length()) continue;
      frame_.push_back({s, "", line.place(s)});
    }
    for (std::size_t i = 0; i < frame_.size(); ++i) {
      Frame& f = frame_[i];
      const bool is_root = std::abs(f.s - root) < same_place * line.length();
      if (is_root) f.at.setZero();
      f.name = is_root                  ? body_.name
               : i == 0                 ? body_.name + ".start"
               : i + 1 == frame_.size() ? body_.name + ".end"
                                        : fmt::format("{}.part{}", body_.name, i + 1);
    }
    std::vector<BodyDescription> bodies;
    for (const Frame& f : frame_) {
      BodyDescription b;
      b.where = body_.where;
      b.name = f.name;
      if (f.s == 0) {  // what is rigid sits at the clamped end
        b.mass = body_.mass;
        b.com = body_.com - f.at;
        b.inertia = body_.inertia;
      }
      bodies.push_back(b);
    }
    const auto here =
        std::find_if(robot_.bodies.begin(), robot_.bodies.end(), [&](const auto& b) { return b.name == body_.name; });
    robot_.bodies.insert(robot_.bodies.erase(here), bodies.begin(), bodies.end());
    for (LegDescription& leg : robot_.legs)
      if (std::find(leg.bodies.begin(), leg.bodies.end(), body_.name) != leg.bodies.end())
        for (const Frame& f : frame_)
          if (f.name != body_.name) leg.bodies.push_back(f.name);
    points_ = body_.points;
    watched_.clear();
    const int j = rigid_.find_body(body_.name);
    for (std::size_t i = 0; i < o_.points.size(); ++i)
      if (o_.points[i].body == j) watched_.emplace_back(i, rigid_.body_frame[at(j)].inverse() * o_.points[i].at);
  }

  std::size_t index_of(double s) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < frame_.size(); ++i)
      if (std::abs(frame_[i].s - s) < std::abs(frame_[best].s - s)) best = i;
    return best;
  }

  /// The modal joint from frame `near` to frame `far`, with the beam between them and the masses on it.
  void add_modes(const Line& line, std::size_t near, std::size_t far) {
    const Frame &a = frame_[near], &b = frame_[far];
    BodyDescription part;
    part.where = body_.where;
    part.name = body_.name;
    part.beam = line.between(a.s, b.s);
    for (BeamDescription& p : part.beam)
      while (o_.refine && p.elements < most_elements / 2 && modes_of(part) < 2 * o_.modes) p.elements *= 2;
    for (BeamDescription& p : part.beam) {
      p.from -= a.at;
      p.to -= a.at;
    }
    std::erase_if(points_, [&](const auto& point) {
      const double s = line.nearest(point.second);
      if (s < std::min(a.s, b.s) || s > std::max(a.s, b.s)) return false;
      part.points.emplace_back(point.first, point.second - a.at);
      return true;
    });
    JointDescription joint;
    joint.where = body_.where;
    joint.name = b.name + ".modes";
    if (far + 1 == frame_.size() && near == 0) joint.name = body_.name + ".modes";
    std::vector<Vec3<double>> watched;
    std::erase_if(watched_, [&](const auto& point) {
      const double s = line.nearest(point.second);
      if (s < std::min(a.s, b.s) || s > std::max(a.s, b.s)) return false;
      places_[point.first] = {a.name, joint.name, watched.size(), point.second - line.place(s)};
      watched.emplace_back(line.place(s) - a.at);
      return true;
    });
    joint.kind = JointKind::modal;
    joint.parent = a.name;
    joint.child = b.name;
    joint.modal = std::make_shared<ModalBody>(modal_body(part, std::min(o_.modes, modes_of(part)), normal_, watched));
    for (Eigen::Index k = 0; k < joint.modal->modes(); ++k) joint.coordinates.push_back(coordinate(*joint.modal, k));
    for (std::size_t k = 0; k < joint.coordinates.size(); ++k)
      joint.coordinates[k].name = fmt::format("{}.{}", joint.name, k + 1);
    robot_.joints.push_back(joint);
  }

  int modes_of(const BodyDescription& part) const {
    int elements = 0;
    for (const BeamDescription& p : part.beam) elements += p.elements;
    return elements * (normal_ ? 3 : 6);
  }

  CoordinateDescription coordinate(const ModalBody& m, Eigen::Index k) const {
    CoordinateDescription c;
    c.elastic = true;
    c.stiffness = m.stiffness[k];
    c.damping = o_.damping ? o_.damping->mass * m.mass[k] + o_.damping->stiffness * m.stiffness[k] : m.damping[k];
    c.damping += 2 * o_.modal_damping * std::sqrt(m.mass[k] * m.stiffness[k]);
    c.home = 0;
    return c;
  }

  void attach() {
    for (Attachment& a : attachment_) {
      const Frame& f = frame_[index_of(a.s)];
      *a.body = f.name;
      *a.point -= f.at;
    }
  }

  RobotDescription& robot_;
  std::vector<BentPlace>& places_;
  const Mechanism<double>& rigid_;
  const Workspace<double>& home_;
  const ModesOptions& o_;
  bool planar_;
  BodyDescription body_;
  std::optional<Vec3<double>> normal_;
  std::vector<Frame> frame_;
  std::vector<Attachment> attachment_;
  std::vector<std::pair<double, Vec3<double>>> points_;        ///< masses that are still to be placed
  std::vector<std::pair<std::size_t, Vec3<double>>> watched_;  ///< the same of ModesOptions::points
};

}  // namespace

namespace {

/// The bent robot's tree is the rigid one's: what closes loops there closes them here.
void keep_tree(const Mechanism<double>& m, RobotDescription& robot) {
  for (const CutJoint& cut : m.cut) {
    const auto j =
        std::find_if(robot.joints.begin(), robot.joints.end(), [&](const auto& x) { return x.name == cut.name; });
    if (j != robot.joints.end()) j->cut = true;
  }
}

void refuse_carriages(const Mechanism<double>& m, const Workspace<double>& w) {
  for (int j = 0; j < m.tree_size(); ++j) {
    if (m.joint[at(j)].type != Elementary::prismatic || m.parent[at(j)] == base) continue;
    refuse_carriage(m, w, m.parent[at(j)], w.X0[at(m.parent[at(j)])] * m.placement[at(j)],
                    m.coordinate[at(m.joint[at(j)].v)].joint);
  }
  for (std::size_t c = 0; c < m.cut.size(); ++c)
    if (const JointKind k = m.cut[c].kind;
        k == JointKind::prismatic || k == JointKind::cylindrical || k == JointKind::point_on_line)
      refuse_carriage(m, w, m.cut[c].a, cut_frame_a(m, w, c), m.cut[c].name);
}

}  // namespace

BentRobot with_modes(const RobotDescription& wanted, const ModesOptions& o) {
  const RobotDescription robot = merge_bodies(wanted);
  const Prepared rigid = prepare_kernels(robot);
  const Mechanism<double>& m = rigid.mechanism;
  if (m.beam.empty())
    throw Error(robot.where, fmt::format("{}: read no beam, expected a body with one: nothing bends", robot.name));
  if (o.modes < 1 || o.modes > most_modes)
    throw Error(fmt::format("read {} modes, expected 1 to {}", o.modes, most_modes));
  if (!(o.modal_damping >= 0)) throw Error(fmt::format("read a damping of {:g}, expected 0 or more", o.modal_damping));
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  const std::string spatial = out_of_plane(m, w, {});
  if (o.space == FlexSpace::planar && !spatial.empty())
    throw Error(fmt::format("{}: read {} out of the plane of x and y, expected a planar robot", m.name, spatial));
  refuse_carriages(m, w);
  BentRobot bent{robot, o.space == FlexSpace::planar};
  keep_tree(m, bent.robot);
  if (o.space == FlexSpace::automatic) bent.planar = spatial.empty() && beside_plane(m, w).empty();
  for (const FlexPoint& p : o.points) {
    if (p.body < 0 || p.body >= m.tree_size())
      throw Error(fmt::format("{}: read the place '{}' on no body, expected one of the robot's", m.name, p.name));
    bent.places.push_back({m.body_name[at(p.body)], "", 0, m.body_frame[at(p.body)].inverse() * p.at});
  }
  for (const BeamBody& b : m.beam) Bender(bent, m, w, o).bend(b.description.name);
  return bent;
}

namespace {

/// The frame before modal joint j.
Transform<double> near_end(const Mechanism<double>& m, const Workspace<double>& w, std::size_t j) {
  return w.X0[at(m.parent[j])] * m.placement[j];
}

VecX<double> modes_in(const Mechanism<double>& m, const VecX<double>& of, std::size_t j, int first) {
  return of.segment(first, m.joint[j].modes);
}

/// Points of a beam in the frame at its near end.
VecX<double> bent_points(const ModalPoints& p, const VecX<double>& eta) {
  VecX<double> x(3 * p.count()), work(p.count() * eta.size());
  MatX<double> N(3 * p.count(), eta.size());
  modal_points(p, eta.data(), x, N, work);
  return x;
}

std::size_t joint_of(const Mechanism<double>& m, const std::string& name) {
  const int c = m.find_coordinate(name + ".1");
  for (std::size_t j = 0; j < m.joint.size(); ++j)
    if (m.joint[j].type == Elementary::modal && m.joint[j].v == c) return j;
  throw Error(fmt::format("{}: read the beam '{}', expected one that bends", m.name, name));
}

}  // namespace

Transform<double> pose_of_place(const Mechanism<double>& m, const Workspace<double>& w, const BentPlace& place) {
  if (place.joint.empty()) {
    const Transform<double> body = w.X0[at(m.find_body(place.body))] * m.author_frame(place.body);
    return body * Transform<double>{Mat3<double>::Identity(), place.arm};
  }
  const std::size_t j = joint_of(m, place.joint);
  const ModalBody& b = m.modal_of(j);
  const VecX<double> eta = modes_in(m, w.q, j, m.joint[j].q);
  const auto i = 3 * static_cast<Eigen::Index>(place.index);
  const Mat3<double> R = rotation_from_vector<double>(Vec3<double>(b.watched_turn.middleRows(i, 3) * eta));
  return near_end(m, w, j) *
         Transform<double>{R, Vec3<double>(bent_points(b.watched, eta).segment<3>(i) + R * place.arm)};
}

void see_range(const Mechanism<double>& m, const Workspace<double>& now, const Dynamics<double>& d, double t,
               FlexRange& range) {
  Workspace<double> w = now;
  const Reactions carried = reactions(m, w, d);
  double largest = 0;
  std::vector<std::pair<double, std::string>> shortening;
  for (std::size_t j = 0; j < m.joint.size(); ++j) {
    if (m.joint[j].type != Elementary::modal) continue;
    const ModalBody& b = m.modal_of(j);
    const VecX<double> eta = modes_in(m, w.q, j, m.joint[j].q), rate = modes_in(m, w.v, j, m.joint[j].v),
                       acceleration = modes_in(m, w.a, j, m.joint[j].v);
    const std::string& body = m.body_name[at(m.parent[j])];
    const VecX<double> turn = b.node_turn * eta, moved = b.lump.shape * eta;
    for (Eigen::Index k = 0; k < turn.size(); k += 3) range.turn.see(turn.segment<3>(k).norm(), t, body);
    for (Eigen::Index k = 0; k < moved.size(); k += 3) largest = std::max(largest, moved.segment<3>(k).norm());
    double pulled = 0;
    for (const ModalPoints::Shortening& e : b.end.shortening) pulled += eta.dot(e.B * eta) / 2;
    shortening.emplace_back(pulled, body);
    // what the beam's ends pass on: the far end to what it carries, the near end also to the beam's own mass  (M6), (M7)
    const auto i = at(m.parent[j]);
    const Transform<double> F = near_end(m, w, j);
    Motion<double> a = w.A[i];
    a.linear -= w.X0[i].R.transpose() * m.gravity;
    modal_lumps(m, w, j);
    VecX<double> Q = VecX<double>::Zero(eta.size());
    const Force<double> own =
        modal_forces<double>(b, m.placement[j].from_outside(w.V[i]), m.placement[j].from_outside(a), rate.data(),
                             acceleration.data(), w.modal[at(m.joint[j].modal)], Q.data());
    const Vec3<double> along = b.chord.normalized(), far = F.R.transpose() * carried.tree[j].wrench.force;
    const double push = std::max(along.dot(far), along.dot(far + own.force));
    range.compression.see(push / b.euler_load, t, body);
  }
  for (const auto& [pulled, body] : shortening)
    if (largest > 0) range.second_order.see(pulled / largest, t, body);
}

}  // namespace gough
