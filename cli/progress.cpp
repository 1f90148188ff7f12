#include "progress.hpp"

#include <fmt/format.h>
#include <semaphore.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "gough/io/files.hpp"
#include "verbs.hpp"

namespace {
volatile std::sig_atomic_t noted = 0;
sem_t wake;
extern "C" void note_interrupt(int signal) {
  noted = 1;
  std::signal(signal, SIG_DFL);
  sem_post(&wake);
}
constexpr auto every = std::chrono::milliseconds(200);
constexpr auto patience = std::chrono::milliseconds(800);  ///< for the work to end by itself, between two rows

/// What does not end by itself is ended; whole rows are kept.
void end_what_goes_on() {
  while (sem_wait(&wake) != 0) continue;
  std::this_thread::sleep_for(patience);
  gough::OutputFile::keep_all();
  say("gough: interrupted in the middle of a long computation; what was written before is kept\n");
  std::_Exit(numerical);
}
}  // namespace

void catch_interrupts() {
  static const bool watched = [] {
    sem_init(&wake, 0, 0);
    std::thread(end_what_goes_on).detach();
    return true;
  }();
  (void)watched;
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
