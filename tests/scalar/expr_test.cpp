#include "gough/scalar/expr.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace gough::expr_test {
namespace {

static_assert(!std::equality_comparable<Expr> && !std::totally_ordered<Expr>);
template <class S>
concept Ordered = requires(S a, S b) {
  a < b;
};
static_assert(Ordered<double> && !Ordered<Expr>, "what an expression is worth is not known while tracing");

/// Operations on the tape that an output needs, constants and symbols left out.
int needed(const Tape& tape, Ref output) {
  std::vector<bool> used(tape.nodes().size(), false);
  used[static_cast<std::size_t>(output.node())] = true;
  int count = 0;
  for (std::size_t i = used.size(); i-- > 0;) {
    const Tape::Node& n = tape.nodes()[i];
    if (!used[i]) continue;
    count += operands(n.op) > 0 ? 1 : 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(operands(n.op)); ++k)
      used[static_cast<std::size_t>(n.arg[k].node())] = true;
  }
  return count;
}

/// A formula written once for both scalars, and how many operations its trace may keep.
struct Rule {
  std::string what;
  std::function<Expr(Expr, Expr, Expr)> traced;
  std::function<double(double, double, double)> computed;
  int operations;
};
template <class Formula>
Rule rule(std::string what, int operations, Formula f) {
  return {std::move(what), f, f, operations};
}

const std::vector<Rule> rules = {
    rule("negation is free", 1, [](auto x, auto y, auto) { return -(x - y); }),
    rule("a - b and b - a are one node", 2, [](auto x, auto y, auto) { return (x - y) * (y - x); }),
    rule("products have no sign", 2, [](auto x, auto y, auto z) { return (-x) * y + x * (-y) + z - z; }),
    rule("zero vanishes from sums", 0,
         [](auto x, auto, auto) {
           using S = decltype(x);
           return x + S(0.0);
         }),
    rule("zero absorbs products", 0,
         [](auto x, auto, auto z) {
           using S = decltype(x);
           return x * S(0.0) + z;
         }),
    rule("one vanishes from products", 0,
         [](auto x, auto, auto) {
           using S = decltype(x);
           return x * S(1.0);
         }),
    rule("minus one is a sign", 0,
         [](auto x, auto, auto) {
           using S = decltype(x);
           return x * S(-1.0);
         }),
    rule("constants fold", 0,
         [](auto x, auto, auto) {
           using S = decltype(x);
           return S(2.0) * S(3.0) + S(1.0) / S(4.0) - sqrt(S(2.0));
         }),
    rule("constants of a product meet", 1,
         [](auto x, auto, auto) {
           using S = decltype(x);
           return S(2.0) * (x * S(3.0));
         }),
    rule("constants of a sum meet", 1,
         [](auto x, auto, auto) {
           using S = decltype(x);
           return S(2.0) + (x + S(3.0));
         }),
    rule("equal terms cancel", 0, [](auto x, auto, auto) { return x - x; }),
    rule("a term taken back", 0, [](auto x, auto y, auto) { return (x + y) - x; }),
    rule("equal terms join", 1, [](auto x, auto, auto) { return x + x + x; }),
    rule("half of the double", 0,
         [](auto x, auto, auto) {
           using S = decltype(x);
           return (x + x) * S(0.5);
         }),
    rule("division by a constant", 1,
         [](auto x, auto, auto) {
           using S = decltype(x);
           return x / S(4.0) * S(2.0);
         }),
    rule("a quotient times its divisor", 0, [](auto x, auto y, auto) { return (x / y) * y; }),
    rule("a product over its factor", 0, [](auto x, auto y, auto) { return (x * y) / y; }),
    rule("a reciprocal is shared", 3,
         [](auto x, auto, auto z) {
           using S = decltype(x);
           return (S(1.0) / z) * (x / z);
         }),
    rule("the reciprocal of a reciprocal", 1,
         [](auto x, auto y, auto) {
           using S = decltype(x);
           return x / (S(1.0) / y);
         }),
    rule("constant over a scaled divisor", 1,
         [](auto, auto y, auto) {
           using S = decltype(y);
           return S(3.0) / (S(2.0) * y);
         }),
    rule("the square of a root", 3, [](auto x, auto y, auto) { return sqrt(x * x + y * y) * sqrt(y * y + x * x); }),
    rule("a number over its root", 1, [](auto, auto, auto z) { return z / sqrt(z); }),
    rule("the root of a square", 1, [](auto x, auto, auto) { return sqrt(x * x); }),
    rule("sine is odd", 1, [](auto x, auto, auto) { return sin(-x) + sin(x) + sin(x); }),
    rule("cosine is even", 1, [](auto x, auto, auto) { return cos(-x) - cos(x) + cos(x); }),
    rule("sine of an atan2", 5, [](auto x, auto y, auto) { return sin(atan2(x, y)); }),
    rule("cosine of an atan2", 5, [](auto x, auto y, auto) { return cos(atan2(-x, y)); }),
    rule("sine of an atan2 and an angle", 11, [](auto x, auto y, auto z) { return sin(atan2(x, y) - z); }),
    rule("cosine of an angle less an atan2", 11, [](auto x, auto y, auto z) { return cos(z - atan2(x, y)); }),
    rule("a magnitude", 1, [](auto x, auto, auto) { return if_positive(x, x, -x); }),
    rule("a magnitude of a difference", 2, [](auto x, auto y, auto) { return if_positive(x - y, x - y, y - x); }),
    rule("the smaller compares without subtracting", 1, [](auto x, auto y, auto) { return smaller(x, y); }),
    rule("dry friction without arithmetic", 2, [](auto x, auto y, auto) { return y * sign(x); }),
    rule("dry friction of a known size", 2,
         [](auto x, auto, auto) {
           using S = decltype(x);
           return S(3.0) * sign(x);
         }),
    rule("a select between equals", 0, [](auto x, auto y, auto) { return if_positive(x, y, y); }),
    rule("a decided select", 0,
         [](auto, auto y, auto z) {
           using S = decltype(y);
           return if_positive(S(2.0), y, z);
         }),
};

