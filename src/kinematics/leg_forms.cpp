#include "gough/kinematics/leg_forms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace gough {
namespace {

constexpr double tiny = 1e-9;  // relative to lengths of order 1 m: geometry written in a file is exact to 1e-15
constexpr double pi = std::numbers::pi;

std::size_t at(int i) { return static_cast<std::size_t>(i); }
double azimuth(const Vec3<double>& v) { return std::atan2(v.y(), v.x()); }

/// `angle`, by whole turns as near as possible to `near`.
double continued(double angle, double near) { return angle - 2 * pi * std::round((angle - near) / (2 * pi)); }

/// A cut joint seen from the leg: its point and frame there, and those on the platform's body.
struct Tip {
  int body;
  const Transform<double>&on_leg, &on_platform;
};

std::optional<Tip> tip_of(const Mechanism<double>& m, int c) {
  const CutJoint& cut = m.cut[at(c)];
  if (cut.a == m.platform.body && cut.b != base) return Tip{cut.b, m.cut_b[at(c)], m.cut_a[at(c)]};
  if (cut.b == m.platform.body && cut.a != base) return Tip{cut.a, m.cut_a[at(c)], m.cut_b[at(c)]};
  return std::nullopt;
}

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
  if (std::abs(z2.z()) > tiny) return false;                                 // not at right angles
  if (std::abs(X2.p.x() * z2.y() - X2.p.y() * z2.x()) > tiny) return false;  // do not cross
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
  if (std::abs(direction.z()) > tiny || cross(out, direction).norm() > tiny) return false;
  rod.length = dot(out, direction);
  rod.tip_azimuth = azimuth(direction);
  return true;
}

bool fit_one_axis(const Mechanism<double>& m, const Vec3<double>& tip_in_last, Rod& rod) {
  rod.pivot = m.placement[at(rod.aim1)].p;
  rod.length = std::hypot(tip_in_last.x(), tip_in_last.y());
  rod.tip_azimuth = azimuth(tip_in_last);
  return rod.length > tiny;
}

