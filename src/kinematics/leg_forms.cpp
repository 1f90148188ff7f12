#include "gough/kinematics/leg_forms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gough/kinematics/leg_solver.hpp"
#include "gough/kinematics/tree.hpp"

namespace gough {
namespace {

constexpr double tiny = 1e-9;  // of lengths in the robot's unit: geometry written in a file is exact to 1e-15
using std::numbers::pi;

double azimuth(const Vec3<double>& v) { return std::atan2(v.y(), v.x()); }

/// `angle`, by whole turns as near as possible to `near`.
double continued(double angle, double near) { return angle - 2 * pi * std::round((angle - near) / (2 * pi)); }

/// The bodies from the base to `body`.
std::vector<int> chain(const Mechanism<double>& m, int body) {
  std::vector<int> bodies;
  for (int j = body; j != base; j = m.parent[at(j)]) bodies.insert(bodies.begin(), j);
  return bodies;
}

bool is(const Mechanism<double>& m, int body, Elementary type) { return m.joint[at(body)].type == type; }

/// Fills the rod's geometry if its two revolutes cross at right angles and the tip lies across the second axis.
bool fit_two_axes(const Mechanism<double>& m, const Vec3<double>& tip_in_last, Rod& rod) {
  const Transform<double>& X2 = m.placement[at(rod.aim2)];
  const Vec3<double> z2 = X2.R.col(2);
  if (std::abs(z2.z()) > tiny) return false;                                                 // not at right angles
  if (std::abs(X2.p.x() * z2.y() - X2.p.y() * z2.x()) > tiny * m.length_unit) return false;  // do not cross
  const double s = -(X2.p.x() * z2.x() + X2.p.y() * z2.y());
  const Vec3<double> crossing = X2.p + z2 * s;  // in body aim1
  rod.pivot = m.placement[at(rod.aim1)] * Vec3<double>(0, 0, crossing.z());
  rod.aim2_azimuth = azimuth(z2);
  Vec3<double> out = tip_in_last;
  Vec3<double> direction;
  if (rod.extend >= 0) {
    const Transform<double>& X3 = m.placement[at(rod.extend)];
    out = X3 * tip_in_last;
    direction = X3.R.col(2);
  }
  out -= Vec3<double>(0, 0, s);
  if (rod.extend < 0) direction = out.normalized();
  if (std::abs(direction.z()) > tiny || cross(out, direction).norm() > tiny * m.length_unit) return false;
  rod.length = dot(out, direction);
  rod.tip_azimuth = azimuth(direction);
  return true;
}

bool fit_one_axis(const Mechanism<double>& m, const Vec3<double>& tip_in_last, Rod& rod) {
  rod.pivot = m.placement[at(rod.aim1)].p;
  rod.length = std::hypot(tip_in_last.x(), tip_in_last.y());
  rod.tip_azimuth = azimuth(tip_in_last);
  return rod.length > tiny * m.length_unit;
}

/// One cut of a leg: its kind and rod, or nothing. Writes the root.
LegKind fit_rod(const Mechanism<double>& m, int c, Rod& rod, int& root) {
  const Tip<double> tip = tip_of(m, c);
  if (tip.body == base) return LegKind::general;
  const std::vector<int> bodies = chain(m, tip.body);
  const auto shape = [&](std::initializer_list<Elementary> wanted) {
    return std::equal(bodies.begin(), bodies.end(), wanted.begin(), wanted.end(),
                      [&](int b, Elementary e) { return is(m, b, e); });
  };
  constexpr Elementary R = Elementary::revolute, P = Elementary::prismatic;
  const JointKind kind = m.cut[at(c)].kind;
  rod.cut = c;
  if (kind == JointKind::spherical && shape({R, R, P})) {
    rod.aim1 = bodies[0], rod.aim2 = bodies[1], rod.extend = bodies[2];
    return fit_two_axes(m, tip.on_leg.p, rod) ? LegKind::ups : LegKind::general;
  }
  if (kind == JointKind::spherical && (shape({R, R, R}) || shape({P, R, R}))) {
    root = bodies[0], rod.aim1 = bodies[1], rod.aim2 = bodies[2];
    if (!fit_two_axes(m, tip.on_leg.p, rod)) return LegKind::general;
    return is(m, root, R) ? LegKind::rus : LegKind::pus;
  }
  if (kind == JointKind::revolute && (shape({R, R}) || shape({P, R}))) {
    root = bodies[0], rod.aim1 = bodies[1];
    const double along = std::abs(m.placement[at(rod.aim1)].R(2, 2));  // the aiming axis against the root's
    const bool planar = is(m, root, R) ? along > 1 - tiny : along < tiny;
    const bool parallel_cut = std::abs(tip.on_leg.R(2, 2)) > 1 - tiny;
    if (!planar || !parallel_cut || !fit_one_axis(m, tip.on_leg.p, rod)) return LegKind::general;
    return is(m, root, R) ? LegKind::rrr : LegKind::prr;
  }
  if (kind == JointKind::revolute && shape({R}) && std::abs(tip.on_leg.R(2, 2)) > 1 - tiny) {
    root = bodies[0];
    rod.pivot = tip.on_leg.p;
    const Vec3<double> out = m.platform_frame.p - tip.on_platform.p;
    rod.length = cross<double>(out, tip.on_platform.R.col(2)).norm();
    return rod.length > tiny ? LegKind::rr : LegKind::general;
  }
  if (kind == JointKind::point_on_line && shape({P}) && m.cut[at(c)].a == m.platform.body) {
    root = bodies[0];
    return LegKind::psp;
  }
  return LegKind::general;
}

LegForm fit_leg(const Mechanism<double>& m, const Leg& leg) {
  LegForm form;
  int joints = 0;
  for (std::size_t i = 0; i < leg.cuts.size(); ++i) {
    Rod rod;
    int root = -1;
    const LegKind kind = fit_rod(m, leg.cuts[i], rod, root);
    if (kind == LegKind::general || (i > 0 && (kind != form.kind || root != form.root || root < 0))) return {};
    form.kind = kind;
    form.root = root;
    form.rods.push_back(rod);
    joints += (rod.aim1 >= 0) + (rod.aim2 >= 0) + (rod.extend >= 0);
  }
  joints += form.root >= 0 ? 1 : 0;
  return joints == leg.bodies && joints == leg.coordinates ? form : LegForm{};
}

/// Joints as they stand in q; angles continue from there.
struct Angles {
  const Mechanism<double>& m;
  VecX<double>& q;

