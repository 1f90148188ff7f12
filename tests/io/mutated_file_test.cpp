/// Shipped robots with one word changed: refused with an Error, or read and then checked without a NaN.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "robots.hpp"
#include "sanitized.hpp"

namespace gough::mutated_file_test {
namespace {

/// The words of a file: runs of letters, digits and signs, with their places.
std::vector<std::pair<std::size_t, std::size_t>> words(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t start = i;
    while (i < text.size() && is_word(text[i])) ++i;
    if (i > start) all.emplace_back(start, i - start);
  }
  return all;
}

const std::vector<std::string> replacements = {"",
                                               "0",
                                               "-1",
                                               "1",
                                               "1e-300",
                                               "1e300",
                                               "1e150",
                                               ".nan",
                                               "1e9",
                                               "-1e-9",
                                               "[]",
                                               "{}",
                                               "deg",
                                               "mm",
                                               "base",
                                               "platform",
                                               "fixed",
                                               "free",
                                               "spherical",
                                               "prismatic",
                                               "true",
                                               "universal",
                                               "distance",
                                               "actuated",
                                               "locked",
                                               "elastic",
                                               "null",
                                               "~",
                                               "planar",
                                               "cylindrical",
                                               "xyz",
                                               "rpy",
                                               "polar",
                                               "axis",
                                               "revolute",
                                               "point_on_line",
                                               "point_on_plane"};

void expect_finite(const nlohmann::json& value, const std::string& what) {
  EXPECT_TRUE(!value.is_number() || std::isfinite(value.get<double>())) << what;
  if (value.is_structured())
    for (const auto& [key, inner] : value.items()) expect_finite(inner, what + "/" + key);
}

class MutatedRobot : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(RobotFile, MutatedRobot, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(MutatedRobot, IsRefusedOrCheckedWithoutANaN) {
  std::ifstream file(robot_path(GetParam()));
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string text = stream.str();
  const auto places = words(text);
  std::mt19937 g(7);
  const char* more = std::getenv("GOUGH_MUTATIONS");
  for (int i = 0; i < (more != nullptr ? std::atoi(more) : 200); ++i) {
    const auto [at, size] = places[g() % places.size()];
    const std::string& put = replacements[g() % replacements.size()];
    const std::string mutated = std::string(text).replace(at, size, put);
    const std::string what = fmt::format("'{}' for '{}' at byte {} of {}", put, text.substr(at, size), at, GetParam());
    SCOPED_TRACE(what);
    const auto start = std::chrono::steady_clock::now();
    try {
      const Prepared ready = prepared_from(mutated);
      EXPECT_TRUE(ready.mechanism.home.allFinite());
      EXPECT_TRUE(!ready.home.assembly.closed ||
                  ready.home.assembly.residual <= closure_tolerance * std::max(1.0, ready.mechanism.length_unit));
      const auto report = nlohmann::json::parse(check_json(check_mobility(ready.mechanism, ready.home)));
      expect_finite(report, "report");
      EXPECT_TRUE(report.at("closure_residual").is_number());
    } catch (const Error& e) { EXPECT_EQ(std::string(e.what()).rfind("test.yaml", 0), 0u) << e.what(); }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
#ifdef GOUGH_SANITIZED
    EXPECT_LT(took.count(), 60);
#else
    EXPECT_LT(took.count(), 5);
#endif
  }
}

}  // namespace
}  // namespace gough::mutated_file_test
