#include "gough/scalar/tape.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <tuple>
#include <utility>

#include "gough/error.hpp"
#include "gough/scalar/expr.hpp"

namespace gough {
namespace {

thread_local Tape* current = nullptr;

/// -0 would make two constants of one.
double plain(double x) { return x == 0 ? 0.0 : x; }

}  // namespace

Tracing::Tracing(Tape& tape) : before_(std::exchange(current, &tape)) {}
Tracing::~Tracing() { current = before_; }
Tape& Tracing::tape() {
  assert(current != nullptr && "an expression was made outside of a trace");
  return *current;
}

int operands(Op op) {
  switch (op) {
    case Op::constant:
    case Op::symbol: return 0;
    case Op::sqrt:
    case Op::sin:
    case Op::cos:
    case Op::abs:
    case Op::lane:
    case Op::total: return 1;
    case Op::sum:
    case Op::product:
    case Op::quotient:
    case Op::atan2:
    case Op::lanes: return 2;
    case Op::select:
    case Op::four: return 4;
  }
  return 0;
}

double operate(Op op, const std::array<double, 4>& x) {
  switch (op) {
    case Op::sum: return x[0] + x[1];
    case Op::product: return x[0] * x[1];
    case Op::quotient: return x[0] / x[1];
    case Op::sqrt: return std::sqrt(x[0]);
    case Op::sin: return std::sin(x[0]);
    case Op::cos: return std::cos(x[0]);
    case Op::atan2: return std::atan2(x[0], x[1]);
    case Op::abs: return std::abs(x[0]);
    case Op::select: return x[0] > x[1] ? x[2] : x[3];
    case Op::constant:
    case Op::symbol:
    case Op::four:
    case Op::lanes:
    case Op::lane:
    case Op::total: break;
  }
  return 0;
}

namespace {

/// Values of the tape's nodes in every lane; in one where none is laned.
class Evaluation {
 public:
  Evaluation(const Tape& tape, const std::vector<double>& symbol) : symbol_(symbol) {
    const auto& nodes = tape.nodes();
    lanes_ = std::any_of(nodes.begin(), nodes.end(), [](const Tape::Node& n) { return n.laned; }) ? most_lanes : 1;
    value_.reserve(nodes.size() * lanes_);
    for (const Tape::Node& n : nodes)
      for (std::size_t l = 0; l < lanes_; ++l) value_.push_back(value(n, l));
  }
  std::vector<double> first_lane() const {
    std::vector<double> all;
    for (std::size_t i = 0; i < value_.size(); i += lanes_) all.push_back(value_[i]);
    return all;
  }

 private:
  double at(Ref r, std::size_t lane) const {
    const double x = value_[static_cast<std::size_t>(r.node()) * lanes_ + lane];
    return r.negative() ? -x : x;
  }
  double value(const Tape::Node& n, std::size_t lane) const {
    if (n.op == Op::constant) return n.value;  // which may be infinite, and no index
    const auto index = static_cast<std::size_t>(n.value);
    double sum = 0;
    switch (n.op) {
      case Op::symbol: return symbol_[index];
      case Op::four: return at(n.arg[lane % 4], lane);
      case Op::lanes: return at(n.arg[lane / 4], lane);
      case Op::lane: return at(n.arg[0], index);
      case Op::total:
        for (std::size_t l = 0; l < index; ++l) sum += at(n.arg[0], l);
        return sum;
      default: break;
    }
    std::array<double, 4> x{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(operands(n.op)); ++k) x[k] = at(n.arg[k], lane);
    return operate(n.op, x);
  }

