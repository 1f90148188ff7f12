#pragma once
#include "follower.hpp"

namespace gough {

/// Watches the way between the states of a motion: whether a singular place is met must not depend on where samples fall.
///                                                                                       docs/theory/dynamics.md
/// Between two states the joints move by at most about delta = |q'| T + |q''| T^2 / 2, lengths over L. The way is free of singular positions
/// where
///   grip > c delta                                                                                         (X3)
/// at both of its ends, grip being the smallest pivot (Follower::grip) and c = 8. Where that does not say so, the state in the middle is looked at,
/// by a quintic through both states, and so on: until (X3) holds everywhere, or the grip is lost.
class SingularWatch {
 public:
  explicit SingularWatch(const Mechanism<double>& m) : m_(m), w_(m), follower_(m, w_) {}

  /// After each state that was done, as `w` and `follower` have it. Not ok: on the way from the last one a singular position was met.
  /// `t`: where.
  Step passed(const KnownState& state, const Workspace<double>& w, const Follower& follower, double& t);

 private:
  struct Point {
    KnownState state;
    VecX<double> q, v, a, elastic;
    double grip = 1;
  };
  static Point point(const KnownState& state, const Workspace<double>& w, const Follower& follower);
  double travel(const Point& from, const Point& to) const;
  static bool is_motion(const Point& from, const Point& to);
  Step look_between(const Point& from, const Point& to, int depth, double& t);
  std::optional<Point> middle(const Point& from, const Point& to, Step& step);

  const Mechanism<double>& m_;
  Workspace<double> w_;
  Follower follower_;
  std::optional<Point> last_;
};

}  // namespace gough
