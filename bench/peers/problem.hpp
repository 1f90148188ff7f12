#pragma once
/// What every engine is given: a tree of bodies, the joints that close its loops, and states of motion. Plain numbers in
/// a JSON file that gough writes (gough.cpp): engines are compiled with flags that do not mix, so each is a program.
///
/// Body j hangs on joint j. Its frame is the joint's moving frame; revolute joints turn about z, prismatic ones slide
/// along z. SI units, rows of matrices one after the other.
///   q   revolute, prismatic: 1;   spherical: quaternion w x y z;   free: position in the parent, then a quaternion
///   v   revolute, prismatic: 1;   spherical: angular velocity in the body's axes;   free: velocity in the parent's axes,
///       then angular velocity in the body's
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace peers {

using Numbers = std::vector<double>;
using Numbers3 = std::array<double, 3>;
using Numbers9 = std::array<double, 9>;

struct Frame {
  Numbers9 R{};
  Numbers3 p{};
};

enum class Joint { revolute, prismatic, spherical, free };

struct Body {
  std::string name;
  int parent = -1;  ///< -1: the base
  Joint joint = Joint::revolute;
  int q = 0, v = 0;  ///< first coordinates
  Frame placement;   ///< of the joint's fixed frame in the parent
  double mass = 0;
  Numbers3 com{};
  Numbers9 inertia{};  ///< about the centre of mass

  /// The inertia with something about the axis of a rod, for engines that want all moments to be positive.
  Numbers9 positive_inertia() const {
    Numbers9 I = inertia;
    for (const std::size_t i : {0U, 4U, 8U}) I[i] = std::max(I[i], 1e-10 * (inertia[0] + inertia[4] + inertia[8]));
    return I;
  }
  int positions() const { return joint == Joint::spherical ? 4 : joint == Joint::free ? 7 : 1; }
  int velocities() const { return joint == Joint::spherical ? 3 : joint == Joint::free ? 6 : 1; }
};

/// The origins of a frame on body a and of one on body b coincide. `planar`: a revolute joint of a planar robot, whose
/// origins can only part in the x-y plane of their frames.
struct Cut {
  int a = -1, b = -1;
  Frame in_a, in_b;
  bool planar = false;

  int equations() const { return planar ? 2 : 3; }
};

/// A closed motion with its forces, as gough finds them.
struct State {
  Numbers q, v, a;
  Numbers force;  ///< per velocity coordinate: drives, and springs of elastic joints
  Numbers tau;    ///< of the drives alone; empty where inverse dynamics is not asked for
  Frame platform;
  Numbers3 velocity{}, omega{}, acceleration{}, domega{};  ///< of the platform's frame, base axes
};

struct Problem {
  std::string robot, layout;
  std::string grows;  ///< "legs", "elastic": a step of a row of robots; empty: one of the robots compared
  int number = 0;     ///< of what grows
  Numbers3 gravity{};
  std::vector<Body> bodies;
  std::vector<Cut> cuts;
  std::vector<int> drives;  ///< velocity coordinates
  int nq = 0, nv = 0;
  std::vector<State> states;

  int equations() const {
    int n = 0;
    for (const Cut& cut : cuts) n += cut.equations();
    return n;
  }
  std::vector<int> passive() const {
    std::vector<int> all;
    for (int c = 0; c < nv; ++c)
      if (std::find(drives.begin(), drives.end(), c) == drives.end()) all.push_back(c);
    return all;
  }
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Frame, R, p)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Body, name, parent, joint, q, v, placement, mass, com, inertia)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cut, a, b, in_a, in_b, planar)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(State, q, v, a, force, tau, platform, velocity, omega, acceleration, domega)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Problem, robot, layout, grows, number, gravity, bodies, cuts, drives, nq, nv, states)

inline std::vector<Problem> read_problems(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return nlohmann::json::parse(file).get<std::vector<Problem>>();
}

// ------------------------------------------------------------------------------------------------ results

/// What an engine says and takes on one problem; NaN (null in JSON): it does not compute that.
struct Result {
  std::string engine, robot, layout, grows;
  int number = 0;
  bool exact = true;  ///< loops are closed as equations, not by soft forces
  std::string inverse_call, forward_call;
  double inverse_us = std::numeric_limits<double>::quiet_NaN(), forward_us = inverse_us;
  double inverse_error = inverse_us, forward_error = inverse_us;  ///< to gough, largest over the states, relative

