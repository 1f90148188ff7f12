/// Orientations as people write them: each form against a product of elementary turns by Eigen, there and back, and at
/// the places where it is not unique.
#include "gough/spatial/rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <random>

#include "gough/kinematics/motion.hpp"
#include "gough/scalar/dual.hpp"

namespace gough::rotation_test {
namespace {

using Eigen::AngleAxisd;
using std::numbers::pi;
using D = Dual<double>;
using DD = Dual<D>;
using V3 = Vec3<double>;

Mat3<double> turn(int axis, double angle) { return AngleAxisd(angle, Vec3<double>::Unit(axis)).toRotationMatrix(); }

Mat3<double> random_rotation(std::mt19937& g) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(g), normal(g), normal(g), normal(g)).normalized().toRotationMatrix();
}

double apart(const Mat3<double>& a, const Mat3<double>& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(Rotation, CardanAnglesAreTurnsAboutMovingXYZ) {
  std::mt19937 g(1);
  std::uniform_real_distribution<double> angle(-3, 3);
  for (int i = 0; i < 50; ++i) {
    const double a = angle(g), b = angle(g), c = angle(g);
    EXPECT_LT(apart(rotation_from_cardan<double>({a, b, c}), turn(0, a) * turn(1, b) * turn(2, c)), 1e-15);
  }
}

TEST(Rotation, EulerAnglesAreTurnsAboutMovingZXZ) {
  std::mt19937 g(2);
  std::uniform_real_distribution<double> angle(-3, 3);
  for (int i = 0; i < 50; ++i) {
    const double a = angle(g), b = angle(g), c = angle(g);
    EXPECT_LT(apart(rotation_from_euler<double>({a, b, c}), turn(2, a) * turn(0, b) * turn(2, c)), 1e-15);
  }
}

TEST(Rotation, EveryFormComesBackToTheSameMatrix) {
  std::mt19937 g(3);
  for (int i = 0; i < 200; ++i) {
    const Mat3<double> R = random_rotation(g);
    EXPECT_LT(apart(rotation_from_cardan<double>(cardan_from_rotation(R)), R), 1e-14);
    EXPECT_LT(apart(rotation_from_euler<double>(euler_from_rotation(R)), R), 1e-14);
    EXPECT_LT(apart(rotation_from_quaternion(quaternion_from_rotation(R)), R), 1e-14);
    EXPECT_LT(apart(rotation_from_vector<double>(vector_from_rotation(R)), R), 1e-14);
    EXPECT_LT(apart(rotation_from_vector<double>(rotation_vector<double>(R)), R), 1e-11);  // worse next to half a turn
  }
}

TEST(Rotation, AnglesInTheUniqueRangeComeBackThemselves) {
  std::mt19937 g(4);
  std::uniform_real_distribution<double> any(-3.1, 3.1), cardan(-1.5, 1.5), euler(0.05, 3.1);
  for (int i = 0; i < 100; ++i) {
    const Vec3<double> c(any(g), cardan(g), any(g)), e(any(g), euler(g), any(g));
    EXPECT_LT((cardan_from_rotation(rotation_from_cardan(c)) - c).norm(), 1e-13);  // 1 / cos(1.5) = 14
    EXPECT_LT((euler_from_rotation(rotation_from_euler(e)) - e).norm(), 1e-13);
  }
}

TEST(Rotation, AnglesAtTheirSingularityStillGiveTheMatrix) {
  for (const double c : {-2.0, 0.0, 0.3, 2.5})
    for (const double a : {-1.0, 0.0, 0.7}) {
      for (const double b : {pi / 2, -pi / 2}) {
        const Mat3<double> R = turn(0, a) * turn(1, b) * turn(2, c);
        EXPECT_LT(apart(rotation_from_cardan<double>(cardan_from_rotation(R)), R), 1e-11);
      }
      for (const double b : {0.0, pi}) {
        const Mat3<double> R = turn(2, a) * turn(0, b) * turn(2, c);
        EXPECT_LT(apart(rotation_from_euler<double>(euler_from_rotation(R)), R), 1e-11);
      }
    }
}

TEST(Rotation, AnglesNextToTheirSingularityStillGiveTheMatrix) {
  for (const double near : {1e-3, 1e-6, 1e-9, 1e-11, 1e-13})
    for (const double a : {-1.0, 0.7}) {
      const Mat3<double> cardan = turn(0, a) * turn(1, pi / 2 - near) * turn(2, 0.4);
      EXPECT_LT(apart(rotation_from_cardan<double>(cardan_from_rotation(cardan)), cardan), 1e-11) << near;
      const Mat3<double> euler = turn(2, a) * turn(0, near) * turn(2, 0.4);
      EXPECT_LT(apart(rotation_from_euler<double>(euler_from_rotation(euler)), euler), 1e-11) << near;
    }
}

TEST(Rotation, CardanRatesGiveTheAngularVelocity) {
  std::mt19937 g(5);
  std::uniform_real_distribution<double> angle(-2, 2);
  for (int i = 0; i < 20; ++i) {
    const Vec3<double> x(angle(g), angle(g), angle(g)), rate(angle(g), angle(g), angle(g));
    Vec3<D> moving;
    for (int k = 0; k < 3; ++k) {
      moving[k].value = x[k];
      moving[k].d[0] = rate[k];
    }
    const Mat3<D> R = rotation_from_cardan(moving);
    const Mat3<double> W =
        R.unaryExpr([](const D& y) { return y.d[0]; }) * R.unaryExpr([](const D& y) { return y.value; }).transpose();
    const Vec3<double> w(W(2, 1), W(0, 2), W(1, 0));
    EXPECT_LT((cardan_rates(x) * rate - w).norm(), 1e-14);
  }
}

TEST(Rotation, VectorsAreAxisTimesAngleUpToHalfATurn) {
  const Vec3<double> axis = Vec3<double>(1, -2, 0.5).normalized();
  for (const double angle : {0.0, 1e-12, 1e-9, 1e-6, 1e-4, 0.1, 1.0, 3.0, pi - 1e-6, pi - 1e-9}) {
    const Mat3<double> R = AngleAxisd(angle, axis).toRotationMatrix();
    EXPECT_LT((vector_from_rotation(R) - axis * angle).norm(), 1e-14) << angle;
    EXPECT_LT(apart(rotation_from_vector<double>(axis * angle), R), 1e-15) << angle;
  }
  const Mat3<double> half = AngleAxisd(pi, axis).toRotationMatrix();
  EXPECT_NEAR(std::abs(vector_from_rotation(half).dot(axis)), pi, 1e-14) << "either sense of half a turn";
}

TEST(Rotation, TheVectorBySelectionAgreesAwayFromHalfATurn) {
  const Vec3<double> axis = Vec3<double>(-1, 0.3, 0.5).normalized();
  for (const double angle : {0.0, 1e-9, 1e-6, 4e-5, 6e-5, 1e-3, 0.1, 1.0, 2.0, 3.0})
    EXPECT_LT((rotation_vector<double>(AngleAxisd(angle, axis).toRotationMatrix()) - axis * angle).norm(), 1e-13)
        << angle;
}

TEST(Rotation, TheDerivativeOfTheVectorBySelectionIsRightAtZero) {
  for (const double angle : {0.0, 1e-7, 1e-3}) {  // R(t) = exp((angle + t) e): the vector's rate is e
    const Vec3<double> e = Vec3<double>(0.6, 0, 0.8);
    Vec3<D> r;
    for (int k = 0; k < 3; ++k) {
      r[k].value = e[k] * angle;
      r[k].d[0] = e[k];
    }
    const Vec3<D> back = rotation_vector<D>(rotation_from_vector(r));
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(back[k].d[0], e[k], 1e-10) << angle;
  }
}

TEST(Rotation, AQuaternionNeedNotBeNormalisedToMeanItsRotation) {
  const Mat3<double> R = turn(2, 0.8) * turn(0, -0.3);
  const Eigen::Vector4d unit = quaternion_from_rotation(R);
  EXPECT_GE(unit[0], 0);
  EXPECT_NEAR(unit.norm(), 1, 1e-15);
  EXPECT_LT(apart(rotation_from_quaternion(Eigen::Vector4d(unit * -3)), R), 1e-15);
}

// ------------------------------------------------------------------------------------------------ rotation vectors

V3 random_vector(std::mt19937& g, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  return {uniform(g), uniform(g), uniform(g)};
}

/// The vector of a skew matrix.
V3 vee(const Mat3<double>& W) { return V3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1)) / 2; }

