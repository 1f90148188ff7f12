#pragma once
/// States to test kinematics on: closed positions of every robot, rates that keep the loops closed, curves through them
/// in nested dual numbers, and poses that a safe path joins to home. Made with Eigen's solvers, so that they do not
/// lean on the explicit form that they test.
#include "robots.hpp"

namespace gough {

using D = Dual<double>;
using DD = Dual<D>;

/// A shipped robot, loaded once.
const Mechanism<double>& shipped(const std::string& name);

/// Told from the text, so that listing the tests loads no robot.
bool has_platform(const std::string& name);
std::vector<std::string> robots_with_platform();
/// `names` without some, told by name: loading every robot to ask it would cost each test process half a second.
std::vector<std::string> except(std::vector<std::string> names, const std::vector<std::string>& some);
std::vector<std::string> robots_without_platform();

VecX<double> random_vector(Eigen::Index n, unsigned seed);

/// A workspace at the position q, stage closure.
Workspace<double> placed(const Mechanism<double>& m, const VecX<double>& q);

double open_by(const Mechanism<double>& m, const VecX<double>& q);

/// The nearest rates to `wish` that keep the loops closed: wish - K^+ K wish.
VecX<double> closed_rates(const Mechanism<double>& m, const Workspace<double>& w, const VecX<double>& wish);

/// A closed position some way from home, reached in short steps along random closed rates.
VecX<double> random_closed(const Mechanism<double>& m, unsigned seed, int steps = 8, double size = 0.05);

/// q(t) with the given first and second derivatives of its velocity coordinates at t = 0: value, d/dt, d2/dt2 of each
/// position coordinate. A unit quaternion u with angular velocity w in its own axes follows u' = u (0, w) / 2.
VecX<DD> curve(const Structure& m, const VecX<double>& q, const VecX<double>& v, const VecX<double>& a);

inline double value_of(const DD& x) { return x.value.value; }
inline double first_of(const DD& x) { return x.d[0].value; }
inline double second_of(const DD& x) { return x.d[0].d[0]; }
template <class M>
auto values(const M& x) {
  return x.unaryExpr([](const DD& y) { return value_of(y); }).eval();
}
template <class M>
auto firsts(const M& x) {
  return x.unaryExpr([](const DD& y) { return first_of(y); }).eval();
}
template <class M>
auto seconds(const M& x) {
  return x.unaryExpr([](const DD& y) { return second_of(y); }).eval();
}

/// Angular velocity and acceleration, in base axes, of an orientation in nested dual numbers.
std::pair<Vec3<double>, Vec3<double>> turning(const Mat3<DD>& R);

/// A robot at q(t): positions and loops in nested dual numbers.
struct MovingRobot {
  Mechanism<DD> m;
  Workspace<DD> w;
  MovingRobot(const Mechanism<double>& robot, const VecX<double>& q, const VecX<double>& v, const VecX<double>& a);
};

/// Where the actuated coordinate v stands in q.
int position_of(const Structure& m, int v);
VecX<double> actuators_of(const Structure& m, const VecX<double>& q);

/// How far two poses are apart: metres and radians alike.
double apart(const Transform<double>& a, const Transform<double>& b);
double apart(const Mechanism<double>& m, const VecX<double>& p, const VecX<double>& q);

Transform<double> pose(double x, double y, double z, double rx = 0, double ry = 0, double rz = 0);

Transform<double> home_pose(const Mechanism<double>& m);

/// A position whose task pose a straight path joins to home, on which the type-2 index stays above a tenth of home's.
/// Found by Newton's method on the loops with the pose held; the path is shortened until it is safe.
VecX<double> safely_reached(const Mechanism<double>& m, unsigned seed, double size = 0.25);

}  // namespace gough
