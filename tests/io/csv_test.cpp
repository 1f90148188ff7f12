/// Tables of numbers: what is read, what is refused and where, and that writing and reading lose nothing.
#include "gough/io/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>

#include "gough/gough.hpp"

namespace gough::csv_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(const std::string& text) {
  try {
    parse_table(text, "a.csv");
  } catch (const Error& e) { return e.what(); }
  return "accepted";
}

TEST(Csv, ReadsAHeadingAndRows) {
  const Table t = parse_table("t,x,q.leg1.drive\n0,1.5,-2e-3\n1,+2,.5\n", "a.csv");
  EXPECT_THAT(t.columns, ElementsAre("t", "x", "q.leg1.drive"));
  ASSERT_EQ(t.rows.size(), 2U);
  EXPECT_THAT(t.rows[0], ElementsAre(0, 1.5, -2e-3));
  EXPECT_THAT(t.rows[1], ElementsAre(1, 2, 0.5));
  EXPECT_EQ(t.find("x"), 1);
  EXPECT_EQ(t.find("y"), -1);
}

TEST(Csv, SkipsCommentsBlankLinesSpacesAndCarriageReturns) {
  const Table t = parse_table(
      "# made by hand\r\n\r\n t , \"x, of P\" , \"say \"\"y\"\"\" \r\n  1,\t2 , 3\r\n\n# end\n4,5,6", "a.csv");
  EXPECT_THAT(t.columns, ElementsAre("t", "x, of P", "say \"y\""));
  ASSERT_EQ(t.rows.size(), 2U);
  EXPECT_THAT(t.rows[0], ElementsAre(1, 2, 3));
  EXPECT_THAT(t.rows[1], ElementsAre(4, 5, 6)) << "the last line needs no end";
}

TEST(Csv, AHeadingAloneIsATableWithoutRows) { EXPECT_TRUE(parse_table("t,x\n", "a.csv").rows.empty()); }

TEST(Csv, MistakesAreNamedByLineAndColumn) {
  EXPECT_THAT(refusal("t,x\n0,1\n# c\n1,one\n"),
              AllOf(StartsWith("a.csv:4: "), HasSubstr("'x'"), HasSubstr("'one'"), HasSubstr("expected")));
  EXPECT_THAT(refusal("t,x\n0\n"), AllOf(StartsWith("a.csv:2: "), HasSubstr("1 value"), HasSubstr("expected 2")));
  EXPECT_THAT(refusal("t,x\n0,1,2\n"), AllOf(StartsWith("a.csv:2: "), HasSubstr("3 values")));
  EXPECT_THAT(refusal("t,t\n0,1\n"), AllOf(StartsWith("a.csv:1: "), HasSubstr("'t'")));
  EXPECT_THAT(refusal("t,,x\n0,1,2\n"), StartsWith("a.csv:1: "));
  EXPECT_THAT(refusal("t,\"x\n0,1\n"), AllOf(StartsWith("a.csv:1: "), HasSubstr("quote")));
  EXPECT_THAT(refusal(""), AllOf(StartsWith("a.csv"), HasSubstr("empty")));
  EXPECT_THAT(refusal("# nothing\n\n"), HasSubstr("empty"));
}

TEST(Csv, NumbersThatAreNoneAreRefused) {
  for (const std::string bad :
       {"", "nan", "inf", "-inf", "1e999", "0x10", "1 2", "1.5m", "+-1", "++1", "--1", "1e", "1,5 "})
    EXPECT_THAT(refusal("t,x\n0," + bad + "\n"), StartsWith("a.csv:2: ")) << bad;
}

TEST(Csv, WritingAndReadingLosesNothing) {
  Table t;
  t.columns = {"t", "a,b", "c\"d", "q.x"};
  t.rows = {{0.1, 1.0 / 3, -std::numbers::pi * 1e-300, 5e-324},
            {std::numeric_limits<double>::max(), -0.0, 123456789012345678.0, std::numeric_limits<double>::min()}};
  const Table back = parse_table(table_text(t), "a.csv");
  EXPECT_EQ(back.columns, t.columns);
  EXPECT_EQ(back.rows, t.rows);
}

TEST(Csv, ANameThatLooksLikeACommentOrHasSpacesComesBackToo) {
  Table t;
  t.columns = {"#1", "two words"};
  t.rows = {{1, 2}};
  EXPECT_EQ(parse_table(table_text(t), "a.csv").columns, t.columns);
}

TEST(Csv, AMissingFileIsAnError) {
  EXPECT_THROW(read_table("/nowhere/at/all.csv"), Error);
  const auto path = std::filesystem::temp_directory_path() / fmt::format("gough_csv_test_{}.csv", getpid());
  std::ofstream(path) << "x\n1\n";
  EXPECT_EQ(read_table(path.string()).rows.size(), 1U);
  std::filesystem::remove(path);
}

TEST(Csv, PosesOfATableAreTakenByColumnName) {
  const PoseMask all = {true, true, true, true, true, true};
  const PoseList list =
      poses_of_table(parse_table("rz,z,t,other\n0.3,-0.65,2.5,9\n0,-0.6,3,9\n", "a.csv"), "a.csv", all);
  ASSERT_EQ(list.poses.size(), 2U);
  EXPECT_THAT(list.t, ElementsAre(2.5, 3));
  EXPECT_LT((pose_vector(list.poses[0]) - (Vec6<double>() << 0, 0, -0.65, 0, 0, 0.3).finished()).norm(), 1e-15);
  EXPECT_THAT(poses_of_table(parse_table("x\n1\n2\n", "a.csv"), "a.csv", all).t, ElementsAre(0, 1))
      << "no time: the row";
  EXPECT_THROW(poses_of_table(parse_table("t,speed\n1,2\n", "a.csv"), "a.csv", all), Error);
}

TEST(Numbers, AreReadWithUnitsAndRefusedWithTheWrongOnes) {
  const std::vector<bool> pose = {true, true, true, false, false, false};
  EXPECT_THAT(parse_numbers("0.01, 0, -650 mm, 180 deg, 0,1e-3", pose, "--pose"),
              ElementsAre(0.01, 0, testing::DoubleEq(-0.65), testing::DoubleEq(std::numbers::pi), 0, 1e-3));
  for (const std::string bad : {"", "1,2,3", "1,2,3,4,5,6,7", "1,2,3,4 mm,5,6", "1 deg,2,3,4,5,6", "1,2,,4,5,6",
                                "1,2,3,4,5,6,", "1,2,x,4,5,6", "1;2;3;4;5;6", "1,2,nan,4,5,6"}) {
    try {
      parse_numbers(bad, pose, "--pose");
      ADD_FAILURE() << "accepted '" << bad << "'";
    } catch (const Error& e) { EXPECT_THAT(e.what(), AllOf(StartsWith("--pose: "), HasSubstr("expected"))) << bad; }
  }
}

}  // namespace
}  // namespace gough::csv_test
