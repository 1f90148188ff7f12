#include "gough/kinematics/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gough/kinematics/closure.hpp"
#include "gough/kinematics/jacobian.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr int most_iterations = 100;
constexpr double largest_step =
    0.5;  // rad or units of length: far enough to travel, short enough not to jump to another assembly

/// phi and the held pose's rows, with their Jacobian in the coordinates that may move; lengths in the robot's unit.
class Problem {
 public:
  Problem(const Mechanism<double>& m, const Hold& hold) : m_(m), hold_(hold) {
    for (int v = 0; v < m.nv; ++v)
      if (hold.coordinates.empty() || !hold.coordinates[at(v)]) free_.push_back(v);
    held_ = std::count_if(hold.platform_pose.begin(), hold.platform_pose.end(),
                          [](const auto& c) { return c.has_value(); });
    const auto held_lengths = std::count_if(hold.platform_pose.begin(), hold.platform_pose.begin() + 3,
                                            [](const auto& c) { return c.has_value(); });
    residual_.resize(m.equations + held_);
    jacobian_.resize(residual_.size(), static_cast<Eigen::Index>(free_.size()));
    row_ = VecX<double>::Ones(residual_.size());
    row_.head(m.equations) = m.row_unit;
    row_.segment(m.equations, held_lengths).setConstant(m.length_unit);
    column_ = VecX<double>::Ones(jacobian_.cols());
    for (std::size_t c = 0; c < free_.size(); ++c)
      if (m.coordinate[at(free_[c])].is_length) column_[static_cast<Eigen::Index>(c)] = m.length_unit;
  }

  void evaluate(Workspace<double>& w) {
    tree_positions(m_, w);
    closure(m_, w);
    residual_.head(m_.equations) = w.phi;
    for (std::size_t c = 0; c < free_.size(); ++c)
      jacobian_.col(static_cast<Eigen::Index>(c)).head(m_.equations) = w.K.col(free_[c]);
    if (held_ > 0) evaluate_pose(w);
    residual_ = residual_.cwiseQuotient(row_);
    jacobian_ = row_.cwiseInverse().asDiagonal() * jacobian_ * column_.asDiagonal();
  }

  VecX<double> step() const {
    const double damping = residual_.norm();
    const Eigen::Index n = jacobian_.cols();
    MatX<double> stacked(jacobian_.rows() + n, n);
    stacked << jacobian_, MatX<double>::Identity(n, n) * damping;
    VecX<double> right = VecX<double>::Zero(stacked.rows());
    right.head(residual_.size()) = -residual_;
    const VecX<double> x = least_squares(stacked, right);
    const double length = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
    const double share = length > largest_step ? largest_step / length : 1.0;
    VecX<double> dv = VecX<double>::Zero(m_.nv);
    for (std::size_t c = 0; c < free_.size(); ++c) {
      const auto i = static_cast<Eigen::Index>(c);
      dv[free_[c]] = x[i] * column_[i] * share;
    }
    return dv;
  }

  double norm() const { return residual_.norm(); }
  /// The equation farthest from zero; and by how much: without units, in m or rad.
  struct Worst {
    int row = -1;  ///< of the loops; -1: of the pose
    double share = 0, open = 0;
  };
  Worst worst() const {
    if (residual_.size() == 0) return {};
    Eigen::Index r = 0;
    const double share = residual_.cwiseAbs().maxCoeff(&r);
    return {r < m_.equations ? static_cast<int>(r) : -1, share, share * row_[r]};
  }
  bool can_move() const { return !free_.empty(); }

 private:
  void evaluate_pose(const Workspace<double>& w) {
    const auto rows = held_pose_rows(m_, w, hold_);
    const MatX<double> J = held_pose_jacobian(m_, w, hold_);
    for (std::size_t i = 0; i < rows.size(); ++i) residual_[m_.equations + static_cast<Eigen::Index>(i)] = rows[i].phi;
    for (std::size_t c = 0; c < free_.size(); ++c)
      jacobian_.col(static_cast<Eigen::Index>(c)).tail(held_) = J.col(free_[c]);
  }

