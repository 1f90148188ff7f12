#pragma once
/// The tracing scalar: a kernel run on Expr writes its operations on a tape instead of computing them.
///
///   Tape tape;
///   const Tracing tracing(tape);                       // this thread's operations go there
///   const Expr x = variable({"x"}), y = sqrt(x * x + Expr(1.0));
///   evaluate(tape, {3.0});                             // or optimise it, count it, write it as C
///
/// An Expr is an integer, a node of the tape with a sign. Two of them cannot be compared: what they are worth is not
/// known yet. A kernel's choices become selects.
#include "gough/scalar/scalar.hpp"
#include "gough/scalar/tape.hpp"
#include "gough/scalar/traits.hpp"

namespace gough {

/// Directs this thread's expressions to a tape while it lives.
class Tracing {
 public:
  explicit Tracing(Tape& tape);
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  /// The tape in use. There must be one.
  static Tape& tape();

 private:
  Tape* before_;
};

/// Names the part of the computation that runs while it lives, for counting.
class Section {
 public:
  explicit Section(const std::string& name) : before_(Tracing::tape().enter_section(name)) {}
  ~Section() { Tracing::tape().set_section(before_); }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  int before_;
};

class Expr {
 public:
  Expr() = default;  ///< zero
  explicit Expr(double x) : ref_(x == 0 ? Ref() : Tracing::tape().constant(x)) {}
  explicit Expr(Ref r) : ref_(r) {}
  Ref ref() const { return ref_; }

  friend Expr operator+(Expr a, Expr b) { return Expr(Tracing::tape().add(a.ref_, b.ref_)); }
  friend Expr operator-(Expr a, Expr b) { return Expr(Tracing::tape().add(a.ref_, -b.ref_)); }
  friend Expr operator*(Expr a, Expr b) { return Expr(Tracing::tape().multiply(a.ref_, b.ref_)); }
  friend Expr operator/(Expr a, Expr b) { return Expr(Tracing::tape().divide(a.ref_, b.ref_)); }
  friend Expr operator-(Expr a) { return Expr(-a.ref_); }
  Expr& operator+=(Expr b) { return *this = *this + b; }
  Expr& operator-=(Expr b) { return *this = *this - b; }
  Expr& operator*=(Expr b) { return *this = *this * b; }
  Expr& operator/=(Expr b) { return *this = *this / b; }
  friend Expr sqrt(Expr x) { return Expr(Tracing::tape().sqrt(x.ref_)); }
  friend Expr sin(Expr x) { return Expr(Tracing::tape().sin(x.ref_)); }
  friend Expr cos(Expr x) { return Expr(Tracing::tape().cos(x.ref_)); }
  friend Expr atan2(Expr y, Expr x) { return Expr(Tracing::tape().atan2(y.ref_, x.ref_)); }
  friend Expr if_positive(Expr x, Expr a, Expr b) { return Expr(Tracing::tape().if_positive(x.ref_, a.ref_, b.ref_)); }

  friend bool operator==(Expr, Expr) = delete;
  friend bool operator!=(Expr, Expr) = delete;
  friend bool operator<(Expr, Expr) = delete;
  friend bool operator>(Expr, Expr) = delete;
  friend bool operator<=(Expr, Expr) = delete;
  friend bool operator>=(Expr, Expr) = delete;

 private:
  Ref ref_;
};
static_assert(Scalar<Expr>);

inline Expr variable(const Symbol& s) { return Expr(Tracing::tape().symbol(s)); }

/// A value that tracing must not take apart: where few operations would mean many values kept at a time.
template <class S>
S held(const S& x) {
  return x;
}
inline Expr held(const Expr& x) { return Expr(Tracing::tape().hold(x.ref())); }

/// A number for each leg, as one; one of them; the sum of the first. Other scalars hold one number.
template <class S>
S across(const std::array<S, most_lanes>& x) {
  return x[0];
}
inline Expr across(const std::array<Expr, most_lanes>& x) {
  std::array<Ref, most_lanes> refs;
  for (std::size_t i = 0; i < most_lanes; ++i) refs[i] = x[i].ref();
  return Expr(Tracing::tape().across(refs));
}
template <class S>
S lane(const S& x, int) {
  return x;
}
template <class S>
S total(const S& x, int) {
  return x;
}
inline Expr lane(const Expr& x, int which) { return Expr(Tracing::tape().lane(x.ref(), which)); }
inline Expr total(const Expr& x, int first_lanes) { return Expr(Tracing::tape().total(x.ref(), first_lanes)); }

/// A section while tracing, nothing otherwise.
template <class S>
struct Part {
  explicit Part(const char*) {}
};
template <>
struct Part<Expr> {
  explicit Part(const char* name) : section(name) {}
  Section section;
};

}  // namespace gough

template <>
struct Eigen::NumTraits<gough::Expr> : gough::NumberTraits<gough::Expr> {};
