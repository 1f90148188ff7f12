#pragma once
/// A mechanism whose parameters are symbols of a tape, or constants folded into the code.       docs/theory/codegen.md
///
/// A parameter that is zero stays zero, and a 1 in a rotation stays 1: they are the mechanism's structure. Parameters that
/// mean the same and are equal, perhaps but for the sign, are one symbol: a robot's symmetry is structure too. Lengths
/// and rotations are compared across the robot, inertias and drives among equal parts of legs, friction
/// coefficients not at all, because each has its name in the robot file.
#include <map>

#include "gough/model/mechanism.hpp"
#include "gough/scalar/expr.hpp"

namespace gough {

class Parameters {
 public:
  enum class Use { symbols, folded };
  explicit Parameters(Use use) : use_(use) {}

  /// `group`: what may be one symbol where it is equal. Numbers below `tiny` are zero.
  Expr operator()(const std::string& name, const std::string& group, double value, const std::string& unit,
                  double tiny = 0);
  /// The same for entries of a rotation.
  Expr turn(const std::string& name, double value);
  Transform<Expr> frame(const std::string& name, const Transform<double>& X);
  Vec3<Expr> point(const std::string& name, const Vec3<double>& x);

 private:
  struct Known {
    double value;
    Expr symbol;
  };
  Use use_;
  std::map<std::string, std::vector<Known>> known_;
};

/// Needs a Tracing.
Mechanism<Expr> symbolic(const Mechanism<double>& m, Parameters& parameters);

}  // namespace gough
