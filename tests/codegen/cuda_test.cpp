/// The CUDA dialect, run thread by thread by a C++ compiler: the same numbers as the tape's, state by state.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "codegen/generated.hpp"

namespace gough {
namespace {

/// The device's words for a compiler that does not know them.
const std::string stand_in =
    "#include <stddef.h>\n#include <stdio.h>\n#define __device__\n#define __global__\n"
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
    out += fmt::format("  const double {}[] = {{{}}};\n", a.name, fmt::join(numbers, ", "));
    names.push_back(a.name);
  }
  const OutputArray& o = p.outputs[0];
  out += fmt::format("  double {}[{}]; int status[{}];\n  blockDim.x = 2;\n", o.name, o.value.size() * n, n);
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

TEST(CudaDialect, ComputesEachStateOfABatch) {
  const Mechanism<double>& m = shipped("five_bar");
  const Program p = generate(m, {"forward", "actuators"});
  std::vector<std::vector<double>> states;
  for (int s = 0; s < 5; ++s) states.push_back({2.3 + 0.05 * s, 0.8 - 0.04 * s, 0.3 * s, -0.2 * s, 1.0, -2.0 + s});
  const SourceText text = emit_cuda(p);
  const std::string source =
      text.source.substr(0, text.source.find("\nint " + p.name + "_batch"));  // <<<>>> is not C++
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "gough_cuda";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / (p.name + ".h")) << text.header;
  std::ofstream(folder / "run.cpp") << stand_in << source << around(p, states);
  const std::string run = (folder / "run").string();
  ASSERT_EQ(std::system(fmt::format("c++ -Wall -Wextra {0}.cpp -o {0} && {0} > {0}.txt", run).c_str()), 0);
  std::ifstream results(run + ".txt");
  for (const auto& s : states)
    for (const double expected : evaluate(p, s)) {
      double got = 0;
      results >> got;
      EXPECT_NEAR(got, expected, 1e-12 * (1 + std::abs(expected)));
    }
}

TEST(CudaDialect, HasADeviceFunctionAKernelAndALauncher) {
  const std::string text = emit_cuda(generate(shipped("palida"), {"inverse", "platform"})).source;
  for (const std::string part :
       {"__device__ static int palida_inverse_state(", "__global__ void palida_inverse_kernel(",
        "int palida_inverse_batch(", "palida_inverse_kernel<<<"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace gough
