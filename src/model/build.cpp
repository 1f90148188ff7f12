#include "gough/model/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <queue>

#include "union_find.hpp"

namespace gough {
namespace {

/// The robot as a graph: node 0 is the base, node i + 1 body i; edges are the joints.
struct Graph {
  struct Edge {
    int a, b;
  };
  std::vector<Edge> edge;
  std::vector<std::vector<int>> edges_of;
  std::vector<int> distance;  ///< from the base, in joints

  explicit Graph(const RobotDescription& robot) : edges_of(robot.bodies.size() + 1), distance(edges_of.size(), -1) {
    std::map<std::string, int> node = {{std::string(base_name), 0}};
    for (std::size_t i = 0; i < robot.bodies.size(); ++i) node[robot.bodies[i].name] = static_cast<int>(i) + 1;
    for (const JointDescription& j : robot.joints) {
      const int e = static_cast<int>(edge.size());
      edge.push_back({node.at(j.parent), node.at(j.child)});
      edges_of[at(edge.back().a)].push_back(e);
      edges_of[at(edge.back().b)].push_back(e);
    }
    std::queue<int> front({0});
    distance[0] = 0;
    for (; !front.empty(); front.pop())
      for (const int e : edges_of[at(front.front())])
        if (const int next = other(e, front.front()); distance[at(next)] < 0) {
          distance[at(next)] = distance[at(front.front())] + 1;
          front.push(next);
        }
  }
  int other(int e, int node) const { return edge[at(e)].a == node ? edge[at(e)].b : edge[at(e)].a; }
};

/// Which joints stay in the tree, and whether the platform floats.
struct TreeChoice {
  std::vector<bool> cut;  ///< per joint
  bool platform_floats = false;
};

class TreeChooser {
 public:
  TreeChooser(const RobotDescription& robot, const Graph& graph) : robot_(robot), graph_(graph) {
    if (!robot.platform) return;
    const auto body = std::find_if(robot.bodies.begin(), robot.bodies.end(),
                                   [&](const auto& b) { return b.name == robot.platform->body; });
    platform_ = static_cast<int>(body - robot.bodies.begin()) + 1;
  }

  TreeChoice choose() const {
    const auto order = by_preference();
    TreeChoice choice{std::vector<bool>(robot_.joints.size(), false), platform_may_float()};
    UnionFind connected(graph_.edges_of.size());
    if (choice.platform_floats) connected.join(0, platform_);
    for (const int e : order) {
      choice.cut[at(e)] = !connected.join(graph_.edge[at(e)].a, graph_.edge[at(e)].b);
      check(robot_.joints[at(e)], choice.cut[at(e)]);
    }
    return choice;
  }

 private:
  bool touches_platform(int e) const {
    return platform_ > 0 && (graph_.edge[at(e)].a == platform_ || graph_.edge[at(e)].b == platform_);
  }

  bool platform_may_float() const {
    if (platform_ <= 0) return false;
    const auto& edges = graph_.edges_of[at(platform_)];
    return std::count_if(edges.begin(), edges.end(), [&](int e) { return holds_platform(e); }) >= 2 &&
           std::none_of(edges.begin(), edges.end(), [&](int e) { return must_stay(robot_.joints[at(e)]); });
  }

  /// Whether a joint of the platform is on a way to the base; others carry what hangs on it.
  bool holds_platform(int e) const {
    std::vector<bool> met(graph_.edges_of.size(), false);
    met[at(platform_)] = true;
    std::vector<int> front = {graph_.other(e, platform_)};
    while (!front.empty()) {
      const int node = front.back();
      front.pop_back();
      if (node == 0) return true;
      if (met[at(node)]) continue;
      met[at(node)] = true;
      for (const int next : graph_.edges_of[at(node)]) front.push_back(graph_.other(next, node));
    }
    return false;
  }

  /// 0 must stay, then the order in which joints are kept; the last ones close the loops.
  int preference(int e) const {
    const JointDescription& j = robot_.joints[at(e)];
    if (must_stay(j)) return 0;
    if (j.cut.value_or(false)) return 4;
    if (touches_platform(e)) return 3;
    const bool one_or_two = j.kind != JointKind::spherical && cut_rows(j.kind).size() >= 4;
    return one_or_two ? 1 : 2;
  }

