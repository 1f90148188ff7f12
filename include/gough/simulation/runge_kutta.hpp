#pragma once
/// The coefficients of an explicit Runge-Kutta method with a second, embedded one whose difference tells the error of a step:
///   k_i = f(t + c_i h, x + h sum_j a_ij k_j),   x <- x + h sum_i b_i k_i,   error ~ h sum_i (b_i - d_i) k_i
#include <array>

namespace gough {

template <int stages>
struct RungeKutta {
  int order, embedded;
  std::array<double, stages> c;
  std::array<std::array<double, stages>, stages> a;
  std::array<double, stages> b, d;
};

/// Order 8 with 7 embedded: P. J. Prince and J. R. Dormand, High order embedded Runge-Kutta formulae, J. Comp. Appl. Math. 7 (1981),
/// RK8(7)13M. Its two methods differ for x' = f(t) too (Fehlberg's 7(8) do not: their difference only compares the ends of a step), so
/// that forces given over time are seen.
extern const RungeKutta<13> prince_dormand;

}  // namespace gough
