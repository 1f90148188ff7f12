#include "gough/kinematics/singularity.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/idle.hpp"
#include "gough/kinematics/joint_graph.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using Eigen::Index;

constexpr double moves = 1e-6;  ///< of unit rates of all joints

MatX<double> stacked(const std::vector<MatX<double>>& blocks, Index columns) {
  Index rows = 0;
  for (const MatX<double>& b : blocks) rows += b.rows();
  MatX<double> all(rows, columns);
  rows = 0;
  for (const MatX<double>& b : blocks) {
    all.middleRows(rows, b.rows()) = b;
    rows += b.rows();
  }
  return all;
}

int columns_in(const JointGraph& g, const std::vector<int>& joints) {
  Index n = 0;
  for (const int e : joints) n += g.joint[at(e)].S.cols();
  return static_cast<int>(n);
}

Vec3<double> mean_of(const std::vector<Vec3<double>>& points, const Vec3<double>& otherwise) {
  Vec3<double> sum = Vec3<double>::Zero();
  for (const auto& p : points) sum += p / static_cast<double>(points.size());
  return points.empty() ? otherwise : sum;
}

/// Where a body is held: the mean of the places, and their mean distance from it.
struct Held {
  Vec3<double> centre = Vec3<double>::Zero();
  double radius = 1;
};
Held spread(const std::vector<Vec3<double>>& places, double otherwise) {
  Held h{mean_of(places, Vec3<double>::Zero()), 0};
  for (const auto& p : places) h.radius += (p - h.centre).norm() / static_cast<double>(places.size());
  if (!(h.radius > 1e-9 * otherwise)) h.radius = otherwise;
  return h;
}

/// Ranks in the order in which they are asked for: numerical ones where none are known, otherwise those.
struct Ranks {
  std::vector<int> known, found;
  int next(const MatX<double>& A) {
    const std::size_t i = found.size();
    found.push_back(i < known.size() ? known[i] : numerical_rank(A));
    return found.back();
  }
};

/// What joins two bodies: the wrenches that it passes on, (moment / L; force) about the graph's centre, orthonormal; and where it holds them.
struct Link {
  int a, b;
  MatX<double> W;
  std::pair<std::vector<Vec3<double>>, std::vector<Vec3<double>>> ends;

  const std::vector<Vec3<double>>& ends_at(int body) const { return body == a ? ends.first : ends.second; }
  int other(int body) const { return body == a ? b : a; }
};

/// An orthonormal basis of the wrenches without power on the motions A.
MatX<double> wrenches(const MatX<double>& A, Ranks& ranks) {
  const int free = std::min(6, ranks.next(A));
  return singular_values(A.transpose()).V.rightCols(6 - free);
}
/// And of the motions on which wrenches have no power.
MatX<double> motions_left(const MatX<double>& W, int rank) {
  return singular_values(W.transpose()).V.rightCols(6 - std::min(6, rank));
}

/// The same wrenches about another point, moments over another length.
MatX<double> about_point(const MatX<double>& W, const Vec3<double>& from, double scale, const Vec3<double>& to,
                         double new_scale) {
  MatX<double> V = W;
  for (Index c = 0; c < W.cols(); ++c) {
    const Vec3<double> force = W.col(c).tail<3>(),
                       moment = W.col(c).head<3>() * scale + cross<double>(Vec3<double>(from - to), force);
    V.col(c) << moment / new_scale, force;
  }
  return V;
}

MatX<double> beside(const MatX<double>& A, const MatX<double>& B) {
  MatX<double> both(6, A.cols() + B.cols());
  both << A, B;
  return both;
}

/// Everything the indices are made of, at one position.
class Position {
 public:
  Position(const Mechanism<double>& m, const Workspace<double>& w)
      : m_(m), w_(w), g(joint_graph(m, w)), legs(legs_of(g)), chains(chains_of(g)), held_(held_body()) {}

  /// (M6) What the joints of a leg do at its end, which stands with the held body: B.
  MatX<double> leg_matrix(const std::vector<int>& leg) const {
    std::vector<Vec3<double>> ends, centres;
    for (const int e : leg)
      if (const GraphJoint& j = g.joint[at(e)]; j.turns) (j.touches(g.held) ? ends : centres).push_back(j.centre);
    const Vec3<double> point = mean_of(ends, mean_of(centres, g.centre));
    const MatX<double> C = loop_matrix(g, leg, point, {g.ground, g.held});
    std::vector<int> end, inner;
    int column = 0;
    for (const int e : leg)
      for (Index c = 0; c < g.joint[at(e)].S.cols(); ++c)
        (g.joint[at(e)].touches(g.held) ? end : inner).push_back(column++);
    return null_space(columns_of(C, end).transpose()).transpose() * columns_of(C, inner);
  }
  std::string leg_name(const std::vector<int>& leg) const {
    for (const int e : leg)
      if (const GraphJoint& j = g.joint[at(e)]; j.touches(g.ground)) return name_of(j.other(g.ground));
    return "";
  }

