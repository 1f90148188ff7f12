#include "gough/dynamics/sizing.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gough {
namespace {

constexpr double slack = 1e-12;  ///< of positions, as in the kinematics

std::string beyond_text(const ActuatorLoad& a, std::string_view what, double value, double t, std::string_view side,
                        double limit, std::string_view unit) {
  return fmt::format("'{}': {} {:.6g} {} at t = {:g} is {} its limit {:.6g} {}", a.actuator, what, value, unit, t, side,
                     limit, unit);
}

}  // namespace

std::vector<std::string> ActuatorLoad::beyond() const {
  std::vector<std::string> all;
  const auto size = [&](std::string_view what, const Peak& peak, double limit, std::string_view unit) {
    if (std::abs(peak.value) > limit * (1 + slack))
      all.push_back(beyond_text(*this, what, peak.value, peak.t, "beyond", limit, unit));
  };
  size("force", force, force_limit, is_length ? "N" : "N m");
  size("speed", speed, speed_limit, is_length ? "m/s" : "rad/s");
  size("acceleration", acceleration, acceleration_limit, is_length ? "m/s^2" : "rad/s^2");
  const std::string_view unit = is_length ? "m" : "rad";
  if (lowest < position_limit.lower - slack)
    all.push_back(beyond_text(*this, "position", lowest, lowest_t, "below", position_limit.lower, unit));
  if (highest > position_limit.upper + slack)
    all.push_back(beyond_text(*this, "position", highest, highest_t, "above", position_limit.upper, unit));
  return all;
}

Sizing::Sizing(const Mechanism<double>& m, bool timed) : m_(m), in_time_(timed) {
  const auto n = static_cast<Eigen::Index>(m.actuator.size());
  squares_ = square_integral_ = energy_ = braking_ = last_tau_ = last_power_ = VecX<double>::Zero(n);
  for (const int c : m.actuator) {
    const Coordinate& x = m.coordinate[static_cast<std::size_t>(c)];
    ActuatorLoad a;
    a.actuator = x.name;
    a.is_length = x.is_length;
    if (x.has_drive) a.ratio = m.ratio[static_cast<std::size_t>(c)];
    a.force_limit = x.force;
    a.speed_limit = x.velocity;
    a.acceleration_limit = x.acceleration;
    a.position_limit = x.position;
    loads_.push_back(a);
  }
}

void Sizing::add(const AlongRow& row) {
  const double dt = row.t - last_t_;
  if (rows_ > 0 && !(dt > 0)) in_time_ = false;
  if (rows_ == 0) start_ = row.t;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    ActuatorLoad& a = loads_[i];
    const int c = m_.actuator[i];
    const double q = row.w.q[position_index(m_, c)], v = row.w.v[c], tau = row.w.tau[k], power = tau * v;
    a.force.look_at(tau, row.t);
    a.speed.look_at(v, row.t);
    a.acceleration.look_at(row.w.a[c], row.t);
    a.power.look_at(power, row.t);
    if (rows_ == 0 || q < a.lowest) a.lowest = q, a.lowest_t = row.t;
    if (rows_ == 0 || q > a.highest) a.highest = q, a.highest_t = row.t;
    squares_[k] += tau * tau;
    if (rows_ > 0) {
      square_integral_[k] += (last_tau_[k] * last_tau_[k] + tau * tau) * dt / 2;
      energy_[k] += (last_power_[k] + power) * dt / 2;
      braking_[k] -= (std::min(last_power_[k], 0.0) + std::min(power, 0.0)) * dt / 2;
    }
    last_tau_[k] = tau;
    last_power_[k] = power;
  }
  if (beyond_.empty() && !row.beyond.empty()) beyond_ = fmt::format("t = {:g}: {}", row.t, row.beyond);
  last_t_ = row.t;
  ++rows_;
}

std::vector<ActuatorLoad> Sizing::loads() const {
  std::vector<ActuatorLoad> all = loads_;
  for (std::size_t i = 0; i < all.size() && rows_ > 0; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    all[i].rms_force =
        std::sqrt(in_time() ? square_integral_[k] / (last_t_ - start_) : squares_[k] / static_cast<double>(rows_));
    if (!in_time()) continue;
    all[i].energy = energy_[k];
    all[i].braking = braking_[k];
  }
  return all;
}

}  // namespace gough
