#include "emitter.hpp"
#include "gough/scalar/turn_terms.hpp"

namespace gough {
namespace {

/// Read once per instruction set, with LANES, OF and FOR defined.
constexpr const char* lanes = R"(typedef double OF(pack) __attribute__((vector_size(8 * LANES)));
typedef long long OF(mask) __attribute__((vector_size(8 * LANES)));

FOR static inline OF(pack) OF(spread)(double x) {
  const OF(pack) zero = {0};
  return x - zero;
}
FOR static inline OF(pack) OF(choose)(OF(mask) m, OF(pack) a, OF(pack) b) {
  return (OF(pack))((m & (OF(mask))a) | (~m & (OF(mask))b));
}
/* l > r ? a : b. */
FOR static inline OF(pack) OF(if_greater)(OF(pack) l, OF(pack) r, OF(pack) a, OF(pack) b) {
#if LANES == 8
  return (OF(pack))_mm512_mask_blend_pd(_mm512_cmp_pd_mask((__m512d)l, (__m512d)r, _CMP_GT_OQ), (__m512d)b, (__m512d)a);
#elif LANES == 4
  return (OF(pack))_mm256_blendv_pd((__m256d)b, (__m256d)a, _mm256_cmp_pd((__m256d)l, (__m256d)r, _CMP_GT_OQ));
#else
  return OF(choose)(l > r, a, b);
#endif
}
/* k sign(x), 0 where x is 0. */
FOR static inline OF(pack) OF(with_sign)(OF(pack) x, OF(pack) k) {
  const OF(mask) sign = (OF(mask))OF(spread)(-0.0);
#if LANES == 8 /* k ^ (x & sign), where x != 0 */
  return (OF(pack))_mm512_maskz_ternarylogic_epi64(_mm512_cmp_pd_mask((__m512d)x, _mm512_setzero_pd(), _CMP_NEQ_OQ), (__m512i)x, (__m512i)k, (__m512i)sign, 0x6c);
#else
  return (OF(pack))(((OF(mask))k ^ ((OF(mask))x & sign)) & (x != 0.0));
#endif
}
FOR static inline OF(pack) OF(fabs)(OF(pack) x) { return OF(choose)(x < 0.0, -x, x); }
FOR static inline OF(pack) OF(sqrt)(OF(pack) x) {
#if LANES == 8
  return (OF(pack))_mm512_maskz_sqrt_pd(255, (__m512d)x);
#elif LANES == 4
  return (OF(pack))_mm256_sqrt_pd((__m256d)x);
#else
  OF(pack) y = x;
  int i;
  for (i = 0; i < LANES; ++i) y[i] = sqrt(x[i]);
  return y;
#endif
}
FOR static inline OF(pack) OF(atan2)(OF(pack) y, OF(pack) x) {
  OF(pack) a = x;
  int i;
  for (i = 0; i < LANES; ++i) a[i] = atan2(y[i], x[i]);
  return a;
}
)";

/// Sines and cosines of polynomials; angles beyond pi/4 are reduced by multiples of pi/2 in three parts, exact up to a million.
constexpr const char* turns_of_lanes = R"(typedef struct {{
  OF(pack) sin, cos;
}} OF(turn);

FOR static inline int OF(any_beyond)(OF(pack) x) {{
#if LANES == 8
  return _mm512_cmp_pd_mask((__m512d)OF(fabs)(x), _mm512_set1_pd({small}), _CMP_NLE_UQ) != 0;
#elif LANES == 4
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)OF(fabs)(x), _mm256_set1_pd({small}), _CMP_NLE_UQ)) != 0;
#else
  int i, any = 0;
  for (i = 0; i < LANES; ++i) any |= !(fabs(x[i]) <= {small});
  return any;
