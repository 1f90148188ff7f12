#include "gough/codegen/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "emit_parts.hpp"

namespace gough {
namespace {

std::size_t at(Ref r) { return static_cast<std::size_t>(r.node()); }

/// A number that reads back as the same double, and as a double in C.
std::string number(double x) {
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

class Emitter {
 public:
  enum class Dialect { c, cuda };
  Emitter(const Program& program, Dialect language)
      : p(program), dialect(language), when(schedule(p)), table(count(p)), parameters(parameter_fields(p)) {
    name_inputs();
    for (const ParameterField& f : parameters) field[f.node] = "p->" + f.name;
    number_constants();
    find_lone_products();
  }

  std::string header() const {
    std::string out = comment();
    const std::string guard = upper(p.name) + "_H";
    out += fmt::format("#ifndef {0}\n#define {0}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n", guard);
    if (has_setup()) {
      out += "typedef struct {\n";
      for (const auto& [name, node] : parameters)
        out += fmt::format("  double {}; /* {} */\n", name, plain(symbol(node).comment));
      out += fmt::format("}} {}_parameters;\n\n", p.name);
      out += fmt::format("typedef struct {{\n  double k[{}];\n}} {}_constants;\n\n", constants.size(), p.name);
      out += fmt::format("/* The parameters of the robot file. */\n{};\n\n", default_signature());
      out += fmt::format("/* What a call needs of the parameters, computed once. */\n{};\n\n", setup_signature());
    }
    out += fmt::format("/* The status is 0, or 1 where the result is not to be used: {}. */\n{};\n\n", failure(),
                       dialect == Dialect::c ? signature(p.name) : batch_signature());
    return out + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  }

  std::string source() const {
    std::string out = fmt::format("#include \"{}.h\"\n\n#include <math.h>\n\n", p.name);
    if (has_setup()) out += defaults() + setup();
    if (dialect == Dialect::c) return out + call(p.name);
    return out + "__device__ static " + call(p.name + "_state") + "\n" + kernel() + "\n" + batch();
  }

 private:
  const Symbol& symbol(std::size_t node) const { return p.tape.symbol_of(p.tape.nodes()[node]); }
  bool has_setup() const { return !constants.empty(); }

  static std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
  }
  /// Nothing in a comment ends it.
  static std::string plain(std::string text) {
    for (char& c : text)
      if (c == '*' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = ' ';
    return text;
  }

  void name_inputs() {
    std::vector<std::string> of_symbol(p.tape.symbols().size());
    for (const InputArray& a : p.inputs)
      for (std::size_t k = 0; k < a.symbol.size(); ++k)
        of_symbol[static_cast<std::size_t>(a.symbol[k])] = fmt::format("{}[{}]", a.name, k);
    for (const Tape::Node& n : p.tape.nodes())
      field.push_back(n.op == Op::symbol ? of_symbol[static_cast<std::size_t>(n.value)] : "");
  }

  /// Set-up values that a call reads, in the tape's order.
  void number_constants() {
    std::vector<bool> read(p.tape.nodes().size(), false);
    const auto look = [&](Ref r) { read[at(r)] = read[at(r)] || when[at(r)] == When::setup; };
    for (std::size_t i = 0; i < when.size(); ++i)
      for (std::size_t k = 0; when[i] == When::call && k < static_cast<std::size_t>(operands(p.tape.nodes()[i].op));
           ++k)
        look(p.tape.nodes()[i].arg[k]);
    for (const Ref r : p.roots()) look(r);
    slot.assign(when.size(), -1);
    for (std::size_t i = 0; i < when.size(); ++i) {
      if (!read[i]) continue;
      slot[i] = static_cast<int>(constants.size());
      constants.push_back(i);
    }
  }

  /// A product that one sum alone uses is written inside it, so that compilers fuse the two.
  void find_lone_products() {
    std::vector<int> uses(when.size(), 0);
    for (const Ref r : p.roots()) uses[at(r)] += 2;
    for (std::size_t i = 0; i < when.size(); ++i)
      for (std::size_t k = 0; when[i] >= When::setup && k < static_cast<std::size_t>(operands(p.tape.nodes()[i].op));
           ++k)
        ++uses[at(p.tape.nodes()[i].arg[k])];
    inlined.assign(when.size(), false);
    for (std::size_t i = 0; i < when.size(); ++i) {
      const Tape::Node& n = p.tape.nodes()[i];
      for (std::size_t k = 0; n.op == Op::sum && when[i] >= When::setup && k < 2; ++k) {
        const std::size_t j = at(n.arg[k]);
        inlined[j] = p.tape.nodes()[j].op == Op::product && uses[j] == 1 && when[j] == when[i];
      }
    }
  }

  // ---------------------------------------------------------------------------------------------- text

  static std::string counted(const Count& c) {
    return fmt::format(
        "{} = {} additions and subtractions + {} multiplications + {} divisions; {} with fused multiply-add;\n"
        " * {} sqrt, {} sin, {} cos, {} atan2",
        c.total(), c.add, c.mul, c.div, c.fma_total(), c.sqrt, c.sin, c.cos, c.atan2);
  }

  template <class Array>
  static std::string listed(const Array& array) {
    std::string out = fmt::format(" *   {}[{}]: {}\n", array.name, array.entry.size(), plain(array.meaning));
    for (std::size_t i = 0; i < array.entry.size(); ++i)
      out += fmt::format(" *     {:2} {}\n", i, plain(array.entry[i]));
    return out;
  }

  std::string comment() const {
    std::string out = "/*\n";
    for (const std::string& line : p.about) out += fmt::format(" * {}\n", plain(line));
    out += " *\n * Inputs\n";
    for (const InputArray& a : p.inputs) out += listed(a);
    out += " * Outputs\n";
    for (const OutputArray& a : p.outputs) out += listed(a);
    out += fmt::format(" * Operations of a call: {}.\n", counted(table.call));
    if (has_setup()) out += fmt::format(" * Of the set-up, once: {}.\n", counted(table.setup));
    out +=
        " * Counted are additions and subtractions, multiplications and divisions; functions apart. Signs, "
        "comparisons\n"
        " * and selects are no arithmetic. What depends on parameters alone is computed at set-up.\n */\n";
    return out;
  }

  std::string failure() const {
    if (p.guards.empty()) return "never";
    std::string out;
    for (const Guard& g : p.guards) out += fmt::format("{}{}", out.empty() ? "" : "; ", plain(g.meaning));
    return out;
  }

  std::string default_signature() const { return fmt::format("void {0}_default({0}_parameters *p)", p.name); }
  std::string setup_signature() const {
    return fmt::format("void {0}_setup(const {0}_parameters *p, {0}_constants *c)", p.name);
  }
  std::string signature(const std::string& name) const {
    std::vector<std::string> list;
    if (has_setup()) list.push_back(fmt::format("const {}_constants *c", p.name));
    for (const InputArray& a : p.inputs)
      if (!a.symbol.empty()) list.push_back(fmt::format("const double {}[{}]", a.name, a.symbol.size()));
    for (const OutputArray& a : p.outputs)
      if (!a.value.empty()) list.push_back(fmt::format("double {}[{}]", a.name, a.value.size()));
    return fmt::format("int {}({})", name, fmt::join(list, ", "));
  }

  // ---------------------------------------------------------------------------------------------- batches

  /// Pointers to the arrays of a batch, with their types or as arguments.
  std::vector<std::string> batch_arrays(bool types) const {
    std::vector<std::string> list;
    for (const InputArray& a : p.inputs)
      if (!a.symbol.empty()) list.push_back((types ? "const double *" : "") + a.name);
    for (const OutputArray& a : p.outputs)
      if (!a.value.empty()) list.push_back((types ? "double *" : "") + a.name);
    list.emplace_back(types ? "int *status" : "status");
    return list;
  }
  std::string batch_signature() const {
    const std::string constants_of = has_setup() ? fmt::format("const {}_constants *c, ", p.name) : "";
    return fmt::format("int {}_batch({}int n, {})", p.name, constants_of, fmt::join(batch_arrays(true), ", "));
  }
  std::string batch() const {
    return fmt::format(
        "{} {{\n  const int threads = 128;\n  {}_kernel<<<(n + threads - 1) / threads, threads>>>({}n, {});\n"
        "  return cudaGetLastError() == cudaSuccess ? 0 : 1;\n}}\n",
        batch_signature(), p.name, has_setup() ? "*c, " : "", fmt::join(batch_arrays(false), ", "));
  }
  std::string kernel() const {
    const std::string constants_of = has_setup() ? fmt::format("const {}_constants c, ", p.name) : "";
    std::string out = fmt::format("__global__ void {}_kernel({}int n, {}) {{\n", p.name, constants_of,
                                  fmt::join(batch_arrays(true), ", "));
    out += "  const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n  if (s >= n) return;\n";
    std::vector<std::string> arguments;
    if (has_setup()) arguments.emplace_back("&c");
    std::string load, store;
    const auto local = [&](const std::string& name, std::size_t size, bool is_input) {
      if (size == 0) return;
      out += fmt::format("  double {}_s[{}];\n", name, size);
      arguments.push_back(name + "_s");
      std::string& text = is_input ? load : store;
      for (std::size_t i = 0; i < size; ++i)
        text += is_input ? fmt::format("  {0}_s[{1}] = {0}[{1} * (size_t)n + s];\n", name, i)
                         : fmt::format("  {0}[{1} * (size_t)n + s] = {0}_s[{1}];\n", name, i);
    };
    for (const InputArray& a : p.inputs) local(a.name, a.symbol.size(), true);
    for (const OutputArray& a : p.outputs) local(a.name, a.value.size(), false);
    return out + load + fmt::format("  status[s] = {}_state({});\n", p.name, fmt::join(arguments, ", ")) + store +
           "}\n";
  }

  // ---------------------------------------------------------------------------------------------- expressions

  std::string leaf(std::size_t i, When stage) const {
    const Tape::Node& n = p.tape.nodes()[i];
    if (n.op == Op::constant) return number(n.value);
    if (stage == When::call && when[i] == When::setup) return fmt::format("c->k[{}]", slot[i]);
    if (n.op == Op::symbol) return field[i];
    if (inlined[i]) return body(i, stage);
    return fmt::format("t{}", i);
  }
  std::string signed_leaf(Ref r, When stage) const { return (r.negative() ? "-" : "") + leaf(at(r), stage); }

  std::string body(std::size_t i, When stage) const {
    const Tape::Node& n = p.tape.nodes()[i];
    const auto arg = [&](std::size_t k) { return signed_leaf(n.arg[k], stage); };
    switch (n.op) {
      case Op::sum: return fmt::format("{} {} {}", arg(0), n.arg[1].negative() ? '-' : '+', leaf(at(n.arg[1]), stage));
      case Op::product: return fmt::format("{} * {}", arg(0), arg(1));
      case Op::quotient: return fmt::format("{} / {}", arg(0), arg(1));
      case Op::sqrt: return fmt::format("sqrt({})", arg(0));
      case Op::sin: return fmt::format("sin({})", arg(0));
      case Op::cos: return fmt::format("cos({})", arg(0));
      case Op::atan2: return fmt::format("atan2({}, {})", arg(0), arg(1));
      case Op::abs: return fmt::format("fabs({})", arg(0));
      case Op::select: return fmt::format("{} > {} ? {} : {}", arg(0), arg(1), arg(2), arg(3));
      case Op::constant:
      case Op::symbol: break;
    }
    return leaf(i, stage);
  }

  std::string statements(When stage) const {
    std::string out;
    for (std::size_t i = 0; i < when.size(); ++i)
      if (when[i] == stage && operands(p.tape.nodes()[i].op) > 0 && !inlined[i])
        out += fmt::format("  const double t{} = {};\n", i, body(i, stage));
    return out;
  }

  std::string defaults() const {
    std::string out = default_signature() + " {\n";
    for (const auto& [name, node] : parameters) out += fmt::format("  p->{} = {};\n", name, number(symbol(node).value));
    return out + "}\n\n";
  }

  std::string setup() const {
    std::string out = setup_signature() + " {\n" + statements(When::setup);
    for (std::size_t i = 0; i < constants.size(); ++i)
      out += fmt::format("  c->k[{}] = {};\n", i, leaf(constants[i], When::setup));
    return out + "}\n\n";
  }

  std::string call(const std::string& name) const {
    std::string out = signature(name) + " {\n";
    for (const InputArray& a : p.inputs) {
      bool used = false;
      for (std::size_t i = 0; i < when.size(); ++i)
        used = used || (p.tape.nodes()[i].op == Op::symbol && when[i] == When::call &&
                        std::count(a.symbol.begin(), a.symbol.end(), static_cast<int>(p.tape.nodes()[i].value)) > 0);
      if (!used && !a.symbol.empty()) out += fmt::format("  (void){};\n", a.name);
    }
    out += statements(When::call);
    for (const OutputArray& a : p.outputs)
      for (std::size_t i = 0; i < a.value.size(); ++i)
        out += fmt::format("  {}[{}] = {};\n", a.name, i, signed_leaf(a.value[i], When::call));
    std::string sound;
    for (const Guard& g : p.guards)
      sound += fmt::format("{}{} > {}", sound.empty() ? "" : " && ", signed_leaf(g.value, When::call), number(g.bound));
    return out + (sound.empty() ? "  return 0;\n}\n" : fmt::format("  return {} ? 0 : 1;\n}}\n", sound));
  }

  const Program& p;
  Dialect dialect;
  std::vector<When> when;
  CountTable table;
  std::vector<ParameterField> parameters;
  std::vector<std::string> field;      ///< of a symbol: how it is written
  std::vector<std::size_t> constants;  ///< nodes that set-up hands to a call
  std::vector<int> slot;
  std::vector<bool> inlined;
};

}  // namespace

std::vector<ParameterField> parameter_fields(const Program& p) {
  const std::vector<When> when = schedule(p);
  std::vector<ParameterField> fields;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < when.size(); ++i) {
    if (p.tape.nodes()[i].op != Op::symbol || when[i] != When::setup) continue;
    const std::string wanted = c_name(p.tape.symbol_of(p.tape.nodes()[i]).name);
    std::string name = wanted;
    for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}_{}", wanted, k);
    fields.push_back({name, i});
  }
  return fields;
}

std::string c_name(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 && c > 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "_");
  return name;
}

SourceText emit_c(const Program& p) {
  const Emitter emitter(p, Emitter::Dialect::c);
  return {emitter.header(), emitter.source()};
}

SourceText emit_cuda(const Program& p) {
  const Emitter emitter(p, Emitter::Dialect::cuda);
  return {emitter.header(), emitter.source()};
}

}  // namespace gough
