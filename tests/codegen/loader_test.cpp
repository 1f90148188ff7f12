/// Shared objects of generated code: compiled, loaded, called, refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "codegen/generated.hpp"
#include "gough/io/compiled.hpp"

namespace gough::loader_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A place of the test's own for its files.
class Compiled : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  CompiledProgram loaded(const Program& p) const {
    compile(p, path(p.name + ".so"));
    return CompiledProgram(path(p.name + ".so"));
  }
  /// A shared object of other C.
  std::string other(const std::string& source) const {
    std::ofstream(path("other.c")) << source;
    EXPECT_EQ(std::system(fmt::format("cc -shared -fPIC {0}.c -o {0}.so", path("other")).c_str()), 0);
    return path("other.so");
  }

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / fmt::format("gough_loader_{}", getpid());
};

const GenerateWish five_bar_wish{"forward", "actuators"};
const std::vector<double> five_bar_state = {2.3, 0.8, 0.3, -0.2, 1.0, -2.0};

std::vector<double> called(const CompiledProgram& p, const std::vector<double>& in) {
  std::vector<double> out(p.output_size());
  EXPECT_EQ(p(in, out), 0);
  return out;
}

void expect_near(const std::vector<double>& x, const std::vector<double>& expected) {
  EXPECT_LT(error_of(vector_of(x), vector_of(expected)), 1e-12);  // the same operations, perhaps fused
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "no error";
}

TEST_F(Compiled, ComputesWhatTheTapeDoes) {
  for (const bool fold : {false, true}) {
    GenerateWish wish = five_bar_wish;
    wish.fold = fold;
    const Program p = generate(shipped("five_bar"), wish);
    expect_near(called(loaded(p), five_bar_state), evaluate(p, five_bar_state));
  }
}

TEST_F(Compiled, SaysWhatItIs) {
  const CompiledProgram p = loaded(generate(shipped("five_bar"), five_bar_wish));
  EXPECT_EQ(p.name(), "five_bar_forward");
  EXPECT_EQ(p.robot(), "five_bar");
  EXPECT_EQ(p.what(), "forward");
  EXPECT_EQ(p.from(), "actuators");
  EXPECT_THAT(p.made_by(), testing::StartsWith("gough "));
  std::vector<std::string> names;
  for (const auto& arrays : {p.inputs(), p.outputs()})
    for (const CompiledProgram::Array& a : arrays) {
      names.push_back(a.name);
      EXPECT_EQ(a.size, 2U) << a.name;
      EXPECT_NE(a.meaning, "") << a.name;
    }
  EXPECT_THAT(names, ElementsAre("q", "v", "tau", "a"));
  EXPECT_EQ(p.input_size(), 6U);
  EXPECT_EQ(p.output_size(), 2U);
}

/// The delta's platform does not turn: the arrays of its angles are empty and left out.
TEST_F(Compiled, LeavesOutEmptyArrays) {
  const Program p = generate(shipped("delta"), {"inverse", "platform"});
  const CompiledProgram c = loaded(p);
  for (const CompiledProgram::Array& a : c.inputs()) EXPECT_GT(a.size, 0U) << a.name;
  const std::vector<double> in = {0.05, 0.02, -0.65, 0.1, 0.2, 0.3, 1, 2, 3};
  ASSERT_EQ(c.input_size(), in.size());
  expect_near(called(c, in), evaluate(p, in));
}

TEST_F(Compiled, FollowsItsParameters) {
  Mechanism<double> heavier = shipped("palida");
  CompiledProgram c = loaded(generate(heavier, {"inverse", "platform"}));
  const double mass = c.parameter("platform_mass");
  heavier.inertia[at(heavier.platform.body)].mass += 1;
  const std::vector<double> in = {0.02, 0.01, -0.65, 0.1, -0.1, 0.2, 1, 2, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3};
  const std::vector<double> expected = evaluate(generate(heavier, {"inverse", "platform"}), in), before = called(c, in);
  c.set_parameter("platform_mass", mass + 1);
  EXPECT_EQ(c.parameter("platform_mass"), mass + 1);
  EXPECT_LT(error_of(vector_of(called(c, in)), vector_of(expected)), 1e-10);
  EXPECT_GT(error_of(vector_of(before), vector_of(expected)), 1e-3);
}