  /// (M6) without a platform: the joints of a chain whose ends stand.
  MatX<double> chain_matrix(const GraphChain& c) const { return motions(c, chain_centre(c), g.length); }
  std::string chain_name(const GraphChain& c) const { return c.bodies.empty() ? "" : name_of(c.bodies.front()); }

  /// (M9) The wrenches that links pass on to the bodies that they hold, and what they are made of where a link has links inside.
  struct Constraints {
    MatX<double> R;
    int rank = 0;
    std::vector<std::pair<MatX<double>, int>> inner;  ///< wrenches between two bodies inside a link, and their rank
  };
  Constraints constraints(Ranks& ranks) const {
    Constraints c;
    std::vector<Link> links;
    for (const GraphChain& chain : chains)
      if (chain.a != chain.b)
        links.push_back({chain.a, chain.b, wrenches(motions(chain, g.centre, g.length), ranks), ends(chain)});
    while (take_out_a_body(links, ranks, c)) {}
    std::vector<int> column(g.body.size(), -1);
    int columns = 0;
    for (const Link& l : links)
      for (const int n : {l.a, l.b})
        if (n != g.ground && column[at(n)] < 0) column[at(n)] = columns, columns += 6;
    std::vector<MatX<double>> blocks;
    for (const Link& l : links) {
      std::vector<Vec3<double>> held;
      for (const int n : {l.a, l.b})
        if (n != g.ground) held.insert(held.end(), l.ends_at(n).begin(), l.ends_at(n).end());
      const Vec3<double> point = mean_of(held, g.centre);
      if (l.W.cols() == 0) continue;
      const MatX<double> W = orthonormal_basis(about_point(l.W, g.centre, g.length, point, held_.radius));
      MatX<double> rows = MatX<double>::Zero(W.cols(), columns);
      for (const int n : {l.a, l.b}) {
        if (n == g.ground) continue;
        std::vector<Vec3<double>> places;
        for (const Link& other : links)
          if (other.a == n || other.b == n)
            for (const auto& p : other.ends_at(n)) places.push_back(p);
        const Held h = spread(places, held_.radius);
        for (Index r = 0; r < W.cols(); ++r) {
          const Vec3<double> moment = W.col(r).head<3>() * held_.radius, force = W.col(r).tail<3>();
          const Vec3<double> about_h = moment + cross<double>(Vec3<double>(point - h.centre), force);
          rows.row(r).segment<6>(column[at(n)]) << (about_h / h.radius).transpose(), force.transpose();
        }
        if (n == l.a) rows.middleCols(column[at(n)], 6) *= -1;
      }
      blocks.push_back(rows);
    }
    c.R = stacked(blocks, columns);
    c.rank = ranks.next(c.R);
    return c;
  }

  /// (M10) All loops.
  MatX<double> loops() const { return cycle_matrix(g); }

  /// (M11) The loops, with the platform free to move as long as its task stands.
  MatX<double> task_held() const {
    JointGraph with = g;
    GraphJoint rest;
    rest.a = JointGraph::base;
    rest.b = g.platform;
    rest.centre = platform_pose(m_, w_).p;
    rest.turns = true;
    std::vector<int> free;
    for (int i = 0; i < 6; ++i)
      if (!m_.platform.coordinates[at(i)]) free.push_back(i < 3 ? i + 3 : i - 3);
    rest.S = columns_of(MatX<double>::Identity(6, 6), free);
    with.joint.push_back(rest);
    std::vector<int> joints = g.loop_joints();
    joints.push_back(static_cast<int>(g.joint.size()));
    return loop_matrix(with, joints, g.centre);
  }

  // ------------------------------------------------------------------------------------------------ motions

