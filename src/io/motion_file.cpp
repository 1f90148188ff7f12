#include "gough/io/motion_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "gough/error.hpp"
#include "gough/kinematics/answer.hpp"
#include "motion_columns.hpp"
#include "motion_tables.hpp"

namespace gough {
namespace {

using namespace io;
using std::numbers::pi;

constexpr double shortest_piece = 1e-6,
                 longest_piece = 1e6;  // of a piece [s]; their squares divide and must not overflow
constexpr double largest_jump = 1e-6;  // between pieces [m or rad]: digits that people leave out
constexpr double no_limit = std::numeric_limits<double>::infinity();

double checked_duration(double duration, const Where& where, const std::string& what) {
  if (!(duration >= shortest_piece && duration <= longest_piece))
    throw Error(where, fmt::format("{}: read {:g} s, expected between {:g} s and {:g} s", what, duration,
                                   shortest_piece, longest_piece));
  return duration;
}

TimeLaw law_of_duration(std::size_t profile, double duration, const std::optional<double>& ramp, const Where& where) {
  TimeLaw law{static_cast<Profile>(profile), checked_duration(duration, where, "duration"), duration / 3};
  if (!ramp) return law;
  if (law.profile != Profile::trapezoid)
    throw Error(
        where, fmt::format("read a ramp for the profile {}, expected it for a trapezoid only", profile_names[profile]));
  if (!(*ramp >= shortest_piece && *ramp <= duration / 2))
    throw Error(where, fmt::format("ramp: read {:g} s, expected between {:g} s and half the duration of {:g} s", *ramp,
                                   shortest_piece, duration));
  law.ramp = *ramp;
  return law;
}

/// A limit of s' or s'' from one of a coordinate that moves by `change`.
double limit_of(double limit, double change, const Where& where) {
  if (!(limit > 0)) throw Error(where, fmt::format("read the limit {:g}, expected one above 0", limit));
  return change == 0 ? no_limit : limit / std::abs(change);
}

/// Turns what a file says into pieces, with the robot's names, units and home.
class MotionBuilder {
 public:
  MotionBuilder(const FileMotion& file, std::string name, const Mechanism<double>& m)
      : file_(file), name_(std::move(name)), m_(m) {
    const Moves moves = file.moves == 0 && !stands(m) ? Moves::platform : Moves::actuators;
    if (moves == Moves::platform && !m.platform.exists())
      throw Error(file.where, fmt::format("read a motion of the platform, expected `moves: actuators`: the robot '{}' "
                                          "has no platform",
                                          m.name));
    if (moves == Moves::actuators && m.actuator.empty() && !stands(m))
      throw Error(file.where,
                  fmt::format("read a motion of the actuators, expected a robot that has some: '{}' has none", m.name));
    of_ = moves == Moves::platform ? platform_coordinates(m) : actuator_coordinates(m);
    if (file.moves == 2) turn_into_motors();
    here_ = of_.home;
    trajectory_.moves = moves;
  }

  Trajectory run() {
    add_pieces();
    for (Piece& piece : trajectory_.pieces)
      if (of_motors()) turn_into_joints(piece);
    return std::move(trajectory_);
  }

 private:
  void add_pieces() {
    if (!file_.sequence) {
      add(file_, file_.where, "line, circle, harmonic, samples, wait, sequence");
      return;
    }
    if (file_.line || file_.circle || file_.harmonic || file_.samples || file_.wait)
      throw Error(file_.where, "read a sequence and another path beside it, expected one of them");
    if (file_.sequence->empty()) throw Error(file_.where, "read a sequence of nothing, expected at least one piece");
    for (const FilePiece& piece : *file_.sequence) add(piece, piece.where, "line, circle, harmonic, samples, wait");
  }

  bool of_motors() const { return ratio_.size() > 0; }

  /// Motors: angles that are 0 at home.
  void turn_into_motors() {
    joint_home_ = of_.home;
    ratio_.resize(of_.home.size());
    for (std::size_t i = 0; i < of_.size(); ++i) {
      const auto c = static_cast<std::size_t>(m_.actuator[i]);
      if (of_.is_length[i] && !m_.coordinate[c].has_drive)
        throw Error(file_.where,
                    fmt::format("read a motion of the motors, expected `moves: actuators`: '{}' slides and "
                                "the robot '{}' gives it no screw",
                                of_.names[i], m_.name));
      if (m_.ratio[c] == 0)
        throw Error(file_.where,
                    fmt::format("read a motion of the motors, expected a gear other than 0: '{}'", of_.names[i]));
      ratio_[static_cast<Eigen::Index>(i)] = m_.ratio[c];
    }
    of_.home.setZero();
    of_.is_length.assign(of_.size(), false);
  }

