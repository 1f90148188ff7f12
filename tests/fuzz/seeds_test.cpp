/// The fuzzers' seeds, hand-written or found by them, through the same functions: inputs that once went wrong stay right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/tool.hpp"
#include "mutator.hpp"
#include "oracle.hpp"
#include "robots.hpp"
#include "targets.hpp"

namespace gough::seeds_test {
namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string name;
  void (*attempt)(const std::string&);
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

std::vector<fs::path> seeds_of(const std::string& kind) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(fs::path(GOUGH_SOURCE_DIR) / "tests/fuzz/seeds" / kind))
    all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

class Seeds : public testing::TestWithParam<Kind> {};

TEST_P(Seeds, AreRefusedOrComputed) {
  const auto seeds = seeds_of(GetParam().name);
  EXPECT_FALSE(seeds.empty());
  for (const fs::path& seed : seeds) {
    SCOPED_TRACE(seed.filename().string());
    EXPECT_NO_THROW(GetParam().attempt(contents(seed)));
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Seeds,
                         testing::Values(Kind{"robot_file", fuzz::try_robot_file},
                                         Kind{"motion_file", fuzz::try_motion_file},
                                         Kind{"study_file", fuzz::try_study_file}, Kind{"table", fuzz::try_table}),
                         [](const auto& info) { return info.param.name; });

/// The tool itself on the words of a seed; the fuzzer calls its main.
class CommandLineSeeds : public Tool {};

TEST_F(CommandLineSeeds, EndWithACodeThatIsExplained) {
  for (const auto& entry : fs::directory_iterator(GOUGH_SOURCE_DIR "/tests/fuzz/inputs"))
    fs::copy_file(entry.path(), folder() / entry.path().filename());
  for (const char* const robot :
       {"five_bar", "four_bar", "elastic_five_bar", "five_bar_flexible", "redundant_five_bar"})
    fs::copy_file(robot_path(robot), folder() / fmt::format("{}.yaml", robot));
  for (const fs::path& seed : seeds_of("command_line")) {
    std::string words;
    for (const std::string& word : fuzz::split(contents(seed), '\n'))
      if (!word.empty()) words += fmt::format(" '{}'", word);
    SCOPED_TRACE(words);
    const Outcome o = run(words, "CC=false");
    EXPECT_THAT(o.code, testing::AnyOf(0, 2, 3));
    EXPECT_TRUE(o.code == 0 || !o.err.empty());
    if (o.code == 0) { EXPECT_NO_THROW(fuzz::expect_no_nan(o.out, "standard output")); }
  }
}

/// At least a tenth of what the mutator makes of shipped robots is read without an Error, or it would test little beside the parser.
TEST(Mutator, MakesFilesThatAreStillRead) {
  const std::string schema = robot_schema();
  int read = 0, all = 0;
  std::set<std::string> different;
  for (const std::string name : {"four_bar", "five_bar", "delta_flexible", "psp3", "andrews"})
    for (unsigned seed = 0; seed < 60; ++seed, ++all) {
      fuzz::Dice dice(seed);
      const std::string text = fuzz::mutate_yaml(robot_text(name), schema, dice);
      different.insert(text);
      try {
        robot_from(text);
        ++read;
      } catch (const Error&) { continue; }
    }
  EXPECT_GT(read, all / 10);
  EXPECT_LT(read, all) << "some are refused";
  EXPECT_GT(different.size(), static_cast<std::size_t>(all) * 9 / 10);
}

TEST(Mutator, DoesTheSameWithTheSameDice) {
  fuzz::Dice a(7), b(7);
  const std::string schema = robot_schema(), text = robot_text("delta");
  EXPECT_EQ(fuzz::mutate_yaml(text, schema, a), fuzz::mutate_yaml(text, schema, b));
}

TEST(Mutator, ReadsOptionsOffTheHelp) {
  const fuzz::Verb verb =
      fuzz::verb_from_help("v", "  -h,--help   Print\n  --by TEXT:{legs,noc}\n  -o TEXT  table\n  --json  x\n");
  ASSERT_EQ(verb.options.size(), 4U);
  EXPECT_FALSE(verb.options[0].takes_value);
  EXPECT_THAT(verb.options[1].words, testing::ElementsAre("legs", "noc"));
  EXPECT_EQ(verb.options[2].name, "-o");
  EXPECT_TRUE(verb.options[2].takes_value);
  EXPECT_FALSE(verb.options[3].takes_value);
}

}  // namespace
}  // namespace gough::seeds_test