  double& position(int body) const { return q[m.joint[at(body)].q]; }
  Transform<double> pose(int body) const {
    return joint_pose(m.placement[at(body)], m.joint[at(body)].type, q.data() + m.joint[at(body)].q);
  }
  void turn(int body, double cos, double sin) const {
    position(body) = continued(std::atan2(sin, cos), position(body));
  }
  void slide(int body, double distance) const { position(body) = distance; }
};

/// A leg in double: solved, and how far it misses.
struct SolvedLeg {
  const Mechanism<double>& m;
  const LegForm& form;
  Angles angles;
  LegSolver<double, Angles> solver;

  SolvedLeg(const Mechanism<double>& robot, const LegForm& leg, const Transform<double>& platform, VecX<double>& q)
      : m(robot), form(leg), angles{robot, q}, solver(robot, leg, platform, angles) {}

  LegAnswer solve(double root_sign, const Transform<double>& platform) {
    solver.solve(root_sign);
    if (form.kind == LegKind::psp) return miss_of_line(platform);
    if (form.kind == LegKind::rr) return miss_of_elbow();
    if (form.root < 0) return {};
    Vec3<double> e, b;
    solver.ends(e, b);
    if (is(m, form.root, Elementary::revolute)) return miss_of_turn(e, b, form.rods[0].length);
    const double across = std::hypot(b.x() - e.x(), b.y() - e.y());
    return across <= form.rods[0].length ? LegAnswer{} : LegAnswer{false, across - form.rods[0].length};
  }

  /// Between the nearest and the farthest that a root's circle comes to b.
  LegAnswer miss_of_turn(const Vec3<double>& e, const Vec3<double>& b, double l) const {
    const double none = tiny * m.length_unit;
    const double h = std::hypot(e.x(), e.y()) * std::hypot(b.x(), b.y());
    const double middle = dot(e, e) + dot(b, b) - 2 * e.z() * b.z();
    const double nearest = std::sqrt(std::max(0.0, middle - 2 * h)), farthest = std::sqrt(middle + 2 * h);
    if (h < none * none) return {std::abs(nearest - l) < none, std::abs(nearest - l)};
    if (middle - l * l > 2 * h) return {false, nearest - l};
    if (middle - l * l < -2 * h) return {false, l - farthest};
    return {};
  }