TEST(Expr, EveryRuleKeepsTheValueAndItsOperations) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> between(-2, 2);
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.what);
    Tape tape;
    const Tracing tracing(tape);
    const Expr a = variable({"x"}), b = variable({"y"}), c = variable({"z"});
    const Ref out = rule.traced(a, b, c).ref();
    EXPECT_EQ(needed(tape, out), rule.operations);
    for (int i = 0; i < 20; ++i) {
      const double x = between(random), y = between(random), z = std::abs(between(random));
      const double expected = rule.computed(x, y, z);
      EXPECT_NEAR(value_of(evaluate(tape, {x, y, z}), out), expected, 1e-12 * (1 + std::abs(expected)));
    }
  }
}

TEST(Expr, DryFrictionIsZeroAtRest) {
  Tape tape;
  const Tracing tracing(tape);
  const Expr v = variable({"v"}), r = variable({"r"}), f = r * sign(v);
  const std::vector<std::pair<double, double>> expected = {{2, 5}, {-2, -5}, {0, 0}};
  for (const auto& [rate, force] : expected) EXPECT_EQ(value_of(evaluate(tape, {rate, 5}), f.ref()), force);
}

/// Random formulas in all operations: whatever rules meet in them, the value stays.
TEST(Expr, RandomFormulasKeepTheirValue) {
  std::mt19937 random(11);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (int trial = 0; trial < 300; ++trial) {
    Tape tape;
    const Tracing tracing(tape);
    std::vector<Expr> traced;
    std::vector<double> value, symbols;
    for (int i = 0; i < 4; ++i) {
      symbols.push_back(std::uniform_real_distribution<double>(-2, 2)(random));
      value.push_back(symbols.back());
      traced.push_back(variable({"x"}));
    }
    for (const double c : {0.0, 1.0, -1.0, 2.0, 0.5}) value.push_back(c), traced.emplace_back(c);
    for (int step = 0; step < 40; ++step) {
      const std::size_t a = below(value.size()), b = below(value.size()), c = below(value.size());
      double y = 0;
      Expr t;
      const auto both = [&](const auto& f) {
        y = f(value[a], value[b], value[c]), t = f(traced[a], traced[b], traced[c]);
      };
      switch (below(8)) {
        case 0: both([](auto p, auto q, auto) { return p + q; }); break;
        case 1: both([](auto p, auto q, auto) { return p - q; }); break;
        case 2: both([](auto p, auto q, auto) { return p * q; }); break;
        case 3:
          if (std::abs(value[b]) < 1e-3) continue;
          both([](auto p, auto q, auto) { return p / q; });
          break;
        case 4: both([](auto p, auto q, auto) { return sin(p) * cos(q); }); break;
        case 5: both([](auto p, auto q, auto) { return sqrt(p * p + q * q); }); break;
        case 6:
          if (std::abs(value[a]) + std::abs(value[b]) < 1e-3) continue;
          both([](auto p, auto q, auto r) { return cos(atan2(p, q) + r); });
          break;
        case 7:
          if (std::abs(value[a]) < 1e-6) continue;  // a sign there is a matter of rounding
          both([](auto p, auto q, auto r) { return if_positive(p, q, r); });
          break;
        default: break;
      }
      if (std::abs(y) > 1e3) continue;
      value.push_back(y), traced.push_back(t);
    }
    const std::vector<double> got = evaluate(tape, symbols);
    for (std::size_t i = 0; i < value.size(); ++i)
      ASSERT_NEAR(value_of(got, traced[i].ref()), value[i], 1e-7 * (1 + std::abs(value[i]))) << trial << ", " << i;
  }
}

TEST(Expr, SectionsAreWhereANodeWasFirstMade) {
  Tape tape;
  const Tracing tracing(tape);
  const Expr x = variable({"x"}), y = variable({"y"});
  Ref inside, again;
  {
    const Section section("strut");
    inside = (x * y).ref();
  }
  {
    const Section section("platform");
    again = (y * x).ref();
  }
  EXPECT_EQ(inside, again);
  EXPECT_EQ(tape.sections()[static_cast<std::size_t>(tape.node(again).section)], "strut");
}

}  // namespace
}  // namespace gough::expr_test
