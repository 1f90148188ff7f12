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

/// Writes q, v, a and the external wrenches of a state.
void put_state(const ComparedState& s, Workspace<double>& w);

/// How rounding grows: the condition of what inverse and forward dynamics solve.
struct Condition {
  double inverse = 1, forward = 1;
};
/// By 1-norm estimates: the condition itself or somewhat less. Where drives are not as many as freedoms, by singular values.
Condition condition_estimate(const Mechanism<double>& m, const VecX<double>& q);

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
  Formulation inverse_code, forward_code;       ///< whose code was run: `by` itself, or the one that it shares
  std::string inverse_by, forward_by;           ///< how: "machine code (AVX-512)", "interpreter", "kernels"

  bool missed = false;  ///< no answer at a state where the first formulation has one

  /// It answered wherever the first formulation did, and alike but for rounding.
  bool agrees() const { return !missed && !(inverse_share > 1) && !(forward_share > 1); }
};

struct Comparison {
  std::size_t states = 0;
  double inverse_condition = 1, forward_condition = 1;  ///< largest over the states
  std::vector<Compared> formulations;                   ///< all_formulations in order

  /// Something was compared, and all that apply agree.
  bool agrees() const;
  /// "legs and scdd run dalembert's inverse dynamics here": agreement of those is none; empty where every formulation runs its own.
  std::string shared_code() const;
};

/// `states` must not be empty. Measures with the steady clock: run it on a quiet machine.
Comparison compare_formulations(const Mechanism<double>& m, const std::vector<ComparedState>& states);

}  // namespace gough
