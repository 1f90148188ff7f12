/// Exact derivatives of dynamics against differences taken with the loops closed again, and against what they are.
#include <gtest/gtest.h>

#include "decompositions.hpp"
#include "dynamics/evaluations.hpp"

namespace gough::derivatives_test {
namespace {

constexpr std::array formulations = {Formulation::legs, Formulation::dalembert, Formulation::multipliers,
                                     Formulation::scdd, Formulation::noc,       Formulation::virtual_power};

/// A state by its independent coordinates: y, y', and y'' or tau.
struct Point {
  VecX<double> q;  ///< a closed position near which y is displaced
  VecX<double> y, yd, ydd, tau;
};

/// Dynamics as a function of a point, the loops closed with y held.
struct Function {
  const Mechanism<double>& m;
  Selection s;
  DynamicsOptions options;
  std::vector<Force<double>> external;

  Workspace<double> state(const Point& p) const {
    Workspace<double> w(m);
    w.q = p.q;
    w.external = external;
    w.tau = p.tau;
    Hold hold;
    hold.coordinates.assign(at(m.nv), false);
    VecX<double> step = VecX<double>::Zero(m.nv);
    for (std::size_t i = 0; i < s.independent.size(); ++i) {
      step[s.independent[i]] = p.y[static_cast<Eigen::Index>(i)];
      hold.coordinates[at(s.independent[i])] = true;
    }
    w.q = moved(m, p.q, step);
    EXPECT_TRUE(close_loops(m, w, hold).closed);
    ExplicitForm<double> form(m, s);
    explicit_motion(m, w, s, form, p.yd, p.ydd);
    return w;
  }
  VecX<double> inverse(const Point& p) const {
    Workspace<double> w = state(p);
    EXPECT_TRUE(inverse_dynamics(m, w, options).ok());
    return w.tau;
  }
  VecX<double> forward(const Point& p) const {
    Workspace<double> w = state(p);
    EXPECT_TRUE(forward_dynamics(m, w, options).ok());
    return w.a(s.independent);
  }
};

/// Differences of the fourth order: h^4 of the fifth derivative, and loops closed to 1e-12 leave 2e-9.
template <class F>
VecX<double> slope(const F& f) {
  const double h = 5e-4;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

double error_of_matrix(const MatX<double>& A, const MatX<double>& expected) {
  return (A - expected).norm() / std::max(1.0, expected.norm());
}

/// A robot in a random closed state, once for the exact derivatives (w, d) and once for differences (f, p).
struct Setting {
  Mechanism<double> m;
  ClosedState s;
  Workspace<double> w;
  Dynamics<double> d;
  Function f;
  Point p;

  Setting(Mechanism<double> robot, unsigned seed, Formulation by_f)
      : m(std::move(robot)),
        s(closed_state(m, seed)),
        w(set_up(m, s, random_load(m, seed))),
        d(m, w, by(by_f)),
        f{m, d.y, by(by_f), w.external},
        p{s.q, 0 * s.v(d.y.independent), s.v(d.y.independent), s.a(d.y.independent), w.tau} {}
  Setting(const Setting&) = delete;  // f refers to m

  MatX<double> by_differences(VecX<double> Point::*what, VecX<double> (Function::*of)(const Point&) const) const {
    MatX<double> J;
    for (Eigen::Index i = 0; i < (p.*what).size(); ++i) {
      const VecX<double> column = slope([&](double h) {
        Point near = p;
        (near.*what)[i] += h;
        return (f.*of)(near);
      });
      if (i == 0) J.resize(column.size(), (p.*what).size());
      J.col(i) = column;
    }
    return J;
  }
};

/// What differences can tell: 1e-6, and rounding of the values over h where a stiff spring makes 1e7 m/s^2.
double tolerance(const Setting& x) { return 1e-6 + 1e-12 * (x.f.inverse(x.p).norm() + x.f.forward(x.p).norm()); }

class Derivatives : public testing::TestWithParam<std::string> {
 protected:
  /// As shipped where the robot has stiff springs already, with every force elsewhere.
  Mechanism<double> robot() const {
    const Mechanism<double>& m = shipped(GetParam());
    return GetParam() == "elastic_five_bar" ? m : with_everything(m, 1);
  }
};
INSTANTIATE_TEST_SUITE_P(Dynamics, Derivatives,
                         testing::Values("pendulum", "four_bar", "five_bar", "redundant_five_bar", "elastic_five_bar",
                                         "andrews", "bricard", "psp3", "delta", "hexapod", "six_r", "rrr3"),
                         [](const auto& of) { return of.param; });

TEST_P(Derivatives, OfInverseAreDifferences) {
  for (const Formulation by_f : {Formulation::legs, Formulation::dalembert, Formulation::multipliers}) {
    const Setting x(robot(), 1, by_f);
    const StateDerivatives J = inverse_derivatives(x.m, x.w, x.d);
    EXPECT_LT(error_of_matrix(J.by_position, x.by_differences(&Point::y, &Function::inverse)), tolerance(x))
        << name(by_f);
    EXPECT_LT(error_of_matrix(J.by_velocity, x.by_differences(&Point::yd, &Function::inverse)), tolerance(x))
        << name(by_f);
    EXPECT_LT(error_of_matrix(J.by_last, x.by_differences(&Point::ydd, &Function::inverse)), tolerance(x))
        << name(by_f);
  }
}

TEST_P(Derivatives, OfForwardAreDifferences) {
  for (const Formulation by_f : {Formulation::legs, Formulation::dalembert, Formulation::multipliers}) {
    const Setting x(robot(), 2, by_f);
    const StateDerivatives J = forward_derivatives(x.m, x.w, x.d);
    EXPECT_LT(error_of_matrix(J.by_position, x.by_differences(&Point::y, &Function::forward)), tolerance(x))
        << name(by_f);
    EXPECT_LT(error_of_matrix(J.by_velocity, x.by_differences(&Point::yd, &Function::forward)), tolerance(x))
        << name(by_f);
    EXPECT_LT(error_of_matrix(J.by_last, x.by_differences(&Point::tau, &Function::forward)), tolerance(x))
        << name(by_f);
  }
}

TEST_P(Derivatives, AgreeInAllFormulations) {
  const Setting first(robot(), 3, Formulation::dalembert);
  const StateDerivatives inverse = inverse_derivatives(first.m, first.w, first.d);
  const StateDerivatives forward = forward_derivatives(first.m, first.w, first.d);
  for (const Formulation by_f : formulations) {
    SCOPED_TRACE(name(by_f));
    const Setting x(robot(), 3, by_f);
    const StateDerivatives i = inverse_derivatives(x.m, x.w, x.d), f = forward_derivatives(x.m, x.w, x.d);
    EXPECT_LT(error_of_matrix(i.by_position, inverse.by_position), 1e-9);
    EXPECT_LT(error_of_matrix(i.by_velocity, inverse.by_velocity), 1e-9);
    EXPECT_LT(error_of_matrix(i.by_last, inverse.by_last), 1e-9);
    EXPECT_LT(error_of_matrix(f.by_position, forward.by_position), 1e-9);
    EXPECT_LT(error_of_matrix(f.by_velocity, forward.by_velocity), 1e-9);
    EXPECT_LT(error_of_matrix(f.by_last, forward.by_last), 1e-9);
  }
}

/// d tau / d y'' is the reduced mass matrix, d y'' / d tau its inverse, where drives are the independent coordinates.
TEST_P(Derivatives, ByAccelerationAndForceAreTheMassMatrixAndItsInverse) {
  for (const Formulation by_f : formulations) {
    const Setting x(robot(), 1, by_f);
    if (x.d.y.independent != x.m.actuator) return;
    const MatX<double> M = compact_form(x.m, x.w, x.d.y).M_c;
    EXPECT_LT(error_of_matrix(inverse_derivatives(x.m, x.w, x.d).by_last, M), 1e-10) << name(by_f);
    EXPECT_LT(error_of_matrix(forward_derivatives(x.m, x.w, x.d).by_last, inverse_of(M)), 1e-9) << name(by_f);
  }
}

// ------------------------------------------------------------------------------------------------ parameters

/// One parameter of a mechanism, to be seeded or changed.
struct Parameter {
  std::string what;
  std::function<D&(Mechanism<D>&)> dual;
  std::function<double&(Mechanism<double>&)> plain;
};
std::vector<Parameter> parameters(const Mechanism<double>& m) {
  const auto last = static_cast<std::size_t>(m.tree_size() - 1);
  const auto spring = static_cast<std::size_t>(
      std::find_if(m.stiffness.begin(), m.stiffness.end(), [](double c) { return c != 0; }) - m.stiffness.begin());
  std::vector<Parameter> all = {
      {"mass", [=](auto& x) -> D& { return x.inertia[last].mass; },
       [=](auto& x) -> double& { return x.inertia[last].mass; }},
      {"gravity", [](auto& x) -> D& { return x.gravity[1]; }, [](auto& x) -> double& { return x.gravity[1]; }},
      {"placement", [](auto& x) -> D& { return x.placement[1].p[0]; },
       [](auto& x) -> double& { return x.placement[1].p[0]; }},
  };
  if (!m.cut.empty())
    all.push_back(
        {"cut", [](auto& x) -> D& { return x.cut_b[0].p[1]; }, [](auto& x) -> double& { return x.cut_b[0].p[1]; }});
  if (spring < m.stiffness.size())
    all.push_back({"stiffness", [=](auto& x) -> D& { return x.stiffness[spring]; },
                   [=](auto& x) -> double& { return x.stiffness[spring]; }});
  if (!m.coefficient.empty())
    all.push_back({"friction", [](auto& x) -> D& { return x.coefficient[0]; },
                   [](auto& x) -> double& { return x.coefficient[0]; }});
  return all;
}

TEST_P(Derivatives, ByParametersAreDifferences) {
  for (const Formulation by_f : {Formulation::legs, Formulation::dalembert, Formulation::multipliers}) {
    const Setting x(robot(), 1, by_f);
    if (x.m.tree_size() < 2) return;              // no joint but the first
    const bool loose = x.m.rank < x.m.equations;  // redundant loops do not close when a joint is moved
    for (const Parameter& parameter : parameters(x.m)) {
      if (loose && (parameter.what == "placement" || parameter.what == "cut")) continue;
      Mechanism<D> seeded = x.m.cast<D>();
      parameter.dual(seeded).d[0] = 1;
      const auto changed = [&](double h, VecX<double> (Function::*of)(const Point&) const) {
        Mechanism<double> m = x.m;
        parameter.plain(m) += h;
        const Function f{m, x.f.s, x.f.options, x.f.external};
        return (f.*of)(x.p);
      };
      const VecX<double> inverse = slope([&](double h) { return changed(h, &Function::inverse); });
      const VecX<double> forward = slope([&](double h) { return changed(h, &Function::forward); });
      EXPECT_LT(error_of(inverse_derivative(seeded, x.w, x.d), inverse), tolerance(x)) << name(by_f) << parameter.what;
      EXPECT_LT(error_of(forward_derivative(seeded, x.w, x.d), forward), tolerance(x)) << name(by_f) << parameter.what;
    }
  }
}

}  // namespace
}  // namespace gough::derivatives_test