/// One cut of a leg: its kind and rod, or nothing. Writes the root.
LegKind fit_rod(const Mechanism<double>& m, int c, Rod& rod, int& root) {
  const auto tip = tip_of(m, c);
  if (!tip) return LegKind::general;
  const std::vector<int> bodies = chain(m, tip->body);
  const auto shape = [&](std::initializer_list<Elementary> wanted) {
    return std::equal(bodies.begin(), bodies.end(), wanted.begin(), wanted.end(),
                      [&](int b, Elementary e) { return is(m, b, e); });
  };
  constexpr Elementary R = Elementary::revolute, P = Elementary::prismatic;
  const JointKind kind = m.cut[at(c)].kind;
  rod.cut = c;
  if (kind == JointKind::spherical && shape({R, R, P})) {
    rod.aim1 = bodies[0], rod.aim2 = bodies[1], rod.extend = bodies[2];
    return fit_two_axes(m, tip->on_leg.p, rod) ? LegKind::ups : LegKind::general;
  }
  if (kind == JointKind::spherical && (shape({R, R, R}) || shape({P, R, R}))) {
    root = bodies[0], rod.aim1 = bodies[1], rod.aim2 = bodies[2];
    if (!fit_two_axes(m, tip->on_leg.p, rod)) return LegKind::general;
    return is(m, root, R) ? LegKind::rus : LegKind::pus;
  }
  if (kind == JointKind::revolute && (shape({R, R}) || shape({P, R}))) {
    root = bodies[0], rod.aim1 = bodies[1];
    const double along = std::abs(m.placement[at(rod.aim1)].R(2, 2));  // the aiming axis against the root's
    const bool planar = is(m, root, R) ? along > 1 - tiny : along < tiny;
    const bool parallel_cut = std::abs(tip->on_leg.R(2, 2)) > 1 - tiny;
    if (!planar || !parallel_cut || !fit_one_axis(m, tip->on_leg.p, rod)) return LegKind::general;
    return is(m, root, R) ? LegKind::rrr : LegKind::prr;
  }
  if (kind == JointKind::revolute && shape({R}) && std::abs(tip->on_leg.R(2, 2)) > 1 - tiny) {
    root = bodies[0];
    rod.pivot = tip->on_leg.p;
    const Vec3<double> out = m.platform_frame.p - tip->on_platform.p;
    rod.length = cross<double>(out, tip->on_platform.R.col(2)).norm();
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

class LegSolver {
 public:
  LegSolver(const Mechanism<double>& m, const LegForm& form, const Transform<double>& platform, VecX<double>& q)
      : m_(m), form_(form), platform_(platform), q_(q) {}

  LegAnswer solve(double root_sign) {
    if (form_.kind == LegKind::psp) return slide_to_line();
    if (form_.kind == LegKind::rr) return turn_elbow();
    LegAnswer answer;
    if (form_.root >= 0) answer = reach(form_.rods[0], root_sign);
    for (const Rod& rod : form_.rods) {
      aim(rod, rod.flipped);
      if (rod.extend >= 0) position(rod.extend) = reach_of(rod) - rod.length;
    }
    return answer;
  }

  LegAnswer reach(const Rod& rod, double root_sign) {
    const Transform<double>& F = m_.placement[at(form_.root)];
    Vec3<double> e = rod.pivot, b = F.inverse() * end_of(rod);
    const bool revolute = is(m_, form_.root, Elementary::revolute);
    double& q = position(form_.root);
    if (rod.aim2 < 0) {  // in the plane across the aiming axis
      const Vec3<double> n = m_.placement[at(rod.aim1)].R.col(2);
      e -= n * dot(n, e);
      b -= n * dot(n, b);
    }
    return revolute ? turn_to(e, b, rod.length, root_sign, q) : slide_to(e, b, rod.length, root_sign, q);
  }

  /// An RR leg under a known pose: its end must lie where the platform's joint is.
  LegAnswer turn_elbow() {
    const Rod& rod = form_.rods[0];
    const Vec3<double> b = m_.placement[at(form_.root)].inverse() * end_of(rod);
    double& q = position(form_.root);
    q = continued(azimuth(b) - azimuth(rod.pivot), q);
    const double miss = std::abs(std::hypot(b.x(), b.y()) - std::hypot(rod.pivot.x(), rod.pivot.y()));
    return {miss < 1e-10, miss};
  }

  void aim_all() {
    for (const Rod& rod : form_.rods)
      if (rod.aim1 >= 0) aim(rod, rod.flipped);
  }

  LegCircle circle() {
    const Rod& rod = form_.rods[0];
    const int before = form_.kind == LegKind::rr ? form_.root : m_.parent[at(rod.aim1)];
    return {pose(before) * rod.pivot, form_.kind == LegKind::rr ? 0.0 : rod.length, tip_of(m_, rod.cut)->on_platform.p};
  }

  /// The platform turned about its joint with an RR leg until its frame's origin is where it is wanted.
  LegAnswer link(const Vec3<double>& origin, double root_sign, Transform<double>& platform) {
    const Rod& rod = form_.rods[0];
    const Transform<double>& F = m_.placement[at(form_.root)];
    Vec3<double> e = rod.pivot, b = F.inverse() * origin;
    e.z() = b.z() = 0;
    const LegAnswer answer = turn_to(e, b, rod.length, root_sign, position(form_.root));
    const auto tip = *tip_of(m_, rod.cut);
    const Transform<double> leg = pose(form_.root) * tip.on_leg;  // the joint's frame on the leg
    const Vec3<double> wanted = leg.R.transpose() * (origin - leg.p);
    const bool same_way = dot<double>(leg.R.col(2), platform.R * tip.on_platform.R.col(2)) > 0;
    const Vec3<double> own = tip.on_platform.inverse() * m_.platform_frame.p;  // the origin, in the joint's frame
    const double turn = same_way ? azimuth(wanted) - azimuth(own) : azimuth(wanted) + azimuth(own);
    Mat3<double> flip = Mat3<double>::Identity();
    if (!same_way) flip.diagonal() << 1, -1, -1;
    platform.R = leg.R * rotation_z(turn) * flip * tip.on_platform.R.transpose();
    platform.p = leg.p - platform.R * tip.on_platform.p;
    return answer;
  }

  static LegAnswer turn_to(const Vec3<double>& e, const Vec3<double>& b, double l, double root_sign, double& q) {
    const double A = e.x() * b.x() + e.y() * b.y(), C = e.x() * b.y() - e.y() * b.x(), h = std::hypot(A, C);
    const double c = (dot(e, e) + dot(b, b) - l * l) / 2 - e.z() * b.z();
    const double nearest = std::sqrt(std::max(0.0, dot<double>(e, e) + dot<double>(b, b) - 2 * (e.z() * b.z() + h)));
    const double farthest = std::sqrt(std::max(0.0, dot<double>(e, e) + dot<double>(b, b) - 2 * (e.z() * b.z() - h)));
    if (h < tiny * tiny) return {std::abs(nearest - l) < tiny, std::abs(nearest - l)};
    q = continued(std::atan2(C, A) + root_sign * std::acos(std::clamp(c / h, -1.0, 1.0)), q);
    if (c > h) return {false, nearest - l};
    if (c < -h) return {false, l - farthest};
    return {};
  }

  static LegAnswer slide_to(const Vec3<double>& e, const Vec3<double>& b, double l, double root_sign, double& q) {
    const Vec3<double> d = b - e;
    const double across = std::hypot(d.x(), d.y()), s2 = l * l - across * across;
    q = d.z() + root_sign * std::sqrt(std::max(0.0, s2));
    return s2 >= 0 ? LegAnswer{} : LegAnswer{false, across - l};
  }

  void aim(const Rod& rod, bool flipped) {
    const int before = m_.parent[at(rod.aim1)];
    const Transform<double> parent = before == base ? Transform<double>() : pose(before);
    const Transform<double> F = parent * m_.placement[at(rod.aim1)];
    const Vec3<double> u = F.R.transpose() * (end_of(rod) - parent * rod.pivot);
    double& q1 = position(rod.aim1);
    if (rod.aim2 < 0) {
      q1 = continued(azimuth(u) - rod.tip_azimuth, q1);
      return;
    }
    if (std::hypot(u.x(), u.y()) > 1e-12)  // along the first axis any q1 serves: keep it
      q1 = continued(std::atan2(-u.x(), u.y()) - rod.aim2_azimuth + (flipped ? pi : 0.0), q1);
    const Vec3<double> left = (rotation_z(q1) * m_.placement[at(rod.aim2)].R).transpose() * u;
    double& q2 = position(rod.aim2);
    q2 = continued(azimuth(left) - rod.tip_azimuth, q2);
  }

  LegAnswer slide_to_line() {
    const Rod& rod = form_.rods[0];
    const auto tip = *tip_of(m_, rod.cut);
    const Transform<double> line = platform_ * tip.on_platform;
    const Transform<double>& F = m_.placement[at(form_.root)];
    const Vec3<double> u = F.R.transpose() * line.R.col(2), o = F.inverse() * line.p - tip.on_leg.p;
    const double level = u.x() * u.x() + u.y() * u.y();
    if (level < tiny) return {false, std::hypot(o.x(), o.y())};
    const double s = -(o.x() * u.x() + o.y() * u.y()) / level;  // where the arm passes nearest to the slide
    position(form_.root) = o.z() + s * u.z();
    const double miss = std::hypot(o.x() + s * u.x(), o.y() + s * u.y());
    return {miss < 1e-10, miss};
  }

 private:
  double& position(int body) { return q_[m_.joint[at(body)].q]; }
  Vec3<double> end_of(const Rod& rod) const { return platform_ * tip_of(m_, rod.cut)->on_platform.p; }
  double reach_of(const Rod& rod) const {
    const int before = m_.parent[at(rod.aim1)];
    return (end_of(rod) - (before == base ? Transform<double>() : pose(before)) * rod.pivot).norm();
  }
  Transform<double> pose(int body) const {
    const Transform<double> X =
        joint_pose(m_.placement[at(body)], m_.joint[at(body)].type, q_.data() + m_.joint[at(body)].q);
    const int i = m_.parent[at(body)];
    return i == base ? X : pose(i) * X;
  }

  const Mechanism<double>& m_;
  const LegForm& form_;
  const Transform<double>& platform_;
  VecX<double>& q_;
};

}  // namespace

std::vector<LegForm> recognise_legs(const Mechanism<double>& m, const Workspace<double>& w) {
  std::vector<LegForm> forms;
  for (const Leg& leg : m.leg) {
    LegForm form = m.platform.floats ? fit_leg(m, leg) : LegForm{};
    const auto miss = [&](const LegForm& f) {  // how far this choice of answers is from home
      VecX<double> q = w.q;
      Transform<double> pose = w.X0[at(m.platform.body)];
      LegSolver solver(m, f, pose, q);
      const LegAnswer answer = f.kind == LegKind::rr ? solver.link((pose * m.platform_frame).p, f.root_sign, pose)
                                                     : solver.solve(f.root_sign);
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
  return LegSolver(m, form, platform, q).solve(sign * form.root_sign);
}

void aim_leg(const Mechanism<double>& m, int leg, const Transform<double>& platform, VecX<double>& q) {
  LegSolver(m, m.leg_form[at(leg)], platform, q).aim_all();
}

LegAnswer solve_platform_link(const Mechanism<double>& m, int leg, const Vec3<double>& origin, double sign,
                              VecX<double>& q, Transform<double>& platform) {
  const LegForm& form = m.leg_form[at(leg)];
  return LegSolver(m, form, platform, q).link(origin, sign * form.root_sign, platform);
}

LegCircle leg_circle(const Mechanism<double>& m, int leg, const VecX<double>& q) {
  VecX<double> copy = q;
  const Transform<double> nowhere;
  return LegSolver(m, m.leg_form[at(leg)], nowhere, copy).circle();
}

}  // namespace gough
