#include "code.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <stdexcept>

#include "gough/scalar/turn_terms.hpp"

namespace gough::engine {
namespace {

/// Constants of a code, each once.
class Constants {
 public:
  explicit Constants(Code& code) : c_(code) {
    for (std::size_t v = 0; v < c_.value.size(); ++v)
      if (c_.value[v].home == Value::Home::constant)
        known_.emplace(std::bit_cast<std::uint64_t>(c_.constant[at(c_.value[v].index)]), static_cast<int>(v));
  }
  int operator()(double x) {
    const auto [found, made] = known_.try_emplace(std::bit_cast<std::uint64_t>(x), static_cast<int>(c_.value.size()));
    if (made) {
      c_.value.push_back({Value::Home::constant, static_cast<int>(c_.constant.size()), 0});
      c_.constant.push_back(x);
    }
    return found->second;
  }

 private:
  Code& c_;
  std::map<std::uint64_t, int> known_;
};

int computed(Code& c) {
  c.value.push_back({});
  return static_cast<int>(c.value.size()) - 1;
}

class Lowering {
 public:
  explicit Lowering(const Program& program)
      : p_(program),
        nodes_(p_.tape.nodes()),
        when_(schedule(p_)),
        of_(nodes_.size(), -1),
        inlined_(nodes_.size(), false) {
    if (p_.legs > 0) throw std::logic_error("programs with legs as lanes do not run here");
  }

  Code run() {
    set_up();
    choose_fused();
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (when_[i] == When::call && operands(nodes_[i].op) > 0 && !inlined_[i]) of_[i] = node(nodes_[i]);
    for (std::size_t k = 0; k < p_.outputs.size(); ++k) {
      const auto& value = p_.outputs[k].value;
      for (std::size_t i = 0; i < value.size(); ++i)
        c_.instruction.push_back(
            {.kind = Kind::store, .a = plain(value[i]), .index = static_cast<int>(i), .array = static_cast<int>(k)});
      c_.output_size.push_back(static_cast<int>(value.size()));
    }
    for (const Guard& g : p_.guards) watch(plain(g.value), constant_(g.bound), guard_failed);
    if (largest_ >= 0) watch(constant_(reducible), largest_, argument_too_large);
    return std::move(c_);
  }

 private:
  /// Inputs, and what parameters alone decide: computed here, once.
  void set_up() {
    std::vector<double> symbol;
    for (const Symbol& s : p_.tape.symbols()) symbol.push_back(s.value);
    std::vector<Value> input(symbol.size());
    for (std::size_t k = 0; k < p_.inputs.size(); ++k) {
      const auto& symbols = p_.inputs[k].symbol;
      for (std::size_t i = 0; i < symbols.size(); ++i)
        input[at(symbols[i])] = {Value::Home::input, static_cast<int>(i), static_cast<int>(k)};
      c_.input_size.push_back(static_cast<int>(symbols.size()));
    }
    std::vector<double> value(nodes_.size(), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Tape::Node& n = nodes_[i];
      if (when_[i] == When::never) continue;
      const std::size_t s = n.op == Op::symbol ? static_cast<std::size_t>(n.value) : 0;
      if (n.op == Op::symbol && input[s].home == Value::Home::input) {
        c_.value.push_back(input[s]);
        of_[i] = static_cast<int>(c_.value.size()) - 1;
        continue;
      }
      if (when_[i] == When::call) continue;
      std::array<double, 4> x{};
      for (std::size_t k = 0; k < static_cast<std::size_t>(operands(n.op)); ++k) x[k] = value_of(value, n.arg[k]);
      value[i] = n.op == Op::constant ? n.value : n.op == Op::symbol ? symbol[s] : operate(n.op, x);
      of_[i] = constant_(value[i]);
    }
  }

