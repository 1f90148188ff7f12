#pragma once
/// Steps of x' = f(t, x) by SUNDIALS (explicit Runge-Kutta of ARKODE, BDF of CVODE) or with a fixed step, behind one
/// small interface. The simulation asks for one step at a time and looks at the state after it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "gough/spatial/spatial.hpp"

namespace gough {

enum class Method { adaptive, stiff, dae, rk4, semi_implicit };
inline constexpr std::array<std::string_view, 5> method_names = {"adaptive", "stiff", "dae", "rk4", "semi_implicit"};
inline std::string_view name(Method m) { return method_names[static_cast<std::size_t>(m)]; }

/// As fine as a method can be without effort: energies on springs stay within 1e-8 over 10 s by `adaptive`.
constexpr double usual_tolerance(Method m) { return m == Method::dae ? 1e-8 : m == Method::stiff ? 1e-10 : 1e-12; }

/// f(t, x) -> rates, smooth between two ends of the integrator; false: there are none at this x, a shorter step may find some.
using Rates = std::function<bool(double t, const VecX<double>& x, VecX<double>& rates)>;
/// Puts a state back where it belongs after a step (on the loops); false: impossible.
using PutBack = std::function<bool(VecX<double>& x)>;

struct IntegratorOptions {
  Method method = Method::adaptive;
  double tolerance = 0;          ///< of a step: relative, and absolute in SI units; 0: the method's usual one
  double fixed_step = 1e-3;      ///< [s] of rk4 and semi_implicit, at most: rows are ends of steps
  double longest_step = 0;       ///< [s] of methods that choose theirs; 0: as they like
  double smallest_step = 1e-12;  ///< [s] below, the integration is given up
  bool keep_limits = false;      ///< multistep methods too end where they are asked to
};

/// The longest step up to `longest` that divides a way evenly; a share of 1e-6 more is rounding.
inline double fitting_step(double way, double longest) { return way / std::max(1.0, std::ceil(way / longest - 1e-6)); }

class Integrator {
 public:
  virtual ~Integrator() = default;

  double t = 0;
  VecX<double> x;
  double end = 0;  ///< f is not evaluated beyond it: there the run ends, or f has a kink or a jump
  long steps = 0, evaluations = 0;
  double last_step = 0;
  std::string failure;  ///< why step() returned false

  /// Begins (again) at t, x; `positions` of its numbers are positions, rates follow.
  virtual void start(double t, const VecX<double>& x, Eigen::Index positions) = 0;
  /// One step. It ends at `limit` at the latest, at `end` for a multistep method without keep_limits. False: given up.
  virtual bool step(double limit) = 0;
  /// The state at an earlier time of the last step.
  virtual VecX<double> at(double earlier) const = 0;
};

/// `put_back` may be empty.
std::unique_ptr<Integrator> make_integrator(const IntegratorOptions& options, Rates f, PutBack put_back);

}  // namespace gough
