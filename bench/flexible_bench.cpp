/// Beams along motions: the time of a whole motion, and how much faster than the robot itself that is.
#include "bench.hpp"

namespace {

using namespace gough;

struct BenchedMotion {
  const char *robot, *file;
  int frequencies;  ///< at every second step
};

void flex(benchmark::State& state, const BenchedMotion& which) {
  const auto m = load_robot(robot_file(which.robot));
  const std::string file = std::string(GOUGH_SOURCE_DIR) + "/motions/" + which.file + ".yaml";
  const KnownMotion motion = load_known_motion(file, m, 5e-4, ElasticMotion::locked);
  FlexOptions options;
  options.every = 2;
  options.frequencies = which.frequencies;
  std::size_t coordinates = 0;
  for (auto _ : state) {
    const FlexAnswer a = flex_along(m, motion.states, options, [](const FlexResult& r) {
      benchmark::DoNotOptimize(r.error.data());
      return true;
    });
    if (!a.ok()) state.SkipWithError(a.along.reason.c_str());
    coordinates = static_cast<std::size_t>(a.coordinates);
  }
  const auto steps = static_cast<double>(motion.states.size() - 1);
  state.counters["coordinates"] = static_cast<double>(coordinates);
  state.counters["step"] = benchmark::Counter(steps * static_cast<double>(state.iterations()),
                                              benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["simulated_s"] =
      benchmark::Counter(5e-4 * steps * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

/// Rigid motion and bending together over a tenth of a second, drives on the circle; and motion from forces alone.
void coupled(benchmark::State& state, bool driven) {
  constexpr double time = 0.1;
  const auto rigid = load_robot(robot_file("rrr3_flexible"));
  ModesOptions modes;
  modes.modes = 4;
  const auto bent = load_bent_robot(robot_file("rrr3_flexible"), modes).mechanism;
  KnownMotion motion = load_known_motion(std::string(GOUGH_SOURCE_DIR) + "/motions/rrr3_circle.yaml", rigid, 1e-3,
                                         ElasticMotion::locked);
  motion.states.resize(static_cast<std::size_t>(time / 1e-3) + 1);
  const DesiredPath path(rigid, motion.states);
  SimulationOptions options;
  options.integrator.tolerance = bending_tolerance;
  for (auto _ : state) {
    if (driven) {
      benchmark::DoNotOptimize(coupled_path(bent, path, DriveMotion(path.motion), {}, {}).rms);
    } else {
      Workspace<double> w(bent);
      w.tau.setConstant(0.01);
      simulate(bent, w, path.t, options, {}, [](const SimulationRow&) { return true; });
    }
  }
  state.counters["simulated_s"] =
      benchmark::Counter(time * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

}  // namespace

void gough::register_flexible() {
  for (const bool driven : {true, false})
    benchmark::RegisterBenchmark(fmt::format("coupled/rrr3_flexible/{}", driven ? "drives" : "forces").c_str(), coupled,
                                 driven)
        ->Unit(benchmark::kMillisecond);
  for (const BenchedMotion& motion :
       {BenchedMotion{"rrr3_flexible", "rrr3_circle", 3}, BenchedMotion{"rrr3_flexible", "rrr3_circle", 0},
        BenchedMotion{"five_bar_flexible", "five_bar_reach", 3}, BenchedMotion{"delta_flexible", "delta_pick", 3},
        BenchedMotion{"hexapod_flexible", "hexapod_circle", 3}})
    benchmark::RegisterBenchmark(
        fmt::format("flex/{}{}", motion.robot, motion.frequencies == 0 ? "/no_frequencies" : "").c_str(), flex, motion)
        ->Unit(benchmark::kMillisecond);
}