  std::vector<int> by_preference() const {
    std::vector<int> order(robot_.joints.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](int e) {
      const Graph::Edge& edge = graph_.edge[at(e)];
      return std::pair(preference(e), std::min(graph_.distance[at(edge.a)], graph_.distance[at(edge.b)]));
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    return order;
  }

  static void check(const JointDescription& j, bool cut) {
    if (cut && must_stay(j))
      throw Error(j.where,
                  fmt::format("joint '{}': read a loop in which every joint is actuated, elastic, partly locked "
                              "or `cut: false`, expected one that may be cut",
                              j.name));
    if (!cut && j.cut.value_or(false))
      throw Error(j.where, fmt::format("joint '{}': read `cut: true`, expected a joint that closes a loop: without it "
                                       "'{}' would hang on nothing",
                                       j.name, j.child));
  }

  const RobotDescription& robot_;
  const Graph& graph_;
  int platform_ = -1;
};

/// Builds the mechanism body by body along the chosen tree.
class Builder {
 public:
  explicit Builder(const RobotDescription& robot)
      : robot_(robot), graph_(robot), choice_(TreeChooser(robot, graph_).choose()), place_(graph_.edges_of.size()) {}

  Mechanism<double> run() {
    m_.name = robot_.name;
    m_.gravity = robot_.gravity;
    m_.merged = robot_.merged;
    m_.loops = static_cast<int>(robot_.joints.size()) - static_cast<int>(robot_.bodies.size());
    for (const auto& [name, value] : robot_.coefficients) {
      coefficient_index_[name] = static_cast<int>(m_.coefficient.size());
      m_.coefficient_name.push_back(name);
      m_.coefficient.push_back(value);
    }
    place_[0].placed = true;
    if (choice_.platform_floats) add_floating_platform();
    add_children(0);
    for (std::size_t e = 0; e < robot_.joints.size(); ++e)
      if (choice_.cut[e]) add_cut(static_cast<int>(e));
    add_platform();
    add_springs();
    collect_driven();
    collect_legs();
    finish_home();
    measure();
    for (const WeldedBody& w : robot_.welded) {
      const Place& onto = place_of(w.onto);
      m_.welded.push_back({w.name, onto.body, onto.frame * w.pose, w.inertia});
    }
    return std::move(m_);
  }

 private:
  /// Where a node of the graph ended up: its body and the author's frame in it.
  struct Place {
    bool placed = false;
    int body = base;
    Transform<double> frame;
  };

  void add_floating_platform() {
    const auto body = std::find_if(robot_.bodies.begin(), robot_.bodies.end(),
                                   [&](const auto& b) { return b.name == robot_.platform->body; });
    const int node = static_cast<int>(body - robot_.bodies.begin()) + 1;
    JointDescription free;
    free.name = body->name;
    free.kind = JointKind::free;
    free.coordinates.resize(6);
    JointRun run = joint_run(JointKind::free, 0);
    run.offset.back() =
        robot_.platform->frame.inverse();  // our frame is the platform's: its coordinates are the task's
    add_body(free, run, false, 0, node);
    add_children(node);
  }

  void add_children(int node) {
    for (const int e : graph_.edges_of[at(node)]) {
      const int next = graph_.other(e, node);
      if (choice_.cut[at(e)] || place_[at(next)].placed) continue;
      const JointDescription& joint = robot_.joints[at(e)];
      const bool backwards = graph_.edge[at(e)].b == node;
      const Transform<double>& near = backwards ? joint.child_origin : joint.origin;
      const Transform<double>& far = backwards ? joint.origin : joint.child_origin;
      JointRun run = joint_run(joint.kind, joint.length);
      if (backwards) run = reversed(run);
      run.offset.front() = near * run.offset.front();
      run.offset.back() = run.offset.back() * far.inverse();
      add_body(joint, run, backwards, node, next);
      add_children(next);
    }
  }

  void add_body(const JointDescription& joint, const JointRun& run, bool backwards, int from, int node) {
    const BodyDescription& body = robot_.bodies[at(node - 1)];
    const std::size_t n = run.joint.size();
    int parent = place_[at(from)].body;
    Transform<double> before = place_[at(from)].frame;
    for (std::size_t i = 0; i < n; ++i) {
      const bool last = i + 1 == n;
      add_elementary(joint, run.joint[i], backwards ? n - 1 - i : i, backwards, parent, before * run.offset[i]);
      parent = m_.tree_size() - 1;
      before = Transform<double>();
      m_.body_name.push_back(last ? body.name : fmt::format("{}.between{}", joint.name, i + 1));
      m_.hidden.push_back(!last);
      m_.body_frame.push_back(last ? run.offset[n] : Transform<double>());
      m_.inertia.push_back(last ? run.offset[n] * body.total() : Inertia<double>());
      m_.has_inertia.push_back(last && body.total().mass > 0);
      InertiaEntries every;
      every.fill(true);
      if (last && !body.beam.empty()) m_.beam.push_back({m_.tree_size() - 1, body});
      m_.entries.push_back(last ? body.symmetric.value_or(every) : InertiaEntries{});
    }
    place_[at(node)] = {true, parent, run.offset[n]};
  }