  /// A product that one sum alone uses becomes part of it; of two the later one, for which it is likely to wait.
  void choose_fused() {
    std::vector<int> uses(nodes_.size(), 0);
    for (const Ref r : p_.roots()) uses[gough::at(r)] += 2;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (std::size_t k = 0; when_[i] == When::call && k < static_cast<std::size_t>(operands(nodes_[i].op)); ++k)
        ++uses[gough::at(nodes_[i].arg[k])];
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].op != Op::sum || when_[i] != When::call) continue;
      for (const std::size_t k : {1U, 0U}) {
        const std::size_t j = gough::at(nodes_[i].arg[k]);
        if (nodes_[j].op != Op::product || uses[j] != 1 || when_[j] != When::call) continue;
        inlined_[j] = true;
        break;
      }
    }
  }

  int make(Kind kind, int a, int b = -1, int c = -1, int d = -1) {
    const int v = computed(c_);
    c_.instruction.push_back({.kind = kind, .to = v, .a = a, .b = b, .c = c, .d = d});
    return v;
  }
  void watch(int value, int bound, int bit) {
    c_.instruction.push_back({.kind = Kind::guard, .a = value, .b = bound, .index = bit});
  }

  /// The value of a node, whatever the edge's sign.
  int unsigned_value(Ref r) const { return of_[gough::at(r)]; }
  int plain(Ref r) {
    const std::size_t i = gough::at(r);
    if (!r.negative()) return of_[i];
    const Value& v = c_.value[at(of_[i])];
    if (v.home == Value::Home::constant) return constant_(-c_.constant[at(v.index)]);
    return make(Kind::bit_xor, of_[i], constant_(-0.0));
  }

  int node(const Tape::Node& n) {
    switch (n.op) {
      case Op::sum: return sum(n);
      case Op::product: return make(Kind::mul, unsigned_value(n.arg[0]), unsigned_value(n.arg[1]));
      case Op::quotient: return make(Kind::div, unsigned_value(n.arg[0]), unsigned_value(n.arg[1]));
      case Op::sqrt: return make(Kind::sqrt, plain(n.arg[0]));
      case Op::abs: return magnitude(unsigned_value(n.arg[0]));
      case Op::sin: return turn(n.arg[0]).first;
      case Op::cos: return turn(n.arg[0]).second;
      case Op::atan2: {
        const int y = plain(n.arg[0]), x = plain(n.arg[1]);
        return make(Kind::atan2, y, x);
      }
      case Op::select: {
        const int l = plain(n.arg[0]), r = plain(n.arg[1]), yes = plain(n.arg[2]), no = plain(n.arg[3]);
        return make(Kind::select, l, r, yes, no);
      }
      default: throw std::logic_error("an operation on lanes in a program without them");
    }
  }

  int sum(const Tape::Node& n) {
    const bool minus = n.arg[1].negative();
    for (const std::size_t k : {1U, 0U}) {
      const std::size_t j = gough::at(n.arg[k]);
      if (!inlined_[j]) continue;
      const int a = unsigned_value(nodes_[j].arg[0]), b = unsigned_value(nodes_[j].arg[1]),
                rest = unsigned_value(n.arg[1 - k]);
      if (k == 1) return make(minus ? Kind::fnma : Kind::fma, a, b, rest);
      return make(minus ? Kind::fms : Kind::fma, a, b, rest);
    }
    return make(minus ? Kind::sub : Kind::add, unsigned_value(n.arg[0]), unsigned_value(n.arg[1]));
  }

  int magnitude(int v) { return make(Kind::bit_and, v, constant_(std::bit_cast<double>(~std::uint64_t(0) >> 1U))); }

  std::pair<int, int> turn(Ref angle) {
    const auto [found, made] = turns_.try_emplace(angle.code());
    if (!made) return found->second;
    const int x = plain(angle), m = magnitude(x);
    largest_ = largest_ < 0 ? m : make(Kind::larger, largest_, m);
    const int sine = computed(c_), cosine = computed(c_);
    c_.instruction.push_back({.kind = Kind::turn, .to = sine, .to2 = cosine, .a = x});
    return found->second = {sine, cosine};
  }

  const Program& p_;
  const std::vector<Tape::Node>& nodes_;
  std::vector<When> when_;
  std::vector<int> of_;
  std::vector<bool> inlined_;
  std::map<int, std::pair<int, int>> turns_;
  int largest_ = -1;
  Code c_;
  Constants constant_{c_};
};

/// Drops what nothing needs: a cosine whose sine alone was wanted.
void drop_unused(Code& c) {
  std::vector<bool> used(c.value.size(), false), keep(c.instruction.size(), false);
  for (std::size_t i = c.instruction.size(); i-- > 0;) {
    const Instruction& x = c.instruction[i];
    keep[i] = x.to < 0 || used[at(x.to)] || (x.to2 >= 0 && used[at(x.to2)]);
    if (keep[i]) operands_of(x, [&](int v) { used[at(v)] = true; });
  }
  std::size_t n = 0;
  for (std::size_t i = 0; i < c.instruction.size(); ++i)
    if (keep[i]) c.instruction[n++] = c.instruction[i];
  c.instruction.resize(n);
}

