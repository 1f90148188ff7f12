#include "gough/codegen/emit.hpp"

#include "emitter.hpp"

namespace gough {
namespace {

class BatchEmitter : public Emitter {
 public:
  using Emitter::Emitter;

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
        "#include \"{}_batch.h\"\n\n#include <math.h>\n#include <string.h>\n\n",
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
