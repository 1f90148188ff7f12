#include "gough/codegen/emit.hpp"

#include "emitter.hpp"

namespace gough {
namespace {

/// What a tile holds, and the loop over tiles: signature, tiles, statements that fill them, arguments of a call, statements that
/// empty them.
constexpr const char* tile_text =
    R"(typedef int OF(flags) __attribute__((vector_size(4 * LANES)));

/* The last state fills the lanes that are left. The next tile is asked for meanwhile. */
FOR static inline void OF(take)(const double *from, size_t m, OF(pack) *to, size_t stride) {{
  size_t b, j;
  for (b = 0; b * LANES < m; ++b, to += stride) {{
    __builtin_prefetch(from + TILE + b * LANES);
    if (m - b * LANES >= LANES) memcpy(to, from + b * LANES, sizeof *to);
    else
      for (j = 0; j < LANES; ++j) (*to)[j] = from[b * LANES + j < m ? b * LANES + j : m - 1];
  }}
}}
FOR static inline void OF(give)(double *to, size_t m, const OF(pack) *from, size_t stride) {{
  size_t b, j;
  for (b = 0; b * LANES < m; ++b, from += stride) {{
    if (m - b * LANES >= LANES) memcpy(to + b * LANES, from, sizeof *from);
    else
      for (j = 0; b * LANES + j < m; ++j) to[b * LANES + j] = (*from)[j];
  }}
}}

FOR static {0} {{
  size_t s, i, j, b;
{1}  for (s = first; s < last; s += TILE) {{
    const size_t m = last - s < TILE ? last - s : TILE;
{2}    for (b = 0; b * LANES < m; ++b) {{
      const OF(mask) sound = OF(state)({3}); /* -1 or 0 */
      const OF(flags) bad = __builtin_convertvector(sound, OF(flags)) + 1;
      if (m - b * LANES >= LANES) memcpy(status + s + b * LANES, &bad, sizeof bad);
      else
        for (j = 0; b * LANES + j < m; ++j) status[s + b * LANES + j] = bad[j];
    }}
{4}  }}
}}
)";

class BatchEmitter : public Emitter {
 public:
  explicit BatchEmitter(const Program& program) : Emitter(program) { find_signs(); }

  SourceText text() const { return {header(), source()}; }

 private:
  std::vector<std::size_t> order(When stage) const override { return order_of_tape(stage); }
  bool packed(std::size_t i) const override { return when[i] == When::call; }

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
        "#include \"{}_batch.h\"\n\n#include <math.h>\n#include <string.h>\n\n#define TILE 64\n\n",
        p.name);
    out += packs_begin();
    for (const InstructionSet& set : instruction_sets) out += for_set(set, p.name + "_batch.c");
    return out + "\n" + choice() + "\n#else\n\n" + packs_text(turns()) + "\n" + call() + "\n" + loop() + "\n#endif\n";
  }

  std::string choice() const {
    return fmt::format("{} {{\n{}}}\n\nconst char *{}_batch_instructions(void) {{\n{}}}\n",
                       signature(p.name + "_batch"),
                       for_this_machine(fmt::format("{{{{ states_{{}}({}); return; }}}}", arguments())), p.name,
                       for_this_machine("return \"{}\";"));
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
    out += statements(When::call) + assignments(true);
    std::string sound;
    for (const Guard& g : p.guards) sound += fmt::format("{}({})", sound.empty() ? "" : " & ", condition(g, true));
    if (sound.empty()) return out + "  {\n    const OF(mask) none = {0};\n    return ~none;\n  }\n}\n";
    return out + fmt::format("  return {};\n}}\n", sound);
  }

  /// States are taken and given back many at a time, entry after entry: so memory is read in long stretches, and arrays whose
  /// entries lie a power of two apart do not drive each other out of the cache.
  std::string loop() const {
    std::string tiles, take, give, given = has_setup() ? "c" : "";
    const auto array = [&](const std::string& name, std::size_t size, bool is_input) {
      if (size == 0) return;
      tiles += fmt::format("  OF(pack) {}_t[TILE / LANES][{}];\n", name, size);
      given += fmt::format("{}{}_t[b]", given.empty() ? "" : ", ", name);
      std::string& text = is_input ? take : give;
      text += fmt::format("    for (i = 0; i < {1}; ++i) OF({2})({0} + i * n + s, m, &{0}_t[0][i], {1});\n", name, size,
                          is_input ? "take" : "give");
    };
    for (const InputArray& a : p.inputs) array(a.name, a.symbol.size(), true);
    for (const OutputArray& a : p.outputs) array(a.name, a.value.size(), false);
    return fmt::format(tile_text, signature("OF(states)"), tiles, take, given, give);
  }
};

}  // namespace

SourceText emit_batch(const Program& p) { return BatchEmitter(for_few_registers(p)).text(); }

}  // namespace gough
