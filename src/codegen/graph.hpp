#pragma once
/// A tape with sums and products of any length, on which rewriting is done. See optimise.hpp for the rules.
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "gough/codegen/program.hpp"

namespace gough {

class Graph {
 public:
  explicit Graph(const Program& p);
  static constexpr int no_step = std::numeric_limits<int>::max();

  /// Operands of sums and products in an order that depends on what they are, not on when they were made: compilers
  /// evaluate operands in different orders.
  void sort_operands();
  void group_parameters();    ///< (O1)
  void factor();              ///< (O2)
  void extract_pairs(Op op);  ///< (O3), (O4)
  void share_reciprocals();   ///< (O5)
  void use_reciprocals();     ///< (O5) where a reciprocal is computed anyway
  void divide_at_once();      ///< (O6)

  /// The rewritten tape; chains become two-operand operations again, in order.
  Program program() const;

 private:
  struct Node {
    Op op = Op::constant;
    std::vector<Ref> arg;  ///< of a product: no signs
    double value = 0;
    int section = 0;
    bool fixed = false;  ///< depends on parameters alone
    bool held = false;   ///< as on the tape
    int step = no_step;  ///< as on the tape; of what rules make: where it is wanted
  };
  struct Meaning {
    std::uint64_t hash = 0;
    bool negative = false;  ///< the node is minus what the hash stands for
  };
  struct Pair {
    Ref a, b;  ///< of a sum: a positive, b with the sign relative to it
  };

  Ref make(Op op, std::vector<Ref> arg, int section, bool fixed = false);
  bool absorbs(const Node& n, Ref r) const;
  Meaning meaning_of(const Node& n, const std::vector<Meaning>& of) const;
  std::vector<Meaning> meanings() const;
  void share_reciprocals(const std::vector<std::size_t>& quotients);
  std::map<int, std::vector<std::size_t>> quotients() const;
  bool factor_once(std::size_t i);
  void split_off(std::size_t i, Ref factor, const std::vector<std::size_t>& terms);
  static std::vector<Pair> pairs_of(const Node& n);
  static bool take_out(Node& n, const Pair& pair, bool& negative);
  Ref rebuild(std::size_t i, Tape& tape, const std::vector<Ref>& done) const;

  const Program& source_;
  std::vector<Node> nodes_;
  std::vector<int> uses_;
  std::vector<Ref> roots_;
};

}  // namespace gough
