#pragma once
/// Operation counts of generated code for the shipped robots. main.cpp writes them to docs/operations.md,
/// tests/codegen/operations_test.cpp holds the page against the code.
#include <array>
#include <optional>
#include <string>

#include "gough/io/generate.hpp"

namespace gough {

inline constexpr std::array<const char*, 5> counted_whats = {"inverse", "forward", "kinematics", "jacobian",
                                                             "regressor"};
inline constexpr std::array<const char*, 3> counted_froms = {"joints", "platform", "actuators"};
/// Larger robots take long to trace, and nobody runs their code.
inline constexpr int most_counted_bodies = 25;

/// Nothing where the robot has no such code.
std::optional<Program> code_of(const Mechanism<double>& m, const std::string& what, const std::string& from);

/// A number of the page: operations + functions of a call.
std::string operation_cell(const std::optional<Program>& code);
/// A line of the page's table of `what`.
std::string operation_row(const std::string& robot, const Mechanism<double>& m, const std::string& what);
/// The same robot's line of a page; empty where it has none.
std::string row_in(const std::string& page, const std::string& robot, const std::string& what);
/// The operations in such a line, one for each of counted_froms; nothing for "-".
std::array<std::optional<int>, 3> operations_in(const std::string& row);

/// The whole page. `root`: the repository's folder.
std::string operation_page(const std::string& root);

}  // namespace gough
