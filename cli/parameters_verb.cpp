/// parameters: what motions show of a robot's inertias.
#include "gough/gough.hpp"
#include "verbs.hpp"

int parameters(const Options& o) {
  const auto m = gough::load_robot(o.robot);
  const gough::BaseParameters b = gough::base_parameters(m, {o.identical_legs, o.symmetric});
  return print(o.json ? gough::parameters_json(b) : gough::parameters_text(m, b));
}
