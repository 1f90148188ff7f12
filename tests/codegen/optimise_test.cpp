#include "gough/codegen/optimise.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "gough/scalar/expr.hpp"

namespace gough::optimise_test {
namespace {

/// Traces f of inputs x y z u and parameters p q r.
using Formula = std::function<std::vector<Expr>(const std::vector<Expr>& x, const std::vector<Expr>& p)>;
Program traced(const Formula& f) {
  Program program;
  const Tracing tracing(program.tape);
  InputArray in{"x", "", {}, {}};
  std::vector<Expr> x, p;
  for (const std::string name : {"x", "y", "z", "u"}) {
    in.symbol.push_back(static_cast<int>(program.tape.symbols().size()));
    in.entry.push_back(name);
    x.push_back(variable({name}));
  }
  for (const double value : {0.7, -1.3, 2.1}) p.push_back(variable({"p", true, value}));
  program.inputs.push_back(in);
  OutputArray out{"out", "", {}, {}};
  for (const Expr& y : f(x, p)) out.value.push_back(y.ref());
  out.entry.resize(out.value.size());
  program.outputs.push_back(out);
  return program;
}

struct Rule {
  std::string what;
  Formula formula;
  int before, after;  ///< operations of a call
};
using List = std::vector<Expr>;
const std::vector<Rule> rules = {
    {"parameters of a product", [](const List& x, const List& p) { return List{p[0] * x[0] * p[1]}; }, 2, 1},
    {"parameters of a sum", [](const List& x, const List& p) { return List{p[0] + x[0] - p[1] + x[1]}; }, 3, 2},
    {"a common factor", [](const List& x, const List&) { return List{x[0] * x[1] - x[0] * x[2]}; }, 3, 2},
    {"a common factor of three",
     [](const List& x, const List& p) { return List{p[0] * x[1] - x[0] * p[0] + p[0] * x[2]}; }, 5, 3},
    {"a common factor of some terms",
     [](const List& x, const List&) { return List{x[0] * x[1] + x[2] * x[3] + x[0] * x[3]}; }, 5, 4},
    {"a common pair of sums",
     [](const List& x, const List&) {
       return List{(x[0] + x[1]) + x[2], (x[0] + x[3]) + x[1]};
     },
     4, 3},
    {"a common pair with other signs",
     [](const List& x, const List&) {
       return List{(x[0] - x[1]) + x[2], (x[1] + x[3]) - x[0]};
     },
     4, 3},
    {"a common pair of products",
     [](const List& x, const List&) {
       return List{(x[0] * x[1]) * x[2], (x[0] * x[3]) * x[1]};
     },
     4, 3},
    {"the same sum in another order",
     [](const List& x, const List&) {
       return List{(x[0] + x[1]) + x[2], (x[2] + x[1]) + x[0]};
     },
     4, 2},
    {"factors that meet after factoring",
     [](const List& x, const List&) {
       return List{x[0] * x[1] + x[0] * x[2], (x[1] + x[2]) * x[3]};
     },
     5, 3},
    {"nothing to gain",
     [](const List& x, const List&) {
       return List{x[0] / x[1], x[2] / x[1]};
     },
     2, 2},
};

TEST(Optimise, EveryRuleLowersTheCountAndKeepsTheValue) {
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.what);
    const Program before = traced(rule.formula), after = optimised(before);
    EXPECT_EQ(count(before).call.total(), rule.before);
    EXPECT_EQ(count(after).call.total(), rule.after);
    const std::vector<double> x = {0.3, -1.7, 0.9, 2.2}, expected = evaluate(before, x), got = evaluate(after, x);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-14);
  }
}

TEST(Optimise, WhatNoOutputNeedsIsLeftOut) {
  const Program p = optimised(traced([](const List& x, const List&) {
    const Expr unused = sqrt(x[0] * x[1]) / x[2];
    return List{x[0] + x[1] + unused - unused};
  }));
  EXPECT_EQ(count(p).call.total(), 1);
  EXPECT_EQ(count(p).call.special(), 0);
}

TEST(Optimise, FusedOperationsAreSumsWithAProductOfTheirOwn) {
  const Count c = count(traced([](const List& x, const List&) {
                    const Expr shared = x[0] * x[1];
                    return List{x[0] * x[2] + x[3], shared + x[3], shared};
                  })).call;
  EXPECT_EQ(c.total(), 4);
  EXPECT_EQ(c.fma_total(), 3);
}

/// Sums of random products, with shared parts: never more operations, the same values.
TEST(Optimise, RandomPolynomialsKeepTheirValue) {
  std::mt19937 random(5);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (int trial = 0; trial < 100; ++trial) {
    const Program before = traced([&](const List& x, const List& p) {
      List all = x;
      all.insert(all.end(), p.begin(), p.end());
      all.emplace_back(2.0);
      for (int i = 0; i < 60; ++i) {
        const Expr a = all[below(all.size())], b = all[below(all.size())], c = all[below(all.size())];
        switch (below(5)) {
          case 0: all.push_back(sin(a * b) - c); break;
          case 1: all.push_back(a * b - c * a); break;
          case 2: all.push_back(a / (c * c + Expr(1.0)) - b); break;
          case 3: all.push_back(if_positive(a, b, a) * c); break;
          default: all.push_back((a + b) - c); break;
        }
        all.back() = all.back() / sqrt(all.back() * all.back() + Expr(1.0));  // keeps numbers of order one
      }
      return List(all.end() - 12, all.end());
    });
    const Program after = optimised(before);
    EXPECT_LE(count(after).call.total(), count(before).call.total());
    for (int i = 0; i < 3; ++i) {
      std::vector<double> x(4);
      for (double& v : x) v = std::uniform_real_distribution<double>(-1, 1)(random);
      const std::vector<double> expected = evaluate(before, x), got = evaluate(after, x);
      for (std::size_t k = 0; k < got.size(); ++k) ASSERT_NEAR(got[k], expected[k], 1e-10) << trial;
    }
  }
}

TEST(Optimise, IsDeterministic) {
  const Formula f = [](const List& x, const List& p) {
    Expr y = x[0];
    for (int i = 0; i < 20; ++i) y = y * p[static_cast<std::size_t>(i % 3)] + x[static_cast<std::size_t>(i % 4)] * y;
    return List{y};
  };
  const Program a = optimised(traced(f)), b = optimised(traced(f));
  ASSERT_EQ(a.tape.nodes().size(), b.tape.nodes().size());
  for (std::size_t i = 0; i < a.tape.nodes().size(); ++i) EXPECT_EQ(a.tape.nodes()[i].arg, b.tape.nodes()[i].arg);
}

}  // namespace
}  // namespace gough::optimise_test
