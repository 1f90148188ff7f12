#pragma once
/// What the parts of generated code agree on.
#include <array>

#include "gough/codegen/emit.hpp"

namespace gough {

/// A field of NAME_parameters.
struct ParameterField {
  std::string name;
  std::size_t node;  ///< of the tape: its symbol
};
/// Those that the code reads, in the tape's order.
std::vector<ParameterField> parameter_fields(const Program& p);

/// The nodes of a stage that are statements of their own, in an order for one state at a time, whose operations wait for each
/// other: chains of them run side by side.
std::vector<std::size_t> many_chains(const Program& p, const std::vector<When>& when, When stage,
                                     const std::vector<bool>& inlined);

/// The same program for many states at a time, where values that fit into no register cost most: its tape in an order, and its
/// sums' terms in one, that lets few values live at a time. What set-up computes stays as it is.
Program for_few_registers(const Program& p);
/// The same for one state at a time, where values that wait for each other cost most.
Program for_short_chains(const Program& p);
/// Until the result of an operation is there.
int cycles(Op op);

/// C of a program with laned nodes.
SourceText emit_lanes(const Program& p);

// ------------------------------------------------------------------------------------------------ packs in C

/// A set of instructions that code is written for, and asks for when it runs.
struct InstructionSet {
  const char* name;
  int lanes;              ///< doubles in a register
  const char* attribute;  ///< of its functions
  const char* supported;  ///< in C; nothing: always
  const char* known;      ///< what a compiler defines that uses it anyway
};
inline constexpr std::array<InstructionSet, 3> instruction_sets = {{
    {"avx512", 8, "__attribute__((target(\"avx512f,avx512dq,avx512vl,avx2,fma\")))",
     "__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512dq\") && "
     "__builtin_cpu_supports(\"avx512vl\")",
     "defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__)"},
    {"avx2", 4, "__attribute__((target(\"avx2,fma\")))",
     "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")",
     "defined(__AVX2__) && defined(__FMA__) && 0"},
    {"baseline", 2, "", "", ""},
}};
/// What comes first in a file with packs.
std::string packs_begin();
/// The packs of one set, and `text` for it. `helpers`: the file that holds packs_text, which reads LANES, OF and FOR.
std::string for_set(const InstructionSet& set, const std::string& helpers, const std::string& text = "");
/// The type and its functions; `turns`: sines and cosines, too.
std::string packs_text(bool turns);
/// Calls `call`, with the set's name for {}, in the best set that the machine has.
std::string for_this_machine(const std::string& call);

}  // namespace gough
