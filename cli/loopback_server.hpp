#pragma once
/// A server on 127.0.0.1 that no client can hold up.                                                        docs/view.md
/// One thread moves bytes and waits for nobody: a request is handed on when it has come whole, an answer is sent as it is taken. A
/// connection that stands still costs a place, and not for long. Each answer is made in a thread of its own.
#include <atomic>
#include <functional>

#include "http.hpp"

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int get() const { return number_; }

 private:
  int number_;
};

class LoopbackServer {
 public:
  /// Called in several threads at once; throws nothing.
  using Answer = std::function<http::Response(const http::Request&)>;

  /// Listens at this port, 0: at a free one. Throws gough::Error where that cannot be.
  LoopbackServer(int wanted, std::size_t largest_body);
  int port() const { return port_; }
  /// Serves until `stop`, or until the machine refuses; returns when all answers that were begun are made.
  void run(const Answer& answer);
  /// From any thread.
  void stop();

 private:
  Descriptor listening_, wake_;
  int port_ = 0;
  std::size_t largest_body_;
  std::atomic<bool> stopped_ = false;
};
