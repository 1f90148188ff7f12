#include "drawing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gough/kinematics/singularity.hpp"

namespace gough::io {
namespace {

using json = nlohmann::ordered_json;
using Point = Vec3<double>;

json listed(const Point& p) { return {p.x(), p.y(), p.z()}; }

/// What one body is drawn from.
struct Sketch {
  std::vector<Point> points;  ///< where joints, springs and the platform's frame sit
  json shapes = json::array();
};

class Artist {
 public:
  Artist(const Mechanism<double>& m, const RunRecord& record)
      : m_(m), record_(record), w_(m), body_(m.parent.size() + 1) {
    tree_positions(m_, w_);
    closure(m_, w_);
    size_ = std::max(characteristic_length(m_, w_), 1e-9);
  }

  json draw() {
    for (int j = 0; j < m_.tree_size(); ++j) add_tree_joint(j);
    for (std::size_t c = 0; c < m_.cut.size(); ++c) add_cut_joint(c);
    add_springs();
    for (const WeldedPart& part : m_.welded) add_welded(part);
    for (int j = base; j < m_.tree_size(); ++j) add_link(j);
    json bodies = json::array();
    for (int j = base; j < m_.tree_size(); ++j) {
      const std::string_view role = j == base                                       ? "base"
                                    : m_.platform.exists() && j == m_.platform.body ? "platform"
                                    : m_.hidden[at(j)]                              ? "hidden"
                                                                                    : "link";
      bodies.push_back({{"name", j == base ? std::string(base_name) : m_.body_name[at(j)]},
                        {"role", role},
                        {"shapes", std::move(of(j).shapes)}});
    }
    json out = {{"size", size_}, {"bodies", std::move(bodies)}, {"links", std::move(links_)}};
    add_view(out);
    if (m_.platform.exists()) {
      const Transform<double> tool = m_.platform_frame * m_.tool_frame;
      out["platform"] = {{"body", m_.platform.body + 1}, {"frame", frame(m_.platform_frame)}, {"tool", listed(tool.p)}};
    }
    return out;
  }

 private:
  Sketch& of(int body) { return body_[at(body + 1)]; }

  static json frame(const Transform<double>& X) {
    const Eigen::Vector4d u = quaternion_from_rotation(X.R);
    return {X.p.x(), X.p.y(), X.p.z(), u[1], u[2], u[3], u[0]};
  }

  void mark(int body, std::string_view type, const Transform<double>& X, const std::string& name, bool actuated,
            bool elastic = false) {
    of(body).shapes.push_back({{"kind", "joint"},
                               {"type", type},
                               {"at", listed(X.p)},
                               {"axis", listed(X.R.col(2))},
                               {"name", name},
                               {"actuated", actuated},
                               {"elastic", elastic}});
  }
  void tube(int body, const Point& a, const Point& b, double thickness) {
    if ((b - a).norm() < 1e-6 * size_) return;
    of(body).shapes.push_back({{"kind", "tube"}, {"from", listed(a)}, {"to", listed(b)}, {"thickness", thickness}});
  }

  // ---------------------------------------------------------------------------------------------- joints

  void add_tree_joint(int j) {
    const TreeJoint& joint = m_.joint[at(j)];
    const Transform<double>& placement = m_.placement[at(j)];
    if (joint.type == Elementary::free) return;
    of(j).points.emplace_back(Point::Zero());
    if (joint.type == Elementary::prismatic) return add_slide(j);
    if (joint.type == Elementary::modal)  // a beam: straight from its near end to its far end
      return of(m_.parent[at(j)]).points.push_back(placement * Point(m_.modal_of(at(j)).end.r.col(0)));
    of(m_.parent[at(j)]).points.push_back(placement.p);
    if (joint.type == Elementary::fixed) return;
    const Coordinate& c = m_.coordinate[at(joint.v)];
    bool actuated = false;
    for (int k = 0; k < velocity_size(joint); ++k) actuated = actuated || m_.coordinate[at(joint.v + k)].actuated;
    mark(j, joint.type == Elementary::revolute ? "revolute" : "spherical", {}, c.joint, actuated, c.elastic);
  }

  /// A slide: two tubes, one in the other, where the moving part stays well away from the start; otherwise a carriage
  /// on a rail.
  void add_slide(int j) {
    const TreeJoint& joint = m_.joint[at(j)];
    const Transform<double>& P = m_.placement[at(j)];
    const Coordinate& c = m_.coordinate[at(joint.v)];
    const auto [low, high] = extent(record_.q[at(joint.q)], m_.home[joint.q]);
    const int parent = m_.parent[at(j)];
    const double near = std::min(std::abs(low), std::abs(high)), far = std::max(std::abs(low), std::abs(high));
    const double sign = low > 0 ? 1 : -1;
    const Point axis = P.R.col(2) * sign;
    if (parent != base && low * high > 0 && near > 0.56 * far && near > 0.1 * size_) {
      const double housing = 0.8 * near, rod = std::min(near, far - 0.6 * near);
      of(parent).points.push_back(P.p);
      tube(parent, P.p, P.p + axis * housing, 1.7);
      tube(j, Point::Zero(), Point(0, 0, -sign * rod), 0.8);
      mark(parent, "sleeve", {P.R, P.p + axis * housing}, c.joint, c.actuated, c.elastic);
    } else {
      rail(parent, P, low, high);
      of(parent).points.emplace_back(P.p);
      mark(j, "prismatic", {}, c.joint, c.actuated, c.elastic);
    }
  }

