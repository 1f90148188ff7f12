#pragma once
/// What `gough view` answers, without sockets: the page, the robot as the file has it now, postures for slider values.
///                                                                                                        docs/view.md
/// Nothing is kept of the pages that ask. A page sends the positions q it stands at with every move and gets those where
/// it ends; all that arrives is checked. Texts are JSON. All functions may be called from several threads, except `look`.
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

namespace gough {

namespace io {
class ViewedRobot;
}

inline constexpr std::size_t largest_view_request = std::size_t{1} << 16;

/// An answer of the kind HTTP has: 200, 400 bad request, 409 the file has changed meanwhile.
struct ViewReply {
  int status = 200;
  std::string json;
};

class View {
 public:
  /// Reads the robot file; a bad one is no exception, but an error to be shown.
  explicit View(std::string file);
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  /// The page. Throws Error where the library was built without it.
  static std::string page();

  /// What is wrong with the file now, file:line: what was read, what was expected; empty: nothing.
  std::string error() const;
  /// How often the file was read.
  int number() const;
  /// The robot of the last good reading (or null), and the error of the last one.
  std::string robot() const;
  /// {"number": of the robot, "q", "by": "pose" or "joints", "values"}: from q to where the sliders of that group have these values. The
  /// reply's posture is null where that cannot be reached.
  ViewReply move(const std::string& request) const;

  /// Reads the file again if it has changed and was the same at the last look. Returns whether it did.
  bool look();
  /// The number of the last reading, as soon as it is another than `known`, at the latest after `most`.
  int wait(int known, std::chrono::milliseconds most) const;
  /// Ends all waiting, for good.
  void stop();

 private:
  /// What tells whether a file is the one that was read.
  struct Stamp {
    bool there = false;
    unsigned long long node = 0;
    long long size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() const;
  void read();

  const std::string file_;
  Stamp seen_, read_;

  mutable std::mutex mutex_;  ///< of what follows
  mutable std::condition_variable changed_;
  std::shared_ptr<const io::ViewedRobot> robot_;
  std::string error_;
  int number_ = 0;
  bool stopped_ = false;
};

}  // namespace gough
