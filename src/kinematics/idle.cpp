#include "gough/kinematics/idle.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <map>
#include <random>

#include "gough/kinematics/leg_forms.hpp"
#include "gough/kinematics/mobility.hpp"
#include "gough/model/build.hpp"

namespace gough {
namespace {

using Subspace = Eigen::Matrix<double, 6, Eigen::Dynamic>;
constexpr double tolerance = 1e-8;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Subspace null_space(const MatX<double>& A) {
  const Eigen::JacobiSVD<MatX<double>> svd(A, Eigen::ComputeFullV);
  const Eigen::Index rank = (svd.singularValues().array() > tolerance * std::max(1.0, svd.singularValues()[0])).count();
  return svd.matrixV().rightCols(A.cols() - rank);
}

/// The motions (angular; linear, about the base's origin) that a joint of the description allows where w stands.
Subspace allowed_motions(const Mechanism<double>& m, const Workspace<double>& w, const std::string& joint) {
  for (const CutJoint& cut : m.cut)
    if (cut.name == joint) {
      MatX<double> rows(static_cast<Eigen::Index>(cut.rows.size()), 6);
      for (Eigen::Index r = 0; r < rows.rows(); ++r) {
        const Force<double>& f = w.cut_wrench[at(cut.first_row) + static_cast<std::size_t>(r)];
        rows.row(r) << f.moment.transpose(), f.force.transpose();
      }
      return null_space(rows);
    }
  Subspace columns(6, 0);
  for (int j = 0; j < m.tree_size(); ++j)
    for (int c = 0; c < velocity_size(m.joint[at(j)].type); ++c) {
      if (m.coordinate[at(m.joint[at(j)].v + c)].joint != joint) continue;
      const Motion<double> v = joint_column(m, w, j, c);
      columns.conservativeResize(6, columns.cols() + 1);
      columns.rightCols(1) << v.angular, v.linear;
    }
  return columns;
}

/// The motions that both joints allow.
Subspace common_motions(const Subspace& one, const Subspace& other) {
  if (one.cols() == 0 || other.cols() == 0) return Subspace(6, 0);
  MatX<double> both(6, one.cols() + other.cols());
  both << one, -other;
  Eigen::JacobiSVD<MatX<double>> svd(both, Eigen::ComputeFullV);
  const Eigen::Index rank = (svd.singularValues().array() > tolerance).count();
  return one * svd.matrixV().rightCols(both.cols() - rank).topRows(one.cols());
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
  MatX<double> freedom = MatX<double>::Identity(m.nv, m.nv);
  if (m.equations > 0) {
    const Eigen::JacobiSVD<MatX<double>> svd(w.K, Eigen::ComputeFullV);
    const Eigen::Index rank =
        (svd.singularValues().array() > tolerance * std::max(1.0, svd.singularValues()[0])).count();
    freedom = svd.matrixV().rightCols(m.nv - rank);
  }
  if (freedom.cols() == 0) return poses;
  for (int i = 1; i < count; ++i) {
    const VecX<double> rate = VecX<double>::NullaryExpr(freedom.cols(), [&] { return uniform(random); });
    const VecX<double> dv = freedom * rate;
    const double size = std::max(1e-12, dv.cwiseAbs().maxCoeff());
    w.q = moved(m, m.home, dv * (0.08 / size));
    if (close_loops(m, w).closed) poses.push_back(w.q);
  }
  return poses;
}

std::string IdleMotion::text() const {
  return fmt::format("{} of {} between '{}' and '{}'", is_turn ? "spin" : "slide", fmt::join(bodies, " + "), joint,
                     far_joint);
}

std::vector<IdleMotion> find_idle_motions(const RobotDescription& robot, const Mechanism<double>& m) {
  std::vector<IdleMotion> found;
  const auto poses = poses_near_home(m, 4);
  std::map<std::string, int> column;
  for (const BodyDescription& b : robot.bodies) column.emplace(b.name, static_cast<int>(column.size()));
  MatX<double> known(6 * static_cast<Eigen::Index>(column.size()), 0);
  for (const Run& run : runs_between_branchings(robot)) {
    const std::size_t n = run.joints.size();
    for (std::size_t size = 1; size < n; ++size)  // smaller groups first: a rod's spin before its leg's
      for (std::size_t i = 0; i + size < n; ++i) {
        const JointDescription &one = *run.joints[i], &other = *run.joints[i + size];
        if (is_driven(one) || is_driven(other)) continue;
        Subspace common, at_home;
        for (std::size_t p = 0; p < poses.size(); ++p) {
          Workspace<double> w(m);
          w.q = poses[p];
          tree_positions(m, w);
          closure(m, w);
          common = common_motions(allowed_motions(m, w, one.name), allowed_motions(m, w, other.name));
          if (p == 0) at_home = common;
          if (common.cols() == 0) break;
        }
        for (Eigen::Index c = 0; c < common.cols() && c < at_home.cols(); ++c) {
          VecX<double> lifted = VecX<double>::Zero(known.rows());
          for (std::size_t b = i; b < i + size; ++b)
            lifted.segment<6>(6 * column.at(run.bodies[b])) = at_home.col(c).normalized();
          MatX<double> grown(known.rows(), known.cols() + 1);
          grown << known, lifted;
          if (Eigen::JacobiSVD<MatX<double>>(grown).setThreshold(tolerance).rank() < grown.cols()) continue;
          known = grown;
          const Vec3<double> turn = at_home.col(c).head<3>(), slide = at_home.col(c).tail<3>();
          IdleMotion idle{one.name, other.name, {}, turn.norm() > tolerance, {}};
          idle.bodies.assign(run.bodies.begin() + static_cast<std::ptrdiff_t>(i),
                             run.bodies.begin() + static_cast<std::ptrdiff_t>(i + size));
          idle.axis = (idle.is_turn ? turn : slide).normalized();
          const auto can_change = [](const JointDescription& j) {
            return j.kind == JointKind::spherical || j.coordinates.size() == 1;
          };
          if (!can_change(one) || (one.kind != JointKind::spherical && other.kind == JointKind::spherical))
            std::swap(idle.joint, idle.far_joint);
          found.push_back(idle);
        }
      }
  }
  return found;
}

RobotDescription lock_idle_motions(RobotDescription robot, const Mechanism<double>& m,
                                   const std::vector<IdleMotion>& idle) {
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  const auto body_pose = [&](const std::string& name) {
    const int j = m.find_body(name);
    return j == base ? Transform<double>() : w.X0[at(j)] * m.body_frame[at(j)];
  };
  for (const IdleMotion& motion : idle) {
    for (JointDescription& joint : robot.joints) {
      if (joint.name != motion.joint) continue;
      if (joint.kind == JointKind::spherical && motion.is_turn) {
        const Mat3<double> parent = body_pose(joint.parent).R, child = body_pose(joint.child).R;
        const auto [spin, first] = locked_axes((parent * joint.origin.R).transpose() * motion.axis);
        Mat3<double> axes;
        axes << cross<double>(spin, first), spin, first;
        joint.kind = JointKind::universal;
        joint.origin.R = joint.origin.R * axes;
        joint.child_origin.R = child.transpose() * (parent * joint.origin.R);
        joint.coordinates.resize(2);
        for (CoordinateDescription& c : joint.coordinates) c.home = c.guess = std::nullopt;
      } else if (joint.coordinates.size() == 1) {
        const int c = m.find_coordinate(coordinate_name(joint, 0));
        for (const TreeJoint& tree : m.joint)
          if (c < m.nv && tree.v == c && velocity_size(tree.type) == 1) joint.coordinates[0].home = m.home[tree.q];
        joint.coordinates[0].locked = true;
      } else {
        continue;
      }
      robot.idle.push_back(motion.text());
    }
  }
  return robot;
}

namespace {

/// Merges massless bodies, builds, assembles, locks idle motions.
Prepared assembled(const RobotDescription& robot) {
  check_description(robot);
  RobotDescription ready = merge_massless(robot);
  Prepared result{build(ready), {}};
  result.home = assemble_home(result.mechanism);
  if (!result.home.assembly.closed) return result;
  const auto idle = find_idle_motions(ready, result.mechanism);
  if (idle.empty()) return result;
  if (!robot.lock_idle) {
    for (const IdleMotion& motion : idle) result.mechanism.idle.push_back(motion.text());
    result.mechanism.idle_is_locked = false;
    return result;
  }
  const Mechanism<double> loose = std::move(result.mechanism);
  result.mechanism = build(lock_idle_motions(ready, loose, idle));
  Mechanism<double>& m = result.mechanism;
  for (int j = 0; j < m.tree_size(); ++j) {  // start where the loose mechanism closed
    const int old = loose.find_body(m.body_name[at(j)]);
    if (old < 0 || loose.joint[at(old)].type != m.joint[at(j)].type) continue;
    const int size = position_size(m.joint[at(j)].type);
    m.home_description.start.segment(m.joint[at(j)].q, size) = loose.home.segment(loose.joint[at(old)].q, size);
  }
  const HomeAssembly before = result.home;
  result.home = assemble_home(m, true);
  result.home.as_given = before.as_given && result.home.as_given;
  return result;
}

}  // namespace

Prepared prepare(const RobotDescription& robot) {
  Prepared result = assembled(robot);
  Mechanism<double>& m = result.mechanism;
  m.leg_form.assign(m.leg.size(), {});
  if (!result.home.assembly.closed) return result;
  Workspace<double> w(m);
  w.q = m.home;
  tree_positions(m, w);
  m.leg_form = recognise_legs(m, w);
  m.rank = general_rank(m);
  return result;
}

}  // namespace gough