  /// q = home + motor angle / ratio, of a piece that moves motors.
  void turn_into_joints(Piece& piece) const {
    if (auto* line = std::get_if<LinePath>(&piece.path)) {
      line->from = joint_home_ + line->from.cwiseQuotient(ratio_);
      line->change = line->change.cwiseQuotient(ratio_);
    } else if (auto* harmonic = std::get_if<HarmonicPath>(&piece.path)) {
      harmonic->offset = joint_home_ + harmonic->offset.cwiseQuotient(ratio_);
      for (HarmonicPath::Term& term : harmonic->terms) term.amplitude /= ratio_[term.coordinate];
    }
  }

  bool of_platform() const { return of_.moves == Moves::platform; }
  Dimension kind(std::size_t i) const { return of_.is_length[i] ? dimension::length : dimension::angle; }
  Transform<double> pose(const VecX<double>& x) const { return pose_from_vector(Vec6<double>(x)); }

  void add(const FilePiece& file, const Where& where, const std::string& kinds) {
    const int given = int(file.line.has_value()) + int(file.circle.has_value()) + int(file.harmonic.has_value()) +
                      int(file.samples.has_value()) + int(file.wait.has_value());
    if (given != 1)
      throw Error(where,
                  fmt::format("read {}, expected one of {}", given == 0 ? "no path" : "more than one path", kinds));
    Piece piece = file.line       ? line(*file.line)
                  : file.circle   ? circle(*file.circle)
                  : file.harmonic ? harmonic(*file.harmonic)
                  : file.samples  ? samples(*file.samples)
                                  : wait(*file.wait);
    const Trajectory alone = trajectory_of(of_.moves, piece);
    if (!trajectory_.pieces.empty()) check_start(alone, where);
    here_ = position(alone, alone.duration);
    append(trajectory_, std::move(piece));
  }

  VecX<double> position(const Trajectory& trajectory, double t) const {
    if (of_platform()) return pose_vector(platform_motion(trajectory, t).pose);
    return actuator_motion(trajectory, t).q;
  }

  /// A piece starts where the one before it ends.
  void check_start(const Trajectory& piece, const Where& where) const {
    VecX<double> jump = position(piece, 0) - here_;
    if (of_platform())
      jump.tail<3>() = vector_from_rotation(pose(here_).R.transpose() * platform_motion(piece, 0).pose.R);
    Eigen::Index i = 0;
    if (jump.size() == 0 || jump.cwiseAbs().maxCoeff(&i) <= largest_jump) return;
    throw Error(where, fmt::format("read a start at {} = {:.9g}, expected {:.9g} where the piece before ends",
                                   of_.names[static_cast<std::size_t>(i)], here_[i] + jump[i], here_[i]));
  }

  std::size_t index(const std::string& wanted, const Where& where) const {
    const auto found = std::find(of_.names.begin(), of_.names.end(), wanted);
    if (found != of_.names.end()) return static_cast<std::size_t>(found - of_.names.begin());
    const std::string near = nearest(wanted, of_.names);
    throw Error(where, fmt::format("read '{}', expected {} of the robot '{}'{}", wanted,
                                   of_platform() ? "one of x, y, z, rx, ry, rz" : "an actuator", m_.name,
                                   near.empty() ? "" : "; did you mean '" + near + "'?"));
  }

  /// A position in a file; what it does not name is as in `start`.
  VecX<double> position(const FilePosition& file, const VecX<double>& start) const {
    if (file.listed && file.values.size() != of_.size())
      throw Error(file.where, fmt::format("read a list of {}, expected {} numbers: {}", file.values.size(), of_.size(),
                                          all_names()));
    VecX<double> x = start;
    for (std::size_t k = 0; k < file.values.size(); ++k) {
      const auto& [name, value] = file.values[k];
      const std::size_t i = file.listed ? k : index(name, value.where);
      x[static_cast<Eigen::Index>(i)] = value.as(kind(i));
    }
    return x;
  }

  std::string all_names() const {
    const auto shown = static_cast<std::ptrdiff_t>(std::min<std::size_t>(of_.size(), 12));
    return fmt::format("{}{}", fmt::join(of_.names.begin(), of_.names.begin() + shown, ", "),
                       of_.size() > 12 ? ", ..." : "");
  }

