#pragma once
/// Planar robots that are not shipped, for tests.
#include <string>

namespace gough {

/// Three carriages on the sides of a triangle (radius of its inner circle 0.3 m), rods of 0.25 m, a platform whose
/// joints lie on a circle of 0.1 m. At home the platform is in the middle and each rod leans.
inline const std::string prr3 = R"(
robot: prr3
gravity: [0, 0, 0]
bodies:
  platform: {mass: 1 kg, inertia: [0.01, 0.01, 0.02]}
legs:
  bodies:
    carriage: {mass: 1 kg}
    rod: {mass: 0.2 kg, rod: [0.25, 0, 0]}
  joints:
    drive: {type: prismatic, parent: base, child: carriage, axis: [0, 1, 0], role: actuated, guess: -0.15}
    pin: {type: revolute, parent: carriage, child: rod, guess: 143 deg}
    vertex: {type: revolute, parent: rod, child: platform, origin: {xyz: [0.25, 0, 0]}}
  placements:
    - {base: {polar: [0.3, 0 deg, 0]}, platform: {polar: [0.1, 0 deg, 0]}}
    - {base: {polar: [0.3, 120 deg, 0]}, platform: {polar: [0.1, 120 deg, 0]}}
    - {base: {polar: [0.3, 240 deg, 0]}, platform: {polar: [0.1, 240 deg, 0]}}
platform:
  body: platform
  coordinates: [x, y, rz]
home:
  platform: [0, 0, 0, 0, 0, 0]
)";

}  // namespace gough
