/// Motions of all joints from the platform's or the drives': what was asked for comes out, and the loops stay closed.
#include "gough/kinematics/task_motion.hpp"

#include <gmock/gmock.h>

#include "allocations.hpp"
#include "kinematics/states.hpp"
#include "scalar/no_compare.hpp"

namespace gough::task_motion_test {
namespace {

/// K q' = 0 and K q'' = k, and k belongs to these rates.
void expect_closed_motion(const Mechanism<double>& m, const Workspace<double>& w) {
  Workspace<double> again = placed(m, w.q);
  again.v = w.v;
  tree_velocities(m, again);
  closure_bias(m, again);
  const double size = 1 + w.v.squaredNorm() + w.a.norm();
  EXPECT_LT((again.k - w.k).norm(), 1e-12 * size);
  EXPECT_LT((again.K * w.v).norm(), 1e-11 * size);
  EXPECT_LT((again.K * w.a - again.k).norm(), 1e-10 * size);
}

PlatformRates<double> random_rates(unsigned seed) {
  const VecX<double> x = random_vector(12, seed);
  return {x.segment<3>(0), x.segment<3>(3), x.segment<3>(6), x.segment<3>(9)};
}

double component_of(const Vec3<double>& linear, const Vec3<double>& angular, int c) {
  return c < 3 ? linear[c] : angular[c - 3];
}

class TaskMotion : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Kinematics, TaskMotion, testing::ValuesIn(robots_with_platform()),
                         [](const auto& of) { return of.param; });

TEST_P(TaskMotion, FromThePlatformGivesItsTwistAndAcceleration) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Workspace<double> w = placed(m, safely_reached(m, seed));
    MasterForm<double> f = make_master_form(m, w, Master::platform);
    const PlatformRates<double> wanted = random_rates(seed);
    const VecX<double> elastic_v = random_vector(m.nv, seed + 50), elastic_a = random_vector(m.nv, seed + 60);
    w.v = elastic_v;
    w.a = elastic_a;
    motion_from_platform(m, w, f, wanted);
    expect_closed_motion(m, w);
    for (const int e : m.elastic) {
      EXPECT_NEAR(w.v[e], elastic_v[e], 1e-12);
      EXPECT_NEAR(w.a[e], elastic_a[e], 1e-10);
    }
    const PlatformRates<double> found = platform_rates(m, w);
    const double size = 1 + w.v.squaredNorm() + w.a.norm();
    for (int c = 0; c < 6; ++c) {
      if (!m.platform.coordinates[at(c)]) continue;
      EXPECT_NEAR(component_of(found.v, found.w, c), component_of(wanted.v, wanted.w, c), 1e-12 * size) << c;
      EXPECT_NEAR(component_of(found.a, found.dw, c), component_of(wanted.a, wanted.dw, c), 1e-11 * size) << c;
    }
  }
}

/// platform_rates against the platform's pose in nested dual numbers.
TEST_P(TaskMotion, OfThePlatformIsTheDerivativeOfItsPose) {
  Workspace<double> w = placed(m, safely_reached(m, 1));
  w.v = random_vector(m.nv, 2);
  w.a = random_vector(m.nv, 3);
  tree_velocities(m, w);
  tree_accelerations(m, w);
  const PlatformRates<double> found = platform_rates(m, w);
  const MovingRobot moving(m, w.q, w.v, w.a);
  const Transform<DD> pose = moving.w.X0[at(m.platform.body)] * moving.m.platform_frame;
  const auto [angular, dw] = turning(pose.R);
  EXPECT_LT((found.v - firsts(pose.p)).norm(), 1e-12 * (1 + found.v.norm()));
  EXPECT_LT((found.w - angular).norm(), 1e-12 * (1 + found.w.norm()));
  EXPECT_LT((found.a - seconds(pose.p)).norm(), 1e-11 * (1 + found.a.norm()));
  EXPECT_LT((found.dw - dw).norm(), 1e-11 * (1 + found.dw.norm()));
}

