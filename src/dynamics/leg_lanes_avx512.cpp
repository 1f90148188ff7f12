#include "leg_lanes_kernel.hpp"

namespace gough {
extern const LaneKernels lane_kernels_avx512;
const LaneKernels lane_kernels_avx512 = LaneFunctions<8>::kernels("avx512");
}  // namespace gough
