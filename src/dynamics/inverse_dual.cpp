#include "gough/dynamics/kernels.hpp"

namespace gough {

GOUGH_INVERSE_DYNAMICS(Dual<double>, )

}  // namespace gough
