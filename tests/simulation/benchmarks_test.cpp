/// Published benchmarks within what is allowed, and docs/benchmarks.md saying the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "../../benchmarks/benchmarks.hpp"

namespace gough::benchmarks_test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string root = GOUGH_SOURCE_DIR;

std::string page() {
  std::ifstream file(root + "/docs/benchmarks.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The section's text from its heading on.
std::string section(const Benchmark& b) {
  const std::string all = page();
  const std::size_t begin = all.find("## " + b.title + "\n");
  return begin == std::string::npos ? "" : all.substr(begin, all.find("\n## ", begin + 1) - begin);
}

void expect_all(const Benchmark& b, std::size_t rows) {
  EXPECT_EQ(b.rows.size(), rows);
  const std::string text = section(b);
  EXPECT_THAT(text, HasSubstr(b.how)) << "make benchmarks writes the page anew";
  for (const BenchmarkRow& row : b.rows) {
    EXPECT_LE(row.difference, row.allowed) << row.quantity;
    const std::size_t at = text.find(row_start(row));
    ASSERT_NE(at, std::string::npos) << row_start(row) << ": make benchmarks writes the page anew";
    const double bound = std::stod(text.substr(at + row_start(row).size()));
    EXPECT_LE(row.difference, 2 * bound) << row.quantity;  // machines round differently
    EXPECT_LE(bound, row.allowed) << row.quantity;
  }
}

TEST(Benchmarks, AndrewsSqueezer) { expect_all(andrews_squeezer(root), 7 + 6 + 4); }
TEST(Benchmarks, IftommPendulum) { expect_all(iftomm_pendulum(root), 4); }
TEST(Benchmarks, IftommFourBarsThroughTheirSingularPosition) { expect_all(iftomm_four_bars(root), 4); }
TEST(Benchmarks, ModelicaFourbar2) { expect_all(modelica_fourbar2(root), 4); }
TEST(Benchmarks, AdamsJointsWithTheirReactions) { expect_all(adams_joints(root), 5 * 3); }
TEST(Benchmarks, TaghiradPlatformReachesItsWaypoint) { expect_all(taghirad_platform(root), 2); }
TEST(Benchmarks, MathworksPlatformRestsOnItsGains) { expect_all(mathworks_platform(root), 2); }

/// A difference that is not a number must not pass.
TEST(Benchmarks, TheCheckHasTeeth) {
  EXPECT_FALSE(std::nan("") <= 1.0);
  const Benchmark none{"a", "b", "c", {{"x", "1", "2", 1, 1e-3, "m"}}};
  EXPECT_THAT(benchmark_section(none), HasSubstr("| x | 1 | 2 | 2e+00 | 1e-03 | m |"));
  EXPECT_THAT(page(), Not(HasSubstr(benchmark_section(none))));
}

}  // namespace
}  // namespace gough::benchmarks_test