  /// The k-th elementary joint of `joint`, at `placement` in body `parent`; locked ones become fixed where they stand.
  void add_elementary(const JointDescription& joint, Elementary type, std::size_t k, bool backwards, int parent,
                      Transform<double> placement) {
    const auto kinds = joint_run(joint.kind, joint.length).joint;
    std::size_t first = 0;
    for (std::size_t i = 0; i < k; ++i) first += at(velocity_size(kinds[i]));
    if (velocity_size(type) == 1 && joint.coordinates[first].locked) {
      const double value = start_value(joint.coordinates[first]);
      if (type == Elementary::revolute) placement.R = placement.R * rotation_z(value);
      if (type == Elementary::prismatic) placement.p += placement.R.col(2) * value;
      type = Elementary::fixed;
    }
    m_.parent.push_back(parent);
    m_.placement.push_back(placement);
    TreeJoint tree{type, m_.nq, m_.nv, backwards};
    if (type == Elementary::modal) {
      if (backwards)
        throw Error(joint.where,
                    fmt::format("body '{}': read a loop that reaches it at its far end first, expected the "
                                "end that its modes take as clamped",
                                joint.parent));
      tree.modal = static_cast<int>(m_.modal.size());
      tree.modes = static_cast<int>(joint.modal->modes());
      m_.modal.push_back(joint.modal);
    }
    m_.joint.push_back(tree);
    m_.nq += position_size(tree);
    m_.nv += velocity_size(tree);
    if (backwards && has_turns(tree)) refuse_axes(joint, first);
    for (int c = 0; c < velocity_size(tree); ++c) add_coordinate(joint, first + at(c));
    if (backwards && has_turns(tree))  // the turn is the inverse one, and so is where its springs rest
      for (int c = single_coordinates(tree); c < velocity_size(tree); ++c) m_.rest[at(tree.v + c)] *= -1;
    add_start(joint, tree, first);
  }

  /// Walked from its child to its parent a ball turns about the parent's axes: forces that differ from axis to axis would change hands.
  void refuse_axes(const JointDescription& joint, std::size_t first) const {
    const auto turn = joint.coordinates.end() - 3;
    const auto is_driven = [](const CoordinateDescription& c) {
      return c.actuated || c.elastic || c.rotor_inertia != 0;
    };
    const auto differs = [&](const CoordinateDescription& c) {
      return is_driven(c) || c.damping != turn->damping ||
             !std::equal(c.friction.begin(), c.friction.end(), turn->friction.begin(), turn->friction.end(),
                         [&](const FrictionTerm& x, const FrictionTerm& y) {
                           return x.function == y.function &&
                                  m_.coefficient[at(coefficient_index_.at(x.coefficient))] ==
                                      m_.coefficient[at(coefficient_index_.at(y.coefficient))];
                         });
    };
    const auto feels = [&](const CoordinateDescription& c) {
      return is_driven(c) || c.stiffness != 0 || c.damping != 0 || !c.friction.empty();
    };
    if (std::any_of(joint.coordinates.begin() + static_cast<std::ptrdiff_t>(first), turn, feels) ||
        std::any_of(turn, joint.coordinates.end(), differs))
      throw Error(
          joint.where,
          fmt::format(
              "joint '{}': read drives, damping or friction that differ between the child's axes, on a ball that the "
              "way from the base reaches from its child; expected parent and child the other way round",
              joint.name));
  }

  static double start_value(const CoordinateDescription& c) { return c.home.value_or(c.guess.value_or(0.0)); }

  /// Walked backwards, a turn and a pose are the inverse of what the file says; single axes are turned round instead.
  void add_start(const JointDescription& joint, const TreeJoint& tree, std::size_t first) {
    const Elementary type = tree.type;
    const bool backwards = tree.reversed;
    const auto value = [&](std::size_t k) { return start_value(joint.coordinates[first + k]); };
    const auto rotation = [&](std::size_t k) -> Mat3<double> {
      const Mat3<double> R = rotation_from_vector<double>({value(k), value(k + 1), value(k + 2)});
      return backwards ? Mat3<double>(R.transpose()) : R;
    };
    const auto turn = [&](std::size_t k) {
      const Eigen::Vector4d unit = quaternion_from_rotation(rotation(k));
      start_.insert(start_.end(), unit.begin(), unit.end());
    };
    if (!has_turns(tree))
      for (int c = 0; c < velocity_size(tree); ++c) start_.push_back(value(at(c)));
    if (type == Elementary::spherical) turn(0);
    if (type == Elementary::free) {
      Vec3<double> p(value(0), value(1), value(2));
      if (backwards) p = -(rotation(3) * p);
      start_.insert(start_.end(), p.begin(), p.end());
      turn(3);
    }
    for (int c = 0; c < velocity_size(tree); ++c)
      m_.home_description.held.push_back(joint.coordinates[first + at(c)].home.has_value());
  }

