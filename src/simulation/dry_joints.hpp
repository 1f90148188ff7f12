#pragma once
/// Joints with dry friction, as events.                                                      docs/theory/simulation.md
///   F_i = -c_i s_i      sliding: s_i = sign c'_i      at rest: |s_i| <= 1, and c''_i = 0 where |s_i| < 1    (S3)
/// Accelerations are linear in s, so a few evaluations of forward dynamics give them for all s. What holds and what slips
/// when joints come to rest together follows from Gauss's principle: s minimises a convex form within its box.  (S4)
#include <functional>
#include <vector>

#include "gough/dynamics/dynamics.hpp"

namespace gough {

class DryJoints {
 public:
  /// Evaluates forward dynamics at the workspace's state with w.slip; false: no accelerations.
  using Forward = std::function<bool(Workspace<double>& w)>;

  DryJoints(const Mechanism<double>& m, Forward forward);

  bool any() const { return !joint_.empty(); }
  /// Sets w.coulomb.given; every workspace that is evaluated needs it.
  static void prepare(Workspace<double>& w) { w.coulomb.given = true; }

  /// Accelerations in the present mode. False: none.
  bool accelerate(Workspace<double>& w);
  /// How far the present mode is from being wrong here: below 0 it is. Reads accelerations of accelerate().
  double slack(Workspace<double>& w);
  /// Decides anew what slides and what holds: joints slower than `rest` count as standing. False: no accelerations.
  bool decide(Workspace<double>& w, double rest);
  /// Rates that must be zero: one row for each joint that holds, x nv. Reads positions.
  MatX<double> held_rows(const Workspace<double>& w) const;
  bool holds() const { return !held_.empty(); }

 private:
  struct Joint {
    int coordinate;
    double limit;  ///< c_i [N or N m]
  };
  double rate(const Workspace<double>& w, std::size_t i) const;
  VecX<double> accelerations_of(Workspace<double>& w, const std::vector<std::size_t>& joints);
  bool respond(Workspace<double>& w, const std::vector<std::size_t>& joints);
  void solve_box(const std::vector<std::size_t>& joints);

  const Mechanism<double>& m_;
  Forward forward_;
  std::vector<Joint> joint_;
  bool in_cuts_ = false;
  std::vector<double> sign_;       ///< of joints that slide; 0: holds
  std::vector<std::size_t> held_;  ///< joints that hold
  // of respond(): accelerations of the joints at s = 0, and per unit of each s
  VecX<double> alpha_;
  MatX<double> B_;
  VecX<double> s_;
};

}  // namespace gough
