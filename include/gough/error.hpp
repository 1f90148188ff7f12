#pragma once
/// What gough throws: Error where something the user gave cannot be used; Failure where a result would not be right, which is a defect of
/// gough itself that a check has found. Programmer mistakes assert; numerical outcomes (not converged, singular, out of reach) are returned
/// as a status and never thrown.
#include <stdexcept>
#include <string>

namespace gough {

/// A place in a file the user wrote. Line 0: the file as a whole; empty file: built in code.
struct Where {
  std::string file;
  int line = 0;

  std::string text() const {
    if (file.empty()) return {};
    return line > 0 ? file + ":" + std::to_string(line) + ": " : file + ": ";
  }
};

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  Error(const Where& where, const std::string& message) : std::runtime_error(where.text() + message) {}
};

/// A numerical outcome that leaves nothing to hand out: a second way of computing contradicts it, or there is no answer where one was asked for.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gough
