#include "gough/dynamics/prepare.hpp"

#include "gough/dynamics/fast_paths.hpp"

namespace gough {

Prepared prepare_kernels(const RobotDescription& robot) {
  Prepared result = assemble_robot(robot);
  if (result.home.assembly.closed) prove_fast_paths(result.mechanism);
  return result;
}

}  // namespace gough
