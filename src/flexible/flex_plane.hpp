#pragma once
/// Whether a robot with beams and what acts on it lie in one plane across the base's z.
#include "gough/flexible/flexible_model.hpp"

namespace gough {

/// What lies beside one plane across z, in words; empty: nothing. A planar model would leave out what it does.
std::string beside_plane(const Mechanism<double>& m, const Workspace<double>& w);
/// What leaves the plane of base x and y, in words; empty: nothing. There is no planar model of it.
std::string out_of_plane(const Mechanism<double>& m, const Workspace<double>& w, const FlexLoads& loads);

}  // namespace gough
