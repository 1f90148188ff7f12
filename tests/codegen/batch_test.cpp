/// Generated code for many states at once beside the same code for one: every instruction set the machine has, ends of batches
/// that fill no vector, statuses, and angles of every size.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "codegen/generated.hpp"
#include "gough/io/compiled.hpp"
#include "gough/scalar/expr.hpp"

namespace gough::batch_test {
namespace {

class Batches : public InAFolder {
 protected:
  CompiledProgram compiled(const Program& p) const { return CompiledProgram(InAFolder::compiled(p, {.batch = true})); }
};

/// States around one, entry after entry.
std::vector<double> around(const std::vector<double>& state, std::size_t n, double spread, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-spread, spread);
  std::vector<double> in(state.size() * n);
  for (std::size_t i = 0; i < state.size(); ++i)
    for (std::size_t s = 0; s < n; ++s) in[i * n + s] = state[i] + uniform(random);
  return in;
}

/// The largest difference between a batch and single calls, as a share of the state's largest result.
double difference(const CompiledProgram& p, std::size_t n, const std::vector<double>& in) {
  std::vector<double> out(p.output_size() * n, -1), one(p.input_size()), result(p.output_size());
  std::vector<int> status(n, -1);
  p.batch(in, out, status);
  double worst = 0;
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t i = 0; i < one.size(); ++i) one[i] = in[i * n + s];
    EXPECT_EQ(p(one, result), status[s]) << "state " << s;
    double size = 0;
    for (const double x : result) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < result.size(); ++i)
      worst = std::max(worst, std::abs(result[i] - out[i * n + s]) / std::max(size, 1e-300));
  }
  return worst;
}

const std::vector<double> palida_moving = {0.02, -0.03, -0.65, 0.1, -0.1, 0.2, 0.3, 0.2, -0.1,
                                           0.5,  -0.4,  0.3,   1,   2,    -1,  2,   -3,  1};

TEST_F(Batches, EqualSingleCallsAtEverySize) {
  const CompiledProgram p =
      compiled(generate(shipped("palida"), {.what = "inverse", .from = "platform", .many_states = true}));
  for (const std::size_t n : {1U, 2U, 3U, 7U, 8U, 9U, 63U, 64U, 65U, 1024U, 1025U, 5000U})
    EXPECT_LE(difference(p, n, around(palida_moving, n, 0.1, 1)), 1e-13) << n << " states";
  std::vector<double> at_rest(18 * 9, 0.0);  // where dry friction is zero
  for (std::size_t s = 0; s < 9; ++s) at_rest[2 * 9 + s] = -0.65;
  EXPECT_LE(difference(p, 9, at_rest), 1e-13);
}

TEST_F(Batches, EqualSingleCallsOfForwardDynamics) {
  const CompiledProgram p = compiled(generate(shipped("five_bar"), {"forward", "actuators"}));
  EXPECT_LE(difference(p, 1000, around({2.3, 0.8, 0.3, -0.2, 1, -2}, 1000, 0.3, 2)), 1e-12);
  EXPECT_NO_THROW(p.batch({}, {}, {})) << "nothing to do";
}

/// Sines and cosines by themselves: a program that is nothing else.
TEST_F(Batches, TurnByEveryAngle) {
  Program p;
  p.name = "turns", p.robot = "none", p.what = "turn", p.from = "angle";
  {
    const Tracing tracing(p.tape);
    const Expr x = variable({"x"});
    p.inputs = {{"x", "angle", {"x [rad]"}, {0}}};
    p.outputs = {{"y", "sine and cosine", {"sin", "cos"}, {sin(x).ref(), cos(x).ref()}}};
  }
  const CompiledProgram turns = compiled(p);
  std::vector<double> x = {0.0,
                           -0.0,
                           0.7853981633974483,
                           0.78500001,
                           -0.785,
                           1.5707963267948966,
                           3.141592653589793,
                           -4.71238898038469,
                           1e5,
                           -999999.5,
                           1e6,
                           1.1e6,
                           1e15,
                           1e300,
                           -5e-324};
  std::mt19937 random(3);
  for (const double size : {1.0, 10.0, 1e3, 1e6})
    for (int i = 0; i < 1000; ++i) x.push_back(std::uniform_real_distribution<double>(-size, size)(random));
  std::vector<double> y(2 * x.size());
  std::vector<int> status(x.size());
  turns.batch(x, y, status);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(y[i], std::sin(x[i]), 3e-16) << x[i];
    EXPECT_NEAR(y[x.size() + i], std::cos(x[i]), 3e-16) << x[i];
  }
  x = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 0.5};
  y.resize(6), status.resize(3);
  turns.batch(x, y, status);
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[3]) && std::isnan(y[4]));
  EXPECT_NEAR(y[2], std::sin(0.5), 3e-16);
}

