#pragma once
/// What is tried with an input, whoever made it: a fuzzer (libfuzzer.cpp) or the seeds (seeds_test.cpp). An input that is refused with Error is
/// fine, and so is a result with a reason why there is none. Anything else, and numbers that are none in a result that is called good, is a
/// defect: Violation, or whatever was thrown.
#include <string>

namespace gough::fuzz {

/// The text of a robot file: read, assembled, checked, asked for kinematics and dynamics at home, simulated shortly.
void try_robot_file(const std::string& text);
/// The text of a motion file: read for two robots, sampled; forces along it.
void try_motion_file(const std::string& text);
/// The text of a study: read with its files; run where it is short.
void try_study_file(const std::string& text);
/// The text of a table: of a motion, of states, forces, measurements, poses, times, shapes to start from.
void try_table(const std::string& text);
/// A command line, a word in each line: run in this process, in a folder of its own. Not for words that might lead out of it.
void try_command_line(const std::string& text);

}  // namespace gough::fuzz
