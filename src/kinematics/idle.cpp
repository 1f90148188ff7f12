#include "gough/kinematics/idle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

#include "gough/kinematics/consistent_geometry.hpp"
#include "gough/kinematics/leg_forms.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/model/build.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using Subspace = Eigen::Matrix<double, 6, Eigen::Dynamic>;
constexpr double tolerance = 1e-8;

/// The motions (angular; linear, about the base's origin, in the robot's unit of length) that a joint of the description allows where w
/// stands.
Subspace allowed_motions(const Mechanism<double>& m, const Workspace<double>& w, const std::string& joint) {
  for (const CutJoint& cut : m.cut)
    if (cut.name == joint) {
      MatX<double> rows(static_cast<Eigen::Index>(cut.rows.size()), 6);
      for (Eigen::Index r = 0; r < rows.rows(); ++r) {
        const Force<double>& f = w.cut_wrench[at(cut.first_row) + static_cast<std::size_t>(r)];
        const double unit = m.row_unit[cut.first_row + r];
        rows.row(r) << f.moment.transpose() / unit, f.force.transpose() * (m.length_unit / unit);
      }
      return null_space(rows);
    }
  Subspace columns(6, 0);
  for (int j = 0; j < m.tree_size(); ++j)
    for (int c = 0; c < velocity_size(m.joint[at(j)]); ++c) {
      if (m.coordinate[at(m.joint[at(j)].v + c)].joint != joint) continue;
      const Motion<double> v = joint_column(m, w, j, c);
      const double unit = m.coordinate[at(m.joint[at(j)].v + c)].is_length ? 1 : m.length_unit;
      columns.conservativeResize(6, columns.cols() + 1);
      columns.rightCols(1) << v.angular, v.linear / unit;
    }
  return columns;
}

/// The motions that both joints allow.
Subspace common_motions(const Subspace& one, const Subspace& other) {
  if (one.cols() == 0 || other.cols() == 0) return Subspace(6, 0);
  MatX<double> both(6, one.cols() + other.cols());
  both << one, -other;
  const auto [s, V] = singular_values(both);
  const Eigen::Index rank = (s.array() > tolerance).count();
  return one * V.rightCols(both.cols() - rank).topRows(one.cols());
}

/// A run of bodies with two joints each: bodies b_1 .. b_n between joints j_0 .. j_n.
struct Run {
  std::vector<std::string> bodies;
  std::vector<const JointDescription*> joints;
};

std::vector<Run> runs_between_branchings(const RobotDescription& robot) {
  std::map<std::string, std::vector<const JointDescription*>> at_body;
  for (const JointDescription& j : robot.joints) {
    at_body[j.parent].push_back(&j);
    at_body[j.child].push_back(&j);
  }
  const auto is_inner = [&](const std::string& body) {
    return body != base_name && at_body[body].size() == 2 && !(robot.platform && robot.platform->body == body);
  };
  std::vector<Run> runs;
  std::map<const JointDescription*, bool> walked;
  for (const JointDescription& first : robot.joints)
    for (const bool outwards : {true, false}) {
      const std::string start = outwards ? first.parent : first.child;
      if (is_inner(start) || walked[&first]) continue;
      Run run{{}, {&first}};
      for (std::string next = outwards ? first.child : first.parent; is_inner(next);) {
        const auto& two = at_body[next];
        const JointDescription* on = two[0] == run.joints.back() ? two[1] : two[0];
        run.bodies.push_back(next);
        run.joints.push_back(on);
        next = on->parent == next ? on->child : on->parent;
      }
      for (const JointDescription* j : run.joints) walked[j] = true;
      if (!run.bodies.empty()) runs.push_back(run);
    }
  return runs;
}

bool feels(const JointDescription& j) {
  return std::any_of(j.coordinates.begin(), j.coordinates.end(), [](const auto& c) {
    return c.stiffness > 0 || c.damping > 0 || !c.friction.empty() || c.rotor_inertia != 0;
  });
}

bool is_driven(const JointDescription& j) {
  return std::any_of(j.coordinates.begin(), j.coordinates.end(), [](const auto& c) { return c.actuated || c.elastic; });
}

