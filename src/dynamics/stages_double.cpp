/// What formulations keep and share.
#include "gough/dynamics/kernels.hpp"

namespace gough {

GOUGH_DYNAMIC_STAGES(double, )
GOUGH_DYNAMICS(double, )

MatX<double> mass_matrix(const Mechanism<double>& m, const Workspace<double>& w) {
  std::vector<Inertia<double>> composite(m.parent.size());
  MatX<double> M(m.nv, m.nv);
  mass_matrix(m, w, composite, M);
  return M;
}

}  // namespace gough
