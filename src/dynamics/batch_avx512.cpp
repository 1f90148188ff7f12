#include "batch_packs.hpp"

namespace gough {
BatchKernel batch_kernel_avx512() { return packed_states<8>; }
}  // namespace gough
