/// Routines of random programs: interpreter and machine code against the tape's own evaluation, and against each other bit by bit.
#include "gough/engine/routine.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "gough/codegen/optimise.hpp"
#include "gough/error.hpp"
#include "gough/scalar/expr.hpp"

namespace gough::routine_test {
namespace {

using engine::Instructions;

/// What this machine can run, `none` (the interpreter) first.
std::vector<Instructions> ways() {
  std::vector<Instructions> all = {Instructions::none};
  if (engine::instructions() != Instructions::none) all.push_back(Instructions::avx2);
  if (engine::instructions() == Instructions::avx512) all.push_back(Instructions::avx512);
  return all;
}

class RandomProgram {
 public:
  RandomProgram(unsigned seed, int operations) : random_(seed) {
    program.name = "random";
    add_input("x", 7), add_input("y", 5);
    for (int i = 0; i < 6; ++i) value_.push_back(tape().symbol({"p" + std::to_string(i), true, 0.3 + 0.1 * i}));
    value_.push_back(tape().constant(0.7));
    for (int i = 0; i < operations; ++i) value_.push_back(tamed(operation()));
    add_output("u", 12), add_output("v", 3);
    program.guards.push_back({value_[value_.size() - 20], 0.0, "a guard"});
  }
  Program program;

 private:
  Tape& tape() { return program.tape; }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  Ref any() {  // near ones more often
    const std::size_t near = value_.size() - 1 - below(std::min<std::size_t>(value_.size(), 40));
    return value_[below(3) == 0 ? below(value_.size()) : near].times_sign(below(2) == 0);
  }
  Ref one_plus_square(Ref x) { return tape().add(tape().constant(1.0), tape().multiply(x, x)); }
  Ref tamed(Ref x) { return below(3) == 0 ? tape().divide(x, tape().sqrt(one_plus_square(x))) : x; }
  Ref operation() {
    switch (below(13)) {
      case 0:
      case 1:
      case 2: return tape().add(any(), tape().multiply(any(), any()));
      case 3:
      case 4: return tape().add(any(), any());
      case 5:
      case 6: return tape().multiply(any(), any());
      case 7: return tape().divide(any(), one_plus_square(any()));
      case 8: return tape().sqrt(one_plus_square(any()));
      case 9: return tape().sin(any());
      case 10: return tape().cos(any());
      case 11: return tape().choose(any(), any(), any(), any());
      default: return below(6) == 0 ? tape().atan2(any(), any()) : tape().if_positive(any(), any(), any());
    }
  }
  void add_input(const std::string& name, int n) {
    InputArray in{name, "", {}, {}};
    for (int i = 0; i < n; ++i) {
      in.symbol.push_back(static_cast<int>(tape().symbols().size()));
      in.entry.emplace_back();
      value_.push_back(tape().symbol({name + std::to_string(i), false, 0}));
    }
    program.inputs.push_back(in);
  }
  void add_output(const std::string& name, int n) {
    OutputArray out{name, "", {}, {}};
    for (int i = 0; i < n; ++i) out.value.push_back(any()), out.entry.emplace_back();
    program.outputs.push_back(out);
  }
  std::mt19937 random_;
  std::vector<Ref> value_;
};

struct Evaluated {
  int status = 0;
  std::vector<double> out;
};

std::vector<std::vector<double>> split(const std::vector<double>& x, const Program& p) {
  std::vector<std::vector<double>> parts;
  auto next = x.begin();
  for (const InputArray& a : p.inputs) {
    const auto n = static_cast<std::ptrdiff_t>(a.symbol.size());
    parts.emplace_back(next, next + n);
    next += n;
  }
  return parts;
}

Evaluated run(const Routine& r, const Program& p, const std::vector<double>& x) {
  const std::vector<std::vector<double>> parts = split(x, p);
  std::vector<const double*> in;
  for (const auto& part : parts) in.push_back(part.data());
  std::vector<std::vector<double>> results;
  for (const OutputArray& a : p.outputs) results.emplace_back(a.value.size(), std::nan(""));
  std::vector<double*> out;
  for (auto& part : results) out.push_back(part.data());
  std::vector<double> scratch = r.scratch();
  Evaluated e;
  e.status = r.run(in.data(), out.data(), scratch.data());
  for (const auto& part : results) e.out.insert(e.out.end(), part.begin(), part.end());
  return e;
}

bool guard_holds(const Program& p, const std::vector<double>& x) {
  std::vector<double> symbol;
  for (const Symbol& s : p.tape.symbols()) symbol.push_back(s.value);
  std::size_t k = 0;
  for (const InputArray& a : p.inputs)
    for (const int s : a.symbol) symbol[static_cast<std::size_t>(s)] = x[k++];
  return value_of(evaluate(p.tape, symbol), p.guards[0].value) > p.guards[0].bound;
}

TEST(Routine, ComputesWhatTheTapeSays) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-2, 2);
  int tripped = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Program p = RandomProgram(seed, 30 + 12 * static_cast<int>(seed)).program;
    std::vector<double> x(12);
    for (double& each : x) each = uniform(random);
    const std::vector<double> expected = evaluate(p, x);
    std::optional<Evaluated> first;
    for (const Instructions by : ways()) {
      const Routine r(p, by);
      EXPECT_EQ(r.is_code(), by != Instructions::none);
      const Evaluated e = run(r, p, x);
      EXPECT_EQ(e.status == 0, guard_holds(p, x)) << "seed " << seed;
      tripped += e.status == 0 ? 0 : 1;
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(e.out[i], expected[i], 1e-12 * (1 + std::abs(expected[i]))) << "seed " << seed << ", output " << i;
      if (!first) first = e;
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(e.out[i]), std::bit_cast<std::uint64_t>(first->out[i]))
            << r.runs_as() << ", seed " << seed << ", output " << i;
    }
  }
  EXPECT_GT(tripped, 0);
}