#endif
}}
FOR static inline OF(turn) OF(polynomials)(OF(pack) r) {{
  const OF(pack) u = r * r;
  OF(turn) t;
  t.sin = r + r * u * ({sin});
  t.cos = 1.0 - 0.5 * u + u * u * ({cos});
  return t;
}}
__attribute__((noinline, cold)) FOR static OF(turn) OF(reduced)(OF(pack) x) {{
  const double round = {to_integer}; /* 1.5 * 2^52: adding it rounds to an integer in the low bits */
  const OF(mask) far = ~(OF(fabs)(x) <= {reducible});
  OF(pack) k = x * {per_quarter} + round, r = x, s;
  const OF(mask) n = (OF(mask))k;
  OF(turn) t;
  int i, any_far = 0;
  for (i = 0; i < LANES; ++i) any_far |= far[i] != 0;
  if (any_far) {{ /* far away, or not a number */
    t.sin = x, t.cos = x;
    for (i = 0; i < LANES; ++i) t.sin[i] = sin(x[i]), t.cos[i] = cos(x[i]);
    return t;
  }}
  k = k - round;
  r = r - k * {quarter_0};
  r = r - k * {quarter_1};
  r = r - k * {quarter_2};
  t = OF(polynomials)(r);
  s = t.sin;
  t.sin = OF(choose)((n & 1) != 0, t.cos, s);
  t.cos = OF(choose)((n & 1) != 0, s, t.cos);
  t.sin = OF(choose)((n & 2) != 0, -t.sin, t.sin);
  t.cos = OF(choose)(((n + 1) & 2) != 0, -t.cos, t.cos);
  return t;
}}
FOR static inline OF(turn) OF(sin_cos)(OF(pack) x) {{
  return OF(any_beyond)(x) ? OF(reduced)(x) : OF(polynomials)(x);
}}
)";

}  // namespace

namespace {
/// Whether the machine has a set: known where the compiler uses it anyway.
std::string questions() {
  std::string out;
  for (const InstructionSet& set : instruction_sets)
    if (*set.supported != 0)
      out += fmt::format("#if {1}\n#define HAS_{0} 1\n#else\n#define HAS_{0} ({2})\n#endif\n", set.name, set.known,
                         set.supported);
  return out + "\n";
}
}  // namespace

std::string packs_begin() {
  return "#if defined(__x86_64__)\n#define FOR_X86\n#include <immintrin.h>\n"
         "#if defined(__GNUC__) && !defined(__clang__)\n"
         "#pragma GCC diagnostic ignored \"-Wpsabi\" /* packs stay inside this file */\n#endif\n#endif\n\n"
         "#define OF(name) JOINED(name, SET)\n#define JOINED(a, b) JOINED_ONCE(a, b)\n"
         "#define JOINED_ONCE(a, b) a##_##b\n\n" +
         questions();
}

std::string for_set(const InstructionSet& set, const std::string& helpers, const std::string& text) {
  const bool x86 = *set.supported != 0;
  return fmt::format(
      "{}#define LANES {}\n#define SET {}\n#define FOR {}\n#include \"{}\"\n{}#undef LANES\n#undef SET\n#undef FOR\n{}",
      x86 ? "#ifdef FOR_X86\n" : "", set.lanes, set.name, set.attribute, helpers, text, x86 ? "#endif\n" : "");
}

std::string packs_text(bool turns) {
  using fmt::arg;
  if (!turns) return lanes;
  return lanes + fmt::format(turns_of_lanes, arg("small", small_angle), arg("reducible", number(reducible)),
                             arg("per_quarter", per_quarter), arg("quarter_0", quarter[0]),
                             arg("quarter_1", quarter[1]), arg("quarter_2", quarter[2]),
                             arg("to_integer", number(to_integer)), arg("sin", sin_polynomial()),
                             arg("cos", cos_polynomial()));
}

std::string for_this_machine(const std::string& call) {
  std::string out;
  for (const InstructionSet& set : instruction_sets) {
    const std::string line = fmt::format(fmt::runtime(call), set.name);
    out += *set.supported != 0 ? fmt::format("#ifdef FOR_X86\n  if (HAS_{}) {}\n#endif\n", set.name, line)
                               : fmt::format("  {}\n", line);
  }
  return out;
}

}  // namespace gough
