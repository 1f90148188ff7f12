#pragma once
/// Numerical rank and null spaces, by singular values. For looking at a mechanism, not for kernels: it allocates.
#include <optional>
#include <vector>

#include "gough/spatial/spatial.hpp"

namespace gough {

/// Singular values below this share of the largest count as zero. A closed loop is exact to 1e-15, a true rank keeps well
/// above 1e-6.
inline constexpr double rank_tolerance = 1e-8;

int numerical_rank(const MatX<double>& A);
/// The columns span A's null space.
MatX<double> null_space(const MatX<double>& A);
/// The k-th largest singular value over the largest; none for k = 0 or a matrix of zeros.
std::optional<double> singular_ratio(const MatX<double>& A, int k);

MatX<double> rows_of(const MatX<double>& A, const std::vector<int>& rows);
MatX<double> columns_of(const MatX<double>& A, const std::vector<int>& columns);

}  // namespace gough
