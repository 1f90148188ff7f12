/// compile as a user meets it: a file that loads, and clear words where the compiler is missing or fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/tool.hpp"
#include "gough/io/compiled.hpp"
#include "robots.hpp"

namespace gough::compile_cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class CompileTool : public Tool {
 protected:
  /// Its temporary files go where the test can look.
  Outcome compile(const std::string& options, const std::string& before = "") const {
    std::filesystem::create_directories(folder() / "tmp");
    return run("compile " + robot_path("five_bar") + " --what forward --from actuators " + options,
               "TMPDIR=tmp " + before);
  }
  bool has_cleaned_up() const { return std::filesystem::is_empty(folder() / "tmp"); }
};

TEST_F(CompileTool, WritesASharedObject) {
  const Outcome o = compile("");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "five_bar_forward.so: 123 operations a call\n");
  EXPECT_TRUE(has_cleaned_up());
  const CompiledProgram p((folder() / "five_bar_forward.so").string());
  EXPECT_EQ(p.name(), "five_bar_forward");
  EXPECT_FALSE(p.parameters().empty());
}

TEST_F(CompileTool, FoldsAndTakesThisMachinesInstructions) {
  const Outcome o = compile("--fold --native -o other.so --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json x = json::parse(o.out);
  EXPECT_EQ(x["name"], "five_bar_forward");
  EXPECT_EQ(x["files"], json::array({"other.so"}));
  EXPECT_TRUE(CompiledProgram((folder() / "other.so").string()).parameters().empty());
}

TEST_F(CompileTool, SaysThatTheCompilerIsMissing) {
  const Outcome o = compile("", "CC=no_such_compiler");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err,
              HasSubstr("CC: read 'no_such_compiler', which cannot be run (No such file or directory), expected a "
                        "C compiler"));
  EXPECT_TRUE(has_cleaned_up());
}

TEST_F(CompileTool, SaysThatTheCompilerOfCudaIsMissing) {
  const Outcome o = compile("--gpu", "NVCC=no_such_compiler");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("NVCC: read 'no_such_compiler', which cannot be run"));
  EXPECT_TRUE(has_cleaned_up());
}

TEST_F(CompileTool, ShowsTheFirstLinesOfACompilerThatFails) {
  write("failing", "#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9 10; do echo complaint $i >&2; done\nexit 7\n");
  std::filesystem::permissions(folder() / "failing", std::filesystem::perms::owner_all);
  write("five_bar_forward.so", "the old one");
  const Outcome o = compile("", "CC='./failing -x'");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("CC: read './failing -x', which did not compile five_bar_forward.c (exit status 7)"));
  EXPECT_THAT(o.err, HasSubstr("complaint 8\n"));
  EXPECT_THAT(o.err, testing::Not(HasSubstr("complaint 9")));
  EXPECT_EQ(read("five_bar_forward.so"), "the old one");
  EXPECT_TRUE(has_cleaned_up());
}

/// Nothing of the user's words is a command.
TEST_F(CompileTool, RunsNoShell) {
  EXPECT_EQ(compile("", "CC='cc;touch hacked'").code, 2);
  EXPECT_EQ(compile("-o 'a b;$(touch hacked).so'").code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder() / "a b;$(touch hacked).so"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "hacked"));
}

TEST_F(CompileTool, SaysWhereItCannotWrite) {
  EXPECT_THAT(compile("-o none/x.so").err, HasSubstr("none/x.so: cannot be written ("));
  EXPECT_EQ(compile("-o .").code, 2);
  const Outcome o = compile("", "TMPDIR=/none");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("TMPDIR"));
}

TEST_F(CompileTool, RefusesWhatThereIsNot) {
  for (const std::string options : {"--from platform --what derivatives", "--from nowhere", "--lang cuda"}) {
    const Outcome o = run("compile " + robot_path("palida") + " " + options);
    EXPECT_EQ(o.code, 2) << options;
    EXPECT_NE(o.err, "") << options;
  }
}

}  // namespace
}  // namespace gough::compile_cli_test
