#pragma once
/// Published benchmarks, computed anew. tests/simulation/benchmarks_test.cpp checks the differences, main.cpp writes them
/// to docs/benchmarks.md; the published numbers with their sources are the JSON files beside this one.
#include <string>
#include <vector>

namespace gough {

struct BenchmarkRow {
  std::string quantity;
  std::string published, ours;  ///< as text, to digits that do not depend on the machine
  double difference = 0;        ///< the largest one, in `unit`
  double allowed = 0;
  std::string unit;
};

struct Benchmark {
  std::string title, source, how;
  std::vector<BenchmarkRow> rows;
};

/// `root`: the repository's folder.
Benchmark andrews_squeezer(const std::string& root);
Benchmark iftomm_pendulum(const std::string& root);
Benchmark iftomm_four_bars(const std::string& root);
Benchmark modelica_fourbar2(const std::string& root);
Benchmark adams_joints(const std::string& root);
Benchmark taghirad_platform(const std::string& root);
Benchmark mathworks_platform(const std::string& root);

/// A row of the page up to the bound on its difference: the same on every machine.
std::string row_start(const BenchmarkRow& row);
/// A section of the page: heading, source, table.
std::string benchmark_section(const Benchmark& b);
/// The whole page.
std::string benchmark_page(const std::string& root);

}  // namespace gough
