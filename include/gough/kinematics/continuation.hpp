#pragma once
/// Walking from a closed position to another along a path, in steps that never jump to another branch unseen.
///
/// Each step closes the loops with the path's next point held. A step is refused and halved when it does not converge
/// quickly, bends away from its first Newton step, moves too far, or changes the sign of the determinant that must not vanish on the
/// way (K_d of the coordinates that the path does not hold). If no step is small enough, the walk stops there and says
/// why.
#include <functional>
#include <string>

#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/stages.hpp"

namespace gough {

/// What is held at share s of the path (0 start, 1 end); may write the held coordinates into q.
using Path = std::function<Hold(double s, VecX<double>& q)>;

/// The straight way between two poses of the platform (rotations about a fixed axis), holding the masked coordinates and
/// the elastic joints.
Path pose_path(const Mechanism<double>& m, const Transform<double>& from, const Transform<double>& to,
               const PoseMask& mask);

/// Walks w.q along the path. `watch`: something else than the path that must stay determined on the way (the drives, while
/// walking along poses). `smallest`: where steps would be shorter, it ends, closed, where it stands.
Answer walk(const Mechanism<double>& m, Workspace<double>& w, const Path& path, const Hold* watch = nullptr,
            double smallest = 1e-5);

}  // namespace gough
