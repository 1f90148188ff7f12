#pragma once
/// As much of HTTP/1.1 as a page and its server on one computer need: requests with a body of known length, one per connection.
///                                                                                                        docs/view.md
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace http {

inline constexpr std::size_t largest_head = 16384;

struct Request {
  std::string method, path, query, body;
  std::vector<std::pair<std::string, std::string>> fields;  ///< of the head; names in lower case

  int count(std::string_view name) const;
  /// The value of the first field with this name (in lower case), or empty.
  std::string field(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string type;                         ///< of the body: "text/plain", ..
  std::shared_ptr<const std::string> body;  ///< shared: a page that many ask for is there once
  std::string allow;                        ///< methods, with status 405
};

/// An answer with a body of its own.
Response response(int status, std::string type, std::string body);

/// What the bytes that came so far are.
struct Arrived {
  enum class State { part, whole, refused } state = State::part;
  Request request;  ///< of a whole one
  int status = 0;   ///< with which it is refused
};

/// Reads a request. One that is too large, or is no HTTP, is refused as soon as that is known.
Arrived arrived(std::string_view text, std::size_t largest_body);
/// The head of an answer, with fields that keep other sites out.
std::string head_text(const Response& r);

}  // namespace http
