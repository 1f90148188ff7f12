#pragma once
/// The home position: loops closed with what the author fixed, on the branch of the author's guesses.      docs/theory/closure.md
#include "gough/kinematics/assemble.hpp"

namespace gough {

/// How the home pose came about.
struct HomeAssembly {
  Assembly assembly;
  bool as_given = true;     ///< closed without moving what the author fixed
  double largest_move = 0;  ///< of a fixed coordinate, where not
  std::string moved_most;   ///< its name
  bool moved_is_length = true;
  int starts = 1;        ///< that were tried until it closed
  std::string departed;  ///< the guess that it is farthest from, where another branch was all that could be found
  double guess = 0, reached = 0;  ///< what was guessed, and what became of it
  bool departed_is_length = true;
};

/// Assembles the home position of a freshly built mechanism: holding what the author fixed, from the start that the file gives; where that
/// leaves the guesses, with these held first; where it does not close, from other starts; and if none closes, the configuration nearest to
/// the start whatever was fixed. Writes m.home. `start_is_near`: the start already has the platform's pose.
HomeAssembly assemble_home(Mechanism<double>& m, bool start_is_near = false);

}  // namespace gough