  const Mechanism<double>& m_;
  const Hold& hold_;
  Eigen::Index held_ = 0;  ///< coordinates of the pose that are held
  std::vector<int> free_;
  VecX<double> residual_, row_, column_;  ///< and the units of rows and columns
  MatX<double> jacobian_;
};

/// The inverse of the left Jacobian of the rotation vector: r' = J^-1(r) w, w in base axes.
Mat3<double> rates_of_rotation_vector(const Vec3<double>& r) {
  const double t = r.norm();
  const double c = t < 1e-4 ? 1.0 / 12 + t * t / 720 : 1 / (t * t) - (1 + std::cos(t)) / (2 * t * std::sin(t));
  const Mat3<double> W = cross_matrix(r);
  return Mat3<double>::Identity() - W / 2 + c * W * W;
}

/// The rows vanish at half a turn too; there the loop is closed inside out.
int inside_out_row(const Mechanism<double>& m, const Workspace<double>& w) {
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    const Mat3<double> R = cut_frame_a(m, w, c).R.transpose() * cut_frame_b(m, w, c).R;
    for (std::size_t i = 0; i < m.cut[c].rows.size(); ++i) {
      const CutRow& row = m.cut[c].rows[i];
      const bool flipped = (row.what == CutRow::What::turn && R.trace() < 0) ||
                           (row.what == CutRow::What::axis && row.k == 2 && R(2, 2) < 0);
      if (flipped) return m.cut[c].first_row + static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

void place_platform(const Mechanism<double>& m, const Transform<double>& body, VecX<double>& q) {
  const int first = m.joint[at(m.platform.body)].q;
  const Transform<double> in_joint = m.placement[at(m.platform.body)].inverse() * body;
  q.segment<3>(first) = in_joint.p;
  Eigen::Vector4d unit = quaternion_from_rotation(in_joint.R);
  if (unit.dot(q.segment<4>(first + 3)) < 0) unit = -unit;
  q.segment<4>(first + 3) = unit;
}

std::vector<RowValue<double>> held_pose_rows(const Mechanism<double>& m, const Workspace<double>& w, const Hold& hold) {
  std::vector<RowValue<double>> rows;
  const auto& given = hold.platform_pose;
  const auto value = [&](std::size_t i) { return given[i].value_or(0.0); };
  const Transform<double> pose = platform_pose(m, w), origin{Mat3<double>::Identity(), {value(0), value(1), value(2)}};
  for (int i = 0; i < 3; ++i)
    if (given[at(i)]) rows.push_back(row_value<double>({CutRow::What::position, i}, origin, pose, 1.0));
  if (given[3] && given[4] && given[5]) {
    const Transform<double> wanted{rotation_from_vector<double>({value(3), value(4), value(5)}), pose.p};
    for (int i = 0; i < 3; ++i) rows.push_back(row_value<double>({CutRow::What::turn, i}, wanted, pose, 1.0));
    return rows;
  }
  const Vec3<double> r = vector_from_rotation(pose.R);
  const Mat3<double> rates = rates_of_rotation_vector(r);
  for (int i = 0; i < 3; ++i)
    if (given[at(i + 3)]) rows.push_back({r[i] - *given[at(i + 3)], {rates.row(i).transpose(), Vec3<double>::Zero()}});
  return rows;
}

MatX<double> held_pose_jacobian(const Mechanism<double>& m, const Workspace<double>& w, const Hold& hold) {
  const bool any =
      std::any_of(hold.platform_pose.begin(), hold.platform_pose.end(), [](const auto& c) { return c.has_value(); });
  if (!any) return MatX<double>(0, m.nv);
  const auto rows = held_pose_rows(m, w, hold);
  MatX<double> J = MatX<double>::Zero(static_cast<Eigen::Index>(rows.size()), m.nv);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (int j = m.platform.body; j != base; j = m.parent[at(j)])
      fill_row(m, w, rows[r].wrench, {j, 1}, J.row(static_cast<Eigen::Index>(r)));
  return J;
}

Assembly close_loops(const Mechanism<double>& m, Workspace<double>& w, const Hold& hold) {
  Problem problem(m, hold);
  problem.evaluate(w);
  Assembly result;
  const VecX<double> zeroth = w.q;
  VecX<double> first = w.q;
  for (; result.iterations < most_iterations && problem.can_move(); ++result.iterations) {
    const double before = problem.norm();
    if (before < 1e-14 || !std::isfinite(before)) break;
    const VecX<double> start = w.q, dv = problem.step();
    double share = 1;
    for (int halvings = 0; halvings < 12; ++halvings, share /= 2) {
      w.q.noalias() = moved(m, start, dv * share);
      problem.evaluate(w);
      if (problem.norm() < before) break;
    }
    if (result.iterations == 0) first = w.q;
    if (!(problem.norm() < before)) {  // as good as it gets
      w.q = start;
      problem.evaluate(w);
      break;
    }
  }
  const double first_step = (first - zeroth).norm();
  result.detour = first_step > 1e-9 ? (w.q - first).norm() / first_step : 0.0;
  const Problem::Worst worst = problem.worst();
  result.residual = worst.open;
  result.worst_row = worst.row;
  result.closed = worst.share <= closure_tolerance;
  if (const int row = inside_out_row(m, w); result.closed && row >= 0) {
    result.closed = false;
    result.inside_out = true;
    result.worst_row = row;
    result.residual = 2;
  }
  return result;
}

std::string Assembly::explain(const Structure& m) const {
  if (closed) return fmt::format("closed to {:.1e} in {} iterations", residual, iterations);
  if (inside_out)
    return fmt::format("not closed: '{}' closes only with a half turn (inside out)", m.row_name(worst_row));
  if (gap > gap_allowed)
    return fmt::format(
        "the loops fit each other only within {:.2g} m (joint '{}'), allowed are {:.2g} m: correct the geometry, or "
        "state "
        "`closure_tolerance: {:.0e} m` and the nearest one that fits is used",
        gap, gap_joint, gap_allowed, std::pow(10, std::ceil(std::log10(gap * 1.05))));
  const std::string where = worst_row >= 0 ? "equation '" + m.row_name(worst_row) + "'" : "the wanted pose";
  const std::string unit = worst_row < 0 ? "(m or rad)" : m.row_is_length(worst_row) ? "m" : "rad";
  return fmt::format("not closed: {} is left open by {:.3g} {} after {} iterations", where, residual, unit, iterations);
}

VecX<double> moved(const Structure& m, const VecX<double>& q, const VecX<double>& dv) {
  VecX<double> to = q;
  const auto turn = [&](int iq, int iv) {
    const Vec3<double> r = dv.segment<3>(iv);
    const Mat3<double> R = rotation_from_quaternion(q[iq], q[iq + 1], q[iq + 2], q[iq + 3]) * rotation_from_vector(r);
    Eigen::Vector4d unit = quaternion_from_rotation(R);
    if (unit.dot(q.segment<4>(iq)) < 0) unit = -unit;
    to.segment<4>(iq) = unit;
  };
  for (const TreeJoint& j : m.joint) {
    const int n = single_coordinates(j);
    to.segment(j.q, n) += dv.segment(j.v, n);
    if (has_turns(j)) turn(j.q + n, j.v + n);
  }
  return to;
}

Transform<double> platform_pose(const Mechanism<double>& m, const Workspace<double>& w) {
  return w.X0[at(m.platform.body)] * m.platform_frame;
}

MatX<double> platform_jacobian(const Mechanism<double>& m, const Workspace<double>& w) {
  MatX<double> J = MatX<double>::Zero(6, m.nv);
  const Vec3<double> p = platform_pose(m, w).p;
  for (int j = m.platform.body; j != base; j = m.parent[at(j)])
    for (int c = 0; c < velocity_size(m.joint[at(j)]); ++c) {
      const Motion<double> column = joint_column(m, w, j, c);
      J.col(m.joint[at(j)].v + c) << column.angular, column.linear + cross<double>(column.angular, p);
    }
  return J;
}

}  // namespace gough