/// The axes y (along the spin, which is locked) and z (the first that turns) of the universal joint that replaces a
/// ball, in the ball's frame. z is the ball's own z where the spin lets it, else its y, else its x. Ties and signs are
/// decided with room for rounding, so that equal legs stay equal.
std::pair<Vec3<double>, Vec3<double>> locked_axes(Vec3<double> spin) {
  constexpr double room = 1e-6;
  const Vec3<double> size = spin.cwiseAbs();
  Eigen::Index most = 0, least = 2;
  for (Eigen::Index i = 1; i < 3; ++i)
    if (size[i] > size[most] + room) most = i;
  for (Eigen::Index i = 1; i >= 0; --i)
    if (size[i] < size[least] - room) least = i;
  if (spin[most] < 0) spin = -spin;
  const Vec3<double> chosen = Vec3<double>::Unit(least);
  return {spin, (chosen - spin * spin.dot(chosen)).normalized()};
}

}  // namespace

std::vector<VecX<double>> poses_near_home(const Mechanism<double>& m, int count) {
  std::vector<VecX<double>> poses = {m.home};
  std::mt19937 random(20);  // any seed; fixed so that a check says the same thing twice
  std::uniform_real_distribution<double> uniform(-1, 1);
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  closure(m, w);
  const MatX<double> freedom = null_space(scaled_closure(m, w, m.length_unit));
  if (freedom.cols() == 0) return poses;
  VecX<double> unit = VecX<double>::Ones(m.nv);
  for (int v = 0; v < m.nv; ++v)
    if (m.coordinate[at(v)].is_length) unit[v] = m.length_unit;
  Hold hold;
  hold.coordinates.assign(at(m.nv), false);
  for (const TreeJoint& j : m.joint)
    if (j.type == Elementary::modal) std::fill_n(hold.coordinates.begin() + j.v, j.modes, true);
  for (int i = 1; i < count; ++i) {
    // projected, so that the poses do not depend on which basis of the freedoms was found
    const VecX<double> wanted = VecX<double>::NullaryExpr(m.nv, [&] { return uniform(random); });
    const VecX<double> dv = freedom * (freedom.transpose() * wanted);
    const double size = std::max(1e-12, dv.cwiseAbs().maxCoeff());
    VecX<double> step = dv * (0.08 / size);
    for (const TreeJoint& j : m.joint)  // beams stay straight: what they add when bent is no general rank
      if (j.type == Elementary::modal) step.segment(j.v, j.modes).setZero();
    w.q.noalias() = moved(m, m.home, unit.cwiseProduct(step));
    if (close_loops(m, w, hold).closed) poses.push_back(w.q);
  }
  return poses;
}

std::string IdleMotion::text() const {
  return fmt::format("{} of {} between '{}' and '{}'{}", is_turn ? "spin" : "slide", fmt::join(bodies, " + "), joint,
                     far_joint, drops_forces ? " (friction and springs of the locked turn are dropped)" : "");
}

namespace {

constexpr std::size_t largest_group = 8;  // bodies that move together idly; a longer run is no strut

/// Looks at all runs of bodies, smaller groups first: a rod's spin before its leg's.
class IdleFinder {
 public:
  IdleFinder(const RobotDescription& robot, const Mechanism<double>& m) : m_(m) {
    for (const BodyDescription& b : robot.bodies)
      first_row_.emplace(b.name, 6 * static_cast<Eigen::Index>(first_row_.size()));
    known_.resize(6 * static_cast<Eigen::Index>(robot.bodies.size()), 0);
    for (const VecX<double>& q : poses_near_home(m, 4)) {
      Workspace<double>& w = poses_.emplace_back(m);
      w.q = q;
      tree_positions(m, w);
      closure(m, w);
    }
  }

  std::vector<IdleMotion> find(const std::vector<Run>& runs) {
    for (const Run& run : runs)
      for (std::size_t size = 1; size < std::min(run.joints.size(), largest_group + 1); ++size)
        for (std::size_t i = 0; i + size < run.joints.size(); ++i) look_at(run, i, size);
    return found_;
  }

 private:
  void look_at(const Run& run, std::size_t i, std::size_t size) {
    const JointDescription &one = *run.joints[i], &other = *run.joints[i + size];
    if (is_driven(one) || is_driven(other)) return;
    Subspace at_home;
    Eigen::Index always = 6;
    for (std::size_t p = 0; p < poses_.size() && always > 0; ++p) {
      const Subspace common = common_motions(allowed(one.name)[p], allowed(other.name)[p]);
      if (p == 0) at_home = common;
      always = std::min(always, common.cols());
    }
    const std::vector<std::string> bodies(run.bodies.begin() + static_cast<std::ptrdiff_t>(i),
                                          run.bodies.begin() + static_cast<std::ptrdiff_t>(i + size));
    for (Eigen::Index c = 0; c < always; ++c)
      if (is_new(bodies, at_home.col(c).normalized())) add(one, other, bodies, at_home.col(c).normalized());
  }

