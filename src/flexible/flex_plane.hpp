#pragma once
/// What can be said of a robot with beams before it is modelled: whether it lies in one plane across the base's z, and what no model knows.
#include "gough/flexible/flexible_model.hpp"

namespace gough {

/// What lies beside one plane across z, in words; empty: nothing. A planar model would leave out what it does.
std::string beside_plane(const Mechanism<double>& m, const Workspace<double>& w);
/// What leaves the plane of base x and y, in words; empty: nothing. There is no planar model of it.
std::string out_of_plane(const Mechanism<double>& m, const Workspace<double>& w, const FlexLoads& loads);

/// A guide on a beam is fixed to it where it stands; a carriage that travels along the beam would bend it elsewhere: throws Error.
/// `guide`: the slide's frame on `body`, base axes.
void refuse_carriage(const Mechanism<double>& m, const Workspace<double>& w, int body, const Transform<double>& guide,
                     const std::string& joint);

}  // namespace gough
