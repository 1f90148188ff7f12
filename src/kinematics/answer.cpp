#include "gough/kinematics/answer.hpp"

#include <fmt/format.h>

#include <numbers>

#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/motion.hpp"

namespace gough {
namespace {

/// Calls found(text) for each coordinate outside its limits, as long as it returns true.
template <class Found>
void judge_limits(const Mechanism<double>& m, Workspace<double>& w, Found&& found) {
  const auto goes_on = [&](const std::string& what, double x, const Range& range, bool is_length) {
    if (x >= range.lower - 1e-12 && x <= range.upper + 1e-12) return true;
    const double by = x < range.lower ? range.lower - x : x - range.upper;
    return found(fmt::format("'{}' = {:.6g} is {} its limit {:.6g} by {:.3g} {}", what, x,
                             x < range.lower ? "below" : "above", x < range.lower ? range.lower : range.upper, by,
                             is_length ? "m" : "rad"));
  };
  cut_coordinates(m, w);
  for (const TreeJoint& j : m.joint)
    for (int i = 0; i < single_coordinates(j) && !has_turns(j); ++i) {
      const Coordinate& c = m.coordinate[at(j.v + i)];
      if (!goes_on(c.name, w.q[j.q + i], c.position, c.is_length)) return;
    }
  for (int i = 0; i < m.cut_coordinates(); ++i) {
    const Coordinate& c = m.coordinate[at(m.nv + i)];
    if (!goes_on(c.name, w.cq[i], c.position, c.is_length)) return;
  }
  if (!m.platform.exists()) return;
  const Vec6<double> pose = pose_vector(platform_pose(m, w));
  for (int i = 0; i < 6; ++i)
    if (!goes_on("platform " + std::string(pose_names[at(i)]), pose[i], m.platform.limits[at(i)], i < 3)) return;
}

}  // namespace

std::string Answer::explain() const {
  if (ok()) return reason.empty() ? "ok" : "ok: " + reason;
  std::string text = fmt::format("{}: {}", name(status), reason);
  if (status != Status::out_of_limits) text += fmt::format(" (residual {:.3g}, {} iterations)", residual, iterations);
  return text;
}

std::vector<std::pair<std::string, double>> named_positions(const Mechanism<double>& m, Workspace<double>& w) {
  std::vector<std::pair<std::string, double>> all(m.coordinate.size());
  for (std::size_t c = 0; c < all.size(); ++c) all[c].first = m.coordinate[c].name;
  const auto put = [&](int first, const auto& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) all[at(first) + static_cast<std::size_t>(i)].second = values[i];
  };
  for (const TreeJoint& j : m.joint) {
    const auto turn = [&](int q) -> Vec3<double> {
      const Vec3<double> r = vector_from_rotation(rotation_from_quaternion(w.q[q], w.q[q + 1], w.q[q + 2], w.q[q + 3]));
      return j.reversed ? Vec3<double>(-r) : r;
    };
    if (!has_turns(j)) put(j.v, w.q.segment(j.q, position_size(j)));
    if (j.type == Elementary::spherical) put(j.v, turn(j.q));
    if (j.type == Elementary::free) {
      const Mat3<double> R = rotation_from_vector<double>(-turn(j.q + 3));
      const Vec3<double> p = w.q.segment<3>(j.q);
      put(j.v, j.reversed ? Vec3<double>(-(R.transpose() * p)) : p);
      put(j.v + 3, turn(j.q + 3));
    }
  }
  cut_coordinates(m, w);
  put(m.nv, w.cq);
  return all;
}

std::string limits_exceeded(const Mechanism<double>& m, Workspace<double>& w) {
  std::string first;
  judge_limits(m, w, [&](std::string text) {
    first = std::move(text);
    return false;
  });
  return first;
}

std::vector<std::string> all_limits_exceeded(const Mechanism<double>& m, Workspace<double>& w) {
  std::vector<std::string> all;
  judge_limits(m, w, [&](std::string text) {
    all.push_back(std::move(text));
    return true;
  });
  return all;
}

Vec6<double> pose_vector(const Transform<double>& pose) {
  Vec6<double> x;
  x << pose.p, vector_from_rotation(pose.R);
  return x;
}

Transform<double> pose_from_vector(const Vec6<double>& x) {
  return {rotation_from_vector<double>(x.tail<3>()), x.head<3>()};
}

Transform<double> pose_from_vector(const Vec6<double>& x, const PoseMask& read) {
  const Transform<double> pose = pose_from_vector(x);
  const Vec3<double> r = x.tail<3>();
  bool any = false, rest = false;
  for (int i = 0; i < 3; ++i) {
    any = any || read[at(i + 3)];
    rest = rest || (!read[at(i + 3)] && r[i] != 0);
  }
  constexpr double rounding = 1e-9;
  if (!any || !rest || r.norm() <= std::numbers::pi + rounding) return pose;
  const Vec3<double> same = vector_from_rotation(pose.R).array() + 0.0;  // no -0
  throw Error(fmt::format(
      "read the rotation vector ({:.6g}, {:.6g}, {:.6g}), of length {:.6g} rad, expected at most pi where only some of "
      "its components are read: the same rotation is ({:.6g}, {:.6g}, {:.6g})",
      r[0], r[1], r[2], r.norm(), same[0], same[1], same[2]));
}

}  // namespace gough
