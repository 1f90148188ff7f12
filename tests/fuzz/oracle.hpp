#pragma once
/// What holds for every input.
#include <Eigen/Core>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "gough/error.hpp"
#include "gough/kinematics/trajectory.hpp"

namespace gough::fuzz {

/// Something that no input may bring about.
class Violation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

void expect(bool holds, const std::string& what);
inline void expect_finite(double x, const std::string& what) { expect(std::isfinite(x), what + " is not finite"); }
template <class M>
void expect_finite(const Eigen::MatrixBase<M>& x, const std::string& what) {
  expect(x.allFinite(), what + " are not all finite");
}
void expect_finite(const MotionState& s, const std::string& what);
/// JSON with a number wherever one is due: null only where a notion may not apply.
void expect_good_json(const std::string& text, const std::string& what);
/// No "nan" and no "inf" as a word of its own.
void expect_no_nan(const std::string& text, const std::string& what);
/// The same of all tables and JSON files below a folder.
void expect_good_files(const std::filesystem::path& folder);

/// Runs it; Error is what bad input ends with.
template <class Use>
void unless_refused(Use use) {
  try {
    use();
  } catch (const Error&) { return; }
}

/// Time is up: what may go on for long asks.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  bool go_on() const { return Clock::now() < end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

/// A folder of this process for files, empty at first and gone with it.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void clear() const;
  /// Returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

std::string contents(const std::filesystem::path& file);

}  // namespace gough::fuzz
