/// What formulations keep and share.
#include "gough/dynamics/kernels.hpp"

namespace gough {

GOUGH_DYNAMIC_STAGES(double, )
GOUGH_DYNAMICS(double, )

}  // namespace gough
