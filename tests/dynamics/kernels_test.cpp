/// What the kernels promise beside numbers: no allocation, no memory, no comparison, and threads that do not meet.
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "allocations.hpp"
#include "dynamics/evaluations.hpp"
#include "scalar/no_compare.hpp"

namespace gough::kernels_test {
namespace {

class DynamicsKernels : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Dynamics, DynamicsKernels, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(DynamicsKernels, DoNotAllocate) {
  if (!allocations_are_counted) GTEST_SKIP() << "a sanitizer has its own malloc";
  const Mechanism<double> loaded = with_everything(m, 1);
  for (const Mechanism<double>* robot : {&m, &loaded}) {
    const ClosedState s = closed_state(*robot, 1);
    for (const Formulation f : all_formulations) {
      Workspace<double> w = set_up(*robot, s, random_load(*robot, 1));
      Dynamics d(*robot, w, by(f));
      const auto evaluate = [&] {
        const bool forward = forward_dynamics(*robot, w, d).ok();
        return forward && inverse_dynamics(*robot, w, d).ok();
      };
      ASSERT_TRUE(evaluate()) << name(f);
      const long before = allocations();
      const bool ok = evaluate();
      EXPECT_EQ(allocations() - before, 0) << name(f);
      EXPECT_TRUE(ok) << name(f);
    }
  }
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Everything that stages write. Zeros of K, and loads of coordinates without any, stay from the beginning.
void spoil_outputs(Workspace<double>& w) {
  const Vec3<double> none = Vec3<double>::Constant(nan);
  for (auto* field : {&w.V, &w.A, &w.A0})
    for (Motion<double>& x : *field) x = {none, none};
  for (auto* field : {&w.cut_wrench, &w.applied, &w.f})
    for (Force<double>& x : *field) x = {none, none};
  for (auto* field : {&w.X, &w.X0})
    for (Transform<double>& x : *field) x = {Mat3<double>::Constant(nan), none};
  for (auto* field : {&w.phi, &w.k, &w.lambda, &w.t, &w.cq, &w.cv, &w.ca}) field->setConstant(nan);
  w.K = (w.K.array() != 0).select(nan, w.K);
}

TEST_P(DynamicsKernels, DoNotReadWhatTheyWrite) {
  const Mechanism<double> loaded = with_everything(m, 1);
  const ClosedState s = closed_state(loaded, 1);
  for (const Formulation f : all_formulations) {
    SCOPED_TRACE(name(f));
    Workspace<double> w = set_up(loaded, s, random_load(loaded, 1)), spoilt = w;
    Dynamics d(loaded, w, by(f)), e(loaded, spoilt, by(f));
    ASSERT_TRUE(forward_dynamics(loaded, w, d).ok());
    spoil_outputs(spoilt);
    spoilt.a.setConstant(nan);
    ASSERT_TRUE(forward_dynamics(loaded, spoilt, e).ok());
    EXPECT_EQ(spoilt.a, w.a);
    EXPECT_EQ(spoilt.lambda, w.lambda);
    ASSERT_TRUE(inverse_dynamics(loaded, w, d).ok());
    spoil_outputs(spoilt);
    spoilt.tau.setConstant(nan);
    ASSERT_TRUE(inverse_dynamics(loaded, spoilt, e).ok());
    EXPECT_EQ(spoilt.tau, w.tau);
    EXPECT_EQ(spoilt.lambda, w.lambda);
  }
}

/// The order of evaluation leaves nothing behind: after another state, the same numbers to the last bit.
TEST_P(DynamicsKernels, ForgetTheStateBefore) {
  const Mechanism<double> loaded = with_everything(m, 1);
  const ClosedState s = closed_state(loaded, 1), other = closed_state(loaded, 2);
  for (const Formulation f : all_formulations) {
    Workspace<double> w = set_up(loaded, s, random_load(loaded, 1));
    Dynamics d(loaded, w, by(f));
    forward_dynamics(loaded, w, d);
    const VecX<double> first = w.a;
    Workspace<double> elsewhere = set_up(loaded, other, random_load(loaded, 2));
    const std::vector<Force<double>> external = w.external;
    w.q = other.q, w.v = other.v, w.a = other.a, w.external = elsewhere.external;
    forward_kernel(loaded, w, d);
    w.q = s.q, w.v = s.v, w.external = external;
    forward_kernel(loaded, w, d);
    EXPECT_EQ(w.a, first) << name(f);
  }
}

// ------------------------------------------------------------------------------------------------ other scalars

class WithoutComparing : public DynamicsKernels {};
INSTANTIATE_TEST_SUITE_P(Dynamics, WithoutComparing,
                         testing::Values("hexapod", "delta", "psp3", "elastic_five_bar", "andrews"),
                         [](const auto& of) { return of.param; });

VecX<double> plain(const VecX<NoCompare>& x) {
  return x.unaryExpr([](const NoCompare& y) { return y.value; });
}

TEST_P(WithoutComparing, KernelsGiveTheSame) {
  const Mechanism<double> loaded = with_everything(m, 1);
  const Mechanism<NoCompare> same = loaded.cast<NoCompare>();
  const ClosedState s = closed_state(loaded, 1);
  for (const Formulation f : all_formulations) {
    SCOPED_TRACE(name(f));
    Workspace<double> w = set_up(loaded, s, random_load(loaded, 1));
    Dynamics d(loaded, w, by(f));
    Workspace<NoCompare> u(same);
    u.q = w.q.cast<NoCompare>();
    u.v = w.v.cast<NoCompare>();
    u.tau = w.tau.cast<NoCompare>();
    for (std::size_t j = 0; j < w.external.size(); ++j)
      u.external[j] = {w.external[j].moment.cast<NoCompare>(), w.external[j].force.cast<NoCompare>()};
    Dynamics<NoCompare> e(same, d);
    ASSERT_TRUE(forward_dynamics(loaded, w, d).ok());
    forward_kernel(same, u, e);
    EXPECT_LT(error_of(plain(u.a), w.a), 1e-11);  // other order of sums in vectorised products
    ASSERT_TRUE(inverse_dynamics(loaded, w, d).ok());
    inverse_kernel(same, u, e);
    EXPECT_LT(error_of(plain(u.tau), w.tau), 1e-10);
    EXPECT_LT(error_of(plain(u.lambda), w.lambda), 1e-10);
  }
}

// ------------------------------------------------------------------------------------------------ threads

/// Accelerations and forces of several states, one after the other.
std::vector<VecX<double>> evaluated(const Mechanism<double>& m, const std::vector<ClosedState>& states, Formulation f) {
  std::vector<VecX<double>> results;
  Workspace<double> w(m);
  Dynamics d(m, w, by(f));
  for (std::size_t i = 0; i < states.size(); ++i) {
    w = set_up(m, states[i], random_load(m, static_cast<unsigned>(i)));
    forward_dynamics(m, w, d);
    results.push_back(w.a);
    inverse_dynamics(m, w, d);
    results.push_back(w.tau);
  }
  return results;
}

TEST(DynamicsThreads, ShareAMechanismAndGetTheSameBits) {
  for (const std::string robot : {"hexapod", "delta", "n_four_bar_40"}) {
    const Mechanism<double> m = with_everything(shipped(robot), 1);
    std::vector<ClosedState> states;
    for (unsigned seed = 1; seed <= 3; ++seed) states.push_back(closed_state(m, seed));
    for (const Formulation f : all_formulations) {
      const std::vector<VecX<double>> expected = evaluated(m, states, f);
      std::array<std::vector<VecX<double>>, 8> found;
      {
        std::vector<std::jthread> threads;
        for (auto& result : found) threads.emplace_back([&] { result = evaluated(m, states, f); });
      }
      for (const auto& result : found) EXPECT_EQ(result, expected) << robot << ", " << name(f);
    }
  }
}

}  // namespace
}  // namespace gough::kernels_test
