/// Forces over time with kinks, jumps, pulses shorter than a row and sines, by every method, against solutions on paper. What the integrators
/// are told of the forces is their knots; what they know of the solution is nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "gough/io/simulation_report.hpp"
#include "gough/simulation/runge_kutta.hpp"
#include "simulation/runs.hpp"

namespace gough::inputs_test {
namespace {

using std::numbers::pi;

// ------------------------------------------------------------------------------------------------ solutions on paper

/// Rows (t, force), straight lines between, equal times for jumps; before and after, the first and the last force.
using Rows = std::vector<std::array<double, 2>>;

/// A mass on a slide, without and with a spring to the base, pushed along straight lines: exact, piece by piece.
struct Paper {
  double mass = 1, stiffness = 0;
  double x = 0, v = 0;

  void piece(double h, double from, double slope) {
    const double w = std::sqrt(stiffness / mass);
    if (w * h < 1e-6) {  // the spring's share is below rounding
      x += v * h + (from * h * h / 2 + slope * h * h * h / 6) / mass;
      v += (from * h + slope * h * h / 2) / mass;
      return;
    }
    const double rest = from / stiffness, creep = slope / stiffness;  // x = rest + creep t solves it
    const double a = x - rest, b = (v - creep) / w;
    x = rest + creep * h + a * std::cos(w * h) + b * std::sin(w * h);
    v = creep - a * w * std::sin(w * h) + b * w * std::cos(w * h);
  }

