#pragma once
#include "gough/spatial/spatial.hpp"

namespace gough {

/// Share of the pivot where coordinates were chosen, below which they are chosen anew.
inline constexpr double choose_again = 0.05;

/// How fast equations may open that are not used, (X2): above, coordinates are chosen anew. Positions that are open by phi let redundant
/// equations disagree by as much.
inline constexpr double rates_close = 1e-11, still_open = 10;

/// The largest rate of the rows of A that are not `used`, over the columns of `motions`; relative to the sizes of K, from which A is made,
/// and of the motions. Where the rows that are used have lost their grip, the others tell.
inline double open_rate(const MatX<double>& A, const std::vector<int>& used, const MatX<double>& motions,
                        const MatX<double>& K) {
  if (static_cast<Eigen::Index>(used.size()) == A.rows() || motions.size() == 0) return 0;
  double open = 0;
  for (Eigen::Index c = 0; c < motions.cols(); ++c)
    for (Eigen::Index r = 0; r < A.rows(); ++r) open = std::max(open, std::abs(A.row(r).dot(motions.col(c))));
  const double size = K.cwiseAbs().maxCoeff() * motions.cwiseAbs().maxCoeff();
  return size > 0 ? open / size : 0.0;
}

}  // namespace gough
