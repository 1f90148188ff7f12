#include "kinematics/states.hpp"

#include <Eigen/Geometry>
#include <fstream>
#include <map>
#include <random>

#include "decompositions.hpp"

namespace gough {

const Mechanism<double>& shipped(const std::string& name) {
  static std::map<std::string, Mechanism<double>> all;
  const auto found = all.find(name);
  return found != all.end() ? found->second : all.emplace(name, load_robot(robot_path(name))).first->second;
}

bool has_platform(const std::string& name) {
  std::ifstream file(robot_path(name));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("platform:")) return true;
  return false;
}

std::vector<std::string> robots_with_platform() {
  auto names = shipped_robots();
  std::erase_if(names, [](const std::string& name) { return !has_platform(name); });
  return names;
}

std::vector<std::string> except(std::vector<std::string> names, const std::vector<std::string>& some) {
  std::erase_if(names, [&](const auto& name) { return std::find(some.begin(), some.end(), name) != some.end(); });
  return names;
}

std::vector<std::string> robots_without_platform() {
  auto names = shipped_robots();
  std::erase_if(names, has_platform);
  return names;
}

VecX<double> random_vector(Eigen::Index n, unsigned seed) {
  std::mt19937 g(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return VecX<double>::NullaryExpr(n, [&] { return uniform(g); });
}

Workspace<double> placed(const Mechanism<double>& m, const VecX<double>& q) {
  Workspace<double> w(m);
  w.q = q;
  tree_positions(m, w);
  closure(m, w);
  return w;
}

double open_by(const Mechanism<double>& m, const VecX<double>& q) {
  return m.equations > 0 ? placed(m, q).phi.cwiseAbs().maxCoeff() : 0.0;
}

VecX<double> closed_rates(const Mechanism<double>& m, const Workspace<double>& w, const VecX<double>& wish) {
  if (m.equations == 0) return wish;
  const Svd d = svd_of(w.K);
  const MatX<double> V = d.V.leftCols((d.s.array() > 1e-8 * d.s[0]).count());
  return wish - V * (V.transpose() * wish);
}

VecX<double> random_closed(const Mechanism<double>& m, unsigned seed, int steps, double size) {
  VecX<double> q = m.home;
  const VecX<double> wish = random_vector(m.nv, seed);
  for (int i = 0; i < steps; ++i) {
    Workspace<double> w = placed(m, q);
    VecX<double> rates = closed_rates(m, w, wish);
    if (rates.norm() > 1e-9) rates *= size / rates.cwiseAbs().maxCoeff();
    w.q = moved(m, q, rates);
    if (!close_loops(m, w).closed) break;
    q = w.q;
  }
  return q;
}

VecX<DD> curve(const Structure& m, const VecX<double>& q, const VecX<double>& v, const VecX<double>& a) {
  VecX<DD> x(m.nq);
  const auto set = [&](int i, double value, double first, double second) {
    x[i].value.value = value;
    x[i].value.d[0] = x[i].d[0].value = first;
    x[i].d[0].d[0] = second;
  };
  const auto turn = [&](int iq, int iv) {
    const Eigen::Quaterniond u(q[iq], q[iq + 1], q[iq + 2], q[iq + 3]), w(0, v[iv] / 2, v[iv + 1] / 2, v[iv + 2] / 2),
        dw(0, a[iv] / 2, a[iv + 1] / 2, a[iv + 2] / 2);
    const Eigen::Quaterniond d = u * w;
    const Eigen::Vector4d dd = (d * w).coeffs() + (u * dw).coeffs();  // Eigen keeps x, y, z, w
    set(iq, u.w(), d.w(), dd[3]);
    for (int i = 0; i < 3; ++i) set(iq + 1 + i, u.coeffs()[i], d.coeffs()[i], dd[i]);
  };
  for (const TreeJoint& j : m.joint) {
    const int slides = single_coordinates(j);
    for (int i = 0; i < slides; ++i) set(j.q + i, q[j.q + i], v[j.v + i], a[j.v + i]);
    if (has_turns(j)) turn(j.q + slides, j.v + slides);
  }
  return x;
}

std::pair<Vec3<double>, Vec3<double>> turning(const Mat3<DD>& R) {
  const Mat3<double> W = firsts(R) * values(R).transpose();
  const Mat3<double> dW = seconds(R) * values(R).transpose() + firsts(R) * firsts(R).transpose();
  const auto vee = [](const Mat3<double>& X) { return Vec3<double>(X(2, 1), X(0, 2), X(1, 0)); };
  return {vee(W), vee(dW)};
}

int position_of(const Structure& m, int v) {
  for (const TreeJoint& j : m.joint)
    if (velocity_size(j.type) == 1 && j.v == v) return j.q;
  return -1;
}

VecX<double> actuators_of(const Structure& m, const VecX<double>& q) {
  VecX<double> a(static_cast<Eigen::Index>(m.actuator.size()));
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    a[static_cast<Eigen::Index>(i)] = q[position_of(m, m.actuator[i])];
  return a;
}

double apart(const Transform<double>& a, const Transform<double>& b) {
  return std::max((a.p - b.p).norm(), vector_from_rotation(a.R.transpose() * b.R).norm());
}

double apart(const Mechanism<double>& m, const VecX<double>& p, const VecX<double>& q) {
  const Workspace<double> a = placed(m, p), b = placed(m, q);
  double most = 0;
  for (std::size_t j = 0; j < a.X0.size(); ++j) most = std::max(most, apart(a.X0[j], b.X0[j]));
  return most;
}

Transform<double> pose(double x, double y, double z, double rx, double ry, double rz) {
  return {rotation_from_vector<double>({rx, ry, rz}), {x, y, z}};
}

Transform<double> home_pose(const Mechanism<double>& m) { return platform_pose(m, placed(m, m.home)); }

VecX<double> safely_reached(const Mechanism<double>& m, unsigned seed, double size) {
  const Vec6<double> start = pose_vector(home_pose(m));
  const double length = characteristic_length(m, placed(m, m.home));
  const double least = 0.1 * singularity_indices(m, placed(m, m.home)).type2.value_or(0.0);
  Vec6<double> way = random_vector(6, seed) * size;
  way.head<3>() *= length;
  for (int tries = 0; tries < 8; ++tries, way /= 2) {
    Workspace<double> w = placed(m, m.home);
    bool safe = true;
    for (int i = 1; i <= 16 && safe; ++i) {
      Hold hold;
      hold.coordinates.assign(at(m.nv), false);
      for (const int e : m.elastic) hold.coordinates[at(e)] = true;
      for (std::size_t c = 0; c < 6; ++c)
        if (m.platform.coordinates[c])
          hold.platform_pose[c] = start[static_cast<Eigen::Index>(c)] + way[static_cast<Eigen::Index>(c)] * i / 16;
      safe = close_loops(m, w, hold).closed && limits_exceeded(m, w).empty();
      tree_positions(m, w);
      closure(m, w);
      if (safe) safe = singularity_indices(m, w).type2.value_or(1.0) > least;
    }
    if (safe) return w.q;
  }
  return m.home;
}

MovingRobot::MovingRobot(const Mechanism<double>& robot, const VecX<double>& q, const VecX<double>& v,
                         const VecX<double>& a)
    : m(robot.cast<DD>()), w(m) {
  w.q = curve(robot, q, v, a);
  tree_positions(m, w);
  closure(m, w);
}

}  // namespace gough
