/// generate as a user meets it: files, counts, keys of the JSON, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/tool.hpp"
#include "robots.hpp"

namespace gough::generate_cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class GenerateTool : public Tool {};

TEST_F(GenerateTool, WritesAHeaderAndASource) {
  const Outcome o = run("generate " + robot_path("five_bar") + " --what forward --from actuators -o code");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("five_bar_forward.h"));
  EXPECT_THAT(read("code/five_bar_forward.h"), HasSubstr("int five_bar_forward("));
  EXPECT_THAT(read("code/five_bar_forward.c"), HasSubstr("#include \"five_bar_forward.h\""));
}

TEST_F(GenerateTool, WritesCuda) {
  const Outcome o = run("generate " + robot_path("five_bar") + " --what forward --from actuators --lang cuda --fold");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(read("five_bar_forward_cuda.cu"),
              HasSubstr("__global__ void __launch_bounds__(128, 3) five_bar_forward_cuda_kernel(int n"));
}

TEST_F(GenerateTool, WritesLegsAsLanes) {
  const Outcome o = run("generate " + robot_path("palida") + " --from platform --lanes");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(read("palida_inverse_lanes.c"), HasSubstr("FOR static int legs_avx512("));
  EXPECT_THAT(run("generate " + robot_path("palida") + " --from platform --lanes --batch").err,
              HasSubstr("--lanes: read with --batch, which takes many states at once"));
}

TEST_F(GenerateTool, CountsWithoutWriting) {
  const Outcome o = run("generate " + robot_path("palida") + " --from platform --count --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json x = json::parse(o.out)["inverse"];
  EXPECT_EQ(x["total"], x["add"].get<int>() + x["mul"].get<int>() + x["div"].get<int>());
  EXPECT_LE(x["total"], 1000);
  EXPECT_LT(x["fma_total"], x["total"]);
  for (const std::string section : {"struts", "platform", "solve", "friction"})
    EXPECT_TRUE(x["sections"].contains(section)) << section;
  for (const std::string function : {"sqrt", "sin", "cos", "atan2"}) EXPECT_TRUE(x["special"].contains(function));
  EXPECT_TRUE(x.contains("setup"));
  EXPECT_EQ(x["published"][0]["total"], 1987);
  EXPECT_FALSE(std::filesystem::exists(folder() / "palida_inverse.c"));
}

TEST_F(GenerateTool, ShowsBothPublishedCountsOfTheFiveBar) {
  const std::string command = "generate " + robot_path("five_bar") + " --what forward --from actuators --count";
  const json published = json::parse(run(command + " --json").out)["forward"]["published"];
  ASSERT_EQ(published.size(), 2);
  EXPECT_EQ(published[0]["total"], 742);
  EXPECT_EQ(published[1]["total"], 3490);
  EXPECT_THAT(run(command).out,
              testing::HasSubstr("SCDD: 272 + 470 = 742; paper 000, Table 2, L-D'A: 972 + 2518 = 3490"));
}

TEST_F(GenerateTool, RefusesWhatThereIsNot) {
  for (const std::string options :
       {"--from actuators", "--what derivatives --from platform", "--what nothing", "--from nowhere", "--lang fortran",
        "--newton 3 --from platform", "--newton 99", "--lanes", "--lanes --from platform", "--lanes --lang cuda"}) {
    const Outcome o = run("generate " + robot_path("delta") + " " + options);
    EXPECT_EQ(o.code, 2) << options;
    EXPECT_NE(o.err, "") << options;
  }
}

}  // namespace
}  // namespace gough::generate_cli_test
