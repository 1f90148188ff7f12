#pragma once
/// Machine code of a code, made in the process. Pages are written through one mapping and executed through another.
#include "code.hpp"
#include "gough/engine/routine.hpp"

namespace gough::engine {

using Function = int (*)(const double* const* in, double* const* out, const double* constants, double* scratch);

struct MachineCode {
  Function function = nullptr;  ///< none: it could not be made
  std::size_t bytes = 0, scratch = 0;  ///< scratch in doubles
  std::vector<double> constants;       ///< for its calls
};

/// `c`: turns expanded, ordered.
MachineCode make_machine_code(const Code& c, engine::Instructions by);
void release(const MachineCode& code);

/// Whether the system gives pages of code.
bool code_pages_allowed();

}  // namespace gough::engine
