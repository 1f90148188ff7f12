#pragma once
/// A program as C99 that is also C++: no heap, no library but sqrt, sin, cos, atan2 and fabs.          docs/codegen.md
///
///   NAME_parameters   the parameters, by name;   NAME_default fills in those of the robot file
///   NAME_setup        computes NAME_constants from them, once
///   NAME              one call: arrays in, arrays out, returns a status
/// A program without parameters (folded) has only the last. The text depends on the program alone.
#include "gough/codegen/program.hpp"

namespace gough {

struct SourceText {
  std::string header, source;
};
/// A program with legs as lanes: the same functions, whose text holds vectors of gcc and clang.
SourceText emit_c(const Program& p);

/// The same as CUDA: a __device__ function NAME_state, a kernel NAME_kernel with one thread per state, and NAME_batch, which
/// starts it. Arrays of a batch of n states lie entry after entry: entry i of state s at [i n + s].
SourceText emit_cuda(const Program& p);

/// The same for many states at once, beside emit_c's files: NAME_batch computes states [first, last) of n, eight, four or two in a
/// vector, as the machine can. Arrays lie as in emit_cuda. C of gcc and clang.
SourceText emit_batch(const Program& p);

/// A second C file beside emit_c's: `gough_program`, which says what a shared object of the two holds and how it is called.
/// It is the same for every program, so that one that knows nothing of this robot can load it.
struct LoaderParts {
  bool batch = false;  ///< emit_batch's files are there too
  bool gpu = false;    ///< and emit_gpu's
};
std::string emit_loader(const Program& p, const LoaderParts& parts = {});
inline constexpr int loader_format = 3;

/// CUDA that runs a batch from and to the machine's memory, for the loader: NAME_gpu, and NAME_gpu_device, which says what there
/// is. It reads emit_cuda's files of the same program under the name NAME_cuda.
std::string emit_gpu(const Program& p);

/// Letters, digits and underscores: a name that C takes.
std::string c_name(const std::string& text);

}  // namespace gough
