#include "emitter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "gough/scalar/turn_terms.hpp"

namespace gough {
namespace {

std::string counted(const Count& c) {
  return fmt::format(
      "{} = {} additions and subtractions + {} multiplications + {} divisions; {} with fused multiply-add;\n"
      " * {} sqrt, {} sin, {} cos, {} atan2",
      c.total(), c.add, c.mul, c.div, c.fma_total(), c.sqrt, c.sin, c.cos, c.atan2);
}

template <class Array>
std::string listed(const Array& array) {
  std::string out = fmt::format(" *   {}[{}]: {}\n", array.name, array.entry.size(), plain(array.meaning));
  for (std::size_t i = 0; i < array.entry.size(); ++i) out += fmt::format(" *     {:2} {}\n", i, plain(array.entry[i]));
  return out;
}

}  // namespace

std::string number(double x) {
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string plain(std::string text) {
  for (char& c : text)
    if (c == '*' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = ' ';
  return text;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

Emitter::Emitter(const Program& program)
    : p(program), when(schedule(p)), table(count(p)), parameters(parameter_fields(p)) {
  name_inputs();
  for (const ParameterField& f : parameters) field[f.node] = "p->" + f.name;
  number_constants();
  find_lone_products();
}

void Emitter::share_roots() {
  std::map<std::size_t, std::vector<std::size_t>> roots;  // by what is under them
  for (std::size_t i = 0; i < when.size(); ++i)
    if (when[i] == When::call && p.tape.nodes()[i].op == Op::sqrt) roots[at(p.tape.nodes()[i].arg[0])].push_back(i);
  for (std::size_t q = 0; q < when.size(); ++q) {
    const Tape::Node& n = p.tape.nodes()[q];
    if (when[q] != When::call || n.op != Op::quotient || !(n.arg[0] == Ref(1))) continue;
    const std::size_t x = at(n.arg[1]);
    for (const std::size_t under : {x, q})
      for (const std::size_t root : roots[under]) root_of[root] = root_of[q] = x;
  }
}

bool Emitter::turns() const { return table.call.sin + table.call.cos > 0; }

bool Emitter::reads(const InputArray& a) const {
  for (std::size_t i = 0; i < when.size(); ++i) {
    const Tape::Node& n = p.tape.nodes()[i];
    if (n.op == Op::symbol && when[i] == When::call &&
        std::count(a.symbol.begin(), a.symbol.end(), static_cast<int>(n.value)) > 0)
      return true;
  }
  return false;
}

void Emitter::name_inputs() {
  std::vector<std::string> of_symbol(p.tape.symbols().size());
  for (const InputArray& a : p.inputs)
    for (std::size_t k = 0; k < a.symbol.size(); ++k)
      of_symbol[static_cast<std::size_t>(a.symbol[k])] = fmt::format("{}[{}]", a.name, k);
  for (const Tape::Node& n : p.tape.nodes())
    field.push_back(n.op == Op::symbol ? of_symbol[static_cast<std::size_t>(n.value)] : "");
}

/// Set-up values that a call reads, in the tape's order.
void Emitter::number_constants() {
  std::vector<bool> read(p.tape.nodes().size(), false);
  const auto look = [&](Ref r) { read[at(r)] = read[at(r)] || when[at(r)] == When::setup; };
  for (std::size_t i = 0; i < when.size(); ++i)
    for (std::size_t k = 0; when[i] == When::call && k < static_cast<std::size_t>(operands(p.tape.nodes()[i].op)); ++k)
      look(p.tape.nodes()[i].arg[k]);
  for (const Ref r : p.roots()) look(r);
  slot.assign(when.size(), -1);
  std::array<int, 2> taken = {0, 0};
  for (std::size_t i = 0; i < when.size(); ++i) {
    if (!read[i]) continue;
    slot[i] = taken[is_laned(i) ? 1 : 0]++;
    constants.push_back(i);
  }
}

/// A product that one sum alone uses is written inside it, so that compilers fuse the two.
void Emitter::find_lone_products() {
  uses.assign(when.size(), 0);
  for (const Ref r : p.roots()) uses[at(r)] += 2;
  for (std::size_t i = 0; i < when.size(); ++i)
    for (std::size_t k = 0; when[i] >= When::setup && k < static_cast<std::size_t>(operands(p.tape.nodes()[i].op)); ++k)
      ++uses[at(p.tape.nodes()[i].arg[k])];
  inlined.assign(when.size(), false);  // a half of lanes is part of the whole
  for (std::size_t i = 0; i < when.size(); ++i) inlined[i] = p.tape.nodes()[i].op == Op::four;
  for (std::size_t i = 0; i < when.size(); ++i) {
    const Tape::Node& n = p.tape.nodes()[i];
    for (std::size_t k = 0; n.op == Op::sum && when[i] >= When::setup && k < 2; ++k) {
      const std::size_t j = at(n.arg[k]);
      inlined[j] = p.tape.nodes()[j].op == Op::product && uses[j] == 1 && when[j] == when[i];
    }
  }
}

// ------------------------------------------------------------------------------------------------ text

std::string Emitter::comment() const {
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

std::string Emitter::failure() const {
  if (p.guards.empty()) return "never";
  std::string out;
  for (const Guard& g : p.guards) out += fmt::format("{}{}", out.empty() ? "" : "; ", plain(g.meaning));
  return out;
}

std::vector<std::string> Emitter::batch_arrays(bool types) const {
  std::vector<std::string> list;
  for (const InputArray& a : p.inputs)
    if (!a.symbol.empty()) list.push_back((types ? fmt::format("const {} *", element()) : "") + a.name);
  for (const OutputArray& a : p.outputs)
    if (!a.value.empty()) list.push_back((types ? element() + " *" : "") + a.name);
  list.emplace_back(types ? "int *status" : "status");
  return list;
}

// ------------------------------------------------------------------------------------------------ expressions

std::string Emitter::leaf(std::size_t i, When stage) const {
  const Tape::Node& n = p.tape.nodes()[i];
  if (n.op == Op::constant) return stage == When::call ? literal(n.value) : number(n.value);
  if (stage == When::call && when[i] == When::setup) return fmt::format("c->k[{}]", slot[i]);
  if (n.op == Op::symbol) return field[i];
  if (inlined[i]) return body(i, stage);
  return fmt::format("t{}", i);
}

std::string Emitter::signed_leaf(Ref r, When stage) const { return (r.negative() ? "-" : "") + leaf(at(r), stage); }

std::string Emitter::spread_leaf(Ref r, When stage, bool wanted) const {
  const std::string text = signed_leaf(r, stage);
  return wanted && !packed(at(r)) ? fmt::format("OF(spread)({})", text) : text;
}

/// k sign(a - b) is a > b ? k : -(b > a ? k : 0): one function, where selections are functions.
void Emitter::find_signs() {
  const auto is = [&](Ref r, Op op) { return p.tape.nodes()[at(r)].op == op; };
  for (std::size_t i = 0; i < when.size(); ++i) {
    const Tape::Node& n = p.tape.nodes()[i];
    if (n.op != Op::select || when[i] != When::call || !is(n.arg[3], Op::select) || !n.arg[3].negative()) continue;
    const Tape::Node& other = p.tape.nodes()[at(n.arg[3])];
    const bool turned = (other.arg[0] == n.arg[1] && other.arg[1] == n.arg[0]) ||
                        (other.arg[0] == -n.arg[0] && other.arg[1] == -n.arg[1]);
    if (!turned || other.arg[2] != n.arg[2] || !is(other.arg[3], Op::constant)) continue;
    if (p.tape.nodes()[at(other.arg[3])].value != 0 || uses[at(n.arg[3])] != 1) continue;
    sign_like.insert(i);
    inlined[at(n.arg[3])] = true;
  }
}

/// l > r; -x > y is x < -y.
std::string Emitter::comparison(Ref l, Ref r, When stage) const {
  return l.negative() ? fmt::format("{} < {}", signed_leaf(-l, stage), signed_leaf(-r, stage))
                      : fmt::format("{} > {}", signed_leaf(l, stage), signed_leaf(r, stage));
}

std::string Emitter::difference(Ref l, Ref r, When stage) const {
  const auto zero = [&](Ref x) { return p.tape.nodes()[at(x)].op == Op::constant && p.tape.nodes()[at(x)].value == 0; };
  if (zero(r)) return signed_leaf(l, stage);
  if (zero(l)) return signed_leaf(-r, stage);
  return fmt::format("{} {} {}", signed_leaf(l, stage), r.negative() ? '+' : '-', leaf(at(r), stage));
}

std::string Emitter::selection(std::size_t i, When stage) const {
  const Tape::Node& n = p.tape.nodes()[i];
  const bool pack = stage == When::call && packed(i);
  const bool lane_by_lane = pack && (packed(at(n.arg[0])) || packed(at(n.arg[1])));
  const std::string yes = spread_leaf(n.arg[2], stage, pack), no = spread_leaf(n.arg[3], stage, pack);
  if (!lane_by_lane) return fmt::format("{} ? {} : {}", comparison(n.arg[0], n.arg[1], stage), yes, no);
  const bool swap = n.arg[0].negative();  // -x > y is -y > x
  const Ref l = swap ? -n.arg[1] : n.arg[0], r = swap ? -n.arg[0] : n.arg[1];
  if (sign_like.contains(i)) return fmt::format("OF(with_sign)({}, {})", difference(l, r, stage), yes);
  return fmt::format("OF(if_greater)({}, {}, {}, {})", spread_leaf(l, stage, true), spread_leaf(r, stage, true), yes,
                     no);
}

std::string Emitter::body(std::size_t i, When stage) const {
  const Tape::Node& n = p.tape.nodes()[i];
  const auto arg = [&](std::size_t k) { return signed_leaf(n.arg[k], stage); };
  const auto of = [&](const char* name) { return stage == When::call ? function(name, i) : name; };
  const bool pack = stage == When::call && packed(i);
  if (const auto root = root_of.find(i); root != root_of.end() && stage == When::call) {
    const std::size_t x = root->second;
    if (n.op == Op::quotient) return fmt::format("r{0} * r{0}", x);
    return at(n.arg[0]) == x ? fmt::format("{} * r{}", leaf(x, stage), x) : fmt::format("r{}", x);
  }
  switch (n.op) {
    case Op::sum: return fmt::format("{} {} {}", arg(0), n.arg[1].negative() ? '-' : '+', leaf(at(n.arg[1]), stage));
    case Op::product: return fmt::format("{} * {}", arg(0), arg(1));
    case Op::quotient: return fmt::format("{} / {}", arg(0), arg(1));
    case Op::sqrt: return fmt::format("{}({})", of("sqrt"), arg(0));
    case Op::sin: return stage == When::call ? fmt::format("a{}.sin", at(n.arg[0])) : fmt::format("sin({})", arg(0));
    case Op::cos: return stage == When::call ? fmt::format("a{}.cos", at(n.arg[0])) : fmt::format("cos({})", arg(0));
    case Op::atan2:
      return fmt::format("{}({}, {})", of("atan2"), spread_leaf(n.arg[0], stage, pack),
                         spread_leaf(n.arg[1], stage, pack));
    case Op::abs: return fmt::format("{}({})", of("fabs"), arg(0));
    case Op::select: return selection(i, stage);
    default: return leaf(i, stage);
  }
}

std::string Emitter::statement(std::size_t i, When stage) const {
  return fmt::format("  const {} t{} = {};\n", stage == When::call ? type(i) : "double", i, body(i, stage));
}

std::string Emitter::statements(When stage) const {
  std::string out;
  std::set<std::size_t> turned, rooted;
  for (const std::size_t i : order(stage)) {
    const Tape::Node& n = p.tape.nodes()[i];
    if (stage == When::call && (n.op == Op::sin || n.op == Op::cos) && turned.insert(at(n.arg[0])).second)
      out += fmt::format("  const {} a{} = {}({});\n", function("turn", i), at(n.arg[0]), function("sin_cos", i),
                         signed_leaf(n.arg[0], stage));
    if (const auto root = root_of.find(i); root != root_of.end() && rooted.insert(root->second).second)
      out += fmt::format("  const {} r{} = rsqrt({});\n", type(i), root->second, leaf(root->second, stage));
    out += statement(i, stage);
  }
  return out;
}

std::vector<std::size_t> Emitter::order_of_tape(When stage) const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < when.size(); ++i)
    if (when[i] == stage && operands(p.tape.nodes()[i].op) > 0 && !inlined[i]) all.push_back(i);
  return all;
}

std::string Emitter::assignments(bool packs) const {
  std::string out;
  for (const OutputArray& a : p.outputs)
    for (std::size_t i = 0; i < a.value.size(); ++i)
      out += fmt::format("  {}[{}] = {};\n", a.name, i, spread_leaf(a.value[i], When::call, packs));
  return out;
}

std::string Emitter::condition(const Guard& g, bool packs) const {
  return fmt::format("{} > {}", spread_leaf(g.value, When::call, packs), literal(g.bound));
}

std::string Emitter::defaults() const {
  std::string out = default_signature() + " {\n";
  for (const auto& [name, node] : parameters) out += fmt::format("  p->{} = {};\n", name, number(symbol(node).value));
  return out + "}\n\n";
}

std::string Emitter::setup() const {
  std::string out = setup_signature() + " {\n" + (p.legs > 0 ? "  int j;\n" : "") + statements(When::setup);
  for (const std::size_t i : constants)
    out += fmt::format(
        fmt::runtime(is_laned(i) ? "  for (j = 0; j < 8; ++j) c->legs[{}][j] = {};\n" : "  c->k[{}] = {};\n"), slot[i],
        leaf(i, When::setup));
  return out + "}\n\n";
}

namespace {
/// c[0] + u (c[1] + u (c[2] + ..)).
std::string horner(std::span<const double> c, const std::string& cast) {
  const std::string first = cast + number(c[0]);
  return c.size() == 1 ? first : fmt::format("{} + u * ({})", first, horner(c.subspan(1), cast));
}
}  // namespace

namespace {
/// The same as pairs: more operations, of which fewer wait for each other. v = u^2.
std::string pairs(const std::array<double, 6>& c) {
  const auto pair = [&](std::size_t i) { return fmt::format("({} + {} * u)", number(c[i]), number(c[i + 1])); };
  return fmt::format("{} + v * ({} + v * {})", pair(0), pair(2), pair(4));
}
}  // namespace

std::string sin_polynomial(const std::string& cast) { return horner(sin_terms, cast); }
std::string cos_polynomial(const std::string& cast) { return horner(cos_terms, cast); }

std::string sin_cos_text(const std::string& words, const std::string& type, const std::string& cast, bool short_chain) {
  return fmt::format(R"(typedef struct {{
  {1} sin, cos;
}} turn;

/* Angles up to pi/4 by polynomials, to the last digit; others by the library. */
{0} turn sin_cos({1} x) {{
  const {1} u = x * x{5};
  turn t;
  if (fabs(x) <= {2}{6}) {{
    t.sin = x + x * u * ({3});
    t.cos = {2}1.0 - {2}0.5 * u + u * u * ({4});
  }} else {{
    t.sin = sin(x);
    t.cos = cos(x);
  }}
  return t;
}}

)",
                     words, type, cast, short_chain ? pairs(sin_terms) : sin_polynomial(cast),
                     short_chain ? pairs(cos_terms) : cos_polynomial(cast), short_chain ? ", v = u * u" : "",
                     small_angle);
}

}  // namespace gough
