/// Kinematics: time per evaluation on shipped robots. Ratios within one run are what travels between machines.
#include "bench.hpp"

namespace {

using namespace gough;

/// Poses around home, one after the other, so that no branch predictor learns a single one.
Transform<double> pose_near_home(const Mechanism<double>& m, const Transform<double>& home, int i) {
  Vec6<double> x = pose_vector(home);
  for (int c = 0; c < 6; ++c)
    if (m.platform.coordinates[static_cast<std::size_t>(c)]) x[c] += 0.01 * std::sin(0.7 * i + c);
  return pose_from_vector(x);
}

void inverse_position(benchmark::State& state, const std::string& robot) {
  const auto m = load_robot(robot_file(robot));
  Workspace<double> w(m);
  tree_positions(m, w);
  const Transform<double> home = platform_pose(m, w);
  int i = 0;
  for (auto _ : state) {
    w.q = m.home;
    benchmark::DoNotOptimize(inverse_kinematics(m, pose_near_home(m, home, ++i), w).residual);
  }
}

void forward_position(benchmark::State& state, const std::string& robot) {
  const auto m = load_robot(robot_file(robot));
  Workspace<double> w(m);
  VecX<double> actuators(static_cast<Eigen::Index>(m.actuator.size()));
  int i = 0;
  for (auto _ : state) {
    w.q = m.home;
    for (Eigen::Index a = 0; a < actuators.size(); ++a) {
      double at_home = 0;
      for (const TreeJoint& j : m.joint)
        if (j.v == m.actuator[static_cast<std::size_t>(a)]) at_home = m.home[j.q];
      actuators[a] = at_home + 0.005 * std::sin(0.7 * i + static_cast<double>(a));
    }
    ++i;
    benchmark::DoNotOptimize(forward_kinematics(m, actuators, w).residual);
  }
}

/// The allocation-free kernels: poses, loops, velocities, accelerations, explicit form.
void motion(benchmark::State& state, const std::string& robot) {
  const auto m = load_robot(robot_file(robot));
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  const Selection s = select_driven(m, w, m.rank);
  ExplicitForm<double> e(m, s);
  const VecX<double> yd = VecX<double>::Constant(static_cast<Eigen::Index>(s.independent.size()), 0.1);
  for (auto _ : state) {
    tree_positions(m, w);
    closure(m, w);
    explicit_motion(m, w, s, e, yd, yd);
    benchmark::DoNotOptimize(w.a.data());
  }
}

}  // namespace

void gough::register_kinematics() {
  for (const char* robot : {"five_bar", "rrr3", "psp3", "delta", "triglide", "hexa", "hexapod", "six_r"}) {
    benchmark::RegisterBenchmark((std::string("inverse_kinematics/") + robot).c_str(), inverse_position, robot);
    benchmark::RegisterBenchmark((std::string("forward_kinematics/") + robot).c_str(), forward_position, robot);
    benchmark::RegisterBenchmark((std::string("motion/") + robot).c_str(), motion, robot);
  }
}
