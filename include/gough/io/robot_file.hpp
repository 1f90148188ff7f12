#pragma once
/// Robot files: YAML in, a description or a ready mechanism out. The grammar is one set of tables
/// (src/io/robot_tables.cpp) that reads, explains mistakes, and gives the JSON Schema.
#include <string>
#include <vector>

#include "gough/model/description.hpp"
#include "gough/trace/prepare.hpp"

namespace gough {

inline constexpr std::size_t largest_robot_file = std::size_t{1} << 18;  // parsed in well under a second

/// Another value in a robot file before it is read. The path has the file's keys, joined by dots, items of lists by
/// number from 1, `*` for all: "legs.joints.drive.screw", "bodies.*.mass". Only its last key may be new.
struct Setting {
  Where where;  ///< who sets it
  std::string path;
  std::vector<std::string> values;  ///< one, or those of a list
  bool is_list = false;
};

/// Throws Error (file:line: what was read, what was expected) on bad input.
RobotDescription read_robot(const std::string& path, const std::vector<Setting>& settings = {});
/// The same from text; `file` stands in messages.
RobotDescription parse_robot(const std::string& text, const std::string& file,
                             const std::vector<Setting>& settings = {});

/// A mechanism ready to compute with: read, built, home assembled. Throws Error if the file is bad or the home pose
/// cannot be assembled; use `prepare(read_robot(path))` to look at the latter case.
Mechanism<double> load_robot(const std::string& path, const std::vector<Setting>& settings = {});

/// The same of a description. `prepare` says of one whose home cannot be assembled what is open.
Mechanism<double> ready_robot(const RobotDescription& robot);

/// The text of a robot file, for parse_robot: a pipe can be read only once.
std::string read_robot_text(const std::string& path);

/// The JSON Schema of robot files, for editors.
std::string robot_schema();

}  // namespace gough
