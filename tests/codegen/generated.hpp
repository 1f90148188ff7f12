#pragma once
/// Programs evaluated beside the library.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "dynamics/evaluations.hpp"
#include "gough/io/compiled.hpp"
#include "gough/io/generate.hpp"
#include "gough/kinematics/task_motion.hpp"

namespace gough {

inline std::vector<double> joined(std::initializer_list<VecX<double>> parts) {
  std::vector<double> all;
  for (const VecX<double>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

inline VecX<double> vector_of(const std::vector<double>& x) {
  return Eigen::Map<const VecX<double>>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// A test with a folder of its own, gone afterwards.
class InAFolder : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string compiled(const Program& p, const CompileOptions& options = {}) const {
    std::string file = (folder_ / (p.name + ".so")).string();
    compile(p, file, options);
    return file;
  }
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / fmt::format("gough_code_{}", getpid());
};

/// The platform's frame at a closed state.
struct PlatformAt {
  Transform<double> X;
  PlatformRates<double> rates;
};
inline PlatformAt platform_at(const Mechanism<double>& m, const ClosedState& s) {
  Workspace<double> w(m);
  w.q = s.q, w.v = s.v, w.a = s.a;
  tree_positions(m, w);
  tree_velocities(m, w);
  tree_accelerations(m, w);
  return {w.X0[static_cast<std::size_t>(m.platform.body)] * m.platform_frame, platform_rates(m, w)};
}

/// Those of x y z, or of a0 a1 a2, that the entries of an array name.
inline VecX<double> entries_of(const std::vector<std::string>& entry, const Vec3<double>& x) {
  VecX<double> out(static_cast<Eigen::Index>(entry.size()));
  for (std::size_t i = 0; i < entry.size(); ++i)
    out[static_cast<Eigen::Index>(i)] = x[entry[i][0] == 'a' ? entry[i][1] - '0' : entry[i][0] - 'x'];
  return out;
}

/// The angles of R = Rx Ry Rz.
inline Vec3<double> cardan_angles_of(const Mat3<double>& R) {
  return {std::atan2(-R(1, 2), R(2, 2)), std::asin(R(0, 2)), std::atan2(-R(0, 1), R(0, 0))};
}

/// What a program takes, by the names of its arrays.
inline std::vector<double> inputs_by_name(const Mechanism<double>& m, const Program& p, const ClosedState& s,
                                          const VecX<double>& tau) {
  const auto drives = [&](const VecX<double>& x, bool position) {
    VecX<double> out(static_cast<Eigen::Index>(m.actuator.size()));
    for (std::size_t a = 0; a < m.actuator.size(); ++a)
      for (const TreeJoint& joint : m.joint)
        if (joint.v == m.actuator[a]) out[static_cast<Eigen::Index>(a)] = x[position ? joint.q : joint.v];
    return out;
  };
  const bool all = p.inputs.at(0).entry.size() == static_cast<std::size_t>(m.nq);
  std::vector<double> in;
  for (const InputArray& array : p.inputs) {
    VecX<double> x;
    if (array.name == "tau") x = tau;
    else if (array.name == "q") x = all ? s.q : drives(s.q, true);
    else if (array.name == "v") x = all ? s.v : drives(s.v, false);
    else if (array.name == "a") x = all ? s.a : drives(s.a, false);
    else {
      const PlatformAt at = platform_at(m, s);
      if (array.name == "rotation") x = at.X.R.transpose().reshaped();
      else
        x = entries_of(array.entry, array.name == "position"           ? at.X.p
                                    : array.name == "angles"           ? cardan_angles_of(at.X.R)
                                    : array.name == "velocity"         ? at.rates.v
                                    : array.name == "angular_velocity" ? at.rates.w
                                    : array.name == "acceleration"     ? at.rates.a
                                                                       : at.rates.dw);
    }
    in.insert(in.end(), x.begin(), x.end());
  }
  return in;
}

/// Whether the guards let these inputs pass.
inline bool is_sound(const Program& p, const std::vector<double>& inputs) {
  Program guards = p;
  guards.outputs = {{"guards", "", std::vector<std::string>(p.guards.size()), {}}};
  for (const Guard& g : p.guards) guards.outputs[0].value.push_back(g.value);
  const std::vector<double> values = evaluate(guards, inputs);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > p.guards[i].bound)) return false;
  return true;
}

inline Workspace<double> unloaded(const Mechanism<double>& m, const ClosedState& s) {
  return set_up(m, s, {VecX<double>::Zero(static_cast<Eigen::Index>(m.actuator.size())), {}});
}

/// Random closed states, and home at rest with random accelerations.
inline std::vector<ClosedState> states_of(const Mechanism<double>& m) {
  std::vector<ClosedState> states;
  for (unsigned seed = 1; seed <= 5; ++seed) states.push_back(closed_state(m, seed));
  states.push_back({m.home, VecX<double>::Zero(m.nv), VecX<double>::Zero(m.nv)});
  return states;
}

}  // namespace gough
