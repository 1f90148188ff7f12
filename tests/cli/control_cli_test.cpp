/// Studies of control as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/tool.hpp"
#include "robots.hpp"

namespace gough::control_cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Controlling : public Tool {
 protected:
  void SetUp() override {
    Tool::SetUp();
    std::filesystem::create_directories(folder() / "studies");
    std::filesystem::create_directories(folder() / "robots");
    std::filesystem::copy_file(robot_path("five_bar"), folder() / "robots/five_bar.yaml",
                               std::filesystem::copy_options::overwrite_existing);
  }
  void study(const std::string& control) const {
    write("studies/s.yaml",
          "study: s\nrobot: ../robots/five_bar.yaml\nmotion: {motion: there, line: {to: {x: 0.05, y: 0.42}, duration: "
          "0.1 s}}\n"
          "step: 1 ms\ncompute: control\ncontrol:\n" +
              control);
  }
};

TEST_F(Controlling, PrintsErrorsAndWritesAReport) {
  study("  runs: [{name: joints}, {name: force, law: computed_force}]\n  sweep: {sampling: [0.5 ms, 1 ms]}\n");
  const Outcome o = run("run studies/s.yaml");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("study s: tracking errors"));
  EXPECT_THAT(o.out, HasSubstr("sampling time [s]"));
  EXPECT_THAT(read("results/s/report.html"), HasSubstr("<html"));
  EXPECT_THAT(read("results/s/force.csv"), testing::StartsWith("t,error.left,error.right,error_rate.left,"));
  const json j = json::parse(run("run studies/s.yaml --json").out);
  EXPECT_LT(j["runs"][1]["rms_all"], j["runs"][0]["rms_all"]);
  const Outcome again = run("report results/s/result.json -o copy.html");
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST_F(Controlling, RefusesBadStudies) {
  study("  runs: [{name: joints, low: computed_force}]\n");
  const Outcome typed = run("run studies/s.yaml");
  EXPECT_EQ(typed.code, 2);
  EXPECT_THAT(typed.err, HasSubstr("studies/s.yaml:7: "));
  EXPECT_THAT(typed.err, HasSubstr("read the unknown key 'low' in a controller, expected 'law'?"));
  study("  runs: []\n");
  EXPECT_EQ(run("run studies/s.yaml").code, 2);
  study("  sampling: 1e-9 s\n  runs: [{name: joints}]\n");
  const Outcome many = run("run studies/s.yaml");
  EXPECT_EQ(many.code, 2);
  EXPECT_THAT(many.err, HasSubstr("samples, expected at most"));
  study("  plant: {parameters: 0.1}\n  runs: [{name: joints, payload: 1 kg, law: adaptive, rate: -1}]\n");
  EXPECT_THAT(run("run studies/s.yaml").err, HasSubstr("rate: read -1, expected more than 0"));
}

}  // namespace
}  // namespace gough::control_cli_test
