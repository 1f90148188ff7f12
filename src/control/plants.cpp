#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "gough/control/control.hpp"
#include "gough/error.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {

Mechanism<double> different(const Mechanism<double>& model, const ParameterOptions& options, double base_share,
                            double friction_share, unsigned seed) {
  const BaseParameters b = base_parameters(model, options);
  const MatX<double> K = b.combinations();
  VecX<double> change = K * b.space.value;
  std::mt19937 random(seed);
  for (Eigen::Index i = 0; i < change.size(); ++i)
    change[i] *= (random() % 2 == 0 ? 1 : -1) * (i < b.rank() ? base_share : friction_share);
  return with_parameters(model, b.space, b.space.value + least_squares(K, change));
}

Mechanism<double> with_payload(const Mechanism<double>& m, double mass) {
  if (!m.platform.exists()) throw Error(m.name + ": read a payload, expected a robot with a platform");
  if (!(mass >= 0) || !std::isfinite(mass))
    throw Error(fmt::format("{}: read a payload of {} kg, expected 0 or more", m.name, mass));
  Mechanism<double> other = m;
  Inertia<double> load;
  load.mass = mass;
  Inertia<double>& I = other.inertia[static_cast<std::size_t>(m.platform.body)];
  I = I + m.platform_frame * load;
  other.has_inertia[static_cast<std::size_t>(m.platform.body)] = true;
  return other;
}

Mechanism<double> without_friction(const Mechanism<double>& m) {
  Mechanism<double> other = m;
  std::fill(other.coefficient.begin(), other.coefficient.end(), 0.0);
  return other;
}

}  // namespace gough
