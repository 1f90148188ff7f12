#pragma once
/// A program as processors run it: one list of instructions on values. Signs on operands are gone, products are fused into sums, and what
/// parameters alone decide is a constant.                                                       docs/theory/engine.md
#include <cstdint>
#include <vector>

#include "gough/codegen/program.hpp"
#include "gough/scalar/index.hpp"

namespace gough::engine {

enum class Kind : std::uint8_t {
  add,     ///< a + b
  sub,     ///< a - b
  mul,     ///< a b
  div,     ///< a / b
  fma,     ///< a b + c, rounded once; so are the next three
  fms,     ///< a b - c
  fnma,    ///< c - a b
  fnms,    ///< -a b - c
  sqrt,    ///< of a
  larger,  ///< a > b ? a : b
  select,  ///< a > b ? c : d
  turn,    ///< sine (to) and cosine (to2) of a, for |a| below `reducible`
  atan2,   ///< of a, b, by the C library
  bit_and,
  bit_xor,
  store,  ///< entry `index` of output `array` = a
  guard,  ///< unless a > b: status |= index
  // parts of `turn`
  pick,  ///< a where c's sign bit is set, otherwise b
  shift62,
  shift63  ///< the bits of a, to the left
};
inline constexpr int kinds = static_cast<int>(Kind::shift63) + 1;

/// Bits of a status.
inline constexpr int guard_failed = 1, argument_too_large = 2;

struct Instruction {
  Kind kind{};
  int to = -1, to2 = -1;
  int a = -1, b = -1, c = -1, d = -1;
  int index = 0, array = 0;
};

struct Value {
  enum class Home : std::uint8_t { computed, input, constant };
  Home home = Home::computed;
  int index = 0, array = 0;  ///< of an input: entry of its array; of a constant: its place
};

struct Code {
  std::vector<Value> value;
  std::vector<Instruction> instruction;
  std::vector<double> constant;
  std::vector<int> input_size, output_size;  ///< per array
};

/// Visits the operands of an instruction.
template <class Visit>
void operands_of(const Instruction& i, Visit&& visit) {
  for (const int v : {i.a, i.b, i.c, i.d})
    if (v >= 0) visit(v);
}

/// Throws std::logic_error for programs with legs as lanes.
Code lower(const Program& p);

/// Sines and cosines written out as polynomials.
Code with_turns_expanded(const Code& c);

/// In the order of a processor that begins two instructions per cycle, the longest chain first, those that free registers preferred.
void order_for_latency(Code& c);
/// Equal instructions after each other, as far as they do not need each other.
void order_by_kind(Code& c);

}  // namespace gough::engine
