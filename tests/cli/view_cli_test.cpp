/// `gough view` as a browser meets it, and as those meet it who should not.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/tool.hpp"
#include "gough/io/report.hpp"
#include "gough/io/view.hpp"

namespace gough::view_cli_test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A connection to the server; everything it says until it closes.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval most{4, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void say(const std::string& text) const { EXPECT_GT(send(socket_, text.data(), text.size(), MSG_NOSIGNAL), 0); }
  std::string answer() const {
    std::string all, piece(1 << 16, '\0');
    for (ssize_t n = 0; (n = recv(socket_, piece.data(), piece.size(), 0)) > 0;)
      all.append(piece, 0, static_cast<std::size_t>(n));
    return all;
  }

 private:
  int socket_;
};

class ViewVerb : public Tool {
 protected:
  void SetUp() override {
    if (!has_report_page()) GTEST_SKIP() << "built without GOUGH_VIEWER";
    Tool::SetUp();
  }
  void TearDown() override {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    Tool::TearDown();
  }

  /// Starts the server on a robot file; returns when it has said where it is.
  void start(const std::string& robot) {
    child_ = fork();
    if (child_ == 0) {
      const bool ready = chdir(folder().c_str()) == 0 && freopen("out", "w", stdout) != nullptr &&
                         freopen("err", "w", stderr) != nullptr;
      if (ready) execl(GOUGH_TOOL, GOUGH_TOOL, "view", robot.c_str(), nullptr);
      _exit(127);
    }
    const auto late = std::chrono::steady_clock::now() + 10s;
    while (read("out").find('\n') == std::string::npos && std::chrono::steady_clock::now() < late)
      std::this_thread::sleep_for(5ms);
    ASSERT_EQ(std::sscanf(read("out").c_str(), "http://127.0.0.1:%d/\n", &port_), 1) << read("out") << read("err");
  }
  std::string host() const { return fmt::format("127.0.0.1:{}", port_); }

  /// The answer to a request, head and body. `lines`: more of its head.
  std::string ask(const std::string& what, const std::string& lines, const std::string& body = "") const {
    const Connection c(port_);
    c.say(fmt::format("{} HTTP/1.1\r\nConnection: close\r\n{}\r\n{}", what, lines, body));
    return c.answer();
  }
  std::string get(const std::string& path) const { return ask("GET " + path, "Host: " + host() + "\r\n"); }
  std::string post(const std::string& path, const std::string& body) const {
    return ask("POST " + path,
               fmt::format("Host: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", host(), body.size()),
               body);
  }
  static json body_of(const std::string& answer) { return json::parse(answer.substr(answer.find("\r\n\r\n") + 4)); }

  /// The exit code after a signal, and how long that took.
  std::pair<int, std::chrono::duration<double>> ended_by(int signal) {
    const auto begun = std::chrono::steady_clock::now();
    kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, std::chrono::steady_clock::now() - begun};
  }

  const std::string hexapod_ = std::string(GOUGH_SOURCE_DIR) + "/robots/hexapod.yaml";
  pid_t child_ = -1;
  int port_ = 0;
};

TEST_F(ViewVerb, ServesThePageAndTheRobot) {
  start(hexapod_);
  EXPECT_THAT(read("out"), HasSubstr("Ctrl-C ends it"));
  const std::string page = get("/");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  for (const std::string line :
       {"Content-Type: text/html", "X-Content-Type-Options: nosniff", "Cache-Control: no-store",
        "X-Frame-Options: DENY", "Content-Security-Policy: frame-ancestors 'none'"})
    EXPECT_THAT(page, HasSubstr(line));
  const json robot = body_of(get("/robot")).at("robot");
  EXPECT_EQ(robot.at("title"), "hexapod");
  std::vector<double> pose = robot.at("home").at("pose");
  pose[2] += 0.02;
  const json asked = {{"number", 1}, {"q", robot.at("home").at("q")}, {"by", "pose"}, {"values", pose}};
  const json reply = body_of(post("/move", asked.dump()));
  EXPECT_EQ(reply.at("status"), "ok");
  EXPECT_NEAR(reply.at("posture").at("pose").at(2).get<double>(), pose[2], 1e-9);
  EXPECT_EQ(read("err"), "");
}

/// Every listening socket with this port, in the kernel's own table.
TEST_F(ViewVerb, ListensOnTheLoopbackAddressOnly) {
  start(hexapod_);
  const std::string port = fmt::format(":{:04X} ", port_);
  int listening = 0;
  for (const std::string table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::istringstream lines(contents(table));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string number, local, remote, state;
      words >> number >> local >> remote >> state;
      if (state != "0A" || (local + " ").find(port) == std::string::npos) continue;
      EXPECT_EQ(local.substr(0, local.find(':')), "0100007F") << table;
      ++listening;
    }
  }
  EXPECT_EQ(listening, 1);
}

