#pragma once
/// The robots of the tests: the shipped ones by name, and any other from text.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gough/gough.hpp"

namespace gough {

inline std::string robot_path(const std::string& name) {
  return std::string(GOUGH_SOURCE_DIR) + "/robots/" + name + ".yaml";
}

inline std::string robot_text(const std::string& name) {
  std::ifstream file(robot_path(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The names of all files in robots/.
inline std::vector<std::string> shipped_robots() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GOUGH_SOURCE_DIR) + "/robots"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline RobotDescription robot_from(const std::string& text) { return parse_robot(text, "test.yaml"); }
inline Mechanism<double> built_from(const std::string& text) { return build(robot_from(text)); }
inline Prepared prepared_from(const std::string& text) { return prepare(robot_from(text)); }

/// `text` with every `from` replaced by `to`: a robot that differs from another in one thing.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t i = text.find(from); i != std::string::npos; i = text.find(from, i + to.size()))
    text.replace(i, from.size(), to);
  return text;
}

}  // namespace gough
