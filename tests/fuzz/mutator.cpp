#include "mutator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace gough::fuzz {

std::string odd_number(Dice& dice) {
  static const std::array<std::string, 32> all = {
      "0",      "-0",    "1",     "-1",   "2",     "3",    "1e-9",       "1e-300",
      "5e-324", "1e300", "1e999", "1e15", "-1e15", "1e16", ".nan",       "nan",
      "-nan",   ".inf",  "-.inf", "inf",  "1e-15", "0.5",  "0x10",       "007",
      "1_000",  "1e",    "1,5",   "+5",   "+-5",   "",     "2147483648", "9223372036854775808"};
  return dice.of(all);
}

std::string scaled(const std::string& text, Dice& dice) {
  constexpr std::array factors = {-1.0, 0.0, 0.5, 2.0, 10.0, 1e-3, 1e3, 1e-6, 1e6, 1e-12, 1e12, 1 + 1e-9, 1 - 1e-3};
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return odd_number(dice);
  return fmt::format("{}{}", x * dice.of(factors), end);
}

std::string damaged(std::string text, Dice& dice) {
  static const std::array<std::string, 12> bytes = {"\t",           "\r",   "\n",   "\x01",
                                                    "\x7f",         "\xff", "\xc3", "\xef\xbb\xbf",
                                                    "\xe2\x80\xa8", "\"",   "#",    std::string(1, '\0')};
  switch (dice.below(5)) {
    case 0: return text.substr(0, dice.below(text.size() + 1));
    case 1: return join(split(text, '\n'), "\r\n");
    case 2: return text + std::string(dice.below(3000), dice.one_in(2) ? ' ' : 'x');
    default: return text.insert(dice.below(text.size() + 1), dice.of(bytes));
  }
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  return parts;
}

std::string join(const std::vector<std::string>& parts, const std::string& between) {
  return fmt::format("{}", fmt::join(parts, between));
}

}  // namespace gough::fuzz
