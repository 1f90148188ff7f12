/// Velocities and accelerations against derivatives of positions by nested dual numbers, for every robot and every kind
/// of cut joint; the explicit form against the loops' equations; kernels that neither allocate nor compare.
#include "gough/kinematics/motion.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <numbers>

#include "allocations.hpp"
#include "decompositions.hpp"
#include "kinematics/states.hpp"
#include "scalar/no_compare.hpp"

namespace gough::motion_test {
namespace {

// ------------------------------------------------------------------------------------------------ bodies

class EveryRobotMoves : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Motion, EveryRobotMoves, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

/// Body twists, accelerations, phi' and phi'' of a mechanism at any position and rates, closed or not.
void expect_motion_is_the_derivative(const Mechanism<double>& m, const VecX<double>& q, unsigned seed) {
  Workspace<double> w = placed(m, q);
  w.v = random_vector(m.nv, seed);
  w.a = random_vector(m.nv, seed + 1000);
  tree_velocities(m, w);
  tree_accelerations(m, w);
  closure_bias(m, w);
  const MovingRobot moving(m, q, w.v, w.a);
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const auto [turn, turn_rate] = turning(moving.w.X0[j].R);
    const Mat3<double> Rt = w.X0[j].R.transpose();
    const Vec3<double> velocity = firsts(moving.w.X0[j].p), acceleration = seconds(moving.w.X0[j].p);
    const double size = 1 + turn.squaredNorm() + velocity.norm() + acceleration.norm();  // rounding grows with it
    EXPECT_LT((w.V[j].angular - Rt * turn).norm(), 1e-12 * size) << m.body_name[j];
    EXPECT_LT((w.V[j].linear - Rt * velocity).norm(), 1e-12 * size) << m.body_name[j];
    EXPECT_LT((w.A[j].angular - Rt * turn_rate).norm(), 1e-12 * size) << m.body_name[j];
    const Vec3<double> of_origin = w.A[j].linear + w.V[j].angular.cross(w.V[j].linear);
    EXPECT_LT((of_origin - Rt * acceleration).norm(), 1e-12 * size) << m.body_name[j];
  }
  if (m.equations == 0) return;
  const VecX<double> second = seconds(moving.w.phi);
  const double size = 1 + second.cwiseAbs().maxCoeff();
  EXPECT_LT((w.K * w.v - firsts(moving.w.phi)).cwiseAbs().maxCoeff(), 1e-12 * size);
  EXPECT_LT((w.K * w.a - w.k - second).cwiseAbs().maxCoeff(), 1e-12 * size);
}

TEST_P(EveryRobotMoves, TwistsAndAccelerationsAreDerivativesOfPositions) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    VecX<double> q = moved(m, m.home, random_vector(m.nv, seed));  // far from closed: the equations hold everywhere
    expect_motion_is_the_derivative(m, q, seed);
  }
}

// ------------------------------------------------------------------------------------------------ cut joints

/// The relative pose of a joint's frames from its free coordinates, by the run of elementary joints that it stands for.
Transform<double> pose_by_run(JointKind kind, double length, const double* q) {
  const JointRun run = joint_run(kind, length);
  Transform<double> X = run.offset[0];
  for (std::size_t i = 0; i < run.joint.size(); ++i) {
    switch (run.joint[i]) {
      case Elementary::fixed:
      case Elementary::modal: break;
      case Elementary::revolute: X = X * Transform<double>{rotation_z(*q++), Vec3<double>::Zero()}; break;
      case Elementary::prismatic: X = X * Transform<double>{Mat3<double>::Identity(), {0, 0, *q++}}; break;
      case Elementary::free:
        X = X * Transform<double>{Mat3<double>::Identity(), {q[0], q[1], q[2]}};
        q += 3;
        [[fallthrough]];
      case Elementary::spherical:
        X = X * Transform<double>{rotation_from_vector<double>({q[0], q[1], q[2]}), Vec3<double>::Zero()};
        q += 3;
    }
    X = X * run.offset[i + 1];
  }
  return X;
}

/// The rod of a distance joint, turned by q1 about x, then by q2 about the new y (joint_run): its ball turns against
/// it.
Mat3<DD> rod_direction(const DD& q1, const DD& q2) {
  const DD o(0.0), l(1.0);
  Mat3<DD> X, Y;
  X << l, o, o, o, cos(q1), -sin(q1), o, sin(q1), cos(q1);
  Y << cos(q2), o, sin(q2), o, l, o, -sin(q2), o, cos(q2);
  return X * Y;
}

