#include "interpreter.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "gough/error.hpp"
#include "gough/scalar/turn_terms.hpp"

namespace gough::engine {
namespace {

/// Places of values, given anew when they are free: what is at work stays in the first cache.
class Slots {
 public:
  Slots(const Code& c, std::size_t first) : c_(c), uses_(c.value.size(), 0), slot_(c.value.size(), 0), next_(first) {
    for (const Instruction& i : c.instruction) operands_of(i, [&](int v) { ++uses_[at(v)]; });
  }
  void put(int v, std::size_t slot) { slot_[at(v)] = slot; }
  std::uint16_t of(int v) const { return v < 0 ? std::uint16_t(0) : static_cast<std::uint16_t>(slot_[at(v)]); }
  void read(const Instruction& i) {
    operands_of(i, [&](int v) {
      if (--uses_[at(v)] == 0) release(v);
    });
  }
  void make(int v) {
    if (v < 0) return;
    if (free_.empty()) slot_[at(v)] = next_++;
    else slot_[at(v)] = free_.back(), free_.pop_back();
  }
  void release_unused(int v) {
    if (v >= 0 && uses_[at(v)] == 0) release(v);
  }
  std::size_t count() const { return next_; }

 private:
  void release(int v) {
    if (c_.value[at(v)].home == Value::Home::computed) free_.push_back(slot_[at(v)]);
  }
  const Code& c_;
  std::vector<int> uses_;
  std::vector<std::size_t> slot_, free_;
  std::size_t next_;
};

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
double number(std::uint64_t x) { return std::bit_cast<double>(x); }

#define GOUGH_INLINED [[gnu::always_inline]] inline

struct Fused {
  GOUGH_INLINED static double of(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct Rounded {
  GOUGH_INLINED static double of(double a, double b, double c) { return a * b + c; }
};

template <class F>
GOUGH_INLINED double polynomial(const std::array<double, 6>& t, double u, double v) {
  const double low = F::of(u, t[1], t[0]), middle = F::of(u, t[3], t[2]), high = F::of(u, t[5], t[4]);
  return F::of(v, F::of(v, high, middle), low);
}

/// (G1), operation by operation as Expansion writes it.
template <class F>
GOUGH_INLINED void turn(double x, double& sine, double& cosine) {
  const double t = F::of(x, per_quarter, to_integer), n = t - to_integer;
  double r = x;
  for (const double part : quarter) r = F::of(-n, part, r);
  const double u = r * r, v = u * u, ru = r * u;
  const double s = F::of(ru, polynomial<F>(sin_terms, u, v), r);
  const double half = F::of(-u, 0.5, 1.0);
  const double k = F::of(v, polynomial<F>(cos_terms, u, v), half);
  const std::uint64_t odd = bits(t) << 63U, second = bits(t) << 62U, sign = bits(-0.0);
  sine = number(bits(odd != 0 ? k : s) ^ (second & sign));
  cosine = number(bits(odd != 0 ? s : k) ^ ((second ^ odd) & sign));
}

template <class F>
GOUGH_INLINED int run_all(const Interpreter::Run* run, const Interpreter::Run* last, const Interpreter::Record* r,
                          double* const* out, double* x) {
  int status = 0;
#define GOUGH_EACH(value)                                                                   \
  for (const Interpreter::Record* end = r + run->count; r < end; ++r) { x[r->to] = value; } \
  break
  for (; run != last; ++run) switch (run->kind) {
      case Kind::add: GOUGH_EACH(x[r->a] + x[r->b]);
      case Kind::sub: GOUGH_EACH(x[r->a] - x[r->b]);
      case Kind::mul: GOUGH_EACH(x[r->a] * x[r->b]);
      case Kind::div: GOUGH_EACH(x[r->a] / x[r->b]);
      case Kind::fma: GOUGH_EACH(F::of(x[r->a], x[r->b], x[r->c]));
      case Kind::fms: GOUGH_EACH(F::of(x[r->a], x[r->b], -x[r->c]));
      case Kind::fnma: GOUGH_EACH(F::of(-x[r->a], x[r->b], x[r->c]));
      case Kind::fnms: GOUGH_EACH(F::of(-x[r->a], x[r->b], -x[r->c]));
      case Kind::sqrt: GOUGH_EACH(__builtin_sqrt(x[r->a]));
      case Kind::larger: GOUGH_EACH(x[r->a] > x[r->b] ? x[r->a] : x[r->b]);
      case Kind::bit_and: GOUGH_EACH(number(bits(x[r->a]) & bits(x[r->b])));
      case Kind::bit_xor: GOUGH_EACH(number(bits(x[r->a]) ^ bits(x[r->b])));
      case Kind::atan2: GOUGH_EACH(std::atan2(x[r->a], x[r->b]));
      case Kind::select:  // two records each
        for (int i = 0; i < run->count; ++i, r += 2) x[r->to] = x[r->a] > x[r->b] ? x[r->c] : x[r[1].a];
        break;
      case Kind::turn:
        for (int i = 0; i < run->count; ++i, ++r) {
          double s = 0, c = 0;
          turn<F>(x[r->a], s, c);
          x[r->to] = s, x[r->b] = c;
        }
        break;
      case Kind::store:
        for (int i = 0; i < run->count; ++i, ++r) out[r->b][r->c] = x[r->a];
        break;
      case Kind::guard:
        for (int i = 0; i < run->count; ++i, ++r) status |= x[r->a] > x[r->b] ? 0 : r->c;
        break;
      default: break;  // parts of turns, which are whole here
    }
#undef GOUGH_EACH
  return status;
}

using RunAll = int (*)(const Interpreter::Run*, const Interpreter::Run*, const Interpreter::Record*, double* const*,
                       double*);

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) int run_fused(const Interpreter::Run* run, const Interpreter::Run* last,
                                                  const Interpreter::Record* r, double* const* out, double* x) {
  return run_all<Fused>(run, last, r, out, x);
}
int run_rounded(const Interpreter::Run* run, const Interpreter::Run* last, const Interpreter::Record* r,
                double* const* out, double* x) {
  return run_all<Rounded>(run, last, r, out, x);
}
RunAll for_this_processor() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &run_fused : &run_rounded;
}
#else
RunAll for_this_processor() {
#if defined(__FP_FAST_FMA)
  return &run_all<Fused>;
#else
  return &run_all<Rounded>;
#endif
}
#endif

const RunAll best_run = for_this_processor();

}  // namespace

Interpreter::Interpreter(Code c) {
  order_by_kind(c);
  std::vector<std::size_t> begin;  // of each input among the slots
  for (const int size : c.input_size) {
    begin.push_back(first_.size());
    input_size_.push_back(at(size));
    first_.resize(first_.size() + at(size), 0);
  }
  const std::size_t inputs = first_.size();
  first_.insert(first_.end(), c.constant.begin(), c.constant.end());
  Slots slots(c, first_.size());
  for (std::size_t v = 0; v < c.value.size(); ++v) {
    const Value& value = c.value[v];
    if (value.home == Value::Home::input) slots.put(static_cast<int>(v), begin[at(value.array)] + at(value.index));
    if (value.home == Value::Home::constant) slots.put(static_cast<int>(v), inputs + at(value.index));
  }
  for (const Instruction& i : c.instruction) {
    Record r{0, slots.of(i.a), slots.of(i.b), slots.of(i.c)};
    const Record fourth{0, slots.of(i.d), 0, 0};
    slots.read(i);
    slots.make(i.to), slots.make(i.to2);
    r.to = slots.of(i.to);
    if (i.kind == Kind::turn) r.b = slots.of(i.to2);
    if (i.kind == Kind::store) r.b = static_cast<std::uint16_t>(i.array);
    if (i.kind == Kind::store || i.kind == Kind::guard) r.c = static_cast<std::uint16_t>(i.index);
    slots.release_unused(i.to), slots.release_unused(i.to2);
    if (runs_.empty() || runs_.back().kind != i.kind) runs_.push_back({i.kind, 0});
    ++runs_.back().count;
    records_.push_back(r);
    if (i.kind == Kind::select) records_.push_back(fourth);
    if (slots.count() > std::numeric_limits<std::uint16_t>::max())
      throw Error("a program keeps more than 65535 numbers at a time");
  }
  slots_ = slots.count();
}

int Interpreter::run(const double* const* in, double* const* out, double* slots) const {
  double* to = slots;
  for (std::size_t k = 0; k < input_size_.size(); to += input_size_[k++])
    std::memcpy(to, in[k], input_size_[k] * sizeof(double));
  return best_run(runs_.data(), runs_.data() + runs_.size(), records_.data(), out, slots);
}

}  // namespace gough::engine
