#include "gough/kinematics/trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <span>

#include "gough/error.hpp"
#include "gough/spatial/rotation.hpp"

namespace gough {
namespace {

/// Where c, c' and c'' are written: one number per coordinate.
struct Coordinates {
  std::span<double> c, v, a;
};

/// What the rotation vector is relative to, where the path says so itself.
using Rotation = const Mat3<double>*;

Rotation evaluate(const LinePath& line, double t, const Coordinates& out) {
  const Progress p = progress(line.law, t);
  for (std::size_t i = 0; i < out.c.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    out.c[i] = line.from[k] + p.s * line.change[k];
    out.v[i] = p.ds * line.change[k];
    out.a[i] = p.dds * line.change[k];
  }
  return nullptr;
}

Rotation evaluate(const CirclePath& circle, double t, const Coordinates& out) {
  const Progress p = progress(circle.law, t);
  const double angle = circle.start + p.s * circle.turn, rate = p.ds * circle.turn, change = p.dds * circle.turn;
  const Vec3<double> outward = circle.first * std::cos(angle) + circle.second * std::sin(angle);
  const Vec3<double> along = circle.second * std::cos(angle) - circle.first * std::sin(angle);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    out.c[i] = circle.centre[k] + outward[k];
    out.v[i] = rate * along[k];
    out.a[i] = change * along[k] - rate * rate * outward[k];
    out.c[i + 3] = out.v[i + 3] = out.a[i + 3] = 0;
  }
  return nullptr;
}

Rotation evaluate(const HarmonicPath& harmonic, double t, const Coordinates& out) {
  for (std::size_t i = 0; i < out.c.size(); ++i) {
    out.c[i] = harmonic.offset[static_cast<Eigen::Index>(i)];
    out.v[i] = out.a[i] = 0;
  }
  for (const HarmonicPath::Term& term : harmonic.terms) {
    const auto i = static_cast<std::size_t>(term.coordinate);
    const double angle = term.rate * t + term.phase, sine = term.amplitude * std::sin(angle);
    out.c[i] += sine;
    out.v[i] += term.rate * term.amplitude * std::cos(angle);
    out.a[i] -= term.rate * term.rate * sine;
  }
  return nullptr;
}

Rotation evaluate(const PolynomialPath& path, double t, const Coordinates& out) {
  const auto after = std::upper_bound(path.knots.begin() + 1, path.knots.end() - 1, t);
  const auto stretch = after - path.knots.begin() - 1;
  const double u = t - path.knots[static_cast<std::size_t>(stretch)];
  for (std::size_t i = 0; i < out.c.size(); ++i) {
    double c = 0, v = 0, a = 0;  // Horner, with the derivatives carried along
    for (std::size_t k = path.coefficients.size(); k-- > 0;) {
      a = a * u + 2 * v;
      v = v * u + c;
      c = c * u + path.coefficients[k](static_cast<Eigen::Index>(i), stretch);
    }
    out.c[i] = c, out.v[i] = v, out.a[i] = a;
  }
  return path.rotations.empty() ? nullptr : &path.rotations[static_cast<std::size_t>(stretch)];
}

/// Evaluates the piece that t falls into; returns the orientation to which rotation vectors are relative.
const Mat3<double>& evaluate(const Trajectory& trajectory, double t, const Coordinates& out) {
  assert(!trajectory.pieces.empty());
  const double inside = std::clamp(t - trajectory.start, 0.0, trajectory.duration);
  const auto& all = trajectory.pieces;
  const auto after = std::upper_bound(all.begin() + 1, all.end(), inside,
                                      [](double time, const Piece& piece) { return time < piece.start; });
  const Piece& piece = *(after - 1);
  const double own = std::min(inside - piece.start, piece.duration);
  const Rotation R = std::visit([&](const auto& path) { return evaluate(path, own, out); }, piece.path);
  if (t < trajectory.start || t > trajectory.end())
    for (std::size_t i = 0; i < out.c.size(); ++i) out.v[i] = out.a[i] = 0;
  return R != nullptr ? *R : piece.rotation;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ laws of time

Progress progress(const TimeLaw& law, double t) {
  const double T = law.duration;
  if (law.profile == Profile::constant) return {t / T, 1 / T, 0};
  if (law.profile == Profile::quintic) {
    const double u = t / T, rest = 1 - u;
    return {u * u * u * (10 + u * (6 * u - 15)), 30 * u * u * rest * rest / T, 60 * u * rest * (rest - u) / (T * T)};
  }
  const double ramp = law.profile == Profile::bang_bang ? T / 2 : law.ramp;
  const double speed = 1 / (T - ramp), acceleration = speed / ramp;
  if (t < ramp) return {acceleration * t * t / 2, acceleration * t, acceleration};
  if (t < T - ramp) return {speed * (t - ramp / 2), speed, 0};
  const double left = T - t;
  return {1 - acceleration * left * left / 2, acceleration * left, -acceleration};
}

TimeLaw fastest(Profile profile, double speed, double acceleration) {
  switch (profile) {
    case Profile::constant: return {profile, 1 / speed, 0};
    case Profile::bang_bang: return {profile, std::max(2 / speed, 2 / std::sqrt(acceleration)), 0};
    case Profile::quintic:
      return {profile, std::max(15.0 / 8 / speed, std::sqrt(10 / std::numbers::sqrt3 / acceleration)), 0};
    case Profile::trapezoid: break;
  }
  const double ramp = std::min(speed / acceleration, 1 / std::sqrt(acceleration));  // the second: never full speed
  return {profile, ramp + 1 / (ramp * acceleration), ramp};
}

// ------------------------------------------------------------------------------------------------ pieces

Piece line_piece(const Transform<double>& from, const Transform<double>& to, const TimeLaw& law) {
  LinePath line{VecX<double>::Zero(6), VecX<double>::Zero(6), law};
  line.from.head<3>() = from.p;
  line.change.head<3>() = to.p - from.p;
  line.change.tail<3>() = vector_from_rotation(from.R.transpose() * to.R);
  return {std::move(line), law.duration, 0, from.R};
}

Piece line_piece(const VecX<double>& from, const VecX<double>& to, const TimeLaw& law) {
  return {LinePath{from, to - from, law}, law.duration};
}

Piece circle_piece(const CirclePath& circle, const Mat3<double>& orientation) {
  return {circle, circle.law.duration, 0, orientation};
}

Piece harmonic_piece(HarmonicPath harmonic, double duration) { return {std::move(harmonic), duration}; }

Piece wait_piece(const Transform<double>& pose, double duration) {
  return line_piece(pose, pose, {Profile::constant, duration, 0});
}

Piece wait_piece(const VecX<double>& positions, double duration) {
  return line_piece(positions, positions, {Profile::constant, duration, 0});
}

int coordinates_of(const Piece& piece) {
  if (const auto* line = std::get_if<LinePath>(&piece.path)) return static_cast<int>(line->from.size());
  if (const auto* harmonic = std::get_if<HarmonicPath>(&piece.path)) return static_cast<int>(harmonic->offset.size());
  if (const auto* path = std::get_if<PolynomialPath>(&piece.path))
    return static_cast<int>(path->coefficients.front().rows());
  return 6;
}

void append(Trajectory& trajectory, Piece piece) {
  if (trajectory.pieces.empty()) trajectory.size = coordinates_of(piece);
  piece.start = trajectory.duration;
  trajectory.duration += piece.duration;
  trajectory.pieces.push_back(std::move(piece));
}

Trajectory trajectory_of(Moves moves, Piece piece) {
  Trajectory trajectory;
  trajectory.moves = moves;
  append(trajectory, std::move(piece));
  return trajectory;
}

// ------------------------------------------------------------------------------------------------ sampling

PlatformMotion platform_motion(const Trajectory& trajectory, double t) {
  std::array<double, 6> c{}, v{}, a{};
  const Mat3<double>& R0 = evaluate(trajectory, t, {c, v, a});
  const Eigen::Map<const Vec6<double>> C(c.data()), V(v.data()), A(a.data());
  const Vec3<double> r = C.tail<3>();
  const VectorRates turn = angular_rates(r, {V.tail<3>(), A.tail<3>()});
  return {
      {R0 * rotation_from_vector<double>(r), C.head<3>()}, V.head<3>(), R0 * turn.first, A.head<3>(), R0 * turn.second};
}

ActuatorMotion actuator_motion(const Trajectory& trajectory, double t) {
  const auto n = static_cast<std::size_t>(trajectory.size);
  ActuatorMotion motion{VecX<double>(trajectory.size), VecX<double>(trajectory.size), VecX<double>(trajectory.size)};
  evaluate(trajectory, t, {{motion.q.data(), n}, {motion.v.data(), n}, {motion.a.data(), n}});
  return motion;
}

namespace {

/// Within a piece, from its start.
std::vector<double> knots_of(const TimeLaw& law) {
  if (law.profile == Profile::bang_bang) return {law.duration / 2};
  if (law.profile == Profile::trapezoid) return {law.ramp, law.duration - law.ramp};
  return {};
}
std::vector<double> knots_of(const LinePath& line) { return knots_of(line.law); }
std::vector<double> knots_of(const CirclePath& circle) { return knots_of(circle.law); }
std::vector<double> knots_of(const HarmonicPath&) { return {}; }
std::vector<double> knots_of(const PolynomialPath& path) { return path.knots; }

}  // namespace

std::vector<double> knots(const Trajectory& trajectory) {
  constexpr double same = 1e-14;  // rounding of sums of durations
  std::vector<double> sorted;
  for (const Piece& piece : trajectory.pieces) {
    const double start = trajectory.start + piece.start;
    sorted.push_back(start);
    for (const double t : std::visit([](const auto& path) { return knots_of(path); }, piece.path))
      sorted.push_back(start + t);
  }
  sorted.push_back(trajectory.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> all;
  for (const double t : sorted)
    if (all.empty() || t - all.back() > same * std::max(1.0, std::abs(t))) all.push_back(t);
  return all;
}

MotionState sample(const Trajectory& trajectory, double t) {
  if (trajectory.moves == Moves::platform) return {t, platform_motion(trajectory, t)};
  return {t, actuator_motion(trajectory, t)};
}

std::vector<double> sample_times(const Trajectory& trajectory, double step) {
  const double steps = trajectory.duration / step;
  if (!(step > 0) || !(steps < static_cast<double>(most_samples)))
    throw Error(fmt::format("read a step of {:g} s for a motion of {:g} s, expected at most {} steps", step,
                            trajectory.duration, most_samples));
  std::vector<double> times;
  for (std::size_t k = 0; static_cast<double>(k) < steps - 1e-9; ++k)  // no second state where the end falls on a step
    times.push_back(trajectory.start + static_cast<double>(k) * step);
  times.push_back(trajectory.end());
  return times;
}

}  // namespace gough
