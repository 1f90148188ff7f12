#pragma once
/// Algebra on a whole tape, beyond what one operation's operands tell.                          docs/theory/codegen.md
///
///   set-up        p q x -> (p q) x, parameters of a sum or product together, computed once                  (O1)
///   factoring     a b + a c -> a (b + c) where both products are used once                                  (O2)
///   sums          a + b + c, a + b + d -> t = a + b, t + c, t + d                                           (O3)
///   products      the same                                                                                  (O4)
///   reciprocals   a / x, b / x -> r = 1 / x, a r, b r                                                       (O5)
///   division      a (1 / x) -> a / x where the reciprocal is used once                                      (O6)
/// Each is tried on the whole tape and kept only where the count of a call falls. What no output needs is left out.
#include <functional>

#include "gough/codegen/program.hpp"

namespace gough {

/// `between`: called between passes; it may throw to end them.
Program optimised(const Program& p, const std::function<void()>& between = {});

}  // namespace gough
