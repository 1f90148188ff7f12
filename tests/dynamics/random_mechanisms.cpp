#include "dynamics/random_mechanisms.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>
#include <random>

#include "gough/scalar/index.hpp"

namespace gough {
namespace {

using Kind = JointKind;
using std::numbers::pi;

const std::string ground(base_name);

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}

  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_()) / 4294967296.0);
  }
  double around(double x, double by) { return between(x - by, x + by); }
  int pick(int low, int high) { return low + static_cast<int>(index(at(high - low + 1))); }
  std::size_t index(std::size_t n) {
    return std::min(n - 1, static_cast<std::size_t>(between(0, static_cast<double>(n))));
  }
  bool with(double probability) { return between(0, 1) < probability; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[index(all.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[index(i)]);
  }
  Vec3<double> in_ball(double radius) {
    Vec3<double> x;
    do
      for (int i = 0; i < 3; ++i) x[i] = between(-1, 1);
    while (x.norm() > 1);
    return x * radius;
  }
  Vec3<double> direction() {
    Vec3<double> x = in_ball(1);
    while (x.norm() < 0.1) x = in_ball(1);
    return x.normalized();
  }
  /// A direction at right angles to another.
  Vec3<double> across(const Vec3<double>& axis) {
    Vec3<double> x = direction();
    while (x.cross(axis).norm() < 0.3) x = direction();
    return (x - axis * axis.dot(x)).normalized();
  }
  Mat3<double> rotation() {
    const Vec3<double> z = direction(), x = across(z);
    Mat3<double> R;
    R << x, z.cross(x), z;
    return R;
  }

 private:
  std::mt19937 random_;
};

Mat3<double> turn(double angle, int axis) {
  return Eigen::AngleAxisd(angle, Vec3<double>::Unit(axis)).toRotationMatrix();
}
Mat3<double> turn(const Vec3<double>& r) {
  return r.norm() < 1e-12 ? Mat3<double>(Mat3<double>::Identity())
                          : Eigen::AngleAxisd(r.norm(), r.normalized()).toRotationMatrix();
}

/// E(q): where a joint's motion takes frame A. What the coordinates are: gough/model/joint.hpp and docs/theory/motion.md.
Transform<double> displaced(Kind kind, const VecX<double>& q, double length) {
  switch (kind) {
    case Kind::fixed:
    case Kind::modal: return {};
    case Kind::revolute: return {turn(q[0], 2), Vec3<double>::Zero()};
    case Kind::prismatic: return {Mat3<double>::Identity(), {0, 0, q[0]}};
    case Kind::universal: return {turn(q[0], 2) * turn(q[1], 0), Vec3<double>::Zero()};
    case Kind::cylindrical: return {turn(q[0], 2), {0, 0, q[1]}};
    case Kind::spherical: return {turn(q.head<3>()), Vec3<double>::Zero()};
    case Kind::planar: return {turn(q[2], 2), {q[0], q[1], 0}};
    case Kind::point_on_line: return {turn(q.segment<3>(1)), {0, 0, q[0]}};
    case Kind::point_on_plane: return {turn(q.segment<3>(2)), {q[0], q[1], 0}};
    case Kind::distance: {
      const Mat3<double> rod = turn(q[0], 0) * turn(q[1], 1);
      return {rod * turn(q.segment<3>(2)), rod.col(2) * length};
    }
    case Kind::free: return {turn(q.segment<3>(3)), q.head<3>()};
  }
  return {};
}

/// The first of a kind's three free turns; the number of its coordinates where it has none.
int first_turn(Kind kind) {
  switch (kind) {
    case Kind::spherical: return 0;
    case Kind::point_on_line: return 1;
    case Kind::point_on_plane:
    case Kind::distance: return 2;
    case Kind::free: return 3;
    default: return free_coordinates(kind);
  }
}

/// A joint of a chain, and whether the body after it has no mass.
struct Part {
  Kind kind;
  bool massless = false;
  bool bare = false;  ///< no forces in it: with them a massless rod between balls would spin without end
};

/// A joint with its frames in the base.
struct Drawn {
  JointDescription joint;
  Transform<double> A, B;
  VecX<double> q;
  bool opens = false;  ///< stays passive, so that its loop can be cut there
  bool bare = false;
};

class Drawing {
 public:
  Drawing(unsigned seed, const Kinds& wanted) : r_(seed), wanted_(wanted) {
    out_.robot.name = "random_" + std::to_string(seed);
  }

  RandomMechanism run() {
    choose_style();
    if (platform_) add_platform();
    else add_loops();
    add_hanging_bodies();
    if (wanted_.fixed_bodies) add_fixed_bodies();
    add_drives();
    if (wanted_.forces) add_forces();
    finish();
    return std::move(out_);
  }

