/// A hexapod is brought to a pose by a controller: in each leg the force that holds it there, a spring and a damper.
#include <gough/gough.hpp>

int main() {
  const auto robot = gough::load_robot("robots/hexapod.yaml");

  // What the legs are to do: lengths and holding forces at the pose.
  gough::Vec6<double> pose;
  pose << 0.05, -0.03, -0.70, 0.1, 0, 0.2;
  gough::Workspace there(robot);
  if (!gough::inverse_kinematics(robot, gough::pose_from_vector(pose), there).ok()) return 3;
  gough::inverse_dynamics(robot, there);

  const gough::Controller legs = [&](double, gough::Workspace<double>& now) {
    for (Eigen::Index i = 0; i < now.tau.size(); ++i) {
      const int rate = robot.actuator[static_cast<std::size_t>(i)], position = gough::position_index(robot, rate);
      now.tau[i] = there.tau[i] + 5000 * (there.q[position] - now.q[position]) - 200 * now.v[rate];
    }
  };

  gough::SimulationOptions options;
  options.hold = 1e-3;  // the controller is asked every millisecond

  gough::Workspace w(robot);  // home, at rest
  const auto answer =
      gough::simulate(robot, w, gough::even_times(0, 3, 0.5), options, legs, [&](const gough::SimulationRow& row) {
        const auto x = gough::pose_vector(gough::platform_pose(robot, row.w));
        fmt::print("{:.1f} s  {:8.5f}\n", row.t, fmt::join(x, " "));
        return true;
      });
  if (!answer.ok()) {
    fmt::print(stderr, "t = {:g} s: {}\n", answer.t, answer.reason);
    return 3;
  }
  return (gough::pose_vector(gough::platform_pose(robot, w)) - pose).norm() < 1e-3 ? 0 : 1;
}
