#include "gough/kinematics/joint_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>

#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double same_place = 1e-9;  ///< of the size of what is looked at

MatX<double> turns_about(const MatX<double>& axes) {
  MatX<double> S = MatX<double>::Zero(6, axes.cols());
  S.topRows(3) = axes;
  return S;
}
MatX<double> slides_along(const MatX<double>& directions) {
  MatX<double> S = MatX<double>::Zero(6, directions.cols());
  S.bottomRows(3) = directions;
  return S;
}
MatX<double> side_by_side(const MatX<double>& A, const MatX<double>& B) {
  MatX<double> both(6, A.cols() + B.cols());
  both << A, B;
  return both;
}

Vec3<double> place(const Workspace<double>& w, const JointCentre& c) {
  return c.body == base ? c.point : w.X0[at(c.body)] * c.point;
}

class GraphBuilder {
 public:
  GraphBuilder(const Mechanism<double>& m, const Workspace<double>& w) : m_(m), w_(w) {}

  JointGraph run() {
    g_.idle = m_.idle_free;
    add_body("base", false, false);
    for (int j = 0; j < m_.tree_size(); ++j) add_tree_joint(j);
    for (std::size_t c = 0; c < m_.cut.size(); ++c) add_cut_joint(c);
    if (m_.platform.exists()) g_.platform = node(m_.platform.body);
    join_rings();
    if (!m_.platform.exists()) find_pins();
    find_loops();
    find_held();
    measure();
    return std::move(g_);
  }

 private:
  int node(int body) const { return body == base ? JointGraph::base : node_[at(body)]; }

  /// `ring`: without inertia, it may be nothing but a part of a joint. `hidden`: it is.
  int add_body(const std::string& name, bool ring, bool hidden) {
    g_.body.push_back(name);
    ring_.push_back(ring || hidden);
    hidden_.push_back(hidden);
    return static_cast<int>(g_.body.size()) - 1;
  }
  void add(int a, int b, const JointCentre& at_body, bool turns, const MatX<double>& S,
           std::vector<int> coordinate = {}) {
    coordinate.resize(at(S.cols()), -1);
    g_.joint.push_back({a, b, S, place(w_, at_body), at_body, turns, std::move(coordinate), false});
  }

  bool stands(int v) const { return contains(m_.elastic, v) && !m_.coordinate[at(v)].actuated; }

  void add_tree_joint(int j) {
    const TreeJoint& tree = m_.joint[at(j)];
    const int parent = node(m_.parent[at(j)]);
    const bool carries_platform = m_.platform.floats && j == m_.platform.body;
    std::vector<int> moving;
    for (int c = 0; c < velocity_size(tree); ++c)
      if (!stands(tree.v + c)) moving.push_back(c);
    if (moving.empty() && !carries_platform) {
      node_.push_back(parent);
      return;
    }
    const bool ring = !m_.has_inertia[at(j)] && j != m_.platform.body;
    node_.push_back(add_body(m_.body_name[at(j)], ring, m_.hidden[at(j)]));
    if (carries_platform) return;
    MatX<double> S = MatX<double>::Zero(6, static_cast<Eigen::Index>(moving.size()));
    std::vector<int> coordinate;
    bool turns = false;
    for (const int c : moving) {
      const Vec3<double> p = w_.X0[at(j)].p;
      const Motion<double> x = joint_column(m_, w_, j, c);
      const bool turn = !m_.coordinate[at(tree.v + c)].is_length;
      const auto k = static_cast<Eigen::Index>(coordinate.size());
      if (turn) S.col(k).head<3>() = x.angular;
      else S.col(k).tail<3>() = x.linear + cross<double>(x.angular, p);
      turns = turns || turn;
      coordinate.push_back(tree.v + c);
    }
    add(parent, node_.back(), {j, Vec3<double>::Zero()}, turns && tree.type != Elementary::free, S, coordinate);
  }

