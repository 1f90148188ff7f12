#pragma once
/// Symmetric eigenproblems and solutions of symmetric equations. Like rank.hpp it allocates, and is compiled once.
#include "gough/spatial/spatial.hpp"

namespace gough {

/// K x = s M x, the lowest s first.
struct EigenPairs {
  VecX<double> s;
  MatX<double> X;      ///< columns x, x^T M x = 1
  bool found = false;  ///< whether the iteration came to an end
};

/// K symmetric, M positive definite.
EigenPairs eigen_pairs(const MatX<double>& K, const MatX<double>& M);
EigenPairs eigen_pairs(const MatX<double>& K);  ///< M = 1

/// X with A X = B, A symmetric, definite or almost so.
MatX<double> symmetric_solution(const MatX<double>& A, const MatX<double>& B);

}  // namespace gough
