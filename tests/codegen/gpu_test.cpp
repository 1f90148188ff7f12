/// Batches on a GPU, with a stand-in for NVIDIA's compiler that makes loops of launches: what is copied where, in parts, with
/// parameters, and what is said where there is no GPU. The numbers of a real one: bench/cuda.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "codegen/generated.hpp"
#include "gough/io/compiled.hpp"

namespace gough::gpu_test {
namespace {

constexpr const char* runtime = R"(#pragma once
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define __device__
#define __global__
#define __launch_bounds__(threads, blocks)
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static struct { unsigned x; } blockIdx, blockDim, threadIdx;
enum cudaError_t { cudaSuccess, cudaErrorNoDevice, cudaErrorLaunchFailure, cudaErrorMemoryAllocation };
typedef int *cudaStream_t;
#define cudaHostRegisterDefault 0
static inline cudaError_t cudaStreamCreate(cudaStream_t *s) { *s = (int *)malloc(1); return cudaSuccess; }
static inline cudaError_t cudaStreamDestroy(cudaStream_t s) { free(s); return cudaSuccess; }
static inline cudaError_t cudaHostRegister(void *, size_t, int) { return getenv("NO_REACH") == 0 ? cudaSuccess : cudaErrorMemoryAllocation; }
static inline cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }
static inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
struct cudaDeviceProp { char name[256]; };
static inline const char *cudaGetErrorString(cudaError_t e) {
  return e == cudaErrorNoDevice ? "no CUDA-capable device is detected" : e == cudaErrorMemoryAllocation ? "out of memory" : "no error";
}
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline cudaError_t cudaGetDeviceCount(int *n) {
  *n = getenv("NO_DEVICE") == 0;
  return *n == 0 ? cudaErrorNoDevice : cudaSuccess;
}
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int) { strcpy(p->name, "stand-in"); return cudaSuccess; }
static inline cudaError_t cudaMalloc(void **at, size_t bytes) {
  if (getenv("NO_MEMORY") != 0) return cudaErrorMemoryAllocation;
  *at = malloc(bytes);
  return cudaSuccess;
}
static inline cudaError_t cudaFree(void *at) { free(at); return cudaSuccess; }
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t) { memcpy(to, from, bytes); return cudaSuccess; }
static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows, cudaMemcpyKind, cudaStream_t) {
  for (size_t r = 0; r < rows; ++r) memcpy((char *)to + r * to_pitch, (const char *)from + r * from_pitch, width);
  return cudaSuccess;
}
)";

