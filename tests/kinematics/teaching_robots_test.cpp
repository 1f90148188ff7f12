/// Seven robots that textbooks teach with, each against its closure equations, which are solved here by hand: drives of a pose, rates of
/// the drives, and what the joints leave of the platform's freedom.
#include <gtest/gtest.h>

#include <numbers>

#include "kinematics/states.hpp"

namespace gough::teaching_robots_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;
constexpr double deg = pi / 180;
constexpr double exact = 1e-11;    // what the loops are closed to, times the gain of a well-conditioned pose
constexpr double of_rates = 1e-9;  // the same of solved linear equations

Vector3d polar(double radius, double azimuth_deg) {
  return {radius * std::cos(azimuth_deg * deg), radius * std::sin(azimuth_deg * deg), 0};
}

/// The joints at a pose, of which the task coordinates are read.
VecX<double> joints_at(const Mechanism<double>& m, const Transform<double>& X) {
  Workspace<double> w(m);
  const Answer answer = inverse_kinematics(m, X, w);
  EXPECT_TRUE(answer.ok()) << answer.explain();
  return w.q;
}

/// Platform twist (angular; linear) per rate of each drive.
MatX<double> twists_of_drives(const Mechanism<double>& m, const VecX<double>& q) {
  const Workspace<double> w = placed(m, q);
  const Selection s = select_driven(m, w, m.rank);
  ExplicitForm<double> e(m, s);
  explicit_form(w, s, e);
  MatX<double> J(6, m.nv);
  platform_jacobian(m, w, J);
  return J * e.G;
}

/// A robot at poses around home, and the drives that its equations ask for there.
class TeachingRobot : public testing::Test {
 protected:
  using Drives = std::function<VecX<double>(const Transform<double>&)>;

  /// Poses whose task coordinates differ from home's by up to `range`.
  static std::vector<Transform<double>> poses(const Mechanism<double>& m, const Vec6<double>& range) {
    std::vector<Transform<double>> all;
    for (unsigned seed = 1; seed <= 8; ++seed)
      all.push_back(pose_from_vector(pose_vector(home_pose(m)) + random_vector(6, seed).cwiseProduct(range)));
    return all;
  }

  /// Both ways: drives from the pose as `expected` says, and back to the pose from these.
  static void expect_drives(const Mechanism<double>& m, const Vec6<double>& range, const Drives& expected) {
    for (const Transform<double>& X : poses(m, range)) {
      SCOPED_TRACE(testing::Message() << "at " << pose_vector(X).transpose());
      const VecX<double> q = joints_at(m, X), drives = expected(X);
      EXPECT_LT((actuators_of(m, q) - drives).cwiseAbs().maxCoeff(), exact);
      Workspace<double> w(m);
      const Answer answer = forward_kinematics(m, drives, w);
      EXPECT_TRUE(answer.ok()) << answer.explain();
      EXPECT_LT(apart(platform_pose(m, placed(m, w.q)), platform_pose(m, placed(m, q))), 100 * exact);
    }
  }
};

Vec6<double> range(double x, double y, double z, double rx, double ry, double rz) {
  Vec6<double> r;
  r << x, y, z, rx, ry, rz;
  return r;
}

// ------------------------------------------------------------------------------------------------ 3-RPS

/// Lee and Shah: each ball stays in the plane across its hinge. With R of the tilts, R_01 = R_10 (no turn about the vertical, in rotation
/// vectors), x = r/2 (R_00 - R_11), y = -r R_10; the lengths are those from hinges to balls.
TEST_F(TeachingRobot, Rps3ShiftsByWhatItsHingesLeave) {
  const Mechanism<double>& m = shipped("rps3");
  constexpr double base = 0.24, r = 0.14;
  const auto whole = [&](const Transform<double>& X) {
    const Matrix3d R = X.R;
    return Vector3d(r / 2 * (R(0, 0) - R(1, 1)), -r * R(1, 0), X.p.z());
  };
  const Vec6<double> tilts = range(0, 0, 0.04, 0.3, 0.3, 0);
  expect_drives(m, tilts, [&](const Transform<double>& X) {
    VecX<double> lengths(3);
    for (int i = 0; i < 3; ++i) lengths[i] = (whole(X) + X.R * polar(r, 120 * i) - polar(base, 120 * i)).norm();
    return lengths;
  });
  for (const Transform<double>& X : poses(m, tilts)) {
    const Transform<double> found = platform_pose(m, placed(m, joints_at(m, X)));
    EXPECT_LT((found.p - whole(X)).norm(), exact);
    EXPECT_LT((found.R - X.R).norm(), exact) << "rz stays 0";
    for (int i = 0; i < 3; ++i) {
      const Vector3d ball = found.p + found.R * polar(r, 120 * i), tangent = polar(1, 120 * i + 90);
      EXPECT_NEAR(ball.dot(tangent), 0, exact) << "the ball's plane";
    }
  }
}

