#include <algorithm>
#include <functional>
#include <optional>

#include "emit_parts.hpp"

namespace gough {
namespace {

std::size_t at(Ref r) { return static_cast<std::size_t>(r.node()); }

/// Places operations from the end: each time the one that lets fewest new values live before it. A sum of several terms may take
/// them in any order: each is an operation of its own, which adds to what is there.
class Backwards {
 public:
  Backwards(const Program& p, const std::vector<When>& when)
      : nodes_(p.tape.nodes()), when_(when), item_(nodes_.size()) {
    std::vector<int> uses(nodes_.size(), 0);
    for (const Ref r : p.roots()) uses[at(r)] += 2;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (std::size_t k = 0; computed(i) && k < static_cast<std::size_t>(operands(nodes_[i].op)); ++k)
        ++uses[at(nodes_[i].arg[k])];
    for (std::size_t i = nodes_.size(); i-- > 0;)
      if (computed(i) && !item_[i].inner) take(i, uses);
    for (const Ref r : p.roots()) want(at(r));
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (computed(i) && !item_[i].inner && item_[i].users == 0) ready_.push_back(i);
  }

  /// A step: node, and which of its terms is added; the first of a sum's terms begins it. In the order of computing.
  struct Step {
    std::size_t node, term;
  };
  std::vector<Step> steps() {
    std::vector<Step> all;
    while (!ready_.empty()) {
      const Step next = best();
      all.push_back(next);
      place(next);
    }
    std::reverse(all.begin(), all.end());
    return all;
  }
  const std::vector<Ref>& terms(std::size_t node) const { return item_[node].terms; }

 private:
  struct Item {
    bool inner = false;      ///< part of a sum, or a product inside one
    std::vector<Ref> terms;  ///< of a sum; of anything else one, itself
    std::vector<bool> added;
    std::vector<std::vector<std::size_t>> needs;  ///< per term: values
    int users = 0, wanted = -1;
    std::size_t left = 0;
  };

  bool computed(std::size_t i) const { return when_[i] == When::call && operands(nodes_[i].op) > 0; }

  /// Terms of a sum, through sums that nothing else uses.
  void flatten(Ref r, const std::vector<int>& uses, std::vector<Ref>& terms) {
    const Tape::Node& n = nodes_[at(r)];
    for (std::size_t k = 0; k < 2; ++k) {
      const Ref term = n.arg[k].times_sign(r.negative());
      const std::size_t t = at(term);
      if (computed(t) && nodes_[t].op == Op::sum && uses[t] == 1 && !nodes_[t].held) {
        item_[t].inner = true;
        flatten(term, uses, terms);
      } else {
        terms.push_back(term);
      }
    }
  }

  void take(std::size_t i, const std::vector<int>& uses) {
    Item& item = item_[i];
    if (nodes_[i].op == Op::sum) flatten(Ref(static_cast<int>(i)), uses, item.terms);
    else item.terms = {Ref(static_cast<int>(i))};
    item.left = item.terms.size();
    item.added.assign(item.left, false);
    for (const Ref term : item.terms) {
      std::vector<std::size_t> needs;
      const std::size_t t = at(term);
      const bool product = nodes_[i].op == Op::sum && computed(t) && nodes_[t].op == Op::product && uses[t] == 1;
      if (product) item_[t].inner = true;
      if (product || nodes_[i].op != Op::sum) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(operands(nodes_[t].op)); ++k)
          needs.push_back(at(nodes_[t].arg[k]));
      } else {
        needs = {t};
      }
      std::erase_if(needs, [&](std::size_t d) { return !computed(d); });
      std::sort(needs.begin(), needs.end());
      needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
      for (const std::size_t d : needs) ++item_[d].users;
      item.needs.push_back(std::move(needs));
    }
  }

  void want(std::size_t i) {
    if (computed(i) && item_[i].wanted < 0) item_[i].wanted = clock_++;
  }

