/// In place of cli/progress.cpp: nothing is shown, and work is interrupted when its time is up instead of by a signal.
#include "progress.hpp"

#include "oracle.hpp"

namespace {
constexpr double most_seconds = 2;
gough::fuzz::Deadline time_left(most_seconds);
}  // namespace

void catch_interrupts() { time_left = gough::fuzz::Deadline(most_seconds); }
bool interrupted() { return !time_left.go_on(); }

Progress::Progress(std::string what, std::size_t all) : what_(std::move(what)), all_(all), terminal_(false) {}
Progress::~Progress() = default;
bool Progress::step() {
  (void)all_, (void)count_, (void)terminal_, (void)shown_, (void)next_;
  return !interrupted();
}
