#pragma once
/// Geometry that fits itself. An overconstrained robot (parallelograms, a planar loop written in 3-D) moves only if its lengths and axes
/// fit each other; numbers rounded by CAD do not, and its loops close at home and nowhere else.      docs/theory/mobility.md
///
/// K_k and phi_k are the loops' equations at poses k near home, U_k a basis of what K_k leaves out when singular values below 1e-4 of the
/// largest count as zero, and d small twists of the joints' frames in their bodies. The shortest d with
///   U_k^T (phi_k + P_k d) = 0   at all poses k                                                      (M14)
/// is added to the frames, again and again until the loops close. Its longest displacement is the gap.
#include <string>

#include "gough/kinematics/stages.hpp"

namespace gough {

struct ConsistentGeometry {
  RobotDescription robot;  ///< whose loops close
  double gap =
      0;  ///< how far a joint's frame was moved at most: m, turns times the characteristic length; 0: nothing was
  std::string joint;  ///< which one
  double length = 1;  ///< the characteristic length
};

/// The nearest consistent geometry of a robot, of which `m` was built and stands at home. The robot itself where its loops close as they
/// are, or where none so near closes them.
ConsistentGeometry consistent_geometry(const RobotDescription& robot, const Mechanism<double>& m);

}  // namespace gough
