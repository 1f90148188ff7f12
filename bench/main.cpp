/// All benchmarks, then the ratios that travel between machines: the library on the hexapod over the hand-written one.
#include <algorithm>
#include <fstream>
#include <map>

#include <palida_inverse_batch.h>

#include "bench.hpp"

namespace {

/// Prints as usual and keeps the times by name, the least of several: what disturbs a machine only adds.
class Remembering : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs)
      if (!run.error_occurred && run.run_type == Run::RT_Iteration) {
        const auto [found, is_new] = time_.try_emplace(run.run_name.function_name, run.GetAdjustedCPUTime());
        if (!is_new) found->second = std::min(found->second, run.GetAdjustedCPUTime());
      }
  }
  /// `states`: of one run of ours.
  void ratio(const std::string& what, const std::string& ours, const std::string& theirs, double goal,
             double states = 1) const {
    const auto a = time_.find(ours), b = time_.find(theirs);
    if (a == time_.end() || b == time_.end()) return;
    const double r = a->second / states / b->second;
    fmt::print("{:<56} {:6.3f}   goal {:g}   {}\n", what, r, goal, r <= goal ? "met" : "MISSED");
  }
  /// Seconds of a benchmark that is told in milliseconds.
  void seconds(const std::string& what, const std::string& ours, double goal) const {
    const auto a = time_.find(ours);
    if (a == time_.end()) return;
    const double s = a->second / 1e3;
    fmt::print("{:<56} {:6.3f} s goal {:g}   {}\n", what, s, goal, s <= goal ? "met" : "MISSED");
  }

 private:
  std::map<std::string, double> time_;
};

/// The processor's name, where the system tells it.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

}  // namespace

int main(int argc, char** argv) {
  gough::register_dynamics();
  gough::register_generated();
  gough::register_kinematics();
  gough::register_flexible();
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("cpu_model", processor());
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Remembering reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  fmt::print("\nlegs on {} instructions over the hand-written hexapod, in this run:\n",
             gough::lane_kernels().instructions);
  reporter.ratio("inverse from the platform's motion", "inverse_from_platform/hexapod/legs", "handwritten/inverse",
                 1.0);
  reporter.ratio("forward, with joint accelerations and loop forces", "forward/hexapod/legs", "handwritten/forward",
                 2.0);
  fmt::print("\ngenerated C of palida (friction included) over the hand-written hexapod (none), vectors of {}:\n",
             palida_inverse_batch_instructions());
  reporter.ratio("inverse", "generated/inverse", "handwritten/inverse", 0.20);
  reporter.ratio("forward", "generated/forward", "handwritten/forward", 0.28);
  reporter.ratio("inverse, struts as lanes", "generated/inverse_lanes", "handwritten/inverse", 0.10);
  reporter.ratio("forward, struts as lanes", "generated/forward_lanes", "handwritten/forward", 0.16);
  reporter.ratio("inverse of many states, each", "generated/inverse_of_2048", "handwritten/inverse", 0.040, 2048);
  reporter.ratio("forward of many states, each", "generated/forward_of_2048", "handwritten/forward", 0.055, 2048);
  fmt::print("\nbeams:\n");
  reporter.seconds("3-RRR, 4 s in steps of 0.5 ms, frequencies every ms", "flex/rrr3_flexible", 2);
}
