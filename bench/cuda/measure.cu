// Generated code on a GPU: states a second, and the largest difference to the generated C, for one program.
// Compiled by measure.sh with the program's names defined: NAME_C, NAME_CUDA (its functions' names), IN, OUT (numbers
// per state), FORWARD for forward dynamics.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define JOINED_ONCE(a, b) a##b
#define JOINED(a, b) JOINED_ONCE(a, b)
#define QUOTED_ONCE(a) #a
#define QUOTED(a) QUOTED_ONCE(a)
#include QUOTED(NAME_C.h)
#include QUOTED(NAME_CUDA.h)

using Real = JOINED(NAME_CUDA, _real);

static void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e));
  std::exit(1);
}

// The same traffic and nothing else: the roof.
__global__ void move(int n, const Real *in, Real *out, int *status) {
  const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (s >= n) return;
  Real sum = 0;
  for (int i = 0; i < IN; ++i) sum += in[i * (size_t)n + s];
  for (int i = 0; i < OUT; ++i) out[i * (size_t)n + s] = sum;
  status[s] = sum > 0;
}

template <class Launch>
static double seconds(Launch launch) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float best = 1e30f;
  for (int i = 0; i < 40; ++i) {
    check(cudaEventRecord(begin));
    launch();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (i > 4) best = std::min(best, ms);
  }
  check(cudaGetLastError());
  return best * 1e-3;
}

// Platform near home, tilted up to 0.2 rad, moving; where forces go in, they are of the size that holds it.
static double sample(int entry, double x) {
  if (entry < 2) return 0.1 * x;
  if (entry == 2) return -0.65 + 0.05 * x;
  if (entry < 6) return 0.2 * x;
#ifdef FORWARD
  return entry < 12 ? x : 100 * x;
#else
  return entry < 12 ? x : entry < 15 ? 5 * x : 10 * x;
#endif
}

int main() {
  const int n = 1 << 22;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Real> in((size_t)IN * n), out((size_t)OUT * n);
  std::vector<int> status(n);
  for (int i = 0; i < IN; ++i)
    for (int s = 0; s < n; ++s) in[i * (size_t)n + s] = (Real)sample(i, uniform(generator));
  Real *d_in, *d_out;
  int *d_status;
  check(cudaMalloc(&d_in, in.size() * sizeof(Real)));
  check(cudaMalloc(&d_out, out.size() * sizeof(Real)));
  check(cudaMalloc(&d_status, n * sizeof(int)));
  check(cudaMemcpy(d_in, in.data(), in.size() * sizeof(Real), cudaMemcpyHostToDevice));

  JOINED(NAME_CUDA, _parameters) parameters;
  JOINED(NAME_CUDA, _constants) constants;
  JOINED(NAME_CUDA, _default)(&parameters);
  JOINED(NAME_CUDA, _setup)(&parameters, &constants);
  const size_t m = (size_t)n * 3;  // from array to array
#ifndef FORWARD
#define ARRAYS d_in, d_in + m, d_in + 2 * m, d_in + 3 * m, d_in + 4 * m, d_in + 5 * m, d_out
#else
#define ARRAYS d_in, d_in + m, d_in + 2 * m, d_in + 3 * m, d_in + 4 * m, d_out, d_out + m
#endif
  const double time = seconds([&] {
    if (JOINED(NAME_CUDA, _batch)(&constants, n, ARRAYS, d_status) == 0) return;
    std::fprintf(stderr, "the kernel could not be started\n");
    std::exit(1);
  });
  check(cudaMemcpy(out.data(), d_out, out.size() * sizeof(Real), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(status.data(), d_status, n * sizeof(int), cudaMemcpyDeviceToHost));
  const double roof = seconds([&] { move<<<(n + 255) / 256, 256>>>(n, d_in, d_out, d_status); });

  JOINED(NAME_C, _parameters) c_parameters;
  JOINED(NAME_C, _constants) c_constants;
  JOINED(NAME_C, _default)(&c_parameters);
  JOINED(NAME_C, _setup)(&c_parameters, &c_constants);
  double worst = 0;
  int compared = 0, differ = 0;
  for (int s = 0; s < n; s += 41, ++compared) {
    double x[IN], y[OUT];
    for (int i = 0; i < IN; ++i) x[i] = in[i * (size_t)n + s];
#ifndef FORWARD
    const int sound = NAME_C(&c_constants, x, x + 3, x + 6, x + 9, x + 12, x + 15, y);
#else
    const int sound = NAME_C(&c_constants, x, x + 3, x + 6, x + 9, x + 12, y, y + 3);
#endif
    differ += sound != status[s];
    double size = 0;
    for (int i = 0; i < OUT; ++i) size = std::max(size, std::fabs(y[i]));
    for (int i = 0; i < OUT; ++i) worst = std::max(worst, std::fabs(y[i] - out[i * (size_t)n + s]) / size);
  }
  std::printf("| %s | %s | %.2f | %.2f | %.0f %% | %.1e | %d of %d |\n", QUOTED(NAME_C),
              sizeof(Real) == 8 ? "double" : "float", n / time * 1e-9, n / roof * 1e-9, 100 * roof / time, worst, differ,
              compared);
}
