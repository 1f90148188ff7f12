#pragma once
/// One straight beam element as constant matrices, in its own axes: x along it.             docs/theory/flexible.md
///   with shear, 12 coordinates (u v w rx ry rz at both ends): exact static shapes; in a plane its six u v rz    (E2)
///   without, in a plane, 8 coordinates (u v rz v'' at both ends): axial linear, transverse quintic Hermite     (E1)
/// All come from shapes: displacements N(x), turns T(x) and strains B(x) of the axis, integrated exactly.
///   k = int B^T D B,   m = int rho A N^T N + T^T rho I T,   g(F) = int F(x) (v'^T v' + w'^T w')           (E3) (E4) (E5)
#include <array>

#include "gough/model/description.hpp"

namespace gough {

/// Which coordinates an element has.
enum class BeamShape { spatial, planar, planar_quintic };

struct BeamElement {
  BeamShape shape = BeamShape::spatial;
  double length = 0;
  MatX<double> k, m;               ///< elastic stiffness, mass with the sections' inertia
  MatX<double> g_first, g_second;  ///< geometric stiffness of a tension that falls from 1 to 0, rises from 0 to 1
  std::array<MatX<double>, 9> S;   ///< S[3 a + b] = int rho A N_a^T N_b of displacements along a and b
  MatX<double> load_first,
      load_second;    ///< columns: int rho A N^T of a field that falls from 1 to 0, rises from 0 to 1
  MatX<double> turn;  ///< columns: int T^T
  int at_end() const { return static_cast<int>(k.rows()) / 2; }
};

/// What the axis does at xi = x / length, each a row over the element's coordinates.
struct BeamField {
  MatX<double> N, T;    ///< displacements, turns of the section
  MatX<double> slope;   ///< v', w'
  MatX<double> strain;  ///< axial, twist, curvatures about y and z, shears along y and z
};
BeamField beam_field(const BeamDescription& beam, double length, BeamShape shape, double xi);

/// `length` of a piece of `beam`.
BeamElement beam_element(const BeamDescription& beam, double length, BeamShape shape);

}  // namespace gough
