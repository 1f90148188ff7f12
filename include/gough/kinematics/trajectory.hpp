#pragma once
/// Trajectories: where the platform, or the actuators, are to be at a time, with velocities and accelerations.
///
/// A trajectory is a list of pieces, one after the other. A piece gives coordinates c(t) with c' and c'': the positions
/// of the actuators, or x y z and a rotation vector r of the platform relative to the piece's own orientation R_0:
///   p = (x, y, z),   R = R_0 exp([r]x),   w = R_0 T(r) r',   w' = R_0 (T(r) r'' + T'(r) r')
/// All derivatives are those of the formulas, not of differences.
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "gough/spatial/spatial.hpp"

namespace gough {

/// The platform's frame: its pose, the velocity of its origin, its angular velocity, and their derivatives, base axes.
struct PlatformMotion {
  Transform<double> pose;
  Vec3<double> v = Vec3<double>::Zero(), w = Vec3<double>::Zero();
  Vec3<double> a = Vec3<double>::Zero(), dw = Vec3<double>::Zero();
};

/// The actuators in the mechanism's order.
struct ActuatorMotion {
  VecX<double> q, v, a;
};

// ------------------------------------------------------------------------------------------------ laws of time

/// How the way s from 0 to 1 is covered, in a time T.
///   quintic    s = 10 u^3 - 15 u^4 + 6 u^5, u = t / T; at most 15/8 / T fast, 10/sqrt(3) / T^2 accelerated
///   trapezoid  constant acceleration for a time `ramp`, constant speed 1 / (T - ramp), the same deceleration
///   bang_bang  constant acceleration 4 / T^2 for half the time, then the same deceleration
///   constant   constant speed 1 / T, which begins and ends at once
enum class Profile { quintic, trapezoid, bang_bang, constant };
inline constexpr std::array<std::string_view, 4> profile_names = {"quintic", "trapezoid", "bang_bang", "constant"};

struct TimeLaw {
  Profile profile = Profile::quintic;
  double duration = 1;
  double ramp = 0;  ///< of a trapezoid, above 0 and up to half the duration
};

struct Progress {
  double s = 0, ds = 0, dds = 0;
};

/// 0 <= t <= duration. Where the acceleration jumps, the later one is given.
Progress progress(const TimeLaw& law, double t);

/// The law of the shortest duration that keeps |s'| <= speed and |s''| <= acceleration; infinite where there is no such
/// limit. The duration is 0 or infinite where the limits given do not determine it.
TimeLaw fastest(Profile profile, double speed, double acceleration);

// ------------------------------------------------------------------------------------------------ paths

/// c = from + s change
struct LinePath {
  VecX<double> from, change;
  TimeLaw law;
};

/// p = centre + first cos(angle) + second sin(angle), angle = start + s turn; r = 0
struct CirclePath {
  Vec3<double> centre = Vec3<double>::Zero();
  Vec3<double> first = Vec3<double>::UnitX(), second = Vec3<double>::UnitY();  ///< radius times two normal unit vectors
  double start = 0, turn = 0;
  TimeLaw law;
};

/// c_i = offset_i + sum of amplitude sin(rate t + phase)
struct HarmonicPath {
  struct Term {
    int coordinate = 0;
    double amplitude = 0, rate = 0, phase = 0;
  };
  VecX<double> offset;
  std::vector<Term> terms;
};

/// Between two knots c = sum of C_k (t - knot)^k. With rotations: those the rotation vector is relative to, one for each
/// stretch; without: the piece's.
struct PolynomialPath {
  std::vector<double> knots;                  ///< the first is 0
  std::vector<Eigen::MatrixXd> coefficients;  ///< for each power a column per stretch
  std::vector<Mat3<double>> rotations;
};

struct Piece {
  std::variant<LinePath, CirclePath, HarmonicPath, PolynomialPath> path;
  double duration = 0;
  double start = 0;  ///< within the trajectory; `append` sets it
  Mat3<double> rotation = Mat3<double>::Identity();
};

enum class Moves { platform, actuators };

struct Trajectory {
  Moves moves = Moves::platform;
  int size = 6;  ///< coordinates
  double start = 0, duration = 0;
  std::vector<Piece> pieces;

  double end() const { return start + duration; }
};

/// Straight from one pose to the other, turning about a fixed axis: R = R_a exp(s log(R_a^T R_b)).
Piece line_piece(const Transform<double>& from, const Transform<double>& to, const TimeLaw& law);
/// Straight from one set of positions to the other.
Piece line_piece(const VecX<double>& from, const VecX<double>& to, const TimeLaw& law);
Piece circle_piece(const CirclePath& circle, const Mat3<double>& orientation);
Piece harmonic_piece(HarmonicPath harmonic, double duration);
Piece wait_piece(const Transform<double>& pose, double duration);
Piece wait_piece(const VecX<double>& positions, double duration);

/// A cubic spline through the rows of `values` at strictly increasing times: continuous acceleration, third derivative
/// continuous at the second and the last but one knot ("not a knot"). Three rows give a parabola, two a line. For a
/// platform the columns are x y z rx ry rz; rotation vectors are continued beyond pi instead of jumping.
Piece spline_piece(Moves moves, const std::vector<double>& t, const Eigen::MatrixXd& values);
/// Quintic polynomials that have exactly these states at these times.
Piece hermite_piece(const std::vector<double>& t, const std::vector<PlatformMotion>& states);
Piece hermite_piece(const std::vector<double>& t, const std::vector<ActuatorMotion>& states);

/// Adds a piece at the end.
void append(Trajectory& trajectory, Piece piece);
Trajectory trajectory_of(Moves moves, Piece piece);
/// The number of coordinates of a piece.
int coordinates_of(const Piece& piece);

// ------------------------------------------------------------------------------------------------ sampling

/// The motion at time t of a trajectory with at least one piece. Where two pieces meet, the later one counts; before the start and after the end the position is
/// that of the end, at rest. Does not allocate.
PlatformMotion platform_motion(const Trajectory& trajectory, double t);
ActuatorMotion actuator_motion(const Trajectory& trajectory, double t);

/// One state of a motion: where, how fast, how accelerated, at a time.
struct MotionState {
  double t = 0;
  std::variant<PlatformMotion, ActuatorMotion> motion;
  int line = 0;  ///< of the table it comes from; 0: none

  bool of_platform() const { return std::holds_alternative<PlatformMotion>(motion); }
  const PlatformMotion& platform() const { return std::get<PlatformMotion>(motion); }
  const ActuatorMotion& actuators() const { return std::get<ActuatorMotion>(motion); }
};

/// Increasing times at which an acceleration or a derivative of it may jump: where pieces begin and end, in their laws of time, at the rows
/// that a polynomial goes through.
std::vector<double> knots(const Trajectory& trajectory);

MotionState sample(const Trajectory& trajectory, double t);
inline constexpr std::size_t most_samples = 2'000'000;
/// Times from the start in equal steps; the end is always one of them. `step` > 0; throws Error above most_samples.
std::vector<double> sample_times(const Trajectory& trajectory, double step);

}  // namespace gough
