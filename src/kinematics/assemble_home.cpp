#include "gough/kinematics/assemble_home.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/closure.hpp"
#include "gough/spatial/rotation.hpp"

namespace gough {
namespace {

constexpr double same_branch = 0.3;   ///< rad or sizes: a guess that moves less was near
constexpr double other_branch = 1.0;  ///< one that moves more is worth other starts

/// Starts besides the file's: fewer for large mechanisms, each takes its time.
int most_starts(const Structure& m) { return std::clamp(24 * 1600 / std::max(1, m.nv * m.nv), 2, 24); }

/// A floating platform without a given orientation starts where its first stiff leg holds it.
void start_floating_platform(const Mechanism<double>& m, Workspace<double>& w) {
  const auto& given = m.home_description.platform;
  const int q = m.joint[at(m.platform.body)].q;
  Transform<double> pose;
  const bool turned = std::any_of(given.begin() + 3, given.end(), [](const auto& c) { return c.has_value(); });
  if (turned) {
    pose.R = rotation_from_vector<double>({given[3].value_or(0), given[4].value_or(0), given[5].value_or(0)});
  } else {
    tree_positions(m, w);
    std::size_t coordinate = 0;
    for (std::size_t c = 0; c < m.cut.size(); coordinate += coordinate_kinds(m.cut[c].kind).size(), ++c) {
      if (m.cut[c].rows.size() < 4 || (m.cut[c].a != m.platform.body && m.cut[c].b != m.platform.body)) continue;
      const bool platform_is_a = m.cut[c].a == m.platform.body;
      const Transform<double> leg = platform_is_a ? cut_frame_b(m, w, c) : cut_frame_a(m, w, c);
      Elementary type = m.cut[c].kind == JointKind::revolute    ? Elementary::revolute
                        : m.cut[c].kind == JointKind::prismatic ? Elementary::prismatic
                                                                : Elementary::fixed;
      const double value = type == Elementary::fixed ? 0.0 : m.home_description.cut_start[coordinate];
      const Transform<double> motion = joint_pose(Transform<double>(), type, &value);
      pose = (platform_is_a ? leg * (m.cut_a[c] * motion).inverse() : leg * motion * m.cut_b[c].inverse());
      pose = pose * m.platform_frame;
      break;
    }
  }
  for (int i = 0; i < 3; ++i)
    if (given[at(i)]) pose.p[i] = *given[at(i)];
  const Transform<double> body = pose * m.platform_frame.inverse();
  w.q.segment<3>(q) = body.p;
  w.q.segment<4>(q + 3) = quaternion_from_rotation(body.R);
}

/// The guess from which a posture departs most, turns by less than half a turn.
struct Departure {
  int coordinate = -1;
  double by = 0;  ///< rad or sizes
  double guess = 0, reached = 0;
};
Departure departure(const Mechanism<double>& m, Workspace<double>& w) {
  Departure most;
  const auto& guesses = m.home_description.guess;
  if (guesses.empty()) return most;
  const auto position = named_positions(m, w);
  for (const HomeDescription::Guess& g : guesses) {
    const bool is_length = m.coordinate[at(g.coordinate)].is_length;
    const double reached = position[at(g.coordinate)].second, d = reached - g.value;
    const double by = is_length ? std::abs(d) / m.size : std::abs(std::remainder(d, 2 * std::numbers::pi));
    if (by > most.by) most = {g.coordinate, by, g.value, reached};
  }
  return most;
}

/// Looks for a closed position that keeps what the author fixed.
class Assembler {
 public:
  explicit Assembler(const Mechanism<double>& m)
      : m_(m), w_(m), given_{m.home_description.held, m.home_description.platform}, guided_(given_) {
    for (const HomeDescription::Guess& g : m.home_description.guess)
      if (g.coordinate < m.nv) guided_.coordinates[at(g.coordinate)] = true;
  }

  /// From this start, and with the guesses held first where that stays nearer to them. Whether it closed.
  bool from(const VecX<double>& start, bool is_near = false) {
    try_from(start, false);
    if (!is_near && !m_.home_description.guess.empty() && !(found_ && best_.by < same_branch)) try_from(start, true);
    return found_;
  }
  bool is_on_branch() const { return found_ && best_.by < other_branch; }

  bool found() const { return found_; }
  const VecX<double>& q() const { return q_; }
  const Assembly& assembly() const { return assembly_; }
  const Departure& departed() const { return best_; }

