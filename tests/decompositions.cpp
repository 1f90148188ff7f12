#include "decompositions.hpp"

#include <Eigen/Dense>

namespace gough {
namespace {

constexpr double lost = 1e-9;  // of the largest pivot or singular value

Eigen::CompleteOrthogonalDecomposition<MatX<double>> decomposed(const MatX<double>& A) {
  Eigen::CompleteOrthogonalDecomposition<MatX<double>> d;
  d.setThreshold(lost);
  d.compute(A);
  return d;
}

}  // namespace

Svd svd_of(const MatX<double>& A) {
  const Eigen::JacobiSVD<MatX<double>> d(A, Eigen::ComputeFullV);
  return {d.singularValues(), d.matrixV()};
}

int rank_of(const MatX<double>& A) {
  if (A.size() == 0) return 0;
  const VecX<double> s = svd_of(A).s;
  return static_cast<int>((s.array() > lost * s[0]).count());
}

MatX<double> null_space_of(const MatX<double>& A) {
  if (A.size() == 0) return MatX<double>::Identity(A.cols(), A.cols());
  const auto d = decomposed(A);
  return d.colsPermutation() * d.matrixZ().transpose().rightCols(A.cols() - d.rank());
}

MatX<double> shortest_solution(const MatX<double>& A, const MatX<double>& B) {
  if (A.size() == 0) return MatX<double>::Zero(A.cols(), B.cols());
  return decomposed(A).solve(B);
}

MatX<double> inverse_of(const MatX<double>& A) { return A.inverse(); }

VecX<double> eigenvalues_of(const MatX<double>& K, const MatX<double>& M) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatX<double>>(K, M, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace gough
