#pragma once
/// Generated code as a shared object: made by the system's C compiler, loaded and called.                docs/codegen.md
///
///   gough::compile(gough::generate(robot, {"inverse", "platform"}), "palida.so");
///   gough::CompiledProgram inverse("palida.so");
///   const int status = inverse(inputs, outputs);   // arrays one after another, as in the header
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gough/codegen/program.hpp"

namespace gough {

/// Runs $CC, or cc, on the program's C in a private folder that goes afterwards, and leaves the shared object at `file`.
/// Throws Error.
struct CompileOptions {
  bool native = false;  ///< for this machine's instructions
  bool batch = false;   ///< many states at once, too
  bool gpu = false;     ///< and on an NVIDIA GPU where the machine that runs it has one: needs $NVCC, or nvcc
};
void compile(const Program& p, const std::string& file, const CompileOptions& options = {});

/// A shared object of compile, loaded, with parameters of its own. Loading runs what the file holds: load what you trust.
/// While one is loaded, a new file under the same path is not seen.
class CompiledProgram {
 public:
  struct Array {
    std::string name, meaning;
    std::size_t size;
  };

  /// Throws Error where the file is not one of compile's, or of another format. Parameters are the robot file's.
  explicit CompiledProgram(const std::string& file);

  std::string name() const, robot() const, what() const, from() const;
  std::string made_by() const;  ///< the gough that wrote it
  const std::vector<Array>& inputs() const { return inputs_; }
  const std::vector<Array>& outputs() const { return outputs_; }
  std::size_t input_size() const { return size_of(inputs_); }
  std::size_t output_size() const { return size_of(outputs_); }

  /// Arrays one after another; `in` and `out` are apart. Returns the status: 0, or 1 where the result is not to be used.
  /// Several threads may call. Throws Error where a span has another size.
  int operator()(std::span<const double> in, std::span<double> out) const;

  /// Many states: entry i of state s of n at [i n + s]; a status for each of the n. On a GPU where the program was compiled for
  /// one and there is one, otherwise in vectors on all cores. Throws Error where a span has another size, where the program was
  /// compiled without `batch`, or where the GPU that is asked for is not there.
  enum class On { gpu_if_there, cpu, gpu };
  void batch(std::span<const double> in, std::span<double> out, std::span<int> status, On on = On::gpu_if_there) const;
  std::string batch_instructions() const;  ///< avx512, avx2 or baseline; nothing without `batch`
  /// The GPU's name; or nothing, and in `why_none` the reason.
  std::string gpu(std::string* why_none = nullptr) const;

  /// Names of the parameters; none of folded code.
  std::vector<std::string> parameters() const;
  /// Throws Error where there is no such parameter.
  double parameter(const std::string& name) const;
  void set_parameter(const std::string& name, double value);

 private:
  struct Descriptor;
  struct Close {
    void operator()(void* library) const;
  };
  static std::size_t size_of(const std::vector<Array>& arrays);

  std::string file_;
  std::unique_ptr<void, Close> library_;
  const Descriptor* program_ = nullptr;
  std::vector<Array> inputs_, outputs_;
  std::vector<double> state_;
};

}  // namespace gough
