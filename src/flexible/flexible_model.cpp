#include "gough/flexible/flexible_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "flex_plane.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/jacobian.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

void refuse_what_is_missing(const Mechanism<double>& m) {
  if (m.beam.empty())
    throw Error(m.name + ": read a robot without beams, expected a body with `beam`: only those bend");
  if (!m.elastic.empty())
    throw Error(fmt::format("{}: read the elastic joint '{}' beside beams, expected rigid joints", m.name,
                            m.coordinate[at(m.elastic[0])].name));
  if (!m.spring.empty())
    throw Error(fmt::format("{}: read the spring '{}' beside beams, expected none", m.name, m.spring[0].name));
  for (const int c : m.actuator) {
    const bool single = std::any_of(m.joint.begin(), m.joint.end(),
                                    [&](const TreeJoint& j) { return j.v == c && velocity_size(j) == 1; });
    if (!single)
      throw Error(fmt::format("{}: read the actuator '{}' in a joint with several freedoms, expected one with one",
                              m.name, m.coordinate[at(c)].name));
  }
}

/// x along the first piece of the body's beam, z across the plane; in space, the beam's own axes.
Mat3<double> elastic_axes(const Mechanism<double>& m, const Workspace<double>& w, int body, bool planar) {
  const auto beam = std::find_if(m.beam.begin(), m.beam.end(), [&](const BeamBody& b) { return b.body == body; });
  const Mat3<double> own = beam == m.beam.end()
                               ? Mat3<double>(Mat3<double>::Identity())
                               : Mat3<double>(m.body_frame[at(body)].R * beam->description.beam[0].axes());
  if (!planar) return own;
  const Vec3<double> z = w.X0[at(body)].R.transpose() * Vec3<double>::UnitZ();
  Vec3<double> x = own.col(0) - z * z.dot(own.col(0));
  if (x.norm() < 0.5) x = own.col(1) - z * z.dot(own.col(1));
  x.normalize();
  Mat3<double> R;
  R << x, cross<double>(z, x), z;
  return R;
}

/// The element's matrices in other axes: A = R of its own.
void turn_element(const Mat3<double>& R, FlexElement& f) {
  BeamElement& e = f.e;
  const auto n = e.k.rows();
  f.turned = MatX<double>::Identity(n, n);
  for (int end = 0; end < 2; ++end) {
    const int first = end * e.at_end();
    if (e.shape == BeamShape::spatial) {
      f.turned.block<3, 3>(first, first) = R;
      f.turned.block<3, 3>(first + 3, first + 3) = R;
    } else {
      f.turned.block<2, 2>(first, first) = R.topLeftCorner<2, 2>();
    }
  }
  const MatX<double>& T = f.turned;
  const auto turn = [&](MatX<double>& A) { A = congruence(A, T.transpose()); };
  const std::array<MatX<double>, 9> own = e.S;
  for (std::size_t ab = 0; ab < 9; ++ab) {
    e.S[ab].setZero();
    for (std::size_t cd = 0; cd < 9; ++cd) {
      const auto [a, b, c, d] = std::array{ab / 3, ab % 3, cd / 3, cd % 3};
      e.S[ab] += R(static_cast<int>(a), static_cast<int>(c)) * R(static_cast<int>(b), static_cast<int>(d)) * own[cd];
    }
  }
  for (MatX<double>* A : {&e.k, &e.m, &e.g_first, &e.g_second}) turn(*A);
  for (MatX<double>& A : e.S) turn(A);
  for (MatX<double>* A : {&e.load_first, &e.load_second, &e.turn}) *A = (T * *A * R.transpose()).eval();
}

class Builder {
 public:
  Builder(const Mechanism<double>& m, FlexSpace space, const FlexLoads& loads) : m_(m), w_(m), loads_(loads) {
    refuse_what_is_missing(m);
    tree_positions(m, w_);
    closure(m, w_);
    const std::string spatial = out_of_plane(m, w_, loads);
    if (space == FlexSpace::planar && !spatial.empty())
      throw Error(fmt::format("{}: read {} out of the plane of x and y, expected a planar robot", m.name, spatial));
    f_.planar =
        space == FlexSpace::planar || (space == FlexSpace::automatic && spatial.empty() && beside_plane(m, w_).empty());
  }

