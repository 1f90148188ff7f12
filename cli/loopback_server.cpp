#include "loopback_server.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "gough/error.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_connections = 256;
constexpr std::size_t most_ignored = 1 << 20;
constexpr auto time_to_ask = 2s;      // until a request has come
constexpr auto time_to_take = 10s;    // until its answer is taken
constexpr auto time_to_leave = 1s;    // until the client closes
constexpr auto time_to_move = 300ms;  // what stands still for longer gives its place to others
constexpr int between_ticks = 100;    // looks at the clock [ms]

enum class Stage { asking, waiting, taking, leaving };

struct Connection {
  Descriptor socket;
  Stage stage = Stage::asking;
  Clock::time_point moved, until;           ///< when the stage began or the client last took something; when it ends
  std::string text;                         ///< what came of the request; the head of the answer
  std::shared_ptr<const std::string> body;  ///< of the answer
  bool head_only = false;
  std::size_t taken = 0;  ///< bytes of the answer
  std::jthread answering;

  void enter(Stage next, Clock::duration time) {
    stage = next;
    moved = Clock::now();
    until = moved + time;
  }
  std::string_view rest() const {
    if (taken < text.size()) return std::string_view(text).substr(taken);
    return body ? std::string_view(*body).substr(taken - text.size()) : std::string_view();
  }
};

