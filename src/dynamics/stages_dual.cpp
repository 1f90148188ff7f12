/// What formulations keep and share.
#include "gough/dynamics/kernels.hpp"

namespace gough {

GOUGH_DYNAMIC_STAGES(Dual<double>, )
GOUGH_DYNAMICS(Dual<double>, )

}  // namespace gough
