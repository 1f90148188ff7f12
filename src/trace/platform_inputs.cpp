#include "platform_inputs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "gough/kinematics/sampling.hpp"

namespace gough {
namespace {

Transform<double> platform_frame_at(const Mechanism<double>& m, const VecX<double>& q) {
  Workspace<double> w(m);
  w.q = q;
  tree_positions(m, w);
  return w.X0[static_cast<std::size_t>(m.platform.body)] * m.platform_frame;
}

/// A number of the home pose: exact where it is a round one but for rounding.
Expr fixed(double x) {
  constexpr double rounding = 1e-14;
  return Expr(std::abs(x - std::round(x)) < rounding ? std::round(x) : x);
}

std::array<Vec3<Expr>, 3> cardan_axes(const Vec3<Expr>& angle, const Expr& lift) {
  const Expr s1 = sin(angle[0]), c1 = cos(angle[0]), s2 = sin(angle[1]), c2 = cos(angle[1]), s3 = sin(angle[2]),
             c3 = cos(angle[2]);
  const Expr a = s1 * s2, b = c1 * s2, raised = lift * c2;
  return {Vec3<Expr>(c2 * c3, c1 * s3 + a * c3, s1 * s3 - b * c3),
          Vec3<Expr>(-(c2 * s3), c1 * c3 - a * s3, s1 * c3 + b * s3),
          Vec3<Expr>(lift * s2, -(s1 * raised), c1 * raised)};
}

}  // namespace

Vec3<double> cardan_angles(const Mat3<double>& R) {
  return {std::atan2(-R(1, 2), R(2, 2)), std::asin(R(0, 2)), std::atan2(-R(0, 1), R(0, 0))};
}

PlatformInputs::PlatformInputs(const Mechanism<double>& m, const std::vector<int>& freedoms, Rotation rotation)
    : m_(m), matrix_(rotation != Rotation::cardan), few_(false), home_(platform_frame_at(m, m.home)) {
  for (const int c : freedoms) (c < 3 ? shifts_ : turns_).push_back(c % 3);
  const Vec3<double> home = cardan_angles(home_.R);
  const bool about_z = turns_ == std::vector<int>{2} && std::abs(home[0]) < 1e-14 && std::abs(home[1]) < 1e-14;
  few_ = about_z && rotation == Rotation::fewest;
  angles_ = turns_.empty() ? std::vector<int>{} : about_z ? std::vector<int>{2} : std::vector<int>{0, 1, 2};
}

Vec3<Expr> PlatformInputs::spread(const VecX<Expr>& given, const std::vector<int>& axes) const {
  Vec3<Expr> x = Vec3<Expr>::Zero();
  for (std::size_t i = 0; i < axes.size(); ++i) x[axes[i]] = given[static_cast<Eigen::Index>(i)];
  return x;
}

std::array<Vec3<Expr>, 3> PlatformInputs::axes(Trace& t, const Expr& lift) const {
  std::array<Vec3<Expr>, 3> axis;
  if (turns_.empty()) {
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) axis[static_cast<std::size_t>(k)][i] = fixed(home_.R(i, k));
    axis[2] *= lift;
    return axis;
  }
  if (few_) {
    const VecX<Expr> R = t.input("rotation", "of the platform about z", {"xx", "yx"});
    return {Vec3<Expr>(R[0], R[1], Expr(0.0)), Vec3<Expr>(-R[1], R[0], Expr(0.0)),
            Vec3<Expr>(Expr(0.0), Expr(0.0), lift)};
  }
  if (matrix_) {
    const VecX<Expr> R = t.input("rotation", "of the platform, matrix row by row",
                                 {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"});
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) axis[static_cast<std::size_t>(k)][i] = R[3 * i + k];
    axis[2] *= lift;
    return axis;
  }
  std::vector<std::string> names;
  for (const int a : angles_) names.push_back(fmt::format("a{} [rad]", a));
  return cardan_axes(
      spread(t.input("angles", "Cardan angles of the platform: R = Rx(a0) Ry(a1) Rz(a2)", names), angles_), lift);
}

PlatformState<Expr> PlatformInputs::pose(Trace& t, const Expr& lift) const {
  const Part<Expr> part("platform");
  PlatformState<Expr> x;
  for (int i = 0; i < 3; ++i) x.p[i] = fixed(home_.p[i]);
  const VecX<Expr> p = t.input("position", "of the platform's origin in the base", axis_entries("m", shifts_));
  for (std::size_t i = 0; i < shifts_.size(); ++i) x.p[shifts_[i]] = p[static_cast<Eigen::Index>(i)];
  x.axis = axes(t, lift);
  x.v = x.w = x.a = x.dw = Vec3<Expr>::Zero();
  return x;
}

void PlatformInputs::velocities(Trace& t, PlatformState<Expr>& x) const {
  x.v = spread(t.input("velocity", "of the platform's origin, base axes", axis_entries("m/s", shifts_)), shifts_);
  x.w = spread(t.input("angular_velocity", "of the platform, base axes", axis_entries("rad/s", turns_)), turns_);
}

void PlatformInputs::accelerations(Trace& t, PlatformState<Expr>& x) const {
  x.a = spread(t.input("acceleration", "of the platform's origin, base axes", axis_entries("m/s^2", shifts_)), shifts_);
  x.dw = spread(t.input("angular_acceleration", "of the platform, base axes", axis_entries("rad/s^2", turns_)), turns_);
}

void PlatformInputs::output_accelerations(Trace& t, const Vec3<Expr>& a, const Vec3<Expr>& dw) const {
  const auto picked = [](const Vec3<Expr>& x, const std::vector<int>& axes) {
    VecX<Expr> out(static_cast<Eigen::Index>(axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i) out[static_cast<Eigen::Index>(i)] = x[axes[i]];
    return out;
  };
  t.output("acceleration", "of the platform's origin, base axes", axis_entries("m/s^2", shifts_), picked(a, shifts_));
  t.output("angular_acceleration", "of the platform, base axes", axis_entries("rad/s^2", turns_), picked(dw, turns_));
}

std::vector<double> PlatformInputs::pose_values(const VecX<double>& q) const {
  const Transform<double> X = platform_frame_at(m_, q);
  std::vector<double> x;
  for (const int i : shifts_) x.push_back(X.p[i]);
  const Vec3<double> angle = cardan_angles(X.R);
  if (few_) x.push_back(X.R(0, 0)), x.push_back(X.R(1, 0));
  for (int i = 0; i < 9 && matrix_ && !few_ && !turns_.empty(); ++i) x.push_back(X.R(i / 3, i % 3));
  for (std::size_t i = 0; i < angles_.size() && !matrix_; ++i) x.push_back(angle[angles_[i]]);
  return x;
}

std::vector<std::vector<double>> PlatformInputs::samples(int count, std::size_t numbers) const {
  std::mt19937 random(2);
  std::vector<std::vector<double>> all;
  for (const VecX<double>& q : positions_around_home(m_, count)) {
    std::vector<double> x = pose_values(q);
    for (std::size_t i = 0; i < numbers; ++i)
      x.push_back(all.empty() ? 0.0 : 2.0 * static_cast<double>(random()) / 4294967295.0 - 1);
    all.push_back(x);
  }
  return all;
}

}  // namespace gough
