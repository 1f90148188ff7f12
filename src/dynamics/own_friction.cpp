#include "gough/dynamics/own_friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "gough/dynamics/loads.hpp"

namespace gough {
namespace {

struct Known {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const OwnFriction>> function;
};
Known& known() {
  static Known all;
  return all;
}

constexpr double difference_step =
    1e-5;  // of a speed: rounding and the formula's error are both near 1e-11 of the value

}  // namespace

double OwnFriction::derivative(int order, double v) const {
  if (order == 0) return value(v);
  if (order == 1 && slope) return slope(v);
  const double h = difference_step * std::max(1.0, std::abs(v));
  const auto f = [&](double x) { return derivative(order - 1, x); };
  return (8 * (f(v + h) - f(v - h)) - (f(v + 2 * h) - f(v - 2 * h))) / (12 * h);
}

void define_friction(const std::string& name, std::function<double(double)> value,
                     std::function<double(double)> slope) {
  if (std::find(friction_function_names.begin(), friction_function_names.end(), name) != friction_function_names.end())
    throw Error(fmt::format(
        "read '{}' as the name of a friction function, expected one that gough does not know itself", name));
  if (name.empty() || name.size() > 100 || !value)
    throw Error(fmt::format("read the friction function '{}', expected a name of 1 to 100 letters and a function",
                            name.substr(0, 100)));
  auto f = std::make_shared<const OwnFriction>(OwnFriction{name, std::move(value), std::move(slope)});
  const std::lock_guard lock(known().mutex);
  known().function[name].swap(f);
}  // what was known before ends here, after the lock: its end may run anything

std::shared_ptr<const OwnFriction> find_own_friction(const std::string& name) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().function.find(name);
  return found == known().function.end() ? nullptr : found->second;
}

std::vector<std::string> own_friction_names() {
  const std::lock_guard lock(known().mutex);
  std::vector<std::string> names;
  for (const auto& [name, f] : known().function) names.push_back(name);
  return names;
}

}  // namespace gough
