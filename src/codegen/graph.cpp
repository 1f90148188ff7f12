#include "graph.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace gough {

/// A chain's inner link that only this chain uses becomes part of it.
bool Graph::absorbs(const Node& n, Ref r) const {
  const Node& child = nodes_[at(r)];
  return child.op == n.op && uses_[at(r)] == 1 && child.fixed == n.fixed && !child.held;
}

Graph::Graph(const Program& p) : source_(p), roots_(p.roots()) {
  const auto& from = p.tape.nodes();
  const std::vector<When> when = schedule(p);
  uses_.assign(from.size(), 0);
  for (const Ref r : roots_) uses_[at(r)] += 2;  // an output is never absorbed
  for (std::size_t i = 0; i < from.size(); ++i)
    for (std::size_t k = 0; when[i] != When::never && k < static_cast<std::size_t>(operands(from[i].op)); ++k)
      ++uses_[at(from[i].arg[k])];
  for (std::size_t i = 0; i < from.size(); ++i) {
    Node n{from[i].op, {}, from[i].value, from[i].section, when[i] != When::call, from[i].held, from[i].step};
    for (std::size_t k = 0; k < static_cast<std::size_t>(operands(n.op)); ++k) {
      const Ref r = from[i].arg[k];
      if ((n.op != Op::sum && n.op != Op::product) || !absorbs(n, r)) {
        n.arg.push_back(r);
        continue;
      }
      for (const Ref inner : nodes_[at(r)].arg) n.arg.push_back(inner.times_sign(r.negative()));
      uses_[at(r)] = 0;
    }
    nodes_.push_back(std::move(n));
  }
}

Ref Graph::make(Op op, std::vector<Ref> arg, int section, bool fixed) {
  nodes_.push_back({op, std::move(arg), 0, section, fixed, false, no_step});
  uses_.push_back(1);
  return Ref(static_cast<int>(nodes_.size()) - 1);
}

// ------------------------------------------------------------------------------------------------ order

namespace {
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15U + (a << 6U) + (a >> 2U))) * 0xbf58476d1ce4e5b9U;
  return h ^ (h >> 31U);
}
}  // namespace

/// What a node computes, up to its sign: a - b and b - a mean the same, with the other sign. Operands' order does not
/// matter where it must not.
Graph::Meaning Graph::meaning_of(const Node& n, const std::vector<Meaning>& of) const {
  const auto negative = [&](Ref r) { return r.negative() != of[at(r)].negative; };
  const auto edge = [&](Ref r, bool flip) { return mixed(of[at(r)].hash, negative(r) != flip ? 3 : 5); };
  const auto signless = [&](Ref r) { return mixed(of[at(r)].hash, 7); };
  std::uint64_t h = std::bit_cast<std::uint64_t>(n.value);
  bool sign = false;
  switch (n.op) {
    case Op::sum: {
      std::uint64_t plus = 0, minus = 0;
      for (const Ref r : n.arg) plus += edge(r, false), minus += edge(r, true);
      sign = plus > minus;
      h = std::min(plus, minus);
      break;
    }
    case Op::product:
      for (const Ref r : n.arg) h += signless(r), sign ^= negative(r);
      break;
    case Op::quotient:
    case Op::sin:
    case Op::cos:
    case Op::abs:
      for (const Ref r : n.arg) h = mixed(h, signless(r)), sign ^= negative(r);
      sign = sign && n.op != Op::cos && n.op != Op::abs;
      break;
    case Op::atan2:
      sign = negative(n.arg[0]);
      h = mixed(signless(n.arg[0]), edge(n.arg[1], false));
      break;
    case Op::select:
      sign = negative(n.arg[2] == Ref() ? n.arg[3] : n.arg[2]);
      for (std::size_t k = 0; k < 4; ++k) h = mixed(h, edge(n.arg[k], k > 1 && sign));
      break;
    default:
      for (const Ref r : n.arg) h = mixed(h, edge(r, false));
  }
  return {mixed(static_cast<std::uint64_t>(n.op) + 1, h), sign};
}

