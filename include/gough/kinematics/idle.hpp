#pragma once
/// Idle motions: a group of bodies inside a loop that can move while everything else stands still, like a strut between
/// two ball joints that spins about itself. It changes nothing, but its inertia may be zero and then no acceleration is
/// defined; so idle motions are locked by default, and said in the check.                   docs/theory/mobility.md
///
/// Found by geometry, not by names: for two joints that bound a run of bodies, the motions that both allow,
/// span(S_1) n span(S_2), at the home pose and at poses nearby. A motion that is there in all of them is idle. (M5)
#include <string>
#include <vector>

#include "gough/kinematics/assemble_home.hpp"

namespace gough {

struct IdleMotion {
  std::string joint;      ///< the joint to change, one of the two that bound the group
  std::string far_joint;  ///< the other one
  std::vector<std::string> bodies;
  bool is_turn = true;
  Vec3<double> axis = Vec3<double>::UnitZ();  ///< base axes, at home
  Vec6<double> twist = Vec6<double>::Zero();  ///< the whole motion (angular; linear), about the base's origin, at home
  bool locked = false;
  bool was_ball = false;      ///< locked by making a universal joint of a ball
  bool drops_forces = false;  ///< friction or springs of the locked turn are no longer felt

  std::string text() const;
};

/// `m` is built from `robot` and assembled.
std::vector<IdleMotion> find_idle_motions(const RobotDescription& robot, const Mechanism<double>& m);

/// The robot with its idle motions locked: a ball joint becomes a universal joint whose axes are normal to the spin at
/// home, a coordinate of another joint is locked where it stands. Notes which ones could be locked.
RobotDescription lock_idle_motions(RobotDescription robot, const Mechanism<double>& m, std::vector<IdleMotion>& idle);

/// A mechanism with an assembled home.
struct Prepared {
  Mechanism<double> mechanism;
  HomeAssembly home;
};
/// From a description to a mechanism: merge fixed and massless bodies, build, assemble, lock idle motions, recognise legs with a closed
/// form, find ranks. `prepare` (trace/prepare.hpp) also finds which fast paths of the dynamics may be used.
Prepared assemble_robot(const RobotDescription& robot);

/// Closed poses near home, along random motions of the mechanism (the same ones in every run). Home is the first.
std::vector<VecX<double>> poses_near_home(const Mechanism<double>& m, int count);

}  // namespace gough
