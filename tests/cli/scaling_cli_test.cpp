/// compare --scaling as a user meets it: files, columns, keys of the JSON, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/tool.hpp"
#include "robots.hpp"

namespace gough::scaling_cli_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class ScalingTool : public Tool {
 protected:
  static double value(const Table& t, std::size_t row, const std::string& column) {
    EXPECT_GE(t.find(column), 0) << column;
    return t.find(column) < 0 ? 0 : t.rows.at(row)[static_cast<std::size_t>(t.find(column))];
  }
};

/// Times are the machine's; everything else is fixed.
TEST_F(ScalingTool, CompareScalingWritesItsTables) {
  const Outcome o = run("compare " + robot_path("five_bar") + " --scaling");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out,
              AllOf(StartsWith("five_bar: cost of one evaluation as the robot grows\n"),
                    HasSubstr("Triglide *    3     2     1   162    729       78 %           192            216"),
                    HasSubstr("Forward dynamics [us] over elastic freedoms per chain"),
                    HasSubstr("legs are not varied: the robot file has no `legs`"),
                    HasSubstr("results/scaling_five_bar: scaling.csv, report.json")));
  const Table t = parse_table(read("results/scaling_five_bar/scaling.csv"), "scaling.csv");
  ASSERT_EQ(t.rows.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const double n = std::pow(2, i);
    EXPECT_EQ(value(t, i, "n_ek"), n);
    EXPECT_EQ(value(t, i, "freedoms"), 2 + 2 * n);
    EXPECT_EQ(value(t, i, "formula_scdd"), 2 * std::pow(2 + n, 3)) << "n_a (1 + n_pk + n_ek)^3";
    EXPECT_EQ(value(t, i, "formula_dalembert"), std::pow(2 + 2 * n, 3)) << "(n_a + n_a n_ek)^3";
    for (const Formulation f : all_formulations) EXPECT_GT(value(t, i, fmt::format("forward_us.{}", name(f))), 0);
  }
}

TEST_F(ScalingTool, CompareScalingJson) {
  const Outcome o = run("compare " + robot_path("triglide") + " --scaling --json -o there");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(std::filesystem::exists(folder() / "there/scaling.csv"));
  const json j = json::parse(o.out);
  EXPECT_EQ(j.at("agrees"), true);
  EXPECT_EQ(j.at("table1")[2].at("erratum"), true);
  EXPECT_EQ(j["table1"][2].at("formula").at("dalembert"), 216);
  EXPECT_EQ(j["table1"][2].at("printed").at("dalembert"), 729);
  std::vector<int> elastic, legs;
  for (const json& step : j.at("elastic").at("steps")) elastic.push_back(step.at("n_ek"));
  for (const json& step : j.at("legs").at("steps")) legs.push_back(step.at("legs"));
  EXPECT_THAT(elastic, ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_THAT(legs, ElementsAre(3, 6, 12, 24));
  EXPECT_TRUE(j["legs"].at("slopes").at("scdd").at("forward").is_number());
  const json data = json::parse(read("there/report.json"));
  EXPECT_EQ(data.at("format"), "gough-report");
  EXPECT_EQ(data.at("plots").size(), 4U);
}

TEST_F(ScalingTool, CompareScalingRefusesWhatItCannotDo) {
  const Outcome serial = run("compare " + robot_path("pendulum") + " --scaling");
  EXPECT_EQ(serial.code, 2);
  EXPECT_THAT(serial.err, HasSubstr("pendulum.yaml:1: read a robot without loops, expected chains"));
  const Outcome motion =
      run("compare " + robot_path("five_bar") + " " + GOUGH_SOURCE_DIR "/motions/five_bar_line.yaml" + " --scaling");
  EXPECT_EQ(motion.code, 2);
  EXPECT_THAT(motion.err, AllOf(StartsWith("--scaling: read the motion"), HasSubstr("expected none")));
  const Outcome output = run("compare " + robot_path("five_bar") + " -o there");
  EXPECT_EQ(output.code, 2);
  EXPECT_EQ(output.err, "-o: read a folder, expected it with --scaling only\n");
  EXPECT_FALSE(std::filesystem::exists(folder() / "results"));
}

}  // namespace
}  // namespace gough::scaling_cli_test