/// Free coordinates, their rates and accelerations at a closed state.
void expect_cut_coordinates_follow(const Mechanism<double>& m, const VecX<double>& q, unsigned seed) {
  Workspace<double> w = placed(m, q);
  ASSERT_LT(w.phi.cwiseAbs().maxCoeff(), 1e-12);
  w.v = closed_rates(m, w, random_vector(m.nv, seed));
  tree_velocities(m, w);
  closure_bias(m, w);
  w.a = shortest_solution(w.K, w.k) + closed_rates(m, w, random_vector(m.nv, seed + 1));
  tree_accelerations(m, w);
  cut_coordinates(m, w);
  MovingRobot moving(m, q, w.v, w.a);
  cut_coordinates(moving.m, moving.w);  // positions only: V and A stay zero there
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    const CutJoint& cut = m.cut[c];
    const int first = cut.first_coordinate - m.nv, n = free_coordinates(cut.kind);
    const Transform<double> A = cut_frame_a(m, w, c), B = cut_frame_b(m, w, c);
    EXPECT_LT(apart(A.inverse() * B, pose_by_run(cut.kind, m.cut_length[c], w.cq.data() + first)), 1e-10) << cut.name;
    const Transform<DD> between = cut_frame_a(moving.m, moving.w, c).inverse() * cut_frame_b(moving.m, moving.w, c);
    Mat3<DD> ball = between.R;
    if (cut.kind == JointKind::distance)
      ball = rod_direction(moving.w.cq[first], moving.w.cq[first + 1]).transpose() * ball;
    const auto [turn, turn_rate] = turning(ball);
    const bool has_ball = n >= 3 && cut.kind != JointKind::planar;
    for (int i = 0; i < n; ++i) {
      const bool is_turn = has_ball && i >= n - 3;  // rates of turns are angular velocities in B's axes
      const Vec3<double> v = values(ball).transpose() * turn, a = values(ball).transpose() * turn_rate;
      const DD& x = moving.w.cq[first + i];
      const double size = 1 + turn.squaredNorm() + turn_rate.norm() + std::abs(second_of(x));
      const std::string& name = m.coordinate[at(cut.first_coordinate + i)].name;
      EXPECT_NEAR(w.cq[first + i], value_of(x), 1e-13) << name;
      EXPECT_NEAR(w.cv[first + i], is_turn ? v[i - n + 3] : first_of(x), 1e-11 * size) << name;
      EXPECT_NEAR(w.ca[first + i], is_turn ? a[i - n + 3] : second_of(x), 1e-10 * size) << name;
    }
  }
}

class EveryLoopMoves : public EveryRobotMoves {};
INSTANTIATE_TEST_SUITE_P(Motion, EveryLoopMoves, testing::ValuesIn(except(shipped_robots(), {"pendulum"})),
                         [](const auto& of) { return of.param; });

TEST_P(EveryLoopMoves, CutCoordinatesFollowTheirFrames) {
  for (unsigned seed = 1; seed <= 2; ++seed) expect_cut_coordinates_follow(m, random_closed(m, seed), seed);
}

/// A free body held by one cut joint of the kind to a body that turns and slides.
std::string one_cut(const std::string& joint) {
  return R"(
robot: one_cut
bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}
joints:
  turn: {type: revolute, parent: base, child: a, origin: {xyz: [0.1, 0.2, 0.3], rpy: [0.4, 0.5, 0.6]}, cut: false}
  slide: {type: prismatic, parent: a, child: b, origin: {xyz: [0.3, 0.1, 0.2], rpy: [0.3, 0.7, 0.1]}, cut: false}
  free: {type: free, parent: base, child: c, origin: {xyz: [0.2, 0, 0.1], rpy: [0.1, 0.2, 0.3]}, cut: false}
  held: {type: )" +
         joint +
         R"(, parent: b, child: c, cut: true, origin: {xyz: [0.1, 0.3, 0.2], rpy: [0.2, 0.1, 0.5]}, child_origin: {xyz: [0.2, 0.1, -0.1], rpy: [0.3, 0.2, 0.4]}}
)";
}

