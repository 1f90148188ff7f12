#include "gough/dynamics/kernels.hpp"

namespace gough {

GOUGH_FORWARD_DYNAMICS(double, )

}  // namespace gough