  void add_coordinate(const JointDescription& joint, std::size_t k) {
    const CoordinateDescription& d = joint.coordinates[k];
    if (d.guess && !d.home) m_.home_description.guess.push_back({static_cast<int>(m_.coordinate.size()), *d.guess});
    Coordinate c;
    c.name = coordinate_name(joint, k);
    c.joint = joint.name;
    c.is_length = joint.modal ? joint.modal->is_length[k] : coordinate_kinds(joint.kind)[k].is_length;
    c.actuated = d.actuated;
    c.elastic = d.elastic;
    c.has_drive = d.has_drive;
    c.position = d.position;
    c.velocity = d.velocity;
    c.acceleration = d.acceleration;
    c.force = d.force;
    for (const FrictionTerm& f : d.friction) c.friction.push_back({f.function, coefficient_index_.at(f.coefficient)});
    m_.coordinate.push_back(c);
    m_.stiffness.push_back(d.stiffness);
    m_.damping.push_back(d.damping);
    m_.rest.push_back(d.rest);
    m_.rotor_inertia.push_back(d.rotor_inertia);
    m_.ratio.push_back(d.ratio);
  }

  void add_cut(int e) {
    const JointDescription& joint = robot_.joints[at(e)];
    const Place& a = place_[at(graph_.edge[at(e)].a)];
    const Place& b = place_[at(graph_.edge[at(e)].b)];
    CutJoint cut;
    cut.name = joint.name;
    cut.kind = joint.kind;
    cut.a = a.body;
    cut.b = b.body;
    cut.rows = cut_rows(joint.kind);
    cut.first_row = m_.equations;
    cut.first_coordinate = static_cast<int>(m_.coordinate.size());
    cut.path = path_between(a.body, b.body);
    m_.equations += static_cast<int>(cut.rows.size());
    m_.cut.push_back(cut);
    m_.cut_a.push_back(a.frame * joint.origin);
    m_.cut_b.push_back(b.frame * joint.child_origin);
    m_.cut_length.push_back(joint.length);
    for (std::size_t k = 0; k < joint.coordinates.size(); ++k) add_coordinate(joint, k);
  }

  std::vector<CutJoint::Step> path_between(int a, int b) const {
    std::vector<CutJoint::Step> path;
    while (a != b) {  // parents come first, so the larger index is never the common ancestor
      int& deeper = a > b ? a : b;
      path.push_back({deeper, &deeper == &b ? 1 : -1});
      deeper = m_.parent[at(deeper)];
    }
    std::sort(path.begin(), path.end(), [](const auto& x, const auto& y) { return x.body < y.body; });
    return path;
  }

  void add_platform() {
    if (!robot_.platform) return;
    const PlatformDescription& p = *robot_.platform;
    const Place& place = place_of(p.body);
    m_.platform.body = place.body;
    m_.platform.floats = choice_.platform_floats;
    m_.platform.coordinates = p.coordinates;
    m_.platform.limits = p.limits;
    m_.platform_frame = place.frame * p.frame;
    m_.tool_frame = p.tool;
    m_.home_description.platform = p.home;
  }

  const Place& place_of(const std::string& name) const {
    if (name == base_name) return place_[0];
    const auto body =
        std::find_if(robot_.bodies.begin(), robot_.bodies.end(), [&](const auto& b) { return b.name == name; });
    return place_[at(static_cast<int>(body - robot_.bodies.begin()) + 1)];
  }

  void add_springs() {
    for (const SpringDescription& s : robot_.springs) {
      const Place &a = place_of(s.body_a), &b = place_of(s.body_b);
      m_.spring.push_back({s.name, a.body, b.body});
      m_.spring_point_a.push_back(a.frame * s.point_a);
      m_.spring_point_b.push_back(b.frame * s.point_b);
      m_.spring_stiffness.push_back(s.stiffness);
      m_.spring_damping.push_back(s.damping);
      m_.spring_length.push_back(s.free_length);
    }
  }

