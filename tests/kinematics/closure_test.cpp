/// The loops' equations: exact derivatives, no comparison of scalars, no allocation, no stale reads.
#include "gough/kinematics/closure.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <limits>
#include <random>

#include "allocations.hpp"
#include "decompositions.hpp"
#include "gough/spatial/linalg.hpp"
#include "robots.hpp"
#include "scalar/no_compare.hpp"

namespace gough::closure_test {
namespace {

using D = Dual<double>;

/// Every kind of cut joint, between bodies that a tree of every elementary joint carries.
const std::string every_cut = R"(
robot: every_cut
bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}, d: {mass: 1}}
joints:
  free: {type: free, parent: base, child: a, origin: {xyz: [0.1, 0.2, 0.3], rpy: [0.1, 0.2, 0.3]}, child_origin: {xyz: [0.1, 0, 0], rpy: [1, 0, 0]}}
  ball: {type: spherical, parent: base, child: b, cut: false, origin: {rpy: [0.5, 0, 0]}}
  slide: {type: prismatic, parent: b, child: c, cut: false, origin: {xyz: [0, 0.2, 0]}, axis: [1, 2, 3]}
  pin: {type: revolute, parent: d, child: a, cut: false, origin: {xyz: [0.2, 0, 0.1]}, axis: [0, 1, 1]}
  fixed: {type: fixed, parent: a, child: c, cut: true, origin: {xyz: [0.3, 0.1, 0.2], rpy: [0.3, 0.2, 0.1]}}
  revolute: {type: revolute, parent: a, child: c, cut: true, origin: {xyz: [0.1, 0.1, 0.2]}, axis: [1, 1, 0]}
  prismatic: {type: prismatic, parent: base, child: c, cut: true, child_origin: {xyz: [0.4, 0, 0]}, axis: [0, 1, 0]}
  universal: {type: universal, parent: d, child: c, cut: true, child_origin: {rpy: [0, 1, 0]}}
  cylindrical: {type: cylindrical, parent: c, child: d, cut: true, origin: {xyz: [0, 0.1, 0]}}
  spherical: {type: spherical, parent: a, child: b, cut: true, origin: {xyz: [0, 0.5, 0]}}
  planar: {type: planar, parent: a, child: b, cut: true, origin: {xyz: [0, 0.5, 0]}}
  line: {type: point_on_line, parent: d, child: b, cut: true, origin: {xyz: [0, 0.5, 0]}}
  plane: {type: point_on_plane, parent: base, child: d, cut: true, origin: {rpy: [0.2, 0.7, 0]}}
  rod: {type: distance, parent: d, child: c, cut: true, length: 0.4, origin: {xyz: [0, 0, 0.3]}}
)";

Mechanism<double> mechanism(const std::string& name) {
  return name == "every_cut" ? built_from(every_cut) : build(merge_massless(read_robot(robot_path(name))));
}

std::vector<std::string> all_robots() {
  auto names = shipped_robots();
  names.emplace_back("every_cut");
  return names;
}