  const std::vector<Subspace>& allowed(const std::string& joint) {
    auto& known = allowed_[joint];
    if (known.empty())
      for (const Workspace<double>& w : poses_) known.push_back(allowed_motions(m_, w, joint));
    return known;
  }

  bool is_new(const std::vector<std::string>& bodies, const Vec6<double>& twist) {
    MatX<double> grown(known_.rows(), known_.cols() + 1);
    VecX<double> lifted = VecX<double>::Zero(known_.rows());
    for (const std::string& b : bodies) lifted.segment<6>(first_row_.at(b)) = twist;
    grown << known_, lifted;
    const VecX<double> s = singular_values(grown).s;
    if ((s.array() > tolerance * s[0]).count() < grown.cols()) return false;
    known_ = grown;
    return true;
  }

  void add(const JointDescription& one, const JointDescription& other, const std::vector<std::string>& bodies,
           const Vec6<double>& twist) {
    const bool is_turn = twist.head<3>().norm() > tolerance;
    IdleMotion idle{one.name, other.name, bodies, is_turn, (is_turn ? twist.head<3>() : twist.tail<3>()).normalized(),
                    twist};
    const auto rank = [](const JointDescription& j) {  // a ball before others, one without forces before one with them
      return 2 * (j.kind == JointKind::spherical ? 0 : 1) + (feels(j) ? 1 : 0);
    };
    if (rank(other) < rank(one)) std::swap(idle.joint, idle.far_joint);
    found_.push_back(idle);
  }

  const Mechanism<double>& m_;
  std::vector<Workspace<double>> poses_;
  std::map<std::string, std::vector<Subspace>> allowed_;
  std::map<std::string, Eigen::Index> first_row_;
  MatX<double> known_;  ///< twists of all bodies, a column per idle motion found
  std::vector<IdleMotion> found_;
};

}  // namespace

std::vector<IdleMotion> find_idle_motions(const RobotDescription& robot, const Mechanism<double>& m) {
  return IdleFinder(robot, m).find(runs_between_branchings(robot));
}

namespace {

/// A ball that must not spin about motion.axis: a universal joint with both axes normal to it at home.
void make_universal(JointDescription& joint, const IdleMotion& motion, const Mat3<double>& parent,
                    const Mat3<double>& child) {
  const auto [spin, first] = locked_axes((parent * joint.origin.R).transpose() * motion.axis);
  Mat3<double> axes;
  axes << cross<double>(spin, first), spin, first;
  joint.kind = JointKind::universal;
  joint.origin.R = joint.origin.R * axes;
  joint.child_origin.R = child.transpose() * (parent * joint.origin.R);
  joint.coordinates.resize(2);
  for (CoordinateDescription& c : joint.coordinates) c.home = c.guess = std::nullopt;
}

/// Locks that coordinate of a joint in the tree which takes the largest part in the motion. False if there is none.
bool lock_coordinate(JointDescription& joint, const IdleMotion& motion, const Mechanism<double>& m,
                     const Workspace<double>& w) {
  MatX<double> columns(6, 0);
  std::vector<std::pair<std::size_t, double>> of_column;  // which coordinate of the joint, its position at home
  for (std::size_t k = 0; k < joint.coordinates.size(); ++k)
    for (int j = 0; j < m.tree_size(); ++j) {
      const TreeJoint& tree = m.joint[at(j)];
      if (velocity_size(tree) != 1 || m.coordinate[at(tree.v)].name != coordinate_name(joint, k)) continue;
      const Motion<double> v = joint_column(m, w, j, 0);
      const double unit = m.coordinate[at(tree.v)].is_length ? 1 : m.length_unit;
      columns.conservativeResize(6, columns.cols() + 1);
      columns.rightCols(1) << v.angular, v.linear / unit;
      of_column.emplace_back(k, m.home[tree.q]);
    }
  if (columns.cols() == 0) return false;
  const VecX<double> part = least_squares(columns, motion.twist);
  if ((columns * part - motion.twist).norm() > 1e-6) return false;
  std::size_t best = of_column.size();
  for (std::size_t c = 0; c < of_column.size(); ++c) {
    const bool larger = best == of_column.size() ||
                        std::abs(part[static_cast<Eigen::Index>(c)]) > std::abs(part[static_cast<Eigen::Index>(best)]);
    if (!joint.coordinates[of_column[c].first].locked && larger) best = c;
  }
  if (best == of_column.size()) return false;
  joint.coordinates[of_column[best].first].locked = true;
  joint.coordinates[of_column[best].first].home = of_column[best].second;
  return true;
}

}  // namespace

