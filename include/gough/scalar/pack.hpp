#pragma once
/// N doubles that compute as one: N states at once, or the equal legs of one robot as lanes.
///
/// The compiler's own vector types; sizes that the machine has (2 with SSE2, 4 with AVX2, 8 with AVX-512) are one
/// register. Code compiled for different instruction sets must not share symbols, so the type lives in a namespace named
/// after the set: every template over it is then another function.
#include <Eigen/Core>

#include "gough/scalar/scalar.hpp"

#if defined(__AVX512F__)
#define GOUGH_INSTRUCTIONS avx512
#elif defined(__AVX2__)
#define GOUGH_INSTRUCTIONS avx2
#else
#define GOUGH_INSTRUCTIONS plain
#endif

namespace gough {
inline namespace GOUGH_INSTRUCTIONS {

template <int N>
struct VectorOf;
template <>
struct VectorOf<2> {
  using type __attribute__((vector_size(16))) = double;
};
template <>
struct VectorOf<4> {
  using type __attribute__((vector_size(32))) = double;
};
template <>
struct VectorOf<8> {
  using type __attribute__((vector_size(64))) = double;
};

template <int N>
struct Pack {
  using Lanes = typename VectorOf<N>::type;
  Lanes v;

  Pack() = default;
  Pack(double x) : v(x - Lanes{}) {}      // NOLINT(google-explicit-constructor): constants mix freely with packs
  Pack(const Lanes& lanes) : v(lanes) {}  // NOLINT(google-explicit-constructor)

  static Pack load(const double* from) {
    Pack p;
    __builtin_memcpy(&p.v, from, sizeof(Lanes));
    return p;
  }
  void store(double* to) const { __builtin_memcpy(to, &v, sizeof(Lanes)); }
  double operator[](int i) const { return v[i]; }

  friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.v + b.v); }
  friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.v - b.v); }
  friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.v * b.v); }
  friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.v / b.v); }
  friend Pack operator-(const Pack& a) { return Pack(-a.v); }
  Pack& operator+=(const Pack& b) { return v += b.v, *this; }
  Pack& operator-=(const Pack& b) { return v -= b.v, *this; }
  Pack& operator*=(const Pack& b) { return v *= b.v, *this; }
  Pack& operator/=(const Pack& b) { return v /= b.v, *this; }

  friend Pack sqrt(const Pack& a) {
    Pack r;
    for (int i = 0; i < N; ++i) r.v[i] = __builtin_sqrt(a.v[i]);
    return r;
  }
  friend Pack sin(const Pack& a) {
    Pack r;
    for (int i = 0; i < N; ++i) r.v[i] = __builtin_sin(a.v[i]);
    return r;
  }
  friend Pack cos(const Pack& a) {
    Pack r;
    for (int i = 0; i < N; ++i) r.v[i] = __builtin_cos(a.v[i]);
    return r;
  }
  friend Pack atan2(const Pack& a, const Pack& b) {
    Pack r;
    for (int i = 0; i < N; ++i) r.v[i] = __builtin_atan2(a.v[i], b.v[i]);
    return r;
  }
  friend Pack if_positive(const Pack& x, const Pack& a, const Pack& b) {
    const Lanes zero{};
    return Pack(Lanes(x.v > zero ? a.v : b.v));
  }
};

}  // namespace GOUGH_INSTRUCTIONS
}  // namespace gough

template <int N>
struct Eigen::NumTraits<gough::Pack<N>> : Eigen::GenericNumTraits<gough::Pack<N>> {
  using Real = gough::Pack<N>;
  using NonInteger = gough::Pack<N>;
  using Nested = gough::Pack<N>;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};
