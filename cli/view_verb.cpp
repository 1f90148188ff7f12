/// view: the robot file as a page, served on 127.0.0.1 only.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <optional>
#include <thread>

#include "gough/error.hpp"
#include "gough/io/view.hpp"
#include "loopback_server.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace {

using namespace std::chrono_literals;
using http::Request;
using http::Response;

constexpr auto between_looks = 150ms;
constexpr auto longest_wait = 20s;
constexpr auto grace = 300ms;  // for what still computes when the user ends it
constexpr int most_waiting = 16;

struct Route {
  const char* path;
  const char* method;
};
constexpr std::array<Route, 4> routes = {{{"/", "GET"}, {"/robot", "GET"}, {"/changes", "GET"}, {"/move", "POST"}}};

/// Names under which a browser on this machine knows the server. Any other one was led here by foreign DNS.
bool is_our_name(const std::string& host, int port) {
  for (const std::string name : {"127.0.0.1", "localhost"})
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  return false;
}

/// Asked by the user or by our page, not by another site's.
bool is_ours(const Request& request, int port) {
  if (request.count("host") != 1 || !is_our_name(request.field("host"), port)) return false;
  constexpr std::string_view scheme = "http://";
  if (request.count("origin") > 0) {
    const std::string origin = request.field("origin");
    if (!origin.starts_with(scheme) || !is_our_name(origin.substr(scheme.size()), port)) return false;
  }
  const std::string site = request.field("sec-fetch-site");
  return request.path == "/" || site.empty() || site == "same-origin" || site == "none";
}

Response in_words(int status, std::string_view words) {
  return http::response(status, "text/plain", fmt::format("{}\n", words));
}
Response in_json(int status, std::string body) { return http::response(status, "application/json", std::move(body)); }

/// Why a request is not answered; nothing where it is.
std::optional<Response> refused(const Request& request, int port) {
  if (!is_ours(request, port)) return in_words(403, "asked by another site, or under another name than 127.0.0.1");
  const auto* route =
      std::find_if(routes.begin(), routes.end(), [&](const Route& r) { return request.path == r.path; });
  if (route == routes.end()) return in_words(404, "there is nothing here");
  if (request.method != route->method && !(request.method == "HEAD" && std::string_view(route->method) == "GET")) {
    Response other = in_words(405, "asked by another method than expected");
    other.allow = route->method;
    return other;
  }
  if (request.count("content-encoding") > 0) return in_words(415, "expected a plain body");
  if (request.method == "POST" && request.field("content-type") != "application/json")
    return in_words(415, "expected application/json");
  return {};
}

/// Says when the file was read again. Pages that ask in vain ask again.
Response changed(const gough::View& view, std::string_view query) {
  static std::atomic<int> waiting = 0;
  constexpr std::string_view key = "after=";
  int known = 0;
  const char* end = query.data() + query.size();
  if (!query.starts_with(key) || std::from_chars(query.data() + key.size(), end, known).ptr != end)
    return in_words(400, "expected /changes?after=NUMBER");
  const bool has_room = ++waiting <= most_waiting;
  const int number = view.wait(known, has_room ? longest_wait : 0s);
  --waiting;
  return in_json(200, fmt::format("{{\"number\":{}}}", number));
}

/// What the server answers.
class Pages {
 public:
  Pages(const gough::View& view, int port)
      : view_(view), port_(port), page_(http::response(200, "text/html; charset=utf-8", gough::View::page())) {}

  Response answer(const Request& request) const try {
    if (const auto refusal = refused(request, port_)) return *refusal;
    if (request.path == "/") return page_;
    if (request.path == "/robot") return in_json(200, view_.robot());
    if (request.path == "/changes") return changed(view_, request.query);
    gough::ViewReply reply = view_.move(request.body);
    return in_json(reply.status, std::move(reply.json));
  } catch (const std::exception&) { return in_words(500, "this cannot be answered"); }

 private:
  const gough::View& view_;
  int port_;
  Response page_;
};

/// Looks at the file until an interrupt comes or the server has ended.
void watch(gough::View& view, const std::shared_future<void>& serving) {
  std::string before = view.error();
  if (!before.empty()) say("{}\n", before);
  while (!interrupted() && serving.wait_for(between_looks) == std::future_status::timeout) {
    if (!view.look()) continue;
    const std::string now = view.error();
    if (!now.empty() && now != before) say("{}\n", now);
    before = now;
  }
}

}  // namespace

int view(const Options& o) {
  LoopbackServer server(o.port, gough::largest_view_request);
  gough::View view(o.robot);
  const Pages pages(view, server.port());
  catch_interrupts();
  std::signal(SIGPIPE, SIG_IGN);  // a message that nobody reads ends nothing
  const auto answer = [&](const Request& request) { return pages.answer(request); };
  const std::shared_future<void> serving = std::async(std::launch::async, [&] { server.run(answer); });
  const int said =
      print(fmt::format("http://127.0.0.1:{}/\nOpen this address in a browser; Ctrl-C ends it.\n", server.port()));
  std::future<void> watching = std::async(std::launch::async, [&view, said, serving] {
    if (said == done) watch(view, serving);
  });
  while (!interrupted() && watching.wait_for(between_looks) == std::future_status::timeout) continue;
  const bool failed = serving.wait_for(0s) == std::future_status::ready;
  view.stop();
  server.stop();
  const auto is_late = [](const auto& work) { return work.wait_for(grace) == std::future_status::timeout; };
  if (is_late(serving) || is_late(watching)) std::_Exit(said);  // nothing is kept that could be lost
  serving.get();
  watching.get();
  if (failed) throw gough::Error("the server ended by itself");
  return said;
}