  /// All motions that the loops allow, by unit rates of all joints; drives that are elastic stand where they must.
  MatX<double> freedom() const {
    const MatX<double> N = null_space(loop_matrix(g, g.all_joints(), g.centre));
    std::vector<int> stand;
    for (const int v : m_.standing())
      if (const int c = column_of(v); c >= 0) stand.push_back(c);
    return stand.empty() ? N : MatX<double>(N * null_space(rows_of(N, stand)));
  }
  /// The platform's twist for unit rates of all joints: turns by the radius where loops hold it, slides by L.
  MatX<double> platform_twist() const {
    const Vec3<double> p = platform_pose(m_, w_).p;
    MatX<double> J = MatX<double>::Zero(6, columns_in(g, g.all_joints()));
    std::vector<int> from(g.body.size(), -1);
    std::queue<int> next({JointGraph::base});
    std::vector<bool> met(g.body.size(), false);
    met[JointGraph::base] = true;
    while (!next.empty()) {
      const int n = next.front();
      next.pop();
      for (const int e : g.joints_at(n, g.all_joints()))
        if (const int o = g.joint[at(e)].other(n); !met[at(o)]) met[at(o)] = true, from[at(o)] = e, next.push(o);
    }
    for (int n = g.platform; from[at(n)] >= 0;) {
      const int e = from[at(n)];
      const GraphJoint& j = g.joint[at(e)];
      const double sign = j.b == n ? 1 : -1;
      J.middleCols(first_column(e), j.S.cols()) = sign * about(g, e, p, g.length);
      n = j.other(n);
    }
    J.topRows(3) *= held_.radius / g.length;
    return J;
  }
  MatX<double> task(const MatX<double>& twist, bool wanted) const {
    std::vector<int> rows;
    for (int i = 0; i < 6; ++i)
      if (m_.platform.coordinates[at(i)] == wanted) rows.push_back(i < 3 ? i + 3 : i - 3);
    return rows_of(twist, rows);
  }
  std::vector<int> columns_of_coordinates(const std::vector<int>& coordinates) const {
    std::vector<int> columns;
    for (const int v : coordinates)
      if (const int c = column_of(v); c >= 0) columns.push_back(c);
    return columns;
  }

 private:
  const Mechanism<double>& m_;
  const Workspace<double>& w_;

 public:
  const JointGraph g;
  const std::vector<std::vector<int>> legs;
  const std::vector<GraphChain> chains;

 private:
  const Held held_;

  Held held_body() const {
    std::vector<Vec3<double>> places;
    for (const GraphChain& c : chains)
      for (const int n : {c.a, c.b})
        if (n == g.held)
          for (const auto& p : n == c.a ? ends(c).first : ends(c).second) places.push_back(p);
    return spread(places, g.length);
  }
  /// Where a chain holds the bodies at its ends: the centre of the nearest joint that turns.
  std::pair<std::vector<Vec3<double>>, std::vector<Vec3<double>>> ends(const GraphChain& c) const {
    std::vector<Vec3<double>> turning;
    for (const int e : c.joints)
      if (g.joint[at(e)].turns) turning.push_back(g.joint[at(e)].centre);
    if (turning.empty()) return {};
    return {{turning.front()}, {turning.back()}};
  }

  MatX<double> moved_as_they_are(const MatX<double>& W, const Vec3<double>& to) const {
    return about_point(W, g.centre, g.length, to, held_.radius);
  }

  /// A body that links join to two others only is a part of one link between these. False: there is none.
  bool take_out_a_body(std::vector<Link>& links, Ranks& ranks, Constraints& c) const {
    for (int n = 0; n < static_cast<int>(g.body.size()); ++n) {
      if (n == g.held || n == g.ground) continue;
      std::vector<Link> here;
      std::vector<int> others;
      for (const Link& l : links)
        if (l.a == n || l.b == n) {
          here.push_back(l);
          if (!contains(others, l.other(n))) others.push_back(l.other(n));
        }
      if (others.size() != 2) continue;
      Link one{others[0], others[1], {}, {}};
      MatX<double> A(6, 0);
      for (const int o : others) {
        MatX<double> W(6, 0);
        auto& ends = o == one.a ? one.ends.first : one.ends.second;
        for (const Link& l : here)
          if (l.other(n) == o) {
            W = beside(W, l.W);
            ends.insert(ends.end(), l.ends_at(o).begin(), l.ends_at(o).end());
          }
        const int rank = ranks.next(W);
        if (std::count_if(here.begin(), here.end(), [&](const Link& l) { return l.other(n) == o; }) > 1)
          c.inner.emplace_back(moved_as_they_are(W, mean_of(ends, g.centre)), rank);
        A = beside(A, motions_left(W, rank));
      }
      one.W = wrenches(A, ranks);
      std::erase_if(links, [&](const Link& l) { return l.a == n || l.b == n; });
      links.push_back(std::move(one));
      return true;
    }
    return false;
  }

