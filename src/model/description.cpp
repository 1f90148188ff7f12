#include "gough/model/description.hpp"

#include <algorithm>
#include <cmath>

namespace gough {

RobotDescription::RobotDescription() = default;
RobotDescription::RobotDescription(const RobotDescription&) = default;
RobotDescription::RobotDescription(RobotDescription&&) noexcept = default;
RobotDescription& RobotDescription::operator=(const RobotDescription&) = default;
RobotDescription& RobotDescription::operator=(RobotDescription&&) noexcept = default;
RobotDescription::~RobotDescription() = default;

Mat3<double> BeamDescription::axes() const {
  const Vec3<double> x = (to - from).normalized();
  const bool along_z = std::hypot(x.x(), x.y()) < 1e-9;
  const Vec3<double> y = along_z ? Vec3<double>(Vec3<double>::UnitY()) : cross<double>(Vec3<double>::UnitZ(), x);
  Mat3<double> R;
  R << x, y.normalized(), cross<double>(x, y).normalized();
  return R;
}

Inertia<double> BeamDescription::rigid() const {
  const Vec3<double> span = to - from;
  const double mass = rho * A * length();
  const Vec3<double> section = turning() * length();
  const Mat3<double> about_com =
      steiner<double>(span, span) * (mass / 12) + axes() * section.asDiagonal() * axes().transpose();
  return inertia_about_origin<double>(mass, from + span / 2, about_com);
}

Inertia<double> BodyDescription::total() const {
  Inertia<double> sum = inertia_about_origin<double>(mass, com, inertia);
  for (const auto& [m, at] : points) sum = sum + inertia_about_origin<double>(m, at, Mat3<double>::Zero());
  for (const BeamDescription& piece : beam) sum = sum + piece.rigid();
  return sum;
}

namespace {
template <class T>
const T* by_name(const std::vector<T>& all, const std::string& wanted) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const T& x) { return x.name == wanted; });
  return found == all.end() ? nullptr : &*found;
}
}  // namespace

const BodyDescription* RobotDescription::body(const std::string& wanted) const { return by_name(bodies, wanted); }
const JointDescription* RobotDescription::joint(const std::string& wanted) const { return by_name(joints, wanted); }

std::string coordinate_name(const JointDescription& joint, std::size_t k) {
  if (!joint.coordinates[k].name.empty()) return joint.coordinates[k].name;
  const std::string_view suffix = coordinate_kinds(joint.kind)[k].suffix;
  return suffix.empty() ? joint.name : joint.name + "." + std::string(suffix);
}

}  // namespace gough
