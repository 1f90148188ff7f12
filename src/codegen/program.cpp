#include "gough/codegen/program.hpp"

#include <algorithm>

namespace gough {
namespace {

void count_operation(Op op, Count& c) {
  switch (op) {
    case Op::sum: ++c.add; break;
    case Op::product: ++c.mul; break;
    case Op::quotient: ++c.div; break;
    case Op::sqrt: ++c.sqrt; break;
    case Op::sin: ++c.sin; break;
    case Op::cos: ++c.cos; break;
    case Op::atan2: ++c.atan2; break;
    case Op::select: ++c.select; break;
    case Op::abs: ++c.abs; break;
    default: break;
  }
}

}  // namespace

std::vector<Ref> Program::roots() const {
  std::vector<Ref> all;
  for (const OutputArray& o : outputs) all.insert(all.end(), o.value.begin(), o.value.end());
  for (const Guard& g : guards) all.push_back(g.value);
  return all;
}

void Program::set_roots(const std::vector<Ref>& roots) {
  auto next = roots.begin();
  for (OutputArray& o : outputs)
    for (Ref& r : o.value) r = *next++;
  for (Guard& g : guards) g.value = *next++;
}

std::vector<When> schedule(const Program& p) {
  const auto& nodes = p.tape.nodes();
  std::vector<When> when(nodes.size(), When::never);
  std::vector<bool> needed(nodes.size(), false);
  for (const Ref r : p.roots()) needed[at(r)] = true;
  for (std::size_t i = nodes.size(); i-- > 0;)
    for (std::size_t k = 0; needed[i] && k < static_cast<std::size_t>(operands(nodes[i].op)); ++k)
      needed[at(nodes[i].arg[k])] = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Tape::Node& n = nodes[i];
    if (!needed[i]) continue;
    when[i] = n.op == Op::symbol && !p.tape.symbol_of(n).parameter ? When::call
              : n.op == Op::symbol                                 ? When::setup
                                                                   : When::constant;
    for (std::size_t k = 0; k < static_cast<std::size_t>(operands(n.op)); ++k)
      when[i] = std::max(when[i], when[at(n.arg[k])]);
  }
  return when;
}

std::vector<double> evaluate(const Program& p, const std::vector<double>& inputs) {
  std::vector<double> symbol;
  for (const Symbol& s : p.tape.symbols()) symbol.push_back(s.value);
  auto next = inputs.begin();
  for (const InputArray& array : p.inputs)
    for (const int s : array.symbol) symbol[static_cast<std::size_t>(s)] = *next++;
  const std::vector<double> values = evaluate(p.tape, symbol);
  std::vector<double> out;
  for (const OutputArray& array : p.outputs)
    for (const Ref r : array.value) out.push_back(value_of(values, r));
  return out;
}

CountTable count(const Program& p) {
  const auto& nodes = p.tape.nodes();
  const std::vector<When> when = schedule(p);
  std::vector<int> uses(nodes.size(), 0);
  for (const Ref r : p.roots()) ++uses[at(r)];
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t k = 0; when[i] != When::never && k < static_cast<std::size_t>(operands(nodes[i].op)); ++k)
      ++uses[at(nodes[i].arg[k])];
  CountTable table;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Tape::Node& n = nodes[i];
    if (operands(n.op) == 0 || when[i] < When::setup) continue;
    if (when[i] == When::setup) {
      count_operation(n.op, table.setup);
      continue;
    }
    const auto lone_product = [&](Ref r) {
      return nodes[at(r)].op == Op::product && uses[at(r)] == 1 && when[at(r)] == When::call;
    };
    const int fused = n.op == Op::sum && (lone_product(n.arg[0]) || lone_product(n.arg[1])) ? 1 : 0;
    for (Count* c : {&table.call, &table.sections[p.tape.sections()[static_cast<std::size_t>(n.section)]]}) {
      count_operation(n.op, *c);
      c->fused += fused;
    }
  }
  return table;
}

}  // namespace gough
