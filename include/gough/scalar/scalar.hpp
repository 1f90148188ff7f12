#pragma once
/// What a kernel may ask of its scalar.
///
/// Every kernel is a template over the scalar: `double` computes, `Dual` differentiates, a tracing scalar writes code,
/// a pack computes several states at once. So a kernel never branches on a scalar's value: a comparison of two traced
/// expressions has no answer, and the lanes of a pack may disagree. Where a choice is needed, both sides are computed
/// and `if_positive` selects.
#include <cmath>
#include <concepts>

#include "gough/scalar/index.hpp"

namespace gough {

using std::abs;
using std::atan2;
using std::cos;
using std::sin;
using std::sqrt;

/// a where x > 0, else b. The only choice a kernel can make.
inline double if_positive(double x, double a, double b) { return x > 0 ? a : b; }

template <class S>
concept Scalar = std::copyable<S> && std::constructible_from<S, double> && requires(S a, S b) {
  { a + b } -> std::convertible_to<S>;
  { a - b } -> std::convertible_to<S>;
  { a* b } -> std::convertible_to<S>;
  { a / b } -> std::convertible_to<S>;
  { -a } -> std::convertible_to<S>;
  { sqrt(a) } -> std::convertible_to<S>;
  { sin(a) } -> std::convertible_to<S>;
  { cos(a) } -> std::convertible_to<S>;
  { atan2(a, b) } -> std::convertible_to<S>;
  { if_positive(a, a, b) } -> std::convertible_to<S>;
};

/// +1, -1, and 0 exactly at 0 (dry friction at rest).
template <Scalar S>
S sign(const S& x) {
  return if_positive(x, S(1.0), if_positive(-x, S(-1.0), S(0.0)));
}

template <Scalar S>
S magnitude(const S& x) {
  return if_positive(x, x, -x);
}

template <Scalar S>
S smaller(const S& a, const S& b) {
  return if_positive(a - b, b, a);
}

}  // namespace gough