class EveryCutKind : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Motion, EveryCutKind,
                         testing::Values("fixed", "revolute", "prismatic", "universal", "cylindrical", "spherical",
                                         "planar", "point_on_line", "point_on_plane", "distance"),
                         [](const auto& of) { return of.param; });

TEST_P(EveryCutKind, CoordinatesRatesAndAccelerationsFollowTheFrames) {
  const std::string kind = GetParam() == "distance" ? "distance, length: 0.4" : GetParam();
  Mechanism<double> m = built_from(one_cut(kind));
  ASSERT_EQ(m.cut.size(), 1U);
  Workspace<double> w(m);
  ASSERT_TRUE(close_loops(m, w).closed);
  m.home = w.q;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const VecX<double> q = random_closed(m, seed, 12, 0.15);
    expect_cut_coordinates_follow(m, q, seed);
    expect_motion_is_the_derivative(m, q, seed);
  }
}

// ------------------------------------------------------------------------------------------------ explicit form

/// K G = 0, K g = k for a selection at a closed position, and the motion it makes closes phi' and phi''.
void expect_closed_motion(const Mechanism<double>& m, const VecX<double>& q, const Selection& s, double slack = 1) {
  ASSERT_EQ(s.independent.size() + s.dependent.size(), at(m.nv));
  Workspace<double> w = placed(m, q);
  ExplicitForm<double> e(m, s);
  const auto n = static_cast<Eigen::Index>(s.independent.size());
  const VecX<double> yd = random_vector(n, 7), ydd = random_vector(n, 8);
  explicit_motion(m, w, s, e, yd, ydd);
  const double size = slack * (1 + e.G.cwiseAbs().maxCoeff()) * (1 + w.v.squaredNorm() + w.a.norm());
  for (Eigen::Index i = 0; i < n; ++i) {
    EXPECT_DOUBLE_EQ(w.v[s.independent[static_cast<std::size_t>(i)]], yd[i]);
    EXPECT_DOUBLE_EQ(w.a[s.independent[static_cast<std::size_t>(i)]], ydd[i]);
    EXPECT_EQ(e.g[s.independent[static_cast<std::size_t>(i)]], 0);
  }
  if (m.equations == 0) return;
  EXPECT_LT((w.K * e.G).cwiseAbs().maxCoeff(), 1e-11 * size);
  EXPECT_LT((w.K * e.g - w.k).cwiseAbs().maxCoeff(), 1e-11 * size);
  const MovingRobot moving(m, q, w.v, w.a);
  EXPECT_LT(firsts(moving.w.phi).cwiseAbs().maxCoeff(), 1e-11 * size);
  EXPECT_LT(seconds(moving.w.phi).cwiseAbs().maxCoeff(), 1e-11 * size);
}

TEST_P(EveryRobotMoves, TheExplicitFormKeepsTheLoopsClosed) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const VecX<double> q = random_closed(m, seed);
    const Workspace<double> w = placed(m, q);
    {
      SCOPED_TRACE("any");
      const Selection s = select_any(m, w, m.rank);
      EXPECT_TRUE(s.complete);
      EXPECT_EQ(s.rank(), m.rank);
      expect_closed_motion(m, q, s);
    }
    {
      SCOPED_TRACE("driven");
      const Selection s = select_driven(m, w, m.rank);
      if (s.complete && s.smallest_pivot > 1e-3) expect_closed_motion(m, q, s);
    }
    if (!m.platform.floats) continue;
    SCOPED_TRACE("platform");
    const Selection s = select_platform(m, w, m.rank);
    if (s.complete && s.smallest_pivot > 1e-3) expect_closed_motion(m, q, s);
  }
}

TEST(ExplicitForm, SelectionsOfShippedRobotsAreWhatWasWishedFor) {
  for (const std::string name : {"hexapod", "hexa", "six_r", "flight_simulator", "palida", "delta", "triglide", "rrr3",
                                 "psp3", "five_bar", "elastic_five_bar", "redundant_five_bar", "four_bar", "bricard"}) {
    const Mechanism<double>& m = shipped(name);
    const Workspace<double> w = placed(m, m.home);
    const Selection driven = select_driven(m, w, m.rank);
    EXPECT_TRUE(driven.complete) << name;
    std::vector<int> wished = m.actuator;
    wished.insert(wished.end(), m.elastic.begin(), m.elastic.end());
    if (name == "redundant_five_bar") {
      EXPECT_EQ(driven.independent.size(), 2U);
      for (const int v : driven.independent) EXPECT_TRUE(m.coordinate[at(v)].actuated);
    } else {
      EXPECT_EQ(driven.independent, wished) << name << ": the drives in the file's order, then the elastic joints";
    }
    if (!m.platform.floats) continue;
    const Selection platform = select_platform(m, w, m.rank);
    EXPECT_TRUE(platform.complete) << name;
    for (const int v : platform.independent) {
      const int i = v - m.joint[at(m.platform.body)].v;
      EXPECT_TRUE(m.coordinate[at(v)].elastic || (i >= 0 && i < 6 && m.platform.coordinates[at(i)])) << name;
    }
  }
}

