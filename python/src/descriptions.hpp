#pragma once
/// A robot's description whose parts are Python's own objects, so that its lists behave like any others.
#include "core.hpp"

namespace gough::python {

struct Description {
  Where where;
  std::string name, description;
  Vec3<double> gravity{0, 0, -9.81};
  nb::typed<nb::list, BodyDescription> bodies;
  nb::typed<nb::list, JointDescription> joints;
  nb::typed<nb::list, LegDescription> legs;
  nb::typed<nb::list, SpringDescription> springs;
  nb::typed<nb::dict, nb::str, double> coefficients;
  nb::object platform = nb::none();
  bool lock_idle = true;
  std::optional<double> closure_tolerance;
  std::vector<std::string> merged;

  Description() = default;
  explicit Description(const RobotDescription& robot);
  /// What the library takes. Throws Error where a list holds something else.
  RobotDescription made() const;
};

}  // namespace gough::python