// ------------------------------------------------------------------------------------------------ Orthoglide

/// (L - q_i + p_i)^2 + p_j^2 + p_k^2 = L^2 for each slide i.
TEST_F(TeachingRobot, OrthoglidesBarsKeepTheirLength) {
  constexpr double L = 0.32;
  expect_drives(shipped("orthoglide"), range(0.1, 0.1, 0.1, 0, 0, 0), [](const Transform<double>& X) {
    VecX<double> slides(3);
    for (int i = 0; i < 3; ++i) slides[i] = L + X.p[i] - std::sqrt(L * L - X.p.squaredNorm() + X.p[i] * X.p[i]);
    return slides;
  });
}

/// At the centre the tool moves as fast as the slides, whatever the direction; elsewhere q_i' = (u_i . p') / u_ii with the bars' directions u.
TEST_F(TeachingRobot, OrthoglideIsIsotropicAtItsCentreAndNeverTurns) {
  const Mechanism<double>& m = shipped("orthoglide");
  constexpr double L = 0.32;
  const MatX<double> centre = twists_of_drives(m, m.home);
  EXPECT_LT((centre.bottomRows(3) - Matrix3d::Identity()).norm(), of_rates);
  for (const Transform<double>& X : poses(m, range(0.1, 0.1, 0.1, 0, 0, 0))) {
    Matrix3d rates;
    for (int i = 0; i < 3; ++i) {
      Vector3d bar = X.p;
      bar[i] = std::sqrt(L * L - X.p.squaredNorm() + X.p[i] * X.p[i]);
      rates.row(i) = bar / bar[i];
    }
    const MatX<double> G = twists_of_drives(m, joints_at(m, X));
    EXPECT_LT((rates * G.bottomRows(3) - Matrix3d::Identity()).norm(), of_rates);
    EXPECT_LT(G.topRows(3).norm(), of_rates);
  }
}

// ------------------------------------------------------------------------------------------------ Agile Eye

/// Axes of leg i at home, by cyclic permutation: the motor's, the elbow's and the camera's hinge.
struct EyeLeg {
  Vector3d motor, elbow, hinge;
  explicit EyeLeg(int i)
      : motor(Vector3d::Unit(i)), elbow(Vector3d::Unit((i + 1) % 3)), hinge(Vector3d::Unit((i + 2) % 3)) {}
  /// Where the elbow's axis stands when the motor has turned.
  Vector3d elbow_at(double angle) const { return elbow * std::cos(angle) + hinge * std::sin(angle); }
};

/// Gosselin and Hamel: the elbow's axis w_i = y cos q + z sin q stays across the hinge R z, so tan q = -(y . R z) / (z . R z).
TEST_F(TeachingRobot, AgileEyesElbowsStayAcrossTheCamerasHinges) {
  const Mechanism<double>& m = shipped("agile_eye");
  const auto motors = [](const Transform<double>& X) {
    VecX<double> angles(3);
    for (int i = 0; i < 3; ++i) {
      const EyeLeg leg(i);
      const Vector3d hinge = X.R * leg.hinge;
      angles[i] = std::atan2(-leg.elbow.dot(hinge), leg.hinge.dot(hinge));
    }
    return angles;
  };
  expect_drives(m, range(0, 0, 0, 0.6, 0.6, 0.6), motors);
  for (int i = 0; i < 3; ++i) {
    Vec6<double> turn = Vec6<double>::Zero();
    turn[3 + i] = 0.7;
    const VecX<double> a = actuators_of(m, joints_at(m, pose_from_vector(turn)));
    EXPECT_LT((a - 0.7 * VecX<double>::Unit(3, i)).norm(), exact) << "about a motor's axis that motor turns alone";
  }
}

TEST_F(TeachingRobot, AgileEyeIsIsotropicAtHomeAndTurnsAboutItsCentre) {
  const Mechanism<double>& m = shipped("agile_eye");
  EXPECT_LT((twists_of_drives(m, m.home).topRows(3) - Matrix3d::Identity()).norm(), of_rates);
  for (const Transform<double>& X : poses(m, range(0, 0, 0, 0.6, 0.6, 0.6))) {
    const VecX<double> q = joints_at(m, X), a = actuators_of(m, q);
    Matrix3d of_motors = Matrix3d::Zero(), of_camera;  // q_i' (u x w) . v = -(v x w) . omega, from w . v = 0
    for (int i = 0; i < 3; ++i) {
      const EyeLeg leg(i);
      const Vector3d w = leg.elbow_at(a[i]), v = X.R * leg.hinge;
      of_motors(i, i) = leg.motor.cross(w).dot(v);
      of_camera.row(i) = w.cross(v);
    }
    const MatX<double> G = twists_of_drives(m, q);
    EXPECT_LT((of_camera * G.topRows(3) - of_motors).norm(), of_rates);
    EXPECT_LT(G.bottomRows(3).norm(), of_rates);
  }
}

