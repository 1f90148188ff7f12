/// The library's kernels for a scalar that counts operations, compiled once.
#include "gough/dynamics/kernels.hpp"
#include "scalar/counting.hpp"

namespace gough {

GOUGH_DYNAMICS(Counting, )
GOUGH_INVERSE_DYNAMICS(Counting, )
GOUGH_FORWARD_DYNAMICS(Counting, )

}  // namespace gough
