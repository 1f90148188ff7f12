#include "gough/kinematics/task_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double stands = 1e-7;  ///< rates of coordinates per unit motion, lengths over the characteristic length

int rank_of(const MatX<double>& A) {
  return A.size() == 0 ? 0 : static_cast<int>((singular_values(A).s.array() > stands).count());
}

std::string listed(const PoseMask& mask) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < 6; ++i)
    if (mask[i]) names.push_back(pose_names[i]);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Rates of x y z rx ry rz for the motions that the loops allow.
MatX<double> pose_rates(const Mechanism<double>& m, const Workspace<double>& w) {
  const double length = characteristic_length(m, w);
  MatX<double> N = null_space(scaled_closure(m, w, length));
  for (int v = 0; v < m.nv; ++v)
    if (m.coordinate[at(v)].is_length) N.row(v) *= length;
  const Vec6<double> pose = pose_vector(platform_pose(m, w));
  MatX<double> rates(6, N.cols());
  for (int i = 0; i < 6; ++i) {
    Hold hold;
    hold.platform_pose[at(i)] = pose[i];
    rates.row(i) = held_pose_jacobian(m, w, hold) * N / (i < 3 ? length : 1.0);
  }
  return rates;
}

}  // namespace

TaskCoordinates task_coordinates(const Mechanism<double>& m, const Workspace<double>& w, const PoseMask& mask) {
  TaskCoordinates task;
  task.count = static_cast<int>(std::count(mask.begin(), mask.end(), true));
  const MatX<double> rates = pose_rates(m, w);
  if (rates.cols() == 0) return task;
  task.freedoms = rank_of(rates);
  std::vector<int> read, chosen;
  for (int i = 0; i < 6; ++i) {
    if (mask[at(i)]) read.push_back(i);
    task.standing[at(i)] = mask[at(i)] && rates.row(i).cwiseAbs().maxCoeff() < stands;
  }
  const auto take_where_new = [&](bool of_task) {
    for (int i = 0; i < 6; ++i) {
      if (mask[at(i)] != of_task) continue;
      chosen.push_back(i);
      if (rank_of(rows_of(rates, chosen)) < static_cast<int>(chosen.size())) chosen.pop_back();
    }
  };
  take_where_new(true);
  take_where_new(false);
  for (const int i : chosen) task.others[at(i)] = true;
  task.told = rank_of(rows_of(rates, read));
  return task;
}

std::string TaskCoordinates::explain() const {
  if (fit()) return {};
  std::string text =
      fmt::format("the platform has {} {}, of which its {} {} {}", freedoms, freedoms == 1 ? "freedom" : "freedoms",
                  count, count == 1 ? "coordinate tells" : "coordinates tell", told);
  if (const std::string none = listed(standing); !none.empty())
    text += fmt::format("; no motion of the robot changes {}", none);
  return text;
}

std::string TaskCoordinates::suggestion() const { return "[" + listed(others) + "]"; }

}  // namespace gough