 private:
  // -------------------------------------------------------------------------------------------- style

  bool choice(const std::optional<bool>& wish, double probability) {
    const bool drawn = r_.with(probability);
    return wish.value_or(drawn);
  }

  void choose_style() {
    planar_ = choice(wanted_.planar, 0.3);
    platform_ = choice(wanted_.platform, 0.55);
    equal_ = choice(wanted_.equal_legs, 0.35) && platform_;
    struts_ = r_.with(0.45) && equal_ && !planar_;
    carried_ = r_.with(0.2) && !struts_;
    plain_ = r_.with(0.7) && struts_;
    out_.robot.lock_idle = choice(wanted_.lock_idle, 0.35);
    const double g = r_.with(0.05) ? 0 : 9.81;
    out_.robot.gravity = r_.direction() * g;
    heights_ = r_.with(0.5);
    tilted_ = planar_ && r_.with(0.4);
    if (tilted_) world_ = {r_.rotation(), r_.in_ball(0.5)};
    substituted_ = !planar_ || equal_;
  }

  int whole() const { return planar_ ? 3 : 6; }

  // -------------------------------------------------------------------------------------------- bodies and joints

  Transform<double> place() {
    if (!planar_) return {r_.rotation(), r_.in_ball(0.5)};
    const Mat3<double> R = turn(r_.between(-pi, pi), 2);
    const Vec3<double> p = r_.in_ball(0.5);
    return world_ * Transform<double>{R, {p.x(), p.y(), 0}};
  }

  std::string add_body(const std::string& name, bool massless) {
    BodyDescription b;
    b.name = name;
    if (!massless) set_mass(b);
    out_.pose[name] = place();
    out_.robot.bodies.push_back(b);
    return name;
  }

  void set_mass(BodyDescription& b) {
    b.mass = r_.between(0.5, 3);
    Vec3<double> size2;
    for (int i = 0; i < 3; ++i) size2[i] = r_.between(0.003, 0.03);
    const Mat3<double> moments = ((Vec3<double>::Constant(size2.sum()) - size2) * b.mass).asDiagonal();
    if (r_.with(0.15)) {
      b.inertia = moments;
      b.symmetric = {true, false, false, true, false, true, false, false, false};
      return;
    }
    const Mat3<double> R = r_.rotation(), about_com = R * moments * R.transpose();
    b.inertia = (about_com + about_com.transpose()) / 2;
    b.com = r_.in_ball(0.1);
    if (r_.with(0.15)) {
      const double mass = r_.between(0.1, 0.5);
      b.points.emplace_back(mass, r_.in_ball(0.2));
    }
  }

  /// Axes of a planar robot are normal to its plane, slides lie in it.
  Transform<double> frame(Kind kind) {
    if (!planar_) return {r_.rotation(), r_.in_ball(0.5)};
    Transform<double> F{turn(r_.between(-pi, pi), 2), r_.in_ball(0.5)};
    F.p.z() = heights_ ? r_.around(0, 0.1) : 0;
    Mat3<double> along = Mat3<double>::Identity();
    if (kind == Kind::prismatic) along << 0, 0, 1, 1, 0, 0, 0, 1, 0;  // z along the plane's x
    else if (r_.with(0.5)) along.diagonal() << 1, -1, -1;
    F.R = F.R * along;
    return world_ * F;
  }

  VecX<double> home_of(Kind kind) {
    VecX<double> q = VecX<double>::Zero(free_coordinates(kind));
    if (!r_.with(0.4)) return q;
    for (int k = 0; k < q.size(); ++k) {
      const bool is_length = coordinate_kinds(kind)[at(k)].is_length;
      q[k] = r_.around(0, is_length ? 0.15 : k >= first_turn(kind) || kind == Kind::distance ? 0.5 : 0.8);
    }
    return q;
  }

  Drawn& add_joint_at(Kind kind, std::string parent, std::string child, const std::string& name,
                      const Transform<double>& A, const VecX<double>& q, bool may_swap = true) {
    Drawn d;
    if (may_swap && parent != ground && r_.with(0.4)) std::swap(parent, child);
    if (child == ground) std::swap(parent, child);
    d.joint.name = name;
    d.joint.kind = kind;
    d.joint.parent = std::move(parent);
    d.joint.child = std::move(child);
    d.joint.coordinates.resize(at(free_coordinates(kind)));
    if (kind == Kind::distance) d.joint.length = r_.between(0.2, 0.6);
    d.A = A;
    d.B = A * displaced(kind, q, d.joint.length);
    d.q = q;
    const bool held = r_.with(0.3);
    for (int k = 0; k < q.size(); ++k) {
      if (q[k] == 0) continue;
      (held ? d.joint.coordinates[at(k)].home : d.joint.coordinates[at(k)].guess) = q[k];
    }
    if (q.size() > 0 && r_.with(0.05)) d.joint.coordinates.back().name = name + "_own";
    joints_.push_back(d);
    return joints_.back();
  }
  Drawn& add_joint(Kind kind, const std::string& parent, const std::string& child, const std::string& name) {
    const Transform<double> A = frame(kind);
    return add_joint_at(kind, parent, child, name, A, home_of(kind));
  }