  void add_cut_joint(std::size_t c) {
    const Transform<double> A = cut_frame_a(m_, w_, c), B = cut_frame_b(m_, w_, c);
    const int a = node(m_.cut[c].a), b = node(m_.cut[c].b);
    const JointCentre at_a{m_.cut[c].a, m_.cut_a[c].p}, at_b{m_.cut[c].b, m_.cut_b[c].p};
    const Mat3<double> all = Mat3<double>::Identity();
    const Vec3<double> z = A.R.col(2);
    if (contains_name(m_.locked_balls, m_.cut[c].name)) {
      ++g_.idle;
      return add(a, b, at_b, true, turns_about(all));
    }
    switch (m_.cut[c].kind) {
      case JointKind::fixed: return add(a, b, at_b, false, MatX<double>(6, 0));
      case JointKind::revolute: return add(a, b, at_b, true, turns_about(z));
      case JointKind::prismatic: return add(a, b, at_b, false, slides_along(z));
      case JointKind::universal: {
        MatX<double> axes(3, 2);
        axes << z, B.R.col(0);
        return add(a, b, at_b, true, turns_about(axes));
      }
      case JointKind::cylindrical: return add(a, b, at_a, true, side_by_side(turns_about(z), slides_along(z)));
      case JointKind::spherical: return add(a, b, at_b, true, turns_about(all));
      case JointKind::planar: return add(a, b, at_b, true, side_by_side(slides_along(A.R.leftCols(2)), turns_about(z)));
      case JointKind::point_on_line: return add(a, b, at_b, true, side_by_side(slides_along(z), turns_about(all)));
      case JointKind::point_on_plane:
        return add(a, b, at_b, true, side_by_side(slides_along(A.R.leftCols(2)), turns_about(all)));
      case JointKind::distance: {  // a rod between two balls
        const int rod = add_body(m_.cut[c].name, false, false);
        ++g_.idle;
        add(a, rod, at_a, true, turns_about(all));
        return add(rod, b, at_b, true, turns_about(all));
      }
      case JointKind::free:
      case JointKind::modal: return;
    }
  }

  /// Parts of one joint, and hinges that meet in massless rings, become one joint.
  void join_rings() {
    for (bool found = true; found;) {
      found = false;
      for (int n = 1; n < static_cast<int>(g_.body.size()) && !found; ++n) {
        if (!ring_[at(n)]) continue;
        const std::vector<int> two = g_.joints_at(n, g_.all_joints());
        if (two.size() == 2 && g_.joint[at(two[0])].other(n) != g_.joint[at(two[1])].other(n))
          found = join(two[0], two[1], n);
      }
    }
  }

  static bool contains_name(const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  }
  /// The author's joint of which both are parts.
  std::string name_of(const GraphJoint& x, const GraphJoint& y) const {
    for (const GraphJoint* j : {&x, &y})
      for (const int c : j->coordinate)
        if (c >= 0) return m_.coordinate[at(c)].joint;
    return "";
  }

  bool join(int first, int second, int ring) {
    GraphJoint &x = g_.joint[at(first)], &y = g_.joint[at(second)];
    const bool one_place = (x.centre - y.centre).norm() <= same_place * (m_.length_unit + x.centre.norm());
    if (hidden_[at(ring)] && x.turns && y.turns && !one_place) {  // a distance in the tree: a rod between two balls
      make_ball(x.S.cols() == 2 ? x : y);
      ring_[at(ring)] = false;
      return true;
    }
    if (x.turns && y.turns && !one_place) return false;
    if (!hidden_[at(ring)] && !(x.turns_only() && y.turns_only() && passive(x) && passive(y))) return false;
    const GraphJoint& placed = x.turns ? x : y;
    GraphJoint one{
        x.other(ring), y.other(ring), side_by_side(x.S, y.S), placed.centre, placed.centre_at, placed.turns, {}, false};
    const std::string joint = name_of(x, y);
    one.coordinate = x.coordinate;
    one.coordinate.insert(one.coordinate.end(), y.coordinate.begin(), y.coordinate.end());
    if (!hidden_[at(ring)]) take_span(one);
    else if (contains_name(m_.locked_balls, joint)) make_ball(one);
    x = one;
    g_.joint.erase(g_.joint.begin() + second);
    return true;
  }
  /// A ball whose spin the mechanism leaves out, because it moves nothing else.
  void make_ball(GraphJoint& j) {
    ++g_.idle;
    j.S = turns_about(MatX<double>::Identity(3, 3));
    j.coordinate.assign(3, -1);
  }
  bool passive(const GraphJoint& j) const {
    return std::none_of(j.coordinate.begin(), j.coordinate.end(), [&](int c) {
      return c >= 0 && (m_.coordinate[at(c)].actuated || m_.coordinate[at(c)].elastic);
    });
  }
  /// An orthonormal basis of all turns; where axes fall together, columns of zeros stand for what is lost.
  static void take_span(GraphJoint& j) {
    const Eigen::Index n = std::min<Eigen::Index>(3, j.S.cols());
    const MatX<double> axes = j.S.topRows(3);
    const SingularValues d = singular_values(axes.transpose());
    MatX<double> basis = d.V.leftCols(n);
    for (Eigen::Index i = 0; i < n; ++i)
      if (!(i < d.s.size() && d.s[i] > rank_tolerance)) basis.col(i).setZero();
    j.S = turns_about(basis);
    j.coordinate.assign(at(n), -1);
  }