  /// Where a slide went; without a record, home.
  static std::pair<double, double> extent(const RunRecord::Extent& e, double home) {
    return e.known() ? std::pair(e.lowest, e.highest) : std::pair(home, home);
  }

  /// Along z of X, from where the coordinate is zero to a little beyond where it went.
  void rail(int body, const Transform<double>& X, double low, double high) {
    const double margin = 0.12 * size_ + 0.05 * (high - low);
    const double from = low > 0 ? 0 : low - margin, to = high < 0 ? 0 : high + margin;
    tube(body, X.p + X.R.col(2) * from, X.p + X.R.col(2) * to, body == base ? 0.7 : 0.9);
  }

  void add_cut_joint(std::size_t c) {
    const CutJoint& cut = m_.cut[c];
    const Transform<double>&A = m_.cut_a[c], &B = m_.cut_b[c];
    of(cut.a).points.push_back(A.p);
    of(cut.b).points.push_back(B.p);
    const auto went = [&](int k) {
      const int i = cut.first_coordinate + k - m_.nv;
      return extent(record_.cq[at(i)], 0);
    };
    switch (cut.kind) {
      case JointKind::fixed:
      case JointKind::free:
      case JointKind::modal: return;
      case JointKind::universal:
        mark(cut.a, "revolute", A, cut.name, false);
        return mark(cut.b, "revolute", {B.R * rotation_to_axis(Point::UnitX()), B.p}, cut.name, false);
      case JointKind::prismatic: rail(cut.a, A, went(0).first, went(0).second); break;
      case JointKind::cylindrical: rail(cut.a, A, went(1).first, went(1).second); break;
      case JointKind::point_on_line: rail(cut.a, A, went(0).first, went(0).second); break;
      case JointKind::distance:
        mark(cut.a, "spherical", A, cut.name, false);
        links_.push_back({{"kind", "rod"},
                          {"name", cut.name},
                          {"a", cut.a + 1},
                          {"at_a", listed(A.p)},
                          {"b", cut.b + 1},
                          {"at_b", listed(B.p)}});
        break;
      default: break;
    }
    mark(cut.b, marker(cut.kind), B, cut.name, false);
  }

  static std::string_view marker(JointKind kind) {
    switch (kind) {
      case JointKind::revolute:
      case JointKind::cylindrical: return "revolute";
      case JointKind::prismatic: return "prismatic";
      case JointKind::planar: return "planar";
      default: return "spherical";
    }
  }

  void add_springs() {
    for (std::size_t s = 0; s < m_.spring.size(); ++s) {
      of(m_.spring[s].a).points.push_back(m_.spring_point_a[s]);
      of(m_.spring[s].b).points.push_back(m_.spring_point_b[s]);
      links_.push_back({{"kind", "spring"},
                        {"name", m_.spring[s].name},
                        {"a", m_.spring[s].a + 1},
                        {"at_a", listed(m_.spring_point_a[s])},
                        {"b", m_.spring[s].b + 1},
                        {"at_b", listed(m_.spring_point_b[s])}});
    }
  }

  /// A part that is fixed to a body: an arm to its centre of mass.
  void add_welded(const WeldedPart& part) {
    of(part.body).points.push_back(part.frame.p);
    if (!(part.inertia.mass > 0)) return;
    const Point com = part.frame * Point(part.inertia.first / part.inertia.mass);
    tube(part.body, part.frame.p, com, 0.8);
    of(part.body).shapes.push_back({{"kind", "mass"}, {"at", listed(com)}});
  }

  // ---------------------------------------------------------------------------------------------- links

  std::vector<Point> distinct(const std::vector<Point>& points) const {
    std::vector<Point> some;
    for (const Point& p : points)
      if (std::none_of(some.begin(), some.end(), [&](const Point& q) { return (p - q).norm() < 1e-4 * size_; }))
        some.push_back(p);
    return some;
  }