/// Thousands of values at a time: more than registers, so that many go to memory and back.
TEST(Routine, KeepsMoreValuesThanRegisters) {
  Program p;
  InputArray in{"x", "", {}, {}};
  std::vector<Ref> square;
  constexpr int n = 400;
  for (int i = 0; i < n; ++i) {
    in.symbol.push_back(i), in.entry.emplace_back();
    const Ref x = p.tape.symbol({"x", false, 0});
    square.push_back(p.tape.multiply(x, p.tape.add(x, p.tape.constant(i))));
  }
  p.inputs.push_back(in);
  Ref forwards, backwards;
  for (int i = 0; i < n; ++i) {
    forwards = p.tape.add(forwards, p.tape.multiply(square[static_cast<std::size_t>(i)], p.tape.constant(1 + i)));
    backwards = p.tape.divide(p.tape.add(backwards, square[static_cast<std::size_t>(n - 1 - i)]), p.tape.constant(2));
  }
  p.outputs.push_back({"y", "", {"", ""}, {forwards, backwards}});
  std::vector<double> x(n);
  double sum = 0, folded = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = std::cos(static_cast<double>(i));
    sum += x[i] * (x[i] + static_cast<double>(i)) * (1 + static_cast<double>(i));
  }
  for (std::size_t i = n; i-- > 0;) folded = (folded + x[i] * (x[i] + static_cast<double>(i))) / 2;
  for (const Instructions by : ways()) {
    const Evaluated e = run(Routine(p, by), p, x);
    EXPECT_EQ(e.status, 0);
    EXPECT_NEAR(e.out[0], sum, 1e-9 * std::abs(sum));
    EXPECT_NEAR(e.out[1], folded, 1e-12 * std::abs(folded));
  }
}

Program turns() {
  Program p;
  p.inputs.push_back({"x", "", {""}, {0}});
  const Ref x = p.tape.symbol({"x", false, 0});
  p.outputs.push_back({"y", "", {"", ""}, {p.tape.sin(x), -p.tape.cos(x)}});
  return p;
}

TEST(Routine, TurnsAreThoseOfTheCLibrary) {
  const Program p = turns();
  std::mt19937 random(3);
  for (const Instructions by : ways()) {
    const Routine r(p, by);
    for (int i = 0; i < 20000; ++i) {
      const double size = std::pow(10.0, std::uniform_real_distribution<double>(-9, 5.9)(random));
      const double x = i % 2 == 0 ? size : -size;
      const Evaluated e = run(r, p, {x});
      ASSERT_EQ(e.status, 0) << x;
      const double allowed = 2.5e-16;
      ASSERT_NEAR(e.out[0], std::sin(x), allowed) << x;
      ASSERT_NEAR(e.out[1], -std::cos(x), allowed) << x;
      if (std::abs(x) < 1) { ASSERT_NEAR(e.out[0], std::sin(x), 4.5e-16 * std::abs(std::sin(x))) << x; }
    }
  }
}

TEST(Routine, ArgumentsOutOfRangeAreSaid) {
  const Program p = turns();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const Instructions by : ways()) {
    const Routine r(p, by);
    for (const double x : {2e6, -2e6, infinite, -infinite, std::nan("")}) EXPECT_EQ(run(r, p, {x}).status, 2) << x;
    EXPECT_EQ(run(r, p, {0.0}).status, 0);
  }
}

/// What parameters alone decide is computed when the routine is made; a rewritten tape is another program of the same function.
TEST(Routine, RewrittenProgramsComputeTheSame) {
  for (unsigned seed = 101; seed <= 110; ++seed) {
    const Program p = RandomProgram(seed, 300).program, q = optimised(p);
    const std::vector<double> x = {0.1, -0.4, 0.9, 1.2, -1.1, 0.3, 0.8, -0.2, 0.5, 1.4, -0.7, 0.6};
    const Evaluated a = run(Routine(p), p, x), b = run(Routine(q), q, x);
    EXPECT_EQ(a.status, b.status);
    for (std::size_t i = 0; i < a.out.size(); ++i) EXPECT_NEAR(a.out[i], b.out[i], 1e-11 * (1 + std::abs(a.out[i])));
  }
}

TEST(Routine, MoreArraysThanRegistersAreInterpreted) {
  Program p;
  p.inputs.push_back({"x", "", {""}, {0}});
  const Ref x = p.tape.symbol({"x", false, 0});
  for (int i = 0; i < 6; ++i) p.outputs.push_back({"y", "", {""}, {p.tape.add(x, p.tape.constant(i))}});
  const Routine r(p);
  EXPECT_FALSE(r.is_code());
  const Evaluated e = run(r, p, {0.5});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(e.out[i], 0.5 + static_cast<double>(i));
}

TEST(Engine, WordsOfTheEnvironment) {
  EXPECT_EQ(name(Engine::interpreter), "interpreter");
  const Engine before = chosen_engine();
  choose_engine(Engine::kernels);
  EXPECT_EQ(chosen_engine(), Engine::kernels);
  choose_engine(before);
}

}  // namespace
}  // namespace gough::routine_test
