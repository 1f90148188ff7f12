/// Batches through the library's kernels beside single states: every shipped robot, in packs or by legs, ends that fill no pack.
#include <gmock/gmock.h>

#include "dynamics/evaluations.hpp"
#include "gough/dynamics/batch.hpp"
#include "gough/error.hpp"

namespace gough::dynamics_batch_test {
namespace {

/// Closed states, entry after entry.
struct States {
  std::vector<double> q, v, a;
  std::size_t n = 0;
};
States states_of(const Mechanism<double>& m, std::size_t n) {
  States x{std::vector<double>(n * static_cast<std::size_t>(m.nq)),
           std::vector<double>(n * static_cast<std::size_t>(m.nv)),
           std::vector<double>(n * static_cast<std::size_t>(m.nv)), n};
  for (std::size_t s = 0; s < n; ++s) {
    ClosedState c = closed_state(m, static_cast<unsigned>(s % 4) + 1);
    if (s % 5 == 4) c.v.setZero();  // at rest dry friction is zero; a closed motion of its own
    for (Eigen::Index i = 0; i < m.nq; ++i) x.q[static_cast<std::size_t>(i) * n + s] = c.q[i];
    for (Eigen::Index i = 0; i < m.nv; ++i) x.v[static_cast<std::size_t>(i) * n + s] = c.v[i];
    for (Eigen::Index i = 0; i < m.nv; ++i) x.a[static_cast<std::size_t>(i) * n + s] = s % 5 == 4 ? 0.0 : c.a[i];
  }
  return x;
}

Workspace<double> state(const Mechanism<double>& m, const States& x, std::size_t s) {
  Workspace<double> w(m);
  for (Eigen::Index i = 0; i < m.nq; ++i) w.q[i] = x.q[static_cast<std::size_t>(i) * x.n + s];
  for (Eigen::Index i = 0; i < m.nv; ++i) w.v[i] = x.v[static_cast<std::size_t>(i) * x.n + s];
  for (Eigen::Index i = 0; i < m.nv; ++i) w.a[i] = x.a[static_cast<std::size_t>(i) * x.n + s];
  return w;
}

void expect_equal(const VecX<double>& one, const std::vector<double>& many, std::size_t n, std::size_t s,
                  const std::string& what) {
  const double size = std::max(1.0, one.cwiseAbs().maxCoeff());
  for (Eigen::Index i = 0; i < one.size(); ++i)
    EXPECT_NEAR(many[static_cast<std::size_t>(i) * n + s], one[i], 1e-10 * size) << what << ", state " << s;
}

class BatchOf : public testing::TestWithParam<std::string> {};
TEST_P(BatchOf, EqualsSingleStates) {
  const Mechanism<double>& m = shipped(GetParam());
  for (const std::size_t n : {1U, 5U, 19U}) {
    const DynamicsBatch batch(m);
    const States x = states_of(m, n);
    std::vector<double> tau(n * m.actuator.size()), a(n * static_cast<std::size_t>(m.nv));
    std::vector<Status> status(n), forward(n);
    batch.inverse(x.q, x.v, x.a, tau, status);
    batch.forward(x.q, x.v, tau, a, forward);
    for (std::size_t s = 0; s < n; ++s) {
      Workspace<double> w = state(m, x, s);
      const DynamicsAnswer answer = inverse_dynamics(m, w);
      ASSERT_EQ(status[s], answer.status) << answer.reason;
      if (!answer.ok()) {
        for (std::size_t i = 0; i < m.actuator.size(); ++i) EXPECT_TRUE(std::isnan(tau[i * n + s]));
        continue;
      }
      expect_equal(w.tau, tau, n, s, GetParam() + " inverse");
      const DynamicsAnswer there = forward_dynamics(m, w);
      ASSERT_EQ(forward[s], there.status) << there.reason;
      if (there.ok()) expect_equal(w.a, a, n, s, GetParam() + " forward");
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Shipped, BatchOf,
                         testing::Values("five_bar", "redundant_five_bar", "elastic_five_bar", "rrr3", "delta",
                                         "triglide", "psp3", "hexa", "hexapod", "palida", "four_bar"),
                         [](const auto& robot) { return robot.param; });

TEST(DynamicsBatch, TakesEveryFormulation) {
  const Mechanism<double>& m = shipped("rrr3");
  const States x = states_of(m, 9);
  std::vector<double> first;
  for (const Formulation by : all_formulations) {
    DynamicsOptions o;
    o.by = by;
    const DynamicsBatch batch(m, o);
    EXPECT_TRUE(batch.in_packs());
    std::vector<double> tau(9 * m.actuator.size());
    std::vector<Status> status(9, Status::singular);
    batch.inverse(x.q, x.v, x.a, tau, status);
    EXPECT_THAT(status, testing::Each(Status::ok));
    if (first.empty()) first = tau;
    for (std::size_t i = 0; i < tau.size(); ++i) EXPECT_NEAR(tau[i], first[i], 1e-9) << name(by);
  }
}

/// A singular state among others is told apart, and says so; the others are not touched.
TEST(DynamicsBatch, MarksSingularStates) {
  const Mechanism<double>& m = shipped("five_bar");
  States x = states_of(m, 10);
  x.q[3] = std::numeric_limits<double>::quiet_NaN();  // first joint of state 3
  std::vector<double> tau(10 * m.actuator.size());
  std::vector<Status> status(10);
  const DynamicsBatch batch(m);
  EXPECT_TRUE(batch.in_packs());
  batch.inverse(x.q, x.v, x.a, tau, status);
  for (std::size_t s = 0; s < 10; ++s) {
    EXPECT_EQ(status[s] == Status::ok, s != 3);
    EXPECT_EQ(std::isnan(tau[s]), s == 3);
  }
}

TEST(DynamicsBatch, SaysWhatIsWrong) {
  const Mechanism<double>& m = shipped("five_bar");
  const States x = states_of(m, 2);
  std::vector<double> tau(2 * m.actuator.size() - 1);
  std::vector<Status> status(2);
  try {
    DynamicsBatch(m).inverse(x.q, x.v, x.a, tau, status);
    FAIL() << "expected an error";
  } catch (const Error& e) { EXPECT_STREQ(e.what(), "batch: read 3 forces, expected 4"); }
  EXPECT_NO_THROW(DynamicsBatch(m).inverse({}, {}, {}, {}, {}));
}

}  // namespace
}  // namespace gough::dynamics_batch_test
