#include "gough/codegen/emit.hpp"

#include "emitter.hpp"

namespace gough {
namespace {

/// Read once per instruction set, with LANES, OF and FOR defined.
constexpr const char* lanes = R"(typedef double OF(pack) __attribute__((vector_size(8 * LANES)));
typedef long long OF(mask) __attribute__((vector_size(8 * LANES)));

FOR static inline OF(pack) OF(spread)(double x) {
  const OF(pack) zero = {0};
  return x - zero;
}
FOR static inline OF(pack) OF(choose)(OF(mask) m, OF(pack) a, OF(pack) b) {
  return (OF(pack))((m & (OF(mask))a) | (~m & (OF(mask))b));
}
FOR static inline OF(pack) OF(fabs)(OF(pack) x) { return OF(choose)(x < 0.0, -x, x); }
FOR static inline OF(pack) OF(sqrt)(OF(pack) x) {
#if LANES == 8
  return (OF(pack))_mm512_maskz_sqrt_pd(255, (__m512d)x);
#elif LANES == 4
  return (OF(pack))_mm256_sqrt_pd((__m256d)x);
#else
  OF(pack) y;
  int i;
  for (i = 0; i < LANES; ++i) y[i] = sqrt(x[i]);
  return y;
#endif
}
FOR static inline OF(pack) OF(atan2)(OF(pack) y, OF(pack) x) {
  OF(pack) a;
  int i;
  for (i = 0; i < LANES; ++i) a[i] = atan2(y[i], x[i]);
  return a;
}
)";

/// Sines and cosines of polynomials; angles beyond pi/4 are reduced by multiples of pi/2 in three parts, exact up to a million.
constexpr const char* turns_of_lanes = R"(typedef struct {{
  OF(pack) sin, cos;
}} OF(turn);

FOR static OF(turn) OF(sin_cos)(OF(pack) x) {{
  const double round = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer in the low bits */
  const OF(pack) size = OF(fabs)(x);
  const OF(mask) beyond = ~(size <= 0.785), far = ~(size <= 1e6);
  long long any_beyond = 0, any_far = 0;
  OF(mask) n = {{0}};
  OF(pack) r = x, u, s, c;
  OF(turn) t;
  int i;
  for (i = 0; i < LANES; ++i) any_beyond |= beyond[i], any_far |= far[i];
  if (any_far) {{ /* far away, or not a number */
    for (i = 0; i < LANES; ++i) t.sin[i] = sin(x[i]), t.cos[i] = cos(x[i]);
    return t;
  }}
  if (any_beyond) {{
    OF(pack) k = x * 0.63661977236758138 + round;
    n = (OF(mask))k;
    k = k - round;
    r = x - k * 1.5707963267341256;
    r = r - k * 6.0771005063039e-11;
    r = r - k * 2.0222662487959506e-21;
  }}
  u = r * r;
  s = r + r * u * ({});
  c = 1.0 - 0.5 * u + u * u * ({});
  t.sin = s, t.cos = c;
  if (any_beyond) {{
    t.sin = OF(choose)((n & 1) != 0, c, s);
    t.cos = OF(choose)((n & 1) != 0, s, c);
    t.sin = OF(choose)((n & 2) != 0, -t.sin, t.sin);
    t.cos = OF(choose)(((n + 1) & 2) != 0, -t.cos, t.cos);
  }}
  return t;
}}
)";

constexpr const char* sets = R"(#define OF(name) JOINED(name, SET)
#define JOINED(a, b) JOINED_ONCE(a, b)
#define JOINED_ONCE(a, b) a##_##b

#ifdef FOR_X86
#define LANES 8
#define SET avx512
#define FOR __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#include "{0}_batch.c"
#undef LANES
#undef SET
#undef FOR
#define LANES 4
#define SET avx2
#define FOR __attribute__((target("avx2,fma")))
#include "{0}_batch.c"
#undef LANES
#undef SET
#undef FOR
#endif
#define LANES 2
#define SET baseline
#define FOR
#include "{0}_batch.c"
)";

class BatchEmitter : public Emitter {
 public:
  using Emitter::Emitter;

  SourceText text() const { return {header(), source()}; }

 private:
  std::vector<std::size_t> order(When stage) const override { return order_of_tape(stage); }
  std::string type() const override { return "OF(pack)"; }
  std::string function(const std::string& name) const override { return fmt::format("OF({})", name); }
  std::string spread(const std::string& scalar) const override { return fmt::format("OF(spread)({})", scalar); }
  std::string select(const std::string& condition, const std::string& yes, const std::string& no) const override {
    return fmt::format("OF(choose)({}, {}, {})", condition, yes, no);
  }

  std::string signature(const std::string& name) const {
    return fmt::format("void {}({}size_t n, size_t first, size_t last, {})", name, constants_argument(),
                       fmt::join(batch_arrays(true), ", "));
  }
  std::string arguments() const {
    return fmt::format("{}n, first, last, {}", has_setup() ? "c, " : "", fmt::join(batch_arrays(false), ", "));
  }

