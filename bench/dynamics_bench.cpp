/// Dynamics: time per evaluation for every robot and formulation, allocations per evaluation (0 in steady state), and the
/// hand-written hexapod.
#include <algorithm>
#include <filesystem>

#include "../tests/allocations.hpp"
#include "bench.hpp"
#include "by_hand/by_hand.h"

namespace {

using namespace gough;

/// A robot near home, moving, with its forces known.
struct Moving {
  Mechanism<double> m;
  Workspace<double> w;

  explicit Moving(const std::string& robot) : m(load_robot(robot_file(robot))), w(m) {
    w.q = poses_near_home(m, 3).back();
    tree_positions(m, w);
    closure(m, w);
    const Selection s = select_any(m, w, m.rank);
    ExplicitForm<double> form(m, s);
    const VecX<double> y = VecX<double>::Constant(static_cast<Eigen::Index>(s.independent.size()), 0.3);
    explicit_motion(m, w, s, form, y, y);
  }
};

/// Runs `evaluate` and counts what it allocates after a first time.
template <class Evaluate>
void measure(benchmark::State& state, Evaluate&& evaluate) {
  evaluate();
  const long before = allocations();
  for (auto _ : state) evaluate();
  state.counters["allocations"] = static_cast<double>(allocations() - before) / static_cast<double>(state.iterations());
}

void dynamics(benchmark::State& state, const std::string& robot, Formulation by, bool inverse) {
  Moving r(robot);
  if (const std::string why = not_applicable(r.m, r.w, by); !why.empty()) return state.SkipWithError(why.c_str());
  Dynamics<double> d(r.m, r.w, {.by = by});
  d.external = false;
  if (const DynamicsAnswer a = inverse_dynamics(r.m, r.w, d); !a.ok() && a.status != Status::under_actuated)
    return state.SkipWithError(a.reason.c_str());
  warm_up(r.m, r.w, d);
  state.SetLabel(d.programs.now(inverse).routine ? d.programs.now(inverse).routine->runs_as() : "kernels");
  if (inverse) measure(state, [&] { benchmark::DoNotOptimize(inverse_dynamics(r.m, r.w, d).residual); });
  else measure(state, [&] { benchmark::DoNotOptimize(forward_dynamics(r.m, r.w, d).residual); });
}

void from_platform(benchmark::State& state, const std::string& robot) {
  Moving r(robot);
  Dynamics<double> d(r.m, r.w);
  d.external = false;
  const PlatformRates<double> rates = platform_rates(r.m, r.w);
  const Transform<double> pose = platform_pose(r.m, r.w);
  warm_up(r.m, r.w, d);
  measure(state, [&] { benchmark::DoNotOptimize(inverse_dynamics(r.m, pose, rates, r.w, d).residual); });
}

/// The hand-written one at the same state, each evaluation waiting for the one before.
struct ByHand {
  by_hand_state x;
  std::array<double, 6> tau{}, a{};

  ByHand() {
    const Moving r("hexapod");
    Workspace<double> w = r.w;
    const Transform<double> pose = platform_pose(r.m, w);
    const PlatformRates<double> rates = platform_rates(r.m, w);
    const auto copy = [](const auto& from, double* to) { std::copy(from.data(), from.data() + from.size(), to); };
    copy(pose.R, x.R), copy(pose.p, x.p), copy(rates.v, x.v), copy(rates.w, x.w), copy(rates.a, x.a),
        copy(rates.dw, x.dw);
    by_hand_inverse(&x, tau.data());
  }
};

void handwritten_inverse(benchmark::State& state) {
  ByHand b;
  measure(state, [&] {
    b.x.p[0] += 1e-300 * b.tau[0];
    by_hand_inverse(&b.x, b.tau.data());
    benchmark::ClobberMemory();
  });
}
void handwritten_forward(benchmark::State& state) {
  ByHand b;
  measure(state, [&] {
    b.x.p[0] += 1e-300 * b.a[0];
    by_hand_forward(&b.x, b.tau.data(), b.a.data());
    benchmark::ClobberMemory();
  });
}

/// 2048 states through the library's kernels, on all cores.
void batch(benchmark::State& state, const std::string& robot, bool inverse) {
  constexpr std::size_t n = 2048;
  Moving r(robot);
  inverse_dynamics(r.m, r.w);
  const DynamicsBatch many(r.m);
  const auto spread = [&](const VecX<double>& x) {
    std::vector<double> all;
    for (const double y : x) all.insert(all.end(), n, y);
    return all;
  };
  const std::vector<double> q = spread(r.w.q), v = spread(r.w.v), in = spread(inverse ? r.w.a : r.w.tau);
  std::vector<double> out(n * static_cast<std::size_t>(inverse ? r.w.tau.size() : r.w.a.size()));
  std::vector<Status> status(n);
  for (auto _ : state) {
    if (inverse) many.inverse(q, v, in, out, status);
    else many.forward(q, v, in, out, status);
    benchmark::ClobberMemory();
  }
  state.counters["us_per_state"] = benchmark::Counter(
      static_cast<double>(n) * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

void gough::register_dynamics() {
  constexpr double seconds = 0.05;
  std::vector<std::string> robots;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GOUGH_SOURCE_DIR) + "/robots"))
    if (entry.path().extension() == ".yaml") robots.push_back(entry.path().stem().string());
  std::sort(robots.begin(), robots.end());
  benchmark::RegisterBenchmark("handwritten/inverse", handwritten_inverse)->MinTime(0.1)->Repetitions(repetitions);
  benchmark::RegisterBenchmark("handwritten/forward", handwritten_forward)->MinTime(0.1)->Repetitions(repetitions);
  for (const std::string& robot : robots) {
    for (const bool inverse : {true, false})
      for (const Formulation by : all_formulations) {
        const std::string title = fmt::format("{}/{}/{}", inverse ? "inverse" : "forward", robot, name(by));
        const bool flagship = robot == "hexapod" && by == Formulation::legs;  // its ratio is reported: measure longer
        benchmark::RegisterBenchmark(title.c_str(), dynamics, robot, by, inverse)
            ->MinTime(flagship ? 0.1 : seconds)
            ->Repetitions(flagship ? repetitions : 1);
      }
    if (robot == "hexapod" || robot == "five_bar" || robot == "delta")
      for (const bool inverse : {true, false})
        benchmark::RegisterBenchmark(fmt::format("batch/{}/{}", inverse ? "inverse" : "forward", robot).c_str(), batch,
                                     robot, inverse);
    if (robot == "hexapod" || robot == "hexa" || robot == "palida" || robot == "delta" || robot == "rrr3" ||
        robot == "five_bar")
      benchmark::RegisterBenchmark(fmt::format("inverse_from_platform/{}/legs", robot).c_str(), from_platform, robot)
          ->MinTime(0.1)
          ->Repetitions(repetitions);
  }
}
