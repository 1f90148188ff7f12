#include <algorithm>

#include "emit_parts.hpp"

namespace gough {
namespace {

/// What the order is made for: two operations begun per cycle, results after some cycles, one unit that divides. Measured on
/// none in particular: any order that keeps several chains of operations going serves every processor of today.
constexpr int begun_per_cycle = 2;
constexpr int register_worth = 30;  ///< cycles of the longest chain that a register is worth

struct Cost {
  int result, divider;  ///< cycles until the result is there; until the next division may begin
};
Cost cost(Op op) {
  switch (op) {
    case Op::quotient: return {13, 5};
    case Op::sqrt: return {21, 9};
    case Op::sin:
    case Op::cos:
    case Op::atan2: return {35, 0};
    case Op::select:
    case Op::abs: return {2, 0};
    case Op::lane: return {3, 0};
    case Op::lanes: return {6, 0};
    case Op::total: return {14, 0};
    default: return {4, 0};
  }
}

/// Statements that need each other: a product written inside a sum is no statement of its own.
class Statements {
 public:
  Statements(const Program& p, const std::vector<When>& when, When stage, const std::vector<bool>& inlined)
      : nodes_(p.tape.nodes()),
        in_(nodes_.size(), false),
        needs_(nodes_.size()),
        users_(nodes_.size()),
        uses_(nodes_.size(), 0),
        chain_(nodes_.size(), 0) {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      in_[i] = when[i] == stage && operands(nodes_[i].op) > 0 && !inlined[i];
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (in_[i]) collect(i, i, inlined);
    for (const Ref r : p.roots()) ++uses_[static_cast<std::size_t>(r.node())];
    for (std::size_t i = nodes_.size(); i-- > 0;)
      if (in_[i])
        for (const std::size_t d : needs_[i]) chain_[d] = std::max(chain_[d], chain_[i] + cost(nodes_[i].op).result);
  }

  std::vector<std::size_t> ordered() {
    std::vector<std::size_t> order;
    std::vector<int> missing(nodes_.size(), 0), begins(nodes_.size(), 0);
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      missing[i] = static_cast<int>(needs_[i].size());
      if (in_[i] && missing[i] == 0) ready.push_back(i);
    }
    for (int cycle = 0, begun = 0, divider = 0; !ready.empty();) {
      const auto best = begun < begun_per_cycle ? choice(ready, begins, cycle, divider) : ready.end();
      if (best == ready.end()) {
        ++cycle, begun = 0;
        continue;
      }
      const std::size_t i = *best;
      ready.erase(best);
      order.push_back(i);
      const int wide = nodes_[i].laned ? 2 : 1;  // a pack takes as long as two numbers, at least
      begun += wide;
      const Cost c = cost(nodes_[i].op);
      if (c.divider > 0) divider = cycle + wide * c.divider;
      for (const std::size_t d : needs_[i]) --uses_[d];
      for (const std::size_t u : users_[i]) {
        begins[u] = std::max(begins[u], cycle + c.result);
        if (--missing[u] == 0) ready.push_back(u);
      }
    }
    return order;
  }

 private:
  void collect(std::size_t statement, std::size_t i, const std::vector<bool>& inlined) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(operands(nodes_[i].op)); ++k) {
      const auto d = static_cast<std::size_t>(nodes_[i].arg[k].node());
      if (inlined[d]) collect(statement, d, inlined);
      else if (in_[d] && std::find(needs_[statement].begin(), needs_[statement].end(), d) == needs_[statement].end()) {
        needs_[statement].push_back(d);
        users_[d].push_back(statement);
        ++uses_[d];
      }
    }
  }

  /// Of those whose operands are there: the one with the longest chain behind it; one that frees registers gains.
  std::vector<std::size_t>::iterator choice(std::vector<std::size_t>& ready, const std::vector<int>& begins, int cycle,
                                            int divider) const {
    auto best = ready.end();
    int most = 0;
    for (auto r = ready.begin(); r != ready.end(); ++r) {
      if (begins[*r] > cycle || (cost(nodes_[*r].op).divider > 0 && divider > cycle)) continue;
      int freed = -1;
      for (const std::size_t d : needs_[*r]) freed += uses_[d] == 1 ? 1 : 0;
      const int worth = chain_[*r] + cost(nodes_[*r].op).result + register_worth * freed;
      if (best == ready.end() || worth > most || (worth == most && *r < *best)) best = r, most = worth;
    }
    return best;
  }

  const std::vector<Tape::Node>& nodes_;
  std::vector<bool> in_;
  std::vector<std::vector<std::size_t>> needs_, users_;
  std::vector<int> uses_, chain_;
};

}  // namespace

int cycles(Op op) { return cost(op).result; }

std::vector<std::size_t> many_chains(const Program& p, const std::vector<When>& when, When stage,
                                     const std::vector<bool>& inlined) {
  return Statements(p, when, stage, inlined).ordered();
}

}  // namespace gough