  FlexibleModel build() {
    for (int j = 0; j < m_.tree_size(); ++j) f_.axes.push_back(elastic_axes(m_, w_, j, f_.planar));
    f_.nodes_of.resize(m_.parent.size());
    find_joints();
    for (int j = 0; j < m_.tree_size(); ++j) add_body(j);
    hold_joints();
    number();
    if (m_.platform.exists()) f_.platform = f_.hold(m_.platform.body, m_.platform_frame.p);
    choose_rows();
    return std::move(f_);
  }

 private:
  void add_body(int j) {
    const auto beam = std::find_if(m_.beam.begin(), m_.beam.end(), [&](const BeamBody& b) { return b.body == j; });
    if (beam != m_.beam.end()) return add_beam(static_cast<int>(beam - m_.beam.begin()));
    add_node(j, Vec3<double>::Zero());
    add_lump(j, f_.nodes_of[at(j)][0], m_.inertia[at(j)]);
  }

  int add_node(int body, const Vec3<double>& r) {
    f_.node.push_back({body, r, 0});
    f_.nodes_of[at(body)].push_back(static_cast<int>(f_.node.size()) - 1);
    return f_.nodes_of[at(body)].back();
  }

  /// An inertia about our body frame, carried by a node.
  void add_lump(int body, int node, const Inertia<double>& I) {
    if (!(I.mass > 0)) return;
    const Mat3<double>& Q = f_.axes[at(body)];
    const Vec3<double> c = I.first / I.mass;
    const Mat3<double> about_c = I.second - steiner<double>(c, c) * I.mass;
    f_.lump.push_back({node, I.mass, Q.transpose() * c - f_.node[at(node)].r, Q.transpose() * about_c * Q});
  }

  void add_beam(int index) {
    const BeamBody& b = m_.beam[at(index)];
    const Transform<double>& frame = m_.body_frame[at(b.body)];
    const Mat3<double>& Q = f_.axes[at(b.body)];
    const auto place = [&](const Vec3<double>& x) { return Vec3<double>(Q.transpose() * (frame * x)); };
    add_node(b.body, place(b.description.beam[0].from));
    for (std::size_t p = 0; p < b.description.beam.size(); ++p) {
      const BeamDescription piece = in_plane(b.description.beam[p], b.body);
      const BeamShape shape = !f_.planar    ? BeamShape::spatial
                              : piece.shear ? BeamShape::planar
                                            : BeamShape::planar_quintic;
      std::map<double, BeamElement> of_length;
      double from = 0;
      for (const double to : stations(b, p)) {
        const int a = f_.nodes_of[at(b.body)].back();
        const double length = (to - from) * piece.length(), key = std::round(length * 1e12);
        from = to;
        if (!of_length.contains(key)) of_length.emplace(key, beam_element(piece, length, shape));
        const int end = add_node(b.body, place(piece.from + (piece.to - piece.from) * to));
        FlexElement x{b.body, index, static_cast<int>(p), a, end, piece, of_length.at(key), {}, {}, {}, {}};
        Mat3<double> R = Q.transpose() * frame.R * piece.axes();
        if (f_.planar) R << R.col(0), cross<double>(Vec3<double>::UnitZ(), R.col(0)), Vec3<double>::UnitZ();
        x.along = R.col(0);
        const Vec3<double> section = piece.turning();
        x.section_inertia = R * section.asDiagonal() * R.transpose();
        turn_element(R, x);
        f_.element.push_back(x);
      }
    }
    BodyDescription rest = b.description;
    rest.beam.clear();
    rest.points.clear();
    add_lump(b.body, f_.nodes_of[at(b.body)][0], frame * rest.total());
    for (const auto& [mass, xyz] : b.description.points)
      add_lump(b.body, f_.hold(b.body, frame * xyz).node,
               frame * inertia_about_origin<double>(mass, xyz, Mat3<double>::Zero()));
  }

