#pragma once
/// Which combinations of a mechanism's parameters its motions show.                     docs/theory/identification.md
///   F = H p,    h_j = sum_l a_lj h_l   ->   p_l + a_lj p_j, p_j := 0      (paper 003, 22 and 23)             (I1)
/// Ten parameters per body (second moments, first moments, mass, about the author's body frame) and the friction
/// coefficients. A column that depends on earlier ones is regrouped with them; the platform comes first, then the bodies
/// from the base outwards, so that what is left is what one would write down by hand. Two ways to it:
///   numerical   the columns of H at many random states
///   rules       inertia passed on from body to body where a joint lets it (regroup.hpp), without any state
#include <string>
#include <vector>

#include "gough/model/mechanism.hpp"

namespace gough {

struct ParameterOptions {
  bool identical_legs = false;  ///< equal parts of all legs share their parameters
  bool symmetric = false;       ///< only the entries that the robot file declares for a body
};

/// The parameters that are looked at, and how they make up the standard ones (ten per body in our frames, then friction).
struct ParameterSpace {
  std::vector<std::string> name;  ///< "leg1.ring.Izz"; with identical legs "ring.Izz"; "friction.dry"
  int inertial = 0;               ///< how many are inertias: they come first
  MatX<double> standard;          ///< standard parameters = standard * ours
  VecX<double> value;             ///< of the robot file
};
ParameterSpace parameter_space(const Mechanism<double>& m, const ParameterOptions& options);

/// H of the space's parameters, independent coordinates of `states` random closed states below each other.
MatX<double> stacked_regressor(const Mechanism<double>& m, const ParameterSpace& space, int states);

struct BaseParameter {
  struct Term {
    int parameter;
    double coefficient;
  };
  std::vector<Term> terms;  ///< the first has the coefficient 1: the one that stands for all
  std::string name;         ///< "Izz_ring + Iyy_stator + Izz_slider"
};

struct BaseParameters {
  ParameterSpace space;
  std::vector<BaseParameter> base;         ///< inertial ones
  std::vector<int> without_effect;         ///< zero columns
  std::vector<double> singular_values;     ///< of H, columns scaled to one
  double gap = 0;                          ///< between the last that counts and the first that does not
  double condition = 0;                    ///< of the base parameters' columns, scaled
  double friction_condition = 0;           ///< the same with the friction coefficients
  int rules_rank = 0;                      ///< what the rules leave
  double rules_error = 0;                  ///< how far the rules' parameters change H p, over its norm

  int rank() const { return static_cast<int>(base.size()); }
};
BaseParameters base_parameters(const Mechanism<double>& m, const ParameterOptions& options = {});

/// Which of the base parameters, and with which coefficient, a parameter without a column of its own belongs to; in words.
std::string why_not_alone(const BaseParameters& b, int parameter);

}  // namespace gough
