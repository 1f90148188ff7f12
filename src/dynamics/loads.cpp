#include "gough/dynamics/loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gough/error.hpp"

namespace gough {

FrictionFunction friction_function(const std::string& name) {
  const auto found = std::find(friction_function_names.begin(), friction_function_names.end(), name);
  if (found == friction_function_names.end() && find_own_friction(name)) return FrictionFunction::own;
  if (found == friction_function_names.end()) {
    std::vector<std::string> known(friction_function_names.begin(), friction_function_names.end());
    for (std::string& own : own_friction_names()) known.push_back(std::move(own));
    throw Error(
        fmt::format("read the friction function '{}', expected one of {}, or one that the program defines first", name,
                    fmt::join(known, ", ")));
  }
  return static_cast<FrictionFunction>(found - friction_function_names.begin());
}

namespace {

/// The coordinate's loads; nothing is loaded when there is no spring, damper or friction.
bool plan_coordinate(const Mechanism<double>& m, int index, int joint, int axis, LoadPlan::Coordinate& out) {
  const auto i = static_cast<std::size_t>(index);
  out = {index, -1, joint, axis, m.stiffness[i] != 0, {}};
  for (const FrictionUse& use : m.coordinate[i].friction)
    out.friction.push_back({friction_function(use.function), use.coefficient, find_own_friction(use.function)});
  return out.spring || m.damping[i] != 0 || !out.friction.empty();
}

}  // namespace

LoadPlan::LoadPlan(const Mechanism<double>& m) {
  Coordinate c;
  for (std::size_t j = 0; j < m.joint.size(); ++j) {
    const TreeJoint& joint = m.joint[j];
    bool turns = false;
    for (int axis = 0; axis < velocity_size(joint); ++axis) {
      if (!plan_coordinate(m, joint.v + axis, static_cast<int>(j), axis, c)) continue;
      if (axis < single_coordinates(joint)) c.position = joint.q + axis;
      turns = turns || (c.spring && c.position < 0);
      tree.push_back(c);
    }
    if (turns) sprung_spherical.push_back(static_cast<int>(j));
  }
  for (std::size_t k = 0; k < m.cut.size(); ++k) {
    bool loaded = false;
    for (int axis = 0; axis < free_coordinates(m.cut[k].kind); ++axis)
      if (plan_coordinate(m, m.cut[k].first_coordinate + axis, static_cast<int>(k), axis, c)) {
        cut.push_back(c);
        loaded = true;
      }
    if (loaded) loaded_cuts.push_back(static_cast<int>(k));
  }
  applied = !cut.empty() || !m.spring.empty();
}

}  // namespace gough