  /// Ends of elements along a piece, 0 to 1: equal parts, and where something sits on the beam.
  std::vector<double> stations(const BeamBody& b, std::size_t p) const {
    const BeamDescription& piece = b.description.beam[p];
    std::vector<double> all;
    for (int k = 1; k <= piece.elements; ++k) all.push_back(static_cast<double>(k) / piece.elements);
    const auto nearest_piece = [&](const Vec3<double>& x) {
      std::size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < b.description.beam.size(); ++i) {
        const BeamDescription& d = b.description.beam[i];
        const double s = std::clamp((x - d.from).dot(d.to - d.from) / (d.to - d.from).squaredNorm(), 0.0, 1.0);
        if (const double away = (d.from + (d.to - d.from) * s - x).norm(); away < least - 1e-12) least = away, best = i;
      }
      return best;
    };
    for (const Vec3<double>& x : points_on(b)) {
      const double s = (x - piece.from).dot(piece.to - piece.from) / (piece.to - piece.from).squaredNorm();
      const bool known = std::any_of(all.begin(), all.end(), [&](double y) { return std::abs(y - s) < 1e-6; });
      if (s > 1e-6 && s < 1 - 1e-6 && !known && nearest_piece(x) == p) all.push_back(s);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  /// Joints, masses, loads and the platform's origin on a beam, author's frame.
  std::vector<Vec3<double>> points_on(const BeamBody& b) const {
    const Transform<double> inside = (w_.X0[at(b.body)] * m_.body_frame[at(b.body)]).inverse();
    std::vector<Vec3<double>> all;
    for (const Place& p : places_)
      for (const auto& [body, point] : {p.a, p.b})
        if (body == b.body && point) all.push_back(inside * *point);
    for (const auto& [mass, xyz] : b.description.points) all.push_back(xyz);
    const Transform<double> to_author = m_.body_frame[at(b.body)].inverse();
    for (const PointLoad& l : loads_.points)
      if (l.body == b.body) all.push_back(to_author * l.at);
    for (const FlexPoint& p : loads_.watched)
      if (p.body == b.body) all.push_back(to_author * p.at);
    if (m_.platform.body == b.body) all.push_back(to_author * m_.platform_frame.p);
    return all;
  }

  /// In a plane, bending is about the normal: z, or the section's y where that is the normal.
  BeamDescription in_plane(BeamDescription piece, int body) const {
    const Vec3<double> y = w_.X0[at(body)].R * (m_.body_frame[at(body)].R * piece.axes().col(1));
    if (f_.planar && std::abs(y.z()) > std::sqrt(0.5)) {
      std::swap(piece.Iy, piece.Iz);
      std::swap(piece.half_y, piece.half_z);
    }
    return piece;
  }

  // ---------------------------------------------------------------------------------------------- joints

  /// Where a joint sits on its two bodies, base axes; nothing: the clamped end of a beam that slides.
  struct Place {
    std::pair<int, std::optional<Vec3<double>>> a, b;
  };

  void find_joints() {
    for (int j = 0; j < m_.tree_size(); ++j) {
      const Elementary type = m_.joint[at(j)].type;
      if (type == Elementary::free) continue;
      const int parent = m_.parent[at(j)];
      const Transform<double> guide = parent == base ? m_.placement[at(j)] : w_.X0[at(parent)] * m_.placement[at(j)];
      const bool slides = type == Elementary::prismatic;
      const std::string name =
          velocity_size(type) > 0 ? m_.coordinate[at(m_.joint[at(j)].v)].joint : m_.body_name[at(j)];
      if (slides) refuse_carriage(m_, w_, parent, guide, name);
      f_.joint.push_back(
          {false, j, -1, -1, slides, type == Elementary::revolute || slides || type == Elementary::fixed, false});
      places_.push_back({{parent, guide.p}, {j, slides ? std::nullopt : std::optional(w_.X0[at(j)].p)}});
    }
    for (std::size_t c = 0; c < m_.cut.size(); ++c) {
      const JointKind kind = m_.cut[c].kind;
      const Transform<double> A = cut_frame_a(m_, w_, c), B = cut_frame_b(m_, w_, c);
      const bool guided = kind == JointKind::prismatic || kind == JointKind::cylindrical;
      const bool slides =
          guided || kind == JointKind::planar || kind == JointKind::point_on_line || kind == JointKind::point_on_plane;
      if (guided || kind == JointKind::point_on_line) refuse_carriage(m_, w_, m_.cut[c].a, A, m_.cut[c].name);
      const bool turns = guided || kind == JointKind::revolute || kind == JointKind::fixed || kind == JointKind::planar;
      f_.joint.push_back({true, static_cast<int>(c), -1, -1, slides, turns, kind == JointKind::distance});
      places_.push_back({{m_.cut[c].a, A.p}, {m_.cut[c].b, guided ? std::nullopt : std::optional(B.p)}});
    }
  }

  void hold_joints() {
    const auto node = [&](const std::pair<int, std::optional<Vec3<double>>>& place) {
      if (place.first == base) return -1;
      if (!place.second) return f_.nodes_of[at(place.first)][0];
      return f_.hold(place.first, w_.X0[at(place.first)].inverse() * *place.second).node;
    };
    for (std::size_t i = 0; i < f_.joint.size(); ++i) {
      f_.joint[i].a = node(places_[i].a);
      f_.joint[i].b = node(places_[i].b);
    }
  }

  /// Whether something else than the beam turns or pushes a node: then its elements' curvatures differ there.
  bool loaded(int node) const {
    for (const FlexJoint& j : f_.joint)
      if (j.a == node || j.b == node) return true;
    return std::any_of(f_.lump.begin(), f_.lump.end(),
                       [&](const Lump& l) { return l.node == node && (l.c.norm() > 1e-12 || l.inertia.norm() > 0); });
  }

  void number() {
    int next = 0;
    for (FlexNode& n : f_.node) {
      n.first = next;
      next += f_.per_node();
    }
    int curvature = -1;  // of the element before, at its end
    for (std::size_t i = 0; i < f_.element.size(); ++i) {
      FlexElement& e = f_.element[i];
      const bool goes_on = i > 0 && f_.element[i - 1].b == e.a && f_.element[i - 1].piece == e.piece && !loaded(e.a);
      for (const int node : {e.a, e.b}) {
        for (int k = 0; k < f_.per_node(); ++k) e.coordinate.push_back(f_.node[at(node)].first + k);
        if (e.e.shape != BeamShape::planar_quintic) continue;
        const bool shared = node == e.a && goes_on;
        if (!shared) curvature = next++;
        e.coordinate.push_back(curvature);
      }
    }
    f_.size = next;
  }

  /// Rows at home, drives first; those that others imply are left out.
  void choose_rows() {
    std::vector<FlexRow> all;
    f_.actuator_row.assign(m_.actuator.size(), -1);
    for (std::size_t i = 0; i < f_.joint.size(); ++i) {
      const FlexJoint& j = f_.joint[i];
      if (j.is_cut) {
        for (std::size_t k = 0; k < m_.cut[at(j.index)].rows.size(); ++k)
          all.push_back({static_cast<int>(i), static_cast<int>(k), -1});
        continue;
      }
      const TreeJoint& t = m_.joint[at(j.index)];
      for (int k = 0; k < 6; ++k) {
        const bool free = (t.type == Elementary::revolute && k == 5) || (t.type == Elementary::prismatic && k == 2) ||
                          (t.type == Elementary::spherical && k >= 3);
        if (!free) {
          all.push_back({static_cast<int>(i), k, -1});
          continue;
        }
        const auto drive = std::find(m_.actuator.begin(), m_.actuator.end(), t.v);
        if (t.type != Elementary::spherical && drive != m_.actuator.end())
          all.push_back({static_cast<int>(i), k, static_cast<int>(drive - m_.actuator.begin())});
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const FlexRow& x, const FlexRow& y) { return x.actuator > y.actuator; });
    keep_independent(all);
  }

  void keep_independent(const std::vector<FlexRow>& all) {
    FlexibleModel trial = f_;
    trial.row = all;
    const RigidState s = rigid_state(m_, trial, w_, {}, {});
    MatX<double> basis(f_.size, 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      VecX<double> x = VecX<double>::Zero(f_.size);
      const FlexJoint& joint = f_.joint[at(all[i].joint)];
      for (const auto& [node, sign] : {std::pair(joint.b, 1.0), {joint.a, -1.0}})
        if (node >= 0) x += row_on_node(f_, s, node, s.row[i]) * sign;
      const double before = x.norm();
      for (int twice = 0; twice < 2 && basis.cols() > 0; ++twice) x -= basis * (basis.transpose() * x);
      if (!(x.norm() > 1e-8 * before) || before < 1e-12) {
        if (all[i].actuator >= 0)
          throw Error(fmt::format("{}: read the actuator '{}' that no body feels, expected one", m_.name,
                                  m_.coordinate[at(m_.actuator[at(all[i].actuator)])].name));
        continue;
      }
      basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
      basis.rightCols(1) = x.normalized();
      if (all[i].actuator >= 0) f_.actuator_row[at(all[i].actuator)] = f_.rows();
      f_.row.push_back(all[i]);
    }
  }

  static VecX<double> row_on_node(const FlexibleModel& f, const RigidState& s, int node, const Force<double>& row) {
    const FlexNode& n = f.node[at(node)];
    const ElasticAxes& b = s.body[at(n.body)];
    const Vec3<double> x = b.p + b.R * n.r;
    const Vec3<double> force = b.R.transpose() * row.force,
                       moment = b.R.transpose() * (row.moment - cross<double>(x, row.force));
    VecX<double> all = VecX<double>::Zero(f.size);
    if (f.planar) all.segment<3>(n.first) << force.x(), force.y(), moment.z();
    else all.segment<6>(n.first) << force, moment;
    return all;
  }

  const Mechanism<double>& m_;
  Workspace<double> w_;
  const FlexLoads& loads_;
  std::vector<Place> places_;  ///< per joint
  FlexibleModel f_;
};

}  // namespace

