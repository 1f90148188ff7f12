#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace {
volatile std::sig_atomic_t noted = 0;
extern "C" void note_interrupt(int signal) {
  noted = 1;
  std::signal(signal, SIG_DFL);
}
constexpr auto every = std::chrono::milliseconds(200);
}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}
bool interrupted() { return noted != 0; }

Progress::Progress(std::string what, std::size_t all)
    : what_(std::move(what)),
      all_(all),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + every) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

bool Progress::step() {
  const std::lock_guard lock(mutex_);
  ++count_;
  if (terminal_ && std::chrono::steady_clock::now() >= next_) {
    fmt::print(stderr, "\r{} {} of {}", what_, count_, all_);
    std::fflush(stderr);
    shown_ = true;
    next_ = std::chrono::steady_clock::now() + every;
  }
  return !interrupted();
}
