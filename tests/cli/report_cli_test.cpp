/// `gough run` and `gough report` as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/tool.hpp"
#include "gough/io/report.hpp"

namespace gough::report_cli_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ReportVerb : public Tool {
 protected:
  void SetUp() override {
    if (!has_report_page()) GTEST_SKIP() << "built without GOUGH_VIEWER";
    Tool::SetUp();
    std::filesystem::create_directory(folder() / "studies");
    std::filesystem::create_directory_symlink(GOUGH_SOURCE_DIR "/robots", folder() / "robots");
    write("studies/s.yaml",
          "study: s\ndescription: '</script><b>bold</b>'\nrobot: ../robots/five_bar.yaml\n"
          "motion: {motion: m, line: {to: {x: 0.05}, duration: 0.1 s}}\nstep: 10 ms\n");
  }
};

TEST_F(ReportVerb, RunWritesThePageAndSaysWhere) {
  const Outcome o = Tool::run("run studies/s.yaml");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("open results/s/report.html in a browser"));
  const std::string page = read("results/s/report.html");
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e\\u003cb\\u003ebold"));
  EXPECT_LT(page.size(), 1'500'000u);
}

TEST_F(ReportVerb, MakesThePageAgain) {
  Tool::run("run studies/s.yaml");
  const std::string first = read("results/s/report.html");
  std::filesystem::remove(folder() / "results/s/report.html");
  EXPECT_THAT(Tool::run("report results/s/result.json").out, StartsWith("results/s/report.html: "));
  EXPECT_EQ(read("results/s/report.html"), first);
  EXPECT_EQ(Tool::run("report results/s/result.json -o other.html --json").code, 0);
  EXPECT_EQ(read("other.html"), first);
}

/// A run that does not end well is a result of the comparison; the others are shown.
TEST_F(ReportVerb, SimulationsGoOnAfterAFailedFirstRun) {
  const std::string line = "motion: {motion: m, line: {to: {x: 0.05}, duration: 0.1 s}}";
  const std::string far = "motion: {motion: far, line: {to: {y: 3}, duration: 0.1 s}}";
  const std::string head = "robot: ../robots/five_bar.yaml\n" + line + "\nstep: 10 ms\ncompute: simulate\nsimulate:\n";
  write("studies/one.yaml", "study: one\n" + head + "  runs: [{name: lost, " + far + "}, {name: kept}]\n");
  const Outcome o = Tool::run("run studies/one.yaml");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("unreachable at t = 0 s: its motion cannot be followed"));
  EXPECT_THAT(o.out, HasSubstr("11 rows"));
  EXPECT_THAT(read("results/one/report.html"), HasSubstr("lost ended at t = 0 s"));
  write("studies/none.yaml", "study: none\n" + head + "  runs: [{name: lost, " + far + "}]\n");
  EXPECT_EQ(Tool::run("run studies/none.yaml").code, 2);
}

TEST_F(ReportVerb, RefusesWhatIsNoResult) {
  write("a.json", "[1]");
  Outcome o = Tool::run("report a.json");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, StartsWith("a.json: read something else, expected result.json of `gough run`"));
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_EQ(Tool::run("report none.json").code, 2);
  write("a.json", "{\"study\": \"x\"}");
  EXPECT_THAT(Tool::run("report a.json").err, HasSubstr("report.json"));
  write("report.json", "{\"format\": \"gough-report\", \"version\": 99}");
  EXPECT_THAT(Tool::run("report a.json").err, HasSubstr("read version 99, expected 1"));
}

TEST_F(ReportVerb, SaysWhereItCannotWrite) {
  Tool::run("run studies/s.yaml");
  const Outcome o = Tool::run("report results/s/result.json -o none/x.html");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, StartsWith("none/x.html: cannot be written"));
}

}  // namespace
}  // namespace gough::report_cli_test