Held FlexibleModel::hold(int body, const Vec3<double>& point) const {
  const Vec3<double> x = axes[at(body)].transpose() * point;
  Held best;
  for (const int n : nodes_of[at(body)])
    if (const Vec3<double> arm = x - node[at(n)].r; best.node < 0 || arm.norm() < best.arm.norm()) best = {n, arm};
  return best;
}

FlexibleModel flexible_model(const Mechanism<double>& m, FlexSpace space, const FlexLoads& loads) {
  return Builder(m, space, loads).build();
}

RigidState rigid_state(const Mechanism<double>& m, const FlexibleModel& f, const Workspace<double>& w,
                       const Reactions& reactions, const Force<double>& wrench) {
  RigidState s;
  s.wrench = wrench;
  s.body.resize(m.parent.size());
  for (std::size_t j = 0; j < s.body.size(); ++j) {
    const Mat3<double>& Q = f.axes[j];
    ElasticAxes& b = s.body[j];
    b.R = w.X0[j].R * Q;
    b.p = w.X0[j].p;
    b.w = Q.transpose() * w.V[j].angular;
    b.dw = Q.transpose() * w.A[j].angular;
    b.a = Q.transpose() * (w.A[j].linear + cross<double>(w.V[j].angular, w.V[j].linear)) - b.R.transpose() * m.gravity;
  }
  for (const FlexJoint& j : f.joint) {
    JointLoad& l = s.joint.emplace_back();
    l.at_b = j.is_cut ? cut_frame_b(m, w, at(j.index)).p : w.X0[at(j.index)].p;
    l.at_a = j.rod ? cut_frame_a(m, w, at(j.index)).p : l.at_b;
    if (reactions.tree.empty()) continue;
    const JointReaction& passed = (j.is_cut ? reactions.cut : reactions.tree)[at(j.index)];
    l.force = passed.wrench.force;
    l.moment = passed.wrench.moment;
  }
  for (const FlexRow& r : f.row) {
    const FlexJoint& j = f.joint[at(r.joint)];
    if (j.is_cut) {
      s.row.push_back(w.cut_wrench[at(m.cut[at(j.index)].first_row + r.k)]);
      continue;
    }
    const int parent = m.parent[at(j.index)];
    const Mat3<double> fixed =
        (parent == base ? Mat3<double>(Mat3<double>::Identity()) : w.X0[at(parent)].R) * m.placement[at(j.index)].R;
    const Vec3<double> e = fixed.col(r.k % 3);
    s.row.push_back(r.k < 3 ? Force<double>{cross<double>(w.X0[at(j.index)].p, e), e}
                            : Force<double>{e, Vec3<double>::Zero()});
  }
  return s;
}

}  // namespace gough
