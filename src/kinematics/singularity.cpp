#include "gough/kinematics/singularity.hpp"

#include <algorithm>
#include <cmath>

#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/idle.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

std::vector<int> rigid_columns_of_leg(const Structure& m, const Leg& leg) {
  std::vector<int> columns;
  for (int v = leg.first_v; v < leg.first_v + leg.coordinates; ++v)
    if (!contains(m.elastic, v)) columns.push_back(v);
  return columns;
}

/// The columns of K that belong to a leg's rigid joints, in the rows of its cut joints.
MatX<double> leg_block(const Mechanism<double>& m, const MatX<double>& Ks, const Leg& leg) {
  return columns_of(rows_of(Ks, m.leg_rows(leg)), rigid_columns_of_leg(m, leg));
}

/// Type 1: joints move while the task coordinates stand, so the other columns of K lose rank: those of a leg, or,
/// where the platform itself is a link of a leg (RR), all columns with the task's rows below K.
void type1_index(const Mechanism<double>& m, const MatX<double>& Ks, const MatX<double>& task, SingularityIndices& s) {
  for (const Leg& leg : m.leg) {
    if (leg.rank == 0) continue;  // no loop, or one that never moves the leg's end
    const double index = singular_ratio(leg_block(m, Ks, leg), leg.rank).value_or(0.0);
    if (!s.type1 || index < *s.type1) {
      s.type1 = index;
      s.type1_leg = leg.name;
    }
  }
  const bool platform_is_a_link =
      std::any_of(m.leg_form.begin(), m.leg_form.end(), [](const LegForm& f) { return f.kind == LegKind::rr; });
  if (!platform_is_a_link) return;
  std::vector<int> rigid;
  for (int v = 0; v < m.nv; ++v)
    if (!contains(m.elastic, v)) rigid.push_back(v);
  MatX<double> held(Ks.rows() + task.rows(), Ks.cols());
  held << Ks, task;
  const double index =
      singular_ratio(columns_of(held, rigid), static_cast<int>(rigid.size()) - m.idle_free).value_or(0.0);
  if (!s.type1 || index < 0.1 * *s.type1) {  // the legs' own indices are sharper where they see it
    s.type1 = index;
    s.type1_leg = "platform";
  }
}

/// Mean distance from the platform's origin of the points where the legs hold it.
double platform_radius(const Mechanism<double>& m, const Workspace<double>& w, double otherwise) {
  double sum = 0;
  int count = 0;
  const Vec3<double> origin = platform_pose(m, w).p;
  for (std::size_t c = 0; c < m.cut.size(); ++c)
    if (m.cut[c].a == m.platform.body || m.cut[c].b == m.platform.body) {
      const bool leg_is_b =
          m.cut[c].a == m.platform.body;  // the leg's end: on the platform's side a slide starts elsewhere
      const bool at_leg = m.cut[c].kind != JointKind::distance;
      const Vec3<double> held = leg_is_b == at_leg ? cut_frame_b(m, w, c).p : cut_frame_a(m, w, c).p;
      sum += (held - origin).norm();
      ++count;
    }
  return count > 0 && sum > 1e-9 * count ? sum / count : otherwise;
}

/// The task's components of the platform's twist, rotations times `radius`, for each velocity coordinate.
MatX<double> task_jacobian(const Mechanism<double>& m, const Workspace<double>& w, double radius) {
  const MatX<double> J = platform_jacobian(m, w);
  MatX<double> T(m.platform.task_size(), m.nv);
  Eigen::Index r = 0;
  for (int i = 0; i < 6; ++i)
    if (m.platform.coordinates[at(i)])
      T.row(r++) = i < 3 ? MatX<double>(J.row(3 + i)) : MatX<double>(J.row(i - 3) * radius);
  return T;
}

/// Type 2: smallest over largest singular value of the map from task twist to actuator rates; elastic joints stand.
void type2_index(const Mechanism<double>& m, const Workspace<double>& w, const MatX<double>& Ks, double length,
                 SingularityIndices& s) {
  if (m.actuator.empty()) return;
  if (!m.platform.exists()) {  // the loops must hold the passive joints once the actuators stand
    std::vector<int> passive;
    for (int v = 0; v < m.nv; ++v)
      if (!contains(m.driven(), v)) passive.push_back(v);
    s.type2 = s.held = singular_ratio(columns_of(Ks, passive), static_cast<int>(passive.size()) - m.idle_free);
    return;
  }
  MatX<double> N = null_space(w.K);
  if (const std::vector<int> stand = m.standing(); !stand.empty()) N = N * null_space(rows_of(N, stand));
  const auto freedoms = static_cast<int>(N.cols()) - m.idle_free;
  const MatX<double> task = task_jacobian(m, w, platform_radius(m, w, length)) * N;
  const MatX<double> rates = rows_of(N, m.actuator);
  s.held = singular_ratio(rates, freedoms);
  const int rank = numerical_rank(task);
  if (rank == std::min(freedoms, static_cast<int>(task.rows())))
    s.type2 = singular_ratio(rates * pseudo_inverse(task), rank);
  else  // the task cannot move every way: type 1 if the actuators hold the robot
    s.type2 = s.held.value_or(0.0) > rank_tolerance ? std::nullopt : std::optional(0.0);
}

