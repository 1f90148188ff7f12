/// One state at a time with the legs as lanes: beside the library and the straight-line code, in every instruction set.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "codegen/generated.hpp"
#include "gough/io/compiled.hpp"
#include "gough/scalar/expr.hpp"

namespace gough::lanes_test {
namespace {

class Lanes : public InAFolder {};

/// Closed states at which both are called, with forces that belong to nothing.
double difference(const Mechanism<double>& m, const Program& p, const CompiledProgram& a, const CompiledProgram& b) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-100, 100);
  double worst = 0;
  for (const ClosedState& s : states_of(m)) {
    VecX<double> tau(6);
    for (double& t : tau) t = uniform(random);
    const std::vector<double> in = inputs_by_name(m, p, s, tau);
    std::vector<double> x(a.output_size()), y(b.output_size());
    EXPECT_EQ(a(in, x), b(in, y));
    double size = 0, off = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      size = std::max(size, std::abs(x[i])), off = std::max(off, std::abs(x[i] - y[i]));
    worst = std::max(worst, off / size);
  }
  return worst;
}

GenerateWish straight(const std::string& what) { return {.what = what, .from = "platform"}; }
GenerateWish in_lanes(const std::string& what, bool fold = false) {
  return {.what = what, .from = "platform", .fold = fold, .lanes = true};
}

/// Bases of every kind: trapezoids, flat, and points in space; friction and none.
TEST_F(Lanes, EqualTheStraightLineCode) {
  for (const char* robot : {"palida", "hexapod", "hexapod_offplane", "hexapod_arbitrary", "taghirad"})
    for (const std::string what : {"inverse", "forward"}) {
      const Mechanism<double>& m = shipped(robot);
      const Program p = generate(m, straight(what));
      const CompiledProgram plain(compiled(p)), lanes(compiled(generate(m, in_lanes(what))));
      EXPECT_EQ(lanes.name(), plain.name() + "_lanes");
      EXPECT_LE(difference(m, p, plain, lanes), 1e-12) << robot << " " << what;
    }
}

/// An independent witness: the general formulation of the library.
TEST_F(Lanes, EqualTheLibrary) {
  const Mechanism<double>& m = shipped("palida");
  const Program p = generate(m, in_lanes("inverse"));
  const CompiledProgram lanes(compiled(p));
  for (const ClosedState& s : states_of(m)) {
    Workspace<double> w = unloaded(m, s);
    DynamicsOptions by;
    by.by = Formulation::dalembert;
    inverse_dynamics(m, w, by);
    std::vector<double> tau(6);
    ASSERT_EQ(lanes(inputs_by_name(m, p, s, {}), tau), 0);
    for (std::size_t a = 0; a < 6; ++a) EXPECT_NEAR(tau[a], w.tau[static_cast<Eigen::Index>(a)], 1e-9) << a;
  }
}

TEST_F(Lanes, FoldParameters) {
  const Mechanism<double>& m = shipped("palida");
  const Program open = generate(m, in_lanes("inverse")), constant = generate(m, in_lanes("inverse", true));
  EXPECT_THAT(emit_c(constant).header, testing::Not(testing::HasSubstr("_setup")));
  const std::string with_parameters = compiled(open), kept = with_parameters + ".open";
  std::filesystem::rename(with_parameters, kept);
  EXPECT_LE(difference(m, open, CompiledProgram(kept), CompiledProgram(compiled(constant))), 1e-12);
}

TEST_F(Lanes, TakeNewParameters) {
  const Mechanism<double>& m = shipped("palida");
  const Program p = generate(m, straight("inverse"));
  CompiledProgram plain(compiled(p)), lanes(compiled(generate(m, in_lanes("inverse"))));
  EXPECT_THAT(lanes.parameters(), testing::UnorderedElementsAreArray(plain.parameters()));
  for (const std::string& name : plain.parameters()) lanes.set_parameter(name, 1.02 * plain.parameter(name));
  EXPECT_GT(difference(m, p, plain, lanes), 1e-3);
  for (const std::string& name : plain.parameters()) plain.set_parameter(name, lanes.parameter(name));
  EXPECT_LE(difference(m, p, plain, lanes), 1e-12);
}

