#pragma once
/// Values of a robot file that a study replaces.
#include <yaml-cpp/yaml.h>

#include "gough/io/robot_file.hpp"

namespace gough::io {

/// Throws Error at the setting whose path leads nowhere in `file`.
void apply_settings(YAML::Node& root, const std::string& file, const std::vector<Setting>& settings);

}  // namespace gough::io
