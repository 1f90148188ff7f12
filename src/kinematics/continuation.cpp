#include "gough/kinematics/continuation.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "gough/kinematics/singularity.hpp"

namespace gough {
namespace {

constexpr double first_step = 0.125;
constexpr double sharpest_bend = 0.4;   // of Assembly::detour
constexpr double farthest_move = 0.35;  // rad, or characteristic lengths, of any coordinate in one step

/// The sign of det K in the coordinates that are not held, over a fixed choice of rows: it changes at a fold.
class FoldDetector {
 public:
  FoldDetector(const Mechanism<double>& m, const Workspace<double>& w, const Hold& hold) : m_(m), hold_(hold) {
    matrix(w);
    if (A_.size() == 0) return;
    const Eigen::FullPivLU<MatX<double>> lu(A_);
    square_ = lu.rank() == A_.cols();
    for (Eigen::Index r = 0; square_ && r < A_.rows(); ++r)
      if (lu.permutationP().indices()[r] < A_.cols()) rows_.push_back(r);
    sign_ = sign(w);
  }
  bool folded(const Workspace<double>& w) { return square_ && sign(w) * sign_ < 0; }

 private:
  void matrix(const Workspace<double>& w) {
    std::vector<int> free;
    for (int v = 0; v < m_.nv; ++v)
      if (hold_.coordinates.empty() || !hold_.coordinates[at(v)]) free.push_back(v);
    const MatX<double> pose = held_pose_jacobian(m_, w, hold_);
    A_.resize(m_.equations + pose.rows(), static_cast<Eigen::Index>(free.size()));
    for (std::size_t c = 0; c < free.size(); ++c) {
      A_.col(static_cast<Eigen::Index>(c)).head(m_.equations) = w.K.col(free[c]);
      A_.col(static_cast<Eigen::Index>(c)).tail(pose.rows()) = pose.col(free[c]);
    }
  }
  double sign(const Workspace<double>& w) {
    if (!square_) return 1;
    matrix(w);
    MatX<double> B(A_.cols(), A_.cols());
    for (Eigen::Index i = 0; i < B.rows(); ++i) B.row(i) = A_.row(rows_[static_cast<std::size_t>(i)]);
    return B.determinant();
  }

  const Mechanism<double>& m_;
  Hold hold_;
  MatX<double> A_;
  bool square_ = false;
  std::vector<Eigen::Index> rows_;
  double sign_ = 1;
};

/// The leg to which an equation belongs, for messages.
std::string leg_of_row(const Mechanism<double>& m, int row) {
  for (const Leg& leg : m.leg)
    for (const int c : leg.cuts)
      if (row >= m.cut[at(c)].first_row && row < m.cut[at(c)].first_row + static_cast<int>(m.cut[at(c)].rows.size()))
        return leg.name;
  return {};
}

}  // namespace

Path pose_path(const Mechanism<double>& m, const Transform<double>& from, const Transform<double>& to,
               const PoseMask& mask) {
  const Vec6<double> x0 = pose_vector(from), x1 = pose_vector(to);
  const Vec3<double> turn = vector_from_rotation(from.R.transpose() * to.R);
  const bool whole_turn = mask[3] && mask[4] && mask[5];
  std::vector<bool> elastic(at(m.nv), false);
  for (const int e : m.standing()) elastic[at(e)] = true;
  return [=](double s, VecX<double>&) {
    Hold hold;
    Vec6<double> x = x0 + (x1 - x0) * s;
    if (whole_turn) x.tail<3>() = vector_from_rotation(from.R * rotation_from_vector<double>(turn * s));
    for (int i = 0; i < 6; ++i)
      if (mask[at(i)]) hold.platform_pose[at(i)] = x[i];
    hold.coordinates = elastic;
    return hold;
  };
}

Answer walk(const Mechanism<double>& m, Workspace<double>& w, const Path& path, const Hold* watch, double smallest) {
  Answer answer;
  double s = 0, step = first_step;
  tree_positions(m, w);
  closure(m, w);
  VecX<double> unused = w.q;
  FoldDetector fold(m, w, path(0, unused));
  std::optional<FoldDetector> watched;
  if (watch != nullptr) watched.emplace(m, w, *watch);
  const double length = characteristic_length(m, w);
  Assembly last;
  bool folded = false;
  while (s < 1) {
    const VecX<double> before = w.q;
    const double next = std::min(1.0, s + step);
    const Hold hold = path(next, w.q);
    last = close_loops(m, w, hold);
    answer.iterations += last.iterations;
    double move = 0;
    for (const TreeJoint& j : m.joint)
      for (int i = 0; i < position_size(j); ++i) {
        const bool is_length = single_coordinates(j) > i && m.coordinate[at(j.v + i)].is_length;
        move = std::max(move, std::abs(w.q[j.q + i] - before[j.q + i]) / (is_length ? length : 1.0));
      }
    folded = last.closed && (fold.folded(w) || (watched && watched->folded(w)));
    if (last.closed && last.iterations <= 12 && last.detour <= sharpest_bend && move <= farthest_move && !folded) {
      s = next;
      step = std::min(2 * step, 0.25);
      continue;
    }
    w.q = before;
    step /= 2;
    if (step < smallest) break;
  }
  tree_positions(m, w);
  closure(m, w);
  answer.residual = last.residual;
  if (s >= 1) return answer;
  const std::string leg = last.worst_row >= 0 ? leg_of_row(m, last.worst_row) : std::string();
  const std::string where = fmt::format("the way there ends after {:.1f} %", 100 * s);
  if (folded || last.closed) {
    answer.status = Status::singular;
    answer.reason = where + " at a singularity, beyond which the assembly mode would change";
  } else {
    answer.status = Status::unreachable;
    answer.reason = where + (leg.empty() ? std::string() : fmt::format("; leg '{}' cannot follow", leg)) +
                    fmt::format(": '{}' stays open by {:.3g}",
                                last.worst_row >= 0 ? m.row_name(last.worst_row) : "pose", last.residual);
  }
  return answer;
}

}  // namespace gough
