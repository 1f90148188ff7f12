#pragma once
/// Runs a code anywhere, run by run: one jump for many equal instructions.
#include "code.hpp"

namespace gough::engine {

class Interpreter {
 public:
  /// `c`: lowered. Throws Error where it has more values at a time than fit.
  explicit Interpreter(Code c);

  /// Fused operations round once where the processor can (then the same bits as machine code), otherwise twice. `slots`: slots()
  /// numbers, begun with first_slots().
  int run(const double* const* in, double* const* out, double* slots) const;

  std::size_t slots() const { return slots_; }
  const std::vector<double>& first_slots() const { return first_; }  ///< inputs (anything), then constants

  struct Record {
    std::uint16_t to, a, b, c;
  };
  struct Run {
    Kind kind;
    int count;
  };

 private:
  std::vector<Run> runs_;
  std::vector<Record> records_;
  std::vector<double> first_;
  std::vector<std::size_t> input_size_;
  std::size_t slots_ = 0;
};

}  // namespace gough::engine
