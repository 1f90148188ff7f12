#include "gough/engine/routine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "code.hpp"
#include "gough/codegen/program.hpp"
#include "gough/error.hpp"
#include "interpreter.hpp"
#include "machine_code.hpp"

/// What asmjit prints before it gives up, under a name that shared objects can hold (see CMakeLists.txt).
extern "C" [[gnu::visibility("hidden")]] FILE* gough_asmjit_stderr;
FILE* gough_asmjit_stderr = stderr;

namespace gough {
namespace {

constexpr std::array<std::string_view, 4> engine_names = {"automatic", "kernels", "interpreter", "code"};

Engine from_environment() {
  const char* wanted = std::getenv("GOUGH_ENGINE");
  if (wanted == nullptr || *wanted == '\0') return Engine::automatic;
  for (std::size_t i = 1; i < engine_names.size(); ++i)
    if (engine_names[i] == wanted) return static_cast<Engine>(i);
  throw Error(fmt::format("GOUGH_ENGINE: read '{}', expected kernels, interpreter, code, or nothing", wanted));
}

constexpr int not_asked = -1;
std::atomic<int> engine_in_use{not_asked};

}  // namespace

Engine chosen_engine() {
  const int known = engine_in_use.load(std::memory_order_relaxed);
  if (known != not_asked) return static_cast<Engine>(known);
  const Engine e = from_environment();
  engine_in_use.store(static_cast<int>(e), std::memory_order_relaxed);
  return e;
}
void choose_engine(Engine e) { engine_in_use.store(static_cast<int>(e), std::memory_order_relaxed); }
std::string_view name(Engine e) { return engine_names[static_cast<std::size_t>(e)]; }

namespace engine {

Instructions instructions() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !engine::code_pages_allowed())
    return Instructions::none;
  const bool wide =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return wide ? Instructions::avx512 : Instructions::avx2;
#else
  return Instructions::none;
#endif
}

std::string_view name(Instructions i) {
  return i == Instructions::avx512 ? "AVX-512" : i == Instructions::avx2 ? "AVX2" : "none";
}

}  // namespace engine

namespace {

/// Code beyond the first instruction cache is read again and again from the second one: then the shorter of two orders is better.
constexpr std::size_t first_cache = 32 * 1024;
constexpr double much_shorter = 0.88;
constexpr std::size_t worth_ordering =
    6000;  ///< instructions: beyond, the code is long whatever the order, and ordering takes long

engine::MachineCode best_order(const engine::Code& c, engine::Instructions by) {
  if (c.instruction.size() > worth_ordering) return engine::make_machine_code(c, by);
  engine::Code ordered = c;
  engine::order_for_latency(ordered);
  engine::MachineCode best = engine::make_machine_code(ordered, by);
  if (best.bytes <= first_cache) return best;
  engine::MachineCode other = engine::make_machine_code(c, by);
  if (static_cast<double>(other.bytes) < much_shorter * static_cast<double>(best.bytes)) std::swap(best, other);
  engine::release(other);
  return best;
}

}  // namespace

struct Routine::Impl {
  Impl(engine::Code code, engine::Instructions wanted) : instructions(code.instruction.size()), by(wanted) {
    const engine::Code expanded = engine::with_turns_expanded(code);
    code.constant = expanded.constant;  // more of them: both ways share one block
    interpreter.emplace(std::move(code));
    if (by != engine::Instructions::none) made = best_order(expanded, by);
  }
  ~Impl() { engine::release(made); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::optional<engine::Interpreter> interpreter;
  std::size_t instructions;
  engine::Instructions by;
  engine::MachineCode made;
};

Routine::Routine(const Program& p, engine::Instructions by)
    : impl_(std::make_unique<Impl>(engine::lower(p), by)), function_(impl_->made.function) {}
Routine::~Routine() = default;

std::string Routine::runs_as() const {
  return is_code() ? fmt::format("machine code ({})", engine::name(impl_->by)) : "interpreter";
}
std::size_t Routine::code_bytes() const { return impl_->made.bytes; }
std::size_t Routine::instructions() const { return impl_->instructions; }

int Routine::interpret(const double* const* in, double* const* out, double* scratch) const {
  return impl_->interpreter->run(in, out, scratch);
}

std::vector<double> Routine::scratch() const {
  std::vector<double> all = impl_->interpreter->first_slots();
  all.resize(std::max(impl_->interpreter->slots(), impl_->made.block), 0);
  return all;
}

}  // namespace gough