TEST_P(TaskMotion, FromThePlatformDoesNotAllocate) {
  if (!allocations_are_counted) GTEST_SKIP() << "a sanitizer has its own malloc";
  Workspace<double> w = placed(m, safely_reached(m, 1));
  MasterForm<double> f = make_master_form(m, w, Master::platform);
  const PlatformRates<double> wanted = random_rates(1);
  motion_from_platform(m, w, f, wanted);
  const long before = allocations();
  motion_from_platform(m, w, f, wanted);
  EXPECT_EQ(allocations() - before, 0);
}

class DriveMotion : public TaskMotion {};
INSTANTIATE_TEST_SUITE_P(Kinematics, DriveMotion, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

/// Redundant drives move with the others: those that the form took as masters are given.
TEST_P(DriveMotion, FromTheDrivesGivesTheirRates) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Workspace<double> w = placed(m, random_closed(m, seed));
    MasterForm<double> f = make_master_form(m, w, Master::drives);
    EXPECT_EQ(f.elastic.size(), GetParam() == "redundant_five_bar" ? 2 : m.driven().size());
    const VecX<double> v = random_vector(m.nv, seed), a = random_vector(m.nv, seed + 10);
    w.v = v;
    w.a = a;
    motion_from_drives(m, w, f);
    expect_closed_motion(m, w);
    const double size = 1 + w.v.squaredNorm() + w.a.norm();
    for (const int c : f.elastic) {
      EXPECT_NEAR(w.v[c], v[c], 1e-12 * size);
      EXPECT_NEAR(w.a[c], a[c], 1e-12 * size);
    }
  }
}

/// There and back: the drives' motion that the platform's gives, gives the platform's.
TEST_P(TaskMotion, FromTheDrivesUndoesThatFromThePlatform) {
  Workspace<double> w = placed(m, safely_reached(m, 2)), back = w;
  MasterForm<double> platform = make_master_form(m, w, Master::platform);
  motion_from_platform(m, w, platform, random_rates(4));
  MasterForm<double> drives = make_master_form(m, back, Master::drives);
  for (const int c : m.driven()) {
    back.v[c] = w.v[c];
    back.a[c] = w.a[c];
  }
  motion_from_drives(m, back, drives);
  EXPECT_LT((back.v - w.v).norm(), 1e-10 * (1 + w.v.norm()));
  EXPECT_LT((back.a - w.a).norm(), 1e-9 * (1 + w.a.norm()));
}

TEST(MasterForms, RunOnScalarsThatCannotBeCompared) {
  for (const std::string name : {"hexapod", "psp3", "elastic_five_bar"}) {
    const Mechanism<double>& m = shipped(name);
    Workspace<double> w = placed(m, safely_reached(m, 1));
    MasterForm<double> f = make_master_form(m, w, Master::platform);
    const PlatformRates<double> wanted = random_rates(1);
    const Mechanism<NoCompare> n = m.cast<NoCompare>();
    Workspace<NoCompare> u(n);
    u.q = w.q.cast<NoCompare>();
    tree_positions(n, u);
    closure(n, u);
    MasterForm<NoCompare> g(n, f);
    motion_from_platform(m, w, f, wanted);
    motion_from_platform(n, u, g,
                         {wanted.v.cast<NoCompare>(), wanted.w.cast<NoCompare>(), wanted.a.cast<NoCompare>(),
                          wanted.dw.cast<NoCompare>()});
    for (int c = 0; c < m.nv; ++c) EXPECT_NEAR(u.a[c].value, w.a[c], 1e-10 * (1 + w.a.norm())) << name;
  }
}

TEST(MasterForms, SayWhyThereIsNone) {
  Workspace<double> w = placed(shipped("pendulum"), shipped("pendulum").home);
  EXPECT_THAT([&] { make_master_form(shipped("pendulum"), w, Master::platform); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("no platform")));
  Mechanism<double> m = shipped("hexapod");
  m.coordinate[at(m.actuator[0])].actuated = false;
  m.actuator.erase(m.actuator.begin());
  Workspace<double> u = placed(m, m.home);
  EXPECT_THAT([&] { make_master_form(m, u, Master::drives); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("6 freedoms")));
}

}  // namespace
}  // namespace gough::task_motion_test