  std::string header() const {
    return fmt::format(
        R"(/* {0} for many states at once: its arrays are said in {0}.h. Entry i of state s of n is at [i n + s].
 * The states first to last - 1 are computed, so that several threads can share them. For gcc and clang; the machine's
 * instructions (AVX-512, AVX2 or the baseline) are found when it runs. */
#ifndef {1}_BATCH_H
#define {1}_BATCH_H

#include <stddef.h>

#include "{0}.h"

#ifdef __cplusplus
extern "C" {{
#endif

{2};

/* The instructions in use: avx512, avx2 or baseline. */
const char *{0}_batch_instructions(void);

#ifdef __cplusplus
}}
#endif

#endif
)",
        p.name, upper(p.name), signature(p.name + "_batch"));
  }

  std::string source() const {
    std::string out = fmt::format(
        "#ifndef LANES /* the file reads itself once for each instruction set */\n\n"
        "#include \"{}_batch.h\"\n\n#include <math.h>\n#include <string.h>\n\n",
        p.name);
    out +=
        "#if defined(__x86_64__)\n#define FOR_X86\n#include <immintrin.h>\n"
        "#if defined(__GNUC__) && !defined(__clang__)\n"
        "#pragma GCC diagnostic ignored \"-Wpsabi\" /* packs stay inside this file */\n#endif\n#endif\n\n";
    out += fmt::format(sets, p.name);
    out += "\n" + choice() + "\n#else\n\n" + lanes +
           (turns() ? fmt::format(turns_of_lanes, sin_polynomial(), cos_polynomial()) : "") + "\n" + call() + "\n" +
           loop();
    return out + "\n#endif\n";
  }

  std::string choice() const {
    std::string out = signature(p.name + "_batch") + " {\n#ifdef FOR_X86\n";
    for (const char* set : {"avx512", "avx2"})
      out += fmt::format("  if ({}) {{\n    states_{}({});\n    return;\n  }}\n", supported(set), set, arguments());
    out += fmt::format("#endif\n  states_baseline({});\n}}\n\n", arguments());
    out += fmt::format("const char *{}_batch_instructions(void) {{\n#ifdef FOR_X86\n", p.name);
    for (const char* set : {"avx512", "avx2"}) out += fmt::format("  if ({}) return \"{}\";\n", supported(set), set);
    return out + "#endif\n  return \"baseline\";\n}\n";
  }
  static std::string supported(const std::string& set) {
    return set == "avx2" ? "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")"
                         : "__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512dq\") && "
                           "__builtin_cpu_supports(\"avx512vl\")";
  }

  /// One pack of states; the arrays hold packs.
  std::string call() const {
    std::vector<std::string> list;
    if (has_setup()) list.push_back(fmt::format("const {}_constants *c", p.name));
    for (const InputArray& a : p.inputs)
      if (!a.symbol.empty()) list.push_back(fmt::format("const OF(pack) *{}", a.name));
    for (const OutputArray& a : p.outputs)
      if (!a.value.empty()) list.push_back(fmt::format("OF(pack) *{}", a.name));
    std::string out = fmt::format("FOR static inline OF(mask) OF(state)({}) {{\n", fmt::join(list, ", "));
    for (const InputArray& a : p.inputs)
      if (!a.symbol.empty() && !reads(a)) out += fmt::format("  (void){};\n", a.name);
    out += statements(When::call) + assignments();
    std::string sound;
    for (const Guard& g : p.guards) sound += fmt::format("{}({})", sound.empty() ? "" : " & ", condition(g));
    if (sound.empty()) return out + "  {\n    const OF(mask) none = {0};\n    return ~none;\n  }\n}\n";
    return out + fmt::format("  return {};\n}}\n", sound);
  }

  /// Pack after pack; at the end the last state fills the lanes that are left.
  std::string loop() const {
    std::string load, store, declare, given = has_setup() ? "c" : "";
    const auto array = [&](const std::string& name, std::size_t size, bool is_input) {
      if (size == 0) return;
      declare += fmt::format("  OF(pack) {}_s[{}];\n", name, size);
      given += fmt::format("{}{}_s", given.empty() ? "" : ", ", name);
      std::string& text = is_input ? load : store;
      text +=
          is_input
              ? fmt::format("      for (i = 0; i < {1}; ++i) memcpy(&{0}_s[i], {0} + i * n + s, sizeof {0}_s[i]);\n",
                            name, size)
              : fmt::format("      for (i = 0; i < {1}; ++i) memcpy({0} + i * n + s, &{0}_s[i], sizeof {0}_s[i]);\n",
                            name, size);
    };
    for (const InputArray& a : p.inputs) array(a.name, a.symbol.size(), true);
    for (const OutputArray& a : p.outputs) array(a.name, a.value.size(), false);
    std::string load_rest, store_rest;
    for (const InputArray& a : p.inputs)
      if (!a.symbol.empty())
        load_rest += fmt::format(
            "      for (i = 0; i < {1}; ++i) {{\n        for (j = 0; j < LANES; ++j) rest[j] = {0}[i * n + s + (j < "
            "left ? j : left - 1)];\n"
            "        memcpy(&{0}_s[i], rest, sizeof rest);\n      }}\n",
            a.name, a.symbol.size());
    for (const OutputArray& a : p.outputs)
      if (!a.value.empty())
        store_rest +=
            fmt::format("      for (i = 0; i < {1}; ++i) memcpy({0} + i * n + s, &{0}_s[i], left * sizeof *{0});\n",
                        a.name, a.value.size());
    return fmt::format(
        "FOR static {} {{\n  size_t s, i, j;\n  double rest[LANES];\n{}  OF(mask) sound;\n  for (s = first; s < last; "
        "s += LANES) {{\n"
        "    const size_t left = last - s < LANES ? last - s : LANES;\n"
        "    if (left == LANES) {{\n{}    }} else {{\n{}    }}\n    sound = OF(state)({});\n"
        "    if (left == LANES) {{\n{}    }} else {{\n{}    }}\n"
        "    for (j = 0; j < left; ++j) status[s + j] = sound[j] ? 0 : 1;\n  }}\n}}\n",
        signature("OF(states)"), declare, load, load_rest, given, store, store_rest);
  }
};

}  // namespace

SourceText emit_batch(const Program& p) { return BatchEmitter(for_few_registers(p)).text(); }

}  // namespace gough