std::vector<Graph::Meaning> Graph::meanings() const {
  std::vector<Meaning> all(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) all[i] = meaning_of(nodes_[i], all);
  return all;
}

void Graph::sort_operands() {
  const std::vector<Meaning> m = meanings();
  for (Node& n : nodes_)
    if (n.op == Op::sum || n.op == Op::product)
      std::stable_sort(n.arg.begin(), n.arg.end(), [&](Ref a, Ref b) { return m[at(a)].hash < m[at(b)].hash; });
}

// ------------------------------------------------------------------------------------------------ set-up

void Graph::group_parameters() {
  const std::size_t n = nodes_.size();  // new nodes need no grouping
  for (std::size_t i = 0; i < n; ++i) {
    if (nodes_[i].fixed || (nodes_[i].op != Op::sum && nodes_[i].op != Op::product)) continue;
    std::vector<Ref> known, rest;
    for (const Ref r : nodes_[i].arg) (nodes_[at(r)].fixed ? known : rest).push_back(r);
    if (known.size() < 2) continue;
    rest.insert(rest.begin(), make(nodes_[i].op, known, nodes_[i].section, true));
    nodes_[i].arg = std::move(rest);
  }
}

// ------------------------------------------------------------------------------------------------ factoring

void Graph::factor() {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    while (nodes_[i].op == Op::sum && !nodes_[i].fixed && uses_[i] > 0 && factor_once(i)) {}
}

bool Graph::factor_once(std::size_t i) {
  std::map<int, std::vector<std::size_t>> terms;  // factor: the terms that have it
  for (std::size_t t = 0; t < nodes_[i].arg.size(); ++t) {
    const Ref r = nodes_[i].arg[t];
    const Node& product = nodes_[at(r)];
    if (product.op != Op::product || uses_[at(r)] != 1 || product.fixed || product.held) continue;
    std::set<int> seen;
    for (const Ref f : product.arg)
      if (seen.insert(f.code()).second) terms[f.code()].push_back(t);
  }
  const auto most = std::max_element(terms.begin(), terms.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == terms.end() || most->second.size() < 2) return false;
  split_off(i, Ref(most->first / 2), most->second);
  return true;
}

/// sum over terms of factor * rest -> factor * (sum over terms of rest).
void Graph::split_off(std::size_t i, Ref factor, const std::vector<std::size_t>& terms) {
  const int section = nodes_[i].section;
  std::vector<Ref> inner, left;
  for (std::size_t t = 0; t < nodes_[i].arg.size(); ++t) {
    const Ref r = nodes_[i].arg[t];
    if (!std::binary_search(terms.begin(), terms.end(), t)) {
      left.push_back(r);
      continue;
    }
    std::vector<Ref> rest = nodes_[at(r)].arg;
    rest.erase(std::find(rest.begin(), rest.end(), factor));
    const auto fixed = [&](Ref x) { return nodes_[at(x)].fixed; };
    const Ref term =
        rest.size() == 1 ? rest[0] : make(Op::product, rest, section, std::all_of(rest.begin(), rest.end(), fixed));
    inner.push_back(term.times_sign(r.negative()));
    uses_[at(r)] = 0;
  }
  const bool fixed = std::all_of(inner.begin(), inner.end(), [&](Ref x) { return nodes_[at(x)].fixed; });
  const std::vector<Ref> product = {factor, make(Op::sum, inner, section, fixed)};
  if (left.empty()) {
    nodes_[i].op = Op::product;
    nodes_[i].arg = product;
    return;
  }
  left.push_back(make(Op::product, product, section));
  nodes_[i].arg = std::move(left);
}

// ------------------------------------------------------------------------------------------------ pairs

std::vector<Graph::Pair> Graph::pairs_of(const Node& n) {
  std::vector<Pair> pairs;
  for (std::size_t x = 0; x < n.arg.size(); ++x)
    for (std::size_t y = x + 1; y < n.arg.size(); ++y) {
      Ref a = n.arg[x], b = n.arg[y];
      if (a.node() > b.node()) std::swap(a, b);
      if (n.op == Op::sum && a.node() == b.node()) continue;
      pairs.push_back({a.magnitude(), b.times_sign(a.negative())});
    }
  return pairs;
}

