/// A file of its own: Eigen's divide and conquer takes longer to compile than any kernel.
#include <Eigen/SVD>

#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

/// Whether V's columns are orthonormal and A stretches them by s.
bool holds(const MatX<double>& A, const SingularValues& d) {
  const auto n = d.V.cols();
  if (!d.s.allFinite() || !d.V.allFinite()) return false;
  if ((d.V.transpose() * d.V - MatX<double>::Identity(n, n)).cwiseAbs().maxCoeff() > 1e-12 * static_cast<double>(n))
    return false;
  VecX<double> stretched = (A * d.V).colwise().norm();
  stretched.head(d.s.size()) -= d.s;
  return stretched.cwiseAbs().maxCoeff() <= 1e-12 * static_cast<double>(n) * d.s[0];
}

template <class Svd>
SingularValues decomposed(const MatX<double>& A) {
  const Svd svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

}  // namespace

SingularValues singular_values(const MatX<double>& A) {
  if (A.size() == 0) return {VecX<double>(), MatX<double>::Identity(A.cols(), A.cols())};
  // divide and conquer is fast, but Eigen's fails on some matrices with many equal singular values
  SingularValues d = decomposed<Eigen::BDCSVD<MatX<double>>>(A);
  return holds(A, d) ? d : decomposed<Eigen::JacobiSVD<MatX<double>>>(A);
}

}  // namespace gough