TEST_F(Batches, SayWhatIsWrong) {
  const Program p = generate(shipped("five_bar"), {"forward", "actuators"});
  const std::string file = (folder_ / "single.so").string();
  compile(p, file);
  std::vector<double> in(12), out(4);
  std::vector<int> status(2);
  try {
    CompiledProgram(file).batch(in, out, status);
    FAIL() << "expected an error";
  } catch (const Error& e) { EXPECT_THAT(e.what(), testing::HasSubstr("expected one compiled with --batch")); }
  const CompiledProgram many = compiled(p);
  in.pop_back();
  EXPECT_THROW(many.batch(in, out, status), Error);
}

/// The narrower vectors, which the machine that runs the tests would not choose: each compiled alone.
TEST_F(Batches, AgreeInEveryInstructionSetOfTheMachine) {
#ifdef __x86_64__
  const Program p = generate(shipped("palida"), {"inverse", "platform"});
  write_code(p, folder_.string(), "c", true);
  std::ofstream(folder_ / "main.c") << R"(#include "palida_inverse_batch.c"
#include <stdio.h>
int main(void) {
  enum { n = 21 };
  double in[18 * n], a[6 * n], b[6 * n], worst = 0;
  int status[n], other[n], i, s, sets = 1;
  palida_inverse_parameters p;
  palida_inverse_constants c;
  palida_inverse_default(&p);
  palida_inverse_setup(&p, &c);
  for (i = 0; i < 18; ++i)
    for (s = 0; s < n; ++s) in[i * n + s] = (i == 2 ? -0.65 : 0) + 0.1 * sin(7 * i + 3 * s);
#define CALL(set, out, st) states_##set(&c, n, 0, n, in, in + 3 * n, in + 6 * n, in + 9 * n, in + 12 * n, in + 15 * n, out, st)
#define COMPARE(set) \
  CALL(set, b, other); \
  ++sets; \
  for (i = 0; i < 6 * n; ++i) worst = fmax(worst, fabs(a[i] - b[i])); \
  for (s = 0; s < n; ++s) worst += status[s] != other[s];
  CALL(baseline, a, status);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) { COMPARE(avx2) }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) { COMPARE(avx512) }
  printf("%d %g\n", sets, worst);
  return worst < 1e-10 ? 0 : 1;
}
)";
  const std::string base = (folder_ / "main").string();
  EXPECT_EQ(
      std::system(fmt::format("cc -O1 {0}.c {1}/palida_inverse.c -o {0} -lm && {0}", base, folder_.string()).c_str()),
      0);
#else
  GTEST_SKIP() << "one instruction set";
#endif
}

/// Clean under both compilers, as C and as C++.
TEST_F(Batches, CompileStrictly) {
  write_code(generate(shipped("palida"), {"inverse", "platform"}), folder_.string(), "c", true);
  for (const std::string compiler : {"gcc -std=c99", "g++ -x c++ -std=c++11"})
    EXPECT_EQ(
        std::system(
            fmt::format("{} -Wall -Wextra -Wconversion -pedantic -Werror -O1 -c {}/palida_inverse_batch.c -o /dev/null",
                        compiler, folder_.string())
                .c_str()),
        0);
}

}  // namespace
}  // namespace gough::batch_test
