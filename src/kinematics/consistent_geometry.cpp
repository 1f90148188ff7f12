#include "gough/kinematics/consistent_geometry.hpp"

#include <algorithm>
#include <random>

#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/closure.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/model/build.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using Eigen::Index;

// lengths in characteristic lengths
constexpr double rounding = 1e-12;  ///< what rounding leaves open
constexpr double closed = 5e-14;    ///< what is left where the geometry fits
constexpr double weak_at_first = 1e-6,
                 weak = 1e-8;  ///< conditions on d that are weaker come from what the geometry misses
constexpr int most_corrections = 8;

/// Poses whose independent equations are satisfied, and what the others leave open.
class Poses {
 public:
  Poses(const Mechanism<double>& m, double tolerance) : m_(m), w_(m) {
    go_to(m.home);
    length_ = characteristic_length(m, w_);
    zero_ = std::clamp(10 * tolerance / length_, 1e-4, 1e-2);
    farthest_ = std::max(1e-4, 2 * tolerance / length_);
    rows_.resize(m.equations);
    for (int r = 0; r < m.equations; ++r) rows_[r] = m.row_is_length(r) ? 1 / length_ : 1;
    columns_.resize(m.nv);
    for (int v = 0; v < m.nv; ++v) columns_[v] = m.coordinate[at(v)].is_length ? length_ : 1;
    for (const TreeJoint& j : m.joint)  // beams stay as they are
      if (j.type == Elementary::modal) columns_.segment(j.v, j.modes).setZero();
  }

  double length() const { return length_; }
  /// A geometry that is not nearer is another robot.
  double farthest() const { return farthest_; }
  const Workspace<double>& workspace() const { return w_; }
  const VecX<double>& row_scales() const { return rows_; }
  const VecX<double>& q() const { return w_.q; }
  int rank() const { return static_cast<int>(d_.s.size() == 0 ? 0 : (d_.s.array() > zero_ * d_.s[0]).count()); }
  int dependent() const { return m_.equations - rank(); }
  VecX<double> phi() const { return rows_.asDiagonal() * w_.phi; }

  /// What the equations that should be dependent have left open, and a basis of them.
  MatX<double> left() const { return singular_values(K_.transpose()).V.rightCols(dependent()); }

  /// Newton's method on the independent equations. False: it does not end.
  bool close(const VecX<double>& q) {
    go_to(q);
    for (int i = 0; i < 40; ++i) {
      const int r = rank();
      const VecX<double> by_s = d_.s.head(r).cwiseAbs2().cwiseInverse();
      const VecX<double> along = d_.V.leftCols(r).transpose() * VecX<double>(K_.transpose() * phi());
      const VecX<double> x = -(d_.V.leftCols(r) * VecX<double>(by_s.cwiseProduct(along)));
      const double step = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
      if (!(step < 0.5)) return false;
      if (step < 1e-14) return true;
      go_to(moved(m_, w_.q, columns_.cwiseProduct(x)));
      if (step < 1e-12) return true;
    }
    return false;
  }

  /// A pose some way off home, along the motions that the independent equations leave.
  bool close_near(const VecX<double>& home, std::mt19937& random, double size) {
    go_to(home);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const MatX<double> N = d_.V.rightCols(m_.nv - rank());
    VecX<double> x =
        N * (N.transpose() * VecX<double>(VecX<double>::NullaryExpr(m_.nv, [&] { return uniform(random); })));
    x = columns_.cwiseSign().cwiseProduct(x);
    const double largest = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
    return largest > 0 && close(moved(m_, home, columns_.cwiseProduct(x) * (size / largest)));
  }

 private:
  void go_to(const VecX<double>& q) {
    w_.q = q;
    tree_positions(m_, w_);
    closure(m_, w_);
    if (rows_.size() == 0) return;
    K_ = rows_.asDiagonal() * w_.K * columns_.asDiagonal();
    d_ = singular_values(K_);
  }

