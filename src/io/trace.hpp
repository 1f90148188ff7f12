#pragma once
/// Tracing a robot's kernels: inputs, outputs, and the program between.
#include "gough/codegen/parameters.hpp"
#include "gough/io/generate.hpp"
#include "gough/spatial/spatial.hpp"

namespace gough {

/// A program that is being traced.
struct Trace {
  Program program;
  Tracing tracing{program.tape};

  /// An array of new symbols.
  VecX<Expr> input(const std::string& name, const std::string& meaning, const std::vector<std::string>& entry);
  void output(const std::string& name, const std::string& meaning, const std::vector<std::string>& entry,
              const VecX<Expr>& value);
  /// The function fails where the pivot falls below `share` of what it is at these inputs.
  void guard(const std::string& meaning, const Expr& pivot, const VecX<double>& at, double share = 1e-3);
};

std::vector<std::string> position_entries(const Structure& m);
std::vector<std::string> rate_entries(const Structure& m, const std::string& per);
std::vector<std::string> actuator_entries(const Structure& m, const std::string& length, const std::string& angle);

Program trace_from_joints(const Mechanism<double>& m, const GenerateWish& wish);
Program trace_from_actuators(const Mechanism<double>& m, const GenerateWish& wish);
Program trace_from_platform(const Mechanism<double>& m, const GenerateWish& wish);

}  // namespace gough
