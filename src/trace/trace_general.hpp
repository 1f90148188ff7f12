#pragma once
/// The library's own kernels on a traced robot, wherever the poses of its bodies come from.
#include "gough/dynamics/kernels.hpp"
#include "gough/kinematics/task_motion_kernels.hpp"
#include "trace.hpp"

namespace gough {

// compiled once, in trace_kernels.cpp
extern template struct Mechanism<Expr>;
extern template Mechanism<Expr> Mechanism<double>::cast() const;
extern template struct Workspace<Expr>;
GOUGH_KINEMATIC_STAGES(Expr, extern)
GOUGH_TASK_MOTION(Expr, extern)
GOUGH_DYNAMIC_STAGES(Expr, extern)
GOUGH_DYNAMICS(Expr, extern)
GOUGH_INVERSE_DYNAMICS(Expr, extern)
GOUGH_FORWARD_DYNAMICS(Expr, extern)

/// A trace and the symbols of its parameters.
struct Tracer {
  Trace trace;
  Parameters parameters;
  explicit Tracer(const GenerateWish& wish)
      : parameters(wish.fold ? Parameters::Use::folded : Parameters::Use::symbols) {}
};

/// A robot that is being traced: parameters as symbols, a workspace of expressions.
struct TracedRobot {
  const Mechanism<double>& m;
  const GenerateWish& wish;
  Trace& trace;
  Mechanism<Expr> s;
  Workspace<Expr> w;

  /// With regrouped inertias where forces of the loops are not wanted.
  TracedRobot(Tracer& tracer, const Mechanism<double>& robot, const GenerateWish& wanted, Formulation by);
  /// As it is.
  TracedRobot(Tracer& tracer, const Mechanism<double>& robot, const GenerateWish& wanted)
      : m(robot), wish(wanted), trace(tracer.trace), s(symbolic(robot, tracer.parameters)), w(s) {}

  bool wants(const char* what) const { return wish.what == what; }
  /// Accelerations go in, rather than forces.
  bool needs_accelerations() const { return wants("inverse") || wants("kinematics") || wants("regressor"); }
  bool needs_rates() const { return !wants("jacobian"); }

  /// After w.X of legs and platform: X0, and the loops' equations.
  void placed();
  /// The same from another tree of the same robot: bodies where that one has them.
  void placed_as(const TracedRobot& other);
  /// The same independent coordinates, with rows and an order of elimination that keep the zeros of K, at a placed state.
  Selection sparse(const Selection& y);
  /// tau or H, from a placed and moved state.
  void inverse(const DynamicsOptions& options);
  void regressor();
  /// Writes w.a.
  void forward(const DynamicsOptions& options);
  /// Outputs: the platform's pose and rates.
  void platform_motion();
  /// Outputs: the platform's twist per rate of the actuators.
  void jacobian();
  VecX<Expr> force_input();
};

/// What forward dynamics factored to close the loops, and the share of its value at home below which it is too small. L = K M^-1 K^T falls
/// with the square of what K loses.
std::pair<Expr, double> forward_pivot(const Dynamics<Expr>& d);

/// The coordinates and pivots, of those that suit home or another position, that suit all positions around home best; `here`: home's.
Dynamics<double> choice_for_workspace(const Mechanism<double>& m, DynamicsOptions options, bool here = false);

/// The shortest of a robot's programs over formulations; `make` traces one of them. `here`: before they are rewritten.
Program shortest(const Mechanism<double>& m, const std::function<Program(Formulation)>& make, bool here = false);

}  // namespace gough
