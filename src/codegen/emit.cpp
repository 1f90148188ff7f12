#include "gough/codegen/emit.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "emitter.hpp"

namespace gough {

std::string HeaderEmitter::header(const std::string& declaration) const {
  std::string out = comment();
  const std::string guard = upper(p.name) + "_H";
  out += fmt::format("#ifndef {0}\n#define {0}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n", guard);
  out += types();
  if (has_setup()) {
    out += "typedef struct {\n";
    for (const auto& [name, node] : parameters)
      out += fmt::format("  double {}; /* {} */\n", name, plain(symbol(node).comment));
    out += fmt::format("}} {}_parameters;\n\ntypedef struct {{\n", p.name);
    const auto laned = std::count_if(constants.begin(), constants.end(), [&](auto i) { return is_laned(i); });
    if (const auto others = static_cast<std::ptrdiff_t>(constants.size()) - laned; others > 0)
      out += fmt::format("  {} k[{}];\n", element(), others);
    if (laned > 0) out += fmt::format("  double legs[{}][{}];\n", laned, most_lanes);
    out += fmt::format("}} {}_constants;\n\n", p.name);
    out += fmt::format("/* The parameters of the robot file. */\n{};\n\n", default_signature());
    out += fmt::format("/* What a call needs of the parameters, computed once. */\n{};\n\n", setup_signature());
  }
  out += fmt::format("/* The status is 0, or 1 where the result is not to be used: {}. */\n{};\n\n", failure(),
                     declaration);
  return out + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

std::string HeaderEmitter::beginning() const {
  return fmt::format("#include \"{}.h\"\n\n#include <math.h>\n\n", p.name) + (has_setup() ? defaults() + setup() : "");
}

std::string HeaderEmitter::signature(const std::string& name) const {
  std::vector<std::string> list;
  if (has_setup()) list.push_back(fmt::format("const {}_constants *c", p.name));
  for (const InputArray& a : p.inputs)
    if (!a.symbol.empty()) list.push_back(fmt::format("const {} {}[{}]", element(), a.name, a.symbol.size()));
  for (const OutputArray& a : p.outputs)
    if (!a.value.empty()) list.push_back(fmt::format("{} {}[{}]", element(), a.name, a.value.size()));
  return fmt::format("int {}({})", name, fmt::join(list, ", "));
}

std::string HeaderEmitter::call(const std::string& name) const {
  std::string out = signature(name) + " {\n";
  for (const InputArray& a : p.inputs)
    if (!a.symbol.empty() && !reads(a)) out += fmt::format("  (void){};\n", a.name);
  std::string sound;
  for (const Guard& g : p.guards) sound += (sound.empty() ? "" : " && ") + condition(g);
  return out + statements(When::call) + assignments() +
         (sound.empty() ? "  return 0;\n}\n" : fmt::format("  return {} ? 0 : 1;\n}}\n", sound));
}

namespace {

class CEmitter : public HeaderEmitter {
 public:
  using HeaderEmitter::HeaderEmitter;
  SourceText text() const {
    return {header(signature(p.name)),
            beginning() + (turns() ? sin_cos_text("static inline", "double", "", true) : "") + call(p.name)};
  }
};

class CudaEmitter : public HeaderEmitter {
 public:
  explicit CudaEmitter(const Program& program) : HeaderEmitter(program) { share_roots(); }
  std::vector<std::size_t> order(When stage) const override { return order_of_tape(stage); }
  std::string element() const override { return p.name + "_real"; }
  std::string cast() const { return fmt::format("({})", element()); }
  std::string literal(double x) const override { return cast() + number(x); }
  std::string types() const override {
    return fmt::format(
        "#ifdef {0}_SINGLE /* 7 digits instead of 16, for the states, the result and all between */\n"
        "typedef float {1};\n#else\ntypedef double {1};\n#endif\n\n",
        upper(p.name), element());
  }
  SourceText text() const {
    return {header(batch_signature()),
            beginning() + (turns() ? sin_cos_text("__device__ static inline", element(), cast()) : "") +
                "__device__ static " + call(p.name + "_state") + "\n" + kernel() + "\n" + batch()};
  }

 private:
  std::string batch_signature() const {
    return fmt::format("int {}_batch({}int n, {})", p.name, constants_argument(), fmt::join(batch_arrays(true), ", "));
  }
  std::string batch() const {
    return fmt::format(
        "{} {{\n  const int threads = 128;\n  {}_kernel<<<(n + threads - 1) / threads, threads>>>({}n, {});\n"
        "  return cudaGetLastError() == cudaSuccess ? 0 : 1;\n}}\n",
        batch_signature(), p.name, has_setup() ? "*c, " : "", fmt::join(batch_arrays(false), ", "));
  }
  std::string kernel() const {
    const std::string constants_of = has_setup() ? fmt::format("const {}_constants c, ", p.name) : "";
    std::string out = fmt::format("__global__ void __launch_bounds__(128, 3) {}_kernel({}int n, {}) {{\n", p.name,
                                  constants_of, fmt::join(batch_arrays(true), ", "));
    out += "  const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n  if (s >= n) return;\n";
    std::vector<std::string> arguments;
    if (has_setup()) arguments.emplace_back("&c");
    std::string load, store;
    const auto local = [&](const std::string& name, std::size_t size, bool is_input) {
      if (size == 0) return;
      out += fmt::format("  {} {}_s[{}];\n", element(), name, size);
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

SourceText emit_c(const Program& p) { return p.legs > 0 ? emit_lanes(p) : CEmitter(for_short_chains(p)).text(); }

SourceText emit_cuda(const Program& p) { return CudaEmitter(for_few_registers(p)).text(); }

}  // namespace gough