/// Removes the pair from a chain if it is there; `negative`: there it has the other sign.
bool Graph::take_out(Node& n, const Pair& pair, bool& negative) {
  for (const bool flip : {false, true}) {
    const Ref a = pair.a.times_sign(flip), b = pair.b.times_sign(flip);
    const auto first = std::find(n.arg.begin(), n.arg.end(), a);
    if (first == n.arg.end()) continue;
    for (auto second = n.arg.begin(); second != n.arg.end(); ++second) {
      if (second == first || !(*second == b)) continue;
      const auto low = std::min(first, second) - n.arg.begin(), high = std::max(first, second) - n.arg.begin();
      n.arg.erase(n.arg.begin() + high);
      n.arg.erase(n.arg.begin() + low);
      negative = flip;
      return true;
    }
  }
  return false;
}

void Graph::extract_pairs(Op op) {
  using Key = std::tuple<int, int>;  // codes of a pair
  std::map<Key, std::set<std::size_t>> users;
  std::set<std::tuple<int, int, int>> queue;  // -users, pair
  const auto note = [&](std::size_t i, const Pair& pair) {
    const Key key{pair.a.code(), pair.b.code()};
    std::set<std::size_t>& who = users[key];
    who.insert(i);
    if (who.size() > 1) queue.emplace(-static_cast<int>(who.size()), pair.a.code(), pair.b.code());
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].op == op && !nodes_[i].fixed && uses_[i] > 0)
      for (const Pair& pair : pairs_of(nodes_[i])) note(i, pair);
  while (!queue.empty()) {
    const auto [promised, a, b] = *queue.begin();
    queue.erase(queue.begin());
    const Pair pair{Ref(a / 2, a % 2 != 0), Ref(b / 2, b % 2 != 0)};
    std::vector<std::size_t> who;
    for (const std::size_t i : users[{a, b}]) {
      Node copy = nodes_[i];
      bool negative = false;
      if (take_out(copy, pair, negative)) who.push_back(i);
    }
    if (who.size() < 2) continue;
    if (static_cast<int>(who.size()) < -promised) {
      users[{a, b}] = {who.begin(), who.end()};
      queue.emplace(-static_cast<int>(who.size()), a, b);
      continue;
    }
    const auto whole = std::find_if(who.begin(), who.end(), [&](std::size_t i) { return nodes_[i].arg.size() == 2; });
    Ref target;
    if (whole == who.end()) target = make(op, {pair.a, pair.b}, nodes_[who[0]].section);
    else
      target = Ref(static_cast<int>(*whole),
                   op == Op::sum && !(nodes_[*whole].arg[0] == pair.a) && !(nodes_[*whole].arg[1] == pair.a));
    for (const std::size_t i : who) {
      if (static_cast<int>(i) == target.node()) continue;
      bool negative = false;
      take_out(nodes_[i], pair, negative);
      nodes_[i].arg.push_back(target.times_sign(negative));
      for (const Pair& made : pairs_of(nodes_[i]))
        if (made.a.node() == target.node() || made.b.node() == target.node()) note(i, made);
    }
  }
}

// ------------------------------------------------------------------------------------------------ reciprocals

/// By divisor.
std::map<int, std::vector<std::size_t>> Graph::quotients() const {
  std::map<int, std::vector<std::size_t>> all;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].op == Op::quotient && uses_[i] > 0 && !nodes_[i].fixed) all[nodes_[i].arg[1].code()].push_back(i);
  return all;
}

void Graph::share_reciprocals(const std::vector<std::size_t>& quotients) {
  const Ref divisor = nodes_[quotients[0]].arg[1];
  const Ref r = make(Op::quotient, {Ref(1), divisor}, nodes_[quotients[0]].section, nodes_[at(divisor)].fixed);
  for (const std::size_t i : quotients) {
    nodes_[i].op = Op::product;
    nodes_[i].arg = {nodes_[i].arg[0], r};
  }
}

