#pragma once
/// Changes to inputs as their readers see them: a tree of keys and values, a table of cells, a list of words. So most of what comes out gets
/// past the parser. The same dice make the same change.
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace gough::fuzz {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}

  /// 0 .. n - 1
  std::size_t below(std::size_t n) { return n < 2 ? 0 : engine_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class List>
  auto& of(List& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937 engine_;
};

/// Robot, motion and study files (YAML). What their keys may hold comes from `schema`, the JSON Schema of the kind.
std::string mutate_yaml(const std::string& text, const std::string& schema, Dice& dice);
/// One with a part of the other.
std::string splice_yaml(const std::string& text, const std::string& other, Dice& dice);

/// Tables (CSV): cells, rows, columns and what separates them.
std::string mutate_table(const std::string& text, Dice& dice);
std::string splice_tables(const std::string& text, const std::string& other, Dice& dice);

/// What a verb of the command line takes, read off its help.
struct Verb {
  struct Option {
    std::string name;
    bool takes_value = false;
    std::vector<std::string> words;  ///< the values it knows; empty: a number, a text or a file
  };
  std::string name;
  std::vector<Option> options;
};
Verb verb_from_help(const std::string& name, const std::string& help);

/// Command lines, a word in each line. `values`: files, names and numbers that options may want.
std::string mutate_words(const std::string& text, const std::vector<Verb>& verbs,
                         const std::vector<std::string>& values, Dice& dice);
std::string splice_words(const std::string& text, const std::string& other, Dice& dice);

// ------------------------------------------------------------------------------------------------ parts of all three

/// A number that readers may not have thought of.
std::string odd_number(Dice& dice);
/// The number that `text` begins with by another factor, its unit kept; an odd one where there is no number.
std::string scaled(const std::string& text, Dice& dice);
/// Damage below the level of cells and keys: line ends, tabs, control characters, bytes that are no UTF-8, an early end.
std::string damaged(std::string text, Dice& dice);
/// The lines of a text, and a text of lines.
std::vector<std::string> split(const std::string& text, char at);
std::string join(const std::vector<std::string>& parts, const std::string& between);

}  // namespace gough::fuzz
