#pragma once
/// Programs that run in this process: interpreted anywhere, as machine code where the processor has AVX2 and the system allows pages of
/// code. Both round alike, bit for bit.                                                         docs/theory/engine.md
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gough {

struct Program;

/// How dynamics are computed: by the kernels for the first calls and by programs then; always by the kernels; always by programs.
enum class Engine { automatic, kernels, interpreter, code };
/// What GOUGH_ENGINE says (kernels, interpreter or code), until choose_engine says something else. Throws Error for another word.
Engine chosen_engine();
void choose_engine(Engine e);
std::string_view name(Engine e);

namespace engine {

/// The processor's instructions that machine code is made of.
enum class Instructions { none, avx2, avx512 };
/// The best that this machine has, and whether pages of code can be had at all: `none` where not.
Instructions instructions();
std::string_view name(Instructions i);

}  // namespace engine

/// A program, ready to run. It does not change, so threads may share it; what an evaluation writes on its way is `scratch`, of the caller.
class Routine {
 public:
  /// Machine code of these instructions, the interpreter where there are none or no pages for it. Throws Error where a program is too large.
  explicit Routine(const Program& p, engine::Instructions by = engine::instructions());
  ~Routine();
  Routine(const Routine&) = delete;
  Routine& operator=(const Routine&) = delete;

  /// Arrays in the program's order of its inputs and outputs. Returns 0, or bits: 1 a guard failed, 2 an argument was too large; the
  /// outputs are then worth nothing.
  int run(const double* const* in, double* const* out, double* scratch) const {
    return function_ != nullptr ? function_(in, out, scratch) : interpret(in, out, scratch);
  }
  /// By the interpreter, even where there is machine code.
  int interpret(const double* const* in, double* const* out, double* scratch) const;
  /// What `scratch` begins with.
  std::vector<double> scratch() const;

  bool is_code() const { return function_ != nullptr; }
  /// "machine code (AVX-512)", "interpreter".
  std::string runs_as() const;
  std::size_t code_bytes() const;
  std::size_t instructions() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  int (*function_)(const double* const*, double* const*, double*) = nullptr;
};

}  // namespace gough