  /// Passive hinges with one axis at one place of a body are a multiple joint: a pin on which all these bodies turn, whichever of them the
  /// file takes as the one that carries the others.
  void find_pins() {
    const auto bodies_before = static_cast<int>(g_.body.size());  // pins come behind them
    const auto hinge = [&](const GraphJoint& j) {
      return j.a < bodies_before && j.b < bodies_before && j.S.cols() == 1 && j.turns_only() && passive(j);
    };
    for (int first = 0; first < static_cast<int>(g_.joint.size()); ++first) {
      if (!hinge(g_.joint[at(first)])) continue;
      const GraphJoint one = g_.joint[at(first)];
      std::vector<int> bodies = {one.a, one.b}, group = {first};
      for (bool grows = true; grows;) {
        grows = false;
        for (int e = first + 1; e < static_cast<int>(g_.joint.size()); ++e) {
          const GraphJoint& j = g_.joint[at(e)];
          const bool a = contains(bodies, j.a), b = contains(bodies, j.b);
          if (contains(group, e) || a == b || !hinge(j) ||
              (j.centre - one.centre).norm() > same_place * (m_.length_unit + one.centre.norm()) ||
              cross<double>(j.S.col(0).head<3>(), one.S.col(0).head<3>()).norm() > same_place)
            continue;
          group.push_back(e);
          bodies.push_back(a ? j.b : j.a);
          grows = true;
        }
      }
      if (group.size() < 2) continue;
      const int pin = add_body(g_.body[at(one.a)], false, false);
      ++g_.idle;
      std::sort(group.rbegin(), group.rend());
      for (const int e : group) g_.joint.erase(g_.joint.begin() + e);
      for (const int b : bodies) g_.joint.push_back({b, pin, one.S, one.centre, one.centre_at, true, {-1}, false});
      first = -1;  // indices have changed
    }
  }

  /// Joints that hold together what would hold together without them.
  void find_loops() {
    std::vector<int> from(g_.body.size(), -1), depth(g_.body.size(), -1);
    for (int root = 0; root < static_cast<int>(g_.body.size()); ++root) {
      if (depth[at(root)] >= 0) continue;
      depth[at(root)] = 0;
      std::vector<int> next = {root};
      for (std::size_t i = 0; i < next.size(); ++i)
        for (const int e : g_.joints_at(next[i], g_.all_joints()))
          if (const int o = g_.joint[at(e)].other(next[i]); depth[at(o)] < 0)
            depth[at(o)] = depth[at(next[i])] + 1, from[at(o)] = e, next.push_back(o);
    }
    for (int e = 0; e < static_cast<int>(g_.joint.size()); ++e) {
      int a = g_.joint[at(e)].a, b = g_.joint[at(e)].b;
      if (from[at(a)] == e || from[at(b)] == e) continue;
      g_.joint[at(e)].in_loop = true;
      for (; a != b; a = g_.joint[at(from[at(a)])].other(a)) {
        if (depth[at(a)] < depth[at(b)]) std::swap(a, b);
        g_.joint[at(from[at(a)])].in_loop = true;
      }
    }
  }

