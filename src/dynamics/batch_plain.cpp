#include "batch_packs.hpp"

namespace gough {
BatchKernel batch_kernel_plain() { return packed_states<2>; }
}  // namespace gough
