#include "gough/kinematics/answer.hpp"

#include <fmt/format.h>

#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/motion.hpp"

namespace gough {
namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
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
    if (position_size(j.type) == 1) put(j.v, w.q.segment<1>(j.q));
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
  const auto judge = [](const std::string& what, double x, const Range& range, bool is_length) -> std::string {
    if (x >= range.lower - 1e-12 && x <= range.upper + 1e-12) return {};
    const double by = x < range.lower ? range.lower - x : x - range.upper;
    return fmt::format("'{}' = {:.6g} is {} its limit {:.6g} by {:.3g} {}", what, x,
                       x < range.lower ? "below" : "above", x < range.lower ? range.lower : range.upper, by,
                       is_length ? "m" : "rad");
  };
  cut_coordinates(m, w);
  for (const TreeJoint& j : m.joint)
    if (position_size(j.type) == 1) {
      const Coordinate& c = m.coordinate[at(j.v)];
      if (const std::string text = judge(c.name, w.q[j.q], c.position, c.is_length); !text.empty()) return text;
    }
  for (int i = 0; i < m.cut_coordinates(); ++i) {
    const Coordinate& c = m.coordinate[at(m.nv + i)];
    if (const std::string text = judge(c.name, w.cq[i], c.position, c.is_length); !text.empty()) return text;
  }
  if (m.platform.exists()) {
    const Vec6<double> pose = pose_vector(platform_pose(m, w));
    for (int i = 0; i < 6; ++i)
      if (const std::string text =
              judge("platform " + std::string(pose_names[at(i)]), pose[i], m.platform.limits[at(i)], i < 3);
          !text.empty())
        return text;
  }
  return {};
}

Vec6<double> pose_vector(const Transform<double>& pose) {
  Vec6<double> x;
  x << pose.p, vector_from_rotation(pose.R);
  return x;
}

Transform<double> pose_from_vector(const Vec6<double>& x) {
  return {rotation_from_vector<double>(x.tail<3>()), x.head<3>()};
}

}  // namespace gough
