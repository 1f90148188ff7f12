#include "gough/spatial/rank.hpp"

#include <Eigen/Dense>

namespace gough {
namespace {

using Svd = Eigen::BDCSVD<MatX<double>>;  // Jacobi for small matrices, divide and conquer for large ones

int count(const VecX<double>& s) {
  return s.size() == 0 || s[0] == 0 ? 0 : static_cast<int>((s.array() > rank_tolerance * s[0]).count());
}

}  // namespace

int numerical_rank(const MatX<double>& A) { return A.size() == 0 ? 0 : count(Svd(A).singularValues()); }

MatX<double> null_space(const MatX<double>& A) {
  if (A.rows() == 0 || A.cols() == 0) return MatX<double>::Identity(A.cols(), A.cols());
  const Svd svd(A, Eigen::ComputeFullV);
  return svd.matrixV().rightCols(A.cols() - count(svd.singularValues()));
}

std::optional<double> singular_ratio(const MatX<double>& A, int k) {
  if (k <= 0 || A.size() == 0) return std::nullopt;
  const VecX<double> s = Svd(A).singularValues();
  if (s[0] == 0) return std::nullopt;
  return k > s.size() ? 0.0 : s[k - 1] / s[0];
}

SingularValues singular_values(const MatX<double>& A) {
  if (A.size() == 0) return {VecX<double>(), MatX<double>::Identity(A.cols(), A.cols())};
  const Svd svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

MatX<double> least_squares(const MatX<double>& A, const MatX<double>& B, double threshold) {
  if (A.size() == 0) return MatX<double>::Zero(A.cols(), B.cols());
  Eigen::CompleteOrthogonalDecomposition<MatX<double>> d(A.rows(), A.cols());
  if (threshold > 0) d.setThreshold(threshold);
  return d.compute(A).solve(B);
}

MatX<double> pseudo_inverse(const MatX<double>& A) {
  return least_squares(A, MatX<double>::Identity(A.rows(), A.rows()));
}

MatX<double> rows_of(const MatX<double>& A, const std::vector<int>& rows) {
  MatX<double> R(static_cast<Eigen::Index>(rows.size()), A.cols());
  for (Eigen::Index i = 0; i < R.rows(); ++i) R.row(i) = A.row(rows[static_cast<std::size_t>(i)]);
  return R;
}

MatX<double> columns_of(const MatX<double>& A, const std::vector<int>& columns) {
  return rows_of(A.transpose(), columns).transpose();
}

}  // namespace gough