/// Writes `turn` out, in the order of operations that the interpreter has as well.                          (G1)
class Expansion {
 public:
  explicit Expansion(const Code& code) : from_(code), c_(code) { c_.instruction.clear(); }

  Code run() {
    for (const Instruction& i : from_.instruction) {
      if (i.kind == Kind::turn) turn(i);
      else c_.instruction.push_back(i);
    }
    return std::move(c_);
  }

 private:
  int make(Kind kind, int a, int b = -1, int c = -1) { return make_at(computed(c_), kind, a, b, c); }
  int make_at(int to, Kind kind, int a, int b = -1, int c = -1) {
    c_.instruction.push_back({.kind = kind, .to = to, .a = a, .b = b, .c = c});
    return to;
  }
  int polynomial(const std::array<double, 6>& t, int u, int v) {
    const int low = make(Kind::fma, u, constant_(t[1]), constant_(t[0])),
              middle = make(Kind::fma, u, constant_(t[3]), constant_(t[2])),
              high = make(Kind::fma, u, constant_(t[5]), constant_(t[4]));
    return make(Kind::fma, v, make(Kind::fma, v, high, middle), low);
  }
  void turn(const Instruction& i) {
    const int t = make(Kind::fma, i.a, constant_(per_quarter), constant_(to_integer));
    const int n = make(Kind::sub, t, constant_(to_integer));
    int r = i.a;
    for (const double part : quarter) r = make(Kind::fnma, n, constant_(part), r);
    const int u = make(Kind::mul, r, r), v = make(Kind::mul, u, u), ru = make(Kind::mul, r, u);
    const int s = make(Kind::fma, ru, polynomial(sin_terms, u, v), r);
    const int half = make(Kind::fnma, u, constant_(0.5), constant_(1.0));
    const int k = make(Kind::fma, v, polynomial(cos_terms, u, v), half);
    const int odd = make(Kind::shift63, t), second = make(Kind::shift62, t), sign = constant_(-0.0);
    make_at(i.to, Kind::bit_xor, make(Kind::pick, k, s, odd), make(Kind::bit_and, second, sign));
    const int other = make(Kind::bit_and, make(Kind::bit_xor, second, odd), sign);
    make_at(i.to2, Kind::bit_xor, make(Kind::pick, s, k, odd), other);
  }

  const Code& from_;
  Code c_;
  Constants constant_{c_};
};

// ------------------------------------------------------------------------------------------------ orders

/// Which instructions wait for which.
struct Dependence {
  std::vector<std::vector<int>> users;
  std::vector<int> missing;

  explicit Dependence(const Code& c) : users(c.instruction.size()), missing(c.instruction.size(), 0) {
    std::vector<int> made(c.value.size(), -1);
    for (std::size_t i = 0; i < c.instruction.size(); ++i) {
      operands_of(c.instruction[i], [&](int v) {
        if (made[at(v)] < 0) return;
        users[at(made[at(v)])].push_back(static_cast<int>(i));
        ++missing[i];
      });
      for (const int v : {c.instruction[i].to, c.instruction[i].to2})
        if (v >= 0) made[at(v)] = static_cast<int>(i);
    }
  }
};

/// Cycles until the result is there.
int latency(Kind k) {
  switch (k) {
    case Kind::div: return 14;
    case Kind::sqrt: return 19;
    case Kind::atan2: return 40;
    case Kind::shift62:
    case Kind::shift63:
    case Kind::bit_and:
    case Kind::bit_xor: return 1;
    case Kind::pick: return 3;
    case Kind::store:
    case Kind::guard: return 0;
    default: return 4;
  }
}
/// Cycles until the next division or root may begin.
int divider(Kind k) { return k == Kind::div ? 4 : k == Kind::sqrt ? 6 : 0; }

constexpr int begun_per_cycle = 2;
constexpr int register_worth = 30;  ///< cycles of the longest chain that a register is worth

