/// Command lines as verbs, options and values.
#include <algorithm>
#include <array>
#include <regex>

#include "mutator.hpp"

namespace gough::fuzz {

Verb verb_from_help(const std::string& name, const std::string& help) {
  static const std::regex option(R"(^  (-[a-z],)?(--?[a-z-]+)( [A-Z]+(:\{([^}]*)\})?)?)");
  Verb verb{name, {}};
  for (const std::string& line : split(help, '\n'))
    if (std::smatch found; std::regex_search(line, found, option)) {
      Verb::Option o{found[2], found[3].matched, {}};
      if (found[5].matched) o.words = split(found[5], ',');
      verb.options.push_back(std::move(o));
    }
  return verb;
}

namespace {

struct Line {
  std::vector<std::string> words;
  const std::vector<Verb>& verbs;
  const std::vector<std::string>& values;

  std::size_t any_place(Dice& dice) const { return dice.below(words.size() + 1); }
  auto at(std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); }
  const Verb& verb(Dice& dice) const {
    const auto found = std::find_if(verbs.begin(), verbs.end(),
                                    [&](const Verb& v) { return !words.empty() && v.name == words.front(); });
    return found == verbs.end() || dice.one_in(20) ? dice.of(verbs) : *found;
  }
};

std::string value_for(const Verb::Option* o, const Line& line, Dice& dice) {
  if (o != nullptr && !o->words.empty() && !dice.one_in(8)) return dice.of(o->words);
  return dice.one_in(4) ? odd_number(dice) : dice.of(line.values);
}

void add_option(Line& line, Dice& dice) {
  const Verb& verb = line.verb(dice);
  if (verb.options.empty()) return;
  const Verb::Option& o = dice.of(verb.options);
  if (!o.takes_value || dice.one_in(10)) line.words.push_back(o.name);
  else if (dice.one_in(4)) line.words.push_back(o.name + "=" + value_for(&o, line, dice));
  else line.words.insert(line.words.end(), {o.name, value_for(&o, line, dice)});
}

/// The word after an option, or any word, gets another value.
void other_value(Line& line, Dice& dice) {
  if (line.words.empty()) return;
  const std::size_t i = dice.below(line.words.size());
  const Verb& verb = line.verb(dice);
  const auto before = std::find_if(verb.options.begin(), verb.options.end(),
                                   [&](const Verb::Option& o) { return i > 0 && o.name == line.words[i - 1]; });
  line.words[i] = value_for(before == verb.options.end() ? nullptr : &*before, line, dice);
}

/// One of the numbers in a list such as "1,2,3" or "left=1,right=2".
void other_number(Line& line, Dice& dice) {
  if (line.words.empty()) return;
  std::string& word = dice.of(line.words);
  std::vector<std::string> parts = split(word, ',');
  std::string& part = dice.of(parts);
  const std::size_t sign = part.find('=') + 1;  // 0 where there is none
  part = part.substr(0, sign) + scaled(part.substr(sign), dice);
  if (dice.one_in(8)) parts.push_back(part);
  if (dice.one_in(8)) parts.pop_back();
  word = join(parts, ",");
}

void other_verb(Line& line, Dice& dice) {
  if (!line.words.empty()) line.words.front() = dice.of(line.verbs).name;
}

void leave_out(Line& line, Dice& dice) {
  if (!line.words.empty()) line.words.erase(line.at(dice.below(line.words.size())));
}

void repeat(Line& line, Dice& dice) {
  if (line.words.empty()) return;
  const std::string copy = dice.of(line.words);
  line.words.insert(line.at(line.any_place(dice)), copy);
}

void exchange(Line& line, Dice& dice) {
  if (!line.words.empty()) std::swap(dice.of(line.words), dice.of(line.words));
}

void add_value(Line& line, Dice& dice) {
  line.words.insert(line.at(line.any_place(dice)), value_for(nullptr, line, dice));
}

void odd_word(Line& line, Dice& dice) {
  static const std::array<std::string, 9> odd = {"-", "--", "-=", "--=1", "---x", "", "-oo", "\xff\xfe", "{}"};
  line.words.insert(line.at(line.any_place(dice)), dice.of(odd));
}

using Change = void (*)(Line&, Dice&);
constexpr std::array<Change, 13> changes = {add_option,   add_option,   add_option, other_value, other_value,
                                            other_number, other_number, other_verb, leave_out,   repeat,
                                            exchange,     add_value,    odd_word};

}  // namespace

std::string mutate_words(const std::string& text, const std::vector<Verb>& verbs,
                         const std::vector<std::string>& values, Dice& dice) {
  Line line{split(text, '\n'), verbs, values};
  if (!line.words.empty() && line.words.back().empty()) line.words.pop_back();
  for (std::size_t n = 1 + dice.below(3); n > 0; --n) dice.of(changes)(line, dice);
  return join(line.words, "\n") + "\n";
}

std::string splice_words(const std::string& text, const std::string& other, Dice& dice) {
  std::vector<std::string> words = split(text, '\n'), more = split(other, '\n');
  words.resize(dice.below(words.size() + 1));
  words.insert(words.end(), more.begin() + static_cast<std::ptrdiff_t>(dice.below(more.size())), more.end());
  return join(words, "\n");
}

}  // namespace gough::fuzz
