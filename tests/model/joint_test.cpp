/// Joints: the free motion of a kind, walked as a run in the tree, satisfies the equations of the same kind as a cut.
#include "gough/model/joint.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <random>

#include "decompositions.hpp"
#include "gough/kinematics/closure.hpp"

namespace gough::joint_test {

void PrintTo(JointKind kind, std::ostream* out) { *out << name(kind); }

namespace {

constexpr double length = 0.7;

std::vector<JointKind> all_kinds() {
  std::vector<JointKind> kinds;
  for (std::size_t i = 0; i < joint_kind_names.size(); ++i) kinds.push_back(static_cast<JointKind>(i));
  return kinds;
}

/// Random positions of one elementary joint: angles and lengths up to 1, any unit quaternion.
std::vector<double> random_position(Elementary type, std::mt19937& g) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> q(static_cast<std::size_t>(position_size(type)));
  for (double& x : q) x = uniform(g);
  if (type == Elementary::spherical || type == Elementary::free) {
    Eigen::Map<Eigen::Vector4d> unit(q.data() + q.size() - 4);
    for (double& x : unit) x = normal(g);
    unit.normalize();
  }
  return q;
}

using Positions = std::vector<std::vector<double>>;

Positions random_positions(const JointRun& run, std::mt19937& g) {
  Positions q;
  for (const Elementary type : run.joint) q.push_back(random_position(type, g));
  return q;
}

/// Frame B in frame A.
Transform<double> pose(const JointRun& run, const Positions& q) {
  Transform<double> X = run.offset[0];
  for (std::size_t i = 0; i < run.joint.size(); ++i) X = joint_pose(X, run.joint[i], q[i].data()) * run.offset[i + 1];
  return X;
}

class EveryKind : public testing::TestWithParam<JointKind> {
 protected:
  JointKind kind() const { return GetParam(); }
  JointRun run() const { return joint_run(kind(), length); }
};
INSTANTIATE_TEST_SUITE_P(Joint, EveryKind, testing::ValuesIn(all_kinds()),
                         [](const auto& of) { return std::string(name(of.param)); });

TEST_P(EveryKind, FreeMotionAndEquationsAddUpToSix) {
  int free = 0;
  for (const Elementary type : run().joint) free += velocity_size(type);
  EXPECT_EQ(free + static_cast<int>(cut_rows(kind()).size()), 6);
  EXPECT_EQ(coordinate_kinds(kind()).size(), static_cast<std::size_t>(free));
  EXPECT_EQ(run().offset.size(), run().joint.size() + 1);
}

TEST_P(EveryKind, FreeMotionSatisfiesTheEquations) {
  std::mt19937 g(1);
  for (int i = 0; i < 20; ++i) {
    const Transform<double> B = pose(run(), random_positions(run(), g));
    for (const CutRow& row : cut_rows(kind()))
      EXPECT_NEAR(row_value(row, Transform<double>(), B, length).phi, 0, 1e-14) << row.name();
  }
}

TEST_P(EveryKind, EquationsAreIndependent) {  // so they forbid everything but the free motion
  std::mt19937 g(2);
  const auto q = random_positions(run(), g);
  const Transform<double> B = pose(run(), q);
  Eigen::MatrixXd rows(cut_rows(kind()).size(), 6);
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    const Force<double> f =
        row_value(cut_rows(kind())[static_cast<std::size_t>(r)], Transform<double>(), B, length).wrench;
    rows.row(r) << f.moment.transpose(), f.force.transpose();
  }
  if (rows.rows() == 0) return;
  EXPECT_EQ(rank_of(rows), rows.rows());
}

TEST_P(EveryKind, FramesCoincideAtZeroExceptAtADistance) {
  Positions zero;
  for (const Elementary type : run().joint) {
    zero.emplace_back(static_cast<std::size_t>(position_size(type)), 0.0);
    if (position_size(type) >= 4) zero.back()[zero.back().size() - 4] = 1;
  }
  const Transform<double> B = pose(run(), zero);
  EXPECT_LT((B.R - Mat3<double>::Identity()).norm(), 1e-15);
  EXPECT_LT((B.p - Vec3<double>(0, 0, kind() == JointKind::distance ? length : 0)).norm(), 1e-15);
}

