/// What formulations keep and share, for the scalars that the library computes with.
#include "gough/dynamics/kernels.hpp"

namespace gough {

GOUGH_DYNAMIC_STAGES(double, )
GOUGH_DYNAMIC_STAGES(Dual<double>, )
GOUGH_DYNAMICS(double, )
GOUGH_DYNAMICS(Dual<double>, )

}  // namespace gough
