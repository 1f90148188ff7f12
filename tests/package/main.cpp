/// A program that uses the installed library, and code that it generated while it was built.
#include <palida_inverse.h>

#include <Eigen/Geometry>
#include <gough/gough.hpp>

namespace {

/// The largest difference between the generated code's forces and the library's, over the largest force.
double difference(const gough::Mechanism<double>& robot) {
  const gough::Vec3<double> p(0.03, -0.02, -0.66), angles(0.1, -0.2, 0.3);
  gough::PlatformRates<double> rates;
  rates.v << 0.2, 0.1, -0.3;
  rates.w << 0.5, -0.4, 0.3;
  rates.a << 1, -2, 3;
  rates.dw << 4, 5, -6;

  palida_inverse_parameters parameters;
  palida_inverse_constants constants;
  palida_inverse_default(&parameters);
  palida_inverse_setup(&parameters, &constants);
  gough::VecX<double> tau(6);
  if (palida_inverse(&constants, p.data(), angles.data(), rates.v.data(), rates.w.data(), rates.a.data(),
                     rates.dw.data(), tau.data()) != 0)
    return 1;

  const Eigen::Matrix3d R = (Eigen::AngleAxisd(angles.x(), Eigen::Vector3d::UnitX()) *
                             Eigen::AngleAxisd(angles.y(), Eigen::Vector3d::UnitY()) *
                             Eigen::AngleAxisd(angles.z(), Eigen::Vector3d::UnitZ()))
                                .toRotationMatrix();
  gough::Workspace<double> w(robot);
  gough::Dynamics d(robot, w);
  if (!gough::inverse_dynamics(robot, {R, p}, rates, w, d).ok()) return 1;
  return (tau - w.tau).cwiseAbs().maxCoeff() / w.tau.cwiseAbs().maxCoeff();
}

}  // namespace

int main(int, char** argv) {
  const auto robot = gough::load_robot(argv[1]);
  const bool agrees = difference(robot) < 1e-12;
  fmt::print("{} has {} bodies, generated code {}\n", robot.name, robot.bodies(), agrees ? "agrees" : "differs");
}
