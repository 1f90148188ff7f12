#pragma once
/// The states of a batch in packs, for one instruction set. Included once per set, by an object whose shared symbols become its own
/// (CMakeLists.txt): what is compiled for AVX-512 must not run elsewhere.
#include "gough/dynamics/kernels.hpp"

namespace gough {

/// Entry i of state s at [i entry + s state].
template <class Number>
struct BatchArray {
  Number* data;
  std::size_t entry, state;

  Number& operator()(Eigen::Index i, std::size_t s) const {
    return data[static_cast<std::size_t>(i) * entry + s * state];
  }
};

struct BatchStates {
  std::size_t first, last;
  BatchArray<const double> q, v, in;  ///< `in`: accelerations, or forces of the actuators
  BatchArray<double> out;             ///< the other
  char* doubtful;                     ///< 1 where the pivots do not serve
  double poor_pivot, poor_effort;
};
using BatchKernel = void (*)(const Mechanism<double>&, const Dynamics<double>&, bool inverse, const BatchStates&);
BatchKernel batch_kernel_avx2();
BatchKernel batch_kernel_avx512();

}  // namespace gough
