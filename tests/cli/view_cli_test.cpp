/// `gough view` as a browser meets it, and as those meet it who should not.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <memory>
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

  void say(const std::string& text) const { EXPECT_NE(send(socket_, text.data(), text.size(), MSG_NOSIGNAL), 0); }
  bool is_open() const {
    char c = 0;
    const ssize_t n = recv(socket_, &c, 1, MSG_DONTWAIT | MSG_PEEK);
    return n > 0 || (n < 0 && errno == EAGAIN);
  }
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

  /// Waits until the file's mistake is this one.
  void await_error(const json& wanted) const {
    json error = "not asked";
    for (int i = 0; i < 500 && error != wanted; ++i) {
      std::this_thread::sleep_for(20ms);
      error = body_of(get("/robot")).at("error");
    }
    EXPECT_EQ(error, wanted);
  }

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

// ------------------------------------------------------------------------------------------------ clients that are slow, or many

/// Connections that ask for nothing, or for something without ever coming to an end.
std::vector<std::unique_ptr<Connection>> slow_clients(int port, int count) {
  std::vector<std::unique_ptr<Connection>> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(std::make_unique<Connection>(port));
    if (i % 2 == 1) all.back()->say("GET /robot HTTP/1.1\r\nHost: ");
  }
  return all;
}

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

TEST_F(ViewVerb, AnswersWhileOthersStandStill) {
  start(hexapod_);
  for (const int count : {200, 400}) {  // fewer than it has places for, and more
    const auto slow = slow_clients(port_, count);
    for (int i = 0; i < 20; ++i)
      slow[static_cast<std::size_t>(i)]->say("GET / HTTP/1.1\r\nHost: " + host() + "\r\n\r\n");  // and do not read
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_THAT(get("/robot"), StartsWith("HTTP/1.1 200")) << count;
    EXPECT_LT(seconds_since(begun), 1.5) << count;
  }
}

