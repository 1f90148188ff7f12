/// Singular values and right singular vectors by Golub and Kahan (1965), with the shifts of Golub and Reinsch (1970):
///   A = Q R or A^T = Q R, R square                       reflections from the left
///   R = U B W^T, B upper bidiagonal (d, e)               reflections from the left and the right
///   B = X S Y^T, V = Q W Y                               rotations that chase e to zero
/// Only W and Y are accumulated, U and X are not asked for. Plain loops: Eigen's divide and conquer returns NaN for some
/// matrices with many equal singular values, and takes longer to compile than any kernel.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// 1 - beta w w^T, which takes x to `image` times the first unit vector.
struct Reflection {
  VecX<double> w;
  double beta = 0, image = 0;

  explicit Reflection(VecX<double> x) : w(std::move(x)) {
    const double norm = w.norm(), first = w[0];
    if (norm == 0) return;
    image = first > 0 ? -norm : norm;
    w[0] -= image;
    beta = 1 / (norm * (norm + std::abs(first)));
  }

  /// The last rows of A from column `first` on, multiplied from the left.
  void from_left(MatX<double>& A, Eigen::Index first) const {
    for (Eigen::Index j = first; j < A.cols(); ++j) {
      const double share = beta * w.dot(A.col(j).tail(w.size()));
      A.col(j).tail(w.size()) -= share * w;
    }
  }

  /// The last columns of A from row `top` on, multiplied from the right.
  void from_right(MatX<double>& A, Eigen::Index top) const {
    const Eigen::Index rows = A.rows() - top, first = A.cols() - w.size();
    VecX<double> y = VecX<double>::Zero(rows);
    for (Eigen::Index j = 0; j < w.size(); ++j) y += w[j] * A.col(first + j).tail(rows);
    y *= beta;
    for (Eigen::Index j = 0; j < w.size(); ++j) A.col(first + j).tail(rows) -= w[j] * y;
  }
};

/// A = H_0 H_1 .. R, A with at least as many rows as columns.
struct Triangular {
  std::vector<Reflection> H;
  MatX<double> R;

  explicit Triangular(MatX<double> A) : R(MatX<double>::Zero(A.cols(), A.cols())) {
    for (Eigen::Index k = 0; k < A.cols(); ++k) {
      H.emplace_back(A.col(k).tail(A.rows() - k));
      H.back().from_left(A, k + 1);
      R.col(k).head(k) = A.col(k).head(k);
      R(k, k) = H.back().image;
    }
  }
};

class Bidiagonal {
 public:
  explicit Bidiagonal(MatX<double> A)  // square
      : n_(A.cols()), d(VecX<double>::Zero(n_)), e(VecX<double>::Zero(n_)), V(MatX<double>::Identity(n_, n_)) {
    for (Eigen::Index k = 0; k < n_; ++k) {
      const Reflection left(A.col(k).tail(n_ - k));
      left.from_left(A, k + 1);
      d[k] = left.image;
      if (k + 1 == n_) break;
      const Reflection right(A.row(k).tail(n_ - k - 1));
      right.from_right(A, k + 1);
      right.from_right(V, 0);
      e[k] = right.image;
    }
    for (Eigen::Index k = 0; k < n_; ++k) size_ = std::max(size_, std::abs(d[k]) + std::abs(e[k]));
  }

  /// Makes e zero. False where that does not come to an end (only with numbers that are not finite).
  bool diagonalise() {
    Eigen::Index last = n_ - 1;
    for (Eigen::Index steps = 0; last > 0; ++steps) {
      if (steps > 60 * n_ || !std::isfinite(size_)) return false;
      Eigen::Index first = last;
      while (first > 0 && !negligible(first - 1)) --first;
      if (first == last) --last;
      else if (!split_at_zero(first, last)) chase(first, last);
    }
    return true;
  }

 private:
  bool negligible(Eigen::Index k) {
    if (std::abs(e[k]) > epsilon * (std::abs(d[k]) + std::abs(d[k + 1])) && std::abs(e[k]) > epsilon * epsilon * size_)
      return false;
    e[k] = 0;
    return true;
  }

  /// The rotation [c s; -s c] that takes (y, z) to (r, 0).
  struct Rotation {
    double c = 1, s = 0, r = 0;
    Rotation(double y, double z) : r(std::hypot(y, z)) {
      if (r == 0) return;
      c = y / r;
      s = z / r;
    }
  };