  /// A joint with a freedom more, which is locked.
  Drawn& add_locked(Kind kind, const std::string& parent, const std::string& child, const std::string& name) {
    const bool turns = kind == Kind::revolute;
    const Kind more = turns && r_.with(0.6) ? Kind::universal : Kind::cylindrical;
    const Transform<double> A = frame(kind);
    Drawn& d = add_joint_at(more, parent, child, name, A, home_of(more));
    const std::size_t locked = !turns ? 0 : more == Kind::universal && !planar_ && r_.with(0.5) ? 0 : 1;
    d.joint.coordinates[locked].locked = true;
    return d;
  }

  // -------------------------------------------------------------------------------------------- chains

  std::string numbered(const std::string& prefix, const char* what) {
    return prefix + what + std::to_string(++count_[prefix + what]);
  }

  /// Joints and bodies from one body to another; `to` empty: the last body hangs. Gives the bodies' names.
  std::vector<std::string> add_chain(const std::string& from, const std::string& to, const std::vector<Part>& parts,
                                     const std::string& prefix) {
    std::vector<std::size_t> may_open;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].kind != Kind::fixed) may_open.push_back(i);
    const std::size_t opener = equal_ && !may_open.empty() ? may_open.back() : r_.one_of(may_open);
    const std::size_t first = joints_.size();
    std::vector<std::string> bodies;
    std::string before = from;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size() && !to.empty();
      const std::string after = last ? to : add_body(numbered(prefix, "b"), parts[i].massless);
      if (!last) bodies.push_back(after);
      const bool lockable = parts[i].kind == Kind::revolute || parts[i].kind == Kind::prismatic;
      const bool lock = wanted_.fixed_bodies && !equal_ && lockable && (i != opener || to.empty()) && r_.with(0.04);
      const std::string name = numbered(prefix, "j");
      Drawn& d = lock ? add_locked(parts[i].kind, before, after, name) : add_joint(parts[i].kind, before, after, name);
      d.bare = parts[i].bare;
      d.opens = i == opener && !to.empty();
      before = after;
    }
    if (!to.empty() && r_.with(0.12)) cut_somewhere(first, first + opener);
    return bodies;
  }

  /// One joint of a chain is cut because the author wants it: the one that opens it, or a fixed one.
  void cut_somewhere(std::size_t first, std::size_t opener) {
    std::size_t chosen = opener;
    for (std::size_t i = first; i < joints_.size(); ++i)
      if (joints_[i].joint.kind == Kind::fixed) chosen = i;
    joints_[chosen].joint.cut = true;
  }

  /// Kinds of joints with `freedom` freedoms together.
  std::vector<Kind> kinds_with(int freedom, int most) {
    static const std::vector<Kind> often = {
        Kind::revolute,    Kind::revolute,    Kind::revolute,      Kind::revolute,      Kind::revolute,
        Kind::revolute,    Kind::prismatic,   Kind::prismatic,     Kind::universal,     Kind::universal,
        Kind::cylindrical, Kind::cylindrical, Kind::spherical,     Kind::spherical,     Kind::spherical,
        Kind::planar,      Kind::distance,    Kind::point_on_line, Kind::point_on_plane};
    for (int tries = 0; tries < 300; ++tries) {
      std::vector<Kind> kinds(at(r_.pick(1, most)));
      int sum = 0, slides = 0, balls = 0;
      for (Kind& k : kinds) {
        k = r_.one_of(often);
        sum += free_coordinates(k);
        slides += k == Kind::prismatic ? 1 : 0;
        balls += first_turn(k) < free_coordinates(k) ? 1 : 0;
      }
      if (sum == freedom && slides <= 2 && balls <= 2) return kinds;
    }
    std::vector<Kind> kinds = {Kind::revolute, Kind::prismatic, Kind::spherical};
    for (int i = 5; i < freedom; ++i) kinds.insert(kinds.begin(), Kind::revolute);
    return kinds;
  }

  std::vector<Kind> planar_kinds(int freedom) {
    std::vector<Kind> kinds;
    if (freedom >= 4 && r_.with(0.15)) kinds.push_back(Kind::planar);
    int slides = 0;
    for (int i = kinds.empty() ? 0 : 3; i < freedom; ++i) {
      kinds.push_back(slides < 2 && r_.with(0.2) ? Kind::prismatic : Kind::revolute);
      slides += kinds.back() == Kind::prismatic ? 1 : 0;
    }
    r_.shuffle(kinds);
    if (!substituted_ && r_.with(0.3)) {  // once in a robot: a body between two of these could leave the plane a little
      static const std::vector<Kind> instead = {Kind::spherical, Kind::cylindrical, Kind::point_on_line};
      for (Kind& k : kinds)
        if (k == Kind::revolute && !substituted_) k = r_.one_of(instead), substituted_ = true;
    }
    return kinds;
  }

  std::vector<Part> parts_with(int freedom) {
    std::vector<Part> parts;
    for (const Kind k : planar_ ? planar_kinds(freedom) : kinds_with(freedom, 5)) {
      const bool two = wanted_.massless_bodies && r_.with(0.4);
      if (two && k == Kind::distance) {
        parts.push_back({Kind::spherical, true, true});
        parts.push_back({Kind::spherical, false, true});
      } else if (two && !planar_ && k == Kind::point_on_line) {
        const bool ball_first = r_.with(0.5);
        parts.push_back({ball_first ? Kind::spherical : Kind::prismatic, true, false});
        parts.push_back({ball_first ? Kind::prismatic : Kind::spherical, false, false});
      } else {
        parts.push_back({k, false, false});
      }
    }
    if (wanted_.massless_bodies && parts.size() >= 3 && r_.with(0.07)) {
      Part& p = parts[r_.index(parts.size() - 1)];
      p.massless = p.massless || (!p.bare && p.kind == Kind::revolute);
    }
    if (wanted_.fixed_bodies && !equal_ && r_.with(0.12))
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(r_.index(parts.size() + 1)), Part{Kind::fixed});
    return parts;
  }

  // -------------------------------------------------------------------------------------------- loops without a platform

  std::vector<std::string> hosts() const {
    std::vector<std::string> all;
    for (const BodyDescription& b : out_.robot.bodies)
      if (b.mass > 0) all.push_back(b.name);
    return all;
  }

  void add_loops() {
    const int loops = r_.pick(1, 4);
    freedoms_ = r_.pick(1, planar_ ? 2 : 3);
    add_chain(ground, ground, closed_parts(whole() + freedoms_), "");
    const bool floats = !planar_ && r_.with(0.15) && freedoms_ <= 3;
    if (floats) add_floating_body();
    for (int i = 1; i < loops; ++i) {
      const int more = freedoms_ >= 3 ? r_.pick(-1, 1) : r_.pick(0, planar_ ? 1 : 2);
      if (freedoms_ + more > 7) continue;
      join_two(hosts(), whole() + more);
    }
  }

  /// A loop from the base to itself needs a body at least.
  std::vector<Part> closed_parts(int freedom) {
    std::vector<Part> parts = parts_with(freedom);
    while (std::count_if(parts.begin(), parts.end(), [](const Part& p) { return p.kind != Kind::fixed; }) < 2)
      parts = parts_with(freedom);
    return parts;
  }

  void join_two(std::vector<std::string> ends, int freedom) {
    if (ends.empty()) return;
    ends.push_back(ground);
    const std::string from = r_.one_of(ends);
    std::string to = r_.one_of(ends);
    while (to == from) to = r_.one_of(ends);
    if (to == ground) add_chain(to, from, parts_with(freedom), "");
    else add_chain(from, to, parts_with(freedom), "");
    freedoms_ += freedom - whole();
  }

  /// A body that nothing carries, held by two legs.
  void add_floating_body() {
    const std::vector<std::string> others = hosts();
    const std::string body = add_body("float", false);
    add_joint(Kind::free, ground, body, "floats");
    freedoms_ += 6;
    for (int i = 0; i < 2; ++i) {
      const int less = r_.pick(1, 2);
      std::vector<std::string> ends = others;
      ends.push_back(ground);
      const std::string from = r_.one_of(ends);  // drawn before the parts: arguments have no order
      add_chain(from, body, parts_with(6 - less), "");
      freedoms_ -= less;
    }
  }

  // -------------------------------------------------------------------------------------------- platform and legs

  void add_platform() {
    add_body("platform", false);
    freedoms_ = whole();
    const int legs = struts_ ? 6 : planar_ ? r_.pick(2, 3) : r_.pick(2, 6);
    if (struts_) {
      add_struts(legs);
    } else {
      const std::vector<Part> equal = parts_with(whole() + less_or_more(equal_ ? legs : 1));
      for (int i = 0; i < legs; ++i) add_leg(i, equal_ || i == 0 ? equal : parts_with(whole() + less_or_more(1)));
    }
    if (!struts_ && r_.with(0.3)) add_cross_link();
    declare_platform();
    if (r_.with(0.7)) out_.robot.legs = legs_;
  }

  /// What a leg adds to the freedoms, so that one is left.
  int less_or_more(int legs) {
    const double x = r_.between(0, 1);
    const int change = x < 0.5 ? 0 : x < 0.8 ? -1 : x < 0.9 ? 1 : planar_ ? 0 : -2;
    const int left = freedoms_ + change * legs;
    return left < 1 || left > 7 ? 0 : change;
  }

  void add_leg(int i, const std::vector<Part>& parts) {
    const std::string name = "leg" + std::to_string(i + 1);
    int sum = 0;
    for (const Part& p : parts)
      sum += planar_ && p.kind != Kind::planar && p.kind != Kind::fixed ? 1 : free_coordinates(p.kind);
    for (const Part& p : parts)
      if (p.massless && p.bare) --sum;  // a massless rod between balls spins: no freedom of the platform's
    freedoms_ += sum - whole();
    legs_.push_back({name, add_chain(ground, "platform", parts, name + ".")});
  }

  /// Legs that closed forms know: universal joint, drive and ball, in three orders.
  void add_struts(int legs) {
    const int order = r_.pick(0, 2);
    const bool exact = r_.with(0.8);
    for (int i = 0; i < legs; ++i) {
      const std::string name = "leg" + std::to_string(i + 1), prefix = name + ".";
      std::vector<std::string> b;
      for (int k = 0; k < 2; ++k) b.push_back(add_body(numbered(prefix, "b"), false));
      const Transform<double> ring = frame(Kind::universal), ball = frame(Kind::spherical);
      const Vec3<double> along = (ball.p - ring.p).normalized(), x = r_.across(along), z = r_.across(x);
      Transform<double> hinges = ring, slide = frame(Kind::prismatic);
      if (exact) hinges.R << x, z.cross(x), z;
      if (exact && order == 0) slide.R << x, along.cross(x), along;
      const VecX<double> one = VecX<double>::Zero(1), two = VecX<double>::Zero(2), three = VecX<double>::Zero(3);
      if (order == 0) {
        add_joint_at(Kind::universal, ground, b[0], prefix + "ring", hinges, two, false);
        add_joint_at(Kind::prismatic, b[0], b[1], prefix + "drive", slide, one);
      } else {
        const Kind root = order == 1 ? Kind::revolute : Kind::prismatic;
        add_joint_at(root, ground, b[0], prefix + "drive", frame(root), one);
        add_joint_at(Kind::universal, b[0], b[1], prefix + "ring", hinges, two, false);
      }
      add_joint_at(Kind::spherical, b[1], "platform", prefix + "ball", ball, three).opens = true;
      legs_.push_back({name, b});
    }
  }

  void add_cross_link() {
    std::vector<std::string> ends;
    for (const LegDescription& leg : legs_)
      for (const std::string& b : leg.bodies)
        if (out_.robot.body(b)->mass > 0) ends.push_back(b);
    if (ends.size() < 2) return;
    join_two(ends, whole() + (freedoms_ >= 3 ? r_.pick(-1, 0) : 0));
  }

  void declare_platform() {
    PlatformDescription p;
    p.body = "platform";
    if (r_.with(0.5)) p.frame = {r_.rotation(), r_.in_ball(0.2)};
    if (r_.with(0.3)) p.tool = {r_.rotation(), r_.in_ball(0.2)};
    if (planar_ && !tilted_ && r_.with(0.5)) p.coordinates = {true, true, false, false, false, true};
    out_.robot.platform = p;
  }

  // -------------------------------------------------------------------------------------------- what hangs and what is fixed

  void add_hanging_bodies() {
    if (plain_ && r_.with(0.7)) return;
    static const std::vector<Kind> spatial = {Kind::revolute,  Kind::revolute,  Kind::prismatic,
                                              Kind::universal, Kind::spherical, Kind::cylindrical},
                                   flat = {Kind::revolute, Kind::revolute, Kind::prismatic};
    if (hosts().empty()) return;
    for (int i = r_.pick(0, 2); i > 0 && freedoms_ < 7; --i) {
      std::vector<Part> parts;
      for (int k = r_.pick(1, 2); k > 0; --k) {
        const Kind kind = r_.one_of(planar_ ? flat : spatial);
        if (freedoms_ + free_coordinates(kind) > 8) continue;
        freedoms_ += free_coordinates(kind);
        parts.push_back({kind});
      }
      if (parts.empty()) continue;
      const std::string host = platform_ && r_.with(0.4) ? "platform" : r_.one_of(hosts());
      add_chain(host, "", parts, "hanging" + std::to_string(i) + ".");
    }
  }

  void add_fixed_bodies() {
    const double x = r_.between(0, 1);
    const int n = x < 0.4 || hosts().empty() ? 0 : x < 0.7 ? 1 : x < 0.9 ? 2 : 3;
    std::vector<std::string> fixed;
    for (int i = 0; i < n; ++i) {
      const std::string host = !fixed.empty() && r_.with(0.3) ? r_.one_of(fixed)
                               : r_.with(0.15)                ? ground
                               : platform_ && r_.with(0.4)    ? "platform"
                                                              : r_.one_of(hosts());
      const std::string body = add_body(numbered("", "fixed"), r_.with(0.1));
      add_weld(host, body);
      hand_over(host, body);
      fixed.push_back(body);
      if (host != ground && r_.with(0.12))
        add_joint(Kind::fixed, host, body, numbered("", "weld"));  // it closes a loop of welds
      for (LegDescription& leg : out_.robot.legs)
        if (contains(leg.bodies, host) && r_.with(0.4)) leg.bodies.push_back(body);
      if (platform_ && host == "platform" && r_.with(0.2)) out_.robot.platform->body = body;
    }
  }
  static bool contains(const std::vector<std::string>& all, const std::string& x) {
    return std::find(all.begin(), all.end(), x) != all.end();
  }

  /// A fixed joint, or one whose only coordinate is locked.
  void add_weld(const std::string& host, const std::string& body) {
    const std::string name = numbered("", "weld");
    if (!r_.with(0.25)) {
      add_joint(Kind::fixed, host, body, name);
      return;
    }
    const Kind kind = r_.with(0.5) ? Kind::revolute : Kind::prismatic;
    add_joint(kind, host, body, name).joint.coordinates[0].locked = true;
  }

  /// Some of the joints at `host` are at the body fixed to it instead.
  void hand_over(const std::string& host, const std::string& body) {
    for (Drawn& d : joints_) {
      if (is_weld(d.joint) || d.joint.parent == body || d.joint.child == body) continue;
      for (std::string* end : {&d.joint.parent, &d.joint.child})
        if (*end == host && r_.with(0.3)) *end = body;
    }
  }

  static bool is_weld(const JointDescription& j) {
    return j.kind == Kind::fixed || (j.coordinates.size() == 1 && j.coordinates[0].locked);
  }

  /// The name that stands for all bodies that are welded together.
  std::map<std::string, std::string> groups() const {
    std::map<std::string, std::string> group = {{ground, ground}};
    for (const BodyDescription& b : out_.robot.bodies) group[b.name] = b.name;
    for (const Drawn& d : joints_) {
      if (!is_weld(d.joint) || d.joint.cut.value_or(false)) continue;
      const std::string one = group[d.joint.parent], other = group[d.joint.child];
      for (auto& [unused, g] : group)
        if (g == other) g = one;
    }
    return group;
  }

  // -------------------------------------------------------------------------------------------- drives

  /// A coordinate of a joint.
  struct Place {
    std::size_t joint, k;
  };
  CoordinateDescription& at_place(const Place& p) { return joints_[p.joint].joint.coordinates[p.k]; }
  bool is_ball_turn(const Place& p) const {
    const Kind kind = joints_[p.joint].joint.kind;
    return static_cast<int>(p.k) >= first_turn(kind);
  }

  /// Whether the tree may have to keep a joint: not one that opens a loop, nor one at a platform that floats.
  bool may_stay(const Drawn& d, const std::map<std::string, std::string>& group) const {
    if (d.opens || d.bare || is_weld(d.joint) || d.joint.cut.value_or(false) || d.joint.kind == Kind::free)
      return false;
    return !platform_ || carried_ ||
           (group.at(d.joint.parent) != group.at("platform") && group.at(d.joint.child) != group.at("platform"));
  }

  std::vector<Place> may_be_driven() {
    const std::map<std::string, std::string> group = groups();
    std::vector<Place> all;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const JointDescription& joint = joints_[j].joint;
      for (std::size_t k = 0; may_stay(joints_[j], group) && k < joint.coordinates.size(); ++k)
        if (!joint.coordinates[k].locked && (static_cast<int>(k) < first_turn(joint.kind) || r_.with(0.04)))
          all.push_back({j, k});
    }
    return all;
  }

  void add_drives() {
    std::vector<Place> places = may_be_driven();
    r_.shuffle(places);
    const double x = r_.between(0, 1);
    int wanted = freedoms_ + (x < 0.2 ? -1 : x < 0.8 ? 0 : x < 0.95 ? 1 : 2);
    if (equal_) wanted -= drive_equal_legs();
    if (plain_) wanted = 0;
    std::erase_if(places, [this](const Place& p) { return at_place(p).actuated; });
    for (; wanted > 0 && !places.empty(); --wanted) {
      at_place(places.back()).actuated = true;
      places.pop_back();
    }
    if (!plain_ && wanted_.forces && r_.with(0.25)) add_elastic(places);
    for (const Place& p : places)
      if (!plain_ && r_.with(0.02)) joints_[p.joint].joint.cut = false;
  }

  /// The same coordinate in every leg. Gives how many.
  int drive_equal_legs() {
    const std::string name = struts_ ? "drive" : "j" + std::to_string(r_.pick(1, 2));
    int driven = 0;
    for (const LegDescription& leg : legs_)
      for (const Place& p : may_be_driven())
        if (p.k == 0 && !is_ball_turn(p) && joints_[p.joint].joint.name == leg.name + "." + name)
          at_place(p).actuated = true, ++driven;
    return driven;
  }

  void add_elastic(std::vector<Place>& places) {
    for (int n = r_.pick(1, 2); n > 0 && !places.empty(); places.pop_back()) {
      if (is_ball_turn(places.back())) continue;
      CoordinateDescription& c = at_place(places.back());
      c.elastic = true;
      c.actuated = r_.with(0.25);
      c.stiffness = r_.between(20, 200);
      c.rest = r_.around(joints_[places.back().joint].q[static_cast<Eigen::Index>(places.back().k)], 0.1);
      --n;
    }
  }

  // -------------------------------------------------------------------------------------------- forces

  void add_forces() {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const Kind kind = joints_[j].joint.kind;
      if (joints_[j].bare) continue;
      const bool locks_spin = out_.robot.lock_idle && kind == Kind::spherical;  // it may become a universal joint
      if (locks_spin || (plain_ && joints_[j].opens)) continue;
      for (std::size_t k = 0; k < joints_[j].joint.coordinates.size(); ++k) load({j, k});
      if (first_turn(kind) < free_coordinates(kind) && r_.with(0.15)) spring_ball(j);
    }
    if (!plain_ || r_.with(0.2)) add_point_springs();
  }

  void add_friction(const Place& p, const std::string& function, double most) {
    const bool shared = r_.with(0.2);
    const std::string name =
        shared ? "shared." + function : joints_[p.joint].joint.name + "." + std::to_string(p.k) + "." + function;
    const double value = r_.between(0.1 * most, most);
    out_.robot.coefficients.emplace(name, value);
    at_place(p).friction.push_back({function, name});
  }

  void load(const Place& p) {
    CoordinateDescription& c = at_place(p);
    if (c.locked) return;
    if (r_.with(0.12)) c.damping = r_.between(0.05, 0.5);
    if (r_.with(0.15)) add_friction(p, "viscous", 0.5);
    if (r_.with(0.12)) add_friction(p, "coulomb", 0.5);
    if (is_ball_turn(p)) return;
    const bool disturbs = !plain_ || r_.with(0.05);
    const bool passive = !c.actuated && !c.elastic;
    if (disturbs && r_.with(0.06)) add_friction(p, "quadratic", 0.3);
    if (disturbs && passive && r_.with(0.12)) {
      c.stiffness = r_.between(2, 20);
      c.rest = r_.around(joints_[p.joint].q[static_cast<Eigen::Index>(p.k)], 0.3);
    }
    const bool turns_rotor = c.actuated ? r_.with(0.4) : !plain_ && r_.with(0.04) && may_carry_rotor(joints_[p.joint]);
    if (turns_rotor) {  // it keeps its joint in the tree
      c.ratio = r_.between(5, 100);
      c.rotor_inertia = r_.between(0.005, 0.05) / (c.ratio * c.ratio);
      c.has_drive = r_.with(0.7);
    }
  }
  /// Rotors keep their joint in the tree. One at a massless body may become a part of the joint that opens the loop.
  bool may_carry_rotor(const Drawn& d) const {
    const auto heavy = [this](const std::string& body) { return body == ground || out_.robot.body(body)->mass > 0; };
    return heavy(d.joint.parent) && heavy(d.joint.child) && may_stay(d, groups());
  }

  /// Three different springs on a ball's rotation vector.
  void spring_ball(std::size_t j) {
    const int turns = first_turn(joints_[j].joint.kind);
    for (int k = turns; k < turns + 3; ++k) {
      CoordinateDescription& c = joints_[j].joint.coordinates[at(k)];
      c.stiffness = r_.between(1, 10);
      c.rest = r_.around(joints_[j].q[k], 0.3);
    }
  }

  void add_point_springs() {
    const std::map<std::string, std::string> group = groups();
    std::vector<std::string> ends = hosts();
    ends.push_back(ground);
    for (int n = r_.pick(0, 2); n > 0; --n) {
      SpringDescription s;
      s.name = "spring" + std::to_string(n);
      s.body_a = r_.one_of(ends);
      s.body_b = r_.one_of(ends);
      s.point_a = r_.in_ball(0.2);
      s.point_b = r_.in_ball(0.2);
      const double length = (pose(s.body_a) * s.point_a - pose(s.body_b) * s.point_b).norm();
      s.stiffness = r_.between(5, 60);
      s.damping = r_.with(0.5) ? r_.between(0.1, 2) : 0;
      s.free_length = length * r_.between(0.4, 1.2);
      if (length > 0.05 && group.at(s.body_a) != group.at(s.body_b)) out_.robot.springs.push_back(s);
    }
  }

  // -------------------------------------------------------------------------------------------- the description

  Transform<double> pose(const std::string& body) const {
    return body == ground ? Transform<double>() : out_.pose.at(body);
  }

  void finish() {
    for (Drawn& d : joints_) {
      d.joint.origin = pose(d.joint.parent).inverse() * d.A;
      d.joint.child_origin = pose(d.joint.child).inverse() * d.B;
      out_.robot.joints.push_back(d.joint);
    }
    if (r_.with(0.25)) r_.shuffle(out_.robot.joints);
    if (r_.with(0.25)) r_.shuffle(out_.robot.bodies);
    if (PlatformDescription* p = out_.robot.platform ? &*out_.robot.platform : nullptr) {
      const Transform<double> at_home = pose(p->body) * p->frame;
      const Eigen::AngleAxisd turned(at_home.R);
      const Vec3<double> vector = turned.angle() * turned.axis();
      for (int i = 0; i < 3; ++i) p->home[at(i)] = at_home.p[i], p->home[at(i + 3)] = vector[i];
    }
    out_.robot.description = std::string(planar_ ? tilted_ ? "planar, tilted" : "planar" : "spatial") +
                             (platform_ ? ", platform on " + std::to_string(legs_.size()) + " legs" : "") +
                             (struts_  ? " (closed form)"
                              : equal_ ? " (equal)"
                                       : "");
  }

  Chance r_;
  Kinds wanted_;
  RandomMechanism out_;
  std::vector<Drawn> joints_;
  std::vector<LegDescription> legs_;
  std::map<std::string, int> count_;
  Transform<double> world_;
  bool planar_ = false, platform_ = false, equal_ = false;
  bool struts_ = false;       ///< six legs that closed forms know
  bool plain_ = false;        ///< and no forces but those that their fast paths know
  bool carried_ = false;      ///< a joint at the platform may be driven, and then the tree carries it
  bool heights_ = false;      ///< joints of a planar robot beside its plane
  bool tilted_ = false;       ///< and that plane anywhere
  bool substituted_ = false;  ///< a hinge of a planar robot has become a ball or the like
  int freedoms_ = 0;
};

}  // namespace

