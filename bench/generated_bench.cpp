/// Generated code of palida: one state after the other, each waiting for the one before, and many at once.
#include <palida_forward_batch.h>
#include <palida_forward_lanes.h>
#include <palida_inverse_batch.h>
#include <palida_inverse_lanes.h>

#include <random>

#include "bench.hpp"
#include "roof.h"
#include "set_up.hpp"

namespace {

using Numbers = std::vector<double>;

/// States around home that move, entry after entry: pose, rates, and either accelerations or forces.
Numbers states(std::size_t n, bool forces) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers all(18 * n);
  for (std::size_t i = 0; i < 18; ++i)
    for (std::size_t s = 0; s < n; ++s) {
      const double x = uniform(random);
      all[i * n + s] = i < 2 ? 0.05 * x : i == 2 ? -0.65 + 0.05 * x : i < 6 ? 0.2 * x : i < 12 || !forces ? x : 100 * x;
    }
  return all;
}

void inverse(benchmark::State& state) {
  const auto c = gough::set_up(palida_inverse_default, palida_inverse_setup);
  Numbers x = states(1, false), tau(6);
  double* const i = x.data();
  for (auto _ : state) {
    i[0] += 1e-300 * tau[0];  // the next waits for this one
    benchmark::DoNotOptimize(palida_inverse(&c, i, i + 3, i + 6, i + 9, i + 12, i + 15, tau.data()));
  }
}
void forward(benchmark::State& state) {
  const auto c = gough::set_up(palida_forward_default, palida_forward_setup);
  Numbers x = states(1, true), a(6);
  double* const i = x.data();
  for (auto _ : state) {
    i[0] += 1e-300 * a[0];
    benchmark::DoNotOptimize(palida_forward(&c, i, i + 3, i + 6, i + 9, i + 12, a.data(), a.data() + 3));
  }
}

void inverse_lanes(benchmark::State& state) {
  const auto c = gough::set_up(palida_inverse_lanes_default, palida_inverse_lanes_setup);
  Numbers x = states(1, false), tau(6);
  double* const i = x.data();
  for (auto _ : state) {
    i[0] += 1e-300 * tau[0];
    benchmark::DoNotOptimize(palida_inverse_lanes(&c, i, i + 3, i + 6, i + 9, i + 12, i + 15, tau.data()));
  }
}
void forward_lanes(benchmark::State& state) {
  const auto c = gough::set_up(palida_forward_lanes_default, palida_forward_lanes_setup);
  Numbers x = states(1, true), a(6);
  double* const i = x.data();
  for (auto _ : state) {
    i[0] += 1e-300 * a[0];
    benchmark::DoNotOptimize(palida_forward_lanes(&c, i, i + 3, i + 6, i + 9, i + 12, a.data(), a.data() + 3));
  }
}

constexpr std::size_t many = 2048;
void inverse_batch(benchmark::State& state) {
  const auto c = gough::set_up(palida_inverse_default, palida_inverse_setup);
  const Numbers x = states(many, false);
  Numbers tau(6 * many);
  std::vector<int> status(many);
  const double* const i = x.data();
  for (auto _ : state) {
    palida_inverse_batch(&c, many, 0, many, i, i + 3 * many, i + 6 * many, i + 9 * many, i + 12 * many, i + 15 * many,
                         tau.data(), status.data());
    benchmark::ClobberMemory();
  }
  state.counters["ns_per_state"] = benchmark::Counter(
      static_cast<double>(many) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
void forward_batch(benchmark::State& state) {
  const auto c = gough::set_up(palida_forward_default, palida_forward_setup);
  const Numbers x = states(many, true);
  Numbers a(6 * many);
  std::vector<int> status(many);
  const double* const i = x.data();
  for (auto _ : state) {
    palida_forward_batch(&c, many, 0, many, i, i + 3 * many, i + 6 * many, i + 9 * many, i + 12 * many, a.data(),
                         a.data() + 3 * many, status.data());
    benchmark::ClobberMemory();
  }
  state.counters["ns_per_state"] = benchmark::Counter(
      static_cast<double>(many) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void multiply_adds(benchmark::State& state) {
  constexpr std::size_t n = 1000;
  for (auto _ : state) benchmark::DoNotOptimize(roof_multiply_adds(n));
  state.counters["operations"] =
      benchmark::Counter(static_cast<double>(roof_operations(n)), benchmark::Counter::kIsIterationInvariantRate);
}
void move(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Numbers x(18 * n, 1.0);
  Numbers y(6 * n);
  for (auto _ : state) {
    roof_move(n, x.data(), y.data());
    benchmark::ClobberMemory();
  }
  state.counters["ns_per_state"] = benchmark::Counter(
      static_cast<double>(n) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

void gough::register_generated() {
  const auto add = [](const char* name, void (*run)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, run)->MinTime(0.1)->Repetitions(repetitions);
  };
  add("roof/multiply_adds", multiply_adds);
  benchmark::RegisterBenchmark("roof/move", move)->Arg(2048)->Arg(1 << 20)->MinTime(0.1)->Repetitions(repetitions);
  add("generated/inverse_lanes", inverse_lanes);
  add("generated/forward_lanes", forward_lanes);
  add("generated/inverse", inverse);
  add("generated/forward", forward);
  add("generated/inverse_of_2048", inverse_batch);
  add("generated/forward_of_2048", forward_batch);
}
