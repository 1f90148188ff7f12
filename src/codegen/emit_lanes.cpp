/// Legs of one robot as lanes of packs: one state at a time, its legs at once.
#include <algorithm>

#include "emitter.hpp"

namespace gough {
namespace {

/// A call for one instruction set. The legs fill several packs where a register is too small for all: every laned value has as
/// many parts, t7_0, t7_1 and so on, and '@' stands for the part until a statement is written for each.
class LanesEmitter : public HeaderEmitter {
 public:
  LanesEmitter(const Program& program, const InstructionSet& s)
      : HeaderEmitter(program), set(s), parts((p.legs + s.lanes - 1) / s.lanes) {}

  std::string text() const { return totals() + fmt::format("FOR static {}", call(fmt::format("legs_{}", set.name))); }
  std::string header_text() const { return header(signature(p.name)); }
  std::string beginning_text() const { return beginning(); }
  std::string arguments() const {
    std::vector<std::string> list;
    if (has_setup()) list.emplace_back("c");
    for (const InputArray& a : p.inputs)
      if (!a.symbol.empty()) list.push_back(a.name);
    for (const OutputArray& a : p.outputs)
      if (!a.value.empty()) list.push_back(a.name);
    return fmt::format("{}", fmt::join(list, ", "));
  }
  std::string choice() const {
    return fmt::format("{} {{\n{}}}\n", signature(p.name),
                       for_this_machine(fmt::format("return legs_{{}}({});", arguments())));
  }
  bool any_turns(bool laned) const {
    for (std::size_t i = 0; i < when.size(); ++i) {
      const Op op = p.tape.nodes()[i].op;
      if ((op == Op::sin || op == Op::cos) && when[i] == When::call && is_laned(i) == laned) return true;
    }
    return false;
  }

 private:
  bool packed(std::size_t i) const override { return is_laned(i); }

  /// Lanes of constants come first.
  std::vector<std::size_t> order(When stage) const override {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < when.size() && stage == When::call; ++i)
      if (when[i] == When::constant && p.tape.nodes()[i].op == Op::lanes) all.push_back(i);
    const std::vector<std::size_t> rest = many_chains(p, when, stage, inlined);
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }

  std::string leaf(std::size_t i, When stage) const override {
    if (!is_laned(i) || inlined[i]) return Emitter::leaf(i, stage);
    if (stage == When::setup) return fmt::format("t{}[j]", i);
    if (when[i] == When::setup) return fmt::format("OF(load)(c->legs[{}] + {} * @)", slot[i], set.lanes);
    return fmt::format("t{}_@", i);
  }

  std::string body(std::size_t i, When stage) const override {
    const Tape::Node& n = p.tape.nodes()[i];
    if (n.op != Op::lane && n.op != Op::total) return Emitter::body(i, stage);
    const std::string x = leaf(at(n.arg[0]), stage);
    const int which = static_cast<int>(n.value);
    if (n.op == Op::lane)
      return stage == When::setup ? fmt::format("t{}[{}]", at(n.arg[0]), which)
                                  : fmt::format("{}[{}]", of_part(x, which / set.lanes), which % set.lanes);
    std::vector<std::string> list;
    if (stage == When::setup)
      for (int l = 0; l < which; ++l) list.push_back(fmt::format("t{}[{}]", at(n.arg[0]), l));
    else
      for (int part = 0; part < parts; ++part) list.push_back(of_part(x, part));
    return stage == When::setup ? fmt::format("{}", fmt::join(list, " + "))
                                : fmt::format("OF(total)({})", fmt::join(list, ", "));
  }

  std::string statement(std::size_t i, When stage) const override {
    if (!is_laned(i)) return Emitter::statement(i, stage);
    const Tape::Node& n = p.tape.nodes()[i];
    if (stage == When::setup)
      return n.op == Op::lanes
                 ? fmt::format("  const double t{}[] = {{{}}};\n", i, fmt::join(entries(n, stage), ", "))
                 : fmt::format("  double t{0}[8];\n  for (j = 0; j < 8; ++j) t{0}[j] = {1};\n", i, body(i, stage));
    std::string out;
    for (int part = 0; part < parts; ++part) {
      const std::vector<std::string> all = n.op == Op::lanes ? entries(n, stage) : std::vector<std::string>();
      const auto first = all.begin() + (n.op == Op::lanes ? part * set.lanes : 0);
      out += fmt::format("  const OF(pack) t{}_{} = {};\n", i, part,
                         n.op == Op::lanes ? fmt::format("{{{}}}", fmt::join(first, first + set.lanes, ", "))
                                           : of_part(body(i, stage), part));
    }
    return out;
  }

  std::vector<std::string> entries(const Tape::Node& n, When stage) const {
    std::vector<std::string> all;
    for (const Ref half : {n.arg[0], n.arg[1]})
      for (const Ref x : p.tape.node(half).arg) all.push_back(signed_leaf(x, stage));
    return all;
  }

  static std::string of_part(std::string text, int part) {
    for (std::size_t k = text.find('@'); k != std::string::npos; k = text.find('@'))
      text.replace(k, 1, std::to_string(part));
    return text;
  }

  /// The sum over the legs: of whole registers first.
  std::string totals() const {
    std::vector<std::string> parameter, sum;
    for (int part = 0; part < parts; ++part) parameter.push_back(fmt::format("OF(pack) x{}", part));
    std::string out = fmt::format("FOR static inline double OF(total)({}) {{\n", fmt::join(parameter, ", "));
    const auto pair = [&](int l) {  // lanes l and l + 1
      const int part = l / set.lanes, from = l % set.lanes;
      return set.lanes == 8   ? fmt::format("_mm512_extractf64x2_pd((__m512d)x{}, {})", part, from / 2)
             : set.lanes == 4 ? fmt::format("_mm256_extractf128_pd((__m256d)x{}, {})", part, from / 2)
                              : fmt::format("x{}", part);
    };
    for (int l = 0; l + 1 < p.legs; l += 2) sum.push_back(pair(l));
    const std::string type = set.lanes == 2 ? "OF(pack)" : "__m128d";
    if (p.legs > 1) out += fmt::format("  const {} y = {};\n", type, fmt::join(sum, " + "));
    std::string last = p.legs > 1 ? "y[0] + y[1]" : "";
    if (p.legs % 2 != 0)
      last += fmt::format("{}x{}[{}]", last.empty() ? "" : " + ", (p.legs - 1) / set.lanes, (p.legs - 1) % set.lanes);
    return out + fmt::format("  return {};\n}}\n\n", last);
  }

  const InstructionSet& set;
  int parts;
};

}  // namespace

SourceText emit_lanes(const Program& program) {
  const Program p = for_short_chains(program);
  const LanesEmitter any(p, instruction_sets[0]);
  std::string out = "#ifndef LANES /* the file reads its end once for each instruction set */\n\n";
  out += any.beginning_text() + "#include <string.h>\n\n" + packs_begin();
  if (any.any_turns(false)) out += sin_cos_text("static inline", "double", "", true);
  for (const InstructionSet& set : instruction_sets)
    out += for_set(set, p.name + ".c", "\n" + LanesEmitter(p, set).text() + "\n");
  out += "\n" + any.choice();
  return {any.header_text(), out + "\n#else\n\n" + packs_text(any.any_turns(true)) +
                                 "FOR static inline OF(pack) OF(load)(const double *from) {\n  OF(pack) x;\n  "
                                 "memcpy(&x, from, sizeof x);\n  return x;\n}\n\n#endif\n"};
}

}  // namespace gough