// ------------------------------------------------------------------------------------------------ Bricard's ring

/// Closed positions of Bricard's ring along its motion, from home to where the drive has turned as far as it goes or
/// once round: each step goes along the null vector of K, with the sense kept.
std::vector<VecX<double>> bricard_motion(const Mechanism<double>& m, int steps, double size) {
  std::vector<VecX<double>> all = {m.home};
  VecX<double> sense = VecX<double>::Zero(m.nv);
  sense[m.actuator[0]] = 1;
  for (int i = 0; i < steps; ++i) {
    Workspace<double> w = placed(m, all.back());
    VecX<double> way = svd_of(w.K).V.col(m.nv - 1);
    if (way.dot(sense) < 0) way = -way;
    w.q = moved(m, all.back(), way * size);
    if (!close_loops(m, w).closed) break;
    sense = way;
    all.push_back(w.q);
  }
  return all;
}

TEST(Bricard, SelectingAgainKeepsThePivotAwayFromZeroWhereEveryFixedChoiceFails) {
  const Mechanism<double>& m = shipped("bricard");
  const auto motion = bricard_motion(m, 400, 0.05);
  ASSERT_EQ(motion.size(), 401U);
  double least = 1;
  std::vector<double> fixed_least(at(m.nv), 1);  // smallest pivot over the whole motion, by the independent coordinate
  std::vector<Selection> fixed;
  for (int v = 0; v < m.nv; ++v) {
    std::vector<int> column_class(at(m.nv), 0);
    column_class[at(v)] = 1;
    fixed.push_back(select_coordinates(m, placed(m, motion[20]), column_class, m.rank));
  }
  for (std::size_t i = 0; i < motion.size(); i += 4) {
    const Workspace<double> w = placed(m, motion[i]);
    ASSERT_LT(w.phi.cwiseAbs().maxCoeff(), 1e-12) << i;
    const Selection s = select_any(m, w, m.rank);
    EXPECT_EQ(s.independent.size(), 1U);
    least = std::min(least, s.smallest_pivot);
    expect_closed_motion(m, motion[i], s);
    for (int v = 0; v < m.nv; ++v) {
      ExplicitForm<double> e(m, fixed[at(v)]);
      explicit_form(w, fixed[at(v)], e);
      fixed_least[at(v)] = std::min(fixed_least[at(v)], e.smallest_pivot);
    }
  }
  EXPECT_GT(least, 0.05);
  EXPECT_LT(*std::min_element(fixed_least.begin(), fixed_least.end()), 0.01) << "some fixed choice fails on the way";
}

// ------------------------------------------------------------------------------------------------ kernels

/// All kernels of motion, once.
template <Scalar S>
void run_kernels(const Mechanism<S>& m, Workspace<S>& w, const Selection& s, ExplicitForm<S>& e, const VecX<S>& yd,
                 const VecX<S>& ydd) {
  tree_positions(m, w);
  closure(m, w);
  tree_velocities(m, w);
  tree_accelerations(m, w);
  closure_bias(m, w);
  explicit_form(w, s, e);
  explicit_motion(m, w, s, e, yd, ydd);
  cut_coordinates(m, w);
}

template <Scalar S>
long memory_calls_of_kernels(const Mechanism<S>& m, const Selection& s, const VecX<double>& q) {
  Workspace<S> w(m);
  w.q = q.cast<S>();
  ExplicitForm<S> e(m, s);
  const auto n = static_cast<Eigen::Index>(s.independent.size());
  const VecX<S> yd = VecX<S>::Constant(n, S(0.3)), ydd = VecX<S>::Constant(n, S(0.2));
  MatX<S> J(6, m.nv);
  const long before = allocations();
  run_kernels(m, w, s, e, yd, ydd);
  if (m.platform.exists()) platform_jacobian(m, w, J);
  return allocations() - before;
}

