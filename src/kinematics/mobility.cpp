#include "gough/kinematics/mobility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gough/kinematics/idle.hpp"
#include "gough/kinematics/task_coordinates.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double near_singular = 1e-2;

/// The rows of A that depend on those before them; a row of rounding depends on anything.
std::vector<int> dependent_rows(const MatX<double>& A) {
  const double none = A.size() > 0 ? rank_tolerance * A.rowwise().norm().maxCoeff() : 0.0;
  std::vector<int> dependent;
  MatX<double> basis(A.cols(), 0);
  for (Eigen::Index r = 0; r < A.rows(); ++r) {
    VecX<double> x = A.row(r).transpose();
    const double size = x.norm();
    for (int twice = 0; twice < 2; ++twice) x -= basis * (basis.transpose() * x);
    if (size <= none || x.norm() <= 1e-7 * size) {
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
          home_.assembly.gap > 0 ? "write lengths and axes that must fit each other with all their digits, or state "
                                   "that tolerance in the robot file"
                                 : "check the lengths along the loop of that joint, or give a better `home` or `guess` "
                                   "for its passive joints");
      return r_;
    }
    count_freedom();
    judge_actuation();
    judge_home();
    judge_task();
    judge_singularities();
    for (const FastPath& p : m_.fast_path)
      if (p.refused)
        add(Finding::Severity::warning, fmt::format("the fast path '{}' is not used: {}", p.name, p.why),
            "none needed: general kernels compute instead, slower; please report the robot file");
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
    for (int v = 0; v < m_.nv; ++v) r_.coordinate_names.push_back(m_.coordinate[at(v)].name);
    r_.equations = m_.equations;
    r_.idle = m_.idle;
    r_.merged = m_.merged;
    r_.fast_paths = m_.fast_path;
    for (const CutJoint& c : m_.cut) r_.cuts.push_back(fmt::format("{} {}", name(c.kind), c.name));
    for (const int a : m_.actuator) r_.actuators.push_back(m_.coordinate[at(a)].name);
    r_.elastic = static_cast<int>(m_.elastic.size());
    r_.closed = home_.assembly.closed;
    r_.closure_residual = home_.assembly.residual;
    r_.closure_gap = std::max(m_.closure_gap, home_.assembly.gap);
    r_.characteristic_length = characteristic_length(m_, w_);
  }

  int idle_in_tree() const { return m_.idle_free; }

  void count_freedom() {
    const MatX<double> home_K = scaled_closure(m_, w_, r_.characteristic_length);
    r_.rank_at_home = numerical_rank(home_K);
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
    if (r_.mobility == 0 && !m_.beam.empty() && m_.driven().empty())
      add(Finding::Severity::info, "a structure: nothing moves but what its beams bend",
          "none needed: see flex, and simulate --modes");
    else if (r_.mobility == 0)
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
    const auto all = m_.driven();
    int controlled = numerical_rank(rows_of(freedom_, all));
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
    return numerical_rank(rows_of(null_space(scaled_closure(m_, w, r_.characteristic_length)), all));
  }

  std::string uncontrolled_joint(const std::vector<int>& all) const {
    MatX<double> free = freedom_ * null_space(rows_of(freedom_, all));
    if (m_.platform.floats) free.middleRows(m_.joint[at(m_.platform.body)].v, 6).setZero();  // no joint of the file
    Eigen::Index row = 0, column = 0;
    if (free.size() == 0) return "none";
    free.cwiseAbs().maxCoeff(&row, &column);
    return "'" + m_.coordinate[static_cast<std::size_t>(row)].name + "'";
  }

  void judge_assembly() {
    if (!home_.as_given)
      add(Finding::Severity::warning,
          fmt::format(
              "the home in the file does not close the loops; the nearest closed configuration moves {} by {:.3g} {}",
              home_.moved_most, home_.largest_move, home_.moved_is_length ? "m" : "rad"),
          "correct the `home` values, or give them as `guess` so that assembly may move them");
    else if (!home_.departed.empty())
      add(Finding::Severity::warning,
          fmt::format("home is far from a guess of the file: '{0}' is at {1:.4g} {3}, guessed at {2:.4g} {3}",
                      home_.departed, home_.reached, home_.guess, home_.departed_is_length ? "m" : "rad"),
          "correct the guess, or guess more of the passive joints, if another assembly is meant");
    else if (home_.starts > 1)
      add(Finding::Severity::info,
          fmt::format("the start in the file did not lead to a closed home, start {} did", home_.starts),
          "see whether this is the assembly you mean; a `guess` for the passive joints settles it");
    if (m_.closure_gap > 0)
      add(Finding::Severity::warning,
          fmt::format(
              "the loops fit each other only within {:.2g} m (joint '{}'): the nearest geometry that fits is used",
              m_.closure_gap, m_.closure_gap_joint),
          "write lengths and axes that must fit each other with all their digits");
  }

  void judge_home() {
    judge_assembly();
    const auto judge = [&](const std::string& what, double value, const Range& range) {
      if (value < range.lower || value > range.upper)
        add(Finding::Severity::warning,
            fmt::format("home is outside the limits of {}: {:.4g} is not in [{:.4g}, {:.4g}]", what, value, range.lower,
                        range.upper),
            "move home or widen the limits");
    };
    for (const TreeJoint& j : m_.joint)
      if (position_size(j) == 1)
        judge("'" + m_.coordinate[at(j.v)].name + "'", m_.home[j.q], m_.coordinate[at(j.v)].position);
    if (!m_.platform.exists()) return;
    const Transform<double> pose = platform_pose(m_, w_);
    const Vec3<double> turn = vector_from_rotation(pose.R);
    for (int i = 0; i < 6; ++i)
      judge("the platform's " + std::string(pose_names[at(i)]), i < 3 ? pose.p[i] : turn[i - 3],
            m_.platform.limits[at(i)]);
  }

  /// Whether `platform.coordinates` tell the platform's freedoms. A singular home that hides freedoms is no fault of theirs.
  void judge_task() {
    if (!m_.platform.exists() || r_.mobility == 0) return;
    const TaskCoordinates task = task_coordinates(m_, w_, m_.platform.coordinates);
    if (task.fit() || task.freedoms < std::min(6, r_.mobility)) return;
    add(Finding::Severity::warning, "`platform.coordinates` do not fit: at home " + task.explain(),
        fmt::format("set `platform: {{coordinates: {}}}`: inverse kinematics reads these alone", task.suggestion()));
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
    const bool lacks_drives = static_cast<int>(m_.driven().size()) < r_.mobility;
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
