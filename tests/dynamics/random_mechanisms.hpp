#pragma once
/// Random mechanisms with closed loops, whose home is known without solving anything.
///
/// Every body gets a random pose X in the base, every joint a random frame A in the base and positions q of its coordinates. Frame B
/// is where the joint's motion E(q) takes A, and the frames in the bodies follow:
///   B = A E(q),     origin = X_parent^-1 A,     child_origin = X_child^-1 B                                 (G1)
/// So every loop closes at home but for rounding, whatever is joined with what. A chain of joints between bodies that exist adds
/// sum f_i - 6 freedoms (3 in a plane), a chain that hangs adds sum f_i; chains are drawn so that one to about eight are left. Axes
/// normal to one plane make redundant equations by themselves.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gough/model/description.hpp"

namespace gough {

/// What to draw. Without a value: by chance.
struct Kinds {
  std::optional<bool> planar, platform, equal_legs, lock_idle;
  bool fixed_bodies = true;     ///< bodies fixed to others, fixed joints in chains, locked coordinates
  bool massless_bodies = true;  ///< between passive joints
  bool forces = true;           ///< springs, dampers, friction, rotors
};

struct RandomMechanism {
  RobotDescription robot;
  std::map<std::string, Transform<double>> pose;  ///< of every body at home, in the base
};

/// The same on every machine: numbers come from std::mt19937 by division.
RandomMechanism random_mechanism_at_home(unsigned seed, const Kinds& wanted = {});
RobotDescription random_mechanism(unsigned seed, const Kinds& wanted = {});

/// What a robot has, in words, for messages: "planar", "2 distance", "massless b3", "elastic", ..
std::vector<std::string> features(const RobotDescription& robot);

}  // namespace gough
