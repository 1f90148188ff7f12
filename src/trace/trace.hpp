#pragma once
/// Tracing a robot's kernels: inputs, outputs, and the program between.
#include "gough/codegen/parameters.hpp"
#include "gough/codegen/program.hpp"
#include "gough/dynamics/leg_inverse.hpp"
#include "gough/spatial/spatial.hpp"
#include "gough/trace/wish.hpp"

namespace gough {

/// A program that is being traced.
struct Trace {
  Program program;
  Tracing tracing{program.tape};
  std::vector<std::vector<double>> samples;  ///< inputs, array after array, over the workspace; home at rest first

  /// An array of new symbols.
  VecX<Expr> input(const std::string& name, const std::string& meaning, const std::vector<std::string>& entry);
  void output(const std::string& name, const std::string& meaning, const std::vector<std::string>& entry,
              const VecX<Expr>& value);
  /// The function fails where the pivot falls below `share` of what it is at home.
  void guard(const std::string& meaning, const Expr& pivot, double share = 1e-3);
  /// Values of the tape's nodes for one of the samples.
  std::vector<double> values(const std::vector<double>& inputs) const;
  /// An order of elimination that serves at all samples and fills in little; says so in the program's comment.
  void choose_pivots(const std::string& what, Elimination<Expr>& e);
};

std::vector<std::string> position_entries(const Structure& m);
std::vector<std::string> rate_entries(const Structure& m, const std::string& per);
std::vector<std::string> actuator_entries(const Structure& m, const std::string& length, const std::string& angle);
/// "x [m]" and so on, for those of x y z that are listed.
std::vector<std::string> axis_entries(const std::string& unit, const std::vector<int>& axes = {0, 1, 2});

Program trace_from_joints(const Mechanism<double>& m, const GenerateWish& wish);
Program trace_from_actuators(const Mechanism<double>& m, const GenerateWish& wish);
Program trace_from_platform(const Mechanism<double>& m, const GenerateWish& wish);

}  // namespace gough
