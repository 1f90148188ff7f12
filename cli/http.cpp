#include "http.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace http {
namespace {

constexpr std::string_view line_end = "\r\n", head_end = "\r\n\r\n";

constexpr std::array<std::pair<int, const char*>, 12> reasons = {{{200, "OK"},
                                                                  {400, "Bad Request"},
                                                                  {403, "Forbidden"},
                                                                  {404, "Not Found"},
                                                                  {405, "Method Not Allowed"},
                                                                  {409, "Conflict"},
                                                                  {411, "Length Required"},
                                                                  {413, "Content Too Large"},
                                                                  {415, "Unsupported Media Type"},
                                                                  {431, "Request Header Fields Too Large"},
                                                                  {500, "Internal Server Error"},
                                                                  {503, "Service Unavailable"}}};

bool is_graphic(char c) { return c > 0x20 && c < 0x7f; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The text up to `end`, which is taken away with it; all of it where there is no such end.
std::string_view cut(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  const std::string_view first = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  return first;
}

/// METHOD /path?query HTTP/1.1
bool read_first_line(std::string_view line, Request& r) {
  const std::string_view method = cut(line, " "), version = line.substr(std::min(line.rfind(' '), line.size()));
  line.remove_suffix(version.size());
  if (method.empty() || !std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
    return false;
  if (!line.starts_with('/') || !std::all_of(line.begin(), line.end(), is_graphic)) return false;
  if (version != " HTTP/1.1" && version != " HTTP/1.0") return false;
  r.method = method;
  r.path = cut(line, "?");
  r.query = line;
  return true;
}

/// Name: value
bool read_field(std::string_view line, Request& r) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  std::string name(line.substr(0, colon));
  if (!std::all_of(name.begin(), name.end(), is_graphic)) return false;
  std::transform(name.begin(), name.end(), name.begin(), lower);
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  value.remove_suffix(value.size() - (value.find_last_not_of(" \t") + 1));
  if (std::any_of(value.begin(), value.end(), [](char c) { return c == 0x7f || (c >= 0 && c < 0x20 && c != '\t'); }))
    return false;
  r.fields.emplace_back(std::move(name), value);
  return true;
}

bool read_head(std::string_view head, Request& r) {
  if (!read_first_line(cut(head, line_end), r)) return false;
  while (!head.empty())
    if (!read_field(cut(head, line_end), r)) return false;
  return true;
}

/// The length of the body that the head promises, or the status with which it is refused.
struct Length {
  std::uint64_t bytes = 0;
  int refused = 0;
};
Length body_length(const Request& r, std::size_t largest) {
  if (r.count("transfer-encoding") > 0) return {0, 411};
  if (r.count("content-length") == 0) return {0, r.method == "POST" ? 411 : 0};
  const std::string text = r.field("content-length");
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error == std::errc::result_out_of_range) return {0, 413};
  if (error != std::errc() || end != text.data() + text.size() || r.count("content-length") > 1) return {0, 400};
  return {bytes, bytes > largest ? 413 : 0};
}

}  // namespace

int Request::count(std::string_view name) const {
  return static_cast<int>(std::count_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == name; }));
}

std::string Request::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == name; });
  return found == fields.end() ? std::string() : found->second;
}

Response response(int status, std::string type, std::string body) {
  return {status, std::move(type), std::make_shared<const std::string>(std::move(body)), {}};
}

Arrived arrived(std::string_view text, std::size_t largest_body) {
  using State = Arrived::State;
  const std::size_t head = text.substr(0, largest_head).find(head_end);
  if (head == std::string_view::npos) return {text.size() < largest_head ? State::part : State::refused, {}, 431};
  Request r;
  if (!read_head(text.substr(0, head), r)) return {State::refused, {}, 400};
  const Length length = body_length(r, largest_body);
  if (length.refused != 0) return {State::refused, {}, length.refused};
  text.remove_prefix(head + head_end.size());
  if (text.size() < length.bytes) return {};
  r.body = text.substr(0, length.bytes);
  return {State::whole, std::move(r), 0};
}

std::string head_text(const Response& r) {
  const auto reason = std::find_if(reasons.begin(), reasons.end(), [&](const auto& x) { return x.first == r.status; });
  std::string text = fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\n", r.status,
                                 reason == reasons.end() ? "" : reason->second, r.body ? r.body->size() : 0);
  if (!r.type.empty()) text += fmt::format("Content-Type: {}\r\n", r.type);
  if (!r.allow.empty()) text += fmt::format("Allow: {}\r\n", r.allow);
  return text +
         "Connection: close\r\n"
         "Cache-Control: no-store\r\n"
         "X-Content-Type-Options: nosniff\r\n"
         "X-Frame-Options: DENY\r\n"
         "Content-Security-Policy: frame-ancestors 'none'\r\n"
         "Cross-Origin-Resource-Policy: same-origin\r\n"
         "Referrer-Policy: no-referrer\r\n\r\n";
}

}  // namespace http
