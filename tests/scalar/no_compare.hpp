#pragma once
/// Proof that a kernel does not compare: it compiles on this scalar.
#include "gough/scalar/scalar.hpp"
#include "gough/scalar/traits.hpp"

namespace gough {

/// A scalar that can do what kernels may ask of it, and cannot be compared.
struct NoCompare {
  double value = 0;
  NoCompare() = default;
  explicit NoCompare(double v) : value(v) {}

  friend NoCompare operator+(NoCompare a, NoCompare b) { return NoCompare(a.value + b.value); }
  friend NoCompare operator-(NoCompare a, NoCompare b) { return NoCompare(a.value - b.value); }
  friend NoCompare operator*(NoCompare a, NoCompare b) { return NoCompare(a.value * b.value); }
  friend NoCompare operator/(NoCompare a, NoCompare b) { return NoCompare(a.value / b.value); }
  friend NoCompare operator-(NoCompare a) { return NoCompare(-a.value); }
  NoCompare& operator+=(NoCompare b) { return *this = *this + b; }
  NoCompare& operator-=(NoCompare b) { return *this = *this - b; }
  NoCompare& operator*=(NoCompare b) { return *this = *this * b; }
  NoCompare& operator/=(NoCompare b) { return *this = *this / b; }
  friend NoCompare sqrt(NoCompare x) { return NoCompare(std::sqrt(x.value)); }
  friend NoCompare sin(NoCompare x) { return NoCompare(std::sin(x.value)); }
  friend NoCompare cos(NoCompare x) { return NoCompare(std::cos(x.value)); }
  friend NoCompare atan2(NoCompare y, NoCompare x) { return NoCompare(std::atan2(y.value, x.value)); }
  friend NoCompare if_positive(NoCompare x, NoCompare a, NoCompare b) { return x.value > 0 ? a : b; }

  friend bool operator==(NoCompare, NoCompare) = delete;
  friend bool operator!=(NoCompare, NoCompare) = delete;
  friend bool operator<(NoCompare, NoCompare) = delete;
  friend bool operator>(NoCompare, NoCompare) = delete;
  friend bool operator<=(NoCompare, NoCompare) = delete;
  friend bool operator>=(NoCompare, NoCompare) = delete;
};
static_assert(Scalar<NoCompare>);
static_assert(!std::equality_comparable<NoCompare> && !std::totally_ordered<NoCompare>);

}  // namespace gough

template <>
struct Eigen::NumTraits<gough::NoCompare> : gough::NumberTraits<gough::NoCompare> {};
