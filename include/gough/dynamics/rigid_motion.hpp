#pragma once
/// What a robot does along a motion at any time, its elastic joints where their springs are relaxed: positions, rates, accelerations and
/// actuator forces are solved where they are asked for, not interpolated between samples.        docs/theory/simulation.md
///
///   const RigidMotion path(robot, {trajectory}, states);
///   if (path.answer().ok()) use(path.at(t).tau);
#include <memory>

#include "gough/dynamics/along.hpp"

namespace gough {

/// A wrench on the platform: straight lines between times; before the first and after the last, theirs; none: zero.
struct WrenchOverTime {
  std::vector<double> t;
  std::vector<Force<double>> value;  ///< base axes, moment about the platform's origin

  Force<double> at(double time) const;
};

/// A motion with the wrench on the platform meanwhile. Before its start and after its end it rests.
struct TimedMotion {
  Trajectory trajectory;
  WrenchOverTime wrench = {};
};

/// Through states of a motion at increasing times: polynomials of the fifth degree in between. One state stays where it is.
Trajectory trajectory_through(std::span<const KnownState> states);

class RigidMotion {
 public:
  /// Follows samples of the motion once; what is asked for later starts at the nearest of them. Copies the mechanism. Throws Error like
  /// inverse_along; answer() says how far it came. Copies of a RigidMotion share what they compute with: for one thread.
  RigidMotion(const Mechanism<double>& m, TimedMotion motion, std::span<const KnownState> states,
              const OnRow& on_row = {});

  const AlongAnswer& answer() const;
  double start() const;
  double end() const;
  /// Times at which accelerations or a derivative of theirs jump, or the wrench's line bends.
  const std::vector<double>& knots() const;
  const WrenchOverTime& wrench() const;

  /// Until the next call: q, v, a and X0 of time t; with forces also tau. Throws Failure where the robot cannot be there.
  const Workspace<double>& at(double t, bool forces = true) const;
  Transform<double> platform(double t) const;
  ActuatorMotion drives(double t) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace gough