TEST_F(ViewVerb, ClosesARequestThatDoesNotEnd) {
  start(hexapod_);
  const Connection drops(port_);
  const auto begun = std::chrono::steady_clock::now();
  drops.say("GET / HTTP/1.1\r\n");
  while (drops.is_open() && seconds_since(begun) < 8) {
    drops.say("x");
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_LT(seconds_since(begun), 4);
}

TEST_F(ViewVerb, EndsAtOnceWhateverItsClientsDo) {
  start(hexapod_);
  const auto slow = slow_clients(port_, 40);
  for (std::size_t i = 0; i < 20; ++i) {
    slow[2 * i]->say(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", i % 2 == 0 ? "/changes?after=1" : "/", host()));
  }
  EXPECT_THAT(get("/robot"), StartsWith("HTTP/1.1 200"));  // all of the above have come
  const auto [code, time] = ended_by(SIGINT);
  EXPECT_EQ(code, 0);
  EXPECT_LT(time.count(), 2.0);
  EXPECT_EQ(read("err"), "");
}

TEST_F(ViewVerb, AnswersTwoHundredAtOnce) {
  start(hexapod_);
  std::vector<std::unique_ptr<Connection>> all;
  for (int i = 0; i < 200; ++i) all.push_back(std::make_unique<Connection>(port_));
  for (const auto& c : all) c->say("GET /robot HTTP/1.1\r\nHost: " + host() + "\r\n\r\n");
  for (const auto& c : all) {
    const std::string answer = c->answer();
    ASSERT_THAT(answer, StartsWith("HTTP/1.1 200"));
    EXPECT_EQ(body_of(answer).at("robot").at("title"), "hexapod");
  }
}

TEST_F(ViewVerb, RefusesWhatIsNoRequest) {
  start(hexapod_);
  const std::string fields = "Host: " + host() + "\r\n";
  for (const auto& [what, status] : std::vector<std::pair<std::string, std::string>>{
           {"\r\n\r\n", "400"},
           {"GET / HTTP/1.1\r\n" + fields + "no field\r\n\r\n", "400"},
           {"GET / HTTP/1.1\r\n" + fields + " folded: x\r\n\r\n", "400"},
           {"GET / HTTP/1.1\r\n" + fields + "a: \x1B\r\n\r\n", "400"},
           {"GET / HTTP/2\r\n" + fields + "\r\n", "400"},
           {"GET /\r\n" + fields + "\r\n", "400"},
           {"GET  / HTTP/1.1\r\n" + fields + "\r\n", "400"},
           {"GET http://127.0.0.1/ HTTP/1.1\r\n" + fields + "\r\n", "400"},
           {"POST /move HTTP/1.1\r\n" + fields + "\r\n", "411"},
           {"POST /move HTTP/1.1\r\n" + fields + "Content-Length: -1\r\n\r\n", "400"},
           {"POST /move HTTP/1.1\r\n" + fields + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"},
           {"POST /move HTTP/1.1\r\n" + fields + "Content-Length: 99999999999999999999\r\n\r\n", "413"},
           {"GET / HTTP/1.1\r\n" + fields + "a: " + std::string(20000, 'x'), "431"}}) {
    const Connection c(port_);
    c.say(what);
    EXPECT_THAT(c.answer(), StartsWith("HTTP/1.1 " + status)) << what.substr(0, 80);
  }
  const std::string parts = ask("GET /robot", fields + "Range: bytes=0-,0-,0-\r\n");
  EXPECT_THAT(parts, StartsWith("HTTP/1.1 200")) << "a page in many copies would fill the memory";
  const std::string head = ask("HEAD /robot", fields);
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(head.find("\r\n\r\n"), head.size() - 4);
}

TEST_F(ViewVerb, SaysWhatStandsInThePlaceOfTheFile) {
  std::filesystem::copy(hexapod_, folder() / "robot.yaml");
  start("robot.yaml");
  std::filesystem::create_directory(folder() / "folder");
  ASSERT_EQ(mkfifo((folder() / "pipe").c_str(), 0600), 0);
  std::filesystem::rename(folder() / "pipe", folder() / "robot.yaml");
  EXPECT_EQ(body_of(get("/changes?after=1")).at("number"), 2);
  const json pipe = body_of(get("/robot"));
  EXPECT_EQ(pipe.at("error"), "robot.yaml: is a pipe, expected a file");
  EXPECT_EQ(pipe.at("robot").at("title"), "hexapod") << "the last good one";
  std::filesystem::remove(folder() / "robot.yaml");
  std::filesystem::rename(folder() / "folder", folder() / "robot.yaml");
  await_error("robot.yaml: is a folder, expected a file");
  std::filesystem::remove(folder() / "robot.yaml");
  std::filesystem::copy(hexapod_, folder() / "robot.yaml");
  await_error(nullptr);
  EXPECT_EQ(ended_by(SIGTERM).first, 0);
  EXPECT_THAT(read("err"), StartsWith("robot.yaml: is a pipe, expected a file\n"));
}

TEST_F(ViewVerb, EndsAtOnceWhileItWatchesAPipe) {
  ASSERT_EQ(mkfifo((folder() / "robot.yaml").c_str(), 0600), 0);
  start("robot.yaml");
  const auto [code, time] = ended_by(SIGINT);
  EXPECT_EQ(code, 0);
  EXPECT_LT(time.count(), 2.0);
  EXPECT_EQ(read("err"), "robot.yaml: is a pipe, expected a file\n");
}

TEST_F(ViewVerb, ShowsAFileWithAnyName) {
  const std::string name = "a\x1B[31m\xFF.yaml";
  std::filesystem::copy(hexapod_, folder() / name);
  start(name);
  EXPECT_EQ(body_of(get("/robot")).at("file"), "a\\x1b[31m\\xff.yaml");
  write(name, "robot: r\nbodies: [\n");
  EXPECT_EQ(body_of(get("/changes?after=1")).at("number"), 2);
  EXPECT_THAT(body_of(get("/robot")).at("error"), StartsWith("a\\x1b[31m\\xff.yaml:"));
  EXPECT_EQ(ended_by(SIGINT).first, 0);
  EXPECT_THAT(read("err"), StartsWith("a\\x1b[31m\\xff.yaml:"));
}

}  // namespace
}  // namespace gough::view_cli_test
