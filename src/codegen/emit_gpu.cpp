#include <fmt/format.h>

#include "emit_parts.hpp"
#include "gough/codegen/emit.hpp"

namespace gough {
namespace {

/// NAME; numbers that go in, and out, for a state; set-up; the arguments of a launch.
constexpr const char* gpu_text = R"(/* {0} on a GPU, from and to the machine's memory: see docs/codegen.md of gough. */
#include <cuda_runtime.h>

#include "{0}_cuda.cu"

namespace {{

/* Each of two streams brings states, computes and takes results back while the other does the same. */
struct Lane {{
  cudaStream_t stream;
  double *x, *y;
  int *sound;
  Lane() : stream(0), x(0), y(0), sound(0) {{}}
  ~Lane() {{
    cudaFree(x), cudaFree(y), cudaFree(sound);
    if (stream != 0) cudaStreamDestroy(stream);
  }}
  cudaError_t make(size_t room) {{
    cudaError_t e = cudaStreamCreate(&stream);
    if (e == cudaSuccess) e = cudaMalloc((void **)&x, {1} * sizeof(double) * room);
    if (e == cudaSuccess) e = cudaMalloc((void **)&y, {2} * sizeof(double) * room);
    return e == cudaSuccess ? cudaMalloc((void **)&sound, sizeof(int) * room) : e;
  }}
}};

/* Memory that the device reaches by itself while this lives; it copies more slowly where that is refused. */
struct Reached {{
  void *at;
  Reached(const void *memory, size_t bytes) : at((void *)memory) {{
    if (cudaHostRegister(at, bytes, cudaHostRegisterDefault) == cudaSuccess) return;
    at = 0;
    cudaGetLastError();
  }}
  ~Reached() {{
    if (at != 0) cudaHostUnregister(at);
  }}
}};

cudaError_t run(const void *parameters, size_t n, const double *in, double *out, int *status) {{
  const size_t most = 1u << 16, room = n < most ? n : most, number = sizeof(double);
  const Reached there(in, {1} * number * n), back(out, {2} * number * n), judged(status, sizeof(int) * n);
  Lane lanes[2];
  size_t first;
  cudaError_t e = lanes[0].make(room);
{3}  if (e == cudaSuccess && n > most) e = lanes[1].make(room);
  for (first = 0; first < n && e == cudaSuccess; first += most) {{
    Lane &l = lanes[first / most % 2];
    const size_t m = n - first < most ? n - first : most;
    double *const x = l.x, *const y = l.y;
    e = cudaMemcpy2DAsync(x, m * number, in + first, n * number, m * number, {1}, cudaMemcpyHostToDevice, l.stream);
    if (e != cudaSuccess) break;
    {0}_cuda_kernel<<<(unsigned)((m + 127) / 128), 128, 0, l.stream>>>({4});
    e = cudaGetLastError();
    if (e != cudaSuccess) break;
    e = cudaMemcpy2DAsync(out + first, n * number, y, m * number, m * number, {2}, cudaMemcpyDeviceToHost, l.stream);
    if (e != cudaSuccess) break;
    e = cudaMemcpyAsync(status + first, l.sound, m * sizeof(int), cudaMemcpyDeviceToHost, l.stream);
  }}
  const cudaError_t last = cudaDeviceSynchronize();
  return e != cudaSuccess ? e : last;
}}

struct Device {{
  cudaDeviceProp about;
  const char *why;
  Device() : why(0) {{
    int devices = 0;
    cudaError_t e = cudaGetDeviceCount(&devices);
    if (e == cudaSuccess && devices > 0) e = cudaGetDeviceProperties(&about, 0);
    if (e != cudaSuccess) why = cudaGetErrorString(e);
    else if (devices == 0) why = "no device";
  }}
}};

}}  // namespace

extern "C" const char *{0}_gpu_device(const char **why) {{
  static const Device device;
  *why = device.why;
  return device.why == 0 ? device.about.name : 0;
}}

extern "C" int {0}_gpu(const void *parameters, size_t n, const double *in, double *out, int *status,
                       const char **why) {{
  const cudaError_t e = run(parameters, n, in, out, status);
  *why = cudaGetErrorString(e);
  return e == cudaSuccess ? 0 : 1;
}}
)";

}  // namespace

std::string emit_gpu(const Program& p) {
  std::vector<std::string> arguments;
  const bool open = !parameter_fields(p).empty();
  if (open) arguments.emplace_back("c");
  arguments.emplace_back("(int)m");
  const auto place = [&](const char* flat, const auto& arrays) {
    std::size_t first = 0;
    for (const auto& a : arrays) {
      if (!a.entry.empty()) arguments.push_back(fmt::format("{} + {} * m", flat, first));
      first += a.entry.size();
    }
    return first;
  };
  const std::size_t inputs = place("x", p.inputs), outputs = place("y", p.outputs);
  arguments.emplace_back("l.sound");
  const std::string setup =
      open ? fmt::format("  {0}_cuda_constants c;\n  {0}_cuda_setup((const {0}_cuda_parameters *)parameters, &c);\n",
                         p.name)
           : "  (void)parameters;\n";
  return fmt::format(gpu_text, p.name, inputs, outputs, setup, fmt::join(arguments, ", "));
}

}  // namespace gough
