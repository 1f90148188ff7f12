/// All code of all shipped robots of at most 25 bodies, compiled strictly by gcc and clang, as C99 and as C++17, and run
/// beside the library. It takes minutes: `make verify` runs it, with GOUGH_ALL_CODE=1.
///
/// The allowed error is 1e-12 of the result's norm times the condition number of what is inverted on the way, by singular
/// values: the loops K without units; then, with N a basis of the motions that K allows and metres counted in the
/// mechanism's characteristic length, the drives' rates S N (inverse, jacobian, and whatever starts from the
/// actuators), the platform's rates J N (whatever starts from the platform), the masses N^T M N (forward).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../../operations/operations.hpp"
#include "codegen/generated.hpp"
#include "decompositions.hpp"
#include "gough/io/compiled.hpp"

namespace gough::all_code_test {
namespace {

constexpr double allowed = 1e-12;

// ------------------------------------------------------------------------------------------------ conditions

/// Largest over smallest singular value, of the first `rank`.
double condition(const MatX<double>& A, Eigen::Index rank) {
  if (rank == 0 || A.size() == 0) return 1;
  const VecX<double> s = svd_of(A).s;
  return s[0] / s[rank - 1];
}

/// A closed position, with velocities counted so that lengths and angles compare.
struct Conditions {
  const Mechanism<double>& m;
  Workspace<double> w;
  double length;
  VecX<double> unit;  ///< of each velocity coordinate: the length for lengths
  MatX<double> N;     ///< motions that the loops allow, in those units
  double loops = 1;

  Conditions(const Mechanism<double>& robot, const VecX<double>& q)
      : m(robot), w(placed(robot, q)), length(characteristic_length(robot, w)), unit(VecX<double>::Ones(robot.nv)) {
    for (int c = 0; c < m.nv; ++c)
      if (m.coordinate[at(c)].is_length) unit[c] = length;
    N = MatX<double>::Identity(m.nv, m.nv);
    if (m.rank == 0) return;
    const Svd d = svd_of(scaled_closure(m, w, length));
    loops = d.s[0] / d.s[m.rank - 1];
    N = d.V.rightCols(m.nv - m.rank);
  }

  double drives() const {
    MatX<double> SN(static_cast<Eigen::Index>(m.actuator.size()), N.cols());
    for (Eigen::Index i = 0; i < SN.rows(); ++i) SN.row(i) = N.row(m.actuator[at(static_cast<int>(i))]);
    return condition(SN, std::min(SN.rows(), SN.cols()));
  }
  double platform() const {
    MatX<double> J = MatX<double>::Zero(6, m.nv), task(0, N.cols());
    platform_jacobian(m, w, J);
    for (int c = 0; c < 6; ++c) {
      if (!m.platform.coordinates[at(c)]) continue;
      task.conservativeResize(task.rows() + 1, Eigen::NoChange);
      const double per = c < 3 ? length : 1;
      task.bottomRows(1) = J.row(c < 3 ? c + 3 : c - 3) * unit.asDiagonal() * N / per;
    }
    return condition(task, std::min(task.rows(), task.cols()));
  }
  double masses() const {
    Workspace<double> moved = w;
    Dynamics d(m, moved, by(Formulation::multipliers));
    forward_dynamics(m, moved, d);
    const MatX<double> M = unit.asDiagonal() * d.multipliers->M * unit.asDiagonal();
    return condition(N.transpose() * M * N, N.cols());
  }
  double of(const Program& p) const {
    double all = loops;
    if (p.from == "platform") all *= platform();
    if (p.from == "actuators" || p.what == "inverse" || p.what == "jacobian" || p.what == "derivatives")
      all *= drives();
    if (p.what == "forward") all *= masses();
    return all;
  }
};

// ------------------------------------------------------------------------------------------------ inputs, results

/// Everything the arrays of a program are about, at one state.
struct Moving {
  const Mechanism<double>& m;
  ClosedState s;
  VecX<double> tau;
  Transform<double> X;
  PlatformRates<double> rates;

  Moving(const Mechanism<double>& robot, const ClosedState& state, const VecX<double>& forces)
      : m(robot), s(state), tau(forces) {
    Workspace<double> w = unloaded(m, s);
    tree_positions(m, w);
    tree_velocities(m, w);
    tree_accelerations(m, w);
    if (!m.platform.exists()) return;
    X = w.X0[at(m.platform.body)] * m.platform_frame;
    rates = platform_rates(m, w);
  }

