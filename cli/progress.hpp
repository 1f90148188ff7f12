#pragma once
/// Long work: shown on a terminal, and ended between two rows by an interrupt.
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

/// From here on SIGINT and SIGTERM are noted, for the work to end between two rows; what has not ended 0.8 s later is ended, its rows kept.
/// A second signal ends the program at once.
void catch_interrupts();
bool interrupted();

/// "computing 1200 of 2001" on standard error while work takes long; nothing where that is no terminal.
class Progress {
 public:
  Progress(std::string what, std::size_t all);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more is done, on any thread. Returns whether to go on.
  bool step();

 private:
  std::mutex mutex_;
  std::string what_;
  std::size_t all_, count_ = 0;
  bool terminal_, shown_ = false;
  std::chrono::steady_clock::time_point next_;
};