  const Mechanism<double>& m_;
  Workspace<double> w_;
  double length_ = 1, farthest_ = 0;
  double zero_ =
      0;  ///< singular values below this share of the largest one belong to equations that should be dependent
  VecX<double> rows_, columns_;  ///< scales
  MatX<double> K_;
  SingularValues d_;
};

/// (M14) What small twists of the joints' frames in their bodies do to the equations.
class Frames {
 public:
  Frames(const RobotDescription& robot, const Mechanism<double>& m) : robot_(robot), m_(m) {}

  Index count() const { return per_joint * static_cast<Index>(robot_.joints.size()); }

  /// Columns of a joint: turn and displacement of its frame in the parent, of that in the child, and its own length.
  MatX<double> sensitivity(const Workspace<double>& w, double length) const {
    MatX<double> P = MatX<double>::Zero(m_.equations, count());
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const JointDescription& joint = robot_.joints[i];
      const MatX<double> by_twist = moved_child(w, joint.name);
      const auto first = per_joint * static_cast<Index>(i);
      P.middleCols(first, 6) = by_twist * twists_at(body_pose(w, joint.parent) * joint.origin, length);
      P.middleCols(first + 6, 6) = -by_twist * twists_at(body_pose(w, joint.child) * joint.child_origin, length);
      for (const CutJoint& cut : m_.cut)
        if (cut.name == joint.name && cut.kind == JointKind::distance) P(cut.first_row, first + 12) = -length;
    }
    return P;
  }

  static RobotDescription moved_frames(RobotDescription robot, const VecX<double>& d, double length) {
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
      const auto move = [&](Transform<double>& frame, Index first) {
        const Vec3<double> turn = d.segment<3>(first), shift = d.segment<3>(first + 3) * length;
        if (turn.isZero(0) && shift.isZero(0)) return;
        frame.p += frame.R * shift;
        frame.R = frame.R * rotation_from_vector(turn);
      };
      const auto first = per_joint * static_cast<Index>(i);
      move(robot.joints[i].origin, first);
      move(robot.joints[i].child_origin, first + 6);
      robot.joints[i].length += d[first + 12] * length;
    }
    return robot;
  }

 private:
  static constexpr Index per_joint = 13;

  /// The equations' rates for unit twists (about the base's origin) of what is beyond a joint, seen from its parent.
  MatX<double> moved_child(const Workspace<double>& w, const std::string& joint) const {
    MatX<double> by_twist = MatX<double>::Zero(m_.equations, 6);
    const auto add = [&](const CutJoint& cut, double sign) {
      for (int r = cut.first_row; r < cut.first_row + static_cast<int>(cut.rows.size()); ++r) {
        const Force<double>& f = w.cut_wrench[at(r)];
        by_twist.row(r) << sign * f.moment.transpose(), sign * f.force.transpose();
      }
    };
    for (const CutJoint& cut : m_.cut) {
      if (cut.name == joint) add(cut, -1);  // frame A moves with the parent: the relative motion of B is the opposite
      const auto of_joint = [&](const CutJoint::Step& step) {
        const TreeJoint& tree = m_.joint[at(step.body)];
        return velocity_size(tree) > 0 && m_.coordinate[at(tree.v)].joint == joint;
      };
      const auto step = std::find_if(cut.path.begin(), cut.path.end(), of_joint);
      if (step != cut.path.end()) add(cut, m_.joint[at(step->body)].reversed ? -step->sign : step->sign);
    }
    return by_twist;
  }

  Transform<double> body_pose(const Workspace<double>& w, const std::string& name) const {
    const int j = m_.find_body(name);
    return j < 0 ? m_.author_frame(name) : w.X0[at(j)] * m_.author_frame(name);
  }

  /// Unit twists of a frame, in its axes and about its origin, as twists about the base's.
  static Eigen::Matrix<double, 6, 6> twists_at(const Transform<double>& frame, double length) {
    Eigen::Matrix<double, 6, 6> T = Eigen::Matrix<double, 6, 6>::Zero();
    T.topLeftCorner<3, 3>() = frame.R;
    T.bottomLeftCorner<3, 3>() = cross_matrix(frame.p) * frame.R;
    T.bottomRightCorner<3, 3>() = frame.R * length;
    return T;
  }

  const RobotDescription& robot_;
  const Mechanism<double>& m_;
};