 private:
  void try_from(const VecX<double>& start, bool guesses_first) {
    w_.q = start;
    if (guesses_first) close_loops(m_, w_, guided_);
    if (!w_.q.allFinite()) return;
    const Assembly a = close_loops(m_, w_, given_);
    if (!a.closed) {
      if (!tried_) assembly_ = a;
      tried_ = true;
      return;
    }
    const Departure d = departure(m_, w_);
    if (found_ && d.by >= best_.by) return;
    found_ = tried_ = true;
    assembly_ = a;
    best_ = d;
    q_ = w_.q;
  }

  const Mechanism<double>& m_;
  Workspace<double> w_;
  Hold given_, guided_;
  bool tried_ = false, found_ = false;
  VecX<double> q_;
  Assembly assembly_;
  Departure best_;
};

/// A position with what the author fixed where the start has it.
VecX<double> with_fixed(const Mechanism<double>& m, const VecX<double>& start, VecX<double> q) {
  for (const TreeJoint& j : m.joint) {
    const int n = single_coordinates(j);
    for (int i = 0; i < n; ++i)
      if (m.home_description.held[at(j.v + i)]) q[j.q + i] = start[j.q + i];
    if (has_turns(j) && m.home_description.held[at(j.v + n)]) q.segment<4>(j.q + n) = start.segment<4>(j.q + n);
  }
  return q;
}

/// The start with everything that the author neither fixed nor guessed somewhere else.
VecX<double> another_start(const Mechanism<double>& m, const VecX<double>& start, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<bool> free(at(m.nv), true);
  for (int v = 0; v < m.nv; ++v) free[at(v)] = !m.home_description.held[at(v)];
  for (const HomeDescription::Guess& g : m.home_description.guess)
    if (g.coordinate < m.nv) free[at(g.coordinate)] = false;
  for (const TreeJoint& j : m.joint)
    if (j.type == Elementary::modal) std::fill_n(free.begin() + j.v, j.modes, false);
  if (m.platform.floats) {
    const int v = m.joint[at(m.platform.body)].v;
    for (int i = 0; i < 6; ++i)
      if (m.home_description.platform[at(i)]) free[at(v + i)] = false;
  }
  VecX<double> step = VecX<double>::Zero(m.nv);
  for (int v = 0; v < m.nv; ++v)
    if (free[at(v)]) step[v] = uniform(random) * (m.coordinate[at(v)].is_length ? m.size : std::numbers::pi);
  return moved(m, start, step);
}

/// The same position in the coordinates that are nearest to where it was looked for: full turns off, and rods (distance joints of the
/// tree) by that of their two ways, (a, b) or (a + pi, pi - b) with the ball at the end turned back, that is nearer. Springs and limits
/// read coordinates.
class NearestCoordinates {
 public:
  NearestCoordinates(const Mechanism<double>& m, const VecX<double>& start) : m_(m), w_(m), near_(start) {
    for (const HomeDescription::Guess& g : m.home_description.guess)
      for (const TreeJoint& j : m.joint)
        if (j.type == Elementary::revolute && j.v == g.coordinate) near_[j.q] = g.value;
  }

  VecX<double> of(const VecX<double>& q) {
    w_.q = q;
    tree_positions(m_, w_);
    for (std::size_t j = 0; j + 2 < m_.joint.size(); ++j) {
      if (is_rod(j, {Elementary::revolute, Elementary::revolute, Elementary::spherical}))
        try_other_way(j, j + 1, j + 2, j + 2);
      if (is_rod(j, {Elementary::spherical, Elementary::revolute, Elementary::revolute}))
        try_other_way(j + 2, j + 1, j, j + 2);
    }
    for (const TreeJoint& j : m_.joint)
      if (j.type == Elementary::revolute && is_free(j)) w_.q[j.q] = wrapped(w_.q[j.q], j);
    return w_.q;
  }

 private:
  bool is_free(const TreeJoint& j) const { return !m_.home_description.held[at(j.v)]; }
  const std::string& joint_name(std::size_t j) const { return m_.coordinate[at(m_.joint[j].v)].joint; }
  bool is_rod(std::size_t j, const std::array<Elementary, 3>& run) const {
    for (std::size_t i = 0; i < run.size(); ++i)
      if (m_.joint[j + i].type != run[i] || joint_name(j + i) != joint_name(j)) return false;
    return true;
  }
  double wrapped(double x, const TreeJoint& j) const {
    const double d = x - near_[j.q];
    return std::abs(d) > std::numbers::pi ? near_[j.q] + std::remainder(d, 2 * std::numbers::pi) : x;
  }