  /// The loops' bodies that are next to the base and to the platform: with joints on no loop between, or none.
  void find_held() {
    if (const int n = next_to(JointGraph::base, -1); n >= 0) g_.ground = n;
    if (g_.platform >= 0) g_.held = next_to(g_.platform, g_.ground);
  }
  int next_to(int start, int but) const {
    const std::vector<int> loops = g_.loop_joints();
    std::vector<bool> met(g_.body.size(), false);
    std::queue<int> next({start});
    met[at(start)] = true;
    while (!next.empty()) {
      const int n = next.front();
      next.pop();
      if (n != but && !g_.joints_at(n, loops).empty()) return n;
      for (const GraphJoint& j : g_.joint)
        if (n != but && j.touches(n) && !met[at(j.other(n))]) met[at(j.other(n))] = true, next.push(j.other(n));
    }
    return -1;
  }

  void measure() {
    const Extent e = extent_of(m_, w_, g_.centres());
    g_.length = e.length;
    g_.centre = e.centre;
  }

  const Mechanism<double>& m_;
  const Workspace<double>& w_;
  JointGraph g_;
  std::vector<int> node_;
  std::vector<bool> ring_, hidden_;
};

}  // namespace

std::vector<int> JointGraph::all_joints() const {
  std::vector<int> all(joint.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> JointGraph::loop_joints() const {
  std::vector<int> some = all_joints();
  std::erase_if(some, [&](int e) { return !joint[at(e)].in_loop; });
  return some;
}

std::vector<int> JointGraph::joints_at(int n, const std::vector<int>& among) const {
  std::vector<int> some = among;
  std::erase_if(some, [&](int e) { return !joint[at(e)].touches(n); });
  return some;
}

std::vector<JointCentre> JointGraph::centres() const {
  const std::vector<int> loops = loop_joints();
  std::vector<JointCentre> all;
  for (const int e : loops.empty() ? all_joints() : loops)
    if (joint[at(e)].turns) all.push_back(joint[at(e)].centre_at);
  return all;
}

Extent extent_of(const Mechanism<double>& m, const Workspace<double>& w, const std::vector<JointCentre>& centres) {
  Extent e{Vec3<double>::Zero(), 1};
  const auto n = static_cast<double>(centres.size());
  double sum = 0, farthest = 0, extent = 0;
  for (const JointCentre& c : centres) {
    e.centre += place(w, c) / n;
    extent = std::max(extent, place(w, c).norm());
  }
  for (const JointCentre& c : centres) sum += (place(w, c) - e.centre).squaredNorm() / n;
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    if (m.inertia[j].mass > 0) farthest = std::max(farthest, (m.inertia[j].first / m.inertia[j].mass).norm());
  if (std::sqrt(sum) > same_place * std::max(extent, farthest)) e.length = std::sqrt(sum);
  else if (farthest > 0)
    e.length = farthest;  // all joints in one point, or slides alone: measure by the centres of mass
  return e;
}

JointGraph joint_graph(const Mechanism<double>& m, const Workspace<double>& w) { return GraphBuilder(m, w).run(); }

MatX<double> about(const JointGraph& g, int joint, const Vec3<double>& point, double scale) {
  const GraphJoint& j = g.joint[at(joint)];
  MatX<double> S = j.S;
  S.bottomRows(3) *= g.length / scale;
  for (Eigen::Index c = 0; c < S.cols(); ++c)
    S.col(c).tail<3>() += cross<double>(S.col(c).head<3>(), Vec3<double>(point - j.centre)) / scale;
  return S;
}

MatX<double> loop_matrix(const JointGraph& g, const std::vector<int>& joints, const Vec3<double>& point,
                         const std::vector<int>& merged) {
  const auto row = [&](int n) { return contains(merged, n) ? merged.front() : n; };
  MatX<double> D =
      MatX<double>::Zero(static_cast<Eigen::Index>(g.body.size()), static_cast<Eigen::Index>(joints.size()));
  Eigen::Index columns = 0;
  for (std::size_t e = 0; e < joints.size(); ++e) {
    const GraphJoint& j = g.joint[at(joints[e])];
    D(row(j.a), static_cast<Eigen::Index>(e)) -= 1;
    D(row(j.b), static_cast<Eigen::Index>(e)) += 1;
    columns += j.S.cols();
  }
  const MatX<double> Q = null_space(D);
  MatX<double> C(6 * Q.cols(), columns);
  columns = 0;
  for (std::size_t e = 0; e < joints.size(); ++e) {
    const MatX<double> S = about(g, joints[e], point, g.length);
    for (Eigen::Index l = 0; l < Q.cols(); ++l)
      C.block(6 * l, columns, 6, S.cols()) = S * Q(static_cast<Eigen::Index>(e), l);
    columns += S.cols();
  }
  return C;
}

namespace {

/// Cycles as sets of joints, shortest first, as many as are independent (Horton 1987): a path to either end of a joint, and the joint.
std::vector<std::vector<bool>> shortest_cycles(const JointGraph& g) {
  const std::vector<int> loops = g.loop_joints();
  std::vector<std::vector<bool>> candidates;
  std::vector<bool> met(g.body.size(), false);
  std::size_t wanted = loops.size();  // less one for every body, more one for every part that hangs together
  for (int root = 0; root < static_cast<int>(g.body.size()); ++root) {
    if (g.joints_at(root, loops).empty()) continue;
    wanted += met[at(root)] ? 0 : 1;
    --wanted;
    std::vector<std::vector<bool>> path(g.body.size());
    path[at(root)].assign(g.joint.size(), false);
    std::vector<int> next = {root};
    for (std::size_t i = 0; i < next.size(); ++i)
      for (const int e : g.joints_at(next[i], loops))
        if (const int o = g.joint[at(e)].other(next[i]); path[at(o)].empty()) {
          path[at(o)] = path[at(next[i])];
          path[at(o)][at(e)] = true;
          next.push_back(o);
        }
    for (const int n : next) met[at(n)] = true;
    for (const int e : loops) {
      const auto &a = path[at(g.joint[at(e)].a)], &b = path[at(g.joint[at(e)].b)];
      if (a.empty() || b.empty() || a[at(e)] || b[at(e)]) continue;
      std::vector<bool> cycle = a;
      for (std::size_t i = 0; i < cycle.size(); ++i) cycle[i] = a[i] != b[i];
      cycle[at(e)] = true;
      candidates.push_back(std::move(cycle));
    }
  }
  std::vector<std::pair<std::ptrdiff_t, std::size_t>>
      order;  // shortest first, those of equal length as they were found
  for (std::size_t i = 0; i < candidates.size(); ++i)
    order.emplace_back(std::count(candidates[i].begin(), candidates[i].end(), true), i);
  std::sort(order.begin(), order.end());
  std::vector<std::vector<bool>> basis, reduced;
  std::vector<std::size_t> lead;
  for (const auto& [length, candidate] : order) {
    if (basis.size() == wanted) break;
    const std::vector<bool>& c = candidates[candidate];
    std::vector<bool> rest = c;
    for (std::size_t k = 0; k < reduced.size(); ++k)
      if (rest[lead[k]])
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = rest[i] != reduced[k][i];
    const auto first = std::find(rest.begin(), rest.end(), true);
    if (first == rest.end()) continue;
    lead.push_back(static_cast<std::size_t>(first - rest.begin()));
    reduced.push_back(rest);
    basis.push_back(c);
  }
  return basis;
}

/// The joints of a cycle in order, with the sense in which it passes them.
std::vector<std::pair<int, double>> walked(const JointGraph& g, const std::vector<bool>& cycle) {
  std::vector<int> left;
  for (std::size_t e = 0; e < cycle.size(); ++e)
    if (cycle[e]) left.push_back(static_cast<int>(e));
  std::vector<std::pair<int, double>> order;
  int body = g.joint[at(left.front())].a;
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](int e) { return g.joint[at(e)].touches(body); });
    if (next == left.end()) break;
    order.emplace_back(*next, g.joint[at(*next)].a == body ? 1.0 : -1.0);
    body = g.joint[at(*next)].other(body);
    left.erase(next);
  }
  return order;
}

}  // namespace