  const std::vector<double>& symbol_;
  std::size_t lanes_ = 1;
  std::vector<double> value_;
};

}  // namespace

std::vector<double> evaluate(const Tape& tape, const std::vector<double>& symbol) {
  return Evaluation(tape, symbol).first_lane();
}

// ------------------------------------------------------------------------------------------------ nodes

std::size_t Tape::Hash::operator()(const Key& k) const {
  std::uint64_t h = std::bit_cast<std::uint64_t>(k.value) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(k.op);
  for (const int a : k.arg) h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u + static_cast<std::uint64_t>(a);
  return static_cast<std::size_t>(h ^ (h >> 32));
}

Tape::Key Tape::key(Op op, std::array<Ref, 4> arg, double value) {
  return {op, {arg[0].code(), arg[1].code(), arg[2].code(), arg[3].code()}, value};
}

Tape::Tape() {
  sections_.emplace_back();
  make(Op::constant, {}, 0.0);
  make(Op::constant, {}, 1.0);
}

Ref Tape::make(Op op, std::array<Ref, 4> arg, double value) {
  if (foldable(op, arg)) return folded(op, arg);
  const auto [found, is_new] = index_.try_emplace(key(op, arg, value), static_cast<int>(nodes_.size()));
  if (!is_new) return Ref(found->second);
  if (most_nodes_ > 0 && nodes_.size() >= most_nodes_) {
    index_.erase(found);
    throw Error("a program of more than " + std::to_string(most_nodes_) + " operations");
  }
  bool laned = op == Op::four || op == Op::lanes;
  for (std::size_t k = 0; k < static_cast<std::size_t>(operands(op)); ++k) laned = laned || node(arg[k]).laned;
  if (op == Op::lane || op == Op::total) laned = false;
  nodes_.push_back({op, arg, value, section_, step_, false, laned});
  return Ref(found->second);
}

Ref Tape::hold(Ref x) {
  nodes_[static_cast<std::size_t>(x.node())].held = true;
  return x;
}

int Tape::enter_section(const std::string& name) {
  ++step_;
  const int before = section_;
  for (section_ = 0; section_ < static_cast<int>(sections_.size()); ++section_)
    if (sections_[static_cast<std::size_t>(section_)] == name) return before;
  sections_.push_back(name);
  return before;
}

Ref Tape::constant(double x) {
  const Ref r = make(Op::constant, {}, plain(std::abs(x)));
  return r.times_sign(x < 0);
}

Ref Tape::symbol(const Symbol& s) {
  symbols_.push_back(s);
  return make(Op::symbol, {}, static_cast<double>(symbols_.size() - 1));
}

// ------------------------------------------------------------------------------------------------ sums

/// r = factor * rest.
void Tape::split_constant(Ref r, double& factor, Ref& rest) {
  const Node& n = node(r);
  const bool scaled = n.op == Op::product && is_constant(n.arg[0]);  // constants come first in a product
  factor = (r.negative() ? -1.0 : 1.0) * (scaled ? node(n.arg[0]).value : 1.0);
  rest = scaled ? n.arg[1] : r.magnitude();
}

Ref Tape::scale(double c, Ref x) { return multiply(constant(c), x); }

Ref Tape::add(Ref a, Ref b) {
  if (is_constant(a) && is_constant(b)) return constant(constant_value(a) + constant_value(b));
  if (is_constant(b)) std::swap(a, b);
  if (a == Ref()) return b;
  if (a == -b) return Ref();
  double ca = 1, cb = 1;
  Ref ra, rb;
  split_constant(a, ca, ra);
  split_constant(b, cb, rb);
  if (ra == rb && !is_constant(ra)) return scale(ca + cb, ra);
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {  // (x + z) - x = z
    const Node& n = node(x);
    if (n.op != Op::sum) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      const Ref term = n.arg[i].times_sign(x.negative()), other = n.arg[1 - i].times_sign(x.negative());
      if (term == -y) return other;
      if (is_constant(term) && is_constant(y)) return add(constant(constant_value(term) + constant_value(y)), other);
    }
  }
  if (a.node() > b.node()) std::swap(a, b);
  return make(Op::sum, {a.magnitude(), b.times_sign(a.negative())}).times_sign(a.negative());
}

// ------------------------------------------------------------------------------------------------ products

/// A select, perhaps nested, between 0, 1 and -1: a sign. A product with it needs no arithmetic.
bool Tape::unit_leaves(Ref r) const {
  const Node& n = node(r);
  if (n.op == Op::constant) return n.value == 0 || n.value == 1;
  return n.op == Op::select && unit_leaves(n.arg[2]) && unit_leaves(n.arg[3]);
}

