/// Generated C to a shared object, by the system's compiler.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gough/error.hpp"
#include "gough/io/compiled.hpp"
#include "gough/io/files.hpp"
#include "gough/io/generate.hpp"
#include "report_parts.hpp"

namespace gough {
namespace {

namespace fs = std::filesystem;

/// A folder that nobody else can enter, and that goes with this.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "gough-XXXXXX").string();
    if (failed || mkdtemp(name.data()) == nullptr)
      throw Error({name, 0}, "cannot be made, expected TMPDIR, or else /tmp, to be a folder to write in");
    path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

/// A compiler that the environment names, perhaps with options, as in CC="ccache gcc -m64".
struct Compiler {
  const char *variable, *otherwise, *what;
  std::vector<std::string> command() const {
    const char* set = std::getenv(variable);
    std::istringstream words(set == nullptr ? "" : set);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    return all.empty() ? std::vector<std::string>{otherwise} : all;
  }
};
constexpr Compiler cc = {"CC", "cc", "a C compiler"}, nvcc = {"NVCC", "nvcc", "NVIDIA's compiler of CUDA"};

/// Runs a command without a shell, its messages into a file. Returns its exit status; -1: it was killed.
int run(const Compiler& compiler, std::vector<std::string> command, const std::string& messages) {
  std::vector<char*> words(command.size() + 1, nullptr);
  std::transform(command.begin(), command.end(), words.begin(), [](std::string& word) { return word.data(); });
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0], &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0)
    throw Error(fmt::format("{}: read '{}', which cannot be run ({}), expected {}", compiler.variable, command[0],
                            std::strerror(failed), compiler.what));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string first_lines(const std::string& path) {
  constexpr int most = 8;
  std::ifstream file(path);
  std::string text, line;
  for (int i = 0; i < most && std::getline(file, line); ++i) text += "\n  " + line;
  return text.empty() ? "\n  (it said nothing)" : text;
}

/// In place at once: a program that has the old file loaded keeps it.
void put(const std::string& made, const std::string& file) {
  const std::string beside = file + ".new";
  std::error_code failed;
  fs::copy_file(made, beside, fs::copy_options::overwrite_existing, failed);
  if (!failed) fs::rename(beside, file, failed);
  if (!failed) return;
  std::error_code ignored;
  fs::remove(beside, ignored);
  throw Error({file, 0}, fmt::format("cannot be written ({}), expected a place for a file", failed.message()));
}

/// Runs a compiler on what a program has become; `made` must be there afterwards.
void run(const Compiler& compiler, const std::vector<std::string>& options, const std::string& what,
         const std::string& made, const PrivateFolder& folder) {
  std::vector<std::string> command = compiler.command();
  const std::string asked = fmt::format("{}", fmt::join(command, " ")), messages = folder.file("messages");
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-o", made});
  if (const int status = run(compiler, std::move(command), messages); status != 0 || !fs::exists(made))
    throw Error(fmt::format("{}: read '{}', which did not compile {} (exit status {}), expected {}; it said{}",
                            compiler.variable, asked, fs::path(what).filename().string(), status, compiler.what,
                            first_lines(messages)));
}

// hidden: two objects in one program must not mix their functions
const std::vector<std::string> c_options = {
    "-O2", "-fno-math-errno", "-ffp-contract=fast", "-fno-tree-slp-vectorize", "-fPIC", "-fvisibility=hidden"};

}  // namespace

void compile(const Program& p, const std::string& file, const CompileOptions& options) {
  KeepInputs::expect_output(file);
  const PrivateFolder folder;
  const bool batch = options.batch || options.gpu;
  std::vector<std::string> sources = write_code(p, folder.path(), "c", batch), objects;
  std::erase_if(sources, [](const std::string& name) { return !name.ends_with(".c"); });
  const std::string loader = folder.file(p.name + "_loader.c"), made = folder.file(p.name + ".so");
  io::write_text(loader, emit_loader(p, {batch, options.gpu}));
  sources.push_back(loader);
  for (const std::string& source : sources) {
    std::vector<std::string> words = c_options;
    if (options.native) words.emplace_back("-march=native");
    words.insert(words.end(), {"-c", source});
    objects.push_back(fs::path(source).replace_extension(".o").string());
    run(cc, words, source, objects.back(), folder);
  }
  if (options.gpu) {
    write_code(p, folder.path(), "cuda");
    const std::string source = folder.file(p.name + "_gpu.cu");
    io::write_text(source, emit_gpu(p));
    objects.push_back(folder.file(p.name + "_gpu.o"));
    run(nvcc, {"-O3", "-Xcompiler", "-fPIC", "-c", source}, source, objects.back(), folder);
  }
  std::vector<std::string> link = {"-shared"};
  link.insert(link.end(), objects.begin(), objects.end());
  link.emplace_back("-lm");
  run(options.gpu ? nvcc : cc, link, made, made, folder);
  put(made, file);
}

}  // namespace gough