RandomMechanism random_mechanism_at_home(unsigned seed, const Kinds& wanted) { return Drawing(seed, wanted).run(); }
RobotDescription random_mechanism(unsigned seed, const Kinds& wanted) {
  return random_mechanism_at_home(seed, wanted).robot;
}

std::vector<std::string> features(const RobotDescription& robot) {
  std::vector<std::string> all = {robot.description, robot.lock_idle ? "idle motions locked" : "idle motions free"};
  std::map<std::string, int> count;
  for (const JointDescription& j : robot.joints) {
    ++count[std::string(name(j.kind))];
    if (j.cut) ++count[*j.cut ? "cut: true" : "cut: false"];
    for (const CoordinateDescription& c : j.coordinates) {
      const std::vector<std::pair<bool, const char*>> has = {
          {c.actuated, "actuated"},         {c.elastic, "elastic"},          {c.locked, "locked"},
          {c.damping > 0, "damped"},        {c.rotor_inertia > 0, "rotors"}, {c.stiffness > 0 && !c.elastic, "sprung"},
          {!c.friction.empty(), "friction"}};
      for (const auto& [there, what] : has)
        if (there) ++count[what];
    }
  }
  for (const auto& [what, n] : count) all.push_back(std::to_string(n) + " " + what);
  for (const BodyDescription& b : robot.bodies)
    if (b.mass == 0) all.push_back("massless " + b.name);
  if (!robot.springs.empty()) all.push_back(std::to_string(robot.springs.size()) + " point springs");
  if (robot.platform && robot.platform->body != "platform") all.push_back("platform " + robot.platform->body);
  return all;
}

}  // namespace gough