/// Any position of the tree, far from closing the loops.
VecX<double> random_position(const Structure& m, unsigned seed) {
  std::mt19937 g(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  VecX<double> q = VecX<double>::NullaryExpr(m.nq, [&] { return uniform(g); });
  for (const TreeJoint& j : m.joint)
    if (position_size(j.type) >= 4) {
      auto unit = q.segment<4>(j.q + position_size(j.type) - 4);
      for (double& x : unit) x = normal(g);
      unit.normalize();
    }
  return q;
}

/// dq/dt for a unit rate of velocity coordinate v: unit quaternions follow dq = q (0, w) / 2 with w in body axes.
VecX<double> position_rate(const Structure& m, const VecX<double>& q, int v) {
  VecX<double> rate = VecX<double>::Zero(q.size());
  for (const TreeJoint& j : m.joint) {
    const int c = v - j.v, size = velocity_size(j.type);
    if (c < 0 || c >= size) continue;
    const int turn = c - (size - 3);  // the last three coordinates of a ball are its turns
    if (position_size(j.type) < 4 || turn < 0) {
      rate[j.q + c] = 1;
    } else {
      const int first = j.q + position_size(j.type) - 4;
      const Eigen::Quaterniond unit(q[first], q[first + 1], q[first + 2], q[first + 3]);
      Eigen::Quaterniond w(0, 0, 0, 0);
      w.vec()[turn] = 0.5;
      const Eigen::Quaterniond d = unit * w;
      rate.segment<4>(first) << d.w(), d.x(), d.y(), d.z();
    }
  }
  return rate;
}

class EveryRobotClosure : public testing::TestWithParam<std::string> {
 protected:
  Mechanism<double> m = mechanism(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Closure, EveryRobotClosure, testing::ValuesIn(all_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(EveryRobotClosure, TheJacobianIsTheDerivativeByDualNumbers) {
  const Mechanism<D> dual = m.cast<D>();
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Workspace<double> w(m);
    w.q = random_position(m, seed);
    tree_positions(m, w);
    closure(m, w);
    for (int v = 0; v < m.nv; ++v) {
      Workspace<D> wd(dual);
      const VecX<double> rate = position_rate(m, w.q, v);
      for (int i = 0; i < m.nq; ++i) wd.q[i] = D::chain(w.q[i], rate[i], D::variable(0));
      tree_positions(dual, wd);
      closure(dual, wd);
      for (int r = 0; r < m.equations; ++r) {
        EXPECT_NEAR(w.K(r, v), wd.phi[r].d[0], 1e-12)
            << m.row_name(r) << " by " << m.coordinate[static_cast<std::size_t>(v)].name;
        EXPECT_NEAR(w.phi[r], wd.phi[r].value, 1e-13) << m.row_name(r);
      }
    }
  }
}

TEST_P(EveryRobotClosure, PositionsAndEquationsDoNotAllocate) {
  if (!allocations_are_counted) GTEST_SKIP() << "the sanitizer has its own malloc";
  Workspace<double> w(m);
  w.q = random_position(m, 1);
  const long before = allocations();
  tree_positions(m, w);
  closure(m, w);
  EXPECT_EQ(allocations() - before, 0);
  const Mechanism<D> dual = m.cast<D>();
  Workspace<D> wd(dual);
  const long before_dual = allocations();
  tree_positions(dual, wd);
  closure(dual, wd);
  EXPECT_EQ(allocations() - before_dual, 0);
}

TEST_P(EveryRobotClosure, NothingIsReadBeforeItIsWritten) {
  Workspace<double> clean(m), dirty(m);
  clean.q = dirty.q = random_position(m, 2);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Vec3<double> bad = Vec3<double>::Constant(nan);
  for (auto* poses : {&dirty.X, &dirty.X0})
    std::fill(poses->begin(), poses->end(), Transform<double>{Mat3<double>::Constant(nan), bad});
  std::fill(dirty.cut_wrench.begin(), dirty.cut_wrench.end(), Force<double>{bad, bad});
  dirty.phi.setConstant(nan);
  for (const CutJoint& cut : m.cut)  // entries off the paths are zero from the start and stay so
    for (const CutJoint::Step& step : cut.path) {
      const TreeJoint& joint = m.joint[static_cast<std::size_t>(step.body)];
      dirty.K.block(cut.first_row, joint.v, static_cast<Eigen::Index>(cut.rows.size()), velocity_size(joint.type))
          .setConstant(nan);
    }
  for (Workspace<double>* w : {&clean, &dirty}) {
    tree_positions(m, *w);
    closure(m, *w);
  }
  EXPECT_EQ(clean.phi, dirty.phi);
  EXPECT_EQ(clean.K, dirty.K);
  for (std::size_t j = 0; j < clean.X0.size(); ++j) EXPECT_EQ(clean.X0[j].R, dirty.X0[j].R);
}

TEST_P(EveryRobotClosure, AMotionOfTheTreeIsWhatItsCutsFeel) {
  // Finite differences of phi along a random velocity: a second witness that needs no dual numbers.
  std::mt19937 g(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Workspace<double> w(m), ahead(m), behind(m);
  w.q = random_position(m, 3);
  const VecX<double> v = VecX<double>::NullaryExpr(m.nv, [&] { return uniform(g); });
  const double h = 1e-5;
  ahead.q = moved(m, w.q, v * h);
  behind.q = moved(m, w.q, v * -h);
  for (Workspace<double>* x : {&w, &ahead, &behind}) {
    tree_positions(m, *x);
    closure(m, *x);
  }
  const VecX<double> slope = (ahead.phi - behind.phi) / (2 * h);
  EXPECT_LT((w.K * v - slope).lpNorm<Eigen::Infinity>(), 1e-8);  // h^2 times third derivatives, and 1e-16 / h
}

TEST(ClosureCount, TheCounterSeesTheStandardLibraryAndEigen) {
  if (!allocations_are_counted) GTEST_SKIP() << "the sanitizer has its own malloc";
  const long before = allocations();
  const std::vector<double> a(100);
  const VecX<double> b = VecX<double>::Zero(static_cast<Eigen::Index>(a.size()));
  EXPECT_GE(allocations() - before, 2) << b.size();
}

TEST(ClosureCount, FactorisationsDoNotAllocate) {
  if (!allocations_are_counted) GTEST_SKIP() << "the sanitizer has its own malloc";
  MatX<double> A = MatX<double>::Identity(6, 6) * 2, B = A, b = MatX<double>::Ones(6, 2), work = b;
  const std::vector<int> order = {5, 4, 3, 2, 1, 0};
  const long before = allocations();
  ldlt_factor(A);
  ldlt_solve(A, b);
  lu_factor(B, {order, order});
  lu_solve(B, {order, order}, b, work);
  EXPECT_EQ(allocations() - before, 0);
}

// ------------------------------------------------------------------------------------------------ scalar-clean

using N = NoCompare;

double distance(const MatX<double>& a, const MatX<N>& b) {
  double most = 0;
  for (Eigen::Index i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a(i) - b(i).value));
  return most;
}

TEST_P(EveryRobotClosure, RunsOnAScalarThatCannotBeCompared) {
  const Mechanism<N> blind = m.cast<N>();
  Workspace<double> w(m);
  Workspace<N> wn(blind);
  w.q = random_position(m, 4);
  wn.q = w.q.cast<N>();
  tree_positions(m, w);
  closure(m, w);
  tree_positions(blind, wn);
  closure(blind, wn);
  EXPECT_LT(distance(w.phi, wn.phi), 1e-14);
  EXPECT_LT(distance(w.K, wn.K), 1e-14);
}

TEST(ScalarClean, FactorisationsRunOnAScalarThatCannotBeCompared) {
  MatX<double> A(3, 3), b(3, 1);
  A << 4, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 2;
  b << 1, 2, 3;
  const MatX<double> x = inverse_of(A) * b;
  MatX<N> F = A.cast<N>(), y = b.cast<N>();
  ldlt_factor(F);
  ldlt_solve(F, y);
  EXPECT_LT(distance(x, y), 1e-15);
  const std::vector<int> rows = {2, 0, 1}, columns = {1, 2, 0};
  MatX<N> G = A.cast<N>(), z = b.cast<N>(), work(3, 1);
  lu_factor(G, {rows, columns});
  lu_solve(G, {rows, columns}, z, work);
  EXPECT_LT(distance(x, z), 1e-14);
}

/// Every function of spatial.hpp that kernels use, into one number.
template <Scalar S>
S every_spatial_function(const S& s) {
  const Vec3<S> u(s, s * s, S(0.3)), v(S(0.1), s, S(-0.2));
  const Transform<S> X{rotation_from_vector<S>(u) * rotation_z(s), v};
  const Motion<S> m{u, v}, n = X * m + X.from_outside(m) - cross(m, m * s);
  const Force<S> f{v, u}, g = X * f + X.from_outside(f) - cross(m, f * s);
  const Inertia<S> I = X * (inertia_about_origin<S>(s, u, Mat3<S>::Identity()) + Inertia<S>());
  const Transform<S> Y = X.inverse() * Transform<S>{rotation_from_quaternion(S(0.6), S(0.0), S(0.8), S(0.0)), u};
  return power(g, n) + power(inertial_force(I, n, m), m) + dot<S>(Y * u, v) + sign(s) + magnitude(s) + smaller(s, -s);
}

TEST(ScalarClean, SpatialFunctionsRunOnAScalarThatCannotBeCompared) {
  for (const double s : {-0.7, 1e-5, 0.4})
    EXPECT_NEAR(every_spatial_function(N(s)).value, every_spatial_function(s), 1e-14);
}

TEST(Stages, ASkippedOneIsRefusedInEveryBuild) {
  const Mechanism<double> m = built_from(robot_text("five_bar"));
  Workspace<double> w(m);
  EXPECT_THROW(closure(m, w), std::logic_error);
  EXPECT_THROW(tree_velocities(m, w), std::logic_error);
  tree_positions(m, w);
  EXPECT_NO_THROW(closure(m, w));
}

}  // namespace
}  // namespace gough::closure_test