Ref Tape::multiply(Ref a, Ref b) {
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a) && is_constant(b)) return constant(constant_value(a) * constant_value(b));
  const bool flip = a.negative() != b.negative();
  a = a.magnitude(), b = b.magnitude();
  if (is_constant(a)) {
    const double c = node(a).value;
    if (c == 0) return Ref();
    if (c == 1) return b.times_sign(flip);
    const Node n = node(b);
    if (n.op == Op::select && unit_leaves(b))
      return choose(n.arg[0], n.arg[1], multiply(a, n.arg[2]), multiply(a, n.arg[3])).times_sign(flip);
    const bool scaled = (n.op == Op::product || n.op == Op::quotient) && is_constant(n.arg[0]);
    const bool reciprocal = n.op == Op::quotient && n.arg[0] == Ref(1);  // stays as it is: others may share it
    if (scaled && n.op == Op::product) return scale(c * node(n.arg[0]).value, n.arg[1]).times_sign(flip);
    if (scaled && !reciprocal) return divide(constant(c * node(n.arg[0]).value), n.arg[1]).times_sign(flip);
    return make(Op::product, {a, b}).times_sign(flip);
  }
  if (a == b && node(a).op == Op::sqrt) return node(a).arg[0].times_sign(flip);
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    const Node n = node(y);
    if (n.op == Op::quotient && n.arg[1] == x) return n.arg[0].times_sign(flip);  // (z / x) x = z
    if (n.op == Op::select && unit_leaves(y))
      return choose(n.arg[0], n.arg[1], multiply(x, n.arg[2]), multiply(x, n.arg[3])).times_sign(flip);
  }
  if (a.node() > b.node()) std::swap(a, b);
  return make(Op::product, {a, b}).times_sign(flip);
}

Ref Tape::divide(Ref a, Ref b) {
  const bool flip = a.negative() != b.negative();
  a = a.magnitude(), b = b.magnitude();
  if (is_constant(a) && is_constant(b)) return constant(node(a).value / node(b).value).times_sign(flip);
  if (is_constant(b)) return scale(1 / node(b).value, a).times_sign(flip);
  if (is_constant(a) && node(a).value == 0) return a;
  if (a == b) return constant(flip ? -1 : 1);
  const Node n = node(a), d = node(b);
  if (d.op == Op::sqrt && d.arg[0] == a) return b.times_sign(flip);  // x / sqrt(x)
  if (n.op == Op::product && n.arg[0] == b) return n.arg[1].times_sign(flip);
  if (n.op == Op::product && n.arg[1] == b) return n.arg[0].times_sign(flip);
  const bool unit = d.op == Op::quotient && d.arg[0] == Ref(1);
  if (unit) return multiply(a, d.arg[1]).times_sign(flip);
  if (is_constant(a) && d.op == Op::product && is_constant(d.arg[0]))
    return divide(constant(n.value / node(d.arg[0]).value), d.arg[1]).times_sign(flip);
  return make(Op::quotient, {a, b}).times_sign(flip);
}

// ------------------------------------------------------------------------------------------------ functions

Ref Tape::sqrt(Ref x) {
  if (is_constant(x)) return constant(std::sqrt(constant_value(x)));
  const Node n = node(x);
  if (!x.negative() && n.op == Op::product && n.arg[0] == n.arg[1]) return choose(n.arg[0], Ref(), n.arg[0], -n.arg[0]);
  return make(Op::sqrt, {x});
}

Ref Tape::hypotenuse(const Node& n) {
  const Ref y = n.arg[0], x = n.arg[1];
  return sqrt(add(multiply(x, x), multiply(y, y)));
}

/// An angle whose sine and cosine are ratios of lengths, at least in part.
bool Tape::turned(Ref angle) const { return node(angle).op == Op::atan2; }

Ref Tape::sin(Ref x) {
  if (is_constant(x)) return constant(std::sin(constant_value(x)));
  const Node n = node(x);
  if (n.op == Op::atan2) return divide(n.arg[0], hypotenuse(n)).times_sign(x.negative());
  if (n.op == Op::sum && (turned(n.arg[0]) || turned(n.arg[1])))
    return add(multiply(sin(n.arg[0]), cos(n.arg[1])), multiply(cos(n.arg[0]), sin(n.arg[1]))).times_sign(x.negative());
  return make(Op::sin, {x.magnitude()}).times_sign(x.negative());
}

Ref Tape::cos(Ref x) {
  if (is_constant(x)) return constant(std::cos(constant_value(x)));
  const Node n = node(x);
  if (n.op == Op::atan2) return divide(n.arg[1], hypotenuse(n));
  if (n.op == Op::sum && (turned(n.arg[0]) || turned(n.arg[1])))
    return add(multiply(cos(n.arg[0]), cos(n.arg[1])), -multiply(sin(n.arg[0]), sin(n.arg[1])));
  return make(Op::cos, {x.magnitude()});
}

Ref Tape::atan2(Ref y, Ref x) {
  if (is_constant(y) && is_constant(x)) return constant(std::atan2(constant_value(y), constant_value(x)));
  return make(Op::atan2, {y.magnitude(), x}).times_sign(y.negative());
}

// ------------------------------------------------------------------------------------------------ lanes

