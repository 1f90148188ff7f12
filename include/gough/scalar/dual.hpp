#pragma once
/// Dual numbers: a value and its derivatives in N directions, carried exactly through every operation.
///
///   f(x + eps e_k) = f(x) + eps df/dx_k,   eps^2 = 0
///
/// `Dual<double>` gives one directional derivative, `Dual<double, N>` N of them in one pass,
/// `Dual<Dual<double>>` second derivatives. Duals cannot be compared: kernels do not compare.
#include <Eigen/Core>
#include <array>
#include <type_traits>

#include "gough/scalar/scalar.hpp"
#include "gough/scalar/traits.hpp"

namespace gough {

template <class S, int N = 1>
struct Dual {
  S value{};
  std::array<S, N> d{};

  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): constants mix freely with duals
  explicit Dual(const S& v) requires(!std::is_same_v<S, double>) : value(v) {}

  /// The k-th independent variable.
  static Dual variable(const S& v, int k = 0) {
    Dual x;
    x.value = v;
    x.d[static_cast<std::size_t>(k)] = S(1.0);
    return x;
  }

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  /// The value y, with derivative slope * d(x): the chain rule for a function of one argument.
  static Dual chain(const S& y, const S& slope, const Dual& x) {
    Dual r;
    r.value = y;
    for (std::size_t k = 0; k < N; ++k) r.d[k] = slope * x.d[k];
    return r;
  }

  friend Dual operator-(const Dual& a) { return chain(-a.value, S(-1.0), a); }
  friend Dual operator+(const Dual& a, const Dual& b) { return linear(a.value + b.value, S(1.0), a, S(1.0), b); }
  friend Dual operator-(const Dual& a, const Dual& b) { return linear(a.value - b.value, S(1.0), a, S(-1.0), b); }
  friend Dual operator*(const Dual& a, const Dual& b) { return linear(a.value * b.value, b.value, a, a.value, b); }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const S y = a.value / b.value;
    const S slope = S(1.0) / b.value;
    return linear(y, slope, a, -(y * slope), b);
  }

  friend Dual sqrt(const Dual& x) {
    const S y = sqrt(x.value);
    return chain(y, S(0.5) / y, x);
  }
  friend Dual sin(const Dual& x) { return chain(sin(x.value), cos(x.value), x); }
  friend Dual cos(const Dual& x) { return chain(cos(x.value), -sin(x.value), x); }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const S r2 = x.value * x.value + y.value * y.value;
    return linear(atan2(y.value, x.value), x.value / r2, y, -(y.value / r2), x);
  }
  friend Dual if_positive(const Dual& x, const Dual& a, const Dual& b) {
    Dual r;
    r.value = if_positive(x.value, a.value, b.value);
    for (std::size_t k = 0; k < N; ++k) r.d[k] = if_positive(x.value, a.d[k], b.d[k]);
    return r;
  }

 private:
  static Dual linear(const S& y, const S& p, const Dual& a, const S& q, const Dual& b) {
    Dual r;
    r.value = y;
    for (std::size_t k = 0; k < N; ++k) r.d[k] = p * a.d[k] + q * b.d[k];
    return r;
  }
};

static_assert(Scalar<double> && Scalar<Dual<double>> && Scalar<Dual<Dual<double>>>);

}  // namespace gough

template <class S, int N>
struct Eigen::NumTraits<gough::Dual<S, N>> : gough::NumberTraits<gough::Dual<S, N>> {};
