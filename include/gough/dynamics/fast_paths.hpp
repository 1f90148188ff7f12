#pragma once
/// A fast path earns its use: specialised ways to compute are compared with the general kernels when a robot is prepared.
///                                                                                        docs/theory/dynamics.md
/// At random closed states near home, with random rates, accelerations, drive forces and wrenches, the general kernel is `dalembert` on
/// all loops at once. A path is refused where, for any of its answers x,
///   |x - x_general| > 1e-9 cond |x_general|                                                                 (X1)
/// cond: 1-norm estimates of the condition of K_d and of A (inverse) or M_c (forward), multiplied. Paths besides recognise what they
/// serve by counting all that a mechanism has, so that what they do not know makes them stand aside.
#include <functional>

#include "gough/dynamics/dynamics.hpp"

namespace gough {

/// May change what a path computed before it is compared: tests plant errors with it.
using AlterPath = std::function<void(std::string_view path, VecX<double>& answer)>;

/// Tries every path of the dynamics and notes the outcome in m.fast_path. Home is assembled, ranks and leg forms are known.
void prove_fast_paths(Mechanism<double>& m, const AlterPath& alter = {});

}  // namespace gough