/// Each keeps its own, of the same file too.
TEST_F(Compiled, HasParametersOfItsOwn) {
  CompiledProgram a = loaded(generate(shipped("five_bar"), five_bar_wish));
  const CompiledProgram b(path("five_bar_forward.so"));
  ASSERT_FALSE(a.parameters().empty());
  const std::string name = a.parameters().front();
  const double before = b.parameter(name);
  a.set_parameter(name, 2 * before);
  EXPECT_EQ(b.parameter(name), before);
}

TEST_F(Compiled, MovesAndIsCalledByThreads) {
  const Program p = generate(shipped("five_bar"), five_bar_wish);
  CompiledProgram first = loaded(p);
  const CompiledProgram c = std::move(first);
  const std::vector<double> expected = evaluate(p, five_bar_state);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) expect_near(called(c, five_bar_state), expected);
    });
  for (std::thread& t : threads) t.join();
}

/// Objects in one program keep to their own functions, though these have the same names.
TEST_F(Compiled, DoesNotMixWithAnother) {
  const Program p = generate(shipped("five_bar"), five_bar_wish);
  Mechanism<double> heavier = shipped("five_bar");
  for (Inertia<double>& I : heavier.inertia) I.mass *= 2, I.first *= 2, I.second *= 2;
  const Program q = generate(heavier, five_bar_wish);
  compile(p, path("light.so"));
  compile(q, path("heavy.so"));
  const CompiledProgram light(path("light.so")), heavy(path("heavy.so"));
  expect_near(called(light, five_bar_state), evaluate(p, five_bar_state));
  expect_near(called(heavy, five_bar_state), evaluate(q, five_bar_state));
}

TEST_F(Compiled, CopesWithAnyName) {
  Program p = generate(shipped("five_bar"), five_bar_wish);
  p.robot = "a \"robot\" \\ ?\?/ of\nM\xc3\xbcller";
  EXPECT_EQ(loaded(p).robot(), p.robot);
}

TEST_F(Compiled, RefusesWhatIsNotOurs) {
  std::ofstream(path("text.so")) << "no shared object";
  EXPECT_THAT(message_of([&] { CompiledProgram c(path("text.so")); }), HasSubstr("text.so: cannot be loaded ("));
  EXPECT_THAT(message_of([&] { CompiledProgram c(path("none.so")); }), HasSubstr("none.so: cannot be loaded ("));
  EXPECT_THAT(message_of([&] { CompiledProgram c(other("int x;\n")); }),
              HasSubstr("other.so: read no 'gough_program'"));
}

TEST_F(Compiled, RefusesAnotherFormat) {
  const std::string source = "const struct { int format; const char *made_by; } gough_program = {9, \"gough 9\"};\n";
  EXPECT_THAT(message_of([&] { CompiledProgram c(other(source)); }),
              HasSubstr("other.so: read format 9 of gough 9, expected 3"));
}

TEST_F(Compiled, RefusesOtherSizesAndUnknownParameters) {
  CompiledProgram c = loaded(generate(shipped("five_bar"), five_bar_wish));
  std::vector<double> out(2), short_in(5);
  EXPECT_THAT(message_of([&] { c(short_in, out); }), HasSubstr("read 5 inputs, expected 6"));
  EXPECT_THAT(message_of([&] { c(five_bar_state, std::span(out).first(1)); }), HasSubstr("read 1 outputs, expected 2"));
  EXPECT_THAT(message_of([&] { c.set_parameter("nose", 1); }), HasSubstr("parameter: read 'nose', expected one of "));
  EXPECT_THAT(message_of([&] { c.parameter("nose"); }), HasSubstr("tip_mass"));
  compile(generate(shipped("five_bar"), {"forward", "actuators", true}), path("folded.so"));
  const CompiledProgram folded(path("folded.so"));
  EXPECT_THAT(folded.parameters(), testing::IsEmpty());
  EXPECT_THAT(message_of([&] { folded.parameter("nose"); }), HasSubstr("compiled with --fold"));
}

TEST(GeneratedLoader, CompilesWithoutWarningsAsCAndAsCpp) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "gough_loader_text";
  for (const bool fold : {false, true}) {
    const Program p = generate(shipped("five_bar"), {"forward", "actuators", fold});
    write_code(p, folder.string());
    const std::string loader = (folder / "loader.c").string();
    std::ofstream(loader) << emit_loader(p);
    for (const std::string as : {"-std=c99", "-x c++ -std=c++17"})
      EXPECT_EQ(
          std::system(
              fmt::format("cc {} -Wall -Wextra -Wconversion -pedantic -Werror -c {} -o /dev/null", as, loader).c_str()),
          0);
  }
}

}  // namespace
}  // namespace gough::loader_test
