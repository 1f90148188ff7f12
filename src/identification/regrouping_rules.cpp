#include "gough/identification/regrouping_rules.hpp"

#include "gough/kinematics/sampling.hpp"

namespace gough {
namespace {

using Ten = Eigen::Matrix<double, 10, 1>;
constexpr int other_positions = 6;
constexpr double same = 1e-9;

Inertia<double> mass_at_origin() {
  Inertia<double> part;
  part.mass = 1;
  return part;
}
Inertia<double> first_moment_along_z() {
  Inertia<double> part;
  part.first.z() = 1;
  return part;
}
Inertia<double> second_moment_along_z() {
  Inertia<double> part;
  part.second(0, 0) = part.second(1, 1) = 1;
  return part;
}
/// The first entries of a body's ten.
std::vector<Inertia<double>> first_entries(int count) {
  std::vector<Inertia<double>> parts;
  parts.reserve(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) parts.push_back(inertia_of(Ten::Unit(k)));
  return parts;
}
std::vector<Inertia<double>> second_moments() { return first_entries(6); }
std::vector<Inertia<double>> all_ten() { return first_entries(10); }

/// What passes a joint, in its frame.                                                                     (R1)-(R4)
std::vector<Inertia<double>> passing(JointKind kind) {
  switch (kind) {
    case JointKind::fixed: return all_ten();
    case JointKind::revolute: return {mass_at_origin(), first_moment_along_z(), second_moment_along_z()};
    case JointKind::prismatic: return second_moments();
    case JointKind::cylindrical:
    case JointKind::planar: return {second_moment_along_z()};
    case JointKind::universal:
    case JointKind::spherical: return {mass_at_origin()};
    default: return {};
  }
}

JointKind kind_of(Elementary type) {
  switch (type) {
    case Elementary::revolute: return JointKind::revolute;
    case Elementary::prismatic: return JointKind::prismatic;
    case Elementary::spherical: return JointKind::spherical;
    case Elementary::fixed: return JointKind::fixed;
    case Elementary::free:
    case Elementary::modal: break;
  }
  return JointKind::free;
}

class Rules {
 public:
  explicit Rules(const Mechanism<double>& m) : m_(m), size_(10 * static_cast<Eigen::Index>(m.parent.size())) {}

  void joints() {
    for (std::size_t j = 0; j < m_.parent.size(); ++j)
      for (const Inertia<double>& part : passing(kind_of(m_.joint[j].type)))
        add(m_.parent[j], m_.placement[j], static_cast<int>(j), Transform<double>(), part);
    for (std::size_t c = 0; c < m_.cut.size(); ++c)
      for (const Inertia<double>& part : passing(m_.cut[c].kind))
        add(m_.cut[c].a, m_.cut_a[c], m_.cut[c].b, m_.cut_b[c], part);
  }

  /// (R5), (R6) from how bodies stand at several positions.
  void pairs() {
    std::vector<std::vector<Transform<double>>> poses;  // the base last
    Workspace<double> w(m_);
    for (const VecX<double>& q : positions_around_home(m_, other_positions)) {
      w.q = q;
      tree_positions(m_, w);
      poses.push_back(w.X0);
      poses.back().emplace_back();
    }
    const std::size_t n = m_.parent.size();
    std::vector<bool> found(n, false);  // bodies that already gave theirs to another
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t i = 0; i <= n; ++i) {
        const std::size_t a = i == 0 ? n : i - 1;  // the base first
        if (a == b || found[b] || (a < n && a > b)) continue;
        const Mat3<double> R = poses[0][a].R.transpose() * poses[0][b].R;
        const Vec3<double> offset = poses[0][b].p - poses[0][a].p;
        bool turns = false, moves = false;
        for (const auto& at : poses) {
          turns = turns || (at[a].R.transpose() * at[b].R - R).norm() > same;
          moves = moves || (at[b].p - at[a].p - offset).norm() > same;
        }
        if (turns) continue;
        found[b] = true;
        const Transform<double> in_a{R, Vec3<double>::Zero()};
        for (const Inertia<double>& part : moves ? second_moments() : all_ten())
          add(a == n ? base : static_cast<int>(a), in_a, static_cast<int>(b), Transform<double>(), part);
      }
  }

  MatX<double> made() const {
    MatX<double> N(size_, static_cast<Eigen::Index>(columns_.size()));
    for (std::size_t i = 0; i < columns_.size(); ++i) N.col(static_cast<Eigen::Index>(i)) = columns_[i];
    return N;
  }

 private:
  void add(int a, const Transform<double>& in_a, int b, const Transform<double>& in_b, const Inertia<double>& part) {
    VecX<double> n = VecX<double>::Zero(size_);
    if (a != base) n.segment<10>(10 * static_cast<Eigen::Index>(a)) -= body_parameters<double>(in_a * part);
    if (b != base) n.segment<10>(10 * static_cast<Eigen::Index>(b)) += body_parameters<double>(in_b * part);
    columns_.push_back(n);
  }

  const Mechanism<double>& m_;
  Eigen::Index size_;
  std::vector<VecX<double>> columns_;
};

}  // namespace

MatX<double> regrouping_rules(const Mechanism<double>& m) {
  Rules rules(m);
  rules.joints();
  rules.pairs();
  return rules.made();
}

}  // namespace gough