  void along(const Rows& rows, double end) {
    double t = 0;
    for (std::size_t i = 0; i < rows.size() && t < end; ++i) {
      const auto [from, force] = rows[i];
      if (i == 0 && from > 0) piece(from, force, 0);
      t = std::max(t, from);
      if (i + 1 == rows.size()) break;
      const double h = std::min(rows[i + 1][0], end) - from;
      if (h > 0) piece(h, force, (rows[i + 1][1] - force) / (rows[i + 1][0] - from));
      t = from + h;
    }
    if (t < end) piece(end - t, rows.back()[1], 0);
  }
};

Controller table_of(const Rows& rows, const Mechanism<double>& m) {
  Table table{{"t", "tau.x"}, {}, {}};
  for (const auto& [t, f] : rows) table.rows.push_back({t, f});
  return forces_of(ForceTable(table, "rows", m), m);
}

Mechanism<double> slide(double stiffness) {
  const std::string spring = stiffness > 0 ? fmt::format(", stiffness: {}, rest: 0", stiffness) : "";
  return prepared_from(
             fmt::format(
                 "robot: slide\ngravity: [0, 0, 0]\nbodies: {{mass: {{mass: 1 kg}}}}\njoints:\n"
                 "  x: {{type: prismatic, parent: base, child: mass, axis: [1, 0, 0], role: actuated, home: 0{}}}\n",
                 spring))
      .mechanism;
}

// ------------------------------------------------------------------------------------------------ all methods, all inputs

struct Input {
  std::string name;
  Rows rows;
  double size = 1;  ///< of positions and rates that come out
};
void PrintTo(const Input& i, std::ostream* out) { *out << i.name; }

Rows sampled_sine(double step) {
  Rows rows;
  for (int i = 0; i * step < 1 + 1e-9; ++i) rows.push_back({i * step, 20 * std::sin(4 * pi * i * step)});
  return rows;
}

std::vector<Input> inputs() {
  return {{"kinks", {{0, 0}, {0.40, 0}, {0.45, 1000}, {0.50, 0}, {1, 0}}, 50},
          {"jump_between_close_rows", {{0, 0}, {0.5003, 0}, {0.5003000001, 1000}, {1, 1000}}, 500},
          {"jump", {{0, 0}, {0.5003, 0}, {0.5003, 1000}, {1, 1000}}, 500},
          {"short_pulse", {{0.7, 0}, {0.7, 5e5}, {0.7001, 5e5}, {0.7001, 0}}, 50},
          {"bang_bang", {{0, 40}, {0.3, 40}, {0.3, -80}, {0.6, -80}, {0.6, 40}, {0.9, 40}, {0.9, 0}}, 12},
          {"sine_in_rows", sampled_sine(0.1), 5},
          {"sine_in_many_rows", sampled_sine(0.001), 5},
          {"before_and_after", {{0.25, 7}, {0.5, 3}}, 5}};
}

class Inputs : public testing::TestWithParam<std::tuple<Input, Method, double>> {};

/// Errors add up over the steps: so much more than the tolerance of one they may be.
double allowed(Method method) { return method == Method::adaptive ? 30 : 3000; }

TEST_P(Inputs, EndWherePaperSaysWhateverTheRows) {
  const auto& [input, method, stiffness] = GetParam();
  const Mechanism<double> m = slide(stiffness);
  Paper paper{1, stiffness, 0, 0};
  paper.along(input.rows, 1);
  for (const double tolerance : {1e-6, 1e-8, 1e-10})
    for (const double row : {1.0, 0.09, 0.004}) {
      SimulationOptions o = with_method(method);
      o.integrator.tolerance = tolerance;
      const Motions r = simulated(m, Workspace<double>(m), even_times(0, 1, row), o, table_of(input.rows, m));
      ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
      EXPECT_EQ(r.end().t, 1);
      const double error = std::max(std::abs(r.end().q[0] - paper.x), std::abs(r.end().v[0] - paper.v));
      EXPECT_LT(error, allowed(method) * tolerance * (1 + input.size))
          << "tolerance " << tolerance << ", rows of " << row << " s";
    }
}

/// Runge and Kutta's classical method is exact where positions are cubic; on a spring it errs as h^4 between knots, not at them.
TEST_P(Inputs, FixedStepsEndAtKnots) {
  const auto& [input, method, stiffness] = GetParam();
  if (method != Method::adaptive) GTEST_SKIP() << "once for each input is enough";
  const Mechanism<double> m = slide(stiffness);
  Paper paper{1, stiffness, 0, 0};
  paper.along(input.rows, 1);
  std::vector<double> errors;
  for (const double step : {4e-3, 2e-3}) {
    const Motions r = simulated(m, Workspace<double>(m), even_times(0, 1, 0.09),
                                with_method(Method::rk4, Loops::independent, step), table_of(input.rows, m));
    ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
    errors.push_back(std::max(std::abs(r.end().q[0] - paper.x), std::abs(r.end().v[0] - paper.v)));
  }
  EXPECT_LT(errors[0], (1 + input.size) * (stiffness == 0 ? 1e-9 : 20 * std::pow(20 * 4e-3, 4) / 40))
      << "phases err by w T (w h)^4/120";
  if (errors[0] > 1e-10 && input.rows.size() < 100) {  // not where knots are nearer than steps
    EXPECT_LT(errors[1], errors[0] / 8);
  }
  SimulationOptions euler = with_method(Method::semi_implicit, Loops::independent, 1e-3);
  const Motions r = simulated(m, Workspace<double>(m), even_times(0, 1, 0.09), euler, table_of(input.rows, m));
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  EXPECT_NEAR(r.end().v[0], paper.v, 0.03 * (1 + input.size));
}

INSTANTIATE_TEST_SUITE_P(OverTime, Inputs,
                         testing::Combine(testing::ValuesIn(inputs()),
                                          testing::Values(Method::adaptive, Method::stiff, Method::dae),
                                          testing::Values(0.0, 400.0)),
                         [](const auto& i) {
                           return fmt::format("{}_{}_{}", std::get<0>(i.param).name, name(std::get<1>(i.param)),
                                              std::get<2>(i.param) > 0 ? "spring" : "free");
                         });

/// The published commands: 27.5 m and 50 m/s, 499.7 m/s.
TEST(Inputs, PaperIsRight) {
  Paper pulse;
  pulse.along({{0, 0}, {0.40, 0}, {0.45, 1000}, {0.50, 0}, {1, 0}}, 1);
  EXPECT_NEAR(pulse.x, 27.5, 1e-12);
  EXPECT_NEAR(pulse.v, 50, 1e-12);
  Paper jump;
  jump.along({{0, 0}, {0.5003, 0}, {0.5003, 1000}, {1, 1000}}, 1);
  EXPECT_NEAR(jump.v, 499.7, 1e-10);
  Paper swing{1, 400, 0.01, 0};  // a free vibration of 20 rad/s
  swing.piece(0.3, 0, 0);
  EXPECT_NEAR(swing.x, 0.01 * std::cos(6.0), 1e-14);
}

/// Impulse and work: momentum is the force's integral, energy its work, whatever the step.
TEST(Inputs, MomentumAndEnergyAreThoseOfTheForces) {
  const Mechanism<double> m = slide(400);
  const Rows rows = {{0, 10}, {0.2, 10}, {0.2, -30}, {0.35, 0}, {0.8, 0}};
  double impulse = 0, work = 0, before_t = 0, before_p = 0, before_f = 0;
  const auto force = [&](double t) {  // of the spring too
    return t < 0.2 ? 10.0 : t < 0.35 ? -30 * (0.35 - t) / 0.15 : 0.0;
  };
  const Motions r = simulated(m, Workspace<double>(m), even_times(0, 1, 1e-4), {}, table_of(rows, m));
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  for (const Moment& row : r.rows) {
    const double total = force(row.t) - 400 * row.q[0], power = force(row.t) * row.v[0];
    if (row.t > 0 && std::abs(row.t - 0.2) > 5e-5 && std::abs(before_t - 0.2) > 5e-5)
      impulse += (row.t - before_t) * (total + before_f) / 2, work += (row.t - before_t) * (power + before_p) / 2;
    else if (row.t > 0)  // beside the jump: the end that belongs to this side
      impulse += (row.t - before_t) * (row.t < 0.2 + 5e-5 ? 10 - 400 * row.q[0] : total),
          work += (row.t - before_t) * (row.t < 0.2 + 5e-5 ? 10 * row.v[0] : power);
    before_t = row.t, before_p = power, before_f = total;
  }
  EXPECT_NEAR(r.end().v[0], impulse, 1e-3);
  EXPECT_NEAR(r.end().kinetic + 200 * r.end().q[0] * r.end().q[0], work, 1e-3);
}

/// Smooth forces have no knots but where they begin and end, and cost no more than without a table of knots.
TEST(Inputs, KnotsAreWhereLinesBend) {
  const Mechanism<double> m = slide(0);
  EXPECT_THAT(table_of({{0, 1}, {1, 2}, {2, 3}}, m).knots, testing::ElementsAre(0, 2)) << "on one line";
  EXPECT_THAT(table_of({{0, 5}, {1, 5}, {2, 5}}, m).knots, testing::IsEmpty()) << "constant";
  EXPECT_THAT(table_of({{0, 0}, {1, 0}, {1, 4}, {2, 4}}, m).knots, testing::ElementsAre(1)) << "a jump";
  EXPECT_THAT(table_of({{0, 0.1}, {0.1, 0.2}, {0.2, 0.3}, {0.3, 0.4}}, m).knots,
              testing::ElementsAre(0, testing::DoubleEq(0.3)));
}

/// At the row of a jump the forces are those from there on, and at the end those that led there.
TEST(Inputs, RowsAtAJumpShowWhatFollows) {
  const Mechanism<double> m = slide(0);
  for (const Method method : {Method::adaptive, Method::stiff, Method::dae, Method::rk4}) {
    const Motions r = simulated(m, Workspace<double>(m), {0, 0.5, 1}, with_method(method),
                                table_of({{0, 1}, {0.5, 1}, {0.5, 3}, {1, 3}, {1, 9}}, m));
    ASSERT_EQ(r.rows.size(), 3U);
    EXPECT_NEAR(r.rows[0].tau[0], 1, 1e-12) << name(method);
    EXPECT_NEAR(r.rows[1].tau[0], 3, 1e-12) << name(method);
    EXPECT_NEAR(r.rows[1].a[0], 3, 1e-9) << name(method);
    EXPECT_NEAR(r.rows[2].tau[0], 3, 1e-12) << name(method);
  }
}

TEST(Inputs, TablesMayJumpButNotGoBack) {
  const Mechanism<double> m = slide(0);
  const auto refused = [&](const Rows& rows) {
    try {
      (void)table_of(rows, m);
    } catch (const Error& e) { return std::string(e.what()); }
    return std::string("accepted");
  };
  EXPECT_EQ(refused({{0, 1}, {1, 2}, {1, 3}, {2, 3}}), "accepted");
  EXPECT_THAT(refused({{0, 1}, {1, 2}, {0.5, 3}}),
              testing::HasSubstr("expected times that increase, or stay for a jump"));
  EXPECT_THAT(refused({{0, 1}, {1, 2}, {1, 3}, {1, 4}}), testing::HasSubstr("third time"));
}

/// A controller of a program may jump as well where it says so; a run may begin before its first row.
TEST(Inputs, ControllersTellTheirKnots) {
  const Mechanism<double> m = slide(0);
  SimulationOptions o;
  o.start = 0;
  const Controller step_at({[](double t, Workspace<double>& w) { w.tau[0] = t < 1.0 / 3 ? 0 : 6; }, {1.0 / 3}});
  const Motions r = simulated(m, Workspace<double>(m), {0.9, 1}, o, step_at);
  ASSERT_TRUE(r.answer.ok()) << r.answer.reason;
  ASSERT_EQ(r.rows.size(), 2U);
  EXPECT_NEAR(r.rows[0].v[0], 6 * (0.9 - 1.0 / 3), 1e-10);
  EXPECT_NEAR(r.rows[1].v[0], 4, 1e-10);
  EXPECT_THROW(simulated(m, Workspace<double>(m), {0, 1}, {}, Controller(step_at.apply, {0.5, 0.5})), Error);
  o.start = 0.5;
  EXPECT_THROW(simulated(m, Workspace<double>(m), {0, 1}, o, step_at), Error);
}

// ------------------------------------------------------------------------------------------------ the method itself

/// Conditions of order on quadratures: sum b c^k = 1/(k + 1), of the embedded method up to its own; rows of A add up to c.
TEST(PrinceAndDormand, FulfilConditionsOfOrder) {
  const RungeKutta<13>& r = prince_dormand;
  const auto moment = [&](const std::array<double, 13>& weight, int k) {
    double sum = 0;
    for (std::size_t i = 0; i < 13; ++i) sum += weight[i] * std::pow(r.c[i], k);
    return sum;
  };
  for (int k = 0; k < r.order; ++k) EXPECT_NEAR(moment(r.b, k), 1.0 / (k + 1), 1e-13) << k;
  for (int k = 0; k < r.embedded; ++k) EXPECT_NEAR(moment(r.d, k), 1.0 / (k + 1), 1e-13) << k;
  EXPECT_GT(std::abs(moment(r.d, r.embedded) - 1.0 / (r.embedded + 1)), 1e-6) << "the estimate sees time alone";
  for (std::size_t i = 0; i < 13; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 13; ++j) {
      sum += r.a[i][j];
      EXPECT_TRUE(j < i || r.a[i][j] == 0) << "explicit";
    }
    EXPECT_NEAR(sum, r.c[i], 1e-12) << i;
    for (int k = 1; k <= 2; ++k) {  // sum_j a_ij c_j^k = c_i^(k+1)/(k+1), which holds from the fourth stage on
      double inner = 0;
      for (std::size_t j = 0; j < i; ++j) inner += r.a[i][j] * std::pow(r.c[j], k);
      EXPECT_TRUE(i < 3 || std::abs(inner - std::pow(r.c[i], k + 1) / (k + 1)) < 2e-12) << i << ' ' << k;
    }
  }
}

/// Where trees of higher order count: x' = -2 t x^2 and y' = y cos t, with errors that fall as h^8 and h^7 in one step of h and its halves.
TEST(PrinceAndDormand, ConvergeWithTheirOrders) {
  const RungeKutta<13>& r = prince_dormand;
  const auto f = [](double t, const std::array<double, 2>& x) {
    return std::array{-2 * t * x[0] * x[0], x[1] * std::cos(t)};
  };
  const auto run = [&](int steps, bool embedded) {
    std::array<double, 2> x = {1, 1};
    const double h = 2.0 / steps;
    for (int s = 0; s < steps; ++s) {
      std::array<std::array<double, 2>, 13> k{};
      for (std::size_t i = 0; i < 13; ++i) {
        std::array<double, 2> y = x;
        for (std::size_t j = 0; j < i; ++j)
          for (std::size_t n = 0; n < 2; ++n) y[n] += h * r.a[i][j] * k[j][n];
        k[i] = f(h * (s + r.c[i]), y);
      }
      for (std::size_t i = 0; i < 13; ++i)
        for (std::size_t n = 0; n < 2; ++n) x[n] += h * (embedded ? r.d[i] : r.b[i]) * k[i][n];
    }
    return std::max(std::abs(x[0] - 1 / 5.0), std::abs(x[1] - std::exp(std::sin(2.0))));
  };
  const double by_eight = std::log2(run(6, false) / run(12, false)), by_seven = std::log2(run(6, true) / run(12, true));
  EXPECT_GT(by_eight, 7.5);
  EXPECT_GT(by_seven, 6.5);
}

}  // namespace
}  // namespace gough::inputs_test
