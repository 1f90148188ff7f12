#include "gough/dynamics/kernels.hpp"

namespace gough {

GOUGH_FORWARD_DYNAMICS(Dual<double>, )

}  // namespace gough
