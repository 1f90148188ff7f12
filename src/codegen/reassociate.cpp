#include <algorithm>
#include <functional>
#include <set>

#include "emit_parts.hpp"
#include "graph.hpp"

namespace gough {
namespace {

std::size_t at(Ref r) { return static_cast<std::size_t>(r.node()); }

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

/// Writes a program anew, step by step of the computation that was traced: what a leg needs is computed leg by leg, and goes into
/// every sum at once.
class Rewriter {
 public:
  explicit Rewriter(const Program& p)
      : p_(p),
        nodes_(p.tape.nodes()),
        when_(schedule(p)),
        q_(p),
        sum_(nodes_.size()),
        waiting_(nodes_.size()),
        done_(nodes_.size()),
        known_(nodes_.size(), false),
        begun_(nodes_.size(), false) {
    q_.tape = Tape();
    for (const std::string& section : p.tape.sections()) q_.tape.enter_section(section);
    std::vector<Ref> symbols;
    for (const Symbol& s : p.tape.symbols()) symbols.push_back(q_.tape.symbol(s));
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].op == Op::symbol) done_[i] = symbols[static_cast<std::size_t>(nodes_[i].value)], known_[i] = true;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (when_[i] == When::setup || when_[i] == When::constant) write(i);  // first, in the same order
    find_sums();
  }

  Program run() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (computed(i) && nodes_[i].step != Graph::no_step) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return nodes_[a].step < nodes_[b].step; });
    for (const std::size_t i : order) visit(i);
    std::vector<Ref> roots;
    for (const Ref r : p_.roots()) {
      visit(at(r));
      roots.push_back(done_[at(r)].times_sign(r.negative()));
    }
    q_.set_roots(roots);
    return std::move(q_);
  }

 private:
  struct Term {
    Ref value;
    std::size_t missing = 0;  ///< values that are not there yet
  };
  struct Sum {
    std::vector<Term> terms;
    std::size_t left = 0;
    bool inner = false;  ///< part of another sum, or a product inside one
  };

  bool computed(std::size_t i) const { return when_[i] == When::call && operands(nodes_[i].op) > 0; }

  void find_sums() {
    std::vector<int> uses(nodes_.size(), 0);
    for (const Ref r : p_.roots()) uses[at(r)] += 2;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (std::size_t k = 0; computed(i) && k < static_cast<std::size_t>(operands(nodes_[i].op)); ++k)
        ++uses[at(nodes_[i].arg[k])];
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      if (!computed(i) || nodes_[i].op != Op::sum || sum_[i].inner) continue;
      collect(i, Ref(static_cast<int>(i)), uses);
      for (std::size_t t = 0; t < sum_[i].terms.size(); ++t) await(i, t, uses);
      sum_[i].left = sum_[i].terms.size();
    }
  }
  /// Terms of a sum, through sums that nothing else uses.
  void collect(std::size_t root, Ref r, const std::vector<int>& uses) {
    for (std::size_t k = 0; k < 2; ++k) {
      const Ref term = nodes_[at(r)].arg[k].times_sign(r.negative());
      const std::size_t t = at(term);
      const bool part = computed(t) && nodes_[t].op == Op::sum && uses[t] == 1 && !nodes_[t].held;
      if (part) sum_[t].inner = true, collect(root, term, uses);
      else sum_[root].terms.push_back({term});
    }
  }
  void await(std::size_t root, std::size_t t, const std::vector<int>& uses) {
    Term& term = sum_[root].terms[t];
    const std::size_t v = at(term.value);
    const bool product = computed(v) && nodes_[v].op == Op::product && uses[v] == 1;
    std::vector<std::size_t> needs = {v};
    if (product) sum_[v].inner = true, needs = {at(nodes_[v].arg[0]), at(nodes_[v].arg[1])};
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    for (const std::size_t d : needs)
      if (!known_[d]) ++term.missing, waiting_[d].push_back({root, t});
  }

  /// The value with all that it needs.
  void visit(std::size_t i) {
    if (known_[i] || begun_[i]) return;
    begun_[i] = true;
    if (sum_[i].inner) {  // its sum takes care of it
      begun_[i] = false;
      return;
    }
    if (nodes_[i].op != Op::sum) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(operands(nodes_[i].op)); ++k) visit(at(nodes_[i].arg[k]));
      write(i);
      return announce(i);
    }
    for (std::size_t t = 0; t < sum_[i].terms.size(); ++t) {
      const std::size_t v = at(sum_[i].terms[t].value);
      if (!sum_[v].inner) visit(v);
      else
        for (std::size_t k = 0; k < 2; ++k) visit(at(nodes_[v].arg[k]));
    }
    for (std::size_t t = 0; t < sum_[i].terms.size(); ++t) add(i, t);  // those that waited for nothing
  }

  void announce(std::size_t i) {
    for (const auto& [root, t] : waiting_[i])
      if (--sum_[root].terms[t].missing == 0) add(root, t);
  }

  void add(std::size_t root, std::size_t t) {
    Sum& s = sum_[root];
    if (s.terms[t].missing > 0 || added_.contains({root, t})) return;
    added_.insert({root, t});
    write(at(s.terms[t].value));
    const Ref value = done_[at(s.terms[t].value)].times_sign(s.terms[t].value.negative());
    q_.tape.set_section(nodes_[root].section);
    done_[root] = s.left == s.terms.size() ? value : q_.tape.add(done_[root], value);
    if (--s.left > 0) return;
    known_[root] = true;
    announce(root);
  }

  void write(std::size_t i) {
    if (known_[i]) return;
    q_.tape.set_section(nodes_[i].section);
    done_[i] = copied(
        nodes_[i],
        [&](Ref r) {
          write(at(r));
          return done_[at(r)].times_sign(r.negative());
        },
        q_.tape);
    known_[i] = true;
  }

  const Program& p_;
  const std::vector<Tape::Node>& nodes_;
  std::vector<When> when_;
  Program q_;
  std::vector<Sum> sum_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> waiting_;  ///< per value: terms of sums
  std::vector<Ref> done_;
  std::vector<bool> known_, begun_;
  std::set<std::pair<std::size_t, std::size_t>> added_;
};

}  // namespace

Program for_few_registers(const Program& p) { return Rewriter(p).run(); }

}  // namespace gough
