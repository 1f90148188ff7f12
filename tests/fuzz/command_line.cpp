/// The tool's main, called with words. What it prints is caught by putting other streams in the place of C's and C++'s.
#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "oracle.hpp"
#include "targets.hpp"

int gough_main(int argc, char** argv);  // cli/main.cpp, compiled with -Dmain=gough_main

namespace gough::fuzz {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code = 0;
  std::string out, err;
};

/// What goes to one of C's streams while this lives.
class Caught {
 public:
  explicit Caught(FILE*& stream) : stream_(stream), before_(stream) { stream_ = open_memstream(&text_, &size_); }
  ~Caught() {
    std::fclose(stream_);
    stream_ = before_;
    std::free(text_);
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;

  std::string text() const {
    std::fflush(stream_);
    return {text_, size_};
  }

 private:
  FILE*& stream_;
  FILE* before_;
  char* text_ = nullptr;
  std::size_t size_ = 0;
};

class CaughtStream {
 public:
  explicit CaughtStream(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  ~CaughtStream() { stream_.rdbuf(before_); }
  CaughtStream(const CaughtStream&) = delete;
  CaughtStream& operator=(const CaughtStream&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostream& stream_;
  std::ostringstream text_;
  std::streambuf* before_;
};

/// Another current folder while this lives.
class Inside {
 public:
  explicit Inside(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~Inside() { fs::current_path(before_); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  fs::path before_;
};

Outcome run(std::vector<std::string> words) {
  words.insert(words.begin(), "gough");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const Caught out(stdout), err(stderr);
  const CaughtStream more_out(std::cout), more_err(std::cerr);
  Outcome o;
  o.code = gough_main(static_cast<int>(words.size()), argv.data());
  o.out = out.text() + more_out.text();
  o.err = err.text() + more_err.text();
  return o;
}

/// Robots, and the files of tests/fuzz/inputs, side by side. Put there anew for each run, for runs may write over them.
class Files {
 public:
  Files() {
    for (const char* const robot :
         {"five_bar", "four_bar", "elastic_five_bar", "five_bar_flexible", "redundant_five_bar"})
      add(fs::path(GOUGH_SOURCE_DIR) / "robots" / fmt::format("{}.yaml", robot));
    for (const auto& entry : fs::directory_iterator(GOUGH_SOURCE_DIR "/tests/fuzz/inputs")) add(entry.path());
  }
  void put_into(const Scratch& scratch) const {
    for (const auto& [name, text] : files_) scratch.write(name, text);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, text] : files_) all.push_back(name);
    return all;
  }

 private:
  void add(const fs::path& path) { files_.emplace_back(path.filename().string(), contents(path)); }
  std::vector<std::pair<std::string, std::string>> files_;
};

const Files& files() {
  static const Files all;
  return all;
}

/// No word may lead out of the scratch folder, and no socket is opened.
bool is_safe(const std::vector<std::string>& words) {
  const bool stays = std::none_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find('/') != std::string::npos || word.find("..") != std::string::npos ||
           word.find('\0') != std::string::npos;
  });
  const bool views = std::find(words.begin(), words.end(), "view") != words.end();
  return stays && words.size() < 60 && (!views || words == std::vector<std::string>{"view", "--help"});
}

bool has(const std::vector<std::string>& words, const std::string& start) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.starts_with(start); });
}

bool has_part(const std::vector<std::string>& words, const std::string& part) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.find(part) != std::string::npos; });
}

void expect_good(const Outcome& o, const std::vector<std::string>& words, const fs::path& folder) {
  expect(o.code == 0 || o.code == 2 || o.code == 3, fmt::format("exit code {}", o.code));
  expect(o.err.find("unexpected:") == std::string::npos, "an exception that is none of gough's: " + o.err);
  if (o.code != 0) return expect(!o.err.empty(), fmt::format("exit code {} without a word", o.code));
  expect(!o.out.empty(), "exit code 0 without a word");
  if (!has_part(words, "nan") && !has_part(words, "inf")) expect_no_nan(o.out, "standard output");  // names may be
  if (o.out.front() == '{' && has(words, "--json")) expect_good_json(o.out, "standard output");
  expect_good_files(folder);
}

}  // namespace

void try_command_line(const std::string& text) {
  static const Scratch scratch;
  setenv("CC", "false", 1);  // `compile` gets as far as its compiler
  setenv("NVCC", "false", 1);
  std::vector<std::string> words = split(text, '\n');
  if (!words.empty() && words.back().empty()) words.pop_back();
  if (!is_safe(words)) return;
  if (has(words, "excite") && !has(words, "--evaluations")) words.insert(words.end(), {"--evaluations", "3"});
  scratch.clear();
  files().put_into(scratch);
  const Inside folder(scratch.folder());
  expect_good(run(words), words, scratch.folder());
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = [] {
    std::vector<Verb> found;
    for (const char* const name :
         {"check", "ik", "fk", "inverse", "forward", "flex", "compare", "simulate", "run", "report", "view", "generate",
          "compile", "parameters", "excite", "identify", "schema"})
      found.push_back(verb_from_help(name, run({name, "--help"}).out));
    return found;
  }();
  return all;
}

const std::vector<std::string>& values() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found = files().names();
    found.insert(found.end(), {"out.csv",
                               "out",
                               "1",
                               "0.01",
                               "1e-3",
                               "5",
                               "0,0.4,0,0,0,0",
                               "0.05,0.41,0,0,0,0",
                               "x,y",
                               "2,0.8",
                               "120 deg,50 deg",
                               "1,2",
                               "left=0.1",
                               "left=2,right=0.8",
                               "crank=1",
                               "left_stretch=1e-3",
                               "++",
                               "+-",
                               "left_distal.1",
                               "p=left_distal@0.35,0,0",
                               "left_distal.1;right_distal.4",
                               "left_distal@0.1,0,0:0,1,0",
                               "0,0,-9.81",
                               "quasistatic",
                               "undeformed",
                               "1e-3,1e-5",
                               "bodies.left_proximal.mass=1,2",
                               "joints.left.friction.coulomb=0,1",
                               "20,20"});
    return found;
  }();
  return all;
}

}  // namespace gough::fuzz