  LegAnswer miss_of_elbow() const {
    const Vec3<double> b = m.placement[at(form.root)].inverse() * solver.end_of(form.rods[0]), e = form.rods[0].pivot;
    const double miss = std::abs(std::hypot(b.x(), b.y()) - std::hypot(e.x(), e.y()));
    return {miss < 1e-10 * m.length_unit, miss};
  }

  LegAnswer miss_of_line(const Transform<double>& platform) const {
    const Tip<double> tip = tip_of(m, form.rods[0].cut);
    const Transform<double> line = platform * tip.on_platform;
    const Vec3<double> z = line.R.col(2);
    const double miss = cross<double>(solver.pose(form.root) * tip.on_leg.p - line.p, z).norm();
    return {miss < 1e-10 * m.length_unit, miss};
  }

  /// The platform turned about its joint with an RR leg until its frame's origin is where it is wanted.
  LegAnswer link(const Vec3<double>& origin, double root_sign, Transform<double>& platform) {
    const Rod& rod = form.rods[0];
    Vec3<double> e = rod.pivot, b = m.placement[at(form.root)].inverse() * origin;
    e.z() = b.z() = 0;
    const Tip<double> tip = tip_of(m, rod.cut);
    const Vec3<double> on_leg = solver.pose(form.root).R * tip.on_leg.R.col(2);  // turning the root keeps it
    const bool same_way = dot<double>(on_leg, platform.R * tip.on_platform.R.col(2)) > 0;
    platform = solver.link(origin, root_sign, same_way);
    return miss_of_turn(e, b, rod.length);
  }

  LegCircle circle() const {
    const Rod& rod = form.rods[0];
    const int before = form.kind == LegKind::rr ? form.root : m.parent[at(rod.aim1)];
    return {solver.pose(before) * rod.pivot, form.kind == LegKind::rr ? 0.0 : rod.length,
            tip_of(m, rod.cut).on_platform.p};
  }
};

}  // namespace

std::vector<LegForm> recognise_legs(const Mechanism<double>& m, const Workspace<double>& w) {
  std::vector<LegForm> forms;
  for (const Leg& leg : m.leg) {
    LegForm form = m.platform.floats ? fit_leg(m, leg) : LegForm{};
    const auto miss = [&](const LegForm& f) {  // how far this choice of answers is from home
      VecX<double> q = w.q;
      Transform<double> pose = w.X0[at(m.platform.body)];
      SolvedLeg solved(m, f, pose, q);
      const LegAnswer answer = f.kind == LegKind::rr ? solved.link((pose * m.platform_frame).p, f.root_sign, pose)
                                                     : solved.solve(f.root_sign, pose);
      return answer.reached ? (q - w.q).cwiseAbs().maxCoeff() : 1e9;
    };
    if (form.kind != LegKind::general) {
      LegForm best = form;
      double least = 1e9;
      for (const double sign : {1.0, -1.0})
        for (const bool flipped : {false, true}) {
          form.root_sign = sign;
          for (Rod& rod : form.rods) rod.flipped = flipped;
          if (const double d = miss(form); d < least) {
            least = d;
            best = form;
          }
        }
      form = least < 1e-6 ? best : LegForm{};
    }
    forms.push_back(form);
  }
  return forms;
}

LegAnswer solve_leg(const Mechanism<double>& m, int leg, const Transform<double>& platform, double sign,
                    VecX<double>& q) {
  const LegForm& form = m.leg_form[at(leg)];
  return SolvedLeg(m, form, platform, q).solve(sign * form.root_sign, platform);
}

void aim_leg(const Mechanism<double>& m, int leg, const Transform<double>& platform, VecX<double>& q) {
  SolvedLeg(m, m.leg_form[at(leg)], platform, q).solver.aim_all();
}

LegAnswer solve_platform_link(const Mechanism<double>& m, int leg, const Vec3<double>& origin, double sign,
                              VecX<double>& q, Transform<double>& platform) {
  const LegForm& form = m.leg_form[at(leg)];
  return SolvedLeg(m, form, platform, q).link(origin, sign * form.root_sign, platform);
}

LegCircle leg_circle(const Mechanism<double>& m, int leg, const VecX<double>& q) {
  VecX<double> copy = q;
  const Transform<double> nowhere;
  return SolvedLeg(m, m.leg_form[at(leg)], nowhere, copy).circle();
}

}  // namespace gough
