/// view: the robot file as a page, served on 127.0.0.1 only.
#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "gough/error.hpp"
#include "gough/io/view.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace {

using namespace std::chrono_literals;
using httplib::Request;
using httplib::Response;

constexpr const char* address = "127.0.0.1";
constexpr auto between_looks = 150ms;
constexpr auto longest_wait = 20s;
constexpr int most_waiting = 16, threads = 32;  // waiting pages leave threads for the others

struct Route {
  const char* path;
  const char* method;
};
constexpr std::array<Route, 4> routes = {{{"/", "GET"}, {"/robot", "GET"}, {"/changes", "GET"}, {"/move", "POST"}}};

/// Names under which a browser on this machine knows the server. Any other one was led here by foreign DNS.
bool is_our_name(const std::string& host, int port) {
  for (const std::string name : {address, "localhost"})
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  return false;
}

/// Asked by the user or by our page, not by another site's.
bool is_ours(const Request& request, int port) {
  if (request.get_header_value_count("Host") != 1 || !is_our_name(request.get_header_value("Host"), port)) return false;
  constexpr std::string_view scheme = "http://";
  if (request.has_header("Origin")) {
    const std::string origin = request.get_header_value("Origin");
    if (!origin.starts_with(scheme) || !is_our_name(origin.substr(scheme.size()), port)) return false;
  }
  const std::string site = request.get_header_value("Sec-Fetch-Site");
  return request.path == "/" || site.empty() || site == "same-origin" || site == "none";
}

struct Refusal {
  int status = 0;  ///< 0: none
  const char* why = "";
};

Refusal refused(const Request& request, int port, Response& response) {
  if (!is_ours(request, port)) return {403, "asked by another site, or under another name than 127.0.0.1"};
  const auto* route =
      std::find_if(routes.begin(), routes.end(), [&](const Route& r) { return request.path == r.path; });
  if (route == routes.end()) return {404, "there is nothing here"};
  if (request.method != route->method && !(request.method == "HEAD" && std::string_view(route->method) == "GET")) {
    response.set_header("Allow", route->method);
    return {405, "asked by another method than expected"};
  }
  if (request.has_header("Transfer-Encoding")) return {411, "expected a body of known length"};
  if (request.get_header_value<std::uint64_t>("Content-Length") > gough::largest_view_request)
    return {413, "expected less"};  // the library would read it all first
  if (request.has_header("Content-Encoding")) return {415, "expected a plain body"};
  if (request.method == "POST" && request.get_header_value("Content-Type") != "application/json")
    return {415, "expected application/json"};
  return {};
}

void protect(httplib::Server& server, int port) {
  server.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                              {"X-Frame-Options", "DENY"},
                              {"Content-Security-Policy", "frame-ancestors 'none'"},
                              {"Cross-Origin-Resource-Policy", "same-origin"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cache-Control", "no-store"}});
  server.set_payload_max_length(gough::largest_view_request);
  server.set_read_timeout(5s);
  server.set_write_timeout(5s);
  server.set_keep_alive_timeout(1);  // how long Ctrl-C may have to wait for idle browsers
  server.set_pre_routing_handler([port](const Request& request, Response& response) {
    const Refusal refusal = refused(request, port, response);
    if (refusal.status == 0) return httplib::Server::HandlerResponse::Unhandled;
    response.status = refusal.status;
    response.set_content(fmt::format("{}\n", refusal.why), "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  });
}

/// Says when the file was read again. Pages that ask in vain ask again.
void wait_for_change(const gough::View& view, const Request& request, Response& response) {
  static std::atomic<int> waiting = 0;
  const std::string text = request.get_param_value("after");
  int known = 0;
  if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), known);
      error != std::errc() || end != text.data() + text.size()) {
    response.status = 400;
    return;
  }
  const bool has_room = ++waiting <= most_waiting;
  const int number = view.wait(known, has_room ? longest_wait : 0s);
  --waiting;
  response.set_content(fmt::format("{{\"number\":{}}}", number), "application/json");
}

void serve(httplib::Server& server, const gough::View& view) {
  server.Get("/", [page = gough::View::page()](const Request&, Response& response) {
    response.set_content(page, "text/html; charset=utf-8");
  });
  server.Get("/robot",
             [&](const Request&, Response& response) { response.set_content(view.robot(), "application/json"); });
  server.Get("/changes", [&](const Request& request, Response& response) { wait_for_change(view, request, response); });
  server.Post("/move", [&](const Request& request, Response& response) {
    const gough::ViewReply reply = view.move(request.body);
    response.status = reply.status;
    response.set_content(reply.json, "application/json");
  });
}

/// The port that was bound. Without the library's own options: they would let two servers share one port.
int bind(httplib::Server& server, int wanted) {
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  if (wanted == 0) {
    if (const int port = server.bind_to_any_port(address); port > 0) return port;
    throw gough::Error(fmt::format("no port of {} is free", address));
  }
  if (!server.bind_to_port(address, wanted))
    throw gough::Error(fmt::format(
        "--port {0}: cannot be used on {1}, expected a free port; without --port one is chosen", wanted, address));
  return wanted;
}

/// Looks at the file until an interrupt comes or the server fails.
void watch(gough::View& view, const std::atomic<bool>& ended) {
  std::string before = view.error();
  if (!before.empty()) fmt::print(stderr, "{}\n", before);
  while (!interrupted() && !ended) {
    std::this_thread::sleep_for(between_looks);
    if (!view.look()) continue;
    const std::string now = view.error();
    if (!now.empty() && now != before) fmt::print(stderr, "{}\n", now);
    before = now;
  }
}

}  // namespace

int view(const Options& o) {
  httplib::Server server;
  gough::View view(o.robot);
  serve(server, view);
  const int port = bind(server, o.port);
  protect(server, port);
  server.set_tcp_nodelay(true);
  server.new_task_queue = [] { return new httplib::ThreadPool(threads); };
  catch_interrupts();
  std::atomic<bool> ended = false;
  std::thread listening([&] {
    server.listen_after_bind();
    ended = true;
  });
  while (!server.is_running() && !ended) std::this_thread::sleep_for(1ms);
  const int said =
      print(fmt::format("http://{}:{}/\nOpen this address in a browser; Ctrl-C ends it.\n", address, port));
  if (said == done) watch(view, ended);
  const bool failed = ended;
  view.stop();
  server.stop();
  listening.join();
  if (failed) throw gough::Error("the server ended by itself");
  return said;
}
