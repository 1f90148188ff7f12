#include "dry_joints.hpp"

#include <algorithm>
#include <cmath>

#include "gough/kinematics/cut_freedoms.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {
constexpr double sliding_share = 1 - 1e-9;  ///< of the limit, from which a joint slips
constexpr double box_change = 1e-14;
constexpr int most_box_sweeps = 20'000;
constexpr double free_acceleration = 1e-9;  ///< share of the accelerations without friction that counts as none
}  // namespace

DryJoints::DryJoints(const Mechanism<double>& m, Forward forward) : m_(m), forward_(std::move(forward)) {
  const LoadPlan plan(m);
  for (const auto* list : {&plan.tree, &plan.cut})
    for (const LoadPlan::Coordinate& c : *list) {
      double limit = 0;
      for (const LoadPlan::Term& term : c.friction)
        if (term.function == FrictionFunction::coulomb)
          limit += m.coefficient[static_cast<std::size_t>(term.coefficient)];
      if (!(limit > 0)) continue;
      joint_.push_back({c.index, limit});
      in_cuts_ = in_cuts_ || c.index >= m.nv;
    }
  sign_.assign(joint_.size(), 0);
}

double DryJoints::rate(const Workspace<double>& w, std::size_t i) const {
  const int c = joint_[i].coordinate;
  return c < m_.nv ? w.v[c] : w.cv[c - m_.nv];
}

/// Of the joints' coordinates, after forward dynamics.
VecX<double> DryJoints::accelerations_of(Workspace<double>& w, const std::vector<std::size_t>& joints) {
  if (in_cuts_) {
    tree_accelerations(m_, w);
    cut_coordinates(m_, w);
  }
  VecX<double> a(static_cast<Eigen::Index>(joints.size()));
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const int c = joint_[joints[i]].coordinate;
    a[static_cast<Eigen::Index>(i)] = c < m_.nv ? w.a[c] : w.ca[c - m_.nv];
  }
  return a;
}

/// alpha and B of `joints`, the others sliding as they do.
bool DryJoints::respond(Workspace<double>& w, const std::vector<std::size_t>& joints) {
  for (std::size_t i = 0; i < joint_.size(); ++i) w.slip[joint_[i].coordinate] = sign_[i];
  for (const std::size_t i : joints) w.slip[joint_[i].coordinate] = 0;
  if (!forward_(w)) return false;
  alpha_ = accelerations_of(w, joints);
  const Eigen::Index n = alpha_.size();
  B_.resize(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    double& slip = w.slip[joint_[joints[static_cast<std::size_t>(k)]].coordinate];
    slip = 1;
    if (!forward_(w)) return false;
    B_.col(k) = accelerations_of(w, joints) - alpha_;
    slip = 0;
  }
  return true;
}

bool DryJoints::accelerate(Workspace<double>& w) {
  if (held_.empty()) {
    for (std::size_t i = 0; i < joint_.size(); ++i) w.slip[joint_[i].coordinate] = sign_[i];
    return forward_(w);
  }
  if (!respond(w, held_)) return false;
  s_ = least_squares(B_, -alpha_);
  for (std::size_t i = 0; i < held_.size(); ++i) w.slip[joint_[held_[i]].coordinate] = s_[static_cast<Eigen::Index>(i)];
  return forward_(w);
}

double DryJoints::slack(Workspace<double>& w) {
  if (in_cuts_) cut_coordinates(m_, w);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < joint_.size(); ++i)
    if (sign_[i] != 0) least = std::min(least, sign_[i] * rate(w, i));
  if (held_.empty()) return least;
  const double share = 1 - s_.cwiseAbs().maxCoeff();
  if (share >= 0) return std::min(least, share);
  const VecX<double> shortest = s_;  // forces of redundant joints are not unique: others may hold
  solve_box(held_);
  const double left = (alpha_ + B_ * s_).cwiseAbs().maxCoeff(), size = alpha_.cwiseAbs().maxCoeff();
  s_ = shortest;
  return left <= free_acceleration * size ? std::min(least, 0.0) : share;
}

/// (S4) by projected Gauss-Seidel: minimise 1/2 s^T H s - g^T s within |s| <= 1, H = -C B, g = C alpha.
void DryJoints::solve_box(const std::vector<std::size_t>& joints) {
  const auto n = static_cast<Eigen::Index>(joints.size());
  s_ = VecX<double>::Zero(n);
  for (int sweep = 0; sweep < most_box_sweeps; ++sweep) {
    double change = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double stiffness = -B_(i, i);
      if (!(stiffness > 0)) continue;
      const double next = std::clamp(s_[i] + (alpha_[i] + B_.row(i).dot(s_)) / stiffness, -1.0, 1.0);
      change = std::max(change, std::abs(next - s_[i]));
      s_[i] = next;
    }
    if (change < box_change) break;
  }
}

bool DryJoints::decide(Workspace<double>& w, double rest) {
  if (in_cuts_) cut_coordinates(m_, w);
  std::vector<std::size_t> resting;
  for (std::size_t i = 0; i < joint_.size(); ++i) {
    const double x = rate(w, i);
    sign_[i] = std::abs(x) <= rest ? 0 : x > 0 ? 1 : -1;
    if (sign_[i] == 0) resting.push_back(i);
  }
  held_.clear();
  if (resting.empty()) return true;
  if (!respond(w, resting)) return false;
  solve_box(resting);
  for (std::size_t k = 0; k < resting.size(); ++k) {
    const double s = s_[static_cast<Eigen::Index>(k)];
    if (std::abs(s) < sliding_share) held_.push_back(resting[k]);
    else sign_[resting[k]] = s > 0 ? 1 : -1;
  }
  return true;
}

MatX<double> DryJoints::held_rows(const Workspace<double>& w) const {
  MatX<double> rows = MatX<double>::Zero(static_cast<Eigen::Index>(held_.size()), m_.nv);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const int c = joint_[held_[i]].coordinate;
    if (c < m_.nv) {
      rows(static_cast<Eigen::Index>(i), c) = 1;
      continue;
    }
    std::size_t k = 0;
    while (k + 1 < m_.cut.size() && m_.cut[k + 1].first_coordinate <= c) ++k;
    const Transform<double> A = cut_frame_a(m_, w, k), B = cut_frame_b(m_, w, k);
    const Force<double> unit =
        free_wrenches(m_.cut[k].kind, A, B)[static_cast<std::size_t>(c - m_.cut[k].first_coordinate)];
    for (const CutJoint::Step& step : m_.cut[k].path)
      fill_row(m_, w, unit, step, rows.row(static_cast<Eigen::Index>(i)));
  }
  return rows;
}

}  // namespace gough
