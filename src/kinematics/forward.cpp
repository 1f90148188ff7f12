#include "gough/kinematics/forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "gough/kinematics/continuation.hpp"
#include "gough/kinematics/leg_forms.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/kinematics/star.hpp"

namespace gough {
namespace {

using std::numbers::pi;

/// Where an actuated coordinate stands in q.
int position_of(const Structure& m, int coordinate) {
  for (const TreeJoint& j : m.joint)
    if (velocity_size(j) == 1 && j.v == coordinate) return j.q;
  return -1;
}

/// Holds the driven coordinates; of redundant ones, a set that is independent at home.
Hold hold_driven(const Mechanism<double>& m) {
  Hold hold;
  hold.coordinates.assign(at(m.nv), false);
  for (const int a : m.actuator) hold.coordinates[at(a)] = true;
  for (const int e : m.elastic) hold.coordinates[at(e)] = true;
  const auto driven = std::count(hold.coordinates.begin(), hold.coordinates.end(), true);
  if (driven <= m.nv - m.rank) return hold;
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  closure(m, w);
  hold.coordinates.assign(at(m.nv), false);
  for (const int c : select_driven(m, w, m.rank).independent) hold.coordinates[at(c)] = true;
  return hold;
}

/// A redundant actuator whose given position is not what the loops make of the others, in words.
std::string disagreement(const Mechanism<double>& m, const VecX<double>& actuators, const VecX<double>& q) {
  for (std::size_t i = 0; i < m.actuator.size(); ++i) {
    const double given = actuators[static_cast<Eigen::Index>(i)], got = q[position_of(m, m.actuator[i])];
    if (std::abs(given - got) > 1e-9)
      return fmt::format("the actuators disagree: '{}' is given as {:.9g}, the others put it at {:.9g}",
                         m.coordinate[at(m.actuator[i])].name, given, got);
  }
  return {};
}

void set_actuators(const Structure& m, const VecX<double>& actuators, VecX<double>& q) {
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    q[position_of(m, m.actuator[i])] = actuators[static_cast<Eigen::Index>(i)];
}

void check_actuators(const Mechanism<double>& m, const VecX<double>& actuators) {
  if (actuators.size() != static_cast<Eigen::Index>(m.actuator.size()))
    throw Error(
        fmt::format("{}: read {} actuator positions, expected {}", m.name, actuators.size(), m.actuator.size()));
  for (const int a : m.actuator)
    if (position_of(m, a) < 0)
      throw Error(fmt::format("{}: read '{}' as an actuator, expected joints with one coordinate", m.name,
                              m.coordinate[at(a)].name));
}

/// The posture next to q with the same actuators: loops closed, limits looked at.
std::optional<Posture> closed_posture(const Mechanism<double>& m, const VecX<double>& q) {
  Workspace<double> w(m);
  w.q = q;
  const Assembly assembly = close_loops(m, w, hold_driven(m));
  if (!assembly.closed) return std::nullopt;
  for (const TreeJoint& j : m.joint)  // whole turns that the start brought along
    if (j.type == Elementary::revolute && !m.coordinate[at(j.v)].actuated)
      w.q[j.q] -= 2 * pi * std::round((w.q[j.q] - m.home[j.q]) / (2 * pi));
  tree_positions(m, w);
  for (const int a : m.actuator)  // redundant ones must agree
    if (std::abs(w.q[position_of(m, a)] - q[position_of(m, a)]) > 1e-9) return std::nullopt;
  Posture p{w.q, "", {}};
  p.answer.residual = assembly.residual;
  p.answer.iterations = assembly.iterations;
  if (const std::string text = limits_exceeded(m, w); !text.empty()) {
    p.answer.status = Status::out_of_limits;
    p.answer.reason = text;
  }
  return p;
}

/// The posture for a pose that should fit the actuators in q: legs aimed first.
std::optional<Posture> posture_for(const Mechanism<double>& m, const Transform<double>& body, VecX<double> q) {
  place_platform(m, body, q);
  for (std::size_t i = 0; i < m.leg.size(); ++i)
    if (m.leg_form[i].kind != LegKind::general) aim_leg(m, static_cast<int>(i), body, q);
  return closed_posture(m, q);
}

void add_if_new(const Mechanism<double>& m, const Posture& p, std::vector<Posture>& all) {
  Workspace<double> a(m), b(m);
  a.q = p.q;
  tree_positions(m, a);
  for (const Posture& known : all) {
    b.q = known.q;
    tree_positions(m, b);
    double apart = 0;
    for (std::size_t j = 0; j < a.X0.size(); ++j)
      apart = std::max(
          {apart, (a.X0[j].R - b.X0[j].R).cwiseAbs().maxCoeff(), (a.X0[j].p - b.X0[j].p).cwiseAbs().maxCoeff()});
    if (apart < 1e-6) return;
  }
  all.push_back(p);
}

// ------------------------------------------------------------------------------------------------ planar, complete

/// The planar problem: circles in the plane's coordinates, platform points in the platform's.
struct PlanarProblem {
  Mat3<double> plane;  ///< base axes of the plane, z its normal
  std::vector<Vec3<double>> centre, point;
  std::vector<double> radius;
};

std::optional<PlanarProblem> planar_problem(const Mechanism<double>& m, const VecX<double>& q) {
  if (!m.platform.floats || m.leg.size() < 2 || m.leg.size() > 3) return std::nullopt;
  PlanarProblem p;
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  const Mat3<double> home = w.X0[at(m.platform.body)].R;
  for (std::size_t i = 0; i < m.leg.size(); ++i) {
    const LegKind kind = m.leg_form[i].kind;
    if (kind != LegKind::rrr && kind != LegKind::prr && kind != LegKind::rr) return std::nullopt;
    const CutJoint& cut = m.cut[at(m.leg_form[i].rods[0].cut)];
    const Transform<double> frame = cut_frame_a(m, w, at(m.leg_form[i].rods[0].cut));
    if (cut.kind != JointKind::revolute) return std::nullopt;
    if (i == 0) p.plane = rotation_to_axis(frame.R.col(2));
    const LegCircle circle = leg_circle(m, static_cast<int>(i), q);
    p.centre.emplace_back(p.plane.transpose() * circle.centre);
    p.radius.push_back(circle.radius);
    p.point.emplace_back(p.plane.transpose() * home * circle.on_platform);  // as at home, before the turn phi
  }
  return p;
}

Vec3<double> turned(double phi, const Vec3<double>& b) { return rotation_z(phi) * b; }

/// One leg holds a point of the platform, the other a circle: A cos(phi) + B sin(phi) = C.
std::vector<std::pair<double, Vec3<double>>> hinged(const PlanarProblem& p, std::size_t hinge) {
  const std::size_t other = 1 - hinge;
  const Vec3<double> arm = p.point[other] - p.point[hinge], to = p.centre[other] - p.centre[hinge];
  const double A = arm.x() * to.x() + arm.y() * to.y(), B = arm.x() * to.y() - arm.y() * to.x(), h = std::hypot(A, B);
  const double C = (arm.head<2>().squaredNorm() + to.head<2>().squaredNorm() - p.radius[other] * p.radius[other]) / 2;
  std::vector<std::pair<double, Vec3<double>>> found;
  if (std::abs(C) > h) return found;
  for (const double sign : {1.0, -1.0}) {
    const double phi = std::atan2(B, A) + sign * std::acos(C / h);
    found.emplace_back(phi, p.centre[hinge] - turned(phi, p.point[hinge]));
  }
  return found;
}

/// All roots of c[0] + c[1] z + .. at once: Newton's steps that keep away from each other (Aberth 1973). c[0] and the last are not 0.
std::vector<std::complex<double>> polynomial_roots(const std::vector<std::complex<double>>& c) {
  constexpr int enough = 200;  // simple roots take about ten, double ones fifty
  const std::size_t n = c.size() - 1;
  const double radius = std::pow(std::abs(c.front() / c.back()), 1.0 / static_cast<double>(n));
  std::vector<std::complex<double>> z(n);
  for (std::size_t i = 0; i < n; ++i)
    z[i] = std::polar(radius, 2 * pi * (static_cast<double>(i) + 0.3) / static_cast<double>(n));  // no symmetry
  double change = 1;
  for (int k = 0; k < enough && change > 1e-15; ++k) {
    change = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::complex<double> value = c.back(), slope = 0, others = 0;
      for (std::size_t j = n; j-- > 0;) {
        slope = slope * z[i] + value;
        value = value * z[i] + c[j];
      }
      for (std::size_t j = 0; j < n; ++j)
        if (z[j] != z[i]) others += 1.0 / (z[i] - z[j]);
      const std::complex<double> below = slope - value * others;
      if (value == 0.0 || below == 0.0) continue;
      z[i] -= value / below;
      change = std::max(change, std::abs(value / below) / radius);
    }
  }
  return z;
}

/// Three circles.                                                                                     (F1), (F2)
class ThreeCircles {
 public:
  explicit ThreeCircles(const PlanarProblem& p) : p_(p) {}

