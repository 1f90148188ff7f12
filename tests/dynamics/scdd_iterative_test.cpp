/// Paper 000's own arrangement of scdd, which feeds accelerations back: when it converges, and to what.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "decompositions.hpp"
#include "dynamics/evaluations.hpp"

namespace gough::scdd_iterative_test {
namespace {

/// The largest eigenvalue of S^-1 M_c, S = M_yy - M_yp M_pp^+ M_py. Thin rods that float have no inertia about
/// themselves, so M_pp may be singular; what it cannot resist, nothing asks of it.
double deciding_eigenvalue(const Mechanism<double>& m, const VecX<double>& q) {
  const Workspace<double> w = placed(m, q);
  const Selection s = select_driven(m, w, m.rank);
  const CompactForm c = compact_form(m, w, s);
  MatX<double> M(m.nv, m.nv);  // T = v . M v / 2
  std::vector<double> alone(at(m.nv));
  const auto kinetic = [&](const VecX<double>& v) { return newton_euler::energies(m, q, v).kinetic; };
  for (int i = 0; i < m.nv; ++i) alone[at(i)] = kinetic(VecX<double>::Unit(m.nv, i));
  for (int i = 0; i < m.nv; ++i)
    for (int k = 0; k <= i; ++k)
      M(i, k) = M(k, i) =
          i == k ? 2 * alone[at(i)]
                 : kinetic(VecX<double>::Unit(m.nv, i) + VecX<double>::Unit(m.nv, k)) - alone[at(i)] - alone[at(k)];
  const MatX<double> M_yy = M(s.independent, s.independent), M_py = M(s.dependent, s.independent),
                     M_pp = M(s.dependent, s.dependent);
  MatX<double> S = M_yy;
  if (M_pp.size() > 0) S -= M_py.transpose() * shortest_solution(M_pp, M_py);
  return eigenvalues_of(c.M_c, S).maxCoeff();
}

struct Iterated {
  DynamicsAnswer answer;
  ScddIteration iteration;
  VecX<double> a;
};
Iterated iterate(const Mechanism<double>& m, const ClosedState& s, const IterationRule& rule) {
  Workspace<double> w = set_up(m, s, random_load(m, 1));
  DynamicsOptions o = by(Formulation::scdd_iterative);
  o.iteration = rule;
  Dynamics d(m, w, o);
  const DynamicsAnswer answer = forward_dynamics(m, w, d);
  return {answer, d.iteration, w.a};
}
VecX<double> exact(const Mechanism<double>& m, const ClosedState& s) {
  Workspace<double> w = set_up(m, s, random_load(m, 1));
  EXPECT_TRUE(forward_dynamics(m, w, by(Formulation::scdd)).ok());
  return w.a;
}

/// Those whose passive joints carry little: for all others the iteration diverges.
const std::vector<std::string> convergent = {"agile_eye",  "andrews",  "four_bar", "fourbar2", "hexaglide",
                                             "orthoglide", "pendulum", "psp3",     "rps3"};

class ScddIterative : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
  const ClosedState s = closed_state(m, 1);
  const bool converges = std::find(convergent.begin(), convergent.end(), GetParam()) != convergent.end();
};
INSTANTIATE_TEST_SUITE_P(Dynamics, ScddIterative, testing::ValuesIn(except(shipped_robots(), {"n_four_bar_40"})),
                         [](const auto& of) { return of.param; });

TEST_P(ScddIterative, TellsTheEigenvalueThatDecides) {
  const double expected = deciding_eigenvalue(m, s.q);
  EXPECT_NEAR(iterate(m, s, {}).iteration.eigenvalue, expected, 1e-8 * expected);
  EXPECT_EQ(expected < 2, converges);
}

TEST_P(ScddIterative, ConvergesToScddWhereItIsBelowTwo) {
  const Iterated x = iterate(m, s, {});
  EXPECT_EQ(x.iteration.converged, converges);
  if (converges) {
    EXPECT_TRUE(x.answer.ok()) << x.answer.reason;
    EXPECT_LT(error_of(x.a, exact(m, s)), 1e-10);  // its last step was 1e-12
  } else {
    EXPECT_EQ(x.answer.status, Status::not_converged);
    EXPECT_THAT(x.answer.reason, testing::AllOf(testing::HasSubstr("eigenvalue"), testing::HasSubstr("below 2.000")));
    EXPECT_THAT(x.answer.reason, testing::HasSubstr(fmt::format("is {:.3f},", x.iteration.eigenvalue)));
  }
}

TEST_P(ScddIterative, ConvergesToScddWhenRelaxed) {
  const double eigenvalue = deciding_eigenvalue(m, s.q);
  const Iterated x = iterate(m, s, {.most = 5000, .relaxation = 1 / eigenvalue, .tolerance = 1e-13});
  EXPECT_TRUE(x.answer.ok()) << x.answer.reason;
  EXPECT_LT(error_of(x.a, exact(m, s)), 1e-10);  // steps of 1e-13 that shrink by 1 - 1/200: 2e-11 is left
}

TEST_P(ScddIterative, DivergesWhenTheRelaxationIsTooLarge) {
  const double eigenvalue = deciding_eigenvalue(m, s.q);
  EXPECT_FALSE(iterate(m, s, {.most = 500, .relaxation = 2.1 / eigenvalue, .tolerance = 1e-12}).iteration.converged);
}

}  // namespace
}  // namespace gough::scdd_iterative_test
