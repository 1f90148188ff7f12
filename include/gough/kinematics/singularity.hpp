#pragma once
/// How near a position is to a singularity, in numbers without units.                        docs/theory/mobility.md
#include <optional>
#include <string>

#include "gough/kinematics/stages.hpp"

namespace gough {

/// Distances to singularities, as ratios of singular values in [0, 1]; none where the notion does not apply.
struct SingularityIndices {
  std::optional<double> type1;       ///< a leg at the end of its reach: it moves while its tip stands; (M6), (M11)
  std::string type1_leg;             ///< the leg that is nearest to it
  std::optional<double> held;        ///< how well the actuators hold the freedoms; near 0 at a true type-2 one; (M13)
  std::optional<double> type2;       ///< the platform (or the mechanism) moves while the actuators stand; (M7), (M8)
  std::optional<double> constraint;  ///< the loops lose a constraint: more freedom than elsewhere; (M9), (M10)
};

/// The singularity indices at the workspace's position (stage closure).
SingularityIndices singularity_indices(const Mechanism<double>& m, const Workspace<double>& w);

/// How near the loops' equations are to losing rank, 1 where there are none: of K, which depends on where they are cut.
double loop_index(const Mechanism<double>& m, const Workspace<double>& w);

/// K where its rank is largest among home and poses nearby, without units.
MatX<double> general_closure(const Mechanism<double>& m);

/// Sets m.rank, each leg's, and m.general: the largest ranks at home and at poses nearby.
void set_general_facts(Mechanism<double>& m);

/// The root mean square distance of the joints on loops from their centre, at the workspace's position: (M1).
double characteristic_length(const Mechanism<double>& m, const Workspace<double>& w);

/// K without units: rows of lengths divided by `length`, columns of lengths multiplied by it: (M2).
MatX<double> scaled_closure(const Mechanism<double>& m, const Workspace<double>& w, double length);

}  // namespace gough
