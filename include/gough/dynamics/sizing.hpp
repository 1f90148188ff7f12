#pragma once
/// What a motion asks of each actuator: the numbers a drive is chosen by.
///   rms force   sqrt(1/T integral of tau^2 dt)                energy   integral of tau q' dt
/// by the trapezoid rule over the states, or plain means over them where their times do not increase.
#include <optional>
#include <string>
#include <vector>

#include "gough/dynamics/along.hpp"

namespace gough {

/// The value that is largest in size, with its sign and time.
struct Peak {
  double value = 0, t = 0;
  void look_at(double x, double at) {
    if (std::abs(x) > std::abs(value)) value = x, t = at;
  }
};

/// At the joint: N and m/s where `is_length`, otherwise N m and rad/s. At the motor: torque = force / ratio, speed =
/// ratio x speed.
struct ActuatorLoad {
  std::string actuator;
  bool is_length = false;
  std::optional<double> ratio;  ///< motor radians per joint unit, where there is a gear or screw
  Peak force, speed, acceleration, power;
  double lowest = 0, highest = 0;      ///< positions [m or rad]
  double lowest_t = 0, highest_t = 0;  ///< and when
  double rms_force = 0;
  std::optional<double> energy;                                     ///< [J]; none where times do not increase
  std::optional<double> braking;                                    ///< the part of it that came back, >= 0 [J]
  double force_limit = 0, speed_limit = 0, acceleration_limit = 0;  ///< infinite where none is given
  Range position_limit;

  /// "'leg1.drive': force 45.2 N at t = 0.1 is above its limit 40 N", one for each limit exceeded.
  std::vector<std::string> beyond() const;
};

/// Takes states one by one.
class Sizing {
 public:
  /// `timed`: the states' times are times; otherwise labels.
  explicit Sizing(const Mechanism<double>& m, bool timed = true);
  void add(const AlongRow& row);
  std::vector<ActuatorLoad> loads() const;
  bool in_time() const { return in_time_ && rows_ > 1; }
  std::size_t rows() const { return rows_; }
  double start() const { return start_; }
  double end() const { return last_t_; }
  /// A position of another joint, or of the platform, that was outside its limits first, with its time.
  const std::string& beyond() const { return beyond_; }

 private:
  const Mechanism<double>& m_;
  std::vector<ActuatorLoad> loads_;
  VecX<double> squares_, square_integral_, energy_, braking_;  ///< per actuator
  VecX<double> last_tau_, last_power_;
  double start_ = 0, last_t_ = 0;
  std::size_t rows_ = 0;
  bool in_time_ = true;
  std::string beyond_;
};

}  // namespace gough
