/// Text that others wrote. Expected values: The Unicode Standard, table 3-7 (well-formed UTF-8) and section 23.1 (control codes).
#include "gough/io/text.hpp"

#include <gtest/gtest.h>

namespace gough::text_test {
namespace {

constexpr auto nowhere = std::string::npos;

TEST(Text, TheFirstAndLastCharactersOfEachLengthAreUtf8) {
  for (const std::string text : {"\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                 "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", ""})
    EXPECT_EQ(find_bad_byte("ab" + text + "c"), nowhere) << shown(text);
}

TEST(Text, WhatLiesBesideThemIsNot) {
  for (const std::string text : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x7F", "\xC2\xC0", "\xE0\x9F\xBF",
                                 "\xE1\x80", "\xE1\x80\x7F", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF1\x80\x80",
                                 "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
    EXPECT_EQ(find_bad_byte("\u00e4b" + text), 3U) << shown(text);
}

TEST(Text, ControlCharactersAreFound) {
  for (const std::string text : {"\x01", "\x1F", "\x7F", "\xC2\x80", "\xC2\x9F"})
    EXPECT_EQ(find_control("\u00e4b" + text), 3U) << shown(text);
  EXPECT_EQ(find_control(std::string(1, '\0')), 0U);
  for (const std::string text : {" ", "~", "\xC2\xA0", "\u00e9", "\u20ac"})
    EXPECT_EQ(find_control(text), nowhere) << text;
  EXPECT_EQ(find_control("a\tb\nc", "\n\t"), nowhere);
  EXPECT_EQ(find_control("a\tb\nc", "\t"), 3U);
}

TEST(Text, IsShownWithoutWhatATerminalObeys) {
  EXPECT_EQ(shown("two\nlines\tof \u20ac"), "two\nlines\tof \u20ac");
  EXPECT_EQ(shown("\x1B[31m\r\a"), "\\x1b[31m\\x0d\\x07");
  EXPECT_EQ(shown("\x7F \xC2\x9B"), "\\u007f \\u009b");
  EXPECT_EQ(shown("\xFF\xE2\x82"), "\\xff\\xe2\\x82");
}

TEST(Text, ABeginningEndsWithAWholeCharacter) {
  EXPECT_EQ(beginning("a\u20ac\u20ac", 7), "a\u20ac\u20ac");
  EXPECT_EQ(beginning("a\u20ac\u20ac", 6), "a\u20ac");
  EXPECT_EQ(beginning("a\u20ac\u20ac", 4), "a\u20ac");
  EXPECT_EQ(beginning("a\u20ac\u20ac", 3), "a");
  EXPECT_EQ(beginning("\u20ac", 2), "");
}

}  // namespace
}  // namespace gough::text_test
