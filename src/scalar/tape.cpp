#include "gough/scalar/tape.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <tuple>
#include <utility>

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
    case Op::abs: return 1;
    case Op::sum:
    case Op::product:
    case Op::quotient:
    case Op::atan2: return 2;
    case Op::select: return 4;
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
    case Op::symbol: break;
  }
  return 0;
}

std::vector<double> evaluate(const Tape& tape, const std::vector<double>& symbol) {
  std::vector<double> values;
  values.reserve(tape.nodes().size());
  for (const Tape::Node& n : tape.nodes()) {
    if (n.op == Op::constant) values.push_back(n.value);
    else if (n.op == Op::symbol) values.push_back(symbol[static_cast<std::size_t>(n.value)]);
    else {
      std::array<double, 4> x{};
      for (std::size_t i = 0; i < static_cast<std::size_t>(operands(n.op)); ++i) x[i] = value_of(values, n.arg[i]);
      values.push_back(operate(n.op, x));
    }
  }
  return values;
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
  const auto [found, is_new] = index_.try_emplace(key(op, arg, value), static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back({op, arg, value, section_, step_, false});
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
