/// Forces of a moving hexapod, by two formulations; what its legs carry; and the way back from forces to accelerations.
#include <gough/gough.hpp>

int main() {
  const auto robot = gough::load_robot("robots/hexapod.yaml");
  gough::Workspace w(robot);
  gough::Dynamics d(robot, w);  // formulation `legs`; choices and scratch are made here, once

  // From the platform's motion: pose, velocity and acceleration of its frame.
  gough::Vec6<double> x;
  x << 0.05, 0, -0.70, 0, 0, 0.2;
  const gough::PlatformRates<double> rates{{0.2, 0, 0}, {0, 0, 0.5}, {0, 0, 3}, {0, 1, 0}};
  if (const auto answer = gough::inverse_dynamics(robot, gough::pose_from_vector(x), rates, w, d); !answer.ok()) {
    fmt::print(stderr, "{}\n", answer.reason);
    return 3;
  }
  fmt::print("leg forces [N]:       {:8.3f}\n", fmt::join(w.tau, " "));

  // The same from the joints, by another formulation.
  if (!gough::inverse_kinematics(robot, gough::pose_from_vector(x), w).ok()) return 3;
  auto master = gough::make_master_form(robot, w, gough::Master::platform);
  gough::motion_from_platform(robot, w, master, rates);
  gough::Dynamics noc(robot, w, {.by = gough::Formulation::noc});
  gough::inverse_dynamics(robot, w, noc);
  fmt::print("by noc [N]:           {:8.3f}\n", fmt::join(w.tau, " "));

  // What each leg does to the platform.
  for (const auto& leg : gough::reactions(robot, w, noc).leg)
    fmt::print("{} on the platform [N]: {:8.3f}\n", leg.leg, fmt::join(leg.wrench.force, " "));

  // And back: the drives let go.
  w.tau.setZero();
  gough::forward_dynamics(robot, w, d);
  gough::tree_accelerations(robot, w);
  fmt::print("falling [m/s^2]:      {:8.3f}\n", fmt::join(gough::platform_rates(robot, w).a, " "));
}
