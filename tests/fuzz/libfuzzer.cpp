/// A fuzzer of one kind of input, GOUGH_FUZZ_robot_file and so on: libFuzzer's loop around the target and the mutator of that kind.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gough/gough.hpp"
#include "mutator.hpp"
#include "targets.hpp"
#ifdef GOUGH_FUZZ_command_line
#include "command_line.hpp"
#endif

namespace gough::fuzz {
namespace {

#if defined(GOUGH_FUZZ_robot_file) || defined(GOUGH_FUZZ_motion_file) || defined(GOUGH_FUZZ_study_file)
#if defined(GOUGH_FUZZ_robot_file)
constexpr auto* target = try_robot_file;
constexpr auto* schema = robot_schema;
#elif defined(GOUGH_FUZZ_motion_file)
constexpr auto* target = try_motion_file;
constexpr auto* schema = motion_schema;
#else
constexpr auto* target = try_study_file;
constexpr auto* schema = study_schema;
#endif
std::string mutated(const std::string& text, Dice& dice) {
  static const std::string grammar = schema();
  return mutate_yaml(text, grammar, dice);
}
constexpr auto* spliced = splice_yaml;
#elif defined(GOUGH_FUZZ_table)
constexpr auto* target = try_table;
constexpr auto* mutated = mutate_table;
constexpr auto* spliced = splice_tables;
#else
constexpr auto* target = try_command_line;
std::string mutated(const std::string& text, Dice& dice) { return mutate_words(text, verbs(), values(), dice); }
constexpr auto* spliced = splice_words;
#endif

std::string text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

std::size_t put(const std::string& text, std::uint8_t* to, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  std::copy_n(text.begin(), size, to);
  return size;
}

}  // namespace
}  // namespace gough::fuzz

using namespace gough::fuzz;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);  // of libFuzzer: bytes

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target(text_of(data, size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Dice dice(seed);
  if (dice.one_in(8)) return LLVMFuzzerMutate(data, size, most);
  return put(mutated(text_of(data, size), dice), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                                 std::size_t b_size, std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  Dice dice(seed);
  return put(spliced(text_of(a, a_size), text_of(b, b_size), dice), out, most);
}
