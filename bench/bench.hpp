#pragma once
/// What the benchmarks share.
#include <benchmark/benchmark.h>

#include <string>

#include "gough/gough.hpp"

namespace gough {

inline std::string robot_file(const std::string& robot) {
  return std::string(GOUGH_SOURCE_DIR) + "/robots/" + robot + ".yaml";
}

/// Of what is set beside each other: the least time counts.
inline constexpr int repetitions = 9;

void register_kinematics();
void register_dynamics();
void register_generated();
void register_flexible();

}  // namespace gough