/// w and w' of R(r + r' t + r'' t^2/2) from R' and R'' by nested dual numbers: [w]x = R' R^T.
VectorRates by_duals(const V3& r, const V3& dr, const V3& ddr) {
  Vec3<DD> x;
  for (Eigen::Index i = 0; i < 3; ++i) {
    x[i].value.value = r[i];
    x[i].value.d[0] = x[i].d[0].value = dr[i];
    x[i].d[0].d[0] = ddr[i];
  }
  const Mat3<DD> R = rotation_from_vector<DD>(x);
  const auto part = [&](auto pick) {
    return Mat3<double>(R.unaryExpr([&](const DD& e) -> double { return pick(e); }));
  };
  const Mat3<double> R0 = part([](const DD&e) { return e.value.value; }),
                     R1 = part([](const DD&e) { return e.d[0].value; }),
                     R2 = part([](const DD&e) { return e.d[0].d[0]; });
  return {vee(R1 * R0.transpose()), vee(R2 * R0.transpose() + R1 * R1.transpose())};
}

TEST(RotationVectorRates, AreTheDerivativesOfTheRotationAtEverySize) {
  std::mt19937 g(1);
  for (const double size : {1e-9, 1e-4, 0.02, 0.3, 0.9, 1.2, 3.0, 8.0})
    for (int i = 0; i < 20; ++i) {
      const V3 r = random_vector(g, size), dr = random_vector(g, 1), ddr = random_vector(g, 1);
      const VectorRates rates = angular_rates(r, {dr, ddr}), expected = by_duals(r, dr, ddr);
      EXPECT_LT((rates.first - expected.first).norm(), 1e-11) << size;
      // next to its series' end (|r| = 1e-3) the dual numbers' exponential loses eps / |r|^2 in second derivatives
      EXPECT_LT((rates.second - expected.second).norm(), 1e-8) << size;
    }
}

