#include "gough/kinematics/explicit_form.hpp"

namespace gough {

#define GOUGH_INSTANTIATE(S)                                                                            \
  template void tree_velocities(const Mechanism<S>&, Workspace<S>&);                                    \
  template void tree_accelerations(const Mechanism<S>&, Workspace<S>&);                                 \
  template void closure_bias(const Mechanism<S>&, Workspace<S>&, bool);                                 \
  template void cut_coordinates(const Mechanism<S>&, Workspace<S>&);                                    \
  template void explicit_form(const Workspace<S>&, const Selection&, ExplicitForm<S>&);                 \
  template void explicit_motion(const Mechanism<S>&, Workspace<S>&, const Selection&, ExplicitForm<S>&, \
                                const VecX<S>&, const VecX<S>&);
GOUGH_INSTANTIATE(double)
GOUGH_INSTANTIATE(Dual<double>)
#undef GOUGH_INSTANTIATE

}  // namespace gough