class LatencyOrder {
 public:
  explicit LatencyOrder(const Code& code)
      : c_(code), needs_(code), uses_(c_.value.size(), 0), chain_(c_.instruction.size(), 0), begins_(chain_) {
    for (const Instruction& i : c_.instruction) operands_of(i, [&](int v) { ++uses_[at(v)]; });
    for (std::size_t i = chain_.size(); i-- > 0;)
      for (const int u : needs_.users[i])
        chain_[i] = std::max(chain_[i], chain_[at(u)] + latency(c_.instruction[i].kind));
  }

  std::vector<Instruction> run() {
    std::vector<Instruction> order;
    order.reserve(c_.instruction.size());
    for (std::size_t i = 0; i < c_.instruction.size(); ++i)
      if (needs_.missing[i] == 0) ready_.push_back(static_cast<int>(i));
    while (!ready_.empty()) {
      const std::size_t place = begun_ < begun_per_cycle ? choice() : ready_.size();
      if (place == ready_.size()) {
        cycle_ = begun_ < begun_per_cycle ? std::max(cycle_ + 1, soonest_) : cycle_ + 1;
        begun_ = 0;
        continue;
      }
      order.push_back(begin(place));
    }
    return order;
  }

 private:
  /// Of those that can begin now; ready_.size(): none.
  std::size_t choice() {
    std::size_t best = ready_.size();
    int most = 0;
    soonest_ = std::numeric_limits<int>::max();
    for (std::size_t r = 0; r < ready_.size(); ++r) {
      const Instruction& x = c_.instruction[at(ready_[r])];
      const int from = std::max(begins_[at(ready_[r])], divider(x.kind) > 0 ? divider_free_ : 0);
      if (from > cycle_) {
        soonest_ = std::min(soonest_, from);
        continue;
      }
      const int worth = x.to < 0 ? std::numeric_limits<int>::max() : chain_[at(ready_[r])] + register_worth * freed(x);
      if (best == ready_.size() || worth > most || (worth == most && ready_[r] < ready_[best])) best = r, most = worth;
    }
    return best;
  }
  int freed(const Instruction& x) const {
    int n = -1;
    operands_of(x, [&](int v) { n += c_.value[at(v)].home == Value::Home::computed && uses_[at(v)] == 1 ? 1 : 0; });
    return n;
  }
  Instruction begin(std::size_t place) {
    const int i = ready_[place];
    ready_[place] = ready_.back();
    ready_.pop_back();
    const Instruction& x = c_.instruction[at(i)];
    if (x.to >= 0) ++begun_;
    if (const int busy = divider(x.kind); busy > 0) divider_free_ = cycle_ + busy;
    operands_of(x, [&](int v) { --uses_[at(v)]; });
    for (const int u : needs_.users[at(i)]) {
      begins_[at(u)] = std::max(begins_[at(u)], cycle_ + latency(x.kind));
      if (--needs_.missing[at(u)] == 0) ready_.push_back(u);
    }
    return x;
  }

  const Code& c_;
  Dependence needs_;
  std::vector<int> uses_, chain_, begins_, ready_;
  int cycle_ = 0, begun_ = 0, divider_free_ = 0, soonest_ = 0;
};

}  // namespace

Code lower(const Program& p) {
  Code c = Lowering(p).run();
  drop_unused(c);
  return c;
}

Code with_turns_expanded(const Code& code) {
  Code c = Expansion(code).run();
  drop_unused(c);
  return c;
}

void order_for_latency(Code& c) { c.instruction = LatencyOrder(c).run(); }

void order_by_kind(Code& c) {
  Dependence needs(c);
  std::array<std::vector<int>, kinds> ready;
  const auto kind_of = [&](int i) { return static_cast<std::size_t>(c.instruction[at(i)].kind); };
  for (std::size_t i = 0; i < c.instruction.size(); ++i)
    if (needs.missing[i] == 0) ready[kind_of(static_cast<int>(i))].push_back(static_cast<int>(i));
  std::vector<Instruction> order;
  order.reserve(c.instruction.size());
  while (order.size() < c.instruction.size()) {
    auto& most = *std::max_element(ready.begin(), ready.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
    for (std::size_t k = 0; k < most.size();) {  // what becomes ready meanwhile goes along
      const int i = most[k++];
      order.push_back(c.instruction[at(i)]);
      for (const int u : needs.users[at(i)])
        if (--needs.missing[at(u)] == 0) ready[kind_of(u)].push_back(u);
    }
    most.clear();
  }
  c.instruction = std::move(order);
}

}  // namespace gough::engine
