#include "oracle.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace gough::fuzz {

namespace fs = std::filesystem;

void expect(bool holds, const std::string& what) {
  if (!holds) throw Violation(what);
}

void expect_finite(const MotionState& s, const std::string& what) {
  if (s.of_platform())
    for (const Vec3<double>& x : {s.platform().pose.p, s.platform().v, s.platform().w, s.platform().a, s.platform().dw})
      expect_finite(x, what);
  else
    for (const VecX<double>& x : {s.actuators().q, s.actuators().v, s.actuators().a}) expect_finite(x, what);
}

namespace {

/// What results leave open where there is nothing to say.
bool may_be_null(const std::string& key) {
  static constexpr std::array<std::string_view, 15> keys = {"type1",
                                                            "type2",
                                                            "constraint",
                                                            "transmission",
                                                            "held",
                                                            "fast",
                                                            "energy",
                                                            "braking_energy",
                                                            "inverse_disagreement",
                                                            "forward_disagreement",
                                                            "platform",
                                                            "platform_rms",
                                                            "vibration_rms",
                                                            "inverse",
                                                            "forward"};
  return std::find(keys.begin(), keys.end(), key) != keys.end() || key.ends_with("_us") || key.ends_with("_limit") ||
         key.ends_with("_limits");
}

void expect_numbers(const nlohmann::json& node, const std::string& key, const std::string& what) {
  expect(!node.is_null() || may_be_null(key), fmt::format("{}: '{}' is null", what, key));
  if (node.is_object())
    for (const auto& [name, child] : node.items()) expect_numbers(child, name, what);
  if (node.is_array())
    for (const auto& child : node) expect_numbers(child, key, what);
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

void expect_good_json(const std::string& text, const std::string& what) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  expect(!json.is_discarded(), what + " is not JSON");
  expect_numbers(json, "", what);
}

void expect_no_nan(const std::string& text, const std::string& what) {
  for (const std::string word : {"nan", "inf"})
    for (std::size_t i = text.find(word); i != std::string::npos; i = text.find(word, i + 1)) {
      const std::size_t end = i + word.size();
      const bool alone = (i == 0 || !is_letter(text[i - 1])) && (end == text.size() || !is_letter(text[end]));
      expect(!alone, fmt::format("{}: {}", what, text.substr(i < 40 ? 0 : i - 40, 80)));
    }
}

void expect_good_files(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string kind = entry.path().extension().string();
    if (kind == ".csv") expect_no_nan(contents(entry.path()), entry.path().filename().string());
    if (kind == ".json") expect_good_json(contents(entry.path()), entry.path().filename().string());
  }
}

Scratch::Scratch() {
  static int number = 0;
  folder_ = fs::temp_directory_path() / fmt::format("gough_fuzz_{}_{}", getpid(), ++number);
  fs::create_directories(folder_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Scratch::clear() const {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

std::string Scratch::write(const std::string& name, const std::string& text) const {
  const fs::path path = folder_ / name;
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace gough::fuzz
