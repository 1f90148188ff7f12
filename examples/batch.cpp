/// Many states at once: generated code in vectors on all cores, or on a GPU where there is one.
///
///   example_batch                         compiles robots/palida.yaml here, for this machine's processor
///   example_batch PALIDA.so [STATES]    what `gough compile robots/palida.yaml --from platform --gpu -o PALIDA.so` wrote
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <gough/gough.hpp>
#include <random>

namespace {

using On = gough::CompiledProgram::On;

/// States around home: pose, rates, accelerations; entry i of state s of n at [i n + s].
std::vector<double> states(std::size_t n) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  std::vector<double> in(18 * n);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = (i / n == 2 ? -0.65 : 0.0) + uniform(random);
  return in;
}

double seconds(const gough::CompiledProgram& p, On on, const std::vector<double>& in, std::vector<double>& tau,
               std::vector<int>& status) {
  p.batch(in, tau, status, on);  // the first one also starts threads, or the GPU
  const auto start = std::chrono::steady_clock::now();
  p.batch(in, tau, status, on);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string compiled_here() {
  std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("palida_{}.so", std::random_device()())).string();
  const auto robot = gough::load_robot("robots/palida.yaml");
  gough::compile(gough::generate(robot, {.what = "inverse", .from = "platform", .many_states = true}), file,
                 {.batch = true});
  return file;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : compiled_here();
  const gough::CompiledProgram inverse(file);
  if (argc == 1) std::filesystem::remove(file);

  const std::size_t n = argc > 2 ? std::stoul(argv[2]) : 200'000;
  const std::vector<double> in = states(n);
  std::vector<double> tau(6 * n), other(6 * n);
  std::vector<int> status(n);
  const double here = seconds(inverse, On::cpu, in, tau, status);
  const auto bad = n - static_cast<std::size_t>(std::count(status.begin(), status.end(), 0));
  fmt::print("processor, {}: {} states, {} of them not to be used\n", inverse.batch_instructions(), n, bad);

  std::string why;
  if (const std::string gpu = inverse.gpu(&why); gpu.empty())
    fmt::print("no GPU ({}): batches stay on the processor\n", why);
  else {
    const double there = seconds(inverse, On::gpu, in, other, status);
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < tau.size(); ++i)
      worst = std::max(worst, std::abs(tau[i] - other[i])), largest = std::max(largest, std::abs(tau[i]));
    fmt::print(
        "{}: {:.3g} states/s with the way there and back, {:.3g} on the processor; forces differ by {:.1e} of {:.3g} "
        "N\n",
        gpu, static_cast<double>(n) / there, static_cast<double>(n) / here, worst, largest);
    if (worst > 1e-10 * largest) return 1;
  }
  return bad == 0 ? 0 : 1;
}
