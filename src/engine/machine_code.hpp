#pragma once
/// Machine code of a code, made in the process. Pages are written through one mapping and executed through another.
#include "code.hpp"
#include "gough/engine/routine.hpp"

namespace gough::engine {

/// `block`: inputs one array after the other, which the code copies there, then constants, then what it keeps on its way. All that it
/// reads lies together: addresses that are equal but for multiples of 4 kB hold each other up.
using Function = int (*)(const double* const* in, double* const* out, double* block);

struct MachineCode {
  Function function = nullptr;       ///< none: it could not be made
  std::size_t bytes = 0, block = 0;  ///< of code; doubles
};

/// `c`: turns expanded, ordered.
MachineCode make_machine_code(const Code& c, engine::Instructions by);
void release(const MachineCode& code);

/// Whether the system gives pages of code.
bool code_pages_allowed();

}  // namespace gough::engine
