#pragma once
/// Walking from a closed position to another along a path, in steps that never jump to another branch unseen.
///
/// Each step closes the loops with the path's next point held. A step is refused and halved when it does not converge
/// quickly, moves farther than the path explains, or changes the sign of the determinant that must not vanish on the
/// way (K_d of the coordinates that the path does not hold). If no step is small enough, the walk stops there and says
/// why.
#include <functional>
#include <string>

#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/explicit_form.hpp"

namespace gough {

/// What is held at share s of the path (0 start, 1 end); may write the held coordinates into q.
using Path = std::function<Hold(double s, VecX<double>& q)>;

/// Walks w.q along the path. `walked` returns how far it came.
Answer walk(const Mechanism<double>& m, Workspace<double>& w, const Path& path, double* walked = nullptr);

}  // namespace gough
