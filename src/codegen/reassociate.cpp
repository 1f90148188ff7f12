#include <algorithm>
#include <array>
#include <set>

#include "emit_parts.hpp"
#include "graph.hpp"

namespace gough {
namespace {

/// Writes a program anew on a tape of its own. What set-up computes comes first, in the same order.
class Copy {
 protected:
  explicit Copy(const Program& p)
      : p_(p), nodes_(p.tape.nodes()), when_(schedule(p)), q_(p), done_(nodes_.size()), known_(nodes_.size(), false) {
    q_.tape = Tape();
    for (const std::string& section : p.tape.sections()) q_.tape.enter_section(section);
    std::vector<Ref> symbols;
    for (const Symbol& s : p.tape.symbols()) symbols.push_back(q_.tape.symbol(s));
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].op == Op::symbol) done_[i] = symbols[static_cast<std::size_t>(nodes_[i].value)], known_[i] = true;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (when_[i] == When::setup || when_[i] == When::constant) write(i);
    uses_.assign(nodes_.size(), 0);
    for (const Ref r : p_.roots()) uses_[at(r)] += 2;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (std::size_t k = 0; computed(i) && k < operands_of(i); ++k) ++uses_[at(nodes_[i].arg[k])];
  }

  bool computed(std::size_t i) const { return when_[i] == When::call && operands(nodes_[i].op) > 0; }
  std::size_t operands_of(std::size_t i) const { return static_cast<std::size_t>(operands(nodes_[i].op)); }
  Ref result(Ref r) const { return done_[at(r)].times_sign(r.negative()); }
  /// Whether r continues a chain of this operation that nothing else uses.
  bool continues(Ref r, Op op) const {
    const std::size_t t = at(r);
    return computed(t) && nodes_[t].op == op && uses_[t] == 1 && !nodes_[t].held;
  }

  /// The node with all that it needs.
  void write(std::size_t i) {
    if (known_[i]) return;
    std::array<Ref, 4> arg;
    for (std::size_t k = 0; k < operands_of(i); ++k) {
      write(at(nodes_[i].arg[k]));
      arg[k] = result(nodes_[i].arg[k]);
    }
    q_.tape.set_section(nodes_[i].section);
    done_[i] = q_.tape.apply(nodes_[i].op, arg, nodes_[i].value);
    known_[i] = true;
  }

  Program finished() {
    std::vector<Ref> roots;
    for (const Ref r : p_.roots()) roots.push_back(result(r));
    q_.set_roots(roots);
    return std::move(q_);
  }

  const Program& p_;
  const std::vector<Tape::Node>& nodes_;
  std::vector<When> when_;
  Program q_;
  std::vector<Ref> done_;
  std::vector<bool> known_;
  std::vector<int> uses_;
};

/// Step by step of the computation that was traced: what a leg needs is computed leg by leg, and goes into every sum at once.
class FewRegisters : Copy {
 public:
  explicit FewRegisters(const Program& p)
      : Copy(p), sum_(nodes_.size()), waiting_(nodes_.size()), begun_(nodes_.size(), false) {
    find_sums();
  }

  Program run() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (computed(i) && nodes_[i].step != Graph::no_step) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return nodes_[a].step < nodes_[b].step; });
    for (const std::size_t i : order) visit(i);
    for (const Ref r : p_.roots()) visit(at(r));
    return finished();
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

  void find_sums() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      if (!computed(i) || nodes_[i].op != Op::sum || sum_[i].inner) continue;
      collect(i, Ref(static_cast<int>(i)));
      for (std::size_t t = 0; t < sum_[i].terms.size(); ++t) await(i, t);
      sum_[i].left = sum_[i].terms.size();
    }
  }
  /// Terms of a sum, through sums that nothing else uses.
  void collect(std::size_t root, Ref r) {
    for (std::size_t k = 0; k < 2; ++k) {
      const Ref term = nodes_[at(r)].arg[k].times_sign(r.negative());
      if (continues(term, Op::sum)) sum_[at(term)].inner = true, collect(root, term);
      else sum_[root].terms.push_back({term});
    }
  }
  void await(std::size_t root, std::size_t t) {
    Term& term = sum_[root].terms[t];
    const std::size_t v = at(term.value);
    const bool product = computed(v) && nodes_[v].op == Op::product && uses_[v] == 1;
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
      for (std::size_t k = 0; k < operands_of(i); ++k) visit(at(nodes_[i].arg[k]));
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
    const Ref value = result(s.terms[t].value);
    q_.tape.set_section(nodes_[root].section);
    done_[root] = s.left == s.terms.size() ? value : q_.tape.add(done_[root], value);
    if (--s.left > 0) return;
    known_[root] = true;
    announce(root);
  }

  std::vector<Sum> sum_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> waiting_;  ///< per value: terms of sums
  std::vector<bool> begun_;
  std::set<std::pair<std::size_t, std::size_t>> added_;
};

