/// The library's kernels for a scalar that cannot be compared, compiled once.
#include "gough/dynamics/kernels.hpp"
#include "gough/kinematics/task_motion_kernels.hpp"
#include "scalar/no_compare.hpp"

namespace gough {

GOUGH_KINEMATIC_STAGES(NoCompare, )
GOUGH_TASK_MOTION(NoCompare, )
GOUGH_DYNAMICS(NoCompare, )
GOUGH_INVERSE_DYNAMICS(NoCompare, )
GOUGH_FORWARD_DYNAMICS(NoCompare, )
template void platform_jacobian(const Mechanism<NoCompare>&, const Workspace<NoCompare>&, MatX<NoCompare>&);

}  // namespace gough
