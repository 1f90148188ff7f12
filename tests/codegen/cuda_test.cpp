/// The CUDA dialect, run thread by thread by a C++ compiler: the same numbers as the tape's, state by state.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "codegen/generated.hpp"

namespace gough::cuda_test {
namespace {

/// The device's words for a compiler that does not know them.
const std::string stand_in =
    "#include <math.h>\n#include <stddef.h>\n#include <stdio.h>\n#define __device__\n#define __global__\n"
    "#define __launch_bounds__(threads, blocks)\nstatic inline double rsqrt(double x) { return 1 / sqrt(x); }\n"
    "static struct { unsigned x; } blockIdx, blockDim, threadIdx;\n";

/// Five states of the five-bar, one after the other in `states`, through the kernel.
std::string around(const Program& p, const std::vector<std::vector<double>>& states) {
  const auto n = states.size();
  std::string out = fmt::format("int main() {{\n  {0}_parameters par; {0}_constants c;\n", p.name);
  out += fmt::format("  {0}_default(&par); {0}_setup(&par, &c);\n", p.name);
  std::size_t first = 0;
  std::vector<std::string> names;
  for (const InputArray& a : p.inputs) {
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < a.symbol.size(); ++i)
      for (const auto& s : states) numbers.push_back(fmt::format("{:.17g}", s[first + i]));
    first += a.symbol.size();
    out += fmt::format("  const {}_real {}[] = {{{}}};\n", p.name, a.name, fmt::join(numbers, ", "));
    names.push_back(a.name);
  }
  const OutputArray& o = p.outputs[0];
  out += fmt::format("  {}_real {}[{}]; int status[{}];\n  blockDim.x = 2;\n", p.name, o.name, o.value.size() * n, n);
  names.insert(names.end(), {o.name, "status"});
  out +=
      "  for (blockIdx.x = 0; blockIdx.x < 3; ++blockIdx.x)\n    for (threadIdx.x = 0; threadIdx.x < 2; "
      "++threadIdx.x)\n";
  out += fmt::format("      {}_kernel(c, {}, {});\n", p.name, n, fmt::join(names, ", "));
  out += fmt::format(
      "  for (int s = 0; s < {0}; ++s)\n    for (int i = 0; i < {1}; ++i) printf(\"%.17g\\n\", {2}[i * {0} + s]);\n", n,
      o.value.size(), o.name);
  return out + "}\n";
}

/// Five states of a program through the kernel; the results state by state.
std::vector<double> through_kernel(const Program& p, const std::vector<std::vector<double>>& states,
                                   const std::string& options) {
  const SourceText text = emit_cuda(p);
  const std::string source =
      text.source.substr(0, text.source.find("\nint " + p.name + "_batch"));  // <<<>>> is not C++
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("gough_cuda_{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / (p.name + ".h")) << text.header;
  std::ofstream(folder / "run.cpp") << stand_in << source << around(p, states);
  const std::string run = (folder / "run").string();
  EXPECT_EQ(std::system(fmt::format("c++ -Wall -Wextra {1} {0}.cpp -o {0} && {0} > {0}.txt", run, options).c_str()), 0);
  std::ifstream results(run + ".txt");
  std::vector<double> all;
  for (double x = 0; results >> x;) all.push_back(x);
  std::filesystem::remove_all(folder);
  return all;
}

void expect_each(const Program& p, const std::vector<std::vector<double>>& states, const std::string& options,
                 double share) {
  const std::vector<double> got = through_kernel(p, states, options);
  std::size_t k = 0;
  for (const auto& s : states) {
    const std::vector<double> expected = evaluate(p, s);
    ASSERT_GE(got.size(), k + p.outputs[0].value.size());
    double size = 0;
    for (std::size_t i = 0; i < p.outputs[0].value.size(); ++i) size = std::max(size, std::abs(expected[i]));
    for (std::size_t i = 0; i < p.outputs[0].value.size(); ++i) EXPECT_NEAR(got[k++], expected[i], share * size);
  }
  EXPECT_EQ(got.size(), k);
}

std::vector<std::vector<double>> states_of_five_bar() {
  std::vector<std::vector<double>> states;
  for (int s = 0; s < 5; ++s) states.push_back({2.3 + 0.05 * s, 0.8 - 0.04 * s, 0.3 * s, -0.2 * s, 1.0, -2.0 + s});
  return states;
}

TEST(CudaDialect, ComputesEachStateOfABatch) {
  expect_each(generate(shipped("five_bar"), {"forward", "actuators"}), states_of_five_bar(), "", 1e-12);
}

TEST(CudaDialect, ComputesInFloatToo) {
  expect_each(generate(shipped("five_bar"), {"forward", "actuators"}), states_of_five_bar(),
              "-DFIVE_BAR_FORWARD_SINGLE", 1e-4);
}

/// Roots and reciprocals of palida's struts come from 1 / sqrt(x).
TEST(CudaDialect, ComputesTheForcesOfPalida) {
  std::vector<std::vector<double>> states;
  for (int s = 0; s < 5; ++s)
    states.push_back({0.02 * s, -0.03, -0.65, 0.1, -0.1 * s, 0.2, 0.3, 0.2, -0.1, 0.5, -0.4, 0.3, 1, 2, -1, 2, -3, 1});
  states.push_back({0, 0, -0.65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const Program p = generate(shipped("palida"), {.what = "inverse", .from = "platform", .many_states = true});
  EXPECT_NE(emit_cuda(p).source.find("= rsqrt("), std::string::npos);
  expect_each(p, states, "", 1e-12);
}

TEST(CudaDialect, HasADeviceFunctionAKernelAndALauncher) {
  const std::string text = emit_cuda(generate(shipped("palida"), {"inverse", "platform"})).source;
  for (const std::string part : {"__device__ static int palida_inverse_state(",
                                 "__global__ void __launch_bounds__(128, 3) palida_inverse_kernel(",
                                 "int palida_inverse_batch(", "palida_inverse_kernel<<<"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace gough::cuda_test