/// Sums and products of many operands take them as they come: nothing waits behind a late one.
class ShortChains : Copy {
 public:
  explicit ShortChains(const Program& p) : Copy(p), inner_(nodes_.size(), false) {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (std::size_t k = 0; computed(i) && is_chain(i) && k < 2; ++k)
        if (continues(nodes_[i].arg[k], nodes_[i].op)) inner_[at(nodes_[i].arg[k])] = true;
  }

  Program run() {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (computed(i) && !inner_[i]) chain(i);
    return finished();
  }

 private:
  bool is_chain(std::size_t i) const { return nodes_[i].op == Op::sum || nodes_[i].op == Op::product; }

  void chain(std::size_t i) {
    if (!is_chain(i)) return write(i);
    std::vector<Ref> terms;
    collect(Ref(static_cast<int>(i)), nodes_[i].op, terms);
    for (const Ref r : terms) write(at(r));
    const bool fuses = nodes_[i].op == Op::sum;
    const auto rank = [&](Ref r) {
      const bool product = fuses && computed(at(r)) && nodes_[at(r)].op == Op::product && uses_[at(r)] == 1;
      return std::pair(q_.tape.laned(done_[at(r)]), arrival(done_[at(r)]) - (product ? cycles(Op::product) : 0));
    };
    std::stable_sort(terms.begin(), terms.end(), [&](Ref a, Ref b) { return rank(a) < rank(b); });
    q_.tape.set_section(nodes_[i].section);
    Ref r = result(terms[0]);
    for (std::size_t t = 1; t < terms.size(); ++t) r = q_.tape.apply(nodes_[i].op, {r, result(terms[t])}, 0);
    done_[i] = r, known_[i] = true;
  }
  void collect(Ref r, Op op, std::vector<Ref>& terms) const {
    for (std::size_t k = 0; k < 2; ++k) {
      const Ref term = nodes_[at(r)].arg[k].times_sign(r.negative());
      if (continues(term, op)) collect(term, op, terms);
      else terms.push_back(term);
    }
  }

  /// Cycles after which a value is there if every operation begins at once.
  int arrival(Ref r) {
    for (std::size_t i = arrival_.size(); i <= at(r); ++i) {
      const Tape::Node& n = q_.tape.nodes()[i];
      int last = 0;
      bool call = n.op == Op::symbol && !q_.tape.symbol_of(n).parameter;
      for (std::size_t k = 0; k < static_cast<std::size_t>(operands(n.op)); ++k) {
        const std::size_t d = at(n.arg[k]);
        const bool fused = n.op == Op::sum && q_.tape.nodes()[d].op == Op::product;
        last = std::max(last, arrival_[d] - (fused ? cycles(Op::product) : 0));
        call = call || call_[d];
      }
      call_.push_back(call);
      arrival_.push_back(call && n.op != Op::symbol ? last + cycles(n.op) : 0);
    }
    return arrival_[at(r)];
  }

  std::vector<bool> inner_;  ///< part of a longer chain, which takes care of it
  std::vector<int> arrival_;
  std::vector<bool> call_;
};

}  // namespace

Program for_few_registers(const Program& p) { return FewRegisters(p).run(); }
Program for_short_chains(const Program& p) { return ShortChains(p).run(); }

}  // namespace gough
