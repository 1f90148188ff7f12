#pragma once
/// Files that are written: under a temporary name beside their own, which they take when they are whole. So a full disk or a failure leaves
/// no half page or row, and what stood there before stays until then.
#include <fstream>
#include <mutex>
#include <string>

namespace gough {

class OutputFile {
 public:
  /// Throws Error where there is no place for a file, or where it would replace an input (KeepInputs). Pipes and devices are written to
  /// directly.
  explicit OutputFile(std::string path);
  /// Takes its name, with all that was put, unless writing failed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error where it cannot be written; then nothing of it stays.
  void put(const std::string& text);
  /// Takes its name. Throws Error where it cannot.
  void finish();

  /// For a program that ends at once, on whatever thread: what is open takes its name with what was put, unless something is being put.
  static void keep_all();

 private:
  [[noreturn]] void fail();

  std::string path_, target_;  ///< as it was asked for; where links lead
  std::string part_;           ///< the temporary name; empty: written directly, or finished
  std::ofstream file_;
  std::mutex putting_;
};

/// The whole text as a file.
void write_file(const std::string& path, const std::string& text);

/// While one lives, no output replaces a file that was read since: the tool has one for its whole run.
class KeepInputs {
 public:
  KeepInputs();
  ~KeepInputs();
  KeepInputs(const KeepInputs&) = delete;
  KeepInputs& operator=(const KeepInputs&) = delete;

  static void note(const std::string& path);
  /// Throws Error where `path` is one of them.
  static void expect_output(const std::string& path);
};

}  // namespace gough
