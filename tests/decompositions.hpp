#pragma once
/// Eigen's decompositions for tests: not the library's own, and compiled once, because each takes seconds.
#include "gough/spatial/spatial.hpp"

namespace gough {

struct Svd {
  VecX<double> s;
  MatX<double> V;  ///< all right singular vectors
};
Svd svd_of(const MatX<double>& A);

/// How many singular values are above 1e-9 of the largest; an orthonormal basis of what A maps to zero.
int rank_of(const MatX<double>& A);
MatX<double> null_space_of(const MatX<double>& A);

/// The shortest X that comes nearest to A X = B, also where there is nothing to solve.
MatX<double> shortest_solution(const MatX<double>& A, const MatX<double>& B);

MatX<double> inverse_of(const MatX<double>& A);

/// s of K x = s M x, K symmetric and M positive definite, the lowest first.
VecX<double> eigenvalues_of(const MatX<double>& K, const MatX<double>& M);

}  // namespace gough
