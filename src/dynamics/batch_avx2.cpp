#include "batch_packs.hpp"

namespace gough {
BatchKernel batch_kernel_avx2() { return packed_states<4>; }
}  // namespace gough
