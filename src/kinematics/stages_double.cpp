#include "gough/kinematics/task_motion_kernels.hpp"

namespace gough {

GOUGH_KINEMATIC_STAGES(double, )
GOUGH_TASK_MOTION(double, )
template void platform_jacobian(const Mechanism<double>&, const Workspace<double>&, MatX<double>&);
template void displace(const Structure&, const VecX<double>&, VecX<double>&);

}  // namespace gough