MatX<double> cycle_matrix(const JointGraph& g) {
  std::vector<Eigen::Index> first;
  Eigen::Index columns = 0;
  for (const GraphJoint& j : g.joint) {
    first.push_back(columns);
    columns += j.S.cols();
  }
  const auto cycles = shortest_cycles(g);
  MatX<double> C = MatX<double>::Zero(6 * static_cast<Eigen::Index>(cycles.size()), columns);
  for (std::size_t l = 0; l < cycles.size(); ++l) {
    const auto order = walked(g, cycles[l]);
    Vec3<double> centre = Vec3<double>::Zero();
    double n = 0, sum = 0;
    for (const auto& [e, sense] : order)
      if (g.joint[at(e)].turns) centre += g.joint[at(e)].centre, ++n;
    centre /= std::max(1.0, n);
    for (const auto& [e, sense] : order)
      if (g.joint[at(e)].turns) sum += (g.joint[at(e)].centre - centre).squaredNorm() / n;
    const double length = sum > 1e-18 * g.length * g.length ? std::sqrt(sum) : g.length;
    for (const auto& [e, sense] : order)
      C.block(6 * static_cast<Eigen::Index>(l), first[at(e)], 6, g.joint[at(e)].S.cols()) =
          about(g, e, centre, length) * sense;
  }
  return C;
}

