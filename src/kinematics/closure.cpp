#include "gough/kinematics/closure.hpp"

namespace gough {

template void tree_positions(const Mechanism<double>&, Workspace<double>&);
template void tree_positions(const Mechanism<Dual<double>>&, Workspace<Dual<double>>&);
template void closure(const Mechanism<double>&, Workspace<double>&);
template void closure(const Mechanism<Dual<double>>&, Workspace<Dual<double>>&);

}  // namespace gough
