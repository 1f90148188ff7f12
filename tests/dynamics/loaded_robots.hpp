#pragma once
/// States and robots to test dynamics on: closed positions with closed rates and accelerations, loads, and robots that
/// have every kind of force at once.
#include "dynamics/newton_euler.hpp"

namespace gough {

/// A closed position, rates and accelerations that keep it closed.
struct ClosedState {
  VecX<double> q, v, a;
};

namespace detail {

/// Rates of all coordinates, those of the cut joints too.
VecX<double> all_rates(const Mechanism<double>& m, Workspace<double>& w);

double slowest_dry_rate(const Mechanism<double>& m, Workspace<double>& w);

}  // namespace detail

/// The smallest rate of a coordinate with dry friction, whose force jumps where the rate changes sign.
double slowest_dry_rate(const Mechanism<double>& m, const ClosedState& s);

/// A random closed state, its largest rate 1, no rate near zero where dry friction acts.
ClosedState closed_state(const Mechanism<double>& m, unsigned seed);

/// Random drives, and a random wrench on each of three bodies.
newton_euler::Load random_load(const Mechanism<double>& m, unsigned seed);

/// Per coordinate: whether it is an angle or a length by itself, not one of a ball's turns.
std::vector<bool> single_coordinates(const Mechanism<double>& m);

/// The robot with viscous friction on every coordinate but the floating platform's six, dry friction on those that
/// move, dampers, springs in passive joints and in a ball, cut ones too, a spring from the base to a body, and rotors.
Mechanism<double> with_everything(Mechanism<double> robot, unsigned seed);

}  // namespace gough
