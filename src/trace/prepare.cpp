#include "gough/trace/prepare.hpp"

#include "gough/trace/programs.hpp"

namespace gough {

Prepared prepare(const RobotDescription& robot) {
  Prepared result = prepare_kernels(robot);
  result.mechanism.programs = program_source();
  return result;
}

}  // namespace gough
