/// Generated C, compiled by the system's compilers and run.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "codegen/generated.hpp"

namespace gough::compiled_test {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), n);
  pclose(pipe);
  return text;
}

bool exists(const std::string& compiler) { return !output_of("command -v " + compiler).empty(); }

/// A program around the function: numbers in, status and numbers out, until the end of input.
std::string around(const Program& p) {
  std::string out = fmt::format("#include <stdio.h>\n#include \"{}.h\"\nint main(void) {{\n", p.name);
  const bool setup = emit_c(p).header.find("_constants") != std::string::npos;
  std::vector<std::string> arrays;
  if (setup) {
    out += fmt::format("  {0}_parameters parameters;\n  {0}_constants constants;\n", p.name);
    out += fmt::format("  {0}_default(&parameters);\n  {0}_setup(&parameters, &constants);\n", p.name);
    arrays.emplace_back("&constants");
  }
  for (const InputArray& a : p.inputs) out += fmt::format("  double {}[{}];\n", a.name, a.symbol.size());
  for (const OutputArray& a : p.outputs) out += fmt::format("  double {}[{}];\n", a.name, a.value.size());
  out += "  int i;\n  for (;;) {\n";
  for (const InputArray& a : p.inputs) {
    out += fmt::format("    for (i = 0; i < {}; ++i) if (scanf(\"%lf\", &{}[i]) != 1) return 0;\n", a.symbol.size(),
                       a.name);
    arrays.push_back(a.name);
  }
  for (const OutputArray& a : p.outputs) arrays.push_back(a.name);
  out += fmt::format("    printf(\"%d\\n\", {}({}));\n", p.name, fmt::join(arrays, ", "));
  for (const OutputArray& a : p.outputs)
    out += fmt::format("    for (i = 0; i < {}; ++i) printf(\"%.17g\\n\", {}[i]);\n", a.value.size(), a.name);
  return out + "  }\n}\n";
}

std::filesystem::path written(const Program& p, const std::string& where) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("gough_" + where + "_" + p.name);
  std::filesystem::create_directories(folder);
  const SourceText text = emit_c(p);
  std::ofstream(folder / (p.name + ".h")) << text.header;
  std::ofstream(folder / (p.name + ".c")) << text.source;
  std::ofstream(folder / "main.c") << around(p);
  return folder;
}

const std::string strict = " -O1 -Wall -Wextra -Wconversion -pedantic -Werror ";

void compile_strictly(const Program& p, const std::string& where) {
  const std::string source = (written(p, where) / (p.name + ".c")).string();
  for (const std::string as : {"-std=c99", "-x c++ -std=c++17"})
    for (const std::string compiler : {"gcc", "clang"})
      if (exists(compiler)) {
        EXPECT_EQ(output_of(compiler + " " + as + strict + "-c " + source + " -o /dev/null"), "") << compiler << as;
      }
}

TEST(GeneratedCode, CompilesWithoutWarningsAsCAndAsCpp) {
  for (const bool fold : {false, true}) {
    const std::string where = fold ? "folded" : "open";
    for (const std::string robot : {"palida", "five_bar", "psp3"})
      for (const std::string what : {"inverse", "forward", "kinematics"})
        compile_strictly(generate(shipped(robot), {what, "joints", fold}), where);
    compile_strictly(generate(shipped("five_bar"), {"forward", "actuators", fold}), "actuators_" + where);
    for (const bool matrix : {false, true})
      for (const std::string what : {"inverse", "forward"})
        compile_strictly(generate(shipped("palida"), {what, "platform", fold, false, matrix}), "struts_" + where);
  }
}

TEST(GeneratedCode, GivesTheLibrarysForces) {
  for (const std::string robot : {"palida", "five_bar", "psp3"}) {
    const Mechanism<double>& m = shipped(robot);
    const Program p = generate(m, {"inverse", "joints"});
    const std::string folder = written(p, "run").string();
    ASSERT_EQ(output_of(fmt::format("cd {0} && cc -std=c99 {2} {1}.c main.c -lm -o run", folder, p.name, strict)), "");
    for (const ClosedState& s : states_of(m)) {
      std::ofstream file(folder + "/in");
      for (const double x : joined({s.q, s.v, s.a})) file << fmt::format("{:.17g}\n", x);
      file.close();
      std::istringstream out(output_of(folder + "/run < " + folder + "/in"));
      int status = -1;
      out >> status;
      EXPECT_EQ(status, 0);
      Workspace<double> w = unloaded(m, s);
      Dynamics d(m, w, by(Formulation::virtual_power));
      ASSERT_TRUE(inverse_dynamics(m, w, d).ok());
      VecX<double> tau(w.tau.size());
      for (double& x : tau) out >> x;
      EXPECT_LT(error_of(tau, w.tau), 1e-11);
    }
  }
}

TEST(GeneratedCode, IsTheSameEveryTime) {
  const SourceText a = emit_c(generate(shipped("palida"), {})), b = emit_c(generate(shipped("palida"), {}));
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.header, b.header);
}

TEST(GeneratedCode, UsesNoFunctionsButThoseAllowed) {
  const std::string text = emit_c(generate(shipped("palida"), {})).source;
  for (const std::string other : {"malloc", "pow", "fmin", "fmax", "copysign", "exp", "for (", "while"})
    EXPECT_EQ(text.find(other), std::string::npos) << other;
}

TEST(GeneratedCode, IsRefusedWhereThereIsNone) {
  EXPECT_THROW(generate(shipped("palida"), {"nothing", "joints"}), Error);
  EXPECT_THROW(generate(shipped("palida"), {"inverse", "nowhere"}), Error);
  EXPECT_THROW(generate(shipped("four_bar"), {"kinematics", "joints"}), Error);
}

}  // namespace
}  // namespace gough::compiled_test