/// Bonev, Chablat and Wenger 2006: eight orientations belong to three motor angles. In four of them every hinge lies along its motor's axis,
/// whatever the angles are.
TEST_F(TeachingRobot, AgileEyeHasEightAssemblyModesOfWhichFourAreTrivial) {
  const Mechanism<double>& m = shipped("agile_eye");
  for (const Vector3d& angles : {Vector3d(0.2, 0.3, -0.2), Vector3d(-0.4, 0.1, 0.5)}) {
    const AllPostures all = all_forward_kinematics(m, angles);
    EXPECT_EQ(all.postures.size(), 8U);
    int trivial = 0;
    for (const Posture& p : all.postures) {
      const Matrix3d R = platform_pose(m, placed(m, p.q)).R;
      double along = 1;
      for (int i = 0; i < 3; ++i) {
        const EyeLeg leg(i);
        EXPECT_NEAR(leg.elbow_at(angles[i]).dot(R * leg.hinge), 0, exact);
        along = std::min(along, std::abs(leg.motor.dot(R * leg.hinge)));
      }
      trivial += along > 1 - 1e-9 ? 1 : 0;
    }
    EXPECT_EQ(trivial, 4);
  }
}

// ------------------------------------------------------------------------------------------------ Par4

/// The halves keep their orientation, and the bar that carries the tool says where they are; then each arm is a planar problem:
/// with c from the motor to the rods' end, in the leg's frame, |c - a (cos q, 0, -sin q)| = l, that is
/// c_x cos q - c_z sin q = (|c|^2 + a^2 - l^2) / 2a.
TEST_F(TeachingRobot, Par4sArmsReachTheHalvesOfItsPlate) {
  constexpr double base = 0.20, arm = 0.28, rod = 0.60, plate = 0.09;
  const Vector3d hinge(0.05, 0.05, 0),
      tool(-0.04, 0.04, 0);  // of the tool's bar, in its own frame; its place in the halves' frame
  expect_drives(shipped("par4"), range(0.1, 0.1, 0.06, 0, 0, 0.5), [&](const Transform<double>& X) {
    VecX<double> motors(4);
    for (int i = 0; i < 4; ++i) {
      const double half = i < 2 ? 1 : -1;
      const Vector3d centre = X.p + X.R * (half * hinge) - (half * hinge + tool);
      const Vector3d out = polar(1, 90 * i), c = centre + (plate - base) * out;
      const double x = c.dot(out), reach = std::hypot(x, c.z());
      motors[i] = -std::atan2(c.z(), x) -
                  std::acos((c.squaredNorm() + arm * arm - rod * rod) / (2 * arm * reach));  // elbow outwards
    }
    return motors;
  });
}

TEST_F(TeachingRobot, Par4ShiftsAndTurnsAboutTheVerticalOnly) {
  const Mechanism<double>& m = shipped("par4");
  for (const Transform<double>& X : poses(m, range(0.1, 0.1, 0.06, 0, 0, 0.5))) {
    const MatX<double> G = twists_of_drives(m, joints_at(m, X));
    EXPECT_LT(G.topRows(2).norm(), of_rates);
    EXPECT_GT(std::abs(G.bottomRows(4).determinant()), 1e-3) << "four freedoms, four drives";
  }
}

// ------------------------------------------------------------------------------------------------ palletizer

/// Two links in the vertical plane of the column: the upper arm at the shoulder's angle from the vertical, the forearm parallel to the crank
/// that lift turns. Law of cosines, elbow up. The gripper keeps level.
TEST_F(TeachingRobot, PalletizerIsTwoLinksOnATurningColumn) {
  const Mechanism<double>& m = shipped("palletizer");
  constexpr double upper = 0.55, fore = 0.60;
  const Vec6<double> around = range(0.15, 0.4, 0.2, 0, 0, 1);
  expect_drives(m, around, [](const Transform<double>& X) {
    const double out = std::hypot(X.p.x(), X.p.y()) - 0.15 - 0.10, up = X.p.z() + 0.15 - 0.45;
    const double d = std::hypot(out, up), direction = std::atan2(up, out), turn = std::atan2(X.p.y(), X.p.x());
    const double at_shoulder = std::acos((d * d + upper * upper - fore * fore) / (2 * d * upper)),
                 at_wrist = std::acos((d * d + fore * fore - upper * upper) / (2 * d * fore));
    VecX<double> drives(4);
    drives << turn, pi / 2 - (direction + at_shoulder), at_wrist - direction, pose_vector(X)[5] - turn;
    return drives;
  });
  for (const Transform<double>& X : poses(m, around)) {
    const VecX<double> q = joints_at(m, X);
    EXPECT_NEAR(platform_pose(m, placed(m, q)).R(2, 2), 1, exact) << "level";
    EXPECT_LT(twists_of_drives(m, q).topRows(2).norm(), of_rates);
  }
}