std::vector<std::vector<int>> legs_of(const JointGraph& g) {
  const std::vector<int> loops = g.loop_joints();
  const auto inner = [&](int n) { return n != g.ground && n != g.held; };
  std::vector<bool> met(g.body.size(), false);
  std::vector<std::vector<int>> all;
  for (int first = 0; first < static_cast<int>(g.body.size()); ++first) {
    if (!inner(first) || met[at(first)]) continue;
    std::vector<int> joints, next = {first};
    met[at(first)] = true;
    bool at_base = false, at_held = false;
    while (!next.empty()) {
      const int n = next.back();
      next.pop_back();
      for (const int e : g.joints_at(n, loops)) {
        if (!contains(joints, e)) joints.push_back(e);
        const int o = g.joint[at(e)].other(n);
        at_base = at_base || o == g.ground;
        at_held = at_held || o == g.held;
        if (inner(o) && !met[at(o)]) met[at(o)] = true, next.push_back(o);
      }
    }
    std::sort(joints.begin(), joints.end());
    if (at_base && at_held) all.push_back(joints);
  }
  return all;
}

std::vector<GraphChain> chains_of(const JointGraph& g) {
  const std::vector<int> loops = g.loop_joints();
  std::vector<bool> walked(g.joint.size(), false);
  const auto ends = [&](int n) { return n == g.ground || n == g.held || g.joints_at(n, loops).size() != 2; };
  std::vector<GraphChain> all;
  const auto walk = [&](int start) {
    for (const int first : g.joints_at(start, loops)) {
      if (walked[at(first)]) continue;
      GraphChain chain{start, g.joint[at(first)].other(start), {first}, {}};
      walked[at(first)] = true;
      while (chain.b != start && !ends(chain.b)) {
        const std::vector<int> two = g.joints_at(chain.b, loops);
        const int on = two[0] == chain.joints.back() ? two[1] : two[0];
        chain.bodies.push_back(chain.b);
        chain.joints.push_back(on);
        walked[at(on)] = true;
        chain.b = g.joint[at(on)].other(chain.b);
      }
      all.push_back(std::move(chain));
    }
  };
  for (int n = 0; n < static_cast<int>(g.body.size()); ++n)
    if (ends(n)) walk(n);
  for (int n = 0; n < static_cast<int>(g.body.size()); ++n) walk(n);  // rings of bodies with two joints each
  return all;
}

}  // namespace gough
