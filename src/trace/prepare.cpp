#include "gough/trace/prepare.hpp"

#include "gough/trace/programs.hpp"

namespace gough {

Prepared prepare(const RobotDescription& robot) {
  Prepared result = prepare_kernels(robot);
  result.mechanism.programs = program_source();
  return result;
}

MobilityReport check_robot(const Prepared& robot) {
  MobilityReport report = check_mobility(robot.mechanism, robot.home);
  if (report.closed) report.fast_paths.push_back(describe_programs(robot.mechanism));
  return report;
}

}  // namespace gough
