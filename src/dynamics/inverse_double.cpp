#include "gough/dynamics/kernels.hpp"

namespace gough {

GOUGH_INVERSE_DYNAMICS(double, )

}  // namespace gough
