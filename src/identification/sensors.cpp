#include "gough/identification/sensors.hpp"

#include <cmath>
#include <numbers>

namespace gough {

Sensors::Sensors(const Mechanism<double>& m, const SensorOptions& options)
    : m_(m), options_(options), random_(options.seed) {}

std::vector<double> Sensors::row(double t, const Workspace<double>& w) {
  const auto uniform = [&] { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; };
  const auto normal = [&] {  // the same with every library
    const double r = std::sqrt(-2 * std::log(uniform()));
    return r * std::cos(2 * std::numbers::pi * uniform());
  };
  std::vector<double> values = {t};
  for (const int a : m_.actuator) {
    const double q = w.q[position_index(m_, a)];
    values.push_back(options_.step > 0 ? options_.step * std::round(q / options_.step) : q);
  }
  for (const double tau : w.tau) values.push_back(options_.noise > 0 ? tau + options_.noise * normal() : tau);
  return values;
}

}  // namespace gough
