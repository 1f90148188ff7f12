#pragma once
/// Friction as a function of speed that a program brings with it, known to robot files by name.
///
///   gough::define_friction("stribeck", [](double v) { return std::tanh(v / 1e-3) * (1 + 0.5 * std::exp(-v * v / 1e-4)); });
///
/// A joint then has `friction: {functions: {stribeck: 3 N}}`. Such a function is a number for a number: derivatives through it come
/// from `slope`, or from differences where that is not given, and code generated for a robot cannot have it.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gough/error.hpp"
#include "gough/scalar/dual.hpp"

namespace gough {

struct OwnFriction {
  std::string name;
  std::function<double(double)> value, slope;  ///< slope may be empty

  /// The function's derivative of an order: 0 is the function itself. What slope does not say is a difference.
  double derivative(int order, double v) const;
};

/// Makes a function known to all robots from now on; it may be called by several threads at once. A name that is defined already gets
/// the new function, and what was made before keeps the old one. Throws Error for the name of a function that gough knows itself.
void define_friction(const std::string& name, std::function<double(double)> value,
                     std::function<double(double)> slope = {});
/// The function of that name, or none.
std::shared_ptr<const OwnFriction> find_own_friction(const std::string& name);
std::vector<std::string> own_friction_names();

namespace detail {
template <class S>
struct OwnValue {
  static S of(const OwnFriction& f, int order, const S& v) {
    if constexpr (requires { v.v[0]; }) {  // a pack, lane by lane
      S r(0.0);
      for (std::size_t i = 0; i < sizeof(S) / sizeof(double); ++i)
        r.v[static_cast<int>(i)] = f.derivative(order, v.v[static_cast<int>(i)]);
      return r;
    } else {
      throw Error(
          "read the friction function '" + f.name +
          "', which this program has defined, expected one that can become code: viscous, coulomb, quadratic, cubic "
          "or square_root");
    }
  }
};
template <>
struct OwnValue<double> {
  static double of(const OwnFriction& f, int order, double v) { return f.derivative(order, v); }
};
template <class S, int N>
struct OwnValue<Dual<S, N>> {
  static Dual<S, N> of(const OwnFriction& f, int order, const Dual<S, N>& v) {
    return Dual<S, N>::chain(OwnValue<S>::of(f, order, v.value), OwnValue<S>::of(f, order + 1, v.value), v);
  }
};
}  // namespace detail

/// phi(v) for any scalar. Throws Error for one that traces code.
template <Scalar S>
S own_friction(const OwnFriction& f, const S& v) {
  return detail::OwnValue<S>::of(f, 0, v);
}

}  // namespace gough