  VecX<double> angles() const {
    return Vec3<double>(std::atan2(-X.R(1, 2), X.R(2, 2)), std::asin(X.R(0, 2)), std::atan2(-X.R(0, 1), X.R(0, 0)));
  }
  VecX<double> rates_of_drives(const VecX<double>& v) const {
    VecX<double> x(static_cast<Eigen::Index>(m.actuator.size()));
    for (std::size_t i = 0; i < m.actuator.size(); ++i) x[static_cast<Eigen::Index>(i)] = v[m.actuator[i]];
    return x;
  }
  /// The whole array that a name stands for.
  VecX<double> array(const std::string& name, bool of_drives) const {
    if (name == "tau") return tau;
    if (name == "q") return of_drives ? actuators_of(m, s.q) : s.q;
    if (name == "v") return of_drives ? rates_of_drives(s.v) : s.v;
    if (name == "a") return of_drives ? rates_of_drives(s.a) : s.a;
    if (name == "position") return X.p;
    if (name == "angles") return angles();
    if (name == "rotation") return X.R.transpose().reshaped();
    if (name == "velocity") return rates.v;
    if (name == "angular_velocity") return rates.w;
    if (name == "acceleration") return rates.a;
    if (name == "angular_acceleration") return rates.dw;
    ADD_FAILURE() << "unknown array " << name;
    return {};
  }
  /// The entries of an array that a program has: of x y z and of the angles perhaps some.
  VecX<double> entries(const std::string& name, const std::vector<std::string>& entry, bool of_drives) const {
    const VecX<double> all = array(name, of_drives);
    if (static_cast<std::size_t>(all.size()) == entry.size()) return all;
    VecX<double> some(static_cast<Eigen::Index>(entry.size()));
    for (std::size_t i = 0; i < entry.size(); ++i) {
      const bool angle = entry[i][0] == 'a';
      some[static_cast<Eigen::Index>(i)] = all[angle ? entry[i][1] - '0' : entry[i][0] - 'x'];
    }
    return some;
  }
};

template <class Array>
std::vector<double> arrays_of(const Moving& x, const std::vector<Array>& arrays, bool of_drives) {
  std::vector<double> all;
  for (const Array& a : arrays) {
    const VecX<double> part = x.entries(a.name, a.entry, of_drives);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

VecX<double> row_by_row(const MatX<double>& A) { return A.transpose().reshaped(); }

/// The platform's twist per rate of the actuators: closed rates with the drives' held to unit vectors, by least squares.
VecX<double> library_jacobian(const Conditions& at_state) {
  const Mechanism<double>& m = at_state.m;
  const auto n = static_cast<Eigen::Index>(m.actuator.size());
  MatX<double> SN(n, at_state.N.cols()), J = MatX<double>::Zero(6, m.nv), twist(6, m.nv);
  const MatX<double> motions = at_state.unit.asDiagonal() * at_state.N;
  for (Eigen::Index i = 0; i < n; ++i) SN.row(i) = motions.row(m.actuator[at(static_cast<int>(i))]);
  platform_jacobian(m, at_state.w, J);
  twist << J.bottomRows(3), J.topRows(3);
  return row_by_row(twist * motions * shortest_solution(SN, MatX<double>::Identity(n, n)));
}

/// Columns of the library's derivatives are in the order of its independent coordinates: the program's must be the same.
bool same_columns(const Program& p, const Mechanism<double>& m, const Dynamics<double>& d) {
  for (std::size_t i = 0; i < d.y.independent.size(); ++i)
    if (!p.outputs[0].entry[i].ends_with(" / d " + m.coordinate[at(d.y.independent[i])].name)) return false;
  return true;
}

/// What the library says; nothing where it has no answer.
std::optional<VecX<double>> expected(const Program& p, const Moving& x, const Conditions& at_state) {
  const Mechanism<double>& m = x.m;
  Workspace<double> w = set_up(m, x.s, {x.tau, {}});
  if (p.what == "kinematics") return vector_of(arrays_of(x, p.outputs, p.from == "platform"));
  if (p.what == "jacobian") return library_jacobian(at_state);
  if (p.what == "inverse") {
    Dynamics d(m, w, by(Formulation::multipliers));
    if (!inverse_dynamics(m, w, d).ok()) return std::nullopt;
    return w.tau;
  }
  if (p.what == "forward") {
    Dynamics d(m, w, by(Formulation::multipliers));
    if (!forward_dynamics(m, w, d).ok()) return std::nullopt;
    return vector_of(arrays_of(Moving(m, {x.s.q, x.s.v, w.a}, x.tau), p.outputs, p.from == "actuators"));
  }
  if (p.what == "regressor") {
    Dynamics d(m, w, by(Formulation::virtual_power));
    if (!inverse_dynamics(m, w, d).ok()) return std::nullopt;
    return row_by_row(d.virtual_power->H.topRows(static_cast<Eigen::Index>(m.actuator.size())));
  }
  Dynamics d(m, w);
  if (!inverse_dynamics(m, w, d).ok() || !same_columns(p, m, d)) return std::nullopt;
  const StateDerivatives all = inverse_derivatives(m, w, d);
  const VecX<double> q = row_by_row(all.by_position), v = row_by_row(all.by_velocity), a = row_by_row(all.by_last);
  return vector_of(joined({q, v, a}));
}

// ------------------------------------------------------------------------------------------------ the test

std::vector<std::string> wanted_robots() {
  return std::getenv("GOUGH_ALL_CODE") == nullptr ? std::vector<std::string>{} : shipped_robots();
}

class AllCode : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// A shared object for each compiler and language.
  std::vector<CompiledProgram> compiled(const Program& p) const {
    write_code(p, folder_.string());
    std::ofstream(folder_ / "loader.c") << emit_loader(p);
    std::vector<CompiledProgram> all;
    for (const std::string language : {"c99", "c++17"})
      for (const std::string compiler : {"gcc", "clang"}) {
        const std::string made = (folder_ / fmt::format("{}_{}_{}_{}.so", p.name, p.from, language, compiler)).string();
        const std::string flags = "-O0 -Wall -Wextra -Wconversion -pedantic -Werror -shared -fPIC -fvisibility=hidden";
        const std::string command =
            fmt::format("cd '{}' && {} {} -x {} -std={} {}.c loader.c -lm -o '{}'", folder_.string(), compiler, flags,
                        language == "c99" ? "c" : "c++", language, p.name, made);
        if (std::system(command.c_str()) == 0) all.emplace_back(made);
        else ADD_FAILURE() << command;
      }
    return all;
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("gough_all_code_{}", getpid());
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AllCode);
INSTANTIATE_TEST_SUITE_P(Codegen, AllCode, testing::ValuesIn(wanted_robots()), [](const auto& of) { return of.param; });

/// The largest error over what is allowed; -1 where no state could be compared.
double largest_error(const Program& p, const Mechanism<double>& m, const std::vector<CompiledProgram>& programs) {
  double largest = -1;
  int compared = 0;
  for (const ClosedState& s : states_of(m)) {
    const Moving x(m, s, random_load(m, 1).tau);
    const Conditions at_state(m, s.q);
    const auto right = expected(p, x, at_state);
    if (!right) continue;
    const std::vector<double> in = arrays_of(x, p.inputs, p.from == "actuators");
    const double bound = allowed * std::max(1.0, right->norm()) * at_state.of(p);
    bool sound = true;
    for (const CompiledProgram& program : programs) {
      std::vector<double> out(static_cast<std::size_t>(right->size()));
      sound = sound && program(in, out) == 0;
      if (!sound) continue;
      if (!vector_of(out).allFinite()) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, (vector_of(out) - *right).norm() / bound);
    }
    if (sound) ++compared;
  }
  EXPECT_GE(compared, 4) << p.name << " from " << p.from << ": of six, refused or without the library's answer";
  return largest;
}

TEST_P(AllCode, CompilesStrictlyAndAgrees) {
  const Mechanism<double>& m = shipped(GetParam());
  if (m.bodies() > most_counted_bodies) GTEST_SKIP() << m.bodies() << " bodies";
  for (const std::string what : {"inverse", "forward", "kinematics", "jacobian", "regressor", "derivatives"})
    for (const std::string from : counted_froms) {
      const std::optional<Program> p = code_of(m, what, from);
      if (!p) continue;
      const double error = largest_error(*p, m, compiled(*p));
      fmt::print("{:<20} {:<12} from {:<10} {:>7} operations, error {:.1e} of what is allowed\n", GetParam(), what,
                 from, count(*p).call.total(), error);
      EXPECT_LE(error, 1) << what << " from " << from;
    }
}

}  // namespace
}  // namespace gough::all_code_test
