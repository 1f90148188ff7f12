#pragma once
/// All formulations on the same states: how far they disagree, and what an evaluation costs.
///   max |x - x_first| / max |x_first|   over the states, x the actuators' forces or all accelerations
/// Rounding grows with the condition of what is solved, so a disagreement counts above 1e-10 times
///   inverse: cond K_d cond A       forward: cond K_d cond M_c
/// K_d closes the loops, A maps independent rates to the drives', M_c is the mass matrix on independent coordinates.
#include <optional>
#include <string>
#include <vector>

#include "gough/dynamics/dynamics.hpp"

namespace gough {

/// A closed position with closed rates and accelerations.
struct ComparedState {
  VecX<double> q, v, a;
  std::vector<Force<double>> external;  ///< as in a workspace; empty: none
};

/// Closed states near home with random rates and accelerations, the same ones in every run; home is the first. Where
/// drives are fewer than freedoms, the accelerations are those that random forces of the drives make.
std::vector<ComparedState> random_states(const Mechanism<double>& m, int count);

inline constexpr double allowed_disagreement = 1e-10;  ///< per unit of condition number

struct Compared {
  Formulation by;
  std::string not_applicable;                   ///< why it was left out; empty: it was not
  std::optional<double> inverse, forward;       ///< largest relative disagreement with the first; none: no answer
  double inverse_us = 0, forward_us = 0;        ///< median time per evaluation [us]
  double inverse_share = 0, forward_share = 0;  ///< largest disagreement per what is allowed there: 1 at the limit
  std::string failure;                          ///< the first answer that was not ok, in words

  bool agrees() const { return !(inverse_share > 1) && !(forward_share > 1); }
};

struct Comparison {
  std::size_t states = 0;
  double inverse_condition = 1, forward_condition = 1;  ///< largest over the states
  std::vector<Compared> formulations;                   ///< all_formulations in order

  bool agrees() const;
};

/// `states` must not be empty. Measures with the steady clock: run it on a quiet machine.
Comparison compare_formulations(const Mechanism<double>& m, const std::vector<ComparedState>& states);

}  // namespace gough
