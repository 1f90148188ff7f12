/// A controller of one's own on a robot that differs from its model: feedforward of the model's forces, and a spring and a
/// damper at each drive. Prints the largest error of each drive beside those of computed force.
#include <fmt/format.h>

#include <gough/gough.hpp>

namespace {

gough::VecX<double> largest_errors(const gough::Mechanism<double>& plant, const gough::Reference& path,
                                   const gough::ControlLaw& law) {
  gough::SamplingOptions sampling;
  sampling.encoder = 1e-6;         // m
  sampling.velocity_filter = 500;  // Hz
  gough::SimulationOptions options;
  options.hold = path.period;
  options.dry = gough::DryFriction::smooth;
  options.integrator.method = gough::Method::rk4;
  options.integrator.fixed_step = path.period / 2;
  gough::Workspace<double> w(plant);
  w.q = gough::standing_at(plant, path.rows.front().q).q;
  const std::vector<double> times = gough::even_times(0, path.rows.back().state.t, path.period);
  gough::VecX<double> most = gough::VecX<double>::Zero(static_cast<Eigen::Index>(plant.actuator.size()));
  const auto answer = gough::simulate(
      plant, w, times, options, gough::sampled(plant, path, law, sampling), [&](const gough::SimulationRow& row) {
        const gough::VecX<double> wanted = gough::desired_at(path, row.t).q;
        for (Eigen::Index i = 0; i < most.size(); ++i) {
          const int drive = plant.actuator[static_cast<std::size_t>(i)];
          most[i] = std::max(most[i], std::abs(wanted[i] - row.w.q[gough::position_index(plant, drive)]));
        }
        return true;
      });
  if (!answer.ok()) fmt::print("ended at t = {:g} s: {}\n", answer.t, answer.reason);
  return 1e6 * most;
}

}  // namespace

int main() {
  const auto model = gough::load_robot("robots/palida.yaml");
  const auto plant = gough::different(model, {.identical_legs = true, .symmetric = true}, 0.05, 0.10, 1);
  const auto path = gough::reference_of(model, gough::load_motion("motions/palida_circle.yaml", model), 5e-4);

  const gough::ControlLaw mine = [](const gough::ControlSample& s) -> gough::VecX<double> {
    return s.ahead.tau + 4e4 * (s.desired_q - s.q) + 1.2e3 * (s.desired_v - s.v);
  };
  const auto by_mine = largest_errors(plant, path, mine);
  const auto by_force = largest_errors(plant, path, gough::computed_force(gough::gains_for(model, {})));
  fmt::print("largest errors [um]   mine  computed force\n");
  for (Eigen::Index i = 0; i < by_mine.size(); ++i) {
    const auto& drive = model.coordinate[static_cast<std::size_t>(model.actuator[static_cast<std::size_t>(i)])];
    fmt::print("  {:<16}{:>10.0f}{:>16.0f}\n", drive.name, by_mine[i], by_force[i]);
  }
}
