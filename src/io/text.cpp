#include "gough/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gough {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

/// Bytes of the character at the front of a text; 0: that is no UTF-8. (The Unicode Standard, table 3-7)
std::size_t character_size(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;  // below: has a shorter form
  const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;   // above: surrogates; beyond U+10FFFF
  if (byte_at(text, 1) < least || byte_at(text, 1) > most) return 0;
  for (std::size_t i = 2; i < size; ++i)
    if ((byte_at(text, i) & 0xC0U) != 0x80) return 0;
  return size;
}

bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && byte_at(character, 1) < 0xA0);
}

}  // namespace

std::size_t find_bad_byte(std::string_view text) {
  for (std::size_t i = 0, size = 0; i < text.size(); i += size)
    if (size = character_size(text.substr(i)); size == 0) return i;
  return nowhere;
}

std::size_t find_control(std::string_view text, std::string_view allowed) {
  for (std::size_t i = 0, size = 0; i < text.size(); i += size) {
    size = std::max<std::size_t>(1, character_size(text.substr(i)));
    if (is_control(text.substr(i, size)) && allowed.find(text[i]) == nowhere) return i;
  }
  return nowhere;
}

std::string shown(std::string_view text) {
  std::string all;
  for (std::size_t i = 0, size = 0; i < text.size(); i += size) {
    const bool is_bad = character_size(text.substr(i)) == 0;
    size = is_bad ? 1 : character_size(text.substr(i));
    const std::string_view character = text.substr(i, size);
    const unsigned code = byte_at(character, size - 1);
    if (is_bad || (code < 0x20 && character != "\n" && character != "\t")) all += fmt::format("\\x{:02x}", code);
    else if (is_control(character) && code > 0x20) all += fmt::format("\\u{:04x}", code);  // as JSON may have it, too
    else all += character;
  }
  return all;
}

std::string beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (byte_at(text, most) & 0xC0U) == 0x80) --most;
  return std::string(text.substr(0, most));
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  if (word.size() > 40) return {};
  const auto distance = [&](const std::string& other) {
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0]++;
      for (std::size_t j = 1; j <= other.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (word[i - 1] == other[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    return row.back();
  };
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 2);
  for (const std::string& c : candidates)
    if (const std::size_t d = distance(c); d < least || (d == least && best.empty() && d <= 2)) {
      least = d;
      best = c;
    }
  return best;
}

}  // namespace gough
