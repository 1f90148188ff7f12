#pragma once
#include "gough/spatial/spatial.hpp"

namespace gough {

/// Share of the pivot where coordinates were chosen, below which they are chosen anew.
inline constexpr double choose_again = 0.05;

/// How fast equations may open that are not used, (X2): above, coordinates are chosen anew. Positions that are open by phi let redundant
/// equations disagree by as much.
inline constexpr double rates_close = 1e-11, still_open = 10;

/// The largest rate of the rows of A over the columns of `motions`, relative to `size` (of A's entries) and to the motions; none is looked
/// at where the choice leaves out no row. Where the rows that are used have lost their grip, the others tell, and where their elimination has
/// lost digits, they themselves. `rates`: scratch, as many as A has rows.
inline double open_rate(const MatX<double>& A, bool leaves_out, const MatX<double>& motions, double size,
                        VecX<double>& rates) {
  double worst = 0;
  for (Eigen::Index c = 0; c < motions.cols() && leaves_out; ++c) {
    rates.noalias() = A * motions.col(c);
    const double open = rates.cwiseAbs().maxCoeff();
    if (open > rates_close * size) worst = std::max(worst, open / (size * motions.col(c).cwiseAbs().maxCoeff()));
  }
  return worst;
}

}  // namespace gough
