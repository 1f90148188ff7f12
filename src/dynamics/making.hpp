#pragma once
/// What those who make programs need of those who use them.
#include "gough/dynamics/dynamics.hpp"

namespace gough {

/// Runs a routine on the workspace's state: reads and writes what ProgramSource says. False: it says no, or its numbers are none.
bool evaluate_program(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d, const ProgramWish& wish,
                      const Routine& routine, std::vector<double>& scratch);

/// The same from the platform's motion. Writes w.tau.
bool evaluate_program(const Transform<double>& pose, const PlatformRates<double>& rates, Workspace<double>& w,
                      const MadeProgram& made, std::vector<double>& scratch);

/// The process ends: long work may be left.
bool making_is_over();

}  // namespace gough
