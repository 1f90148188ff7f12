#pragma once
/// N doubles that compute as one: N states at once, or the equal legs of one robot as lanes.
///
/// The compiler's own vector types; sizes that the machine has (2 with SSE2, 4 with AVX2, 8 with AVX-512) are one
/// register. Code compiled for different instruction sets must not share symbols, so the type lives in a namespace named
/// after the set: every template over it is then another function.
#include "gough/scalar/scalar.hpp"
#include "gough/scalar/traits.hpp"
#include "gough/scalar/turn_terms.hpp"

#if defined(__AVX512F__)
#define GOUGH_INSTRUCTIONS avx512
#elif defined(__AVX2__)
#define GOUGH_INSTRUCTIONS avx2
#else
#define GOUGH_INSTRUCTIONS plain
#endif

#ifdef GOUGH_PACKS_ANYWHERE  // in Eigen's matrices, whose memory is aligned for less; never referred to but as Pack
#define GOUGH_PACK_ALIGNMENT , aligned(8)
#else
#define GOUGH_PACK_ALIGNMENT
#endif

namespace gough {
inline namespace GOUGH_INSTRUCTIONS {

template <int N>
struct VectorOf;
template <>
struct VectorOf<2> {
  using type __attribute__((vector_size(16) GOUGH_PACK_ALIGNMENT)) = double;
};
template <>
struct VectorOf<4> {
  using type __attribute__((vector_size(32) GOUGH_PACK_ALIGNMENT)) = double;
};
template <>
struct VectorOf<8> {
  using type __attribute__((vector_size(64) GOUGH_PACK_ALIGNMENT)) = double;
};

template <int N>
struct Pack {
  using Lanes = typename VectorOf<N>::type;
  Lanes v;

  Pack() = default;
  Pack(double x) : v(x - Lanes{}) {}  // NOLINT(google-explicit-constructor): constants mix freely with packs
  Pack(Lanes lanes) : v(lanes) {}     // NOLINT(google-explicit-constructor)

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
  friend Pack sin(const Pack& a) { return Pack(turned(a.v).sin); }
  friend Pack cos(const Pack& a) { return Pack(turned(a.v).cos); }
  friend Pack atan2(const Pack& a, const Pack& b) {
    Pack r;
    for (int i = 0; i < N; ++i) r.v[i] = __builtin_atan2(a.v[i], b.v[i]);
    return r;
  }
  friend Pack if_positive(const Pack& x, const Pack& a, const Pack& b) {
    const Lanes zero{};
    return Pack(Lanes(x.v > zero ? a.v : b.v));
  }

 private:
  struct Turn {
    Lanes sin, cos;
  };
  static Lanes polynomial(Lanes u, const std::array<double, 6>& c) {
    return c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5]))));
  }
  static Turn turned(Lanes x) {
    using Mask = decltype(x > x);
    const Lanes size = x < 0.0 ? -x : x;
    const Mask beyond = ~(size <= small_angle), far = ~(size <= reducible);
    bool any_beyond = false, any_far = false;
    for (int i = 0; i < N; ++i) any_beyond = any_beyond || beyond[i] != 0, any_far = any_far || far[i] != 0;
    Turn t;
    if (any_far) {  // or not a number
      for (int i = 0; i < N; ++i) t.sin[i] = __builtin_sin(x[i]), t.cos[i] = __builtin_cos(x[i]);
      return t;
    }
    Lanes r = x;
    Mask n{};
    if (any_beyond) {
      Lanes k = x * per_quarter + to_integer;
      __builtin_memcpy(&n, &k, sizeof n);
      k = k - to_integer;
      for (const double part : quarter) r = r - k * part;
    }
    const Lanes u = r * r, s = r + r * u * polynomial(u, sin_terms),
                c = 1.0 - 0.5 * u + u * u * polynomial(u, cos_terms);
    if (!any_beyond) return {s, c};
    const Mask odd = (n & 1) != 0;
    t.sin = odd ? c : s, t.cos = odd ? s : c;
    t.sin = (n & 2) != 0 ? -t.sin : t.sin, t.cos = ((n + 1) & 2) != 0 ? -t.cos : t.cos;
    return t;
  }
};

}  // namespace GOUGH_INSTRUCTIONS
}  // namespace gough

template <int N>
struct Eigen::NumTraits<gough::Pack<N>> : gough::NumberTraits<gough::Pack<N>, false> {};
