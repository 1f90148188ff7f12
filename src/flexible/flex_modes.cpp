#include "gough/flexible/flex_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gough/spatial/eigen_pairs.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr int most_rounds = 60, most_first_rounds = 400;
constexpr int small = 300;        // coordinates for which full matrices are quick
constexpr double settled = 1e-7;  // of omega^2, between rounds

double hertz(double square) { return std::copysign(std::sqrt(std::abs(square)), square) / (2 * std::numbers::pi); }

FlexModes sorted(const VecX<double>& squares, const MatX<double>& shapes, Eigen::Index count) {
  FlexModes m{VecX<double>(count), shapes.leftCols(count)};
  for (Eigen::Index i = 0; i < count; ++i) m.frequency[i] = hertz(squares[i]);
  return m;
}

/// A X of several columns in the coordinates alone.
MatX<double> product(const FlexEquations& e, const std::vector<double>& A, const MatX<double>& X) {
  MatX<double> Y = MatX<double>::Zero(e.model().size, X.cols());
  for (Eigen::Index c = 0; c < X.cols(); ++c) {
    VecX<double> y = Y.col(c);
    e.pattern().add_product(A, 1, X.col(c), y);
    Y.col(c) = y;
  }
  return Y;
}

}  // namespace

FlexModes flex_modes(const FlexEquations& e, int count) {
  const MatX<double> full = e.full(e.K), N = null_space(e.full_rows());
  const MatX<double> K = congruence(0.5 * (full + full.transpose()), N), M = congruence(e.full(e.M), N);
  const EigenPairs found = eigen_pairs(K, M);
  const Eigen::Index wanted = count > 0 ? std::min<Eigen::Index>(count, N.cols()) : N.cols();
  return sorted(found.s, N * found.X, wanted);
}

ModeTracker::ModeTracker(const FlexEquations& e, int count) : count_(count), solver_(e.pattern()) {}

const FlexModes& ModeTracker::at(const FlexEquations& e) {
  const int n = e.model().size;
  const bool first = space_.cols() == 0;
  if (first) {
    if (n <= small) modes_ = flex_modes(e, 2 * count_ + 4);
    else modes_ = {VecX<double>::Zero(1), MatX<double>::Random(n, std::min(2 * count_ + 8, n - e.model().rows()))};
    space_ = modes_.shape;
    count_ = std::min<int>(count_, static_cast<int>(space_.cols()));
  } else if (space_.cols() > count_) {
    space_.rightCols(1) = MatX<double>::Random(n, 1);  // a mode that was not among the lowest may come down
  }
  const Eigen::Index k = space_.cols();
  K_ = e.K;  // its symmetric part: C and Euler's terms do not belong here
  for (int j = 0; j < n; ++j)
    for (int p = e.pattern().start[static_cast<std::size_t>(j)]; p < e.pattern().start[static_cast<std::size_t>(j) + 1];
         ++p)
      if (const int i = e.pattern().row[static_cast<std::size_t>(p)]; i < j) {
        const auto q = static_cast<std::size_t>(e.pattern().place(j, i));
        const double mean = 0.5 * (e.K[static_cast<std::size_t>(p)] + e.K[q]);
        K_[static_cast<std::size_t>(p)] = K_[q] = mean;
      }
  values_.resize(K_.size());
  const double lowest = modes_.frequency[0] * 2 * std::numbers::pi, square = lowest * std::abs(lowest);
  const double shift = -1 - (square > 0 ? 0.5 : -1.5) * square;  // below the lowest: K - shift M is regular
  for (std::size_t p = 0; p < K_.size(); ++p) values_[p] = K_[p] - shift * e.M[p] + e.J[p];
  if (!solver_.factor(values_)) {
    modes_ = flex_modes(e, static_cast<int>(k));
    space_ = modes_.shape;
  } else {
    VecX<double> before = VecX<double>::Constant(k, std::numeric_limits<double>::infinity());
    for (int round = 0; round < (first ? most_first_rounds : most_rounds); ++round) {
      MatX<double> X = MatX<double>::Zero(e.all(), k);
      X.topRows(n) = product(e, e.M, space_);
      solver_.solve(X);
      const MatX<double> Y = X.topRows(n);
      const MatX<double> a = Y.transpose() * product(e, K_, Y), b = Y.transpose() * product(e, e.M, Y);
      const EigenPairs small = eigen_pairs(0.5 * (a + a.transpose()), b);
      space_ = Y * small.X;
      const VecX<double>& now = small.s;
      const double change = ((now - before).head(count_).array().abs() / now.head(count_).array().abs()).maxCoeff();
      before = now;
      if (change < settled) break;
    }
    modes_ = sorted(before, space_, count_);
  }
  modes_.frequency.conservativeResize(count_);
  modes_.shape.conservativeResize(Eigen::NoChange, count_);
  return modes_;
}

}  // namespace gough
