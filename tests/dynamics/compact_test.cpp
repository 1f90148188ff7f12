/// The equations of motion as matrices in the independent coordinates, and paper 002's arrangement by legs.
#include <gmock/gmock.h>

#include "dynamics/evaluations.hpp"

namespace gough::compact_test {
namespace {

/// A robot, closed, with its drives (or whatever is free) as independent coordinates.
struct Compact {
  Mechanism<double> m;
  ClosedState s;
  newton_euler::Load load;
  Workspace<double> w;
  Selection y;
  CompactForm c;

  Compact(Mechanism<double> robot, unsigned seed)
      : m(std::move(robot)),
        s(closed_state(m, seed)),
        load(random_load(m, seed)),
        w(set_up(m, s, load)),
        y(select_driven(m, placed(m, s.q), m.rank)),
        c(compact_form(m, w, y)) {}

  VecX<double> of(const VecX<double>& all) const {
    VecX<double> x(static_cast<Eigen::Index>(y.independent.size()));
    for (std::size_t i = 0; i < y.independent.size(); ++i) x[static_cast<Eigen::Index>(i)] = all[y.independent[i]];
    return x;
  }
};

class CompactForms : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());

  template <class Visit>
  void for_each(const Visit& visit) {
    const unsigned seeds = m.nv > 50 ? 1 : 2;  // the witness needs the cube of the number of bodies
    for (unsigned seed = 1; seed <= seeds; ++seed) visit(Compact(m, seed));
    for (unsigned seed = 1; seed <= seeds; ++seed) visit(Compact(with_everything(m, seed), seed));
  }
};
INSTANTIATE_TEST_SUITE_P(Dynamics, CompactForms, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

/// With a drive on every independent coordinate, what the witness asks of them.
TEST_P(CompactForms, AskForNewtonsForces) {
  for_each([](const Compact& x) {
    Mechanism<double> driven = x.m;
    driven.actuator = x.y.independent;
    const auto expected = newton_euler::inverse(driven, x.s.q, x.s.v, x.s.a, x.load.external);
    const VecX<double> F = compact_forces(x.c, x.of(x.s.v), x.of(x.s.a));
    EXPECT_LT(error_of(F, expected.tau), 1e-10);
  });
}

TEST_P(CompactForms, AskForTheActuatorForcesOfDAlembert) {
  for_each([](Compact x) {
    if (x.y.independent != x.m.actuator) return;  // no, fewer or more drives than freedoms
    ASSERT_TRUE(inverse_dynamics(x.m, x.w, by(Formulation::dalembert)).ok());
    EXPECT_LT(error_of(compact_forces(x.c, x.of(x.s.v), x.of(x.s.a)), x.w.tau), 1e-11);
  });
}

TEST_P(CompactForms, HaveASymmetricPositiveMassMatrix) {
  for_each([](const Compact& x) {
    const double size = x.c.M_c.norm();
    EXPECT_LT((x.c.M_c - x.c.M_c.transpose()).norm(), 1e-13 * size);
    EXPECT_GT(x.c.M_c.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 1e-9 * size);
  });
}

/// T = y' M_c y' / 2 for any y', with T from the witness.
TEST_P(CompactForms, HaveTheMassMatrixOfTheKineticEnergy) {
  for_each([](const Compact& x) {
    for (unsigned i = 1; i <= 2; ++i) {
      const VecX<double> yd = random_vector(x.c.W.cols(), i);
      const double T = newton_euler::energies(x.m, x.s.q, x.c.W * yd).kinetic;
      EXPECT_NEAR(yd.dot(x.c.M_c * yd) / 2, T, 1e-11 * T);
    }
  });
}

TEST_P(CompactForms, LeaveNoEnergyInTheCoriolisForces) {
  for_each([](const Compact& x) {
    const MatX<double> N = x.c.M_c_rate - 2 * x.c.C_c;
    EXPECT_LT((N + N.transpose()).norm(), 1e-10 * (1 + x.c.M_c_rate.norm() + x.c.C_c.norm()));
  });
}

/// M_c' and W' by differences of the sixth order along the motion.
TEST_P(CompactForms, HaveTheRatesOfTheirMatrices) {
  for_each([](const Compact& x) {
    const double h = 1e-3;
    const auto at_time = [&](double t) {
      Workspace<double> w = x.w;
      w.q = moved(x.m, x.s.q, x.s.v * t);
      return compact_form(x.m, w, x.y);
    };
    MatX<double> M = MatX<double>::Zero(x.c.M_c.rows(), x.c.M_c.cols()),
                 W = MatX<double>::Zero(x.c.W.rows(), x.c.W.cols());
    for (const auto& [k, weight] : {std::pair(1, 1.5), std::pair(2, -0.6), std::pair(3, 0.1)}) {
      const CompactForm after = at_time(k * h), before = at_time(-k * h);
      M += weight * (after.M_c - before.M_c) / (2 * k * h);
      W += weight * (after.W - before.W) / (2 * k * h);
    }
    EXPECT_LT((M - x.c.M_c_rate).norm(), 1e-8 * (x.c.M_c.norm() + x.c.M_c_rate.norm()));  // rounding over h, and h^6
    EXPECT_LT((W - x.c.W_rate).norm(), 1e-8 * (x.c.W.norm() + x.c.W_rate.norm()));
  });
}

/// (25) of paper 000 and its like for stiffness: every tree joint's damper and spring, seen from y.
TEST_P(CompactForms, HaveTheDampersAndSpringsOfTheTree) {
  for_each([](const Compact& x) {
    VecX<double> damping(x.m.nv), stiffness(x.m.nv), stretch = VecX<double>::Zero(x.m.nv);
    const std::vector<bool> single = single_coordinates(x.m);
    for (int c = 0; c < x.m.nv; ++c) {
      damping[c] = x.m.damping[at(c)];
      stiffness[c] = single[at(c)] ? x.m.stiffness[at(c)] : 0.0;
      if (stiffness[c] != 0) stretch[c] = x.s.q[position_of(x.m, c)] - x.m.rest[at(c)];
    }
    const MatX<double>& W = x.c.W;
    EXPECT_LT((x.c.D_c - W.transpose() * damping.asDiagonal() * W).norm(), 1e-12 * (1 + x.c.D_c.norm()));
    EXPECT_LT((x.c.K_c - W.transpose() * stiffness.asDiagonal() * W).norm(), 1e-12 * (1 + x.c.K_c.norm()));
    EXPECT_LT(error_of(x.c.spring_c, W.transpose() * stiffness.cwiseProduct(stretch)), 1e-12);
  });
}

// ------------------------------------------------------------------------------------------------ paper 002

class NocByLegs : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism<double>& m = shipped(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Dynamics, NocByLegs,
                         testing::Values("hexapod", "six_r", "flight_simulator", "palida", "hexa", "hexapod_arbitrary",
                                         "hexapod_offplane", "mathworks_stewart", "taghirad"),
                         [](const auto& of) { return of.param; });

TEST_P(NocByLegs, NeedsTheSameForces) {
  for (const bool loaded : {false, true})
    for (unsigned seed = 1; seed <= 2; ++seed) {
      Compact x(loaded ? with_everything(m, seed) : m, seed);
      Workspace<double> w = set_up(x.m, x.s, x.load);
      ASSERT_TRUE(inverse_dynamics(x.m, w, by(Formulation::dalembert)).ok());
      const VecX<double> tau = w.tau;
      const NocLegForm form = noc_leg_form(x.m, w, true);
      VecX<double> ydd(6);
      for (int i = 0; i < 6; ++i) ydd[i] = x.s.a[x.m.actuator[at(i)]];
      EXPECT_LT(error_of(form.M * ydd + form.bias, tau), 1e-10);
      EXPECT_LT((form.M - form.M.transpose()).norm(), 1e-11 * form.M.norm());
    }
}

TEST(NocLegForms, SayWhatTheyNeed) {
  for (const std::string name : {"delta", "psp3", "rrr3", "four_bar", "pendulum"}) {
    const Mechanism<double>& m = shipped(name);
    Workspace<double> w = placed(m, m.home);
    try {
      noc_leg_form(m, w, false);
      ADD_FAILURE() << name << " has no six legs with one drive each";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), testing::AllOf(testing::HasSubstr(name), testing::HasSubstr("six legs")));
    }
  }
}

}  // namespace
}  // namespace gough::compact_test