  /// Seen from circle 1's centre for p, c_1(phi): the differences are linear in p' = p - c_1, so p' det = P; circle 1
  /// then says f = |P|^2 - det^2 l_1^2 = 0, a trigonometric polynomial of degree 3 (det and all dot products have
  /// degree 1).
  struct Value {
    double f, determinant;
    Eigen::Vector2d c1, P;
  };
  Value at_angle(double phi) const {
    std::array<Eigen::Vector2d, 3> c;  // |p - c_i| = l_i
    for (std::size_t i = 0; i < 3; ++i) c[i] = (p_.centre[i] - turned(phi, p_.point[i])).head<2>();
    const Eigen::Vector2d a = c[1] - c[0], b = c[2] - c[0];
    const auto l2 = [&](std::size_t i) { return p_.radius[i] * p_.radius[i]; };
    const double ra = (a.squaredNorm() + l2(0) - l2(1)) / 2, rb = (b.squaredNorm() + l2(0) - l2(2)) / 2;
    const double det = a.x() * b.y() - a.y() * b.x();
    const Eigen::Vector2d P(ra * b.y() - rb * a.y(), a.x() * rb - b.x() * ra);
    return {P.squaredNorm() - det * det * l2(0), det, c[0], P};
  }

  std::vector<std::pair<double, Vec3<double>>> solve() const {
    constexpr int degree = 3, samples = 8;
    std::array<std::complex<double>, 2 * degree + 1> coefficient{};
    for (int k = -degree; k <= degree; ++k)
      for (int s = 0; s < samples; ++s) {
        const double phi = 2 * pi * s / samples;
        coefficient[at(k + degree)] += at_angle(phi).f * std::polar(1.0 / samples, -k * phi);
      }
    return roots({coefficient.begin(), coefficient.end()});
  }

