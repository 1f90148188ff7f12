#include "gough/kinematics/mobility.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "gough/kinematics/idle.hpp"

namespace gough {
namespace {

constexpr double rank_tolerance = 1e-8;  // a closed home is exact to 1e-15, a true rank keeps well above 1e-6
constexpr double near_singular = 1e-2;

std::size_t at(int i) { return static_cast<std::size_t>(i); }
using Svd = Eigen::BDCSVD<MatX<double>>;  // Jacobi for small matrices, divide and conquer for large ones

VecX<double> singular_values(const MatX<double>& A) {
  return A.size() == 0 ? VecX<double>() : VecX<double>(Svd(A).singularValues());
}

int rank_of(const VecX<double>& s) {
  return s.size() == 0 || s[0] == 0 ? 0 : static_cast<int>((s.array() > rank_tolerance * s[0]).count());
}
int rank_of(const MatX<double>& A) { return rank_of(singular_values(A)); }

/// The columns span A's null space.
MatX<double> null_space(const MatX<double>& A) {
  if (A.rows() == 0) return MatX<double>::Identity(A.cols(), A.cols());
  const Svd svd(A, Eigen::ComputeFullV);
  return svd.matrixV().rightCols(A.cols() - rank_of(VecX<double>(svd.singularValues())));
}

/// The k-th largest singular value over the largest.
std::optional<double> ratio(const MatX<double>& A, int k) {
  const VecX<double> s = singular_values(A);
  if (k <= 0 || s.size() == 0 || s[0] == 0) return std::nullopt;
  return k > s.size() ? 0.0 : s[k - 1] / s[0];
}

MatX<double> rows_of(const MatX<double>& A, const std::vector<int>& rows) {
  MatX<double> R(static_cast<Eigen::Index>(rows.size()), A.cols());
  for (Eigen::Index i = 0; i < R.rows(); ++i) R.row(i) = A.row(rows[static_cast<std::size_t>(i)]);
  return R;
}
MatX<double> columns_of(const MatX<double>& A, const std::vector<int>& columns) {
  return rows_of(A.transpose(), columns).transpose();
}

std::vector<int> driven(const Structure& m) {
  std::vector<int> all = m.actuator;
  for (const int e : m.elastic)
    if (std::find(all.begin(), all.end(), e) == all.end()) all.push_back(e);
  return all;
}

bool contains(const std::vector<int>& all, int x) { return std::find(all.begin(), all.end(), x) != all.end(); }

std::vector<int> rows_of_leg(const Structure& m, const Leg& leg) {
  std::vector<int> rows;
  for (const int c : leg.cuts)
    for (int r = 0; r < static_cast<int>(m.cut[at(c)].rows.size()); ++r) rows.push_back(m.cut[at(c)].first_row + r);
  return rows;
}

std::vector<int> rigid_columns_of_leg(const Structure& m, const Leg& leg) {
  std::vector<int> columns;
  for (int v = leg.first_v; v < leg.first_v + leg.coordinates; ++v)
    if (!contains(m.elastic, v)) columns.push_back(v);
  return columns;
}

/// The columns of K that belong to a leg's rigid joints, in the rows of its cut joints.
MatX<double> leg_block(const Mechanism<double>& m, const MatX<double>& Ks, const Leg& leg) {
  return columns_of(rows_of(Ks, rows_of_leg(m, leg)), rigid_columns_of_leg(m, leg));
}

/// Type 1: joints move while the task coordinates stand, so the other columns of K lose rank: those of a leg, or,
/// where the platform itself is a link of a leg (RR), all columns with the task's rows below K.
void type1_index(const Mechanism<double>& m, const MatX<double>& Ks, const MatX<double>& task, SingularityIndices& s) {
  for (const Leg& leg : m.leg) {
    if (leg.rank == 0) continue;  // no loop, or one that never moves the leg's end
    const double index = ratio(leg_block(m, Ks, leg), leg.rank).value_or(0.0);
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
  const double index = ratio(columns_of(held, rigid), static_cast<int>(rigid.size()) - m.idle_free).value_or(0.0);
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
      if (!contains(driven(m), v)) passive.push_back(v);
    s.type2 = s.held = ratio(columns_of(Ks, passive), static_cast<int>(passive.size()) - m.idle_free);
    return;
  }
  MatX<double> N = null_space(w.K);
  if (!m.elastic.empty()) N = N * null_space(rows_of(N, m.elastic));
  const auto freedoms = static_cast<int>(N.cols()) - m.idle_free;
  const MatX<double> task = task_jacobian(m, w, platform_radius(m, w, length)) * N;
  const MatX<double> rates = rows_of(N, m.actuator);
  s.held = ratio(rates, freedoms);
  const int rank = rank_of(task);
  if (rank == std::min(freedoms, static_cast<int>(task.rows())))
    s.type2 = ratio(rates * task.completeOrthogonalDecomposition().pseudoInverse(), rank);
  else  // the task cannot move every way: type 1 if the actuators hold the robot
    s.type2 = s.held.value_or(0.0) > rank_tolerance ? std::nullopt : std::optional(0.0);
}

/// Constraint singularities: what the legs forbid the platform loses rank. Without a floating platform: the loops.
std::optional<double> constraint_index(const Mechanism<double>& m, const Workspace<double>& w, const MatX<double>& Ks,
                                       double length, int rank) {
  if (m.equations == 0) return std::nullopt;
  if (!m.platform.floats) return ratio(Ks, rank);
  const double radius = platform_radius(m, w, length);
  const int first = m.joint[at(m.platform.body)].v;
  int joint_rank = 0;
  std::vector<MatX<double>> blocks;
  Eigen::Index rows = 0;
  for (const Leg& leg : m.leg) {
    const MatX<double> leg_rows = rows_of(Ks, rows_of_leg(m, leg));
    if (leg_rows.rows() == 0) continue;
    const MatX<double> joints = leg_rows.middleCols(leg.first_v, leg.coordinates);
    joint_rank += rank_of(joints);
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
  return ratio(wrenches, rank - joint_rank);
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

namespace {

/// K without units where its rank is largest among home and the poses nearby.
MatX<double> general_closure(const Mechanism<double>& m) {
  MatX<double> general;
  int largest = -1;
  Workspace<double> w(m);
  for (const VecX<double>& q : poses_near_home(m, 6)) {
    w.q = q;
    tree_positions(m, w);
    closure(m, w);
    const MatX<double> K = scaled_closure(m, w, characteristic_length(m, w));
    if (const int rank = rank_of(K); rank > largest) {
      largest = rank;
      general = K;
    }
  }
  return general;
}

}  // namespace

void set_general_ranks(Mechanism<double>& m) {
  m.rank = rank_of(general_closure(m));
  Workspace<double> w(m);
  for (const VecX<double>& q : poses_near_home(m, 6)) {
    w.q = q;
    tree_positions(m, w);
    closure(m, w);
    const MatX<double> Ks = scaled_closure(m, w, characteristic_length(m, w));
    for (Leg& leg : m.leg)
      if (!leg.cuts.empty()) leg.rank = std::max(leg.rank, rank_of(leg_block(m, Ks, leg)));
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

namespace {

/// The rows of A that depend on those before them.
std::vector<int> dependent_rows(const MatX<double>& A) {
  std::vector<int> dependent;
  MatX<double> basis(A.cols(), 0);
  for (Eigen::Index r = 0; r < A.rows(); ++r) {
    VecX<double> x = A.row(r).transpose();
    const double size = x.norm();
    for (int twice = 0; twice < 2; ++twice) x -= basis * (basis.transpose() * x);
    if (x.norm() <= 1e-7 * size) {
      dependent.push_back(static_cast<int>(r));
      continue;
    }
    basis.conservativeResize(A.cols(), basis.cols() + 1);
    basis.rightCols(1) = x.normalized();
  }
  return dependent;
}

/// Whether every joint turns about one common direction or slides across it.
bool is_planar(const Mechanism<double>& m, const Workspace<double>& w) {
  std::optional<Vec3<double>> normal;
  std::vector<Vec3<double>> slides;
  const auto turn = [&](const Vec3<double>& axis) {
    if (!normal) normal = axis;
    return cross(*normal, axis).norm() < 1e-9;
  };
  for (int j = 0; j < m.tree_size(); ++j) {
    if (m.platform.floats && j == m.platform.body) continue;
    const Vec3<double> z = w.X0[at(j)].R.col(2);
    const Elementary type = m.joint[at(j)].type;
    if (type == Elementary::spherical || type == Elementary::free) return false;
    if (type == Elementary::revolute && !turn(z)) return false;
    if (type == Elementary::prismatic) slides.push_back(z);
  }
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    const Vec3<double> z = cut_frame_a(m, w, c).R.col(2);
    if (m.cut[c].kind == JointKind::revolute && !turn(z)) return false;
    if (m.cut[c].kind == JointKind::prismatic) slides.push_back(z);
    if (m.cut[c].rows.size() < 5) return false;
  }
  return normal &&
         std::all_of(slides.begin(), slides.end(), [&](const auto& z) { return std::abs(dot(*normal, z)) < 1e-9; });
}

class Checker {
 public:
  Checker(const Mechanism<double>& m, const HomeAssembly& home) : m_(m), home_(home), w_(m) {
    w_.q = m.home;
    tree_positions(m, w_);
    closure(m, w_);
  }

  MobilityReport run() {
    describe();
    if (!home_.assembly.closed) {
      add(Finding::Severity::error, "the home pose cannot be assembled: " + home_.assembly.explain(m_),
          "check the lengths along the loop of that joint, or give a better `home` or `guess` for its passive joints");
      return r_;
    }
    count_freedom();
    judge_actuation();
    judge_home();
    judge_singularities();
    return r_;
  }

 private:
  void add(Finding::Severity severity, std::string what, std::string repair) {
    r_.findings.push_back({severity, std::move(what), std::move(repair)});
  }

  void describe() {
    r_.name = m_.name;
    r_.bodies = m_.bodies();
    r_.loops = m_.loops;
    r_.joints = m_.bodies() + m_.loops;
    r_.coordinates = m_.nv;
    r_.equations = m_.equations;
    r_.idle = m_.idle;
    r_.merged = m_.merged;
    for (const CutJoint& c : m_.cut) r_.cuts.push_back(fmt::format("{} {}", name(c.kind), c.name));
    for (const int a : m_.actuator) r_.actuators.push_back(m_.coordinate[at(a)].name);
    r_.elastic = static_cast<int>(m_.elastic.size());
    r_.closed = home_.assembly.closed;
    r_.closure_residual = home_.assembly.residual;
    r_.characteristic_length = characteristic_length(m_, w_);
  }

  int idle_in_tree() const { return m_.idle_free; }

  void count_freedom() {
    const MatX<double> home_K = scaled_closure(m_, w_, r_.characteristic_length);
    r_.rank_at_home = rank_of(home_K);
    r_.rank = m_.rank;
    const MatX<double> general = r_.rank_at_home == r_.rank ? home_K : general_closure(m_);
    freedom_ = null_space(general);
    for (const int row : dependent_rows(general)) r_.redundant.push_back(m_.row_name(row));
    r_.mobility = m_.nv - r_.rank - idle_in_tree();
    r_.gruebler = m_.nv - m_.equations - idle_in_tree();
    r_.planar = is_planar(m_, w_);
    explain_freedom();
  }

  void explain_freedom() {
    const int redundant = static_cast<int>(r_.redundant.size());
    if (redundant > 0 && r_.planar && redundant == 3 * r_.loops)
      add(Finding::Severity::info,
          fmt::format(
              "the robot is planar but written in 3-D: {} of {} loop equations are redundant (3 for each loop), "
              "so counting gives {} where the mobility is {}",
              redundant, r_.equations, r_.gruebler, r_.mobility),
          "none needed: motions and actuator forces are unique, only reactions across the plane are not; to remove the "
          "redundant equations, cut at `point_on_line` joints along the common axis");
    else if (redundant > 0)
      add(Finding::Severity::info,
          fmt::format("overconstrained: {} of {} loop equations {} redundant, so counting gives {} where the mobility "
                      "is {}",
                      redundant, r_.equations, redundant == 1 ? "is" : "are", r_.gruebler, r_.mobility),
          "none needed if the geometry is meant to be exact: actuator forces are unique, some reactions are not; a "
          "real "
          "robot needs play or one joint with more freedom there");
    if (r_.rank_at_home < r_.rank)
      add(Finding::Severity::warning,
          fmt::format("home is a singular position of the loops: rank {} there, {} nearby", r_.rank_at_home, r_.rank),
          "choose another home, or pass through it with a method that re-selects its independent coordinates");
    if (r_.mobility == 0)
      add(Finding::Severity::error, "the mechanism cannot move: joints and loops leave no freedom",
          "check joint axes and positions; a cut joint with more freedom (spherical instead of revolute) may be meant");
    for (const std::string& idle : r_.idle)
      add(Finding::Severity::info,
          fmt::format("idle motion: {} moves nothing else; {}", idle, m_.idle_free == 0 ? "locked" : "left free"),
          m_.idle_free == 0 ? "none needed; `lock_idle: false` keeps it"
                            : "remove `lock_idle: false`, or lock it with `role: locked`");
    if (!r_.merged.empty()) add(Finding::Severity::info, fmt::format("{}", fmt::join(r_.merged, "; ")), "none needed");
  }

  void judge_actuation() {
    const auto all = driven(m_);
    int controlled = rank_of(rows_of(freedom_, all));
    if (controlled < r_.mobility)  // at home; a type-2 singularity there is not a lack of drives
      for (const VecX<double>& q : poses_near_home(m_, 6)) controlled = std::max(controlled, controlled_at(q, all));
    const int drives = static_cast<int>(all.size());
    const std::string counted = fmt::format("{} {}", drives, drives == 1 ? "drive" : "drives");
    r_.actuation = controlled < r_.mobility ? "under" : drives > r_.mobility ? "redundant" : "full";
    if (r_.actuation == "under")
      add(Finding::Severity::warning,
          fmt::format(
              "under-actuated: {} for {} degrees of freedom, of which {} are controlled; the joint that is left "
              "most free is {}",
              counted, r_.mobility, controlled, uncontrolled_joint(all)),
          "give that joint `role: actuated` (or `elastic`, or `locked`)");
    if (r_.actuation == "redundant")
      add(Finding::Severity::info,
          fmt::format("redundantly actuated: {} for {} degrees of freedom; actuator forces are not unique", counted,
                      r_.mobility),
          "none needed: the smallest forces are taken unless weights are given");
  }

  int controlled_at(const VecX<double>& q, const std::vector<int>& all) const {
    Workspace<double> w(m_);
    w.q = q;
    tree_positions(m_, w);
    closure(m_, w);
    return rank_of(rows_of(null_space(scaled_closure(m_, w, r_.characteristic_length)), all));
  }

  std::string uncontrolled_joint(const std::vector<int>& all) const {
    MatX<double> free = freedom_ * null_space(rows_of(freedom_, all));
    if (m_.platform.floats) free.middleRows(m_.joint[at(m_.platform.body)].v, 6).setZero();  // no joint of the file
    Eigen::Index row = 0, column = 0;
    if (free.size() == 0) return "none";
    free.cwiseAbs().maxCoeff(&row, &column);
    return "'" + m_.coordinate[static_cast<std::size_t>(row)].name + "'";
  }

  void judge_home() {
    if (!home_.as_given)
      add(Finding::Severity::warning,
          fmt::format(
              "the home in the file does not close the loops; the nearest closed configuration moves {} by {:.3g} {}",
              home_.moved_most.empty() ? "passive joints" : home_.moved_most, home_.largest_move,
              home_.moved_is_length ? "m" : "rad"),
          "correct the `home` values, or give them as `guess` so that assembly may move them");
    const auto judge = [&](const std::string& what, double value, const Range& range) {
      if (value < range.lower || value > range.upper)
        add(Finding::Severity::warning,
            fmt::format("home is outside the limits of {}: {:.4g} is not in [{:.4g}, {:.4g}]", what, value, range.lower,
                        range.upper),
            "move home or widen the limits");
    };
    for (const TreeJoint& j : m_.joint)
      if (position_size(j.type) == 1)
        judge("'" + m_.coordinate[at(j.v)].name + "'", m_.home[j.q], m_.coordinate[at(j.v)].position);
    if (!m_.platform.exists()) return;
    const Transform<double> pose = platform_pose(m_, w_);
    const Vec3<double> turn = vector_from_rotation(pose.R);
    for (int i = 0; i < 6; ++i)
      judge("the platform's " + std::string(pose_names[at(i)]), i < 3 ? pose.p[i] : turn[i - 3],
            m_.platform.limits[at(i)]);
  }

  void judge_singularities() {
    r_.singularity = singularity_indices(m_, w_);
    const auto judge = [&](const std::optional<double>& index, const std::string& what, const std::string& repair) {
      if (!index || *index > near_singular) return;
      const bool there = *index < rank_tolerance * 10;
      add(Finding::Severity::warning, fmt::format("home is {} {} (index {:.2g})", there ? "at" : "near", what, *index),
          repair);
    };
    judge(r_.singularity.type1,
          fmt::format("a type-1 singularity: '{}' is at the end of its reach or folded", r_.singularity.type1_leg),
          "choose a home where the leg is neither stretched nor folded, or accept that it starts at a dead centre");
    const bool lacks_drives = static_cast<int>(driven(m_).size()) < r_.mobility;
    if (!lacks_drives && r_.singularity.held.value_or(1.0) < near_singular)
      judge(r_.singularity.type2, "a type-2 singularity: the platform can move while the actuators stand",
            "choose another home, or another place for the actuators; forces grow without bound there");
    judge(r_.singularity.constraint, "a constraint singularity: the loops are about to lose an equation",
          "choose a home away from it; the mechanism gains a freedom there that no actuator controls");
  }

  const Mechanism<double>& m_;
  const HomeAssembly& home_;
  Workspace<double> w_;
  MatX<double> freedom_;
  MobilityReport r_;
};

}  // namespace

MobilityReport check_mobility(const Mechanism<double>& m, const HomeAssembly& home) { return Checker(m, home).run(); }

}  // namespace gough