  Piece line(const FileLine& file) const {
    const VecX<double> from = file.from ? position(*file.from, here_) : here_;
    const VecX<double> to = position(file.to, from);
    const TimeLaw law = time_law(file, from, to);
    return of_platform() ? line_piece(pose(from), pose(to), law) : line_piece(from, to, law);
  }

  TimeLaw time_law(const FileLine& file, const VecX<double>& from, const VecX<double>& to) const {
    const bool limited = file.velocity || file.acceleration || file.angular_velocity || file.angular_acceleration;
    if (file.duration && limited) throw Error(file.where, "read a duration and limits, expected one of them");
    if (file.duration) return law_of_duration(file.profile, *file.duration, file.ramp, file.where);
    if (file.ramp) throw Error(file.where, "read a ramp without a duration, expected both, or limits alone");
    if (!limited)
      throw Error(file.where, "read a line without a duration, expected duration, or velocity and acceleration");
    const auto [speed, acceleration] =
        of_platform() ? platform_limits(file, from, to) : actuator_limits(file, from, to);
    const TimeLaw law = fastest(static_cast<Profile>(file.profile), speed, acceleration);
    if (!std::isfinite(law.duration) || law.duration == 0)
      throw Error(file.where,
                  "read limits that leave the duration open (a way of no length, or a limit too few), "
                  "expected duration, or velocity and acceleration");
    checked_duration(law.duration, file.where, "the duration that follows from the limits");
    return law;
  }

  /// Limits of s' and s'' for a line of the platform.
  std::pair<double, double> platform_limits(const FileLine& file, const VecX<double>& from,
                                            const VecX<double>& to) const {
    const double way = (to - from).head<3>().norm();
    const double turn = vector_from_rotation(pose(from).R.transpose() * pose(to).R).norm();
    double speed = no_limit, acceleration = no_limit;
    if (file.velocity) speed = limit_of(file.velocity->as(dimension::speed), way, file.where);
    if (file.acceleration) acceleration = limit_of(file.acceleration->as(dimension::acceleration), way, file.where);
    if (file.angular_velocity) speed = std::min(speed, limit_of(*file.angular_velocity, turn, file.where));
    if (file.angular_acceleration)
      acceleration = std::min(acceleration, limit_of(*file.angular_acceleration, turn, file.where));
    return {speed, acceleration};
  }

  /// The same for a line of the actuators, each of which keeps to the limits.
  std::pair<double, double> actuator_limits(const FileLine& file, const VecX<double>& from,
                                            const VecX<double>& to) const {
    if (file.angular_velocity || file.angular_acceleration)
      throw Error(file.where, "read angular limits for actuators, expected velocity and acceleration");
    double speed = no_limit, acceleration = no_limit;
    for (std::size_t i = 0; i < of_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      const Dimension d = kind(i);
      if (file.velocity)
        speed = std::min(speed, limit_of(file.velocity->as({0, d.m, -1}), to[k] - from[k], file.where));
      if (file.acceleration)
        acceleration =
            std::min(acceleration, limit_of(file.acceleration->as({0, d.m, -2}), to[k] - from[k], file.where));
    }
    return {speed, acceleration};
  }

  Piece circle(const FileCircle& file) const {
    if (!of_platform()) throw Error(file.where, "read a circle for actuators, expected line, harmonic or samples");
    if (!(file.radius > 0))
      throw Error(file.where, fmt::format("read a radius of {:g} m, expected one above 0", file.radius));
    if (!(std::abs(file.turns) <= longest_piece))
      throw Error(file.where, fmt::format("read {:g} turns, expected at most {:g}", file.turns, longest_piece));
    CirclePath circle;
    circle.law = law_of_duration(file.profile, file.duration, file.ramp, file.where);
    circle.centre = file.centre;
    const auto [first, second] = plane(file);
    circle.first = file.radius * first;
    circle.second = file.radius * second;
    circle.start = file.start;
    circle.turn = 2 * pi * file.turns;
    const Vec3<double> r = file.orientation ? *file.orientation : Vec3<double>(here_.tail<3>());
    return circle_piece(circle, rotation_from_vector(r));
  }

