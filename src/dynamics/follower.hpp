#pragma once
#include "gough/dynamics/along.hpp"
#include "gough/kinematics/task_motion.hpp"

namespace gough {

/// What a state leaves to do: nothing, or why it cannot be done.
struct Step {
  Status status = Status::ok;
  std::string reason;
  bool ok() const { return status == Status::ok; }
};

/// Brings a workspace to states: positions, then velocities and accelerations of all joints.
class Follower {
 public:
  Follower(const Mechanism<double>& m, Workspace<double>& w);

  const std::vector<int>& soft() const { return soft_; }  ///< elastic joints that nothing drives
  void to_home() { w_.q = m_.home; }

  /// The masters must be as many as freedoms: told before anything is computed.
  void check(const KnownState& state) const;
  /// Positions of everything for the state, elastic joints where `elastic` says (of soft()).
  Step place(const KnownState& state, const VecX<double>& elastic);
  /// Velocities and accelerations; `with_elastic`: the elastic joints' are the state's, otherwise zero.
  Step rates(const KnownState& state, bool with_elastic, bool accelerations);

  VecX<double> elastic_now() const;
  VecX<double> elastic_at_rest() const;
  VecX<double> elastic_given(const KnownState& state) const;

  /// How far the position is from one where the given coordinates do not determine the motion, or the drives do not hold it: the smallest
  /// pivot of the loops, of the masters and of the drives, without units. Reads what rates() factored.
  double grip() const;

 private:
  void choose(Master master);
  bool poor();
  void solve(const KnownState& state, bool with_elastic, bool accelerations);
  Step drives_agree(const ActuatorMotion& given, bool accelerations) const;
  Step move_elastic(const KnownState& state, const VecX<double>& to);

  const Mechanism<double>& m_;
  Workspace<double>& w_;
  std::vector<int> soft_;
  std::optional<MasterForm<double>> form_;
  double first_pivot_ = 0, first_loops_ = 0;
  VecX<double> rates_;
};

}  // namespace gough
