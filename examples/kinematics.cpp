/// Inverse kinematics, forward kinematics and the Jacobian of a robot with a floating platform.
#include <gough/gough.hpp>

int main() {
  const auto robot = gough::load_robot("robots/hexapod.yaml");
  gough::Workspace w(robot);  // stands at home

  // Inverse: all joints from the platform's pose (x y z, rotation vector).
  gough::Vec6<double> x;
  x << 0.05, 0, -0.70, 0, 0, 0.2;
  const gough::Answer ik = gough::inverse_kinematics(robot, gough::pose_from_vector(x), w);
  if (!ik.ok()) {
    fmt::print(stderr, "{}\n", ik.explain());
    return 3;
  }
  Eigen::VectorXd lengths(6);
  for (const auto& [name, value] : gough::named_positions(robot, w))
    for (int i = 0; i < 6; ++i)
      if (name == fmt::format("leg{}.drive", i + 1)) lengths[i] = value;
  fmt::print("drives [m]:     {:.6f}\n", fmt::join(lengths, " "));

  // Forward: back from the drives, starting at home.
  gough::Workspace back(robot);
  const gough::Answer fk = gough::forward_kinematics(robot, lengths, back);
  const gough::Vec6<double> found = gough::pose_vector(gough::platform_pose(robot, back));
  fmt::print("pose again:     {}, off by {:.0e}\n", gough::name(fk.status), (found - x).norm());

  // The platform's twist for unit rates of the drives: G = J_P W.
  const gough::Selection drives = gough::select_driven(robot, w, robot.rank);
  gough::ExplicitForm<double> loops(robot, drives);
  gough::explicit_form(w, drives, loops);
  const Eigen::MatrixXd G = gough::platform_jacobian(robot, w) * loops.G;
  fmt::print("lift per drive: {:.3f}\n", fmt::join(G.row(5), " "));  // rows: angular, then linear velocity

  // Where this robot stands between its singularities.
  const gough::SingularityIndices s = gough::singularity_indices(robot, w);
  fmt::print("type 1 {:.3f}, type 2 {:.3f}\n", s.type1.value_or(1), s.type2.value_or(1));
}