TEST_F(ViewVerb, AnswersOnlyUnderItsOwnName) {
  start(hexapod_);
  EXPECT_THAT(ask("GET /robot", fmt::format("Host: localhost:{}\r\n", port_)), StartsWith("HTTP/1.1 200"));
  for (const std::string& lines :
       {std::string("Host: evil.example\r\n"), fmt::format("Host: evil.example:{}\r\n", port_), std::string(),
        std::string("Host: 127.0.0.1\r\n"), fmt::format("Host: {0}\r\nHost: {0}\r\n", host()),
        fmt::format("Host: {}\r\nOrigin: http://evil.example\r\n", host()),
        fmt::format("Host: {}\r\nOrigin: null\r\n", host()),
        fmt::format("Host: {}\r\nSec-Fetch-Site: cross-site\r\n", host())}) {
    const std::string answer = ask("GET /robot", lines);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 403")) << lines;
    EXPECT_THAT(answer, Not(HasSubstr("hexapod")));
  }
}

TEST_F(ViewVerb, HasNothingElse) {
  start(hexapod_);
  for (const std::string path : {"/robots/hexapod.yaml", "/../../etc/passwd", "/%2e%2e/etc/passwd", "//", "/robot/"})
    EXPECT_THAT(get(path), StartsWith("HTTP/1.1 404")) << path;
  for (const std::string what : {"POST /", "PUT /robot", "DELETE /move", "GET /move", "OPTIONS /move"})
    EXPECT_THAT(ask(what, "Host: " + host() + "\r\nContent-Length: 0\r\n"), StartsWith("HTTP/1.1 405")) << what;
  EXPECT_THAT(get("/changes?after=x"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(post("/move", "{}"), StartsWith("HTTP/1.1 409"));
  EXPECT_THAT(post("/move", "no"), StartsWith("HTTP/1.1 400"));
}

TEST_F(ViewVerb, RefusesBodiesThatAreLargeOrOfUnknownLength) {
  start(hexapod_);
  const std::string head = "Host: " + host() + "\r\nContent-Type: application/json\r\n";
  EXPECT_THAT(ask("POST /move", head + "Content-Length: 99999999\r\n", "{"), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask("POST /move", head + "Transfer-Encoding: chunked\r\n", "1\r\n{\r\n"), StartsWith("HTTP/1.1 411"));
  EXPECT_THAT(ask("POST /move", head + "Content-Encoding: gzip\r\nContent-Length: 2\r\n", "{}"),
              StartsWith("HTTP/1.1 415"));
  EXPECT_THAT(ask("POST /move", "Host: " + host() + "\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n", "{}"),
              StartsWith("HTTP/1.1 415"));
  EXPECT_THAT(get("/robot"), StartsWith("HTTP/1.1 200"));
}

TEST_F(ViewVerb, EndsByAnInterruptWhilePagesWait) {
  for (const int signal : {SIGINT, SIGTERM}) {
    start(hexapod_);
    const Connection waiting(port_), idle(port_);
    waiting.say(fmt::format("GET /changes?after=1 HTTP/1.1\r\nHost: {}\r\n\r\n", host()));
    std::this_thread::sleep_for(50ms);
    const auto [code, time] = ended_by(signal);
    EXPECT_EQ(code, 0);
    EXPECT_LT(time.count(), 2.0);
    EXPECT_EQ(read("err"), "");
    std::filesystem::remove(folder() / "out");
  }
}

TEST_F(ViewVerb, SaysThatAPortIsTaken) {
  start(hexapod_);
  const std::string before = read("out");
  std::filesystem::copy(hexapod_, folder() / "robot.yaml");
  const Outcome o = Tool::run(fmt::format("view robot.yaml --port {}", port_), "timeout 5");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, StartsWith(fmt::format("--port {}: cannot be used on 127.0.0.1", port_)));
  EXPECT_EQ(Tool::run("view robot.yaml --port 70000").code, 2);
}

TEST_F(ViewVerb, ShowsWhatIsWrongAndReadsTheFileAgain) {
  write("robot.yaml", "robot: x\nbodyes: {}\n");
  start("robot.yaml");
  const json bad = body_of(get("/robot"));
  EXPECT_THAT(bad.at("error"), StartsWith("robot.yaml:2: "));
  EXPECT_TRUE(bad.at("robot").is_null());
  EXPECT_THAT(read("err"), StartsWith("robot.yaml:2: "));
  std::filesystem::copy(hexapod_, folder() / "robot.yaml", std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(body_of(get("/changes?after=1")).at("number"), 2);
  const json good = body_of(get("/robot"));
  EXPECT_TRUE(good.at("error").is_null());
  EXPECT_EQ(good.at("robot").at("title"), "hexapod");
}

}  // namespace
}  // namespace gough::view_cli_test