 private:
  std::vector<std::pair<double, Vec3<double>>> roots(std::vector<std::complex<double>> c) const {
    double largest = 0;
    for (const auto& x : c) largest = std::max(largest, std::abs(x));
    while (c.size() > 1 && std::abs(c.back()) < 1e-12 * largest) c.pop_back();
    while (c.size() > 1 && std::abs(c.front()) < 1e-12 * largest) c.erase(c.begin());
    std::vector<std::pair<double, Vec3<double>>> found;
    if (c.size() < 2) return found;
    for (const std::complex<double>& z : polynomial_roots(c)) {
      if (std::abs(std::abs(z) - 1) > 1e-3) continue;  // a real angle; Newton's method decides about near ones
      const double phi = std::arg(z);
      const Value v = at_angle(phi);
      if (std::abs(v.determinant) < 1e-14) continue;
      const Eigen::Vector2d p = v.c1 + v.P / v.determinant;
      found.emplace_back(phi, Vec3<double>(p.x(), p.y(), 0));
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return found;
  }

  const PlanarProblem& p_;
};

AllPostures planar_postures(const Mechanism<double>& m, const PlanarProblem& problem, const VecX<double>& q) {
  AllPostures all{{}, true, ""};
  std::vector<std::pair<double, Vec3<double>>> found;
  const auto hinge = std::find(problem.radius.begin(), problem.radius.end(), 0.0);
  if (problem.centre.size() == 2 && hinge != problem.radius.end()) {
    found = hinged(problem, static_cast<std::size_t>(hinge - problem.radius.begin()));
    all.method = "two circles, complete";
  } else if (problem.centre.size() == 3 && hinge == problem.radius.end()) {
    found = ThreeCircles(problem).solve();
    all.method = "polynomial of degree six, complete";
  } else {
    return {{}, false, ""};
  }
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  const Transform<double>& home = w.X0[at(m.platform.body)];
  const double height = (problem.plane.transpose() * home.p).z();
  for (const auto& [phi, p] : found) {
    const Transform<double> body{problem.plane * rotation_z(phi) * problem.plane.transpose() * home.R,
                                 problem.plane * Vec3<double>(p.x(), p.y(), height)};
    if (const auto posture = posture_for(m, body, q)) add_if_new(m, *posture, all.postures);
  }
  return all;
}

// ------------------------------------------------------------------------------------------------ the others

AllPostures many_starts(const Mechanism<double>& m, const VecX<double>& q) {
  AllPostures all{{}, false, "300 starts, completeness not claimed"};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  const double length = characteristic_length(m, w);
  for (int i = 0; i < 300; ++i) {
    VecX<double> start = m.home;
    if (i > 0) {
      VecX<double> dv = VecX<double>::NullaryExpr(m.nv, [&] { return uniform(random); });
      for (int v = 0; v < m.nv; ++v)
        dv[v] *= m.coordinate[at(v)].elastic ? 0.0 : m.coordinate[at(v)].is_length ? length : pi;
      start = moved(m, m.home, dv);
    }
    for (std::size_t a = 0; a < m.actuator.size(); ++a) {
      const int at_q = position_of(m, m.actuator[a]);
      start[at_q] = q[at_q];
    }
    std::optional<Posture> found;
    if (m.platform.floats) {
      w.q = start;
      tree_positions(m, w);
      found = posture_for(m, w.X0[at(m.platform.body)], start);
    } else {
      found = closed_posture(m, start);
    }
    if (found) add_if_new(m, *found, all.postures);
  }
  return all;
}

/// Where the straight way in the actuators' space ends: an assembly mode that the straight way of the platform's pose joins
/// to the start without passing a singularity of the drives.
bool by_way_of_poses(const Mechanism<double>& m, const VecX<double>& actuators, Workspace<double>& w) {
  if (!m.platform.exists()) return false;
  const Hold drives = hold_driven(m);
  const VecX<double> start = w.q;
  tree_positions(m, w);
  const Transform<double> from = platform_pose(m, w);
  for (const Posture& p : all_forward_kinematics(m, actuators).postures) {
    w.q = p.q;
    tree_positions(m, w);
    const Transform<double> to = platform_pose(m, w);
    w.q = start;
    const Answer way = walk(m, w, pose_path(m, from, to, m.platform.coordinates), &drives);
    if (way.ok() && (w.q - p.q).norm() < 1e-6) return true;
  }
  w.q = start;
  return false;
}

}  // namespace

Answer forward_kinematics(const Mechanism<double>& m, const VecX<double>& actuators, Workspace<double>& w,
                          bool check_limits) {
  check_actuators(m, actuators);
  Answer answer;
  bool solved = false;
  if (const auto star = recognise_star(m)) {
    VecX<double> q = w.q, best = w.q;
    set_actuators(m, actuators, q);
    double nearest = 0;
    for (const Transform<double>& pose : star_poses_for(m, *star, q))
      if (const auto p = posture_for(m, pose * m.platform_frame.inverse(), q)) {
        const double distance = (p->q - w.q).norm();
        if (solved && distance >= nearest) continue;
        solved = true;
        nearest = distance;
        best = p->q;
        answer.residual = p->answer.residual;
      }
    w.q = best;
  }
  if (!solved) {
    const VecX<double> start = w.q;
    VecX<double> from(actuators.size());
    for (std::size_t i = 0; i < m.actuator.size(); ++i)
      from[static_cast<Eigen::Index>(i)] = start[position_of(m, m.actuator[i])];
    const Hold hold = hold_driven(m);
    answer = walk(m, w, [&](double s, VecX<double>& q) {
      for (std::size_t i = 0; i < m.actuator.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        if (hold.coordinates[at(m.actuator[i])])
          q[position_of(m, m.actuator[i])] = from[k] + (actuators[k] - from[k]) * s;
      }
      return hold;
    });
    if (VecX<double> ended = w.q; !answer.ok()) {
      w.q = start;
      if (by_way_of_poses(m, actuators, w)) {
        answer.status = Status::ok;
        answer.reason = "joined to the start by a straight way of the platform, not of the actuators";
      } else {
        w.q = ended;
      }
    }
    if (const std::string text = disagreement(m, actuators, w.q); answer.ok() && !text.empty()) {
      answer.status = Status::unreachable;
      answer.reason = text;
    }
  }
  tree_positions(m, w);
  closure(m, w);
  if (!answer.ok() || !check_limits) return answer;
  if (const std::string text = limits_exceeded(m, w); !text.empty()) {
    answer.status = Status::out_of_limits;
    answer.reason = text;
  }
  return answer;
}

AllPostures all_forward_kinematics(const Mechanism<double>& m, const VecX<double>& actuators) {
  check_actuators(m, actuators);
  VecX<double> q = m.home;
  set_actuators(m, actuators, q);
  if (const auto star = recognise_star(m)) {
    AllPostures all{{}, true, "Fermat point, complete"};
    for (const Transform<double>& pose : star_poses_for(m, *star, q))
      if (const auto p = posture_for(m, pose * m.platform_frame.inverse(), q)) add_if_new(m, *p, all.postures);
    return all;
  }
  if (const auto problem = planar_problem(m, q))
    if (AllPostures all = planar_postures(m, *problem, q); all.complete) return all;
  return many_starts(m, q);
}

}  // namespace gough
