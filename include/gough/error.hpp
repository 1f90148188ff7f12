#pragma once
/// The one exception of gough: something the user gave cannot be used. Programmer mistakes assert; numerical outcomes
/// (not converged, singular, out of reach) are returned as a status and never thrown.
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

}  // namespace gough
