#include "leg_lanes_kernel.hpp"

namespace gough {
extern const LaneKernels lane_kernels_plain;
const LaneKernels lane_kernels_plain = LaneFunctions<2>::kernels("plain");
}  // namespace gough
