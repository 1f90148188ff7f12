#include "gough/io/files.hpp"

#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

#include "gough/error.hpp"

namespace gough {
namespace {

namespace fs = std::filesystem;

struct Inputs {
  std::mutex mutex;
  int keepers = 0;
  std::vector<std::string> paths;
};
Inputs& inputs() {
  static Inputs all;
  return all;
}

struct OpenOutputs {
  std::mutex mutex;
  std::vector<OutputFile*> files;
};
OpenOutputs& open_outputs() {
  static OpenOutputs all;
  return all;
}

bool is_regular_or_new(const std::string& path) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  return !fs::exists(status) || fs::is_regular_file(status);
}

/// Where links lead, so that a link stays one.
std::string target_of(const std::string& path) {
  std::error_code failed;
  const fs::path target = fs::weakly_canonical(path, failed);
  return failed ? path : target.string();
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(path_) {
  KeepInputs::expect_output(path_);
  if (is_regular_or_new(path_)) {
    target_ = target_of(path_);
    part_ = target_ + ".part";
    KeepInputs::expect_output(part_);
    std::error_code none;
    fs::remove(part_, none);  // of an earlier run; a link there is not followed
  }
  file_.open(part_.empty() ? target_ : part_, std::ios::binary | std::ios::trunc);
  if (!file_) part_.clear(), fail();
  const std::lock_guard lock(open_outputs().mutex);
  open_outputs().files.push_back(this);
}

OutputFile::~OutputFile() {
  {
    const std::lock_guard lock(open_outputs().mutex);
    std::erase(open_outputs().files, this);
  }
  try {
    finish();
  } catch (const Error&) {}  // nothing of it stays
}

void OutputFile::put(const std::string& text) {
  const std::lock_guard lock(putting_);
  file_ << text << std::flush;
  if (!file_) fail();
}

void OutputFile::keep_all() {
  const std::lock_guard lock(open_outputs().mutex);
  for (OutputFile* file : open_outputs().files) {
    const std::unique_lock whole(file->putting_, std::try_to_lock);
    if (!whole) continue;
    try {
      file->finish();
    } catch (const Error&) {}  // nothing of it stays
  }
}

void OutputFile::finish() {
  if (!file_.is_open()) return;
  file_.close();
  if (!file_) fail();
  if (part_.empty()) return;
  std::error_code failed, unknown;
  if (const fs::file_status old = fs::status(target_, unknown); fs::exists(old))
    fs::permissions(part_, old.permissions(), unknown);  // as the file had that it replaces
  fs::rename(part_, target_, failed);
  if (failed) fail();
  part_.clear();
}

void OutputFile::fail() {
  std::error_code ignored;
  if (file_.is_open()) file_.close();
  if (!part_.empty()) fs::remove(part_, ignored);
  part_.clear();
  throw Error({path_, 0}, "cannot be written, expected a place for a file");
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.put(text);
  file.finish();
}

KeepInputs::KeepInputs() {
  const std::lock_guard lock(inputs().mutex);
  ++inputs().keepers;
}

KeepInputs::~KeepInputs() {
  const std::lock_guard lock(inputs().mutex);
  if (--inputs().keepers == 0) inputs().paths.clear();
}

void KeepInputs::note(const std::string& path) {
  const std::lock_guard lock(inputs().mutex);
  if (inputs().keepers > 0 && is_regular_or_new(path)) inputs().paths.push_back(path);
}

void KeepInputs::expect_output(const std::string& path) {
  const std::lock_guard lock(inputs().mutex);
  for (const std::string& input : inputs().paths) {
    std::error_code unknown;
    if (fs::equivalent(input, path, unknown) && !unknown)
      throw Error({path, 0}, "read as the file to write, expected another: it is an input of this run");
  }
}

}  // namespace gough
