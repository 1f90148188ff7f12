#include "gough/io/view.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "gough/error.hpp"
#include "gough/io/report.hpp"
#include "gough/io/text.hpp"
#include "viewed_robot.hpp"

namespace gough {
namespace {

using io::json;

constexpr int deepest_request = 3;

std::string one_line(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

ViewReply refusal(int status, const std::string& why) { return {status, one_line({{"error", why}})}; }

/// An object, nested no deeper than a request needs. Throws Error.
json parsed(const std::string& request) {
  if (request.size() > largest_view_request) throw Error("read a request that is too long");
  const auto shallow = [](int depth, json::parse_event_t, json&) {
    if (depth > deepest_request) throw Error("read a request that is nested too deeply");
    return true;
  };
  json read = json::parse(request, shallow, false);
  if (!read.is_object()) throw Error("read something else, expected an object in JSON");
  return read;
}

}  // namespace

View::View(std::string file) : file_(std::move(file)) {
  seen_ = stamp();
  read();
}

View::~View() = default;

std::string View::page() {
  const json data = {{"format", "gough-view"}, {"version", 1}};
  std::string page = report_page(one_line(data));
  constexpr std::string_view first = "default-src 'none'; ";
  const std::size_t policy = page.find(first);
  if (policy == std::string::npos) throw Error("the report's page has no content security policy");
  return page.insert(policy + first.size(), "connect-src 'self'; ");  // a report asks nobody for anything
}

std::string View::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

int View::number() const {
  const std::lock_guard lock(mutex_);
  return number_;
}

std::string View::robot() const {
  const std::lock_guard lock(mutex_);
  return one_line({{"number", number_},
                   {"file", shown(file_)},
                   {"error", error_.empty() ? json(nullptr) : json(shown(error_))},
                   {"robot", robot_ ? robot_->document() : json(nullptr)}});
}

ViewReply View::move(const std::string& request) const {
  std::shared_ptr<const io::ViewedRobot> robot;
  {
    const std::lock_guard lock(mutex_);
    robot = robot_;
  }
  try {
    const json asked = parsed(request);
    if (!robot || asked.value("number", json()) != robot->number())
      return refusal(409, "the robot file has been read again");
    return {200, one_line(robot->move(asked))};
  } catch (const Error& e) { return refusal(400, e.what()); } catch (const json::exception&) {
    return refusal(400, "read a value of another kind than expected");
  }
}

// ------------------------------------------------------------------------------------------------ the file

View::Stamp View::stamp() const {
  struct stat s {};
  if (::stat(file_.c_str(), &s) != 0) return {};
  return {true, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

void View::read() {
  read_ = seen_;
  const int number = this->number() + 1;
  std::shared_ptr<const io::ViewedRobot> robot;
  std::string error;
  try {
    robot = std::make_shared<const io::ViewedRobot>(file_, number);
  } catch (const std::exception& e) { error = e.what(); }
  {
    const std::lock_guard lock(mutex_);
    if (robot) robot_ = std::move(robot);
    error_ = std::move(error);
    number_ = number;
  }
  changed_.notify_all();
}

bool View::look() {
  const Stamp before = seen_;
  seen_ = stamp();
  if (seen_ == read_ || seen_ != before) return false;
  read();
  return true;
}

int View::wait(int known, std::chrono::milliseconds most) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [&] { return stopped_ || number_ != known; });
  return number_;
}

void View::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

}  // namespace gough