TEST_P(EveryKind, TheReversedRunIsTheInverse) {
  std::mt19937 g(3);
  auto q = random_positions(run(), g);
  const Transform<double> there = pose(run(), q);
  std::reverse(q.begin(), q.end());
  const JointRun back = reversed(run());
  for (std::size_t i = 0; i < back.joint.size(); ++i) {  // one-axis coordinates keep their value, turns are inverted
    if (position_size(back.joint[i]) < 4) continue;
    Eigen::Map<Eigen::Vector4d> unit(q[i].data() + q[i].size() - 4);
    const Mat3<double> R = rotation_from_quaternion(unit[0], unit[1], unit[2], unit[3]);
    unit.tail<3>() *= -1;
    if (back.joint[i] == Elementary::free) {
      Eigen::Map<Eigen::Vector3d> p(q[i].data());
      p = (-R.transpose() * p).eval();
    }
  }
  const Transform<double> round = there * pose(back, q);
  EXPECT_LT((round.R - Mat3<double>::Identity()).norm() + round.p.norm(), 1e-14);
}

TEST_P(EveryKind, ReversingTwiceChangesNothing) {
  std::mt19937 g(4);
  const auto q = random_positions(run(), g);
  const Transform<double> once = pose(run(), q), twice = pose(reversed(reversed(run())), q);
  EXPECT_LT((once.R - twice.R).norm() + (once.p - twice.p).norm(), 1e-14);
}

TEST(Joint, UniversalTurnsAboutTheParentsZThenTheChildsX) {
  const double a = 0.4, b = -0.9;
  const Transform<double> B = pose(joint_run(JointKind::universal, 0), {{a}, {b}});
  const Mat3<double> expected = Eigen::AngleAxisd(a, Vec3<double>::UnitZ()).toRotationMatrix() *
                                Eigen::AngleAxisd(b, Vec3<double>::UnitX()).toRotationMatrix();
  EXPECT_LT((B.R - expected).norm(), 1e-15);
}

TEST(Joint, PlanarSlidesAlongXAndYThenTurns) {
  const Transform<double> B = pose(joint_run(JointKind::planar, 0), {{0.3}, {-0.2}, {0.5}});
  EXPECT_LT((B.p - Vec3<double>(0.3, -0.2, 0)).norm(), 1e-15);
  EXPECT_LT((B.R - Eigen::AngleAxisd(0.5, Vec3<double>::UnitZ()).toRotationMatrix()).norm(), 1e-15);
}

TEST(Joint, CoordinatesOfLengthAreThoseThatSlide) {
  for (const JointKind kind : all_kinds()) {
    std::vector<bool> expected;
    for (const Elementary type : joint_run(kind, 1).joint) {
      if (type == Elementary::free) expected.insert(expected.end(), {true, true, true});
      if (velocity_size(type) == 1) expected.push_back(type == Elementary::prismatic);
      else if (velocity_size(type) > 1) expected.insert(expected.end(), {false, false, false});
    }
    std::vector<bool> is_length;
    for (const CoordinateKind& c : coordinate_kinds(kind)) is_length.push_back(c.is_length);
    EXPECT_EQ(is_length, expected) << name(kind);
  }
}

TEST(Joint, RowsHaveTheNameOfTheMotionTheyForbid) {
  // Move B a little along each of the six motions: only the row of that name answers, with slope one.
  const std::array<std::string, 6> motions = {"x", "y", "z", "rx", "ry", "rz"};
  const double h = 1e-6;
  for (const JointKind kind : all_kinds()) {
    if (kind == JointKind::distance) continue;
    for (std::size_t i = 0; i < 6; ++i) {
      Transform<double> B;
      if (i < 3) B.p[static_cast<Eigen::Index>(i)] = h;
      else B.R = rotation_from_vector<double>(Vec3<double>::Unit(static_cast<Eigen::Index>(i) - 3) * h);
      for (const CutRow& row : cut_rows(kind)) {
        const double slope = std::abs(row_value(row, Transform<double>(), B, 1.0).phi) / h;
        EXPECT_NEAR(slope, row.name() == motions[i] ? 1 : 0, 1e-5) << name(kind) << " " << row.name();  // h^2 / h
      }
    }
  }
}

}  // namespace
}  // namespace gough::joint_test