RobotDescription lock_idle_motions(RobotDescription robot, const Mechanism<double>& m, std::vector<IdleMotion>& idle) {
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  const auto axes_of = [&](const std::string& name) -> Mat3<double> {
    const int j = m.find_body(name);
    return j == base ? Mat3<double>(Mat3<double>::Identity()) : Mat3<double>(w.X0[at(j)].R * m.body_frame[at(j)].R);
  };
  const auto find = [&](const std::string& name) -> JointDescription& {
    return *std::find_if(robot.joints.begin(), robot.joints.end(), [&](const auto& j) { return j.name == name; });
  };
  for (IdleMotion& motion : idle) {
    JointDescription& joint = find(motion.joint);
    if (joint.kind == JointKind::spherical && motion.is_turn) {
      motion.drops_forces = feels(joint);
      make_universal(joint, motion, axes_of(joint.parent), axes_of(joint.child));
      motion.locked = motion.was_ball = true;
    } else {
      motion.locked = lock_coordinate(joint, motion, m, w) || lock_coordinate(find(motion.far_joint), motion, m, w);
    }
  }
  return robot;
}

namespace {

constexpr double usual_gap =
    1e-9;  ///< of the characteristic length: what a geometry may miss where the file does not say it

/// The mechanism with the nearest geometry that fits itself, as far as that is allowed.
void fit_geometry(RobotDescription& ready, Prepared& result) {
  if (ready.closure_tolerance == 0.0) return;
  ConsistentGeometry fitting = consistent_geometry(ready, result.mechanism);
  if (fitting.gap == 0) return;
  const double allowed = ready.closure_tolerance.value_or(usual_gap * fitting.length);
  Assembly& assembly = result.home.assembly;
  if (fitting.gap > allowed) {
    assembly.closed = false;
    assembly.gap = fitting.gap, assembly.gap_allowed = allowed, assembly.gap_joint = fitting.joint;
    return;
  }
  ready = std::move(fitting.robot);
  result.mechanism = build(ready);
  result.home = assemble_home(result.mechanism);
  result.mechanism.closure_gap = fitting.gap;
  result.mechanism.closure_gap_joint = fitting.joint;
}

/// Merges massless bodies, builds, assembles, fits the geometry, locks idle motions.
Prepared assembled(const RobotDescription& robot) {
  check_description(robot);
  RobotDescription ready = merge_bodies(robot);
  Prepared result{build(ready), {}};
  result.home = assemble_home(result.mechanism);
  fit_geometry(ready, result);
  if (!result.home.assembly.closed) return result;
  auto idle = find_idle_motions(ready, result.mechanism);
  const auto note = [&] {
    for (const IdleMotion& motion : idle) {
      result.mechanism.idle.push_back(motion.text());
      result.mechanism.idle_free += motion.locked ? 0 : 1;
      if (motion.was_ball) result.mechanism.locked_balls.push_back(motion.joint);
    }
  };
  if (idle.empty() || !robot.lock_idle) {
    note();
    return result;
  }
  const Mechanism<double> loose = std::move(result.mechanism);
  result.mechanism = build(lock_idle_motions(ready, loose, idle));
  note();
  Mechanism<double>& m = result.mechanism;
  for (int j = 0; j < m.tree_size(); ++j) {  // start where the loose mechanism closed
    const int old = loose.find_body(m.body_name[at(j)]);
    if (old < 0 || loose.joint[at(old)].type != m.joint[at(j)].type) continue;
    const int size = position_size(m.joint[at(j)]);
    m.home_description.start.segment(m.joint[at(j)].q, size) = loose.home.segment(loose.joint[at(old)].q, size);
  }
  m.closure_gap = loose.closure_gap;
  m.closure_gap_joint = loose.closure_gap_joint;
  const HomeAssembly again = assemble_home(m, true);
  result.home.assembly = again.assembly;
  result.home.as_given = result.home.as_given && again.as_given;
  return result;
}

}  // namespace

Prepared assemble_robot(const RobotDescription& robot) {
  Prepared result = assembled(robot);
  Mechanism<double>& m = result.mechanism;
  m.leg_form.assign(m.leg.size(), {});
  if (!result.home.assembly.closed) return result;
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  m.leg_form = recognise_legs(m, w);
  set_general_facts(m);
  prove_leg_forms(m);
  return result;
}

}  // namespace gough