  /// Unit vectors to the angles 0 and 90 deg.
  static std::pair<Vec3<double>, Vec3<double>> plane(const FileCircle& file) {
    if (file.normal && file.axes) throw Error(file.where, "read normal and axes, expected one of them");
    Vec3<double> first = file.axes ? (*file.axes)[0].stableNormalized() : Vec3<double>(Vec3<double>::UnitX());
    Vec3<double> normal = file.normal ? file.normal->stableNormalized() : Vec3<double>(Vec3<double>::UnitZ());
    if (file.axes) normal = cross<double>(first, (*file.axes)[1].stableNormalized());
    else if (std::abs(normal.x()) > 1 - 1e-9) first = Vec3<double>::UnitY();
    if (!(normal.norm() > 1e-6))
      throw Error(file.where, file.axes ? "read two parallel axes, expected two that span a plane"
                                        : "read a normal of length 0, expected a direction");
    normal.normalize();
    first = (first - normal * dot(normal, first)).normalized();
    return {first, cross(normal, first)};
  }

  Piece harmonic(const FileHarmonic& file) const {
    HarmonicPath path;
    path.offset = here_;
    for (const auto& [name, series] : file.coordinates) {
      const std::size_t i = index(name, series.where);
      if (series.offset) path.offset[static_cast<Eigen::Index>(i)] = series.offset->as(kind(i));
      const auto add = [&](double amplitude, double rate, double phase) {
        path.terms.push_back({static_cast<int>(i), amplitude, rate, phase});
      };
      for (const FileTerm& term : series.terms) add(term.amplitude.as(kind(i)), term.rate, term.phase);
      if (series.sin.empty() && series.cos.empty()) continue;
      const std::optional<double> rate = series.rate ? series.rate : file.rate;
      if (!rate)
        throw Error(series.where, "read sin or cos without a rate, expected rate: [rad/s, or with the unit Hz]");
      for (std::size_t k = 0; k < series.sin.size(); ++k)
        add(series.sin[k].as(kind(i)), static_cast<double>(k + 1) * *rate, 0);
      for (std::size_t k = 0; k < series.cos.size(); ++k)
        add(series.cos[k].as(kind(i)), static_cast<double>(k + 1) * *rate, pi / 2);
    }
    return harmonic_piece(std::move(path), checked_duration(file.duration, file.where, "duration"));
  }

  Piece wait(const AnyNumber::Value& file) const {
    const double duration = checked_duration(file.as(dimension::time), file.where, "wait");
    return of_platform() ? wait_piece(pose(here_), duration) : wait_piece(here_, duration);
  }

  Piece samples(const FileSamples& file) const {
    if (of_motors())
      throw Error(file.where, "read samples for motors, expected line, harmonic or wait, or `moves: actuators`");
    const std::filesystem::path path = file.file;
    if (file.file.empty() || path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end())
      throw Error(file.where, fmt::format("read the path '{}', expected a table in the folder of this file or below, "
                                          "without '..'",
                                          file.file.substr(0, 60)));
    const std::string table = (std::filesystem::path(name_).parent_path() / path).string();
    return piece_from_table(read_table(table), table, m_, of_.moves);
  }

  const FileMotion& file_;
  std::string name_;
  const Mechanism<double>& m_;
  MotionCoordinates of_;
  VecX<double> here_;                ///< where the next piece starts unless it says so
  VecX<double> joint_home_, ratio_;  ///< where motors move: the actuators' home, motor radians per joint unit
  Trajectory trajectory_;
};

}  // namespace

Trajectory io::build_motion(const FileMotion& read, const std::string& file, const Mechanism<double>& m) {
  return MotionBuilder(read, file, m).run();
}

Trajectory parse_motion(const std::string& text, const std::string& file, const Mechanism<double>& m) {
  if (text.size() > largest_motion_file)
    throw Error({file, 0}, fmt::format("read more than {} bytes, expected a smaller file", largest_motion_file));
  return build_motion(Object<FileMotion>{motion_table}.read(parse_yaml(text, file)), file, m);
}

Trajectory load_motion(const std::string& path, const Mechanism<double>& m) {
  return parse_motion(read_text(path, largest_motion_file), path, m);
}

GivenMotion load_motion_or_table(const std::string& path, const Mechanism<double>& m) {
  if (path.ends_with(".csv")) return read_motion_table(path, m);
  return {{}, load_motion(path, m)};
}

std::string motion_schema() {
  json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "gough motion file"}};
  schema.update(Object<FileMotion>{motion_table}.definition());
  schema["$defs"] = motion_definitions();
  return schema.dump(2) + "\n";
}

}  // namespace gough
