/// Dynamics: time per evaluation for every robot and formulation, allocations per evaluation (0 in steady state), and the
/// hand-written hexapod.
#include <algorithm>
#include <filesystem>

#include "../tests/allocations.hpp"
#include "bench.hpp"
#include "handwritten_hexapod.hpp"

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
  if (inverse) measure(state, [&] { benchmark::DoNotOptimize(inverse_dynamics(r.m, r.w, d).residual); });
  else measure(state, [&] { benchmark::DoNotOptimize(forward_dynamics(r.m, r.w, d).residual); });
}

void from_platform(benchmark::State& state, const std::string& robot) {
  Moving r(robot);
  Dynamics<double> d(r.m, r.w);
  d.external = false;
  const PlatformRates<double> rates = platform_rates(r.m, r.w);
  const Transform<double> pose = platform_pose(r.m, r.w);
  measure(state, [&] { benchmark::DoNotOptimize(inverse_dynamics(r.m, pose, rates, r.w, d).residual); });
}

/// The hand-written one at the same state.
struct ByHand {
  HandwrittenHexapod h;
  Transform<double> pose;
  PlatformRates<double> x;
  Vec6<double> tau;

  ByHand() {
    Moving r("hexapod");
    pose = platform_pose(r.m, r.w);
    x = platform_rates(r.m, r.w);
    tau = h.inverse(pose.R, pose.p, x.v, x.w, x.a, x.dw);
  }
};

void by_hand_inverse(benchmark::State& state) {
  ByHand b;
  measure(state, [&] { benchmark::DoNotOptimize(b.h.inverse(b.pose.R, b.pose.p, b.x.v, b.x.w, b.x.a, b.x.dw)); });
}
void by_hand_forward(benchmark::State& state) {
  ByHand b;
  measure(state, [&] { benchmark::DoNotOptimize(b.h.forward(b.pose.R, b.pose.p, b.x.v, b.x.w, b.tau)); });
}

}  // namespace

void gough::register_dynamics() {
  constexpr double seconds = 0.05;
  std::vector<std::string> robots;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GOUGH_SOURCE_DIR) + "/robots"))
    if (entry.path().extension() == ".yaml") robots.push_back(entry.path().stem().string());
  std::sort(robots.begin(), robots.end());
  benchmark::RegisterBenchmark("handwritten/inverse", by_hand_inverse);
  benchmark::RegisterBenchmark("handwritten/forward", by_hand_forward);
  for (const std::string& robot : robots) {
    for (const bool inverse : {true, false})
      for (const Formulation by : all_formulations) {
        const std::string title = fmt::format("{}/{}/{}", inverse ? "inverse" : "forward", robot, name(by));
        const bool flagship = robot == "hexapod" && by == Formulation::legs;  // its ratio is reported: measure longer
        benchmark::RegisterBenchmark(title.c_str(), dynamics, robot, by, inverse)->MinTime(flagship ? 0.5 : seconds);
      }
    if (robot == "hexapod" || robot == "hexa" || robot == "palida" || robot == "delta")
      benchmark::RegisterBenchmark(fmt::format("inverse_from_platform/{}/legs", robot).c_str(), from_platform, robot);
  }
}
