#pragma once
/// The states of a batch in packs, for one instruction set. Included once per set, by an object whose shared symbols become its own
/// (CMakeLists.txt): what is compiled for AVX-512 must not run elsewhere.
#include "gough/dynamics/dynamics.hpp"

namespace gough {

/// Entry i of state s of n at [i n + s].
struct BatchStates {
  std::size_t n, first, last;
  const double *q, *v, *in;  ///< `in`: accelerations, or forces of the actuators
  double* out;               ///< the other
  char* doubtful;            ///< 1 where the pivots do not serve
  double poor_pivot, poor_effort;
};
using BatchKernel = void (*)(const Mechanism<double>&, const Dynamics<double>&, bool inverse, const BatchStates&);
BatchKernel batch_kernel_plain();
BatchKernel batch_kernel_avx2();
BatchKernel batch_kernel_avx512();

}  // namespace gough
