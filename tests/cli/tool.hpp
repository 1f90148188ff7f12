#pragma once
/// Runs the command-line tool as a user does, in a folder of the test's own.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace gough {

struct Outcome {
  int code;
  std::string out, err;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Tool : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Outcome run(const std::string& arguments, const std::string& before = "") const {
    const std::string command =
        fmt::format("cd '{}' && {} '{}' >out 2>err </dev/null {}", folder_.string(), before, GOUGH_TOOL, arguments);
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder_ / "out"), contents(folder_ / "err")};
  }
  /// Runs it until `table` has some rows, then sends it a signal.
  Outcome run_interrupted(const std::string& arguments, const std::string& table, const std::string& signal) const {
    return run("",
               fmt::format("sh -c '\"$0\" {} & p=$!; "
                           "while [ \"$(wc -l < {}.part 2>/dev/null || echo 0)\" -lt 20 ] && kill -0 $p; do :; done; "
                           "kill -{} $p; wait $p; exit $?'",
                           arguments, table, signal));
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string read(const std::string& name) const { return contents(folder_ / name); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("gough_cli_test_{}", getpid());
};

}  // namespace gough
