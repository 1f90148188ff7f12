#pragma once
/// Sines and cosines by polynomials in u = x^2, for |x| up to pi/4: sin x = x + x u p(u), cos x = 1 - u / 2 + u^2 p(u), with errors
/// below 1e-17. Minimax, found by Remez' exchange in 50 digits.
#include <array>

namespace gough {

inline constexpr std::array<double, 6> sin_terms = {-0.16666666666666632,    0.008333333333322418,
                                                    -0.00019841269829812313, 2.755731369355535e-06,
                                                    -2.5050758382251443e-08, 1.589681169738674e-10};
inline constexpr std::array<double, 6> cos_terms = {0.0416666666666666,     -0.0013888888888874131,
                                                    2.4801587289487073e-05, -2.7557314353806936e-07,
                                                    2.0875723481389027e-09, -1.1359658960080114e-11};

/// Beyond pi/4 a multiple of pi/2 is taken off, in three parts: exact for angles up to `reducible`.
inline constexpr double small_angle = 0.785, reducible = 1e6, per_quarter = 0.63661977236758138;
inline constexpr std::array<double, 3> quarter = {1.5707963267341256, 6.0771005063039e-11, 2.0222662487959506e-21};
/// 1.5 * 2^52: adding it rounds to an integer, in the low bits.
inline constexpr double to_integer = 6755399441055744.0;

}  // namespace gough
