#pragma once
/// Small linear algebra without a branch on a value: what a traced or vectorised kernel can run.
///
/// Sizes and pivot orders are integers known beforehand. Each factorisation returns its smallest pivot, so that the
/// caller can tell how far from singular the matrix was; nothing is thrown and nothing is compared.
#include <Eigen/Core>
#include <span>

#include "gough/scalar/scalar.hpp"

namespace gough {

/// A = L D L^T in place (lower triangle: L below the diagonal, D on it). Returns the smallest pivot.
template <class Derived>
typename Derived::Scalar ldlt_factor(Eigen::MatrixBase<Derived>& A) {
  using S = typename Derived::Scalar;
  const Eigen::Index n = A.rows();
  S smallest = A(0, 0);
  for (Eigen::Index j = 0; j < n; ++j) {
    smallest = smaller(A(j, j), smallest);
    const S reciprocal = S(1.0) / A(j, j);
    for (Eigen::Index i = j + 1; i < n; ++i) {
      const S l = A(i, j) * reciprocal;
      for (Eigen::Index k = j + 1; k <= i; ++k) A(i, k) = A(i, k) - l * A(k, j);
    }
    for (Eigen::Index i = j + 1; i < n; ++i) A(i, j) = A(i, j) * reciprocal;
  }
  return smallest;
}

/// Solves L D L^T x = b in place, b with any number of columns.
template <class DerivedA, class DerivedB>
void ldlt_solve(const Eigen::MatrixBase<DerivedA>& A, Eigen::MatrixBase<DerivedB>& b) {
  using S = typename DerivedA::Scalar;
  const Eigen::Index n = A.rows();
  for (Eigen::Index c = 0; c < b.cols(); ++c) {
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::Index i = j + 1; i < n; ++i) b(i, c) = b(i, c) - A(i, j) * b(j, c);
    for (Eigen::Index j = n - 1; j >= 0; --j) {
      S x = b(j, c) / A(j, j);
      for (Eigen::Index i = j + 1; i < n; ++i) x = x - A(i, j) * b(i, c);
      b(j, c) = x;
    }
  }
}

/// The order in which rows and columns are eliminated, chosen beforehand.
struct PivotOrder {
  std::span<const int> rows;
  std::span<const int> columns;
};

/// P A Q = L U in place, in the given order. Returns the smallest magnitude of a pivot.
template <class Derived>
typename Derived::Scalar lu_factor(Eigen::MatrixBase<Derived>& A, const PivotOrder& order) {
  using S = typename Derived::Scalar;
  const std::size_t n = order.rows.size();
  S smallest = magnitude(A(order.rows[0], order.columns[0]));
  for (std::size_t j = 0; j < n; ++j) {
    const int rj = order.rows[j], cj = order.columns[j];
    smallest = smaller(magnitude(A(rj, cj)), smallest);
    const S reciprocal = S(1.0) / A(rj, cj);
    for (std::size_t i = j + 1; i < n; ++i) {
      const int ri = order.rows[i];
      A(ri, cj) = A(ri, cj) * reciprocal;
      for (std::size_t k = j + 1; k < n; ++k) {
        const int ck = order.columns[k];
        A(ri, ck) = A(ri, ck) - A(ri, cj) * A(rj, ck);
      }
    }
  }
  return smallest;
}

/// Solves A x = b from lu_factor's result; `work` has b's size. x is returned in b, in A's column order.
template <class DerivedA, class DerivedB, class DerivedW>
void lu_solve(const Eigen::MatrixBase<DerivedA>& A, const PivotOrder& order, Eigen::MatrixBase<DerivedB>& b,
              Eigen::MatrixBase<DerivedW>& work) {
  using S = typename DerivedA::Scalar;
  const int n = static_cast<int>(order.rows.size());
  const auto row = [&](int i) { return order.rows[static_cast<std::size_t>(i)]; };
  const auto column = [&](int i) { return order.columns[static_cast<std::size_t>(i)]; };
  for (Eigen::Index c = 0; c < b.cols(); ++c) {
    for (int i = 0; i < n; ++i) {
      S x = b(row(i), c);
      for (int k = 0; k < i; ++k) x = x - A(row(i), column(k)) * work(k, c);
      work(i, c) = x;
    }
    for (int i = n - 1; i >= 0; --i) {
      S x = work(i, c);
      for (int k = i + 1; k < n; ++k) x = x - A(row(i), column(k)) * work(k, c);
      work(i, c) = x / A(row(i), column(i));
    }
    for (int i = 0; i < n; ++i) b(column(i), c) = work(i, c);
  }
}

/// Solves A^T x = b from lu_factor's result: b in A's column order, x returned in b in A's row order.
template <class DerivedA, class DerivedB, class DerivedW>
void lu_solve_transposed(const Eigen::MatrixBase<DerivedA>& A, const PivotOrder& order, Eigen::MatrixBase<DerivedB>& b,
                         Eigen::MatrixBase<DerivedW>& work) {
  using S = typename DerivedA::Scalar;
  const int n = static_cast<int>(order.rows.size());
  const auto row = [&](int i) { return order.rows[static_cast<std::size_t>(i)]; };
  const auto column = [&](int i) { return order.columns[static_cast<std::size_t>(i)]; };
  for (Eigen::Index c = 0; c < b.cols(); ++c) {
    for (int i = 0; i < n; ++i) {
      S x = b(column(i), c);
      for (int k = 0; k < i; ++k) x = x - A(row(k), column(i)) * work(k, c);
      work(i, c) = x / A(row(i), column(i));
    }
    for (int i = n - 1; i >= 0; --i)
      for (int k = i + 1; k < n; ++k) work(i, c) = work(i, c) - A(row(k), column(i)) * work(k, c);
    for (int i = 0; i < n; ++i) b(row(i), c) = work(i, c);
  }
}

// compiled once for matrices of doubles, in src/spatial/linalg.cpp
#define GOUGH_LINALG(EXTERN)                                                                                       \
  EXTERN template double ldlt_factor(Eigen::MatrixBase<Eigen::MatrixXd>&);                                         \
  EXTERN template void ldlt_solve(const Eigen::MatrixBase<Eigen::MatrixXd>&, Eigen::MatrixBase<Eigen::MatrixXd>&); \
  EXTERN template double lu_factor(Eigen::MatrixBase<Eigen::MatrixXd>&, const PivotOrder&);                        \
  EXTERN template void lu_solve(const Eigen::MatrixBase<Eigen::MatrixXd>&, const PivotOrder&,                      \
                                Eigen::MatrixBase<Eigen::MatrixXd>&, Eigen::MatrixBase<Eigen::MatrixXd>&);         \
  EXTERN template void lu_solve_transposed(const Eigen::MatrixBase<Eigen::MatrixXd>&, const PivotOrder&,           \
                                           Eigen::MatrixBase<Eigen::MatrixXd>&, Eigen::MatrixBase<Eigen::MatrixXd>&);
GOUGH_LINALG(extern)

}  // namespace gough
