/// Writes docs/benchmarks.md: gough_benchmarks ROOT [PAGE].
#include <fmt/format.h>

#include <fstream>

#include "benchmarks.hpp"

int main(int argc, char** argv) {
  const std::string root = argc > 1 ? argv[1] : ".", page = argc > 2 ? argv[2] : root + "/docs/benchmarks.md";
  std::ofstream file(page);
  file << gough::benchmark_page(root);
  file.close();
  if (!file) {
    fmt::print(stderr, "{}: cannot be written\n", page);
    return 2;
  }
  fmt::print("{}\n", page);
}