  /// Turns a and b, the ball, the last body of the three.
  void try_other_way(std::size_t a, std::size_t b, std::size_t ball, std::size_t last) {
    const TreeJoint &ja = m_.joint[a], &jb = m_.joint[b];
    if (!is_free(ja) || !is_free(jb) || m_.home_description.held[at(m_.joint[ball].v)]) return;
    const double pi = std::numbers::pi;
    const double here_a = wrapped(w_.q[ja.q], ja), here_b = wrapped(w_.q[jb.q], jb);
    const double other_a = wrapped(here_a + pi, ja), other_b = wrapped(pi - here_b, jb);
    const auto far = [&](double x, double y) { return std::abs(x - near_[ja.q]) + std::abs(y - near_[jb.q]); };
    if (far(other_a, other_b) >= far(here_a, here_b)) return;
    const VecX<double> before = w_.q;
    const Transform<double> X = w_.X0[last];
    w_.q[ja.q] = other_a, w_.q[jb.q] = other_b;
    tree_positions(m_, w_);
    auto turn = w_.q.segment<4>(m_.joint[ball].q);
    const Mat3<double> Y = w_.X0[ball].R.transpose() * w_.X0[last].R,
                       R = rotation_from_quaternion(Eigen::Vector4d(turn)) * Y * w_.X0[last].R.transpose() * X.R *
                           Y.transpose();
    const Eigen::Quaterniond back(R);
    turn << back.w(), back.x(), back.y(), back.z();
    tree_positions(m_, w_);
    const double moved = (w_.X0[last].R - X.R).norm() + (w_.X0[last].p - X.p).norm() / m_.size;
    if (moved < 1e-12) return;
    w_.q = before;  // not the joint that it was taken for
    tree_positions(m_, w_);
  }

  const Mechanism<double>& m_;
  Workspace<double> w_;
  VecX<double> near_;
};

/// Which fixed coordinate moved most.
void note_moves(const Mechanism<double>& m, const VecX<double>& start, Workspace<double>& w, HomeAssembly& result) {
  const auto see = [&](double move, const std::string& name, bool is_length) {
    if (move > result.largest_move)
      result.largest_move = move, result.moved_most = name, result.moved_is_length = is_length;
  };
  Workspace<double> before(m);
  before.q = start;
  tree_positions(m, before);
  closure(m, before);
  const auto from = named_positions(m, before), to = named_positions(m, w);
  for (int v = 0; v < m.nv; ++v)
    if (m.home_description.held[at(v)])
      see(std::abs(to[at(v)].second - from[at(v)].second), from[at(v)].first, m.coordinate[at(v)].is_length);
  if (!m.platform.exists()) return;
  const Vec6<double> pose = pose_vector(platform_pose(m, w));
  for (std::size_t i = 0; i < 6; ++i)
    if (const auto& given = m.home_description.platform[i])
      see(std::abs(pose[static_cast<Eigen::Index>(i)] - *given), "the platform's " + std::string(pose_names[i]), i < 3);
}

}  // namespace

HomeAssembly assemble_home(Mechanism<double>& m, bool start_is_near) {
  m.home = m.home_description.start;
  Workspace<double> w(m);
  if (m.platform.floats && !start_is_near) start_floating_platform(m, w);
  const VecX<double> start = w.q;
  HomeAssembly result;
  Assembler assembler(m);
  assembler.from(start, start_is_near);
  if (!assembler.found()) {  // the nearest closed configuration, and from there to what is fixed
    w.q = start;
    result.assembly = close_loops(m, w);
    if (result.assembly.closed) assembler.from(with_fixed(m, start, w.q)), ++result.starts;
  }
  std::mt19937 random(5);  // any seed; fixed so that a robot is assembled the same way every time
  VecX<double> nearest = w.q;
  while (!assembler.is_on_branch() && !start_is_near && result.starts <= most_starts(m)) {
    const VecX<double> other = another_start(m, start, random);
    ++result.starts;
    if (assembler.from(other) || result.assembly.closed) continue;
    w.q = other;
    if (const Assembly a = close_loops(m, w); a.closed) result.assembly = a, nearest = w.q;
  }
  if (assembler.found()) {
    result.assembly = assembler.assembly();
    m.home = start_is_near ? assembler.q() : NearestCoordinates(m, start).of(assembler.q());
    if (const Departure& d = assembler.departed(); d.by >= same_branch && !start_is_near) {
      const Coordinate& c = m.coordinate[at(d.coordinate)];
      result.departed = c.name, result.guess = d.guess, result.reached = d.reached,
      result.departed_is_length = c.is_length;
    }
    return result;
  }
  w.q = nearest;
  tree_positions(m, w);
  closure(m, w);
  if (result.assembly.closed) note_moves(m, start, w, result);
  result.as_given = result.assembly.closed && result.largest_move < closure_tolerance;
  m.home = w.q;
  return result;
}

}  // namespace gough