/// The narrower vectors, which the machine that runs the tests would not choose.
TEST_F(Lanes, AgreeInEveryInstructionSetOfTheMachine) {
#ifdef __x86_64__
  for (const std::string what : {"inverse", "forward"}) {
    write_code(generate(shipped("palida"), in_lanes(what)), folder_.string());
    std::ofstream(folder_ / "main.c") << fmt::format(R"(#include "palida_{0}_lanes.c"
#include <stdio.h>
int main(void) {{
  double in[18], a[6], b[6], worst = 0;
  int i, s;
  palida_{0}_lanes_parameters p;
  palida_{0}_lanes_constants c;
  palida_{0}_lanes_default(&p);
  palida_{0}_lanes_setup(&p, &c);
#define CALL(set, out) legs_##set(&c, in, in + 3, in + 6, in + 9, in + 12, {1})
#define COMPARE(set) CALL(set, b); for (i = 0; i < 6; ++i) worst = fmax(worst, fabs(a[i] - b[i]));
  for (s = 0; s < 21; ++s) {{
    for (i = 0; i < 18; ++i) in[i] = (i == 2 ? -0.65 : 0) + 0.1 * sin(7 * i + 3 * s);
    CALL(baseline, a);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {{ COMPARE(avx2) }}
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {{ COMPARE(avx512) }}
  }}
  printf("%g\n", worst);
  return worst < 1e-10 ? 0 : 1;
}}
)",
                                                     what, what == "inverse" ? "in + 15, out" : "out, out + 3");
    const std::string base = (folder_ / "main").string();
    EXPECT_EQ(std::system(fmt::format("cc -O1 {0}.c -o {0} -lm && {0}", base).c_str()), 0) << what;
  }
#else
  GTEST_SKIP() << "one instruction set";
#endif
}

/// Clean as C and as C++.
TEST_F(Lanes, CompileStrictly) {
  for (const std::string what : {"inverse", "forward"}) {
    write_code(generate(shipped("hexapod_arbitrary"), in_lanes(what)), folder_.string());
    for (const std::string compiler : {"gcc -std=c99", "g++ -x c++ -std=c++11"})
      EXPECT_EQ(std::system(fmt::format("{} -Wall -Wextra -Wconversion -pedantic -Werror -O1 -c "
                                        "{}/hexapod_arbitrary_{}_lanes.c -o /dev/null",
                                        compiler, folder_.string(), what)
                                .c_str()),
                0);
  }
}

TEST_F(Lanes, SayWhatIsWrong) {
  const auto message = [](const char* robot, const GenerateWish& wish) -> std::string {
    try {
      generate(shipped(robot), wish);
    } catch (const Error& e) { return e.what(); }
    return "";
  };
  EXPECT_THAT(message("delta", in_lanes("inverse")),
              testing::AllOf(testing::HasSubstr("read delta"), testing::HasSubstr("six struts")));
  EXPECT_THAT(message("palida", {.what = "inverse", .from = "joints", .lanes = true}),
              testing::HasSubstr("expected inverse or forward from platform"));
}

/// The tape's own part: lanes fold, add and come apart as numbers do.
TEST(LanesOnATape, FoldAndEvaluate) {
  Tape tape;
  const Tracing tracing(tape);
  std::array<Expr, most_lanes> numbers, same;
  for (std::size_t i = 0; i < most_lanes; ++i) numbers[i] = Expr(static_cast<double>(i + 1)), same[i] = numbers[0];
  const Expr constants = across(numbers), x = variable({"x"});
  EXPECT_EQ(across(same).ref(), numbers[0].ref()) << "one number for all";
  EXPECT_EQ(lane(constants * constants, 3).ref(), Expr(16.0).ref());
  EXPECT_EQ(total(constants, 6).ref(), Expr(21.0).ref());
  EXPECT_EQ(lane(x, 2).ref(), x.ref());
  const Expr scaled = x * constants, one = lane(scaled, 4), sum = total(-scaled, 6), six = total(x, 6);
  EXPECT_TRUE(tape.laned(scaled.ref()));
  EXPECT_FALSE(tape.laned(one.ref()) || tape.laned(sum.ref()));
  const std::vector<double> values = evaluate(tape, {2.0});
  EXPECT_EQ(value_of(values, one.ref()), 10);
  EXPECT_EQ(value_of(values, sum.ref()), -42);
  EXPECT_EQ(value_of(values, six.ref()), 12);
}

}  // namespace
}  // namespace gough::lanes_test
