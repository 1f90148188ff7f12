#pragma once
/// A platform on three PSP legs: balls on parallel slides, in which the arms of a flat star (120 degrees apart) slide.
///                                                                                         docs/theory/legs_ik.md
/// Forward. The arms' lines through the ball centres S_i meet in P. Their directions stand at theta + 120 deg (i - 1)
/// in the plane of the balls; the normals n_i add up to zero, so
///   sum n_i(theta) . S_i = 0                                                                                 (S1)
/// gives theta mod 180 deg, and P is the Fermat point of the balls. Both sides of the plane: up to four answers.
/// Inverse from P. The arms lie in the vertical planes through P and the slides, with azimuths psi_i. Unit vectors u_i
/// there with u_1 + u_2 + u_3 = 0 need cos(elevation_i) = lambda s_i, s_i = sin(psi_j - psi_k), mu = lambda^2, and
///   D mu^2 + 2 (s_1^2 + s_2^2 + s_3^2) mu - 3 = 0,   D = sum s_i^4 - 2 sum s_i^2 s_j^2                      (S2)
#include <optional>
#include <vector>

#include "gough/kinematics/leg_forms.hpp"

namespace gough {

/// The star, where the robot is one.
struct Star {
  Mat3<double> frame;                 ///< base axes with z along the slides
  std::array<Vec3<double>, 3> slide;  ///< a point of each ball's line at q = 0
  std::array<int, 3> root;            ///< the slides' bodies
  std::array<Vec3<double>, 3> arm;    ///< directions in the platform's frame
};
std::optional<Star> recognise_star(const Mechanism<double>& m);

/// Poses of the platform's frame with its origin at P.                                                      (S2)
std::vector<Transform<double>> star_poses_at(const Star& star, const Vec3<double>& P);
/// Poses of the platform's frame with the balls at the heights q of the slides.                             (S1)
std::vector<Transform<double>> star_poses_for(const Mechanism<double>& m, const Star& star, const VecX<double>& q);

}  // namespace gough