  Step best() const {
    std::optional<Step> found;
    std::pair<int, int> least;
    for (const std::size_t i : ready_) {
      const Item& item = item_[i];
      for (std::size_t t = 0; t < item.terms.size(); ++t) {
        if (item.added[t]) continue;
        int grown = item.left == 1 && item.wanted >= 0 ? -1 : 0;
        for (const std::size_t d : item.needs[t]) grown += item_[d].wanted < 0 ? 1 : 0;
        const std::pair now(grown, -item.wanted);
        if (!found || now < least) found = Step{i, t}, least = now;
      }
    }
    return *found;
  }

  void place(const Step& step) {
    Item& item = item_[step.node];
    item.added[step.term] = true;
    if (--item.left == 0) std::erase(ready_, step.node);
    for (const std::size_t d : item.needs[step.term]) {
      want(d);
      if (--item_[d].users == 0) ready_.push_back(d);
    }
  }

  const std::vector<Tape::Node>& nodes_;
  const std::vector<When>& when_;
  std::vector<Item> item_;
  std::vector<std::size_t> ready_;
  int clock_ = 0;
};

/// Writes a node on another tape.
Ref copied(const Tape::Node& n, const std::function<Ref(Ref)>& to, Tape& tape) {
  switch (n.op) {
    case Op::constant: return tape.constant(n.value);
    case Op::symbol: return {};
    case Op::sum: return tape.add(to(n.arg[0]), to(n.arg[1]));
    case Op::product: return tape.multiply(to(n.arg[0]), to(n.arg[1]));
    case Op::quotient: return tape.divide(to(n.arg[0]), to(n.arg[1]));
    case Op::sqrt: return tape.sqrt(to(n.arg[0]));
    case Op::sin: return tape.sin(to(n.arg[0]));
    case Op::cos: return tape.cos(to(n.arg[0]));
    case Op::atan2: return tape.atan2(to(n.arg[0]), to(n.arg[1]));
    case Op::abs: return tape.choose(to(n.arg[0]), Ref(), to(n.arg[0]), -to(n.arg[0]));
    case Op::select: return tape.choose(to(n.arg[0]), to(n.arg[1]), to(n.arg[2]), to(n.arg[3]));
  }
  return {};
}

}  // namespace

Program for_few_registers(const Program& p) {
  const std::vector<When> when = schedule(p);
  Program q = p;
  q.tape = Tape();
  for (const std::string& section : p.tape.sections()) q.tape.enter_section(section);
  std::vector<Ref> done(p.tape.nodes().size());
  std::vector<bool> known(done.size(), false);
  const auto write = [&](std::size_t i, auto&& self) -> Ref {
    if (!known[i]) {
      q.tape.set_section(p.tape.nodes()[i].section);
      done[i] = copied(
          p.tape.nodes()[i], [&](Ref r) { return self(at(r), self).times_sign(r.negative()); }, q.tape);
      known[i] = true;
    }
    return done[i];
  };
  const auto of = [&](Ref r) { return write(at(r), write).times_sign(r.negative()); };
  std::vector<Ref> symbols;
  for (const Symbol& s : p.tape.symbols()) symbols.push_back(q.tape.symbol(s));
  for (std::size_t i = 0; i < done.size(); ++i)
    if (p.tape.nodes()[i].op == Op::symbol)
      done[i] = symbols[static_cast<std::size_t>(p.tape.nodes()[i].value)], known[i] = true;
  for (std::size_t i = 0; i < done.size(); ++i)
    if (when[i] == When::setup || when[i] == When::constant) of(Ref(static_cast<int>(i)));  // first, in the same order
  Backwards backwards(p, when);
  for (const auto& [node, term] : backwards.steps()) {
    const Ref added = backwards.terms(node)[term];
    if (p.tape.nodes()[node].op != Op::sum) {
      of(added);
      continue;
    }
    const Ref value = of(added);
    q.tape.set_section(p.tape.nodes()[node].section);
    done[node] = known[node] ? q.tape.add(done[node], value) : value;
    known[node] = true;
  }
  std::vector<Ref> roots;
  for (const Ref r : p.roots()) roots.push_back(of(r));
  q.set_roots(roots);
  return q;
}

}  // namespace gough
