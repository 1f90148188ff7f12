#pragma once
/// Combinations of parameters in words: their coefficients are numbers of joints, lengths of the robot, and products of these.
#include "gough/identification/base_parameters.hpp"

namespace gough {

class InWords {
 public:
  InWords(const Mechanism<double>& m, const ParameterSpace& space);

  /// Not zero but for rounding.
  bool counts(double coefficient) const;
  /// With the coefficient snapped to geometry where some fits.
  BaseParameter::Term term(int parameter, double coefficient) const;
  /// "Ixx_platform + 3 0.12^2 m_slider".
  std::string name(const std::vector<BaseParameter::Term>& terms) const;

 private:
  struct Candidate {
    double value;
    std::string words;
  };
  void add(double value, const std::string& words);

  const ParameterSpace& space_;
  std::vector<Candidate> candidates_;  ///< positive, the simplest first
};

}  // namespace gough