/// (M14) at `count` poses: rows A d = -b. Poses near a singular one, where more equations depend, are left out.
struct Conditions {
  MatX<double> A;
  VecX<double> b;
};
Conditions conditions_at(const RobotDescription& robot, const Mechanism<double>& m, Poses& poses, std::mt19937& random,
                         int count, double size) {
  const Frames frames(robot, m);
  const VecX<double> home = poses.q();
  const int rank = poses.rank();
  Conditions c{MatX<double>(0, frames.count()), VecX<double>(0)};
  for (int i = 0; i < count; ++i) {
    if (i > 0 && !poses.close_near(home, random, size * i / count)) continue;
    if (poses.rank() < rank) continue;
    const MatX<double> U = poses.left();
    const MatX<double> P = poses.row_scales().asDiagonal() * frames.sensitivity(poses.workspace(), poses.length());
    c.A.conservativeResize(c.A.rows() + U.cols(), Eigen::NoChange);
    c.A.bottomRows(U.cols()).noalias() = U.transpose() * P;
    c.b.conservativeResize(c.A.rows());
    c.b.tail(U.cols()).noalias() = U.transpose() * poses.phi();
  }
  return c;
}

double largest(const VecX<double>& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

double turn_of(const Mat3<double>& from, const Mat3<double>& to) {
  return vector_from_rotation(from.transpose() * to).norm();
}

/// The joint whose frames differ most, and by how much.
void measure(ConsistentGeometry& g, const RobotDescription& before) {
  for (std::size_t i = 0; i < before.joints.size(); ++i) {
    const JointDescription &a = before.joints[i], &b = g.robot.joints[i];
    const auto moved = [&](const Transform<double>& from, const Transform<double>& to) {
      return std::max((from.p - to.p).norm(), turn_of(from.R, to.R) * g.length);
    };
    const double gap =
        std::max({moved(a.origin, b.origin), moved(a.child_origin, b.child_origin), std::abs(a.length - b.length)});
    if (gap > g.gap) g.gap = gap, g.joint = a.name;
  }
}

}  // namespace

ConsistentGeometry consistent_geometry(const RobotDescription& robot, const Mechanism<double>& m) {
  ConsistentGeometry result{robot, 0, "", 1};
  std::mt19937 random(7);  // any seed; fixed so that a robot is the same one twice
  Mechanism<double> now = m;
  for (int i = 0; i < most_corrections; ++i) {
    Poses poses(now, robot.closure_tolerance.value_or(0.0));
    result.length = poses.length();
    if (!poses.close(now.home) || poses.dependent() == 0) break;
    const VecX<double> home = poses.q();
    const int count = 8 + 4 * std::min(now.nv - poses.rank(), 8);
    const auto conditions = [&](int poses_asked, double size) {
      poses.close(home);
      return conditions_at(result.robot, now, poses, random, poses_asked, size);
    };
    if (i == 0 && largest(conditions(2, 0.2).b) < rounding) break;
    const Conditions c = conditions(count, 0.4);
    if (i > 0 && largest(c.b) < closed) {
      measure(result, robot);
      return result;
    }
    const VecX<double> d = least_squares(c.A, -c.b, i == 0 ? weak_at_first : weak);
    if (!(largest(d) < poses.farthest())) break;
    result.robot = Frames::moved_frames(result.robot, d, poses.length());
    now = build(result.robot);
    now.home = home;
  }
  result.robot = robot;
  return result;
}

}  // namespace gough
