#pragma once
/// Which combinations of a mechanism's parameters its motions show.                     docs/theory/identification.md
///   h_j = sum_l a_lj h_l   ->   p_l + a_lj p_j, p_j := 0                              (paper 003, 22 and 23)   (I2)
/// A column of H that depends on earlier ones is regrouped with them; the platform comes first, then the bodies from the
/// base outwards, so that what is left is what one would write down by hand. Two ways to it, which must agree:
///   numbers   the columns of H at many random states
///   rules     regrouping_rules.hpp, from the joints alone
#include <optional>

#include "gough/identification/parameter_space.hpp"

namespace gough {

struct BaseParameter {
  struct Term {
    int parameter;
    double coefficient;
    std::string words;  ///< of the coefficient: "", "6", "3 0.12^2"
  };
  std::vector<Term> terms;  ///< the first has the coefficient 1: the one that stands for all
  std::string name;         ///< "Izz_ring + Iyy_stator + Izz_slider"
};

struct BaseParameters {
  ParameterSpace space;
  std::vector<BaseParameter> base;      ///< inertial ones
  std::vector<int> without_effect;      ///< zero columns
  std::vector<double> singular_values;  ///< of H without its zero columns, columns scaled to one
  double gap = 0;                       ///< last singular value that counts over the first that does not; 0: all count
  double condition = 0;                 ///< of the base parameters' columns, scaled to one
  double friction_condition = 0;        ///< the same with the friction coefficients
  int rules_rank = 0;                   ///< what the rules leave
  double rules_error = 0;               ///< how far the rules change forces: the largest |H n| over |H| |n|

  int rank() const { return static_cast<int>(base.size()); }
  bool agree() const { return rules_rank == rank(); }
  /// Base and friction parameters from the space's: K.
  MatX<double> combinations() const;
  /// Columns of H that stand for them.
  std::vector<int> columns() const;
};
BaseParameters base_parameters(const Mechanism<double>& m, const ParameterOptions& options = {});

double value_of(const BaseParameters& b, const BaseParameter& p);

/// The base parameters that an inertial parameter is part of. None: it has no effect on any motion. One that it stands for
/// alone: it is found by itself.
std::vector<int> groups_of(const BaseParameters& b, int parameter);
bool is_alone(const BaseParameters& b, int parameter);

}  // namespace gough
