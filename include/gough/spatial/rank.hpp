#pragma once
/// Numerical rank, null spaces, least squares and congruences. For looking at a mechanism, not for kernels: it allocates. Compiled once
/// here: Eigen's decompositions take seconds in every file that uses them.
#include <optional>
#include <vector>

#include "gough/spatial/spatial.hpp"

namespace gough {

/// Singular values below this share of the largest count as zero. A closed loop is exact to 1e-15, a true rank keeps well
/// above 1e-6. Singular values below 1e-14 are rounding in any case.
inline constexpr double rank_tolerance = 1e-8;

int numerical_rank(const MatX<double>& A);
/// The columns span A's null space.
MatX<double> null_space(const MatX<double>& A);
/// The k-th largest singular value over the largest; none for k = 0 or a matrix of zeros.
std::optional<double> singular_ratio(const MatX<double>& A, int k);

/// An estimate of the condition of A as a map to solve with: of a square matrix in the 1-norm (a little low at most), otherwise the ratio
/// of singular values; infinite where A is singular.
double inverse_condition(const MatX<double>& A);

struct SingularValues {
  VecX<double> s;
  MatX<double> V;  ///< all right singular vectors
};
SingularValues singular_values(const MatX<double>& A);

/// The shortest X with the least |A X - B|, column by column. Pivots below `threshold` of the largest count as zero; 0: below
/// rounding.
MatX<double> least_squares(const MatX<double>& A, const MatX<double>& B, double threshold = 0);
MatX<double> pseudo_inverse(const MatX<double>& A);

/// R of A = Q R, where A has at least as many rows as columns.
MatX<double> triangular_factor(const MatX<double>& A);
/// The columns of Q: an orthonormal basis of what A's columns span where they are independent.
MatX<double> orthonormal_basis(const MatX<double>& A);
/// X with the least |A X - B| by the same factors, A of full column rank.
struct QrSolution {
  MatX<double> X, R;
};
QrSolution qr_solution(const MatX<double>& A, const MatX<double>& B);

/// W^T A W
MatX<double> congruence(const MatX<double>& A, const MatX<double>& W);
/// W^T diag(a) W
MatX<double> diagonal_congruence(const VecX<double>& a, const MatX<double>& W);

MatX<double> rows_of(const MatX<double>& A, const std::vector<int>& rows);
MatX<double> columns_of(const MatX<double>& A, const std::vector<int>& columns);

}  // namespace gough