  /// The base is a plate under its joints; a platform is a plate through its joints; a link joins its points by tubes.
  void add_link(int j) {
    std::vector<Point> points = distinct(of(j).points);
    const bool platform = m_.platform.exists() && j == m_.platform.body;
    if ((j == base || platform) && points.size() > 2 && !in_line(points)) {
      plate(j, points);
      if (!platform) return;
      Point centre = Point::Zero();
      for (const Point& p : points) centre += p / static_cast<double>(points.size());
      tube(j, centre, m_.platform_frame.p, 0.6);
      return tube(j, m_.platform_frame.p, (m_.platform_frame * m_.tool_frame).p, 0.6);
    }
    if (j == base) return pads(points);
    if (platform) {
      points.push_back(m_.platform_frame.p);
      points.push_back((m_.platform_frame * m_.tool_frame).p);
      points = distinct(points);
    }
    if (const double mass = m_.inertia[at(j)].mass; points.size() < 2 && mass > 0) {
      const Point com = m_.inertia[at(j)].first / mass;
      points.push_back(com);
      points = distinct(points);
      if (points.size() == 2 && tubes_of(j) == 0) of(j).shapes.push_back({{"kind", "mass"}, {"at", listed(com)}});
      else points.resize(1);
    }
    join(j, points);
  }

  std::size_t tubes_of(int j) {
    const json& shapes = of(j).shapes;
    return static_cast<std::size_t>(
        std::count_if(shapes.begin(), shapes.end(), [](const json& s) { return s.at("kind") == "tube"; }));
  }

  bool in_line(const std::vector<Point>& points) const {
    const Point d = (points[1] - points[0]).normalized();
    return std::all_of(points.begin(), points.end(),
                       [&](const Point& p) { return cross<double>(p - points[0], d).norm() < 1e-4 * size_; });
  }

  void pads(const std::vector<Point>& points) {
    for (const Point& p : points) of(base).shapes.push_back({{"kind", "pad"}, {"at", listed(p)}});
  }

  /// The points in order around their centre.
  void plate(int j, std::vector<Point> points) {
    Point centre = Point::Zero();
    for (const Point& p : points) centre += p / static_cast<double>(points.size());
    Point normal = Point::Zero();
    for (const Point& p : points)
      for (const Point& q : points) {
        const Point n = cross<double>(p - centre, q - centre);
        if (n.norm() > normal.norm()) normal = n;
      }
    const Mat3<double> R = rotation_to_axis(normal.normalized());
    const auto angle = [&](const Point& p) {
      const Point d = R.transpose() * (p - centre);
      return std::atan2(d.y(), d.x());
    };
    std::sort(points.begin(), points.end(), [&](const Point& a, const Point& b) { return angle(a) < angle(b); });
    json corners = json::array();
    for (const Point& p : points) corners.push_back(listed(p));
    of(j).shapes.push_back({{"kind", "plate"}, {"points", std::move(corners)}});
  }

  /// The shortest net of tubes that joins all points.
  void join(int j, std::vector<Point> points) {
    if (points.empty()) return;
    std::vector<Point> joined = {points.back()};
    points.pop_back();
    while (!points.empty()) {
      std::size_t best = 0;
      Point from = joined.front();
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < points.size(); ++i)
        for (const Point& p : joined)
          if (const double d = (points[i] - p).norm(); d < least) least = d, best = i, from = p;
      tube(j, from, points[best], 1.0);
      joined.push_back(points[best]);
      points.erase(points.begin() + static_cast<std::ptrdiff_t>(best));
    }
  }

  // ---------------------------------------------------------------------------------------------- view

  /// Up is against gravity. Where every axis points the same way, the mechanism is planar and seen along it.
  void add_view(json& out) {
    Point up = m_.gravity.norm() > 0 ? Point(-m_.gravity.normalized()) : Point::UnitZ();
    std::optional<Point> normal;
    bool planar = true;
    const auto look = [&](const Point& axis) {
      if (!normal) normal = axis;
      planar = planar && cross<double>(*normal, axis).norm() < 1e-6;
    };
    for (std::size_t j = 0; j < m_.joint.size(); ++j) {
      if (m_.joint[j].type == Elementary::revolute) look(w_.X0[j].R.col(2));
      if (m_.joint[j].type == Elementary::spherical) planar = false;
    }
    for (std::size_t c = 0; c < m_.cut.size(); ++c) {
      if (m_.cut[c].kind == JointKind::revolute) look(cut_frame_b(m_, w_, c).R.col(2));
      else planar = false;
    }
    planar = planar && normal.has_value();
    if (planar && normal->sum() < 0) *normal = -*normal;
    if (planar && std::abs(up.dot(*normal)) > 0.99) up = std::abs(normal->y()) > 0.9 ? Point::UnitZ() : Point::UnitY();
    out["up"] = listed(up);
    if (planar) out["normal"] = listed(*normal);
  }

  const Mechanism<double>& m_;
  const RunRecord& record_;
  Workspace<double> w_;
  double size_ = 1;
  std::vector<Sketch> body_;
  json links_ = json::array();
};

}  // namespace

json drawing(const Mechanism<double>& m, const RunRecord& record) { return Artist(m, record).draw(); }

}  // namespace gough::io
