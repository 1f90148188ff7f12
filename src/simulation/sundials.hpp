#pragma once
/// SUNDIALS' handles as values that free themselves, and its vectors as Eigen's.
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "gough/spatial/spatial.hpp"

namespace gough {

constexpr int most_tries = 60;  ///< of one step: where a force begins with a bang, it has to become much shorter

class SunContext {
 public:
  SunContext() {
    SUNContext made = nullptr;
    SUNContext_Create(nullptr, &made);
    context_.reset(made);
  }
  SUNContext get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(SUNContext c) const { SUNContext_Free(&c); }
  };
  std::unique_ptr<_SUNContext, Free> context_;
};

struct FreeVector {
  void operator()(N_Vector v) const { N_VDestroy(v); }
};
using SerialVector = std::unique_ptr<_generic_N_Vector, FreeVector>;

inline Eigen::Map<VecX<double>> view(N_Vector v) { return {N_VGetArrayPointer(v), N_VGetLength(v)}; }

inline SerialVector make_vector(const VecX<double>& x, const SunContext& context) {
  SerialVector v(N_VNew_Serial(x.size(), context.get()));
  view(v.get()) = x;
  return v;
}

/// A dense linear solver with its matrix.
struct DenseSolver {
  struct FreeMatrix {
    void operator()(SUNMatrix m) const { SUNMatDestroy(m); }
  };
  struct FreeSolver {
    void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
  };
  std::unique_ptr<_generic_SUNMatrix, FreeMatrix> matrix;
  std::unique_ptr<_generic_SUNLinearSolver, FreeSolver> solver;

  DenseSolver() = default;
  DenseSolver(N_Vector like, const SunContext& context)
      : matrix(SUNDenseMatrix(N_VGetLength(like), N_VGetLength(like), context.get())),
        solver(SUNLinSol_Dense(like, matrix.get(), context.get())) {}
};

/// Failures are returned and told in our words.
inline void silent(int, const char*, const char*, char*, void*) {}

/// The names that SUNDIALS allocates.
inline std::string flag_name(char* name) {
  std::string copy = name == nullptr ? "" : name;
  std::free(name);  // NOLINT(cppcoreguidelines-no-malloc): SUNDIALS allocates so
  return copy;
}

}  // namespace gough
