#pragma once
/// A scalar that counts what is done with it: cost without a clock.
#include "gough/scalar/scalar.hpp"
#include "gough/scalar/traits.hpp"

namespace gough {

/// A double whose operations are counted, each as one.
struct Counting {
  double value = 0;
  inline static long operations = 0;

  Counting() = default;
  explicit Counting(double v) : value(v) {}

  static Counting counted(double x) {
    ++operations;
    return Counting(x);
  }
  friend Counting operator+(Counting a, Counting b) { return counted(a.value + b.value); }
  friend Counting operator-(Counting a, Counting b) { return counted(a.value - b.value); }
  friend Counting operator*(Counting a, Counting b) { return counted(a.value * b.value); }
  friend Counting operator/(Counting a, Counting b) { return counted(a.value / b.value); }
  friend Counting operator-(Counting a) { return counted(-a.value); }
  Counting& operator+=(Counting b) { return *this = *this + b; }
  Counting& operator-=(Counting b) { return *this = *this - b; }
  Counting& operator*=(Counting b) { return *this = *this * b; }
  Counting& operator/=(Counting b) { return *this = *this / b; }
  friend Counting sqrt(Counting x) { return counted(std::sqrt(x.value)); }
  friend Counting sin(Counting x) { return counted(std::sin(x.value)); }
  friend Counting cos(Counting x) { return counted(std::cos(x.value)); }
  friend Counting atan2(Counting y, Counting x) { return counted(std::atan2(y.value, x.value)); }
  friend Counting if_positive(Counting x, Counting a, Counting b) { return x.value > 0 ? a : b; }
};
static_assert(Scalar<Counting>);

}  // namespace gough

template <>
struct Eigen::NumTraits<gough::Counting> : gough::NumberTraits<gough::Counting> {};