// ------------------------------------------------------------------------------------------------ 3-UPU

TEST_F(TeachingRobot, Upu3sLegsAreAsLongAsFromTriangleToTriangle) {
  const Mechanism<double>& m = shipped("upu3");
  const Vec6<double> around = range(0.08, 0.08, 0.05, 0, 0, 0);
  const auto leg = [](const Vector3d& p, int i) -> Vector3d { return p + polar(0.07, 120 * i) - polar(0.26, 120 * i); };
  expect_drives(m, around, [&](const Transform<double>& X) {
    VecX<double> lengths(3);
    for (int i = 0; i < 3; ++i) lengths[i] = leg(X.p, i).norm();
    return lengths;
  });
  for (const Transform<double>& X : poses(m, around)) {
    Matrix3d directions;
    for (int i = 0; i < 3; ++i) directions.row(i) = leg(X.p, i).normalized();
    const MatX<double> G = twists_of_drives(m, joints_at(m, X));
    EXPECT_LT((directions * G.bottomRows(3) - Matrix3d::Identity()).norm(), of_rates);
    EXPECT_LT(G.topRows(3).norm(), of_rates) << "pure translation";
  }
}

/// Tsai's condition: an axis on the platform that is one degree off its counterpart on the base makes the platform turn as it shifts.
TEST_F(TeachingRobot, Upu3TurnsWhereAnAxisIsOff) {
  const std::string straight = "platform: {polar: [0.07, 0 deg, 0]}",
                    off = "platform: {polar: [0.07, 0 deg, 0], rpy: [0, 0, 1 deg]}";
  ASSERT_NE(robot_text("upu3").find(straight), std::string::npos);
  const Prepared twisted = prepared_from(with(robot_text("upu3"), straight, off));
  ASSERT_TRUE(twisted.home.assembly.closed);
  EXPECT_EQ(twisted.mechanism.nv - twisted.mechanism.rank, 3);
  EXPECT_GT(twists_of_drives(twisted.mechanism, twisted.mechanism.home).topRows(3).norm(), 0.1) << "rad/m";
}

// ------------------------------------------------------------------------------------------------ hexaglide

struct Glide {
  double rail, ball;  ///< y of the rail [m], azimuth of the ball on the platform [deg]
  int side;           ///< the carriage is in front of its ball (1) or behind it (-1)

  Vector3d arm(const Matrix3d& R) const { return R * polar(0.12, ball); }
  /// From the carriage to the ball: the rail is the x axis at y = rail.
  Vector3d strut(const Transform<double>& X) const {
    const Vector3d b = X.p + arm(X.R);
    const double y = b.y() - rail;
    return {-side * std::sqrt(0.75 * 0.75 - y * y - b.z() * b.z()), y, b.z()};
  }
};
constexpr std::array<Glide, 6> glides = {
    {{0.40, 10, 1}, {0.40, 150, -1}, {0.10, 70, -1}, {-0.10, -70, -1}, {-0.40, -150, -1}, {-0.40, -10, 1}}};

/// (B_x - q)^2 + (B_y - y)^2 + B_z^2 = l^2, and the side of its ball where the carriage stands at home.
TEST_F(TeachingRobot, HexaglidesCarriagesAreRootsOfQuadratics) {
  const Mechanism<double>& m = shipped("hexaglide");
  const Vec6<double> around = range(0.08, 0.08, 0.05, 0.2, 0.2, 0.2);
  expect_drives(m, around, [](const Transform<double>& X) {
    VecX<double> carriages(6);
    for (int i = 0; i < 6; ++i) {
      const Glide& g = glides[static_cast<std::size_t>(i)];
      carriages[i] = (X.p + g.arm(X.R) - g.strut(X)).x();
    }
    return carriages;
  });
  for (const Transform<double>& X : poses(m, around)) {
    MatX<double> rates(6, 6);  // u_x q' = u . (p' + omega x arm)
    for (int i = 0; i < 6; ++i) {
      const Glide& g = glides[static_cast<std::size_t>(i)];
      const Vector3d u = g.strut(X) / g.strut(X).x();
      rates.row(i) << g.arm(X.R).cross(u).transpose(), u.transpose();
    }
    EXPECT_LT((rates * twists_of_drives(m, joints_at(m, X)) - MatX<double>::Identity(6, 6)).norm(), of_rates);
  }
}

}  // namespace
}  // namespace gough::teaching_robots_test
