#include "gough/spatial/spatial.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "gough/scalar/dual.hpp"
#include "gough/spatial/linalg.hpp"

namespace gough::spatial_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d random_vector(std::mt19937& g) {
  std::uniform_real_distribution<double> u(-1, 1);
  return {u(g), u(g), u(g)};
}
Transform<double> random_pose(std::mt19937& g) {
  return {rotation_from_vector<double>(random_vector(g) * 2), random_vector(g)};
}

TEST(Spatial, PowerDoesNotDependOnTheFrame) {
  std::mt19937 g(1);
  const Transform<double> X = random_pose(g);
  const Motion<double> v{random_vector(g), random_vector(g)};
  const Force<double> f{random_vector(g), random_vector(g)};
  EXPECT_NEAR(power(f, v), power(X * f, X * v), 1e-14);
  EXPECT_NEAR(power(f, v), power(X.from_outside(f), X.from_outside(v)), 1e-14);
  EXPECT_NEAR(power(f, v), power(f, X.from_outside(X * v)), 1e-14);
}

TEST(Spatial, MotionOfAPointAgreesWithTheRigidBodyFormula) {
  std::mt19937 g(2);
  const Transform<double> X = random_pose(g);
  const Motion<double> v{random_vector(g), random_vector(g)};
  const Vector3d x = random_vector(g);
  const Vector3d inside = v.linear + v.angular.cross(x);  // velocity of point x, in B
  const Motion<double> w = X * v;
  const Vector3d outside = w.linear + w.angular.cross(X * x);  // the same point, in A
  EXPECT_LT((X.R * inside - outside).norm(), 1e-14);
}

TEST(Spatial, InertiaMovesLikeACloudOfPoints) {
  std::mt19937 g(3);
  const Transform<double> X = random_pose(g);
  Inertia<double> in_b, in_a;
  for (int i = 0; i < 5; ++i) {
    const Vector3d at = random_vector(g);
    in_b = in_b + inertia_about_origin<double>(1.0 + i, at, Matrix3d::Zero());
    in_a = in_a + inertia_about_origin<double>(1.0 + i, X * at, Matrix3d::Zero());
  }
  const Inertia<double> moved = X * in_b;
  EXPECT_NEAR(moved.mass, in_a.mass, 1e-14);
  EXPECT_LT((moved.first - in_a.first).norm(), 1e-13);
  EXPECT_LT((moved.second - in_a.second).norm(), 1e-12);
}

TEST(Spatial, InertialForceIsNewtonAndEulerAboutTheCentreOfMass) {
  std::mt19937 g(4);
  const double m = 2.5;
  const Vector3d com = random_vector(g);
  const Matrix3d J = Vector3d(0.3, 0.4, 0.5).asDiagonal();
  const Motion<double> v{random_vector(g), random_vector(g)}, a{random_vector(g), random_vector(g)};
  const Force<double> f = inertial_force(inertia_about_origin<double>(m, com, J), v, a);
  // a.linear is the spatial acceleration: the origin's acceleration is a.linear + w x v.linear
  const Vector3d origin = a.linear + v.angular.cross(v.linear);
  const Vector3d acceleration = origin + a.angular.cross(com) + v.angular.cross(v.angular.cross(com));
  const Vector3d moment = J * a.angular + v.angular.cross(J * v.angular) + com.cross(m * acceleration);
  EXPECT_LT((f.force - m * acceleration).norm(), 1e-13);
  EXPECT_LT((f.moment - moment).norm(), 1e-13);
}

TEST(Spatial, RotationVectorGoesThereAndBack) {
  std::mt19937 g(5);
  for (const double size : {0.0, 1e-12, 1e-6, 1e-3, 0.5, 3.0}) {
    const Vector3d r = random_vector(g).normalized() * size;
    EXPECT_LT((vector_from_rotation(rotation_from_vector<double>(r)) - r).norm(), 4e-15 + 1e-15 * size) << size;
  }
}

TEST(Spatial, DerivativeOfTheExponentialIsFiniteAtZero) {
  using D = Dual<double>;
  const Vec3<D> r(D::variable(0.0), D(0.0), D(0.0));
  const Mat3<D> R = rotation_from_vector<D>(r);
  EXPECT_DOUBLE_EQ(R(2, 1).d[0], 1.0);
  EXPECT_DOUBLE_EQ(R(1, 2).d[0], -1.0);
  EXPECT_DOUBLE_EQ(R(0, 0).d[0], 0.0);
}

TEST(Spatial, RpyTurnsAboutFixedAxes) {
  const double r = 0.3, p = -0.5, y = 1.1;
  const auto x = rotation_from_vector<double>({r, 0, 0}), yy = rotation_from_vector<double>({0, p, 0}),
             z = rotation_from_vector<double>({0, 0, y});
  EXPECT_LT((rotation_from_rpy({r, p, y}) - z * yy * x).norm(), 1e-15);
  EXPECT_EQ(rotation_from_rpy({M_PI / 2, 0, 0})(1, 1), 0.0) << "a right angle has exact zeros";
}

TEST(Spatial, RotationToAxisIsARotation) {
  std::mt19937 g(6);
  std::vector<Vector3d> axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  for (int i = 0; i < 5; ++i) axes.push_back(random_vector(g));
  for (const double off : {1e-3, 1e-5, 1e-7, -1e-7})  // nearly up, nearly down
    for (const double z : {1.0, -1.0}) axes.emplace_back(off, -2 * off, z);
  for (const Vector3d& axis : axes) {
    const Matrix3d R = rotation_to_axis(axis);
    EXPECT_LT((R * Vector3d::UnitZ() - axis.normalized()).norm(), 1e-15) << axis.transpose();
    EXPECT_LT((R * R.transpose() - Matrix3d::Identity()).norm(), 1e-14) << axis.transpose();
    EXPECT_NEAR(R.determinant(), 1.0, 1e-14);
  }
}

TEST(Linalg, LdltSolvesWhatEigenSolves) {
  std::mt19937 g(7);
  for (int n = 1; n <= 8; ++n) {
    Eigen::MatrixXd B = Eigen::MatrixXd::Random(n, n), b = Eigen::MatrixXd::Random(n, 2);
    const Eigen::MatrixXd A = B * B.transpose() + Eigen::MatrixXd::Identity(n, n);
    Eigen::MatrixXd F = A, x = b;
    EXPECT_GT(ldlt_factor(F), 0.0);
    ldlt_solve(F, x);
    EXPECT_LT((A * x - b).norm(), 1e-12);
  }
}

TEST(Linalg, LuSolvesInAnyGivenOrderAndReportsItsSmallestPivot) {
  Eigen::MatrixXd A(3, 3);
  A << 0, 2, 1, 3, 0, 1, 1, 1, 0;
  const std::vector<int> rows = {1, 0, 2}, columns = {0, 1, 2};
  Eigen::MatrixXd F = A, b(3, 1), work(3, 1);
  b << 1, 2, 3;
  const double pivot = lu_factor(F, {rows, columns});
  lu_solve(F, {rows, columns}, b, work);
  EXPECT_LT((A * b - Eigen::Vector3d(1, 2, 3)).norm(), 1e-14);
  EXPECT_NEAR(pivot, 5.0 / 6.0, 1e-15) << "pivots by hand: 3, 2, -5/6";
}

}  // namespace
}  // namespace gough::spatial_test