Ref Tape::across(const std::array<Ref, most_lanes>& x) {
  if (std::all_of(x.begin(), x.end(), [&](Ref r) { return r == x[0]; })) return x[0];
  const Ref low = make(Op::four, {x[0], x[1], x[2], x[3]}), high = make(Op::four, {x[4], x[5], x[6], x[7]});
  return make(Op::lanes, {low, high});
}

Ref Tape::lane(Ref x, int which) {
  if (!laned(x)) return x;
  const Node n = node(x);
  const auto j = static_cast<std::size_t>(which);
  if (n.op == Op::lanes) return node(n.arg[j / 4]).arg[j % 4].times_sign(x.negative());
  return make(Op::lane, {x.magnitude()}, which).times_sign(x.negative());
}

Ref Tape::total(Ref x, int first_lanes) {
  if (!laned(x)) return scale(first_lanes, x);
  if (known_lanes(x)) {
    double sum = 0;
    for (std::size_t l = 0; l < static_cast<std::size_t>(first_lanes); ++l) sum += known_value(x, l);
    return constant(sum);
  }
  return make(Op::total, {x.magnitude()}, first_lanes).times_sign(x.negative());
}

/// Whether every lane holds a constant.
bool Tape::known_lanes(Ref r) const {
  const Node& n = node(r);
  if (n.op != Op::lanes) return false;
  for (const Ref half : {n.arg[0], n.arg[1]})
    for (const Ref x : node(half).arg)
      if (!is_constant(x)) return false;
  return true;
}

double Tape::known_value(Ref r, std::size_t which) const {
  if (is_constant(r)) return constant_value(r);
  const double x = constant_value(node(node(r).arg[which / 4]).arg[which % 4]);
  return r.negative() ? -x : x;
}

/// Constants fold lane by lane.
bool Tape::foldable(Op op, const std::array<Ref, 4>& arg) const {
  if (op == Op::four || op == Op::lanes || op == Op::total) return false;
  bool any = false;
  for (std::size_t k = 0; k < static_cast<std::size_t>(operands(op)); ++k) {
    const bool in_lanes = known_lanes(arg[k]);
    if (!in_lanes && !is_constant(arg[k])) return false;
    any = any || in_lanes;
  }
  return any;
}

Ref Tape::folded(Op op, const std::array<Ref, 4>& arg) {
  std::array<Ref, most_lanes> out;
  for (std::size_t l = 0; l < most_lanes; ++l) {
    std::array<double, 4> x{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(operands(op)); ++k) x[k] = known_value(arg[k], l);
    out[l] = constant(operate(op, x));
  }
  return across(out);
}

Ref Tape::apply(Op op, const std::array<Ref, 4>& arg, double value) {
  switch (op) {
    case Op::constant: return constant(value);
    case Op::symbol: break;
    case Op::sum: return add(arg[0], arg[1]);
    case Op::product: return multiply(arg[0], arg[1]);
    case Op::quotient: return divide(arg[0], arg[1]);
    case Op::sqrt: return sqrt(arg[0]);
    case Op::sin: return sin(arg[0]);
    case Op::cos: return cos(arg[0]);
    case Op::atan2: return atan2(arg[0], arg[1]);
    case Op::abs: return choose(arg[0], Ref(), arg[0], -arg[0]);
    case Op::select: return choose(arg[0], arg[1], arg[2], arg[3]);
    case Op::four:
    case Op::lanes: return make(op, arg);
    case Op::lane: return lane(arg[0], static_cast<int>(value));
    case Op::total: return total(arg[0], static_cast<int>(value));
  }
  assert(false && "a symbol is no operation");
  return {};
}

// ------------------------------------------------------------------------------------------------ choices

Ref Tape::choose(Ref l, Ref r, Ref a, Ref b) {
  if (is_constant(l) && is_constant(r)) return constant_value(l) > constant_value(r) ? a : b;
  if (a == b || l == r) return b;
  if (l == a && b == -a && r == Ref()) return make(Op::abs, {l.magnitude()});
  const bool flip = a == Ref() ? b.negative() : a.negative();
  return make(Op::select, {l, r, a.times_sign(flip), b.times_sign(flip)}).times_sign(flip);
}

Ref Tape::if_positive(Ref x, Ref a, Ref b) {
  const Node n = node(x);
  const bool forms_abs = x == a && b == -a;
  if (n.op != Op::sum || forms_abs) return choose(x, Ref(), a, b);
  Ref left = n.arg[0].times_sign(x.negative()), right = -n.arg[1].times_sign(x.negative());
  if (left.negative() && right.negative()) std::tie(left, right) = std::pair(-right, -left);  // -p > -q: q > p
  return choose(left, right, a, b);
}

}  // namespace gough
