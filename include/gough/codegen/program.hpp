#pragma once
/// A traced computation with a name: what goes in, what comes out, and the tape between.        docs/theory/codegen.md
#include <map>
#include <string>
#include <vector>

#include "gough/scalar/tape.hpp"

namespace gough {

/// An array that the generated function takes; each entry is a symbol of the tape.
struct InputArray {
  std::string name, meaning;
  std::vector<std::string> entry;  ///< what each number is, with its unit
  std::vector<int> symbol;         ///< index into Tape::symbols
};

/// An array that it fills.
struct OutputArray {
  std::string name, meaning;
  std::vector<std::string> entry;
  std::vector<Ref> value;
};

/// The generated function's status says where `value` is not above `bound`.
struct Guard {
  Ref value;
  double bound = 0;
  std::string meaning;
};

struct Program {
  std::string name;                ///< of the function; files and types begin with it
  std::string robot, what, from;   ///< whose code, and which
  std::vector<std::string> about;  ///< lines for the header's comment
  int legs = 0;                    ///< that compute as lanes; 0: none do
  Tape tape;
  std::vector<InputArray> inputs;
  std::vector<OutputArray> outputs;
  std::vector<Guard> guards;

  std::vector<Ref> roots() const;
  void set_roots(const std::vector<Ref>& roots);
};

/// When a node is computed: never, once from parameters alone, or at every call.
enum class When : std::uint8_t { never, constant, setup, call };
std::vector<When> schedule(const Program& p);

/// Outputs, array after array, for the inputs, array after array; parameters as traced.
std::vector<double> evaluate(const Program& p, const std::vector<double>& inputs);

/// Operations by kind. Counting rule: additions and subtractions; multiplications and divisions; square roots, sines,
/// cosines and arc tangents apart. Signs, comparisons, selects and magnitudes are no arithmetic.
struct Count {
  int add = 0, mul = 0, div = 0;
  int sqrt = 0, sin = 0, cos = 0, atan2 = 0;
  int select = 0, abs = 0;
  int fused = 0;  ///< additions that take a product no one else uses: one operation with it on a machine with FMA

  int total() const { return add + mul + div; }
  int fma_total() const { return total() - fused; }
  int special() const { return sqrt + sin + cos + atan2; }
};

struct CountTable {
  Count call, setup;
  std::map<std::string, Count> sections;  ///< of the call
};
CountTable count(const Program& p);

}  // namespace gough
