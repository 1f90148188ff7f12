#include "gough/model/description.hpp"

#include <algorithm>

namespace gough {

Inertia<double> BodyDescription::total() const {
  Inertia<double> sum = inertia_about_origin<double>(mass, com, inertia);
  for (const auto& [m, at] : points) sum = sum + inertia_about_origin<double>(m, at, Mat3<double>::Zero());
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
