#pragma once
/// The tape: a list of operations, each a node whose operands come before it.                  docs/theory/codegen.md
///
/// A node is made once: the same operation on the same operands is the same node (hash consing). An edge carries a sign,
/// so that negation is no operation, a - b and b - a are one node, and products have no sign at all. What can be said
/// about a new operation from its operands alone is said when it is made: constants fold, zeros and ones vanish.
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace gough {

enum class Op : std::uint8_t {
  constant,
  symbol,
  sum,
  product,
  quotient,
  sqrt,
  sin,
  cos,
  atan2,
  abs,
  select,
  four,   ///< lanes of one half
  lanes,  ///< a number for each leg: two halves, or one twice
  lane,   ///< one of them; `value`: which
  total   ///< the sum of the first `value` of them
};
/// Legs of one robot that compute as one: where a node is laned, every leg has its own number.
inline constexpr std::size_t most_lanes = 8;

/// A node, perhaps negated.
class Ref {
 public:
  constexpr Ref() = default;  ///< node 0: the constant 0
  constexpr explicit Ref(int node, bool negative = false) : code_(2 * node + (negative ? 1 : 0)) {}

  constexpr int node() const { return code_ >> 1; }
  constexpr bool negative() const { return (code_ & 1) != 0; }
  constexpr int code() const { return code_; }
  constexpr Ref operator-() const { return Ref(node(), node() != 0 && !negative()); }  ///< zero has no sign
  constexpr Ref times_sign(bool flip) const { return flip ? -*this : *this; }
  constexpr Ref magnitude() const { return Ref(node()); }
  friend constexpr bool operator==(Ref, Ref) = default;

 private:
  int code_ = 0;
};
constexpr std::size_t at(Ref r) { return static_cast<std::size_t>(r.node()); }

/// What enters from outside: a parameter is known when the code is set up, an input at every call.
struct Symbol {
  std::string name;
  bool parameter = false;
  double value = 0;          ///< of a parameter: the one traced with
  std::string comment = {};  ///< meaning and unit
};

class Tape {
 public:
  /// select: arg[0] > arg[1] ? arg[2] : arg[3]. Sums: arg[0] is never negative. Products, quotients: no signs.
  struct Node {
    Op op = Op::constant;
    std::array<Ref, 4> arg{};
    double value = 0;  ///< of a constant, never negative; the index of a symbol
    int section = 0;
    int step = 0;       ///< of the computation in which it was made: grows with every section that is entered
    bool held = false;  ///< rules must not look into it: a value that is meant to be computed as it is
    bool laned = false;
  };

  Tape();

  Ref constant(double x);
  Ref symbol(const Symbol& s);
  Ref add(Ref a, Ref b);
  Ref multiply(Ref a, Ref b);
  Ref divide(Ref a, Ref b);
  Ref sqrt(Ref x);
  Ref sin(Ref x);
  Ref cos(Ref x);
  Ref atan2(Ref y, Ref x);
  /// l > r ? a : b.
  Ref choose(Ref l, Ref r, Ref a, Ref b);
  /// x > 0 ? a : b; a difference is compared without being formed.
  Ref if_positive(Ref x, Ref a, Ref b);
  /// A number for each lane; one number where all are the same.
  Ref across(const std::array<Ref, most_lanes>& x);
  Ref lane(Ref x, int which);
  Ref total(Ref x, int first_lanes);
  /// The operation on its operands; `value` as a node has it. Not for symbols.
  Ref apply(Op op, const std::array<Ref, 4>& arg, double value);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(Ref r) const { return nodes_[static_cast<std::size_t>(r.node())]; }
  const std::vector<Symbol>& symbols() const { return symbols_; }
  const Symbol& symbol_of(const Node& n) const { return symbols_[static_cast<std::size_t>(n.value)]; }
  bool laned(Ref r) const { return node(r).laned; }
  bool is_constant(Ref r) const { return node(r).op == Op::constant; }
  double constant_value(Ref r) const { return r.negative() ? -node(r).value : node(r).value; }

  /// x is a value of its own: rules may share it, not take it apart.
  Ref hold(Ref x);

  /// Nodes made from now on belong to this part of the computation; returns the one before.
  int enter_section(const std::string& name);
  void set_section(int section) { section_ = section; }
  void set_step(int step) { step_ = step; }
  /// Throws Error where it would grow beyond; 0: no bound.
  void set_most_nodes(std::size_t n) { most_nodes_ = n; }
  const std::vector<std::string>& sections() const { return sections_; }

 private:
  struct Key {
    Op op;
    std::array<int, 4> arg;
    double value;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const;
  };

  static Key key(Op op, std::array<Ref, 4> arg, double value);
  Ref make(Op op, std::array<Ref, 4> arg, double value = 0);
  bool known_lanes(Ref r) const;
  double known_value(Ref r, std::size_t lane) const;
  bool foldable(Op op, const std::array<Ref, 4>& arg) const;
  Ref folded(Op op, const std::array<Ref, 4>& arg);
  bool unit_leaves(Ref r) const;
  bool turned(Ref angle) const;
  void split_constant(Ref r, double& factor, Ref& rest);
  Ref scale(double c, Ref x);
  Ref hypotenuse(const Node& atan2_node);

  std::vector<Node> nodes_;
  std::vector<Symbol> symbols_;
  std::vector<std::string> sections_;
  std::unordered_map<Key, int, Hash> index_;
  int section_ = 0, step_ = 0;
  std::size_t most_nodes_ = 0;
};

/// One operation in double, its operands' signs already applied.
double operate(Op op, const std::array<double, 4>& x);

/// How many operands an operation has.
int operands(Op op);

/// The values of all nodes, of laned ones in the first lane; `symbol` holds one value per symbol.
std::vector<double> evaluate(const Tape& tape, const std::vector<double>& symbol);

/// A node's value with the edge's sign.
inline double value_of(const std::vector<double>& values, Ref r) {
  const double x = values[static_cast<std::size_t>(r.node())];
  return r.negative() ? -x : x;
}

}  // namespace gough
