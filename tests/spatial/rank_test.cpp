/// The library's singular values beside Eigen's by one-sided Jacobi rotations.
#include "gough/spatial/rank.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

#include "decompositions.hpp"

namespace gough::rank_test {
namespace {

struct Kind {
  const char* name;
  std::function<MatX<double>(int rows, int columns, std::mt19937&)> make;
};

MatX<double> random_matrix(int rows, int columns, std::mt19937& g) {
  std::uniform_real_distribution<double> u(-1, 1);
  return MatX<double>::NullaryExpr(rows, columns, [&] { return u(g); });
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"full rank", random_matrix},
      {"rank one", [](int m, int n, auto& g) { return MatX<double>(random_matrix(m, 1, g) * random_matrix(1, n, g)); }},
      {"equal values", [](int m, int n, auto&) { return MatX<double>(MatX<double>::Identity(m, n)); }},
      {"entries -2 .. 2",
       [](int m, int n, auto& g) {
         const MatX<double> A = 3 * random_matrix(m, n, g);
         return MatX<double>(A.cast<int>().cast<double>());
       }},
      {"a row and a column of zeros",
       [](int m, int n, auto& g) {
         MatX<double> A = random_matrix(m, n, g);
         A.row(m / 2).setZero();
         A.col(n - 1).setZero();
         return A;
       }},
      {"tiny", [](int m, int n, auto& g) { return MatX<double>(1e-250 * random_matrix(m, n, g)); }},
      {"huge", [](int m, int n, auto& g) { return MatX<double>(1e250 * random_matrix(m, n, g)); }},
      {"graded", [](int m, int n, auto& g) {
         MatX<double> A = random_matrix(m, n, g);
         for (int i = 0; i < m; ++i) A.row(i) *= std::pow(10.0, -i);
         return A;
       }}};
  return all;
}

TEST(SingularValues, AreThoseOfJacobiRotations) {
  std::mt19937 g(1);
  for (const Kind& kind : kinds())
    for (const int m : {1, 2, 3, 7, 24})
      for (const int n : {1, 2, 5, 7, 30}) {
        const MatX<double> A = kind.make(m, n, g);
        const double scale = A.cwiseAbs().maxCoeff();
        const auto [s, V] = singular_values(A);
        ASSERT_EQ(s.size(), std::min(m, n));
        EXPECT_LT((V.transpose() * V - MatX<double>::Identity(n, n)).norm(), 1e-13) << kind.name << m << " x " << n;
        if (scale == 0) {
          EXPECT_EQ(s.norm(), 0);
          continue;
        }
        const MatX<double> unit = A / scale;
        const VecX<double> expected = svd_of(unit).s;
        EXPECT_LT((s / scale - expected).cwiseAbs().maxCoeff(), 2e-14 * expected[0]) << kind.name << m << " x " << n;
        MatX<double> squares = congruence(unit.transpose() * unit, V);  // V's columns belong to s, in this order
        squares.diagonal().head(s.size()) -= expected.array().square().matrix();
        EXPECT_LT(squares.cwiseAbs().maxCoeff(), 4e-14 * expected[0] * expected[0]) << kind.name << m << " x " << n;
      }
}

TEST(SingularValues, OfNumbersThatAreNoneAreNone) {
  MatX<double> A = MatX<double>::Ones(3, 4);
  A(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(singular_values(A).s.array().isNaN().all());
  A(1, 2) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(singular_values(A).s.array().isNaN().all());
}

TEST(Congruences, AreTheProductsTheyStandFor) {
  std::mt19937 g(2);
  const MatX<double> A = random_matrix(5, 5, g), W = random_matrix(5, 3, g);
  const VecX<double> a = A.col(0);
  EXPECT_LT((congruence(A, W) - W.transpose() * (A * W)).norm(), 1e-14);
  EXPECT_LT((diagonal_congruence(a, W) - congruence(a.asDiagonal(), W)).norm(), 1e-14);
}

}  // namespace
}  // namespace gough::rank_test
