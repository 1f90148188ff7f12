#pragma once
/// Text that others wrote: whether it is UTF-8, and how it is shown where it is not, or where it holds control characters.
#include <string>
#include <string_view>
#include <vector>

namespace gough {

/// Where the first byte stands that is no UTF-8; npos: nowhere.
std::size_t find_bad_byte(std::string_view text);
/// Where the first control character (of ASCII or of Latin-1) stands that is not one of `allowed`; npos: nowhere.
std::size_t find_control(std::string_view text, std::string_view allowed = "");
/// Text as a terminal may have it: control characters other than the end of a line and tab, and bytes that are no UTF-8, are written
/// as \x1b, \u009b, \xff.
std::string shown(std::string_view text);
/// At most the first `most` bytes, ending with a whole character.
std::string beginning(std::string_view text, std::size_t most);
/// The candidate that a mistyped word was meant for; empty where none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace gough