  void turn_columns(Eigen::Index i, Eigen::Index j, const Rotation& t) {
    double *a = V.col(i).data(), *b = V.col(j).data();
    for (Eigen::Index k = 0; k < n_; ++k) {
      const double x = a[k], y = b[k];
      a[k] = t.c * x + t.s * y;
      b[k] = t.c * y - t.s * x;
    }
  }

  /// A zero on the diagonal between first and last: rotations take the e beside it away.
  bool split_at_zero(Eigen::Index first, Eigen::Index last) {
    for (Eigen::Index k = first; k <= last; ++k) {
      if (std::abs(d[k]) > epsilon * size_) continue;
      d[k] = 0;
      if (k < last) {  // row k: to the right, from the left
        double f = e[k];
        e[k] = 0;
        for (Eigen::Index j = k + 1; j <= last && f != 0; ++j) {
          const Rotation t(d[j], f);
          d[j] = t.r;
          f = -t.s * e[j];
          e[j] *= t.c;
        }
      } else {  // column k: upwards, from the right
        double f = e[k - 1];
        e[k - 1] = 0;
        for (Eigen::Index j = k - 1; j >= first && f != 0; --j) {
          const Rotation t(d[j], f);
          d[j] = t.r;
          turn_columns(j, k, t);
          if (j == first) break;
          f = -t.s * e[j - 1];
          e[j - 1] *= t.c;
        }
      }
      return true;
    }
    return false;
  }

  /// One step of B^T B - mu by B's own entries; mu: the eigenvalue of its last two rows that is nearer to the last.
  void chase(Eigen::Index first, Eigen::Index last) {
    const double before = last - 1 > first ? e[last - 2] : 0.0;
    const double a = d[last - 1] * d[last - 1] + before * before, b = d[last - 1] * e[last - 1];
    const double c = d[last] * d[last] + e[last - 1] * e[last - 1], half = (a - c) / 2;
    const double root = std::hypot(half, b);
    const double mu = root == 0 ? c : c - b * b / (half + (half < 0 ? -root : root));
    double y = d[first] * d[first] - mu, z = d[first] * e[first];
    for (Eigen::Index k = first; k < last; ++k) {
      const Rotation right(y, z);
      if (k > first) e[k - 1] = right.r;
      turn_columns(k, k + 1, right);
      const double f = right.c * d[k] + right.s * e[k], g = right.s * d[k + 1];
      e[k] = right.c * e[k] - right.s * d[k];
      d[k + 1] *= right.c;
      const Rotation left(f, g);
      d[k] = left.r;
      y = left.c * e[k] + left.s * d[k + 1];
      d[k + 1] = left.c * d[k + 1] - left.s * e[k];
      z = left.s * e[k + 1];
      e[k + 1] *= left.c;
      e[k] = y;
    }
  }

  Eigen::Index n_;
  double size_ = 0;

 public:
  VecX<double> d, e;
  MatX<double> V;
};

}  // namespace

SingularValues singular_values(const MatX<double>& A) {
  const Eigen::Index n = A.cols(), k = std::min(A.rows(), n);
  SingularValues found{VecX<double>::Zero(k), MatX<double>::Identity(n, n)};
  const double scale = A.size() == 0 ? 0 : A.cwiseAbs().maxCoeff();
  if (scale == 0) return found;

  const bool wide = A.rows() < n;
  const Triangular t(wide ? MatX<double>(A.transpose() / scale) : MatX<double>(A / scale));
  Bidiagonal b(wide ? MatX<double>(t.R.transpose()) : t.R);
  if (!b.diagonalise()) {
    found.s.setConstant(std::numeric_limits<double>::quiet_NaN());
    return found;
  }

  std::vector<Eigen::Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return std::abs(b.d[i]) > std::abs(b.d[j]); });
  for (Eigen::Index i = 0; i < k; ++i) {
    const Eigen::Index from = order[static_cast<std::size_t>(i)];
    found.s[i] = scale * std::abs(b.d[from]);
    found.V.col(i).head(k) = b.V.col(from);
  }
  if (wide)
    for (std::size_t i = t.H.size(); i-- > 0;) t.H[i].from_left(found.V, 0);
  return found;
}

}  // namespace gough