  std::string name_of(int body) const {
    const auto [leg, part] = m_.in_leg(g.body[at(body)]);
    return leg >= 0 ? m_.leg[at(leg)].name : part;
  }
  Vec3<double> chain_centre(const GraphChain& c) const {
    std::vector<Vec3<double>> centres;
    for (const int e : c.joints)
      if (g.joint[at(e)].turns) centres.push_back(g.joint[at(e)].centre);
    return mean_of(centres, g.centre);
  }
  MatX<double> motions(const GraphChain& c, const Vec3<double>& point, double scale) const {
    MatX<double> A(6, columns_in(g, c.joints));
    Index column = 0;
    for (const int e : c.joints) {
      const MatX<double> S = about(g, e, point, scale);
      A.middleCols(column, S.cols()) = S;
      column += S.cols();
    }
    return A;
  }
  int first_column(int joint) const {
    int first = 0;
    for (int e = 0; e < joint; ++e) first += static_cast<int>(g.joint[at(e)].S.cols());
    return first;
  }
  int column_of(int coordinate) const {
    int column = 0;
    for (const GraphJoint& j : g.joint)
      for (const int v : j.coordinate) {
        if (v == coordinate) return column;
        ++column;
      }
    return -1;
  }
};

/// Type 1: joints of a leg move while base and held body stand, or, where the platform moves in ways that are no task, while its task
/// stands.
void type1_index(const Mechanism<double>& m, const Position& at_pose, SingularityIndices& s) {
  const auto take = [&](const MatX<double>& B, int rank, const std::string& leg) {
    if (rank == 0) return;
    const double index = singular_ratio(B, rank).value_or(0.0);
    if (!s.type1 || index < *s.type1) s.type1 = index, s.type1_leg = leg;
  };
  for (std::size_t i = 0; i < at_pose.legs.size(); ++i)
    take(at_pose.leg_matrix(at_pose.legs[i]), m.general.leg[i], at_pose.leg_name(at_pose.legs[i]));
  if (at_pose.g.held >= 0 || m.platform.exists()) {
    if (!m.general.besides_task) return;
    const double index = singular_ratio(at_pose.task_held(), m.general.task_held).value_or(0.0);
    if (!s.type1 || index < 0.1 * *s.type1)
      s.type1 = index, s.type1_leg = "platform";  // legs are sharper where they see it
    return;
  }
  for (std::size_t i = 0; i < at_pose.chains.size(); ++i)
    if (const GraphChain& c = at_pose.chains[i]; c.a != c.b) {
      const MatX<double> A = at_pose.chain_matrix(c);
      if (m.general.chain[i] == A.cols()) take(A, m.general.chain[i], at_pose.chain_name(c));
    }
}

/// Type 2: smallest over largest singular value of the map from task twist to actuator rates; elastic joints stand.
void type2_index(const Mechanism<double>& m, const Position& at_pose, SingularityIndices& s) {
  if (m.actuator.empty()) return;
  if (!m.platform.exists()) {  // the loops must hold the passive joints once the actuators stand
    const MatX<double> C = at_pose.loops();
    const std::vector<int> driven = at_pose.columns_of_coordinates(m.driven());
    std::vector<int> passive;
    for (int c = 0; c < C.cols(); ++c)
      if (!contains(driven, c)) passive.push_back(c);
    s.type2 = s.held = singular_ratio(columns_of(C, passive), static_cast<int>(passive.size()) - at_pose.g.idle);
    return;
  }
  const MatX<double> N = at_pose.freedom();
  const auto freedoms = static_cast<int>(N.cols()) - at_pose.g.idle;
  const MatX<double> task = at_pose.task(at_pose.platform_twist(), true) * N;
  const MatX<double> rates = rows_of(N, at_pose.columns_of_coordinates(m.actuator));
  s.held = singular_ratio(rates, freedoms);
  const int rank = numerical_rank(task);
  if (rank == std::min(freedoms, static_cast<int>(task.rows())))
    s.type2 = singular_ratio(rates * pseudo_inverse(task), rank);
  else  // the task cannot move every way: type 1 if the actuators hold the robot
    s.type2 = s.held.value_or(0.0) > rank_tolerance ? std::nullopt : std::optional(0.0);
}

/// Constraint singularities: the wrenches that links pass on lose rank; without a platform, the loops do.
void constraint_index(const Mechanism<double>& m, const Position& at_pose, SingularityIndices& s) {
  if (!m.platform.exists()) {
    s.constraint = singular_ratio(at_pose.loops(), m.general.loops);
    return;
  }
  Ranks ranks{m.general.constraint, {}};
  const Position::Constraints c = at_pose.constraints(ranks);
  if (c.rank == 0) return;
  s.constraint = singular_ratio(c.R, c.rank).value_or(0.0);
  for (const auto& [W, rank] : c.inner)
    if (const auto inner = singular_ratio(W, rank); inner && *inner < 0.1 * *s.constraint) s.constraint = inner;
}