/// What came, up to `most` bytes in all. Returns whether more may come.
bool receive(const Descriptor& socket, std::string& text, std::size_t most) {
  std::array<char, 16384> piece;
  while (text.size() < most) {
    const ssize_t n = recv(socket.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (n <= 0) return n < 0 && (errno == EAGAIN || errno == EINTR);
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  return true;
}

/// As much of an answer as is taken. Returns whether the client is still there.
bool send_some(Connection& c) {
  for (std::string_view rest = c.rest(); !rest.empty(); rest = c.rest()) {
    const ssize_t n = send(c.socket.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    c.taken += static_cast<std::size_t>(n);
    c.moved = Clock::now();
  }
  return true;
}

void answer(Connection& c, const http::Response& response) {
  c.text = http::head_text(response);
  if (!c.head_only) c.body = response.body;
  c.enter(Stage::taking, time_to_take);
}

class Serving {
 public:
  Serving(const Descriptor& listening, const Descriptor& wake, std::size_t largest_body,
          const LoopbackServer::Answer& answer)
      : listening_(listening), wake_(wake), largest_body_(largest_body), answer_(answer) {}

  void run(const std::atomic<bool>& stopped) {
    while (wait() && !stopped) {
      take_answers();
      for (auto i = connections_.begin(); i != connections_.end();)
        i = go_on(i->first, i->second) ? std::next(i) : connections_.erase(i);
      take_connections();
    }
    connections_.clear();  // waits for answers that are being made
  }

 private:
  /// Until something may go on. Returns whether the machine could.
  bool wait() {
    events_.assign({{wake_.get(), POLLIN, 0}, {crowded_ ? -1 : listening_.get(), POLLIN, 0}});
    for (const auto& [number, c] : connections_)
      if (c.stage != Stage::waiting)
        events_.push_back({c.socket.get(), static_cast<short>(c.stage == Stage::taking ? POLLOUT : POLLIN), 0});
    const bool has_time = connections_.empty() && !crowded_;
    return poll(events_.data(), events_.size(), has_time ? -1 : between_ticks) >= 0 || errno == EINTR;
  }

  void take_answers() {
    std::uint64_t times = 0;
    (void)!read(wake_.get(), &times, sizeof times);
    const std::lock_guard lock(mutex_);
    for (const auto& [number, response] : made_) answer(connections_.at(number), response);
    made_.clear();
  }

  /// A connection does what it can do now. Returns whether it has more to do.
  bool go_on(long number, Connection& c) {
    if (c.stage == Stage::asking && !ask(number, c)) return false;
    if (c.stage == Stage::taking) {
      if (!send_some(c)) return false;
      if (c.rest().empty()) leave(c);
    }
    std::string ignored;  // what is not read when a socket is closed can cost the client its answer
    if (c.stage == Stage::leaving && !receive(c.socket, ignored, most_ignored)) return false;
    return c.stage == Stage::waiting || Clock::now() < c.until;
  }

  bool ask(long number, Connection& c) {
    const std::size_t before = c.text.size();
    const bool open = receive(c.socket, c.text, http::largest_head + largest_body_);
    if (c.text.size() == before) return open;
    http::Arrived come = http::arrived(c.text, largest_body_);
    if (come.state == http::Arrived::State::part) return open;
    if (come.state == http::Arrived::State::whole) begin_answer(number, c, std::move(come.request));
    else answer(c, http::response(come.status, "text/plain", "no request that is answered here\n"));
    return true;
  }

  void begin_answer(long number, Connection& c, http::Request request) {
    c.stage = Stage::waiting;
    c.head_only = request.method == "HEAD";
    try {
      c.answering = std::jthread([this, number, asked = std::move(request)] {
        http::Response response = answer_(asked);
        {
          const std::lock_guard lock(mutex_);
          made_.emplace_back(number, std::move(response));
        }
        eventfd_write(wake_.get(), 1);
      });
    } catch (const std::system_error&) { answer(c, http::response(503, "text/plain", "no thread is free\n")); }
  }

  static void leave(Connection& c) {
    shutdown(c.socket.get(), SHUT_WR);
    c.enter(Stage::leaving, time_to_leave);
  }

  void take_connections() {
    for (;;) {
      crowded_ = connections_.size() > most_connections && !make_room();
      if (crowded_) return;
      Descriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.get() < 0) {
        const bool too_many = errno == EMFILE || errno == ENFILE;
        crowded_ = too_many && !make_room();
        if (too_many && !crowded_) continue;
        return;
      }
      const int yes = 1;
      setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      Connection& c = connections_[next_++];
      c.socket = std::move(socket);
      c.enter(Stage::asking, time_to_ask);
    }
  }

  /// Closes the connection that has stood still for longest. Returns whether there is one.
  bool make_room() {
    auto stillest = connections_.end();
    for (auto i = connections_.begin(); i != connections_.end(); ++i)
      if (i->second.stage != Stage::waiting &&
          (stillest == connections_.end() || i->second.moved < stillest->second.moved))
        stillest = i;
    if (stillest == connections_.end() || Clock::now() - stillest->second.moved < time_to_move) return false;
    connections_.erase(stillest);
    return true;
  }

  const Descriptor &listening_, &wake_;
  const std::size_t largest_body_;
  const LoopbackServer::Answer& answer_;
  std::map<long, Connection> connections_;
  long next_ = 0;
  bool crowded_ = false;  ///< no place is free, and none can be freed yet
  std::vector<pollfd> events_;

  std::mutex mutex_;  ///< of what follows
  std::vector<std::pair<long, http::Response>> made_;
};

Descriptor listening_at(int wanted) {
  Descriptor s(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  setsockopt(s.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(wanted));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(s.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 && listen(s.get(), SOMAXCONN) == 0)
    return s;
  if (wanted == 0) throw gough::Error("no port of 127.0.0.1 is free");
  throw gough::Error(fmt::format(
      "--port {}: cannot be used on 127.0.0.1, expected a free port; without --port one is chosen", wanted));
}

int port_of(const Descriptor& s) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  getsockname(s.get(), reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.sin_port);
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

LoopbackServer::LoopbackServer(int wanted, std::size_t largest_body)
    : listening_(listening_at(wanted)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      port_(port_of(listening_)),
      largest_body_(largest_body) {
  if (wake_.get() < 0) throw gough::Error("this machine has no file descriptors left");
}

void LoopbackServer::run(const Answer& answer) { Serving(listening_, wake_, largest_body_, answer).run(stopped_); }

void LoopbackServer::stop() {
  stopped_ = true;
  eventfd_write(wake_.get(), 1);
}