void Graph::share_reciprocals() {
  for (const auto& [divisor, of] : quotients())
    if (of.size() > 1) share_reciprocals(of);
}

void Graph::use_reciprocals() {
  const auto reciprocal = [&](std::size_t i) { return nodes_[i].arg[0] == Ref(1); };
  for (const auto& [divisor, of] : quotients())
    if (of.size() > 1 && std::any_of(of.begin(), of.end(), reciprocal)) share_reciprocals(of);
}

void Graph::divide_at_once() {
  const std::size_t n = nodes_.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (nodes_[i].op != Op::product || nodes_[i].fixed || uses_[i] == 0) continue;
    const auto lone = std::find_if(nodes_[i].arg.begin(), nodes_[i].arg.end(), [&](Ref r) {
      return nodes_[at(r)].op == Op::quotient && nodes_[at(r)].arg[0] == Ref(1) && uses_[at(r)] == 1 &&
             !nodes_[at(r)].fixed;
    });
    if (lone == nodes_[i].arg.end()) continue;
    const Ref divisor = nodes_[at(*lone)].arg[1];
    std::vector<Ref> rest = nodes_[i].arg;
    rest.erase(rest.begin() + (lone - nodes_[i].arg.begin()));
    const Ref above = rest.size() == 1 ? rest[0] : make(Op::product, rest, nodes_[i].section);
    nodes_[i].op = Op::quotient;
    nodes_[i].arg = {above, divisor};
  }
}

// ------------------------------------------------------------------------------------------------ back to a tape

Ref Graph::rebuild(std::size_t i, Tape& tape, const std::vector<Ref>& done) const {
  const Node& n = nodes_[i];
  const auto arg = [&](std::size_t k) { return done[at(n.arg[k])].times_sign(n.arg[k].negative()); };
  tape.set_section(n.section);
  tape.set_step(n.step);
  if (n.op != Op::sum && n.op != Op::product) {
    std::array<Ref, 4> all;
    for (std::size_t k = 0; k < n.arg.size(); ++k) all[k] = arg(k);
    return tape.apply(n.op, all, n.value);
  }
  // one number for all lanes first; products last: each can be fused with the sum it is added to
  const auto rank = [&](std::size_t k) {
    return 2 * static_cast<int>(tape.laned(arg(k))) +
           static_cast<int>(n.op == Op::sum && nodes_[at(n.arg[k])].op == Op::product);
  };
  std::vector<std::size_t> order(n.arg.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  Ref r = arg(order[0]);
  for (std::size_t k = 1; k < order.size(); ++k) r = tape.apply(n.op, {r, arg(order[k])}, 0);
  return r;
}

Program Graph::program() const {
  Program p = source_;
  p.tape = Tape();
  for (const std::string& section : source_.tape.sections()) p.tape.enter_section(section);
  std::vector<Ref> done(nodes_.size());
  std::vector<char> state(nodes_.size(), 0);  // 1: its operands are on the way, 2: done
  std::vector<Ref> symbols;
  for (const Symbol& s : source_.tape.symbols()) symbols.push_back(p.tape.symbol(s));
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].op == Op::symbol) done[i] = symbols[static_cast<std::size_t>(nodes_[i].value)], state[i] = 2;
  std::vector<std::size_t> stack;
  for (std::size_t k = roots_.size(); k-- > 0;) stack.push_back(at(roots_[k]));
  while (!stack.empty()) {
    const std::size_t i = stack.back();
    if (state[i] == 0) {
      state[i] = 1;
      for (std::size_t k = nodes_[i].arg.size(); k-- > 0;)
        if (state[at(nodes_[i].arg[k])] == 0) stack.push_back(at(nodes_[i].arg[k]));
      continue;
    }
    stack.pop_back();
    if (state[i] == 2) continue;
    done[i] = rebuild(i, p.tape, done);
    if (nodes_[i].held) p.tape.hold(done[i]);
    state[i] = 2;
  }
  std::vector<Ref> roots;
  for (const Ref r : roots_) roots.push_back(done[at(r)].times_sign(r.negative()));
  p.set_roots(roots);
  return p;
}

}  // namespace gough
