/// Outputs appear whole or not at all, and never in place of an input.
#include "gough/io/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cli/tool.hpp"
#include "gough/gough.hpp"

namespace gough::files_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t count() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }

 private:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("gough_files_{}", getpid());
};

TEST_F(Files, TakeTheirNameWhenTheyAreWhole) {
  write_file(at("a"), "before");
  {
    OutputFile file(at("a"));
    file.put("one\n");
    file.put("two\n");
    EXPECT_EQ(contents(at("a")), "before");
    EXPECT_EQ(contents(at("a.part")), "one\ntwo\n");
  }
  EXPECT_EQ(contents(at("a")), "one\ntwo\n");
  EXPECT_EQ(count(), 1U);
}

TEST_F(Files, KeepTheRightsAndTheLinkOfWhatTheyReplace) {
  write_file(at("a"), "before");
  fs::permissions(at("a"), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  fs::create_symlink("a", at("link"));
  write_file(at("link"), "after");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(contents(at("a")), "after");
  EXPECT_EQ(fs::status(at("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(Files, ThatDoNotFitLeaveNothing) {
  write_file(at("a"), "before");
  const rlimit small{4096, RLIM_INFINITY};
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  const auto signal = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::string why;
  try {
    TableWriter table(at("a"), {"t", "x"});
    const std::vector<double> row = {1.0 / 3, 2.0 / 3};
    for (int i = 0; i < 1000; ++i) table.add(row);
  } catch (const Error& e) { why = e.what(); }
  setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, signal);
  EXPECT_THAT(why, HasSubstr("cannot be written"));
  EXPECT_EQ(contents(at("a")), "before");
  EXPECT_EQ(count(), 1U) << "no part is left";
}

TEST_F(Files, NeverReplaceAnInput) {
  write_file(at("in.csv"), "t,x\n0,1\n");
  fs::create_hard_link(at("in.csv"), at("same.csv"));
  (void)read_table(at("in.csv"));
  EXPECT_NO_THROW(write_file(at("in.csv"), "t,x\n0,1\n")) << "a program may write what it has read";
  const KeepInputs keep;
  (void)read_table(at("in.csv"));
  EXPECT_THROW(write_file(at("in.csv"), "t\n"), Error);
  EXPECT_THROW(OutputFile(at("./in.csv")), Error);
  EXPECT_EQ(contents(at("in.csv")), "t,x\n0,1\n");
  EXPECT_NO_THROW(write_file(at("other.csv"), "t\n"));
}

TEST_F(Files, APartIsNeitherAnInputNorALinkToFollow) {
  const KeepInputs keep;
  write_file(at("o.csv.part"), "t,x\n0,1\n");
  (void)read_table(at("o.csv.part"));
  EXPECT_THROW(write_file(at("o.csv"), "t\n"), Error);
  EXPECT_EQ(contents(at("o.csv.part")), "t,x\n0,1\n");
  write_file(at("victim"), "before");
  fs::create_symlink("victim", at("p.csv.part"));
  write_file(at("p.csv"), "t\n");
  EXPECT_EQ(contents(at("victim")), "before");
  EXPECT_EQ(contents(at("p.csv")), "t\n");
}

TEST_F(Files, ADeviceIsWrittenToDirectly) {
  EXPECT_NO_THROW(write_file("/dev/null", "x"));
  EXPECT_THROW(write_file("/dev/full", "x"), Error);
  EXPECT_THROW(write_file(at("no/such/folder/a"), "x"), Error);
}

}  // namespace
}  // namespace gough::files_test