/// Constraint singularities: what the legs forbid the platform loses rank. Without a floating platform: the loops.
std::optional<double> constraint_index(const Mechanism<double>& m, const Workspace<double>& w, const MatX<double>& Ks,
                                       double length, int rank) {
  if (m.equations == 0) return std::nullopt;
  if (!m.platform.floats) return singular_ratio(Ks, rank);
  const double radius = platform_radius(m, w, length);
  const int first = m.joint[at(m.platform.body)].v;
  int joint_rank = 0;
  std::vector<MatX<double>> blocks;
  Eigen::Index rows = 0;
  for (const Leg& leg : m.leg) {
    const MatX<double> leg_rows = rows_of(Ks, m.leg_rows(leg));
    if (leg_rows.rows() == 0) continue;
    const MatX<double> joints = leg_rows.middleCols(leg.first_v, leg.coordinates);
    joint_rank += numerical_rank(joints);
    MatX<double> wrench = null_space(joints.transpose()).transpose() * leg_rows.middleCols(first, 6);
    wrench.rightCols(3) *= length / radius;  // the columns of turns, measured at the platform's radius
    blocks.push_back(wrench);
    rows += wrench.rows();
  }
  MatX<double> wrenches(rows, 6);
  rows = 0;
  for (const MatX<double>& b : blocks) {
    wrenches.middleRows(rows, b.rows()) = b;
    rows += b.rows();
  }
  return singular_ratio(wrenches, rank - joint_rank);
}

}  // namespace

double characteristic_length(const Mechanism<double>& m, const Workspace<double>& w) {
  std::vector<Vec3<double>> points;
  for (std::size_t j = 0; j < m.parent.size(); ++j) points.push_back(w.X0[j].p);
  for (std::size_t c = 0; c < m.cut.size(); ++c) points.push_back(cut_frame_b(m, w, c).p);
  Vec3<double> centre = Vec3<double>::Zero();
  for (const auto& p : points) centre += p / static_cast<double>(points.size());
  double sum = 0;
  for (const auto& p : points) sum += (p - centre).squaredNorm() / static_cast<double>(points.size());
  if (sum > 1e-18) return std::sqrt(sum);
  double farthest = 0;  // all joints in one point: measure by the centres of mass
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    if (m.inertia[j].mass > 0) farthest = std::max(farthest, (m.inertia[j].first / m.inertia[j].mass).norm());
  return farthest > 1e-9 ? farthest : 1.0;
}

MatX<double> scaled_closure(const Mechanism<double>& m, const Workspace<double>& w, double length) {
  MatX<double> Ks = w.K;
  for (const CutJoint& cut : m.cut)
    for (std::size_t i = 0; i < cut.rows.size(); ++i)
      if (cut.rows[i].what == CutRow::What::position || cut.rows[i].what == CutRow::What::distance)
        Ks.row(cut.first_row + static_cast<int>(i)) /= length;
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

void set_general_ranks(Mechanism<double>& m) {
  m.rank = numerical_rank(general_closure(m));
  Workspace<double> w(m);
  for (const VecX<double>& q : poses_near_home(m, 6)) {
    w.q = q;
    tree_positions(m, w);
    closure(m, w);
    const MatX<double> Ks = scaled_closure(m, w, characteristic_length(m, w));
    for (Leg& leg : m.leg)
      if (!leg.cuts.empty()) leg.rank = std::max(leg.rank, numerical_rank(leg_block(m, Ks, leg)));
  }
}

SingularityIndices singularity_indices(const Mechanism<double>& m, const Workspace<double>& w) {
  w.require(Stage::closure);
  const double length = characteristic_length(m, w);
  const MatX<double> Ks = scaled_closure(m, w, length);
  SingularityIndices s;
  MatX<double> task(0, m.nv);
  if (m.platform.exists()) {
    const double radius = platform_radius(m, w, length);
    task = task_jacobian(m, w, radius) / length;
    for (int v = 0; v < m.nv; ++v)
      if (m.coordinate[at(v)].is_length) task.col(v) *= length;
  }
  type1_index(m, Ks, task, s);
  type2_index(m, w, Ks, length, s);
  s.constraint = constraint_index(m, w, Ks, length, m.rank);
  return s;
}

double loop_index(const Mechanism<double>& m, const Workspace<double>& w) {
  if (m.equations == 0) return 1;
  return singular_ratio(scaled_closure(m, w, characteristic_length(m, w)), m.rank).value_or(1);
}

}  // namespace gough