constexpr const char* compiler = R"sh(#!/bin/sh
here=$(dirname "$0")
case "$1" in -shared) exec c++ "$@" ;; esac
# -O3 -Xcompiler -fPIC -c SOURCE -o OBJECT
launch='s|\([a-z_0-9]*_kernel\)<<<\(.*\), [a-z0-9]*\(, 0, l.stream\)*>>>(\(.*\));|for (blockDim.x = 128, blockIdx.x = 0; blockIdx.x < (unsigned)(\2); ++blockIdx.x) for (threadIdx.x = 0; threadIdx.x < 128; ++threadIdx.x) \1(\4);|'
sed -i "$launch"'; s|^#include "|#include <cuda_runtime.h>\n&|' "$(dirname "$5")"/*_cuda.cu
sed -i "$launch" "$5"
exec c++ -Wall -Wextra -Werror -O1 -fPIC "-I$here" -x c++ -c "$5" -o "$7"
)sh";

class Gpu : public InAFolder {
 protected:
  void SetUp() override {
    InAFolder::SetUp();
    std::ofstream(folder_ / "cuda_runtime.h") << runtime;
    std::ofstream(folder_ / "compiler") << compiler;
    std::filesystem::permissions(folder_ / "compiler", std::filesystem::perms::owner_all);
    setenv("NVCC", (folder_ / "compiler").c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"NVCC", "NO_DEVICE", "NO_MEMORY", "NO_REACH"}) unsetenv(name);
    InAFolder::TearDown();
  }
  CompiledProgram compiled(const Program& p) const { return CompiledProgram(InAFolder::compiled(p, {.gpu = true})); }
};

struct Batch {
  std::vector<double> in, out;
  std::vector<int> status;
};
Batch palida_states(std::size_t n) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  Batch b{std::vector<double>(18 * n), std::vector<double>(6 * n, -1.0), std::vector<int>(n, -1)};
  for (std::size_t i = 0; i < 18 * n; ++i) b.in[i] = (i / n == 2 ? -0.65 : 0) + uniform(random);
  return b;
}

TEST_F(Gpu, ComputesWhatTheProcessorDoes) {
  CompiledProgram p =
      compiled(generate(shipped("palida"), {.what = "inverse", .from = "platform", .many_states = true}));
  EXPECT_EQ(p.gpu(), "stand-in");
  p.set_parameter("platform_mass", 1.1 * p.parameter("platform_mass"));
  Batch a = palida_states(1000), b = a;
  p.batch(a.in, a.out, a.status);
  p.batch(b.in, b.out, b.status, CompiledProgram::On::cpu);
  EXPECT_EQ(a.status, b.status);
  for (std::size_t i = 0; i < a.out.size(); ++i) ASSERT_NEAR(a.out[i], b.out[i], 1e-10) << i;
  EXPECT_NO_THROW(p.batch({}, {}, {})) << "nothing to do";
}

/// More states than the device takes at a time, of memory that it does not reach.
TEST_F(Gpu, TakesManyStatesInParts) {
  setenv("NO_REACH", "1", 1);
  const CompiledProgram p =
      compiled(generate(shipped("five_bar"), {.what = "inverse", .from = "actuators", .fold = true}));
  const std::size_t n = 3 * (1U << 16U) + 77;
  std::vector<double> in(p.input_size() * n), out(p.output_size() * n), other(out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double home = i / n == 0 ? 2.3 : i / n == 1 ? 0.8 : 0.2;
    in[i] = home + 0.1 * std::sin(static_cast<double>(i));
  }
  std::vector<int> status(n, -1), other_status(n, -1);
  p.batch(in, out, status, CompiledProgram::On::gpu);
  p.batch(in, other, other_status, CompiledProgram::On::cpu);
  EXPECT_EQ(status, other_status);
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i) worst = std::max(worst, std::abs(out[i] - other[i]));
  EXPECT_LT(worst, 1e-10);
}

TEST_F(Gpu, LeavesTheProcessorWhereThereIsNone) {
  setenv("NO_DEVICE", "1", 1);
  const CompiledProgram p = compiled(generate(shipped("palida"), {"inverse", "platform"}));
  std::string why;
  EXPECT_EQ(p.gpu(&why), "");
  EXPECT_EQ(why, "no CUDA-capable device is detected");
  Batch a = palida_states(10);
  p.batch(a.in, a.out, a.status);
  EXPECT_THAT(a.status, testing::Each(0));
  try {
    p.batch(a.in, a.out, a.status, CompiledProgram::On::gpu);
    FAIL() << "expected an error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("read no GPU (no CUDA-capable device is detected), expected one"));
  }
}

TEST_F(Gpu, SaysWhatIsWrong) {
  const Program program = generate(shipped("palida"), {"inverse", "platform"});
  const CompiledProgram p = compiled(program);
  setenv("NO_MEMORY", "1", 1);
  Batch a = palida_states(10);
  try {
    p.batch(a.in, a.out, a.status);
    FAIL() << "expected an error";
  } catch (const Error& e) { EXPECT_THAT(e.what(), testing::HasSubstr("the GPU stand-in gave up (out of memory)")); }
  setenv("NVCC", "/nowhere/nvcc", 1);
  try {
    compiled(program);
    FAIL() << "expected an error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("NVCC: read '/nowhere/nvcc', which cannot be run"));
  }
  const std::string file = (folder_ / "plain.so").string();
  compile(program, file, {.batch = true});
  std::string why;
  EXPECT_EQ(CompiledProgram(file).gpu(&why), "");
  EXPECT_EQ(why, "it was compiled without --gpu");
}

}  // namespace
}  // namespace gough::gpu_test