  void collect_driven() {
    for (const JointDescription& joint : robot_.joints)
      for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
        if (!joint.coordinates[k].actuated && !joint.coordinates[k].elastic) continue;
        const int c = m_.find_coordinate(coordinate_name(joint, k));
        assert(c >= 0 && c < m_.nv && "actuated and elastic joints are never cut");
        if (joint.coordinates[k].actuated) m_.actuator.push_back(c);
        if (joint.coordinates[k].elastic) m_.elastic.push_back(c);
      }
  }

  /// The branches that grow from the base, except the floating platform's, named by the file's legs where it has them.
  void collect_legs() {
    std::vector<int> leg_of(m_.parent.size(), -1);
    for (int j = 0; j < m_.tree_size(); ++j) {
      if (m_.parent[at(j)] != base) {
        leg_of[at(j)] = leg_of[at(m_.parent[at(j)])];
      } else if (!(m_.platform.floats && j == m_.platform.body)) {
        const std::string name = leg_name(j);
        if (m_.leg.empty() || m_.leg.back().name != name) m_.leg.push_back({name, j, 0, m_.joint[at(j)].v, 0, {}});
        leg_of[at(j)] = static_cast<int>(m_.leg.size()) - 1;
      }
      if (leg_of[at(j)] < 0) continue;
      Leg& leg = m_.leg[at(leg_of[at(j)])];
      leg.bodies += 1;
      leg.coordinates += velocity_size(m_.joint[at(j)]);
    }
    for (std::size_t c = 0; c < m_.cut.size(); ++c)
      for (const int end : {m_.cut[c].a, m_.cut[c].b})
        if (end != base && leg_of[at(end)] >= 0) {
          auto& cuts = m_.leg[at(leg_of[at(end)])].cuts;
          if (cuts.empty() || cuts.back() != static_cast<int>(c)) cuts.push_back(static_cast<int>(c));
        }
  }

  std::string leg_name(int first_body) const {
    int last = first_body;  // the massless bodies before the first real one carry no name of the author's
    while (m_.hidden[at(last)]) ++last;
    for (const LegDescription& leg : robot_.legs)
      if (std::find(leg.bodies.begin(), leg.bodies.end(), m_.body_name[at(last)]) != leg.bodies.end()) return leg.name;
    return m_.body_name[at(last)];
  }

  void finish_home() {
    m_.home_description.start = Eigen::Map<const VecX<double>>(start_.data(), static_cast<Eigen::Index>(start_.size()));
    m_.home = m_.home_description.start;
    for (const CutJoint& cut : m_.cut) {
      const JointDescription& joint = *robot_.joint(cut.name);
      for (const CoordinateDescription& c : joint.coordinates) m_.home_description.cut_start.push_back(start_value(c));
    }
  }

  /// A robot without any length, but for rounding, is measured in metres.
  void measure() {
    constexpr double rounding = 1e-14;
    double size = 0;
    const auto see = [&](double x) { size = std::max(size, std::abs(x)); };
    for (const JointDescription& j : robot_.joints) {
      for (const double x : {j.origin.p.norm(), j.child_origin.p.norm(), j.length}) see(x);
      for (std::size_t k = 0; k < j.coordinates.size(); ++k)
        if (!j.modal && coordinate_kinds(j.kind)[k].is_length) see(start_value(j.coordinates[k]));
    }
    for (const BodyDescription& b : robot_.bodies) see(b.com.norm());
    if (robot_.platform)
      for (std::size_t i = 0; i < 3; ++i) see(robot_.platform->home[i].value_or(0.0));
    if (size > rounding) {
      m_.size = size;
      m_.length_unit = std::pow(1000.0, std::round(std::log10(size) / 3));
    }
    m_.row_unit = VecX<double>::Ones(m_.equations);
    for (int r = 0; r < m_.equations; ++r)
      if (m_.row_is_length(r)) m_.row_unit[r] = m_.length_unit;
  }

  const RobotDescription& robot_;
  Graph graph_;
  TreeChoice choice_;
  std::vector<Place> place_;  ///< per node of the graph
  std::map<std::string, int> coefficient_index_;
  std::vector<double> start_;
  Mechanism<double> m_;
};

}  // namespace

bool must_stay(const JointDescription& j) {
  if (!j.cut.value_or(true) || j.kind == JointKind::free) return true;
  return std::any_of(j.coordinates.begin(), j.coordinates.end(), [](const auto& c) {
    return c.actuated || c.elastic || c.locked || c.rotor_inertia != 0;  // rotors turn with coordinates of the tree
  });
}

Mechanism<double> build(const RobotDescription& robot) {
  check_description(robot);
  const RobotDescription ready = merge_fixed(robot);
  return Builder(ready).run();
}

}  // namespace gough
