#include "gough/spatial/eigen_pairs.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace gough {
namespace {

template <class Solver>
EigenPairs pairs_of(const Solver& e) {
  return {e.eigenvalues(), e.eigenvectors(), e.info() == Eigen::Success};
}

}  // namespace

EigenPairs eigen_pairs(const MatX<double>& K, const MatX<double>& M) {
  return pairs_of(Eigen::GeneralizedSelfAdjointEigenSolver<MatX<double>>(K, M));
}

EigenPairs eigen_pairs(const MatX<double>& K) { return pairs_of(Eigen::SelfAdjointEigenSolver<MatX<double>>(K)); }

MatX<double> symmetric_solution(const MatX<double>& A, const MatX<double>& B) {
  return Eigen::LDLT<MatX<double>>(A).solve(B);
}

}  // namespace gough
