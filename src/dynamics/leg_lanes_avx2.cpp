#include "leg_lanes_kernel.hpp"

namespace gough {
extern const LaneKernels lane_kernels_avx2;
const LaneKernels lane_kernels_avx2 = LaneFunctions<4>::kernels("avx2");
}  // namespace gough
