#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmarks.hpp"

namespace gough {
namespace {

/// A bound that hardly depends on the machine: 1, 2 or 5 times a power of ten, not finer than a hundredth of what is
/// allowed.
std::string bound(double difference, double allowed) {
  const double x = std::max(1.2 * difference, allowed / 100);
  const double power = std::pow(10, std::floor(std::log10(x) + 1e-9));
  for (const double f : {1.0, 2.0, 5.0, 10.0})
    if (f * power >= x * (1 - 1e-9)) return fmt::format("{:.0e}", f * power);
  return "?";
}

}  // namespace

std::string row_start(const BenchmarkRow& r) {
  return fmt::format("| {} | {} | {} | ", r.quantity, r.published.empty() ? "-" : r.published,
                     r.ours.empty() ? "-" : r.ours);
}

std::string benchmark_section(const Benchmark& b) {
  std::string text = fmt::format("## {}\n\n{}.\n\n    {}\n\n", b.title, b.source, b.how);
  text += "| quantity | reference | gough | differs by less than | allowed | |\n|---|---|---|---|---|---|\n";
  for (const BenchmarkRow& r : b.rows)
    text += fmt::format("{}{} | {:.0e} | {} |\n", row_start(r), bound(r.difference, r.allowed), r.allowed,
                        r.unit.empty() ? "relative" : r.unit);
  return text;
}

std::string benchmark_page(const std::string& root) {
  std::string page =
      "# Published benchmarks\n\n"
      "Written by `make benchmarks`; `tests/simulation/benchmarks_test.cpp` checks every row by a run of its own.\n"
      "The published numbers with their sources are in `benchmarks/`. \"Recomputed\" numbers are converged results of\n"
      "independent programs, for where published digits are coarser than the check. Runs use the defaults of\n"
      "[simulate](simulation.md) unless the command shows options. A quantity over several times shows its last value\n"
      "and its largest difference.\n";
  for (const auto& make : {andrews_squeezer, iftomm_pendulum, iftomm_four_bars, modelica_fourbar2, adams_joints,
                           taghirad_platform, mathworks_platform})
    page += "\n" + benchmark_section(make(root));
  return page;
}

}  // namespace gough