  Result(std::string name, const Problem& p)
      : engine(std::move(name)), robot(p.robot), layout(p.layout), grows(p.grows), number(p.number) {}
};

inline constexpr double allowed_error = 1e-8;  ///< of an exact engine

/// A line of JSON on standard output. Returns whether an exact engine agrees.
inline bool print(const Result& r) {
  std::cout << nlohmann::json{{"engine", r.engine},
                              {"robot", r.robot},
                              {"layout", r.layout},
                              {"grows", r.grows},
                              {"number", r.number},
                              {"exact", r.exact},
                              {"inverse_call", r.inverse_call},
                              {"forward_call", r.forward_call},
                              {"inverse_us", r.inverse_us},
                              {"forward_us", r.forward_us},
                              {"inverse_error", r.inverse_error},
                              {"forward_error", r.forward_error}}
            << std::endl;
  return !r.exact || (!(r.inverse_error > allowed_error) && !(r.forward_error > allowed_error));
}

/// max |x - reference| / max |reference|; infinite where something is not a number.
template <class Vector>
double relative_error(const Vector& x, const Numbers& reference) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double off = std::abs(x[static_cast<int>(i)] - reference[i]);
    error = std::isfinite(off) ? std::max(error, off) : std::numeric_limits<double>::infinity();
    size = std::max(size, std::abs(reference[i]));
  }
  return error / size;
}

/// The largest error over the states, then the time of one evaluation [us]. evaluate(i) computes state i and returns its
/// answer, reference(i) is gough's. All states are passed through many times, in pieces of about 50 us; the least time of
/// each piece counts, so that slow engines suffer no more than fast ones where something else runs on the machine.
template <class Reference, class Evaluate>
void check_and_time(std::size_t states, Reference&& reference, Evaluate&& evaluate, double& error, double& us) {
  using Clock = std::chrono::steady_clock;
  error = 0;
  for (std::size_t i = 0; i < states; ++i) error = std::max(error, relative_error(evaluate(i), reference(i)));
  const auto timed = [&](std::size_t first, std::size_t last) {
    const auto start = Clock::now();
    for (std::size_t i = first; i < last; ++i) {
      const auto& answer = evaluate(i);
      asm volatile("" : : "g"(&answer) : "memory");  // the compiler must not leave out what nobody reads
    }
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  const double one = timed(0, states) / static_cast<double>(states);
  const auto piece = static_cast<std::size_t>(std::clamp(50 / one, 1.0, static_cast<double>(states)));
  Numbers least((states + piece - 1) / piece, std::numeric_limits<double>::infinity());
  const auto end = Clock::now() + std::chrono::milliseconds(200);
  for (int pass = 0; pass < 5 || Clock::now() < end; ++pass)
    for (std::size_t k = 0; k < least.size(); ++k)
      least[k] = std::min(least[k], timed(k * piece, std::min(states, (k + 1) * piece)));
  us = std::accumulate(least.begin(), least.end(), 0.0) / static_cast<double>(states);
}

/// The same for inverse dynamics, evaluate(i) giving the drives' forces, where the problem asks for it.
template <class Evaluate>
void check_and_time_inverse(const Problem& p, Evaluate&& evaluate, Result& r) {
  if (p.states.front().tau.empty()) return;
  check_and_time(
      p.states.size(), [&](std::size_t i) -> const Numbers& { return p.states[i].tau; }, evaluate, r.inverse_error,
      r.inverse_us);
}
/// And for forward dynamics, evaluate(i) giving the derivatives of v.
template <class Evaluate>
void check_and_time_forward(const Problem& p, Evaluate&& evaluate, Result& r) {
  check_and_time(
      p.states.size(), [&](std::size_t i) -> const Numbers& { return p.states[i].a; }, evaluate, r.forward_error,
      r.forward_us);
}

/// Runs `measure`, which gives the results of a problem, on all problems of a file. The program's exit code: 1 where an
/// exact engine disagrees.
template <class Measure>
int run(int argc, char** argv, Measure&& measure) {
  bool agrees = true;
  try {
    if (argc != 2) throw std::runtime_error(std::string("usage: ") + argv[0] + " PROBLEMS.json");
    for (const Problem& p : read_problems(argv[1]))
      for (const Result& r : measure(p)) agrees = print(r) && agrees;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
  return agrees ? 0 : 1;
}

}  // namespace peers