/// The columns of K that belong to a leg's rigid joints, in the rows of its cut joints.
MatX<double> leg_block(const Mechanism<double>& m, const MatX<double>& Ks, const Leg& leg) {
  std::vector<int> columns;
  for (int v = leg.first_v; v < leg.first_v + leg.coordinates; ++v)
    if (!contains(m.elastic, v)) columns.push_back(v);
  return columns_of(rows_of(Ks, m.leg_rows(leg)), columns);
}

}  // namespace

double characteristic_length(const Mechanism<double>& m, const Workspace<double>& w) {
  return m.general.centre.empty() ? joint_graph(m, w).length : extent_of(m, w, m.general.centre).length;
}

MatX<double> scaled_closure(const Mechanism<double>& m, const Workspace<double>& w, double length) {
  MatX<double> Ks = w.K;
  for (int r = 0; r < m.equations; ++r)
    if (m.row_is_length(r)) Ks.row(r) /= length;
  for (int v = 0; v < m.nv; ++v)
    if (m.coordinate[at(v)].is_length) Ks.col(v) *= length;
  return Ks;
}

MatX<double> general_closure(const Mechanism<double>& m) {
  MatX<double> general;
  int largest = -1;
  Workspace<double> w(m);
  for (const VecX<double>& q : poses_near_home(m, 6)) {
    w.q = q;
    tree_positions(m, w);
    closure(m, w);
    const MatX<double> K = scaled_closure(m, w, characteristic_length(m, w));
    if (const int rank = numerical_rank(K); rank > largest) {
      largest = rank;
      general = K;
    }
  }
  return general;
}

void set_general_facts(Mechanism<double>& m) {
  std::vector<Workspace<double>> poses;
  for (const VecX<double>& q : poses_near_home(m, 6)) {
    Workspace<double>& w = poses.emplace_back(m);
    w.q = q;
    tree_positions(m, w);
    closure(m, w);
  }
  m.general = {};
  m.general.centre = joint_graph(m, poses.front()).centres();
  m.rank = numerical_rank(general_closure(m));
  GeneralFacts& f = m.general;
  std::vector<Position> all;
  for (const Workspace<double>& w : poses) {
    const MatX<double> Ks = scaled_closure(m, w, characteristic_length(m, w));
    for (Leg& leg : m.leg)
      if (!leg.cuts.empty()) leg.rank = std::max(leg.rank, numerical_rank(leg_block(m, Ks, leg)));
    all.emplace_back(m, w);
  }
  f.leg.assign(all.front().legs.size(), 0);
  f.chain.assign(all.front().chains.size(), 0);
  for (const Position& p : all) {
    for (std::size_t i = 0; i < p.legs.size(); ++i)
      f.leg[i] = std::max(f.leg[i], numerical_rank(p.leg_matrix(p.legs[i])));
    for (std::size_t i = 0; i < p.chains.size(); ++i)
      f.chain[i] = std::max(f.chain[i], numerical_rank(p.chain_matrix(p.chains[i])));
    if (!m.platform.exists()) {
      f.loops = std::max(f.loops, numerical_rank(p.loops()));
    } else if (p.g.held == p.g.platform && m.platform.task_size() < 6) {
      const MatX<double> N = p.freedom();
      const MatX<double> besides = p.task(p.platform_twist(), false) * N;
      f.besides_task = f.besides_task || (besides.size() > 0 && besides.cwiseAbs().maxCoeff() > moves);
      f.task_held = std::max(f.task_held, numerical_rank(p.task_held()));
    }
  }
  for (const Position& p : all) {
    if (!m.platform.exists()) break;
    Ranks ranks;
    p.constraints(ranks);
    f.constraint.resize(ranks.found.size(), 0);
    for (std::size_t i = 0; i < ranks.found.size(); ++i) f.constraint[i] = std::max(f.constraint[i], ranks.found[i]);
  }
}

SingularityIndices singularity_indices(const Mechanism<double>& m, const Workspace<double>& w) {
  w.require(Stage::closure);
  const Position p(m, w);
  SingularityIndices s;
  type1_index(m, p, s);
  type2_index(m, p, s);
  constraint_index(m, p, s);
  return s;
}

double loop_index(const Mechanism<double>& m, const Workspace<double>& w) {
  if (m.equations == 0) return 1;
  return singular_ratio(scaled_closure(m, w, characteristic_length(m, w)), m.rank).value_or(1);
}

}  // namespace gough