TEST(RotationVectorRates, AreContinuousWhereTheSeriesEnds) {
  const V3 axis = V3(1, -2, 0.5).normalized(), dr(0.3, 0.1, -0.7), ddr(1, 2, 3);
  const VectorRates below = angular_rates(axis * (1 - 1e-15), {dr, ddr}),
                    above = angular_rates(axis * (1 + 1e-15), {dr, ddr});
  EXPECT_LT((below.first - above.first).norm(), 1e-14);
  EXPECT_LT((below.second - above.second).norm(), 1e-13);
}

TEST(RotationVectorRates, ComeBackFromAngularRates) {
  std::mt19937 g(2);
  for (const double size : {0.0, 1e-6, 0.5, 1.7}) {  // |r| < 3: T's determinant stays above 0.1
    const V3 r = random_vector(g, size), dr = random_vector(g, 1), ddr = random_vector(g, 1);
    const VectorRates back = rotation_vector_rates(r, angular_rates(r, {dr, ddr}));
    EXPECT_LT((back.first - dr).norm(), 1e-13);
    EXPECT_LT((back.second - ddr).norm(), 1e-12);
  }
}

TEST(RotationVectorRates, TheNearestVectorHasTheSameRotation) {
  std::mt19937 g(3);
  for (int i = 0; i < 50; ++i) {
    const V3 r = random_vector(g, 4), other = random_vector(g, 10);
    const V3 near = nearest_rotation_vector(r, other);
    EXPECT_LT((rotation_from_vector<double>(near) - rotation_from_vector<double>(r)).norm(), 1e-13);
    EXPECT_LE((near - other).norm(), (r - other).norm() + 1e-12);
  }
  EXPECT_LT((nearest_rotation_vector(V3::Zero(), V3(0, 0, 6)) - V3(0, 0, 2 * pi)).norm(), 1e-14);
  EXPECT_EQ(nearest_rotation_vector(V3::Zero(), V3::Zero()), V3(V3::Zero()));
}

}  // namespace
}  // namespace gough::rotation_test
