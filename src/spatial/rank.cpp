#include "gough/spatial/rank.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>

namespace gough {
namespace {

constexpr double rounding =
    1e-14;  ///< of numbers near 1: a matrix of zeros has no rank, whatever its entries are to each other

int count(const VecX<double>& s) {
  return s.size() == 0 ? 0 : static_cast<int>((s.array() > std::max(rank_tolerance * s[0], rounding)).count());
}

}  // namespace

int numerical_rank(const MatX<double>& A) { return A.size() == 0 ? 0 : count(singular_values(A).s); }

MatX<double> null_space(const MatX<double>& A) {
  const SingularValues d = singular_values(A);
  return d.V.rightCols(A.cols() - count(d.s));
}

double inverse_condition(const MatX<double>& A) {
  if (A.size() == 0) return 1;
  const auto inverse = [](double x) { return x > 0 ? 1 / x : std::numeric_limits<double>::infinity(); };
  if (A.rows() == A.cols()) return inverse(Eigen::PartialPivLU<MatX<double>>(A).rcond());
  const VecX<double> s = singular_values(A).s;
  return s[0] > 0 ? inverse(s[s.size() - 1] / s[0]) : std::numeric_limits<double>::infinity();
}

std::optional<double> singular_ratio(const MatX<double>& A, int k) {
  if (k <= 0 || A.size() == 0) return std::nullopt;
  const VecX<double> s = singular_values(A).s;
  if (s[0] == 0) return std::nullopt;
  return k > s.size() ? 0.0 : s[k - 1] / s[0];
}

MatX<double> least_squares(const MatX<double>& A, const MatX<double>& B, double threshold) {
  if (A.size() == 0 || B.size() == 0) return MatX<double>::Zero(A.cols(), B.cols());
  Eigen::CompleteOrthogonalDecomposition<MatX<double>> d(A.rows(), A.cols());
  if (threshold > 0) d.setThreshold(threshold);
  return d.compute(A).solve(B);
}

MatX<double> pseudo_inverse(const MatX<double>& A) {
  return least_squares(A, MatX<double>::Identity(A.rows(), A.rows()));
}

MatX<double> triangular_factor(const MatX<double>& A) {
  const Eigen::HouseholderQR<MatX<double>> d(A);
  return d.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
}

MatX<double> orthonormal_basis(const MatX<double>& A) {
  return Eigen::HouseholderQR<MatX<double>>(A).householderQ() * MatX<double>::Identity(A.rows(), A.cols());
}

QrSolution qr_solution(const MatX<double>& A, const MatX<double>& B) {
  const Eigen::HouseholderQR<MatX<double>> d(A);
  return {d.solve(B), d.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>()};
}

MatX<double> congruence(const MatX<double>& A, const MatX<double>& W) {
  const MatX<double> WtA = W.transpose() * A;
  return WtA * W;
}

MatX<double> diagonal_congruence(const VecX<double>& a, const MatX<double>& W) {
  const MatX<double> scaled = a.asDiagonal() * W;
  return W.transpose() * scaled;
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