TEST(MemoryCount, TheCounterSeesTemporariesOfEigenAndTheStandardLibrary) {
  if (!allocations_are_counted) GTEST_SKIP() << "the sanitizer has its own malloc";
  long before = allocations();
  { const std::vector<double> a(random_vector(1, 1)[0] > 5 ? 3 : 100); }
  EXPECT_GE(allocations() - before, 2);
  VecX<double> b = random_vector(50, 1);
  const MatX<double> A = MatX<double>::Identity(50, 50);
  before = allocations();
  b = A * b;
  EXPECT_GE(allocations() - before, 1);
}

TEST_P(EveryRobotMoves, KernelsDoNotTouchTheHeap) {
  if (!allocations_are_counted) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Selection s = select_any(m, placed(m, m.home), m.rank);
  EXPECT_EQ(memory_calls_of_kernels(m, s, m.home), 0);
  EXPECT_EQ(memory_calls_of_kernels(m.cast<D>(), s, m.home), 0);
}

TEST_P(EveryRobotMoves, KernelsRunOnAScalarThatCannotBeCompared) {
  using N = NoCompare;
  const VecX<double> q = random_closed(m, 5);
  const Selection s = select_any(m, placed(m, q), m.rank);
  const auto n = static_cast<Eigen::Index>(s.independent.size());
  const VecX<double> yd = random_vector(n, 1), ydd = random_vector(n, 2);
  Workspace<double> w = placed(m, q);
  ExplicitForm<double> e(m, s);
  run_kernels<double>(m, w, s, e, yd, ydd);
  const Mechanism<N> blind = m.cast<N>();
  Workspace<N> wn(blind);
  wn.q = q.cast<N>();
  ExplicitForm<N> en(m, s);
  run_kernels<N>(blind, wn, s, en, yd.cast<N>(), ydd.cast<N>());
  const auto value = [](const N& x) { return x.value; };
  const double size = 1 + w.a.cwiseAbs().maxCoeff();
  EXPECT_LT((w.a - wn.a.unaryExpr(value)).norm(), 1e-12 * size);
  EXPECT_LT((e.G - en.G.unaryExpr(value)).norm(), 1e-12 * size);
  if (w.ca.size() > 0) { EXPECT_LT((w.ca - wn.ca.unaryExpr(value)).norm(), 1e-10 * size); }
  if (m.platform.exists()) {
    MatX<N> J(6, m.nv);
    platform_jacobian(blind, wn, J);
    EXPECT_LT((platform_jacobian(m, w) - J.unaryExpr(value)).norm(), 1e-13 * m.nv);
  }
}

TEST_P(EveryRobotMoves, KernelsReadNothingBeforeItIsWritten) {
  const VecX<double> q = random_closed(m, 6);
  const Selection s = select_any(m, placed(m, q), m.rank);
  const auto n = static_cast<Eigen::Index>(s.independent.size());
  const VecX<double> yd = random_vector(n, 1), ydd = random_vector(n, 2);
  Workspace<double> clean = placed(m, q), dirty = placed(m, q);
  ExplicitForm<double> e(m, s), f(m, s);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Vec3<double> bad = Vec3<double>::Constant(nan);
  for (auto* motions : {&dirty.V, &dirty.A, &dirty.A0})
    std::fill(motions->begin(), motions->end(), Motion<double>{bad, bad});
  for (VecX<double>* x : {&dirty.v, &dirty.a, &dirty.k, &dirty.cq, &dirty.cv, &dirty.ca}) x->setConstant(nan);
  f.K_d.setConstant(nan), f.right.setConstant(nan), f.work.setConstant(nan);
  explicit_motion(m, clean, s, e, yd, ydd);
  explicit_motion(m, dirty, s, f, yd, ydd);
  cut_coordinates(m, clean);
  cut_coordinates(m, dirty);
  EXPECT_EQ(clean.v, dirty.v);
  EXPECT_EQ(clean.a, dirty.a);
  EXPECT_EQ(clean.cv, dirty.cv);
  EXPECT_EQ(clean.ca, dirty.ca);
}

}  // namespace
}  // namespace gough::motion_test
