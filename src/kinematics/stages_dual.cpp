#include "gough/kinematics/task_motion_kernels.hpp"

namespace gough {

GOUGH_KINEMATIC_STAGES(Dual<double>, )
GOUGH_TASK_MOTION(Dual<double>, )
template void platform_jacobian(const Mechanism<Dual<double>>&, const Workspace<Dual<double>>&, MatX<Dual<double>>&);
template void displace(const Structure&, const VecX<Dual<double>>&, VecX<Dual<double>>&);

}  // namespace gough
